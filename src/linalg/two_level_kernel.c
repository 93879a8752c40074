#include "linalg/two_level.h"

enum { S = VO_SCALE, R = VO_ROOT };

/* Prefetch distances of fetch_ahead (kernel.h). */
enum {
    SUMS_AHEAD = 1536, /* sums of a row over aggregates */
    SUMS_LINES = 2,
    CROSS_AHEAD = 4096, /* blocks between half tiles */
    CROSS_LINES = 5,
    CROSS_COLUMNS_AHEAD = 512, /* their columns */
    CROSS_COLUMNS_LINES = 1,
};

/* The loops use local copies of the struct, which stores cannot alias. */

/* H v in double. */
VO_INLINE vo_d4 scale_row(const float *h, const vo_vec4 *v) {
    vo_d4 sum = widen(f4_load(h)) * d4_set(v->x) + widen(f4_load(h + 3)) * d4_set(v->y) +
                widen(f4_load(h + 6)) * d4_set(v->z);
    return (vo_d4){sum[0], sum[1], sum[2], 0};
}

double VO_KERNEL(vo_two_level_norm)(const vo_two_level *two, const vo_vec4 *v, int begin, int end) {
    const float *h = two->tiles.inverse;
    vo_d4 sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        vo_d4 s = scale_row(h + (size_t)i * S, v + i);
        sum += s * s;
    }
    return d4_sum(sum);
}

void VO_KERNEL(vo_two_level_load)(const vo_two_level *given, const vo_vec4 *r, double scale,
                                  int begin, int end) {
    const vo_two_level two = *given;
    for (int i = begin; i < end; i++) {
        vo_d4 s = d4_set(scale) * scale_row(two.tiles.inverse + (size_t)i * S, r + i);
        f4_store(two.r + i, narrow(s));
        f4_store(two.x + i, f4_set(0));
        f4_store(two.p + i, f4_set(0));
        f4_store(two.q + i, f4_set(0));
        f4_store(two.z + i, f4_set(0));
        f4_store(two.t + i, f4_set(0));
    }
}

/* H^t v */
VO_INLINE vo_f4 unscale_row(const float *h, vo_f4 v) {
    return f4_sums(f4_load(h) * v, f4_load(h + 3) * v, f4_load(h + 6) * v);
}

void VO_KERNEL(vo_two_level_unload)(const vo_two_level *two, float alpha, double scale, int begin,
                                    int end, vo_vec4 *x) {
    const float *h = two->tiles.inverse;
    const vo_float4 *from = two->x, *p = two->p;
    for (int i = begin; i < end; i++) {
        vo_f4 sum = f4_load(from + i) + f4_set(alpha) * f4_load(p + i);
        vo_f4 v = unscale_row(h + (size_t)i * S, sum);
        vec4_store(x + i, vec4_load(x + i) + d4_set(scale) * widen(v));
    }
}

/* (G^t Z y)_i: g00 g11 g22 times y, plus g10 g21 and g20 times the shifted y. */
VO_INLINE vo_f4 prolong_row(const vo_two_level *two, int i, const vo_float4 *y) {
    const float *root = two->tiles.root + (size_t)i * R;
    vo_f4 v = f4_load(y + (i >> two->coarse.shift));
    vo_f4 one = __builtin_shufflevector(v, v, 1, 2, 3, 3);
    vo_f4 two_on = __builtin_shufflevector(v, v, 2, 3, 3, 3);
    return f4_load(root) * v + f4_load(root + 3) * one + f4_set(root[5]) * two_on;
}

/* (H (A + C) Z y)_i */
VO_INLINE vo_f4 sums_times(const vo_two_level *two, int i, const vo_float4 *y) {
    const vo_coarse *c = &two->coarse;
    const vo_coupled *k = &two->coupled;
    fetch_ahead(c->sum + (size_t)c->sum_start[i] * VO_PACKED, SUMS_AHEAD, SUMS_LINES);
    vo_f4 sum = packed_times_f4(c->sum, c->sum_aggregate, c->sum_start[i], c->sum_start[i + 1], y);
    if (k->couplings)
        sum += packed_times_f4(k->sum, k->sum_aggregate, k->sum_start[i], k->sum_start[i + 1], y);
    return f4_clear_w(sum);
}

double VO_KERNEL(vo_two_level_step)(const vo_two_level *given, const vo_two_level_step_def *def,
                                    int begin, int end) {
    const vo_two_level two = *given;
    const vo_float4 *y = two.coarse.right;
    const bool add = def->update_x;
    vo_f4 s = f4_set(def->scale), a = f4_set(def->alpha), b = f4_set(def->beta);
    vo_f4 deferred = f4_set(def->deferred_alpha);
    vo_d4 sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        vo_f4 z = s * f4_load(two.z + i) + prolong_row(&two, i, y);
        vo_f4 t = s * f4_load(two.t + i) + sums_times(&two, i, y);
        vo_f4 last = f4_load(two.p + i), p = z + b * last, q = t + b * f4_load(two.q + i);
        vo_f4 r = f4_load(two.r + i) - a * q;
        if (add) f4_store(two.x + i, f4_load(two.x + i) + deferred * last + a * p);
        f4_store(two.p + i, p);
        f4_store(two.q + i, q);
        f4_store(two.r + i, r);
        sum += widen(r * r);
    }
    return d4_sum(sum);
}

/* ---- restriction ---------------------------------------------------------------------------- */

/* Sums of G v over rows: g00 g11 g22 times v, g10 g21 (lanes 0 and 1), g20 (lane 0). */
typedef struct restriction {
    vo_f4 s[3];
} restriction;

static const restriction NOTHING;

VO_INLINE void restrict_row(restriction *sum, const float *root, vo_f4 v) {
    sum->s[0] += f4_load(root) * v;
    sum->s[1] += f4_load(root + 3) * v;
    sum->s[2] += f4_set(root[5]) * v;
}

VO_INLINE vo_f4 restriction_total(const restriction *sum) {
    vo_f4 zero = f4_set(0);
    vo_f4 two = __builtin_shufflevector(sum->s[2], zero, 4, 4, 0, 4);
    return sum->s[0] + __builtin_shufflevector(sum->s[1], zero, 4, 0, 1, 4) + two;
}

void VO_KERNEL(vo_two_level_restrict)(const vo_two_level *given, const vo_float4 *v, int begin,
                                      int end, vo_float4 *segment) {
    const vo_two_level two = *given;
    int length = 1 << two.coarse.segment_shift;
    for (int i = begin; i < end;) {
        int last = end - i < length ? end : i + length;
        vo_float4 *to = segment + (i >> two.coarse.segment_shift);
        restriction sum = NOTHING;
        for (; i < last; i++) restrict_row(&sum, two.tiles.root + (size_t)i * R, f4_load(v + i));
        f4_store(to, restriction_total(&sum));
    }
}

/* ---- blocks between half tiles -------------------------------------------------------------- */

/* Adds to t in row i and to its segment; returns the contribution to z . t, by coordinate. */
VO_INLINE vo_d4 add_to_row(const vo_two_level *two, int i, vo_f4 product) {
    vo_float4 *t = two->t + i,
              *segment = two->coarse.segment_product + (i >> two->coarse.segment_shift);
    restriction sum = NOTHING;
    restrict_row(&sum, two->tiles.root + (size_t)i * R, product);
    f4_store(t, f4_load(t) + product);
    f4_store(segment, f4_load(segment) + restriction_total(&sum));
    return widen(f4_load(two->z + i) * product);
}

VO_INLINE vo_f4 cross_times(const vo_two_level *two, int i) {
    const vo_row_tiles *g = &two->tiles;
    fetch_ahead(g->cross + (size_t)g->cross_start[i] * VO_PACKED, CROSS_AHEAD, CROSS_LINES);
    fetch_ahead(g->cross_column + g->cross_start[i], CROSS_COLUMNS_AHEAD, CROSS_COLUMNS_LINES);
    return f4_clear_w(packed_times_f4(g->cross, g->cross_column, g->cross_start[i],
                                      g->cross_start[i + 1], two->z));
}

VO_INLINE vo_f4 coupled_times(const vo_two_level *two, int i) {
    const vo_couplings *c = two->coupled.couplings;
    return f4_clear_w(packed_times_f4(two->coupled.block, c->column, c->row_start[i],
                                      c->row_start[i + 1], two->z));
}

double VO_KERNEL(vo_two_level_cross)(const vo_two_level *given, int range, int begin, int end) {
    const vo_two_level two = *given;
    const vo_row_tiles *g = &two.tiles;
    const vo_couplings *c = two.coupled.couplings;
    vo_d4 sum = d4_set(0);
    for (int n = g->boundary_start[range]; n < g->boundary_start[range + 1]; n++)
        sum += add_to_row(&two, g->boundary[n], cross_times(&two, g->boundary[n]));
    for (int i = begin; c && i < end; i++)
        if (c->row_start[i] < c->row_start[i + 1])
            sum += add_to_row(&two, i, coupled_times(&two, i));
    return d4_sum(sum);
}
