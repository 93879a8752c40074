/* Couplings between rows that the pattern of a matrix does not have: contacts between layers of
 * cloth, which come and go with every substep.
 *
 * The pattern is analysed once per topology and everything built on it (targets of the assembly,
 * ranges, coarse level) counts on it. So contacts stay outside: C is a symmetric block matrix of
 * its own, made anew each substep in the compressed rows that a product wants, and the operator is
 * A0 + C. What a contact adds within each of its two sides (diagonal blocks, the corners of one
 * face, the ends of one edge) belongs into A0; every block between the sides belongs into C, even
 * where the pattern happens to have it. Then A0 is positive definite by itself, which the
 * preconditioners need; C alone is indefinite, and A0 + C must be positive definite.
 *
 *      vo_couplings_begin  ->  vo_couplings_add for each pair  ->  vo_couplings_finish
 *
 * Rebuilding costs two counting sorts of the pairs. Memory grows to the largest number of pairs
 * there ever was and is then only reused. Rejected: a pattern with room for contacts (it would have
 * to be analysed again whenever they change), and linked lists (scattered reads in every
 * iteration). */
#ifndef VO_LINALG_COUPLINGS_H
#define VO_LINALG_COUPLINGS_H

#include "linalg/block_matrix.h"

/* One pair as it was added. */
typedef struct vo_coupling {
    int row[2];
    float block[VO_BLOCK_FLOATS];
} vo_coupling;

/* Zero is empty: no couplings, no memory. */
typedef struct vo_couplings {
    int row_count;
    int pair_count;  /* added since vo_couplings_begin */
    int block_count; /* after vo_couplings_finish: both triangles, repeats summed; before it, 0 */
    int *row_start;  /* [row_count + 1] into column[] and block[] */
    int *column;     /* [block_count] ascending within a row */
    float *block;    /* [block_count][VO_BLOCK_FLOATS] as in vo_block_matrix */
    vo_coupling *pair;
    int *order; /* scratch of the sorts */
    int row_capacity, pair_capacity, column_capacity, block_capacity, order_capacity;
} vo_couplings;

/* Starts anew, empty. */
void vo_couplings_begin(vo_couplings *c, int row_count);
/* Adds `block` (three columns of four, see vo_block_matrix) at (row_a, row_b), and its transpose at
 * (row_b, row_a); row_a != row_b. Repeats are summed. A row that is fixed (an identity row of A0)
 * must not be coupled: the caller leaves its pairs out. */
vo_result vo_couplings_add(vo_context *ctx, vo_couplings *c, int row_a, int row_b,
                           const float block[VO_BLOCK_FLOATS]);
/* Sorts the pairs into rows. The result depends on the pairs and their order alone, and is
 * symmetric to the last bit. Where memory is missing there are no couplings. */
vo_result vo_couplings_finish(vo_context *ctx, vo_couplings *c);
void vo_couplings_free(vo_context *ctx, vo_couplings *c);

/* A0 + C as one matrix with a pattern of its own, for the direct solver. The caller frees both; on
 * failure there is nothing to free. */
vo_result vo_couplings_merge(vo_context *ctx, const vo_couplings *c, const vo_block_matrix *a,
                             vo_block_pattern *pattern, vo_block_matrix *merged);

#endif
