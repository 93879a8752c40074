/* The coarse simulation of a scene with learned detail, written to files (voile/upsample.h). */
#include "codec/png.h"
#include "core/file.h"
#include "core/memory.h"
#include "upsample/image.h"
#include "upsample/playback.h"
#include "upsample/timing.h"

#include <math.h>
#include <stdio.h>

static const unsigned CLOTH_COLOUR = 0xb5404a;
enum { MAX_OBSTACLES = 256 };

vo_upsample_run_def vo_upsample_run_def_default(void) {
    return (vo_upsample_run_def){.every = 1, .view = vo_upsample_view_default()};
}

typedef struct run {
    vo_context *ctx;
    const vo_upsample_run_def *def;
    vo_upsample_playback playback;
    vo_mesh *mesh; /* the fine mesh */
    vo_upsample_run_report *report;
} run;

/* folder/NNNN.extension */
static void name_file(const char *folder, int frame, const char *extension,
                      char out[VO_PATH_SIZE]) {
    char name[32];
    snprintf(name, sizeof name, "%04d.%s", frame, extension);
    vo_path_join(out, VO_PATH_SIZE, folder, name);
}

static vo_result save_mesh(run *r, int frame) {
    char path[VO_PATH_SIZE];
    const float *x = vo_upsample_playback_positions(&r->playback);
    for (int i = 0; i < r->mesh->node_count; i++)
        r->mesh->node_x[i] = v3((double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]);
    name_file(r->def->folder, frame, "obj", path);
    return vo_mesh_save_obj(r->ctx, r->mesh, path);
}

static vo_result save_image(const run *r, int frame) {
    char path[VO_PATH_SIZE];
    const vo_mesh *obstacles[MAX_OBSTACLES];
    const vo_upsample_view *view = &r->def->view;
    vo_upsample_image_def def = vo_upsample_image_def_default();
    const vo_upsample_panel panel = {.mesh = &r->playback.detail.vru->pairs->fine,
                                     .positions = vo_upsample_playback_positions(&r->playback),
                                     .colour = CLOTH_COLOUR};
    vo_image image;
    def.panels = &panel;
    def.panel_count = 1;
    def.obstacle_count =
        vo_upsample_playback_list_obstacles(&r->playback, MAX_OBSTACLES, obstacles);
    def.obstacles = obstacles;
    def.width = view->width;
    def.height = view->height;
    def.azimuth = view->azimuth;
    def.elevation = view->elevation;
    def.zoom = view->zoom;
    def.samples = view->samples;
    VO_TRY(vo_upsample_render_panels(r->ctx, &def, &image));
    name_file(r->def->images, frame, "png", path);
    vo_result result = vo_png_save(r->ctx, &image, path);
    vo_upsample_image_free(r->ctx, &image);
    return result;
}

/* Writes the files of a frame and measures it. */
static vo_result record(run *r, int frame) {
    double depth;
    int every = r->def->every > 1 ? r->def->every : 1;
    int inside = vo_upsample_playback_count_inside(
        &r->playback, vo_upsample_playback_positions(&r->playback), &depth);
    if (inside > r->report->inside_vertices) r->report->inside_vertices = inside;
    r->report->max_depth = fmax(r->report->max_depth, depth);
    if (r->def->folder && frame % every == 0) VO_TRY(save_mesh(r, frame));
    if (r->def->images && frame % every == 0) VO_TRY(save_image(r, frame));
    return VO_OK;
}

static vo_result report_progress(const run *r, int frame, int count) {
    const vo_upsample_progress progress = {.scene_count = 1,
                                           .frame = frame,
                                           .frame_count = count,
                                           .coarse_s = r->playback.coarse_s,
                                           .fine_s = r->playback.fine_s};
    if (!r->def->progress || r->def->progress(r->def->user, &progress)) return VO_OK;
    return vo_fail(r->ctx, VO_CANCELLED, "%s: cancelled after frame %d", r->def->scene, frame);
}

static vo_result run_frames(run *r) {
    int count;
    vo_upsample_run_report *report = r->report;
    VO_TRY(vo_upsample_playback_count_frames(&r->playback, r->def->max_frames, &count));
    for (int frame = 0; frame < count; frame++) {
        if (frame > 0) VO_TRY(vo_upsample_playback_step(&r->playback));
        report->simulation_s += r->playback.coarse_s;
        report->detail_s += r->playback.fine_s;
        VO_TRY(record(r, frame));
        VO_TRY(report_progress(r, frame, count));
    }
    report->frames = count;
    report->simulation_s /= count;
    report->detail_s /= count;
    return VO_OK;
}

static vo_result time_operators(run *r) {
    vo_upsample_timing timing;
    const vo_rt_asset *asset =
        vo_realtime_get_asset(r->playback.engine.realtime, r->playback.engine.cloth);
    VO_TRY(vo_upsample_time_operators(r->ctx, asset, &timing));
    r->report->operator_s = timing.warm_s;
    r->report->operator_cold_s = timing.cold_s;
    r->report->operator_bytes = timing.bytes;
    return VO_OK;
}

static vo_result run_scene(run *r, const vo_vru *vru) {
    const vo_upsample_run_def *def = r->def;
    VO_TRY(vo_upsample_playback_open(vru, def->rank, def->scene, def->override_count,
                                     def->overrides, &r->playback));
    r->report->fine_vertices = vru->pairs->fine.vertex_count;
    r->report->coarse_vertices = vru->pairs->coarse.vertex_count;
    vo_result result =
        vo_upsample_charts_create_mesh(&r->playback.detail.charts, &vru->pairs->fine, &r->mesh);
    if (result == VO_OK) result = run_frames(r);
    if (result == VO_OK) result = time_operators(r);
    vo_mesh_destroy(r->mesh);
    vo_upsample_playback_close(&r->playback);
    return result;
}

vo_result vo_upsample_run(vo_context *ctx, const vo_upsample_run_def *def,
                          vo_upsample_run_report *report) {
    vo_upsample_run_report local;
    vo_vru *vru;
    run r = {.ctx = ctx, .def = def, .report = report ? report : &local};
    *r.report = (vo_upsample_run_report){0};
    if (!def->input || !def->scene)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%s is missing", def->input ? "scene" : "input");
    if (def->folder) VO_TRY(vo_folder_create(ctx, def->folder));
    if (def->images) VO_TRY(vo_folder_create(ctx, def->images));
    VO_TRY(vo_vru_load(ctx, def->input, &vru));
    vo_result result = run_scene(&r, vru);
    vo_vru_destroy(vru);
    return result;
}
