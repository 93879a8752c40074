/* Single-precision vectors, quaternions and matrices of the real-time library, by value. */
#ifndef VO_RT_BASE_VEC_H
#define VO_RT_BASE_VEC_H

#include <voile/rt.h>

#include <math.h>

/* Element of gathered arrays: three coordinates and a fourth value of the array's own. */
typedef struct vo_rt_vec4 {
    _Alignas(16) float x;
    float y, z, w;
} vo_rt_vec4;

static inline float f_min(float a, float b) { return a < b ? a : b; }
static inline float f_max(float a, float b) { return a > b ? a : b; }
static inline float f_clamp(float x, float low, float high) { return f_min(f_max(x, low), high); }

static inline vo_rt_vec2 f2(float x, float y) { return (vo_rt_vec2){x, y}; }
static inline vo_rt_vec2 f2_sub(vo_rt_vec2 a, vo_rt_vec2 b) { return f2(a.x - b.x, a.y - b.y); }
static inline vo_rt_vec2 f2_mid(vo_rt_vec2 a, vo_rt_vec2 b) {
    return f2(0.5f * (a.x + b.x), 0.5f * (a.y + b.y));
}
static inline float f2_cross(vo_rt_vec2 a, vo_rt_vec2 b) { return a.x * b.y - a.y * b.x; }
static inline float f2_length(vo_rt_vec2 a) { return sqrtf(a.x * a.x + a.y * a.y); }

static inline vo_rt_vec3 f3(float x, float y, float z) { return (vo_rt_vec3){x, y, z}; }
static inline vo_rt_vec3 f3_add(vo_rt_vec3 a, vo_rt_vec3 b) {
    return f3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline vo_rt_vec3 f3_sub(vo_rt_vec3 a, vo_rt_vec3 b) {
    return f3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline vo_rt_vec3 f3_scale(float s, vo_rt_vec3 a) { return f3(s * a.x, s * a.y, s * a.z); }
/* a + s b */
static inline vo_rt_vec3 f3_add_scaled(vo_rt_vec3 a, float s, vo_rt_vec3 b) {
    return f3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline vo_rt_vec3 f3_lerp(vo_rt_vec3 a, vo_rt_vec3 b, float t) {
    return f3_add_scaled(a, t, f3_sub(b, a));
}
static inline float f3_dot(vo_rt_vec3 a, vo_rt_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vo_rt_vec3 f3_cross(vo_rt_vec3 a, vo_rt_vec3 b) {
    return f3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float f3_length2(vo_rt_vec3 a) { return f3_dot(a, a); }
static inline float f3_length(vo_rt_vec3 a) { return sqrtf(f3_dot(a, a)); }
static inline float f3_distance(vo_rt_vec3 a, vo_rt_vec3 b) { return f3_length(f3_sub(a, b)); }
/* The zero vector stays zero. */
static inline vo_rt_vec3 f3_normalize(vo_rt_vec3 a) {
    float length = f3_length(a);
    return length > 0 ? f3_scale(1 / length, a) : a;
}
static inline bool f3_is_finite(vo_rt_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline vo_rt_vec3 f3_min(vo_rt_vec3 a, vo_rt_vec3 b) {
    return f3(f_min(a.x, b.x), f_min(a.y, b.y), f_min(a.z, b.z));
}
static inline vo_rt_vec3 f3_max(vo_rt_vec3 a, vo_rt_vec3 b) {
    return f3(f_max(a.x, b.x), f_max(a.y, b.y), f_max(a.z, b.z));
}

static inline vo_rt_vec3 f4_xyz(vo_rt_vec4 a) { return f3(a.x, a.y, a.z); }
static inline vo_rt_vec4 f4_make(vo_rt_vec3 a, float w) {
    return (vo_rt_vec4){.x = a.x, .y = a.y, .z = a.z, .w = w};
}

static inline vo_rt_quat fq_mul(vo_rt_quat a, vo_rt_quat b) {
    return (vo_rt_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline vo_rt_quat fq_conjugate(vo_rt_quat q) { return (vo_rt_quat){-q.x, -q.y, -q.z, q.w}; }
static inline vo_rt_vec3 fq_rotate(vo_rt_quat q, vo_rt_vec3 v) {
    vo_rt_vec3 u = f3(q.x, q.y, q.z);
    vo_rt_vec3 t = f3_scale(2, f3_cross(u, v));
    return f3_add(f3_add_scaled(v, q.w, t), f3_cross(u, t));
}
static inline vo_rt_vec3 ft_apply(vo_rt_transform t, vo_rt_vec3 p) {
    return f3_add(t.position, fq_rotate(t.rotation, p));
}
static inline vo_rt_vec3 ft_apply_inverse(vo_rt_transform t, vo_rt_vec3 p) {
    return fq_rotate(fq_conjugate(t.rotation), f3_sub(p, t.position));
}
static inline vo_rt_vec3 fm_apply(const vo_rt_matrix *a, vo_rt_vec3 p) {
    const float *m = a->m;
    return f3(m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3],
              m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
              m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]);
}

#endif
