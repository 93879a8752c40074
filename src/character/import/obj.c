/* Static bodies from OBJ files. */
#include "codec/obj.h"
#include "character/import/build.h"
#include "core/file.h"
#include "mesh/data.h"

static vo_result copy_body(const vo_mesh_data *data, vo_character *out) {
    VO_TRY(vo_import_array(out, data->node_count, sizeof *out->node_x, &out->node_x));
    VO_TRY(vo_import_array(out, data->face_count, sizeof *out->face, &out->face));
    for (int n = 0; n < data->node_count; n++) {
        out->node_x[n] = vo_affine_point(out->world, data->node_x[n]);
    }
    for (int f = 0; f < data->face_count; f++) {
        for (int k = 0; k < 3; k++) out->face[f][k] = data->vert_node[data->face_vert[f][k]];
    }
    out->node_count = data->node_count;
    out->face_count = data->face_count;
    return VO_OK;
}

/* Nodes keep the order of the file. */
vo_result vo_import_obj(const char *path, vo_character *out, vo_import_counts *counts) {
    vo_context *ctx = out->ctx;
    vo_bytes bytes;
    vo_mesh_data data;
    vo_mesh *mesh = NULL;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_result result = vo_obj_parse(ctx, path, bytes.data, bytes.size, &data);
    vo_bytes_free(ctx, &bytes);
    if (result != VO_OK) return result;
    result = vo_mesh_build_validated(ctx, path, &data, VO_MESH_FOR_OBSTACLE, &mesh);
    vo_mesh_destroy(mesh);
    if (result == VO_OK) result = copy_body(&data, out);
    counts->vertices = data.node_count;
    vo_mesh_data_free(ctx, &data);
    return result;
}
