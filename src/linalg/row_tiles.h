/* Row tiles: the matrix packed for the two-level iteration.
 *
 * On a large sheet an iteration is limited by memory bandwidth: a matrix of 80,000 faces exceeds
 * the caches and is read in every pass. Before iterating, the values are packed once:
 *
 *     - scaled. With D_i = G_i G_i^t the diagonal blocks and H = G^-1, the iteration works on
 *       H A H^t, whose diagonal blocks are the identity: they are not stored, Gauss-Seidel has no
 *       product with D^-1 in its dependency chain, and the norm rt D^-1 r is the Euclidean one.
 *     - tiled. Rows are divided into half tiles of VO_HALF_TILE. Blocks inside one are stored once
 *       for both triangles; those of a half tile (20 kB) stay in the first-level cache during the
 *       forward sweep, the backward sweep and the product. They are stored in the order of the
 *       forward sweep, which reads them first, so that memory is read sequentially. Blocks between
 *       half tiles (a quarter to a third of all) are stored in both of their rows.
 *
 *              half 0   half 1
 *            +--------+--------+
 *            | I U    | cross  |     U: once, column by column, so that L = U^t is read row by
 *            |   I    |        |        row; the rows of U are read through an index list
 *            +--------+--------+
 *            | cross  | I U    |
 *            |        |   I    |
 *            +--------+--------+
 *
 *     - dense: nine floats per block instead of twelve. Loads of four read one float of the next
 *       column; that lane is cleared or multiplied by zero.
 *
 * With Gauss-Seidel as the preconditioner the matrix product is nearly free (Eisenstat 1981): from
 * (I/w + L) y = r and (I/w + U) z = y/w follows (L + I + U) z = r - L (y - z) + (1 - 1/w) z. */
#ifndef VO_LINALG_ROW_TILES_H
#define VO_LINALG_ROW_TILES_H

#include "linalg/kernel.h"

enum {
    VO_HALF_TILE = 128,
    VO_ROW_TILE =
        2 * VO_HALF_TILE, /* rows per tile: two half tiles are interleaved to hide latency */
    VO_PACKED = 9,        /* floats per block */
    VO_SCALE = 10,        /* floats per row of H: a load of four stays within the row */
    VO_ROOT = 6,          /* floats per row of G: g00 g11 g22, g10 g21, g20 */
};
_Static_assert(VO_HALF_TILE <= 256, "indices within a half tile are bytes");

typedef struct vo_row_tiles {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* owned by the caller */
    int upper_count, cross_count;
    int *first, *last; /* [row_count] blocks of a row within its half tile: [first, last) */
    int *lower_start; /* [row_count + 1] into upper[] and lower_at[]: the transposed blocks of row i
                         below the diagonal */
    int *upper_start; /* [row_count + 1] into upper_at[] and upper_block[] */
    int *cross_start; /* [row_count + 1] into cross[] */
    int *boundary;    /* [boundary_start[tile count]] rows that have blocks in cross[], ascending */
    int *boundary_start;         /* [tile count + 1] start of each tile's rows in boundary[] */
    unsigned char *lower_at;     /* [upper_count] column, relative to the half tile's first row */
    unsigned char *upper_at;     /* [upper_count] the same, above the diagonal */
    unsigned short *upper_block; /* [upper_count] block index, relative to the half tile's first */
    int *cross_column;           /* [cross_count] */
    float *upper, *cross;        /* [count][VO_PACKED] */
    float *root;                 /* [row_count][VO_ROOT] G; zero for rows without couplings */
    float *inverse;              /* [row_count][VO_SCALE] columns of H */
} vo_row_tiles;

vo_result vo_row_tiles_init(vo_context *ctx, const vo_block_pattern *pattern, vo_row_tiles *out);
void vo_row_tiles_free(vo_row_tiles *tiles);

/* Computes G and H of rows [begin, end); returns the number of diagonal blocks that are not
 * positive definite. */
VO_DECLARE_KERNEL(int, vo_row_tiles_factor, const vo_row_tiles *tiles, const vo_block_matrix *a,
                  int begin, int end);
/* Packs the blocks of rows [begin, end) within their half tiles. Requires their G and H. */
VO_DECLARE_KERNEL(void, vo_row_tiles_pack, const vo_row_tiles *tiles, const vo_block_matrix *a,
                  int begin, int end);
/* Packs the blocks between half tiles. Requires G and H of all rows. */
VO_DECLARE_KERNEL(void, vo_row_tiles_pack_cross, const vo_row_tiles *tiles,
                  const vo_block_matrix *a, int begin, int end);

/* Dot products of one tile: r . z and z . t. */
typedef struct vo_sweep_dots {
    double rz, zt;
} vo_sweep_dots;

/* Symmetric Gauss-Seidel sweep of one tile [begin, end): z = y - w U z, y = w (r - L y), and its
 * product t with the blocks inside the half tiles. M = (I/w + L) w (I/w + U) / (2 - w) is the
 * preconditioner (Saad 2003, Iterative methods for sparse linear systems, 10.2); z and t lack the
 * factor 2 - w. Prefetches the blocks of rows [end, next_end). */
VO_DECLARE_KERNEL(vo_sweep_dots, vo_row_tiles_sweep, const vo_row_tiles *tiles, float omega,
                  const vo_float4 *r, int begin, int end, vo_float4 *z, vo_float4 *t, int next_end);

/* Sum over blocks [k, end) of packed rows of block times v[column]; lane w is undefined. */
VO_INLINE vo_f4 packed_times_f4(const float *block, const int *column, int k, int end,
                                const vo_float4 *v) {
    vo_f4 s0 = f4_set(0), s1 = s0, s2 = s0;
    for (; k < end; k++) {
        const float *m = block + (size_t)k * VO_PACKED;
        const vo_float4 *p = v + column[k];
        s0 += f4_load(m) * f4_set(p->x);
        s1 += f4_load(m + 3) * f4_set(p->y);
        s2 += f4_load(m + 6) * f4_set(p->z);
    }
    return s0 + s1 + s2;
}

/* Returns v with lane w cleared. */
VO_INLINE vo_f4 f4_clear_w(vo_f4 v) {
    typedef int32_t bits __attribute__((vector_size(16)));
    return (vo_f4)((bits)v & (bits){-1, -1, -1, 0});
}

/* Returns the sums of s0, s1 and s2 over their first three lanes; lane w is zero. */
VO_INLINE vo_f4 f4_sums(vo_f4 s0, vo_f4 s1, vo_f4 s2) {
    vo_f4 zero = f4_set(0);
    vo_f4 low01 = __builtin_shufflevector(s0, s1, 0, 4, 1, 5);
    vo_f4 high01 = __builtin_shufflevector(s0, s1, 2, 6, 3, 7);
    vo_f4 low2 = __builtin_shufflevector(s2, zero, 0, 4, 1, 5);
    vo_f4 high2 = __builtin_shufflevector(s2, zero, 2, 6, 3, 7);
    return __builtin_shufflevector(low01, low2, 0, 1, 4, 5) +
           __builtin_shufflevector(low01, low2, 2, 3, 6, 7) +
           __builtin_shufflevector(high01, high2, 0, 1, 4, 5);
}

/* Product of a packed block and a vector; lane w is undefined. */
VO_INLINE vo_f4 packed_times(const float *m, vo_f4 v) {
    return f4_load(m) * f4_set(v[0]) + f4_load(m + 3) * f4_set(v[1]) +
           f4_load(m + 6) * f4_set(v[2]);
}

/* Stores three columns as a packed block. */
VO_INLINE void packed_store(vo_f4 c0, vo_f4 c1, vo_f4 c2, float *to) {
    f4_store(to, c0);
    f4_store(to + 3, c1);
    memcpy(to + 6, &c2, 3 * sizeof *to);
}

/* to = H_i A H_j^t for the columns of A; both H are lower triangular, stored by columns. */
VO_INLINE void packed_scale(vo_f4 a0, vo_f4 a1, vo_f4 a2, const float *hi, const float *hj,
                            float *to) {
    vo_f4 c0 = a0 * f4_set(hj[0]), c1 = a0 * f4_set(hj[1]) + a1 * f4_set(hj[4]);
    vo_f4 c2 = a0 * f4_set(hj[2]) + a1 * f4_set(hj[5]) + a2 * f4_set(hj[8]);
    packed_store(packed_times(hi, c0), packed_times(hi, c1), packed_times(hi, c2), to);
}

/* Padding in floats of packed arrays for the last load of four. Values loaded from the next block
 * are unused, but no other thread may write them: packed blocks are read only in passes that do not
 * write them. */
enum { VO_PACKED_PADDING = 4 };

#endif
