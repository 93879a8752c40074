/* Creation of the engine and the frame. */
#include "core/timer.h"
#include "realtime/realtime_private.h"

static vo_result allocate(vo_sim *sim, vo_realtime **out) {
    const vo_scene *scene = sim->scene;
    vo_realtime *r = *out = vo_new(sim->ctx, vo_realtime);
    if (!r) return vo_fail_memory(sim->ctx, "the real-time engine");
    r->ctx = sim->ctx;
    r->sim = sim;
    vo_arena_init(&r->scratch, sim->ctx);
    r->asset = vo_alloc_zero(r->ctx, (size_t)scene->cloth_count * sizeof *r->asset);
    r->cloth = vo_alloc_zero(r->ctx, (size_t)scene->cloth_count * sizeof *r->cloth);
    r->body = vo_alloc_zero(r->ctx, (size_t)scene->obstacle_count * sizeof *r->body);
    r->handle = vo_alloc_zero(r->ctx, (size_t)scene->handle_count * sizeof *r->handle);
    if ((scene->cloth_count && (!r->asset || !r->cloth)) || (scene->obstacle_count && !r->body) ||
        (scene->handle_count && !r->handle))
        return vo_fail_memory(r->ctx, "the real-time engine");
    return VO_OK;
}

void vo_realtime_destroy(vo_realtime *r) {
    if (!r) return;
    vo_rt_world_destroy(r->world);
    if (r->handle) vo_realtime_free_handles(r);
    if (r->body) vo_realtime_free_bodies(r);
    if (r->cloth) vo_realtime_free_cloths(r);
    if (r->asset) vo_realtime_free_assets(r);
    vo_free(r->ctx, r->snapshot, r->snapshot_capacity);
    vo_arena_free(&r->scratch);
    vo_delete(r->ctx, r);
}

/* World, bodies, cloths and handles; the assets exist. */
static vo_result create_objects(vo_realtime *r) {
    VO_TRY(vo_realtime_create_world(r));
    VO_TRY(vo_realtime_create_bodies(r));
    VO_TRY(vo_realtime_create_cloths(r));
    return vo_realtime_create_handles(r);
}

/* Sizes, strains and speeds. Intersections are not counted (-1), which is left to vo_check_run:
 * cloth may pass through itself, and an exact count takes longer than the frame. */
static void measure(vo_realtime *r) {
    double start = vo_now();
    r->sim->stats.inside_nodes = (int)vo_rt_world_get_stats(r->world).inside_vertices;
    vo_sim_measure(r->sim, &r->sim->stats);
    r->sim->stats.intersections = -1;
    r->sim->stats.stage.inspect += vo_now() - start;
}

static vo_result create(vo_realtime *r) {
    double start = vo_now();
    VO_TRY(vo_realtime_create_assets(r));
    VO_TRY(create_objects(r));
    vo_realtime_warn(r);
    VO_TRY(vo_realtime_update_meshes(r));
    measure(r);
    r->sim->stats.wall_s += vo_now() - start;
    return VO_OK;
}

vo_result vo_realtime_create(vo_sim *sim, vo_realtime **out) {
    return vo_realtime_create_detailed(sim, 0, NULL, out);
}

vo_result vo_realtime_create_detailed(vo_sim *sim, int cloth, const vo_rt_detail_def *detail,
                                      vo_realtime **out) {
    vo_result result = allocate(sim, out);
    if (result == VO_OK) {
        (*out)->detail = detail;
        (*out)->detail_cloth = cloth;
        result = create(*out);
    }
    if (result == VO_OK) return VO_OK;
    vo_realtime_destroy(*out);
    *out = NULL;
    return result;
}

static vo_result restore(vo_realtime *r, vo_vof_reader *first, vo_vof_reader *frame,
                         const char *path) {
    VO_TRY(vo_sim_read_frame(r->sim, frame, path));
    VO_TRY(vo_realtime_read_assets(r, first, path));
    VO_TRY(vo_realtime_find_assets(r));
    VO_TRY(create_objects(r));
    VO_TRY(vo_realtime_read_state(r, frame, path));
    return vo_realtime_update_meshes(r);
}

vo_result vo_realtime_restore(vo_sim *sim, vo_vof_reader *first, vo_vof_reader *frame,
                              const char *path, vo_realtime **out) {
    vo_result result = allocate(sim, out);
    if (result == VO_OK) result = restore(*out, first, frame, path);
    if (result == VO_OK) return VO_OK;
    vo_realtime_destroy(*out);
    *out = NULL;
    return result;
}

/* ---- the frame ------------------------------------------------------------------------------ */

static void add_stats(const vo_rt_stats *step, vo_stats *stats) {
    stats->substeps += (int)step->minor_steps;
    stats->contacts = vo_max_int(stats->contacts, (int)step->contacts);
    stats->splits += (int)step->splits;
    stats->collapses += (int)step->joins;
    stats->rejected_edits += (int)step->rejected_splits;
    stats->deferred_edits += (int)step->deferred_splits;
    stats->stage.move += step->pose_s;
    stats->stage.remesh += step->adapt_s;
    stats->stage.solve += step->solve_s;
    stats->stage.collide += step->collide_s;
    stats->stage.contact += step->self_s;
}

static void warn_about_memory(vo_realtime *r, const vo_rt_stats *stats) {
    int frame = r->sim->frame + 1;
    if (stats->self_skipped == 0 || !vo_sim_count_warning(r->sim, VO_WARN_SELF_MEMORY, frame))
        return;
    vo_log_line(r->ctx, VO_LOG_WARNING,
                "frame %d: self-collision of %d cloths needs more memory than the real-time "
                "engine has, so they may intersect; reduce realtime.levels or the number of faces",
                frame, (int)stats->self_skipped);
}

/* Advances from `begin` to `end`, between two poses of the bodies. */
static vo_result step_pose(vo_realtime *r, double begin, double end, float dt) {
    double start = vo_now();
    vo_realtime_attach_handles(r, begin, end);
    VO_TRY(vo_realtime_pose_bodies(r, end, end - begin));
    VO_TRY(vo_realtime_move_handles(r, end));
    VO_TRY(vo_realtime_set_environment(r, end));
    r->sim->stats.stage.move += vo_now() - start;
    vo_result result = vo_rt_world_step(r->world, dt);
    if (result != VO_OK)
        return vo_fail(r->ctx, result, "frame %d: %s", r->sim->frame + 1,
                       vo_rt_world_message(r->world));
    vo_rt_stats stats = vo_rt_world_get_stats(r->world);
    add_stats(&stats, &r->sim->stats);
    warn_about_memory(r, &stats);
    return VO_OK;
}

int vo_realtime_pose_count(const vo_realtime *r) { return r->pose_steps; }

void vo_realtime_begin_frame(vo_realtime *r) { vo_sim_begin_frame(r->sim); }

vo_result vo_realtime_step_pose(vo_realtime *r, int i) {
    double begin = vo_sim_now(r->sim), end = vo_sim_frame_end(r->sim);
    double from = begin + (end - begin) * i / r->pose_steps;
    double to = i + 1 == r->pose_steps ? end : begin + (end - begin) * (i + 1) / r->pose_steps;
    return step_pose(r, from, to, (float)(r->sim->scene->def.frame_time / r->pose_steps));
}

void vo_realtime_end_frame(vo_realtime *r) { vo_sim_end_frame(r->sim); }

vo_result vo_realtime_advance(vo_realtime *r) {
    for (int i = 0; i < r->pose_steps; i++) VO_TRY(vo_realtime_step_pose(r, i));
    return VO_OK;
}

vo_result vo_realtime_step_frame(vo_realtime *r) {
    double start = vo_now();
    vo_sim_begin_frame(r->sim);
    VO_TRY(vo_realtime_advance(r));
    VO_TRY(vo_realtime_update_meshes(r));
    vo_sim_end_frame(r->sim);
    if (r->sim->frame >= 0) measure(r);
    if (r->sim->frame >= 0) vo_realtime_warn_frame(r);
    r->sim->stats.wall_s += vo_now() - start;
    return VO_OK;
}
