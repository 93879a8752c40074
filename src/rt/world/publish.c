/* End of a step: outputs, contact events, reactions on bodies, statistics. */
#include "rt/world/world.h"

#include "core/timer.h"

float vo_rt_publish_alpha(const vo_rt_cloth *c) {
    const vo_rt_cloth_state *s = &c->state;
    if (s->move_steps <= 1 && s->steps_since_move == 0) return c->world->alpha;
    float ahead = (float)s->steps_since_move + c->world->alpha - 1;
    return f_clamp(1 + ahead / (float)s->move_steps, 0, 2);
}

vo_rt_mesh vo_rt_publish_mesh(const vo_rt_cloth *c) {
    vo_rt_mesh mesh = c->mesh;
    int capacity = c->blended_capacity[0] < c->blended_capacity[1] ? c->blended_capacity[0]
                                                                   : c->blended_capacity[1];
    if (c->input.blend < 1 && capacity >= mesh.front.vertex_end) {
        mesh.front.shown = c->blended[0];
        mesh.front.position = c->blended[1];
    }
    return mesh;
}

void vo_rt_publish_blend(vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    if (c->input.blend >= 1 || c->blended_capacity[0] < f->vertex_end ||
        c->blended_capacity[1] < f->vertex_end)
        return;
    for (int i = 0; i < f->vertex_end; i++) {
        vo_rt_vec3 target = f4_xyz(f->target[i]);
        vo_rt_vec3 shown = f3_lerp(target, f4_xyz(f->shown[i]), c->input.blend);
        vo_rt_vec3 position = f3_lerp(target, f4_xyz(f->position[i]), c->input.blend);
        c->blended[0][i] = f4_make(shown, f->shown[i].w);
        c->blended[1][i] = f4_make(position, f->position[i].w);
    }
}

void vo_rt_publish_reserve(vo_rt_cloth *c) {
    for (int i = 0; i < 2; i++)
        (void)vo_rt_heap_reserve(&c->world->heap, (void **)&c->blended[i], &c->blended_capacity[i],
                                 c->mesh.front.vertex_capacity, sizeof *c->blended[i]);
}

/* The stretch of distant cloths is measured in every fourth of their steps. */
static bool is_measured(const vo_rt_cloth *c) {
    int divisor = 4 * c->world->def.lod.far_rate_divisor;
    return !c->state.is_far ||
           (c->world->minors + c->index) % divisor < c->world->def.lod.far_rate_divisor;
}

static void publish_cloth(vo_rt_cloth *c) {
    if (c->state.is_parked) return;
    double start = vo_now();
    vo_rt_publish_blend(c);
    vo_rt_mesh mesh = vo_rt_publish_mesh(c);
    if (!c->state.is_sleeping && (c->has_moved || c->input.blend < 1))
        vo_rt_solve_normals(&mesh.front);
    vo_rt_detail_publish(&c->detail, &mesh, vo_rt_publish_alpha(c), c->world->step.dt);
    if (c->state.follows_pose || !(c->input.blend > 0))
        c->max_stretch = 0;
    else if (c->has_moved && is_measured(c))
        c->max_stretch = vo_rt_solve_stretch(&c->mesh.front, 0.99f);
    c->has_moved = false;
    c->stats.cost += vo_rt_budget_output_cost(c);
    c->stats.output_s += vo_now() - start;
    vo_rt_publish_upsampled(c, &mesh, vo_rt_publish_alpha(c), c->world->step.dt, true);
    if (c->stats.detail_nodes > 0) c->stats.cost += vo_rt_budget_detail_cost(c);
}

static void publish(void *arg, int begin, int end, int chunk) {
    vo_rt_world *w = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) publish_cloth(w->active[i]);
}

static void add_event(vo_rt_world *w, vo_rt_contact_event event) {
    if (w->event_count < w->def.max_contact_events) w->event[w->event_count++] = event;
}

static bool was_touched(const vo_rt_cloth_state *s, int body) {
    for (int i = 0; i < s->touched_count; i++)
        if (s->touched[i] == body) return true;
    return false;
}

static bool is_touched(const vo_rt_cloth_state *s, int body) {
    for (int i = 0; i < s->touch_count; i++)
        if (s->touch[i].body == body) return true;
    return false;
}

static void list_events(vo_rt_world *w, vo_rt_cloth *c) {
    vo_rt_cloth_state *s = &c->state;
    for (int i = 0; i < s->touch_count; i++) {
        const vo_rt_touch *t = &s->touch[i];
        if (w->body[t->body] && !was_touched(s, t->body))
            add_event(w, (vo_rt_contact_event){.cloth = c,
                                               .body = w->body[t->body],
                                               .began = true,
                                               .position = t->position,
                                               .normal = t->normal,
                                               .speed = t->speed});
    }
    for (int i = 0; i < s->touched_count; i++)
        if (w->body[s->touched[i]] && !is_touched(s, s->touched[i]))
            add_event(w, (vo_rt_contact_event){.cloth = c, .body = w->body[s->touched[i]]});
    s->touched_count = s->touch_count;
    for (int i = 0; i < s->touch_count; i++) s->touched[i] = s->touch[i].body;
}

/* The torque refers to the origin of the body: t - p x f. */
static void sum_reactions(vo_rt_world *w) {
    float duration = (float)w->step.steps * w->h;
    for (int i = 0; i < w->body_end; i++)
        if (w->body[i]) w->body[i]->reaction = (vo_rt_reaction){{0}, {0}};
    for (int i = 0; i < w->active_count; i++) {
        const vo_rt_cloth_state *s = &w->active[i]->state;
        for (int k = 0; k < s->touch_count; k++) {
            const vo_rt_touch *t = &s->touch[k];
            vo_rt_body *body = w->body[t->body];
            if (!body) continue;
            vo_rt_reaction *r = &body->reaction;
            vo_rt_vec3 origin = vo_rt_body_get_slot(body)->origin;
            vo_rt_vec3 torque = f3_sub(t->torque, f3_cross(origin, t->impulse));
            r->force = f3_add_scaled(r->force, 1 / duration, t->impulse);
            r->torque = f3_add_scaled(r->torque, 1 / duration, torque);
        }
    }
}

static void add_cloth_stats(vo_rt_stats *sum, const vo_rt_cloth *c) {
#define ADD(name, description) sum->name += c->stats.name;
    VO_RT_STAGES(ADD)
    VO_RT_COUNTERS(ADD)
#undef ADD
    const vo_rt_front *f = &c->mesh.front;
    sum->cloths++;
    sum->sleeping_cloths += c->state.is_sleeping;
    sum->triangles += f->triangle_count;
    sum->vertices += f->vertex_count;
    sum->springs += f->spring_count;
    sum->cost += 1e-6 * c->stats.cost;
}

static void sum_stats(vo_rt_world *w) {
    vo_rt_stats s = {.pose_s = w->pose_s,
                     .minor_steps = w->step.steps,
                     .dropped_steps = w->step.dropped,
                     .detail_scale = w->detail_scale,
                     .over_budget = w->over_budget,
                     .pool_bytes = w->heap.page_count * VO_RT_PAGE,
                     .pool_used = w->heap.used,
                     .pool_peak = w->heap.peak};
    for (int i = 0; i < w->body_end; i++) s.bodies += w->body[i] != NULL;
    for (int i = 0; i < w->active_count; i++) {
        const vo_rt_cloth *c = w->active[i];
        add_cloth_stats(&s, c);
        s.max_stretch = f_max(s.max_stretch, c->max_stretch);
    }
    w->stats = s;
}

void vo_rt_publish(vo_rt_world *w) {
    for (int i = 0; i < w->active_count; i++)
        if (w->active[i]->input.blend < 1) vo_rt_publish_reserve(w->active[i]);
    vo_rt_air_update(w);
    if (!vo_threads_run(w->threads, w->active_count, 1, publish, w)) w->step.tasks_failed = true;
    w->event_count = 0;
    if (w->step.steps > 0) {
        for (int i = 0; i < w->active_count; i++) list_events(w, w->active[i]);
        sum_reactions(w);
    }
    sum_stats(w);
    if (w->step.steps > 0) vo_rt_budget_update(w);
}

vo_result vo_rt_cloth_write_output(const vo_rt_cloth *c, const vo_rt_output *output) {
    vo_result result = vo_rt_check_output(&c->world->message, output);
    if (result != VO_OK) return result;
    vo_rt_mesh mesh = vo_rt_publish_mesh(c);
    vo_rt_detail_write(&c->detail, &mesh, output);
    return VO_OK;
}
