#include "linalg/coarse.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/ordering.h"

#include <string.h>

enum { AGGREGATE_GRAIN = 16, LEAF_SHIFT = 4 };
_Static_assert(1 << LEAF_SHIFT == VO_ORDER_LEAF, "a leaf is a power of two");
_Static_assert(VO_ROW_TILE % VO_ORDER_LEAF == 0, "a range is made of leaves");

/* ---- symbolic ------------------------------------------------------------------------------- */

/* Lists the aggregates that each row couples to. */
static void list_sums(vo_coarse *c) {
    const vo_block_pattern *a = c->pattern;
    c->sum_count = 0;
    for (int i = 0; i < a->row_count; i++) {
        c->sum_start[i] = c->sum_count;
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            int g = a->column[k] >> c->shift;
            if (c->sum_count == c->sum_start[i] || c->sum_aggregate[c->sum_count - 1] != g)
                c->sum_aggregate[c->sum_count++] = g;
        }
    }
    c->sum_start[a->row_count] = c->sum_count;
}

/* Builds the pattern of E from one pair per sum. */
static vo_result couple_aggregates(vo_coarse *c) {
    int(*pairs)[2] = vo_alloc(c->ctx, vo_array_bytes((size_t)c->sum_count, sizeof *pairs));
    if (!pairs) return vo_fail_memory(c->ctx, "a coarse matrix");
    for (int i = 0; i < c->pattern->row_count; i++)
        for (int s = c->sum_start[i]; s < c->sum_start[i + 1]; s++)
            pairs[s][0] = i >> c->shift, pairs[s][1] = c->sum_aggregate[s];
    vo_result result = vo_block_pattern_build(c->ctx, c->count, c->sum_count,
                                              (const int(*)[2])pairs, &c->coupling);
    if (result == VO_OK)
        for (int s = 0; s < c->sum_count; s++)
            c->block_of[s] = vo_block_pattern_find(&c->coupling, pairs[s][0], pairs[s][1]);
    vo_free(c->ctx, pairs, (size_t)c->sum_count * sizeof *pairs);
    return result;
}

/* Builds everything that depends on the aggregate size. */
static vo_result aggregate_rows(vo_coarse *c, int shift, bool *fits) {
    c->shift = shift;
    c->size = 1 << shift;
    c->count = (c->pattern->row_count - 1) / c->size + 1;
    c->segment_shift = c->size < VO_ROW_TILE ? shift : LEAF_SHIFT;
    c->segment_count = ((c->pattern->row_count - 1) >> c->segment_shift) + 1;
    list_sums(c);
    VO_TRY(couple_aggregates(c));
    int limit = c->pattern->row_count + c->pattern->row_count / 4 + 16;
    vo_arena_reset(&c->arena);
    vo_result result =
        vo_block_factor_init(&c->arena, &c->coupling, VO_DISSECT_NUMBERED, limit, &c->factor, fits);
    if (result != VO_OK || !*fits) vo_block_pattern_free(&c->coupling);
    return result;
}

/* Selects the smallest aggregates whose factor has not many more blocks than A has rows:
 * VO_ORDER_LEAF rows up to about 30,000 faces, twice as many for larger meshes, more if neighbours
 * are far apart in the numbering. Doubling the size costs a tenth more iterations, but the factor
 * of small aggregates grows faster than the mesh. */
static vo_result choose_aggregates(vo_coarse *c) {
    bool fits = false;
    vo_result result = VO_OK;
    for (int shift = LEAF_SHIFT; result == VO_OK && !fits; shift++)
        result = aggregate_rows(c, shift, &fits);
    return result;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Upper bounds for allocation: at most as many sums as blocks and as many aggregates as leaves. */
static int max_aggregates(const vo_block_pattern *p) {
    return (p->row_count + VO_ORDER_LEAF - 1) / VO_ORDER_LEAF;
}

static bool allocate_lists(vo_coarse *c) {
    size_t rows = (size_t)c->pattern->row_count, blocks = (size_t)c->pattern->block_count;
    size_t capacity = (size_t)max_aggregates(c->pattern);
    c->sum_start = vo_new_array(c->ctx, int, rows + 1);
    c->sum_aggregate = vo_new_array(c->ctx, int, blocks);
    c->block_of = vo_new_array(c->ctx, int, blocks);
    c->free_row = vo_new_array(c->ctx, int, rows);
    c->restricted = vo_new_array(c->ctx, vo_float4, capacity);
    c->product = vo_new_array(c->ctx, vo_float4, capacity);
    c->right = vo_new_array(c->ctx, vo_float4, capacity);
    c->segment_restricted = vo_new_array(c->ctx, vo_float4, capacity);
    c->segment_product = vo_alloc_zero(c->ctx, vo_array_bytes(capacity, sizeof(vo_float4)));
    return c->sum_start && c->sum_aggregate && c->block_of && c->free_row && c->restricted &&
           c->product && c->right && c->segment_restricted && c->segment_product;
}

static size_t sum_floats(const vo_coarse *c) {
    return (size_t)c->sum_count * VO_PACKED + VO_PACKED_PADDING;
}

static vo_result build(vo_coarse *c) {
    if (!allocate_lists(c)) return vo_fail_memory(c->ctx, "a coarse matrix");
    VO_TRY(choose_aggregates(c));
    c->sum = vo_alloc_zero(c->ctx, vo_array_bytes(sum_floats(c), sizeof(float)));
    if (!c->sum) return vo_fail_memory(c->ctx, "a coarse matrix");
    return vo_block_matrix_init(c->ctx, &c->coupling, &c->e);
}

vo_result vo_coarse_init(vo_context *ctx, const vo_block_pattern *pattern, vo_coarse *out) {
    *out = (vo_coarse){.ctx = ctx, .pattern = pattern};
    vo_arena_init(&out->arena, ctx);
    if (pattern->row_count == 0) return VO_OK;
    vo_result result = build(out);
    if (result != VO_OK) vo_coarse_free(out);
    return result;
}

void vo_coarse_free(vo_coarse *c) {
    if (!c->ctx) return;
    size_t rows = (size_t)c->pattern->row_count, blocks = (size_t)c->pattern->block_count;
    size_t capacity = (size_t)max_aggregates(c->pattern);
    vo_free_array(c->ctx, c->sum_start, rows + 1);
    vo_free_array(c->ctx, c->sum_aggregate, blocks);
    vo_free_array(c->ctx, c->block_of, blocks);
    vo_free_array(c->ctx, c->free_row, rows);
    vo_free_array(c->ctx, c->restricted, capacity);
    vo_free_array(c->ctx, c->product, capacity);
    vo_free_array(c->ctx, c->right, capacity);
    vo_free_array(c->ctx, c->segment_restricted, capacity);
    vo_free_array(c->ctx, c->segment_product, capacity);
    vo_free_array(c->ctx, c->sum, sum_floats(c));
    vo_arena_free(&c->arena);
    vo_block_matrix_free(c->ctx, &c->e);
    vo_block_pattern_free(&c->coupling);
    *c = (vo_coarse){0};
}

/* ---- numeric -------------------------------------------------------------------------------- */

typedef struct gather_job {
    vo_coarse *coarse;
    const vo_row_tiles *tiles;
    vo_sums sums;
} gather_job;

static void gather_chunk(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    gather_job *job = arg;
    vo_coarse *c = job->coarse;
    float *blocks = c->e.block;
    size_t first = (size_t)c->coupling.row_start[begin], last = (size_t)c->coupling.row_start[end];
    memset(blocks + first * VO_BLOCK_FLOATS, 0, (last - first) * VO_BLOCK_FLOATS * sizeof(float));
    VO_DISPATCH(c->ctx, vo_coarse_gather)(c, &job->sums, job->tiles, begin, end, blocks);
}

void vo_coarse_compute(vo_coarse *c, const vo_row_tiles *tiles) {
    gather_job job = {c, tiles, {c->sum_start, c->block_of, c->sum}};
    vo_parallel_for(c->ctx, c->count, AGGREGATE_GRAIN, gather_chunk, &job);
}

void vo_coarse_factor(vo_coarse *c) {
    vo_block_factor_compute(&c->factor, &c->e);
    c->solver = &c->factor;
}

static void add_entry(vo_float4 *sum, vo_float4 v) {
    *sum = (vo_float4){sum->x + v.x, sum->y + v.y, sum->z + v.z, 0};
}

void vo_coarse_sum_segments(vo_coarse *c, float scale) {
    int shift = c->shift - c->segment_shift;
    memset(c->restricted, 0, (size_t)c->count * sizeof *c->restricted);
    memset(c->product, 0, (size_t)c->count * sizeof *c->product);
    for (int n = 0; n < c->segment_count; n++) {
        add_entry(&c->restricted[n >> shift], c->segment_restricted[n]);
        add_entry(&c->product[n >> shift], c->segment_product[n]);
    }
    for (int g = 0; g < c->count; g++) {
        vo_float4 r = c->restricted[g], t = c->product[g];
        c->right[g] = (vo_float4){r.x - scale * t.x, r.y - scale * t.y, r.z - scale * t.z, 0};
    }
}

static double dot(int count, const vo_float4 *a, const vo_float4 *b) {
    double sum = 0;
    for (int g = 0; g < count; g++)
        sum += (double)(a[g].x * b[g].x) + (double)(a[g].y * b[g].y) + (double)(a[g].z * b[g].z);
    return sum;
}

vo_coarse_dots vo_coarse_solve(vo_coarse *c) {
    if (c->solver)
        vo_block_factor_solve(c->solver, c->right, c->right);
    else
        memset(c->right, 0, (size_t)c->count * sizeof *c->right);
    return (vo_coarse_dots){dot(c->count, c->restricted, c->right),
                            dot(c->count, c->product, c->right)};
}
