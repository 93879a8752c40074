/* Tests of compressed operators and of cross-validation. */
#include "upsample_pairs.h"

#include "linalg/eigen.h"
#include "upsample/compress/compress.h"
#include "upsample/fit/cross_validation.h"
#include "upsample/fit/evaluate.h"
#include "upsample/fit/fit.h"

#include <stdio.h>

/* A fit and what it needs. */
typedef struct fixture {
    vo_context *ctx;
    vo_upsample_pairs *pairs;
    vo_harmonics *harmonics;
    vo_upsample_products *products;
    vo_upsample_operator *op;
} fixture;

static fixture make_fixture(int threads, int history) {
    fixture f = {test_context(threads)};
    vo_harmonics_def harmonics = {.count = 150};
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    f.pairs = make_pairs(f.ctx, 6, 5, 21, 19, 100, 2);
    fill_frames(f.pairs, 0.03, 0.003, 5);
    def.history = history, def.harmonic_count = 150;
    assert_ok(f.ctx, vo_harmonics_create(f.ctx, &f.pairs->fine, &harmonics, &f.harmonics));
    assert_ok(f.ctx, vo_upsample_products_create(f.pairs, history, 1, 1, &f.products));
    assert_ok(f.ctx, vo_upsample_fit(f.products, f.harmonics, &def, &f.op));
    return f;
}

static void free_fixture(fixture *f) {
    vo_upsample_operator_destroy(f->op);
    vo_upsample_products_destroy(f->products);
    vo_harmonics_destroy(f->harmonics);
    vo_upsample_pairs_destroy(f->pairs);
    vo_context_destroy(f->ctx);
}

/* ---- errors --------------------------------------------------------------------------------- */

/* Largest and mean squared change of the training positions, by plain loops, and whether each is
 * within the bound. */
static double changed_rms(const fixture *f, const float *value, double bound) {
    int n = f->op->coarse_count * (1 + f->op->history), fine = f->op->fine_count;
    double sum = 0;
    for (int frame = 0; frame < f->pairs->frame_count; frame++) {
        double spread = 0;
        for (int k = 0; k < n; k++) {
            int at = vo_upsample_input_frame(f->products, frame, k / f->op->coarse_count);
            for (int c = 0; c < 3; c++) {
                double x =
                    f->products
                        ->input[(3 * at + c) * f->op->coarse_count + k % f->op->coarse_count];
                spread += x * x;
            }
        }
        for (int i = 0; i < fine; i++) {
            double square = 0;
            for (int c = 0; c < 3; c++) {
                double d = 0;
                for (int k = 0; k < n; k++) {
                    int at = vo_upsample_input_frame(f->products, frame, k / f->op->coarse_count);
                    d += ((double)f->op->residual[i * n + k] - (double)value[i * n + k]) *
                         f->products
                             ->input[(3 * at + c) * f->op->coarse_count + k % f->op->coarse_count];
                }
                square += d * d;
            }
            assert_true(sqrt(square) <= bound * sqrt(spread) * 1.0001);
            sum += square;
        }
    }
    return sqrt(sum / ((double)fine * f->pairs->frame_count));
}

static void check_sums(const fixture *f, const float *value, double tolerance) {
    int m = f->op->coarse_count, blocks = f->op->fine_count * (1 + f->op->history);
    for (int i = 0; i < blocks; i++) {
        double sum = 0;
        for (int k = 0; k < m; k++) sum += (double)value[i * m + k];
        assert_near(sum, 0, tolerance);
    }
}

static void low_rank_errors_are_measured_and_fall_with_the_rank(void **state) {
    (void)state;
    for (int history = 0; history < 2; history++) {
        fixture f = make_fixture(2, history);
        int n = 30 * (1 + history), ranks[] = {1, 4, 12, 30 * (1 + history)};
        float *value = calloc((size_t)(f.op->fine_count * n), sizeof *value);
        double last = INFINITY;
        for (int k = 0; k < 4; k++) {
            vo_low_rank *l;
            assert_ok(f.ctx, vo_low_rank_create(f.op, f.products, ranks[k], &l));
            vo_low_rank_expand(l, value);
            double rms = changed_rms(&f, value, (double)l->error.bound);
            assert_near((double)l->error.rms, rms, 1e-3 * rms + 1e-9);
            assert_true((double)l->error.rms < last);
            assert_int_equal(l->bytes, 2 * ranks[k] * (f.op->fine_count + n));
            check_sums(&f, value, 1e-4);
            last = (double)l->error.rms;
            vo_low_rank_destroy(l);
        }
        assert_true(last < 0.01 * (double)f.op->error.base_rms); /* rounding of halves alone */
        free(value);
        free_fixture(&f);
    }
}

/* Weighting by the training data beats plain truncation on them. */
static void low_rank_is_best_for_the_training_data(void **state) {
    (void)state;
    fixture f = make_fixture(1, 0);
    float *value = calloc((size_t)(f.op->fine_count * 30), sizeof *value);
    vo_low_rank *weighted, *plain;
    assert_ok(f.ctx, vo_low_rank_create(f.op, f.products, 3, &weighted));
    assert_ok(f.ctx, vo_low_rank_create(f.op, NULL, 3, &plain));
    vo_low_rank_expand(plain, value);
    assert_true((double)weighted->error.rms < changed_rms(&f, value, (double)plain->error.bound));
    assert_true(plain->error.relative < weighted->error.relative);
    assert_near((double)plain->error.rms, 0, 0);
    vo_low_rank_destroy(weighted), vo_low_rank_destroy(plain);
    free(value);
    free_fixture(&f);
}

static void rank_is_chosen_by_memory(void **state) {
    (void)state;
    fixture f = make_fixture(1, 0);
    assert_int_equal(vo_low_rank_for_bytes(f.op, 2 * 5 * (399 + 30)), 5);
    assert_int_equal(vo_low_rank_for_bytes(f.op, 2 * 5 * (399 + 30) - 1), 4);
    assert_int_equal(vo_low_rank_for_bytes(f.op, 0), 1);
    assert_int_equal(vo_low_rank_for_bytes(f.op, 1 << 30), 30);
    free_fixture(&f);
}

static void sparse_rows_are_refitted_with_their_sums(void **state) {
    (void)state;
    for (int history = 0; history < 2; history++) {
        fixture f = make_fixture(2, history);
        int n = 30 * (1 + history), counts[] = {2, 6, 14, 30 * (1 + history)};
        float *value = calloc((size_t)(f.op->fine_count * n), sizeof *value);
        double last = INFINITY;
        for (int k = 0; k < 4; k++) {
            vo_sparse_residual *s;
            assert_ok(f.ctx, vo_sparse_residual_create(f.op, f.products, counts[k], &s));
            for (int i = 0; i < f.op->fine_count; i++)
                for (int e = 1; e < counts[k]; e++)
                    assert_true(s->column[i * counts[k] + e] > s->column[i * counts[k] + e - 1]);
            vo_sparse_residual_expand(s, value);
            double rms = changed_rms(&f, value, (double)s->error.bound);
            assert_near((double)s->error.rms, rms, 1e-3 * rms + 1e-9);
            assert_true((double)s->error.rms < last);
            check_sums(&f, value, 1e-8);
            last = (double)s->error.rms;
            vo_sparse_residual_destroy(s);
        }
        assert_true(last < 1e-6); /* all entries: the operator itself */
        free(value);
        free_fixture(&f);
    }
}

/* Refitting beats keeping the largest entries as they are. */
static void refitting_lowers_the_error(void **state) {
    (void)state;
    enum { KEEP = 8, N = 30 };
    fixture f = make_fixture(1, 0);
    float *value = calloc((size_t)(f.op->fine_count * N), sizeof *value);
    for (int i = 0; i < f.op->fine_count; i++) {
        double sum = 0;
        int kept[KEEP];
        for (int e = 0; e < KEEP; e++) {
            int best = -1;
            for (int k = 0; k < N; k++)
                if (value[i * N + k] == 0 && (best < 0 || fabsf(f.op->residual[i * N + k]) >
                                                              fabsf(f.op->residual[i * N + best])))
                    best = k;
            value[i * N + best] = f.op->residual[i * N + best];
            sum += (double)value[i * N + best];
            kept[e] = best;
        }
        for (int e = 0; e < KEEP; e++) value[i * N + kept[e]] -= (float)(sum / KEEP);
    }
    vo_sparse_residual *s;
    assert_ok(f.ctx, vo_sparse_residual_create(f.op, f.products, KEEP, &s));
    assert_true((double)s->error.rms < 0.5 * changed_rms(&f, value, 1e9));
    vo_sparse_residual_destroy(s);
    free(value);
    free_fixture(&f);
}

static void compression_does_not_depend_on_threads(void **state) {
    (void)state;
    vo_low_rank *low[3];
    vo_sparse_residual *sparse[3];
    fixture f[3];
    for (int t = 0; t < 3; t++) {
        f[t] = make_fixture(t + 1, 0);
        assert_ok(f[t].ctx, vo_low_rank_create(f[t].op, f[t].products, 7, &low[t]));
        assert_ok(f[t].ctx, vo_sparse_residual_create(f[t].op, f[t].products, 7, &sparse[t]));
        assert_memory_equal(low[t]->left, low[0]->left, 399 * 7 * 2);
        assert_memory_equal(low[t]->right, low[0]->right, 30 * 7 * 2);
        assert_memory_equal(sparse[t]->column, sparse[0]->column, 399 * 7 * sizeof(int));
        assert_memory_equal(sparse[t]->weight, sparse[0]->weight, 399 * 7 * sizeof(float));
    }
    for (int t = 0; t < 3; t++) {
        vo_low_rank_destroy(low[t]), vo_sparse_residual_destroy(sparse[t]);
        free_fixture(&f[t]);
    }
}

static vo_result compress_both(vo_context *ctx, void *arg) {
    fixture *f = arg;
    vo_upsample_operator op = *f->op;
    vo_upsample_products products = *f->products;
    vo_low_rank *l;
    vo_sparse_residual *s;
    op.ctx = products.ctx = ctx;
    VO_TRY(vo_low_rank_create(&op, &products, 3, &l));
    vo_result result = vo_sparse_residual_create(&op, &products, 3, &s);
    vo_low_rank_destroy(l);
    vo_sparse_residual_destroy(s);
    return result;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    fixture f = make_fixture(1, 0);
    test_every_allocation(compress_both, &f);
    free_fixture(&f);
}

/* ---- cross-validation ----------------------------------------------------------------------- */

/* Splits the two sequences into pairs of their own, sharing the arrays. */
static vo_upsample_pairs take_sequence(const vo_upsample_pairs *p, int q, int first[2]) {
    vo_upsample_pairs part = *p;
    size_t begin = (size_t)p->first_frame[q];
    part.frame_count = p->first_frame[q + 1] - p->first_frame[q];
    part.sequence_count = 1;
    part.first_frame = first;
    first[0] = 0, first[1] = part.frame_count;
    part.coarse_frames += begin * (size_t)p->coarse.vertex_count * 3;
    part.fine_frames += begin * (size_t)p->fine.vertex_count * 3;
    part.wind += begin * 3;
    return part;
}

static double fitted_error(const fixture *f, const vo_upsample_pairs *train,
                           const vo_upsample_pairs *test, const vo_upsample_fit_def *def) {
    vo_upsample_products *products;
    vo_upsample_operator *op;
    vo_upsample_error error;
    assert_ok(f->ctx, vo_upsample_products_create(train, 0, 1, 1, &products));
    assert_ok(f->ctx, vo_upsample_fit(products, f->harmonics, def, &op));
    assert_ok(f->ctx, vo_upsample_measure_error(test, op, &error));
    vo_upsample_operator_destroy(op);
    vo_upsample_products_destroy(products);
    return (double)error.rms;
}

/* The error is that of fits without each fold, applied to the fold. */
static void cross_validation_equals_separate_fits(void **state) {
    (void)state;
    fixture f = make_fixture(2, 0);
    vo_upsample_products *folds;
    assert_ok(f.ctx, vo_upsample_products_create(f.pairs, 0, 1, 2, &folds));
    vo_upsample_fit_def def[3];
    double rms[3];
    int best, first[2][2];
    vo_upsample_pairs part[2] = {take_sequence(f.pairs, 0, first[0]),
                                 take_sequence(f.pairs, 1, first[1])};
    for (int k = 0; k < 3; k++) {
        def[k] = vo_upsample_fit_def_default();
        def[k].harmonic_count = 150, def[k].area_weighted = false, def[k].exponent = 2 + 3 * k;
        if (k == 2) def[k].regularisation = VO_UPSAMPLE_LINEAR;
    }
    assert_ok(f.ctx, vo_upsample_cross_validate(folds, f.harmonics, 3, def, rms, &best));
    for (int k = 0; k < 3; k++) {
        double a = fitted_error(&f, &part[0], &part[1], &def[k]);
        double b = fitted_error(&f, &part[1], &part[0], &def[k]);
        assert_near(rms[k], sqrt((a * a + b * b) / 2), 1e-4 * rms[k]);
        assert_true(rms[best] <= rms[k]);
    }
    vo_upsample_products_destroy(folds);
    free_fixture(&f);
}

/* Chooses the exponent for noise of a size. */
static double chosen_exponent(double noise, double *rms) {
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 6, 5, 21, 19, 30, 1);
    vo_harmonics_def harmonics = {.count = 150};
    vo_harmonics *h;
    vo_upsample_products *folds;
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    fill_frames(p, 0.03, 0.002, 5);
    add_fine_noise(p, noise, 6);
    def.harmonic_count = 150, def.gamma_first = 0.01;
    assert_ok(ctx, vo_harmonics_create(ctx, &p->fine, &harmonics, &h));
    assert_ok(ctx, vo_upsample_products_create(p, 0, 1, VO_CROSS_VALIDATION_FOLDS, &folds));
    assert_ok(ctx, vo_upsample_choose_exponent(folds, h, &def, rms));
    vo_upsample_products_destroy(folds);
    vo_harmonics_destroy(h);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
    return def.exponent;
}

/* Detail that follows the coarse cloth exactly admits weak penalties; noise demands strong ones. */
static void noisier_data_give_smoother_operators(void **state) {
    (void)state;
    double clean_rms[VO_EXPONENT_COUNT], noisy_rms[VO_EXPONENT_COUNT];
    double clean = chosen_exponent(0, clean_rms), noisy = chosen_exponent(0.05, noisy_rms);
    assert_true(noisy < clean);
    double best = INFINITY;
    for (int k = 0; k < VO_EXPONENT_COUNT; k++) best = fmin(best, clean_rms[k]);
    assert_true(best < 0.8 * clean_rms[0]);
}

/* Of three sets of pairs, the one whose detail is predicted best and is not suppressed. */
static void tracking_is_chosen_by_predicted_detail(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double wrinkles[3] = {0.1, 0.1, 0}, noise[3] = {0.4, 0.002, 0};
    vo_upsample_pairs *p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = make_pairs(ctx, 6, 5, 21, 19, 120, 2);
        fill_frames(p[k], wrinkles[k], 0.002, 5);
        add_fine_noise(p[k], noise[k], 6);
    }
    vo_harmonics_def harmonics = {.count = 150};
    vo_harmonics *h;
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    vo_tracking_score score[3];
    int best;
    def.harmonic_count = 150;
    assert_ok(ctx, vo_harmonics_create(ctx, &p[0]->fine, &harmonics, &h));
    assert_ok(ctx, vo_upsample_choose_tracking(3, (const vo_upsample_pairs *const *)p, h, &def,
                                               score, &best));
    assert_int_equal(best, 1);
    for (int k = 0; k < 3; k++) assert_true(score[k].predicted_rms < score[k].base_rms);
    vo_harmonics_destroy(h);
    for (int k = 0; k < 3; k++) vo_upsample_pairs_destroy(p[k]);
    vo_context_destroy(ctx);
}

/* Fits need LAPACK. */
static int skip_without_lapack(void **state) {
    (void)state;
    if (vo_eigen_all_available()) return 0;
    puts("skipped: this build has no LAPACK");
    exit(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_rank_errors_are_measured_and_fall_with_the_rank),
        cmocka_unit_test(low_rank_is_best_for_the_training_data),
        cmocka_unit_test(rank_is_chosen_by_memory),
        cmocka_unit_test(sparse_rows_are_refitted_with_their_sums),
        cmocka_unit_test(refitting_lowers_the_error),
        cmocka_unit_test(compression_does_not_depend_on_threads),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(cross_validation_equals_separate_fits),
        cmocka_unit_test(noisier_data_give_smoother_operators),
        cmocka_unit_test(tracking_is_chosen_by_predicted_detail),
    };
    return cmocka_run_group_tests(tests, skip_without_lapack, NULL);
}
