/* Rotations as unit quaternions, and the similarity transforms that motions are made of. */
#ifndef VO_MATH_QUAT_H
#define VO_MATH_QUAT_H

#include "math/vec.h"

/* Scalar part first, as in motion files. */
typedef struct vo_quat {
    double w, x, y, z;
} vo_quat;

static inline vo_quat q_identity(void) { return (vo_quat){1, 0, 0, 0}; }
static inline vo_quat q_add(vo_quat a, vo_quat b) {
    return (vo_quat){a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vo_quat q_scale(double s, vo_quat q) {
    return (vo_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
static inline double q_dot(vo_quat a, vo_quat b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vo_quat q_normalize(vo_quat q) {
    double n = sqrt(q_dot(q, q));
    return n > 0 ? q_scale(1 / n, q) : q_identity();
}
static inline vo_quat q_mul(vo_quat a, vo_quat b) {
    return (vo_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline vo_quat q_conjugate(vo_quat q) { return (vo_quat){q.w, -q.x, -q.y, -q.z}; }
/* A zero axis gives the identity. */
static inline vo_quat q_axis_angle(vo_vec3 axis, double radians) {
    if (v3_length2(axis) == 0) return q_identity();
    vo_vec3 a = v3_scale(sin(radians / 2), v3_normalize(axis));
    return (vo_quat){cos(radians / 2), a.x, a.y, a.z};
}
static inline vo_vec3 q_rotate(vo_quat q, vo_vec3 p) {
    vo_vec3 a = v3(q.x, q.y, q.z);
    vo_vec3 t = v3_scale(2, v3_cross(a, p));
    return v3_add(p, v3_add(v3_scale(q.w, t), v3_cross(a, t)));
}

/* p -> translation + scale * rotation p */
typedef struct vo_transform {
    vo_vec3 translation;
    double scale;
    vo_quat rotation;
} vo_transform;

static inline vo_transform xf_identity(void) { return (vo_transform){{0, 0, 0}, 1, {1, 0, 0, 0}}; }
static inline vo_vec3 xf_point(vo_transform t, vo_vec3 p) {
    return v3_add(t.translation, v3_scale(t.scale, q_rotate(t.rotation, p)));
}
static inline vo_vec3 xf_vector(vo_transform t, vo_vec3 p) {
    return v3_scale(t.scale, q_rotate(t.rotation, p));
}
/* First b, then a. */
static inline vo_transform xf_mul(vo_transform a, vo_transform b) {
    return (vo_transform){xf_point(a, b.translation), a.scale * b.scale,
                          q_mul(a.rotation, b.rotation)};
}
static inline vo_transform xf_inverse(vo_transform t) {
    vo_quat q = q_conjugate(t.rotation);
    double s = 1 / t.scale;
    return (vo_transform){v3_scale(-s, q_rotate(q, t.translation)), s, q};
}

#endif
