/* Rotations as unit quaternions, and similarity transforms. */
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
/* Returns the rotation with the orthonormal, right-handed columns a, b and c: the images of the x,
 * y and z axes. The branches avoid division by a small component (Shepperd 1978). */
static inline vo_quat q_from_axes(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    vo_quat q;
    if (a.x + b.y + c.z > 0)
        q = (vo_quat){1 + a.x + b.y + c.z, b.z - c.y, c.x - a.z, a.y - b.x};
    else if (a.x >= b.y && a.x >= c.z)
        q = (vo_quat){b.z - c.y, 1 + a.x - b.y - c.z, a.y + b.x, a.z + c.x};
    else if (b.y >= c.z)
        q = (vo_quat){c.x - a.z, a.y + b.x, 1 + b.y - a.x - c.z, b.z + c.y};
    else
        q = (vo_quat){a.y - b.x, a.z + c.x, b.z + c.y, 1 + c.z - a.x - b.y};
    return q_normalize(q);
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
/* Composition: applies b first, then a. */
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
