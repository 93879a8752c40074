#include "upsample/fit_problem.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/dense.h"
#include "upsample/profile.h"

#include <math.h>
#include <string.h>

/* ---- basis ---------------------------------------------------------------------------------- */

vo_result vo_fit_basis_create(vo_context *ctx, const vo_harmonics *h,
                              const vo_upsample_fit_def *def, int fine_count, int coarse_count,
                              vo_fit_basis *out) {
    *out = (vo_fit_basis){.ctx = ctx, .row_count = fine_count, .fine_count = fine_count};
    if (vo_upsample_is_uniform(def)) return VO_OK; /* weights and basis cancel */
    out->harmonics = h;
    out->row_count = vo_upsample_harmonic_count(def, fine_count, coarse_count);
    if (!h || h->vertex_count != fine_count || h->count < out->row_count)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "the fit needs %d harmonics of a mesh of %d vertices",
                       out->row_count, fine_count);
    if (!def->area_weighted) return VO_OK;
    out->weight = vo_new_array(ctx, double, fine_count);
    if (!out->weight) return vo_fail_memory(ctx, "a fit");
    for (int i = 0; i < fine_count; i++)
        out->weight[i] = sqrt(h->area[i] * fine_count / h->total_area);
    return VO_OK;
}

void vo_fit_basis_free(vo_fit_basis *b) {
    vo_free_array(b->ctx, b->weight, b->fine_count);
    b->weight = NULL;
}

/* Harmonics times weights, lines by harmonic. */
static void read_weighted(const void *operand, int first, int count, int begin, int depth,
                          int stride, double *out) {
    const vo_fit_basis *b = operand;
    for (int i = 0; i < count; i++) {
        const double *mode = b->harmonics->mode + (size_t)(first + i) * (size_t)b->fine_count;
        for (int k = 0; k < depth; k++)
            out[(size_t)k * (size_t)stride + (size_t)i] =
                mode[begin + k] * (b->weight ? b->weight[begin + k] : 1);
    }
}

/* Harmonics divided by weights, lines by vertex. */
static void read_unweighted(const void *operand, int first, int count, int begin, int depth,
                            int stride, double *out) {
    const vo_fit_basis *b = operand;
    for (int k = 0; k < depth; k++) {
        const double *mode = b->harmonics->mode + (size_t)(begin + k) * (size_t)b->fine_count;
        for (int i = 0; i < count; i++)
            out[(size_t)k * (size_t)stride + (size_t)i] =
                mode[first + i] / (b->weight ? b->weight[first + i] : 1);
    }
}

vo_result vo_fit_basis_project(const vo_fit_basis *b, int columns, const double *value,
                               double *rows) {
    vo_dense_matrix right = {value, 1, (size_t)columns};
    if (b->harmonics)
        return vo_dense_multiply(b->ctx, b->row_count, columns, b->fine_count,
                                 (vo_dense_operand){read_weighted, b}, vo_dense_read_matrix(&right),
                                 rows);
    memcpy(rows, value, (size_t)b->fine_count * (size_t)columns * sizeof *rows);
    return VO_OK;
}

vo_result vo_fit_basis_expand(const vo_fit_basis *b, int columns, const double *rows,
                              double *value) {
    vo_dense_matrix right = {rows, 1, (size_t)columns};
    if (b->harmonics)
        return vo_dense_multiply(b->ctx, b->fine_count, columns, b->row_count,
                                 (vo_dense_operand){read_unweighted, b},
                                 vo_dense_read_matrix(&right), value);
    memcpy(value, rows, (size_t)b->fine_count * (size_t)columns * sizeof *rows);
    return VO_OK;
}

void vo_fit_penalties(const vo_fit_basis *b, const vo_upsample_fit_def *def, double area,
                      double *penalty) {
    for (int k = 0; k < b->row_count; k++) {
        double gamma = vo_upsample_gamma(def, b->harmonics, k + 1);
        penalty[k] = gamma * gamma * area;
    }
}

/* ---- energies ------------------------------------------------------------------------------- */

vo_result vo_fit_energy(vo_context *ctx, int rows, int columns, const double *d,
                        const double *cross, const double *gram, double energy, double *out) {
    size_t count = (size_t)rows * (size_t)columns;
    double *image = vo_new_array(ctx, double, count);
    if (!image) return vo_fail_memory(ctx, "the error of a fit");
    vo_result result = vo_dense_multiply_nn(ctx, rows, columns, columns, d, gram, image);
    double sum = energy;
    for (size_t i = 0; result == VO_OK && i < count; i++) sum += d[i] * (image[i] - 2 * cross[i]);
    *out = sum > 0 ? sum : 0;
    vo_free_array(ctx, image, count);
    return result;
}

typedef struct energy_job {
    const vo_upsample_pairs *pairs;
    const vo_sparse_rows *base;
    const double *weight;
    int first_frame, end_frame;
    double *partial; /* per chunk */
} energy_job;

/* |p_f - B p_c|^2 of a vertex in a frame */
static double vertex_energy(const energy_job *job, int frame, int i) {
    const vo_upsample_pairs *p = job->pairs;
    const float *fine = p->fine_frames + ((size_t)frame * (size_t)p->fine.vertex_count + i) * 3;
    const float *coarse = p->coarse_frames + (size_t)frame * (size_t)p->coarse.vertex_count * 3;
    double d[3] = {(double)fine[0], (double)fine[1], (double)fine[2]};
    for (int k = job->base->first[i]; k < job->base->first[i + 1]; k++)
        for (int c = 0; c < 3; c++)
            d[c] -= job->base->weight[k] * (double)coarse[3 * job->base->column[k] + c];
    double w = job->weight ? job->weight[i] * job->weight[i] : 1;
    return w * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void sum_energy(void *arg, int begin, int end, int chunk) {
    const energy_job *job = arg;
    double sum = 0;
    for (int f = job->first_frame; f < job->end_frame; f++)
        for (int i = begin; i < end; i++) sum += vertex_energy(job, f, i);
    job->partial[chunk] = sum;
}

vo_result vo_fit_base_energy(const vo_upsample_products *p, const vo_sparse_rows *base,
                             const double *weight, int first_frame, int end_frame, double *out) {
    enum { GRAIN = 64 };
    int chunks = vo_chunk_count(p->fine_count, GRAIN);
    energy_job job = {p->pairs,    base,      weight,
                      first_frame, end_frame, vo_new_array(p->ctx, double, chunks)};
    if (!job.partial) return vo_fail_memory(p->ctx, "the error of a fit");
    vo_parallel_for(p->ctx, p->fine_count, GRAIN, sum_energy, &job);
    *out = 0;
    for (int i = 0; i < chunks; i++) *out += job.partial[i];
    vo_free_array(p->ctx, job.partial, chunks);
    return VO_OK;
}

void vo_fit_sum_folds(int folds, int skip, size_t count, const double *fold, double *sum) {
    memset(sum, 0, count * sizeof *sum);
    for (int f = 0; f < folds; f++)
        for (size_t i = 0; f != skip && i < count; i++) sum[i] += fold[(size_t)f * count + i];
}
