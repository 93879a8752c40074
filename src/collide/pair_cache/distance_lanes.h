/* The distance functions of collide/distance.h for four pairs at once, with bit-identical results:
 * every branch becomes a select. A test compares both versions. */
#ifndef VO_COLLIDE_PAIR_CACHE_DISTANCE_LANES_H
#define VO_COLLIDE_PAIR_CACHE_DISTANCE_LANES_H

#include "math/simd.h"

VO_INLINE vo_p4 p4_negate(vo_p4 a) { return (vo_p4){-a.x, -a.y, -a.z}; }
VO_INLINE vo_p4 p4_add_scaled(vo_p4 a, vo_d4 s, vo_p4 b) {
    return (vo_p4){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
VO_INLINE vo_p4 p4_select(vo_i4 mask, vo_p4 yes, vo_p4 no) {
    return (vo_p4){d4_select(mask, yes.x, no.x), d4_select(mask, yes.y, no.y),
                   d4_select(mask, yes.z, no.z)};
}

/* clamp_ratio of distance.c */
VO_INLINE vo_d4 d4_clamp_ratio(vo_d4 part, vo_d4 whole) {
    vo_d4 zero = d4_set(0), end = d4_select(whole > zero, d4_set(1), zero);
    return d4_select(part > zero, d4_select(part < whole, part / whole, end), zero);
}

typedef struct vo_edge_point4 {
    vo_d4 s;
    vo_p4 offset;
    vo_d4 squared;
} vo_edge_point4;

VO_INLINE vo_edge_point4 vo_distance4_vertex_edge(vo_p4 p, vo_p4 a, vo_p4 b) {
    vo_p4 e = p4_sub(b, a), to_a = p4_sub(a, p);
    vo_edge_point4 out;
    out.s = d4_clamp_ratio(-p4_dot(to_a, e), p4_dot(e, e));
    out.offset = p4_select(out.s == d4_set(1), p4_sub(b, p), p4_add_scaled(to_a, out.s, e));
    out.squared = p4_dot(out.offset, out.offset);
    return out;
}

typedef struct vo_face_point4 {
    vo_d4 weight[3];
    vo_p4 offset;
    vo_d4 squared;
} vo_face_point4;

/* Selects the point of the side from corner i to corner j where it is nearer. */
VO_INLINE void face4_try_border(vo_face_point4 *best, vo_edge_point4 e, int i, int j) {
    vo_i4 nearer = e.squared < best->squared;
    best->offset = p4_select(nearer, e.offset, best->offset);
    best->squared = d4_select(nearer, e.squared, best->squared);
    best->weight[i] = d4_select(nearer, 1 - e.s, best->weight[i]);
    best->weight[j] = d4_select(nearer, e.s, best->weight[j]);
    best->weight[3 - i - j] = d4_select(nearer, d4_set(0), best->weight[3 - i - j]);
}

/* Selects the projection onto the face plane where it is inside the face and nearer. */
VO_INLINE void face4_try_inside(vo_face_point4 *best, vo_p4 p, vo_p4 a, vo_p4 b, vo_p4 c) {
    vo_d4 zero = d4_set(0);
    vo_p4 qa = p4_sub(a, p), qb = p4_sub(b, p), qc = p4_sub(c, p);
    vo_p4 n = p4_cross(p4_sub(b, a), p4_sub(c, a));
    vo_d4 w0 = p4_dot(n, p4_cross(qb, qc)), w1 = p4_dot(n, p4_cross(qc, qa));
    vo_d4 w2 = p4_dot(n, p4_cross(qa, qb)), sum = w0 + w1 + w2;
    vo_i4 inside = (w0 > zero) & (w1 > zero) & (w2 > zero) & (sum < d4_set(INFINITY));
    w0 = w0 / sum;
    w1 = w1 / sum;
    w2 = d4_max(1 - w0 - w1, zero);
    vo_p4 foot = p4_add_scaled(p4_add_scaled(p4_scale(w0, qa), w1, qb), w2, qc);
    vo_d4 squared = p4_dot(foot, foot);
    inside &= (w2 > zero) & (squared < best->squared);
    best->offset = p4_select(inside, foot, best->offset);
    best->squared = d4_select(inside, squared, best->squared);
    best->weight[0] = d4_select(inside, w0, best->weight[0]);
    best->weight[1] = d4_select(inside, w1, best->weight[1]);
    best->weight[2] = d4_select(inside, w2, best->weight[2]);
}

VO_INLINE vo_face_point4 vo_distance4_vertex_face(vo_p4 p, vo_p4 a, vo_p4 b, vo_p4 c) {
    vo_edge_point4 e = vo_distance4_vertex_edge(p, a, b);
    vo_face_point4 best = {{1 - e.s, e.s, d4_set(0)}, e.offset, e.squared};
    face4_try_border(&best, vo_distance4_vertex_edge(p, b, c), 1, 2);
    face4_try_border(&best, vo_distance4_vertex_edge(p, c, a), 2, 0);
    face4_try_inside(&best, p, a, b, c);
    return best;
}

typedef struct vo_edge_pair4 {
    vo_d4 s, t;
    vo_p4 offset;
    vo_d4 squared;
} vo_edge_pair4;

VO_INLINE void edges4_try(vo_edge_pair4 *best, vo_i4 valid, vo_d4 s, vo_d4 t, vo_p4 offset,
                          vo_d4 squared) {
    vo_i4 nearer = valid & (squared < best->squared);
    best->s = d4_select(nearer, s, best->s);
    best->t = d4_select(nearer, t, best->t);
    best->offset = p4_select(nearer, offset, best->offset);
    best->squared = d4_select(nearer, squared, best->squared);
}

/* Selects the common perpendicular of the two lines where its feet are interior to both edges. */
VO_INLINE void edges4_try_insides(vo_edge_pair4 *best, vo_p4 d1, vo_p4 d2, vo_p4 r) {
    vo_d4 zero = d4_set(0), one = d4_set(1);
    vo_d4 d11 = p4_dot(d1, d1), d22 = p4_dot(d2, d2), d12 = p4_dot(d1, d2);
    vo_d4 d1r = p4_dot(d1, r), d2r = p4_dot(d2, r);
    vo_p4 n = p4_cross(d1, d2);
    vo_d4 s = d4_clamp_ratio(d12 * d2r - d1r * d22, p4_dot(n, n));
    vo_d4 t = d4_clamp_ratio(s * d12 + d2r, d22);
    s = d4_clamp_ratio(t * d12 - d1r, d11);
    vo_i4 inside = (s > zero) & (s < one) & (t > zero) & (t < one);
    vo_p4 offset = p4_negate(p4_add_scaled(p4_add_scaled(r, s, d1), -t, d2));
    edges4_try(best, inside, s, t, offset, p4_dot(offset, offset));
}

VO_INLINE vo_edge_pair4 vo_distance4_edge_edge(vo_p4 a0, vo_p4 a1, vo_p4 b0, vo_p4 b1) {
    vo_d4 zero = d4_set(0), one = d4_set(1);
    vo_i4 always = one > zero;
    vo_edge_point4 e = vo_distance4_vertex_edge(a0, b0, b1);
    vo_edge_pair4 best = {zero, e.s, e.offset, e.squared};
    e = vo_distance4_vertex_edge(a1, b0, b1);
    edges4_try(&best, always, one, e.s, e.offset, e.squared);
    e = vo_distance4_vertex_edge(b0, a0, a1);
    edges4_try(&best, always, e.s, zero, p4_negate(e.offset), e.squared);
    e = vo_distance4_vertex_edge(b1, a0, a1);
    edges4_try(&best, always, e.s, one, p4_negate(e.offset), e.squared);
    edges4_try_insides(&best, p4_sub(a1, a0), p4_sub(b1, b0), p4_sub(a0, b0));
    return best;
}

#endif
