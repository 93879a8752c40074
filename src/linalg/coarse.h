/* The coarse level of the two-level preconditioner.
 *
 * Smooth motions within the sheet are what block Jacobi and Gauss-Seidel cannot reach: stiffness
 * couples nodes 50 edges apart in one step, and each sweep carries news one edge far. So every run
 * of `size` consecutive rows (a patch of the mesh, see linalg/ordering.h) becomes one aggregate
 * that moves as a whole: Z holds a 1 where a row is in an aggregate. The coarse matrix E = Zt A Z
 * has one 3x3 block row an aggregate, as few as 1/16 of the rows, and is factored exactly in every
 * solve.
 *
 * What the coarse motion y does to the residual is A Z y. A Z (`sum`) is small, about three blocks
 * a row instead of thirteen, so that costs a fraction of a product with A.
 *
 * Rows that are coupled to nothing (pinned nodes: an identity row) belong to no aggregate: they
 * would hold theirs fast, and Gauss-Seidel solves them exactly. */
#ifndef VO_LINALG_COARSE_H
#define VO_LINALG_COARSE_H

#include "linalg/block_factor.h"
#include "linalg/ranges.h"

typedef struct vo_coarse {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* of A; the caller keeps it */
    int size, shift;                 /* rows an aggregate (the last may have fewer); 1 << shift */
    int count;                       /* aggregates */
    int sum_count;
    int *sum_start;            /* [row_count + 1] into the sums of a row */
    int *sum_aggregate;        /* [sum_count] whose motion a sum multiplies, ascending in a row */
    int *block_of;             /* [sum_count] the block of E that a sum is added to */
    int *free_row;             /* [row_count] 1 where the row is coupled to another, else 0 */
    float *sum;                /* [sum_count][VO_PACKED] A Z, and then H A Z (linalg/ranges.h) */
    vo_block_pattern coupling; /* of E */
    vo_block_matrix e;
    vo_block_factor factor;
    vo_float4 *restricted; /* [count] Zt r */
    vo_float4 *right;      /* [count] the right side, then the solution */
    vo_float4 *first;      /* [count] the first of two solutions, where there are two */
} vo_coarse;

vo_result vo_coarse_init(vo_context *ctx, const vo_block_pattern *pattern, vo_coarse *out);
void vo_coarse_free(vo_coarse *coarse);

/* A Z in rows [begin, end), and which of them are free. */
VO_DECLARE_KERNEL(void, vo_coarse_sum, const vo_coarse *coarse, const vo_block_matrix *a, int begin,
                  int end);
/* Once all sums are there: the coarse matrix and its factor; scales the sums by `ranges`. */
void vo_coarse_compute(vo_coarse *coarse, const vo_ranges *ranges);
/* right = E^-1 right; returns restricted . right. */
double vo_coarse_solve(vo_coarse *coarse);
/* restricted . y */
double vo_coarse_dot(const vo_coarse *coarse, const vo_float4 *y);

/* One past the last row of an aggregate. */
static inline int vo_coarse_end(const vo_coarse *c, int aggregate) {
    int rows = c->pattern->row_count;
    return rows - aggregate * c->size < c->size ? rows : (aggregate + 1) * c->size;
}

/* Rows of E of aggregates [begin, end), from their sums, which become H A Z. */
VO_DECLARE_KERNEL(void, vo_coarse_gather, const vo_coarse *coarse, const vo_ranges *ranges,
                  int begin, int end);

#endif
