/* Making, freeing and looking at a simulation. */
#include "sim/sim.h"

#include "core/timer.h"

static vo_result copy_cloths(vo_sim *sim) {
    const vo_scene *scene = sim->scene;
    sim->cloth = vo_alloc_zero(sim->ctx, (size_t)scene->cloth_count * sizeof *sim->cloth);
    sim->system_cloth =
        vo_alloc_zero(sim->ctx, (size_t)scene->cloth_count * sizeof *sim->system_cloth);
    if (scene->cloth_count && (!sim->cloth || !sim->system_cloth))
        return vo_fail_memory(sim->ctx, "the cloths");
    sim->cloth_count = scene->cloth_count;
    for (int c = 0; c < scene->cloth_count; c++) {
        VO_TRY(vo_check_stop(sim->ctx));
        VO_TRY(vo_mesh_copy(sim->ctx, scene->cloth[c].mesh, &sim->cloth[c].mesh));
    }
    return VO_OK;
}

/* The first state as the scene has it, but for what intersects or is torn apart in it. */
static vo_result start(vo_sim *sim) {
    VO_TRY(vo_sim_make_fit(sim));
    VO_TRY(vo_check_stop(sim->ctx));
    VO_TRY(vo_sim_relax(sim));
    VO_TRY(vo_check_stop(sim->ctx));
    return vo_sim_remesh_run(sim);
}

/* The same as what frame 0 took. The budget of seconds is for frames of their own, so what comes
 * after the steps of the next one is not guessed from it. */
static vo_result begin(vo_sim *sim) {
    double from = vo_now();
    VO_TRY(start(sim));
    vo_sim_view_judge(sim);
    VO_TRY(vo_sim_measure_frame(sim, &sim->stats));
    sim->stats.wall_s += vo_now() - from;
    sim->view.stepped_s = sim->stats.wall_s;
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

/* How a simulation begins: with the scene's first state, or with a frame that is to be read. */
typedef struct beginning {
    bool from_start;
    vo_sew_progress_fn *sewing;
    void *user;
} beginning;

static vo_result build(vo_sim *sim, beginning how) {
    VO_TRY(copy_cloths(sim));
    if (how.from_start) VO_TRY(vo_sim_sew(sim, how.sewing, how.user));
    VO_TRY(vo_sim_handles_create(sim));
    VO_TRY(vo_sim_obstacles_create(sim));
    vo_sim_obstacles_place(sim, vo_sim_time(sim));
    VO_TRY(vo_sim_remesh_create(sim));
    VO_TRY(vo_sim_view_create(sim));
    VO_TRY(vo_check_stop(sim->ctx));
    VO_TRY(vo_sim_rebuild(sim));
    VO_TRY(vo_check_stop(sim->ctx));
    VO_TRY(create_inspector(sim));
    vo_stats_begin(&sim->stats, 0, vo_sim_time(sim));
    return how.from_start ? begin(sim) : VO_OK;
}

static vo_result create(vo_context *ctx, const vo_scene *scene, beginning how, vo_sim **out) {
    *out = NULL;
    if (scene->def.solver == VO_SOLVER_DIRECT && !vo_direct_available())
        return vo_fail(ctx, VO_BAD_CALL,
                       "the scene asks for the direct solver, which this build does not contain; "
                       "set solver.method to \"pcg\" or build with CHOLMOD");
    vo_sim *sim = vo_new(ctx, vo_sim);
    if (!sim) return vo_fail_memory(ctx, "the simulation");
    sim->ctx = ctx;
    sim->scene = scene;
    sim->dt = scene->def.frame_time / scene->def.frame_steps;
    sim->frame = -vo_scene_preroll_frames(scene);
    sim->frame_start = sim->frame * scene->def.frame_time;
    vo_arena_init(&sim->scratch, ctx);
    vo_arena_init(&sim->jumps.arena, ctx);
    vo_result result = build(sim, how);
    if (result != VO_OK) {
        vo_sim_destroy(sim);
        return result;
    }
    *out = sim;
    return VO_OK;
}

vo_result vo_sim_create(vo_context *ctx, const vo_scene *scene, vo_sim **out) {
    return create(ctx, scene, (beginning){.from_start = true}, out);
}

vo_result vo_sim_create_watched(vo_context *ctx, const vo_scene *scene,
                                vo_sew_progress_fn *progress, void *user, vo_sim **out) {
    return create(ctx, scene, (beginning){true, progress, user}, out);
}

vo_result vo_sim_create_for_frames(vo_context *ctx, const vo_scene *scene, vo_sim **out) {
    return create(ctx, scene, (beginning){.from_start = false}, out);
}

void vo_sim_destroy(vo_sim *sim) {
    if (!sim) return;
    vo_context *ctx = sim->ctx;
    vo_sim_view_free(sim);
    vo_sim_remesh_free(sim);
    vo_sim_contact_free(sim);
    vo_sim_jumps_free(sim);
    destroy_inspector(sim);
    vo_implicit_free(&sim->implicit);
    vo_sim_obstacles_free(sim);
    vo_sim_handles_free(sim);
    vo_arena_free(&sim->scratch);
    for (int c = 0; c < sim->cloth_count; c++) vo_mesh_destroy(sim->cloth[c].mesh);
    vo_free_array(ctx, sim->cloth, sim->scene->cloth_count);
    vo_free_array(ctx, sim->system_cloth, sim->scene->cloth_count);
    vo_delete(ctx, sim);
}

double vo_sim_time(const vo_sim *sim) { return sim->frame_start + sim->substep * sim->dt; }

int vo_sim_frame(const vo_sim *sim) { return sim->frame; }

vo_mesh_view vo_sim_cloth(const vo_sim *sim, int cloth) {
    VO_REQUIRE(sim->ctx, cloth >= 0 && cloth < sim->cloth_count);
    return vo_mesh_get_view(sim->cloth[cloth].mesh);
}

vo_mesh_view vo_sim_obstacle(const vo_sim *sim, int obstacle) {
    VO_REQUIRE(sim->ctx, obstacle >= 0 && obstacle < sim->obstacle_count);
    if (!sim->obstacle[obstacle].present) return (vo_mesh_view){0};
    return vo_mesh_get_view(sim->obstacle[obstacle].mesh);
}

vo_stats vo_sim_get_stats(const vo_sim *sim) {
    vo_stats stats = sim->stats;
    vo_sim_measure(sim, &stats);
    return stats;
}
