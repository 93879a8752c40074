/* Limits of the principal stretches of one face in scalar code: used for statistics, and the
 * reference for stretch_limit_lanes.h.
 *
 * With s_i a principal stretch, n_i its direction in material space and b_i the nearest value
 * within the limits, the penalty is
 *     E = area k / 2 sum (s_i - b_i)^2,
 * whose gradient is exact, since |F n_i| is stationary in n_i. The Hessian treats n_i as constant
 * and drops the negative curvature under compression, so it is positive semidefinite:
 *     d2E / dx_a dx_b = area (d_a . n)(d_b . n) (k e e^T + t (I - e e^T)),
 *     e = F n / |F n|,  t = k max(s - b, 0) / |F n|.
 * A Newton step along e reaches the limit at once from any distance; with Green strain, which is
 * quadratic in F, it would not. */
#ifndef VO_MATERIAL_STRETCH_LIMIT_H
#define VO_MATERIAL_STRETCH_LIMIT_H

#include "material/material.h"
#include "material/stretch.h"

/* Smaller stretches have no usable direction in space. */
#define VO_MIN_STRETCH 1e-12

typedef struct vo_stretch_limit {
    double min2, max2; /* squared limits; infinite: none */
    double stiffness;  /* k, N/m */
} vo_stretch_limit;

static inline bool vo_material_is_limited(const vo_material *m) {
    return m->stretch_min > 0 || isfinite(m->stretch_max);
}

/* Squared limits of a material; a lower limit that is not positive is inactive. */
static inline double vo_material_min2(const vo_material *m) {
    return m->stretch_min > 0 ? m->stretch_min * m->stretch_min : -INFINITY;
}
static inline double vo_material_max2(const vo_material *m) {
    return m->stretch_max * m->stretch_max;
}

/* Squared lower limit of a face with slack (buckle.h): the limit applies to the fraction alpha = 1
 * - slack of the compression, so the face's own strain may be 1 / alpha as large. */
static inline double vo_stretch_min2_with_slack(double min2, double slack) {
    if (!(slack > 0)) return min2;
    return slack < 1 ? 1 - (1 - min2) / (1 - slack) : -INFINITY;
}

/* Widens the limits towards the stretches of the shape `before` by the fraction `grace`, 0 to 1. */
vo_stretch_limit vo_stretch_limit_widen(const vo_stretch_face *face, const vo_stretch_limit *limit,
                                        double grace, const vo_vec3 before[3]);

/* Returns the largest excess of a stretch beyond the limits; 0 if none. */
double vo_stretch_excess(const vo_stretch_face *face, const vo_stretch_limit *limit,
                         const vo_vec3 x[3]);
double vo_stretch_limit_energy(const vo_stretch_face *face, const vo_stretch_limit *limit,
                               const vo_vec3 x[3]);
void vo_stretch_limit_gradient(const vo_stretch_face *face, const vo_stretch_limit *limit,
                               const vo_vec3 x[3], vo_vec3 gradient[3]);
void vo_stretch_limit_hessian(const vo_stretch_face *face, const vo_stretch_limit *limit,
                              const vo_vec3 x[3], vo_mat3 hessian[3][3]);

#endif
