/* Creation of the asset: arrays of the definition, render mesh, seams. */
#include "cook/cook.h"
#include "cook/levels.h"
#include "core/memory.h"
#include "spatial/aabb.h"

#include <stdio.h>

/* ---- render mesh ----------------------------------------------------------------------------- */

/* Vertices of the render mesh are its verts, which differ where texture coordinates do. */
typedef struct render_arrays {
    int vertex_count, triangle_count;
    vo_rt_vec3 *positions;
    vo_rt_vec2 *uv;
    int32_t *triangles;
} render_arrays;

static void free_render(vo_context *ctx, render_arrays *r) {
    vo_free_array(ctx, r->positions, r->vertex_count);
    vo_free_array(ctx, r->uv, r->vertex_count);
    vo_free_array(ctx, r->triangles, 3 * r->triangle_count);
}

static vo_result fill_render(vo_context *ctx, const vo_mesh *mesh, render_arrays *r) {
    r->vertex_count = mesh->vert_count;
    r->triangle_count = mesh->face_count;
    r->positions = vo_new_array(ctx, vo_rt_vec3, mesh->vert_count);
    r->uv = vo_new_array(ctx, vo_rt_vec2, mesh->vert_count);
    r->triangles = vo_new_array(ctx, int32_t, 3 * mesh->face_count);
    if (!r->positions || !r->uv || !r->triangles) return vo_fail_memory(ctx, "a render mesh");
    for (int v = 0; v < mesh->vert_count; v++) {
        vo_vec3 x = mesh->node_x[mesh->vert_node[v]];
        r->positions[v] = (vo_rt_vec3){(float)x.x, (float)x.y, (float)x.z};
        r->uv[v] = (vo_rt_vec2){(float)mesh->vert_u[v].x, (float)mesh->vert_u[v].y};
    }
    for (int i = 0; i < 3 * mesh->face_count; i++) r->triangles[i] = mesh->face_vert[i / 3][i % 3];
    return VO_OK;
}

static vo_box bounds(const vo_mesh *mesh) {
    vo_box box = box_empty();
    for (int n = 0; n < mesh->node_count; n++) box = box_add(box, mesh->node_x[n]);
    return box;
}

/* Rejects a render mesh that is elsewhere or in another unit than the base mesh. */
static vo_result check_pose(const vo_cooking *c) {
    vo_box base = bounds(c->base), render = bounds(c->render);
    double base_size = v3_length(v3_sub(base.max, base.min)),
           render_size = v3_length(v3_sub(render.max, render.min));
    bool apart = base.min.x > render.max.x || render.min.x > base.max.x ||
                 base.min.y > render.max.y || render.min.y > base.max.y ||
                 base.min.z > render.max.z || render.min.z > base.max.z;
    if (!apart && render_size < 2 * base_size && render_size > base_size / 2) return VO_OK;
    return vo_fail(
        c->ctx, VO_BAD_DATA,
        "%s: extends from (%.3g, %.3g, %.3g) to (%.3g, %.3g, %.3g), the base mesh from "
        "(%.3g, %.3g, %.3g) to (%.3g, %.3g, %.3g); export the render mesh in the pose of "
        "the base mesh, in metres with z up",
        c->def->render, render.min.x, render.min.y, render.min.z, render.max.x, render.max.y,
        render.max.z, base.min.x, base.min.y, base.min.z, base.max.x, base.max.y, base.max.z);
}

/* ---- asset ----------------------------------------------------------------------------------- */

static vo_rt_asset_def asset_def(const vo_cooking *c, const render_arrays *r) {
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.max_level = c->def->max_level;
    def.fabric = c->report.fabric;
    def.tethers = c->def->tethers;
    def.tether_scale = (float)c->def->tether_scale;
#define X(name, low, high, none) def.name = c->map[VO_COOK_MAP_##name];
    VO_COOK_MAPS(X)
#undef X
    if (c->levels && !vo_cook_levels_are_flat(c->levels)) {
        def.fine_positions = c->levels->positions;
        def.fine_coordinates = c->levels->coordinates;
    }
    def.bone_count = c->bones ? c->report.bone_count : 0;
    def.skin_bones = c->bones;
    def.skin_weights = c->weights;
    def.render_vertex_count = r->vertex_count;
    def.render_positions = r->positions;
    def.render_triangle_count = r->triangle_count;
    def.render_triangles = r->triangles;
    def.render_uv = r->uv;
    return def;
}

static vo_result create_seamed(const vo_cooking *c, vo_rt_asset_def *def, vo_rt_asset **out) {
    vo_rt_message message = {{0}};
    vo_rt_seaming *seaming = NULL;
    vo_cook_arrays arrays;
    VO_TRY(vo_cook_arrays_create(c->ctx, c->base, &arrays));
    def->vertex_count = arrays.vertex_count;
    def->positions = arrays.positions;
    def->triangle_count = arrays.triangle_count;
    def->triangles = arrays.triangles;
    def->coordinates = arrays.coordinates;
    vo_result result = vo_rt_seaming_create(&c->ctx->allocator, def, &seaming, &message);
    if (result != VO_OK)
        result = vo_cook_fail(c->ctx, c->def->input, result, &message);
    else
        result = vo_cook_seam(c, seaming, out);
    vo_rt_seaming_destroy(seaming);
    vo_cook_arrays_free(c->ctx, &arrays);
    return result;
}

/* Adds the name of the input to the message of a failed vo_cook_mesh. */
static vo_result name_input(const vo_cooking *c, vo_result result) {
    char text[600];
    if (result == VO_OK || result == VO_NO_MEMORY) return result;
    snprintf(text, sizeof text, "%.599s", vo_context_message(c->ctx));
    return vo_fail(c->ctx, VO_BAD_DATA, "%s: %s", c->def->input, text);
}

vo_result vo_cook_create_asset(const vo_cooking *c, vo_rt_asset **out) {
    render_arrays render = {0};
    vo_result result = VO_OK;
    if (c->render && c->def->render) VO_TRY(check_pose(c));
    if (c->render) result = fill_render(c->ctx, c->render, &render);
    vo_rt_asset_def def = asset_def(c, &render);
    if (result == VO_OK)
        result = c->def->links ? create_seamed(c, &def, out)
                               : name_input(c, vo_cook_mesh(c->ctx, c->base, &def, out));
    free_render(c->ctx, &render);
    return result;
}
