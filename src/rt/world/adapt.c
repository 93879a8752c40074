/* Major step: cloths are refined and coarsened where their turn has come.
 *
 * Criteria are evaluated in parallel, memory is reserved serially in the order of the cloths, edits
 * are made in parallel. */
#include "rt/world/world.h"

#include "core/timer.h"

/* A cloth adapts in the first minor step of a call only: published positions then belong to the
 * state that changes, so that its output can be kept continuous (vo_rt_detail_rebind_edits). */
static void count_down(vo_rt_world *w) {
    bool is_first = w->step.minor == 0;
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        int left = c->state.steps_to_major - w->step.span;
        c->state.steps_to_major = left > 0 ? left : 0;
        c->adapts = is_first && c->moves && c->state.steps_to_major == 0;
        if (c->adapts) c->state.steps_to_major = w->def.minor_per_major;
    }
}

/* Memory for the lists of edits. A cloth without it does not adapt. */
static void reserve_edits(vo_rt_world *w) {
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        if (!c->adapts) continue;
        int need = c->mesh.edge_end;
        bool ok = vo_rt_heap_reserve(&w->heap, (void **)&c->edits.split, &c->split_capacity, need,
                                     sizeof *c->edits.split) &&
                  vo_rt_heap_reserve(&w->heap, (void **)&c->edits.join, &c->join_capacity, need,
                                     sizeof *c->edits.join);
        if (!ok) c->stats.rejected_splits++;
        c->edits.capacity =
            c->split_capacity < c->join_capacity ? c->split_capacity : c->join_capacity;
        c->edits.split_count = c->edits.join_count = c->edits.deferred = c->edits.rejected = 0;
    }
}

static void collect_cloth(vo_rt_cloth *c) {
    double start = vo_now();
    vo_rt_bodies_select(c, c->world->h);
    vo_rt_contact_find_tangles(&c->mesh.front);
    vo_rt_criteria criteria = vo_rt_criteria_make(c);
    vo_rt_solve_normals(&c->mesh.front);
    vo_rt_solve_bend_cosines(&c->mesh.front);
    vo_rt_mesh_collect(&c->mesh, vo_rt_criteria_test, &criteria, &c->edits);
    vo_rt_groups_filter_edits(c);
    c->stats.adapt_s += vo_now() - start;
}

static void collect(void *arg, int begin, int end, int chunk) {
    vo_rt_world *w = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        if (w->active[i]->adapts) collect_cloth(w->active[i]);
}

/* Memory for the splits and for the data per vertex; splits that do not fit are dropped. */
static void reserve_splits(vo_rt_world *w) {
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        if (!c->adapts) continue;
        vo_rt_mesh_reserve(&c->mesh, &w->heap, &c->edits);
        bool ok = vo_rt_contact_reserve(&c->contacts, &w->heap, &c->mesh.front) &&
                  vo_rt_levels_reserve(&c->levels, &w->heap, &c->mesh);
        if (c->input.blend < 1) vo_rt_publish_reserve(c);
        if (!ok) {
            c->edits.rejected += c->edits.split_count;
            c->edits.split_count = 0;
        }
    }
}

/* A new vertex is moved out of bodies along the mean normal of its edge (7.1). */
static void place_vertex(void *user, vo_rt_mesh *mesh, int vertex, int edge) {
    vo_rt_cloth *c = user;
    int a = mesh->edge[edge].vertex[0];
    c->contacts.hint[vertex] = c->contacts.hint[a];
    c->contacts.hint_body[vertex] = c->contacts.hint_body[a];
    c->contacts.anchor[vertex] = c->contacts.anchor[a];
    c->contacts.home[vertex] = c->contacts.home[a];
    vo_rt_contact_bodies bodies = vo_rt_bodies_near(c);
    vo_rt_vec3 from = f4_xyz(mesh->front.position[vertex]);
    if (bodies.count > 0 && mesh->front.position[vertex].w > 0)
        vo_rt_contact_place_vertex(&mesh->front, &bodies, vertex,
                                   f4_xyz(mesh->front.normal[vertex]), c->input.fabric.thickness);
    vo_rt_groups_limit_new(c, vertex, edge, from);
    c->contacts.safe[vertex] = f4_make(f4_xyz(mesh->front.position[vertex]), 0);
}

static void apply_cloth(vo_rt_cloth *c) {
    double start = vo_now();
    c->stats.major_steps++;
    c->stats.splits += c->edits.split_count;
    c->stats.joins += c->edits.join_count;
    c->stats.deferred_splits += c->edits.deferred;
    c->stats.rejected_splits += c->edits.rejected;
    c->stats.cost += vo_rt_budget_adapt_cost(c);
    if (c->edits.split_count + c->edits.join_count > 0) {
        vo_rt_mesh_apply(&c->mesh, &c->edits, c->input.adaption.join_wait, place_vertex, NULL, c);
        vo_rt_levels_update(&c->levels, &c->mesh);
        vo_rt_publish_blend(c);
        vo_rt_mesh shown = vo_rt_publish_mesh(c);
        vo_rt_detail_rebind_edits(&c->detail, &shown, &c->edits);
    }
    c->stats.adapt_s += vo_now() - start;
}

static void apply(void *arg, int begin, int end, int chunk) {
    vo_rt_world *w = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        if (w->active[i]->adapts) apply_cloth(w->active[i]);
}

void vo_rt_adapt_cloths(vo_rt_world *w) {
    count_down(w);
    reserve_edits(w);
    vo_rt_groups_inspect(w);
    bool ok = vo_threads_run(w->threads, w->active_count, 1, collect, w);
    reserve_splits(w);
    ok = vo_threads_run(w->threads, w->active_count, 1, apply, w) && ok;
    if (!ok) w->step.tasks_failed = true;
}
