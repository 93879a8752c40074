/* Limits of the principal stretches of four faces at once, for the files *_kernel.c. Same formulas
 * as stretch_limit.c, against which it is tested. */
#ifndef VO_MATERIAL_STRETCH_LIMIT_LANES_H
#define VO_MATERIAL_STRETCH_LIMIT_LANES_H

#include "material/stretch_lanes.h"
#include "material/stretch_limit.h"

typedef struct vo_limit4 {
    vo_d4 min2, max2; /* squared limits; infinite: none */
    vo_d4 stiffness;  /* N/m */
} vo_limit4;

/* A principal direction n = (u, v) of four faces and the excess of its stretch. */
typedef struct vo_violation4 {
    vo_d4 u, v;
    vo_p4 direction; /* F n, normalised */
    vo_d4 length;    /* |F n| */
    vo_d4 excess; /* positive above the upper limit, negative below the lower one, 0 in between */
} vo_violation4;

/* F^T F minus the offset: its eigenvalues are the squared effective stretches. */
VO_INLINE vo_sym24 vo_limit4_gram(const vo_stretch4 *in, vo_map4 f) {
    vo_sym24 gram = vo_stretch4_gram(f);
    return (vo_sym24){gram.uu - 2 * in->offset[0], gram.uv - 2 * in->offset[1],
                      gram.vv - 2 * in->offset[2]};
}

/* Widens the limits towards the stretches of an earlier deformation gradient by the fraction
 * `grace`, 0 to 1. */
VO_INLINE void vo_limit4_widen(const vo_stretch4 *in, vo_map4 before, vo_d4 grace,
                               vo_limit4 *limit) {
    vo_d4 mean, radius;
    vo_sym24_eigen(vo_limit4_gram(in, before), &mean, &radius);
    vo_d4 large = mean + radius, small = mean - radius;
    limit->max2 =
        d4_select(large > limit->max2, limit->max2 + grace * (large - limit->max2), limit->max2);
    limit->min2 =
        d4_select(small < limit->min2, limit->min2 + grace * (small - limit->min2), limit->min2);
}

/* Violation along direction (u, v), whose squared effective stretch is `square`. */
VO_INLINE vo_violation4 vo_limit4_along(const vo_limit4 *limit, vo_map4 f, vo_d4 u, vo_d4 v,
                                        vo_d4 square) {
    vo_p4 stretched = p4_add(p4_scale(u, f.u), p4_scale(v, f.v));
    vo_d4 length2 = p4_dot(stretched, stretched), length = d4_sqrt(length2);
    vo_d4 bound = d4_max(d4_min(square, limit->max2), limit->min2);
    vo_d4 target = d4_sqrt(d4_max(length2 + (bound - square), d4_set(0)));
    vo_d4 safe = d4_max(length, d4_set(VO_MIN_STRETCH));
    return (vo_violation4){u, v, p4_scale(1 / safe, stretched), safe, length - target};
}

/* Both principal directions, from the half angle of the eigenvector. */
VO_INLINE void vo_limit4_find(const vo_stretch4 *in, const vo_limit4 *limit, vo_map4 f,
                              vo_violation4 out[2]) {
    vo_sym24 gram = vo_limit4_gram(in, f);
    vo_d4 mean, radius;
    vo_sym24_eigen(gram, &mean, &radius);
    vo_d4 cosine = d4_select(radius > 0, 0.5 * (gram.uu - gram.vv) / radius, d4_set(1));
    vo_d4 u = d4_sqrt(d4_max(0.5 * (1 + cosine), d4_set(0)));
    vo_d4 v = d4_sqrt(d4_max(0.5 * (1 - cosine), d4_set(0)));
    v = d4_select(gram.uv < 0, -v, v);
    out[0] = vo_limit4_along(limit, f, u, v, mean + radius);
    out[1] = vo_limit4_along(limit, f, -v, u, mean - radius);
}

/* Larger absolute excess of both directions. */
VO_INLINE vo_d4 vo_limit4_excess(const vo_violation4 violation[2]) {
    return d4_max(d4_abs(violation[0].excess), d4_abs(violation[1].excess));
}

/* Adds the force of a direction and its Hessian blocks of corners 1 and 2. */
VO_INLINE void vo_limit4_add(const vo_stretch4 *in, const vo_limit4 *limit, const vo_violation4 *b,
                             vo_stretch4_out *out) {
    const vo_d4 zero = d4_set(0);
    vo_d4 k = d4_select(b->excess != zero, in->area * limit->stiffness, zero);
    vo_d4 tension = k * b->excess, across = d4_max(tension, zero) / b->length;
    vo_d4 d1 = in->inverse[0] * b->u + in->inverse[1] * b->v;
    vo_d4 d2 = in->inverse[2] * b->u + in->inverse[3] * b->v;
    out->force[0] = p4_add(out->force[0], p4_scale(tension * (d1 + d2), b->direction));
    out->force[1] = p4_sub(out->force[1], p4_scale(tension * d1, b->direction));
    out->force[2] = p4_sub(out->force[2], p4_scale(tension * d2, b->direction));
    const vo_d4 e[3] = {b->direction.x, b->direction.y, b->direction.z},
                weight[3] = {d1 * d1, d2 * d2, d1 * d2};
    static const int number[3] = {1, 2, 5};
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) {
            vo_d4 *column = out->hessian[number[i]] + 3 * c;
            vo_d4 scale = (k - across) * weight[i] * e[c];
            for (int r = 0; r < 3; r++) column[r] += scale * e[r];
            column[c] += across * weight[i];
        }
}

#endif
