/* Run segments: the scene of each frame of a run.
 *
 * scene.json holds the scene as the run began and, under "overrides", the changes made by resuming
 * with the frames from which they apply. Frames with the same scene form a segment:
 *
 *     frame    0  1  2  3  4 | 5  6  7 | 8  9 ...
 *     scene    as begun      | + A     | + A + B       overrides: A from frame 5, B from frame 8
 *
 * Frames are simulated and read with the scene of their segment. From one segment to the next the
 * state passes through the frame file, exactly as in a resumed run. */
#ifndef VO_RUN_SEGMENT_H
#define VO_RUN_SEGMENT_H

#include "sim/sim.h"

typedef struct vo_run_segment {
    vo_scene *scene;
    vo_sim *sim;     /* of that scene, in its initial state; NULL: the segment is empty */
    int first, next; /* the scene applies to first <= frame < next; next INT_MAX: no end */
    bool changed;    /* the scene of the frame it was opened for differs from that of the frame
                        before */
} vo_run_segment;

/* Loads the scene of a frame, with `overrides` on top, and creates a simulation of it. On failure
 * the segment is empty. */
vo_result vo_run_segment_open(vo_context *ctx, const char *folder, int frame, int override_count,
                              const char *const *overrides, vo_run_segment *segment);
/* True if the loaded scene is that of `frame`. */
bool vo_run_segment_contains(const vo_run_segment *segment, int frame);
/* Replaces the segment by that of `frame` unless it contains the frame already. Logs nothing: the
 * warnings of the scene were logged when the run began. */
vo_result vo_run_segment_seek(vo_context *ctx, const char *folder, int frame,
                              vo_run_segment *segment);
void vo_run_segment_close(vo_run_segment *segment); /* an empty one is allowed */

/* Loads the scene of a frame without logging. INT_MAX: with all recorded overrides. */
vo_result vo_run_segment_scene(vo_context *ctx, const char *folder, int frame, int override_count,
                               const char *const *overrides, vo_scene **out);

/* Opens a frame file of a run and passes it to vo_sim_read_frame, which restores what is drawn and
 * inspected, or to vo_sim_restore, after which the simulation can be stepped. */
vo_result vo_run_read_frame(vo_sim *sim, const char *folder, int frame);
vo_result vo_run_restore_frame(vo_sim *sim, const char *folder, int frame);

#endif
