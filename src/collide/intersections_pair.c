/* Fast path of the intersection test: most pairs are decided by a separating line or plane. Signs
 * are exact here too, so every pair with a common point beyond its shared corners reaches the full
 * predicate. */
#include "collide/intersections_pair.h"

#include "collide/intersect.h"
#include "math/predicates.h"

typedef vo_flat_face flat_face;

static flat_face project_face(const vo_vec3 *x, const int face[3], int axis) {
    flat_face f = {.node = face, .axis = axis};
    int first = axis == 2 ? 0 : axis + 1, second = first == 2 ? 0 : first + 1;
    for (int k = 0; k < 3; k++) {
        const double *p = &x[face[k]].x;
        f.p[k] = v2(p[first], p[second]);
    }
    return f;
}

/* Returns the axis of the largest projected area. */
static int best_axis(const vo_vec3 *x, const int face[3]) {
    vo_vec3 n = v3_cross(v3_sub(x[face[1]], x[face[0]]), v3_sub(x[face[2]], x[face[0]]));
    double a = fabs(n.x), b = fabs(n.y), c = fabs(n.z);
    return c >= a && c >= b ? 2 : b >= a ? 1 : 0;
}

/* (a.x - c.x) (b.y - c.y) - (a.y - c.y) (b.x - c.x), whose sign is the side of the line from a to b
 * on which c lies, and its error bound: differences, product and difference have four roundings of
 * 2^-53, a little more than 2^-51 of both products; 2^-900 covers underflow. */
typedef struct orientation {
    double det, bound;
} orientation;

static inline orientation orientation_of(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
    return (orientation){left - right, 0x1p-50 * (fabs(left) + fabs(right)) + 0x1p-900};
}

/* vo_orient2d with an inlined floating-point filter. */
static inline int orient2d(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    orientation t = orientation_of(a, b, c);
    return t.det > t.bound ? 1 : t.det < -t.bound ? -1 : vo_orient2d(a, b, c);
}

/* Returns true if b lies strictly beyond the line through corners i and j of a, except for corners
 * on that side. `side` is the side on which a lies. */
static bool is_separating_side(const flat_face *a, int i, int j, int side, const flat_face *b) {
    for (int k = 0; k < 3; k++)
        if (b->node[k] != a->node[i] && b->node[k] != a->node[j] &&
            orient2d(a->p[i], a->p[j], b->p[k]) != -side)
            return false;
    return true;
}

/* Returns true if a side of a separates the faces. If a has area, the line contains only that side
 * of a, and only common corners of b. */
static bool has_separating_side(const flat_face *a, const flat_face *b) {
    int side = orient2d(a->p[0], a->p[1], a->p[2]);
    return side != 0 &&
           (is_separating_side(a, 0, 1, side, b) || is_separating_side(a, 1, 2, side, b) ||
            is_separating_side(a, 2, 0, side, b));
}

/* Floating-point version of has_separating_side, which may miss a separating side. Tests all sides
 * without branches, because the branches are unpredictable. */
static bool has_separating_side_fast(const flat_face *a, const flat_face *b) {
    const vo_vec2 *p = a->p;
    orientation own = orientation_of(p[0], p[1], p[2]);
    double sign = own.det > 0 ? -1 : 1;
    int across = 0;
    for (int i = 0, j = 1; i < 3; i++, j = j == 2 ? 0 : j + 1) {
        int beyond = 1;
        for (int k = 0; k < 3; k++) {
            orientation t = orientation_of(p[i], p[j], b->p[k]);
            beyond &=
                (sign * t.det > t.bound) | (b->node[k] == a->node[i]) | (b->node[k] == a->node[j]);
        }
        across |= beyond;
    }
    return across & (fabs(own.det) > own.bound);
}

static bool is_corner(const int face[3], int node) {
    return face[0] == node || face[1] == node || face[2] == node;
}

/* Returns true if the corners of b that are not corners of a lie strictly on one side of the plane
 * of a. */
static bool is_on_one_side(const vo_vec3 *x, const int a[3], const int b[3]) {
    int side = 0;
    for (int k = 0; k < 3; k++) {
        if (is_corner(a, b[k])) continue;
        int s = vo_orient3d(x[a[0]], x[a[1]], x[a[2]], x[b[k]]);
        if (s == 0 || s == -side) return false;
        side = s;
    }
    return side != 0;
}

vo_flat_face vo_flat_face_make(const vo_vec3 *x, const int face[3]) {
    return project_face(x, face, best_axis(x, face));
}

bool vo_flat_face_intersects(const vo_vec3 *x, const vo_flat_face *face, const int other[3]) {
    flat_face flat = project_face(x, other, face->axis);
    if (has_separating_side_fast(face, &flat) || has_separating_side_fast(&flat, face))
        return false;
    if (has_separating_side(face, &flat) || has_separating_side(&flat, face)) return false;
    return !is_on_one_side(x, face->node, other) && vo_faces_intersect(x, face->node, other);
}
