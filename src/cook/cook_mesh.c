/* Meshes of the quality library as definitions of assets, and files of assets. */
#include "cook/cook.h"
#include "core/file.h"
#include "core/memory.h"

enum { MAX_BASE_TRIANGLES = 65535 };

void vo_cook_arrays_free(vo_context *ctx, vo_cook_arrays *a) {
    vo_free_array(ctx, a->positions, a->vertex_count);
    vo_free_array(ctx, a->triangles, 3 * a->triangle_count);
    vo_free_array(ctx, a->coordinates, 3 * a->triangle_count);
    *a = (vo_cook_arrays){0};
}

static void fill_arrays(const vo_mesh *mesh, vo_cook_arrays *a) {
    for (int n = 0; n < mesh->node_count; n++) {
        vo_vec3 x = mesh->node_x[n];
        a->positions[n] = (vo_rt_vec3){(float)x.x, (float)x.y, (float)x.z};
    }
    for (int i = 0; i < 3 * mesh->face_count; i++) {
        int vert = mesh->face_vert[i / 3][i % 3];
        a->triangles[i] = mesh->vert_node[vert];
        a->coordinates[i] = (vo_rt_vec2){(float)mesh->vert_u[vert].x, (float)mesh->vert_u[vert].y};
    }
}

vo_result vo_cook_arrays_create(vo_context *ctx, const vo_mesh *mesh, vo_cook_arrays *out) {
    *out = (vo_cook_arrays){0};
    if (mesh->face_count > MAX_BASE_TRIANGLES)
        return vo_fail(ctx, VO_BAD_DATA,
                       "the base mesh has %d faces, more than %d; use a coarser mesh (face_count)",
                       mesh->face_count, MAX_BASE_TRIANGLES);
    out->vertex_count = mesh->node_count;
    out->triangle_count = mesh->face_count;
    out->positions = vo_new_array(ctx, vo_rt_vec3, mesh->node_count);
    out->triangles = vo_new_array(ctx, int32_t, 3 * mesh->face_count);
    out->coordinates = vo_new_array(ctx, vo_rt_vec2, 3 * mesh->face_count);
    if (!out->positions || !out->triangles || !out->coordinates) {
        vo_cook_arrays_free(ctx, out);
        return vo_fail_memory(ctx, "an asset");
    }
    fill_arrays(mesh, out);
    return VO_OK;
}

vo_result vo_cook_fail(vo_context *ctx, const char *file, vo_result result,
                       const vo_rt_message *message) {
    if (result == VO_OK) return VO_OK;
    if (result == VO_NO_MEMORY) return vo_fail_memory(ctx, "an asset");
    return vo_fail(ctx, file ? VO_BAD_DATA : result, "%s%s%s", file ? file : "", file ? ": " : "",
                   message->text);
}

vo_result vo_cook_mesh(vo_context *ctx, const vo_mesh *mesh, const vo_rt_asset_def *options,
                       vo_rt_asset **out) {
    vo_rt_asset_def def = options ? *options : vo_rt_asset_def_default();
    vo_rt_message message = {{0}};
    vo_cook_arrays arrays;
    *out = NULL;
    if (mesh->use != VO_MESH_FOR_CLOTH)
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "the mesh is for an obstacle and has no material space; load it for cloth");
    VO_TRY(vo_cook_arrays_create(ctx, mesh, &arrays));
    def.vertex_count = arrays.vertex_count;
    def.positions = arrays.positions;
    def.triangle_count = arrays.triangle_count;
    def.triangles = arrays.triangles;
    def.coordinates = arrays.coordinates;
    vo_result result = vo_rt_asset_create(&ctx->allocator, &def, out, &message);
    vo_cook_arrays_free(ctx, &arrays);
    return vo_cook_fail(ctx, NULL, result, &message);
}

vo_result vo_cook_save(vo_context *ctx, const vo_rt_asset *asset, const char *path) {
    size_t bytes;
    const void *data = vo_rt_asset_get_data(asset, &bytes);
    return vo_file_write(ctx, path, data, bytes);
}

vo_result vo_cook_load(vo_context *ctx, const char *path, vo_rt_asset **out) {
    vo_rt_message message = {{0}};
    vo_bytes bytes;
    *out = NULL;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_result result = vo_rt_asset_load(&ctx->allocator, bytes.data, bytes.size, out, &message);
    vo_bytes_free(ctx, &bytes);
    return vo_cook_fail(ctx, path, result, &message);
}
