/* Measures of edges and faces that the remeshing passes compare. */
#include "remesh/remesh_local.h"

double vo_remesh_size2(const vo_remesher *r, int edge) {
    const vo_mesh *m = r->edit->mesh;
    if (r->edit->edge_feature[edge] & VO_FEATURE_SEAM)
        return vo_sizing_edge_size2(m, r->metric, edge);
    int v[2];
    vo_mesh_edge_verts(m, edge, 0, v);
    return vo_metric_edge_size2(r->metric[v[0]], r->metric[v[1]],
                                v2_sub(m->vert_u[v[1]], m->vert_u[v[0]]));
}

/* A triangle in material space and its metric. */
typedef struct triangle {
    vo_vec2 side[3]; /* from the corners a, b and c to the next corner */
    vo_sym2 metric;  /* sum of the corners' metrics */
    double area;     /* twice the area in this metric */
} triangle;

static triangle make_triangle(const vo_remesher *r, int a, int b, int c) {
    const vo_vec2 *u = r->edit->mesh->vert_u;
    triangle t = {.side = {v2_sub(u[b], u[a]), v2_sub(u[c], u[b]), v2_sub(u[a], u[c])}};
    t.metric = sym2_add(sym2_add(r->metric[a], r->metric[b]), r->metric[c]);
    t.area = v2_cross(t.side[0], t.side[1]) * sqrt(sym2_det(t.metric));
    return t;
}

double vo_remesh_cotangent(const vo_remesher *r, int a, int b, int c) {
    triangle t = make_triangle(r, a, b, c);
    if (!(t.area > 0)) return INFINITY;
    double dot = 0;
    for (int i = 0; i < 3; i++)
        dot = vo_max(dot, -sym2_dot(t.metric, t.side[i], t.side[vo_next_corner(i)]));
    return dot / t.area;
}

double vo_remesh_aspect(const vo_remesher *r, int a, int b, int c) {
    triangle t = make_triangle(r, a, b, c);
    double perimeter = 0;
    if (!(t.area > 0)) return 0;
    for (int i = 0; i < 3; i++) perimeter += sqrt(sym2_dot(t.metric, t.side[i], t.side[i]));
    return 6 * sqrt(3) * t.area / (perimeter * perimeter);
}

double vo_remesh_strain(const vo_mesh *m, int a, int b, int c) {
    vo_vec2 u1 = v2_sub(m->vert_u[b], m->vert_u[a]), u2 = v2_sub(m->vert_u[c], m->vert_u[a]);
    vo_vec3 origin = m->node_x[m->vert_node[a]];
    vo_vec3 x1 = v3_sub(m->node_x[m->vert_node[b]], origin);
    vo_vec3 x2 = v3_sub(m->node_x[m->vert_node[c]], origin);
    vo_mat2 inverse = m2_inverse((vo_mat2){u1.x, u2.x, u1.y, u2.y});
    vo_svd32 s = vo_mat32_svd(m32_mul_m2(x1, x2, inverse));
    return vo_max(fabs(s.stretch[0] - 1), fabs(s.stretch[1] - 1));
}
