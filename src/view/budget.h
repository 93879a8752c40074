/* Budget control: chooses l, the minimum edge length on screen (screen.h), so that the number of
 * faces or the seconds per frame stay at a target.
 *
 * Faces are controlled by feedforward. The caller supplies the expected number of faces for any l
 * (the area of the cloth in its own metric, remesh/sizing.h), and l is solved for in the frame in
 * which a fold or a character appears. Feedback from the faces of the previous frame was tried
 * first and rejected: cloth in wind changes as fast as the controller reacts, and the face count
 * oscillated as much as without control.
 *
 * Seconds can only be controlled by feedback. They grow at least linearly with the faces, so
 *
 *      target faces = faces (target seconds / measured seconds)^gain,
 *
 * and a reduction is limited to a factor per frame, so that a single slow frame has a bounded
 * effect. Growth is not limited: cost would have to grow as faces^1.7 to exceed the budget.
 *
 * The controller aims slightly below the target and makes no change inside a dead band below it, so
 * that a mesh at rest stays at rest. To meet the face target l rises at once; it falls, and rises
 * for the time target, in limited steps. It never falls below the minimum that the user set.
 *
 * The current l is state and is saved with the frame, so a run with a face target is reproduced and
 * resumed bit by bit. A run with a time target is not reproducible, because measured times vary. */
#ifndef VO_VIEW_BUDGET_H
#define VO_VIEW_BUDGET_H

#include "math/vec.h"

typedef struct vo_budget_def {
    double faces;      /* [0] target number of faces of all cloths; not positive: no limit */
    double seconds;    /* [0] target seconds per frame; not positive: no limit */
    double min_pixels; /* [1] minimum of l, positive */
    double max_pixels; /* [64] maximum of l; not below min_pixels */
    double gain;       /* [0.6] exponent of the time control */
    double max_step; /* [1.25] maximum factor per frame by which l falls or the time control changes
                        l and the faces; above 1 */
    double dead_band; /* [0.03] relative half width of the dead band below the target */
} vo_budget_def;

vo_budget_def vo_budget_def_default(void);

/* Returns the expected number of faces for a given l; decreases with l. */
typedef double vo_budget_fn(void *arg, double pixels);

/* Returns the next l from the current one (not positive: at the start) and the measurements of the
 * last frame. With both targets set, returns the larger of the two results. Measurements that are
 * not positive and finite are ignored. */
double vo_budget_next_pixels(const vo_budget_def *def, double pixels, double faces, double seconds,
                             vo_budget_fn *expected, void *arg);

/* Returns the relative excess over the target, the larger one if both are set; 0 within the target.
 * Ignores the dead band. */
double vo_budget_excess(const vo_budget_def *def, double faces, double seconds);

/* Returns true if l is at its maximum and the frame still exceeds a target by more than the dead
 * band. The remaining faces do not depend on l: seams, outlines, invisible parts. */
bool vo_budget_is_missed(const vo_budget_def *def, double pixels, double faces, double seconds);

/* Returns true if the relative excess of the faces is at least that of the seconds. */
bool vo_budget_is_face_bound(const vo_budget_def *def, double faces, double seconds);

#endif
