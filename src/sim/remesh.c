/* The remesh stage: sizing, edits, and all that has to follow a new topology.
 *
 *   nearest obstacles ─► sizing ─► edits, guarded ─► handles, guess, pressing, origin
 *   stress of the old faces ────────────────────────► offsets of the new ones (settle.c)
 *                                                     solver and contact, made anew
 *
 * It runs at the end of a frame, so that what is saved is what the next step begins with. Its edits
 * depend on the saved state alone, and so must their order; therefore the field of sizes is made
 * anew each time, and every edge is looked at. What was known of the frame before could spare that
 * where nothing moves, but a resumed run does not know it. */
#include "core/timer.h"
#include "sim/sim.h"

#include <string.h>

/* ---- making and freeing --------------------------------------------------------------------- */

bool vo_sim_remeshes(const vo_sim *sim, int cloth) { return sim->scene->cloth[cloth].remeshing.on; }

static vo_sizing_def sizing_def(const vo_sim *sim, int cloth) {
    const vo_remeshing *r = &sim->scene->cloth[cloth].remeshing;
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = r->refine_angle;
    def.refine_velocity = r->refine_velocity;
    def.refine_compression = r->refine_compression;
    def.rib_stiffening = r->rib_stiffening;
    def.size_min = r->size_min;
    def.size_max = r->size_max;
    def.aspect_min = r->aspect_min;
    def.obstacle_range = 10 * sim->scene->def.repulsion_thickness;
    def.combine_sum = r->sum;
    def.view_size_max = vo_max(r->size_max, sim->scene->def.view.size_max);
    return def;
}

vo_result vo_sim_remesh_open(vo_sim *sim, int cloth) {
    const vo_scene_cloth *scene = &sim->scene->cloth[cloth];
    vo_cloth_state *c = &sim->cloth[cloth];
    double *density = vo_arena_array(&sim->remesh.arena, double, scene->material_count);
    if (!density) return vo_fail_memory(sim->ctx, "remeshing");
    for (int i = 0; i < scene->material_count; i++)
        density[i] = scene->material[i].fabric->density * scene->material[i].density_mult;
    vo_edit_def def = vo_edit_def_default();
    def.density = density;
    def.density_count = scene->material_count;
    def.outline_tolerance = scene->remeshing.outline_tolerance;
    vo_edit_destroy(c->edit);
    vo_result result = vo_edit_create(c->mesh, &def, &c->edit);
    vo_sizing_forget(&c->sizing);
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
        VO_TRY(vo_sim_remesh_open(sim, c));
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

/* ---- what is carried along ------------------------------------------------------------------ */

/* Of one cloth, by node or face; before the edits, and after them. */
typedef struct cargo {
    vo_vec3 *guess;
    double *pressed;
    vo_felt *felt;
} cargo;

static bool make_cargo(vo_sim *sim, const vo_mesh *mesh, cargo *out) {
    vo_arena *arena = &sim->remesh.arena;
    out->guess = vo_arena_array(arena, vo_vec3, mesh->node_count + 1);
    out->pressed = vo_arena_array(arena, double, mesh->node_count + 1);
    out->felt = vo_arena_array(arena, vo_felt, mesh->face_count + 1);
    return out->guess && out->pressed && out->felt;
}

static double *make_angles(vo_sim *sim, const vo_mesh *mesh) {
    return vo_arena_array(&sim->remesh.arena, double, mesh->edge_count + 1);
}

static vo_result load_cargo(vo_sim *sim, int c, cargo *out) {
    const vo_implicit *s = &sim->implicit;
    const vo_mesh *mesh = sim->cloth[c].mesh;
    double *angle = make_angles(sim, mesh);
    if (!make_cargo(sim, mesh, out) || !angle) return vo_fail_memory(sim->ctx, "remeshing");
    for (int i = 0; i < mesh->node_count; i++) {
        int node = sim->cloth[c].first_node + i;
        const vo_vec4 *g = &s->guess[s->system.row_of[node]];
        out->guess[i] = v3(g->x, g->y, g->z);
        out->pressed[i] = sim->contact.pressed[node];
    }
    vo_sim_settle_measure(sim, c, angle, out->felt);
    return VO_OK;
}

/* Through the remap table to the new elements. */
static vo_result ship_cargo(vo_sim *sim, int c, cargo *goods) {
    enum { FELT = sizeof(vo_felt) / sizeof(double) };
    const vo_remap *remap = &sim->cloth[c].edit->remap;
    cargo old = *goods;
    if (!make_cargo(sim, sim->cloth[c].mesh, goods)) return vo_fail_memory(sim->ctx, "remeshing");
    VO_TRY(vo_remap_carry(remap, VO_REMAP_NODE, 3, &old.guess->x, &goods->guess->x));
    VO_TRY(vo_remap_carry(remap, VO_REMAP_NODE, 1, old.pressed, goods->pressed));
    return vo_remap_carry(remap, VO_REMAP_FACE, FELT, old.felt->shape.strain,
                          goods->felt->shape.strain);
}

/* Into the solver made for the new meshes. */
static vo_result unload_cargo(vo_sim *sim, int c, const cargo *goods) {
    vo_implicit *s = &sim->implicit;
    const vo_mesh *mesh = sim->cloth[c].mesh;
    double *angle = make_angles(sim, mesh);
    if (!angle) return vo_fail_memory(sim->ctx, "remeshing");
    for (int i = 0; i < mesh->node_count; i++) {
        int node = sim->cloth[c].first_node + i;
        vo_vec3 g = goods->guess[i];
        s->guess[s->system.row_of[node]] = (vo_vec4){g.x, g.y, g.z, 0};
        sim->contact.pressed[node] = goods->pressed[i];
    }
    if (!(sim->scene->def.disable & VO_DISABLE_POP_FILTER))
        vo_sim_settle_begin(sim, c, angle, goods->felt);
    return VO_OK;
}

/* Which nodes of the scene's mesh the nodes are. */
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

/* The field of sizes for the present state. */
static vo_result size_cloth(vo_sim *sim, int c) {
    vo_nearest *nearest = &sim->remesh.nearest;
    const vo_mesh *mesh = sim->cloth[c].mesh;
    vo_vec3 *near = vo_arena_array(&sim->remesh.arena, vo_vec3, mesh->node_count + 1);
    if (!near) return vo_fail_memory(sim->ctx, "remeshing");
    vo_nearest_find(nearest, mesh->node_count, mesh->node_x,
                    sim->cloth[c].sizing.def.obstacle_range, near);
    vo_sizing_forget(&sim->cloth[c].sizing);
    vo_sizing_input input = {.near = nearest->part_count ? near : NULL};
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
        else if (o->goal)
            VO_TRY(vo_nearest_bend(nearest, i, o->mesh->node_x));
        else
            vo_nearest_place(nearest, i, o->pose);
    }
    return VO_OK;
}

/* Part of the repulsion thickness that edits keep free around all else. */
static const double CLEARANCE = 1.0 / 64;
/* Edits may strain faces by so much; what stands beyond is of the cloth itself. */
static const double STRAIN_ALLOWED = 0.1;
/* Faces of a cloth beyond which nothing is split: a sizing field gone wrong must end somewhere. */
enum { MOST_FACES = 1000000 };

/* Once in all: in a crowd, once a cloth would be many. */
static void tell_of_faces(vo_sim *sim, int c) {
    if (sim->remesh.faces_told) return;
    sim->remesh.faces_told = true;
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: cloth %d asks for more than %d faces, which is where refinement stops; "
                "raise the first of its remeshing.size",
                sim->frame, c, MOST_FACES);
}

static vo_result edit_cloth(vo_sim *sim, int c) {
    const vo_remeshing *r = &sim->scene->cloth[c].remeshing;
    vo_cloth_state *cloth = &sim->cloth[c];
    vo_remesh_def def = vo_remesh_def_default();
    def.flip_threshold = r->flip_threshold;
    def.aspect_min = r->aspect_min;
    def.strain_allowed = STRAIN_ALLOWED;
    def.face_budget = MOST_FACES;
    bool begun = sim->frame > -vo_scene_preroll_frames(sim->scene);
    def.frame_time = begun ? sim->scene->def.frame_time : 0;
    vo_watch watch;
    def.watch = vo_sim_view_watch_cloth(sim, c, &watch) ? &watch : NULL;
    vo_remesh_report report = {0};
    vo_sim_handles_mark(sim, c);
    VO_TRY(vo_remesh_edits(sim->remesh.remesher, &def, cloth->edit, &cloth->sizing,
                           sim->remesh.guard, c, &report));
    vo_stats *stats = &sim->stats;
    stats->splits += report.splits;
    stats->collapses += report.collapses;
    stats->flips += report.flips;
    stats->refused_edits += report.refused;
    stats->put_off_edits += report.put_off;
    stats->popping = vo_max(stats->popping, report.popping);
    int pops;
    const vo_pop *pop = vo_remesher_pops(sim->remesh.remesher, &pops);
    stats->popping_px = vo_max(stats->popping_px, vo_sim_view_popping(sim, pops, pop));
    if (!report.budget_met) tell_of_faces(sim, c);
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

/* Edits of all cloths, which still have holes afterwards: faces of one are what the guard keeps
 * others from. */
static vo_result edit_cloths(vo_sim *sim) {
    VO_TRY(begin_guard(sim));
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(vo_sim_remeshes(sim, c) ? edit_cloth(sim, c) : vo_edit_begin(sim->cloth[c].edit));
    }
    return VO_OK;
}

static vo_result follow_edits(vo_sim *sim, cargo *cargos) {
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(vo_edit_finish(sim->cloth[c].edit));
        VO_TRY(ship_cargo(sim, c, &cargos[c]));
        VO_TRY(vo_sim_handles_follow(sim, c));
        VO_TRY(follow_origin(sim, c));
    }
    VO_TRY(vo_sim_handles_make_room(sim));
    VO_TRY(vo_sim_rebuild(sim));
    vo_sim_load_rows(sim);
    for (int c = 0; c < sim->cloth_count; c++) VO_TRY(unload_cargo(sim, c, &cargos[c]));
    return VO_OK;
}

static vo_result run(vo_sim *sim) {
    cargo *cargos = vo_arena_array(&sim->remesh.arena, cargo, sim->cloth_count + 1);
    if (!cargos) return vo_fail_memory(sim->ctx, "remeshing");
    VO_TRY(place_obstacles(sim));
    VO_TRY(vo_sim_view_look(sim));
    for (int c = 0; c < sim->cloth_count; c++) {
        if (vo_sim_remeshes(sim, c)) VO_TRY(size_cloth(sim, c));
        VO_TRY(load_cargo(sim, c, &cargos[c]));
    }
    vo_sim_view_fit(sim);
    VO_TRY(edit_cloths(sim));
    int edits = 0;
    for (int c = 0; c < sim->cloth_count; c++) edits += sim->cloth[c].edit->edits;
    if (edits)
        VO_TRY(follow_edits(sim, cargos));
    else
        vo_sim_buckle_aim(sim); /* cameras may have moved */
    vo_sim_view_learn(sim);
    return VO_OK;
}

vo_result vo_sim_remesh_run(vo_sim *sim) {
    if (!sim->remesh.remesher) return VO_OK;
    if (sim->scene->def.disable & VO_DISABLE_REMESHING) {
        if (sim->view.view) vo_sim_buckle_aim(sim); /* cameras may have moved */
        return VO_OK;
    }
    double start = vo_now(), view = sim->stats.stage.view;
    vo_arena_reset(&sim->remesh.arena);
    vo_result result = run(sim);
    sim->stats.stage.remesh += vo_now() - start - (sim->stats.stage.view - view);
    return result;
}
