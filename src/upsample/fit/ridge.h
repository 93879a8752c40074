/* Regularised least squares with one matrix and many penalties:
 *
 *     x_k = b_k (G + p_k I)^-1,   rows k = 0, 1, ...
 *
 * One eigendecomposition G = E diag(g) E^T serves all rows. Where p_k is 0 the pseudoinverse is
 * used: the solution of minimum norm. An infinite penalty gives zero. */
#ifndef VO_UPSAMPLE_FIT_RIDGE_H
#define VO_UPSAMPLE_FIT_RIDGE_H

#include "core/context.h"

typedef struct vo_ridge {
    vo_context *ctx;
    int size;
    double *vector; /* [size][size] E^T: eigenvectors as rows */
    double *value;  /* [size] ascending */
} vo_ridge;

/* gram[size][size] is symmetric and positive semidefinite. */
vo_result vo_ridge_create(vo_context *ctx, int size, const double *gram, vo_ridge *out);
void vo_ridge_free(vo_ridge *ridge);

/* x[rows][size] from b[rows][size] and penalty[rows] >= 0; x may be b. */
vo_result vo_ridge_solve(const vo_ridge *ridge, int rows, const double *b, const double *penalty,
                         double *x);

#endif
