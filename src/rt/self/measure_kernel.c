/* Distances of features, eight pairs at a time.
 *
 * Ericson 2005, Real-Time Collision Detection, 5.1. The distance is that of two points of the
 * features, so rounding of the weights makes it larger by a second-order term only. */
#include "math/simd_float.h"

#include "rt/self/self_private.h"

/* Sine squared of an angle below which edges count as parallel and triangles as slivers. */
static const float LEAST_SINE2 = 1e-6f;

VO_INLINE vo_f8 clamp01(vo_f8 a) { return f8_clamp(a, f8_set(0), f8_set(1)); }

VO_INLINE vo_v8 load(const vo_rt_vec4 *x, const int32_t index[VO_F8_LANES]) {
    vo_f8 w;
    return v8_gather(x, index, &w);
}

/* Writes distance and normal of the difference d of the nearest points; returns the lanes. */
VO_INLINE unsigned store(vo_rt_self_batch *b, vo_v8 d) {
    vo_f8 length = f8_sqrt(v8_dot(d, d));
    vo_f8 inverse = f8_divide(f8_set(1), length, 1e-12f);
    f8_store(b->distance, length);
    f8_store(b->normal[0], inverse * d.x);
    f8_store(b->normal[1], inverse * d.y);
    f8_store(b->normal[2], inverse * d.z);
    return m8_bits(length < f8_load(b->limit)) & ((1u << b->count) - 1);
}

/* Point of a triangle: a + v (b - a) + w (c - a), and the squared distance from it. */
typedef struct nearest {
    vo_f8 v, w, distance2;
} nearest;

VO_INLINE void take_nearer(nearest *best, vo_v8 ap, vo_v8 ab, vo_v8 ac, vo_f8 v, vo_f8 w) {
    vo_v8 d = v8_add_scaled(v8_add_scaled(ap, -v, ab), -w, ac);
    vo_f8 distance2 = v8_dot(d, d);
    vo_m8 nearer = distance2 < best->distance2;
    best->v = f8_select(nearer, v, best->v);
    best->w = f8_select(nearer, w, best->w);
    best->distance2 = f8_select(nearer, distance2, best->distance2);
}

static unsigned measure_faces(const vo_rt_vec4 *x, vo_rt_self_batch *batch) {
    const vo_f8 zero = f8_set(0), one = f8_set(1);
    vo_v8 p = load(x, batch->vertex[0]), a = load(x, batch->vertex[1]);
    vo_v8 b = load(x, batch->vertex[2]), c = load(x, batch->vertex[3]);
    vo_v8 ab = v8_sub(b, a), ac = v8_sub(c, a), ap = v8_sub(p, a), bc = v8_sub(c, b);
    vo_f8 d00 = v8_dot(ab, ab), d01 = v8_dot(ab, ac), d11 = v8_dot(ac, ac);
    vo_f8 d1 = v8_dot(ab, ap), d2 = v8_dot(ac, ap), dbc = v8_dot(bc, bc);

    nearest n = {zero, zero, v8_dot(ap, ap)};
    take_nearer(&n, ap, ab, ac, clamp01(f8_divide(d1, d00, 1e-20f)), zero);
    take_nearer(&n, ap, ab, ac, zero, clamp01(f8_divide(d2, d11, 1e-20f)));
    vo_f8 t = clamp01(f8_divide(v8_dot(bc, v8_sub(ap, ab)), dbc, 1e-20f));
    take_nearer(&n, ap, ab, ac, one - t, t);

    vo_f8 area = d00 * d11 - d01 * d01;
    vo_f8 v = f8_divide(d11 * d1 - d01 * d2, area, 1e-30f);
    vo_f8 w = f8_divide(d00 * d2 - d01 * d1, area, 1e-30f);
    vo_m8 inside = (v >= zero) & (w >= zero) & (v + w <= one) & (area > LEAST_SINE2 * d00 * d11);
    take_nearer(&n, ap, ab, ac, f8_select(inside, v, n.v), f8_select(inside, w, n.w));

    f8_store(batch->weight[0], one);
    f8_store(batch->weight[1], n.v + n.w - one);
    f8_store(batch->weight[2], -n.v);
    f8_store(batch->weight[3], -n.w);
    return store(batch, v8_add_scaled(v8_add_scaled(ap, -n.v, ab), -n.w, ac));
}

static unsigned measure_edges(const vo_rt_vec4 *x, vo_rt_self_batch *batch) {
    const vo_f8 one = f8_set(1);
    vo_v8 p1 = load(x, batch->vertex[0]), q1 = load(x, batch->vertex[1]);
    vo_v8 p2 = load(x, batch->vertex[2]), q2 = load(x, batch->vertex[3]);
    vo_v8 u = v8_sub(q1, p1), v = v8_sub(q2, p2), r = v8_sub(p1, p2);
    vo_f8 a = v8_dot(u, u), e = v8_dot(v, v), b = v8_dot(u, v);
    vo_f8 c = v8_dot(u, r), f = v8_dot(v, r);
    vo_f8 sine2 = a * e - b * b;
    vo_f8 s =
        clamp01(f8_mask(sine2 > LEAST_SINE2 * a * e, f8_divide(b * f - c * e, sine2, 1e-30f)));
    /* Nearest point of the other edge, and back, which completes the clamped cases. */
    vo_f8 t = clamp01(f8_divide(b * s + f, e, 1e-20f));
    s = clamp01(f8_divide(b * t - c, a, 1e-20f));
    t = clamp01(f8_divide(b * s + f, e, 1e-20f));
    f8_store(batch->weight[0], one - s);
    f8_store(batch->weight[1], s);
    f8_store(batch->weight[2], t - one);
    f8_store(batch->weight[3], -t);
    return store(batch, v8_add_scaled(v8_add_scaled(r, s, u), -t, v));
}

static unsigned find_overlaps(const vo_rt_self_lanes *lanes, const vo_rt_vec4 *low,
                              const vo_rt_vec4 *high, int begin) {
    float *const *b = lanes->bound;
    vo_m8 hit = f8_load(b[0] + begin) <= f8_set(high->x);
    hit &= f8_load(b[1] + begin) <= f8_set(high->y);
    hit &= f8_load(b[2] + begin) <= f8_set(high->z);
    hit &= f8_load(b[3] + begin) >= f8_set(low->x);
    hit &= f8_load(b[4] + begin) >= f8_set(low->y);
    hit &= f8_load(b[5] + begin) >= f8_set(low->z);
    return m8_bits(hit);
}

static unsigned find_faces(const vo_rt_self_lanes *lanes, int face, const int32_t calm[3],
                           const uint32_t neighbours[2], int begin, int end) {
    float *const *b = lanes->bound;
    vo_m8 hit = f8_load(b[0] + begin) <= f8_set(b[3][face]);
    hit &= f8_load(b[1] + begin) <= f8_set(b[4][face]);
    hit &= f8_load(b[2] + begin) <= f8_set(b[5][face]);
    hit &= f8_load(b[3] + begin) >= f8_set(b[0][face]);
    hit &= f8_load(b[4] + begin) >= f8_set(b[1][face]);
    hit &= f8_load(b[5] + begin) >= f8_set(b[2][face]);
    unsigned used = end - begin < VO_F8_LANES ? (1u << (end - begin)) - 1 : 255;
    unsigned hits = m8_bits(hit) & used;
    if (!hits) return 0;
    vo_m8 shared = m8_load(lanes->colour[0] + begin) & m8_set((int32_t)neighbours[0]);
    shared |= m8_load(lanes->colour[1] + begin) & m8_set((int32_t)neighbours[1]);
    unsigned compared = m8_bits(shared != m8_set(0)) & hits;
    if (!compared) return hits;
    const vo_m8 c0 = m8_set(calm[0]), c1 = m8_set(calm[1]), c2 = m8_set(calm[2]);
    const vo_m8 v0 = m8_set(lanes->vertex[0][face]), v1 = m8_set(lanes->vertex[1][face]);
    const vo_m8 v2 = m8_set(lanes->vertex[2][face]);
    vo_m8 common = m8_set(0), adjacent = common;
    for (int k = 0; k < 3; k++) {
        vo_m8 v = m8_load(lanes->vertex[k] + begin);
        common |= (v == c0) | (v == c1) | (v == c2);
        adjacent |= (v == v0) | (v == v1) | (v == v2);
    }
    hits &= ~m8_bits(common);
    return hits | (hits & m8_bits(adjacent)) << 8 | compared << 16;
}

/* Coordinate of corner k of eight faces along n. */
VO_INLINE vo_f8 project_corner(float *const corner[9], int k, int begin, const float n[3]) {
    return f8_set(n[0]) * f8_load(corner[3 * k] + begin) +
           f8_set(n[1]) * f8_load(corner[3 * k + 1] + begin) +
           f8_set(n[2]) * f8_load(corner[3 * k + 2] + begin);
}

/* Smallest and largest coordinate of the corners of eight faces along n. */
VO_INLINE void find_extent(float *const corner[9], int begin, const float n[3], vo_f8 *low,
                           vo_f8 *high) {
    *low = *high = project_corner(corner, 0, begin, n);
    for (int k = 1; k < 3; k++) {
        vo_f8 d = project_corner(corner, k, begin, n);
        *low = f8_min(*low, d);
        *high = f8_max(*high, d);
    }
}

static unsigned find_separated(const vo_rt_self_lanes *lanes, const vo_rt_self_slab *slab,
                               int begin) {
    vo_f8 low[2], high[2], distance = f8_set(slab->distance);
    find_extent(lanes->start, begin, slab->normal, &low[0], &high[0]);
    find_extent(lanes->end, begin, slab->normal, &low[1], &high[1]);
    vo_m8 above =
        (low[0] >= f8_set(slab->high[0]) + distance) & (low[1] >= f8_set(slab->high[1]) + distance);
    vo_m8 below =
        (high[0] <= f8_set(slab->low[0]) - distance) & (high[1] <= f8_set(slab->low[1]) - distance);
    return m8_bits(above | below);
}

static unsigned find_fans(const vo_rt_self_lanes *lanes, const int32_t fan[3], int begin) {
    const vo_m8 a = m8_set(fan[0]), b = m8_set(fan[1]), c = m8_set(fan[2]);
    vo_m8 common = m8_set(0);
    for (int k = 0; k < 3; k++) {
        vo_m8 f = m8_load(lanes->fan[k] + begin);
        common |= (f == a) | (f == b) | (f == c);
    }
    return m8_bits(common);
}

const vo_rt_self_kernels VO_KERNEL(vo_rt_self_kernels) = {
    .measure_faces = measure_faces,
    .measure_edges = measure_edges,
    .find_faces = find_faces,
    .find_overlaps = find_overlaps,
    .find_separated = find_separated,
    .find_fans = find_fans,
};
