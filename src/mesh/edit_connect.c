#include "mesh/edit_local.h"

/* ---- lists ----------------------------------------------------------------------------------- */

int vo_edit_line_of(const vo_mesh *m, int edge) {
    const int *face = m->edge_face[edge];
    int line = m->edge_label[edge] ? VO_LINE_CREASE : 0, side[2][2];
    if (face[1] < 0) return line | VO_LINE_BORDER;
    for (int s = 0; s < 2; s++) vo_mesh_edge_verts(m, edge, s, side[s]);
    if (side[0][0] != side[1][0] || side[0][1] != side[1][1]) line |= VO_LINE_SEAM;
    if (m->face_label[face[0]] != m->face_label[face[1]]) line |= VO_LINE_MATERIAL;
    return line;
}

/* From the last element to the first, so that lists are in ascending order: they depend on the
 * mesh alone. */
void vo_edit_connect(vo_edit *e) {
    vo_mesh *m = e->mesh;
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        e->hole[k] = -1;
        e->hole_count[k] = 0;
    }
    for (int n = 0; n < m->node_count; n++) e->node_half[n] = e->node_vert[n] = -1;
    for (int v = m->vert_count - 1; v >= 0; v--) {
        int *head = &e->node_vert[m->vert_node[v]];
        e->vert_next[v] = *head;
        *head = v;
    }
    for (int edge = m->edge_count - 1; edge >= 0; edge--) {
        e->edge_line[edge] = (uint8_t)vo_edit_line_of(m, edge);
        vo_link_half(e, 2 * edge + 1);
        vo_link_half(e, 2 * edge);
    }
}

int vo_edit_find_edge(const vo_edit *e, int a, int b) {
    for (int h = e->node_half[a]; h >= 0; h = vo_half_next(e, h))
        if (vo_half_target(e->mesh, h) == b) return h >> 1;
    return -1;
}

/* ---- nodes to keep --------------------------------------------------------------------------- */

static int count_faces(const vo_edit *e, int node) {
    int count = 0;
    for (int h = e->node_half[node]; h >= 0; h = vo_half_next(e, h))
        count += vo_half_face(e->mesh, h) >= 0;
    return count;
}

/* The half from the same node on the other side of the half's face: the next one turning left;
 * its left face may be missing. */
static int turn_left(const vo_mesh *m, int half) {
    int face = vo_half_face(m, half), node = vo_half_node(m, half);
    int edge = m->face_edge[face][vo_before(vo_side_of(m, face, half >> 1))];
    return 2 * edge + (m->edge_node[edge][1] == node);
}

/* Where to start turning: at the border if there is one, then all faces are on the way. */
static int first_half(const vo_edit *e, int node) {
    int first = -1;
    for (int h = e->node_half[node]; h >= 0; h = vo_half_next(e, h)) {
        if (vo_half_face(e->mesh, h) < 0) continue;
        if (vo_half_face(e->mesh, h ^ 1) < 0) return h;
        first = h;
    }
    return first;
}

/* Whether all faces of the node follow each other around it. */
static bool is_one_fan(const vo_edit *e, int node) {
    int first = first_half(e, node), count = 0;
    if (first < 0) return true;
    for (int h = first; vo_half_face(e->mesh, h) >= 0; count++) {
        h = turn_left(e->mesh, h);
        if (h == first) {
            count++;
            break;
        }
    }
    return count == count_faces(e, node);
}

/* Material direction from the node along a half, as the face on side s of its edge sees it. */
static vo_vec2 direction(const vo_mesh *m, int half, int side, int *vert) {
    int ends[2];
    vo_mesh_edge_verts(m, half >> 1, side, ends);
    *vert = ends[half & 1];
    vo_vec2 d = v2_sub(m->vert_u[ends[1 - (half & 1)]], m->vert_u[*vert]);
    return v2_scale(1 / v2_length(d), d);
}

/* How much a line turns where its halves a and b meet, on the worse side. */
static double turn_of_line(const vo_mesh *m, int a, int b) {
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

/* Whether a line through the node has a corner there. */
static bool is_corner(const vo_edit *e, int node) {
    int half[2], count = 0;
    for (int h = e->node_half[node]; h >= 0; h = vo_half_next(e, h)) {
        if (!e->edge_line[h >> 1]) continue;
        if (count == 2) return false; /* a junction is kept anyway */
        half[count++] = h;
    }
    return count == 2 && turn_of_line(e->mesh, half[0], half[1]) > e->def.corner_angle;
}

void vo_edit_mark_preserved(vo_edit *e) {
    const vo_mesh *m = e->mesh;
    for (int n = 0; n < m->node_count; n++)
        if (m->node_label[n] || is_corner(e, n) || !is_one_fan(e, n))
            e->node_flags[n] |= VO_NODE_PRESERVED;
    for (int v = 0; v < m->vert_count; v++)
        if (m->vert_label[v]) e->node_flags[m->vert_node[v]] |= VO_NODE_PRESERVED;
}
