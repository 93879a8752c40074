/* The coarse level of the two-level preconditioner.
 *
 * Block Jacobi and Gauss-Seidel converge slowly for smooth in-plane motions: stiffness couples
 * nodes 50 edges apart in one step, and each sweep propagates information by one edge. Therefore
 * every `size` consecutive rows (a patch of the mesh, see linalg/ordering.h) form an aggregate that
 * moves rigidly by translation: Z has a 1 for each row of an aggregate. The coarse matrix E = Zt A
 * Z has one 3x3 block row per aggregate, at most 1/16 of the rows, and is factorised exactly in
 * every solve.
 *
 * The effect of a coarse correction y on the residual is A Z y. A Z (`sum`) is small, about three
 * blocks per row instead of thirteen, so this costs a fraction of a product with A.
 *
 * Rows without couplings (pinned nodes: an identity row) belong to no aggregate: they would fix it,
 * and Gauss-Seidel solves them exactly. */
#ifndef VO_LINALG_COARSE_H
#define VO_LINALG_COARSE_H

#include "linalg/block_factor.h"
#include "linalg/row_tiles.h"

typedef struct vo_coarse {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* of A; owned by the caller */
    int size, shift;                 /* rows per aggregate (the last may have fewer); 1 << shift */
    int count;                       /* aggregates */
    int sum_count;
    int *sum_start;     /* [row_count + 1] into the sums of a row */
    int *sum_aggregate; /* [sum_count] aggregate that a sum multiplies, ascending within a row */
    int *block_of;      /* [sum_count] block of E that a sum is added to */
    int *free_row;      /* [row_count] 1 if the row is coupled to another, else 0 */
    float *sum;         /* [sum_count][VO_PACKED] A Z, and then H A Z (linalg/row_tiles.h) */
    vo_block_pattern coupling; /* of E */
    vo_block_matrix e;
    vo_arena arena; /* of the factor */
    vo_block_factor factor;
    vo_block_factor
        *solver; /* solver of this solve: `factor`, that of vo_coupled, or NULL for none */
    vo_float4 *restricted; /* [count] Zt r */
    vo_float4 *product;    /* [count] Zt t, t the product with the swept residual */
    vo_float4 *right;      /* [count] right-hand side, then the solution */
    /* Partial results of the passes over tiles: restricted and product, per segment of rows that
     * lies within one aggregate and one tile. */
    int segment_shift, segment_count;
    vo_float4 *segment_restricted, *segment_product; /* [run_count] */
} vo_coarse;

vo_result vo_coarse_init(vo_context *ctx, const vo_block_pattern *pattern, vo_coarse *out);
void vo_coarse_free(vo_coarse *coarse);

/* Computes A Z in rows [begin, end), and which rows are free. */
VO_DECLARE_KERNEL(void, vo_coarse_sum, const vo_coarse *coarse, const vo_block_matrix *a, int begin,
                  int end);
/* Computes the coarse matrix from all sums; scales the sums by `tiles`. */
void vo_coarse_compute(vo_coarse *coarse, const vo_row_tiles *tiles);
/* Factorises the coarse matrix and selects it as the solver. */
void vo_coarse_factor(vo_coarse *coarse);
/* Sums the segments; right = restricted - scale product. */
void vo_coarse_sum_segments(vo_coarse *coarse, float scale);
/* Dot products of the solution with restricted and with product. */
typedef struct vo_coarse_dots {
    double restricted, product;
} vo_coarse_dots;
/* right = E^-1 right, or 0 without a solver. */
vo_coarse_dots vo_coarse_solve(vo_coarse *coarse);

/* Returns the index after the last row of an aggregate. */
static inline int vo_coarse_end(const vo_coarse *c, int aggregate) {
    int rows = c->pattern->row_count;
    return rows - aggregate * c->size < c->size ? rows : (aggregate + 1) * c->size;
}

/* Sums by row, and the block of a coarse matrix that each is added to. */
typedef struct vo_sums {
    const int *start; /* by row */
    const int *block_of;
    float *sum; /* packed */
} vo_sums;

/* Adds the sums of the rows of aggregates [begin, end) to the blocks of a coarse matrix, and scales
 * them. */
VO_DECLARE_KERNEL(void, vo_coarse_gather, const vo_coarse *coarse, const vo_sums *sums,
                  const vo_row_tiles *tiles, int begin, int end, float *block);

/* ---- columns of blocks, for the kernels ----------------------------------------------------- */

/* Accumulator of a block. */
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
