/* The remesh stage: sizing, edits, and the update of everything that depends on the topology.
 *
 *   nearest obstacles ─► sizing ─► edits, guarded ─► handles, guess, normal forces, origin
 *   effective strain of the old faces ──────────────► offsets of the new ones (pop_filter.c)
 *                                                     solver and contact, rebuilt
 *
 * It runs at the end of a frame, so that the saved state is the start of the next step. Edits and
 * their order depend on the saved state only: the sizing field is recomputed and every edge tested
 * each time. Results cached from the previous frame would not exist in a resumed run. */
#include "core/timer.h"
#include "sim/sim.h"

#include <string.h>

/* ---- creation and destruction --------------------------------------------------------------- */

static vo_sizing_def sizing_def(const vo_sim *sim, int cloth) {
    const vo_remeshing_def *r = &sim->scene->cloth[cloth].remeshing;
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = r->refine_angle;
    def.refine_velocity = r->refine_velocity;
    def.refine_compression = r->refine_compression;
    def.rib_stiffening = r->rib_stiffening;
    def.size_min = r->size_min;
    def.size_max = r->size_max;
    def.aspect_min = r->aspect_min;
    def.obstacle_range = 10 * sim->scene->def.repulsion_thickness;
    def.combine_sum = r->add_metrics;
    def.view_size_max = vo_max(r->size_max, sim->scene->def.view.size_max);
    return def;
}

vo_result vo_sim_remesh_create_editor(vo_sim *sim, int cloth) {
    const vo_scene_cloth *scene = &sim->scene->cloth[cloth];
    vo_cloth_state *c = &sim->cloth[cloth];
    double *density = vo_new_array(sim->ctx, double, scene->material_count);
    if (!density) return vo_fail_memory(sim->ctx, "remeshing");
    for (int i = 0; i < scene->material_count; i++)
        density[i] = c->material[i].fabric->density * c->material[i].density_mult;
    vo_edit_def def = vo_edit_def_default();
    def.density = density;
    def.density_count = scene->material_count;
    def.outline_tolerance = scene->remeshing.outline_tolerance;
    vo_edit_destroy(c->edit);
    vo_result result = vo_edit_create(c->mesh, &def, &c->edit);
    vo_free_array(sim->ctx, density, scene->material_count);
    vo_sizing_invalidate(&c->sizing);
    return result;
}

static vo_result create_nearest(vo_sim *sim) {
    int count = sim->obstacle_count;
    const vo_mesh **mesh = vo_arena_array(&sim->remesh.arena, const vo_mesh *, count + 1);
    if (!mesh) return vo_fail_memory(sim->ctx, "remeshing");
    for (int i = 0; i < count; i++) mesh[i] = sim->scene->obstacle[i].mesh;
    return vo_nearest_create(sim->ctx, count, mesh, &sim->remesh.nearest);
}

vo_result vo_sim_remesh_create(vo_sim *sim) {
    bool any = false;
    vo_arena_init(&sim->remesh.arena, sim->ctx);
    for (int c = 0; c < sim->cloth_count; c++) any = any || vo_sim_remeshes(sim, c);
    if (!any) return VO_OK;
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_sizing_def def = sizing_def(sim, c);
        vo_sizing_init(&sim->cloth[c].sizing, sim->ctx, &def);
        VO_TRY(vo_sim_remesh_create_editor(sim, c));
    }
    VO_TRY(create_nearest(sim));
    VO_TRY(vo_guard_create(sim->ctx, &sim->remesh.guard));
    return vo_remesher_create(sim->ctx, &sim->remesh.remesher);
}

void vo_sim_remesh_free(vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_cloth_state *cloth = &sim->cloth[c];
        if (cloth->sizing.ctx) vo_sizing_free(&cloth->sizing);
        vo_edit_destroy(cloth->edit);
        vo_free_array(sim->ctx, cloth->origin, cloth->origin_count);
    }
    vo_remesher_destroy(sim->remesh.remesher);
    vo_guard_destroy(sim->remesh.guard);
    vo_nearest_free(&sim->remesh.nearest);
    vo_arena_free(&sim->remesh.arena);
}

/* ---- transferred state ---------------------------------------------------------------------- */

/* State per node and face of one cloth that the solver keeps across edits. */
typedef struct element_state {
    vo_vec3 *guess;
    double *node_normal_force;
    vo_effective_strain *strain;
} element_state;

static bool allocate_state(vo_sim *sim, const vo_mesh *mesh, element_state *out) {
    vo_arena *arena = &sim->remesh.arena;
    out->guess = vo_arena_array(arena, vo_vec3, mesh->node_count + 1);
    out->node_normal_force = vo_arena_array(arena, double, mesh->node_count + 1);
    out->strain = vo_arena_array(arena, vo_effective_strain, mesh->face_count + 1);
    return out->guess && out->node_normal_force && out->strain;
}

static double *make_angles(vo_sim *sim, const vo_mesh *mesh) {
    return vo_arena_array(&sim->remesh.arena, double, mesh->edge_count + 1);
}

static vo_result save_state(vo_sim *sim, int c, element_state *out) {
    const vo_implicit *s = &sim->implicit;
    const vo_mesh *mesh = sim->cloth[c].mesh;
    double *angle = make_angles(sim, mesh);
    if (!allocate_state(sim, mesh, out) || !angle) return vo_fail_memory(sim->ctx, "remeshing");
    for (int i = 0; i < mesh->node_count; i++) {
        int node = sim->cloth[c].first_node + i;
        const vo_vec4 *g = &s->guess[s->system.row_of[node]];
        out->guess[i] = v3(g->x, g->y, g->z);
        out->node_normal_force[i] = sim->contact.node_normal_force[node];
    }
    vo_pop_filter_measure(s, mesh, sim->system_cloth[c].first_face, angle, out->strain);
    return VO_OK;
}

/* Transfers the state through the remap table to the new elements. */
static vo_result remap_state(vo_sim *sim, int c, element_state *state) {
    enum { STRAIN_NUMBERS = sizeof(vo_effective_strain) / sizeof(double) };
    const vo_remap *remap = &sim->cloth[c].edit->remap;
    element_state old = *state;
    if (!allocate_state(sim, sim->cloth[c].mesh, state))
        return vo_fail_memory(sim->ctx, "remeshing");
    VO_TRY(vo_remap_transfer(remap, VO_REMAP_NODE, 3, &old.guess->x, &state->guess->x));
    VO_TRY(vo_remap_transfer(remap, VO_REMAP_NODE, 1, old.node_normal_force,
                             state->node_normal_force));
    return vo_remap_transfer(remap, VO_REMAP_FACE, STRAIN_NUMBERS, old.strain->shape.strain,
                             state->strain->shape.strain);
}

/* Copies the state to the solver of the new meshes. */
static vo_result restore_state(vo_sim *sim, int c, const element_state *state) {
    vo_implicit *s = &sim->implicit;
    const vo_mesh *mesh = sim->cloth[c].mesh;
    double *angle = make_angles(sim, mesh);
    if (!angle) return vo_fail_memory(sim->ctx, "remeshing");
    for (int i = 0; i < mesh->node_count; i++) {
        int node = sim->cloth[c].first_node + i;
        vo_vec3 g = state->guess[i];
        s->guess[s->system.row_of[node]] = (vo_vec4){g.x, g.y, g.z, 0};
        sim->contact.node_normal_force[node] = state->node_normal_force[i];
    }
    if (!(sim->scene->def.disable & VO_DISABLE_POP_FILTER))
        vo_pop_filter_begin(s, mesh, sim->system_cloth[c].first_face, angle, state->strain);
    return VO_OK;
}

/* Updates the map from nodes to nodes of the scene's mesh. */
static vo_result follow_origin(vo_sim *sim, int c) {
    vo_cloth_state *cloth = &sim->cloth[c];
    const vo_lineage *l = &cloth->edit->remap.of[VO_REMAP_NODE];
    int count = cloth->mesh->node_count;
    int *origin = vo_new_array(sim->ctx, int, count);
    if (!origin) return vo_fail_memory(sim->ctx, "remeshing");
    for (int i = 0; i < count; i++) {
        int old = l->record[i] >= 0 && l->record[i] < l->old_count ? l->record[i] : -1;
        origin[i] = old >= 0 && cloth->origin ? cloth->origin[old] : old;
    }
    vo_free_array(sim->ctx, cloth->origin, cloth->origin_count);
    cloth->origin = origin;
    cloth->origin_count = count;
    return VO_OK;
}

/* ---- the stage ------------------------------------------------------------------------------ */

/* Computes the sizing field of the current state. */
static vo_result size_cloth(vo_sim *sim, int c) {
    vo_nearest *nearest = &sim->remesh.nearest;
    const vo_mesh *mesh = sim->cloth[c].mesh;
    vo_vec3 *near = vo_arena_array(&sim->remesh.arena, vo_vec3, mesh->node_count + 1);
    if (!near) return vo_fail_memory(sim->ctx, "remeshing");
    vo_nearest_find(nearest, mesh->node_count, mesh->node_x,
                    sim->cloth[c].sizing.def.obstacle_range, near);
    vo_sizing_invalidate(&sim->cloth[c].sizing);
    vo_sizing_input input = {.nearest = nearest->part_count ? near : NULL};
    if (sim->view.view) {
        input.view_factor = sim->view.cloth[c].factor;
        input.view_bound = sim->view.cloth[c].bound;
    }
    return vo_sizing_update(&sim->cloth[c].sizing, mesh, &input);
}

static vo_result place_obstacles(vo_sim *sim) {
    vo_nearest *nearest = &sim->remesh.nearest;
    for (int i = 0; i < sim->obstacle_count; i++) {
        const vo_obstacle_state *o = &sim->obstacle[i];
        if (!o->present)
            vo_nearest_remove(nearest, i);
        else if (o->deforms)
            VO_TRY(vo_nearest_set_positions(nearest, i, o->mesh->node_x));
        else
            vo_nearest_set_pose(nearest, i, o->pose);
    }
    return VO_OK;
}

/* Clearance that edits preserve, relative to the repulsion thickness. */
static const double CLEARANCE = 1.0 / 64;
/* Maximum strain caused by an edit. */
static const double STRAIN_ALLOWED = 0.1;
/* Maximum number of faces of a cloth; beyond it edges are not split. Bounds the result of an
 * invalid sizing field. */
enum { MOST_FACES = 1000000 };

static void warn_face_limit(vo_sim *sim, int c) {
    if (!vo_sim_count_warning(sim, VO_WARN_FACE_LIMIT, sim->frame)) return;
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: cloth %d exceeds %d faces, where refinement stops; "
                "increase the first value of its remeshing.size",
                sim->frame, c, MOST_FACES);
}

static vo_result edit_cloth(vo_sim *sim, int c) {
    const vo_remeshing_def *r = &sim->scene->cloth[c].remeshing;
    vo_cloth_state *cloth = &sim->cloth[c];
    vo_remesh_def def = vo_remesh_def_default();
    def.flip_threshold = r->flip_threshold;
    def.aspect_min = r->aspect_min;
    def.strain_allowed = STRAIN_ALLOWED;
    def.face_budget = MOST_FACES;
    bool begun = sim->frame > -vo_scene_preroll_frames(sim->scene);
    def.frame_time = begun ? sim->scene->def.frame_time : 0;
    vo_pop_limit watch;
    def.pop_limit = vo_sim_view_make_pop_limit(sim, c, &watch) ? &watch : NULL;
    vo_remesh_report report = {0};
    vo_sim_handles_mark_nodes(sim, c);
    VO_TRY(vo_remesh_edits(sim->remesh.remesher, &def, cloth->edit, &cloth->sizing,
                           sim->remesh.guard, c, &report));
    vo_stats *stats = &sim->stats;
    stats->splits += report.splits;
    stats->collapses += report.collapses;
    stats->flips += report.flips;
    stats->rejected_edits += report.rejected;
    stats->deferred_edits += report.deferred;
    stats->popping = vo_max(stats->popping, report.popping);
    int pops;
    const vo_pop *pop = vo_remesher_pops(sim->remesh.remesher, &pops);
    stats->popping_px = vo_max(stats->popping_px, vo_sim_view_measure_popping(sim, pops, pop));
    if (!report.budget_met) warn_face_limit(sim, c);
    return VO_OK;
}

static vo_result begin_guard(vo_sim *sim) {
    vo_arena *arena = &sim->remesh.arena;
    const vo_edit **cloth = vo_arena_array(arena, const vo_edit *, sim->cloth_count + 1);
    const vo_mesh **obstacle = vo_arena_array(arena, const vo_mesh *, sim->obstacle_count + 1);
    if (!cloth || !obstacle) return vo_fail_memory(sim->ctx, "remeshing");
    for (int c = 0; c < sim->cloth_count; c++) cloth[c] = sim->cloth[c].edit;
    for (int i = 0; i < sim->obstacle_count; i++)
        obstacle[i] = sim->obstacle[i].present ? sim->obstacle[i].mesh : NULL;
    double clearance = CLEARANCE * sim->scene->def.repulsion_thickness;
    return vo_guard_begin(sim->remesh.guard, sim->cloth_count, cloth, sim->obstacle_count, obstacle,
                          clearance);
}

/* Edits all cloths. Their meshes have free slots until vo_edit_finish: the guard tests each edit
 * against the faces of all cloths. */
static vo_result edit_cloths(vo_sim *sim) {
    VO_TRY(begin_guard(sim));
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(vo_sim_remeshes(sim, c) ? edit_cloth(sim, c) : vo_edit_begin(sim->cloth[c].edit));
    }
    return VO_OK;
}

static vo_result follow_edits(vo_sim *sim, element_state *states) {
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(vo_edit_finish(sim->cloth[c].edit));
        VO_TRY(remap_state(sim, c, &states[c]));
        VO_TRY(vo_sim_handles_update_nodes(sim, c));
        VO_TRY(follow_origin(sim, c));
    }
    VO_TRY(vo_sim_handles_reserve(sim));
    VO_TRY(vo_sim_rebuild(sim));
    vo_sim_gather_state(sim);
    for (int c = 0; c < sim->cloth_count; c++) VO_TRY(restore_state(sim, c, &states[c]));
    return VO_OK;
}

static vo_result remesh_cloths(vo_sim *sim) {
    element_state *states = vo_arena_array(&sim->remesh.arena, element_state, sim->cloth_count + 1);
    if (!states) return vo_fail_memory(sim->ctx, "remeshing");
    VO_TRY(place_obstacles(sim));
    VO_TRY(vo_sim_view_update(sim));
    for (int c = 0; c < sim->cloth_count; c++) {
        if (vo_sim_remeshes(sim, c)) VO_TRY(size_cloth(sim, c));
        VO_TRY(save_state(sim, c, &states[c]));
    }
    vo_sim_view_solve_budget(sim);
    VO_TRY(edit_cloths(sim));
    int edits = 0;
    for (int c = 0; c < sim->cloth_count; c++) edits += sim->cloth[c].edit->edits;
    sim->remesh.edits += edits;
    if (edits)
        VO_TRY(follow_edits(sim, states));
    else
        vo_sim_update_slack_targets(sim); /* cameras may have moved */
    vo_sim_view_update_density(sim);
    return VO_OK;
}

vo_result vo_sim_remesh_cloths(vo_sim *sim) {
    if (!sim->remesh.remesher) return VO_OK;
    if (sim->scene->def.disable & VO_DISABLE_REMESHING) {
        if (sim->view.view) vo_sim_update_slack_targets(sim); /* cameras may have moved */
        return VO_OK;
    }
    double start = vo_now(), view = sim->stats.stage.view;
    vo_arena_reset(&sim->remesh.arena);
    vo_result result = remesh_cloths(sim);
    sim->stats.stage.remesh += vo_now() - start - (sim->stats.stage.view - view);
    return result;
}
