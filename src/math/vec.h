/* Vectors of two and three doubles, by value. */
#ifndef VO_MATH_VEC_H
#define VO_MATH_VEC_H

#include <voile/base.h>

#include <math.h>

#define VO_PI 3.14159265358979323846

static inline double vo_min(double a, double b) { return a < b ? a : b; }
static inline double vo_max(double a, double b) { return a > b ? a : b; }
static inline double vo_clamp(double x, double low, double high) {
    return vo_min(vo_max(x, low), high);
}
static inline int vo_min_int(int a, int b) { return a < b ? a : b; }
static inline int vo_max_int(int a, int b) { return a > b ? a : b; }

static inline vo_vec2 v2(double x, double y) { return (vo_vec2){x, y}; }
static inline vo_vec2 v2_add(vo_vec2 a, vo_vec2 b) { return v2(a.x + b.x, a.y + b.y); }
static inline vo_vec2 v2_sub(vo_vec2 a, vo_vec2 b) { return v2(a.x - b.x, a.y - b.y); }
static inline vo_vec2 v2_scale(double s, vo_vec2 a) { return v2(s * a.x, s * a.y); }
static inline double v2_dot(vo_vec2 a, vo_vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double v2_cross(vo_vec2 a, vo_vec2 b) { return a.x * b.y - a.y * b.x; }
static inline double v2_length(vo_vec2 a) { return sqrt(v2_dot(a, a)); }

static inline vo_vec3 v3(double x, double y, double z) { return (vo_vec3){x, y, z}; }
static inline vo_vec3 v3_zero(void) { return v3(0, 0, 0); }
static inline vo_vec3 v3_add(vo_vec3 a, vo_vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vo_vec3 v3_sub(vo_vec3 a, vo_vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vo_vec3 v3_scale(double s, vo_vec3 a) { return v3(s * a.x, s * a.y, s * a.z); }
static inline vo_vec3 v3_negate(vo_vec3 a) { return v3(-a.x, -a.y, -a.z); }
/* a + s b */
static inline vo_vec3 v3_add_scaled(vo_vec3 a, double s, vo_vec3 b) {
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline vo_vec3 v3_lerp(vo_vec3 a, vo_vec3 b, double t) {
    return v3_add_scaled(a, t, v3_sub(b, a));
}
static inline double v3_dot(vo_vec3 a, vo_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vo_vec3 v3_cross(vo_vec3 a, vo_vec3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/* a . (b x c), the signed volume of the parallelepiped of three vectors. */
static inline double v3_triple(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return v3_dot(a, v3_cross(b, c));
}
/* Six times the signed volume of a tetrahedron: the apex and a face. Their sum over the faces of a
 * closed surface is six times the enclosed volume, negative for inward faces. */
static inline double v3_tetrahedron6(vo_vec3 apex, vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return v3_triple(v3_sub(a, apex), v3_sub(b, apex), v3_sub(c, apex));
}
static inline double v3_length2(vo_vec3 a) { return v3_dot(a, a); }
static inline double v3_length(vo_vec3 a) { return sqrt(v3_dot(a, a)); }
static inline double v3_distance(vo_vec3 a, vo_vec3 b) { return v3_length(v3_sub(a, b)); }
/* The zero vector stays zero. */
static inline vo_vec3 v3_normalize(vo_vec3 a) {
    double length = v3_length(a);
    return length > 0 ? v3_scale(1 / length, a) : a;
}
/* Angle between unit vectors, rad; accurate for small and large angles (Kahan 2006, "How futile are
 * mindless assessments of roundoff", 12). */
static inline double v3_unit_angle(vo_vec3 a, vo_vec3 b) {
    return 2 * atan2(v3_length(v3_sub(a, b)), v3_length(v3_add(a, b)));
}
static inline bool v3_equal(vo_vec3 a, vo_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
static inline bool v3_is_finite(vo_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline vo_vec3 v3_min(vo_vec3 a, vo_vec3 b) {
    return v3(vo_min(a.x, b.x), vo_min(a.y, b.y), vo_min(a.z, b.z));
}
static inline vo_vec3 v3_max(vo_vec3 a, vo_vec3 b) {
    return v3(vo_max(a.x, b.x), vo_max(a.y, b.y), vo_max(a.z, b.z));
}

#endif
