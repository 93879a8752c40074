/* Screen-space bound of a single face in scalar code: the reference for view/view_kernel.c. */
#ifndef VOILE_TESTS_SCREEN_REFERENCE_H
#define VOILE_TESTS_SCREEN_REFERENCE_H

#include "view/screen.h"

/* Returns the smallest depth of the face in the interval. */
static inline double nearest_depth(const vo_frustum_sample *m, const vo_face_visibility *s) {
    double z =
        vo_min(vo_min(s->p[0].z, s->p[1].z), s->p[2].z) - vo_frustum_sample_slack(m, s->range);
    return vo_max(vo_max(z, m->frustum.z_near), VO_SCREEN_MIN_DEPTH);
}

/* Returns the slope of the ray to the face's centroid, clamped to the image. */
static inline vo_vec2 slope_of(const vo_frustum *f, const vo_face_visibility *s) {
    double z = s->p[0].z + s->p[1].z + s->p[2].z;
    double inverse = 1 / vo_max(z, 3 * vo_max(f->z_near, VO_SCREEN_MIN_DEPTH));
    double x = (s->p[0].x + s->p[1].x + s->p[2].x) * inverse;
    double y = (s->p[0].y + s->p[1].y + s->p[2].y) * inverse;
    return v2(vo_clamp(x, -f->tan_x, f->tan_x), vo_clamp(y, -f->tan_y, f->tan_y));
}

/* Projects a direction of the camera frame to the screen, per unit of pixels / z: right, up, and
 * along the ray. */
static inline vo_vec3 project_direction(vo_vec2 slope, double along, vo_vec3 d) {
    return v3(d.x - slope.x * d.z, d.y - slope.y * d.z,
              along * (slope.x * d.x + slope.y * d.y + d.z));
}

/* B in 1/m^2; no bound if the face has no material area or is not finite. */
static inline vo_sym2 screen_bound(const vo_screen_def *def, const vo_frustum_sample *m,
                                   const vo_view_face *face, const vo_face_visibility *s) {
    if (!(def->min_edge_pixels > 0)) return vo_screen_no_bound();
    vo_mat32 f = m32_mul_m2(v3_sub(s->p[1], s->p[0]), v3_sub(s->p[2], s->p[0]), face->edges);
    vo_vec2 slope = slope_of(&m->frustum, s);
    double along = def->grazing / sqrt(1 + v2_dot(slope, slope));
    vo_vec3 u = project_direction(slope, along, f.u), v = project_direction(slope, along, f.v);
    double inverse = 1 / (nearest_depth(m, s) * def->min_edge_pixels);
    double across = m->pixel_x * inverse, up = m->pixel_y * inverse;
    double xx = across * across, yy = up * up, zz = across * up;
    vo_sym2 b = {xx * u.x * u.x + yy * u.y * u.y + zz * u.z * u.z,
                 xx * u.x * v.x + yy * u.y * v.y + zz * u.z * v.z,
                 xx * v.x * v.x + yy * v.y * v.y + zz * v.z * v.z};
    return b.xx + b.yy > 0 && b.xx + b.yy < VO_SCREEN_MAX_BOUND ? b : vo_screen_no_bound();
}

/* Clamps eigenvalues to `max_bound`, which may be infinite. */
static inline vo_sym2 limit_bound(vo_sym2 b, double max_bound) {
    if (b.xx + b.yy <= max_bound) return b;
    if (!isfinite(b.xx + b.yy)) return (vo_sym2){max_bound, 0, max_bound};
    vo_eigen2 e = vo_sym2_eigen(b);
    if (e.lambda_max <= max_bound) return b;
    if (e.lambda_min >= max_bound) return (vo_sym2){max_bound, 0, max_bound};
    double excess = e.lambda_max - max_bound;
    return (vo_sym2){b.xx - excess * e.axis.x * e.axis.x, b.xy - excess * e.axis.x * e.axis.y,
                     b.yy - excess * e.axis.y * e.axis.y};
}

/* The smallest tensor by trace, J >= A and J >= B. */
static inline vo_sym2 join_bounds(vo_sym2 a, vo_sym2 b) {
    if (isinf(a.xx) || isinf(b.xx)) return vo_screen_no_bound();
    vo_vec2 from = v2(0.5 * (a.xx - a.yy), a.xy), to = v2(0.5 * (b.xx - b.yy), b.xy);
    vo_vec2 offset = v2_sub(to, from);
    double ra = 0.5 * (a.xx + a.yy), rb = 0.5 * (b.xx + b.yy), distance2 = v2_dot(offset, offset);
    if (distance2 <= (ra - rb) * (ra - rb)) return ra >= rb ? a : b;
    double distance = sqrt(distance2), r = 0.5 * (distance + ra + rb);
    vo_vec2 c = v2_add(from, v2_scale((r - ra) / distance, offset));
    return (vo_sym2){r + c.x, c.y, r - c.x};
}

#endif
