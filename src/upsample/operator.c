/* Memory, validation and reference evaluation of upsampling operators. */
#include "upsample/operator.h"

#include "core/memory.h"

#include <voile/rt.h>

#include <math.h>

vo_upsample_fit_def vo_upsample_fit_def_default(void) {
    return (vo_upsample_fit_def){
        .regularisation = VO_UPSAMPLE_HARMONIC,
        .base = VO_UPSAMPLE_BARYCENTRIC,
        .area_weighted = true,
        .gamma_first = 1,
        .gamma_last = 1e5,
        .exponent = 4,
        .alpha = 1,
        .beta = 1,
        .cutoff = 100,
        .history_step = 1,
        .mode_threshold = 0.1,
    };
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t residual_size(const vo_upsample_operator *op) {
    return (size_t)op->fine_count * (size_t)op->coarse_count * (size_t)(1 + op->history);
}

static size_t mode_size(const vo_upsample_operator *op) {
    return (size_t)op->mode_count * (size_t)op->fine_count;
}

static void free_modes(vo_upsample_operator *op) {
    vo_free_array(op->ctx, op->mode_rate, op->mode_count);
    vo_free_array(op->ctx, op->mode_fraction, op->mode_count);
    vo_free_array(op->ctx, op->mode_sine, mode_size(op));
    vo_free_array(op->ctx, op->mode_cosine, mode_size(op));
    op->mode_rate = op->mode_fraction = op->mode_sine = op->mode_cosine = NULL;
    op->mode_count = 0;
}

vo_result vo_upsample_operator_set_mode_count(vo_upsample_operator *op, int count) {
    vo_context *ctx = op->ctx;
    free_modes(op);
    if (count == 0) return VO_OK;
    op->mode_count = count;
    op->mode_rate = vo_alloc_zero(ctx, (size_t)count * sizeof(float));
    op->mode_fraction = vo_alloc_zero(ctx, (size_t)count * sizeof(float));
    op->mode_sine = vo_alloc_zero(ctx, mode_size(op) * sizeof(float));
    op->mode_cosine = vo_alloc_zero(ctx, mode_size(op) * sizeof(float));
    if (op->mode_rate && op->mode_fraction && op->mode_sine && op->mode_cosine) return VO_OK;
    free_modes(op);
    return vo_fail_memory(ctx, "oscillatory modes");
}

static bool allocate(vo_upsample_operator *op) {
    vo_context *ctx = op->ctx;
    size_t n = (size_t)op->base_entries;
    op->base_first = vo_alloc_zero(ctx, ((size_t)op->fine_count + 1) * sizeof(int));
    op->base_column = vo_alloc_zero(ctx, n * sizeof(int));
    op->base_weight = vo_alloc_zero(ctx, n * sizeof(float));
    op->residual = vo_alloc_zero(ctx, vo_array_bytes(residual_size(op), sizeof(float)));
    return op->base_first && op->base_column && op->base_weight && op->residual;
}

vo_result vo_upsample_operator_create(vo_context *ctx, const vo_upsample_operator_size *size,
                                      vo_upsample_operator **out) {
    vo_upsample_operator *op = *out = vo_new(ctx, vo_upsample_operator);
    if (!op) return vo_fail_memory(ctx, "an upsampling operator");
    op->ctx = ctx;
    op->fine_count = size->fine_count;
    op->coarse_count = size->coarse_count;
    op->history = size->history;
    op->base_entries = size->base_entries;
    op->parameters = vo_upsample_fit_def_default();
    bool ok = allocate(op) && vo_upsample_operator_set_mode_count(op, size->mode_count) == VO_OK;
    if (ok) return VO_OK;
    vo_upsample_operator_destroy(op);
    *out = NULL;
    return vo_fail_memory(ctx, "an upsampling operator");
}

void vo_upsample_operator_destroy(vo_upsample_operator *op) {
    if (!op) return;
    vo_free_array(op->ctx, op->base_first, op->fine_count + 1);
    vo_free_array(op->ctx, op->base_column, op->base_entries);
    vo_free_array(op->ctx, op->base_weight, op->base_entries);
    vo_free_array(op->ctx, op->residual, residual_size(op));
    free_modes(op);
    vo_delete(op->ctx, op);
}

/* ---- validation ----------------------------------------------------------------------------- */

/* Rounding of float weights leaves less than this in the sum of a row, relative to its size. */
static const double SUM_TOLERANCE = 1e-4;

static bool is_finite(const float *value, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(value[i])) return false;
    return true;
}

/* Sum of a row, and of its absolute values. */
static double sum_row(const float *row, int count, double *size) {
    double sum = 0;
    *size = 0;
    for (int i = 0; i < count; i++) {
        sum += (double)row[i];
        *size += fabs((double)row[i]);
    }
    return sum;
}

static bool is_base_valid(const vo_upsample_operator *op) {
    const int *first = op->base_first;
    if (first[0] != 0 || first[op->fine_count] != op->base_entries) return false;
    for (int i = 0; i < op->fine_count; i++) {
        double size;
        if (first[i + 1] <= first[i] || first[i + 1] > op->base_entries) return false;
        for (int k = first[i]; k < first[i + 1]; k++)
            if (op->base_column[k] < 0 || op->base_column[k] >= op->coarse_count) return false;
        double sum = sum_row(op->base_weight + first[i], first[i + 1] - first[i], &size);
        if (!(fabs(sum - 1) <= SUM_TOLERANCE * size)) return false;
    }
    return is_finite(op->base_weight, (size_t)first[op->fine_count]);
}

static bool is_residual_valid(const vo_upsample_operator *op) {
    int m = op->coarse_count;
    size_t blocks = (size_t)op->fine_count * (size_t)(1 + op->history);
    for (size_t i = 0; i < blocks; i++) {
        double size, sum = sum_row(op->residual + i * (size_t)m, m, &size);
        if (!(fabs(sum) <= SUM_TOLERANCE * size)) return false;
    }
    return is_finite(op->residual, residual_size(op));
}

static bool are_modes_valid(const vo_upsample_operator *op) {
    size_t n = mode_size(op);
    for (int i = 0; i < op->mode_count; i++)
        if (!(op->mode_rate[i] > 0)) return false;
    return is_finite(op->mode_rate, (size_t)op->mode_count) &&
           is_finite(op->mode_fraction, (size_t)op->mode_count) && is_finite(op->mode_sine, n) &&
           is_finite(op->mode_cosine, n) && op->mode_wind >= 0 && isfinite(op->mode_wind);
}

static bool are_sizes_valid(const vo_upsample_operator *op) {
    return op->fine_count >= 1 && op->coarse_count >= 1 && op->history >= 0 &&
           op->history <= VO_RT_MAX_OPERATOR_HISTORY && op->mode_count >= 0 &&
           op->mode_count <= VO_RT_MAX_OPERATOR_MODES &&
           (op->history == 0 || (op->history_s > 0 && isfinite(op->history_s)));
}

vo_result vo_upsample_operator_validate(vo_context *ctx, const vo_upsample_operator *op) {
    const char *defect = NULL;
    if (!are_sizes_valid(op))
        defect = "sizes are out of range";
    else if (!is_base_valid(op))
        defect = "the base operator is damaged";
    else if (!is_residual_valid(op))
        defect = "rows of the residual do not sum to 0";
    else if (!are_modes_valid(op))
        defect = "oscillatory modes are damaged";
    return defect ? vo_fail(ctx, VO_BAD_DATA, "upsampling operator: %s", defect) : VO_OK;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* sum[3] += the row of B applied to coarse positions */
static void add_base_row(const vo_upsample_operator *op, int row, const float *coarse,
                         double sum[3]) {
    for (int k = op->base_first[row]; k < op->base_first[row + 1]; k++) {
        const float *x = coarse + 3 * (size_t)op->base_column[k];
        for (int c = 0; c < 3; c++) sum[c] += (double)op->base_weight[k] * (double)x[c];
    }
}

/* sum[3] += a row of a block of D applied to coarse positions */
static void add_residual_row(const float *row, int count, const float *coarse, double sum[3]) {
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) sum[c] += (double)row[k] * (double)coarse[3 * (size_t)k + c];
}

void vo_upsample_operator_apply_base(const vo_upsample_operator *op, const float *coarse,
                                     float *fine) {
    for (int i = 0; i < op->fine_count; i++) {
        double sum[3] = {0};
        add_base_row(op, i, coarse, sum);
        for (int c = 0; c < 3; c++) fine[3 * (size_t)i + c] = (float)sum[c];
    }
}

void vo_upsample_operator_apply(const vo_upsample_operator *op, const float *const *states,
                                float *fine) {
    size_t m = (size_t)op->coarse_count, blocks = 1 + (size_t)op->history;
    for (int i = 0; i < op->fine_count; i++) {
        double sum[3] = {0};
        add_base_row(op, i, states[0], sum);
        for (size_t k = 0; k < blocks; k++)
            add_residual_row(op->residual + ((size_t)i * blocks + k) * m, (int)m, states[k], sum);
        for (int c = 0; c < 3; c++) fine[3 * (size_t)i + c] = (float)sum[c];
    }
}

/* ---- measures ------------------------------------------------------------------------------- */

/* Row of U = B + D for the current state; `row` has coarse_count elements. */
static void expand_row(const vo_upsample_operator *op, int i, double *row) {
    const float *d =
        op->residual + (size_t)i * (size_t)op->coarse_count * (size_t)(1 + op->history);
    for (int k = 0; k < op->coarse_count; k++) row[k] = (double)d[k];
    for (int k = op->base_first[i]; k < op->base_first[i + 1]; k++)
        row[op->base_column[k]] += (double)op->base_weight[k];
}

/* Sums over the weights of U. */
typedef struct weight_sums {
    double absolute, negative, inputs;
} weight_sums;

static void measure_row(const double *row, int count, vo_upsample_operator_stats *s,
                        weight_sums *sums) {
    double absolute = 0, square = 0;
    for (int k = 0; k < count; k++) {
        s->max_weight = row[k] > s->max_weight ? row[k] : s->max_weight;
        s->min_weight = row[k] < s->min_weight ? row[k] : s->min_weight;
        absolute += fabs(row[k]);
        square += row[k] * row[k];
        if (row[k] < 0) sums->negative -= row[k];
    }
    sums->absolute += absolute;
    if (square > 0) sums->inputs += absolute * absolute / square;
}

static void measure_sums(const vo_upsample_operator *op, int i, vo_upsample_operator_stats *s) {
    int first = op->base_first[i], m = op->coarse_count;
    double size, sum = sum_row(op->base_weight + first, op->base_first[i + 1] - first, &size);
    s->max_base_sum_error = fmax(s->max_base_sum_error, fabs(sum - 1));
    for (int k = 0; k <= op->history; k++) {
        size_t block = (size_t)i * (size_t)(1 + op->history) + (size_t)k;
        sum = sum_row(op->residual + block * (size_t)m, m, &size);
        s->max_residual_sum_error = fmax(s->max_residual_sum_error, fabs(sum));
    }
}

vo_upsample_operator_stats vo_upsample_operator_measure(const vo_upsample_operator *op) {
    vo_upsample_operator_stats s = {0};
    weight_sums sums = {0};
    double *row = vo_new_array(op->ctx, double, op->coarse_count);
    for (int i = 0; i < op->fine_count; i++) {
        measure_sums(op, i, &s);
        if (!row) continue;
        expand_row(op, i, row);
        measure_row(row, op->coarse_count, &s, &sums);
    }
    vo_free_array(op->ctx, row, op->coarse_count);
    double square = 0;
    for (size_t i = 0; i < residual_size(op); i++)
        square += (double)op->residual[i] * (double)op->residual[i];
    s.residual_norm = sqrt(square);
    s.negative_share = sums.absolute > 0 ? sums.negative / sums.absolute : 0;
    s.effective_inputs = op->fine_count ? sums.inputs / op->fine_count : 0;
    s.base_bytes = (size_t)op->base_first[op->fine_count] * (sizeof(int) + sizeof(float));
    s.residual_bytes = residual_size(op) * sizeof(float);
    s.mode_bytes = 2 * mode_size(op) * sizeof(float);
    return s;
}
