/* Bending of four hinges at once, for the files *_kernel.c. The formulas are those of bend.c, which
 * it is tested against; nodes 0 and 1 are the edge, 2 and 3 opposite. */
#ifndef VO_MATERIAL_BEND_LANES_H
#define VO_MATERIAL_BEND_LANES_H

#include "material/bend.h"
#include "math/simd_atan2.h"

typedef struct vo_bend4 {
    vo_d4 shape;                        /* l^2/A of the rest mesh */
    vo_d4 rest_angle;                   /* rad */
    vo_d4 rigidity[VO_BEND_CURVATURES]; /* samples by curvature, with multipliers, N m */
    vo_d4 curvature_scale;              /* l/A, 1/m */
    vo_d4 tau;                          /* time step + stiffness-proportional damping, s */
} vo_bend4;

typedef struct vo_bend4_out {
    vo_p4 force[4];    /* -weight (angle - rest + tau d angle/dt) gradient, N */
    vo_p4 gradient[4]; /* d angle/dx, 1/m */
    vo_d4 weight;      /* B l^2/A, N m: the Hessian is weight gradient gradient^T */
} vo_bend4_out;

/* B at |curvature|: a sum of ramps, each one step long, so that no lane has to branch. */
VO_INLINE vo_d4 vo_bend4_rigidity(const vo_d4 rigidity[VO_BEND_CURVATURES], vo_d4 curvature) {
    vo_d4 position = d4_abs(curvature) * (1 / VO_BEND_STEP);
    vo_d4 b = rigidity[0];
    for (int i = 1; i < VO_BEND_CURVATURES; i++) {
        vo_d4 ramp = d4_min(d4_max(position - (double)(i - 1), d4_set(0)), d4_set(1));
        b += ramp * (rigidity[i] - rigidity[i - 1]);
    }
    return b;
}

/* A face that has a normal (bend.h says when). */
VO_INLINE vo_i4 vo_bend4_has_normal(vo_d4 n2, vo_d4 e2, vo_p4 a) {
    return (n2 > d4_set(VO_HINGE_TINY)) & (n2 > VO_HINGE_THIN * (e2 * p4_dot(a, a)));
}

/* The angle and its gradient; both zero where a face is degenerate. */
VO_INLINE vo_d4 vo_bend4_angle(const vo_p4 x[4], vo_p4 gradient[4]) {
    const vo_d4 zero = d4_set(0);
    vo_p4 e = p4_sub(x[1], x[0]), a = p4_sub(x[2], x[0]), b = p4_sub(x[3], x[0]);
    vo_p4 n0 = p4_cross(e, a), n1 = p4_cross(b, e);
    vo_d4 e2 = p4_dot(e, e), length = d4_sqrt(e2);
    vo_d4 n02 = p4_dot(n0, n0), n12 = p4_dot(n1, n1);
    vo_i4 sound = vo_bend4_has_normal(n02, e2, a) & vo_bend4_has_normal(n12, e2, b);

    vo_d4 scale = d4_select(sound, -length, zero), one = d4_set(1);
    vo_p4 g2 = p4_scale(scale / d4_select(sound, n02, one), n0);
    vo_p4 g3 = p4_scale(scale / d4_select(sound, n12, one), n1);
    vo_d4 per_length2 = one / d4_select(sound, e2, one);
    vo_d4 foot2 = p4_dot(a, e) * per_length2, foot3 = p4_dot(b, e) * per_length2;
    gradient[1] = p4_scale(d4_set(-1), p4_add(p4_scale(foot2, g2), p4_scale(foot3, g3)));
    gradient[2] = g2;
    gradient[3] = g3;
    gradient[0] = p4_scale(d4_set(-1), p4_add(gradient[1], p4_add(g2, g3)));
    return d4_atan2(scale * p4_dot(n0, b), d4_select(sound, p4_dot(n0, n1), one));
}

/* Lanes may be empty: zero rigidity gives zero force and weight. */
VO_INLINE void vo_bend4_eval(const vo_bend4 *in, const vo_p4 x[4], const vo_p4 v[4],
                             vo_bend4_out *out) {
    vo_d4 angle = vo_bend4_angle(x, out->gradient);
    vo_d4 rate = p4_dot(out->gradient[1], p4_sub(v[1], v[0])) +
                 p4_dot(out->gradient[2], p4_sub(v[2], v[0])) +
                 p4_dot(out->gradient[3], p4_sub(v[3], v[0]));
    out->weight = in->shape * vo_bend4_rigidity(in->rigidity, angle * in->curvature_scale);
    vo_d4 moment = -out->weight * (angle - in->rest_angle + in->tau * rate);
    for (int i = 0; i < 4; i++) out->force[i] = p4_scale(moment, out->gradient[i]);
}

#endif
