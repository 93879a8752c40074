/* Alex Vlachos, Joerg Peters, Chas Boyd, Jason Mitchell: Curved PN triangles (I3D 2001).
 * Nelson Max: Weights for computing vertex normals from facet normals (JGT 4(2), 1999). */
#include "mesh/smooth.h"

#include "core/memory.h"
#include "mesh/smooth_normal.h"

#define TILT_RATIO  2.0 /* allowed ratio of the bends at the two ends of an edge */
#define TILT_OFFSET 0.4 /* additional bend of edges as long as the shortest at their node */

static int after(int corner) { return corner == 2 ? 0 : corner + 1; }

/* ---- edges ----------------------------------------------------------------------------------- */

/* Sine of the angle between an edge and the tangent plane at one of its ends. */
static double tilt_of(vo_vec3 e, vo_vec3 n) {
    double length = v3_length(e);
    return length > 0 ? v3_dot(n, e) / length : 0;
}

/* Vector from a node to the control point on the edge e, in the tangent plane of n; see smooth.h.
 * The sine of the angle used is the smallest of that between edge and plane, its cosine, and
 * `max_sine`. */
static vo_vec3 tangent_of(vo_vec3 e, vo_vec3 n, double max_sine) {
    double length = v3_length(e), s = tilt_of(e, n);
    if (!(length > 0)) return v3_zero();
    vo_vec3 d = v3_scale(1 / length, e), side = v3_add_scaled(n, -s, d);
    double c = v3_length(side);
    if (!(c > 0)) return v3_scale(1.0 / 3, e);
    double sine = vo_min(max_sine, vo_min(fabs(s), c)), cosine = sqrt(1 - vo_min(sine * sine, 1));
    double reach = 2 * length / (3 * (1 + cosine));
    return v3_add(v3_scale(reach * cosine, d), v3_scale((s > 0 ? -1 : 1) * reach * sine / c, side));
}

static vo_vec3 edge_from(const vo_mesh *m, int edge, int end) {
    return v3_sub(m->node_x[m->edge_node[edge][1 - end]], m->node_x[m->edge_node[edge][end]]);
}

/* Tangent at one end of an edge in the face on one side; `ratio` is the length of the shortest edge
 * at the node relative to this edge. */
static vo_vec3 tangent_on_side(const vo_smooth *s, int edge, int side, int end, double part) {
    const vo_mesh *m = s->mesh;
    const int *sector = s->sector[m->edge_face[edge][side]];
    vo_vec3 e = edge_from(m, edge, end), n[2];
    for (int i = 0; i < 2; i++) n[i] = s->normal[sector[vo_smooth_corner(m, edge, side, i)]];
    double other = fabs(tilt_of(e, n[1 - end]));
    return tangent_of(e, n[end], TILT_RATIO * other + TILT_OFFSET * part);
}

/* Control point of an edge. A crease has two normals at each end; uses the mean of both tangents.
 */
static vo_vec3 control_of(const vo_smooth *s, const double *shortest, int edge, int end) {
    const vo_mesh *m = s->mesh;
    int node = m->edge_node[edge][end];
    double length = v3_length(edge_from(m, edge, end)),
           part = length > 0 ? shortest[node] / length : 0;
    vo_vec3 tangent = tangent_on_side(s, edge, 0, end, part);
    if (m->edge_face[edge][1] >= 0 && vo_smooth_is_crease(m, edge))
        tangent = v3_lerp(tangent, tangent_on_side(s, edge, 1, end, part), 0.5);
    return v3_add(m->node_x[node], tangent);
}

/* Length of the shortest edge at each node, m. */
static void find_shortest(const vo_mesh *m, double *shortest) {
    for (int i = 0; i < m->node_count; i++) shortest[i] = INFINITY;
    for (int e = 0; e < m->edge_count; e++)
        for (int end = 0; end < 2; end++) {
            double *least = &shortest[m->edge_node[e][end]];
            *least = vo_min(*least, v3_length(edge_from(m, e, end)));
        }
}

static vo_result find_controls(vo_smooth *s) {
    int nodes = s->mesh->node_count;
    double *shortest = vo_new_array(s->ctx, double, nodes);
    s->edge_control =
        vo_alloc(s->ctx, vo_array_bytes((size_t)s->edge_count, sizeof *s->edge_control));
    bool ok = shortest && s->edge_control;
    if (ok) find_shortest(s->mesh, shortest);
    for (int e = 0; e < s->edge_count && ok; e++)
        for (int end = 0; end < 2; end++) s->edge_control[e][end] = control_of(s, shortest, e, end);
    vo_free_array(s->ctx, shortest, nodes);
    return ok ? VO_OK : vo_fail_memory(s->ctx, "a smooth surface");
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

/* Control points of a side from corner i to the next: control[0] is beside i. */
static void side_controls(const vo_smooth *s, int face, int i, vo_vec3 control[2]) {
    int edge = s->mesh->face_edge[face][i];
    int first = s->mesh->edge_node[edge][0] == vo_mesh_face_node(s->mesh, face, i) ? 0 : 1;
    control[0] = s->edge_control[edge][first];
    control[1] = s->edge_control[edge][1 - first];
}

/* Vlachos et al., eqs. 1 and 2: b(u,v,w) = sum of b_ijk 3!/(i!j!k!) u^i v^j w^k, and
 * b111 = E + (E - V) / 2, the means of edge control points and corners. */
vo_vec3 vo_smooth_point(const vo_smooth *s, const vo_face_location *location) {
    const double *w = location->weight;
    vo_vec3 sum = v3_zero(), edges = v3_zero(), corners = v3_zero();
    for (int i = 0; i < 3; i++) {
        int j = after(i);
        vo_vec3 x = s->mesh->node_x[vo_mesh_face_node(s->mesh, location->face, i)], control[2];
        side_controls(s, location->face, i, control);
        sum = v3_add_scaled(sum, w[i] * w[i] * w[i], x);
        sum = v3_add_scaled(sum, 3 * w[i] * w[i] * w[j], control[0]);
        sum = v3_add_scaled(sum, 3 * w[i] * w[j] * w[j], control[1]);
        edges = v3_add(edges, v3_add(control[0], control[1]));
        corners = v3_add(corners, x);
    }
    vo_vec3 middle = v3_sub(v3_scale(0.25, edges), v3_scale(1.0 / 6, corners));
    return v3_add_scaled(sum, 6 * w[0] * w[1] * w[2], middle);
}

vo_vec3 vo_face_location_point(const vo_mesh *m, const vo_face_location *location,
                               const vo_vec3 *node_value) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < 3; i++)
        sum = v3_add_scaled(sum, location->weight[i],
                            node_value[vo_mesh_face_node(m, location->face, i)]);
    return sum;
}

vo_vec3 vo_face_location_extrapolate(const vo_mesh *m, const vo_face_location *location) {
    double distance = v2_length(location->outside_offset);
    if (!(distance > 0)) return v3_zero();
    double max_distance = vo_mesh_face_longest_side(m, location->face) / 4;
    vo_vec2 u =
        v2_scale(distance > max_distance ? max_distance / distance : 1, location->outside_offset);
    vo_mat2 inverse = m2_inverse(vo_mesh_face_dm(m, location->face));
    vo_vec2 t = m2_mul(inverse, u);
    vo_vec3 x0 = m->node_x[vo_mesh_face_node(m, location->face, 0)];
    vo_vec3 e1 = v3_sub(m->node_x[vo_mesh_face_node(m, location->face, 1)], x0);
    vo_vec3 e2 = v3_sub(m->node_x[vo_mesh_face_node(m, location->face, 2)], x0);
    vo_vec3 offset = v3_add(v3_scale(t.x, e1), v3_scale(t.y, e2));
    double length = v3_length(offset), max_length = 2 * vo_min(distance, max_distance);
    return length > max_length ? v3_scale(max_length / length, offset) : offset;
}
