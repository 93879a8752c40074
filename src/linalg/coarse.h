/* The coarse level of the two-level preconditioner.
 *
 * Smooth motions within the sheet are what block Jacobi and Gauss-Seidel cannot reach: stiffness
 * couples nodes 50 edges apart in one step, and each sweep carries news one edge far. So every run
 * of `size` consecutive rows (a patch of the mesh, see linalg/ordering.h) becomes one aggregate
 * that moves as a whole: Z holds a 1 where a row is in an aggregate. The coarse matrix E = Zt A Z
 * has one 3x3 block row an aggregate, as few as 1/16 of the rows, and is factored exactly in every
 * solve.
 *
 * What the iteration needs is Zt (r - A w). Since Zt A (`sum`) is small, about two blocks a row
 * instead of thirteen, that costs a fraction of a product with A.
 *
 * Rows that are coupled to nothing (pinned nodes: an identity row) belong to no aggregate: they
 * would hold theirs fast, and Gauss-Seidel solves them exactly. */
#ifndef VO_LINALG_COARSE_H
#define VO_LINALG_COARSE_H

#include "linalg/block_factor.h"

typedef struct vo_coarse {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* of A; the caller keeps it */
    int size, shift;                 /* rows an aggregate (the last may have fewer); 1 << shift */
    int count;                       /* aggregates */
    int sum_count;
    int *sum_start;            /* [count + 1] into the sums of an aggregate */
    int *sum_column;           /* [sum_count] row of A that a sum multiplies, ascending */
    int *sum_of;               /* [pattern->block_count] the sum that a block of A is added to */
    int *block_of;             /* [sum_count] the block of E that a sum is added to */
    int *free_row;             /* [row_count] 1 where the row is coupled to another, else 0 */
    float *sum;                /* [sum_count][12] Zt A */
    int *at_start;             /* [row_count + 1] into at_sum: the sums that multiply a row */
    int *at_sum;               /* [sum_count] they, by ascending aggregate */
    int *at_aggregate;         /* [sum_count] and their aggregates */
    vo_block_pattern coupling; /* of E */
    vo_block_matrix e;
    vo_block_factor factor;
    vo_vec4 *restricted; /* [count] Zt r */
    vo_float4 *right;    /* [count] Zt (r - A w), then the solution */
    vo_float4 *first;    /* [count] the solution of vo_coarse_begin */
} vo_coarse;

vo_result vo_coarse_init(vo_context *ctx, const vo_block_pattern *pattern, vo_coarse *out);
void vo_coarse_free(vo_coarse *coarse);

/* Takes the numbers of `a`: sums, coarse matrix, factor. */
void vo_coarse_compute(vo_coarse *coarse, const vo_block_matrix *a);

/* y = E^-1 Zt (r - scale A w); y is coarse->right afterwards and Zt r is coarse->restricted.
 * Returns (Zt r) . y. `w` may be NULL for zero. */
double vo_coarse_solve(vo_coarse *coarse, const vo_vec4 *r, float scale, const vo_float4 *w);

/* Where Zt r is not zero, the same in two halves (see pcg.c): y1 = E^-1 Zt r is coarse->first, and
 * then, for q = r - A Z y1, coarse->right = y1 + E^-1 Zt (q - scale A w). They return what the
 * coarse level adds to r . z. */
double vo_coarse_begin(vo_coarse *coarse, const vo_vec4 *r);
double vo_coarse_finish(vo_coarse *coarse, const vo_vec4 *q, float scale, const vo_float4 *w);

/* q = r - A Z first in rows [begin, end). */
VO_DECLARE_KERNEL(void, vo_coarse_subtract, const vo_coarse *coarse, const vo_vec4 *r, int begin,
                  int end, vo_vec4 *q);
VO_DECLARE_KERNEL(void, vo_coarse_sum, const vo_coarse *coarse, const vo_block_matrix *a, int begin,
                  int end);
VO_DECLARE_KERNEL(void, vo_coarse_restrict, const vo_coarse *coarse, const vo_vec4 *r, float scale,
                  const vo_float4 *w, int begin, int end);

#endif
