/* Connects the arrays of an asset with the sections of its block. */
#include "rt/asset/asset_private.h"

static vo_result fail_count(vo_rt_section section, uint32_t count, vo_rt_message *message) {
    return vo_rt_fail(
        message, VO_BAD_DATA,
        "section %s: %u elements, which contradicts the other sections or exceeds the "
        "limit; create the file again",
        vo_rt_section_tag(section), count);
}

/* Number of elements of a section, from `low` to `high`. */
typedef struct count_rule {
    vo_rt_section section;
    uint32_t low, high;
} count_rule;

/* Colours of the levels that this library stores. */
static uint32_t count_colours(uint32_t triangles, int max_level) {
    if (triangles > VO_RT_MAX_BASE_TRIANGLES) return 0;
    int levels = vo_rt_coloured_levels((int)triangles, max_level);
    return (uint32_t)vo_rt_colour_offset((int)triangles, levels + 1);
}

static vo_result check_counts(const vo_rt_section_view *view, const vo_rt_block_info *info,
                              vo_rt_message *message) {
    uint32_t vertices = view[VO_RT_SECTION_POSITION].count;
    uint32_t outputs = view[VO_RT_SECTION_RENDER_VERTEX].count;
    uint32_t triangles = view[VO_RT_SECTION_TRIANGLE].count;
    uint32_t bones = info->bone_count > 0 ? VO_RT_BONES_PER_VERTEX * vertices : 0;
    uint32_t colours =
        view[VO_RT_SECTION_COLOUR].count > 0 ? count_colours(triangles, info->max_level) : 0;
    uint32_t points = view[VO_RT_SECTION_FINE].count > 0
                          ? triangles * (uint32_t)vo_rt_fine_points(info->max_level)
                          : 0;
    const count_rule rules[] = {
        {VO_RT_SECTION_POSITION, 3, VO_RT_MAX_BASE_VERTICES},
        {VO_RT_SECTION_TRIANGLE, 1, VO_RT_MAX_BASE_TRIANGLES},
        {VO_RT_SECTION_EDGE, 3, 3 * triangles},
        {VO_RT_SECTION_MAPS, vertices, vertices},
        {VO_RT_SECTION_STIFFNESS, vertices, vertices},
        {VO_RT_SECTION_TETHER, 0, VO_RT_MAX_TETHERS * vertices},
        {VO_RT_SECTION_LINK, 0, vertices},
        {VO_RT_SECTION_SKIN_BONE, bones, bones},
        {VO_RT_SECTION_SKIN_WEIGHT, bones, bones},
        {VO_RT_SECTION_RENDER_VERTEX, 1, VO_RT_MAX_RENDER_VERTICES},
        {VO_RT_SECTION_RENDER_TRIANGLE, 0, 3 * VO_RT_MAX_RENDER_TRIANGLES},
        {VO_RT_SECTION_RENDER_UV, outputs, outputs},
        {VO_RT_SECTION_COLOUR, colours, colours},
        {VO_RT_SECTION_FINE, points, points <= VO_RT_MAX_FINE_POINTS ? points : 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        uint32_t count = view[rules[i].section].count;
        if (count < rules[i].low || count > rules[i].high)
            return fail_count(rules[i].section, count, message);
    }
    if (view[VO_RT_SECTION_RENDER_TRIANGLE].count % 3 != 0)
        return fail_count(VO_RT_SECTION_RENDER_TRIANGLE, view[VO_RT_SECTION_RENDER_TRIANGLE].count,
                          message);
    return VO_OK;
}

static vo_result check_info(const vo_rt_section_view *view, vo_rt_message *message) {
    const vo_rt_block_info *info = view[VO_RT_SECTION_INFO].data;
    if (view[VO_RT_SECTION_INFO].count != 1)
        return fail_count(VO_RT_SECTION_INFO, view[VO_RT_SECTION_INFO].count, message);
    if (info->max_level < 0 || info->max_level > VO_RT_MAX_LEVEL || info->bone_count < 0 ||
        info->bone_count > VO_RT_MAX_BONES || info->output_is_refined_base < 0 ||
        info->output_is_refined_base > 1)
        return vo_rt_fail(
            message, VO_BAD_DATA,
            "section info: max_level is %d, bone_count %d, output_is_refined_base %d; "
            "at least one is out of range, so create the file again",
            (int)info->max_level, (int)info->bone_count, (int)info->output_is_refined_base);
    return vo_rt_check_fabric(&info->fabric, VO_BAD_DATA, "section info: fabric.", message);
}

static void bind_arrays(vo_rt_asset *asset, const vo_rt_section_view *view) {
    asset->position = view[VO_RT_SECTION_POSITION].data;
    asset->triangle = view[VO_RT_SECTION_TRIANGLE].data;
    asset->edge = view[VO_RT_SECTION_EDGE].data;
    asset->maps = view[VO_RT_SECTION_MAPS].data;
    asset->stiffness_factor = view[VO_RT_SECTION_STIFFNESS].data;
    asset->tether = view[VO_RT_SECTION_TETHER].data;
    asset->link = view[VO_RT_SECTION_LINK].data;
    asset->skin_bone = view[VO_RT_SECTION_SKIN_BONE].data;
    asset->skin_weight = view[VO_RT_SECTION_SKIN_WEIGHT].data;
    asset->render_vertex = view[VO_RT_SECTION_RENDER_VERTEX].data;
    asset->render_triangle = view[VO_RT_SECTION_RENDER_TRIANGLE].data;
    asset->render_uv = view[VO_RT_SECTION_RENDER_UV].data;
    asset->colour = view[VO_RT_SECTION_COLOUR].data;
    asset->fine = view[VO_RT_SECTION_FINE].count > 0 ? view[VO_RT_SECTION_FINE].data : NULL;
    asset->colour_count = (int)view[VO_RT_SECTION_COLOUR].count;
    asset->vertex_count = (int)view[VO_RT_SECTION_POSITION].count;
    asset->triangle_count = (int)view[VO_RT_SECTION_TRIANGLE].count;
    asset->edge_count = (int)view[VO_RT_SECTION_EDGE].count;
    asset->tether_count = (int)view[VO_RT_SECTION_TETHER].count;
    asset->link_count = (int)view[VO_RT_SECTION_LINK].count;
    asset->render_vertex_count = (int)view[VO_RT_SECTION_RENDER_VERTEX].count;
    asset->render_triangle_count = (int)view[VO_RT_SECTION_RENDER_TRIANGLE].count / 3;
}

vo_result vo_rt_asset_bind(vo_rt_asset *asset, const vo_rt_section_view view[VO_RT_SECTION_COUNT],
                           vo_rt_message *message) {
    vo_result result = check_info(view, message);
    if (result != VO_OK) return result;
    const vo_rt_block_info *info = view[VO_RT_SECTION_INFO].data;
    result = check_counts(view, info, message);
    if (result != VO_OK) return result;
    bind_arrays(asset, view);
    asset->max_level = info->max_level;
    asset->bone_count = info->bone_count;
    asset->output_is_refined_base = info->output_is_refined_base != 0;
    asset->fabric = info->fabric;
    return vo_rt_bind_detail(asset, view, message);
}

void vo_rt_corner_coordinates(const vo_rt_asset *asset, int triangle, vo_rt_vec2 out[3]) {
    const vo_rt_base_triangle *t = &asset->triangle[triangle];
    for (int i = 0; i < 3; i++) { /* the edge opposite corner i - 1 begins at corner i */
        const vo_rt_base_edge *edge = &asset->edge[t->edge[(i + 2) % 3]];
        int side = edge->triangle[0] == triangle && edge->vertex[0] == t->vertex[i] ? 0 : 1;
        out[i] = edge->coordinate[side][side];
    }
}

static bool is_seam(const vo_rt_base_edge *edge) {
    if (edge->triangle[1] < 0) return false;
    for (int k = 0; k < 2; k++)
        if (edge->coordinate[0][k].x != edge->coordinate[1][k].x ||
            edge->coordinate[0][k].y != edge->coordinate[1][k].y)
            return true;
    return false;
}

static double rest_area(const vo_rt_asset *asset, int triangle) {
    vo_rt_vec2 p[3];
    vo_rt_corner_coordinates(asset, triangle, p);
    return 0.5 * fabs((double)f2_cross(f2_sub(p[1], p[0]), f2_sub(p[2], p[0])));
}

void vo_rt_asset_measure(vo_rt_asset *asset) {
    double area = 0;
    for (int t = 0; t < asset->triangle_count; t++) area += rest_area(asset, t);
    asset->mass = (float)(area * asset->fabric.density);
    asset->min = asset->max = asset->position[0];
    asset->attached_count = asset->seam_edge_count = 0;
    for (int v = 0; v < asset->vertex_count; v++) {
        asset->min = f3_min(asset->min, asset->position[v]);
        asset->max = f3_max(asset->max, asset->position[v]);
        asset->attached_count += asset->maps[v].attachment >= 1;
    }
    for (int e = 0; e < asset->edge_count; e++) asset->seam_edge_count += is_seam(&asset->edge[e]);
    vo_rt_asset_count_colours(asset);
}
