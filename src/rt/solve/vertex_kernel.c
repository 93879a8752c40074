/* Prediction and velocity update, two vertices (eight floats) at a time. */
#include "math/simd_float.h"

#include "rt/solve/kernels.h"

#include <float.h>

/* The fourth value of each of two elements in all its lanes. */
VO_INLINE vo_f8 spread_w(vo_f8 a) { return __builtin_shufflevector(a, a, 3, 3, 3, 3, 7, 7, 7, 7); }
/* Sum of the four values of each of two elements, in all its lanes. */
VO_INLINE vo_f8 sum_element(vo_f8 a) {
    vo_f8 b = a + __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6);
    return b + __builtin_shufflevector(b, b, 2, 3, 0, 1, 6, 7, 4, 5);
}

typedef struct predict_constants {
    vo_f8 h, inverse_h, retention, kick, max_speed, max_speed2;
    vo_m8 xyz; /* lanes of coordinates */
    bool is_first;
} predict_constants;

static predict_constants prepare(const vo_rt_substep *s, bool is_first) {
    vo_rt_vec3 g = f3_scale(s->h, s->acceleration);
    return (predict_constants){.h = f8_set(s->h),
                               .inverse_h = f8_set(s->inverse_h),
                               .retention = f8_set(s->retention),
                               .kick = {g.x, g.y, g.z, 0, g.x, g.y, g.z, 0},
                               .max_speed = f8_set(s->max_speed),
                               .max_speed2 = f8_set(s->max_speed * s->max_speed),
                               .xyz = {-1, -1, -1, 0, -1, -1, -1, 0},
                               .is_first = is_first};
}

/* Limits the lengths of two velocities whose fourth values are 0; adds to *clamped. */
VO_INLINE vo_f8 clamp_speed(const predict_constants *c, vo_f8 v, int *clamped) {
    vo_f8 speed2 = sum_element(v * v);
    vo_m8 fast = speed2 > c->max_speed2;
    unsigned bits = m8_bits(fast) & 0x11;
    if (!bits) return v;
    *clamped += (int)(bits & 1) + (int)(bits >> 4);
    return f8_select(fast, v * (c->max_speed / f8_sqrt(speed2)), v);
}

VO_INLINE void predict_pair(const predict_constants *c, float *position, float *velocity,
                            int *clamped) {
    vo_f8 x = f8_load(position), v = f8_load(velocity);
    if (!c->is_first) v = (x - v) * c->inverse_h;
    v = f8_mask(c->xyz & (spread_w(x) > f8_set(0)), c->retention * v + c->kick);
    v = clamp_speed(c, v, clamped);
    f8_store(velocity, x);
    f8_store(position, x + c->h * v);
}

int VO_KERNEL(vo_rt_predict)(vo_rt_front *front, const vo_rt_substep *substep, bool is_first) {
    predict_constants c = prepare(substep, is_first);
    int clamped = 0, i = 0;
    for (; i + 2 <= front->vertex_end; i += 2)
        predict_pair(&c, &front->position[i].x, &front->velocity[i].x, &clamped);
    if (i < front->vertex_end) {
        vo_rt_vec4 x[2] = {front->position[i]}, v[2] = {front->velocity[i]};
        predict_pair(&c, &x[0].x, &v[0].x, &clamped);
        front->position[i] = x[0];
        front->velocity[i] = v[0];
    }
    return clamped;
}

/* Sums of vo_rt_finish. */
typedef struct finish_sums {
    int clamped;
    vo_f8 max_speed2;
    vo_m8 finite;
} finish_sums;

VO_INLINE void finish_pair(const predict_constants *c, const float *position, float *velocity,
                           finish_sums *sums) {
    vo_f8 x = f8_load(position), start = f8_load(velocity);
    vo_f8 v = f8_mask(c->xyz, (x - start) * c->inverse_h);
    v = clamp_speed(c, v, &sums->clamped);
    sums->max_speed2 = f8_max(sum_element(v * v), sums->max_speed2);
    sums->finite &= f8_abs(x) <= f8_set(FLT_MAX);
    sums->finite &= f8_abs(v) <= f8_set(FLT_MAX);
    f8_store(velocity, v);
}

vo_rt_solve_result VO_KERNEL(vo_rt_finish)(vo_rt_front *front, const vo_rt_substep *substep) {
    predict_constants c = prepare(substep, false);
    finish_sums sums = {.finite = m8_set(-1)};
    int i = 0;
    for (; i + 2 <= front->vertex_end; i += 2)
        finish_pair(&c, &front->position[i].x, &front->velocity[i].x, &sums);
    if (i < front->vertex_end) {
        vo_rt_vec4 x[2] = {front->position[i]}, v[2] = {front->velocity[i]};
        finish_pair(&c, &x[0].x, &v[0].x, &sums);
        front->velocity[i] = v[0];
    }
    return (vo_rt_solve_result){.clamped_velocities = sums.clamped,
                                .is_finite = m8_all(sums.finite),
                                .max_speed = sqrtf(f8_max_lane(sums.max_speed2))};
}
