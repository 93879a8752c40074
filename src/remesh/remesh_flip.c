#include "collide/guard/guard.h"
#include "remesh/remesh_local.h"

/* Smallest relative increase of the smallest angle that a flip must achieve: above rounding. */
#define MIN_GAIN 1e-6

/* Ends of the edge, then the opposite corners in faces 0 and 1; all in one material space. */
static void find_verts(const vo_mesh *m, int edge, int vert[4]) {
    int f = m->edge_face[edge][0], g = m->edge_face[edge][1];
    int i = vo_side_of(m, f, edge), j = vo_side_of(m, g, edge);
    vert[0] = m->face_vert[f][i];
    vert[1] = m->face_vert[f][vo_next_corner(i)];
    vert[2] = m->face_vert[f][vo_prev_corner(i)];
    vert[3] = m->face_vert[g][vo_prev_corner(j)];
}

static double size2_of(const vo_remesher *r, int a, int b) {
    const vo_vec2 *u = r->edit->mesh->vert_u;
    return vo_metric_edge_size2(r->metric[a], r->metric[b], v2_sub(u[b], u[a]));
}

static bool is_delaunay(const vo_remesher *r, const int v[4]) {
    const vo_vec2 *u = r->edit->mesh->vert_u;
    const vo_sym2 *m = r->metric;
    return !vo_metric_should_flip((vo_vec2[]){u[v[0]], u[v[1]], u[v[2]], u[v[3]]},
                                  (vo_sym2[]){m[v[0]], m[v[1]], m[v[2]], m[v[3]]},
                                  vo_hysteresis_flip_threshold(r, v));
}

/* True if the flip increases the smallest angle (invariant 2 of remesh.h). */
static bool is_better(const vo_remesher *r, const int v[4]) {
    double old =
        vo_max(vo_remesh_cotangent(r, v[0], v[1], v[2]), vo_remesh_cotangent(r, v[1], v[0], v[3]));
    double now =
        vo_max(vo_remesh_cotangent(r, v[0], v[3], v[2]), vo_remesh_cotangent(r, v[1], v[2], v[3]));
    return now < (1 - MIN_GAIN) * old;
}

/* True if the new diagonal is short enough (invariant 1 of remesh.h). */
static bool is_short(const vo_remesher *r, const int v[4], double size2) {
    return size2_of(r, v[2], v[3]) <= vo_max(1, size2);
}

/* False for a flip across a sharp fold: the new faces would cut its corner and be compressed. */
static bool keeps_strain(const vo_remesher *r, const int v[4]) {
    const vo_mesh *m = r->edit->mesh;
    double now =
        vo_max(vo_remesh_strain(m, v[0], v[3], v[2]), vo_remesh_strain(m, v[1], v[2], v[3]));
    return now <= r->def.strain_allowed || now <= vo_remesh_strain(m, v[0], v[1], v[2]) ||
           now <= vo_remesh_strain(m, v[1], v[0], v[3]);
}

/* Total screen displacement, as if both faces were visible. */
static double measure_shift(vo_remesher *r, int edge, const int v[4]) {
    const int *face = r->edit->mesh->edge_face[edge];
    return vo_pop_limit_total(r, face, 2,
                              vo_pop_limit_begin_edit(r, face, 2) ? vo_pop_limit_flip(r, v) : 0);
}

static bool can_flip(vo_remesher *r, int edge, const int v[4], double size2, double *shift) {
    if (is_delaunay(r, v) || !is_short(r, v, size2) || !is_better(r, v)) return false;
    if (!keeps_strain(r, v)) return false;
    if (vo_edit_can_flip(r->edit, edge) != VO_EDIT_ALLOWED) return false;
    *shift = measure_shift(r, edge, v);
    if (vo_pop_limit_should_defer(r, r->edit->mesh->edge_face[edge], 2, *shift)) return false;
    if (!r->guard || vo_guard_can_flip(r->guard, r->cloth, edge)) return true;
    r->report.rejected++;
    return false;
}

/* After a flip the former ends a and b are not connected any more. Their common neighbours, except
 * the new ends, may now allow flips and collapses that a double edge prevented. */
static void push_common_neighbours(vo_remesher *r, int a, int b, int edge) {
    const vo_edit *e = r->edit;
    int c = e->mesh->edge_node[edge][0], d = e->mesh->edge_node[edge][1];
    for (int h = e->node_halfedge[a]; h >= 0; h = vo_halfedge_next(e, h)) {
        int w = vo_halfedge_target(e->mesh, h);
        if (w == c || w == d) continue;
        if (vo_edit_find_edge(e, w, b) < 0) continue;
        vo_remesh_push_node(r, w);
        for (int k = e->node_halfedge[w]; k >= 0; k = vo_halfedge_next(e, k))
            vo_remesh_push_edge(r, k >> 1);
    }
}

static vo_result flip_edge(vo_remesher *r, int edge, const int v[4], double shift) {
    const vo_mesh *m = r->edit->mesh;
    int f = m->edge_face[edge][0], g = m->edge_face[edge][1];
    int a = m->edge_node[edge][0], b = m->edge_node[edge][1];
    int points = -1, face[2] = {f, g};
    for (int k = 0; k < 2; k++) vo_pop_detach(r, face[k], &points);
    vo_hysteresis_flip(r, v);
    if (!r->face_moved[f] && !r->face_moved[g]) VO_TRY(vo_pop_add_flip(r, v, &points));
    if (vo_edit_flip(r->edit, edge) != VO_EDIT_ALLOWED)
        return vo_fail_memory(r->ctx, "remeshing"); /* can_flip has excluded other causes */
    r->report.flips++;
    r->face_moved[f] = r->face_moved[g] = 1;
    vo_pop_limit_record(r, face, 2, vo_pop_limit_any_visible(r, face, 2), shift);
    vo_pop_attach(r, points, face, 2);
    push_common_neighbours(r, a, b, edge);
    VO_TRY(vo_remesh_update_face(r, f));
    return vo_remesh_update_face(r, g);
}

/* Flips one edge if possible, else pushes it onto the heap if it is too long. A flipped edge is
 * visited again with its faces. */
static vo_result visit_edge(vo_remesher *r, int edge) {
    double size2, shift;
    int v[4];
    r->report.visited_edges++;
    if (r->edit->edge_feature[edge]) {
        size2 = vo_remesh_size2(r, edge);
    } else {
        find_verts(r->edit->mesh, edge, v);
        size2 = size2_of(r, v[0], v[1]);
        if (can_flip(r, edge, v, size2, &shift)) return flip_edge(r, edge, v, shift);
    }
    return size2 > 1 ? vo_remesh_push_long_edge(r, edge, size2) : VO_OK;
}

vo_result vo_remesh_flip(vo_remesher *r) {
    while (r->edge_count > 0) {
        int edge = r->edges[--r->edge_count];
        r->edge_queued[edge] = 0;
        if (vo_edit_has_edge(r->edit, edge)) VO_TRY(visit_edge(r, edge));
    }
    return VO_OK;
}
