/* Sparse block Cholesky factorisation (L D Lt) of a small symmetric matrix: the coarse level of the
 * two-level preconditioner, a few hundred to a few thousand rows.
 *
 * Rows are eliminated in nested dissection order (linalg/dissection.h).
 *
 * A column of L is stored as three scalar columns, each over the rows below the diagonal:
 *
 *      block (i, k), (j, k), ...:   x x x y y y ... | x x x y y y ... | x x x y y y ...
 *                                   first column      second            third
 *
 * An update of one column by another is then a set of contiguous vector operations over common
 * consecutive rows; within separators, where most of the work is, that is all rows. Values are
 * float and pivots double, since the factor is only a preconditioner. A pivot block that is not
 * positive definite is dropped: its unknown is always zero, and the factor is that of the matrix
 * without this row and column. */
#ifndef VO_LINALG_BLOCK_FACTOR_H
#define VO_LINALG_BLOCK_FACTOR_H

#include "core/memory.h"
#include "linalg/row_tiles.h"

typedef enum vo_dissection { VO_DISSECT_NUMBERED, VO_DISSECT_GRAPH } vo_dissection;

#define VO_NO_SLOT INT32_MIN

typedef struct vo_block_factor {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* of the matrix; owned by the caller */
    int count, block_count;
    int *row_at;       /* [count] row eliminated in step k */
    int *step_of;      /* [count] inverse of row_at */
    int *column_start; /* [count + 1] into step[] */
    int *
        step; /* [block_count] steps of the blocks of column k of L below the diagonal, ascending */
    int *slot;     /* [blocks of the matrix] index in value[], or -1 - step for a pivot; VO_NO_SLOT
                      above the diagonal */
    double *pivot; /* [count][12] pivot blocks; after factorisation their inverses */
    float *value;  /* [block_count][9] L, column by column as shown above */
    vo_float4 *x;  /* [count] unknowns by step */
} vo_block_factor;

/* Symbolic factorisation. All memory is from the arena. *fits is false, and there is no factor, if
 * L would exceed `max_blocks` blocks. */
vo_result vo_block_factor_init(vo_arena *arena, const vo_block_pattern *pattern, vo_dissection how,
                               int max_blocks, vo_block_factor *out, bool *fits);
/* Numeric factorisation; `a` has the pattern of vo_block_factor_init, both triangles. */
void vo_block_factor_compute(vo_block_factor *factor, const vo_block_matrix *a);
/* x = A^-1 b, both by row; x and b may be the same array. */
void vo_block_factor_solve(vo_block_factor *factor, const vo_float4 *b, vo_float4 *x);

/* Kernels: elimination, and forward and backward substitution. */
VO_DECLARE_KERNEL(void, vo_factor_eliminate, const vo_block_factor *factor);
VO_DECLARE_KERNEL(void, vo_factor_substitute, const vo_block_factor *factor);

#endif
