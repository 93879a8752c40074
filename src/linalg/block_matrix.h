/* Symmetric sparse matrices of 3x3 blocks.
 *
 * The pattern (which blocks exist, where an element's contributions go) is analysed once per
 * topology; the numbers change every substep. Numbers are float: the matrix only steers the search
 * direction and the step is one linearised Newton step anyway, so half the memory traffic is worth
 * more than the last digits. Vectors are double.
 *
 * A block is three columns of four floats (the fourth is zero): 48 bytes, three aligned vector
 * loads. Both triangles are stored, so that a product is a plain loop over rows, parallel without
 * any coordination. Assembly writes the upper triangle and the diagonal; vo_block_matrix_mirror
 * copies it down. */
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
    int *mirror;    /* [block_count] index of the transposed block */
} vo_block_pattern;

/* `pairs` are coupled rows (i, j), any order, repeats and i == j allowed; every diagonal block is
 * added by itself. */
vo_result vo_block_pattern_build(vo_context *ctx, int row_count, int pair_count,
                                 const int (*pairs)[2], vo_block_pattern *out);
void vo_block_pattern_free(vo_block_pattern *pattern);
/* Index of block (row, column), or -1. */
int vo_block_pattern_find(const vo_block_pattern *pattern, int row, int column);

typedef struct vo_block_matrix {
    const vo_block_pattern *pattern;
    float *block; /* [block_count][VO_BLOCK_FLOATS] element (r, c) at 4 c + r */
} vo_block_matrix;

/* A vector entry, padded for the vector units; w is kept at zero. */
typedef struct vo_vec4 {
    double x, y, z, w;
} vo_vec4;

vo_result vo_block_matrix_init(vo_context *ctx, const vo_block_pattern *pattern,
                               vo_block_matrix *out);
void vo_block_matrix_free(vo_context *ctx, vo_block_matrix *matrix);
/* Copies the upper triangle onto the lower one, transposed, within the diagonal blocks as well:
 * sums of rounded products are never quite symmetric, and the solvers count on symmetry. */
void vo_block_matrix_mirror(vo_context *ctx, vo_block_matrix *matrix);
/* y = A x */
void vo_block_matrix_multiply(vo_context *ctx, const vo_block_matrix *a, const vo_vec4 *x,
                              vo_vec4 *y);

#endif
