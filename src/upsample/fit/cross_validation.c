#include "upsample/fit/cross_validation.h"

#include "core/memory.h"
#include "upsample/fit/fit_problem.h"
#include "upsample/fit/profile.h"
#include "upsample/fit/ridge.h"

#include <math.h>
#include <string.h>

const double VO_EXPONENTS[VO_EXPONENT_COUNT] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 16};

typedef struct validation {
    const vo_upsample_products *products;
    vo_sparse_rows base;
    vo_fit_basis basis;
    double area;
    double *row;        /* [folds][basis rows][I] products of the residual in the basis */
    double *energy;     /* [folds] weighted squared error of the base */
    double *train_row;  /* [basis rows][I] */
    double *train_gram; /* [I][I] */
    double *solution;   /* [basis rows][I] */
    double *penalty;    /* [basis rows] */
} validation;

static size_t row_size(const validation *v) {
    return (size_t)v->basis.row_count * (size_t)v->products->input_count;
}

static bool allocate(validation *v) {
    const vo_upsample_products *p = v->products;
    size_t n = (size_t)p->input_count, folds = (size_t)p->fold_count;
    v->row = vo_new_array(p->ctx, double, folds *row_size(v));
    v->energy = vo_new_array(p->ctx, double, folds);
    v->train_row = vo_new_array(p->ctx, double, row_size(v));
    v->train_gram = vo_new_array(p->ctx, double, n *n);
    v->solution = vo_new_array(p->ctx, double, row_size(v));
    v->penalty = vo_new_array(p->ctx, double, v->basis.row_count);
    return v->row && v->energy && v->train_row && v->train_gram && v->solution && v->penalty;
}

static void release(validation *v) {
    const vo_upsample_products *p = v->products;
    size_t n = (size_t)p->input_count, folds = (size_t)p->fold_count;
    vo_free_array(p->ctx, v->row, folds * row_size(v));
    vo_free_array(p->ctx, v->energy, folds);
    vo_free_array(p->ctx, v->train_row, row_size(v));
    vo_free_array(p->ctx, v->train_gram, n * n);
    vo_free_array(p->ctx, v->solution, row_size(v));
    vo_free_array(p->ctx, v->penalty, v->basis.row_count);
    vo_fit_basis_free(&v->basis);
    vo_sparse_rows_free(&v->base);
}

/* ---- folds ---------------------------------------------------------------------------------- */

static const double *gram_of(const validation *v, int fold) {
    size_t n = (size_t)v->products->input_count;
    return v->products->gram + (size_t)fold * n * n;
}

/* Projects the products of a fold's residual; `cross` is scratch, [N][I]. */
static vo_result project_fold(validation *v, int fold, double *cross) {
    const vo_upsample_products *p = v->products;
    size_t size = (size_t)p->fine_count * (size_t)p->input_count;
    memcpy(cross, p->cross + (size_t)fold * size, size * sizeof *cross);
    v->energy[fold] = vo_fit_base_energy(p, &v->base, v->basis.weight, fold);
    vo_upsample_subtract_base(p, &v->base, gram_of(v, fold), cross);
    return vo_fit_basis_project(&v->basis, p->input_count, cross,
                                v->row + (size_t)fold * row_size(v));
}

static vo_result project_folds(validation *v) {
    const vo_upsample_products *p = v->products;
    size_t size = (size_t)p->fine_count * (size_t)p->input_count;
    double *cross = vo_new_array(p->ctx, double, size);
    vo_result result = cross ? VO_OK : vo_fail_memory(p->ctx, "cross-validation");
    for (int fold = 0; fold < p->fold_count && result == VO_OK; fold++)
        result = project_fold(v, fold, cross);
    vo_free_array(p->ctx, cross, size);
    return result;
}

/* Squared error of one candidate, fitted without a fold, on that fold. */
static vo_result test_candidate(validation *v, const vo_ridge *ridge, int fold,
                                const vo_upsample_fit_def *def, double *sum) {
    double energy;
    vo_fit_penalties(&v->basis, def, v->area, v->penalty);
    VO_TRY(vo_ridge_solve(ridge, v->basis.row_count, v->train_row, v->penalty, v->solution));
    VO_TRY(vo_fit_energy(v->products->ctx, v->basis.row_count, v->products->input_count,
                         v->solution, v->row + (size_t)fold * row_size(v), gram_of(v, fold),
                         v->energy[fold], &energy));
    *sum += energy;
    return VO_OK;
}

static vo_result test_fold(validation *v, int fold, int count,
                           const vo_upsample_fit_def *candidates, double *sum) {
    const vo_upsample_products *p = v->products;
    size_t n = (size_t)p->input_count;
    vo_ridge ridge;
    vo_fit_sum_folds(p->fold_count, fold, n * n, p->gram, v->train_gram);
    vo_fit_sum_folds(p->fold_count, fold, row_size(v), v->row, v->train_row);
    VO_TRY(vo_ridge_create(p->ctx, p->input_count, v->train_gram, &ridge));
    vo_result result = vo_check_cancel(p->ctx);
    for (int k = 0; k < count && result == VO_OK; k++)
        result = test_candidate(v, &ridge, fold, &candidates[k], &sum[k]);
    vo_ridge_free(&ridge);
    return result;
}

static vo_result run(validation *v, int count, const vo_upsample_fit_def *candidates, double *rms) {
    const vo_upsample_products *p = v->products;
    if (!allocate(v)) return vo_fail_memory(p->ctx, "cross-validation");
    VO_TRY(project_folds(v));
    memset(rms, 0, (size_t)count * sizeof *rms);
    for (int fold = 0; fold < p->fold_count; fold++)
        VO_TRY(test_fold(v, fold, count, candidates, rms));
    for (int k = 0; k < count; k++)
        rms[k] = sqrt(rms[k] / ((double)p->fine_count * p->pairs->frame_count));
    return VO_OK;
}

/* ---- choices -------------------------------------------------------------------------------- */

static int find_lowest(int count, const double *value) {
    int best = 0;
    for (int k = 1; k < count; k++)
        if (value[k] < value[best]) best = k;
    return best;
}

/* The parameters that determine the basis: of the first candidate that needs harmonics. */
static const vo_upsample_fit_def *find_basis(int count, const vo_upsample_fit_def *candidates) {
    for (int k = 0; k < count; k++)
        if (!vo_upsample_is_uniform(&candidates[k])) return &candidates[k];
    return candidates;
}

/* Also returns the error of the base operator, with the same weights. */
static vo_result validate(const vo_upsample_products *p, const vo_harmonics *h, int count,
                          const vo_upsample_fit_def *candidates, double *rms, double *base_rms) {
    const vo_upsample_pairs *pairs = p->pairs;
    validation v = {.products = p, .base.ctx = p->ctx, .basis.ctx = p->ctx, .area = h->total_area};
    vo_result result = vo_fit_basis_create(p->ctx, h, find_basis(count, candidates), p->fine_count,
                                           p->coarse_count, &v.basis);
    if (result == VO_OK)
        result = vo_base_operator_create(p->ctx, &pairs->coarse, &pairs->fine, candidates->base,
                                         &v.base);
    if (result == VO_OK) result = run(&v, count, candidates, rms);
    double energy = 0;
    for (int fold = 0; result == VO_OK && fold < p->fold_count; fold++) energy += v.energy[fold];
    *base_rms = sqrt(energy / ((double)p->fine_count * pairs->frame_count));
    release(&v);
    return result;
}

vo_result vo_upsample_cross_validate(const vo_upsample_products *p, const vo_harmonics *h,
                                     int count, const vo_upsample_fit_def *candidates, double *rms,
                                     int *best) {
    double base_rms;
    VO_REQUIRE(p->ctx, p->fold_count >= 2 && count >= 1);
    if (!h)
        return vo_fail(p->ctx, VO_BAD_ARGUMENT,
                       "cross-validation compares penalties in the basis of harmonics, which this "
                       "regularisation does not need; choose another one than tikhonov and none");
    for (int k = 0; k < count; k++) VO_TRY(vo_upsample_fit_def_validate(p->ctx, &candidates[k]));
    VO_TRY(validate(p, h, count, candidates, rms, &base_rms));
    *best = find_lowest(count, rms);
    return VO_OK;
}

vo_result vo_upsample_choose_exponent(const vo_upsample_products *products, const vo_harmonics *h,
                                      vo_upsample_fit_def *def, double *rms) {
    vo_upsample_fit_def candidates[VO_EXPONENT_COUNT];
    double error[VO_EXPONENT_COUNT];
    int best = 0;
    if (def->regularisation != VO_UPSAMPLE_HARMONIC)
        return vo_fail(products->ctx, VO_BAD_ARGUMENT,
                       "the exponent is a parameter of harmonic regularisation only; give no "
                       "exponent, or the regularisation harmonic");
    for (int k = 0; k < VO_EXPONENT_COUNT; k++) {
        candidates[k] = *def;
        candidates[k].exponent = VO_EXPONENTS[k];
    }
    VO_TRY(vo_upsample_cross_validate(products, h, VO_EXPONENT_COUNT, candidates, error, &best));
    def->exponent = VO_EXPONENTS[best];
    if (rms) memcpy(rms, error, sizeof error);
    return VO_OK;
}

/* Scores one set of pairs. */
static vo_result score_pairs(const vo_upsample_pairs *pairs, const vo_harmonics *h,
                             const vo_upsample_fit_def *def, vo_tracking_score *score) {
    vo_upsample_products *p;
    VO_TRY(vo_upsample_products_create(pairs, def->history, def->history_step,
                                       VO_CROSS_VALIDATION_FOLDS, &p));
    vo_result result = validate(p, h, 1, def, &score->rms, &score->base_rms);
    double predicted = score->base_rms * score->base_rms - score->rms * score->rms;
    score->predicted_rms = predicted > 0 ? sqrt(predicted) : 0;
    vo_upsample_products_destroy(p);
    return result;
}

vo_result vo_upsample_choose_tracking(int count, const vo_upsample_pairs *const *pairs,
                                      const vo_harmonics *h, const vo_upsample_fit_def *def,
                                      vo_tracking_score *scores, int *best) {
    *best = 0;
    if (count) VO_TRY(vo_upsample_fit_def_validate(pairs[0]->ctx, def));
    for (int k = 0; k < count; k++) {
        VO_TRY(score_pairs(pairs[k], h, def, &scores[k]));
        if (scores[k].predicted_rms > scores[*best].predicted_rms) *best = k;
    }
    return VO_OK;
}
