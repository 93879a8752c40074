#include "linalg/couplings.h"

#include "core/memory.h"

#include <limits.h>
#include <string.h>

enum { B = VO_BLOCK_FLOATS };

void vo_couplings_begin(vo_couplings *c, int row_count) {
    c->row_count = row_count;
    c->pair_count = c->block_count = 0;
}

static vo_result fail_memory(vo_context *ctx) { return vo_fail_memory(ctx, "contact couplings"); }

vo_result vo_couplings_add(vo_context *ctx, vo_couplings *c, int row_a, int row_b,
                           const float block[VO_BLOCK_FLOATS]) {
    if (row_a < 0 || row_b < 0 || row_a >= c->row_count || row_b >= c->row_count || row_a == row_b)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "coupling of rows %d and %d of %d", row_a, row_b,
                       c->row_count);
    if (c->pair_count >= INT_MAX / (2 * B))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "more than %d couplings", c->pair_count);
    if (!vo_reserve(ctx, &c->pair, &c->pair_capacity, c->pair_count + 1)) return fail_memory(ctx);
    vo_coupling *pair = &c->pair[c->pair_count++];
    pair->row[0] = row_a;
    pair->row[1] = row_b;
    memcpy(pair->block, block, sizeof pair->block);
    return VO_OK;
}

/* ---- sorting -------------------------------------------------------------------------------- */

/* An item is a pair from the perspective of one of its rows: item 2 k + side is block (row[side],
 * row[!side]) of pair k. */
static int item_row(const vo_couplings *c, int item) { return c->pair[item / 2].row[item % 2]; }
static int item_column(const vo_couplings *c, int item) {
    return c->pair[item / 2].row[1 - item % 2];
}

/* Computes start[i], the start of the items of row i. Both perspectives are counted, so the same
 * values serve rows and columns. */
static void count_items(const vo_couplings *c, int *start) {
    memset(start, 0, ((size_t)c->row_count + 1) * sizeof *start);
    for (int k = 0; k < c->pair_count; k++) {
        start[c->pair[k].row[0]]++;
        start[c->pair[k].row[1]]++;
    }
    for (int i = 0, sum = 0; i <= c->row_count; i++) {
        int count = start[i];
        start[i] = sum;
        sum += count;
    }
}

/* Restores start[] after scattering, which advanced each entry to the next one. */
static void rewind_starts(const vo_couplings *c, int *start) {
    memmove(start + 1, start, (size_t)c->row_count * sizeof *start);
    start[0] = 0;
}

/* Radix sort by column, then by row: the items of a row are in ascending column order, repeats in
 * the order of addition. */
static void sort_items(const vo_couplings *c, int *by_column, int *by_row) {
    int count = 2 * c->pair_count, *start = c->row_start;
    count_items(c, start);
    for (int item = 0; item < count; item++) by_column[start[item_column(c, item)]++] = item;
    rewind_starts(c, start);
    for (int k = 0; k < count; k++) by_row[start[item_row(c, by_column[k])]++] = by_column[k];
    rewind_starts(c, start);
}

/* ---- CSR rows ------------------------------------------------------------------------------- */

/* Adds an item's block, transposed for the perspective of the second row. */
static void add_item(const vo_couplings *c, int item, float *to) {
    const float *from = c->pair[item / 2].block;
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++)
            to[4 * column + row] += item % 2 ? from[4 * row + column] : from[4 * column + row];
}

/* Writes the rows; items of the same row and column share a block. */
static void pack_items(vo_couplings *c, const int *by_row) {
    int count = 0;
    for (int i = 0; i < c->row_count; i++) {
        int k = c->row_start[i], end = c->row_start[i + 1], first = count;
        c->row_start[i] = first;
        for (; k < end; k++) {
            int column = item_column(c, by_row[k]);
            if (count == first || c->column[count - 1] != column) {
                c->column[count] = column;
                memset(c->block + (size_t)count++ * B, 0, B * sizeof(float));
            }
            add_item(c, by_row[k], c->block + (size_t)(count - 1) * B);
        }
    }
    c->row_start[c->row_count] = c->block_count = count;
}

vo_result vo_couplings_finish(vo_context *ctx, vo_couplings *c) {
    c->block_count = 0;
    if (c->pair_count == 0) return VO_OK;
    int items = 2 * c->pair_count;
    if (!vo_reserve(ctx, &c->row_start, &c->row_capacity, c->row_count + 1) ||
        !vo_reserve(ctx, &c->column, &c->column_capacity, items) ||
        !vo_reserve(ctx, &c->block, &c->block_capacity, items * B) ||
        !vo_reserve(ctx, &c->order, &c->order_capacity, 2 * items))
        return fail_memory(ctx);
    sort_items(c, c->order, c->order + items);
    pack_items(c, c->order + items);
    return VO_OK;
}

void vo_couplings_free(vo_context *ctx, vo_couplings *c) {
    vo_free_array(ctx, c->row_start, c->row_capacity);
    vo_free_array(ctx, c->column, c->column_capacity);
    vo_free_array(ctx, c->block, c->block_capacity);
    vo_free_array(ctx, c->order, c->order_capacity);
    vo_free_array(ctx, c->pair, c->pair_capacity);
    *c = (vo_couplings){0};
}

/* ---- merged matrix -------------------------------------------------------------------------- */

/* Lists the pairs of rows of both matrices from their upper triangles; returns their number. */
static int list_pairs(const vo_couplings *c, const vo_block_pattern *a, int (*pairs)[2]) {
    int count = 0;
    for (int i = 0; i < a->row_count; i++) {
        for (int k = a->diagonal[i] + 1; k < a->row_start[i + 1]; k++, count++)
            pairs[count][0] = i, pairs[count][1] = a->column[k];
        if (c->block_count == 0) continue;
        for (int k = c->row_start[i]; k < c->row_start[i + 1]; k++)
            if (c->column[k] > i) pairs[count][0] = i, pairs[count++][1] = c->column[k];
    }
    return count;
}

/* Adds rows of blocks to the merged matrix. */
static void add_rows(const int *row_start, const int *column, const float *block,
                     vo_block_matrix *to) {
    for (int i = 0; i < to->pattern->row_count; i++)
        for (int k = row_start[i]; k < row_start[i + 1]; k++) {
            int at = vo_block_pattern_find(to->pattern, i, column[k]);
            for (int e = 0; e < B; e++)
                to->block[(size_t)at * B + (size_t)e] += block[(size_t)k * B + (size_t)e];
        }
}

static vo_result merge_patterns(vo_context *ctx, const vo_couplings *c, const vo_block_pattern *a,
                                vo_block_pattern *out) {
    size_t max_pairs = ((size_t)a->block_count + (size_t)c->block_count) / 2 + 1;
    int(*pairs)[2] = vo_alloc(ctx, vo_array_bytes(max_pairs, sizeof *pairs));
    if (!pairs) return fail_memory(ctx);
    int count = list_pairs(c, a, pairs);
    vo_result result =
        vo_block_pattern_build(ctx, a->row_count, count, (const int(*)[2])pairs, out);
    vo_free(ctx, pairs, max_pairs * sizeof *pairs);
    return result;
}

vo_result vo_couplings_merge(vo_context *ctx, const vo_couplings *c, const vo_block_matrix *a,
                             vo_block_pattern *pattern, vo_block_matrix *merged) {
    VO_TRY(merge_patterns(ctx, c, a->pattern, pattern));
    vo_result result = vo_block_matrix_init(ctx, pattern, merged);
    if (result != VO_OK) {
        vo_block_pattern_free(pattern);
        return result;
    }
    add_rows(a->pattern->row_start, a->pattern->column, a->block, merged);
    if (c->block_count > 0) add_rows(c->row_start, c->column, c->block, merged);
    return VO_OK;
}
