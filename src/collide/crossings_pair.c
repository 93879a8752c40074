/* Before the predicate proper is asked, most pairs are settled by a line or plane between the two
 * faces. Signs are exact here, too, so no pair is dropped that has a point in common other than
 * what it shares. */
#include "collide/crossings_pair.h"

#include "collide/intersect.h"
#include "math/predicates.h"

typedef vo_flat_face flat_face;

static flat_face flatten(const vo_vec3 *x, const int face[3], int axis) {
    flat_face f = {.node = face, .axis = axis};
    int first = axis == 2 ? 0 : axis + 1, second = first == 2 ? 0 : first + 1;
    for (int k = 0; k < 3; k++) {
        const double *p = &x[face[k]].x;
        f.p[k] = v2(p[first], p[second]);
    }
    return f;
}

/* The coordinate whose loss shows a face best. */
static int best_axis(const vo_vec3 *x, const int face[3]) {
    vo_vec3 n = v3_cross(v3_sub(x[face[1]], x[face[0]]), v3_sub(x[face[2]], x[face[0]]));
    double a = fabs(n.x), b = fabs(n.y), c = fabs(n.z);
    return c >= a && c >= b ? 2 : b >= a ? 1 : 0;
}

/* (a.x - c.x) (b.y - c.y) - (a.y - c.y) (b.x - c.x), which tells on which side of the line from a
 * to b point c lies, and what rounding can do to it: differences, product and difference take four
 * roundings by 2^-53, so little more than 2^-51 of both products; 2^-900 is for underflow. */
typedef struct turning {
    double det, bound;
} turning;

static inline turning turning_of(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
    return (turning){left - right, 0x1p-50 * (fabs(left) + fabs(right)) + 0x1p-900};
}

/* vo_orient2d, with its first step at hand: determinants above what rounding can do to them. */
static inline int turn_of(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    turning t = turning_of(a, b, c);
    return t.det > t.bound ? 1 : t.det < -t.bound ? -1 : vo_orient2d(a, b, c);
}

/* Whether b lies across the line through corners i and j of a, strictly but for the corners that it
 * shares with that side. `turn` is the side on which a lies. */
static bool is_across_side(const flat_face *a, int i, int j, int turn, const flat_face *b) {
    for (int k = 0; k < 3; k++)
        if (b->node[k] != a->node[i] && b->node[k] != a->node[j] &&
            turn_of(a->p[i], a->p[j], b->p[k]) != -turn)
            return false;
    return true;
}

/* Whether a side of a does so. Where a has area, the line then holds nothing of a but that side,
 * and of b nothing but what it shares with it. */
static bool is_across(const flat_face *a, const flat_face *b) {
    int turn = turn_of(a->p[0], a->p[1], a->p[2]);
    return turn != 0 && (is_across_side(a, 0, 1, turn, b) || is_across_side(a, 1, 2, turn, b) ||
                         is_across_side(a, 2, 0, turn, b));
}

/* Whether plain arithmetic shows that a side of a does so: as is_across, but that it may miss one.
 * All sides are looked at, without branches, since nobody can guess which it is. */
static bool is_plainly_across(const flat_face *a, const flat_face *b) {
    const vo_vec2 *p = a->p;
    turning own = turning_of(p[0], p[1], p[2]);
    double sign = own.det > 0 ? -1 : 1;
    int across = 0;
    for (int i = 0, j = 1; i < 3; i++, j = j == 2 ? 0 : j + 1) {
        int beyond = 1;
        for (int k = 0; k < 3; k++) {
            turning t = turning_of(p[i], p[j], b->p[k]);
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

/* Whether the corners of b that a does not have lie strictly on one side of the plane of a. */
static bool is_beside(const vo_vec3 *x, const int a[3], const int b[3]) {
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
    return flatten(x, face, best_axis(x, face));
}

bool vo_flat_face_intersects(const vo_vec3 *x, const vo_flat_face *face, const int other[3]) {
    flat_face flat = flatten(x, other, face->axis);
    if (is_plainly_across(face, &flat) || is_plainly_across(&flat, face)) return false;
    if (is_across(face, &flat) || is_across(&flat, face)) return false;
    return !is_beside(x, face->node, other) && vo_faces_intersect(x, face->node, other);
}
