#include "linalg/row_tiles.h"

#include "core/memory.h"
#include "core/parallel.h"

enum { B = VO_PACKED };

/* ---- symbolic ------------------------------------------------------------------------------- */

static int half_begin(int row) { return row / VO_HALF_TILE * VO_HALF_TILE; }

/* Finds the blocks of each row within its half tile, and counts. */
static void find_rows(vo_row_tiles *g) {
    const vo_block_pattern *p = g->pattern;
    for (int i = 0; i < p->row_count; i++) {
        int begin = half_begin(i), k = p->row_start[i], end = p->row_start[i + 1];
        while (p->column[k] < begin) k++;
        g->first[i] = k;
        for (k = p->diagonal[i]; k < end && p->column[k] - begin < VO_HALF_TILE;) k++;
        g->last[i] = k;
        g->upper_start[i] = g->upper_count;
        g->cross_start[i] = g->cross_count;
        g->upper_count += k - p->diagonal[i] - 1;
        g->cross_count += end - p->row_start[i] - (k - g->first[i]);
    }
    g->upper_start[p->row_count] = g->lower_start[p->row_count] = g->upper_count;
    g->cross_start[p->row_count] = g->cross_count;
}

/* Lists the rows with blocks between half tiles, tile by tile. */
static void list_boundaries(vo_row_tiles *g) {
    int rows = g->pattern->row_count, count = 0;
    for (int i = 0; i < rows; i++) {
        if (i % VO_ROW_TILE == 0) g->boundary_start[i / VO_ROW_TILE] = count;
        if (g->cross_start[i] < g->cross_start[i + 1]) g->boundary[count++] = i;
    }
    g->boundary_start[vo_chunk_count(rows, VO_ROW_TILE)] = count;
}

static void list_columns(vo_row_tiles *g) {
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

/* Lists the blocks below the diagonal: those of row i are the transposes of column i, found through
 * pattern->transpose. Up to the end of a half tile there are as many blocks below the diagonal as
 * above. */
static void list_lower(vo_row_tiles *g) {
    const vo_block_pattern *p = g->pattern;
    for (int i = 0, count = 0; i < p->row_count; i++) {
        g->lower_start[i] = count;
        int base = g->lower_start[half_begin(i)];
        for (int k = g->first[i]; k < p->diagonal[i]; k++, count++) {
            int j = p->column[k];
            int entry = g->upper_start[j] + p->transpose[k] - p->diagonal[j] - 1;
            g->lower_at[count] = (unsigned char)(j - half_begin(i));
            g->upper_block[entry] = (unsigned short)(count - base);
        }
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t packed_floats(int count) { return (size_t)count * B + VO_PACKED_PADDING; }

/* Includes padding for the last row's loads of four. */
static size_t root_floats(const vo_row_tiles *g) {
    return (size_t)g->pattern->row_count * VO_ROOT + VO_PACKED_PADDING;
}
static size_t scale_floats(const vo_row_tiles *g) {
    return (size_t)g->pattern->row_count * VO_SCALE + 1;
}
static size_t range_starts(const vo_row_tiles *g) {
    return (size_t)vo_chunk_count(g->pattern->row_count, VO_ROW_TILE) + 1;
}

static bool allocate_rows(vo_row_tiles *g) {
    size_t n = (size_t)g->pattern->row_count + 1;
    g->first = vo_new_array(g->ctx, int, n);
    g->last = vo_new_array(g->ctx, int, n);
    g->upper_start = vo_new_array(g->ctx, int, n);
    g->lower_start = vo_new_array(g->ctx, int, n);
    g->cross_start = vo_new_array(g->ctx, int, n);
    g->root = vo_alloc_zero(g->ctx, root_floats(g) * sizeof(float));
    g->inverse = vo_alloc_zero(g->ctx, scale_floats(g) * sizeof(float));
    g->boundary = vo_new_array(g->ctx, int, n);
    g->boundary_start = vo_new_array(g->ctx, int, range_starts(g));
    return g->first && g->last && g->upper_start && g->lower_start && g->cross_start && g->root &&
           g->inverse && g->boundary && g->boundary_start;
}

static bool allocate_blocks(vo_row_tiles *g) {
    g->upper_at = vo_alloc(g->ctx, (size_t)g->upper_count + 1);
    g->lower_at = vo_alloc(g->ctx, (size_t)g->upper_count + 1);
    g->upper_block = vo_new_array(g->ctx, unsigned short, (size_t)g->upper_count + 1);
    g->cross_column = vo_new_array(g->ctx, int, (size_t)g->cross_count + 1);
    g->upper = vo_alloc_zero(g->ctx, packed_floats(g->upper_count) * sizeof(float));
    g->cross = vo_alloc_zero(g->ctx, packed_floats(g->cross_count) * sizeof(float));
    return g->upper_at && g->lower_at && g->upper_block && g->cross_column && g->upper && g->cross;
}

vo_result vo_row_tiles_init(vo_context *ctx, const vo_block_pattern *pattern, vo_row_tiles *out) {
    *out = (vo_row_tiles){.ctx = ctx, .pattern = pattern};
    bool all = allocate_rows(out);
    if (all) find_rows(out);
    all = all && allocate_blocks(out);
    if (!all) {
        vo_row_tiles_free(out);
        return vo_fail_memory(ctx, "a linear solver");
    }
    list_boundaries(out);
    list_columns(out);
    list_lower(out);
    return VO_OK;
}

void vo_row_tiles_free(vo_row_tiles *g) {
    if (!g->ctx) return;
    size_t n = (size_t)g->pattern->row_count + 1;
    vo_free_array(g->ctx, g->first, n);
    vo_free_array(g->ctx, g->last, n);
    vo_free_array(g->ctx, g->upper_start, n);
    vo_free_array(g->ctx, g->lower_start, n);
    vo_free_array(g->ctx, g->cross_start, n);
    vo_free_array(g->ctx, g->root, root_floats(g));
    vo_free_array(g->ctx, g->inverse, scale_floats(g));
    vo_free_array(g->ctx, g->boundary, n);
    vo_free_array(g->ctx, g->boundary_start, range_starts(g));
    vo_free(g->ctx, g->upper_at, (size_t)g->upper_count + 1);
    vo_free(g->ctx, g->lower_at, (size_t)g->upper_count + 1);
    vo_free_array(g->ctx, g->upper_block, (size_t)g->upper_count + 1);
    vo_free_array(g->ctx, g->cross_column, (size_t)g->cross_count + 1);
    vo_free_array(g->ctx, g->upper, packed_floats(g->upper_count));
    vo_free_array(g->ctx, g->cross, packed_floats(g->cross_count));
    *g = (vo_row_tiles){0};
}
