#include "linalg/ranges.h"

#include "core/memory.h"
#include "core/parallel.h"

enum { B = VO_PACKED };

/* ---- symbolic ------------------------------------------------------------------------------- */

static int half_begin(int row) { return row / VO_HALF * VO_HALF; }

/* Where the blocks that a row shares with its own half range begin and end; counts. */
static void find_rows(vo_ranges *g) {
    const vo_block_pattern *p = g->pattern;
    for (int i = 0; i < p->row_count; i++) {
        int begin = half_begin(i), k = p->row_start[i], end = p->row_start[i + 1];
        while (p->column[k] < begin) k++;
        g->first[i] = k;
        for (k = p->diagonal[i]; k < end && p->column[k] - begin < VO_HALF;) k++;
        g->last[i] = k;
        g->upper_start[i] = g->upper_count;
        g->cross_start[i] = g->cross_count;
        g->upper_count += k - p->diagonal[i] - 1;
        g->cross_count += end - p->row_start[i] - (k - g->first[i]);
    }
    g->upper_start[p->row_count] = g->lower_start[p->row_count] = g->upper_count;
    g->cross_start[p->row_count] = g->cross_count;
}

/* The rows that have blocks between half ranges, range by range. */
static void list_borders(vo_ranges *g) {
    int rows = g->pattern->row_count, count = 0;
    for (int i = 0; i < rows; i++) {
        if (i % VO_RANGE == 0) g->border_start[i / VO_RANGE] = count;
        if (g->cross_start[i] < g->cross_start[i + 1]) g->border[count++] = i;
    }
    g->border_start[vo_chunk_count(rows, VO_RANGE)] = count;
}

static void list_columns(vo_ranges *g) {
    const vo_block_pattern *p = g->pattern;
    for (int i = 0, upper = 0, cross = 0; i < p->row_count; i++)
        for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            bool within = k >= g->first[i] && k < g->last[i];
            if (!within)
                g->cross_column[cross++] = p->column[k];
            else if (k > p->diagonal[i])
                g->upper_at[upper++] = (unsigned char)(p->column[k] - half_begin(i));
        }
}

/* The blocks below the diagonal of row i are the transposes of those in column i; which entries of
 * the rows above these are follows from the mirror. Up to the end of a half range there are as many
 * entries below the diagonal as above it. */
static void list_lower(vo_ranges *g) {
    const vo_block_pattern *p = g->pattern;
    for (int i = 0, count = 0; i < p->row_count; i++) {
        g->lower_start[i] = count;
        int base = g->lower_start[half_begin(i)];
        for (int k = g->first[i]; k < p->diagonal[i]; k++, count++) {
            int j = p->column[k];
            int entry = g->upper_start[j] + p->mirror[k] - p->diagonal[j] - 1;
            g->lower_at[count] = (unsigned char)(j - half_begin(i));
            g->upper_block[entry] = (unsigned short)(count - base);
        }
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t packed_floats(int count) { return (size_t)count * B + VO_PACKED_MORE; }

/* With room for the last row's loads of four. */
static size_t root_floats(const vo_ranges *g) {
    return (size_t)g->pattern->row_count * VO_ROOT + VO_PACKED_MORE;
}
static size_t scale_floats(const vo_ranges *g) {
    return (size_t)g->pattern->row_count * VO_SCALE + 1;
}
static size_t range_starts(const vo_ranges *g) {
    return (size_t)vo_chunk_count(g->pattern->row_count, VO_RANGE) + 1;
}

static bool allocate_rows(vo_ranges *g) {
    size_t n = (size_t)g->pattern->row_count + 1;
    g->first = vo_new_array(g->ctx, int, n);
    g->last = vo_new_array(g->ctx, int, n);
    g->upper_start = vo_new_array(g->ctx, int, n);
    g->lower_start = vo_new_array(g->ctx, int, n);
    g->cross_start = vo_new_array(g->ctx, int, n);
    g->root = vo_alloc_zero(g->ctx, root_floats(g) * sizeof(float));
    g->inverse = vo_alloc_zero(g->ctx, scale_floats(g) * sizeof(float));
    g->border = vo_new_array(g->ctx, int, n);
    g->border_start = vo_new_array(g->ctx, int, range_starts(g));
    return g->first && g->last && g->upper_start && g->lower_start && g->cross_start && g->root &&
           g->inverse && g->border && g->border_start;
}

static bool allocate_blocks(vo_ranges *g) {
    g->upper_at = vo_alloc(g->ctx, (size_t)g->upper_count + 1);
    g->lower_at = vo_alloc(g->ctx, (size_t)g->upper_count + 1);
    g->upper_block = vo_new_array(g->ctx, unsigned short, (size_t)g->upper_count + 1);
    g->cross_column = vo_new_array(g->ctx, int, (size_t)g->cross_count + 1);
    g->upper = vo_alloc_zero(g->ctx, packed_floats(g->upper_count) * sizeof(float));
    g->cross = vo_alloc_zero(g->ctx, packed_floats(g->cross_count) * sizeof(float));
    return g->upper_at && g->lower_at && g->upper_block && g->cross_column && g->upper && g->cross;
}

vo_result vo_ranges_init(vo_context *ctx, const vo_block_pattern *pattern, vo_ranges *out) {
    *out = (vo_ranges){.ctx = ctx, .pattern = pattern};
    bool all = allocate_rows(out);
    if (all) find_rows(out);
    all = all && allocate_blocks(out);
    if (!all) {
        vo_ranges_free(out);
        return vo_fail_memory(ctx, "a linear solver");
    }
    list_borders(out);
    list_columns(out);
    list_lower(out);
    return VO_OK;
}

void vo_ranges_free(vo_ranges *g) {
    if (!g->ctx) return;
    size_t n = (size_t)g->pattern->row_count + 1;
    vo_free_array(g->ctx, g->first, n);
    vo_free_array(g->ctx, g->last, n);
    vo_free_array(g->ctx, g->upper_start, n);
    vo_free_array(g->ctx, g->lower_start, n);
    vo_free_array(g->ctx, g->cross_start, n);
    vo_free_array(g->ctx, g->root, root_floats(g));
    vo_free_array(g->ctx, g->inverse, scale_floats(g));
    vo_free_array(g->ctx, g->border, n);
    vo_free_array(g->ctx, g->border_start, range_starts(g));
    vo_free(g->ctx, g->upper_at, (size_t)g->upper_count + 1);
    vo_free(g->ctx, g->lower_at, (size_t)g->upper_count + 1);
    vo_free_array(g->ctx, g->upper_block, (size_t)g->upper_count + 1);
    vo_free_array(g->ctx, g->cross_column, (size_t)g->cross_count + 1);
    vo_free_array(g->ctx, g->upper, packed_floats(g->upper_count));
    vo_free_array(g->ctx, g->cross, packed_floats(g->cross_count));
    *g = (vo_ranges){0};
}
