/* Point location by a straight walk from a nearby face, along the fabric. */
#include "mesh/locate.h"

static int after(int corner) { return corner == 2 ? 0 : corner + 1; }
static int before(int corner) { return corner == 0 ? 2 : corner - 1; }

static vo_vec2 corner_u(const vo_mesh *m, int face, int corner) {
    return m->vert_u[m->face_vert[face][corner]];
}

/* The adjacent face that shares both verts of a side, and the index of the side there; -1 at
 * borders and seams. */
static int find_neighbour(const vo_mesh *m, int face, int side, int *other_side) {
    int edge = m->face_edge[face][side];
    int other = m->edge_face[edge][m->edge_face[edge][0] == face ? 1 : 0];
    if (other < 0) return -1;
    int i = m->face_edge[other][0] == edge ? 0 : m->face_edge[other][1] == edge ? 1 : 2;
    *other_side = i;
    bool same = m->face_vert[other][i] == m->face_vert[face][after(side)] &&
                m->face_vert[other][after(i)] == m->face_vert[face][side];
    return same ? other : -1;
}

static bool is_across(const vo_mesh *m, int face, int side, vo_vec2 u) {
    const double rounding = 1e-12; /* of the side's length */
    vo_vec2 a = corner_u(m, face, side), b = corner_u(m, face, after(side));
    vo_vec2 ab = v2_sub(b, a);
    return vo_triangle_cross(a, b, u) < -rounding * v2_dot(ab, ab);
}

/* The side by which the line from `start` to u leaves the face; -1 if u is inside. If u is beyond
 * two sides, the line passes their common corner on the left or on the right. */
static int find_exit_side(const vo_mesh *m, int face, vo_vec2 start, vo_vec2 u) {
    for (int i = 0; i < 3; i++) {
        if (!is_across(m, face, i, u)) continue;
        int next = after(i), last = before(i);
        if (is_across(m, face, next, u))
            return vo_triangle_cross(start, u, corner_u(m, face, next)) > 0 ? i : next;
        if (is_across(m, face, last, u))
            return vo_triangle_cross(start, u, corner_u(m, face, i)) > 0 ? last : i;
        return i;
    }
    return -1;
}

typedef enum arrival { ARRIVED, AT_BORDER, LOST } arrival;

/* Walks straight to u; ends in its face, or at a side that cannot be crossed. */
static arrival walk(const vo_mesh *m, vo_vec2 start, vo_vec2 u, int *face, int *side) {
    enum { MAX_STEPS = 10000 }; /* rounding could cause a cycle */
    for (int step = 0; step < MAX_STEPS; step++) {
        *side = find_exit_side(m, *face, start, u);
        if (*side < 0) return ARRIVED;
        int entry, next = find_neighbour(m, *face, *side, &entry);
        if (next < 0) return AT_BORDER;
        *face = next;
    }
    return LOST;
}

/* Rotates around one end of a border side to the next border side: the first (turn = before) or
 * second (after) end. False if the fan exceeds a limit. */
static bool turn_corner(const vo_mesh *m, int (*turn)(int), int *face, int *side) {
    enum { MOST_FACES = 1000 };
    int at = turn(*side);
    for (int i = 0; i < MOST_FACES; i++) {
        int entry, next = find_neighbour(m, *face, at, &entry);
        if (next < 0) {
            *side = at;
            return true;
        }
        *face = next;
        at = turn(entry);
    }
    return false;
}

static double param_on_side(const vo_mesh *m, int face, int side, vo_vec2 u, double *distance2) {
    vo_vec2 a = corner_u(m, face, side), b = corner_u(m, face, after(side));
    double t = vo_segment_param(a, b, u);
    vo_vec2 d = v2_sub(u, v2_add(a, v2_scale(t, v2_sub(b, a))));
    *distance2 = v2_dot(d, d);
    return t;
}

/* Follows the border from side to side while the distance to u decreases. */
static void follow_border(const vo_mesh *m, vo_vec2 u, int *face, int *side) {
    enum { MOST_SIDES = 100 };
    double distance2, next_distance2;
    double t = param_on_side(m, *face, *side, u, &distance2);
    for (int i = 0; i < MOST_SIDES && (t == 0 || t == 1); i++) {
        int next_face = *face, next_side = *side;
        if (!turn_corner(m, t == 0 ? before : after, &next_face, &next_side)) return;
        t = param_on_side(m, next_face, next_side, u, &next_distance2);
        if (!(next_distance2 < distance2)) return;
        *face = next_face;
        *side = next_side;
        distance2 = next_distance2;
    }
}

/* ---- barycentric coordinates ---------------------------------------------------------------- */

/* The corner whose position equals u, -1 if there is none. */
static int exact_corner(const vo_mesh *m, int face, vo_vec2 u) {
    for (int i = 0; i < 3; i++) {
        vo_vec2 c = corner_u(m, face, i);
        if (c.x == u.x && c.y == u.y) return i;
    }
    return -1;
}

/* Location of a point in the face, or outside it by rounding. */
static vo_face_location locate_in_face(const vo_mesh *m, int face, vo_vec2 u) {
    vo_face_location location = {.face = face};
    int corner = exact_corner(m, face, u);
    if (corner >= 0) {
        location.weight[corner] = 1;
        return location;
    }
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        vo_vec2 b = corner_u(m, face, after(i)), c = corner_u(m, face, before(i));
        location.weight[i] = vo_max(0, vo_triangle_cross(b, c, u));
        sum += location.weight[i];
    }
    for (int i = 0; i < 3; i++) location.weight[i] = sum > 0 ? location.weight[i] / sum : i == 0;
    return location;
}

/* Location of the point of a side that is nearest to u. */
static vo_face_location locate_on_side(const vo_mesh *m, int face, int side, vo_vec2 u) {
    vo_face_location location = {.face = face};
    double distance2, t = param_on_side(m, face, side, u, &distance2);
    vo_vec2 a = corner_u(m, face, side), b = corner_u(m, face, after(side));
    location.weight[side] = 1 - t;
    location.weight[after(side)] = t;
    location.outside_offset = v2_sub(u, v2(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)));
    return location;
}

/* The side of a face nearest to u. */
static int nearest_side(const vo_mesh *m, int face, vo_vec2 u) {
    int best = 0;
    double distance2, least = INFINITY;
    for (int i = 0; i < 3; i++) {
        param_on_side(m, face, i, u, &distance2);
        if (distance2 < least) least = distance2, best = i;
    }
    return best;
}

static vo_vec2 centre_of(const vo_mesh *m, int face) {
    vo_vec2 sum = v2_add(corner_u(m, face, 0), v2_add(corner_u(m, face, 1), corner_u(m, face, 2)));
    return v2_scale(1.0 / 3, sum);
}

static bool holds(const vo_mesh *m, int face, vo_vec2 u) {
    return !is_across(m, face, 0, u) && !is_across(m, face, 1, u) && !is_across(m, face, 2, u);
}

vo_face_location vo_locate(const vo_locator *l, int patch, vo_vec2 u, vo_vec2 inside) {
    const vo_mesh *m = l->mesh;
    int side, face = vo_locate_nearest(l, patch, inside);
    if (face < 0) return (vo_face_location){.face = -1};
    vo_vec2 start = holds(m, face, inside) ? inside : centre_of(m, face);
    arrival how = walk(m, start, u, &face, &side);
    if (how == AT_BORDER) {
        follow_border(m, u, &face, &side);
        return locate_on_side(m, face, side, u);
    }
    if (how == LOST) face = vo_locate_nearest(l, patch, u);
    if (holds(m, face, u)) return locate_in_face(m, face, u);
    return locate_on_side(m, face, nearest_side(m, face, u), u);
}
