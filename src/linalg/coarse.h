/* The coarse level of the two-level preconditioner.
 *
 * Smooth motions within the sheet are what block Jacobi and Gauss-Seidel cannot reach: stiffness
 * couples nodes 50 edges apart in one step, and each sweep carries news one edge far. So every run
 * of `size` consecutive rows (a patch of the mesh, see linalg/ordering.h) becomes one aggregate
 * that moves as a whole: Z holds a 1 where a row is in an aggregate. The coarse matrix E = Zt A Z
 * has one 3x3 block row an aggregate, at most 1/16 of the rows, and is factored exactly in every
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
    vo_arena arena; /* of the factor */
    vo_block_factor factor;
    vo_block_factor *solver; /* of this solve: the above, another's, or NULL for none at all */
    vo_float4 *restricted;   /* [count] Zt r */
    vo_float4 *product;      /* [count] Zt t, t the product with the swept residual */
    vo_float4 *right;        /* [count] the right side, then the solution */
    /* What the passes over ranges of rows leave: the same two by runs of rows that lie within an
     * aggregate and within a range. */
    int run_shift, run_count;
    vo_float4 *run_restricted, *run_product; /* [run_count] */
} vo_coarse;

vo_result vo_coarse_init(vo_context *ctx, const vo_block_pattern *pattern, vo_coarse *out);
void vo_coarse_free(vo_coarse *coarse);

/* A Z in rows [begin, end), and which of them are free. */
VO_DECLARE_KERNEL(void, vo_coarse_sum, const vo_coarse *coarse, const vo_block_matrix *a, int begin,
                  int end);
/* Once all sums are there: the coarse matrix; scales the sums by `ranges`. */
void vo_coarse_compute(vo_coarse *coarse, const vo_ranges *ranges);
/* And its factor, with which to solve from now on. */
void vo_coarse_factor(vo_coarse *coarse);
/* Adds up the runs; right = restricted - scale product. */
void vo_coarse_add_runs(vo_coarse *coarse, float scale);
/* The solution times restricted, and times product. */
typedef struct vo_coarse_dots {
    double restricted, product;
} vo_coarse_dots;
/* right = E^-1 right, or 0 without a solver. */
vo_coarse_dots vo_coarse_solve(vo_coarse *coarse);

/* One past the last row of an aggregate. */
static inline int vo_coarse_end(const vo_coarse *c, int aggregate) {
    int rows = c->pattern->row_count;
    return rows - aggregate * c->size < c->size ? rows : (aggregate + 1) * c->size;
}

/* Sums a row: which of them add to which block of a coarse matrix. */
typedef struct vo_sums {
    const int *start; /* by row */
    const int *block_of;
    float *sum; /* packed */
} vo_sums;

/* Adds the sums of the rows of aggregates [begin, end) to the blocks of a coarse matrix, and scales
 * them. */
VO_DECLARE_KERNEL(void, vo_coarse_gather, const vo_coarse *coarse, const vo_sums *sums,
                  const vo_ranges *ranges, int begin, int end, float *block);

/* ---- columns of blocks, for the kernels ----------------------------------------------------- */

/* A sum of blocks under way. */
typedef struct vo_columns {
    vo_f4 c[3];
} vo_columns;

VO_INLINE vo_columns columns_load(const float *block) {
    return (vo_columns){{f4_load(block), f4_load(block + 4), f4_load(block + 8)}};
}
VO_INLINE void columns_add(vo_columns *sum, const vo_columns *m) {
    for (int column = 0; column < 3; column++) sum->c[column] += m->c[column];
}
VO_INLINE void columns_pack(const vo_columns *m, float *to) {
    packed_store(m->c[0], m->c[1], m->c[2], to);
}

#endif
