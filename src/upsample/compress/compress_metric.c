#include "upsample/compress/compress_metric.h"

#include "core/memory.h"
#include "linalg/dense.h"
#include "upsample/fit/fit_problem.h"

#include <math.h>
#include <string.h>

/* Weight of inputs in all directions relative to those of the training data. */
static const double ISOTROPIC = 1e-3;

void vo_compression_metric(const vo_upsample_operator *op, const vo_upsample_products *p,
                           double *gram) {
    size_t n = (size_t)vo_operator_inputs(op);
    double trace = 0;
    memset(gram, 0, n * n * sizeof *gram);
    if (p) vo_fit_sum_folds(p->fold_count, -1, n * n, p->gram, gram);
    for (size_t i = 0; i < n; i++) trace += gram[i * n + i];
    for (size_t i = 0; i < n; i++) gram[i * n + i] += trace > 0 ? ISOTROPIC * trace / (double)n : 1;
}

/* Largest and summed squared norms of the rows of a difference. */
static void measure_rows(int rows, int columns, const double *d, double *largest, double *sum) {
    *largest = *sum = 0;
    for (int i = 0; i < rows; i++) {
        double square = 0;
        for (int k = 0; k < columns; k++) {
            double x = d[(size_t)i * (size_t)columns + (size_t)k];
            square += x * x;
        }
        *largest = fmax(*largest, square);
        *sum += square;
    }
}

/* Root mean square of the change over the frames of the products. */
static vo_result measure_frames(const vo_upsample_operator *op, const vo_upsample_products *p,
                                const double *difference, float *rms) {
    size_t n = (size_t)vo_operator_inputs(op), count = (size_t)op->fine_count * n;
    double *gram = vo_new_array(op->ctx, double, n *n), energy = 0;
    double *zero = vo_alloc_zero(op->ctx, count * sizeof *zero);
    vo_result result = gram && zero ? VO_OK : vo_fail_memory(op->ctx, "a compressed operator");
    if (result == VO_OK) {
        vo_fit_sum_folds(p->fold_count, -1, n * n, p->gram, gram);
        result = vo_fit_energy(op->ctx, op->fine_count, (int)n, difference, zero, gram, 0, &energy);
    }
    *rms = (float)sqrt(energy / ((double)op->fine_count * p->pairs->frame_count));
    vo_free_array(op->ctx, gram, n * n);
    vo_free_array(op->ctx, zero, count);
    return result;
}

vo_result vo_compression_measure(const vo_upsample_operator *op, const vo_upsample_products *p,
                                 const float *value, vo_compression_error *error) {
    int n = vo_operator_inputs(op);
    size_t count = (size_t)op->fine_count * (size_t)n;
    double *difference = vo_new_array(op->ctx, double, count), largest, sum, whole = 0;
    *error = (vo_compression_error){0};
    if (!difference) return vo_fail_memory(op->ctx, "a compressed operator");
    for (size_t i = 0; i < count; i++) {
        difference[i] = (double)op->residual[i] - (double)value[i];
        whole += (double)op->residual[i] * (double)op->residual[i];
    }
    measure_rows(op->fine_count, n, difference, &largest, &sum);
    error->bound = (float)sqrt(largest);
    error->relative = whole > 0 ? (float)sqrt(sum / whole) : 0;
    vo_result result = p ? measure_frames(op, p, difference, &error->rms) : VO_OK;
    vo_free_array(op->ctx, difference, count);
    return result;
}
