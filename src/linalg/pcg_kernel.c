#include "linalg/pcg_kernel.h"

enum { B = VO_BLOCK_FLOATS };

/* r_i D_i^-1 r_i by coordinate; z_i = D_i^-1 r_i. */
VO_INLINE vo_d4 norm_row(const float *inverse, vo_d4 r, int i, vo_float4 *z) {
    vo_f4 scaled = block_times_f4(inverse + (size_t)i * B, narrow(r));
    if (z) f4_store(z + i, scaled);
    return r * widen(scaled);
}

double VO_KERNEL(vo_norm_rows)(const float *inverse, const vo_vec4 *r, int begin, int end,
                               vo_float4 *z) {
    vo_d4 sum = d4_set(0);
    for (int i = begin; i < end; i++) sum += norm_row(inverse, vec4_load(r + i), i, z);
    return d4_sum(sum);
}

double VO_KERNEL(vo_update_rows)(double alpha, const vo_vec4 *p, const vo_vec4 *q,
                                 const float *inverse, int begin, int end, vo_vec4 *x, vo_vec4 *r,
                                 vo_float4 *z) {
    vo_d4 a = d4_set(alpha), sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        vec4_store(x + i, vec4_load(x + i) + a * vec4_load(p + i));
        vo_d4 v = vec4_load(r + i) - a * vec4_load(q + i);
        vec4_store(r + i, v);
        sum += norm_row(inverse, v, i, z);
    }
    return d4_sum(sum);
}

/* y_i = w D^-1 (r - L y)_i */
VO_INLINE void sweep_forward(const vo_sweep *s, int i) {
    vo_f4 sum = blocks_times_f4(s->a.block, s->a.column, s->lower[i], s->diagonal[i], s->z);
    vo_f4 rest = narrow(vec4_load(s->r + i)) - sum;
    f4_store(s->z + i, f4_set(s->omega) * block_times_f4(s->inverse + (size_t)i * B, rest));
}

/* z_i = y_i - w D^-1 (U z)_i; returns r_i . z_i */
VO_INLINE vo_d4 sweep_backward(const vo_sweep *s, int i) {
    vo_f4 sum = blocks_times_f4(s->a.block, s->a.column, s->diagonal[i] + 1, s->upper[i], s->z);
    vo_f4 change = f4_set(s->omega) * block_times_f4(s->inverse + (size_t)i * B, sum);
    vo_f4 z = f4_load(s->z + i) - change;
    f4_store(s->z + i, z);
    return vec4_load(s->r + i) * widen(z);
}

/* The two halves of a range do not depend on each other; a row of each by turns hides the time that
 * every row waits for the one before it. */
double VO_KERNEL(vo_sweep_rows)(const vo_sweep *given, int begin, int end) {
    const vo_sweep sweep = *given, *s = &sweep; /* z cannot alias what is ours */
    int middle = end - begin < VO_SWEEP_HALF ? end : begin + VO_SWEEP_HALF;
    for (int i = begin; i < middle; i++) {
        sweep_forward(s, i);
        if (i + VO_SWEEP_HALF < end) sweep_forward(s, i + VO_SWEEP_HALF);
    }
    vo_d4 sum = d4_set(0);
    for (int i = middle - 1; i >= begin; i--) {
        sum += sweep_backward(s, i);
        if (i + VO_SWEEP_HALF < end) sum += sweep_backward(s, i + VO_SWEEP_HALF);
    }
    return d4_sum(sum);
}

void VO_KERNEL(vo_direction_rows)(float scale, const vo_float4 *z, const vo_float4 *y, int shift,
                                  const int *free_row, double beta, int begin, int end,
                                  vo_vec4 *p) {
    vo_d4 s = d4_set(scale), b = d4_set(beta);
    for (int i = begin; i < end; i++) {
        vo_d4 v = s * widen(f4_load(z + i));
        if (y && free_row[i]) v += widen(f4_load(y + (i >> shift)));
        vec4_store(p + i, v + b * vec4_load(p + i));
    }
}
