/* Couplings between rows that the matrix pattern does not connect: contacts between layers of
 * cloth, which change in every substep.
 *
 * The pattern is analysed once per topology, and everything built on it (assembly targets, row
 * tiles, coarse level) depends on it. Contacts are therefore kept separate: C is a symmetric block
 * matrix of its own, rebuilt in CSR layout in each substep, and the operator is A0 + C. Blocks of a
 * contact within each of its two sides (diagonal blocks, corners of one face, ends of one edge)
 * belong to A0; all blocks between the sides belong to C, even if the pattern has them. A0 alone is
 * then positive definite, which the preconditioners require; C alone is indefinite, and A0 + C must
 * be positive definite.
 *
 *      vo_couplings_begin  ->  vo_couplings_add for each pair  ->  vo_couplings_finish
 *
 * Rebuilding costs two counting sorts of the pairs. Memory grows to the largest number of pairs and
 * is then reused. Rejected: a pattern with reserve for contacts (it would need a new analysis
 * whenever they change), and linked lists (scattered reads in every iteration). */
#ifndef VO_LINALG_COUPLINGS_H
#define VO_LINALG_COUPLINGS_H

#include "linalg/block_matrix.h"

/* A pair as added. */
typedef struct vo_coupling {
    int row[2];
    float block[VO_BLOCK_FLOATS];
} vo_coupling;

/* A zeroed struct is empty. */
typedef struct vo_couplings {
    int row_count;
    int pair_count;  /* added since vo_couplings_begin */
    int block_count; /* 0 before vo_couplings_finish; then the blocks of both triangles, repeats
                        summed */
    int *row_start;  /* [row_count + 1] into column[] and block[] */
    int *column;     /* [block_count] ascending within a row */
    float *block;    /* [block_count][VO_BLOCK_FLOATS] as in vo_block_matrix */
    vo_coupling *pair;
    int *order; /* scratch of the sorts */
    int row_capacity, pair_capacity, column_capacity, block_capacity, order_capacity;
} vo_couplings;

/* Removes all couplings. */
void vo_couplings_begin(vo_couplings *c, int row_count);
/* Adds `block` (three columns of four, see vo_block_matrix) at (row_a, row_b) and its transpose at
 * (row_b, row_a); row_a != row_b. Repeats are summed. Fixed rows (identity rows of A0) must not be
 * coupled. */
vo_result vo_couplings_add(vo_context *ctx, vo_couplings *c, int row_a, int row_b,
                           const float block[VO_BLOCK_FLOATS]);
/* Sorts the pairs into rows. The result depends on the pairs and their order alone and is exactly
 * symmetric. If memory is exhausted there are no couplings. */
vo_result vo_couplings_finish(vo_context *ctx, vo_couplings *c);
void vo_couplings_free(vo_context *ctx, vo_couplings *c);

/* Builds A0 + C as one matrix with its own pattern, for the direct solver. The caller frees both;
 * on failure there is nothing to free. */
vo_result vo_couplings_merge(vo_context *ctx, const vo_couplings *c, const vo_block_matrix *a,
                             vo_block_pattern *pattern, vo_block_matrix *merged);

#endif
