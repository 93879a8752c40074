#include "collide/distance.h"

/* Returns part / whole clamped to 0..1. Edges of zero length and numbers that are not finite give
 * 0. */
static double clamp_ratio(double part, double whole) {
    if (!(part > 0)) return 0;
    return part < whole ? part / whole : whole > 0 ? 1 : 0;
}

vo_edge_point vo_distance_vertex_edge(vo_vec3 p, vo_vec3 a, vo_vec3 b) {
    vo_vec3 e = v3_sub(b, a), to_a = v3_sub(a, p);
    vo_edge_point out;
    out.s = clamp_ratio(-v3_dot(to_a, e), v3_length2(e));
    out.offset = out.s == 1 ? v3_sub(b, p) : v3_add_scaled(to_a, out.s, e);
    out.squared = v3_length2(out.offset);
    return out;
}

/* Converts a point of the side from corner i to corner j to a point of the face. */
static vo_face_point on_border(vo_edge_point edge, int i, int j) {
    vo_face_point out = {.offset = edge.offset, .squared = edge.squared};
    out.weight[i] = 1 - edge.s;
    out.weight[j] = edge.s;
    return out;
}

/* Computes the barycentric weights of the projection onto the face plane; returns false if it is
 * outside. With n the normal and corners relative to p, w_a = n . (b x c) / n^2 and cyclically. */
static bool inside_face(vo_vec3 a, vo_vec3 b, vo_vec3 c, vo_vec3 n, double w[3]) {
    w[0] = v3_dot(n, v3_cross(b, c));
    w[1] = v3_dot(n, v3_cross(c, a));
    w[2] = v3_dot(n, v3_cross(a, b));
    double sum = w[0] + w[1] + w[2];
    if (!(w[0] > 0 && w[1] > 0 && w[2] > 0 && sum < INFINITY)) return false;
    w[0] /= sum;
    w[1] /= sum;
    w[2] = vo_max(1 - w[0] - w[1], 0);
    return w[2] > 0;
}

vo_face_point vo_distance_vertex_face(vo_vec3 p, vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    vo_face_point best = on_border(vo_distance_vertex_edge(p, a, b), 0, 1);
    vo_face_point side = on_border(vo_distance_vertex_edge(p, b, c), 1, 2);
    if (side.squared < best.squared) best = side;
    side = on_border(vo_distance_vertex_edge(p, c, a), 2, 0);
    if (side.squared < best.squared) best = side;

    vo_vec3 qa = v3_sub(a, p), qb = v3_sub(b, p), qc = v3_sub(c, p);
    vo_vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    double w[3];
    if (!inside_face(qa, qb, qc, n, w)) return best;
    vo_vec3 foot = v3_add_scaled(v3_add_scaled(v3_scale(w[0], qa), w[1], qb), w[2], qc);
    double squared = v3_length2(foot);
    if (!(squared < best.squared)) return best;
    return (vo_face_point){{w[0], w[1], w[2]}, foot, squared};
}

/* Replaces the result by an end of edge a if that is nearer. */
static void try_first_end(vo_edge_pair *best, double s, vo_edge_point on_second) {
    if (on_second.squared < best->squared)
        *best = (vo_edge_pair){s, on_second.s, on_second.offset, on_second.squared};
}

/* Replaces the result by an end of edge b if that is nearer. */
static void try_second_end(vo_edge_pair *best, double t, vo_edge_point on_first) {
    if (on_first.squared < best->squared)
        *best = (vo_edge_pair){on_first.s, t, v3_negate(on_first.offset), on_first.squared};
}

/* Replaces the result by the common perpendicular of the two lines if its feet are interior to both
 * edges and it is nearer. With d1 = a1 - a0, d2 = b1 - b0, r = a0 - b0 (Ericson 2005, "Real-time
 * collision detection", 5.1.9): s = ((d1.d2)(d2.r) - (d1.r)(d2.d2)) / ((d1.d1)(d2.d2) - (d1.d2)^2),
 * and t the projection of that point onto the second edge. */
static void try_interiors(vo_edge_pair *best, vo_vec3 d1, vo_vec3 d2, vo_vec3 r) {
    double d11 = v3_length2(d1), d22 = v3_length2(d2), d12 = v3_dot(d1, d2);
    double d1r = v3_dot(d1, r), d2r = v3_dot(d2, r);
    double s = clamp_ratio(d12 * d2r - d1r * d22, v3_length2(v3_cross(d1, d2)));
    double t = clamp_ratio(s * d12 + d2r, d22);
    s = clamp_ratio(t * d12 - d1r, d11);
    if (!(s > 0 && s < 1 && t > 0 && t < 1)) return;
    vo_vec3 offset = v3_negate(v3_add_scaled(v3_add_scaled(r, s, d1), -t, d2));
    double squared = v3_length2(offset);
    if (squared < best->squared) *best = (vo_edge_pair){s, t, offset, squared};
}

vo_edge_pair vo_distance_edge_edge(vo_vec3 a0, vo_vec3 a1, vo_vec3 b0, vo_vec3 b1) {
    vo_edge_point first = vo_distance_vertex_edge(a0, b0, b1);
    vo_edge_pair best = {0, first.s, first.offset, first.squared};
    try_first_end(&best, 1, vo_distance_vertex_edge(a1, b0, b1));
    try_second_end(&best, 0, vo_distance_vertex_edge(b0, a0, a1));
    try_second_end(&best, 1, vo_distance_vertex_edge(b1, a0, a1));
    try_interiors(&best, v3_sub(a1, a0), v3_sub(b1, b0), v3_sub(a0, b0));
    return best;
}
