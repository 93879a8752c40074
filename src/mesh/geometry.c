#include "mesh/mesh.h"

double vo_mesh_face_area(const vo_mesh *m, int face) {
    return m2_det(vo_mesh_face_dm(m, face)) / 2;
}

double vo_mesh_face_longest_side(const vo_mesh *m, int face) {
    const int *vert = m->face_vert[face];
    double longest = 0;
    for (int i = 0; i < 3; i++) {
        vo_vec2 side = v2_sub(m->vert_u[vert[i == 2 ? 0 : i + 1]], m->vert_u[vert[i]]);
        longest = vo_max(longest, v2_length(side));
    }
    return longest;
}

vo_vec3 vo_mesh_size(const vo_mesh *m) {
    if (m->node_count == 0) return v3_zero();
    vo_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_negate(low);
    for (int n = 0; n < m->node_count; n++) {
        low = v3_min(low, m->node_x[n]);
        high = v3_max(high, m->node_x[n]);
    }
    return v3_sub(high, low);
}

vo_mat2 vo_mesh_face_dm(const vo_mesh *m, int face) {
    const int *vert = m->face_vert[face];
    vo_vec2 e1 = v2_sub(m->vert_u[vert[1]], m->vert_u[vert[0]]);
    vo_vec2 e2 = v2_sub(m->vert_u[vert[2]], m->vert_u[vert[0]]);
    return (vo_mat2){e1.x, e2.x, e1.y, e2.y};
}

vo_vec3 vo_mesh_face_normal(const vo_mesh *m, int face) {
    vo_vec3 x0 = m->node_x[vo_mesh_face_node(m, face, 0)];
    vo_vec3 x1 = m->node_x[vo_mesh_face_node(m, face, 1)];
    vo_vec3 x2 = m->node_x[vo_mesh_face_node(m, face, 2)];
    return v3_cross(v3_sub(x1, x0), v3_sub(x2, x0));
}

/* Returns the side i of a face that an edge is: it joins corners i and i + 1. */
static int side_of_edge(const vo_mesh *m, int face, int edge) {
    const int *face_edge = m->face_edge[face];
    return face_edge[0] == edge ? 0 : face_edge[1] == edge ? 1 : 2;
}

int vo_mesh_edge_opposite(const vo_mesh *m, int edge, int side) {
    int face = m->edge_face[edge][side];
    if (face < 0) return -1;
    return m->face_vert[face][(side_of_edge(m, face, edge) + 2) % 3];
}

void vo_mesh_edge_verts(const vo_mesh *m, int edge, int side, int verts[2]) {
    int face = m->edge_face[edge][side];
    verts[0] = verts[1] = -1;
    if (face < 0) return;
    int i = side_of_edge(m, face, edge);
    verts[side] = m->face_vert[face][i]; /* face 1 walks the edge from its second node */
    verts[1 - side] = m->face_vert[face][(i + 1) % 3];
}
