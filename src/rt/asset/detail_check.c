/* Validation of every element of the detail mesh of a loaded asset. After it, no code checks an
 * index or a number of the detail mesh again. */
#include "rt/asset/asset_private.h"
#include "rt/base/half.h"

static bool in_range(float x, float low, float high) { return x >= low && x <= high; }
static bool is_index(int64_t i, int64_t count) { return i >= 0 && i < count; }

/* Rows in CSR form with at least `least` elements each; `count` elements in all. */
static int find_invalid_row(const int32_t *first, int rows, int least, int64_t count) {
    if (first[0] != 0) return 0;
    for (int i = 0; i < rows; i++)
        if (first[i + 1] < 0 || (int64_t)first[i] + least > first[i + 1]) return i + 1;
    return first[rows] == count ? -1 : rows;
}

static vo_result check_base(const vo_rt_asset *asset, uint32_t entries, vo_rt_message *message) {
    const vo_rt_asset_detail *d = &asset->detail;
    int row = find_invalid_row(d->base_first, d->node_count, 1, entries);
    if (row >= 0)
        return vo_rt_fail_element(VO_RT_SECTION_DETAIL_FIRST, row, "is out of order", message);
    for (int i = 0; i < d->node_count; i++) {
        double sum = 0;
        for (int k = d->base_first[i]; k < d->base_first[i + 1]; k++) {
            if (!is_index(d->base_column[k], asset->vertex_count))
                return vo_rt_fail_element(VO_RT_SECTION_DETAIL_COLUMN, k, "is out of range",
                                          message);
            if (!in_range(d->base_weight[k], -1e3f, 1e3f))
                return vo_rt_fail_element(VO_RT_SECTION_DETAIL_WEIGHT, k, "is out of range",
                                          message);
            sum += (double)d->base_weight[k];
        }
        if (!(fabs(sum - 1) <= VO_RT_ROW_SUM_TOLERANCE))
            return vo_rt_fail_element(VO_RT_SECTION_DETAIL_WEIGHT, d->base_first[i],
                                      "begins a row that does not sum to 1", message);
    }
    return VO_OK;
}

static vo_result check_topology(const vo_rt_asset_detail *d, vo_rt_message *message) {
    const float extent = VO_RT_MAX_EXTENT;
    for (int i = 0; i < d->vertex_count; i++) {
        if (!is_index(d->node[i], d->node_count))
            return vo_rt_fail_element(VO_RT_SECTION_DETAIL_NODE, i, "is out of range", message);
        if (!in_range(d->uv[i].x, -extent, extent) || !in_range(d->uv[i].y, -extent, extent))
            return vo_rt_fail_element(VO_RT_SECTION_DETAIL_UV, i, "is out of range", message);
    }
    for (int i = 0; i < 3 * d->triangle_count; i++)
        if (!is_index(d->triangle[i], d->vertex_count))
            return vo_rt_fail_element(VO_RT_SECTION_DETAIL_TRIANGLE, i, "is out of range", message);
    return VO_OK;
}

static bool is_skin_valid(const vo_rt_asset *asset, const vo_rt_detail_skin *s) {
    const float extent = VO_RT_MAX_EXTENT;
    float sum = 0;
    for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) {
        if (!is_index(s->bone[k], asset->bone_count > 0 ? asset->bone_count : 1) ||
            !in_range(s->bone_weight[k], 0, 1.001f))
            return false;
        sum += s->bone_weight[k];
    }
    return is_index(s->node, asset->detail.node_count) &&
           is_index(s->anchor, asset->vertex_count) && in_range(s->weight, 0, 1) &&
           in_range(s->position.x, -extent, extent) && in_range(s->position.y, -extent, extent) &&
           in_range(s->position.z, -extent, extent) && in_range(sum, 0.999f, 1.001f);
}

static vo_result check_skin(const vo_rt_asset *asset, vo_rt_message *message) {
    const vo_rt_asset_detail *d = &asset->detail;
    for (int i = 0; i < d->skin_count; i++)
        if (!is_skin_valid(asset, &d->skin[i]) || (i > 0 && d->skin[i].node <= d->skin[i - 1].node))
            return vo_rt_fail_element(VO_RT_SECTION_DETAIL_SKIN, i, "is out of range", message);
    return VO_OK;
}

/* --- Operators ------------------------------------------------------------------------------ */

/* True if an array of the data is inside it and aligned. */
static bool fits(uint32_t begin, uint64_t count, uint32_t total) {
    return begin % VO_RT_STRIP == 0 && begin <= total && count <= total - begin;
}

static bool are_modes_valid(const vo_rt_asset_detail *d, const vo_rt_operator_record *r) {
    uint64_t strips = vo_rt_strips(d->node_count), modes = (uint64_t)r->mode_count;
    if (r->mode_count == 0) return true;
    if (!fits(r->modes, VO_RT_STRIP * (1 + 2 * strips * modes), d->number_count)) return false;
    for (int k = 0; k < r->mode_count; k++)
        if (!in_range(d->number[r->modes + (uint32_t)k], 1e-6f, 1e4f)) return false;
    return true;
}

static bool is_sparse_valid(const vo_rt_asset_detail *d, const vo_rt_operator_record *r,
                            int columns) {
    if (!fits(r->indices, (uint64_t)d->node_count + 1, d->index_count)) return false;
    const int32_t *first = d->index + r->indices;
    int32_t entries = first[d->node_count];
    if (entries < 0 || find_invalid_row(first, d->node_count, 0, entries) >= 0 ||
        !fits(r->numbers, (uint64_t)entries, d->number_count) ||
        !fits(r->columns, (uint64_t)entries, d->column_count))
        return false;
    for (int32_t k = 0; k < entries; k++)
        if (d->column[r->columns + (uint32_t)k] >= columns) return false;
    return true;
}

static bool is_data_valid(const vo_rt_asset *asset, const vo_rt_operator_record *r) {
    const vo_rt_asset_detail *d = &asset->detail;
    int columns = asset->vertex_count * (1 + r->history);
    uint64_t strips = vo_rt_strips(d->node_count), width = (uint64_t)columns * VO_RT_STRIP;
    if (r->form == VO_RT_OPERATOR_SPARSE) return is_sparse_valid(d, r, columns);
    if (r->form == VO_RT_OPERATOR_DENSE) return fits(r->numbers, strips * width, d->number_count);
    uint64_t rank = (uint64_t)r->rank;
    return r->rank >= 1 && r->rank <= columns &&
           fits(r->numbers, vo_rt_strips(r->rank) * width, d->number_count) &&
           fits(r->halves, strips * rank * VO_RT_STRIP, d->half_count);
}

static bool is_operator_valid(const vo_rt_asset *asset, const vo_rt_operator_record *r) {
    const float most = VO_RT_MAX_EXTENT;
    return r->form >= VO_RT_OPERATOR_DENSE && r->form <= VO_RT_OPERATOR_SPARSE && r->history >= 0 &&
           r->history <= VO_RT_MAX_OPERATOR_HISTORY && r->mode_count >= 0 &&
           r->mode_count <= VO_RT_MAX_OPERATOR_MODES && in_range(r->history_s, 1e-4f, 10) &&
           in_range(r->mode_wind, 0, most) && in_range(r->motion.travel, 0, most) &&
           in_range(r->motion.deformation, 0, most) && in_range(r->motion.wind, 0, most) &&
           (int64_t)asset->vertex_count * (1 + r->history) <= VO_RT_MAX_OPERATOR_COLUMNS &&
           is_data_valid(asset, r) && are_modes_valid(&asset->detail, r);
}

static vo_result check_numbers(const vo_rt_asset_detail *d, vo_rt_message *message) {
    const float most = 2 * VO_RT_MAX_OPERATOR_NUMBER * VO_RT_MAX_OPERATOR_NUMBER;
    for (uint32_t i = 0; i < d->number_count; i++)
        if (!in_range(d->number[i], -most, most))
            return vo_rt_fail_element(VO_RT_SECTION_OPERATOR_NUMBER, (int)i, "is out of range",
                                      message);
    for (uint32_t i = 0; i < d->half_count; i++)
        if (!vo_rt_half_is_finite(d->half[i]))
            return vo_rt_fail_element(VO_RT_SECTION_OPERATOR_HALF, (int)i, "is not finite",
                                      message);
    return VO_OK;
}

/* Operators that read earlier frames share their samples. */
static bool share_history(const vo_rt_asset_detail *d, int index) {
    const vo_rt_operator_record *r = &d->operators[index];
    for (int k = 0; k < index; k++)
        if (r->history > 0 && d->operators[k].history > 0 &&
            d->operators[k].history_s != r->history_s)
            return false;
    return true;
}

vo_result vo_rt_check_detail(const vo_rt_asset *asset, vo_rt_message *message) {
    const vo_rt_asset_detail *d = &asset->detail;
    if (d->node_count == 0) return VO_OK;
    if (asset->vertex_count > VO_RT_MAX_OPERATOR_COLUMNS)
        return vo_rt_fail_element(VO_RT_SECTION_DETAIL_FIRST, 0, "belongs to too large a base mesh",
                                  message);
    vo_result result = check_base(asset, d->base_count, message);
    if (result == VO_OK) result = check_topology(d, message);
    if (result == VO_OK) result = check_skin(asset, message);
    if (result == VO_OK) result = check_numbers(d, message);
    for (int k = 0; k < d->operator_count && result == VO_OK; k++)
        if (!is_operator_valid(asset, &d->operators[k]) || !share_history(d, k))
            result = vo_rt_fail_element(VO_RT_SECTION_OPERATOR, k, "or its data are out of range",
                                        message);
    return result;
}
