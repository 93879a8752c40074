#include "math/mat.h"

vo_eigen2 vo_sym2_eigen(vo_sym2 m) {
    double mean = 0.5 * (m.xx + m.yy), half = 0.5 * (m.xx - m.yy);
    double radius = sqrt(half * half + m.xy * m.xy);
    vo_eigen2 e = {mean + radius, mean - radius, {1, 0}};
    if (radius == 0) return e;
    /* (m - lambda_min I) has rank one; its longer column is the axis of lambda_max. */
    vo_vec2 axis = half >= 0 ? v2(half + radius, m.xy) : v2(m.xy, radius - half);
    e.axis = v2_scale(1 / v2_length(axis), axis);
    return e;
}

vo_svd32 vo_mat32_svd(vo_mat32 f) {
    vo_svd32 s = {0};
    s.right[0] = vo_sym2_eigen(m32_gram(f)).axis;
    s.right[1] = v2(-s.right[0].y, s.right[0].x);
    for (int i = 0; i < 2; i++) {
        vo_vec3 image =
            v3_add(v3_scale(s.right[i].x, f.u), v3_scale(s.right[i].y, f.v)); /* F right_i */
        s.stretch[i] = v3_length(image);
        s.left[i] = v3_normalize(image);
    }
    return s;
}
