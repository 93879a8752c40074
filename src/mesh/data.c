#include "mesh/data.h"

#include "mesh/columns.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#define NODE_COLUMNS(d)                                                                  \
    {                                                                                    \
        VO_COLUMN((d)->node_x), VO_COLUMN((d)->node_v), VO_OPTIONAL_COLUMN((d)->node_y), \
            VO_COLUMN((d)->node_label), VO_COLUMN((d)->node_line)                        \
    }
#define VERT_COLUMNS(d)                                                                \
    {                                                                                  \
        VO_COLUMN((d)->vert_u), VO_COLUMN((d)->vert_node), VO_COLUMN((d)->vert_label), \
            VO_COLUMN((d)->vert_line)                                                  \
    }
#define FACE_COLUMNS(d)                                                                   \
    {                                                                                     \
        VO_COLUMN((d)->face_vert), VO_COLUMN((d)->face_label), VO_COLUMN((d)->face_line), \
            VO_COLUMN((d)->face_damage), VO_OPTIONAL_COLUMN((d)->face_curvature)          \
    }
#define EDGE_COLUMNS(d)                                                                         \
    {                                                                                           \
        VO_COLUMN((d)->edge_node), VO_COLUMN((d)->edge_rest_angle), VO_COLUMN((d)->edge_label), \
            VO_COLUMN((d)->edge_line), VO_COLUMN((d)->edge_damage)                              \
    }

/* Marks the embedding of the nodes from `begin` on as not given. */
static void clear_embedding(vo_mesh_data *data, int begin) {
    if (!data->node_y) return;
    for (int n = begin; n < data->node_capacity; n++) data->node_y[n] = v3(NAN, NAN, NAN);
}

bool vo_mesh_data_reserve_nodes(vo_context *ctx, vo_mesh_data *data, int need) {
    vo_column columns[] = NODE_COLUMNS(data);
    int old = data->node_capacity;
    if (!vo_columns_reserve(ctx, columns, COUNT_OF(columns), &data->node_capacity, need))
        return false;
    clear_embedding(data, old);
    return true;
}

bool vo_mesh_data_reserve_verts(vo_context *ctx, vo_mesh_data *data, int need) {
    vo_column columns[] = VERT_COLUMNS(data);
    return vo_columns_reserve(ctx, columns, COUNT_OF(columns), &data->vert_capacity, need);
}

bool vo_mesh_data_reserve_faces(vo_context *ctx, vo_mesh_data *data, int need) {
    vo_column columns[] = FACE_COLUMNS(data);
    return vo_columns_reserve(ctx, columns, COUNT_OF(columns), &data->face_capacity, need);
}

bool vo_mesh_data_reserve_edges(vo_context *ctx, vo_mesh_data *data, int need) {
    vo_column columns[] = EDGE_COLUMNS(data);
    return vo_columns_reserve(ctx, columns, COUNT_OF(columns), &data->edge_capacity, need);
}

bool vo_mesh_data_enable_embedding(vo_context *ctx, vo_mesh_data *data) {
    if (data->node_y) return true;
    if (!vo_column_enable(ctx, VO_COLUMN(data->node_y), data->node_capacity)) return false;
    clear_embedding(data, 0);
    return true;
}

bool vo_mesh_data_enable_curvature(vo_context *ctx, vo_mesh_data *data) {
    return vo_column_enable(ctx, VO_COLUMN(data->face_curvature), data->face_capacity);
}

void vo_mesh_data_free(vo_context *ctx, vo_mesh_data *data) {
    vo_column nodes[] = NODE_COLUMNS(data), verts[] = VERT_COLUMNS(data);
    vo_column faces[] = FACE_COLUMNS(data), edges[] = EDGE_COLUMNS(data);
    vo_columns_free(ctx, nodes, COUNT_OF(nodes), &data->node_capacity);
    vo_columns_free(ctx, verts, COUNT_OF(verts), &data->vert_capacity);
    vo_columns_free(ctx, faces, COUNT_OF(faces), &data->face_capacity);
    vo_columns_free(ctx, edges, COUNT_OF(edges), &data->edge_capacity);
    *data = (vo_mesh_data){0};
}
