/* Alex Vlachos, Joerg Peters, Chas Boyd, Jason Mitchell: Curved PN triangles (I3D 2001).
 * Nelson Max: Weights for computing vertex normals from facet normals (JGT 4(2), 1999). */
#include "mesh/smooth.h"

#include "core/memory.h"
#include "mesh/smooth_normal.h"

static int after(int corner) { return corner == 2 ? 0 : corner + 1; }

/* ---- edges ----------------------------------------------------------------------------------- */

/* From a node to the control point beside it, along the edge e, tangential to the plane of n; see
 * smooth.h. With s = n . d the sine of the angle between edge and plane: the smaller of |s| and its
 * cosine is the sine of the angle used. */
static vo_vec3 tangent_of(vo_vec3 e, vo_vec3 n) {
    double length = v3_length(e);
    if (!(length > 0)) return v3_zero();
    vo_vec3 d = v3_scale(1 / length, e);
    double s = v3_dot(n, d);
    vo_vec3 side = v3_add_scaled(n, -s, d);
    double c = v3_length(side);
    if (!(c > 0)) return v3_scale(1.0 / 3, e);
    double sine = vo_min(fabs(s), c), cosine = sqrt(1 - vo_min(sine * sine, 1));
    double reach = 2 * length / (3 * (1 + cosine));
    return v3_add(v3_scale(reach * cosine, d), v3_scale((s > 0 ? -1 : 1) * reach * sine / c, side));
}

/* The tangent at one end of an edge as the face on one side has it. */
static vo_vec3 tangent_on_side(const vo_smooth *s, int edge, int side, int end) {
    const vo_mesh *m = s->mesh;
    int face = m->edge_face[edge][side];
    int corner = vo_smooth_corner(m, edge, side, end);
    vo_vec3 from = m->node_x[m->edge_node[edge][end]], to = m->node_x[m->edge_node[edge][1 - end]];
    return tangent_of(v3_sub(to, from), s->normal[s->sector[face][corner]]);
}

/* A crease has two normals at each end and is given the mean of what they say. */
static vo_vec3 control_of(const vo_smooth *s, int edge, int end) {
    const vo_mesh *m = s->mesh;
    vo_vec3 x = m->node_x[m->edge_node[edge][end]];
    vo_vec3 tangent = tangent_on_side(s, edge, 0, end);
    if (m->edge_face[edge][1] >= 0 && vo_smooth_is_crease(m, edge))
        tangent = v3_lerp(tangent, tangent_on_side(s, edge, 1, end), 0.5);
    return v3_add(x, tangent);
}

static vo_result find_controls(vo_smooth *s) {
    s->edge_control =
        vo_alloc(s->ctx, vo_array_bytes((size_t)s->edge_count, sizeof *s->edge_control));
    if (!s->edge_control) return vo_fail_memory(s->ctx, "a smooth surface");
    for (int e = 0; e < s->edge_count; e++)
        for (int end = 0; end < 2; end++) s->edge_control[e][end] = control_of(s, e, end);
    return VO_OK;
}

vo_result vo_smooth_create(vo_context *ctx, const vo_mesh *mesh, vo_smooth *out) {
    *out = (vo_smooth){
        .ctx = ctx, .mesh = mesh, .face_count = mesh->face_count, .edge_count = mesh->edge_count};
    vo_result result = vo_smooth_find_normals(out);
    if (result == VO_OK) result = find_controls(out);
    if (result != VO_OK) vo_smooth_free(out);
    return result;
}

void vo_smooth_free(vo_smooth *s) {
    vo_free_array(s->ctx, s->sector, s->face_count);
    vo_free_array(s->ctx, s->normal, s->sector_count);
    vo_free_array(s->ctx, s->edge_control, s->edge_count);
    *s = (vo_smooth){.ctx = s->ctx};
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Control points of a side from corner i to the next: near[0] beside i. */
static void side_controls(const vo_smooth *s, int face, int i, vo_vec3 near[2]) {
    int edge = s->mesh->face_edge[face][i];
    int first = s->mesh->edge_node[edge][0] == vo_mesh_face_node(s->mesh, face, i) ? 0 : 1;
    near[0] = s->edge_control[edge][first];
    near[1] = s->edge_control[edge][1 - first];
}

/* Vlachos et al., eqs. 1 and 2: b(u,v,w) = sum of b_ijk 3!/(i!j!k!) u^i v^j w^k, and
 * b111 = E + (E - V) / 2, the means of edge control points and corners. */
vo_vec3 vo_smooth_point(const vo_smooth *s, const vo_spot *spot) {
    const double *w = spot->weight;
    vo_vec3 sum = v3_zero(), edges = v3_zero(), corners = v3_zero();
    for (int i = 0; i < 3; i++) {
        int j = after(i);
        vo_vec3 x = s->mesh->node_x[vo_mesh_face_node(s->mesh, spot->face, i)], near[2];
        side_controls(s, spot->face, i, near);
        sum = v3_add_scaled(sum, w[i] * w[i] * w[i], x);
        sum = v3_add_scaled(sum, 3 * w[i] * w[i] * w[j], near[0]);
        sum = v3_add_scaled(sum, 3 * w[i] * w[j] * w[j], near[1]);
        edges = v3_add(edges, v3_add(near[0], near[1]));
        corners = v3_add(corners, x);
    }
    vo_vec3 middle = v3_sub(v3_scale(0.25, edges), v3_scale(1.0 / 6, corners));
    return v3_add_scaled(sum, 6 * w[0] * w[1] * w[2], middle);
}

vo_vec3 vo_spot_point(const vo_mesh *m, const vo_spot *spot, const vo_vec3 *node_value) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < 3; i++)
        sum = v3_add_scaled(sum, spot->weight[i], node_value[vo_mesh_face_node(m, spot->face, i)]);
    return sum;
}

vo_vec3 vo_spot_overhang(const vo_mesh *m, const vo_spot *spot) {
    double way = v2_length(spot->beyond);
    if (!(way > 0)) return v3_zero();
    double most = vo_mesh_face_longest_side(m, spot->face) / 4;
    vo_vec2 u = v2_scale(way > most ? most / way : 1, spot->beyond);
    vo_mat2 inverse = m2_inverse(vo_mesh_face_dm(m, spot->face));
    vo_vec2 t = m2_mul(inverse, u);
    vo_vec3 x0 = m->node_x[vo_mesh_face_node(m, spot->face, 0)];
    vo_vec3 e1 = v3_sub(m->node_x[vo_mesh_face_node(m, spot->face, 1)], x0);
    vo_vec3 e2 = v3_sub(m->node_x[vo_mesh_face_node(m, spot->face, 2)], x0);
    vo_vec3 hang = v3_add(v3_scale(t.x, e1), v3_scale(t.y, e2));
    double length = v3_length(hang), most_length = 2 * vo_min(way, most);
    return length > most_length ? v3_scale(most_length / length, hang) : hang;
}
