/* Low-rank form of the residual: the singular value decomposition of D G^1/2, truncated, with G the
 * metric of compression. With G = E diag(g) E^T and (D E g^1/2)^T (D E g^1/2) = W diag(s^2) W^T the
 * factors are L = D E g^1/2 W_r and R = W_r^T g^-1/2 E^T. G has the vector of ones of each block as
 * an eigenvector, so R 1 = 0 follows from D 1 = 0. */
#include "upsample/compress/compress.h"

#include "core/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "rt/base/half.h"
#include "upsample/compress/compress_metric.h"
#include "upsample/rounding.h"

#include <math.h>
#include <string.h>

typedef struct decomposition {
    vo_context *ctx;
    int rows, n, rank;
    double *vector;   /* [n][n] E^T, rows scaled by g^1/2 */
    double *value;    /* [n] g, then s^2 */
    double *residual; /* [rows][n] D */
    double *image;    /* [rows][n] D E g^1/2 */
    double *gram;     /* [n][n] its products, then W^T */
    double *left;     /* [rows][rank] */
    double *right;    /* [rank][n] */
} decomposition;

static bool allocate(decomposition *d) {
    size_t rows = (size_t)d->rows, n = (size_t)d->n, rank = (size_t)d->rank;
    d->vector = vo_new_array(d->ctx, double, n *n);
    d->value = vo_new_array(d->ctx, double, n);
    d->residual = vo_new_array(d->ctx, double, rows *n);
    d->image = vo_new_array(d->ctx, double, rows *n);
    d->gram = vo_new_array(d->ctx, double, n *n);
    d->left = vo_new_array(d->ctx, double, rows *rank);
    d->right = vo_new_array(d->ctx, double, rank *n);
    return d->vector && d->value && d->residual && d->image && d->gram && d->left && d->right;
}

static void release(decomposition *d) {
    size_t rows = (size_t)d->rows, n = (size_t)d->n, rank = (size_t)d->rank;
    vo_free_array(d->ctx, d->vector, n * n);
    vo_free_array(d->ctx, d->value, n);
    vo_free_array(d->ctx, d->residual, rows * n);
    vo_free_array(d->ctx, d->image, rows * n);
    vo_free_array(d->ctx, d->gram, n * n);
    vo_free_array(d->ctx, d->left, rows * rank);
    vo_free_array(d->ctx, d->right, rank * n);
}

/* Multiplies row i of a square matrix by value[i]^power. */
static void scale_rows(int n, const double *value, double power, double *matrix) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            matrix[(size_t)i * (size_t)n + (size_t)k] *= pow(value[i], power);
}

/* Fills both factors; `gram` is the metric on entry. */
static vo_result decompose(decomposition *d) {
    int n = d->n;
    double *metric = d->gram;
    memcpy(d->vector, metric, (size_t)n * (size_t)n * sizeof *metric);
    VO_TRY(vo_eigen_all(d->ctx, n, d->vector, d->value));
    scale_rows(n, d->value, 0.5, d->vector);
    VO_TRY(vo_dense_multiply_nt(d->ctx, d->rows, n, n, d->residual, d->vector, d->image));
    scale_rows(n, d->value, -1, d->vector);
    VO_TRY(vo_dense_multiply_tn(d->ctx, n, n, d->rows, d->image, d->image, d->gram));
    VO_TRY(vo_eigen_all(d->ctx, n, d->gram, d->value));
    const double *strongest = d->gram + (size_t)(n - d->rank) * (size_t)n; /* ascending */
    VO_TRY(vo_dense_multiply_nt(d->ctx, d->rows, d->rank, n, d->image, strongest, d->left));
    return vo_dense_multiply_nn(d->ctx, d->rank, n, n, strongest, d->vector, d->right);
}

/* Scales component r so that the largest entries of its column of L and its row of R are equal:
 * half floats below 2^-14 are zero. */
static void balance(decomposition *d) {
    for (int r = 0; r < d->rank; r++) {
        double most[2] = {0}, *row = d->right + (size_t)r * (size_t)d->n;
        double *column = d->left + r;
        for (int i = 0; i < d->rows; i++)
            most[0] = fmax(most[0], fabs(column[(size_t)i * (size_t)d->rank]));
        for (int k = 0; k < d->n; k++) most[1] = fmax(most[1], fabs(row[k]));
        if (!(most[0] > 0 && most[1] > 0)) continue;
        double scale = sqrt(most[1] / most[0]);
        for (int i = 0; i < d->rows; i++) column[(size_t)i * (size_t)d->rank] *= scale;
        for (int k = 0; k < d->n; k++) row[k] /= scale;
    }
}

static vo_result round_factors(const decomposition *d, int block, vo_low_rank *out) {
    size_t count = (size_t)d->rows * (size_t)d->rank;
    for (int i = 0; i < d->rank * d->n; i += block)
        vo_round_row_half(block, d->right + i, 0, out->right + i);
    for (size_t i = 0; i < count; i++) {
        out->left[i] = vo_rt_half_from_float((float)d->left[i]);
        if ((out->left[i] & 0x7fff) >= 0x7c00)
            return vo_fail(d->ctx, VO_BAD_ARGUMENT,
                           "the residual of the operator exceeds the range of half floats");
    }
    return VO_OK;
}

static vo_result compress(const vo_upsample_operator *op, const vo_upsample_products *products,
                          decomposition *d, vo_low_rank *out) {
    size_t count = (size_t)d->rows * (size_t)d->n;
    if (!allocate(d)) return vo_fail_memory(d->ctx, "a compressed operator");
    for (size_t i = 0; i < count; i++) d->residual[i] = (double)op->residual[i];
    vo_compression_metric(op, products, d->gram);
    VO_TRY(decompose(d));
    balance(d);
    VO_TRY(round_factors(d, op->coarse_count, out));
    float *value = vo_new_array(d->ctx, float, count);
    if (!value) return vo_fail_memory(d->ctx, "a compressed operator");
    vo_low_rank_expand(out, value);
    vo_result result = vo_compression_measure(op, products, value, &out->error);
    vo_free_array(d->ctx, value, count);
    return result;
}

int vo_low_rank_for_bytes(const vo_upsample_operator *op, size_t bytes) {
    size_t inputs = (size_t)vo_operator_inputs(op);
    size_t rank = bytes / (sizeof(uint16_t) * ((size_t)op->fine_count + inputs));
    return rank < 1 ? 1 : rank > inputs ? (int)inputs : (int)rank;
}

static vo_result create(const vo_upsample_operator *op, int rank, vo_low_rank **out) {
    vo_low_rank *l = *out = vo_new(op->ctx, vo_low_rank);
    if (!l) return vo_fail_memory(op->ctx, "a compressed operator");
    *l = (vo_low_rank){.ctx = op->ctx, .fine_count = op->fine_count, .rank = rank};
    l->input_count = vo_operator_inputs(op);
    size_t left = (size_t)rank * (size_t)l->fine_count,
           right = (size_t)rank * (size_t)l->input_count;
    l->left = vo_new_array(op->ctx, uint16_t, left);
    l->right = vo_new_array(op->ctx, uint16_t, right);
    l->bytes = (left + right) * sizeof(uint16_t);
    return l->left && l->right ? VO_OK : vo_fail_memory(op->ctx, "a compressed operator");
}

vo_result vo_low_rank_create(const vo_upsample_operator *op, const vo_upsample_products *products,
                             int rank, vo_low_rank **out) {
    decomposition d = {op->ctx, op->fine_count, vo_operator_inputs(op), rank};
    VO_REQUIRE(op->ctx, rank >= 1 && rank <= d.n && (!products || products->input_count == d.n));
    vo_result result = create(op, rank, out);
    if (result == VO_OK) result = compress(op, products, &d, *out);
    release(&d);
    if (result == VO_OK) return VO_OK;
    vo_low_rank_destroy(*out);
    *out = NULL;
    return result;
}

void vo_low_rank_destroy(vo_low_rank *l) {
    if (!l) return;
    vo_free_array(l->ctx, l->left, (size_t)l->rank * (size_t)l->fine_count);
    vo_free_array(l->ctx, l->right, (size_t)l->rank * (size_t)l->input_count);
    vo_delete(l->ctx, l);
}

void vo_low_rank_expand(const vo_low_rank *l, float *value) {
    size_t n = (size_t)l->input_count, rank = (size_t)l->rank;
    memset(value, 0, (size_t)l->fine_count * n * sizeof *value);
    for (size_t i = 0; i < (size_t)l->fine_count; i++)
        for (size_t r = 0; r < rank; r++) {
            float w = vo_rt_half_to_float(l->left[i * rank + r]);
            for (size_t k = 0; k < n; k++)
                value[i * n + k] += w * vo_rt_half_to_float(l->right[r * n + k]);
        }
}
