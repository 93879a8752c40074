/* Sparse block Cholesky (L D Lt) of a small symmetric matrix: the coarse level of the two-level
 * preconditioner, a few hundred to a few thousand rows.
 *
 * Rows are eliminated by nested dissection (linalg/dissection.h).
 *
 * A column of L is kept as three columns of numbers, each as long as the rows below the diagonal:
 *
 *      block (i, k), (j, k), ...:   x x x y y y ... | x x x y y y ... | x x x y y y ...
 *                                   first column      second            third
 *
 * So what one column takes from another is plain vectors, as long as the rows that follow each
 * other in both; within separators, where most of the work lies, that is all of them. Numbers are
 * float, and pivots double: the only task of the factor is to steer conjugate gradients. A pivot
 * block that is not positive definite is left out: its unknown is then always zero and the factor
 * is the exact one of the matrix without that row and column. */
#ifndef VO_LINALG_BLOCK_FACTOR_H
#define VO_LINALG_BLOCK_FACTOR_H

#include "core/memory.h"
#include "linalg/ranges.h"

typedef enum vo_dissection { VO_DISSECT_NUMBERED, VO_DISSECT_GRAPH } vo_dissection;

#define VO_NO_SLOT INT32_MIN

typedef struct vo_block_factor {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* of the matrix; the caller keeps it */
    int count, block_count;
    int *row_at;       /* [count] the row that step k eliminates */
    int *step_of;      /* [count] its inverse */
    int *column_start; /* [count + 1] into step[] */
    int *step;         /* [block_count] what column k of L holds below the diagonal, ascending */
    int *slot;         /* [blocks of the matrix] its first number in value[], or, for a pivot, -1
                          less its step; VO_NO_SLOT above the diagonal */
    double *pivot;     /* [count][12] pivot blocks; once factored, their inverses */
    float *value;      /* [block_count][9] of L, column by column as drawn above */
    vo_float4 *x;      /* [count] the unknowns by step */
} vo_block_factor;

/* Symbolic part. All memory is the arena's. *fits is false, and there is no factor, where L would
 * exceed `max_blocks` blocks. */
vo_result vo_block_factor_init(vo_arena *arena, const vo_block_pattern *pattern, vo_dissection how,
                               int max_blocks, vo_block_factor *out, bool *fits);
/* Numeric part; `a` has the pattern of vo_block_factor_init, both triangles. */
void vo_block_factor_compute(vo_block_factor *factor, const vo_block_matrix *a);
/* x = A^-1 b, both by row; they may be the same. */
void vo_block_factor_solve(vo_block_factor *factor, const vo_float4 *b, vo_float4 *x);

/* The loops, once per instruction set: elimination and both substitutions. */
VO_DECLARE_KERNEL(void, vo_factor_eliminate, const vo_block_factor *factor);
VO_DECLARE_KERNEL(void, vo_factor_substitute, const vo_block_factor *factor);

#endif
