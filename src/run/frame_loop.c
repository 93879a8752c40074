#include "run/frame_loop.h"

#include "core/timer.h"

vo_result vo_frame_loop_begin_frame(const vo_frame_loop *loop, int frame) {
    if (!vo_is_cancelled(loop->ctx)) return VO_OK;
    return vo_fail(loop->ctx, VO_CANCELLED, "%s: cancelled before frame %d", loop->folder, frame);
}

vo_result vo_frame_loop_end_frame(const vo_frame_loop *loop, int frame, const vo_stats *stats) {
    vo_progress progress = {.frame = frame,
                            .first = loop->first,
                            .last = loop->last,
                            .elapsed_s = vo_now() - loop->start,
                            .stats = stats};
    vo_report_work(loop->ctx, loop->operation, frame - loop->first + 1,
                   loop->last - loop->first + 1);
    if (!loop->progress || loop->progress(loop->user, &progress) || frame == loop->last)
        return VO_OK;
    return vo_fail(loop->ctx, VO_CANCELLED, "%s: cancelled after frame %d", loop->folder, frame);
}
