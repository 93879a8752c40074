/* Base operators: fine positions as a sparse linear function of coarse positions, without learning.
 *
 * - Barycentric: the coarse triangle below each fine vertex (surface_location.h).
 * - Loop: the limit surface of Loop's subdivision (Loop 1987) at the same points: the coarse mesh
 *   is subdivided until its triangles are as small as the fine ones, each vertex is moved to the
 *   limit, and triangles are interpolated linearly. Borders are cubic splines; border vertices of a
 *   single triangle are corners and stay.
 * - Mean: the centroid of all coarse vertices. */
#ifndef VO_UPSAMPLE_BASE_BASE_OPERATOR_H
#define VO_UPSAMPLE_BASE_BASE_OPERATOR_H

#include "upsample/operator.h"
#include "upsample/pairs.h"

/* A sparse matrix by rows. */
typedef struct vo_sparse_rows {
    vo_context *ctx;
    int row_count, entry_count, row_capacity, entry_capacity;
    int *first;     /* [row_count + 1] */
    int *column;    /* [entry_count] ascending in each row */
    double *weight; /* [entry_count] */
} vo_sparse_rows;

/* Rows sum to 1 up to rounding. */
vo_result vo_base_operator_create(vo_context *ctx, const vo_upsample_mesh *coarse,
                                  const vo_upsample_mesh *fine, vo_upsample_base kind,
                                  vo_sparse_rows *out);

void vo_sparse_rows_free(vo_sparse_rows *rows);

/* Appends a row; columns must be ascending. False without memory. */
bool vo_sparse_rows_append(vo_sparse_rows *rows, int count, const int *column,
                           const double *weight);

/* Copies the rows into the base operator of `op`, whose arrays have that size, rounded so that the
 * floats of each row still sum to 1. */
void vo_base_operator_store(const vo_sparse_rows *rows, vo_upsample_operator *op);

#endif
