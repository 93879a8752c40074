/* What is seen of the edits while they are made.
 *
 * An edit moves the surface between two triangulations of the same piece of fabric:
 *
 *          b               Both are linear on each of their faces, so what a point moves by is
 *        / | \             linear on each piece that their edges cut together, and largest at a
 *       a--+--c            corner of one: at a node that went, or where an old edge (a c) crosses a
 *        \ | /             new one (b d).
 *          d
 *
 * How far points of a face have seemed to move since the first edit is never more than the sum of
 * what the edits that made it, and the faces before it, moved. That sum is kept by face. It is an
 * upper bound: the points that moved most in one edit need not be those that do in the next. Faces
 * that nobody watches keep theirs, too: a later edit may join them to a watched face, and what it
 * makes counts as watched. Beyond what is allowed a sum need not be exact: nothing watched is
 * joined to it any more in this call. Rejected: instead of sums, how far the points have come that
 * are followed through all edits for the report (remesh_pop.c); between them others may have come
 * further.
 *
 * An edit of unwatched faces alone is put off if it takes a point too far and into sight, say out
 * of a fold or from behind a rim: that was not seen to move, but is where it would not have been.
 * So is one that takes a point too far and out of sight, since of large faces a part may be seen
 * that nobody asked about. Each question is a line of sight, so they are few: only edits above what
 * is allowed ask, about the points that they move most; and if none of those is seen, about the
 * followed points of their faces that have come too far by all edits together. */
#include "remesh/remesh_local.h"

void vo_watch_begin(vo_remesher *r) {
    const vo_watch *watch = r->def.watch;
    for (int f = 0; f < r->edit->mesh->face_count; f++) {
        r->face_watched[f] = watch ? watch->face[f] != 0 : 0;
        r->face_shift[f] = 0;
    }
}

bool vo_watch_is_on(const vo_remesher *r, const int *face, int count) {
    for (int i = 0; i < count; i++)
        if (r->face_watched[face[i]]) return true;
    return false;
}

double vo_watch_sum(const vo_remesher *r, const int *face, int count, double shift) {
    double before = 0;
    for (int i = 0; i < count; i++) before = vo_max(before, r->face_shift[face[i]]);
    return before + shift;
}

bool vo_watch_measures(vo_remesher *r, const int *face, int count) {
    const vo_watch *watch = r->def.watch;
    r->edit_reveals = r->edit_hidden = false;
    r->edit_face = face;
    r->edit_face_count = count;
    if (!watch) return false;
    r->edit_before = vo_watch_sum(r, face, count, 0);
    r->edit_hidden = watch->sees && !vo_watch_is_on(r, face, count);
    return r->edit_hidden || r->edit_before <= watch->most;
}

bool vo_watch_puts_off(vo_remesher *r, const int *face, int count, double sum) {
    r->edit_face = NULL;
    r->edit_face_count = 0;
    if (!r->def.watch || sum <= r->def.watch->most) return false;
    if (!r->edit_reveals && !vo_watch_is_on(r, face, count)) return false;
    r->report.put_off++;
    return true;
}

void vo_watch_keep(vo_remesher *r, const int *face, int count, bool watched, double sum) {
    for (int i = 0; i < count; i++) {
        r->face_watched[face[i]] = watched;
        r->face_shift[face[i]] = sum;
    }
}

/* ---- one edit -------------------------------------------------------------------------------- */

static bool is_seen(const vo_watch *watch, vo_vec3 from, vo_vec3 to) {
    return watch->sees(watch->user, to) || watch->sees(watch->user, from);
}

/* Whether a point that the edit moves by so much has to be asked about. */
static bool may_reveal(const vo_remesher *r, double shift) {
    return r->edit_hidden && !r->edit_reveals && r->edit_before + shift > r->def.watch->most;
}

/* How far a point seems to move, or would, were it seen. */
static double shift_of(vo_remesher *r, vo_vec3 from, vo_vec3 to) {
    const vo_watch *watch = r->def.watch;
    double shift = watch->shift(watch->user, from, to);
    if (shift > 0 && may_reveal(r, shift)) r->edit_reveals = is_seen(watch, from, to);
    return shift;
}

/* Whether nothing more need be known: it is too far, and that counts or it is known to be seen. */
static bool is_settled(const vo_remesher *r, double shift) {
    return shift > r->def.watch->most && (!r->edit_hidden || r->edit_reveals);
}

static double shift_at_crossing(vo_remesher *r, int a, int b, int c, int d) {
    vo_crossing at;
    return vo_pop_cross(r->edit->mesh, a, b, c, d, &at) ? shift_of(r, at.old, at.now) : 0;
}

/* Where a point of the fabric is on the faces between these verts. */
static vo_vec3 place_on(const vo_mesh *m, vo_vec2 u, int count, const int (*left)[3]) {
    double best = -INFINITY, share[3];
    vo_vec3 x = v3_zero();
    for (int i = 0; i < count; i++) {
        double inside = vo_pop_shares(m, left[i], u, share);
        if (!(inside > best)) continue;
        best = inside;
        x = v3_zero();
        for (int k = 0; k < 3; k++)
            x = v3_add_scaled(x, share[k], m->node_x[m->vert_node[left[i][k]]]);
    }
    return x;
}

/* Whether a face has a corner at this vert; at any, if it is negative. */
static bool has_vert(const vo_mesh *m, int face, int vert) {
    const int *v = m->face_vert[face];
    return vert < 0 || v[0] == vert || v[1] == vert || v[2] == vert;
}

/* Looks for followed points of the edit's faces with a corner at `from` that the new faces take too
 * far and into sight. */
static void look_at_followed(vo_remesher *r, int from, int count, const int (*left)[3]) {
    const vo_mesh *m = r->edit->mesh;
    const vo_watch *watch = r->def.watch;
    for (int i = 0; i < r->edit_face_count; i++) {
        if (!has_vert(m, r->edit_face[i], from)) continue;
        for (int p = r->face_point[r->edit_face[i]]; p >= 0; p = r->point[p].next) {
            vo_vec3 to = place_on(m, r->point[p].u, count, left);
            if (!(watch->shift(watch->user, r->point[p].x, to) > watch->most)) continue;
            r->edit_reveals = is_seen(watch, r->point[p].x, to);
            if (r->edit_reveals) return;
        }
    }
}

double vo_watch_flip(vo_remesher *r, const int v[4]) {
    double shift = shift_at_crossing(r, v[0], v[1], v[2], v[3]);
    const int left[2][3] = {{v[0], v[3], v[2]}, {v[1], v[2], v[3]}};
    if (may_reveal(r, shift)) look_at_followed(r, -1, 2, left);
    return shift;
}

double vo_watch_collapse(vo_remesher *r, int from, int to, int count, const int (*left)[3],
                         int spoke_count, const int *spoke) {
    const vo_mesh *m = r->edit->mesh;
    double most = 0;
    if (count > 0)
        most =
            shift_of(r, m->node_x[m->vert_node[from]], place_on(m, m->vert_u[from], count, left));
    for (int i = 0; i < spoke_count && !is_settled(r, most); i++)
        for (int j = 0; j < spoke_count; j++)
            if (spoke[i] != spoke[j])
                most = vo_max(most, shift_at_crossing(r, from, spoke[i], to, spoke[j]));
    if (count > 0 && may_reveal(r, most)) look_at_followed(r, from, count, left);
    return most;
}
