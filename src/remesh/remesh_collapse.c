#include "collide/guard.h"
#include "remesh/remesh_local.h"

/* A node, the faces around it on all sides of lines through it, and neighbours it might go to. */
typedef struct star {
    int node;
    bool on_line;
    int half_count, half[VO_STAR_MAX]; /* from the node */
    int face_count, face[VO_STAR_MAX]; /* in the order of halves; a border has no face */
    int corner[VO_STAR_MAX];           /* of the node, in each face */
    double most;                       /* s of new edges at most */
    double shift;                      /* how far points seem to move in all if it goes */
    int way_count;
    vo_long_edge way[VO_STAR_MAX]; /* halves that could be collapsed with s^2, shortest first */
} star;

/* Where the node would go, by one of its halves. */
typedef struct target {
    int edge, end, node;
    int from[2], to[2]; /* verts on the two sides; -1 where there is no face */
    int gone[2];        /* faces */
    int apex[2];        /* nodes opposite: joined to the target already */
} target;

/* ---- looking around -------------------------------------------------------------------------- */

/* Fills halves and faces; false where the node cannot go: preserved, too large, or more than a line
 * passes. */
static bool gather(const vo_remesher *r, int node, star *s) {
    const vo_edit *e = r->edit;
    int lines = 0;
    s->node = node;
    s->most = vo_calm_collapse_below(r, node);
    s->half_count = s->face_count = s->way_count = 0;
    if (e->node_flags[node] & VO_NODE_PRESERVED) return false;
    for (int h = e->node_half[node]; h >= 0; h = vo_half_next(e, h)) {
        if (s->half_count == VO_STAR_MAX) return false;
        lines += e->edge_line[h >> 1] != 0;
        s->half[s->half_count++] = h;
        int face = vo_half_face(e->mesh, h);
        if (face < 0) continue;
        s->face[s->face_count] = face;
        s->corner[s->face_count++] = vo_side_of(e->mesh, face, h >> 1);
    }
    s->on_line = lines > 0;
    return lines == 0 || lines == 2;
}

/* Neighbours of a node without lines, face by face: the corner after the node. */
typedef struct ring {
    int vert[VO_STAR_MAX], before[VO_STAR_MAX]; /* the other corner is the next neighbour */
    vo_vec2 u[VO_STAR_MAX];
    vo_sym2 metric[VO_STAR_MAX];
} ring;

static void find_ring(const vo_remesher *r, const star *s, ring *out) {
    const vo_mesh *m = r->edit->mesh;
    for (int i = 0; i < s->face_count; i++) {
        const int *v = m->face_vert[s->face[i]];
        int after = v[vo_after(s->corner[i])];
        out->vert[i] = after;
        out->before[i] = v[vo_before(s->corner[i])];
        out->u[i] = m->vert_u[after];
        out->metric[i] = r->metric[after];
    }
}

/* Whether the edges from one neighbour to the others would be short; its own neighbours on the ring
 * are joined to it already. */
static bool is_near_all(const ring *g, int count, int one, double most2) {
    for (int i = 0; i < count; i++) {
        if (i == one || g->before[i] == g->vert[one] || g->before[one] == g->vert[i]) continue;
        if (vo_metric_edge_size2(g->metric[i], g->metric[one], v2_sub(g->u[i], g->u[one])) > most2)
            return false;
    }
    return true;
}

/* Adds a way, shorter ones first. */
static void add_way(star *s, int half, double size2) {
    int k = s->way_count++;
    for (; k > 0 && s->way[k - 1].size2 > size2; k--) s->way[k] = s->way[k - 1];
    s->way[k] = (vo_long_edge){size2, half};
}

/* Ways that make no edge too long. */
static void find_ways_inside(const vo_remesher *r, star *s) {
    ring g;
    find_ring(r, s, &g);
    for (int i = 0; i < s->face_count; i++)
        if (is_near_all(&g, s->face_count, i, s->most * s->most))
            add_way(s, s->half[i], vo_remesh_size2(r, s->half[i] >> 1));
}

/* The two ways along a line; whether edges would be too long is yet to be seen. */
static void find_ways_along(const vo_remesher *r, star *s) {
    for (int i = 0; i < s->half_count; i++)
        if (r->edit->edge_line[s->half[i] >> 1])
            add_way(s, s->half[i], vo_remesh_size2(r, s->half[i] >> 1));
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
static bool is_short(const vo_remesher *r, const star *s, const target *t, int to, int vert) {
    const vo_mesh *m = r->edit->mesh;
    int node = m->vert_node[vert];
    if (node == t->apex[0] || node == t->apex[1]) return true;
    return vo_metric_edge_size2(r->metric[to], r->metric[vert],
                                v2_sub(m->vert_u[vert], m->vert_u[to])) <= s->most * s->most;
}

/* The new edges on both sides of a line. */
static bool are_edges_short(const vo_remesher *r, const star *s, const target *t) {
    const vo_mesh *m = r->edit->mesh;
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], to = successor(t, vert[k]);
        if (!stays(t, s->face[i])) continue;
        if (to < 0 || !is_short(r, s, t, to, vert[vo_after(k)])) return false;
        if (!is_short(r, s, t, to, vert[vo_before(k)])) return false;
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

/* Whether no face becomes stretched or compressed beyond what is allowed and was there. */
static bool keeps_strain(const vo_remesher *r, const star *s, const target *t) {
    const vo_mesh *m = r->edit->mesh;
    double old = r->def.strain_allowed, now = 0;
    if (isinf(old)) return true;
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], b = vert[vo_after(k)], c = vert[vo_before(k)];
        old = vo_max(old, vo_remesh_strain(m, vert[k], b, c));
        if (stays(t, s->face[i]))
            now = vo_max(now, vo_remesh_strain(m, successor(t, vert[k]), b, c));
    }
    return now <= old;
}

/* One side of the edge: what happens to the faces of the vert that goes there. */
typedef struct side_faces {
    int from, to;
    int points;                              /* on them, as a list */
    bool moved;                              /* some have moved before */
    int face_count, face[VO_STAR_MAX];       /* those that stay */
    int left[VO_STAR_MAX][3];                /* their corners then */
    int spoke_count, spoke[2 * VO_STAR_MAX]; /* neighbours but `to`, some twice */
} side_faces;

static void add_face(const vo_remesher *r, const star *s, const target *t, int i,
                     side_faces *side) {
    const vo_mesh *m = r->edit->mesh;
    int face = s->face[i], k = s->corner[i];
    const int *vert = m->face_vert[face];
    int after = vert[vo_after(k)], before = vert[vo_before(k)];
    side->moved |= r->face_moved[face];
    if (after != side->to) side->spoke[side->spoke_count++] = after;
    if (s->on_line && before != side->to) side->spoke[side->spoke_count++] = before;
    if (!stays(t, face)) return;
    int *left = side->left[side->face_count];
    left[0] = side->to, left[1] = after, left[2] = before;
    side->face[side->face_count++] = face;
}

/* False if there is no such side, or the other one has the same faces. */
static bool find_side(const vo_remesher *r, const star *s, const target *t, int k,
                      side_faces *side) {
    side->from = t->from[k];
    side->to = t->to[k];
    side->points = -1;
    side->moved = false;
    side->face_count = side->spoke_count = 0;
    if (side->from < 0 || (k == 1 && side->from == t->from[0])) return false;
    for (int i = 0; i < s->face_count; i++)
        if (r->edit->mesh->face_vert[s->face[i]][s->corner[i]] == side->from)
            add_face(r, s, t, i, side);
    return true;
}

/* How far points seem to move in all, whether they are watched or not. */
static double seen_shift(vo_remesher *r, const star *s, const target *t) {
    double most = 0;
    bool measures = vo_watch_measures(r, s->face, s->face_count);
    for (int k = 0; k < 2 && measures; k++) {
        side_faces side;
        if (!find_side(r, s, t, k, &side)) continue;
        double shift = vo_watch_collapse(r, side.from, side.to, side.face_count,
                                         (const int(*)[3])side.left, side.spoke_count, side.spoke);
        most = vo_max(most, shift);
    }
    return vo_watch_sum(r, s->face, s->face_count, most);
}

static bool may_collapse(vo_remesher *r, star *s, const target *t) {
    if (s->on_line && !are_edges_short(r, s, t)) return false;
    if (!are_faces_good(r, s, t) || !keeps_strain(r, s, t)) return false;
    if (vo_edit_can_collapse(r->edit, t->edge, t->end) != VO_EDIT_ALLOWED) return false;
    s->shift = seen_shift(r, s, t);
    if (vo_watch_puts_off(r, s->face, s->face_count, s->shift)) return false;
    if (!r->guard || vo_guard_may_collapse(r->guard, r->cloth, t->edge, t->end)) return true;
    r->report.refused++;
    return false;
}

/* ---- doing it -------------------------------------------------------------------------------- */

/* Takes the points of the faces of a side. */
static void take_points(vo_remesher *r, const star *s, side_faces *side) {
    for (int i = 0; i < s->face_count; i++)
        if (r->edit->mesh->face_vert[s->face[i]][s->corner[i]] == side->from)
            vo_pop_take(r, s->face[i], &side->points);
}

static vo_result open_side(vo_remesher *r, const star *s, const target *t, int k,
                           side_faces *side) {
    if (!find_side(r, s, t, k, side)) return VO_OK;
    take_points(r, s, side);
    if (!r->node_moved[s->node]) VO_TRY(vo_pop_of_node(r, side->from, &side->points));
    if (side->moved) return VO_OK;
    return vo_pop_of_spokes(r, side->from, side->to, side->spoke, side->spoke_count, &side->points);
}

static vo_result close_side(vo_remesher *r, const side_faces *side, bool watched, double shift) {
    if (side->face_count > 0) vo_pop_put(r, side->points, side->face, side->face_count);
    vo_watch_keep(r, side->face, side->face_count, watched, shift);
    for (int i = 0; i < side->face_count; i++) {
        r->face_moved[side->face[i]] = 1;
        VO_TRY(vo_remesh_touch(r, side->face[i]));
    }
    return VO_OK;
}

static vo_result collapse(vo_remesher *r, const star *s, const target *t) {
    side_faces side[2];
    bool watched = vo_watch_is_on(r, s->face, s->face_count);
    vo_calm_collapse(r, s->node);
    for (int k = 0; k < 2; k++) VO_TRY(open_side(r, s, t, k, &side[k]));
    if (vo_edit_collapse(r->edit, t->edge, t->end) != VO_EDIT_ALLOWED)
        return vo_fail_memory(r->ctx, "remeshing"); /* all else has been asked */
    r->report.collapses++;
    for (int k = 0; k < 2; k++)
        if (r->guard && t->gone[k] >= 0) vo_guard_removed(r->guard, r->cloth, t->gone[k]);
    for (int k = 0; k < 2; k++) VO_TRY(close_side(r, &side[k], watched, s->shift));
    return vo_remesh_flip(r);
}

/* Moves the node onto its nearest neighbour that it may go to, if there is one. */
static vo_result visit(vo_remesher *r, int node) {
    star s;
    if (!gather(r, node, &s)) return VO_OK;
    if (s.on_line)
        find_ways_along(r, &s);
    else
        find_ways_inside(r, &s);
    for (int i = 0; i < s.way_count; i++) {
        target t = target_of(r->edit->mesh, s.way[i].edge);
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
