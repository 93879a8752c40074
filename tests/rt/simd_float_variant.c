#include "simd_float_variant.h"

#include "math/simd_float.h"

static void put_scalar(float *to, float value) {
    for (int k = 0; k < 8; k++) to[k] = value;
}

static void run_elementary(simd_case *s, vo_f8 a, vo_f8 b, vo_f8 c) {
    f8_store(s->result[0], f8_select(a < b, a, c));
    f8_store(s->result[1], f8_mask(a < b, a));
    f8_store(s->result[2], f8_min(a, b));
    f8_store(s->result[3], f8_max(a, b));
    f8_store(s->result[4], f8_sqrt(f8_abs(a)));
    f8_store(s->result[5], f8_rsqrt(f8_abs(b)));
    f8_store(s->result[6], f8_divide(a, b, 0.25f));
    f8_store(s->result[7], f8_atan2(a, b));
    f8_store(s->result[8], f8_clamp(a, b, c));
    put_scalar(s->result[9], (float)m8_bits(a < b));
    put_scalar(s->result[10], m8_any(a > c) ? 1 : 0);
    put_scalar(s->result[11], m8_all(a > c) ? 1 : 0);
    put_scalar(s->result[12], f8_sum(a));
    put_scalar(s->result[13], f8_max_lane(a));
}

static void run_vectors(simd_case *s, vo_f8 a, vo_f8 b, vo_f8 c) {
    vo_f8 w;
    vo_v8 v = v8_gather(s->element, s->index, &w);
    vo_v8 n = v8_cross(v, v8_add_scaled((vo_v8){a, b, c}, w, v8_set(1, 2, 3)));
    vo_v8 d = v8_sub(v8_add(v, n), v8_scale(b, n));
    f8_store(s->result[14], v.x);
    f8_store(s->result[15], v.y);
    f8_store(s->result[16], v.z);
    f8_store(s->result[17], w);
    f8_store(s->result[18], v8_dot(n, d));
    f8_store(s->result[19], (vo_f8)m8_load(s->index));
    v8_scatter(s->element, s->index, d, w + a);
}

void VO_KERNEL(simd_run)(simd_case *s) {
    vo_f8 a = f8_load(s->a), b = f8_load(s->b), c = f8_load(s->c);
    run_elementary(s, a, b, c);
    run_vectors(s, a, b, c);
}
