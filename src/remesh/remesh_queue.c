/* State of the remesher: arrays per element, work queues, heap of long edges. */
#include "collide/guard/guard.h"
#include "core/memory.h"
#include "mesh/columns.h"
#include "remesh/remesh_local.h"

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct remesh_columns {
    vo_column vert[1], edge[2], node[5], face[4];
} remesh_columns;

static remesh_columns list_columns(vo_remesher *r) {
    return (remesh_columns){
        .vert = {VO_COLUMN(r->metric)},
        .edge = {VO_COLUMN(r->edge_queued), VO_COLUMN(r->edges)},
        .node = {VO_COLUMN(r->node_queued), VO_COLUMN(r->nodes), VO_COLUMN(r->round),
                 VO_COLUMN(r->node_moved), VO_COLUMN(r->node_pending_penalty)},
        .face = {VO_COLUMN(r->face_moved), VO_COLUMN(r->face_point), VO_COLUMN(r->face_limited),
                 VO_COLUMN(r->face_shift)},
    };
}

vo_result vo_remesher_create(vo_context *ctx, vo_remesher **out) {
    *out = vo_new(ctx, vo_remesher);
    if (!*out) return vo_fail_memory(ctx, "remeshing");
    (*out)->ctx = ctx;
    return VO_OK;
}

void vo_remesher_destroy(vo_remesher *r) {
    if (!r) return;
    remesh_columns c = list_columns(r);
    vo_columns_free(r->ctx, c.vert, 1, &r->vert_capacity);
    vo_columns_free(r->ctx, c.edge, 2, &r->edge_capacity);
    vo_columns_free(r->ctx, c.node, 5, &r->node_capacity);
    vo_columns_free(r->ctx, c.face, 4, &r->face_capacity);
    vo_free_array(r->ctx, r->heap, r->heap_capacity);
    vo_free_array(r->ctx, r->point, r->point_capacity);
    vo_free_array(r->ctx, r->pop, r->pop_capacity);
    vo_delete(r->ctx, r);
}

vo_result vo_remesh_grow_arrays(vo_remesher *r) {
    const vo_mesh *m = r->edit->mesh;
    if (m->vert_capacity <= r->vert_capacity && m->edge_capacity <= r->edge_capacity &&
        m->node_capacity <= r->node_capacity && m->face_capacity <= r->face_capacity)
        return VO_OK;
    remesh_columns c = list_columns(r);
    bool grown = vo_columns_reserve(r->ctx, c.vert, 1, &r->vert_capacity, m->vert_capacity) &&
                 vo_columns_reserve(r->ctx, c.edge, 2, &r->edge_capacity, m->edge_capacity) &&
                 vo_columns_reserve(r->ctx, c.node, 5, &r->node_capacity, m->node_capacity) &&
                 vo_columns_reserve(r->ctx, c.face, 4, &r->face_capacity, m->face_capacity);
    return grown ? VO_OK : vo_fail_memory(r->ctx, "remeshing");
}

/* ---- work queues ----------------------------------------------------------------------------- */

void vo_remesh_push_edge(vo_remesher *r, int edge) {
    if (r->edge_queued[edge]) return;
    r->edge_queued[edge] = 1;
    r->edges[r->edge_count++] = edge;
}

void vo_remesh_push_node(vo_remesher *r, int node) {
    if (r->node_queued[node]) return;
    r->node_queued[node] = 1;
    r->nodes[r->node_count++] = node;
}

void vo_remesh_push_face(vo_remesher *r, int face) {
    const vo_mesh *m = r->edit->mesh;
    for (int i = 0; i < 3; i++) {
        vo_remesh_push_edge(r, m->face_edge[face][i]);
        vo_remesh_push_node(r, vo_mesh_face_node(m, face, i));
    }
}

vo_result vo_remesh_update_face(vo_remesher *r, int face) {
    vo_remesh_push_face(r, face);
    return r->guard ? vo_guard_update_face(r->guard, r->cloth, face) : VO_OK;
}

/* ---- heap of long edges ---------------------------------------------------------------------- */

/* Heap order: longest first; ties by index. */
static bool comes_before(vo_long_edge a, vo_long_edge b) {
    return a.size2 > b.size2 || (a.size2 == b.size2 && a.edge < b.edge);
}

vo_result vo_remesh_push_long_edge(vo_remesher *r, int edge, double size2) {
    if (!vo_reserve(r->ctx, &r->heap, &r->heap_capacity, r->heap_count + 1))
        return vo_fail_memory(r->ctx, "remeshing");
    vo_long_edge added = {size2, edge};
    int i = r->heap_count++;
    while (i > 0 && comes_before(added, r->heap[(i - 1) / 2])) {
        r->heap[i] = r->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->heap[i] = added;
    return VO_OK;
}

void vo_remesh_pop_long_edge(vo_remesher *r) {
    vo_long_edge moved = r->heap[--r->heap_count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= r->heap_count) break;
        if (child + 1 < r->heap_count && comes_before(r->heap[child + 1], r->heap[child])) child++;
        if (!comes_before(r->heap[child], moved)) break;
        r->heap[i] = r->heap[child];
        i = child;
    }
    r->heap[i] = moved;
}
