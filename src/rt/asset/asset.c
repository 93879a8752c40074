/* Public functions of assets. */
#include "rt/asset/asset_private.h"

vo_rt_fabric vo_rt_fabric_default(void) {
    return (vo_rt_fabric){.density = 0.2f,
                          .stretch_compliance = 0,
                          .bend_stiffness = 2e-5f,
                          .damping = 0.2f,
                          .friction = 0.4f,
                          .thickness = 0.001f,
                          .drag = 1,
                          .lift = 0.3f};
}

vo_rt_asset_def vo_rt_asset_def_default(void) {
    return (vo_rt_asset_def){
        .max_level = 3, .fabric = vo_rt_fabric_default(), .tethers = true, .tether_scale = 1.02f};
}

vo_rt_asset *vo_rt_allocate_asset(const vo_allocator *allocator) {
    vo_rt_asset *asset = allocator->allocate(allocator->user, sizeof *asset, VO_RT_BLOCK_ALIGNMENT);
    if (asset) *asset = (vo_rt_asset){.allocator = *allocator};
    return asset;
}

/* --- Creation ------------------------------------------------------------------------------- */

static vo_result run_stages(vo_rt_cook *cook, vo_rt_message *message) {
    vo_result result = vo_rt_cook_coordinates(cook, message);
    if (result == VO_OK) result = vo_rt_cook_edges(cook, message);
    if (result == VO_OK) result = vo_rt_cook_maps(cook, message);
    if (result == VO_OK && cook->def->tethers) result = vo_rt_cook_tethers(cook, message);
    if (result == VO_OK) result = vo_rt_cook_fine(cook, message);
    if (result == VO_OK) result = vo_rt_cook_colours(cook, message);
    if (result == VO_OK)
        result = cook->def->render_vertex_count > 0 ? vo_rt_cook_render_mesh(cook, message)
                                                    : vo_rt_cook_refined_base(cook, message);
    return result;
}

static vo_result write_asset(vo_rt_asset *asset, const vo_rt_cook *cook, vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    const vo_rt_block_info info = {.max_level = def->max_level,
                                   .bone_count = def->bone_count,
                                   .output_is_refined_base = def->render_vertex_count == 0,
                                   .fabric = def->fabric};
    uint32_t vertices = (uint32_t)def->vertex_count;
    uint32_t bones = def->bone_count > 0 ? VO_RT_BONES_PER_VERTEX * vertices : 0;
    uint32_t points = (uint32_t)def->triangle_count * (uint32_t)vo_rt_fine_points(def->max_level);
    uint32_t outputs = (uint32_t)cook->render_vertex_count;
    vo_rt_section_view view[VO_RT_SECTION_COUNT] = {
        [VO_RT_SECTION_INFO] = {&info, 1},
        [VO_RT_SECTION_POSITION] = {def->positions, vertices},
        [VO_RT_SECTION_TRIANGLE] = {cook->triangle, (uint32_t)def->triangle_count},
        [VO_RT_SECTION_EDGE] = {cook->edge, (uint32_t)cook->edge_count},
        [VO_RT_SECTION_MAPS] = {cook->maps, vertices},
        [VO_RT_SECTION_STIFFNESS] = {cook->stiffness_factor, vertices},
        [VO_RT_SECTION_TETHER] = {cook->tether, (uint32_t)cook->tether_count},
        [VO_RT_SECTION_LINK] = {cook->link, (uint32_t)cook->link_count},
        [VO_RT_SECTION_SKIN_BONE] = {def->skin_bones, bones},
        [VO_RT_SECTION_SKIN_WEIGHT] = {def->skin_weights, bones},
        [VO_RT_SECTION_RENDER_VERTEX] = {cook->render_vertex, outputs},
        [VO_RT_SECTION_RENDER_TRIANGLE] = {cook->render_triangle,
                                           3 * (uint32_t)cook->render_triangle_count},
        [VO_RT_SECTION_RENDER_UV] = {cook->render_uv, outputs},
        [VO_RT_SECTION_COLOUR] = {cook->colour, (uint32_t)cook->colour_count},
        [VO_RT_SECTION_FINE] = {cook->fine, cook->fine ? points : 0},
    };
    if (!vo_rt_block_write(asset, view))
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the asset");
    vo_result result = vo_rt_asset_bind(asset, view, message);
    if (result == VO_OK) vo_rt_asset_measure(asset);
    return result;
}

vo_result vo_rt_cook_asset(const vo_allocator *allocator, vo_rt_cook *cook, vo_rt_asset **out,
                           vo_rt_message *message) {
    cook->scratch = (vo_rt_scratch){.allocator = allocator};
    vo_result result = run_stages(cook, message);
    vo_rt_asset *asset = NULL;
    if (result == VO_OK) {
        asset = vo_rt_allocate_asset(allocator);
        result = asset ? write_asset(asset, cook, message)
                       : vo_rt_fail(message, VO_NO_MEMORY, "no memory for the asset");
    }
    vo_rt_scratch_free(&cook->scratch);
    if (result == VO_OK)
        *out = asset;
    else
        vo_rt_asset_destroy(asset);
    return result;
}

static vo_rt_cook cook_definition(const vo_rt_asset_def *def) {
    return (vo_rt_cook){.def = def,
                        .shape_positions = def->positions,
                        .shape_triangles = def->triangles,
                        .shape_vertex_count = def->vertex_count};
}

vo_result vo_rt_asset_check_mesh(const vo_allocator *allocator, const vo_rt_asset_def *def,
                                 vo_rt_message *message) {
    vo_result result = vo_rt_check_def(def, message);
    if (result != VO_OK) return result;
    vo_rt_cook cook = cook_definition(def);
    cook.scratch = (vo_rt_scratch){.allocator = allocator};
    result = vo_rt_cook_coordinates(&cook, message);
    if (result == VO_OK) result = vo_rt_cook_edges(&cook, message);
    vo_rt_scratch_free(&cook.scratch);
    return result;
}

vo_result vo_rt_asset_create(const vo_allocator *allocator, const vo_rt_asset_def *def,
                             vo_rt_asset **out, vo_rt_message *message) {
    if (!out) return vo_rt_fail(message, VO_BAD_ARGUMENT, "out is NULL; set it to a pointer");
    *out = NULL;
    if (!vo_rt_is_allocator(allocator) || !def)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is NULL or incomplete; set it",
                          def ? "allocator" : "def");
    vo_result result = vo_rt_check_def(def, message);
    if (result != VO_OK) return result;
    vo_rt_cook cook = cook_definition(def);
    return vo_rt_cook_asset(allocator, &cook, out, message);
}

/* --- Loading -------------------------------------------------------------------------------- */

vo_result vo_rt_asset_load(const vo_allocator *allocator, const void *data, size_t bytes,
                           vo_rt_asset **out, vo_rt_message *message) {
    if (!out) return vo_rt_fail(message, VO_BAD_ARGUMENT, "out is NULL; set it to a pointer");
    *out = NULL;
    if (!vo_rt_is_allocator(allocator) || !data)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is NULL or incomplete; set it",
                          data ? "allocator" : "data");
    vo_rt_asset *asset = vo_rt_allocate_asset(allocator);
    if (!asset) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the asset");
    vo_rt_section_view view[VO_RT_SECTION_COUNT];
    vo_result result = vo_rt_block_read(asset, data, bytes, view, message);
    if (result == VO_OK) result = vo_rt_asset_bind(asset, view, message);
    if (result == VO_OK) result = vo_rt_check_content(asset, message);
    if (result != VO_OK) {
        vo_rt_asset_destroy(asset);
        return result;
    }
    vo_rt_asset_measure(asset);
    *out = asset;
    return VO_OK;
}

void vo_rt_asset_destroy(vo_rt_asset *asset) {
    if (!asset) return;
    vo_allocator allocator = asset->allocator;
    vo_rt_block_free(asset);
    allocator.release(allocator.user, asset, sizeof *asset);
}

/* --- Access --------------------------------------------------------------------------------- */

const void *vo_rt_asset_get_data(const vo_rt_asset *asset, size_t *bytes) {
    *bytes = asset->bytes;
    return asset->data;
}

vo_rt_asset_info vo_rt_asset_get_info(const vo_rt_asset *asset) {
    return (vo_rt_asset_info){
        .vertex_count = asset->vertex_count,
        .triangle_count = asset->triangle_count,
        .edge_count = asset->edge_count,
        .seam_edge_count = asset->seam_edge_count,
        .max_level = asset->max_level,
        .bone_count = asset->bone_count,
        .tether_count = asset->tether_count,
        .attached_count = asset->attached_count,
        .render_vertex_count = asset->render_vertex_count,
        .render_triangle_count = asset->render_triangle_count,
        .detail_vertex_count = asset->detail.vertex_count,
        .detail_triangle_count = asset->detail.triangle_count,
        .detail_operator_count = asset->detail.operator_count,
        .detail_bytes = vo_rt_asset_detail_bytes(asset),
        .even_colours = asset->palette[0],
        .odd_colours = asset->palette[1],
        .has_fine_levels = asset->fine != NULL,
        .is_seamed = asset->link_count == 0,
        .mass = asset->mass,
        .bytes = asset->bytes,
        .min = asset->min,
        .max = asset->max,
    };
}

const uint32_t *vo_rt_asset_get_triangles(const vo_rt_asset *asset) {
    return asset->render_triangle;
}

const vo_rt_vec2 *vo_rt_asset_get_uv(const vo_rt_asset *asset) { return asset->render_uv; }

const uint32_t *vo_rt_asset_get_detail_triangles(const vo_rt_asset *asset) {
    return asset->detail.triangle;
}

const vo_rt_vec2 *vo_rt_asset_get_detail_uv(const vo_rt_asset *asset) { return asset->detail.uv; }
