/* Popping limit: bounds the visible displacement of the surface by edits.
 *
 * An edit replaces one triangulation of a piece of fabric by another:
 *
 *          b           Both surfaces are linear on their faces, so the displacement is linear on
 *        / | \         each cell of the overlay of both triangulations and largest at a corner of
 *       a--+--c        a cell: at a removed node, or where an old edge (a c) crosses a new edge
 *        \ | /         (b d).
 *          d
 *
 * The displacement of the points of a face since the first edit is at most the sum of the
 * displacements by the edits that made the face and its predecessors. This sum is stored per face.
 * It is an upper bound: the points that move most in one edit need not do so in the next. Invisible
 * faces have sums too, because a later edit may merge them with a visible face, and the result is
 * visible. Above the limit a sum need not be exact: no visible face is merged with it in this call.
 * Rejected: the displacement of the tracked points (remesh_pop.c) instead of sums; points between
 * them may have moved further.
 *
 * An edit of invisible faces is deferred if it moves a point too far into view, for example out of
 * a fold or from behind a silhouette: the point appears at a position where it was not before. The
 * same holds for a point that moves too far out of view, since a large face classified as invisible
 * may be partly visible. Each visibility query casts a ray, so only edits above the limit make
 * them: first for the points that the edit moves most, then, if none is visible, for the tracked
 * points of their faces whose total displacement exceeds the limit. */
#include "remesh/remesh_local.h"

void vo_pop_limit_begin(vo_remesher *r) {
    const vo_pop_limit *limit = r->def.pop_limit;
    for (int f = 0; f < r->edit->mesh->face_count; f++) {
        r->face_limited[f] = limit ? limit->face_visible[f] != 0 : 0;
        r->face_shift[f] = 0;
    }
}

bool vo_pop_limit_any_visible(const vo_remesher *r, const int *face, int count) {
    for (int i = 0; i < count; i++)
        if (r->face_limited[face[i]]) return true;
    return false;
}

double vo_pop_limit_total(const vo_remesher *r, const int *face, int count, double shift) {
    double before = 0;
    for (int i = 0; i < count; i++) before = vo_max(before, r->face_shift[face[i]]);
    return before + shift;
}

bool vo_pop_limit_begin_edit(vo_remesher *r, const int *face, int count) {
    const vo_pop_limit *limit = r->def.pop_limit;
    r->edit_becomes_visible = r->edit_invisible = false;
    r->edit_face = face;
    r->edit_face_count = count;
    if (!limit) return false;
    r->edit_shift_before = vo_pop_limit_total(r, face, count, 0);
    r->edit_invisible = limit->is_visible && !vo_pop_limit_any_visible(r, face, count);
    return r->edit_invisible || r->edit_shift_before <= limit->max_shift;
}

bool vo_pop_limit_should_defer(vo_remesher *r, const int *face, int count, double total) {
    r->edit_face = NULL;
    r->edit_face_count = 0;
    if (!r->def.pop_limit || total <= r->def.pop_limit->max_shift) return false;
    if (!r->edit_becomes_visible && !vo_pop_limit_any_visible(r, face, count)) return false;
    r->report.deferred++;
    return true;
}

void vo_pop_limit_record(vo_remesher *r, const int *face, int count, bool visible, double total) {
    for (int i = 0; i < count; i++) {
        r->face_limited[face[i]] = visible;
        r->face_shift[face[i]] = total;
    }
}

/* ---- displacement by one edit ---------------------------------------------------------------- */

static bool is_visible_either(const vo_pop_limit *limit, vo_vec3 from, vo_vec3 to) {
    return limit->is_visible(limit->user, to) || limit->is_visible(limit->user, from);
}

/* True if a displacement by `shift` requires a visibility query. */
static bool needs_query(const vo_remesher *r, double shift) {
    return r->edit_invisible && !r->edit_becomes_visible &&
           r->edit_shift_before + shift > r->def.pop_limit->max_shift;
}

/* Screen displacement of a point, as if visible; queries its visibility where required. */
static double measure_shift(vo_remesher *r, vo_vec3 from, vo_vec3 to) {
    const vo_pop_limit *limit = r->def.pop_limit;
    double shift = limit->shift(limit->user, from, to);
    if (shift > 0 && needs_query(r, shift))
        r->edit_becomes_visible = is_visible_either(limit, from, to);
    return shift;
}

/* True if further points cannot change the decision: too far, and the edit is visible. */
static bool is_decided(const vo_remesher *r, double shift) {
    return shift > r->def.pop_limit->max_shift && (!r->edit_invisible || r->edit_becomes_visible);
}

static double measure_intersection(vo_remesher *r, int a, int b, int c, int d) {
    vo_edge_intersection at;
    return vo_pop_intersect_edges(r->edit->mesh, a, b, c, d, &at) ? measure_shift(r, at.old, at.now)
                                                                  : 0;
}

/* World position of a material point on the triangles of these verts. */
static vo_vec3 eval_triangles(const vo_mesh *m, vo_vec2 u, int count, const int (*left)[3]) {
    double best = -INFINITY, weight[3];
    vo_vec3 x = v3_zero();
    for (int i = 0; i < count; i++) {
        double inside = vo_pop_barycentric(m, left[i], u, weight);
        if (!(inside > best)) continue;
        best = inside;
        x = v3_zero();
        for (int k = 0; k < 3; k++)
            x = v3_add_scaled(x, weight[k], m->node_x[m->vert_node[left[i][k]]]);
    }
    return x;
}

/* True if the face has this vert as a corner, or `vert` is negative. */
static bool has_vert(const vo_mesh *m, int face, int vert) {
    const int *v = m->face_vert[face];
    return vert < 0 || v[0] == vert || v[1] == vert || v[2] == vert;
}

/* Sets edit_becomes_visible if a tracked point of the edit's faces with corner `from` moves further
 * than the limit and is visible before or after. */
static void test_tracked_points(vo_remesher *r, int from, int count, const int (*left)[3]) {
    const vo_mesh *m = r->edit->mesh;
    const vo_pop_limit *limit = r->def.pop_limit;
    for (int i = 0; i < r->edit_face_count; i++) {
        if (!has_vert(m, r->edit_face[i], from)) continue;
        for (int p = r->face_point[r->edit_face[i]]; p >= 0; p = r->point[p].next) {
            vo_vec3 to = eval_triangles(m, r->point[p].u, count, left);
            if (!(limit->shift(limit->user, r->point[p].x, to) > limit->max_shift)) continue;
            r->edit_becomes_visible = is_visible_either(limit, r->point[p].x, to);
            if (r->edit_becomes_visible) return;
        }
    }
}

double vo_pop_limit_flip(vo_remesher *r, const int v[4]) {
    double shift = measure_intersection(r, v[0], v[1], v[2], v[3]);
    const int left[2][3] = {{v[0], v[3], v[2]}, {v[1], v[2], v[3]}};
    if (needs_query(r, shift)) test_tracked_points(r, -1, 2, left);
    return shift;
}

double vo_pop_limit_collapse(vo_remesher *r, int from, int to, int count, const int (*left)[3],
                             int spoke_count, const int *spoke) {
    const vo_mesh *m = r->edit->mesh;
    double max_shift = 0;
    if (count > 0)
        max_shift = measure_shift(r, m->node_x[m->vert_node[from]],
                                  eval_triangles(m, m->vert_u[from], count, left));
    for (int i = 0; i < spoke_count && !is_decided(r, max_shift); i++)
        for (int j = 0; j < spoke_count; j++)
            if (spoke[i] != spoke[j])
                max_shift =
                    vo_max(max_shift, measure_intersection(r, from, spoke[i], to, spoke[j]));
    if (count > 0 && needs_query(r, max_shift)) test_tracked_points(r, from, count, left);
    return max_shift;
}
