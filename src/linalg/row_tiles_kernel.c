#include "linalg/row_tiles.h"

enum { B = VO_PACKED };

/* The loops use local copies of the structs, which stores cannot alias. */

/* ---- diagonal blocks ------------------------------------------------------------------------ */

enum { LANES = 4 };

/* Gathers element e of four blocks. */
VO_INLINE vo_d4 gather_element(const float *const d[LANES], int e) {
    return widen((vo_f4){d[0][e], d[1][e], d[2][e], d[3][e]});
}

/* Scatters four lanes of `count` elements into rows of `stride` floats. */
VO_INLINE void scatter_rows(const vo_d4 *element, int count, vo_i4 keep, int rows, float *to,
                            int stride) {
    vo_f4 value[B];
    for (int e = 0; e < count; e++) value[e] = narrow(d4_select(keep, element[e], d4_set(0)));
    for (int lane = 0; lane < rows; lane++)
        for (int e = 0; e < count; e++) to[lane * stride + e] = value[e][lane];
}

/* Factorises four blocks D = G G^t; writes G and the columns of H = G^-1. Both are zero if D is not
 * positive definite or so close to singular that a pivot is rounding. Returns the mask of valid
 * blocks. */
VO_INLINE vo_i4 factor_blocks(const float *const d[LANES], int rows, float *root, float *inverse) {
    vo_d4 a = gather_element(d, 0), b = gather_element(d, 1), c = gather_element(d, 2);
    vo_d4 e = gather_element(d, 5), f = gather_element(d, 6), i = gather_element(d, 10);
    vo_d4 one = d4_set(1), zero = d4_set(0), small = d4_set(1e-14), large = d4_set(1e54);
    vo_d4 g00 = d4_sqrt(a), h00 = one / g00, g10 = b * h00, g20 = c * h00;
    vo_d4 p1 = e - g10 * g10, g11 = d4_sqrt(p1), h11 = one / g11, g21 = (f - g20 * g10) * h11;
    vo_d4 p2 = i - g20 * g20 - g21 * g21, g22 = d4_sqrt(p2), h22 = one / g22;
    vo_d4 h10 = -h11 * g10 * h00, h21 = -h22 * g21 * h11, h20 = -h22 * (g20 * h00 + g21 * h10);
    vo_i4 keep = (vo_i4)(a > zero) & (vo_i4)(p1 > small * e) & (vo_i4)(p2 > small * i) &
                 (vo_i4)(h00 * h11 * h22 < large) & (vo_i4)(g00 * g11 * g22 < large);
    const vo_d4 roots[VO_ROOT] = {g00, g11, g22, g10, g21, g20};
    const vo_d4 inverses[B] = {h00, h10, h20, zero, h11, h21, zero, zero, h22};
    scatter_rows(roots, VO_ROOT, keep, rows, root, VO_ROOT);
    scatter_rows(inverses, B, keep, rows, inverse, VO_SCALE);
    return keep;
}

int VO_KERNEL(vo_row_tiles_factor)(const vo_row_tiles *given, const vo_block_matrix *a, int begin,
                                   int end) {
    const vo_row_tiles tiles = *given, *g = &tiles;
    int singular = 0;
    for (int i = begin; i < end; i += LANES) {
        int rows = end - i < LANES ? end - i : LANES;
        const float *d[LANES];
        for (int k = 0; k < LANES; k++)
            d[k] = a->block + (size_t)g->pattern->diagonal[k < rows ? i + k : i] * VO_BLOCK_FLOATS;
        vo_i4 keep = factor_blocks(d, rows, g->root + (size_t)i * VO_ROOT,
                                   g->inverse + (size_t)i * VO_SCALE);
        for (int k = 0; k < rows; k++) singular += !keep[k];
    }
    return singular;
}

/* ---- packing -------------------------------------------------------------------------------- */

/* Packs block k of row i at `to`. */
VO_INLINE void pack_block(const vo_row_tiles *g, const vo_block_matrix *a, int i, int k,
                          float *to) {
    const float *m = a->block + (size_t)k * VO_BLOCK_FLOATS;
    packed_scale(f4_load(m), f4_load(m + 4), f4_load(m + 8), g->inverse + (size_t)i * VO_SCALE,
                 g->inverse + (size_t)g->pattern->column[k] * VO_SCALE, to);
}

/* Packs blocks [k, end) of row i starting at `to`. */
VO_INLINE float *pack_blocks(const vo_row_tiles *g, const vo_block_matrix *a, int i, int k, int end,
                             float *to) {
    for (; k < end; k++, to += B) pack_block(g, a, i, k, to);
    return to;
}

void VO_KERNEL(vo_row_tiles_pack)(const vo_row_tiles *given, const vo_block_matrix *a, int begin,
                                  int end) {
    const vo_row_tiles tiles = *given, *g = &tiles;
    for (int i = begin; i < end; i++) {
        float *upper = g->upper + (size_t)g->lower_start[i / VO_HALF_TILE * VO_HALF_TILE] * B;
        int entry = g->upper_start[i];
        for (int k = g->pattern->diagonal[i] + 1; k < g->last[i]; k++, entry++)
            pack_block(g, a, i, k, upper + (size_t)g->upper_block[entry] * B);
    }
}

void VO_KERNEL(vo_row_tiles_pack_cross)(const vo_row_tiles *given, const vo_block_matrix *a,
                                        int begin, int end) {
    const vo_row_tiles tiles = *given, *g = &tiles;
    const vo_block_pattern *p = g->pattern;
    for (int i = begin; i < end; i++) {
        if (g->cross_start[i] == g->cross_start[i + 1]) continue;
        fetch_ahead(a->block + (size_t)p->row_start[i] * VO_BLOCK_FLOATS, VO_BLOCKS_AHEAD,
                    VO_BLOCKS_LINES);
        float *to = g->cross + (size_t)g->cross_start[i] * B;
        to = pack_blocks(g, a, i, p->row_start[i], g->first[i], to);
        pack_blocks(g, a, i, g->last[i], p->row_start[i + 1], to);
    }
}

/* ---- sweeps --------------------------------------------------------------------------------- */

/* (L v)_i; v starts at the half tile. */
VO_INLINE vo_f4 lower_times(const vo_row_tiles *g, int i, const vo_float4 *v) {
    vo_f4 s0 = f4_set(0), s1 = s0, s2 = s0;
    const float *m = g->upper + (size_t)g->lower_start[i] * B;
    for (int k = g->lower_start[i]; k < g->lower_start[i + 1]; k++, m += B) {
        vo_f4 x = f4_load(v + g->lower_at[k]);
        s0 += f4_load(m) * x;
        s1 += f4_load(m + 3) * x;
        s2 += f4_load(m + 6) * x;
    }
    return f4_sums(s0, s1, s2);
}

/* (U v)_i; `upper` and v start at the half tile. */
VO_INLINE vo_f4 upper_times(const vo_row_tiles *g, const float *upper, int i, const vo_float4 *v) {
    vo_f4 s0 = f4_set(0), s1 = s0, s2 = s0;
    for (int k = g->upper_start[i]; k < g->upper_start[i + 1]; k++) {
        const float *m = upper + (size_t)g->upper_block[k] * B;
        const vo_float4 *p = v + g->upper_at[k];
        s0 += f4_load(m) * f4_set(p->x);
        s1 += f4_load(m + 3) * f4_set(p->y);
        s2 += f4_load(m + 6) * f4_set(p->z);
    }
    return f4_clear_w(s0 + s1 + s2);
}

/* Prefetch state: each step of the backward sweep and the product, which compute in the cache,
 * prefetches a part of the blocks of the next rows [begin, end). */
typedef struct fetching {
    const char *at;
    size_t bytes; /* bytes per step */
} fetching;

VO_INLINE fetching fetch_blocks(const vo_row_tiles *g, int begin, int end) {
    enum { STEPS = VO_HALF_TILE + VO_ROW_TILE };
    size_t first = (size_t)g->lower_start[begin], last = (size_t)g->lower_start[end];
    return (fetching){(const char *)(g->upper + first * B),
                      (last - first) * B * sizeof(float) / STEPS};
}

VO_INLINE void fetch_more(fetching *f) {
    fetch_bytes(f->at, 2 * VO_CACHE_LINE);
    f->at += f->bytes;
}

/* State of the sweeps of a half tile. */
typedef struct half {
    const float *upper; /* its blocks */
    const vo_float4 *r; /* from here on, indexed within the half tile */
    vo_float4 *z, *t;
    vo_float4 change[VO_HALF_TILE]; /* y - z */
} half;

/* Prefetch distances of fetch_ahead (kernel.h) for the blocks below the diagonal. */
enum { UPPER_AHEAD = 1536, UPPER_LINES = 3 };

VO_INLINE void sweep_forward(const vo_row_tiles *g, half *h, vo_f4 omega, int begin, int k) {
    fetch_ahead(g->upper + (size_t)g->lower_start[begin + k] * B, UPPER_AHEAD, UPPER_LINES);
    vo_f4 sum = lower_times(g, begin + k, h->z);
    f4_store(h->z + k, omega * (f4_load(h->r + k) - sum));
}

/* Returns r . z by coordinate. */
VO_INLINE vo_d4 sweep_backward(const vo_row_tiles *g, half *h, vo_f4 omega, int begin, int k) {
    vo_f4 change = omega * upper_times(g, h->upper, begin + k, h->z);
    vo_f4 z = f4_load(h->z + k) - change;
    f4_store(h->change + k, change);
    f4_store(h->z + k, z);
    return widen(f4_load(h->r + k) * z);
}

/* t = r - L (y - z) + (1 - 1/w) z; returns z . t by coordinate. */
VO_INLINE vo_d4 sweep_product(const vo_row_tiles *g, half *h, vo_f4 rest, int begin, int count,
                              fetching *fetch) {
    vo_d4 dot = d4_set(0);
    for (int k = 0; k < count; k++) {
        fetch_more(fetch);
        vo_f4 sum = lower_times(g, begin + k, h->change), z = f4_load(h->z + k);
        vo_f4 t = f4_load(h->r + k) - sum + rest * z;
        f4_store(h->t + k, t);
        dot += widen(z * t);
    }
    return dot;
}

vo_sweep_dots VO_KERNEL(vo_row_tiles_sweep)(const vo_row_tiles *given, float omega,
                                            const vo_float4 *r, int begin, int end, vo_float4 *z,
                                            vo_float4 *t, int next_end) {
    const vo_row_tiles tiles = *given, *g = &tiles;
    int middle = end - begin < VO_HALF_TILE ? end : begin + VO_HALF_TILE;
    int counts[2] = {middle - begin, end - middle};
    half a, b;
    a.upper = g->upper + (size_t)g->lower_start[begin] * B, a.r = r + begin, a.z = z + begin;
    b.upper = g->upper + (size_t)g->lower_start[middle] * B, b.r = r + middle, b.z = z + middle;
    a.t = t + begin, b.t = t + middle;
    vo_f4 w = f4_set(omega), rest = f4_set(1 - 1 / omega);
    for (int k = 0; k < counts[0]; k++) {
        sweep_forward(g, &a, w, begin, k);
        if (k < counts[1]) sweep_forward(g, &b, w, middle, k);
    }
    fetching fetch = fetch_blocks(g, end, next_end);
    vo_d4 sum = d4_set(0);
    for (int k = counts[0] - 1; k >= 0; k--) {
        fetch_more(&fetch);
        sum += sweep_backward(g, &a, w, begin, k);
        if (k < counts[1]) sum += sweep_backward(g, &b, w, middle, k);
    }
    vo_d4 product = sweep_product(g, &a, rest, begin, counts[0], &fetch);
    product += sweep_product(g, &b, rest, middle, counts[1], &fetch);
    return (vo_sweep_dots){d4_sum(sum), d4_sum(product)};
}
