/* The rows of a matrix in the form that the two-level iteration reads them in.
 *
 * What an iteration costs on a large sheet is memory: a matrix of 80,000 faces does not fit the
 * caches and is read through in every pass. So before iterating, the numbers are packed once:
 *
 *   - scaled. With D_i = G_i G_i^t the diagonal blocks and H = G^-1, the iteration works on
 *     H A H^t, whose diagonal blocks are the identity: they need not be stored, Gauss-Seidel does
 *     not wait for a product with D^-1 in every row, and the norm rt D^-1 r is the plain one.
 *   - split. Rows are cut into half ranges of VO_HALF. Blocks within one are kept once, and serve
 *     both triangles; a half range's (20 kB) stay in the inner cache while forward, backward and
 *     product go over them. They lie in the order in which the forward sweep, which meets them
 *     first, reads them: what comes from memory must come in order, or the processor waits for
 *     each block. Blocks between half ranges (a quarter to a third of all) are kept in both of
 *     their rows.
 *
 *            half 0   half 1
 *          +--------+--------+
 *          | I U    | cross  |     U: once, column by column, so that L = U^t comes row by
 *          |   I    |        |        row; U's own rows are read through a list of places
 *          +--------+--------+
 *          | cross  | I U    |
 *          |        |   I    |
 *          +--------+--------+
 *
 *   - dense: nine floats a block instead of twelve. Loads of four take one float of the next
 *     column along; that lane is cleared or multiplied by zero.
 *
 * Gauss-Seidel as a preconditioner then gives the product for little (Eisenstat 1981): from
 * (I/w + L) y = r and (I/w + U) z = y/w follows (L + I + U) z = r - L (y - z) + (1 - 1/w) z. */
#ifndef VO_LINALG_RANGES_H
#define VO_LINALG_RANGES_H

#include "linalg/kernel.h"

enum {
    VO_HALF = 128,
    VO_RANGE = 2 * VO_HALF, /* two half ranges take turns, so that one need not wait for itself */
    VO_PACKED = 9,          /* floats a block */
    VO_SCALE = 10,          /* floats a row of H: a load of four stays within the row */
    VO_ROOT = 6,            /* floats a row of G: g00 g11 g22, g10 g21, g20 */
};
_Static_assert(VO_HALF <= 256, "places within a half range are bytes");

typedef struct vo_ranges {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* the caller keeps it */
    int upper_count, cross_count;
    int *first, *last; /* [row_count] blocks of a row within its half range: [first, last) */
    int *lower_start;  /* [row_count + 1] into upper[] and lower_at[]: what row i has below the
                          diagonal, transposed */
    int *upper_start;  /* [row_count + 1] into upper_at[] and upper_block[] */
    int *cross_start;  /* [row_count + 1] into cross[] */
    int *border;       /* [border_start[range count]] rows that have blocks in cross[], ascending */
    int *border_start; /* [range count + 1] where those of a range of VO_RANGE rows begin */
    unsigned char *lower_at;     /* [upper_count] column, from the half range's first row */
    unsigned char *upper_at;     /* [upper_count] likewise, above the diagonal */
    unsigned short *upper_block; /* [upper_count] which block, from the half range's first */
    int *cross_column;           /* [cross_count] */
    float *upper, *cross;        /* [count][VO_PACKED] */
    float *root;                 /* [row_count][VO_ROOT] G; zero where a row is coupled to none */
    float *inverse;              /* [row_count][VO_SCALE] columns of H */
} vo_ranges;

vo_result vo_ranges_init(vo_context *ctx, const vo_block_pattern *pattern, vo_ranges *out);
void vo_ranges_free(vo_ranges *ranges);

/* G and H of rows [begin, end); returns how many diagonal blocks are not positive definite. */
VO_DECLARE_KERNEL(int, vo_ranges_factor, const vo_ranges *ranges, const vo_block_matrix *a,
                  int begin, int end);
/* Packs what rows [begin, end) have within their half ranges, whose G and H must be there. */
VO_DECLARE_KERNEL(void, vo_ranges_pack, const vo_ranges *ranges, const vo_block_matrix *a,
                  int begin, int end);
/* And the blocks between half ranges, once G and H of all rows are there. */
VO_DECLARE_KERNEL(void, vo_ranges_pack_cross, const vo_ranges *ranges, const vo_block_matrix *a,
                  int begin, int end);

/* Of one range: r . z and z . t. */
typedef struct vo_sweep_dots {
    double rz, zt;
} vo_sweep_dots;

/* One range [begin, end): z = y - w U z, y = w (r - L y), and its product t with the blocks within
 * the half ranges. M = (I/w + L) w (I/w + U) / (2 - w) is the preconditioner (Saad 2003, Iterative
 * methods for sparse linear systems, 10.2); z and t lack the factor 2 - w. Meanwhile the
 * blocks of rows [end, next_end) are asked for. */
VO_DECLARE_KERNEL(vo_sweep_dots, vo_ranges_sweep, const vo_ranges *ranges, float omega,
                  const vo_float4 *r, int begin, int end, vo_float4 *z, vo_float4 *t, int next_end);

/* The sum over blocks [k, end) of packed rows of block times v[column]; lane w is not zero. */
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

/* v with lane w set to zero, whatever it was. */
VO_INLINE vo_f4 f4_clear_w(vo_f4 v) {
    typedef int32_t bits __attribute__((vector_size(16)));
    return (vo_f4)((bits)v & (bits){-1, -1, -1, 0});
}

/* The sums of s0, s1 and s2 over their first three lanes; lane w is zero. */
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

/* A packed block times a vector; lane w is not zero. */
VO_INLINE vo_f4 packed_times(const float *m, vo_f4 v) {
    return f4_load(m) * f4_set(v[0]) + f4_load(m + 3) * f4_set(v[1]) +
           f4_load(m + 6) * f4_set(v[2]);
}

/* Three columns become a packed block. */
VO_INLINE void packed_store(vo_f4 c0, vo_f4 c1, vo_f4 c2, float *to) {
    f4_store(to, c0);
    f4_store(to + 3, c1);
    memcpy(to + 6, &c2, 3 * sizeof *to);
}

/* to = H_i A H_j^t for the columns of A; both H are lower triangles, by columns. */
VO_INLINE void packed_scale(vo_f4 a0, vo_f4 a1, vo_f4 a2, const float *hi, const float *hj,
                            float *to) {
    vo_f4 c0 = a0 * f4_set(hj[0]), c1 = a0 * f4_set(hj[1]) + a1 * f4_set(hj[4]);
    vo_f4 c2 = a0 * f4_set(hj[2]) + a1 * f4_set(hj[5]) + a2 * f4_set(hj[8]);
    packed_store(packed_times(hi, c0), packed_times(hi, c1), packed_times(hi, c2), to);
}

/* Where a packed array ends, the last load of four needs this many floats more. What it takes from
 * the next block is never used, but no other thread may be writing there: packed blocks are read
 * only in passes that do not write them. */
enum { VO_PACKED_MORE = 4 };

#endif
