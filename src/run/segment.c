#include "run/segment.h"

#include "run/folder.h"

#include <limits.h>

/* Sets the range of frames that have the same recorded scene as `frame`, and whether that scene
 * begins with it. */
static vo_result find_range(vo_context *ctx, const char *folder, int frame,
                            vo_run_segment *segment) {
    char path[VO_PATH_SIZE];
    vo_json_doc stored;
    vo_folder_scene(path, sizeof path, folder);
    VO_TRY(vo_json_load(ctx, path, &stored));
    segment->first = 0;
    segment->next = vo_scene_next_override(&stored, 0);
    while (segment->next <= frame && segment->next < INT_MAX) {
        segment->first = segment->next;
        segment->next = vo_scene_next_override(&stored, segment->first);
    }
    segment->changed = frame > 0 && segment->first == frame;
    vo_json_free(&stored);
    return VO_OK;
}

static vo_result load_segment(vo_context *ctx, const char *folder, int frame, int override_count,
                              const char *const *overrides, vo_run_segment *segment) {
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, folder);
    VO_TRY(find_range(ctx, folder, frame, segment));
    if (override_count > 0) segment->first = frame;
    segment->changed |= override_count > 0;
    VO_TRY(vo_scene_load_at(ctx, path, frame, override_count, overrides, &segment->scene));
    return vo_sim_create_for_frames(ctx, segment->scene, &segment->sim);
}

vo_result vo_run_segment_open(vo_context *ctx, const char *folder, int frame, int override_count,
                              const char *const *overrides, vo_run_segment *segment) {
    *segment = (vo_run_segment){0};
    vo_result result = load_segment(ctx, folder, frame, override_count, overrides, segment);
    if (result != VO_OK) vo_run_segment_close(segment);
    return result;
}

bool vo_run_segment_contains(const vo_run_segment *segment, int frame) {
    return segment->sim && segment->first <= frame && frame < segment->next;
}

vo_result vo_run_segment_seek(vo_context *ctx, const char *folder, int frame,
                              vo_run_segment *segment) {
    if (vo_run_segment_contains(segment, frame)) return VO_OK;
    vo_log_fn *log = ctx->log;
    vo_run_segment_close(segment);
    ctx->log = NULL;
    vo_result result = vo_run_segment_open(ctx, folder, frame, 0, NULL, segment);
    ctx->log = log;
    return result;
}

void vo_run_segment_close(vo_run_segment *segment) {
    vo_sim_destroy(segment->sim);
    vo_scene_destroy(segment->scene);
    *segment = (vo_run_segment){0};
}

vo_result vo_run_segment_scene(vo_context *ctx, const char *folder, int frame, int override_count,
                               const char *const *overrides, vo_scene **out) {
    char path[VO_PATH_SIZE];
    vo_log_fn *log = ctx->log;
    vo_folder_scene(path, sizeof path, folder);
    ctx->log = NULL;
    vo_result result = vo_scene_load_at(ctx, path, frame, override_count, overrides, out);
    ctx->log = log;
    return result;
}

typedef vo_result read_fn(vo_sim *sim, vo_vof_reader *reader, const char *path);

static vo_result read_with(vo_sim *sim, const char *folder, int frame, read_fn *read) {
    char path[VO_PATH_SIZE];
    vo_vof_reader *reader;
    vo_folder_frame(path, sizeof path, folder, frame);
    VO_TRY(vo_folder_open_frame(sim->ctx, folder, frame, &reader));
    vo_result result = read(sim, reader, path);
    vo_vof_close(reader);
    return result;
}

vo_result vo_run_read_frame(vo_sim *sim, const char *folder, int frame) {
    return read_with(sim, folder, frame, vo_sim_read_frame);
}

vo_result vo_run_restore_frame(vo_sim *sim, const char *folder, int frame) {
    return read_with(sim, folder, frame, vo_sim_restore);
}
