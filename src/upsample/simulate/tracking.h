/* Tracking constraints of the fine cloth (Kavan et al. 2011, "Physics-Inspired Upsampling for Cloth
 * Simulation in Games", section 4; Bergou et al. 2007, "TRACKS").
 *
 *     T p_f = T B p_c                                                                   (eq. 6)
 *
 * The T rows of the matrix T are mass-weighted test functions, B interpolates the coarse mesh at
 * the fine vertices. The projection moves the free vertices, those with an inverse mass above 0, as
 * little as possible in the metric of their masses, as position-based dynamics does for any
 * constraint:
 *
 *     p += W T^T lambda,   (T W T^T) lambda = T B p_c - T p,   W = diag(inverse masses)
 *
 * For test functions phi with rows phi^T M that are orthonormal (phi^T M phi = 1), T W T^T is the
 * identity while all vertices are free, and the displacement W T^T lambda is a combination of the
 * phi: components that are orthogonal to them do not change. Test functions that depend on others
 * on the free vertices, for example because all of theirs are attached, are ignored.
 *
 * Sums over vertices are accumulated in double, so that the constraint is met to the rounding of
 * positions. The matrix is factorised again when the set of free vertices changes. */
#ifndef VO_UPSAMPLE_SIMULATE_TRACKING_H
#define VO_UPSAMPLE_SIMULATE_TRACKING_H

#include "core/context.h"

typedef struct vo_upsample_tracking {
    vo_context *ctx;
    int count, group_count, vertex_count; /* T; groups of eight test functions; N */
    float *weight;       /* [group_count][vertex_count][8] rows of T by groups, 0 in unused lanes */
    float *inverse_mass; /* [vertex_count] 1/kg, of the factor */
    bool has_factor;
    double *factor;     /* [count][count] lower Cholesky factor of T W T^T; project */
    double *inverse;    /* [count] inverse diagonal of it; 0: the row is ignored */
    double *sum;        /* [3][8 group_count] scratch */
    double *difference; /* [3][count] scratch */
    float *lambda;      /* [3][8 group_count] scratch */
    double mass;        /* kg, of the free vertices */
} vo_upsample_tracking;

/* Copies `rows` [count][vertex_count], mass-weighted test functions. count is at most
 * vertex_count. */
vo_result vo_upsample_tracking_create(vo_context *ctx, int count, int vertex_count,
                                      const float *rows, vo_upsample_tracking **out);
void vo_upsample_tracking_destroy(vo_upsample_tracking *tracking); /* NULL is allowed */

/* T p: out[c][k] for the coordinate c and the row k, [3][count]. `positions` has four floats per
 * vertex: x y z, m, and the inverse mass, 1/kg. */
void vo_upsample_tracking_measure(vo_upsample_tracking *tracking, const float *positions,
                                  double *out);
/* Moves the free vertices so that T p equals `target` [3][count]. Does not allocate. */
void vo_upsample_tracking_project(vo_upsample_tracking *tracking, float *positions,
                                  const double *target);
/* Violation of the constraints: RMS over the free vertices, weighted by mass, of the displacement
 * that the projection would apply, m. */
double vo_upsample_tracking_error(vo_upsample_tracking *tracking, const float *positions,
                                  const double *target);

/* The products of the kernel: out[3][8 group_count] += T p, in double; positions += W T^T lambda.
 */
typedef struct vo_upsample_tracking_kernels {
    void (*gather)(const float *weight, int group_count, int vertex_count, const float *positions,
                   double *out);
    void (*scatter)(const float *weight, int group_count, int vertex_count, const float *lambda,
                    float *positions);
} vo_upsample_tracking_kernels;
extern const vo_upsample_tracking_kernels vo_upsample_tracking_kernels_base,
    vo_upsample_tracking_kernels_avx2;

#endif
