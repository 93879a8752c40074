/* OBJ files: a mesh that parses can be validated, built and copied; failures have a message. */
#include "codec/obj.h"
#include "sim/sim.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A failure must have a message. */
static void require_message(const vo_context *ctx, vo_result result) {
    if (result != VO_OK && vo_context_message(ctx)[0] == 0) abort();
}

static void try_use(vo_context *ctx, const vo_mesh_data *data, vo_mesh_use use) {
    vo_mesh *mesh, *copy;
    vo_result result = vo_mesh_build_validated(ctx, "fuzz.obj", data, use, &mesh);
    require_message(ctx, result);
    if (result != VO_OK) return;
    for (int e = 0; e < mesh->edge_count; e++) vo_mesh_bend_angle(mesh, e);
    if (vo_mesh_copy(ctx, mesh, &copy) == VO_OK) vo_mesh_destroy(copy);
    vo_mesh_destroy(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vo_context_def def = vo_context_def_default();
    def.threads = 1;
    vo_context *ctx;
    if (vo_context_create(&def, &ctx) != VO_OK) return 0;
    vo_mesh_data mesh;
    vo_result result = vo_obj_parse(ctx, "fuzz.obj", (const char *)data, size, &mesh);
    require_message(ctx, result);
    if (result == VO_OK) {
        try_use(ctx, &mesh, VO_MESH_FOR_CLOTH);
        try_use(ctx, &mesh, VO_MESH_FOR_OBSTACLE);
        vo_mesh_data_free(ctx, &mesh);
    }
    vo_context_destroy(ctx);
    return 0;
}
