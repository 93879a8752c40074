#include "upsample/fit/fit.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "upsample/fit/fit_problem.h"
#include "upsample/fit/oscillation.h"
#include "upsample/fit/profile.h"
#include "upsample/fit/ridge.h"
#include "upsample/harmonics/laplacian.h"
#include "upsample/rounding.h"

#include <math.h>

/* ---- parameters ----------------------------------------------------------------------------- */

enum { MIN_HARMONICS = 300 };

int vo_upsample_harmonic_count(const vo_upsample_fit_def *def, int fine_count, int coarse_count) {
    int count = def->harmonic_count;
    if (count <= 0) count = 2 * coarse_count > MIN_HARMONICS ? 2 * coarse_count : MIN_HARMONICS;
    return count < fine_count ? count : fine_count;
}

static bool is_penalty(double x) { return x >= 0 && x <= 1e9; }

vo_result vo_upsample_fit_def_validate(vo_context *ctx, const vo_upsample_fit_def *d) {
    const char *defect = NULL;
    if (!(d->gamma_first >= 1e-6 && d->gamma_first <= 1e9))
        defect = "gamma_first must be 1e-6 to 1e9";
    else if (!(d->gamma_last >= d->gamma_first && d->gamma_last <= 1e9))
        defect = "gamma_last must be gamma_first to 1e9";
    else if (!(d->exponent >= 0.1 && d->exponent <= 100))
        defect = "the exponent must be 0.1 to 100";
    else if (!is_penalty(d->alpha) || !is_penalty(d->beta))
        defect = "alpha and beta must be 0 to 1e9";
    else if (d->cutoff < 1 && d->regularisation == VO_UPSAMPLE_CUTOFF)
        defect = "the cut-off must be at least 1";
    else if (d->history < 0 || d->history > VO_RT_MAX_OPERATOR_HISTORY || d->history_step < 1)
        defect = "the history must be 0 to 4 states, at least 1 frame apart";
    else if (d->mode_count < 0 || d->mode_count > VO_RT_MAX_OPERATOR_MODES)
        defect = "the number of oscillatory modes must be 0 to 16";
    else if (d->regularisation < VO_UPSAMPLE_HARMONIC ||
             d->regularisation > VO_UPSAMPLE_UNREGULARISED)
        defect = "the regularisation is not one of vo_upsample_regularisation";
    else if (d->base < VO_UPSAMPLE_BARYCENTRIC || d->base > VO_UPSAMPLE_MEAN)
        defect = "the base is not one of vo_upsample_base";
    else if (!(d->mode_threshold >= 0 && d->mode_threshold <= 1))
        defect = "the threshold of oscillatory modes must be 0 to 1";
    return defect ? vo_fail(ctx, VO_BAD_ARGUMENT, "upsampling fit: %s", defect) : VO_OK;
}

/* ---- solution ------------------------------------------------------------------------------- */

/* Matrices of a fit over all frames. */
typedef struct fit {
    const vo_upsample_products *products;
    const vo_upsample_fit_def *def;
    vo_sparse_rows base;
    vo_fit_basis basis;
    double area;      /* m^2, of the garment */
    double *gram;     /* [I][I] */
    double *cross;    /* [N][I] of the residual of the base */
    double *rows;     /* [basis rows][I] */
    double *penalty;  /* [basis rows] */
    double *residual; /* [N][I] D */
} fit;

static size_t residual_size(const fit *f) {
    return (size_t)f->products->fine_count * (size_t)f->products->input_count;
}

static size_t row_size(const fit *f) {
    return (size_t)f->basis.row_count * (size_t)f->products->input_count;
}

static vo_result allocate(fit *f) {
    vo_context *ctx = f->products->ctx;
    size_t inputs = (size_t)f->products->input_count;
    f->gram = vo_new_array(ctx, double, inputs *inputs);
    f->cross = vo_new_array(ctx, double, residual_size(f));
    f->residual = vo_new_array(ctx, double, residual_size(f));
    f->rows = vo_new_array(ctx, double, row_size(f));
    f->penalty = vo_new_array(ctx, double, f->basis.row_count);
    return f->gram && f->cross && f->residual && f->rows && f->penalty
               ? VO_OK
               : vo_fail_memory(ctx, "a fit");
}

static void release(fit *f) {
    vo_context *ctx = f->products->ctx;
    size_t inputs = (size_t)f->products->input_count;
    vo_free_array(ctx, f->gram, inputs * inputs);
    vo_free_array(ctx, f->cross, residual_size(f));
    vo_free_array(ctx, f->residual, residual_size(f));
    vo_free_array(ctx, f->rows, row_size(f));
    vo_free_array(ctx, f->penalty, f->basis.row_count);
    vo_fit_basis_free(&f->basis);
    vo_sparse_rows_free(&f->base);
}

static void sum_products(fit *f) {
    const vo_upsample_products *p = f->products;
    size_t inputs = (size_t)p->input_count;
    vo_fit_sum_folds(p->fold_count, -1, inputs * inputs, p->gram, f->gram);
    vo_fit_sum_folds(p->fold_count, -1, residual_size(f), p->cross, f->cross);
    vo_upsample_subtract_base(p, &f->base, f->gram, f->cross);
}

static vo_result solve(fit *f) {
    vo_ridge ridge;
    int inputs = f->products->input_count;
    VO_TRY(vo_fit_basis_project(&f->basis, inputs, f->cross, f->rows));
    vo_fit_penalties(&f->basis, f->def, f->area, f->penalty);
    VO_TRY(vo_ridge_create(f->products->ctx, inputs, f->gram, &ridge));
    vo_result result = vo_ridge_solve(&ridge, f->basis.row_count, f->rows, f->penalty, f->rows);
    vo_ridge_free(&ridge);
    if (result != VO_OK) return result;
    return vo_fit_basis_expand(&f->basis, inputs, f->rows, f->residual);
}

/* ---- operator ------------------------------------------------------------------------------- */

typedef struct store_job {
    const double *residual;
    vo_upsample_operator *op;
} store_job;

static void store_rows(void *arg, int begin, int end, int chunk) {
    const store_job *job = arg;
    size_t m = (size_t)job->op->coarse_count, blocks = 1 + (size_t)job->op->history;
    (void)chunk;
    for (size_t i = (size_t)begin * blocks; i < (size_t)end * blocks; i++)
        vo_round_row((int)m, job->residual + i * m, 0, job->op->residual + i * m);
}

static vo_result make_operator(const fit *f, vo_upsample_operator **out) {
    const vo_upsample_products *p = f->products;
    vo_upsample_operator_size size = {p->fine_count, p->coarse_count, f->base.entry_count,
                                      p->history, 0};
    VO_TRY(vo_upsample_operator_create(p->ctx, &size, out));
    vo_upsample_operator *op = *out;
    vo_base_operator_store(&f->base, op);
    store_job job = {f->residual, op};
    vo_parallel_for(p->ctx, p->fine_count, 64, store_rows, &job);
    op->parameters = *f->def;
    op->parameters.harmonic_count = f->basis.harmonics ? f->basis.row_count : 0;
    op->frame_count = p->pairs->frame_count;
    op->history_s = p->history ? p->pairs->frame_s * (float)p->history_step : 0;
    return VO_OK;
}

/* Errors of B and of B + D over the training frames. */
static vo_result measure(const fit *f, vo_upsample_error *error) {
    const vo_upsample_products *p = f->products;
    double base = 0, all, count = (double)p->fine_count * p->pairs->frame_count;
    for (int fold = 0; fold < p->fold_count; fold++)
        base += vo_fit_base_energy(p, &f->base, NULL, fold);
    VO_TRY(vo_fit_energy(p->ctx, p->fine_count, p->input_count, f->residual, f->cross, f->gram,
                         base, &all));
    error->base_rms = (float)sqrt(base / count);
    error->rms = error->mode_rms = (float)sqrt(all / count);
    return VO_OK;
}

static vo_result run(fit *f, vo_upsample_operator **out) {
    VO_TRY(allocate(f));
    sum_products(f);
    VO_TRY(solve(f));
    VO_TRY(make_operator(f, out));
    return measure(f, &(*out)->error);
}

/* Area of the fine mesh; harmonics have it already. */
static vo_result find_area(fit *f, const vo_harmonics *h) {
    f->area = h ? h->total_area : 0;
    return h ? VO_OK : vo_laplacian_area(f->products->ctx, &f->products->pairs->fine, &f->area);
}

vo_result vo_upsample_fit(const vo_upsample_products *products, const vo_harmonics *harmonics,
                          const vo_upsample_fit_def *def, vo_upsample_operator **out) {
    vo_context *ctx = products->ctx;
    const vo_upsample_pairs *pairs = products->pairs;
    fit f = {.products = products, .def = def, .base.ctx = ctx, .basis.ctx = ctx};
    *out = NULL;
    VO_TRY(vo_upsample_fit_def_validate(ctx, def));
    VO_REQUIRE(ctx, def->history == products->history &&
                        (!def->history || def->history_step == products->history_step));
    vo_result result = vo_fit_basis_create(ctx, harmonics, def, products->fine_count,
                                           products->coarse_count, &f.basis);
    if (result == VO_OK) result = find_area(&f, harmonics);
    if (result == VO_OK)
        result = vo_base_operator_create(ctx, &pairs->coarse, &pairs->fine, def->base, &f.base);
    if (result == VO_OK) result = run(&f, out);
    release(&f);
    if (result == VO_OK && def->mode_count) result = vo_upsample_add_modes(products, *out);
    if (result == VO_OK) result = vo_upsample_operator_validate(ctx, *out);
    if (result == VO_OK) return VO_OK;
    vo_upsample_operator_destroy(*out);
    *out = NULL;
    return result;
}

vo_result vo_upsample_fit_pairs(const vo_upsample_pairs *pairs, const vo_harmonics_def *harmonics,
                                const vo_upsample_fit_def *def, vo_upsample_operator **out) {
    vo_context *ctx = pairs->ctx;
    vo_harmonics *h = NULL;
    vo_upsample_products *products = NULL;
    vo_harmonics_def needed = *harmonics;
    *out = NULL;
    VO_TRY(vo_upsample_fit_def_validate(ctx, def));
    needed.count =
        vo_upsample_harmonic_count(def, pairs->fine.vertex_count, pairs->coarse.vertex_count);
    vo_result result =
        vo_upsample_is_uniform(def) ? VO_OK : vo_harmonics_create(ctx, &pairs->fine, &needed, &h);
    if (result == VO_OK)
        result = vo_upsample_products_create(pairs, def->history, def->history_step, 1, &products);
    if (result == VO_OK) result = vo_upsample_fit(products, h, def, out);
    vo_upsample_products_destroy(products);
    vo_harmonics_destroy(h);
    return result;
}
