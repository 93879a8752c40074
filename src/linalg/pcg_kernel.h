/* Vector passes of conjugate gradients, each over rows [begin, end). */
#ifndef VO_LINALG_PCG_KERNEL_H
#define VO_LINALG_PCG_KERNEL_H

#include "linalg/block_kernel.h"

/* Returns the rows' contribution to rt D^-1 r, where `inverse` holds the inverse diagonal blocks.
 * If `z` is not NULL it receives D^-1 r. */
VO_DECLARE_KERNEL(double, vo_norm_rows, const float *inverse, const vo_vec4 *r, int begin, int end,
                  vo_float4 *z);

/* x += alpha p, r -= alpha q; returns the norm and sets z like vo_norm_rows. */
VO_DECLARE_KERNEL(double, vo_update_rows, double alpha, const vo_vec4 *p, const vo_vec4 *q,
                  const float *inverse, int begin, int end, vo_vec4 *x, vo_vec4 *r, vo_float4 *z);

/* p = z + beta p */
VO_DECLARE_KERNEL(void, vo_direction_rows, const vo_float4 *z, double beta, int begin, int end,
                  vo_vec4 *p);

#endif
