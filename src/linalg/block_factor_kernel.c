#include "linalg/block_factor.h"

#include "linalg/inverse3.h"

typedef float vo_f8 __attribute__((vector_size(32)));

VO_INLINE vo_f8 f8_set(float s) { return (vo_f8){s, s, s, s, s, s, s, s}; }
VO_INLINE vo_f8 f8_load(const float *p) {
    vo_f8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* A column of the factor: its rows and values. */
typedef struct column {
    const int *step;
    int count;
    float *value[3];
} column;

VO_INLINE column column_of(const vo_block_factor *f, int k) {
    int start = f->column_start[k], count = f->column_start[k + 1] - start;
    float *value = f->value + (size_t)start * VO_PACKED;
    size_t stride = 3 * (size_t)count;
    return (column){f->step + start, count, {value, value + stride, value + 2 * stride}};
}

/* Keeps the first `count` lanes and clears the others. */
VO_INLINE vo_f8 f8_first(vo_f8 v, int count) {
    typedef int32_t bits __attribute__((vector_size(32)));
    const bits lane = {0, 1, 2, 3, 4, 5, 6, 7};
    bits limit = {count, count, count, count, count, count, count, count};
    return (vo_f8)((bits)v & (lane < limit));
}

/* to -= from * s for `count` values of three columns each. The last eight are stored as a whole;
 * values beyond `count` are unchanged. */
VO_INLINE void subtract_run(float *const from[3], float *const to[3], const vo_f8 s[3][3],
                            int count) {
    for (int n = 0; n < count; n += 8) {
        vo_f8 a = f8_load(from[0] + n), b = f8_load(from[1] + n), c = f8_load(from[2] + n);
        for (int i = 0; i < 3; i++) {
            vo_f8 sum = a * s[i][0] + b * s[i][1] + c * s[i][2];
            if (count - n < 8) sum = f8_first(sum, count - n);
            sum = f8_load(to[i] + n) - sum;
            memcpy(to[i] + n, &sum, sizeof sum);
        }
    }
}

/* Returns the number of consecutive rows that are equal from row n of `from` and row m of `to`. */
VO_INLINE int run_length(const column *from, int n, const column *to, int m) {
    int max_length = from->count - n < to->count - m ? from->count - n : to->count - m, length = 1;
    if (from->step[n + max_length - 1] == to->step[m + max_length - 1]) return max_length;
    while (length < max_length && from->step[n + length] == to->step[m + length]) length++;
    return length;
}

/* Subtracts W_i D^-1 W_j^t from column `to` for every row i from n on of column `from`; `to`
 * contains all these rows. `s` is (W_j D^-1)^t. */
VO_INLINE void update_column(const column *from, int n, const column *to, const vo_f8 s[3][3]) {
    for (int m = 0; n < from->count;) {
        while (to->step[m] < from->step[n]) m++;
        int length = run_length(from, n, to, m);
        float *source[3], *target[3];
        for (int i = 0; i < 3; i++) {
            source[i] = from->value[i] + (size_t)(3 * n);
            target[i] = to->value[i] + (size_t)(3 * m);
        }
        subtract_run(source, target, s, 3 * length);
        n += length, m += length;
    }
}

/* Updates pivot and column j by row n of column k, block W_j, and replaces the block by L_j = W_j
 * D^-1. */
VO_INLINE void eliminate_block(const vo_block_factor *f, const column *k, int n,
                               const double *inverse) {
    double *pivot = f->pivot + (size_t)k->step[n] * VO_BLOCK_FLOATS;
    vo_d4 w[3], scaled[3];
    vo_f8 s[3][3];
    for (int c = 0; c < 3; c++) w[c] = widen(f4_clear_w(f4_load(k->value[c] + (size_t)(3 * n))));
    for (int c = 0; c < 3; c++)
        scaled[c] = w[0] * d4_set(inverse[4 * c]) + w[1] * d4_set(inverse[4 * c + 1]) +
                    w[2] * d4_set(inverse[4 * c + 2]);
    for (int c = 0; c < 3; c++) {
        vo_d4 sum =
            w[0] * d4_set(scaled[0][c]) + w[1] * d4_set(scaled[1][c]) + w[2] * d4_set(scaled[2][c]);
        d4_store(pivot + 4 * c, d4_load(pivot + 4 * c) - sum);
        for (int r = 0; r < 3; r++) s[c][r] = f8_set((float)scaled[r][c]);
    }
    column to = column_of(f, k->step[n]);
    update_column(k, n + 1, &to, s);
    for (int c = 0; c < 3; c++) {
        vo_f4 l = narrow(scaled[c]);
        memcpy(k->value[c] + (size_t)(3 * n), &l, 3 * sizeof(float));
    }
}

/* Right-looking L D Lt: a column holds W = L D until it is eliminated. */
void VO_KERNEL(vo_factor_eliminate)(const vo_block_factor *given) {
    const vo_block_factor factor = *given, *f = &factor; /* local copy, which stores cannot alias */
    for (int k = 0; k < f->count; k++) {
        double inverse[VO_BLOCK_FLOATS], *pivot = f->pivot + (size_t)k * VO_BLOCK_FLOATS;
        vo_invert3(pivot, inverse);
        memcpy(pivot, inverse, sizeof inverse);
        column c = column_of(f, k);
        for (int n = 0; n < c.count; n++) eliminate_block(f, &c, n, inverse);
    }
}

/* Subtracts L x from the rows below the diagonal. */
VO_INLINE void substitute_forward(const column *c, vo_f4 x, vo_float4 *y) {
    vo_f4 x0 = f4_set(x[0]), x1 = f4_set(x[1]), x2 = f4_set(x[2]);
    for (int n = 0; n < c->count; n++) {
        vo_f4 sum = f4_load(c->value[0] + (size_t)(3 * n)) * x0 +
                    f4_load(c->value[1] + (size_t)(3 * n)) * x1 +
                    f4_load(c->value[2] + (size_t)(3 * n)) * x2;
        f4_store(y + c->step[n], f4_load(y + c->step[n]) - f4_clear_w(sum));
    }
}

/* Returns Lt x over the rows below the diagonal. */
VO_INLINE vo_f4 substitute_backward(const column *c, const vo_float4 *x) {
    vo_f4 s0 = f4_set(0), s1 = s0, s2 = s0;
    for (int n = 0; n < c->count; n++) {
        vo_f4 v = f4_load(x + c->step[n]);
        s0 += f4_load(c->value[0] + (size_t)(3 * n)) * v;
        s1 += f4_load(c->value[1] + (size_t)(3 * n)) * v;
        s2 += f4_load(c->value[2] + (size_t)(3 * n)) * v;
    }
    return f4_sums(s0, s1, s2);
}

VO_INLINE vo_f4 pivot_times(const double *inverse, vo_f4 v) {
    vo_d4 sum = d4_load(inverse) * d4_set((double)v[0]) +
                d4_load(inverse + 4) * d4_set((double)v[1]) +
                d4_load(inverse + 8) * d4_set((double)v[2]);
    return narrow(sum);
}

/* Forward substitution with L, then D^-1 and backward substitution with Lt: x_k = D^-1 y_k - sum
 * L_ik^t x_i. */
void VO_KERNEL(vo_factor_substitute)(const vo_block_factor *given) {
    const vo_block_factor factor = *given, *f = &factor; /* local copy, which stores cannot alias */
    for (int k = 0; k < f->count; k++) {
        column c = column_of(f, k);
        substitute_forward(&c, f4_load(f->x + k), f->x);
    }
    for (int k = f->count - 1; k >= 0; k--) {
        column c = column_of(f, k);
        vo_f4 sum = substitute_backward(&c, f->x);
        vo_f4 y = pivot_times(f->pivot + (size_t)k * VO_BLOCK_FLOATS, f4_load(f->x + k));
        f4_store(f->x + k, y - sum);
    }
}
