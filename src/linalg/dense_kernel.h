/* Kernel of dense products. */
#ifndef VO_LINALG_DENSE_KERNEL_H
#define VO_LINALG_DENSE_KERNEL_H

#include "linalg/kernel.h"

enum { VO_DENSE_STRIP = 4, VO_DENSE_PANEL = 8 }; /* rows and columns of a register tile */

/* c[r * stride + j] += sum_k a[k * 4 + r] b[k * 8 + j] for a tile of 4 rows and 8 columns */
VO_DECLARE_KERNEL(void, vo_dense_tile, const double *a, const double *b, int depth, double *c,
                  size_t stride);

#endif
