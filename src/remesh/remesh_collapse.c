#include "collide/guard/guard.h"
#include "remesh/remesh_local.h"

/* A node, the faces around it on all sides of feature edges, and the edges it could collapse. */
typedef struct star {
    int node;
    bool on_feature;
    int half_count, half[VO_STAR_MAX]; /* half-edges from the node */
    int face_count, face[VO_STAR_MAX]; /* in the order of half-edges; none at a border */
    int corner[VO_STAR_MAX];           /* of the node, in each face */
    double max_size;                   /* largest s allowed for new edges */
    double shift;                      /* total screen displacement after the collapse */
    int candidate_count;
    vo_long_edge candidate[VO_STAR_MAX]; /* half-edges to collapse with s^2, shortest first */
} star;

/* The collapse of a node along one of its half-edges. */
typedef struct target {
    int edge, end, node;
    int from[2], to[2]; /* verts on the two sides; -1 where there is no face */
    int gone[2];        /* faces removed by the collapse */
    int apex[2];        /* nodes opposite the edge, already neighbours of the target */
} target;

/* ---- candidates ------------------------------------------------------------------------------ */

/* Fills half-edges and faces; false if the node cannot be collapsed: it is preserved, has too many
 * faces, or is the end or a junction of feature lines. */
static bool gather(const vo_remesher *r, int node, star *s) {
    const vo_edit *e = r->edit;
    int features = 0;
    s->node = node;
    s->max_size = vo_hysteresis_collapse_below(r, node);
    s->half_count = s->face_count = s->candidate_count = 0;
    if (e->node_flags[node] & VO_NODE_PRESERVED) return false;
    for (int h = e->node_halfedge[node]; h >= 0; h = vo_halfedge_next(e, h)) {
        if (s->half_count == VO_STAR_MAX) return false;
        features += e->edge_feature[h >> 1] != 0;
        s->half[s->half_count++] = h;
        int face = vo_halfedge_face(e->mesh, h);
        if (face < 0) continue;
        s->face[s->face_count] = face;
        s->corner[s->face_count++] = vo_side_of(e->mesh, face, h >> 1);
    }
    s->on_feature = features > 0;
    return features == 0 || features == 2;
}

/* One-ring of a node without feature edges, per face: the corner after the node. */
typedef struct ring {
    int vert[VO_STAR_MAX], before[VO_STAR_MAX]; /* the other corner is the next neighbour */
    vo_vec2 u[VO_STAR_MAX];
    vo_sym2 metric[VO_STAR_MAX];
} ring;

static void find_ring(const vo_remesher *r, const star *s, ring *out) {
    const vo_mesh *m = r->edit->mesh;
    for (int i = 0; i < s->face_count; i++) {
        const int *v = m->face_vert[s->face[i]];
        int after = v[vo_next_corner(s->corner[i])];
        out->vert[i] = after;
        out->before[i] = v[vo_prev_corner(s->corner[i])];
        out->u[i] = m->vert_u[after];
        out->metric[i] = r->metric[after];
    }
}

/* True if the new edges from one ring vert to the others are short enough. Its two neighbours on
 * the ring are connected to it already. */
static bool are_ring_edges_short(const ring *g, int count, int one, double max_size2) {
    for (int i = 0; i < count; i++) {
        if (i == one || g->before[i] == g->vert[one] || g->before[one] == g->vert[i]) continue;
        if (vo_metric_edge_size2(g->metric[i], g->metric[one], v2_sub(g->u[i], g->u[one])) >
            max_size2)
            return false;
    }
    return true;
}

/* Inserts a candidate, ordered by size. */
static void add_candidate(star *s, int half, double size2) {
    int k = s->candidate_count++;
    for (; k > 0 && s->candidate[k - 1].size2 > size2; k--) s->candidate[k] = s->candidate[k - 1];
    s->candidate[k] = (vo_long_edge){size2, half};
}

/* Interior node: all edges whose collapse creates no edge longer than max_size. */
static void find_interior_candidates(const vo_remesher *r, star *s) {
    ring g;
    find_ring(r, s, &g);
    for (int i = 0; i < s->face_count; i++)
        if (are_ring_edges_short(&g, s->face_count, i, s->max_size * s->max_size))
            add_candidate(s, s->half[i], vo_remesh_size2(r, s->half[i] >> 1));
}

/* Node on a feature line: the two edges along it; can_collapse checks the new edge lengths. */
static void find_feature_candidates(const vo_remesher *r, star *s) {
    for (int i = 0; i < s->half_count; i++)
        if (r->edit->edge_feature[s->half[i] >> 1])
            add_candidate(s, s->half[i], vo_remesh_size2(r, s->half[i] >> 1));
}

static target make_target(const vo_mesh *m, int half) {
    target t = {.edge = half >> 1, .end = half & 1, .node = vo_halfedge_target(m, half)};
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

/* The target vert that replaces one of the node's verts; -1 if the edge determines none. */
static int successor(const target *t, int vert) {
    return vert == t->from[0] ? t->to[0] : vert == t->from[1] ? t->to[1] : -1;
}

/* ---- acceptance ------------------------------------------------------------------------------ */

/* True if the edge between two verts is short enough or exists already. */
static bool is_short(const vo_remesher *r, const star *s, const target *t, int to, int vert) {
    const vo_mesh *m = r->edit->mesh;
    int node = m->vert_node[vert];
    if (node == t->apex[0] || node == t->apex[1]) return true;
    return vo_metric_edge_size2(r->metric[to], r->metric[vert],
                                v2_sub(m->vert_u[vert], m->vert_u[to])) <=
           s->max_size * s->max_size;
}

/* True if the new edges on both sides of a feature line are short enough. */
static bool are_edges_short(const vo_remesher *r, const star *s, const target *t) {
    const vo_mesh *m = r->edit->mesh;
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], to = successor(t, vert[k]);
        if (!stays(t, s->face[i])) continue;
        if (to < 0 || !is_short(r, s, t, to, vert[vo_next_corner(k)])) return false;
        if (!is_short(r, s, t, to, vert[vo_prev_corner(k)])) return false;
    }
    return true;
}

/* True if all new faces have at least aspect_min, or the aspect of the worst old face if lower. */
static bool are_faces_good(const vo_remesher *r, const star *s, const target *t) {
    const vo_mesh *m = r->edit->mesh;
    double old = r->def.aspect_min, now = INFINITY;
    if (!(old > 0)) return true;
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], b = vert[vo_next_corner(k)], c = vert[vo_prev_corner(k)];
        old = vo_min(old, vo_remesh_aspect(r, vert[k], b, c));
        if (stays(t, s->face[i]))
            now = vo_min(now, vo_remesh_aspect(r, successor(t, vert[k]), b, c));
    }
    return now >= old;
}

/* True if the strain of new faces exceeds neither strain_allowed nor that of the old faces. */
static bool keeps_strain(const vo_remesher *r, const star *s, const target *t) {
    const vo_mesh *m = r->edit->mesh;
    double old = r->def.strain_allowed, now = 0;
    if (isinf(old)) return true;
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], b = vert[vo_next_corner(k)], c = vert[vo_prev_corner(k)];
        old = vo_max(old, vo_remesh_strain(m, vert[k], b, c));
        if (stays(t, s->face[i]))
            now = vo_max(now, vo_remesh_strain(m, successor(t, vert[k]), b, c));
    }
    return now <= old;
}

/* The faces on one side of the collapsed edge, those of one vert of the node. */
typedef struct side_faces {
    int from, to;
    int points;                              /* list of tracked points on them */
    bool moved;                              /* some were displaced by earlier edits */
    int face_count, face[VO_STAR_MAX];       /* those that remain */
    int left[VO_STAR_MAX][3];                /* their corners after the collapse */
    int spoke_count, spoke[2 * VO_STAR_MAX]; /* neighbours except `to`, some twice */
} side_faces;

static void add_face(const vo_remesher *r, const star *s, const target *t, int i,
                     side_faces *side) {
    const vo_mesh *m = r->edit->mesh;
    int face = s->face[i], k = s->corner[i];
    const int *vert = m->face_vert[face];
    int after = vert[vo_next_corner(k)], before = vert[vo_prev_corner(k)];
    side->moved |= r->face_moved[face];
    if (after != side->to) side->spoke[side->spoke_count++] = after;
    if (s->on_feature && before != side->to) side->spoke[side->spoke_count++] = before;
    if (!stays(t, face)) return;
    int *left = side->left[side->face_count];
    left[0] = side->to, left[1] = after, left[2] = before;
    side->face[side->face_count++] = face;
}

/* Fills side k; false if there is no such side or it equals side 0. */
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

/* Total screen displacement, as if all faces were visible. */
static double measure_shift(vo_remesher *r, const star *s, const target *t) {
    double max_shift = 0;
    bool measures = vo_pop_limit_begin_edit(r, s->face, s->face_count);
    for (int k = 0; k < 2 && measures; k++) {
        side_faces side;
        if (!find_side(r, s, t, k, &side)) continue;
        double shift =
            vo_pop_limit_collapse(r, side.from, side.to, side.face_count,
                                  (const int(*)[3])side.left, side.spoke_count, side.spoke);
        max_shift = vo_max(max_shift, shift);
    }
    return vo_pop_limit_total(r, s->face, s->face_count, max_shift);
}

static bool can_collapse(vo_remesher *r, star *s, const target *t) {
    if (s->on_feature && !are_edges_short(r, s, t)) return false;
    if (!are_faces_good(r, s, t) || !keeps_strain(r, s, t)) return false;
    if (vo_edit_can_collapse(r->edit, t->edge, t->end) != VO_EDIT_ALLOWED) return false;
    s->shift = measure_shift(r, s, t);
    if (vo_pop_limit_should_defer(r, s->face, s->face_count, s->shift)) return false;
    if (!r->guard || vo_guard_can_collapse(r->guard, r->cloth, t->edge, t->end)) return true;
    r->report.rejected++;
    return false;
}

/* ---- execution ------------------------------------------------------------------------------- */

/* Detaches the tracked points of the faces of a side. */
static void detach_points(vo_remesher *r, const star *s, side_faces *side) {
    for (int i = 0; i < s->face_count; i++)
        if (r->edit->mesh->face_vert[s->face[i]][s->corner[i]] == side->from)
            vo_pop_detach(r, s->face[i], &side->points);
}

static vo_result detach_side(vo_remesher *r, const star *s, const target *t, int k,
                             side_faces *side) {
    if (!find_side(r, s, t, k, side)) return VO_OK;
    detach_points(r, s, side);
    if (!r->node_moved[s->node]) VO_TRY(vo_pop_add_node(r, side->from, &side->points));
    if (side->moved) return VO_OK;
    return vo_pop_add_collapse(r, side->from, side->to, side->spoke, side->spoke_count,
                               &side->points);
}

static vo_result attach_side(vo_remesher *r, const side_faces *side, bool visible, double shift) {
    if (side->face_count > 0) vo_pop_attach(r, side->points, side->face, side->face_count);
    vo_pop_limit_record(r, side->face, side->face_count, visible, shift);
    for (int i = 0; i < side->face_count; i++) {
        r->face_moved[side->face[i]] = 1;
        VO_TRY(vo_remesh_update_face(r, side->face[i]));
    }
    return VO_OK;
}

static vo_result collapse_node(vo_remesher *r, const star *s, const target *t) {
    side_faces side[2];
    bool visible = vo_pop_limit_any_visible(r, s->face, s->face_count);
    vo_hysteresis_collapse(r, s->node);
    for (int k = 0; k < 2; k++) VO_TRY(detach_side(r, s, t, k, &side[k]));
    if (vo_edit_collapse(r->edit, t->edge, t->end) != VO_EDIT_ALLOWED)
        return vo_fail_memory(r->ctx, "remeshing"); /* can_collapse has excluded other causes */
    r->report.collapses++;
    for (int k = 0; k < 2; k++)
        if (r->guard && t->gone[k] >= 0) vo_guard_remove_face(r->guard, r->cloth, t->gone[k]);
    for (int k = 0; k < 2; k++) VO_TRY(attach_side(r, &side[k], visible, s->shift));
    return vo_remesh_flip(r);
}

/* Collapses the node onto its nearest neighbour for which this is allowed, if there is one. */
static vo_result visit_node(vo_remesher *r, int node) {
    star s;
    if (!gather(r, node, &s)) return VO_OK;
    if (s.on_feature)
        find_feature_candidates(r, &s);
    else
        find_interior_candidates(r, &s);
    for (int i = 0; i < s.candidate_count; i++) {
        target t = make_target(r->edit->mesh, s.candidate[i].edge);
        if (can_collapse(r, &s, &t)) return collapse_node(r, &s, &t);
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
            r->node_queued[round[i]] = 0;
            if (vo_edit_has_node(r->edit, round[i])) VO_TRY(visit_node(r, round[i]));
        }
    }
    return VO_OK;
}
