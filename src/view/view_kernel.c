#include "view/view_kernel.h"

#include "math/simd.h"

/* Four symmetric tensors. */
typedef struct tensors {
    vo_d4 xx, xy, yy;
} tensors;

/* Four faces in the camera frame. */
typedef struct faces {
    vo_p4 p[3];
    vo_d4 range; /* m, distance of the furthest corner */
} faces;

VO_INLINE bool any(vo_i4 m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }
VO_INLINE vo_d4 clamp4(vo_d4 x, vo_d4 low, vo_d4 high) { return d4_min(d4_max(x, low), high); }
VO_INLINE vo_p4 set3(vo_vec3 a) { return (vo_p4){d4_set(a.x), d4_set(a.y), d4_set(a.z)}; }
VO_INLINE vo_p4 load3(double row[3][VO_VIEW_CLUSTER], int i) {
    return (vo_p4){d4_load(&row[0][i]), d4_load(&row[1][i]), d4_load(&row[2][i])};
}

/* ---- positions ------------------------------------------------------------------------------ */

/* Transforms corners to the camera frame. */
VO_INLINE faces to_camera(const vo_frustum *f, vo_view_lanes *lanes, int i) {
    faces off_screen;
    vo_p4 position = set3(f->position), right = set3(f->right), up = set3(f->up),
          forward = set3(f->forward);
    vo_d4 range2 = d4_set(0);
    for (int k = 0; k < 3; k++) {
        vo_p4 d = p4_sub(load3(lanes->x[k], i), position);
        off_screen.p[k] = (vo_p4){p4_dot(right, d), p4_dot(up, d), p4_dot(forward, d)};
        range2 = d4_max(range2, p4_dot(off_screen.p[k], off_screen.p[k]));
    }
    off_screen.range = d4_sqrt(range2);
    return off_screen;
}

VO_INLINE vo_d4 slack4(const vo_frustum_sample *m, vo_d4 range) {
    return d4_set(m->drift) + d4_set(m->turn) * range;
}

/* Mask of front-facing faces. */
VO_INLINE vo_i4 front_facing(const vo_frustum_sample *m, vo_view_lanes *lanes, int i) {
    vo_p4 to_eye = p4_sub(set3(m->frustum.position), load3(lanes->x[0], i));
    return p4_dot(load3(lanes->normal, i), to_eye) >= d4_set(-m->drift);
}

/* ---- frustum_distances ---------------------------------------------------------------------- */

/* Vectors from the closest points of the frustum (vo_frustum_closest_point) to the points. */
VO_INLINE vo_p4 offsets_from_frustum(const vo_frustum *f, vo_p4 p) {
    vo_d4 tx = d4_set(f->tan_x), ty = d4_set(f->tan_y), x = d4_abs(p.x), y = d4_abs(p.y);
    vo_d4 depth = (p.z + tx * x + ty * y) * d4_set(f->inverse_slant2);
    vo_d4 wide = (p.z + tx * x) * d4_set(f->side_x) * d4_set(f->side_x);
    vo_d4 high = (p.z + ty * y) * d4_set(f->side_y) * d4_set(f->side_y);
    wide = d4_select(tx * wide > x, p.z, wide);
    high = d4_select(ty * high > y, p.z, high);
    vo_i4 deeper = (tx * depth > x) | (ty * depth > y);
    depth = d4_select(deeper, d4_select(x * ty > y * tx, wide, high), depth);
    depth = clamp4(depth, d4_set(f->z_near), d4_set(f->z_far));
    vo_i4 sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    vo_d4 out_x = x - d4_min(x, tx * depth), out_y = y - d4_min(y, ty * depth);
    return (vo_p4){(vo_d4)((vo_i4)out_x | ((vo_i4)p.x & sign)),
                   (vo_d4)((vo_i4)out_y | ((vo_i4)p.y & sign)), p.z - depth};
}

/* Distances of the closest corners; `settled` masks the faces for which these are the
 * frustum_distances (vo_frustum_triangle_distance). */
VO_INLINE vo_d4 corner_distances(const vo_frustum *f, const faces *s, vo_i4 *settled) {
    vo_d4 min_distance2 = d4_set(INFINITY);
    vo_p4 offset = set3(v3_zero()), nearest = offset;
    for (int k = 0; k < 3; k++) {
        vo_p4 w = offsets_from_frustum(f, s->p[k]);
        vo_d4 length2 = p4_dot(w, w);
        vo_i4 closer = length2 < min_distance2;
        min_distance2 = d4_select(closer, length2, min_distance2);
        offset = (vo_p4){d4_select(closer, w.x, offset.x), d4_select(closer, w.y, offset.y),
                         d4_select(closer, w.z, offset.z)};
        nearest = (vo_p4){d4_select(closer, s->p[k].x, nearest.x),
                          d4_select(closer, s->p[k].y, nearest.y),
                          d4_select(closer, s->p[k].z, nearest.z)};
    }
    vo_d4 length = d4_sqrt(min_distance2), beyond = d4_set(0);
    for (int k = 0; k < 3; k++) beyond = d4_min(beyond, p4_dot(offset, p4_sub(s->p[k], nearest)));
    *settled = beyond >= d4_set(-VO_FRUSTUM_TOLERANCE) * length;
    return length;
}

static double exact_distance(const vo_frustum *f, const faces *s, int lane, double max_distance) {
    vo_vec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = v3(s->p[k].x[lane], s->p[k].y[lane], s->p[k].z[lane]);
    return vo_frustum_triangle_distance(f, p, max_distance);
}

/* Largest separation of the triangles along a frustum plane; `inside` masks triangles with a corner
 * inside. */
VO_INLINE vo_d4 plane_gaps(const vo_frustum *f, const faces *s, vo_i4 *inside) {
    vo_d4 gap[6];
    for (int k = 0; k < 3; k++) {
        vo_p4 p = s->p[k];
        vo_d4 wide = d4_set(f->tan_x) * p.z, high = d4_set(f->tan_y) * p.z;
        vo_d4 side_x = d4_set(f->side_x), side_y = d4_set(f->side_y);
        vo_d4 off_screen[6] = {(p.x - wide) * side_x,   (-p.x - wide) * side_x,
                               (p.y - high) * side_y,   (-p.y - high) * side_y,
                               d4_set(f->z_near) - p.z, p.z - d4_set(f->z_far)};
        vo_d4 max_front = off_screen[0];
        for (int j = 1; j < 6; j++) max_front = d4_max(max_front, off_screen[j]);
        *inside = k ? *inside | (max_front <= d4_set(0)) : max_front <= d4_set(0);
        for (int j = 0; j < 6; j++) gap[j] = k ? d4_min(gap[j], off_screen[j]) : off_screen[j];
    }
    for (int j = 1; j < 6; j++) gap[0] = d4_max(gap[0], gap[j]);
    return gap[0];
}

/* Distances from the frustum; for frustum_distances of at least `max_distance` some value of at
 * least `max_distance`. */
VO_INLINE vo_d4 frustum_distances(const vo_frustum *f, const faces *s, vo_d4 max_distance) {
    vo_i4 inside, settled;
    vo_d4 separation = plane_gaps(f, s, &inside);
    vo_i4 open = ~inside & (separation < max_distance);
    vo_d4 d = d4_select(inside, d4_set(0), separation);
    if (!any(open)) return d;
    vo_d4 by_corner = corner_distances(f, s, &settled);
    d = d4_select(open & settled, by_corner, d);
    open &= ~settled;
    for (int k = 0; any(open) && k < 4; k++)
        if (open[k]) d[k] = exact_distance(f, s, k, max_distance[k]);
    return d;
}

/* ---- screen bounds -------------------------------------------------------------------------- */

/* Projects directions of the camera frame to the screen, per unit of pixels / z: right, up, and
 * along the ray. */
VO_INLINE vo_p4 project4(vo_d4 slope_x, vo_d4 slope_y, vo_d4 along, vo_p4 d) {
    return (vo_p4){d.x - slope_x * d.z, d.y - slope_y * d.z,
                   along * (slope_x * d.x + slope_y * d.y + d.z)};
}

/* S^T S / l^2; not finite or not positive if there is no bound. Slopes of the rays to the centroids
 * are clamped to the image, depths to the near plane. */
VO_INLINE tensors screen_bounds(const vo_screen_def *def, const vo_frustum_sample *m,
                                vo_view_lanes *lanes, int i, const faces *s) {
    const vo_frustum *fr = &m->frustum;
    vo_d4 closest = d4_set(vo_max(fr->z_near, VO_SCREEN_MIN_DEPTH));
    vo_p4 e1 = p4_sub(s->p[1], s->p[0]), e2 = p4_sub(s->p[2], s->p[0]);
    vo_p4 fu = p4_add(p4_scale(d4_load(&lanes->edges[0][i]), e1),
                      p4_scale(d4_load(&lanes->edges[2][i]), e2));
    vo_p4 fv = p4_add(p4_scale(d4_load(&lanes->edges[1][i]), e1),
                      p4_scale(d4_load(&lanes->edges[3][i]), e2));
    vo_p4 sum = p4_add(p4_add(s->p[0], s->p[1]), s->p[2]);
    vo_d4 inverse = d4_set(1) / d4_max(sum.z, d4_set(3) * closest);
    vo_d4 tx = d4_set(fr->tan_x), ty = d4_set(fr->tan_y);
    vo_d4 sx = clamp4(sum.x * inverse, -tx, tx), sy = clamp4(sum.y * inverse, -ty, ty);
    vo_d4 along = d4_set(def->grazing) / d4_sqrt(d4_set(1) + (sx * sx + sy * sy));
    vo_p4 u = project4(sx, sy, along, fu), v = project4(sx, sy, along, fv);
    vo_d4 z = d4_min(d4_min(s->p[0].z, s->p[1].z), s->p[2].z) - slack4(m, s->range);
    inverse = d4_set(1) / (d4_max(z, closest) * d4_set(def->min_edge_pixels));
    vo_d4 across = d4_set(m->pixel_x) * inverse, up = d4_set(m->pixel_y) * inverse;
    vo_d4 xx = across * across, yy = up * up, zz = across * up;
    return (tensors){xx * u.x * u.x + yy * u.y * u.y + zz * u.z * u.z,
                     xx * u.x * v.x + yy * u.y * v.y + zz * u.z * v.z,
                     xx * v.x * v.x + yy * v.y * v.y + zz * v.z * v.z};
}

VO_INLINE tensors select_tensors(vo_i4 mask, tensors a, tensors b) {
    return (tensors){d4_select(mask, a.xx, b.xx), d4_select(mask, a.xy, b.xy),
                     d4_select(mask, a.yy, b.yy)};
}

/* Clamps eigenvalues to `largest`, using B - small I = (large - small) a a^T with
 * a the axis of the larger one. */
VO_INLINE tensors limit4(tensors b, vo_d4 largest) {
    vo_d4 trace = b.xx + b.yy, half = d4_set(0.5);
    vo_i4 above = ~(trace <= largest);
    if (!any(above)) return b;
    vo_d4 p = half * (b.xx - b.yy), r = half * trace, q = d4_sqrt(p * p + b.xy * b.xy);
    vo_d4 large = r + q, small = r - q;
    vo_d4 part = (large - largest) / d4_max(large - small, d4_set(1e-300));
    tensors cut = {b.xx - part * (b.xx - small), b.xy - part * b.xy, b.yy - part * (b.yy - small)};
    tensors full = {largest, d4_set(0), largest};
    b = select_tensors(above & (large > largest), cut, b);
    return select_tensors(above & (small >= largest), full, b);
}

/* Returns the smallest tensor by trace that dominates a and b; b where a is zero. */
VO_INLINE tensors join4(tensors a, tensors b) {
    vo_d4 half = d4_set(0.5), ra = half * (a.xx + a.yy), rb = half * (b.xx + b.yy);
    vo_d4 from = half * (a.xx - a.yy), wx = half * (b.xx - b.yy) - from, wy = b.xy - a.xy;
    vo_d4 distance2 = wx * wx + wy * wy;
    vo_i4 one = (distance2 <= (ra - rb) * (ra - rb)) | (ra == d4_set(0));
    tensors larger = select_tensors(ra >= rb, a, b);
    if (!any(~one)) return larger;
    vo_d4 distance = d4_sqrt(distance2), r = half * (distance + ra + rb);
    vo_d4 part = (r - ra) / distance;
    vo_d4 x = from + part * wx, y = a.xy + part * wy;
    return select_tensors(one, larger, (tensors){r + x, y, r - x});
}

/* Joins screen_bounds scaled by s^2 into the rows where `requested` is set. A viewpoint with a
 * front factor below 1 requests no edges below min_edge / front_factor. */
VO_INLINE void add_bounds(const vo_view_params *params, double front, tensors b, vo_d4 s,
                          vo_i4 requested, vo_view_lanes *lanes, int i) {
    vo_d4 trace = b.xx + b.yy, largest = d4_set(front * front * params->max_bound),
          zero = d4_set(0);
    vo_i4 known = (trace > zero) & (trace < d4_set(VO_SCREEN_MAX_BOUND));
    if (!(params->max_bound < VO_SCREEN_MAX_BOUND)) {
        vo_d4 open = d4_load(&lanes->unbounded[i]);
        d4_store(&lanes->unbounded[i], d4_select(requested & ~known, d4_set(1), open));
        b = select_tensors(known, b, (tensors){zero, zero, zero});
    } else {
        b = select_tensors(known, limit4(b, largest), (tensors){largest, zero, largest});
    }
    tensors before = {d4_load(&lanes->bound[0][i]), d4_load(&lanes->bound[1][i]),
                      d4_load(&lanes->bound[2][i])};
    tensors after = join4(before, (tensors){s * s * b.xx, s * s * b.xy, s * s * b.yy});
    after = select_tensors(requested, after, before);
    d4_store(&lanes->bound[0][i], after.xx);
    d4_store(&lanes->bound[1][i], after.xy);
    d4_store(&lanes->bound[2][i], after.yy);
}

/* ---- four faces ----------------------------------------------------------------------------- */

/* nu~ (vo_factor_eval_face); `near_frame` masks the faces within the margin. */
VO_INLINE vo_d4 eval_factors(const vo_view_params *params, const vo_frustum_sample *m,
                             bool inside_frustum, const faces *s, vo_d4 inside_factor,
                             vo_i4 *near_frame) {
    const vo_factor_def *def = &params->factor;
    vo_d4 margin = d4_set(def->margin), zero = d4_set(0),
          off_screen = d4_set(vo_factor_off_screen(def, m));
    *near_frame = (vo_i4){-1, -1, -1, -1};
    if (inside_frustum) return inside_factor;
    vo_d4 slack = slack4(m, s->range + d4_set(m->drift) + margin);
    vo_d4 d = d4_max(zero, frustum_distances(&m->frustum, s, margin + slack) - slack);
    vo_d4 fall = inside_factor - d / margin * (inside_factor - off_screen); /* eq. 3 */
    *near_frame = (d == zero) | (d < margin);
    return d4_select(~(d > zero), inside_factor, d4_select(d >= margin, off_screen, fall));
}

VO_INLINE void eval4(const vo_view_params *params, const vo_frustum_sample *m, bool inside_frustum,
                     vo_view_lanes *lanes, int i) {
    faces s = to_camera(&m->frustum, lanes, i);
    vo_i4 front = front_facing(m, lanes, i), near_frame;
    vo_d4 max_front = d4_set(m->front_factor),
          back = d4_set(vo_min(params->factor.back_facing, m->front_factor));
    vo_d4 inside_factor = d4_select(front, d4_min(max_front, d4_load(&lanes->max_front[i])), back);
    vo_d4 factor =
        d4_set(m->weight) * eval_factors(params, m, inside_frustum, &s, inside_factor, &near_frame);
    vo_d4 visible = d4_load(&lanes->visible[i]);
    d4_store(&lanes->factor[i], d4_max(d4_load(&lanes->factor[i]), factor)); /* eq. 4 */
    d4_store(&lanes->visible[i], d4_select(front & near_frame, d4_set(1), visible));
    near_frame &= factor > d4_set(0);
    if (!(params->screen.min_edge_pixels > 0) || !any(near_frame)) return;
    tensors b = screen_bounds(&params->screen, m, lanes, i, &s);
    add_bounds(params, m->front_factor, b, factor / max_front, near_frame, lanes, i);
}

void VO_KERNEL(vo_view_eval)(const vo_view_params *params, const vo_frustum_sample *m,
                             bool inside_frustum, vo_view_lanes *lanes) {
    for (int i = 0; i < lanes->count; i += 4) eval4(params, m, inside_frustum, lanes, i);
}
