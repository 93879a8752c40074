/* Exact tests of a face against a sweep, for the cases that floating point cannot decide. */
#include "collide/distance.h"
#include "collide/guard/separation.h"
#include "math/predicates.h"

#include <string.h>

/* Shared corners of a face and a tetrahedron: the corners of both with the shared ones first, in
 * the same order. */
typedef struct shared_corners {
    int shared;
    vo_vec3 face[3], tet[4];
    int corner[4]; /* corners of the tetrahedron, as sweep indices */
} shared_corners;

static void swap_corners(shared_corners *c, int *face_corner, int i, int j) {
    vo_vec3 x = c->face[i];
    c->face[i] = c->face[c->shared];
    c->face[c->shared] = x;
    int corner = face_corner[i];
    face_corner[i] = face_corner[c->shared];
    face_corner[c->shared] = corner;
    corner = c->corner[j];
    c->corner[j] = c->corner[c->shared];
    c->corner[c->shared] = corner;
    c->shared++;
}

static shared_corners match_corners(const vo_sweep *s, const vo_sweep_tet *t,
                                    const vo_guard_face *f) {
    shared_corners c = {.shared = 0};
    int corner[3] = {f->corner[0], f->corner[1], f->corner[2]};
    memcpy(c.face, f->x, sizeof c.face);
    memcpy(c.corner, t->corner, sizeof c.corner);
    for (int i = 0; i < 3; i++)
        for (int j = c.shared; j < 4; j++)
            if (corner[i] == c.corner[j]) {
                swap_corners(&c, corner, i, j);
                break;
            }
    for (int j = 0; j < 4; j++) c.tet[j] = s->x[c.corner[j]];
    return c;
}

/* Returns true if p is strictly on the side of the plane a, b, c on which d is. */
static bool is_on_side_of(vo_vec3 a, vo_vec3 b, vo_vec3 c, vo_vec3 d, vo_vec3 p) {
    int side = vo_orient3d(a, b, c, d);
    return side != 0 && vo_orient3d(a, b, c, p) == side;
}

/* Returns true if p is strictly inside the cone from t[0] over the triangle of the others. */
static bool is_in_cone(const vo_vec3 t[4], vo_vec3 p) {
    return is_on_side_of(t[0], t[1], t[2], t[3], p) && is_on_side_of(t[0], t[2], t[3], t[1], p) &&
           is_on_side_of(t[0], t[3], t[1], t[2], p);
}

static bool is_in_tet(const vo_vec3 t[4], vo_vec3 p) {
    return is_in_cone(t, p) && is_on_side_of(t[1], t[2], t[3], t[0], p);
}

/* Returns true if p is strictly between the half planes from the line t[0], t[1] through t[2] and
 * t[3]. */
static bool is_in_wedge(const vo_vec3 t[4], vo_vec3 p) {
    return is_on_side_of(t[0], t[1], t[2], t[3], p) && is_on_side_of(t[0], t[1], t[3], t[2], p);
}

static bool has_corner(const int *list, int count, int corner) {
    for (int i = 0; i < count; i++)
        if (list[i] == corner) return true;
    return false;
}

/* Sorts the corners that the face and a wall share to the front of both; returns their number. */
static int sort_shared_corners(const vo_guard_face *f, const int wall[3], int at[3],
                               int corner[3]) {
    int shared = 0, face_rest = 3, wall_rest = 3;
    for (int i = 0; i < 3; i++) {
        int k = 0;
        while (k < 3 && (f->corner[i] < 0 || f->corner[i] != wall[k])) k++;
        if (k == 3) {
            at[--face_rest] = i;
        } else {
            corner[shared] = wall[k];
            at[shared++] = i;
        }
    }
    for (int k = 0; k < 3; k++)
        if (!has_corner(corner, shared, wall[k])) corner[--wall_rest] = wall[k];
    return shared;
}

/* Returns true if the face intersects a wall beyond shared corners. Interior walls that lack a
 * corner shared by face and tetrahedron are skipped: locally, they do not bound the tetrahedron. */
static bool intersects_wall(const vo_sweep *s, const vo_sweep_wall *w, int shared,
                            const vo_guard_face *f) {
    int at[3], corner[3], common = sort_shared_corners(f, w->corner, at, corner);
    if (common < shared && !w->is_new) return false;
    vo_triangle wall = vo_sweep_triangle(s, corner),
                face = {{f->x[at[0]], f->x[at[1]], f->x[at[2]]}};
    return vo_triangles_intersect(&wall, &face, common);
}

static bool intersects_walls(const vo_sweep *s, const vo_sweep_tet *t, int shared,
                             const vo_guard_face *f) {
    for (int i = 0; i < t->wall_count; i++)
        if (intersects_wall(s, &t->wall[i], shared, f)) return true;
    return false;
}

/* A face that intersects no wall and, by the precondition, no old face lies entirely inside or
 * entirely outside. (Corners of a face without area may coincide with a shared one, which is not
 * inside.) */
bool vo_guard_meets_tet(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    shared_corners c = match_corners(s, t, f);
    if (c.shared == 3) return true;
    if (c.shared == 2 && is_in_wedge(c.tet, c.face[2])) return true;
    if (c.shared == 1 && (is_in_cone(c.tet, c.face[1]) || is_in_cone(c.tet, c.face[2])))
        return true;
    if (c.shared == 0 && is_in_tet(c.tet, c.face[0])) return true;
    return intersects_walls(s, t, c.shared, f);
}

/* ---- distance ------------------------------------------------------------------------------- */

/* Returns the squared distance of two disjoint triangles. */
static double distance2(const vo_vec3 a[3], const vo_vec3 b[3]) {
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = vo_min(best, vo_distance_vertex_face(a[i], b[0], b[1], b[2]).squared);
        best = vo_min(best, vo_distance_vertex_face(b[i], a[0], a[1], a[2]).squared);
        for (int j = 0; j < 3; j++)
            best = vo_min(
                best, vo_distance_edge_edge(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]).squared);
    }
    return best;
}

/* Returns the smallest squared distance to some faces of the sweep, up to `max2`; stops below
 * `enough`. */
static double min_distance2(const vo_sweep *s, const int (*face)[3], int count,
                            const vo_guard_face *f, double max2, double enough) {
    double best = max2;
    for (int i = 0; i < count && best > enough; i++) {
        vo_triangle t = vo_sweep_triangle(s, face[i]);
        vo_box box = box_triangle(t.corner[0], t.corner[1], t.corner[2]);
        if (!box_overlaps(box_grow(box, f->margin), f->box)) continue;
        best = vo_min(best, distance2(t.corner, f->x));
    }
    return best;
}

bool vo_guard_breaks_clearance(const vo_sweep *s, const vo_guard_face *f) {
    static const double rounding = 1e-9; /* far above the rounding of two equal distances */
    double margin2 = f->margin * f->margin;
    double now = min_distance2(s, s->new_face, s->new_count, f, margin2, 0);
    if (now >= margin2) return false;
    double allowed = now * (1 + rounding);
    return min_distance2(s, s->old_face, s->old_count, f, INFINITY, allowed) > allowed;
}
