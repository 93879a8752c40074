#include "mesh/edit/edit_local.h"

#include <string.h>

/* The quadrilateral around an edge: a and b its ends, c and d opposite in face 0 and face 1.
 *
 *            c                  c            sides: [0] c-a  [1] b-c  [2] a-d  [3] d-b
 *          /   \              / | \
 *         a --- b     ->     a  |  b         face 0 becomes a, d, c and face 1 b, c, d
 *          \   /              \ | /
 *            d                  d                                                              */
typedef struct quad {
    int face[2];
    int a, b, c, d; /* verts */
    int side[4];    /* edges */
} quad;

static quad quad_of(const vo_mesh *m, int edge) {
    quad q = {.face = {m->edge_face[edge][0], m->edge_face[edge][1]}};
    int i = vo_side_of(m, q.face[0], edge), j = vo_side_of(m, q.face[1], edge);
    const int *v0 = m->face_vert[q.face[0]], *v1 = m->face_vert[q.face[1]];
    const int *e0 = m->face_edge[q.face[0]], *e1 = m->face_edge[q.face[1]];
    q.a = v0[i];
    q.b = v0[vo_next_corner(i)];
    q.c = v0[vo_prev_corner(i)];
    q.d = v1[vo_prev_corner(j)];
    q.side[0] = e0[vo_prev_corner(i)];
    q.side[1] = e0[vo_next_corner(i)];
    q.side[2] = e1[vo_next_corner(j)];
    q.side[3] = e1[vo_prev_corner(j)];
    return q;
}

static vo_edit_status can_flip(const vo_edit *e, int edge, quad *q) {
    const vo_mesh *m = e->mesh;
    if (!vo_edit_has_edge(e, edge)) return VO_EDIT_MISSING;
    if (e->edge_feature[edge]) return VO_EDIT_ON_FEATURE;
    *q = quad_of(m, edge);
    vo_vec2 a = m->vert_u[q->a], b = m->vert_u[q->b], c = m->vert_u[q->c], d = m->vert_u[q->d];
    if (!vo_is_valid_triangle(a, d, c) || !vo_is_valid_triangle(b, c, d)) return VO_EDIT_DEGENERATE;
    int nc = m->vert_node[q->c], nd = m->vert_node[q->d];
    if (nc == nd || vo_edit_find_edge(e, nc, nd) >= 0) return VO_EDIT_JOINED;
    return VO_EDIT_ALLOWED;
}

vo_edit_status vo_edit_can_flip(const vo_edit *e, int edge) {
    quad q;
    return can_flip(e, edge, &q);
}

/* Adds to the rest angle of an edge with two faces, clamped below a complete fold. */
static void add_rest_angle(vo_mesh *m, int edge, double angle) {
    static const double most = 3;
    if (m->edge_face[edge][1] < 0) return;
    m->edge_rest_angle[edge] = vo_clamp(m->edge_rest_angle[edge] + angle, -most, most);
}

static double distance_to_line(vo_vec2 p, vo_vec2 a, vo_vec2 b) {
    return fabs(vo_triangle_cross(p, a, b)) / v2_length(v2_sub(b, a));
}

/* Preserves the rest shape of the four corners: to first order in the angles, a ridge of angle t on
 * a-b lifts a-b above c-d by g at their intersection,
 *     t = g (1 / pc + 1 / pd),   pc and pd the distances of c and d from a-b.
 * After the flip the four corners form a valley on c-d,
 *     t' = -g (1 / pa + 1 / pb),
 * and the angle at each side grows by g / (distance of the intersection from the side), since its
 * face now passes below the former diagonal. */
static void turn_rest_angle(vo_mesh *m, int edge, const quad *q) {
    double angle = m->edge_rest_angle[edge];
    if (angle == 0) return;
    vo_vec2 a = m->vert_u[q->a], b = m->vert_u[q->b], c = m->vert_u[q->c], d = m->vert_u[q->d];
    double pa = distance_to_line(a, c, d), pb = distance_to_line(b, c, d);
    double pc = distance_to_line(c, a, b), pd = distance_to_line(d, a, b);
    double g = angle / (1 / pc + 1 / pd), s = pa / (pa + pb);
    vo_vec2 crossing = v2_add(v2_scale(1 - s, a), v2_scale(s, b));
    m->edge_rest_angle[edge] = 0;
    add_rest_angle(m, edge, -g * (1 / pa + 1 / pb));
    add_rest_angle(m, q->side[0], g / distance_to_line(crossing, c, a));
    add_rest_angle(m, q->side[1], g / distance_to_line(crossing, b, c));
    add_rest_angle(m, q->side[2], g / distance_to_line(crossing, a, d));
    add_rest_angle(m, q->side[3], g / distance_to_line(crossing, d, b));
}

/* Each new face contains the fraction t of face 1: the diagonals divide it by the old areas. */
static void blend_faces(vo_edit *e, const quad *q) {
    vo_mesh *m = e->mesh;
    int f0 = q->face[0], f1 = q->face[1];
    double area0 = vo_mesh_face_area(m, f0), area1 = vo_mesh_face_area(m, f1);
    double t = area1 / (area0 + area1);
    m->face_damage[f0] = m->face_damage[f1] = (1 - t) * m->face_damage[f0] + t * m->face_damage[f1];
    for (int k = 0; m->face_curvature && k < 4; k++)
        m->face_curvature[f0][k] = m->face_curvature[f1][k] =
            (1 - t) * m->face_curvature[f0][k] + t * m->face_curvature[f1][k];
    vo_lineage_blend_pair(&e->remap.of[VO_REMAP_FACE], f0, f1, t);
}

static void set_face(vo_mesh *m, int face, const int vert[3], const int edge[3]) {
    memcpy(m->face_vert[face], vert, 3 * sizeof *vert);
    memcpy(m->face_edge[face], edge, 3 * sizeof *edge);
}

static void rotate_edge(vo_edit *e, int edge, const quad *q) {
    vo_mesh *m = e->mesh;
    vo_halfedge_unlink(e, 2 * edge);
    vo_halfedge_unlink(e, 2 * edge + 1);
    m->edge_node[edge][0] = m->vert_node[q->d];
    m->edge_node[edge][1] = m->vert_node[q->c];
    vo_halfedge_link(e, 2 * edge);
    vo_halfedge_link(e, 2 * edge + 1);
    set_face(m, q->face[0], (int[]){q->a, q->d, q->c}, (int[]){q->side[2], edge, q->side[0]});
    set_face(m, q->face[1], (int[]){q->b, q->c, q->d}, (int[]){q->side[1], edge, q->side[3]});
    vo_change_face(m, q->side[1], q->face[0], q->face[1]);
    vo_change_face(m, q->side[2], q->face[1], q->face[0]);
    vo_lineage_drop(&e->remap.of[VO_REMAP_EDGE], edge);
}

/* Reserves the two records that a flip may create. */
static bool reserve_records(vo_edit *e) {
    vo_lineage *l = &e->remap.of[VO_REMAP_FACE];
    return l->record_count + 2 <= l->record_capacity ||
           vo_lineage_reserve(e->ctx, l, e->mesh->face_count, 2);
}

vo_edit_status vo_edit_flip(vo_edit *e, int edge) {
    quad q;
    vo_edit_status status = can_flip(e, edge, &q);
    if (status != VO_EDIT_ALLOWED) return status;
    if (!reserve_records(e)) return VO_EDIT_NO_MEMORY;
    const int *node = e->mesh->vert_node;
    vo_local_momentum motion = {.count = 4, .node = {node[q.a], node[q.b], node[q.c], node[q.d]}};
    vo_local_momentum_measure(e, &motion);
    for (int s = 0; s < 2; s++) vo_edit_add_mass(e, q.face[s], -1);
    blend_faces(e, &q);
    turn_rest_angle(e->mesh, edge, &q);
    rotate_edge(e, edge, &q);
    for (int s = 0; s < 2; s++) vo_edit_add_mass(e, q.face[s], 1);
    vo_local_momentum_restore(e, &motion);
    e->edits++;
    vo_mesh_change_topology(e->mesh);
    return VO_EDIT_ALLOWED;
}
