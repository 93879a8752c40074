#include "mesh/patch.h"

#include "core/memory.h"

/* Root of a vert's tree; halves the path on the way. */
static int find_root(int *parent, int vert) {
    while (parent[vert] != vert) {
        parent[vert] = parent[parent[vert]];
        vert = parent[vert];
    }
    return vert;
}

/* Joins two trees; the smaller index becomes the root. */
static void join(int *parent, int a, int b) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[vo_max_int(a, b)] = vo_min_int(a, b);
}

static void join_faces(vo_patches *p, const vo_mesh_data *data, const uint8_t *skip) {
    for (int v = 0; v < p->count; v++) p->root[v] = v;
    for (int f = 0; f < data->face_count; f++) {
        if (skip && skip[f]) continue;
        join(p->root, data->face_vert[f][0], data->face_vert[f][1]);
        join(p->root, data->face_vert[f][0], data->face_vert[f][2]);
    }
    for (int v = 0; v < p->count; v++) p->root[v] = find_root(p->root, v);
}

/* A patch is mirrored when it has faces turned over and none upright. */
static void mark_mirrored(vo_patches *p, const vo_mesh_data *data, const uint8_t *skip) {
    enum { TURNED = 1, UPRIGHT = 2 };
    for (int f = 0; f < data->face_count; f++) {
        if (skip && skip[f]) continue;
        double cross = vo_material_cross(data->vert_u, data->face_vert[f]);
        int root = p->root[data->face_vert[f][0]];
        if (cross < 0) p->mirrored[root] |= TURNED;
        if (cross > 0) p->mirrored[root] |= UPRIGHT;
    }
    for (int v = 0; v < p->count; v++) p->mirrored[v] = p->mirrored[v] == TURNED;
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
    join_faces(out, data, skip);
    mark_mirrored(out, data, skip);
    return VO_OK;
}

void vo_patches_free(vo_patches *p) {
    vo_free_array(p->ctx, p->root, p->count);
    vo_free_array(p->ctx, p->mirrored, p->count);
    *p = (vo_patches){.ctx = p->ctx};
}
