/* Products of the training data. */
#include "upsample/fit/products.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/dense.h"

#include <math.h>

/* ---- operands ------------------------------------------------------------------------------- */

/* A range of frames; index k of the products is 3 (frame - first) + coordinate. */
typedef struct frame_range {
    const vo_upsample_products *products;
    int first;
} frame_range;

static int find_sequence(const vo_upsample_pairs *p, int frame) {
    int sequence = 0;
    while (sequence + 1 < p->sequence_count && p->first_frame[sequence + 1] <= frame) sequence++;
    return sequence;
}

int vo_upsample_input_frame(const vo_upsample_products *p, int frame, int block) {
    int first = p->pairs->first_frame[find_sequence(p->pairs, frame)];
    int64_t earlier = (int64_t)frame - (int64_t)block * p->history_step;
    return earlier < first ? first : (int)earlier;
}

/* Input: line = block * coarse_count + vertex. */
static void read_input(const void *operand, int first, int count, int begin, int depth, int stride,
                       double *out) {
    const frame_range *r = operand;
    const vo_upsample_products *p = r->products;
    size_t m = (size_t)p->coarse_count;
    for (int k = 0; k < depth; k++)
        for (int i = 0; i < count; i++) {
            int line = first + i, row = begin + k;
            int frame = vo_upsample_input_frame(p, r->first + row / 3, line / p->coarse_count);
            out[(size_t)k * (size_t)stride + (size_t)i] =
                p->input[((size_t)frame * 3 + (size_t)(row % 3)) * m +
                         (size_t)(line % p->coarse_count)];
        }
}

/* Fine positions relative to the coarse centroid. */
static void read_fine(const void *operand, int first, int count, int begin, int depth, int stride,
                      double *out) {
    const frame_range *r = operand;
    const vo_upsample_products *p = r->products;
    for (int k = 0; k < depth; k++) {
        size_t frame = (size_t)(r->first + (begin + k) / 3), c = (size_t)((begin + k) % 3);
        const float *x = p->pairs->fine_frames + (frame * (size_t)p->fine_count) * 3 + c;
        double centre = p->centre[3 * frame + c];
        for (int i = 0; i < count; i++)
            out[(size_t)k * (size_t)stride + (size_t)i] = (double)x[3 * (first + i)] - centre;
    }
}

/* Rows of D. */
typedef struct residual_rows {
    const float *value;
    size_t columns;
} residual_rows;

static void read_residual(const void *operand, int first, int count, int begin, int depth,
                          int stride, double *out) {
    const residual_rows *r = operand;
    for (int i = 0; i < count; i++) {
        const float *row = r->value + (size_t)(first + i) * r->columns + begin;
        for (int k = 0; k < depth; k++)
            out[(size_t)k * (size_t)stride + (size_t)i] = (double)row[k];
    }
}

/* The input with lines and index k exchanged: lines are frames and coordinates. */
static void read_input_transposed(const void *operand, int first, int count, int begin, int depth,
                                  int stride, double *out) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < depth; k++)
            read_input(operand, begin + k, 1, first + i, 1, 1,
                       out + (size_t)k * (size_t)stride + (size_t)i);
}

vo_result vo_upsample_predict(const vo_upsample_products *p, const float *residual, int first_frame,
                              int count, double *out) {
    frame_range range = {p, first_frame};
    residual_rows rows = {residual, (size_t)p->input_count};
    return vo_dense_multiply(p->ctx, p->fine_count, 3 * count, p->input_count,
                             (vo_dense_operand){read_residual, &rows},
                             (vo_dense_operand){read_input_transposed, &range}, out);
}

/* ---- creation ------------------------------------------------------------------------------- */

static double mean_of(const float *x, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)x[3 * (size_t)i];
    return sum / count;
}

static void centre_frames(void *arg, int begin, int end, int chunk) {
    vo_upsample_products *p = arg;
    size_t m = (size_t)p->coarse_count;
    (void)chunk;
    for (size_t f = (size_t)begin; f < (size_t)end; f++)
        for (size_t c = 0; c < 3; c++) {
            const float *x = p->pairs->coarse_frames + f * m * 3 + c;
            double centre = p->centre[3 * f + c] = mean_of(x, p->coarse_count);
            for (size_t i = 0; i < m; i++)
                p->input[(3 * f + c) * m + i] = (double)x[3 * i] - centre;
        }
}

static vo_result check_finite(const vo_upsample_pairs *p, const vo_upsample_mesh *mesh,
                              const float *frames, const char *what) {
    size_t count = (size_t)mesh->vertex_count * 3;
    for (int f = 0; f < p->frame_count; f++)
        for (size_t i = 0; i < count; i++)
            if (!isfinite(frames[(size_t)f * count + i]))
                return vo_fail(p->ctx, VO_BAD_DATA,
                               "frame %d of the training pairs: %s vertex %zu is not finite", f,
                               what, i / 3);
    return VO_OK;
}

static vo_result check_pairs(const vo_upsample_pairs *p, int folds) {
    if (p->frame_count < folds || p->frame_count < 1 || !p->coarse.vertex_count ||
        !p->fine.vertex_count)
        return vo_fail(p->ctx, VO_BAD_DATA,
                       "%d frames of %d and %d vertices are too few for a fit in %d parts",
                       p->frame_count, p->coarse.vertex_count, p->fine.vertex_count, folds);
    VO_TRY(check_finite(p, &p->coarse, p->coarse_frames, "coarse"));
    return check_finite(p, &p->fine, p->fine_frames, "fine");
}

static bool allocate(vo_upsample_products *p) {
    vo_context *ctx = p->ctx;
    size_t inputs = (size_t)p->input_count, folds = (size_t)p->fold_count;
    size_t frames = 3 * (size_t)p->pairs->frame_count;
    p->fold_first = vo_new_array(ctx, int, folds + 1);
    p->gram = vo_new_array(ctx, double, folds *inputs *inputs);
    p->cross = vo_new_array(ctx, double, folds *inputs *(size_t)p->fine_count);
    p->input = vo_new_array(ctx, double, frames *(size_t)p->coarse_count);
    p->centre = vo_new_array(ctx, double, frames);
    p->energy = vo_new_array(ctx, double, folds *(size_t)p->fine_count);
    return p->fold_first && (!folds || (p->gram && p->cross && p->energy)) && p->input && p->centre;
}

void vo_upsample_products_destroy(vo_upsample_products *p) {
    if (!p) return;
    size_t inputs = (size_t)p->input_count, folds = (size_t)p->fold_count;
    size_t frames = 3 * (size_t)p->pairs->frame_count;
    vo_free_array(p->ctx, p->fold_first, folds + 1);
    vo_free_array(p->ctx, p->gram, folds * inputs * inputs);
    vo_free_array(p->ctx, p->cross, folds * inputs * (size_t)p->fine_count);
    vo_free_array(p->ctx, p->energy, folds * (size_t)p->fine_count);
    vo_free_array(p->ctx, p->input, frames * (size_t)p->coarse_count);
    vo_free_array(p->ctx, p->centre, frames);
    vo_delete(p->ctx, p);
}

static void choose_folds(vo_upsample_products *p) {
    int folds = p->fold_count;
    bool by_sequence = folds > 1 && folds == p->pairs->sequence_count;
    p->fold_first[0] = 0;
    for (int i = 1; i <= folds; i++)
        p->fold_first[i] = by_sequence ? p->pairs->first_frame[i]
                                       : (int)((int64_t)p->pairs->frame_count * i / folds);
}

/* Energies of a range of vertices in all folds. */
static void sum_energies(void *arg, int begin, int end, int chunk) {
    const vo_upsample_products *p = arg;
    size_t n = (size_t)p->fine_count;
    (void)chunk;
    for (size_t fold = 0; fold < (size_t)p->fold_count; fold++) {
        double *energy = p->energy + fold * n;
        for (int i = begin; i < end; i++) energy[i] = 0;
        for (size_t f = (size_t)p->fold_first[fold]; f < (size_t)p->fold_first[fold + 1]; f++)
            for (size_t i = (size_t)begin; i < (size_t)end; i++)
                for (size_t c = 0; c < 3; c++) {
                    double x = (double)p->pairs->fine_frames[(f * n + i) * 3 + c];
                    energy[i] += (x - p->centre[3 * f + c]) * (x - p->centre[3 * f + c]);
                }
    }
}

static vo_result multiply_fold(vo_upsample_products *p, int fold) {
    size_t inputs = (size_t)p->input_count, n = (size_t)p->fine_count;
    frame_range range = {p, p->fold_first[fold]};
    int depth = 3 * (p->fold_first[fold + 1] - p->fold_first[fold]);
    vo_dense_operand input = {read_input, &range}, fine = {read_fine, &range};
    VO_TRY(vo_dense_multiply(p->ctx, p->input_count, p->input_count, depth, input, input,
                             p->gram + (size_t)fold * inputs * inputs));
    return vo_dense_multiply(p->ctx, p->fine_count, p->input_count, depth, fine, input,
                             p->cross + (size_t)fold * n * inputs);
}

static vo_result fill(vo_upsample_products *p) {
    if (!allocate(p)) return vo_fail_memory(p->ctx, "products of training pairs");
    choose_folds(p);
    vo_parallel_for(p->ctx, p->pairs->frame_count, 16, centre_frames, p);
    vo_parallel_for(p->ctx, p->fine_count, 64, sum_energies, p);
    for (int fold = 0; fold < p->fold_count; fold++) {
        VO_TRY(vo_check_cancel(p->ctx));
        VO_TRY(multiply_fold(p, fold));
    }
    return VO_OK;
}

vo_result vo_upsample_products_create(const vo_upsample_pairs *pairs, int history, int history_step,
                                      int folds, vo_upsample_products **out) {
    vo_context *ctx = pairs->ctx;
    *out = NULL;
    VO_REQUIRE(ctx, history >= 0 && history_step >= 1 && folds >= 0);
    if (folds > 1 && pairs->sequence_count > 1) folds = pairs->sequence_count;
    VO_TRY(check_pairs(pairs, folds));
    vo_upsample_products *p = vo_new(ctx, vo_upsample_products);
    if (!p) return vo_fail_memory(ctx, "products of training pairs");
    *p = (vo_upsample_products){.ctx = ctx, .pairs = pairs};
    p->fine_count = pairs->fine.vertex_count;
    p->coarse_count = pairs->coarse.vertex_count;
    p->history = history;
    p->history_step = history_step;
    p->input_count = p->coarse_count * (1 + history);
    p->fold_count = folds;
    vo_result result = fill(p);
    if (result == VO_OK)
        *out = p;
    else
        vo_upsample_products_destroy(p);
    return result;
}

/* ---- residual ------------------------------------------------------------------------------- */

/* The base reads the first block of the input only. */
typedef struct base_job {
    const vo_upsample_products *products;
    const vo_sparse_rows *base;
    const double *gram;
    double *cross;
} base_job;

static void subtract_rows(void *arg, int begin, int end, int chunk) {
    const base_job *job = arg;
    size_t inputs = (size_t)job->products->input_count;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        double *row = job->cross + (size_t)i * inputs;
        for (int k = job->base->first[i]; k < job->base->first[i + 1]; k++) {
            const double *gram = job->gram + (size_t)job->base->column[k] * inputs;
            double w = job->base->weight[k];
            for (size_t j = 0; j < inputs; j++) row[j] -= w * gram[j];
        }
    }
}

void vo_upsample_subtract_base(const vo_upsample_products *p, const vo_sparse_rows *base,
                               const double *gram, double *cross) {
    base_job job = {p, base, gram, cross};
    vo_parallel_for(p->ctx, p->fine_count, 64, subtract_rows, &job);
}
