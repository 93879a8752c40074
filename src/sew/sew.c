/* Runs the passes of sewing for each garment of an outfit. */
#include "sew/sew.h"

#include "core/timer.h"
#include "sew/sew_cache.h"

#include <string.h>

/* Places, pulls, merges and relaxes one garment. */
static vo_result sew_piece(vo_sewing *s, vo_mesh *panels, vo_sew_report *report) {
    const vo_garment *garment = s->task->piece[s->piece].garment;
    double gap;
    VO_TRY(vo_sew_place(s, panels->node_x));
    VO_TRY(vo_sew_pull(s, panels, &gap));
    VO_TRY(vo_pattern_merge(panels, garment->stitch_count, garment->stitch, &s->sewn[s->piece]));
    report->gap = vo_max(report->gap, gap);
    report->stitches += garment->stitch_count;
    report->seams += s->task->piece[s->piece].pattern->seam_count;
    report->faces += s->sewn[s->piece]->face_count;
    report->nodes += s->sewn[s->piece]->node_count;
    report->steps += s->progress.step;
    return vo_sew_relax(s, report);
}

static vo_result sew_all(vo_sewing *s, vo_sew_report *report) {
    const vo_sew_task *task = s->task;
    for (s->piece = 0; s->piece < task->piece_count; s->piece++) {
        vo_mesh *panels = NULL;
        vo_result result = vo_mesh_copy(task->ctx, task->piece[s->piece].garment->mesh, &panels);
        if (result == VO_OK) result = sew_piece(s, panels, report);
        vo_mesh_destroy(panels);
        VO_TRY(result);
        report->steps += s->progress.step;
    }
    return VO_OK;
}

/* Sews the pieces and keeps the result. */
static vo_result sew_and_keep(vo_sewing *s, uint64_t key, vo_sew_report *report) {
    vo_sew_log log;
    vo_sew_log_begin(s->task->ctx, &log);
    vo_result result = sew_all(s, report);
    vo_sew_log_end(&log);
    if (result == VO_OK) vo_sew_write(s->task, key, s->sewn, report, &log);
    vo_sew_log_free(&log);
    return result;
}

vo_result vo_sew_outfit(const vo_sew_task *task, vo_mesh **sewn, vo_sew_report *report) {
    vo_sewing s = {.task = task, .sewn = sewn, .start_s = vo_now()};
    uint64_t key = vo_sew_key(task);
    bool was_stored;
    *report = (vo_sew_report){0};
    memset(sewn, 0, (size_t)task->piece_count * sizeof *sewn);
    vo_result result = vo_sew_read(task, key, sewn, report, &was_stored);
    if (result == VO_OK && !was_stored) result = sew_and_keep(&s, key, report);
    report->wall_s = vo_now() - s.start_s;
    if (result == VO_OK) return VO_OK;
    for (int i = 0; i < task->piece_count; i++) {
        vo_mesh_destroy(sewn[i]);
        sewn[i] = NULL;
    }
    return result;
}
