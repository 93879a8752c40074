/* Which numbers from outside are taken.
 *
 * Beyond these bounds a number means nothing in metres, seconds and kilograms and would overflow in
 * products. Scene files and calls are held to the same ones; NaN passes none of the tests. */
#ifndef VO_MATH_BOUNDS_H
#define VO_MATH_BOUNDS_H

#include "math/vec.h"

#define VO_LARGEST      1e15
#define VO_SMALLEST     1e-15  /* of what must be positive */
#define VO_LARGEST_TEXT "1e15" /* for messages */

static inline bool vo_is_bounded(double x) { return fabs(x) <= VO_LARGEST; }
static inline bool vo_is_nonnegative(double x) { return x >= 0 && x <= VO_LARGEST; }
static inline bool vo_is_positive(double x) { return x >= VO_SMALLEST && x <= VO_LARGEST; }
/* A moment that may never come. */
static inline bool vo_is_end(double x) { return vo_is_bounded(x) || x == INFINITY; }

static inline bool v2_is_bounded(vo_vec2 a) { return vo_is_bounded(a.x) && vo_is_bounded(a.y); }
static inline bool v3_is_bounded(vo_vec3 a) {
    return vo_is_bounded(a.x) && vo_is_bounded(a.y) && vo_is_bounded(a.z);
}

#endif
