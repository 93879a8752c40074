#include "remesh/remesh_local.h"

static bool is_stale(const vo_remesher *r, vo_long_edge e) {
    return !vo_edit_has_edge(r->edit, e.edge) || vo_remesh_size2(r, e.edge) != e.size2;
}

static bool has_budget(const vo_remesher *r, int edge) {
    const vo_mesh *m = r->edit->mesh;
    if (r->def.face_budget <= 0) return true;
    int faces = m->face_count - r->edit->free_slot_count[VO_REMAP_FACE];
    return faces + 1 + (m->edge_face[edge][1] >= 0) <= r->def.face_budget;
}

/* Parameter of the split: repeated splits end with the smallest number of equal pieces with
 * s <= 1. */
static double choose_parameter(double size2) {
    double pieces = vo_max(2, ceil(sqrt(size2)));
    return pieces < 1e6 ? floor(0.5 * pieces) / pieces : 0.5;
}

/* Metrics of the new verts: means of the metrics at the ends. */
static void blend_metrics(const vo_remesher *r, int edge, double t, vo_sym2 middle[2]) {
    for (int side = 0; side < 2; side++) {
        int v[2];
        vo_mesh_edge_verts(r->edit->mesh, edge, side, v);
        if (v[0] >= 0)
            middle[side] =
                sym2_add(sym2_scale(1 - t, r->metric[v[0]]), sym2_scale(t, r->metric[v[1]]));
    }
}

/* The part of a split face inherits the state of the face. */
static void inherit_face_state(vo_remesher *r, int node, int face, int part) {
    int points = -1;
    r->face_point[part] = -1;
    vo_pop_detach(r, face, &points);
    vo_pop_attach(r, points, (int[]){face, part}, 2);
    r->face_moved[part] = r->face_moved[face];
    r->face_limited[part] = r->face_limited[face];
    r->face_shift[part] = r->face_shift[face];
    r->node_moved[node] |= r->face_moved[face];
}

static vo_result update_sides(vo_remesher *r, int edge, const vo_edit_pieces *p) {
    const vo_mesh *m = r->edit->mesh;
    r->node_moved[p->node] = 0;
    vo_hysteresis_split(r, p->node, m->edge_node[edge][0], m->edge_node[p->edge[0]][1]);
    for (int side = 0; side < 2; side++) {
        int face = m->edge_face[edge][side];
        if (face < 0) continue;
        inherit_face_state(r, p->node, face, p->face[side]);
        VO_TRY(vo_remesh_update_face(r, face));
        VO_TRY(vo_remesh_update_face(r, p->face[side]));
    }
    return VO_OK;
}

static vo_result split_edge(vo_remesher *r, int edge, double t) {
    vo_sym2 middle[2];
    vo_edit_pieces p;
    blend_metrics(r, edge, t, middle);
    vo_edit_status status = vo_edit_split(r->edit, edge, t, &p);
    if (status == VO_EDIT_NO_MEMORY) return vo_fail_memory(r->ctx, "remeshing");
    if (status != VO_EDIT_ALLOWED) return VO_OK;
    r->report.splits++;
    VO_TRY(vo_remesh_grow_arrays(r));
    for (int side = 0; side < 2; side++)
        if (p.vert[side] >= 0) r->metric[p.vert[side]] = middle[side];
    VO_TRY(update_sides(r, edge, &p));
    return vo_remesh_flip(r);
}

vo_result vo_remesh_split(vo_remesher *r) {
    while (r->heap_count > 0) {
        vo_long_edge first = r->heap[0];
        bool stale = is_stale(r, first);
        if (!stale && !has_budget(r, first.edge)) {
            r->report.budget_met = false;
            return VO_OK;
        }
        vo_remesh_pop_long_edge(r);
        if (!stale) VO_TRY(split_edge(r, first.edge, choose_parameter(first.size2)));
    }
    return VO_OK;
}
