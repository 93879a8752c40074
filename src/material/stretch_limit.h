/* Limits of the principal stretches of one face, in plain scalar code: the reference for
 * stretch_limit_lanes.h, and what statistics use.
 *
 * With s_i a principal stretch, n_i its direction in the flat fabric and b_i the nearest value that
 * the limits allow, the penalty for being beyond is
 *     E = area k / 2 sum (s_i - b_i)^2,
 * whose gradient is exact, as |F n_i| is stationary in n_i. Its Hessian takes n_i as constant and
 * leaves out what compression has of negative curvature, so it is positive semidefinite:
 *     d2E / dx_a dx_b = area (d_a . n)(d_b . n) (k e e^T + t (I - e e^T)),
 *     e = F n / |F n|,  t = k max(s - b, 0) / |F n|.
 * A step along e comes to the limit at once, however far it is: in Green strain, which is
 * quadratic in F, it would not. */
#ifndef VO_MATERIAL_STRETCH_LIMIT_H
#define VO_MATERIAL_STRETCH_LIMIT_H

#include "material/material.h"
#include "material/stretch.h"

/* Less than this a stretch has no direction in space. */
#define VO_LEAST_STRETCH 1e-12

typedef struct vo_stretch_limit {
    double min2, max2; /* squares of the limits; infinite: none */
    double stiffness;  /* k, N/m */
} vo_stretch_limit;

static inline bool vo_material_is_limited(const vo_material *m) {
    return m->stretch_min > 0 || isfinite(m->stretch_max);
}

/* Squares of a material's limits; no stretch is below a limit that is negative or 0. */
static inline double vo_material_min2(const vo_material *m) {
    return m->stretch_min > 0 ? m->stretch_min * m->stretch_min : -INFINITY;
}
static inline double vo_material_max2(const vo_material *m) {
    return m->stretch_max * m->stretch_max;
}

/* The lower limit is for what a face sees of its compression (buckle.h), alpha of the strain: its
 * own may be 1 / alpha of that. */
static inline double vo_stretch_min2_with(double min2, double slack) {
    if (!(slack > 0)) return min2;
    return slack < 1 ? 1 - (1 - min2) / (1 - slack) : -INFINITY;
}

/* Limits as far as the stretches of a former shape, `keep` of the way: 0 to 1. */
vo_stretch_limit vo_stretch_limit_widen(const vo_stretch_face *face, const vo_stretch_limit *limit,
                                        double keep, const vo_vec3 before[3]);

/* How far the stretch that is furthest beyond the limits is so; 0 if none is. */
double vo_stretch_excess(const vo_stretch_face *face, const vo_stretch_limit *limit,
                         const vo_vec3 x[3]);
double vo_stretch_limit_energy(const vo_stretch_face *face, const vo_stretch_limit *limit,
                               const vo_vec3 x[3]);
void vo_stretch_limit_gradient(const vo_stretch_face *face, const vo_stretch_limit *limit,
                               const vo_vec3 x[3], vo_vec3 gradient[3]);
void vo_stretch_limit_hessian(const vo_stretch_face *face, const vo_stretch_limit *limit,
                              const vo_vec3 x[3], vo_mat3 hessian[3][3]);

#endif
