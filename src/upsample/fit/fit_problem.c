#include "upsample/fit/fit_problem.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/dense.h"
#include "upsample/fit/profile.h"

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

/* Row b of the base: b G b^T - 2 b . cross */
static double row_energy(const vo_sparse_rows *base, int row, size_t inputs, const double *gram,
                         const double *cross) {
    double sum = 0;
    for (int a = base->first[row]; a < base->first[row + 1]; a++) {
        double image = -2 * cross[base->column[a]];
        const double *line = gram + (size_t)base->column[a] * inputs;
        for (int b = base->first[row]; b < base->first[row + 1]; b++)
            image += base->weight[b] * line[base->column[b]];
        sum += base->weight[a] * image;
    }
    return sum;
}

/* From the products: |x - b P|^2 = |x|^2 - 2 b . (x P^T) + b G b^T, with positions relative to the
 * centroid of the coarse vertices, since rows of the base sum to 1. */
double vo_fit_base_energy(const vo_upsample_products *p, const vo_sparse_rows *base,
                          const double *weight, int fold) {
    size_t n = (size_t)p->fine_count, inputs = (size_t)p->input_count, f = (size_t)fold;
    const double *gram = p->gram + f * inputs * inputs, *cross = p->cross + f * n * inputs;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double w = weight ? weight[i] * weight[i] : 1;
        double energy = row_energy(base, (int)i, inputs, gram, cross + i * inputs);
        sum += w * fmax(p->energy[f * n + i] + energy, 0);
    }
    return sum;
}

void vo_fit_sum_folds(int folds, int skip, size_t count, const double *fold, double *sum) {
    memset(sum, 0, count * sizeof *sum);
    for (int f = 0; f < folds; f++)
        for (size_t i = 0; f != skip && i < count; i++) sum[i] += fold[(size_t)f * count + i];
}
