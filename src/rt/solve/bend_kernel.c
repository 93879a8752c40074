/* Dihedral bending, eight elements at a time.
 *
 * Energy of an element: 1/2 k (3 l^2 / A) (theta - theta_0)^2 (Grinspun et al., Discrete Shells,
 * 2003). A pass applies the impulse of the moment during the interval since the last pass, as a
 * displacement of the predicted positions, and never more than the projection of
 * C = theta - theta_0. That is exact below the projection, where the XPBD formula would divide the
 * stiffness k by 1 + k h^2 sum w |grad|^2. The bend angle is 0 for flat cloth
 * and positive if the triangles rise from a valley along the edge. With e = b - a, n_1 = e x (c -
 * a) and n_2 = (d - a) x e, theta = atan2(|e| n_1 . (d - a), n_1 . n_2) grad_c = |e| n_1 / |n_1|^2,
 * grad_d = |e| n_2 / |n_2|^2 grad_a = -(1 - t_1) grad_c - (1 - t_2) grad_d,  grad_b = -t_1 grad_c -
 * t_2 grad_d, where t_1 and t_2 are the positions of c and d along the edge. The gradients are
 * finite at every angle, flat and folded; elements with a triangle without area exert no force. */
#include "math/simd_float.h"

#include "rt/solve/kernels.h"

/* Squared lengths (m^2) and squared doubled areas (m^4) at or below these are degenerate: edges of
 * a micrometre, areas of 0.5 nm^2. */
static const float LEAST_LENGTH2 = 1e-12f, LEAST_NORMAL2 = 1e-24f;

/* Largest fraction of the exact projection: elements share vertices, so that more would overshoot.
 * Small triangles of a refined mesh are at this bound. */
static const float MAX_PROJECTION = 0.7f;

static const float PI = 3.14159265f;

/* theta - theta_0 in [-pi, pi]. */
VO_INLINE vo_f8 subtract_angles(vo_f8 theta, vo_f8 rest) {
    vo_f8 c = theta - rest;
    c = f8_select(c > f8_set(PI), c - f8_set(2 * PI), c);
    return f8_select(c < f8_set(-PI), c + f8_set(2 * PI), c);
}

VO_INLINE void project_group(vo_rt_vec4 *position, const vo_rt_bend_group *g, float stiffness,
                             float scale) {
    vo_f8 wa, wb, wc, wd;
    vo_v8 a = v8_gather(position, g->a, &wa), b = v8_gather(position, g->b, &wb);
    vo_v8 c = v8_gather(position, g->c, &wc), d = v8_gather(position, g->d, &wd);
    vo_v8 e = v8_sub(b, a), ac = v8_sub(c, a), ad = v8_sub(d, a);
    vo_v8 n1 = v8_cross(e, ac), n2 = v8_cross(ad, e);
    vo_f8 l2 = v8_dot(e, e), n11 = v8_dot(n1, n1), n22 = v8_dot(n2, n2);
    vo_m8 valid = (l2 > f8_set(LEAST_LENGTH2)) & (n11 > f8_set(LEAST_NORMAL2)) &
                  (n22 > f8_set(LEAST_NORMAL2));
    const vo_f8 one = f8_set(1);
    l2 = f8_select(valid, l2, one);
    vo_f8 l = f8_sqrt(l2), inverse_l2 = one / l2;

    vo_f8 theta = f8_atan2(l * v8_dot(n1, ad), v8_dot(n1, n2));
    vo_f8 angle = subtract_angles(theta, f8_load(g->rest));

    vo_v8 gc = v8_scale(l / f8_select(valid, n11, one), n1);
    vo_v8 gd = v8_scale(l / f8_select(valid, n22, one), n2);
    vo_f8 t1 = v8_dot(ac, e) * inverse_l2, t2 = v8_dot(ad, e) * inverse_l2;
    vo_v8 gb = v8_add_scaled(v8_scale(t1, gc), t2, gd); /* negated, like ga */
    vo_v8 ga = v8_sub(v8_add(gc, gd), gb);

    /* lambda = C k h^2, at most the fraction MAX_PROJECTION of the exact projection */
    vo_f8 w = wa * v8_dot(ga, ga) + wb * v8_dot(gb, gb) + wc * v8_dot(gc, gc) + wd * v8_dot(gd, gd);
    vo_f8 k = f8_set(stiffness) * f8_load(g->stiffness);
    k = f8_min(k, f8_divide(f8_set(MAX_PROJECTION), w, 1e-30f));
    vo_f8 lambda = f8_mask(valid, f8_set(scale) * angle * k);

    v8_scatter(position, g->a, v8_add_scaled(a, lambda * wa, ga), wa);
    v8_scatter(position, g->b, v8_add_scaled(b, lambda * wb, gb), wb);
    v8_scatter(position, g->c, v8_add_scaled(c, -(lambda * wc), gc), wc);
    v8_scatter(position, g->d, v8_add_scaled(d, -(lambda * wd), gd), wd);
}

void VO_KERNEL(vo_rt_project_bends)(vo_rt_front *front, const vo_rt_bend_pass *pass) {
    VO_RT_FOR_GROUPS(i, front->bend_group_count) {
        project_group(front->position, &front->bends[i], pass->stiffness, pass->scale);
    }
}
