#include "mesh/edit/edit_local.h"

#include <string.h>

static vo_vec2 lerp2(vo_vec2 a, vo_vec2 b, double t) {
    return v2((1 - t) * a.x + t * b.x, (1 - t) * a.y + t * b.y);
}
static vo_vec3 lerp3(vo_vec3 a, vo_vec3 b, double t) {
    return v3((1 - t) * a.x + t * b.x, (1 - t) * a.y + t * b.y, (1 - t) * a.z + t * b.z);
}
static void lerp_row(double *rows, int width, int to, int a, int b, double t) {
    size_t w = (size_t)width;
    for (size_t k = 0; k < w; k++)
        rows[(size_t)to * w + k] = (1 - t) * rows[(size_t)a * w + k] + t * rows[(size_t)b * w + k];
}

/* True if both parts of the face on one side are valid triangles. */
static bool are_parts_valid(const vo_mesh *m, int edge, int side, double t) {
    int end[2];
    vo_mesh_edge_verts(m, edge, side, end);
    vo_vec2 a = m->vert_u[end[side]], b = m->vert_u[end[1 - side]];
    vo_vec2 c = m->vert_u[vo_mesh_edge_opposite(m, edge, side)];
    vo_vec2 middle = side == 0 ? lerp2(a, b, t) : lerp2(b, a, t);
    return vo_is_valid_triangle(a, middle, c) && vo_is_valid_triangle(middle, b, c);
}

vo_edit_status vo_edit_can_split(const vo_edit *e, int edge, double t) {
    if (!vo_edit_has_edge(e, edge)) return VO_EDIT_MISSING;
    if (!(t > 0 && t < 1) || !are_parts_valid(e->mesh, edge, 0, t)) return VO_EDIT_DEGENERATE;
    if (e->mesh->edge_face[edge][1] >= 0 && !are_parts_valid(e->mesh, edge, 1, t))
        return VO_EDIT_DEGENERATE;
    return VO_EDIT_ALLOWED;
}

/* Creates the node on the edge. With lumped masses, interpolated velocity preserves momentum: of a
 * face of mass 3 m the first end gives (1 - t) m to the new node and the second t m. */
static int add_node(vo_edit *e, int edge, double t) {
    vo_mesh *m = e->mesh;
    int a = m->edge_node[edge][0], b = m->edge_node[edge][1], n = vo_edit_new_node(e);
    m->node_x[n] = lerp3(m->node_x[a], m->node_x[b], t);
    m->node_v[n] = lerp3(m->node_v[a], m->node_v[b], t);
    if (m->node_y) m->node_y[n] = lerp3(m->node_y[a], m->node_y[b], t);
    if (e->node_data) lerp_row(e->node_data, e->def.node_width, n, a, b, t);
    vo_lineage_blend(&e->remap.of[VO_REMAP_NODE], n, a, b, t);
    return n;
}

/* Creates the vert of the new node on one side. */
static int add_vert(vo_edit *e, int edge, int side, int node, double t) {
    vo_mesh *m = e->mesh;
    int end[2], v = vo_edit_new_vert(e, node);
    vo_mesh_edge_verts(m, edge, side, end);
    m->vert_u[v] = lerp2(m->vert_u[end[0]], m->vert_u[end[1]], t);
    m->vert_patch[v] = m->vert_patch[end[0]];
    if (e->vert_data) lerp_row(e->vert_data, e->def.vert_width, v, end[0], end[1], t);
    vo_lineage_blend(&e->remap.of[VO_REMAP_VERT], v, end[0], end[1], t);
    return v;
}

static void add_verts(vo_edit *e, int edge, double t, vo_edit_pieces *p) {
    p->vert[0] = add_vert(e, edge, 0, p->node, t);
    p->vert[1] = -1;
    if (e->mesh->edge_face[edge][1] < 0) return;
    bool seam = e->edge_feature[edge] & VO_FEATURE_SEAM;
    p->vert[1] = seam ? add_vert(e, edge, 1, p->node, t) : p->vert[0];
}

/* Divides the edge: the part at its second node becomes a new edge with the same properties. */
static int add_second_part(vo_edit *e, int edge, int node) {
    vo_mesh *m = e->mesh;
    int second = vo_edit_new_edge(e), b = m->edge_node[edge][1];
    m->edge_node[second][0] = node;
    m->edge_node[second][1] = b;
    m->edge_face[second][0] = m->edge_face[second][1] = -1;
    m->edge_rest_angle[second] = m->edge_rest_angle[edge];
    m->edge_damage[second] = m->edge_damage[edge];
    m->edge_label[second] = m->edge_label[edge];
    e->edge_feature[second] = e->edge_feature[edge];
    e->edge_drift[second] = e->edge_drift[edge];
    *vo_halfedge_find_link(e, 2 * edge + 1) = 2 * second + 1; /* replaces the old one at b */
    e->edge_next[second][1] = e->edge_next[edge][1];
    m->edge_node[edge][1] = node;
    vo_halfedge_link(e, 2 * edge + 1);
    vo_halfedge_link(e, 2 * second);
    vo_lineage_copy(&e->remap.of[VO_REMAP_EDGE], second, edge);
    return second;
}

static void copy_face(vo_edit *e, int from, int to) {
    vo_mesh *m = e->mesh;
    memcpy(m->face_vert[to], m->face_vert[from], sizeof m->face_vert[to]);
    memcpy(m->face_edge[to], m->face_edge[from], sizeof m->face_edge[to]);
    m->face_label[to] = m->face_label[from];
    m->face_damage[to] = m->face_damage[from];
    if (m->face_curvature)
        memcpy(m->face_curvature[to], m->face_curvature[from], sizeof m->face_curvature[to]);
    vo_lineage_copy(&e->remap.of[VO_REMAP_FACE], to, from);
}

/* Divides the face on one side along a new flat edge. The face keeps the part at the edge's first
 * node; `first` is its corner there, `second` the corner at the edge's second node:
 *
 *      side 0:  a--m--b   first = i, second = i + 1       side 1:  b--m--a   i the corner of b
 *                \ | /    the cut runs from m to c                  \ | /
 *                  c                                                  d                        */
static void cut_face(vo_edit *e, int edge, int side, vo_edit_pieces *p) {
    vo_mesh *m = e->mesh;
    int face = m->edge_face[edge][side], i = vo_side_of(m, face, edge);
    int first = side == 0 ? i : vo_next_corner(i), second = side == 0 ? vo_next_corner(i) : i;
    int opposite = vo_prev_corner(i), part = vo_edit_new_face(e), cut = vo_edit_new_edge(e);
    /* The new part gets the side from the opposite corner to the second node. */
    int kept_side = side == 0 ? opposite : vo_next_corner(i);
    int moved_side = side == 0 ? vo_next_corner(i) : opposite;
    vo_edit_add_mass(e, face, -1);
    copy_face(e, face, part);
    m->face_vert[face][second] = p->vert[side];
    m->face_vert[part][first] = p->vert[side];
    m->face_edge[face][moved_side] = cut;
    m->face_edge[part][kept_side] = cut;
    m->face_edge[part][i] = p->edge[0];
    vo_change_face(m, m->face_edge[part][moved_side], face, part);
    m->edge_face[p->edge[0]][side] = part;
    m->edge_node[cut][0] = p->node;
    m->edge_node[cut][1] = m->vert_node[m->face_vert[face][opposite]];
    m->edge_face[cut][0] = side == 0 ? face : part;
    m->edge_face[cut][1] = side == 0 ? part : face;
    vo_halfedge_link(e, 2 * cut);
    vo_halfedge_link(e, 2 * cut + 1);
    vo_lineage_copy(&e->remap.of[VO_REMAP_EDGE], cut, -1);
    vo_edit_add_mass(e, face, 1);
    vo_edit_add_mass(e, part, 1);
    p->face[side] = part;
    p->edge[1 + side] = cut;
}

/* True if a split needs no allocation. */
static bool has_capacity(const vo_edit *e) {
    static const int added[VO_REMAP_KINDS] = {1, 2, 3, 2}, records[VO_REMAP_KINDS] = {1, 2, 0, 0};
    const vo_mesh *m = e->mesh;
    int count[] = {m->node_count, m->vert_count, m->edge_count, m->face_count};
    int mesh_capacity[] = {m->node_capacity, m->vert_capacity, m->edge_capacity, m->face_capacity};
    int own_capacity[] = {e->node_capacity, e->vert_capacity, e->edge_capacity, INT32_MAX};
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        const vo_lineage *l = &e->remap.of[k];
        int need = count[k] + vo_max_int(added[k] - e->free_slot_count[k], 0);
        if (need > mesh_capacity[k] || need > own_capacity[k] || need > l->capacity ||
            l->record_count + records[k] > l->record_capacity)
            return false;
    }
    return true;
}

vo_edit_status vo_edit_split(vo_edit *e, int edge, double t, vo_edit_pieces *out) {
    vo_edit_pieces p = {.edge = {-1, -1, -1}, .face = {-1, -1}};
    vo_edit_status status = vo_edit_can_split(e, edge, t);
    if (status != VO_EDIT_ALLOWED) return status;
    if (!has_capacity(e) && vo_edit_reserve(e, 1) != VO_OK) return VO_EDIT_NO_MEMORY;
    bool two = e->mesh->edge_face[edge][1] >= 0;
    p.node = add_node(e, edge, t);
    add_verts(e, edge, t, &p);
    p.edge[0] = add_second_part(e, edge, p.node);
    cut_face(e, edge, 0, &p);
    if (two) cut_face(e, edge, 1, &p);
    e->edits++;
    vo_mesh_change_topology(e->mesh);
    if (out) *out = p;
    return VO_EDIT_ALLOWED;
}
