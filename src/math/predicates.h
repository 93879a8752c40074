/* Exact geometric predicates: orientation of three points in the plane and of four in space.
 *
 * Most determinants are far from zero; floating-point evaluation with an error bound decides them
 * (filter). The rest is evaluated exactly with floating-point expansions (Shewchuk 1997, "Adaptive
 * precision floating-point arithmetic and fast robust geometric predicates"). The results are
 * therefore consistent: swapping two points negates the sign, and all predicates agree on which
 * points lie in a plane.
 *
 * The arithmetic is exact unless it overflows or underflows: every coordinate must be 0 or have a
 * magnitude from VO_EXACT_MIN to VO_EXACT_MAX. (The last bit of a coordinate of 1e-90 is 2^-351; a
 * product of three is a multiple of 2^-1053, above the smallest double, 2^-1074.) Smaller
 * coordinates, in metres, are noise; vo_exact_point rounds them to 0.
 *
 * Requires rounding to nearest and no fused multiply-add, as all of Voile. */
#ifndef VO_MATH_PREDICATES_H
#define VO_MATH_PREDICATES_H

#include "math/vec.h"

#define VO_EXACT_MIN 1e-90
#define VO_EXACT_MAX 1e90

/* 1 if a, b, c are counter-clockwise, -1 if clockwise, 0 if collinear. */
int vo_orient2d(vo_vec2 a, vo_vec2 b, vo_vec2 c);

/* The sign of (b - a) x (c - a) . (d - a): 1 if d lies on the side to which the normal of a, b, c
 * points (from there a, b, c are counter-clockwise), -1 on the other side, 0 if coplanar. */
int vo_orient3d(vo_vec3 a, vo_vec3 b, vo_vec3 c, vo_vec3 d);

static inline double vo_exact_number(double x) { return fabs(x) < VO_EXACT_MIN ? 0 : x; }
/* Rounds coordinates below VO_EXACT_MIN to 0. */
static inline vo_vec3 vo_exact_point(vo_vec3 p) {
    return v3(vo_exact_number(p.x), vo_exact_number(p.y), vo_exact_number(p.z));
}

#endif
