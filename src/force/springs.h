/* Handles as solver constraints: rows with prescribed motion, rows on a spring to a point, and
 * pairs of rows connected by a spring.
 *
 * The springs are linear, so the implicit step treats them exactly: with stiffness k and a point p
 * at the end of the step, force = -k (x + dt (v + dv) - p). */
#ifndef VO_FORCE_SPRINGS_H
#define VO_FORCE_SPRINGS_H

#include "math/vec.h"

typedef struct vo_pin {
    int row;
    vo_vec3 velocity; /* m/s during this step */
} vo_pin;

typedef struct vo_anchor {
    int row;
    double stiffness; /* N/m */
    vo_vec3 point;    /* m, at the end of the step */
} vo_anchor;

typedef struct vo_tie {
    int row[2];
    double stiffness; /* N/m */
} vo_tie;

#endif
