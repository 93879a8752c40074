#include "mesh/patch.h"

#include "core/memory.h"
#include "core/union_find.h"

void vo_patches_find_roots(int vert_count, int face_count, const int (*face_vert)[3],
                           const uint8_t *skip, int *root) {
    for (int v = 0; v < vert_count; v++) root[v] = v;
    for (int f = 0; f < face_count; f++) {
        if (skip && skip[f]) continue;
        vo_union_find_join(root, face_vert[f][0], face_vert[f][1]);
        vo_union_find_join(root, face_vert[f][0], face_vert[f][2]);
    }
    for (int v = 0; v < vert_count; v++) root[v] = vo_union_find_root(root, v);
}

/* Marks patches that have inverted faces and no upright one. */
static void mark_mirrored(vo_patches *p, const vo_mesh_data *data, const uint8_t *skip) {
    enum { INVERTED = 1, UPRIGHT = 2 };
    for (int f = 0; f < data->face_count; f++) {
        if (skip && skip[f]) continue;
        double cross = vo_material_cross(data->vert_u, data->face_vert[f]);
        int root = p->root[data->face_vert[f][0]];
        if (cross < 0) p->mirrored[root] |= INVERTED;
        if (cross > 0) p->mirrored[root] |= UPRIGHT;
    }
    for (int v = 0; v < p->count; v++) p->mirrored[v] = p->mirrored[v] == INVERTED;
}

vo_result vo_patches_create(vo_context *ctx, const vo_mesh_data *data, const uint8_t *skip,
                            vo_patches *out) {
    *out = (vo_patches){.ctx = ctx, .count = data->vert_count};
    if (out->count == 0) return VO_OK;
    out->root = vo_new_array(ctx, int, out->count);
    out->mirrored = vo_alloc_zero(ctx, (size_t)out->count);
    if (!out->root || !out->mirrored) {
        vo_patches_free(out);
        return vo_fail_memory(ctx, "the patches of a mesh");
    }
    vo_patches_find_roots(out->count, data->face_count, (const int(*)[3])data->face_vert, skip,
                          out->root);
    mark_mirrored(out, data, skip);
    return VO_OK;
}

void vo_patches_free(vo_patches *p) {
    vo_free_array(p->ctx, p->root, p->count);
    vo_free_array(p->ctx, p->mirrored, p->count);
    *p = (vo_patches){.ctx = p->ctx};
}
