#include "linalg/coupled.h"

#include "core/parallel.h"

#include <string.h>

enum { B = VO_BLOCK_FLOATS, AGGREGATE_GRAIN = 16 };

/* ---- symbolic ------------------------------------------------------------------------------- */

/* Lists the aggregates that the couplings of each free row touch. */
static void list_sums(vo_coupled *k, const vo_coarse *coarse) {
    const vo_couplings *c = k->couplings;
    int count = 0;
    for (int i = 0; i < c->row_count; i++) {
        k->sum_start[i] = count;
        if (!coarse->free_row[i]) continue;
        for (int n = c->row_start[i]; n < c->row_start[i + 1]; n++) {
            int g = c->column[n] >> coarse->shift;
            if (!coarse->free_row[c->column[n]]) continue;
            if (count == k->sum_start[i] || k->sum_aggregate[count - 1] != g)
                k->sum_aggregate[count++] = g;
        }
    }
    k->sum_start[c->row_count] = k->sum_count = count;
}

/* Appends the columns that the couplings of aggregate g add to its row of E, which is already
 * listed; `mark` holds the last row for which each column was listed. Returns the new row length.
 */
static int list_coupled_columns(const vo_coupled *k, const vo_coarse *coarse, int g, int *mark,
                                int *column, int count) {
    int first = k->sum_start[g * coarse->size], last = k->sum_start[vo_coarse_end(coarse, g)];
    for (int s = first; s < last; s++) {
        int h = k->sum_aggregate[s];
        if (mark[h] == g) continue;
        mark[h] = g;
        int n = count++; /* insertion sort: rows are short */
        for (; n > 0 && column[n - 1] > h; n--) column[n] = column[n - 1];
        column[n] = h;
    }
    return count;
}

/* Merges the rows of E with the columns added by couplings. */
static void merge_pattern(vo_coupled *k, const vo_coarse *coarse, int *mark) {
    const vo_block_pattern *e = &coarse->coupling;
    vo_block_pattern *p = &k->pattern;
    for (int g = 0; g < e->row_count; g++) mark[g] = -1;
    p->block_count = 0;
    for (int g = 0; g < e->row_count; g++) {
        int *column = p->column + p->block_count, count = 0;
        p->row_start[g] = p->block_count;
        for (int n = e->row_start[g]; n < e->row_start[g + 1]; n++) {
            column[count++] = e->column[n];
            mark[e->column[n]] = g;
        }
        p->block_count += list_coupled_columns(k, coarse, g, mark, column, count);
    }
    p->row_start[e->row_count] = p->block_count;
}

/* Finds the target blocks of E's blocks and of the sums. `at` maps the columns of one row to their
 * blocks. */
static void find_targets(vo_coupled *k, const vo_coarse *coarse, int *at) {
    const vo_block_pattern *e = &coarse->coupling, *p = &k->pattern;
    for (int g = 0; g < p->row_count; g++) {
        for (int n = p->row_start[g]; n < p->row_start[g + 1]; n++) at[p->column[n]] = n;
        p->diagonal[g] = at[g];
        for (int n = e->row_start[g]; n < e->row_start[g + 1]; n++) k->target[n] = at[e->column[n]];
        int first = k->sum_start[g * coarse->size], last = k->sum_start[vo_coarse_end(coarse, g)];
        for (int s = first; s < last; s++) k->block_of[s] = at[k->sum_aggregate[s]];
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static float *new_packed(vo_arena *arena, int count) {
    size_t floats = (size_t)count * VO_PACKED + VO_PACKED_PADDING;
    float *packed = vo_arena_array(arena, float, floats);
    if (packed) memset(packed + floats - VO_PACKED_PADDING, 0, VO_PACKED_PADDING * sizeof *packed);
    return packed;
}

static bool allocate_rows(vo_coupled *k) {
    vo_arena *arena = &k->arena;
    size_t rows = (size_t)k->couplings->row_count, blocks = (size_t)k->couplings->block_count;
    k->block = new_packed(arena, k->couplings->block_count);
    k->sum_start = vo_arena_array(arena, int, rows + 1);
    k->sum_aggregate = vo_arena_array(arena, int, blocks);
    return k->block && k->sum_start && k->sum_aggregate;
}

/* Allocates the coarse matrix; a sum adds at most one block to the pattern. */
static bool allocate_coarse(vo_coupled *k, const vo_coarse *coarse) {
    vo_arena *arena = &k->arena;
    size_t count = (size_t)coarse->count, old = (size_t)coarse->coupling.block_count;
    size_t max_blocks = old + (size_t)k->sum_count;
    vo_block_pattern *p = &k->pattern;
    *p = (vo_block_pattern){.ctx = coarse->ctx, .row_count = coarse->count};
    p->row_start = vo_arena_array(arena, int, count + 1);
    p->diagonal = vo_arena_array(arena, int, count);
    p->column = vo_arena_array(arena, int, max_blocks);
    k->target = vo_arena_array(arena, int, old);
    k->block_of = vo_arena_array(arena, int, (size_t)k->sum_count + 1);
    k->sum = new_packed(arena, k->sum_count);
    return p->row_start && p->diagonal && p->column && k->target && k->block_of && k->sum;
}

/* ---- numeric -------------------------------------------------------------------------------- */

typedef struct coupled_job {
    vo_coupled *coupled;
    const vo_row_tiles *tiles;
    const vo_coarse *coarse;
} coupled_job;

static void pack_chunk(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    coupled_job *job = arg;
    VO_DISPATCH(job->coarse->ctx, vo_coupled_pack)
    (job->coupled, job->tiles, job->coarse, begin, end);
}

/* Computes the rows of Zt (A + C) Z of some aggregates from those of E and the sums. */
static void gather_chunk(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    coupled_job *job = arg;
    vo_coupled *k = job->coupled;
    const vo_coarse *coarse = job->coarse;
    float *to = k->e.block;
    size_t first = (size_t)k->pattern.row_start[begin], last = (size_t)k->pattern.row_start[end];
    memset(to + first * B, 0, (last - first) * B * sizeof *to);
    for (int n = coarse->coupling.row_start[begin]; n < coarse->coupling.row_start[end]; n++)
        memcpy(to + (size_t)k->target[n] * B, coarse->e.block + (size_t)n * B, B * sizeof *to);
    vo_sums sums = {k->sum_start, k->block_of, k->sum};
    VO_DISPATCH(coarse->ctx, vo_coarse_gather)(coarse, &sums, job->tiles, begin, end, to);
}

/* Builds the pattern and symbolic factor of the coarse matrix; *fits is false if it would be too
 * large. */
static vo_result analyse(vo_coupled *k, const vo_coarse *coarse, bool *fits) {
    int *scratch = vo_arena_array(&k->arena, int, coarse->count);
    if (!scratch) return vo_fail_memory(coarse->ctx, "contact couplings");
    merge_pattern(k, coarse, scratch);
    find_targets(k, coarse, scratch);
    k->e = (vo_block_matrix){&k->pattern, NULL};
    k->e.block = vo_arena_array(&k->arena, float, (size_t)k->pattern.block_count *B);
    if (!k->e.block) return vo_fail_memory(coarse->ctx, "contact couplings");
    return vo_block_factor_init(&k->arena, &k->pattern, VO_DISSECT_GRAPH,
                                coarse->pattern->block_count, &k->factor, fits);
}

vo_result vo_coupled_prepare(vo_coupled *k, const vo_couplings *c, const vo_row_tiles *tiles,
                             vo_coarse *coarse) {
    vo_context *ctx = coarse->ctx;
    coupled_job job = {k, tiles, coarse};
    bool fits = false;
    vo_arena_reset(&k->arena);
    k->couplings = c;
    coarse->solver = NULL;
    if (!allocate_rows(k)) return vo_fail_memory(ctx, "contact couplings");
    list_sums(k, coarse);
    if (!allocate_coarse(k, coarse)) return vo_fail_memory(ctx, "contact couplings");
    VO_TRY(analyse(k, coarse, &fits));
    vo_parallel_for(ctx, c->row_count, VO_ROW_TILE, pack_chunk, &job);
    vo_parallel_for(ctx, coarse->count, AGGREGATE_GRAIN, gather_chunk, &job);
    if (!fits) return VO_OK;
    vo_block_factor_compute(&k->factor, &k->e);
    coarse->solver = &k->factor;
    return VO_OK;
}
