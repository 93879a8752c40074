/* Small matrices by value: 2x2, symmetric 2x2, 3x2 (deformation gradients) and 3x3. */
#ifndef VO_MATH_MAT_H
#define VO_MATH_MAT_H

#include "math/vec.h"

/* Row-major: [a b; c d]. */
typedef struct vo_mat2 {
    double a, b, c, d;
} vo_mat2;

/* Symmetric: [xx xy; xy yy]. */
typedef struct vo_sym2 {
    double xx, xy, yy;
} vo_sym2;

/* Linear map from material space to world space, by columns: the images of the U and V axes. */
typedef struct vo_mat32 {
    vo_vec3 u, v;
} vo_mat32;

/* Stored by rows. */
typedef struct vo_mat3 {
    vo_vec3 row[3];
} vo_mat3;

static inline double m2_det(vo_mat2 m) { return m.a * m.d - m.b * m.c; }
/* Precondition: the determinant is not zero. */
static inline vo_mat2 m2_inverse(vo_mat2 m) {
    double s = 1 / m2_det(m);
    return (vo_mat2){s * m.d, -s * m.b, -s * m.c, s * m.a};
}
static inline vo_vec2 m2_mul(vo_mat2 m, vo_vec2 p) {
    return v2(m.a * p.x + m.b * p.y, m.c * p.x + m.d * p.y);
}

/* [e1 e2] m for two world vectors e1, e2. */
static inline vo_mat32 m32_mul_m2(vo_vec3 e1, vo_vec3 e2, vo_mat2 m) {
    return (vo_mat32){v3_add(v3_scale(m.a, e1), v3_scale(m.c, e2)),
                      v3_add(v3_scale(m.b, e1), v3_scale(m.d, e2))};
}
/* FᵀF */
static inline vo_sym2 m32_gram(vo_mat32 f) {
    return (vo_sym2){v3_dot(f.u, f.u), v3_dot(f.u, f.v), v3_dot(f.v, f.v)};
}

static inline vo_mat3 m3_identity(void) { return (vo_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline vo_mat3 m3_scale(double s, vo_mat3 m) {
    return (vo_mat3){{v3_scale(s, m.row[0]), v3_scale(s, m.row[1]), v3_scale(s, m.row[2])}};
}
static inline vo_mat3 m3_add(vo_mat3 a, vo_mat3 b) {
    return (vo_mat3){
        {v3_add(a.row[0], b.row[0]), v3_add(a.row[1], b.row[1]), v3_add(a.row[2], b.row[2])}};
}
static inline vo_vec3 m3_mul(vo_mat3 m, vo_vec3 p) {
    return v3(v3_dot(m.row[0], p), v3_dot(m.row[1], p), v3_dot(m.row[2], p));
}
static inline vo_mat3 m3_outer(vo_vec3 a, vo_vec3 b) {
    return (vo_mat3){{v3_scale(a.x, b), v3_scale(a.y, b), v3_scale(a.z, b)}};
}
static inline vo_mat3 m3_transpose(vo_mat3 m) {
    return (vo_mat3){{{m.row[0].x, m.row[1].x, m.row[2].x},
                      {m.row[0].y, m.row[1].y, m.row[2].y},
                      {m.row[0].z, m.row[1].z, m.row[2].z}}};
}

/* Eigenvalues (larger first) and the unit eigenvector of the larger; the other one is its left
 * perpendicular (-y, x). */
typedef struct vo_eigen2 {
    double lambda_max, lambda_min;
    vo_vec2 axis;
} vo_eigen2;
vo_eigen2 vo_sym2_eigen(vo_sym2 m);

/* F = [left0 left1] diag(s0, s1) [right0 right1]ᵀ with s0 >= s1 >= 0 and right1 the left
 * perpendicular of right0; left1 is zero where F has rank one. */
typedef struct vo_svd32 {
    vo_vec3 left[2];
    double stretch[2];
    vo_vec2 right[2];
} vo_svd32;
vo_svd32 vo_mat32_svd(vo_mat32 f);

#endif
