/* Closed axis-aligned bounding boxes (AABB): boxes that touch overlap.
 *
 * Boxes are computed in double precision and stored in trees in single precision. Bounds are
 * rounded outward, so the float box contains the double box: overlap in double implies overlap in
 * float. */
#ifndef VO_SPATIAL_AABB_H
#define VO_SPATIAL_AABB_H

#include "math/vec.h"

#include <float.h>

typedef struct vo_box {
    vo_vec3 min, max;
} vo_box;

/* The empty box: contains nothing and overlaps nothing, itself included. */
static inline vo_box box_empty(void) {
    return (vo_box){v3(INFINITY, INFINITY, INFINITY), v3(-INFINITY, -INFINITY, -INFINITY)};
}
static inline vo_box box_add(vo_box b, vo_vec3 p) {
    return (vo_box){v3_min(b.min, p), v3_max(b.max, p)};
}
static inline vo_box box_join(vo_box a, vo_box b) {
    return (vo_box){v3_min(a.min, b.min), v3_max(a.max, b.max)};
}
static inline vo_box box_triangle(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return (vo_box){v3_min(v3_min(a, b), c), v3_max(v3_max(a, b), c)};
}
/* The box enlarged by `margin` on every side. */
static inline vo_box box_grow(vo_box b, double margin) {
    vo_vec3 m = v3(margin, margin, margin);
    return (vo_box){v3_sub(b.min, m), v3_add(b.max, m)};
}
static inline double box_longest_side(vo_box b) {
    vo_vec3 d = v3_sub(b.max, b.min);
    return vo_max(d.x, vo_max(d.y, d.z));
}
static inline bool box_overlaps(vo_box a, vo_box b) {
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
           a.min.z <= b.max.z && b.min.z <= a.max.z;
}

/* A float that is at most x, by at most three units in the last place. Subtracting 2^-23 |x| first
 * covers the rounding to float, whose error is at most 2^-24 |x|; 2^-126 covers the denormal range.
 * NaN becomes minus infinity, the bound that excludes nothing. */
static inline float vo_float_below(double x) {
    if (x > FLT_MAX) return FLT_MAX;
    double y = x - (fabs(x) * 0x1p-23 + 0x1p-126);
    return y >= -FLT_MAX ? (float)y : -INFINITY;
}
/* A float that is at least x. */
static inline float vo_float_above(double x) { return -vo_float_below(-x); }

#endif
