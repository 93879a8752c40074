#include "core/memory.h"
#include "math/bounds.h"
#include "mesh/data.h"
#include "mesh/mesh.h"
#include "mesh/validate.h"

#include <string.h>

/* Creates the verts of a mesh without material coordinates: one per node, at its (x, y). */
static vo_result verts_from_nodes(vo_context *ctx, vo_mesh_data *data) {
    if (!vo_mesh_data_reserve_verts(ctx, data, data->node_count))
        return vo_fail_memory(ctx, "a mesh");
    for (int n = 0; n < data->node_count; n++) {
        data->vert_u[n] = v2(data->node_x[n].x, data->node_x[n].y);
        data->vert_node[n] = n;
    }
    data->vert_count = data->node_count;
    return VO_OK;
}

/* Copies the caller's arrays into `data`. */
static vo_result copy_arrays(vo_context *ctx, vo_mesh_data *data, const vo_vec3 *node_x,
                             const vo_vec2 *uv, const int *vert_node, const int (*face_vert)[3]) {
    int nodes = data->node_count, verts = data->vert_count, faces = data->face_count;
    if (!vo_mesh_data_reserve_nodes(ctx, data, nodes) ||
        !vo_mesh_data_reserve_faces(ctx, data, faces))
        return vo_fail_memory(ctx, "a mesh");
    if (nodes) memcpy(data->node_x, node_x, (size_t)nodes * sizeof *node_x);
    if (faces) memcpy(data->face_vert, face_vert, (size_t)faces * sizeof *face_vert);
    if (!uv) return verts_from_nodes(ctx, data);
    if (!vo_mesh_data_reserve_verts(ctx, data, verts)) return vo_fail_memory(ctx, "a mesh");
    if (verts) {
        memcpy(data->vert_u, uv, (size_t)verts * sizeof *uv);
        memcpy(data->vert_node, vert_node, (size_t)verts * sizeof *vert_node);
    }
    return VO_OK;
}

static bool is_count(int count) { return count >= 0 && count <= VO_MESH_MAX_ELEMENTS; }

vo_result vo_mesh_create_surface(vo_context *ctx, const char *name, int node_count,
                                 const vo_vec3 *node_x, int face_count, const int (*face_vert)[3],
                                 vo_mesh **out) {
    *out = NULL;
    if (!is_count(node_count) || !is_count(face_count))
        return vo_fail(ctx, VO_BAD_DATA, "%s: %d nodes and %d faces are too many", name, node_count,
                       face_count);
    vo_mesh_data data = {.node_count = node_count, .face_count = face_count};
    vo_result result = copy_arrays(ctx, &data, node_x, NULL, NULL, face_vert);
    if (result == VO_OK)
        result = vo_mesh_build_validated(ctx, name, &data, VO_MESH_FOR_OBSTACLE, out);
    vo_mesh_data_free(ctx, &data);
    return result;
}

vo_result vo_mesh_create(vo_context *ctx, int node_count, const vo_vec3 *node_x, int vert_count,
                         const vo_vec2 *uv, const int *vert_node, int face_count,
                         const int (*face_vert)[3], vo_mesh_use use, vo_mesh **out) {
    *out = NULL;
    if (!is_count(node_count) || !is_count(vert_count) || !is_count(face_count))
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "mesh: %d nodes, %d verts, %d faces: a count is negative or too "
                       "large",
                       node_count, vert_count, face_count);
    if (!node_x || !face_vert || (uv && !vert_node))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "mesh: an array is missing");
    vo_mesh_data data = {
        .node_count = node_count, .vert_count = uv ? vert_count : 0, .face_count = face_count};
    vo_result result = copy_arrays(ctx, &data, node_x, uv, vert_node, face_vert);
    if (result == VO_OK) result = vo_mesh_build_validated(ctx, "mesh", &data, use, out);
    vo_mesh_data_free(ctx, &data);
    return result;
}

enum { MAX_CELLS = 100000000 };

/* The two faces of a cell. Diagonals alternate like a chessboard, which avoids a preferred
 * direction. */
static void fill_cell(int i, int j, int columns, int (*face)[3]) {
    int a = j * (columns + 1) + i, b = a + 1, c = a + columns + 1, d = c + 1;
    int rising[2][3] = {{a, b, d}, {a, d, c}}, falling[2][3] = {{a, b, c}, {b, d, c}};
    memcpy(face, (i + j) % 2 ? falling : rising, sizeof rising);
}

static void fill_grid(vo_mesh_data *data, double width, double height, int columns, int rows) {
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++)
            data->node_x[j * (columns + 1) + i] =
                v3(width * ((double)i / columns), height * ((double)j / rows), 0);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            fill_cell(i, j, columns, &data->face_vert[2 * (j * columns + i)]);
}

vo_result vo_mesh_create_grid(vo_context *ctx, double width, double height, int columns, int rows,
                              vo_mesh **out) {
    *out = NULL;
    if (!vo_is_positive(width) || !vo_is_positive(height) || columns < 1 || rows < 1 ||
        (int64_t)columns * rows >= MAX_CELLS)
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "grid of %g x %g m in %d x %d cells: sizes and cells must "
                       "be positive, and the cells fewer than 100 million",
                       width, height, columns, rows);
    vo_mesh_data data = {.node_count = (columns + 1) * (rows + 1),
                         .face_count = 2 * columns * rows};
    vo_result result = VO_OK;
    if (!vo_mesh_data_reserve_nodes(ctx, &data, data.node_count) ||
        !vo_mesh_data_reserve_faces(ctx, &data, data.face_count))
        result = vo_fail_memory(ctx, "a mesh");
    if (result == VO_OK) {
        fill_grid(&data, width, height, columns, rows);
        result = verts_from_nodes(ctx, &data);
    }
    if (result == VO_OK)
        result = vo_mesh_build_validated(ctx, "mesh", &data, VO_MESH_FOR_CLOTH, out);
    vo_mesh_data_free(ctx, &data);
    return result;
}

vo_result vo_mesh_build_validated(vo_context *ctx, const char *name, const vo_mesh_data *data,
                                  vo_mesh_use use, vo_mesh **out) {
    *out = NULL;
    if (use != VO_MESH_FOR_CLOTH && use != VO_MESH_FOR_OBSTACLE)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: the use is not one of vo_mesh_use", name);
    vo_mesh_report report;
    VO_TRY(vo_mesh_validate(ctx, data, use, &report));
    vo_result result = VO_OK;
    if (report.fatal_count > 0) {
        char text[512];
        vo_mesh_report_text(&report, text, sizeof text);
        result = vo_fail(ctx, VO_BAD_DATA, "%s: %s", name, text);
    } else
        vo_mesh_report_log(&report, name);
    vo_mesh_report_free(&report);
    if (result == VO_OK) result = vo_mesh_build(ctx, data, out);
    if (result == VO_OK) (*out)->use = use;
    return result;
}
