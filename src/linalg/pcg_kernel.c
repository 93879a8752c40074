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

void VO_KERNEL(vo_direction_rows)(const vo_float4 *z, double beta, int begin, int end, vo_vec4 *p) {
    vo_d4 b = d4_set(beta);
    for (int i = begin; i < end; i++)
        vec4_store(p + i, widen(f4_load(z + i)) + b * vec4_load(p + i));
}
