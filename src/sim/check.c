/* Is it sound? Meshes, scenes and runs, with every finding named. */
#include "codec/obj.h"
#include "mesh/validate.h"
#include "sim/epoch.h"
#include "sim/folder.h"

#include <voile/run.h>

#include <stdio.h>

typedef struct findings {
    vo_context *ctx;
    vo_finding_fn *fn;
    void *user;
    int fatal;
} findings;

static void found(findings *f, bool fatal, const char *text) {
    f->fatal += fatal;
    if (f->fn) f->fn(f->user, fatal, text);
}

static vo_result conclude(const findings *f, const char *what) {
    if (f->fatal == 0) return VO_OK;
    return vo_fail(f->ctx, VO_BAD_DATA, "%s: %d %s", what, f->fatal,
                   f->fatal == 1 ? "defect" : "defects");
}

/* A failure to load is the finding; running out of memory or reading errors are not. */
static vo_result failure_as_finding(findings *f, vo_result result, const char *what) {
    if (result == VO_OK) return conclude(f, what);
    if (result != VO_BAD_DATA) return result;
    found(f, true, f->ctx->message);
    return conclude(f, what);
}

/* ---- meshes --------------------------------------------------------------------------------- */

static vo_result report_defects(findings *f, const char *path, const vo_mesh_data *data,
                                vo_mesh_use use) {
    vo_mesh_report report;
    VO_TRY(vo_mesh_validate(f->ctx, data, use, &report));
    for (int i = 0; i < report.count; i++) {
        char defect[512], text[1024];
        vo_mesh_defect_text(&report.defect[i], defect, sizeof defect);
        snprintf(text, sizeof text, "%s: %s", path, defect);
        found(f, vo_mesh_defect_is_fatal(report.defect[i].kind, use), text);
    }
    vo_mesh_report_free(&report);
    return VO_OK;
}

vo_result vo_check_mesh(vo_context *ctx, const char *path, vo_mesh_use use, vo_finding_fn *fn,
                        void *user) {
    findings f = {ctx, fn, user, 0};
    vo_bytes bytes;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_mesh_data data = {0};
    vo_result result = vo_obj_parse(ctx, path, bytes.data, bytes.size, &data);
    if (result == VO_OK) result = report_defects(&f, path, &data, use);
    vo_mesh_data_free(ctx, &data);
    vo_bytes_free(ctx, &bytes);
    return failure_as_finding(&f, result, path);
}

/* ---- scenes --------------------------------------------------------------------------------- */

static void warning_as_finding(void *user, vo_log_level level, const char *text) {
    if (level == VO_LOG_WARNING) found(user, false, text);
}

/* Loads it as a run would, with the warnings as findings. */
vo_result vo_check_scene(vo_context *ctx, const char *path, vo_finding_fn *fn, void *user) {
    findings f = {ctx, fn, user, 0};
    vo_log_fn *log = ctx->log;
    void *log_user = ctx->log_user;
    ctx->log = warning_as_finding;
    ctx->log_user = &f;
    vo_scene *scene = NULL;
    vo_sim *sim = NULL;
    vo_result result = vo_scene_load(ctx, path, 0, NULL, &scene);
    if (result == VO_OK) result = vo_sim_create(ctx, scene, &sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    ctx->log = log;
    ctx->log_user = log_user;
    return failure_as_finding(&f, result, path);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void check_motion(findings *f, const char *path, const vo_mesh *mesh, int c) {
    for (int i = 0; i < mesh->node_count; i++) {
        if (v3_is_finite(mesh->node_x[i]) && v3_is_finite(mesh->node_v[i])) continue;
        char text[VO_PATH_SIZE + 128];
        snprintf(text, sizeof text, "%s: node %d of cloth %d is not at a finite place", path, i, c);
        found(f, true, text);
    }
}

static vo_result check_frame(findings *f, vo_epoch *epoch, const char *folder, int frame) {
    char path[VO_PATH_SIZE];
    VO_TRY(vo_epoch_follow(f->ctx, folder, frame, epoch));
    vo_result result = vo_sim_read_frame(epoch->sim, folder, frame);
    if (result == VO_BAD_DATA) {
        found(f, true, f->ctx->message);
        return VO_OK;
    }
    VO_TRY(result);
    vo_folder_frame(path, sizeof path, folder, frame);
    for (int c = 0; c < epoch->sim->cloth_count; c++)
        check_motion(f, path, epoch->sim->cloth[c].mesh, c);
    return VO_OK;
}

static void check_gap(findings *f, const char *folder, const vo_frame_list *list, int i) {
    int before = i ? list->frame[i - 1] : -1;
    if (list->frame[i] == before + 1) return;
    char text[512];
    int first = before + 1, last = list->frame[i] - 1;
    if (first == last)
        snprintf(text, sizeof text, "%s: frame %d is missing", folder, first);
    else
        snprintf(text, sizeof text, "%s: frames %d to %d are missing", folder, first, last);
    found(f, true, text);
}

static vo_result check_frames(findings *f, const char *folder, const vo_frame_list *list) {
    vo_epoch epoch = {0};
    vo_result result = VO_OK;
    for (int i = 0; i < list->count && result == VO_OK; i++) {
        check_gap(f, folder, list, i);
        result = check_frame(f, &epoch, folder, list->frame[i]);
    }
    vo_epoch_leave(&epoch);
    if (list->count == 0) found(f, true, "the run has no frames");
    return result;
}

/* The scene with all that was changed in it is checked first; each frame then against its own. */
vo_result vo_check_run(vo_context *ctx, const char *folder, vo_finding_fn *fn, void *user) {
    findings f = {ctx, fn, user, 0};
    char path[VO_PATH_SIZE];
    vo_scene *scene = NULL;
    vo_frame_list list = {0};
    vo_folder_scene(path, sizeof path, folder);
    vo_result result = vo_scene_load(ctx, path, 0, NULL, &scene);
    vo_scene_destroy(scene);
    if (result == VO_OK) result = vo_folder_list(ctx, folder, &list);
    if (result == VO_OK) result = check_frames(&f, folder, &list);
    vo_frame_list_free(ctx, &list);
    return failure_as_finding(&f, result, folder);
}
