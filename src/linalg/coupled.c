#include "linalg/coupled.h"

#include "core/parallel.h"

#include <string.h>

enum { B = VO_BLOCK_FLOATS, AGGREGATE_GRAIN = 16 };

/* ---- symbolic ------------------------------------------------------------------------------- */

/* Lists the aggregates that the couplings of each row touch: free rows only. */
static void list_sums(vo_coupled *k, const vo_coarse *coarse) {
    const vo_couplings *c = k->given;
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

/* Appends what the couplings of aggregate g add to its row of E, which is there; `mark` holds the
 * last row that each column was listed for. Returns the row's new length. */
static int list_extra(const vo_coupled *k, const vo_coarse *coarse, int g, int *mark, int *column,
                      int count) {
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

/* Merges the rows of E with what the couplings add. */
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
        p->block_count += list_extra(k, coarse, g, mark, column, count);
    }
    p->row_start[e->row_count] = p->block_count;
}

/* Where everything goes: the blocks of E, and the sums. `at` holds, for the columns of one row, the
 * index of their block. */
static void find_places(vo_coupled *k, const vo_coarse *coarse, int *at) {
    const vo_block_pattern *e = &coarse->coupling, *p = &k->pattern;
    for (int g = 0; g < p->row_count; g++) {
        for (int n = p->row_start[g]; n < p->row_start[g + 1]; n++) at[p->column[n]] = n;
        p->diagonal[g] = at[g];
        for (int n = e->row_start[g]; n < e->row_start[g + 1]; n++) k->place[n] = at[e->column[n]];
        int first = k->sum_start[g * coarse->size], last = k->sum_start[vo_coarse_end(coarse, g)];
        for (int s = first; s < last; s++) k->block_of[s] = at[k->sum_aggregate[s]];
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static float *new_packed(vo_arena *arena, int count) {
    size_t floats = (size_t)count * VO_PACKED + VO_PACKED_MORE;
    float *packed = vo_arena_array(arena, float, floats);
    if (packed) memset(packed + floats - VO_PACKED_MORE, 0, VO_PACKED_MORE * sizeof *packed);
    return packed;
}

static bool allocate_rows(vo_coupled *k) {
    vo_arena *arena = &k->arena;
    size_t rows = (size_t)k->given->row_count, blocks = (size_t)k->given->block_count;
    k->block = new_packed(arena, k->given->block_count);
    k->sum_start = vo_arena_array(arena, int, rows + 1);
    k->sum_aggregate = vo_arena_array(arena, int, blocks);
    return k->block && k->sum_start && k->sum_aggregate;
}

/* A sum adds at most one block to the pattern. */
static bool allocate_coarse(vo_coupled *k, const vo_coarse *coarse) {
    vo_arena *arena = &k->arena;
    size_t count = (size_t)coarse->count, old = (size_t)coarse->coupling.block_count;
    size_t most = old + (size_t)k->sum_count;
    vo_block_pattern *p = &k->pattern;
    *p = (vo_block_pattern){.ctx = coarse->ctx, .row_count = coarse->count};
    p->row_start = vo_arena_array(arena, int, count + 1);
    p->diagonal = vo_arena_array(arena, int, count);
    p->column = vo_arena_array(arena, int, most);
    k->place = vo_arena_array(arena, int, old);
    k->block_of = vo_arena_array(arena, int, (size_t)k->sum_count + 1);
    k->sum = new_packed(arena, k->sum_count);
    return p->row_start && p->diagonal && p->column && k->place && k->block_of && k->sum;
}

/* ---- numbers -------------------------------------------------------------------------------- */

typedef struct coupled_job {
    vo_coupled *coupled;
    const vo_ranges *ranges;
    const vo_coarse *coarse;
} coupled_job;

static void pack_chunk(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    coupled_job *job = arg;
    VO_DISPATCH(job->coarse->ctx, vo_coupled_pack)
    (job->coupled, job->ranges, job->coarse, begin, end);
}

/* The rows of Zt (A + C) Z of some aggregates: those of E, and the sums. */
static void gather_chunk(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    coupled_job *job = arg;
    vo_coupled *k = job->coupled;
    const vo_coarse *coarse = job->coarse;
    float *to = k->e.block;
    size_t first = (size_t)k->pattern.row_start[begin], last = (size_t)k->pattern.row_start[end];
    memset(to + first * B, 0, (last - first) * B * sizeof *to);
    for (int n = coarse->coupling.row_start[begin]; n < coarse->coupling.row_start[end]; n++)
        memcpy(to + (size_t)k->place[n] * B, coarse->e.block + (size_t)n * B, B * sizeof *to);
    vo_sums sums = {k->sum_start, k->block_of, k->sum};
    VO_DISPATCH(coarse->ctx, vo_coarse_gather)(coarse, &sums, job->ranges, begin, end, to);
}

/* The coarse matrix's pattern and factor; *fits is false where that would be too large. */
static vo_result analyse(vo_coupled *k, const vo_coarse *coarse, bool *fits) {
    int *scratch = vo_arena_array(&k->arena, int, coarse->count);
    if (!scratch) return vo_fail_memory(coarse->ctx, "contact couplings");
    merge_pattern(k, coarse, scratch);
    find_places(k, coarse, scratch);
    k->e = (vo_block_matrix){&k->pattern, NULL};
    k->e.block = vo_arena_array(&k->arena, float, (size_t)k->pattern.block_count *B);
    if (!k->e.block) return vo_fail_memory(coarse->ctx, "contact couplings");
    return vo_block_factor_init(&k->arena, &k->pattern, VO_DISSECT_GRAPH,
                                coarse->pattern->block_count, &k->factor, fits);
}

vo_result vo_coupled_prepare(vo_coupled *k, const vo_couplings *c, const vo_ranges *ranges,
                             vo_coarse *coarse) {
    vo_context *ctx = coarse->ctx;
    coupled_job job = {k, ranges, coarse};
    bool fits = false;
    vo_arena_reset(&k->arena);
    k->given = c;
    coarse->solver = NULL;
    if (!allocate_rows(k)) return vo_fail_memory(ctx, "contact couplings");
    list_sums(k, coarse);
    if (!allocate_coarse(k, coarse)) return vo_fail_memory(ctx, "contact couplings");
    VO_TRY(analyse(k, coarse, &fits));
    vo_parallel_for(ctx, c->row_count, VO_RANGE, pack_chunk, &job);
    vo_parallel_for(ctx, coarse->count, AGGREGATE_GRAIN, gather_chunk, &job);
    if (!fits) return VO_OK;
    vo_block_factor_compute(&k->factor, &k->e);
    coarse->solver = &k->factor;
    return VO_OK;
}
