#include "linalg/coarse.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/ordering.h"

#include <string.h>

enum { AGGREGATE_GRAIN = 16, LEAF_SHIFT = 4 };
_Static_assert(1 << LEAF_SHIFT == VO_ORDER_LEAF, "a leaf is a power of two");

/* ---- symbolic ------------------------------------------------------------------------------- */

static int first_row(const vo_coarse *c, int aggregate) {
    int64_t row = (int64_t)aggregate * c->size;
    return row < c->pattern->row_count ? (int)row : c->pattern->row_count;
}

/* Lists the columns of A that aggregate g touches, ascending, at column[]; returns their number.
 * last[j] == g marks what is listed. */
static int list_columns(const vo_coarse *c, int g, int *last, int *column) {
    const vo_block_pattern *a = c->pattern;
    int count = 0;
    for (int k = a->row_start[first_row(c, g)]; k < a->row_start[first_row(c, g + 1)]; k++) {
        int j = a->column[k];
        if (last[j] == g) continue;
        last[j] = g;
        int at = count++;
        for (; at > 0 && column[at - 1] > j; at--) column[at] = column[at - 1];
        column[at] = j;
    }
    return count;
}

/* The sums of each aggregate, and to which of them each block of A goes. column_at[] is scratch. */
static void list_sums(vo_coarse *c, int *last, int *column_at) {
    const vo_block_pattern *a = c->pattern;
    for (int i = 0; i < a->row_count; i++) last[i] = -1;
    c->sum_count = 0;
    for (int g = 0; g < c->count; g++) {
        c->sum_start[g] = c->sum_count;
        c->sum_count += list_columns(c, g, last, c->sum_column + c->sum_count);
        for (int s = c->sum_start[g]; s < c->sum_count; s++) column_at[c->sum_column[s]] = s;
        for (int k = a->row_start[first_row(c, g)]; k < a->row_start[first_row(c, g + 1)]; k++)
            c->sum_of[k] = column_at[a->column[k]];
    }
    c->sum_start[c->count] = c->sum_count;
}

/* The sums by the row they multiply. */
static void list_sums_at_rows(vo_coarse *c) {
    int n = c->pattern->row_count, *start = c->at_start;
    for (int i = 0; i <= n; i++) start[i] = 0;
    for (int s = 0; s < c->sum_count; s++) start[c->sum_column[s] + 1]++;
    for (int i = 0; i < n; i++) start[i + 1] += start[i];
    for (int g = 0; g < c->count; g++)
        for (int s = c->sum_start[g]; s < c->sum_start[g + 1]; s++) {
            int at = start[c->sum_column[s]]++;
            c->at_sum[at] = s;
            c->at_aggregate[at] = g;
        }
    for (int i = n; i > 0; i--) start[i] = start[i - 1]; /* each had become the next one's */
    start[0] = 0;
}

/* The pattern of E, from one pair a sum. */
static vo_result couple_aggregates(vo_coarse *c) {
    int(*pairs)[2] = vo_alloc(c->ctx, vo_array_bytes((size_t)c->sum_count, sizeof *pairs));
    if (!pairs) return vo_fail_memory(c->ctx, "a coarse matrix");
    for (int g = 0; g < c->count; g++)
        for (int s = c->sum_start[g]; s < c->sum_start[g + 1]; s++)
            pairs[s][0] = g, pairs[s][1] = c->sum_column[s] >> c->shift;
    vo_result result = vo_block_pattern_build(c->ctx, c->count, c->sum_count,
                                              (const int(*)[2])pairs, &c->coupling);
    if (result == VO_OK)
        for (int s = 0; s < c->sum_count; s++)
            c->block_of[s] = vo_block_pattern_find(&c->coupling, pairs[s][0], pairs[s][1]);
    vo_free(c->ctx, pairs, (size_t)c->sum_count * sizeof *pairs);
    return result;
}

/* Everything that follows from the size of the aggregates. */
static vo_result aggregate_rows(vo_coarse *c, int shift, int *scratch, bool *fits) {
    c->shift = shift;
    c->size = 1 << shift;
    c->count = (c->pattern->row_count - 1) / c->size + 1;
    list_sums(c, scratch, scratch + c->pattern->row_count);
    VO_TRY(couple_aggregates(c));
    int limit = c->pattern->block_count / 2 + 16;
    vo_result result = vo_block_factor_init(c->ctx, &c->coupling, limit, &c->factor, fits);
    if (result != VO_OK || !*fits) vo_block_pattern_free(&c->coupling);
    return result;
}

/* The smallest aggregates whose factor costs less than a product with A: VO_ORDER_LEAF rows in a
 * mesh that is numbered well, more where neighbours are far apart in the numbering. */
static vo_result choose_aggregates(vo_coarse *c) {
    size_t words = 2 * (size_t)c->pattern->row_count;
    int *scratch = vo_new_array(c->ctx, int, words);
    if (!scratch) return vo_fail_memory(c->ctx, "a coarse matrix");
    bool fits = false;
    vo_result result = VO_OK;
    for (int shift = LEAF_SHIFT; result == VO_OK && !fits; shift++)
        result = aggregate_rows(c, shift, scratch, &fits);
    vo_free_array(c->ctx, scratch, words);
    return result;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* By the largest numbers there can be: no more sums than blocks, no more aggregates than leaves. */
static int most_aggregates(const vo_block_pattern *p) {
    return (p->row_count + VO_ORDER_LEAF - 1) / VO_ORDER_LEAF;
}

static bool allocate_lists(vo_coarse *c) {
    size_t rows = (size_t)c->pattern->row_count, blocks = (size_t)c->pattern->block_count;
    size_t most = (size_t)most_aggregates(c->pattern);
    c->sum_start = vo_new_array(c->ctx, int, most + 1);
    c->sum_column = vo_new_array(c->ctx, int, blocks);
    c->sum_of = vo_new_array(c->ctx, int, blocks);
    c->block_of = vo_new_array(c->ctx, int, blocks);
    c->free_row = vo_new_array(c->ctx, int, rows);
    c->restricted = vo_new_array(c->ctx, vo_vec4, most);
    c->right = vo_new_array(c->ctx, vo_float4, most);
    c->first = vo_new_array(c->ctx, vo_float4, most);
    c->at_start = vo_new_array(c->ctx, int, rows + 1);
    c->at_sum = vo_new_array(c->ctx, int, blocks);
    c->at_aggregate = vo_new_array(c->ctx, int, blocks);
    return c->first && c->at_start && c->at_sum && c->at_aggregate && c->sum_start &&
           c->sum_column && c->sum_of && c->block_of && c->free_row && c->restricted && c->right;
}

static vo_result build(vo_coarse *c) {
    if (!allocate_lists(c)) return vo_fail_memory(c->ctx, "a coarse matrix");
    VO_TRY(choose_aggregates(c));
    list_sums_at_rows(c);
    c->sum = vo_alloc_zero(c->ctx,
                           vo_array_bytes((size_t)c->sum_count, VO_BLOCK_FLOATS * sizeof(float)));
    if (!c->sum) return vo_fail_memory(c->ctx, "a coarse matrix");
    return vo_block_matrix_init(c->ctx, &c->coupling, &c->e);
}

vo_result vo_coarse_init(vo_context *ctx, const vo_block_pattern *pattern, vo_coarse *out) {
    *out = (vo_coarse){.ctx = ctx, .pattern = pattern};
    if (pattern->row_count == 0) return VO_OK;
    vo_result result = build(out);
    if (result != VO_OK) vo_coarse_free(out);
    return result;
}

void vo_coarse_free(vo_coarse *c) {
    if (!c->ctx) return;
    size_t rows = (size_t)c->pattern->row_count, blocks = (size_t)c->pattern->block_count;
    size_t most = (size_t)most_aggregates(c->pattern);
    vo_free_array(c->ctx, c->sum_start, most + 1);
    vo_free_array(c->ctx, c->sum_column, blocks);
    vo_free_array(c->ctx, c->sum_of, blocks);
    vo_free_array(c->ctx, c->block_of, blocks);
    vo_free_array(c->ctx, c->free_row, rows);
    vo_free_array(c->ctx, c->restricted, most);
    vo_free_array(c->ctx, c->right, most);
    vo_free_array(c->ctx, c->first, most);
    vo_free_array(c->ctx, c->at_start, rows + 1);
    vo_free_array(c->ctx, c->at_sum, blocks);
    vo_free_array(c->ctx, c->at_aggregate, blocks);
    vo_free_array(c->ctx, c->sum, (size_t)c->sum_count * VO_BLOCK_FLOATS);
    vo_block_factor_free(&c->factor);
    vo_block_matrix_free(c->ctx, &c->e);
    vo_block_pattern_free(&c->coupling);
    *c = (vo_coarse){0};
}

/* ---- numbers -------------------------------------------------------------------------------- */

typedef struct coarse_job {
    vo_coarse *coarse;
    const vo_block_matrix *a;
    const vo_vec4 *r;
    float scale;
    const vo_float4 *w;
} coarse_job;

static void sum_chunk(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    coarse_job *job = arg;
    VO_DISPATCH(job->coarse->ctx, vo_coarse_sum)(job->coarse, job->a, begin, end);
}

void vo_coarse_compute(vo_coarse *c, const vo_block_matrix *a) {
    coarse_job job = {.coarse = c, .a = a};
    vo_parallel_for(c->ctx, c->count, AGGREGATE_GRAIN, sum_chunk, &job);
    vo_block_factor_compute(&c->factor, &c->e);
}

static void restrict_chunk(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    coarse_job *job = arg;
    VO_DISPATCH(job->coarse->ctx, vo_coarse_restrict)
    (job->coarse, job->r, job->scale, job->w, begin, end);
}

/* (Zt r) . y */
static double restricted_dot(const vo_coarse *c, const vo_float4 *y) {
    double dot = 0;
    for (int g = 0; g < c->count; g++) {
        vo_vec4 z = c->restricted[g];
        dot += z.x * (double)y[g].x + z.y * (double)y[g].y + z.z * (double)y[g].z;
    }
    return dot;
}

double vo_coarse_solve(vo_coarse *c, const vo_vec4 *r, float scale, const vo_float4 *w) {
    coarse_job job = {.coarse = c, .r = r, .scale = scale, .w = w};
    vo_parallel_for(c->ctx, c->count, AGGREGATE_GRAIN, restrict_chunk, &job);
    vo_block_factor_solve(&c->factor, c->right, c->right);
    return restricted_dot(c, c->right);
}

double vo_coarse_begin(vo_coarse *c, const vo_vec4 *r) {
    double dot = vo_coarse_solve(c, r, 0, NULL);
    memcpy(c->first, c->right, (size_t)c->count * sizeof *c->first);
    return dot;
}

double vo_coarse_finish(vo_coarse *c, const vo_vec4 *q, float scale, const vo_float4 *w) {
    vo_coarse_solve(c, q, scale, w);
    for (int g = 0; g < c->count; g++) {
        c->right[g].x += c->first[g].x;
        c->right[g].y += c->first[g].y;
        c->right[g].z += c->first[g].z;
    }
    return restricted_dot(c, c->first);
}
