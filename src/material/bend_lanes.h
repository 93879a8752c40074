/* Bending of four hinges or faces at once, for the files *_kernel.c. Same formulas as bend.c,
 * against which it is tested; nodes 0 and 1 of a hinge are the edge, 2 and 3 opposite. */
#ifndef VO_MATERIAL_BEND_LANES_H
#define VO_MATERIAL_BEND_LANES_H

#include "material/bend.h"
#include "math/simd_atan2.h"

/* Mask of faces with a usable normal (bend.h). */
VO_INLINE vo_i4 vo_bend4_has_normal(vo_d4 n2, vo_d4 e2, vo_p4 a) {
    return (n2 > d4_set(VO_HINGE_MIN_NORMAL2)) & (n2 > VO_HINGE_MIN_SINE2 * (e2 * p4_dot(a, a)));
}

/* Angle and gradient; both zero for a degenerate face. */
VO_INLINE vo_d4 vo_bend4_angle(const vo_p4 x[4], vo_p4 gradient[4]) {
    const vo_d4 zero = d4_set(0);
    vo_p4 e = p4_sub(x[1], x[0]), a = p4_sub(x[2], x[0]), b = p4_sub(x[3], x[0]);
    vo_p4 n0 = p4_cross(e, a), n1 = p4_cross(b, e);
    vo_d4 e2 = p4_dot(e, e), length = d4_sqrt(e2);
    vo_d4 n02 = p4_dot(n0, n0), n12 = p4_dot(n1, n1);
    vo_i4 is_valid = vo_bend4_has_normal(n02, e2, a) & vo_bend4_has_normal(n12, e2, b);

    vo_d4 scale = d4_select(is_valid, -length, zero), one = d4_set(1);
    vo_p4 g2 = p4_scale(scale / d4_select(is_valid, n02, one), n0);
    vo_p4 g3 = p4_scale(scale / d4_select(is_valid, n12, one), n1);
    vo_d4 per_length2 = one / d4_select(is_valid, e2, one);
    vo_d4 foot2 = p4_dot(a, e) * per_length2, foot3 = p4_dot(b, e) * per_length2;
    gradient[1] = p4_scale(d4_set(-1), p4_add(p4_scale(foot2, g2), p4_scale(foot3, g3)));
    gradient[2] = g2;
    gradient[3] = g3;
    gradient[0] = p4_scale(d4_set(-1), p4_add(gradient[1], p4_add(g2, g3)));
    return d4_atan2(scale * p4_dot(n0, b), d4_select(is_valid, p4_dot(n0, n1), one));
}

/* Rate of the angle, rad/s. */
VO_INLINE vo_d4 vo_bend4_rate(const vo_p4 gradient[4], const vo_p4 v[4]) {
    return p4_dot(gradient[1], p4_sub(v[1], v[0])) + p4_dot(gradient[2], p4_sub(v[2], v[0])) +
           p4_dot(gradient[3], p4_sub(v[3], v[0]));
}

/* Curvature tensors of four faces from the bend angles at their edges: Kuu, Kvv, Kuv. */
VO_INLINE void vo_bend4_curvature(const vo_d4 basis[3][3], const vo_d4 bend[3], vo_d4 k[3]) {
    for (int c = 0; c < 3; c++)
        k[c] = basis[0][c] * bend[0] + basis[1][c] * bend[1] + basis[2][c] * bend[2];
}

/* Moments area basis_i . (d k) of four faces about their edges, N m. */
VO_INLINE void vo_bend4_moments(vo_d4 area, const vo_d4 basis[3][3], const vo_d4 d[3],
                                const vo_d4 k[3], vo_d4 moment[3]) {
    for (int i = 0; i < 3; i++)
        moment[i] = area * (basis[i][0] * (d[0] * k[0]) + basis[i][1] * (d[1] * k[1]) +
                            basis[i][2] * (d[2] * k[2]));
}

/* vo_bend_weights of four faces. */
VO_INLINE void vo_bend4_weights(vo_d4 area, const vo_d4 basis[3][3], const vo_d4 d[3],
                                vo_d4 weight[3]) {
    for (int i = 0; i < 3; i++) {
        weight[i] = d4_set(0);
        for (int j = 0; j < 3; j++)
            weight[i] +=
                area * d4_abs(d[0] * basis[i][0] * basis[j][0] + d[1] * basis[i][1] * basis[j][1] +
                              d[2] * basis[i][2] * basis[j][2]);
    }
}

#endif
