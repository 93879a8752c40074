/* Bounds of numbers in scene files and API arguments.
 *
 * Larger numbers are meaningless in metres, seconds and kilograms, and their products would
 * overflow. All tests are false for NaN. */
#ifndef VO_MATH_BOUNDS_H
#define VO_MATH_BOUNDS_H

#include "math/vec.h"

#define VO_MAX_NUMBER      1e15
#define VO_MIN_POSITIVE    1e-15  /* smallest accepted positive number */
#define VO_MAX_NUMBER_TEXT "1e15" /* for messages */

static inline bool vo_is_bounded(double x) { return fabs(x) <= VO_MAX_NUMBER; }
static inline bool vo_is_nonnegative(double x) { return x >= 0 && x <= VO_MAX_NUMBER; }
static inline bool vo_is_positive(double x) { return x >= VO_MIN_POSITIVE && x <= VO_MAX_NUMBER; }
/* An end time, which may be infinite. */
static inline bool vo_is_end_time(double x) { return vo_is_bounded(x) || x == INFINITY; }

static inline bool v2_is_bounded(vo_vec2 a) { return vo_is_bounded(a.x) && vo_is_bounded(a.y); }
static inline bool v3_is_bounded(vo_vec3 a) {
    return vo_is_bounded(a.x) && vo_is_bounded(a.y) && vo_is_bounded(a.z);
}

#endif
