/* On which side? Signs of determinants, never wrong.
 *
 * Most questions are far from zero: there plain doubles with a bound on their rounding error
 * decide. The rest is computed without any error, as sums of doubles that do not overlap (Shewchuk
 * 1997, "Adaptive precision floating-point arithmetic and fast robust geometric predicates"). So
 * the answers agree with each other whatever the order of the points is: swapping two points flips
 * the sign, and a point found on a plane is on it for everybody.
 *
 * The arithmetic is exact as long as nothing overflows or underflows: every coordinate must be 0 or
 * of a size between VO_EXACT_MIN and VO_EXACT_MAX. (The last bit of a coordinate of 1e-90 counts
 * 2^-351; a product of three such is a multiple of 2^-1053, above the least double 2^-1074.) What
 * is smaller than that in metres is noise: vo_exact_point rounds it to 0.
 *
 * Rounding must be to nearest and products must not be fused into sums, as everywhere in Voile. */
#ifndef VO_MATH_PREDICATES_H
#define VO_MATH_PREDICATES_H

#include "math/vec.h"

#define VO_EXACT_MIN 1e-90
#define VO_EXACT_MAX 1e90

/* 1 if a, b, c turn to the left (counter-clockwise), -1 to the right, 0 if they lie on a line. */
int vo_orient2d(vo_vec2 a, vo_vec2 b, vo_vec2 c);

/* The sign of (b - a) x (c - a) . (d - a): 1 if d lies on the side to which the normal of a, b, c
 * points (from where they are seen counter-clockwise), -1 on the other, 0 if all lie in a plane. */
int vo_orient3d(vo_vec3 a, vo_vec3 b, vo_vec3 c, vo_vec3 d);

static inline double vo_exact_number(double x) { return fabs(x) < VO_EXACT_MIN ? 0 : x; }
/* The same point with coordinates that the predicates take. */
static inline vo_vec3 vo_exact_point(vo_vec3 p) {
    return v3(vo_exact_number(p.x), vo_exact_number(p.y), vo_exact_number(p.z));
}

#endif
