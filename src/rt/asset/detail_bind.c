/* Connects the detail mesh of an asset with the sections of its block. */
#include "rt/asset/asset_private.h"

static vo_result fail_count(vo_rt_section section, uint32_t count, vo_rt_message *message) {
    return vo_rt_fail(message, VO_BAD_DATA,
                      "section %s: %u elements, which contradicts the other sections or exceeds "
                      "the limit; create the file again",
                      vo_rt_section_tag(section), count);
}

static vo_result check_counts(const vo_rt_section_view *view, uint32_t nodes,
                              vo_rt_message *message) {
    uint32_t entries = view[VO_RT_SECTION_DETAIL_COLUMN].count;
    uint32_t vertices = view[VO_RT_SECTION_DETAIL_NODE].count;
    const struct {
        vo_rt_section section;
        uint32_t low, high;
    } rules[] = {
        {VO_RT_SECTION_DETAIL_FIRST, nodes ? 4 : 0, nodes ? VO_RT_MAX_DETAIL_NODES + 1 : 0},
        {VO_RT_SECTION_DETAIL_COLUMN, nodes, nodes ? VO_RT_MAX_OPERATOR_NUMBERS : 0},
        {VO_RT_SECTION_DETAIL_WEIGHT, entries, entries},
        {VO_RT_SECTION_DETAIL_NODE, nodes, nodes ? VO_RT_MAX_DETAIL_VERTICES : 0},
        {VO_RT_SECTION_DETAIL_UV, vertices, vertices},
        {VO_RT_SECTION_DETAIL_TRIANGLE, nodes ? 3 : 0, nodes ? 3 * VO_RT_MAX_DETAIL_TRIANGLES : 0},
        {VO_RT_SECTION_DETAIL_SKIN, 0, nodes},
        {VO_RT_SECTION_OPERATOR, 0, nodes ? VO_RT_MAX_OPERATORS : 0},
        {VO_RT_SECTION_OPERATOR_NUMBER, 0, nodes ? VO_RT_MAX_OPERATOR_NUMBERS : 0},
        {VO_RT_SECTION_OPERATOR_HALF, 0, nodes ? VO_RT_MAX_OPERATOR_NUMBERS : 0},
        {VO_RT_SECTION_OPERATOR_INDEX, 0, nodes ? VO_RT_MAX_OPERATOR_NUMBERS : 0},
        {VO_RT_SECTION_OPERATOR_COLUMN, 0, nodes ? VO_RT_MAX_OPERATOR_NUMBERS : 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        uint32_t count = view[rules[i].section].count;
        if (count < rules[i].low || count > rules[i].high)
            return fail_count(rules[i].section, count, message);
    }
    uint32_t corners = view[VO_RT_SECTION_DETAIL_TRIANGLE].count;
    return corners % 3 == 0 ? VO_OK : fail_count(VO_RT_SECTION_DETAIL_TRIANGLE, corners, message);
}

vo_result vo_rt_bind_detail(vo_rt_asset *asset, const vo_rt_section_view *view,
                            vo_rt_message *message) {
    uint32_t firsts = view[VO_RT_SECTION_DETAIL_FIRST].count, nodes = firsts > 0 ? firsts - 1 : 0;
    vo_result result = check_counts(view, nodes, message);
    if (result != VO_OK || nodes == 0) return result;
    asset->detail =
        (vo_rt_asset_detail){.node_count = (int)nodes,
                             .vertex_count = (int)view[VO_RT_SECTION_DETAIL_NODE].count,
                             .triangle_count = (int)view[VO_RT_SECTION_DETAIL_TRIANGLE].count / 3,
                             .skin_count = (int)view[VO_RT_SECTION_DETAIL_SKIN].count,
                             .operator_count = (int)view[VO_RT_SECTION_OPERATOR].count,
                             .base_first = view[VO_RT_SECTION_DETAIL_FIRST].data,
                             .base_column = view[VO_RT_SECTION_DETAIL_COLUMN].data,
                             .base_weight = view[VO_RT_SECTION_DETAIL_WEIGHT].data,
                             .node = view[VO_RT_SECTION_DETAIL_NODE].data,
                             .uv = view[VO_RT_SECTION_DETAIL_UV].data,
                             .triangle = view[VO_RT_SECTION_DETAIL_TRIANGLE].data,
                             .skin = view[VO_RT_SECTION_DETAIL_SKIN].data,
                             .operators = view[VO_RT_SECTION_OPERATOR].data,
                             .number = view[VO_RT_SECTION_OPERATOR_NUMBER].data,
                             .half = view[VO_RT_SECTION_OPERATOR_HALF].data,
                             .index = view[VO_RT_SECTION_OPERATOR_INDEX].data,
                             .column = view[VO_RT_SECTION_OPERATOR_COLUMN].data,
                             .base_count = view[VO_RT_SECTION_DETAIL_COLUMN].count,
                             .number_count = view[VO_RT_SECTION_OPERATOR_NUMBER].count,
                             .half_count = view[VO_RT_SECTION_OPERATOR_HALF].count,
                             .index_count = view[VO_RT_SECTION_OPERATOR_INDEX].count,
                             .column_count = view[VO_RT_SECTION_OPERATOR_COLUMN].count};
    return VO_OK;
}

size_t vo_rt_asset_detail_bytes(const vo_rt_asset *asset) {
    const vo_rt_asset_detail *d = &asset->detail;
    if (d->node_count == 0) return 0;
    return ((size_t)d->node_count + 1) * sizeof(int32_t) +
           d->base_count * (sizeof(uint16_t) + sizeof(float)) + d->number_count * sizeof(float) +
           d->half_count * sizeof(uint16_t) + d->index_count * sizeof(int32_t) +
           d->column_count * sizeof(uint16_t);
}
