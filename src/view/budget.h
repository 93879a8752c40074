/* A budget: l, the shortest edge on the screen (screen.h), chosen so that the number of faces, or
 * the seconds a frame takes, stay at a given value.
 *
 * Faces are held ahead: whoever asks knows how many a mesh will have for any l (the area of the
 * cloth in its own metric, remesh/sizing.h), so l is where that is what is wanted, in the very
 * frame in which a fold or a figure comes up. A controller that looks at the faces of the frame
 * before was tried first: cloth in wind changes as fast as it answers, and what it held swung as
 * much as without it.
 *
 * Seconds cannot be known ahead. They go with faces or faster, so
 *
 *      wanted faces = faces (wanted seconds / measured seconds)^gain,
 *
 * and if that is less, by a limited factor a frame, so that one odd frame does no harm. Where there
 * is time to spare, what comes up may come up: cost would have to grow as faces^1.7 to use it up.
 *
 * A little less is aimed at than is wanted, and within a band below that nothing is changed at all:
 * a mesh at rest shall rest. For the sake of faces l rises at once; it falls, and rises for the
 * sake of seconds, in steps. It never goes below what the user asked for, so where there is money
 * to spare it is not spent.
 *
 * The present l is state. It goes into the frame; a run that holds a number of faces is then
 * reproduced and resumed bit by bit. One that holds seconds is not, by nature: the clock decides.
 */
#ifndef VO_VIEW_BUDGET_H
#define VO_VIEW_BUDGET_H

#include "math/vec.h"

typedef struct vo_budget_def {
    double faces;       /* [0] wanted, of all cloths; not positive: any number */
    double seconds;     /* [0] wanted a frame; not positive: any */
    double pixels;      /* [1] l at its least, positive */
    double pixels_most; /* [64] l at its most; not below pixels */
    double gain;        /* [0.6] exponent of seconds */
    double step;        /* [1.25] factor by which l falls a frame, or rises for the sake of seconds,
                           and by which these lessen the faces, at most; above 1 */
    double dead;        /* [0.03] relative: half of the band below what is wanted */
} vo_budget_def;

vo_budget_def vo_budget_def_default(void);

/* Faces to be expected with an l; falls with it. */
typedef double vo_budget_fn(void *arg, double pixels);

/* The next l, from the present one (not positive: at the start) and what the last frame took. Where
 * both are held, the larger of what they ask for. Measurements that are not positive and finite say
 * nothing. */
double vo_budget_pixels(const vo_budget_def *def, double pixels, double faces, double seconds,
                        vo_budget_fn *expected, void *arg);

/* How far a frame is above what is wanted, relative to that; 0: it is not. Where both are held, the
 * larger of the two. No dead band: 0.01 is a hundredth too much. */
double vo_budget_excess(const vo_budget_def *def, double faces, double seconds);

/* Whether that is all there is to be done: l is at its most, and the frame took more than wanted
 * all the same. What is left then does not go by the screen: seams, outlines, what is unseen. */
bool vo_budget_is_missed(const vo_budget_def *def, double pixels, double faces, double seconds);

/* Which of the two is more above what is wanted: the faces, or the seconds. */
bool vo_budget_is_of_faces(const vo_budget_def *def, double faces, double seconds);

#endif
