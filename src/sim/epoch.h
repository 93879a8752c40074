/* The scene of a run, frame by frame.
 *
 * scene.json holds the scene as the run began and, under "overrides", what was changed on resuming
 * and from which frame on. So a run falls into epochs, each with a scene of its own:
 *
 *     frame   0  1  2  3  4 | 5  6  7 | 8  9 ...
 *     scene   as it began   | + set A | + set B        overrides: A from frame 5, B from frame 8
 *
 * Whoever makes or reads frames goes through here and has the scene each frame was made with. From
 * one epoch to the next the state goes through the frame file, exactly as in a resumed run. */
#ifndef VO_SIM_EPOCH_H
#define VO_SIM_EPOCH_H

#include "sim/sim.h"

typedef struct vo_epoch {
    vo_scene *scene;
    vo_sim *sim;     /* of that scene, at its beginning; NULL: no epoch is entered */
    int first, next; /* frames it was entered for: first <= frame < next; INT_MAX: to the end */
    bool changed;    /* the scene of frame `first` is not that of the frame before */
} vo_epoch;

/* Loads the scene of a frame, with further `sets` on top, and makes a simulation of it. On failure
 * the epoch is empty. */
vo_result vo_epoch_enter(vo_context *ctx, const char *folder, int frame, int set_count,
                         const char *const *sets, vo_epoch *epoch);
/* Enters the epoch of a frame unless it is the present one; what the scene warns of is not said
 * again. */
vo_result vo_epoch_follow(vo_context *ctx, const char *folder, int frame, vo_epoch *epoch);
void vo_epoch_leave(vo_epoch *epoch); /* an empty one is fine */

/* Loads the scene of a frame without a word in the log. INT_MAX: with all overrides. */
vo_result vo_epoch_scene(vo_context *ctx, const char *folder, int frame, int set_count,
                         const char *const *sets, vo_scene **out);

#endif
