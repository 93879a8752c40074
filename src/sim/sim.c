/* Creation, destruction and queries of a simulation. */
#include "sim/sim.h"

#include "core/timer.h"

/* Copies the materials of a cloth; fabrics stay the scene's. */
static vo_result copy_materials(vo_context *ctx, const vo_scene_cloth *scene, vo_cloth_state *out) {
    int count = scene->material_count;
    out->material = vo_new_array(ctx, vo_material, count);
    out->material_is_live = vo_alloc_zero(ctx, (size_t)count * sizeof *out->material_is_live);
    if (!out->material || !out->material_is_live) return vo_fail_memory(ctx, "the materials");
    for (int i = 0; i < count; i++) out->material[i] = scene->material[i];
    return VO_OK;
}

static vo_result copy_cloths(vo_sim *sim) {
    const vo_scene *scene = sim->scene;
    sim->cloth = vo_alloc_zero(sim->ctx, (size_t)scene->cloth_count * sizeof *sim->cloth);
    sim->system_cloth =
        vo_alloc_zero(sim->ctx, (size_t)scene->cloth_count * sizeof *sim->system_cloth);
    if (scene->cloth_count && (!sim->cloth || !sim->system_cloth))
        return vo_fail_memory(sim->ctx, "the cloths");
    sim->cloth_count = scene->cloth_count;
    for (int c = 0; c < scene->cloth_count; c++) {
        VO_TRY(vo_check_cancel(sim->ctx));
        VO_TRY(vo_mesh_copy(sim->ctx, scene->cloth[c].mesh, &sim->cloth[c].mesh));
        VO_TRY(copy_materials(sim->ctx, &scene->cloth[c], &sim->cloth[c]));
    }
    return VO_OK;
}

static void free_cloth(vo_sim *sim, int c) {
    vo_cloth_state *cloth = &sim->cloth[c];
    int count = sim->scene->cloth[c].material_count;
    for (int i = 0; cloth->material && cloth->material_is_live && i < count; i++)
        if (cloth->material_is_live[i]) vo_fabric_destroy(cloth->material[i].fabric);
    vo_free_array(sim->ctx, cloth->material, count);
    vo_free_array(sim->ctx, cloth->material_is_live, count);
    vo_mesh_destroy(cloth->mesh);
}

/* Stages of the creation, as reported to the work callback. */
enum {
    CREATED_CLOTHS = 1,
    CREATED_OBSTACLES,
    CREATED_SOLVER,
    CREATED_CLEAN,
    CREATED_RELAXED,
    CREATED
};

/* Reports that a stage of the creation is complete; polls cancel unless it is the last one. */
static vo_result finish_stage(const vo_sim *sim, int stage) {
    vo_report_work(sim->ctx, "creating the simulation", stage, CREATED);
    return stage < CREATED ? vo_check_cancel(sim->ctx) : VO_OK;
}

/* Prepares the initial state: removes intersections, relaxes excessive strain, remeshes. */
static vo_result prepare_initial_state(vo_sim *sim) {
    VO_TRY(vo_sim_resolve_intersections(sim, true));
    VO_TRY(finish_stage(sim, CREATED_CLEAN));
    VO_TRY(vo_sim_relax(sim));
    VO_TRY(finish_stage(sim, CREATED_RELAXED));
    return vo_sim_remesh_cloths(sim);
}

/* Prepares the initial state and measures it as frame 0. The time budget applies to single frames,
 * so the time after the steps of the next frame is not estimated from this one. */
static vo_result begin_frame_0(vo_sim *sim) {
    double from = vo_now();
    VO_TRY(prepare_initial_state(sim));
    vo_sim_view_report_budget(sim);
    VO_TRY(vo_sim_measure_frame(sim, &sim->stats));
    sim->stats.wall_s += vo_now() - from;
    sim->budget.steps_s = sim->budget.frame_s = sim->stats.wall_s;
    return VO_OK;
}

static vo_result create_inspector(vo_sim *sim) {
    sim->inspector = vo_new(sim->ctx, vo_inspector);
    if (!sim->inspector) return vo_fail_memory(sim->ctx, "the inspection");
    sim->inspector->ctx = sim->ctx;
    return VO_OK;
}

static void destroy_inspector(vo_sim *sim) {
    if (!sim->inspector) return;
    vo_inspector_free(sim->inspector);
    vo_delete(sim->ctx, sim->inspector);
}

/* Moves the nodes of cloth c to the given positions, at rest. */
static void place_cloth(vo_sim *sim, int c, const vo_vec3 *x) {
    vo_mesh *mesh = sim->cloth[c].mesh;
    for (int i = 0; i < mesh->node_count; i++) {
        mesh->node_x[i] = x[i];
        mesh->node_v[i] = v3(0, 0, 0);
    }
}

/* What a simulation is created for. */
typedef enum purpose {
    FOR_STEPS,  /* the initial state is made fit to start from */
    FOR_FRAMES, /* a saved frame replaces the initial state */
    FOR_MESHES  /* another engine steps it: no solver */
} purpose;

static vo_result build(vo_sim *sim, vo_vec3 *const *cloth_x, purpose use) {
    VO_TRY(copy_cloths(sim));
    VO_TRY(finish_stage(sim, CREATED_CLOTHS));
    for (int c = 0; cloth_x && c < sim->cloth_count; c++)
        if (cloth_x[c]) place_cloth(sim, c, cloth_x[c]);
    VO_TRY(vo_sim_handles_create(sim));
    VO_TRY(vo_sim_obstacles_create(sim));
    vo_sim_obstacles_place(sim, vo_sim_now(sim));
    if (use != FOR_MESHES) VO_TRY(vo_sim_remesh_create(sim));
    if (use != FOR_MESHES) VO_TRY(vo_sim_view_create(sim));
    VO_TRY(finish_stage(sim, CREATED_OBSTACLES));
    if (use != FOR_MESHES) VO_TRY(vo_sim_rebuild(sim));
    if (use == FOR_MESHES) sim->broken = VO_BAD_ARGUMENT;
    VO_TRY(finish_stage(sim, CREATED_SOLVER));
    VO_TRY(create_inspector(sim));
    vo_stats_begin(&sim->stats, 0, vo_sim_now(sim));
    return VO_OK;
}

vo_result vo_sim_check_scene(vo_context *ctx, const vo_scene *scene) {
    if (scene->def.solver != VO_SOLVER_DIRECT || vo_direct_available()) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "the scene asks for the direct solver, which this build does not contain; "
                   "set solver.method to \"pcg\" or build with CHOLMOD");
}

static vo_result create(vo_context *ctx, const vo_scene *scene, vo_vec3 *const *cloth_x,
                        purpose use, vo_sim **out) {
    *out = NULL;
    VO_TRY(vo_sim_check_scene(ctx, scene));
    vo_sim *sim = vo_new(ctx, vo_sim);
    if (!sim) return vo_fail_memory(ctx, "the simulation");
    sim->ctx = ctx;
    sim->scene = scene;
    sim->dt = scene->def.frame_time / scene->def.frame_steps;
    sim->environment = (vo_sim_environment){
        .gravity = scene->def.gravity,
        .wind = {scene->def.wind_density, scene->def.wind_velocity, scene->def.wind_drag},
        .friction = scene->def.friction,
        .obstacle_friction = scene->def.obstacle_friction};
    sim->frame = -vo_scene_preroll_frames(scene);
    sim->frame_start = sim->frame * scene->def.frame_time;
    vo_arena_init(&sim->scratch, ctx);
    vo_arena_init(&sim->teleports.arena, ctx);
    vo_result result = build(sim, cloth_x, use);
    if (result == VO_OK && use == FOR_STEPS) result = begin_frame_0(sim);
    if (result == VO_OK) result = finish_stage(sim, CREATED);
    if (result != VO_OK) {
        vo_sim_destroy(sim);
        return result;
    }
    *out = sim;
    return VO_OK;
}

vo_result vo_sim_create_at(vo_context *ctx, const vo_scene *scene, vo_vec3 *const *cloth_x,
                           vo_sim **out) {
    return create(ctx, scene, cloth_x, FOR_STEPS, out);
}

vo_result vo_sim_create_for_frames(vo_context *ctx, const vo_scene *scene, vo_sim **out) {
    bool realtime = scene->def.engine == VO_ENGINE_REALTIME;
    return create(ctx, scene, NULL, realtime ? FOR_MESHES : FOR_FRAMES, out);
}

vo_result vo_sim_create_without_solver(vo_context *ctx, const vo_scene *scene,
                                       vo_vec3 *const *cloth_x, vo_sim **out) {
    return create(ctx, scene, cloth_x, FOR_MESHES, out);
}

void vo_sim_destroy(vo_sim *sim) {
    if (!sim) return;
    vo_context *ctx = sim->ctx;
    vo_sim_log_warning_counts(sim);
    vo_sim_view_free(sim);
    vo_sim_remesh_free(sim);
    vo_sim_contact_free(sim);
    vo_sim_teleports_free(sim);
    destroy_inspector(sim);
    vo_implicit_free(&sim->implicit);
    vo_sim_obstacles_free(sim);
    vo_sim_handles_free(sim);
    vo_arena_free(&sim->scratch);
    for (int c = 0; c < sim->cloth_count; c++) free_cloth(sim, c);
    vo_free_array(ctx, sim->cloth, sim->scene->cloth_count);
    vo_free_array(ctx, sim->system_cloth, sim->scene->cloth_count);
    vo_delete(ctx, sim);
}

double vo_sim_time(const vo_sim *sim) { return vo_sim_now(sim); }

int vo_sim_frame(const vo_sim *sim) { return sim->frame; }

vo_mesh_view vo_sim_get_cloth(const vo_sim *sim, int cloth) {
    VO_REQUIRE(sim->ctx, cloth >= 0 && cloth < sim->cloth_count);
    return vo_mesh_get_view(sim->cloth[cloth].mesh);
}

vo_mesh_view vo_sim_get_obstacle(const vo_sim *sim, int obstacle) {
    VO_REQUIRE(sim->ctx, obstacle >= 0 && obstacle < sim->obstacle_count);
    if (!sim->obstacle[obstacle].present) return (vo_mesh_view){0};
    return vo_mesh_get_view(sim->obstacle[obstacle].mesh);
}

vo_stats vo_sim_get_stats(const vo_sim *sim) {
    vo_stats stats = sim->stats;
    vo_sim_measure(sim, &stats);
    return stats;
}
