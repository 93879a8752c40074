/* A budget: l, the shortest edge on the screen (screen.h), steered so that the number of faces, or
 * the seconds a frame takes, stay at a given value.
 *
 *      l' = l (measured / wanted)^gain,   within [pixels, pixels_most]
 *
 * Where the screen decides, faces go with l^-2 and seconds with them or faster, so the exact answer
 * would have a gain of 1/2; a smaller one bears that meshes follow late and not everywhere. A
 * change a frame is limited, so that one odd frame does no harm, and within a dead band nothing is
 * changed at all: a mesh at rest shall rest. l never goes below what the user asked for, so where
 * there is money to spare it is not spent.
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
    double gain;        /* [0.3] */
    double step;        /* [1.25] l changes by no larger factor a frame; above 1 */
    double dead;        /* [0.03] relative error that is left alone */
} vo_budget_def;

vo_budget_def vo_budget_def_default(void);

/* The next l, from the present one (not positive: at the start) and what the last frame took. Where
 * both are held, the one that is more above what is wanted counts. Measurements that are not
 * positive and finite say nothing. */
double vo_budget_next(const vo_budget_def *def, double pixels, double faces, double seconds);

/* How far a frame is above what is wanted, relative to that; 0: it is not. Where both are held, the
 * larger of the two. No dead band: 0.01 is a hundredth too much. */
double vo_budget_excess(const vo_budget_def *def, double faces, double seconds);

/* Whether that is all there is to be done: l is at its most, and the frame took more than wanted
 * all the same. What is left then does not go by the screen: seams, outlines, what is unseen. */
bool vo_budget_is_missed(const vo_budget_def *def, double pixels, double faces, double seconds);

/* Which of the two is more above what is wanted: the faces, or the seconds. */
bool vo_budget_is_of_faces(const vo_budget_def *def, double faces, double seconds);

#endif
