#include "mesh/mesh.h"

#include "core/memory.h"
#include "mesh/columns.h"

#include <string.h>

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* The columns of a mesh, for growing, copying, permuting and freeing. */
typedef struct mesh_tables {
    vo_column node[4], vert[4], edge[5], face[5];
} mesh_tables;

static mesh_tables tables_of(vo_mesh *m) {
    return (mesh_tables){
        .node = {VO_COLUMN(m->node_x), VO_COLUMN(m->node_v), VO_COLUMN(m->node_label),
                 VO_OPTIONAL_COLUMN(m->node_y)},
        .vert = {VO_COLUMN(m->vert_u), VO_COLUMN(m->vert_node), VO_COLUMN(m->vert_label),
                 VO_COLUMN(m->vert_patch)},
        .edge = {VO_COLUMN(m->edge_node), VO_COLUMN(m->edge_face), VO_COLUMN(m->edge_rest_angle),
                 VO_COLUMN(m->edge_label), VO_COLUMN(m->edge_damage)},
        .face = {VO_COLUMN(m->face_vert), VO_COLUMN(m->face_edge), VO_COLUMN(m->face_label),
                 VO_COLUMN(m->face_damage), VO_OPTIONAL_COLUMN(m->face_curvature)},
    };
}

vo_result vo_mesh_reserve(vo_mesh *m, int nodes, int verts, int edges, int faces) {
    mesh_tables t = tables_of(m);
    vo_context *ctx = m->ctx;
    if (!vo_columns_reserve(ctx, t.node, COUNT_OF(t.node), &m->node_capacity, nodes) ||
        !vo_columns_reserve(ctx, t.vert, COUNT_OF(t.vert), &m->vert_capacity, verts) ||
        !vo_columns_reserve(ctx, t.edge, COUNT_OF(t.edge), &m->edge_capacity, edges) ||
        !vo_columns_reserve(ctx, t.face, COUNT_OF(t.face), &m->face_capacity, faces))
        return vo_fail_memory(ctx, "a mesh");
    return VO_OK;
}

vo_result vo_mesh_add_optional_arrays(vo_mesh *m, bool embedding, bool curvature) {
    if ((embedding && !vo_column_enable(m->ctx, VO_COLUMN(m->node_y), m->node_capacity)) ||
        (curvature && !vo_column_enable(m->ctx, VO_COLUMN(m->face_curvature), m->face_capacity)))
        return vo_fail_memory(m->ctx, "the plastic state of a mesh");
    return VO_OK;
}

void vo_mesh_permute(vo_mesh *m, int *const from[4], const int count[4], void *scratch) {
    mesh_tables t = tables_of(m);
    vo_columns_permute(t.node, COUNT_OF(t.node), from[0], count[0], scratch);
    vo_columns_permute(t.vert, COUNT_OF(t.vert), from[1], count[1], scratch);
    vo_columns_permute(t.edge, COUNT_OF(t.edge), from[2], count[2], scratch);
    vo_columns_permute(t.face, COUNT_OF(t.face), from[3], count[3], scratch);
    m->node_count = count[0];
    m->vert_count = count[1];
    m->edge_count = count[2];
    m->face_count = count[3];
}

void vo_mesh_destroy(vo_mesh *m) {
    if (!m) return;
    mesh_tables t = tables_of(m);
    vo_context *ctx = m->ctx;
    vo_columns_free(ctx, t.node, COUNT_OF(t.node), &m->node_capacity);
    vo_columns_free(ctx, t.vert, COUNT_OF(t.vert), &m->vert_capacity);
    vo_columns_free(ctx, t.edge, COUNT_OF(t.edge), &m->edge_capacity);
    vo_columns_free(ctx, t.face, COUNT_OF(t.face), &m->face_capacity);
    vo_delete(ctx, m);
}

/* Copies the first `count` elements of each column. */
static void copy_columns(const vo_column *to, const vo_column *from, int columns, int count) {
    for (int i = 0; i < columns; i++) {
        void *target, *source;
        memcpy(&target, to[i].slot, sizeof target);
        memcpy(&source, from[i].slot, sizeof source);
        if (source && count) memcpy(target, source, (size_t)count * from[i].size);
    }
}

/* Copies a mesh into `to`, which has no arrays yet. */
static vo_result copy_into(vo_mesh *to, const vo_mesh *from) {
    VO_TRY(vo_mesh_reserve(to, from->node_count, from->vert_count, from->edge_count,
                           from->face_count));
    VO_TRY(vo_mesh_add_optional_arrays(to, from->node_y, from->face_curvature));
    mesh_tables target = tables_of(to), source = tables_of((vo_mesh *)from);
    copy_columns(target.node, source.node, COUNT_OF(source.node), from->node_count);
    copy_columns(target.vert, source.vert, COUNT_OF(source.vert), from->vert_count);
    copy_columns(target.edge, source.edge, COUNT_OF(source.edge), from->edge_count);
    copy_columns(target.face, source.face, COUNT_OF(source.face), from->face_count);
    to->use = from->use;
    to->topology = from->topology;
    to->node_count = from->node_count;
    to->vert_count = from->vert_count;
    to->edge_count = from->edge_count;
    to->face_count = from->face_count;
    return VO_OK;
}

vo_result vo_mesh_copy(vo_context *ctx, const vo_mesh *mesh, vo_mesh **out) {
    *out = NULL;
    vo_mesh *copy = vo_new(ctx, vo_mesh);
    if (!copy) return vo_fail_memory(ctx, "a mesh");
    copy->ctx = ctx;
    vo_result result = copy_into(copy, mesh);
    if (result == VO_OK)
        *out = copy;
    else
        vo_mesh_destroy(copy);
    return result;
}

vo_mesh_view vo_mesh_get_view(const vo_mesh *m) {
    return (vo_mesh_view){
        .node_count = m->node_count,
        .vert_count = m->vert_count,
        .edge_count = m->edge_count,
        .face_count = m->face_count,
        .topology = m->topology,
        .node_x = m->node_x,
        .node_v = m->node_v,
        .node_label = m->node_label,
        .vert_u = m->vert_u,
        .vert_node = m->vert_node,
        .edge_node = (const int(*)[2])m->edge_node,
        .edge_face = (const int(*)[2])m->edge_face,
        .face_vert = (const int(*)[3])m->face_vert,
        .face_label = m->face_label,
    };
}
