#include "collide/intersect.h"

#include "math/predicates.h"

/* A segment or, with equal ends, a point. */
typedef struct segment {
    vo_vec3 p, q;
} segment;

static bool same_point(vo_vec3 a, vo_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Projects a point along an axis; the remaining coordinates are in cyclic order. */
static vo_vec2 project(vo_vec3 p, int axis) {
    return axis == 0 ? v2(p.y, p.z) : axis == 1 ? v2(p.z, p.x) : v2(p.x, p.y);
}

/* Returns an axis along which a, b, c project to a triangle of nonzero area; -1 if they are
 * collinear. The three projected areas are the components of the normal. */
static int plane_axis(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    for (int axis = 2; axis >= 0; axis--)
        if (vo_orient2d(project(a, axis), project(b, axis), project(c, axis)) != 0) return axis;
    return -1;
}

static bool is_flat(const vo_triangle *t) {
    return plane_axis(t->corner[0], t->corner[1], t->corner[2]) < 0;
}

/* Lexicographic order of x, y, z. */
static bool is_before(vo_vec3 a, vo_vec3 b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

/* Returns the two ends of three collinear points. */
static segment flat_hull(const vo_triangle *t) {
    segment s = {t->corner[0], t->corner[0]};
    for (int i = 1; i < 3; i++) {
        if (is_before(t->corner[i], s.p)) s.p = t->corner[i];
        if (is_before(s.q, t->corner[i])) s.q = t->corner[i];
    }
    return s;
}

/* Returns true if the intervals between a, b and between c, d intersect. */
static bool intervals_intersect(double a, double b, double c, double d) {
    return vo_max(vo_min(a, b), vo_min(c, d)) <= vo_min(vo_max(a, b), vo_max(c, d));
}

/* Tests segments pq and uv in the plane. On a common line, overlapping boxes mean intersecting
 * segments. */
static bool segments_intersect_2d(vo_vec2 p, vo_vec2 q, vo_vec2 u, vo_vec2 v) {
    return intervals_intersect(p.x, q.x, u.x, v.x) && intervals_intersect(p.y, q.y, u.y, v.y) &&
           vo_orient2d(p, q, u) * vo_orient2d(p, q, v) <= 0 &&
           vo_orient2d(u, v, p) * vo_orient2d(u, v, q) <= 0;
}

/* Returns an axis along which the plane of two segments does not degenerate; -1 if they are
 * collinear. */
static int segments_axis(segment s, segment t) {
    int axis = plane_axis(s.p, s.q, t.p);
    if (axis < 0) axis = plane_axis(s.p, s.q, t.q);
    if (axis < 0) axis = plane_axis(t.p, t.q, s.p);
    if (axis < 0) axis = plane_axis(t.p, t.q, s.q);
    return axis;
}

static bool segments_intersect(segment s, segment t) {
    if (vo_orient3d(s.p, s.q, t.p, t.q) != 0) return false;
    int axis = segments_axis(s, t);
    if (axis >= 0)
        return segments_intersect_2d(project(s.p, axis), project(s.q, axis), project(t.p, axis),
                                     project(t.q, axis));
    return intervals_intersect(s.p.x, s.q.x, t.p.x, t.q.x) &&
           intervals_intersect(s.p.y, s.q.y, t.p.y, t.q.y) &&
           intervals_intersect(s.p.z, s.q.z, t.p.z, t.q.z);
}

/* Tests a point of the plane and a triangle of nonzero area. */
static bool point_in_triangle_2d(vo_vec2 p, const vo_vec2 t[3]) {
    int a = vo_orient2d(t[0], t[1], p), b = vo_orient2d(t[1], t[2], p);
    int c = vo_orient2d(t[2], t[0], p);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

/* Tests a segment in the plane of a triangle, or any segment if the triangle is degenerate. */
static bool coplanar_segment_intersects(segment s, const vo_triangle *t) {
    int axis = plane_axis(t->corner[0], t->corner[1], t->corner[2]);
    if (axis < 0) return segments_intersect(s, flat_hull(t));
    vo_vec2 c[3], p = project(s.p, axis), q = project(s.q, axis);
    for (int i = 0; i < 3; i++) c[i] = project(t->corner[i], axis);
    return point_in_triangle_2d(p, c) || segments_intersect_2d(p, q, c[0], c[1]) ||
           segments_intersect_2d(p, q, c[1], c[2]) || segments_intersect_2d(p, q, c[2], c[0]);
}

/* Returns the side of the triangle plane on which a point lies. */
static int plane_side(const vo_triangle *t, vo_vec3 p) {
    return vo_orient3d(t->corner[0], t->corner[1], t->corner[2], p);
}

/* Tests a segment whose ends lie on the given sides of the triangle plane. A segment through the
 * plane hits the triangle if it passes its three sides with the same orientation. */
static bool sided_segment_intersects(segment s, int side_p, int side_q, const vo_triangle *t) {
    if (side_p * side_q > 0) return false;
    if (side_p == 0 && side_q == 0) return coplanar_segment_intersects(s, t);
    bool left = false, right = false;
    for (int i = 0; i < 3; i++) {
        int orientation = vo_orient3d(s.p, s.q, t->corner[i], t->corner[(i + 1) % 3]);
        left |= orientation > 0;
        right |= orientation < 0;
        if (left && right) return false;
    }
    return true;
}

static bool segment_intersects(segment s, const vo_triangle *t) {
    return sided_segment_intersects(s, plane_side(t, s.p), plane_side(t, s.q), t);
}

/* Writes the sides of t's plane on which the corners of s lie. Returns false if all are strictly on
 * one side. */
static bool corner_sides(const vo_triangle *s, const vo_triangle *t, int side[3]) {
    for (int i = 0; i < 3; i++) side[i] = plane_side(t, s->corner[i]);
    return !(side[0] == side[1] && side[1] == side[2] && side[0] != 0);
}

static bool any_side_intersects(const vo_triangle *s, const int side[3], const vo_triangle *t) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        segment edge = {s->corner[i], s->corner[j]};
        if (sided_segment_intersects(edge, side[i], side[j], t)) return true;
    }
    return false;
}

static bool triangles_intersect(const vo_triangle *a, const vo_triangle *b) {
    int side_a[3], side_b[3];
    return corner_sides(a, b, side_a) && corner_sides(b, a, side_b) &&
           (any_side_intersects(a, side_a, b) || any_side_intersects(b, side_b, a));
}

/* Returns true if b intersects a where rays from a's first corner leave it: on the opposite side,
 * or for a degenerate triangle at its two other corners. */
static bool exit_intersects(const vo_triangle *a, const vo_triangle *b) {
    vo_vec3 v = a->corner[0], p = a->corner[1], q = a->corner[2];
    if (!is_flat(a)) return segment_intersects((segment){p, q}, b);
    return (!same_point(p, v) && segment_intersects((segment){p, p}, b)) ||
           (!same_point(q, v) && segment_intersects((segment){q, q}, b));
}

/* The common points form a convex set that contains the shared corner. If there are others, a ray
 * from that corner to one of them leaves one of the two triangles within both. */
static bool intersect_beyond_corner(const vo_triangle *a, const vo_triangle *b) {
    return exit_intersects(a, b) || exit_intersects(b, a);
}

/* Returns true for a corner in the other triangle but not on the shared side; both triangles are
 * degenerate. */
static bool flat_corner_beyond(const vo_triangle *a, const vo_triangle *b) {
    segment point = {a->corner[2], a->corner[2]}, side = {a->corner[0], a->corner[1]};
    return segments_intersect(point, flat_hull(b)) && !segments_intersect(point, side);
}

/* In different planes the triangles share only the side, and also in one plane if they lie on
 * different sides of it. A degenerate and a proper triangle share no more than the side. */
static bool intersect_beyond_side(const vo_triangle *a, const vo_triangle *b) {
    vo_vec3 u = a->corner[0], v = a->corner[1], p = a->corner[2], q = b->corner[2];
    if (vo_orient3d(u, v, p, q) != 0) return false;
    int axis = plane_axis(u, v, p);
    if (axis >= 0) {
        vo_vec2 from = project(u, axis), to = project(v, axis);
        return vo_orient2d(from, to, project(p, axis)) == vo_orient2d(from, to, project(q, axis));
    }
    return is_flat(b) && (flat_corner_beyond(a, b) || flat_corner_beyond(b, a));
}

static vo_triangle exact_triangle(const vo_triangle *t) {
    return (vo_triangle){
        {vo_exact_point(t->corner[0]), vo_exact_point(t->corner[1]), vo_exact_point(t->corner[2])}};
}

bool vo_triangles_intersect(const vo_triangle *a, const vo_triangle *b, int shared) {
    vo_triangle s = exact_triangle(a), t = exact_triangle(b);
    if (shared == 0) return triangles_intersect(&s, &t);
    if (shared == 1) return intersect_beyond_corner(&s, &t);
    if (shared == 2) return intersect_beyond_side(&s, &t);
    return true;
}

/* Moves shared nodes to the front of both faces; returns their number. */
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
