/* The frames of a run: there, whole, and clean. */
#include "sim/epoch.h"
#include "sim/findings.h"
#include "sim/folder.h"

/* What to do about intersections. */
static const char *advice(const vo_scene_def *def) {
    if (def->disable & VO_DISABLE_COLLISION)
        return "the scene disables collision; take it out of \"disable\"";
    return "raise frame_steps and simulate again; --ply FILE pictures the place";
}

/* What is gone over: frames, and what stats.jsonl has of them. */
typedef struct source {
    vo_epoch epoch;
    vo_frame_list frames;
    vo_stats_list lines;
} source;

static vo_result inspect_frame(vo_findings *f, const source *s, const char *path, int frame) {
    const vo_epoch *epoch = &s->epoch;
    vo_inspection inspection;
    VO_TRY(vo_sim_inspect(epoch->sim, &inspection));
    const vo_stats *line = vo_stats_list_find(&s->lines, frame);
    inspection.held_steps = line ? line->held_steps : 0;
    vo_inspected where = {
        .name = path, .frame = frame, .fatal = true, .advice = advice(&epoch->scene->def)};
    vo_findings_inspected(f, &where, &inspection);
    return vo_findings_picture(f, frame, epoch->sim->inspector, &inspection);
}

/* A frame that is damaged, or that the system does not let be read, is a finding like others.
 * Reading lets through finite places and speeds only. */
static vo_result check_frame(vo_findings *f, source *s, int frame) {
    char path[VO_PATH_SIZE];
    vo_epoch *epoch = &s->epoch;
    const char *folder = f->def->path;
    VO_TRY(vo_epoch_follow(f->ctx, folder, frame, epoch));
    vo_result result = vo_sim_read_frame(epoch->sim, folder, frame);
    if (result == VO_BAD_DATA || result == VO_IO_FAILED) {
        vo_found(f, true, "%s", f->ctx->message);
        f->unread++;
        return VO_OK;
    }
    VO_TRY(result);
    vo_folder_frame(path, sizeof path, folder, frame);
    return inspect_frame(f, s, path, frame);
}

/* Frames first to last, if there are any such, are not there. */
static void tell_gap(vo_findings *f, int first, int last) {
    f->unread += vo_max_int(0, last - first + 1);
    if (first == last)
        vo_found(f, true, "%s: frame %d is missing", f->def->path, first);
    else if (first < last)
        vo_found(f, true, "%s: frames %d to %d are missing", f->def->path, first, last);
}

/* The last frame that the run has had, by its statistics; -1: they are empty. */
static int last_told(const vo_stats_list *lines) {
    int last = -1;
    for (int i = 0; i < lines->count; i++) last = vo_max_int(last, lines->stats[i].frame);
    return last;
}

static bool wants_stop(const vo_context *ctx) { return ctx->stop && ctx->stop(ctx->stop_user); }

static vo_result check_listed(vo_findings *f, source *s) {
    const vo_frame_list *list = &s->frames;
    int begin, last = f->def->last, told = last_told(&s->lines);
    VO_TRY(vo_folder_first_frame(f->ctx, f->def->path, &begin));
    begin = vo_max_int(begin, f->def->first);
    int next = begin;
    for (int i = 0; i < list->count; i++) {
        int frame = list->frame[i];
        if (frame < next || (last >= 0 && frame > last)) continue;
        if (wants_stop(f->ctx))
            return vo_fail(f->ctx, VO_STOPPED,
                           "%s: stopped before frame %d; it and what follows is not checked",
                           f->def->path, frame);
        tell_gap(f, next, frame - 1);
        VO_TRY(check_frame(f, s, frame));
        next = frame + 1;
    }
    if (next == begin && list->count && (told < begin || (last >= 0 && last < begin)))
        return vo_folder_fail_empty(f->ctx, f->def->path, list->count);
    if (list->count || last >= 0) tell_gap(f, next, last >= 0 ? last : told);
    return VO_OK;
}

static vo_result need_picture(const vo_findings *f) {
    if (!f->def->ply || f->def->ply_frame < 0 || f->pictured) return VO_OK;
    return vo_fail(f->ctx, VO_BAD_CALL,
                   "%s: frame %d, which was to be pictured, is not among those that were checked",
                   f->def->path, f->def->ply_frame);
}

/* The statistics first: of a run that is under way, each line comes after its frame. */
static vo_result read_source(vo_findings *f, source *s) {
    VO_TRY(vo_folder_read_stats(f->ctx, f->def->path, &s->lines));
    VO_TRY(vo_folder_list(f->ctx, f->def->path, &s->frames));
    if (s->frames.count == 0) vo_found(f, true, "%s: the run has no frames", f->def->path);
    return VO_OK;
}

vo_result vo_check_frames(vo_findings *f) {
    source s = {0};
    vo_result result = read_source(f, &s);
    if (result == VO_OK) result = check_listed(f, &s);
    vo_epoch_leave(&s.epoch);
    vo_stats_list_free(f->ctx, &s.lines);
    vo_frame_list_free(f->ctx, &s.frames);
    vo_findings_after_frames(f);
    return result == VO_OK ? need_picture(f) : result;
}
