#include "sim/epoch.h"

#include "sim/folder.h"

/* At which frames the recorded scene changes: at `frame` itself, and the first one after it. */
static vo_result find_changes(vo_context *ctx, const char *folder, int frame, bool *now,
                              int *next) {
    char path[VO_PATH_SIZE];
    vo_json_doc stored;
    vo_folder_scene(path, sizeof path, folder);
    VO_TRY(vo_json_load(ctx, path, &stored));
    *now = frame > 0 && vo_scene_next_override(&stored, frame - 1) == frame;
    *next = vo_scene_next_override(&stored, frame);
    vo_json_free(&stored);
    return VO_OK;
}

static vo_result enter(vo_context *ctx, const char *folder, int frame, int set_count,
                       const char *const *sets, vo_epoch *epoch) {
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, folder);
    epoch->first = frame;
    VO_TRY(find_changes(ctx, folder, frame, &epoch->changed, &epoch->next));
    epoch->changed |= set_count > 0;
    VO_TRY(vo_scene_load_at(ctx, path, frame, set_count, sets, &epoch->scene));
    return vo_sim_create_for_frames(ctx, epoch->scene, &epoch->sim);
}

vo_result vo_epoch_enter(vo_context *ctx, const char *folder, int frame, int set_count,
                         const char *const *sets, vo_epoch *epoch) {
    *epoch = (vo_epoch){0};
    vo_result result = enter(ctx, folder, frame, set_count, sets, epoch);
    if (result != VO_OK) vo_epoch_leave(epoch);
    return result;
}

vo_result vo_epoch_follow(vo_context *ctx, const char *folder, int frame, vo_epoch *epoch) {
    if (epoch->sim && epoch->first <= frame && frame < epoch->next) return VO_OK;
    vo_log_fn *log = ctx->log;
    vo_epoch_leave(epoch);
    ctx->log = NULL;
    vo_result result = vo_epoch_enter(ctx, folder, frame, 0, NULL, epoch);
    ctx->log = log;
    return result;
}

void vo_epoch_leave(vo_epoch *epoch) {
    vo_sim_destroy(epoch->sim);
    vo_scene_destroy(epoch->scene);
    *epoch = (vo_epoch){0};
}

vo_result vo_epoch_scene(vo_context *ctx, const char *folder, int frame, int set_count,
                         const char *const *sets, vo_scene **out) {
    char path[VO_PATH_SIZE];
    vo_log_fn *log = ctx->log;
    vo_folder_scene(path, sizeof path, folder);
    ctx->log = NULL;
    vo_result result = vo_scene_load_at(ctx, path, frame, set_count, sets, out);
    ctx->log = log;
    return result;
}
