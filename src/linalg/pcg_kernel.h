/* The vector passes of conjugate gradients, each over rows [begin, end). */
#ifndef VO_LINALG_PCG_KERNEL_H
#define VO_LINALG_PCG_KERNEL_H

#include "linalg/block_kernel.h"

/* Returns the rows' part of rt D^-1 r, where `inverse` holds the inverse diagonal blocks. Where `z`
 * is not NULL it gets D^-1 r. */
VO_DECLARE_KERNEL(double, vo_norm_rows, const float *inverse, const vo_vec4 *r, int begin, int end,
                  vo_float4 *z);

/* x += alpha p, r -= alpha q; returns the norm and leaves z as vo_norm_rows does. */
VO_DECLARE_KERNEL(double, vo_update_rows, double alpha, const vo_vec4 *p, const vo_vec4 *q,
                  const float *inverse, int begin, int end, vo_vec4 *x, vo_vec4 *r, vo_float4 *z);

/* Symmetric Gauss-Seidel with overrelaxation (SSOR) from z = 0, on the blocks within a half range
 * only: M = (D/w + L) (D/w)^-1 (D/w + U) / (2 - w), forward y = w D^-1 (r - L y), backward
 * z = y - w D^-1 U z (Saad 2003, Iterative methods for sparse linear systems, 10.2). */
enum { VO_SWEEP_HALF = 128, VO_SWEEP_RANGE = 2 * VO_SWEEP_HALF };

typedef struct vo_sweep {
    vo_rows_view a;
    const int *lower, *diagonal, *upper; /* blocks of a row within its half range: [lower, upper) */
    const float *inverse;                /* of the diagonal blocks */
    const vo_vec4 *r;
    vo_float4 *z;
    float omega;
} vo_sweep;

/* Handles one range, which may be short; leaves z / (2 - omega) in z and returns r . z / (2 -
 * omega). */
VO_DECLARE_KERNEL(double, vo_sweep_rows, const vo_sweep *sweep, int begin, int end);

/* p = scale z + Z y + beta p, where Z y adds y[i >> shift] to the rows with free_row[i]; without
 * the coarse level `y` is NULL. */
VO_DECLARE_KERNEL(void, vo_direction_rows, float scale, const vo_float4 *z, const vo_float4 *y,
                  int shift, const int *free_row, double beta, int begin, int end, vo_vec4 *p);

#endif
