#include "upsample/playback.h"

#include "codec/json.h"
#include "core/memory.h"
#include "scene/scene.h"

#include <math.h>

/* Index of the upsampled cloth of a scene. */
static vo_result read_cloth(vo_upsample_playback *p, const char *path) {
    vo_json_cursor root = vo_json_root(&p->engine.scene->resolved);
    vo_json_cursor at = vo_json_get(&root, "upsampling");
    VO_TRY(vo_json_read_int(vo_json_get(&at, "cloth"), &p->engine.cloth));
    if (p->engine.cloth < p->engine.scene->cloth_count) return VO_OK;
    return vo_fail(p->ctx, VO_BAD_DATA, "%s: upsampling.cloth: is %d; the scene has cloths 0 to %d",
                   path, p->engine.cloth, p->engine.scene->cloth_count - 1);
}

/* Reads the detail of the last step. */
static vo_result read_detail(vo_upsample_playback *p) {
    vo_realtime *r = p->engine.realtime;
    const vo_rt_output output = {.positions = &p->vertex[0].x};
    vo_result result = vo_rt_cloth_detail(vo_realtime_get_cloth(r, p->engine.cloth), &output);
    vo_rt_stats stats = vo_rt_world_get_stats(vo_realtime_get_world(r));
    p->coarse_s = stats.pose_s + stats.adapt_s + stats.solve_s + stats.collide_s + stats.self_s;
    p->fine_s = stats.detail_s;
    if (result == VO_OK) return VO_OK;
    return vo_fail(p->ctx, result, "%s", vo_rt_world_message(vo_realtime_get_world(r)));
}

static vo_result open_engine(vo_upsample_playback *p, const char *scene, int count,
                             const char *const *overrides) {
    VO_TRY(vo_upsample_engine_load(p->ctx, scene, count, overrides, &p->engine));
    VO_TRY(read_cloth(p, scene));
    int expected = p->detail.vru->pairs->coarse.vertex_count;
    int found = p->engine.sim->cloth[p->engine.cloth].mesh->node_count;
    if (found != expected)
        return vo_fail(p->ctx, VO_BAD_DATA,
                       "%s: the coarse cloth has %d vertices, but the operators need %d; use a "
                       "scene of the same garment",
                       scene, found, expected);
    return vo_realtime_create_detailed(p->engine.sim, p->engine.cloth, &p->detail.def,
                                       &p->engine.realtime);
}

vo_result vo_upsample_playback_open(const vo_vru *vru, int rank, const char *scene,
                                    int override_count, const char *const *overrides,
                                    vo_upsample_playback *p) {
    *p = (vo_upsample_playback){.ctx = vru->ctx, .engine.ctx = vru->ctx};
    VO_TRY(vo_upsample_detail_create(vru, rank, &p->detail));
    p->vertex = vo_new_array(p->ctx, vo_rt_vec3, p->detail.charts.vertex_count);
    vo_result result = p->vertex ? open_engine(p, scene, override_count, overrides)
                                 : vo_fail_memory(p->ctx, "detail");
    while (result == VO_OK && p->engine.sim->frame < 0) result = vo_upsample_playback_step(p);
    if (result == VO_OK) result = read_detail(p);
    if (result != VO_OK) vo_upsample_playback_close(p);
    return result;
}

void vo_upsample_playback_close(vo_upsample_playback *p) {
    if (!p->ctx) return;
    vo_upsample_engine_close(&p->engine);
    vo_free_array(p->ctx, p->vertex, p->vertex ? p->detail.charts.vertex_count : 0);
    vo_upsample_detail_free(&p->detail);
    *p = (vo_upsample_playback){0};
}

vo_result vo_upsample_playback_step(vo_upsample_playback *p) {
    vo_realtime *r = p->engine.realtime;
    VO_TRY(vo_check_cancel(p->ctx));
    vo_realtime_begin_frame(r);
    for (int i = 0; i < vo_realtime_pose_count(r); i++) VO_TRY(vo_realtime_step_pose(r, i));
    vo_realtime_end_frame(r);
    return read_detail(p);
}

const float *vo_upsample_playback_positions(const vo_upsample_playback *p) {
    return &p->vertex[0].x;
}

int vo_upsample_playback_count_inside(const vo_upsample_playback *p, const float *positions,
                                      double *depth) {
    int count = 0;
    *depth = 0;
    for (int i = 0; i < p->detail.def.node_count; i++) {
        const float *x = positions + 3 * i;
        if (p->detail.def.attachment[i] >= 1) continue; /* where the host puts it */
        double d = vo_realtime_measure_depth(p->engine.realtime,
                                             v3((double)x[0], (double)x[1], (double)x[2]));
        count += d > 0;
        *depth = fmax(*depth, d);
    }
    return count;
}

vo_result vo_upsample_playback_count_frames(const vo_upsample_playback *p, int most, int *count) {
    int last = vo_scene_last_frame(&p->engine.scene->def);
    if (last < 0 && most <= 0)
        return vo_fail(p->ctx, VO_BAD_DATA,
                       "end_frame: the scene has no end; set end_frame or end_time");
    *count = last < 0 || (most > 0 && most <= last) ? most : last + 1;
    return VO_OK;
}

int vo_upsample_playback_list_obstacles(const vo_upsample_playback *p, int capacity,
                                        const vo_mesh **meshes) {
    int count = 0;
    for (int i = 0; i < p->engine.scene->obstacle_count && count < capacity; i++)
        if (p->engine.sim->obstacle[i].present) meshes[count++] = p->engine.sim->obstacle[i].mesh;
    return count;
}
