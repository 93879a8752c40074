/* Creation of an asset with a detail mesh. */
#include "rt/asset/asset_private.h"

vo_rt_operator_def vo_rt_operator_def_default(void) {
    return (vo_rt_operator_def){.history_s = 1.0f / 60};
}

vo_rt_detail_def vo_rt_detail_def_default(void) {
    return (vo_rt_detail_def){.blend_distance = 0.04f};
}

/* Sections of an asset without its detail mesh. */
static void view_asset(const vo_rt_asset *a, const vo_rt_block_info *info,
                       vo_rt_section_view view[VO_RT_SECTION_COUNT]) {
    uint32_t vertices = (uint32_t)a->vertex_count, triangles = (uint32_t)a->triangle_count;
    uint32_t bones = a->bone_count > 0 ? VO_RT_BONES_PER_VERTEX * vertices : 0;
    uint32_t outputs = (uint32_t)a->render_vertex_count;
    uint32_t points = a->fine ? triangles * (uint32_t)vo_rt_fine_points(a->max_level) : 0;
    const vo_rt_section_view list[VO_RT_SECTION_COUNT] = {
        [VO_RT_SECTION_INFO] = {info, 1},
        [VO_RT_SECTION_POSITION] = {a->position, vertices},
        [VO_RT_SECTION_TRIANGLE] = {a->triangle, triangles},
        [VO_RT_SECTION_EDGE] = {a->edge, (uint32_t)a->edge_count},
        [VO_RT_SECTION_MAPS] = {a->maps, vertices},
        [VO_RT_SECTION_STIFFNESS] = {a->stiffness_factor, vertices},
        [VO_RT_SECTION_TETHER] = {a->tether, (uint32_t)a->tether_count},
        [VO_RT_SECTION_LINK] = {a->link, (uint32_t)a->link_count},
        [VO_RT_SECTION_SKIN_BONE] = {a->skin_bone, bones},
        [VO_RT_SECTION_SKIN_WEIGHT] = {a->skin_weight, bones},
        [VO_RT_SECTION_RENDER_VERTEX] = {a->render_vertex, outputs},
        [VO_RT_SECTION_RENDER_TRIANGLE] = {a->render_triangle,
                                           3 * (uint32_t)a->render_triangle_count},
        [VO_RT_SECTION_RENDER_UV] = {a->render_uv, outputs},
        [VO_RT_SECTION_COLOUR] = {a->colour, (uint32_t)a->colour_count},
        [VO_RT_SECTION_FINE] = {a->fine, points},
    };
    for (int i = 0; i < VO_RT_SECTION_COUNT; i++) view[i] = list[i];
}

/* Adds the sections of the detail mesh. */
static void view_detail(const vo_rt_detail_build *b, vo_rt_section_view *view) {
    const vo_rt_detail_def *def = b->def;
    uint32_t nodes = (uint32_t)def->node_count, vertices = (uint32_t)def->vertex_count;
    uint32_t entries = (uint32_t)def->base_first[nodes];
    view[VO_RT_SECTION_DETAIL_FIRST] = (vo_rt_section_view){def->base_first, nodes + 1};
    view[VO_RT_SECTION_DETAIL_COLUMN] = (vo_rt_section_view){b->base_column, entries};
    view[VO_RT_SECTION_DETAIL_WEIGHT] = (vo_rt_section_view){def->base_weights, entries};
    view[VO_RT_SECTION_DETAIL_NODE] = (vo_rt_section_view){b->node, vertices};
    view[VO_RT_SECTION_DETAIL_UV] = (vo_rt_section_view){b->uv, vertices};
    view[VO_RT_SECTION_DETAIL_TRIANGLE] =
        (vo_rt_section_view){def->triangles, 3 * (uint32_t)def->triangle_count};
    view[VO_RT_SECTION_DETAIL_SKIN] = (vo_rt_section_view){b->skin, (uint32_t)b->skin_count};
    view[VO_RT_SECTION_OPERATOR] = (vo_rt_section_view){b->record, (uint32_t)def->operator_count};
    view[VO_RT_SECTION_OPERATOR_NUMBER] =
        (vo_rt_section_view){b->number, (uint32_t)b->number_count};
    view[VO_RT_SECTION_OPERATOR_HALF] = (vo_rt_section_view){b->half, (uint32_t)b->half_count};
    view[VO_RT_SECTION_OPERATOR_INDEX] = (vo_rt_section_view){b->index, (uint32_t)b->index_count};
    view[VO_RT_SECTION_OPERATOR_COLUMN] =
        (vo_rt_section_view){b->column, (uint32_t)b->column_count};
}

/* Fills the arrays of vertices and of the base operator. */
static bool build_mesh(vo_rt_detail_build *b) {
    const vo_rt_detail_def *def = b->def;
    int entries = def->base_first[def->node_count];
    b->base_column = vo_rt_scratch_array(&b->scratch, uint16_t, entries);
    b->node = vo_rt_scratch_array(&b->scratch, int32_t, def->vertex_count);
    b->uv = vo_rt_scratch_array(&b->scratch, vo_rt_vec2, def->vertex_count);
    if (b->scratch.failed) return false;
    for (int i = 0; i < entries; i++) b->base_column[i] = (uint16_t)def->base_columns[i];
    for (int i = 0; i < def->vertex_count; i++) {
        b->node[i] = def->nodes ? def->nodes[i] : i;
        b->uv[i] = def->uv ? def->uv[i] : f2(0, 0);
    }
    return vo_rt_build_detail_skin(b);
}

/* Writes the block of the new asset. */
static vo_result write_asset(const vo_allocator *allocator, const vo_rt_detail_build *build,
                             vo_rt_asset **out, vo_rt_message *message) {
    const vo_rt_asset *from = build->asset;
    const vo_rt_block_info info = {from->max_level, from->bone_count, from->output_is_refined_base,
                                   from->fabric};
    vo_rt_section_view view[VO_RT_SECTION_COUNT];
    view_asset(from, &info, view);
    view_detail(build, view);
    vo_rt_asset *asset = vo_rt_allocate_asset(allocator);
    if (!asset || !vo_rt_block_write(asset, view)) {
        vo_rt_asset_destroy(asset);
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the asset");
    }
    vo_result result = vo_rt_asset_bind(asset, view, message);
    if (result != VO_OK) {
        vo_rt_asset_destroy(asset);
        return result;
    }
    vo_rt_asset_measure(asset);
    *out = asset;
    return VO_OK;
}

vo_result vo_rt_asset_add_detail(const vo_allocator *allocator, const vo_rt_asset *asset,
                                 const vo_rt_detail_def *def, vo_rt_asset **out,
                                 vo_rt_message *message) {
    if (!out) return vo_rt_fail(message, VO_BAD_ARGUMENT, "out is NULL; set it to a pointer");
    *out = NULL;
    if (!vo_rt_is_allocator(allocator) || !asset || !def)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is NULL or incomplete; set it",
                          !asset ? "asset"
                          : !def ? "def"
                                 : "allocator");
    vo_result result = vo_rt_check_detail_def(asset, def, message);
    if (result != VO_OK) return result;
    vo_rt_detail_build build = {.asset = asset, .def = def, .scratch = {.allocator = allocator}};
    result = build_mesh(&build)
                 ? vo_rt_build_operators(&build, message)
                 : vo_rt_fail(message, VO_NO_MEMORY, "no memory for the detail mesh");
    if (result == VO_OK) result = write_asset(allocator, &build, out, message);
    vo_rt_scratch_free(&build.scratch);
    return result;
}
