#include "collide/guard.h"
#include "remesh/remesh_local.h"

/* A node and the faces around it, on all sides of lines through it. */
typedef struct star {
    int node;
    bool on_line;
    int face_count, face[VO_STAR_MAX];
    int corner[VO_STAR_MAX]; /* of the node, in each face */
    int half_count;
    vo_long_edge half[VO_STAR_MAX]; /* from the node, with s^2 of their edges; shortest first */
} star;

/* Where the node would go, by one of its halves. */
typedef struct target {
    int edge, end, node;
    int from[2], to[2]; /* verts on the two sides; -1 where there is no face */
    int gone[2];        /* faces */
    int apex[2];        /* nodes opposite: joined to the target already */
} target;

/* ---- looking around -------------------------------------------------------------------------- */

static void sort_halves(star *s) {
    for (int i = 1; i < s->half_count; i++) {
        vo_long_edge moved = s->half[i];
        int k = i;
        for (; k > 0 && s->half[k - 1].size2 > moved.size2; k--) s->half[k] = s->half[k - 1];
        s->half[k] = moved;
    }
}

/* Fills the star; false where the node cannot go: preserved, too large, or more than a line passes.
 */
static bool gather(const vo_remesher *r, int node, star *s) {
    const vo_edit *e = r->edit;
    int lines = 0;
    s->node = node;
    s->face_count = s->half_count = 0;
    if (e->node_flags[node] & VO_NODE_PRESERVED) return false;
    for (int h = e->node_half[node]; h >= 0; h = vo_half_next(e, h)) {
        if (s->half_count == VO_STAR_MAX) return false;
        lines += e->edge_line[h >> 1] != 0;
        s->half[s->half_count++] = (vo_long_edge){vo_remesh_size2(r, h >> 1), h};
        int face = vo_half_face(e->mesh, h);
        if (face < 0) continue;
        s->face[s->face_count] = face;
        s->corner[s->face_count++] = vo_side_of(e->mesh, face, h >> 1);
    }
    s->on_line = lines > 0;
    if (lines != 0 && lines != 2) return false;
    sort_halves(s);
    return true;
}

static target target_of(const vo_mesh *m, int half) {
    target t = {.edge = half >> 1, .end = half & 1, .node = vo_half_target(m, half)};
    for (int side = 0; side < 2; side++) {
        int vert[2], apex = vo_mesh_edge_opposite(m, t.edge, side);
        vo_mesh_edge_verts(m, t.edge, side, vert);
        t.from[side] = vert[t.end];
        t.to[side] = vert[1 - t.end];
        t.gone[side] = m->edge_face[t.edge][side];
        t.apex[side] = apex < 0 ? -1 : m->vert_node[apex];
    }
    return t;
}

static bool stays(const target *t, int face) { return face != t->gone[0] && face != t->gone[1]; }

/* The vert that takes the place of one of the node's; -1 if the edge's sides do not tell. */
static int successor(const target *t, int vert) {
    return vert == t->from[0] ? t->to[0] : vert == t->from[1] ? t->to[1] : -1;
}

/* ---- whether it should ----------------------------------------------------------------------- */

/* Whether a new edge between two verts is short enough; one that is there already is. */
static bool is_short(const vo_remesher *r, const target *t, int to, int vert) {
    const vo_mesh *m = r->edit->mesh;
    int node = m->vert_node[vert];
    if (node == t->apex[0] || node == t->apex[1]) return true;
    return vo_metric_edge_size2(r->metric[to], r->metric[vert],
                                v2_sub(m->vert_u[vert], m->vert_u[to])) <=
           r->def.collapse_below * r->def.collapse_below;
}

/* Around an inner node, the corner after it in one face is the one before it in the next. */
static bool are_edges_short(const vo_remesher *r, const star *s, const target *t) {
    const vo_mesh *m = r->edit->mesh;
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], to = successor(t, vert[k]);
        if (!stays(t, s->face[i])) continue;
        if (to < 0 || !is_short(r, t, to, vert[vo_after(k)])) return false;
        if (s->on_line && !is_short(r, t, to, vert[vo_before(k)])) return false;
    }
    return true;
}

/* Whether all faces have the least aspect or, at worst, that of the worst face so far. */
static bool are_faces_good(const vo_remesher *r, const star *s, const target *t) {
    const vo_mesh *m = r->edit->mesh;
    double old = r->def.aspect_min, now = INFINITY;
    if (!(old > 0)) return true;
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], b = vert[vo_after(k)], c = vert[vo_before(k)];
        old = vo_min(old, vo_remesh_aspect(r, vert[k], b, c));
        if (stays(t, s->face[i]))
            now = vo_min(now, vo_remesh_aspect(r, successor(t, vert[k]), b, c));
    }
    return now >= old;
}

static bool may_collapse(vo_remesher *r, const star *s, const target *t) {
    if (s->on_line && !r->edit->edge_line[t->edge]) return false;
    if (!are_edges_short(r, s, t) || !are_faces_good(r, s, t)) return false;
    if (vo_edit_can_collapse(r->edit, t->edge, t->end) != VO_EDIT_ALLOWED) return false;
    if (!r->guard || vo_guard_may_collapse(r->guard, r->cloth, t->edge, t->end)) return true;
    r->report.refused++;
    return false;
}

/* ---- doing it -------------------------------------------------------------------------------- */

/* How far the surface will move on one side of the edge. */
static double pop_on_side(const vo_mesh *m, const star *s, const target *t, int side) {
    vo_pop_fan fan = {.from = t->from[side], .to = t->to[side]};
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], corner[2] = {vert[vo_after(k)], vert[vo_before(k)]};
        if (vert[k] != fan.from) continue;
        for (int j = 0; j < (s->on_line ? 2 : 1); j++)
            if (corner[j] != fan.to) fan.spoke[fan.spoke_count++] = corner[j];
        if (!stays(t, s->face[i])) continue;
        fan.face[fan.face_count][0] = corner[0];
        fan.face[fan.face_count++][1] = corner[1];
    }
    return vo_pop_of_collapse(m, &fan);
}

static double pop_of(const vo_mesh *m, const star *s, const target *t) {
    double pop = t->from[0] >= 0 ? pop_on_side(m, s, t, 0) : 0;
    if (t->from[1] >= 0 && t->from[1] != t->from[0]) pop = vo_max(pop, pop_on_side(m, s, t, 1));
    return pop;
}

static vo_result collapse(vo_remesher *r, const star *s, const target *t) {
    double pop = pop_of(r->edit->mesh, s, t), moved = 0;
    for (int i = 0; i < s->face_count; i++) moved = vo_max(moved, r->face_moved[s->face[i]]);
    if (vo_edit_collapse(r->edit, t->edge, t->end) != VO_EDIT_ALLOWED)
        return vo_fail_memory(r->ctx, "remeshing"); /* all else has been asked */
    r->report.collapses++;
    moved = vo_remesh_note_pop(r, moved, pop);
    for (int side = 0; side < 2; side++)
        if (r->guard && t->gone[side] >= 0) vo_guard_removed(r->guard, r->cloth, t->gone[side]);
    for (int i = 0; i < s->face_count; i++) {
        if (!stays(t, s->face[i])) continue;
        r->face_moved[s->face[i]] = moved;
        VO_TRY(vo_remesh_touch(r, s->face[i]));
    }
    return vo_remesh_flip(r);
}

/* Moves the node onto its nearest neighbour that it may go to, if there is one. */
static vo_result visit(vo_remesher *r, int node) {
    star s;
    if (!gather(r, node, &s)) return VO_OK;
    for (int i = 0; i < s.half_count; i++) {
        target t = target_of(r->edit->mesh, s.half[i].edge);
        if (may_collapse(r, &s, &t)) return collapse(r, &s, &t);
    }
    return VO_OK;
}

vo_result vo_remesh_collapse(vo_remesher *r) {
    while (r->node_count > 0) {
        int count = r->node_count, *round = r->nodes;
        r->nodes = r->round;
        r->round = round;
        r->node_count = 0;
        for (int i = 0; i < count; i++) {
            r->node_waits[round[i]] = 0;
            if (vo_edit_has_node(r->edit, round[i])) VO_TRY(visit(r, round[i]));
        }
    }
    return VO_OK;
}
