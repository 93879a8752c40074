#include "linalg/two_level.h"

enum { R = VO_ROOT };

/* The loops below work on copies of the struct, which what they store cannot alias. */

/* H v in double. */
VO_INLINE vo_d4 scale_row(const float *h, const vo_vec4 *v) {
    vo_d4 sum = widen(f4_load(h)) * d4_set(v->x) + widen(f4_load(h + 3)) * d4_set(v->y) +
                widen(f4_load(h + 6)) * d4_set(v->z);
    return (vo_d4){sum[0], sum[1], sum[2], 0};
}

double VO_KERNEL(vo_two_norm)(const vo_two_level *two, const vo_vec4 *v, int begin, int end) {
    const float *h = two->ranges.inverse;
    vo_d4 sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        vo_d4 s = scale_row(h + (size_t)i * R, v + i);
        sum += s * s;
    }
    return d4_sum(sum);
}

void VO_KERNEL(vo_two_load)(const vo_two_level *given, const vo_vec4 *r, double scale, int begin,
                            int end) {
    const vo_two_level two = *given;
    for (int i = begin; i < end; i++) {
        vo_d4 s = d4_set(scale) * scale_row(two.ranges.inverse + (size_t)i * R, r + i);
        f4_store(two.r + i, narrow(s));
        f4_store(two.x + i, f4_set(0));
        f4_store(two.p + i, f4_set(0));
        f4_store(two.q + i, f4_set(0));
    }
}

/* H^t v */
VO_INLINE vo_f4 unscale_row(const float *h, vo_f4 v) {
    return f4_sums(f4_load(h) * v, f4_load(h + 3) * v, f4_load(h + 6) * v);
}

void VO_KERNEL(vo_two_unload)(const vo_two_level *two, float alpha, double scale, int begin,
                              int end, vo_vec4 *x) {
    const float *h = two->ranges.inverse;
    const vo_float4 *from = two->x, *p = two->p;
    for (int i = begin; i < end; i++) {
        vo_f4 sum = f4_load(from + i) + f4_set(alpha) * f4_load(p + i);
        vo_f4 v = unscale_row(h + (size_t)i * R, sum);
        vec4_store(x + i, vec4_load(x + i) + d4_set(scale) * widen(v));
    }
}

/* (G^t Z y)_i */
VO_INLINE vo_f4 prolong_row(const vo_two_level *two, int i, const vo_float4 *y) {
    if (!two->coarse.free_row[i]) return f4_set(0);
    return f4_clear_w(
        packed_times(two->ranges.root + (size_t)i * R, f4_load(y + (i >> two->coarse.shift))));
}

/* (H (A + C) Z y)_i */
VO_INLINE vo_f4 sums_times(const vo_two_level *two, int i, const vo_float4 *y) {
    const vo_coarse *c = &two->coarse;
    const vo_coupled *k = &two->coupled;
    vo_f4 sum = packed_times_f4(c->sum, c->sum_aggregate, c->sum_start[i], c->sum_start[i + 1], y);
    if (k->given)
        sum += packed_times_f4(k->sum, k->sum_aggregate, k->sum_start[i], k->sum_start[i + 1], y);
    return f4_clear_w(sum);
}

/* What rows beyond row i's half range add to the product with z. */
VO_INLINE vo_f4 cross_times(const vo_two_level *two, int i) {
    const vo_ranges *g = &two->ranges;
    const vo_couplings *c = two->coupled.given;
    vo_f4 sum = packed_times_f4(g->cross, g->cross_column, g->cross_start[i], g->cross_start[i + 1],
                                two->z);
    if (c)
        sum += packed_times_f4(two->coupled.block, c->column, c->row_start[i], c->row_start[i + 1],
                               two->z);
    return f4_clear_w(sum);
}

double VO_KERNEL(vo_two_deflate)(const vo_two_level *given, int begin, int end) {
    const vo_two_level two = *given;
    vo_d4 sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        f4_store(two.x + i, prolong_row(&two, i, two.coarse.right));
        vo_f4 r = f4_load(two.r + i) - sums_times(&two, i, two.coarse.right);
        f4_store(two.r + i, r);
        sum += widen(r * r);
    }
    return d4_sum(sum);
}

double VO_KERNEL(vo_two_update)(const vo_two_level *given, float alpha, int begin, int end) {
    const vo_two_level two = *given;
    vo_f4 a = f4_set(alpha);
    vo_d4 sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        vo_f4 r = f4_load(two.r + i) - a * f4_load(two.q + i);
        f4_store(two.r + i, r);
        sum += widen(r * r);
    }
    return d4_sum(sum);
}

/* Sums of G v over rows, before the lanes are added up. */
typedef struct restriction {
    vo_f4 s[3];
} restriction;

VO_INLINE void restrict_row(restriction *sum, const float *root, vo_f4 v) {
    sum->s[0] += f4_load(root) * v;
    sum->s[1] += f4_load(root + 3) * v;
    sum->s[2] += f4_load(root + 6) * v;
}

static const restriction NOTHING;

void VO_KERNEL(vo_two_restrict)(const vo_two_level *given, int begin, int end) {
    const vo_two_level two = *given;
    const vo_coarse *c = &two.coarse;
    for (int g = begin; g < end; g++) {
        restriction sum = NOTHING;
        for (int i = g * c->size; i < vo_coarse_end(c, g); i++)
            if (c->free_row[i])
                restrict_row(&sum, two.ranges.root + (size_t)i * R, f4_load(two.r + i));
        vo_f4 all = f4_sums(sum.s[0], sum.s[1], sum.s[2]);
        f4_store(c->restricted + g, all);
        f4_store(c->right + g, all);
    }
}

void VO_KERNEL(vo_two_cross)(const vo_two_level *given, float scale, int begin, int end) {
    const vo_two_level two = *given;
    const vo_coarse *c = &two.coarse;
    const vo_ranges *g = &two.ranges;
    for (int n = begin; n < end; n++) {
        restriction before = NOTHING, after = NOTHING;
        for (int i = n * c->size; i < vo_coarse_end(c, n); i++) {
            vo_f4 t = f4_load(two.t + i) + cross_times(&two, i);
            f4_store(two.t + i, t);
            if (!c->free_row[i]) continue;
            restrict_row(&before, g->root + (size_t)i * R, f4_load(two.r + i));
            restrict_row(&after, g->root + (size_t)i * R, t);
        }
        vo_f4 all = f4_sums(before.s[0], before.s[1], before.s[2]);
        vo_f4 gone = f4_sums(after.s[0], after.s[1], after.s[2]);
        f4_store(c->restricted + n, all);
        f4_store(c->right + n, all - f4_set(scale) * gone);
    }
}

double VO_KERNEL(vo_two_direction)(const vo_two_level *given, float alpha, float scale, float beta,
                                   int begin, int end) {
    const vo_two_level two = *given;
    const vo_float4 *y = two.coarse.right;
    vo_f4 a = f4_set(alpha), s = f4_set(scale), b = f4_set(beta);
    vo_d4 sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        vo_f4 z = s * f4_load(two.z + i) + prolong_row(&two, i, y);
        vo_f4 t = s * f4_load(two.t + i) + sums_times(&two, i, y);
        vo_f4 old = f4_load(two.p + i), p = z + b * old, q = t + b * f4_load(two.q + i);
        f4_store(two.x + i, f4_load(two.x + i) + a * old);
        f4_store(two.p + i, p);
        f4_store(two.q + i, q);
        sum += widen(p * q);
    }
    return d4_sum(sum);
}
