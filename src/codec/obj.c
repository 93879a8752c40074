#include "codec/obj.h"

#include "core/file.h"

vo_result vo_obj_load(vo_context *ctx, const char *path, vo_mesh_use use, vo_mesh **out) {
    *out = NULL;
    vo_bytes bytes;
    vo_mesh_data data;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_result result = vo_obj_parse(ctx, path, bytes.data, bytes.size, &data);
    vo_bytes_free(ctx, &bytes);
    if (result != VO_OK) return result;
    result = vo_mesh_build_validated(ctx, path, &data, use, out);
    vo_mesh_data_free(ctx, &data);
    return result;
}

vo_result vo_mesh_load_obj(vo_context *ctx, const char *path, vo_mesh_use use, vo_mesh **out) {
    return vo_obj_load(ctx, path, use, out);
}

vo_result vo_mesh_save_obj(vo_context *ctx, const vo_mesh *mesh, const char *path) {
    return vo_obj_save(ctx, mesh, path);
}
