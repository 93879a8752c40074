/* The same questions without error, for what plain arithmetic leaves open. */
#include "collide/distance.h"
#include "collide/guard_apart.h"
#include "math/predicates.h"

#include <string.h>

/* What a face and a tetrahedron share: corners of both with the shared ones first, in the same
 * order. */
typedef struct couple {
    int shared;
    vo_vec3 face[3], tet[4];
    int corner[4]; /* of the sweep, those of the tetrahedron */
} couple;

static void swap_corners(couple *c, int *face_corner, int i, int j) {
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

static couple match(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    couple c = {.shared = 0};
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

/* Is p strictly on the side of the plane a, b, c on which d is? */
static bool is_with(vo_vec3 a, vo_vec3 b, vo_vec3 c, vo_vec3 d, vo_vec3 p) {
    int side = vo_orient3d(a, b, c, d);
    return side != 0 && vo_orient3d(a, b, c, p) == side;
}

/* Is p strictly inside the cone from t[0] over the triangle of the others? */
static bool is_in_cone(const vo_vec3 t[4], vo_vec3 p) {
    return is_with(t[0], t[1], t[2], t[3], p) && is_with(t[0], t[2], t[3], t[1], p) &&
           is_with(t[0], t[3], t[1], t[2], p);
}

static bool is_in_tet(const vo_vec3 t[4], vo_vec3 p) {
    return is_in_cone(t, p) && is_with(t[1], t[2], t[3], t[0], p);
}

/* Is p strictly between the half planes from the line t[0], t[1] through t[2] and t[3]? */
static bool is_in_wedge(const vo_vec3 t[4], vo_vec3 p) {
    return is_with(t[0], t[1], t[2], t[3], p) && is_with(t[0], t[1], t[3], t[2], p);
}

static bool has_corner(const int *list, int count, int corner) {
    for (int i = 0; i < count; i++)
        if (list[i] == corner) return true;
    return false;
}

/* Puts the corners that the face and a wall share first in both; returns their number. */
static int arrange(const vo_guard_face *f, const int wall[3], int at[3], int corner[3]) {
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

/* Does the face meet a wall beyond what they share? Walls within the sweep that do not have all
 * that the face shares with the tetrahedron need no look: seen from there, they do not bound it. */
static bool meets_wall(const vo_sweep *s, const vo_sweep_wall *w, int shared,
                       const vo_guard_face *f) {
    int at[3], corner[3], common = arrange(f, w->corner, at, corner);
    if (common < shared && !w->is_new) return false;
    vo_triangle wall = vo_sweep_triangle(s, corner),
                face = {{f->x[at[0]], f->x[at[1]], f->x[at[2]]}};
    return vo_triangles_intersect(&wall, &face, common);
}

static bool meets_walls(const vo_sweep *s, const vo_sweep_tet *t, int shared,
                        const vo_guard_face *f) {
    for (int i = 0; i < t->wall_count; i++)
        if (meets_wall(s, &t->wall[i], shared, f)) return true;
    return false;
}

/* A face that meets no wall and, since the old faces intersect nothing, none of these either, lies
 * inside altogether or not at all. (Corners of a face without area may coincide with a shared one,
 * which is not inside.) */
bool vo_guard_meets_tet(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    couple c = match(s, t, f);
    if (c.shared == 3) return true;
    if (c.shared == 2 && is_in_wedge(c.tet, c.face[2])) return true;
    if (c.shared == 1 && (is_in_cone(c.tet, c.face[1]) || is_in_cone(c.tet, c.face[2])))
        return true;
    if (c.shared == 0 && is_in_tet(c.tet, c.face[0])) return true;
    return meets_walls(s, t, c.shared, f);
}

/* ---- distance ------------------------------------------------------------------------------- */

/* Square of the distance of two triangles that do not meet. */
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

/* The least over some faces of the sweep, none of it looked for below `enough`. */
static double least_distance2(const vo_sweep *s, const int (*face)[3], int count,
                              const vo_guard_face *f, double most, double enough) {
    double best = most;
    for (int i = 0; i < count && best > enough; i++) {
        vo_triangle t = vo_sweep_triangle(s, face[i]);
        vo_box box = box_triangle(t.corner[0], t.corner[1], t.corner[2]);
        if (!box_overlaps(box_grow(box, f->margin), f->box)) continue;
        best = vo_min(best, distance2(t.corner, f->x));
    }
    return best;
}

bool vo_guard_comes_close(const vo_sweep *s, const vo_guard_face *f) {
    static const double rounding =
        1e-9; /* far above that of two distances that ought to be equal */
    double margin2 = f->margin * f->margin;
    double now = least_distance2(s, s->new_face, s->new_count, f, margin2, 0);
    if (now >= margin2) return false;
    double allowed = now * (1 + rounding);
    return least_distance2(s, s->old_face, s->old_count, f, INFINITY, allowed) > allowed;
}
