#include "remesh/remesh.h"

#include "remesh/remesh_local.h"

#include <string.h>

enum { MAX_ROUNDS = 4 }; /* of splits and collapses under a face budget */

vo_remesh_def vo_remesh_def_default(void) {
    return (vo_remesh_def){.flip_threshold = 1e-2,
                           .collapse_below = 0.9,
                           .strain_allowed = INFINITY,
                           .face_budget = 1000000};
}

/* Pushes the faces around verts whose metric changed. The edge queue is a stack, so verts are
 * visited from last to first. */
static void push_changed(vo_remesher *r, const vo_sizing *sizing) {
    const vo_edit *e = r->edit;
    const vo_mesh *m = e->mesh;
    for (int v = m->vert_count - 1; v >= 0; v--) {
        if (!sizing->vert_changed[v]) continue;
        for (int h = e->node_halfedge[m->vert_node[v]]; h >= 0; h = vo_halfedge_next(e, h))
            if (vo_halfedge_face(m, h) >= 0) vo_remesh_push_face(r, vo_halfedge_face(m, h));
    }
}

static void push_all(vo_remesher *r) {
    const vo_mesh *m = r->edit->mesh;
    for (int edge = m->edge_count - 1; edge >= 0; edge--) vo_remesh_push_edge(r, edge);
    for (int node = 0; node < m->node_count; node++) vo_remesh_push_node(r, node);
}

static vo_result begin_call(vo_remesher *r, const vo_sizing *sizing) {
    const vo_mesh *m = r->edit->mesh;
    VO_TRY(vo_remesh_grow_arrays(r));
    memset(r->edge_queued, 0, (size_t)r->edge_capacity);
    memset(r->node_queued, 0, (size_t)r->node_capacity);
    memcpy(r->metric, sizing->vert, (size_t)m->vert_count * sizeof *r->metric);
    r->edge_count = r->node_count = r->heap_count = 0;
    vo_pop_begin(r);
    vo_pop_limit_begin(r);
    vo_hysteresis_begin(r);
    if (sizing->changed_verts >= m->vert_count)
        push_all(r);
    else
        push_changed(r, sizing);
    return VO_OK;
}

static int remaining_faces(const vo_remesher *r) {
    return r->def.face_budget - r->edit->mesh->face_count + r->edit->free_slot_count[VO_REMAP_FACE];
}

/* Alternates splits and collapses: collapses free faces for splits that the budget rejected. */
static vo_result edit_mesh(vo_remesher *r) {
    VO_TRY(vo_remesh_flip(r));
    for (int round = 0; round < MAX_ROUNDS; round++) {
        int splits = r->report.splits;
        r->report.budget_met = true;
        VO_TRY(vo_remesh_split(r));
        VO_TRY(vo_remesh_collapse(r));
        if (r->report.budget_met || remaining_faces(r) < 2) break;
        if (round > 0 && r->report.splits == splits) break;
    }
    return VO_OK;
}

vo_result vo_remesh_edits(vo_remesher *r, const vo_remesh_def *def, vo_edit *edit,
                          const vo_sizing *sizing, vo_guard *guard, int cloth,
                          vo_remesh_report *out) {
    VO_REQUIRE(r->ctx, sizing->mesh == edit->mesh && sizing->topology == edit->mesh->topology);
    *out = (vo_remesh_report){.budget_met = true};
    r->pop_count = 0;
    if (!edit->fresh || sizing->changed_verts > 0) VO_TRY(vo_edit_begin(edit));
    if (sizing->changed_verts == 0) return VO_OK;
    r->def = *def;
    r->edit = edit;
    r->guard = guard;
    r->cloth = cloth;
    r->report = *out;
    VO_TRY(begin_call(r, sizing));
    VO_TRY(edit_mesh(r));
    vo_hysteresis_finish(r);
    VO_TRY(vo_pop_finish(r));
    *out = r->report;
    return VO_OK;
}
