#include "view/view_kernel.h"

#include "math/simd.h"

/* Four symmetric tensors. */
typedef struct tensors {
    vo_d4 xx, xy, yy;
} tensors;

/* Four faces in the eye's frame. */
typedef struct faces {
    vo_p4 p[3];
    vo_d4 range; /* m, of the furthest corner */
} faces;

VO_INLINE bool any(vo_i4 m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }
VO_INLINE vo_d4 clamp4(vo_d4 x, vo_d4 low, vo_d4 high) { return d4_min(d4_max(x, low), high); }
VO_INLINE vo_p4 set3(vo_vec3 a) { return (vo_p4){d4_set(a.x), d4_set(a.y), d4_set(a.z)}; }
VO_INLINE vo_p4 load3(double row[3][VO_VIEW_CLUSTER], int i) {
    return (vo_p4){d4_load(&row[0][i]), d4_load(&row[1][i]), d4_load(&row[2][i])};
}

/* ---- places --------------------------------------------------------------------------------- */

/* Corners in the eye's frame. */
VO_INLINE faces place(const vo_frustum *f, vo_view_lanes *lanes, int i) {
    faces out;
    vo_p4 eye = set3(f->eye), right = set3(f->right), up = set3(f->up), forward = set3(f->forward);
    vo_d4 range2 = d4_set(0);
    for (int k = 0; k < 3; k++) {
        vo_p4 d = p4_sub(load3(lanes->x[k], i), eye);
        out.p[k] = (vo_p4){p4_dot(right, d), p4_dot(up, d), p4_dot(forward, d)};
        range2 = d4_max(range2, p4_dot(out.p[k], out.p[k]));
    }
    out.range = d4_sqrt(range2);
    return out;
}

VO_INLINE vo_d4 slack4(const vo_moment *m, vo_d4 range) {
    return d4_set(m->drift) + d4_set(m->turn) * range;
}

/* Whether fronts are seen. */
VO_INLINE vo_i4 fronts(const vo_moment *m, vo_view_lanes *lanes, int i) {
    vo_p4 to_eye = p4_sub(set3(m->frustum.eye), load3(lanes->x[0], i));
    return p4_dot(load3(lanes->normal, i), to_eye) >= d4_set(-m->drift);
}

/* ---- distances ------------------------------------------------------------------------------ */

/* From points to the nearest points of the frustum (vo_frustum_nearest), as vectors back. */
VO_INLINE vo_p4 ways_out(const vo_frustum *f, vo_p4 p) {
    vo_d4 tx = d4_set(f->tan_x), ty = d4_set(f->tan_y), x = d4_abs(p.x), y = d4_abs(p.y);
    vo_d4 depth = (p.z + tx * x + ty * y) * d4_set(f->slant);
    vo_d4 wide = (p.z + tx * x) * d4_set(f->side_x) * d4_set(f->side_x);
    vo_d4 high = (p.z + ty * y) * d4_set(f->side_y) * d4_set(f->side_y);
    wide = d4_select(tx * wide > x, p.z, wide);
    high = d4_select(ty * high > y, p.z, high);
    vo_i4 deeper = (tx * depth > x) | (ty * depth > y);
    depth = d4_select(deeper, d4_select(x * ty > y * tx, wide, high), depth);
    depth = clamp4(depth, d4_set(f->near), d4_set(f->far));
    vo_i4 sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    vo_d4 out_x = x - d4_min(x, tx * depth), out_y = y - d4_min(y, ty * depth);
    return (vo_p4){(vo_d4)((vo_i4)out_x | ((vo_i4)p.x & sign)),
                   (vo_d4)((vo_i4)out_y | ((vo_i4)p.y & sign)), p.z - depth};
}

/* Distances by the nearest corner where that is enough: a mask says where (vo_frustum_distance). */
VO_INLINE vo_d4 corner_distances(const vo_frustum *f, const faces *s, vo_i4 *settled) {
    vo_d4 least = d4_set(INFINITY);
    vo_p4 way = set3(v3_zero()), nearest = way;
    for (int k = 0; k < 3; k++) {
        vo_p4 w = ways_out(f, s->p[k]);
        vo_d4 length2 = p4_dot(w, w);
        vo_i4 closer = length2 < least;
        least = d4_select(closer, length2, least);
        way = (vo_p4){d4_select(closer, w.x, way.x), d4_select(closer, w.y, way.y),
                      d4_select(closer, w.z, way.z)};
        nearest = (vo_p4){d4_select(closer, s->p[k].x, nearest.x),
                          d4_select(closer, s->p[k].y, nearest.y),
                          d4_select(closer, s->p[k].z, nearest.z)};
    }
    vo_d4 length = d4_sqrt(least), beyond = d4_set(0);
    for (int k = 0; k < 3; k++) beyond = d4_min(beyond, p4_dot(way, p4_sub(s->p[k], nearest)));
    *settled = beyond >= d4_set(-VO_FRUSTUM_FLAT) * length;
    return length;
}

static double single_distance(const vo_frustum *f, const faces *s, int lane, double reach) {
    vo_vec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = v3(s->p[k].x[lane], s->p[k].y[lane], s->p[k].z[lane]);
    return vo_frustum_distance(f, p, reach);
}

/* How far the triangles are apart from the frustum by its planes, and which have a corner inside.
 */
VO_INLINE vo_d4 plane_gaps(const vo_frustum *f, const faces *s, vo_i4 *inside) {
    vo_d4 gap[6];
    for (int k = 0; k < 3; k++) {
        vo_p4 p = s->p[k];
        vo_d4 wide = d4_set(f->tan_x) * p.z, high = d4_set(f->tan_y) * p.z;
        vo_d4 side_x = d4_set(f->side_x), side_y = d4_set(f->side_y);
        vo_d4 out[6] = {(p.x - wide) * side_x,  (-p.x - wide) * side_x, (p.y - high) * side_y,
                        (-p.y - high) * side_y, d4_set(f->near) - p.z,  p.z - d4_set(f->far)};
        vo_d4 most = out[0];
        for (int j = 1; j < 6; j++) most = d4_max(most, out[j]);
        *inside = k ? *inside | (most <= d4_set(0)) : most <= d4_set(0);
        for (int j = 0; j < 6; j++) gap[j] = k ? d4_min(gap[j], out[j]) : out[j];
    }
    for (int j = 1; j < 6; j++) gap[0] = d4_max(gap[0], gap[j]);
    return gap[0];
}

/* Distances from the frustum; where they are not below `reach`, some number that is not either. */
VO_INLINE vo_d4 distances(const vo_frustum *f, const faces *s, vo_d4 reach) {
    vo_i4 inside, settled;
    vo_d4 apart = plane_gaps(f, s, &inside);
    vo_i4 open = ~inside & (apart < reach);
    vo_d4 d = d4_select(inside, d4_set(0), apart);
    if (!any(open)) return d;
    vo_d4 by_corner = corner_distances(f, s, &settled);
    d = d4_select(open & settled, by_corner, d);
    open &= ~settled;
    for (int k = 0; any(open) && k < 4; k++)
        if (open[k]) d[k] = single_distance(f, s, k, reach[k]);
    return d;
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Edges of the material directions on the screen (screen.c, project). */
VO_INLINE vo_p4 project4(vo_d4 slope_x, vo_d4 slope_y, vo_d4 along, vo_p4 d) {
    return (vo_p4){d.x - slope_x * d.z, d.y - slope_y * d.z,
                   along * (slope_x * d.x + slope_y * d.y + d.z)};
}

/* S^T S / l^2 (vo_screen_bound); not finite or not positive where there is none. */
VO_INLINE tensors bounds(const vo_screen_def *def, const vo_moment *m, vo_view_lanes *lanes, int i,
                         const faces *s) {
    const vo_frustum *fr = &m->frustum;
    vo_d4 closest = d4_set(vo_max(fr->near, VO_SCREEN_CLOSEST));
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
    inverse = d4_set(1) / (d4_max(z, closest) * d4_set(def->pixels));
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

/* Eigenvalues end at `largest` (vo_screen_limit). What is above the smaller one is in the direction
 * of the larger: B - small I = (large - small) a a^T. */
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

/* The least that asks for both (vo_screen_join); where a is zero, b. */
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

/* Joins what a moment asks for, scaled by s^2, into the rows, where the mask says so. An eye whose
 * front is less than 1 has nothing finer than finest / front to ask for. */
VO_INLINE void add_bounds(const vo_view_rules *rules, double front, tensors b, vo_d4 s, vo_i4 asked,
                          vo_view_lanes *lanes, int i) {
    vo_d4 trace = b.xx + b.yy, largest = d4_set(front * front * rules->largest), zero = d4_set(0);
    vo_i4 known = (trace > zero) & (trace < d4_set(VO_SCREEN_LARGEST));
    if (!(rules->largest < VO_SCREEN_LARGEST)) {
        vo_d4 open = d4_load(&lanes->unbound[i]);
        d4_store(&lanes->unbound[i], d4_select(asked & ~known, d4_set(1), open));
        b = select_tensors(known, b, (tensors){zero, zero, zero});
    } else {
        b = select_tensors(known, limit4(b, largest), (tensors){largest, zero, largest});
    }
    tensors before = {d4_load(&lanes->bound[0][i]), d4_load(&lanes->bound[1][i]),
                      d4_load(&lanes->bound[2][i])};
    tensors after = join4(before, (tensors){s * s * b.xx, s * s * b.xy, s * s * b.yy});
    after = select_tensors(asked, after, before);
    d4_store(&lanes->bound[0][i], after.xx);
    d4_store(&lanes->bound[1][i], after.xy);
    d4_store(&lanes->bound[2][i], after.yy);
}

/* ---- four faces ----------------------------------------------------------------------------- */

/* nu~ (vo_factor_look), and who is near the frame. */
VO_INLINE vo_d4 factors(const vo_view_rules *rules, const vo_moment *m, bool in_frame,
                        const faces *s, vo_d4 shown, vo_i4 *near) {
    const vo_factor_def *def = &rules->factor;
    vo_d4 margin = d4_set(def->margin), zero = d4_set(0), out = d4_set(vo_factor_out(def, m));
    *near = (vo_i4){-1, -1, -1, -1};
    if (in_frame) return shown;
    vo_d4 slack = slack4(m, s->range + d4_set(m->drift) + margin);
    vo_d4 d = d4_max(zero, distances(&m->frustum, s, margin + slack) - slack);
    vo_d4 fall = shown - d / margin * (shown - out); /* eq. 3 */
    *near = (d == zero) | (d < margin);
    return d4_select(~(d > zero), shown, d4_select(d >= margin, out, fall));
}

VO_INLINE void look4(const vo_view_rules *rules, const vo_moment *m, bool in_frame,
                     vo_view_lanes *lanes, int i) {
    faces s = place(&m->frustum, lanes, i);
    vo_i4 front = fronts(m, lanes, i), near;
    vo_d4 most = d4_set(m->front), back = d4_set(vo_min(rules->factor.back, m->front));
    vo_d4 shown = d4_select(front, d4_min(most, d4_load(&lanes->most[i])), back);
    vo_d4 factor = d4_set(m->weight) * factors(rules, m, in_frame, &s, shown, &near);
    vo_d4 seen = d4_load(&lanes->seen[i]);
    d4_store(&lanes->factor[i], d4_max(d4_load(&lanes->factor[i]), factor)); /* eq. 4 */
    d4_store(&lanes->seen[i], d4_select(front & near, d4_set(1), seen));
    near &= factor > d4_set(0);
    if (!(rules->screen.pixels > 0) || !any(near)) return;
    tensors b = bounds(&rules->screen, m, lanes, i, &s);
    add_bounds(rules, m->front, b, factor / most, near, lanes, i);
}

void VO_KERNEL(vo_view_look)(const vo_view_rules *rules, const vo_moment *m, bool in_frame,
                             vo_view_lanes *lanes) {
    for (int i = 0; i < lanes->count; i += 4) look4(rules, m, in_frame, lanes, i);
}
