/* Progress and cancellation of the calls that process the frames of a run one by one. */
#ifndef VO_RUN_FRAME_LOOP_H
#define VO_RUN_FRAME_LOOP_H

#include "core/context.h"

#include <voile/run.h>

typedef struct vo_frame_loop {
    vo_context *ctx;
    const char *folder;       /* of the run, for messages */
    const char *operation;    /* for the work callback: "exporting frames" */
    vo_progress_fn *progress; /* may be NULL */
    void *user;
    double start;    /* vo_now() when the call began */
    int first, last; /* frames of the call */
} vo_frame_loop;

/* Before a frame: VO_CANCELLED, with its number in the message, if the context is cancelled. */
vo_result vo_frame_loop_begin_frame(const vo_frame_loop *loop, int frame);

/* After a frame: reports progress. VO_CANCELLED if the callback returns false, except after the
 * last frame, when nothing is left to cancel. `stats` may be NULL. */
vo_result vo_frame_loop_end_frame(const vo_frame_loop *loop, int frame, const vo_stats *stats);

#endif
