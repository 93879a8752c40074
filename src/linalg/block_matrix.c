#include "linalg/block_matrix.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/block_kernel.h"

#include <limits.h>

/* Rows per chunk: at about 13 blocks of 48 bytes per row, a chunk reads 160 kB. */
enum { ROW_GRAIN = 256 };

/* Allocates a list with one spare entry, so that an empty pattern needs no special case. */
static int *new_list(vo_context *ctx, int count) {
    return vo_new_array(ctx, int, (size_t)count + 1);
}
static void free_list(vo_context *ctx, int *list, int count) {
    vo_free_array(ctx, list, (size_t)count + 1);
}

static vo_result check_pairs(vo_context *ctx, int row_count, int pair_count,
                             const int (*pairs)[2]) {
    if (row_count < 0 || pair_count < 0)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "block pattern of %d rows and %d pairs", row_count,
                       pair_count);
    if (2 * (int64_t)pair_count + row_count >= INT_MAX)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "block pattern: %d rows and %d pairs are too many",
                       row_count, pair_count);
    for (int k = 0; k < pair_count; k++)
        for (int side = 0; side < 2; side++)
            if (pairs[k][side] < 0 || pairs[k][side] >= row_count)
                return vo_fail(ctx, VO_BAD_ARGUMENT, "block pattern: pair %d names row %d of %d", k,
                               pairs[k][side], row_count);
    return VO_OK;
}

/* Computes start[i], the start of row i's entries if each pair is entered in both of its rows and
 * each row in itself. */
static void count_entries(int row_count, int pair_count, const int (*pairs)[2], int *start) {
    for (int i = 0; i <= row_count; i++) start[i] = i < row_count ? 1 : 0;
    for (int k = 0; k < pair_count; k++) {
        if (pairs[k][0] == pairs[k][1]) continue;
        start[pairs[k][0]]++;
        start[pairs[k][1]]++;
    }
    for (int i = 0, sum = 0; i <= row_count; i++) {
        int count = start[i];
        start[i] = sum;
        sum += count;
    }
}

/* Scatters the pairs into rows in their order; cursor[] is scratch. */
static void scatter_entries(int row_count, int pair_count, const int (*pairs)[2], const int *start,
                            int *cursor, int *entry) {
    for (int i = 0; i < row_count; i++) cursor[i] = start[i];
    for (int i = 0; i < row_count; i++) entry[cursor[i]++] = i;
    for (int k = 0; k < pair_count; k++) {
        int i = pairs[k][0], j = pairs[k][1];
        if (i == j) continue;
        entry[cursor[i]++] = j;
        entry[cursor[j]++] = i;
    }
}

/* Sorts by transposing the (symmetric) entries: visited by ascending row, they are appended to each
 * column's list in ascending order with repeats adjacent, so the lists become sorted and unique in
 * linear time. cursor[j] is left at the end of list j. */
static void sort_entries(int row_count, const int *start, const int *entry, int *cursor,
                         int *sorted) {
    for (int i = 0; i < row_count; i++) cursor[i] = start[i];
    for (int i = 0; i < row_count; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            int j = entry[k];
            if (cursor[j] > start[j] && sorted[cursor[j] - 1] == i) continue;
            sorted[cursor[j]++] = i;
        }
    }
}

/* Removes the gaps left by repeats and records the diagonal blocks. */
static void pack_rows(const int *start, const int *end, const int *sorted, vo_block_pattern *out) {
    int count = 0;
    for (int i = 0; i < out->row_count; i++) {
        out->row_start[i] = count;
        for (int k = start[i]; k < end[i]; k++) {
            if (sorted[k] == i) out->diagonal[i] = count;
            out->column[count++] = sorted[k];
        }
    }
    out->row_start[out->row_count] = count;
}

/* Finds the transposed block of each block: visited by ascending row, the blocks of one column
 * appear in the order in which the row of the same number stores their transposes. */
static void find_transposes(vo_block_pattern *p, int *cursor) {
    for (int i = 0; i < p->row_count; i++) cursor[i] = p->row_start[i];
    for (int k = 0; k < p->block_count; k++) p->transpose[k] = cursor[p->column[k]]++;
}

static vo_result fill_pattern(const int *start, int *cursor, const int *sorted,
                              vo_block_pattern *out) {
    vo_context *ctx = out->ctx;
    int n = out->row_count;
    for (int i = 0; i < n; i++) out->block_count += cursor[i] - start[i];
    out->row_start = new_list(ctx, n);
    out->diagonal = new_list(ctx, n);
    out->column = new_list(ctx, out->block_count);
    out->transpose = new_list(ctx, out->block_count);
    if (!out->row_start || !out->diagonal || !out->column || !out->transpose)
        return vo_fail_memory(ctx, "a matrix pattern");
    pack_rows(start, cursor, sorted, out);
    find_transposes(out, cursor);
    return VO_OK;
}

vo_result vo_block_pattern_build(vo_context *ctx, int row_count, int pair_count,
                                 const int (*pairs)[2], vo_block_pattern *out) {
    *out = (vo_block_pattern){.ctx = ctx};
    VO_TRY(check_pairs(ctx, row_count, pair_count, pairs));
    out->row_count = row_count;
    int entries = row_count + 2 * pair_count;
    int *start = new_list(ctx, row_count), *cursor = new_list(ctx, row_count);
    int *entry = new_list(ctx, entries), *sorted = new_list(ctx, entries);
    vo_result result;
    if (start && cursor && entry && sorted) {
        count_entries(row_count, pair_count, pairs, start);
        scatter_entries(row_count, pair_count, pairs, start, cursor, entry);
        sort_entries(row_count, start, entry, cursor, sorted);
        result = fill_pattern(start, cursor, sorted, out);
    } else {
        result = vo_fail_memory(ctx, "a matrix pattern");
    }
    free_list(ctx, start, row_count);
    free_list(ctx, cursor, row_count);
    free_list(ctx, entry, entries);
    free_list(ctx, sorted, entries);
    if (result != VO_OK) vo_block_pattern_free(out);
    return result;
}

void vo_block_pattern_free(vo_block_pattern *p) {
    if (!p->ctx) return;
    free_list(p->ctx, p->row_start, p->row_count);
    free_list(p->ctx, p->diagonal, p->row_count);
    free_list(p->ctx, p->column, p->block_count);
    free_list(p->ctx, p->transpose, p->block_count);
    *p = (vo_block_pattern){0};
}

int vo_block_pattern_find(const vo_block_pattern *p, int row, int column) {
    if (row < 0 || row >= p->row_count) return -1;
    int low = p->row_start[row], high = p->row_start[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->row_start[row + 1] && p->column[low] == column ? low : -1;
}

static size_t matrix_floats(const vo_block_pattern *pattern) {
    return (size_t)pattern->block_count * VO_BLOCK_FLOATS;
}

vo_result vo_block_matrix_init(vo_context *ctx, const vo_block_pattern *pattern,
                               vo_block_matrix *out) {
    *out = (vo_block_matrix){.pattern = pattern};
    size_t count = matrix_floats(pattern);
    if (count == 0) return VO_OK;
    out->block = vo_alloc_zero(ctx, vo_array_bytes(count, sizeof(float)));
    return out->block ? VO_OK : vo_fail_memory(ctx, "a matrix");
}

void vo_block_matrix_free(vo_context *ctx, vo_block_matrix *matrix) {
    if (matrix->pattern) vo_free_array(ctx, matrix->block, matrix_floats(matrix->pattern));
    *matrix = (vo_block_matrix){0};
}

typedef struct matrix_job {
    vo_context *ctx;
    vo_rows_view rows;
    float *block;
    const vo_vec4 *x;
    vo_vec4 *y;
} matrix_job;

static void mirror_rows(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    matrix_job *job = arg;
    VO_DISPATCH(job->ctx, vo_symmetrise_rows)(&job->rows, begin, end, job->block);
}

void vo_block_matrix_symmetrise(vo_context *ctx, vo_block_matrix *a) {
    matrix_job job = {.ctx = ctx, .rows = vo_rows_of(a), .block = a->block};
    vo_parallel_for(ctx, a->pattern->row_count, ROW_GRAIN, mirror_rows, &job);
}

static void multiply_rows(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    matrix_job *job = arg;
    VO_DISPATCH(job->ctx, vo_multiply_rows)(&job->rows, begin, end, job->x, job->y);
}

void vo_block_matrix_multiply(vo_context *ctx, const vo_block_matrix *a, const vo_vec4 *x,
                              vo_vec4 *y) {
    matrix_job job = {.ctx = ctx, .rows = vo_rows_of(a), .x = x, .y = y};
    vo_parallel_for(ctx, a->pattern->row_count, ROW_GRAIN, multiply_rows, &job);
}
