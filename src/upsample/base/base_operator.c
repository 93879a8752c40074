/* Barycentric and mean base operators, and the choice between them. */
#include "upsample/base/base_operator.h"

#include "core/memory.h"
#include "upsample/base/loop.h"
#include "upsample/base/surface_location.h"
#include "upsample/rounding.h"

#include <string.h>

/* ---- sparse rows ---------------------------------------------------------------------------- */

void vo_sparse_rows_free(vo_sparse_rows *r) {
    vo_free_array(r->ctx, r->first, r->row_capacity);
    vo_free_array(r->ctx, r->column, r->entry_capacity);
    vo_free_array(r->ctx, r->weight, r->entry_capacity);
    *r = (vo_sparse_rows){.ctx = r->ctx};
}

/* The two arrays of entries have one capacity. */
static bool reserve_entries(vo_sparse_rows *r, int need) {
    int columns = r->entry_capacity, weights = r->entry_capacity;
    if (!vo_reserve(r->ctx, &r->column, &columns, need)) return false;
    if (!vo_reserve(r->ctx, &r->weight, &weights, need)) {
        vo_free_array(r->ctx, r->column, columns);
        vo_free_array(r->ctx, r->weight, weights);
        r->column = NULL, r->weight = NULL, r->entry_capacity = 0;
        return false;
    }
    r->entry_capacity = columns;
    return true;
}

bool vo_sparse_rows_append(vo_sparse_rows *r, int count, const int *column, const double *weight) {
    if (!vo_reserve(r->ctx, &r->first, &r->row_capacity, r->row_count + 2)) return false;
    if (!reserve_entries(r, r->entry_count + count)) return false;
    memcpy(r->column + r->entry_count, column, (size_t)count * sizeof *column);
    memcpy(r->weight + r->entry_count, weight, (size_t)count * sizeof *weight);
    r->entry_count += count;
    r->first[++r->row_count] = r->entry_count;
    return true;
}

/* ---- operators ------------------------------------------------------------------------------ */

/* Appends a row of three weights, in ascending order of columns and without zeros. */
static bool append_location(vo_sparse_rows *r, const int32_t *corner, const double weight[3]) {
    int column[3], count = 0;
    double sorted[3];
    for (int k = 0; k < 3; k++) {
        if (weight[k] == 0) continue;
        int at = count++;
        for (; at > 0 && column[at - 1] > corner[k]; at--)
            column[at] = column[at - 1], sorted[at] = sorted[at - 1];
        column[at] = corner[k], sorted[at] = weight[k];
    }
    return vo_sparse_rows_append(r, count, column, sorted);
}

static bool append_barycentric(const vo_upsample_mesh *coarse, const vo_upsample_location *location,
                               int count, vo_sparse_rows *out) {
    for (int i = 0; i < count; i++) {
        const vo_upsample_location *l = &location[i];
        if (!append_location(out, coarse->triangle + 3 * l->triangle, l->weight)) return false;
    }
    return true;
}

static vo_result append_mean(const vo_upsample_mesh *coarse, int rows, vo_sparse_rows *out) {
    int m = coarse->vertex_count, *column = vo_new_array(out->ctx, int, m);
    double *weight = vo_new_array(out->ctx, double, m);
    bool ok = column && weight;
    for (int k = 0; ok && k < m; k++) column[k] = k, weight[k] = 1.0 / m;
    for (int i = 0; ok && i < rows; i++) ok = vo_sparse_rows_append(out, m, column, weight);
    vo_free_array(out->ctx, column, m);
    vo_free_array(out->ctx, weight, m);
    return ok ? VO_OK : vo_fail_memory(out->ctx, "a base operator");
}

static vo_result append_located(const vo_upsample_mesh *coarse, const vo_upsample_mesh *fine,
                                vo_upsample_base kind, vo_sparse_rows *out) {
    vo_context *ctx = out->ctx;
    vo_upsample_location *location = vo_new_array(ctx, vo_upsample_location, fine->vertex_count);
    if (!location) return vo_fail_memory(ctx, "a base operator");
    vo_result result = vo_upsample_locate(ctx, coarse, fine, location);
    if (result == VO_OK && kind == VO_UPSAMPLE_LOOP)
        result = vo_loop_append(coarse, fine, location, out);
    else if (result == VO_OK && !append_barycentric(coarse, location, fine->vertex_count, out))
        result = vo_fail_memory(ctx, "a base operator");
    vo_free_array(ctx, location, fine->vertex_count);
    return result;
}

vo_result vo_base_operator_create(vo_context *ctx, const vo_upsample_mesh *coarse,
                                  const vo_upsample_mesh *fine, vo_upsample_base kind,
                                  vo_sparse_rows *out) {
    *out = (vo_sparse_rows){.ctx = ctx};
    vo_result result = kind == VO_UPSAMPLE_MEAN ? append_mean(coarse, fine->vertex_count, out)
                                                : append_located(coarse, fine, kind, out);
    if (result != VO_OK) vo_sparse_rows_free(out);
    return result;
}

void vo_base_operator_store(const vo_sparse_rows *r, vo_upsample_operator *op) {
    memcpy(op->base_first, r->first, ((size_t)r->row_count + 1) * sizeof *r->first);
    memcpy(op->base_column, r->column, (size_t)r->entry_count * sizeof *r->column);
    for (int i = 0; i < r->row_count; i++)
        vo_round_row(r->first[i + 1] - r->first[i], r->weight + r->first[i], 1,
                     op->base_weight + r->first[i]);
}
