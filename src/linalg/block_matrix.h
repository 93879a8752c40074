/* Symmetric sparse matrices of 3x3 blocks in CSR layout.
 *
 * The pattern (existing blocks and the targets of elements) is analysed once per topology; the
 * values change in every substep. Values are float: the matrix only determines the search direction
 * of one linearised Newton step, so half the memory traffic outweighs the lost digits. Vectors are
 * double.
 *
 * A block is three columns of four floats (the fourth is zero): 48 bytes, three aligned vector
 * loads. Both triangles are stored, so that a product is a plain parallel loop over rows. Assembly
 * writes the upper triangle and the diagonal; vo_block_matrix_symmetrise copies it to the lower
 * one. */
#ifndef VO_LINALG_BLOCK_MATRIX_H
#define VO_LINALG_BLOCK_MATRIX_H

#include "core/context.h"

enum { VO_BLOCK_FLOATS = 12 };

typedef struct vo_block_pattern {
    vo_context *ctx;
    int row_count, block_count;
    int *row_start; /* [row_count + 1] into column[] */
    int *column;    /* [block_count] ascending within a row */
    int *diagonal;  /* [row_count] index of block (i, i) */
    int *transpose; /* [block_count] index of the transposed block */
} vo_block_pattern;

/* Builds a pattern. `pairs` are coupled rows (i, j) in any order; repeats and i == j are allowed.
 * Diagonal blocks always exist. */
vo_result vo_block_pattern_build(vo_context *ctx, int row_count, int pair_count,
                                 const int (*pairs)[2], vo_block_pattern *out);
void vo_block_pattern_free(vo_block_pattern *pattern);
/* Returns the index of block (row, column), or -1. */
int vo_block_pattern_find(const vo_block_pattern *pattern, int row, int column);

typedef struct vo_block_matrix {
    const vo_block_pattern *pattern;
    float *block; /* [block_count][VO_BLOCK_FLOATS] element (r, c) at 4 c + r */
} vo_block_matrix;

/* A vector entry, padded for SIMD; w is zero. */
typedef struct vo_vec4 {
    double x, y, z, w;
} vo_vec4;

vo_result vo_block_matrix_init(vo_context *ctx, const vo_block_pattern *pattern,
                               vo_block_matrix *out);
void vo_block_matrix_free(vo_context *ctx, vo_block_matrix *matrix);
/* Copies the upper triangle to the lower one, transposed, within the diagonal blocks too: sums of
 * rounded products are not exactly symmetric, and the solvers require symmetry. */
void vo_block_matrix_symmetrise(vo_context *ctx, vo_block_matrix *matrix);
/* y = A x */
void vo_block_matrix_multiply(vo_context *ctx, const vo_block_matrix *a, const vo_vec4 *x,
                              vo_vec4 *y);

#endif
