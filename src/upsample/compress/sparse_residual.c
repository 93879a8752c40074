/* Sparse form of the residual. Per row d of D, with G the metric of compression: entries are
 * selected by |d_k| sqrt(G_kk), twice as many as wanted, refitted, and selected again. A refit
 * minimises (x - d) G (x - d)^T over the entries S with the sum of each block of coarse vertices
 * prescribed:
 *
 *     G_SS x = (G d)_S + E l,   E^T x = 0      E: indicator of the blocks
 *
 * solved by the Cholesky factor of G_SS and of the Schur complement E^T G_SS^-1 E. */
#include "upsample/compress/compress.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/dense.h"
#include "upsample/compress/compress_metric.h"
#include "upsample/rounding.h"

#include <math.h>
#include <string.h>

enum { MAX_BLOCKS = 17, GRAIN = 64 };

typedef struct job {
    const vo_upsample_operator *op;
    int n, entries, candidates; /* inputs; entries of a row; entries of the first selection */
    int blocks;
    const double *gram;  /* [n][n] */
    const double *image; /* [rows][n] D G */
    double *scratch;     /* [chunks][scratch_size] */
    size_t scratch_size;
    vo_sparse_residual *out;
} job;

/* A selection of entries and its system. */
typedef struct selection {
    int count;
    int *column;    /* [candidates] ascending */
    double *value;  /* [candidates] */
    double *score;  /* [n] */
    double *factor; /* [candidates][candidates] */
    double *block;  /* [MAX_BLOCKS][candidates] G_SS^-1 E */
} selection;

static size_t scratch_size(const job *j) {
    size_t c = (size_t)j->candidates;
    return c + (size_t)j->n + c * c + MAX_BLOCKS * c + c;
}

static selection make_selection(const job *j, int chunk) {
    double *at = j->scratch + (size_t)chunk * j->scratch_size;
    size_t c = (size_t)j->candidates;
    selection s = {.value = at, .score = at + c};
    s.factor = s.score + j->n;
    s.block = s.factor + c * c;
    s.column = (int *)(void *)(s.block + MAX_BLOCKS * c);
    return s;
}

/* Keeps the `count` columns of largest score, ties by index; the others have a negative score. */
static void select_columns(const job *j, selection *s, int count) {
    s->count = 0;
    for (int taken = 0; taken < count; taken++) {
        int best = -1;
        for (int k = 0; k < j->n; k++)
            if (s->score[k] >= 0 && (best < 0 || s->score[k] > s->score[best])) best = k;
        if (best < 0) break;
        s->score[best] = -1 - s->score[best];
        int at = s->count++;
        for (; at > 0 && s->column[at - 1] > best; at--) s->column[at] = s->column[at - 1];
        s->column[at] = best;
    }
}

static void score_row(const job *j, int row, selection *s) {
    size_t n = (size_t)j->n;
    for (size_t k = 0; k < n; k++)
        s->score[k] = fabs((double)j->op->residual[(size_t)row * n + k]) * sqrt(j->gram[k * n + k]);
}

/* Scores of the refitted entries; others are excluded. */
static void score_values(const job *j, selection *s) {
    for (int k = 0; k < j->n; k++) s->score[k] = -1;
    for (int k = 0; k < s->count; k++) {
        size_t c = (size_t)s->column[k];
        s->score[c] = fabs(s->value[k]) * sqrt(j->gram[c * (size_t)j->n + c]);
    }
}

static int block_of(const job *j, const selection *s, int k) {
    return s->column[k] / j->op->coarse_count;
}

/* Subtracts the multiples of the solved indicators that make the sums of the blocks zero. */
static void constrain_sums(const job *j, selection *s) {
    double schur[MAX_BLOCKS * MAX_BLOCKS] = {0}, sum[MAX_BLOCKS] = {0};
    int count = s->count, blocks = j->blocks;
    for (int b = 0; b < blocks; b++) {
        double *solved = s->block + (size_t)b * (size_t)j->candidates;
        for (int k = 0; k < count; k++) solved[k] = block_of(j, s, k) == b;
        vo_dense_cholesky_solve(count, s->factor, solved);
        for (int k = 0; k < count; k++) schur[block_of(j, s, k) * blocks + b] += solved[k];
    }
    for (int k = 0; k < count; k++) sum[block_of(j, s, k)] += s->value[k];
    for (int b = 0; b < blocks; b++)
        if (schur[b * blocks + b] == 0) schur[b * blocks + b] = 1; /* a block without entries */
    if (!vo_dense_cholesky(blocks, schur)) return;
    vo_dense_cholesky_solve(blocks, schur, sum);
    for (int b = 0; b < blocks; b++)
        for (int k = 0; k < count; k++)
            s->value[k] -= sum[b] * s->block[(size_t)b * (size_t)j->candidates + k];
}

/* Fits the selected entries; without a factor, which G being definite excludes, they are 0. */
static void refit(const job *j, int row, selection *s) {
    size_t n = (size_t)j->n, count = (size_t)s->count;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++)
            s->factor[a * count + b] = j->gram[(size_t)s->column[a] * n + (size_t)s->column[b]];
        s->value[a] = j->image[(size_t)row * n + (size_t)s->column[a]];
    }
    if (!vo_dense_cholesky(s->count, s->factor)) {
        memset(s->value, 0, count * sizeof *s->value);
        return;
    }
    vo_dense_cholesky_solve(s->count, s->factor, s->value);
    constrain_sums(j, s);
}

/* Rounds each block of the row with its sum of 0; a block's entries are consecutive. */
static void store_row(const job *j, int row, const selection *s) {
    int *column = j->out->column + (size_t)row * (size_t)j->entries;
    float *weight = j->out->weight + (size_t)row * (size_t)j->entries;
    memcpy(column, s->column, (size_t)j->entries * sizeof *column);
    for (int begin = 0, end; begin < s->count; begin = end) {
        for (end = begin; end < s->count && block_of(j, s, end) == block_of(j, s, begin);) end++;
        vo_round_row(end - begin, s->value + begin, 0, weight + begin);
    }
}

static void compress_rows(void *arg, int begin, int end, int chunk) {
    const job *j = arg;
    selection s = make_selection(j, chunk);
    for (int i = begin; i < end; i++) {
        score_row(j, i, &s);
        select_columns(j, &s, j->candidates);
        refit(j, i, &s);
        score_values(j, &s);
        select_columns(j, &s, j->entries);
        refit(j, i, &s);
        store_row(j, i, &s);
    }
}

/* ---- creation ------------------------------------------------------------------------------- */

static vo_result run(job *j, const vo_upsample_products *products, double *gram, double *residual,
                     double *image, float *value) {
    const vo_upsample_operator *op = j->op;
    size_t count = (size_t)op->fine_count * (size_t)j->n;
    vo_compression_metric(op, products, gram);
    for (size_t i = 0; i < count; i++) residual[i] = (double)op->residual[i];
    VO_TRY(vo_dense_multiply_nn(op->ctx, op->fine_count, j->n, j->n, residual, gram, image));
    j->gram = gram;
    j->image = image;
    vo_parallel_for(op->ctx, op->fine_count, GRAIN, compress_rows, j);
    vo_sparse_residual_expand(j->out, value);
    return vo_compression_measure(op, products, value, &j->out->error);
}

static vo_result compress(job *j, const vo_upsample_products *products) {
    vo_context *ctx = j->op->ctx;
    size_t n = (size_t)j->n, count = (size_t)j->op->fine_count * n;
    size_t scratch = j->scratch_size * (size_t)vo_chunk_count(j->op->fine_count, GRAIN);
    double *gram = vo_new_array(ctx, double, n *n), *residual = vo_new_array(ctx, double, count);
    double *image = vo_new_array(ctx, double, count);
    float *value = vo_new_array(ctx, float, count);
    j->scratch = vo_new_array(ctx, double, scratch);
    vo_result result = gram && residual && image && value && j->scratch
                           ? run(j, products, gram, residual, image, value)
                           : vo_fail_memory(ctx, "a compressed operator");
    vo_free_array(ctx, gram, n * n);
    vo_free_array(ctx, residual, count);
    vo_free_array(ctx, image, count);
    vo_free_array(ctx, value, count);
    vo_free_array(ctx, j->scratch, scratch);
    return result;
}

static vo_result create(const vo_upsample_operator *op, int entries, vo_sparse_residual **out) {
    vo_sparse_residual *s = *out = vo_new(op->ctx, vo_sparse_residual);
    if (!s) return vo_fail_memory(op->ctx, "a compressed operator");
    *s = (vo_sparse_residual){op->ctx, op->fine_count, vo_operator_inputs(op), entries};
    size_t count = (size_t)op->fine_count * (size_t)entries;
    s->column = vo_new_array(op->ctx, int, count);
    s->weight = vo_new_array(op->ctx, float, count);
    s->bytes = count * (sizeof(float) + sizeof(uint16_t));
    return s->column && s->weight ? VO_OK : vo_fail_memory(op->ctx, "a compressed operator");
}

vo_result vo_sparse_residual_create(const vo_upsample_operator *op,
                                    const vo_upsample_products *products, int row_entries,
                                    vo_sparse_residual **out) {
    int n = vo_operator_inputs(op);
    job j = {.op = op, .n = n, .entries = row_entries, .blocks = 1 + op->history};
    VO_REQUIRE(op->ctx, row_entries >= 2 && row_entries <= n && j.blocks <= MAX_BLOCKS &&
                            (!products || products->input_count == n));
    j.candidates = 2 * row_entries < n ? 2 * row_entries : n;
    j.scratch_size = scratch_size(&j);
    vo_result result = create(op, row_entries, out);
    j.out = *out;
    if (result == VO_OK) result = compress(&j, products);
    if (result == VO_OK) return VO_OK;
    vo_sparse_residual_destroy(*out);
    *out = NULL;
    return result;
}

void vo_sparse_residual_destroy(vo_sparse_residual *s) {
    if (!s) return;
    size_t count = (size_t)s->fine_count * (size_t)s->row_entries;
    vo_free_array(s->ctx, s->column, count);
    vo_free_array(s->ctx, s->weight, count);
    vo_delete(s->ctx, s);
}

void vo_sparse_residual_expand(const vo_sparse_residual *s, float *value) {
    size_t n = (size_t)s->input_count, entries = (size_t)s->row_entries;
    memset(value, 0, (size_t)s->fine_count * n * sizeof *value);
    for (size_t i = 0; i < (size_t)s->fine_count; i++)
        for (size_t k = 0; k < entries; k++)
            value[i * n + (size_t)s->column[i * entries + k]] = s->weight[i * entries + k];
}
