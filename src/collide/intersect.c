#include "collide/intersect.h"

#include "math/predicates.h"

/* A segment or, with equal ends, a point. */
typedef struct segment {
    vo_vec3 p, q;
} segment;

static bool same_point(vo_vec3 a, vo_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* A point without one coordinate, with what is left in cyclic order. */
static vo_vec2 drop(vo_vec3 p, int axis) {
    return axis == 0 ? v2(p.y, p.z) : axis == 1 ? v2(p.z, p.x) : v2(p.x, p.y);
}

/* A coordinate whose loss leaves a, b, c a triangle; -1 if they lie on a line. The three projected
 * areas are the components of the normal. */
static int plane_axis(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    for (int axis = 2; axis >= 0; axis--)
        if (vo_orient2d(drop(a, axis), drop(b, axis), drop(c, axis)) != 0) return axis;
    return -1;
}

static bool is_flat(const vo_triangle *t) {
    return plane_axis(t->corner[0], t->corner[1], t->corner[2]) < 0;
}

/* By x, then y, then z. */
static bool is_before(vo_vec3 a, vo_vec3 b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

/* The two ends of three points on a line. */
static segment flat_hull(const vo_triangle *t) {
    segment s = {t->corner[0], t->corner[0]};
    for (int i = 1; i < 3; i++) {
        if (is_before(t->corner[i], s.p)) s.p = t->corner[i];
        if (is_before(s.q, t->corner[i])) s.q = t->corner[i];
    }
    return s;
}

/* Do the intervals between a, b and between c, d share a number? */
static bool intervals_meet(double a, double b, double c, double d) {
    return vo_max(vo_min(a, b), vo_min(c, d)) <= vo_min(vo_max(a, b), vo_max(c, d));
}

/* Segments pq and uv in the plane. On a common line, boxes that meet are segments that meet. */
static bool segments_meet_2d(vo_vec2 p, vo_vec2 q, vo_vec2 u, vo_vec2 v) {
    return intervals_meet(p.x, q.x, u.x, v.x) && intervals_meet(p.y, q.y, u.y, v.y) &&
           vo_orient2d(p, q, u) * vo_orient2d(p, q, v) <= 0 &&
           vo_orient2d(u, v, p) * vo_orient2d(u, v, q) <= 0;
}

/* A coordinate whose loss keeps the plane of two segments a plane; -1 if they lie on a line. */
static int segments_axis(segment s, segment t) {
    int axis = plane_axis(s.p, s.q, t.p);
    if (axis < 0) axis = plane_axis(s.p, s.q, t.q);
    if (axis < 0) axis = plane_axis(t.p, t.q, s.p);
    if (axis < 0) axis = plane_axis(t.p, t.q, s.q);
    return axis;
}

static bool segments_meet(segment s, segment t) {
    if (vo_orient3d(s.p, s.q, t.p, t.q) != 0) return false;
    int axis = segments_axis(s, t);
    if (axis >= 0)
        return segments_meet_2d(drop(s.p, axis), drop(s.q, axis), drop(t.p, axis), drop(t.q, axis));
    return intervals_meet(s.p.x, s.q.x, t.p.x, t.q.x) &&
           intervals_meet(s.p.y, s.q.y, t.p.y, t.q.y) && intervals_meet(s.p.z, s.q.z, t.p.z, t.q.z);
}

/* A point of the plane and a triangle in it, not flat. */
static bool point_in_triangle_2d(vo_vec2 p, const vo_vec2 t[3]) {
    int a = vo_orient2d(t[0], t[1], p), b = vo_orient2d(t[1], t[2], p);
    int c = vo_orient2d(t[2], t[0], p);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

/* A segment in the plane of a triangle, or any segment where the triangle is flat. */
static bool coplanar_segment_meets(segment s, const vo_triangle *t) {
    int axis = plane_axis(t->corner[0], t->corner[1], t->corner[2]);
    if (axis < 0) return segments_meet(s, flat_hull(t));
    vo_vec2 c[3], p = drop(s.p, axis), q = drop(s.q, axis);
    for (int i = 0; i < 3; i++) c[i] = drop(t->corner[i], axis);
    return point_in_triangle_2d(p, c) || segments_meet_2d(p, q, c[0], c[1]) ||
           segments_meet_2d(p, q, c[1], c[2]) || segments_meet_2d(p, q, c[2], c[0]);
}

/* Side of the triangle's plane on which a point lies. */
static int plane_side(const vo_triangle *t, vo_vec3 p) {
    return vo_orient3d(t->corner[0], t->corner[1], t->corner[2], p);
}

/* A segment whose ends lie on the given sides of the triangle's plane. One that goes through the
 * plane hits the triangle if it passes all three sides of it the same way round. */
static bool sided_segment_meets(segment s, int side_p, int side_q, const vo_triangle *t) {
    if (side_p * side_q > 0) return false;
    if (side_p == 0 && side_q == 0) return coplanar_segment_meets(s, t);
    bool left = false, right = false;
    for (int i = 0; i < 3; i++) {
        int turn = vo_orient3d(s.p, s.q, t->corner[i], t->corner[(i + 1) % 3]);
        left |= turn > 0;
        right |= turn < 0;
        if (left && right) return false;
    }
    return true;
}

static bool segment_meets(segment s, const vo_triangle *t) {
    return sided_segment_meets(s, plane_side(t, s.p), plane_side(t, s.q), t);
}

/* Sides of t's plane on which the corners of s lie. False if all lie strictly on one side. */
static bool corner_sides(const vo_triangle *s, const vo_triangle *t, int side[3]) {
    for (int i = 0; i < 3; i++) side[i] = plane_side(t, s->corner[i]);
    return !(side[0] == side[1] && side[1] == side[2] && side[0] != 0);
}

static bool any_side_meets(const vo_triangle *s, const int side[3], const vo_triangle *t) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        segment edge = {s->corner[i], s->corner[j]};
        if (sided_segment_meets(edge, side[i], side[j], t)) return true;
    }
    return false;
}

static bool exact_triangles_meet(const vo_triangle *a, const vo_triangle *b) {
    int side_a[3], side_b[3];
    return corner_sides(a, b, side_a) && corner_sides(b, a, side_b) &&
           (any_side_meets(a, side_a, b) || any_side_meets(b, side_b, a));
}

/* Does b meet a where a ray from a's first corner leaves it? That is the opposite side; a flat
 * triangle is left at its two other corners. */
static bool exit_meets(const vo_triangle *a, const vo_triangle *b) {
    vo_vec3 v = a->corner[0], p = a->corner[1], q = a->corner[2];
    if (!is_flat(a)) return segment_meets((segment){p, q}, b);
    return (!same_point(p, v) && segment_meets((segment){p, p}, b)) ||
           (!same_point(q, v) && segment_meets((segment){q, q}, b));
}

/* The common points are convex and contain the shared corner. If there are others, then a ray from
 * that corner to one of them ends, within both triangles, where it leaves one of the two. */
static bool meet_beyond_corner(const vo_triangle *a, const vo_triangle *b) {
    return exit_meets(a, b) || exit_meets(b, a);
}

/* A corner in the other triangle but not on the shared side; both flat. */
static bool flat_corner_beyond(const vo_triangle *a, const vo_triangle *b) {
    segment point = {a->corner[2], a->corner[2]}, side = {a->corner[0], a->corner[1]};
    return segments_meet(point, flat_hull(b)) && !segments_meet(point, side);
}

/* In different planes the triangles share the side alone, and in one plane as well if they lie on
 * different sides of it. A flat one and one that is not have no more than the side in common. */
static bool meet_beyond_side(const vo_triangle *a, const vo_triangle *b) {
    vo_vec3 u = a->corner[0], v = a->corner[1], p = a->corner[2], q = b->corner[2];
    if (vo_orient3d(u, v, p, q) != 0) return false;
    int axis = plane_axis(u, v, p);
    if (axis >= 0) {
        vo_vec2 from = drop(u, axis), to = drop(v, axis);
        return vo_orient2d(from, to, drop(p, axis)) == vo_orient2d(from, to, drop(q, axis));
    }
    return is_flat(b) && (flat_corner_beyond(a, b) || flat_corner_beyond(b, a));
}

static vo_triangle exact_triangle(const vo_triangle *t) {
    return (vo_triangle){
        {vo_exact_point(t->corner[0]), vo_exact_point(t->corner[1]), vo_exact_point(t->corner[2])}};
}

bool vo_triangles_meet(const vo_triangle *a, const vo_triangle *b) {
    return vo_triangles_intersect(a, b, 0);
}

bool vo_triangles_intersect(const vo_triangle *a, const vo_triangle *b, int shared) {
    vo_triangle s = exact_triangle(a), t = exact_triangle(b);
    if (shared == 0) return exact_triangles_meet(&s, &t);
    if (shared == 1) return meet_beyond_corner(&s, &t);
    if (shared == 2) return meet_beyond_side(&s, &t);
    return true;
}

/* Moves the nodes that both faces have to the front of both; returns their number. */
static int sort_shared(int a[3], int b[3]) {
    int shared = 0;
    for (int i = 0; i < 3; i++)
        for (int j = shared; j < 3; j++)
            if (a[i] == b[j]) {
                int node = a[i];
                a[i] = a[shared];
                b[j] = b[shared];
                a[shared] = b[shared] = node;
                shared++;
                break;
            }
    return shared;
}

bool vo_faces_intersect(const vo_vec3 *x, const int a[3], const int b[3]) {
    int s[3] = {a[0], a[1], a[2]}, t[3] = {b[0], b[1], b[2]};
    int shared = sort_shared(s, t);
    vo_triangle ta = {{x[s[0]], x[s[1]], x[s[2]]}}, tb = {{x[t[0]], x[t[1]], x[t[2]]}};
    return vo_triangles_intersect(&ta, &tb, shared);
}
