#include "mesh/edit/edit_local.h"

#include <float.h>

/* The one-ring of the node u that is collapsed onto v.
 *
 *            c                 Sides 0 and 1 are those of the edge. On a seam u and v have
 *         / / \ \              different verts on each side: from[s] is replaced by to[s]. The
 *       w--u---v  x            faces u-v-c and u-v-d are removed; u-c is merged into v-c and u-d
 *         \ \ / /              into v-d; the other edges and faces of u are reconnected to v.
 *            d                                                                                 */
typedef struct star {
    int u, v;
    int face_count, face[VO_STAR_MAX], corner[VO_STAR_MAX]; /* remaining faces, corner of u */
    int half_count, half[VO_STAR_MAX + 1];                  /* half-edges from u */
    int feature_count, feature[2];                          /* feature half-edges from u */
    int from[2], to[2];                                     /* verts; -1 where there is no face */
    int gone[2], apex[2];                                   /* removed faces; nodes c and d */
    double drift;                                           /* of the feature line through u */
} star;

static void find_sides(const vo_mesh *m, int edge, int end, star *s) {
    for (int side = 0; side < 2; side++) {
        int vert[2], apex = vo_mesh_edge_opposite(m, edge, side);
        vo_mesh_edge_verts(m, edge, side, vert);
        s->from[side] = vert[end];
        s->to[side] = vert[1 - end];
        s->gone[side] = m->edge_face[edge][side];
        s->apex[side] = apex < 0 ? -1 : m->vert_node[apex];
    }
}

static void add_face(const vo_mesh *m, int half, star *s) {
    int face = vo_halfedge_face(m, half);
    if (face < 0 || face == s->gone[0] || face == s->gone[1]) return;
    s->face[s->face_count] = face;
    s->corner[s->face_count++] = vo_side_of(m, face, half >> 1);
}

/* Fills the star; false if it is too large. */
static bool gather_star(const vo_edit *e, int edge, int end, star *s) {
    const vo_mesh *m = e->mesh;
    s->u = m->edge_node[edge][end];
    s->v = m->edge_node[edge][1 - end];
    s->face_count = s->half_count = s->feature_count = 0;
    s->drift = 0;
    find_sides(m, edge, end, s);
    for (int h = e->node_halfedge[s->u]; h >= 0; h = vo_halfedge_next(e, h)) {
        if (s->half_count == VO_STAR_MAX) return false;
        s->half[s->half_count++] = h;
        if (e->edge_feature[h >> 1] && s->feature_count++ < 2) s->feature[s->feature_count - 1] = h;
        add_face(m, h, s);
    }
    return true;
}

/* The vert that replaces a vert of u; -1 if neither side of the edge determines it. */
static int find_target(const star *s, int vert) {
    return vert == s->from[0] ? s->to[0] : vert == s->from[1] ? s->to[1] : -1;
}

/* Distance of p from the segment a-b; 0 within rounding. */
static double distance_to_segment(vo_vec2 p, vo_vec2 a, vo_vec2 b) {
    vo_vec2 ab = v2_sub(b, a), ap = v2_sub(p, a);
    double t = vo_clamp(v2_dot(ap, ab) / v2_dot(ab, ab), 0, 1);
    double distance = v2_length(v2_sub(ap, v2_scale(t, ab)));
    double size = fabs(p.x) + fabs(p.y) + fabs(a.x) + fabs(a.y) + fabs(b.x) + fabs(b.y);
    return distance <= 8 * DBL_EPSILON * size ? 0 : distance;
}

/* Distance of u from the feature line without u, in material space, on the worse side. */
static double feature_offset(const vo_mesh *m, const star *s, int other) {
    double offset = 0;
    for (int side = 0; side < 2; side++) {
        int vert[2];
        vo_mesh_edge_verts(m, other >> 1, side, vert);
        if (vert[0] < 0) continue;
        int u = vert[other & 1], w = vert[1 - (other & 1)];
        offset = vo_max(
            offset, distance_to_segment(m->vert_u[u], m->vert_u[find_target(s, u)], m->vert_u[w]));
    }
    return offset;
}

/* Allows no feature line through u, or one along the edge that stays within its tolerance. */
static vo_edit_status check_features(const vo_edit *e, int edge, star *s) {
    const vo_mesh *m = e->mesh;
    if (s->feature_count == 0) return VO_EDIT_ALLOWED;
    if (s->feature_count != 2) return VO_EDIT_JUNCTION;
    if (!e->edge_feature[edge]) return VO_EDIT_ACROSS;
    int other = s->feature[s->feature[0] >> 1 == edge], one = other >> 1;
    if (e->edge_feature[edge] != e->edge_feature[one] || m->edge_label[edge] != m->edge_label[one])
        return VO_EDIT_JUNCTION;
    bool seam = e->edge_feature[edge] & VO_FEATURE_SEAM;
    if (seam && s->from[0] == s->from[1]) return VO_EDIT_JUNCTION;
    int w = vo_halfedge_target(m, other);
    if (w == s->apex[0] || w == s->apex[1]) return VO_EDIT_EAR;
    double offset = feature_offset(m, s, other);
    s->drift = offset + vo_max(e->edge_drift[edge], e->edge_drift[one]);
    return s->drift <= e->def.outline_tolerance ? VO_EDIT_ALLOWED : VO_EDIT_OUTLINE;
}

static bool is_neighbour(const vo_mesh *m, const star *s, int node) {
    for (int i = 0; i < s->half_count; i++)
        if (vo_halfedge_target(m, s->half[i]) == node) return true;
    return false;
}

/* Link condition: only c and d may be adjacent to both u and v; otherwise an edge would be double.
 */
static bool violates_link_condition(const vo_edit *e, const star *s) {
    for (int h = e->node_halfedge[s->v]; h >= 0; h = vo_halfedge_next(e, h)) {
        int w = vo_halfedge_target(e->mesh, h);
        if (w != s->u && w != s->apex[0] && w != s->apex[1] && is_neighbour(e->mesh, s, w))
            return true;
    }
    return false;
}

/* True if the neighbour of face i across from u has v as a corner already. */
static bool creates_double_face(const vo_mesh *m, const star *s, int i) {
    int face = s->face[i], rim = m->face_edge[face][vo_next_corner(s->corner[i])];
    int side = m->edge_face[rim][0] == face, opposite = vo_mesh_edge_opposite(m, rim, side);
    return opposite >= 0 && m->vert_node[opposite] == s->v;
}

static vo_edit_status check_faces(const vo_mesh *m, const star *s) {
    for (int i = 0; i < s->face_count; i++) {
        const int *vert = m->face_vert[s->face[i]];
        int k = s->corner[i], to = find_target(s, vert[k]);
        if (to < 0) return VO_EDIT_JUNCTION;
        if (!vo_is_valid_triangle(m->vert_u[to], m->vert_u[vert[vo_next_corner(k)]],
                                  m->vert_u[vert[vo_prev_corner(k)]]))
            return VO_EDIT_DEGENERATE;
        if (creates_double_face(m, s, i)) return VO_EDIT_JOINED;
    }
    return VO_EDIT_ALLOWED;
}

static vo_edit_status can_collapse(const vo_edit *e, int edge, int end, star *s) {
    if (!vo_edit_has_edge(e, edge)) return VO_EDIT_MISSING;
    if (e->node_flags[e->mesh->edge_node[edge][end]] & VO_NODE_PRESERVED) return VO_EDIT_PRESERVED;
    if (!gather_star(e, edge, end, s)) return VO_EDIT_LARGE;
    vo_edit_status status = check_features(e, edge, s);
    if (status != VO_EDIT_ALLOWED) return status;
    if (violates_link_condition(e, s)) return VO_EDIT_JOINED;
    return check_faces(e->mesh, s);
}

vo_edit_status vo_edit_can_collapse(const vo_edit *e, int edge, int end) {
    star s;
    return can_collapse(e, edge, end, &s);
}

/* Merges the edge u-c into v-c across the removed face between them. The rest angles add up, so the
 * total rest angle between the outer faces is unchanged. */
static void merge_edges(vo_edit *e, const star *s, int side, int edge) {
    vo_mesh *m = e->mesh;
    int gone = s->gone[side], i = vo_side_of(m, gone, edge);
    bool u_first = m->vert_node[m->face_vert[gone][i]] == s->u;
    int old = m->face_edge[gone][u_first ? vo_prev_corner(i) : vo_next_corner(i)];
    int kept = m->face_edge[gone][u_first ? vo_next_corner(i) : vo_prev_corner(i)];
    int outer = m->edge_face[old][m->edge_face[old][0] == gone];
    m->face_edge[outer][vo_side_of(m, outer, old)] = kept;
    vo_change_face(m, kept, gone, outer);
    if (m->edge_face[kept][1] >= 0)
        m->edge_rest_angle[kept] =
            vo_clamp(m->edge_rest_angle[kept] + m->edge_rest_angle[old], -3, 3);
    m->edge_damage[kept] = vo_max(m->edge_damage[kept], m->edge_damage[old]);
    vo_lineage_drop(&e->remap.of[VO_REMAP_FACE], gone);
    vo_lineage_drop(&e->remap.of[VO_REMAP_EDGE], old);
    if (side == 0) vo_lineage_drop(&e->remap.of[VO_REMAP_EDGE], edge);
    vo_halfedge_unlink(e, 2 * old + (m->edge_node[old][0] == s->u));
    vo_edit_free_edge(e, old);
    vo_edit_free_face(e, gone);
}

/* Reconnects the remaining faces and edges of u to v. */
static void move_star(vo_edit *e, const star *s) {
    vo_mesh *m = e->mesh;
    for (int i = 0; i < s->face_count; i++) {
        int *vert = &m->face_vert[s->face[i]][s->corner[i]];
        *vert = find_target(s, *vert);
    }
    for (int i = 0; i < s->half_count; i++) {
        int h = s->half[i];
        if (!vo_edit_has_edge(e, h >> 1)) continue;
        m->edge_node[h >> 1][h & 1] = s->v;
        vo_halfedge_link(e, h);
    }
    for (int i = 0; i < s->feature_count; i++) e->edge_drift[s->feature[i] >> 1] = s->drift;
}

static void drop_node(vo_edit *e, const star *s) {
    for (int v = e->node_vert[s->u], next; v >= 0; v = next) {
        next = e->vert_next[v];
        vo_lineage_drop(&e->remap.of[VO_REMAP_VERT], v);
        vo_edit_free_vert(e, v);
    }
    vo_lineage_drop(&e->remap.of[VO_REMAP_NODE], s->u);
    vo_edit_free_node(e, s->u);
}

/* Measures the momentum of the ring and of u, which comes last. */
static void measure_momentum(const vo_edit *e, const star *s, vo_local_momentum *motion) {
    motion->count = 0;
    for (int i = 0; i < s->half_count; i++)
        motion->node[motion->count++] = vo_halfedge_target(e->mesh, s->half[i]);
    motion->node[motion->count++] = s->u;
    vo_local_momentum_measure(e, motion);
}

static void collapse_edge(vo_edit *e, int edge, int end, const star *s) {
    for (int side = 0; side < 2; side++)
        if (s->gone[side] >= 0) merge_edges(e, s, side, edge);
    vo_halfedge_unlink(e, 2 * edge + 1 - end);
    vo_edit_free_edge(e, edge);
    move_star(e, s);
    drop_node(e, s);
}

vo_edit_status vo_edit_collapse(vo_edit *e, int edge, int end) {
    star s;
    vo_local_momentum motion;
    vo_edit_status status = can_collapse(e, edge, end, &s);
    if (status != VO_EDIT_ALLOWED) return status;
    measure_momentum(e, &s, &motion);
    for (int i = 0; i < s.face_count; i++) vo_edit_add_mass(e, s.face[i], -1);
    for (int side = 0; side < 2; side++)
        if (s.gone[side] >= 0) vo_edit_add_mass(e, s.gone[side], -1);
    collapse_edge(e, edge, end, &s);
    for (int i = 0; i < s.face_count; i++) vo_edit_add_mass(e, s.face[i], 1);
    motion.count--;
    vo_local_momentum_restore(e, &motion);
    e->edits++;
    vo_mesh_change_topology(e->mesh);
    return VO_EDIT_ALLOWED;
}
