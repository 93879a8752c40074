#include "mesh/edit/edit_local.h"

/* ---- lists ----------------------------------------------------------------------------------- */

int vo_edit_classify_edge(const vo_mesh *m, int edge) {
    const int *face = m->edge_face[edge];
    int line = m->edge_label[edge] ? VO_FEATURE_CREASE : 0, side[2][2];
    if (face[1] < 0) return line | VO_FEATURE_BORDER;
    for (int s = 0; s < 2; s++) vo_mesh_edge_verts(m, edge, s, side[s]);
    if (side[0][0] != side[1][0] || side[0][1] != side[1][1]) line |= VO_FEATURE_SEAM;
    if (m->face_label[face[0]] != m->face_label[face[1]]) line |= VO_FEATURE_MATERIAL;
    return line;
}

/* Inserts from the last element to the first, so that lists are in ascending order and depend on
 * the mesh alone. */
void vo_edit_connect(vo_edit *e) {
    vo_mesh *m = e->mesh;
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        e->free_slot[k] = -1;
        e->free_slot_count[k] = 0;
    }
    for (int n = 0; n < m->node_count; n++) e->node_halfedge[n] = e->node_vert[n] = -1;
    for (int v = m->vert_count - 1; v >= 0; v--) {
        int *head = &e->node_vert[m->vert_node[v]];
        e->vert_next[v] = *head;
        *head = v;
    }
    for (int edge = m->edge_count - 1; edge >= 0; edge--) {
        e->edge_feature[edge] = (uint8_t)vo_edit_classify_edge(m, edge);
        vo_halfedge_link(e, 2 * edge + 1);
        vo_halfedge_link(e, 2 * edge);
    }
}

int vo_edit_find_edge(const vo_edit *e, int a, int b) {
    for (int h = e->node_halfedge[a]; h >= 0; h = vo_halfedge_next(e, h))
        if (vo_halfedge_target(e->mesh, h) == b) return h >> 1;
    return -1;
}

/* ---- preserved nodes ------------------------------------------------------------------------- */

static int count_faces(const vo_edit *e, int node) {
    int count = 0;
    for (int h = e->node_halfedge[node]; h >= 0; h = vo_halfedge_next(e, h))
        count += vo_halfedge_face(e->mesh, h) >= 0;
    return count;
}

/* The half-edge of the same origin on the other side of the left face: the next one
 * counter-clockwise. Its left face may be missing. */
static int rotate_left(const vo_mesh *m, int half) {
    int face = vo_halfedge_face(m, half), node = vo_halfedge_origin(m, half);
    int edge = m->face_edge[face][vo_prev_corner(vo_side_of(m, face, half >> 1))];
    return 2 * edge + (m->edge_node[edge][1] == node);
}

/* Start of the rotation: at the border if there is one, so that all faces are visited. */
static int first_half(const vo_edit *e, int node) {
    int first = -1;
    for (int h = e->node_halfedge[node]; h >= 0; h = vo_halfedge_next(e, h)) {
        if (vo_halfedge_face(e->mesh, h) < 0) continue;
        if (vo_halfedge_face(e->mesh, h ^ 1) < 0) return h;
        first = h;
    }
    return first;
}

/* True if the faces of the node form a single fan. */
static bool is_one_fan(const vo_edit *e, int node) {
    int first = first_half(e, node), count = 0;
    if (first < 0) return true;
    for (int h = first; vo_halfedge_face(e->mesh, h) >= 0; count++) {
        h = rotate_left(e->mesh, h);
        if (h == first) {
            count++;
            break;
        }
    }
    return count == count_faces(e, node);
}

/* Material direction from the node along a half-edge, in the face on the given side. */
static vo_vec2 direction(const vo_mesh *m, int half, int side, int *vert) {
    int ends[2];
    vo_mesh_edge_verts(m, half >> 1, side, ends);
    *vert = ends[half & 1];
    vo_vec2 d = v2_sub(m->vert_u[ends[1 - (half & 1)]], m->vert_u[*vert]);
    return v2_scale(1 / v2_length(d), d);
}

/* Turning angle of a feature line between its half-edges a and b, rad, on the worse side. */
static double turning_angle(const vo_mesh *m, int a, int b) {
    double turn = 0;
    for (int s = 0; s < 2; s++)
        for (int r = 0; r < 2; r++) {
            int va, vb;
            if (m->edge_face[a >> 1][s] < 0 || m->edge_face[b >> 1][r] < 0) continue;
            vo_vec2 da = direction(m, a, s, &va), db = direction(m, b, r, &vb);
            if (va == vb) turn = vo_max(turn, fabs(atan2(v2_cross(da, db), -v2_dot(da, db))));
        }
    return turn;
}

/* True if a feature line through the node has a corner there. */
static bool is_corner(const vo_edit *e, int node) {
    int half[2], count = 0;
    for (int h = e->node_halfedge[node]; h >= 0; h = vo_halfedge_next(e, h)) {
        if (!e->edge_feature[h >> 1]) continue;
        if (count == 2) return false; /* a junction is never collapsed */
        half[count++] = h;
    }
    return count == 2 && turning_angle(e->mesh, half[0], half[1]) > e->def.corner_angle;
}

void vo_edit_mark_preserved(vo_edit *e) {
    const vo_mesh *m = e->mesh;
    for (int n = 0; n < m->node_count; n++)
        if (m->node_label[n] || is_corner(e, n) || !is_one_fan(e, n))
            e->node_flags[n] |= VO_NODE_PRESERVED;
    for (int v = 0; v < m->vert_count; v++)
        if (m->vert_label[v]) e->node_flags[m->vert_node[v]] |= VO_NODE_PRESERVED;
}
