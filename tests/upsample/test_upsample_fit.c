/* Tests of fitting against dense reference solutions of the constrained problem, and of the
 * invariances of the result. */
#include "upsample_pairs.h"

#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "upsample/fit/evaluate.h"
#include "upsample/fit/fit.h"
#include "upsample/fit/profile.h"

#include <stdio.h>

static vo_harmonics *make_harmonics(vo_context *ctx, const vo_upsample_mesh *m, int count) {
    vo_harmonics_def def = {.count = count};
    vo_harmonics *h;
    assert_ok(ctx, vo_harmonics_create(ctx, m, &def, &h));
    return h;
}

static vo_upsample_operator *fit_pairs(const vo_upsample_pairs *p, const vo_upsample_fit_def *def) {
    vo_harmonics_def harmonics = {0};
    vo_upsample_operator *op;
    assert_ok(p->ctx, vo_upsample_fit_pairs(p, &harmonics, def, &op));
    assert_ok(p->ctx, vo_upsample_operator_validate(p->ctx, op));
    return op;
}

/* ---- dense reference ------------------------------------------------------------------------ */

/* Solves a x = b by elimination with pivoting; a[n][n] and b[n] are overwritten. */
static void solve_dense(int n, double *a, double *b) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[pivot * n + j], a[pivot * n + j] = t;
        }
        double t = b[k];
        b[k] = b[pivot], b[pivot] = t;
        assert_true(a[k * n + k] != 0);
        for (int i = k + 1; i < n; i++) {
            double w = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n && w != 0; j++) a[i * n + j] -= w * a[k * n + j];
            b[i] -= w * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

/* Uncentred products of the pairs, by plain loops: gram[M][M], cross[N][M] of P_f - B P_c. */
static void plain_products(const vo_upsample_pairs *p, const vo_sparse_rows *base, double *gram,
                           double *cross) {
    int n = p->fine.vertex_count, m = p->coarse.vertex_count;
    memset(gram, 0, (size_t)(m * m) * sizeof *gram);
    memset(cross, 0, (size_t)(n * m) * sizeof *cross);
    for (int f = 0; f < p->frame_count; f++)
        for (int c = 0; c < 3; c++) {
            const float *x = p->coarse_frames + (size_t)f * m * 3 + c;
            const float *y = p->fine_frames + (size_t)f * n * 3 + c;
            for (int j = 0; j < m; j++)
                for (int k = 0; k < m; k++) gram[j * m + k] += (double)x[3 * j] * (double)x[3 * k];
            for (int i = 0; i < n; i++) {
                double r = (double)y[3 * i];
                for (int k = base->first[i]; k < base->first[i + 1]; k++)
                    r -= base->weight[k] * (double)x[3 * base->column[k]];
                for (int j = 0; j < m; j++) cross[i * m + j] += r * (double)x[3 * j];
            }
        }
}

/* Explicit KKT system for the coefficients E = Q^T S D of all rows at once, with one multiplier per
 * fine vertex for (D 1)_i = 0 if all harmonics are used, or per harmonic. */
static double *reference_fit(const vo_upsample_pairs *p, const vo_harmonics *h,
                             const vo_upsample_fit_def *def, int modes) {
    int n = p->fine.vertex_count, m = p->coarse.vertex_count;
    vo_sparse_rows base;
    assert_ok(p->ctx, vo_base_operator_create(p->ctx, &p->coarse, &p->fine, def->base, &base));
    double *gram = calloc((size_t)(m * m), sizeof *gram);
    double *cross = calloc((size_t)(n * m), sizeof *cross);
    double *d = calloc((size_t)(n * m), sizeof *d);
    plain_products(p, &base, gram, cross);
    int size = modes * m + modes;
    double *a = calloc((size_t)size * (size_t)size, sizeof *a),
           *b = calloc((size_t)size, sizeof *b);
    for (int k = 0; k < modes; k++) {
        double gamma = vo_upsample_gamma(def, h, k + 1);
        assert_true(isfinite(gamma));
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) a[(k * m + i) * size + k * m + j] = gram[i * m + j];
            a[(k * m + i) * size + k * m + i] += gamma * gamma * h->total_area;
            a[(k * m + i) * size + modes * m + k] = 1;
            a[(modes * m + k) * size + k * m + i] = 1;
            for (int v = 0; v < n; v++) {
                double s = def->area_weighted ? sqrt(h->area[v] * n / h->total_area) : 1;
                b[k * m + i] += h->mode[(size_t)k * n + v] * s * cross[v * m + i];
            }
        }
    }
    solve_dense(size, a, b);
    for (int v = 0; v < n; v++)
        for (int k = 0; k < modes; k++) {
            double s = def->area_weighted ? sqrt(h->area[v] * n / h->total_area) : 1;
            for (int i = 0; i < m; i++)
                d[v * m + i] += h->mode[(size_t)k * n + v] / s * b[k * m + i];
        }
    free(a), free(b), free(gram), free(cross);
    vo_sparse_rows_free(&base);
    return d;
}

static void check_against_reference(const vo_upsample_pairs *p, vo_upsample_fit_def def,
                                    int modes) {
    vo_harmonics *h = make_harmonics(p->ctx, &p->fine, 0);
    vo_upsample_products *products;
    vo_upsample_operator *op;
    def.harmonic_count = modes;
    assert_ok(p->ctx, vo_upsample_products_create(p, 0, 1, 1, &products));
    assert_ok(p->ctx, vo_upsample_fit(products, h, &def, &op));
    double *expected = reference_fit(p, h, &def, modes), largest = 0;
    for (int i = 0; i < op->fine_count * op->coarse_count; i++)
        largest = fmax(largest, fabs(expected[i]));
    assert_true(largest > 1e-6);
    for (int i = 0; i < op->fine_count * op->coarse_count; i++)
        assert_near((double)op->residual[i], expected[i], 1e-5 * largest);
    free(expected);
    vo_upsample_operator_destroy(op);
    vo_upsample_products_destroy(products);
    vo_harmonics_destroy(h);
}

static void fit_solves_the_constrained_problem(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_upsample_pairs *p = make_pairs(ctx, 3, 3, 6, 5, 20, 2);
    fill_frames(p, 0.02, 0.01, 1);
    vo_upsample_regularisation kinds[] = {VO_UPSAMPLE_HARMONIC, VO_UPSAMPLE_LAPLACIAN,
                                          VO_UPSAMPLE_LINEAR, VO_UPSAMPLE_TIKHONOV};
    vo_upsample_base bases[] = {VO_UPSAMPLE_BARYCENTRIC, VO_UPSAMPLE_LOOP, VO_UPSAMPLE_MEAN};
    for (int k = 0; k < 4; k++)
        for (int b = 0; b < 3; b++) {
            vo_upsample_fit_def def = vo_upsample_fit_def_default();
            def.regularisation = kinds[k];
            def.base = bases[b];
            def.area_weighted = (k + b) % 2 && kinds[k] != VO_UPSAMPLE_TIKHONOV;
            def.gamma_first = 0.1, def.gamma_last = 100, def.alpha = 0.5, def.beta = 2;
            check_against_reference(p, def, 30);
            if (kinds[k] != VO_UPSAMPLE_TIKHONOV) check_against_reference(p, def, 7);
        }
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

/* A cut-off uses the first harmonics only. */
static void cutoff_equals_fit_with_fewer_harmonics(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 3, 3, 6, 5, 20, 1);
    fill_frames(p, 0.02, 0.01, 1);
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    def.regularisation = VO_UPSAMPLE_CUTOFF;
    def.cutoff = 6, def.alpha = 0.3;
    vo_upsample_operator *all = fit_pairs(p, &def);
    def.harmonic_count = 6, def.cutoff = 30;
    vo_upsample_operator *few = fit_pairs(p, &def);
    for (int i = 0; i < 30 * 9; i++) assert_near(all->residual[i], few->residual[i], 1e-6);
    vo_upsample_operator_destroy(all), vo_upsample_operator_destroy(few);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

/* ---- exact cases ---------------------------------------------------------------------------- */

/* Positions that a linear operator with row sums 1 generates are reproduced. */
static void unregularised_fit_recovers_a_linear_operator(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_upsample_pairs *p = make_pairs(ctx, 4, 3, 9, 8, 60, 1);
    fill_frames(p, 0, 0.1, 4);
    vo_random random = vo_random_seed(8);
    int n = p->fine.vertex_count, m = p->coarse.vertex_count;
    double *u = calloc((size_t)(n * m), sizeof *u);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++) sum += u[i * m + j] = vo_random_real(&random, -0.3, 0.5);
        for (int j = 0; j < m; j++) u[i * m + j] += (1 - sum) / m;
        for (int f = 0; f < p->frame_count; f++)
            for (int c = 0; c < 3; c++) {
                double x = 0;
                for (int j = 0; j < m; j++)
                    x += u[i * m + j] * (double)p->coarse_frames[((size_t)f * m + j) * 3 + c];
                p->fine_frames[((size_t)f * n + i) * 3 + c] = (float)x;
            }
    }
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    def.regularisation = VO_UPSAMPLE_UNREGULARISED;
    vo_upsample_operator *op = fit_pairs(p, &def);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double weight = (double)op->residual[i * m + j];
            for (int k = op->base_first[i]; k < op->base_first[i + 1]; k++)
                if (op->base_column[k] == j) weight += (double)op->base_weight[k];
            assert_near(weight, u[i * m + j], 1e-4);
        }
    assert_true(op->error.rms < 1e-5f && op->error.base_rms > 0.1f);
    free(u);
    vo_upsample_operator_destroy(op);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

/* ---- invariances ---------------------------------------------------------------------------- */

static void rows_sum_to_one(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 5, 4, 17, 15, 60, 2);
    fill_frames(p, 0.02, 0.001, 3);
    for (int history = 0; history < 3; history++)
        for (int base = VO_UPSAMPLE_BARYCENTRIC; base <= VO_UPSAMPLE_MEAN; base++) {
            vo_upsample_fit_def def = vo_upsample_fit_def_default();
            def.base = (vo_upsample_base)base;
            def.history = history;
            def.harmonic_count = 40; /* truncated: the constant is not in the basis */
            vo_upsample_operator *op = fit_pairs(p, &def);
            vo_upsample_operator_stats stats = vo_upsample_operator_measure(op);
            assert_true(stats.max_base_sum_error < 1e-8);
            assert_true(stats.max_residual_sum_error < 1e-9);
            assert_true(stats.residual_norm > 0.01);
            vo_upsample_operator_destroy(op);
        }
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static void operator_commutes_with_affine_maps(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 5, 4, 15, 13, 60, 2);
    fill_frames(p, 0.02, 0.001, 3);
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    def.history = 1;
    def.harmonic_count = 50;
    vo_upsample_operator *op = fit_pairs(p, &def);
    int m = op->coarse_count, n = op->fine_count;
    const double a[3][4] = {{0.3, -1.2, 0.4, 10}, {0.9, 0.1, 0.3, -7}, {0.2, 0.5, 1.4, 3}};
    float *coarse = calloc((size_t)(6 * m), sizeof *coarse), *mapped = calloc((size_t)(6 * m), 4);
    float *fine = calloc((size_t)(3 * n), sizeof *fine), *other = calloc((size_t)(3 * n), 4);
    memcpy(coarse, p->coarse_frames + 30 * m, (size_t)(6 * m) * sizeof *coarse);
    for (int i = 0; i < 2 * m; i++)
        for (int c = 0; c < 3; c++) {
            double x = a[c][3];
            for (int k = 0; k < 3; k++) x += a[c][k] * (double)coarse[3 * i + k];
            mapped[3 * i + c] = (float)x;
        }
    vo_upsample_operator_apply(op, (const float *const[]){coarse, coarse + 3 * m}, fine);
    vo_upsample_operator_apply(op, (const float *const[]){mapped, mapped + 3 * m}, other);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            double x = a[c][3];
            for (int k = 0; k < 3; k++) x += a[c][k] * (double)fine[3 * i + k];
            assert_near((double)other[3 * i + c], x, 2e-5);
        }
    free(coarse), free(mapped), free(fine), free(other);
    vo_upsample_operator_destroy(op);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static void scale_mesh(vo_upsample_mesh *m, float factor) {
    for (int i = 0; i < m->vertex_count; i++) {
        m->position[i].x *= factor, m->position[i].y *= factor, m->position[i].z *= factor;
    }
    for (int c = 0; c < 3 * m->triangle_count; c++)
        m->coordinate[c].x *= factor, m->coordinate[c].y *= factor;
}

/* The unit of length does not change an operator: penalties are relative to the garment. */
static void operator_does_not_depend_on_units(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 4, 4, 11, 11, 50, 1);
    fill_frames(p, 0.02, 0.001, 3);
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    for (int kind = VO_UPSAMPLE_HARMONIC; kind <= VO_UPSAMPLE_LINEAR; kind++) {
        def.regularisation = (vo_upsample_regularisation)kind;
        vo_upsample_operator *metres = fit_pairs(p, &def);
        scale_mesh(&p->coarse, 1024), scale_mesh(&p->fine, 1024);
        for (int i = 0; i < 50 * 16 * 3; i++) p->coarse_frames[i] *= 1024;
        for (int i = 0; i < 50 * 121 * 3; i++) p->fine_frames[i] *= 1024;
        vo_upsample_operator *other = fit_pairs(p, &def);
        for (int i = 0; i < 121 * 16; i++)
            assert_near(metres->residual[i], other->residual[i], 2e-5);
        scale_mesh(&p->coarse, 1 / 1024.0f), scale_mesh(&p->fine, 1 / 1024.0f);
        for (int i = 0; i < 50 * 16 * 3; i++) p->coarse_frames[i] /= 1024;
        for (int i = 0; i < 50 * 121 * 3; i++) p->fine_frames[i] /= 1024;
        vo_upsample_operator_destroy(metres), vo_upsample_operator_destroy(other);
    }
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static void operator_does_not_depend_on_threads_or_instruction_set(void **state) {
    (void)state;
    vo_upsample_operator *first = NULL;
    vo_context *ctx[4];
    for (int i = 0; i < 4; i++) {
        ctx[i] = test_context(i % 3 + 1);
        ctx[i]->use_avx2 = ctx[i]->use_avx2 && i < 3;
        vo_upsample_pairs *p = make_pairs(ctx[i], 7, 6, 30, 29, 70, 2);
        fill_frames(p, 0.02, 0.001, 3);
        vo_upsample_fit_def def = vo_upsample_fit_def_default();
        def.history = 1;
        def.mode_count = 2, def.mode_threshold = 0.001;
        vo_upsample_operator *op = fit_pairs(p, &def);
        if (!first) first = op;
        assert_memory_equal(op->residual, first->residual, 30 * 29 * 84 * sizeof(float));
        assert_int_equal(op->mode_count, first->mode_count);
        assert_memory_equal(op->mode_sine, first->mode_sine,
                            (size_t)op->mode_count * 870 * sizeof(float));
        assert_true(memcmp(&op->error, &first->error, sizeof op->error) == 0);
        if (i) vo_upsample_operator_destroy(op);
        vo_upsample_pairs_destroy(p);
    }
    vo_upsample_operator_destroy(first);
    for (int i = 0; i < 4; i++) vo_context_destroy(ctx[i]);
}

/* ---- errors --------------------------------------------------------------------------------- */

/* Plain evaluation of all frames with the history clamped to the sequence. */
static double plain_rms(const vo_upsample_pairs *p, const vo_upsample_operator *op, double *max) {
    int m = op->coarse_count, n = op->fine_count;
    float *fine = calloc((size_t)(3 * n), sizeof *fine);
    double sum = 0;
    *max = 0;
    for (int f = 0; f < p->frame_count; f++) {
        int q = 0;
        while (p->first_frame[q + 1] <= f) q++;
        const float *states[17];
        for (int k = 0; k <= op->history; k++) {
            int at = f - k * op->parameters.history_step;
            if (at < p->first_frame[q]) at = p->first_frame[q];
            states[k] = p->coarse_frames + (size_t)at * m * 3;
        }
        vo_upsample_operator_apply(op, states, fine);
        for (int i = 0; i < n; i++) {
            double d2 = 0;
            for (int c = 0; c < 3; c++) {
                double d =
                    (double)fine[3 * i + c] - (double)p->fine_frames[((size_t)f * n + i) * 3 + c];
                d2 += d * d;
            }
            sum += d2;
            *max = fmax(*max, sqrt(d2));
        }
    }
    free(fine);
    return sqrt(sum / ((double)n * p->frame_count));
}

static void errors_are_those_of_plain_evaluation(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_upsample_pairs *p = make_pairs(ctx, 5, 4, 15, 13, 75, 3);
    fill_frames(p, 0.03, 0.002, 9);
    for (int history = 0; history < 3; history++) {
        vo_upsample_fit_def def = vo_upsample_fit_def_default();
        def.history = history, def.history_step = 1 + history;
        vo_upsample_operator *op = fit_pairs(p, &def);
        double max, rms = plain_rms(p, op, &max);
        assert_near((double)op->error.rms, rms, 1e-4 * rms);
        vo_upsample_error error;
        assert_ok(ctx, vo_upsample_measure_error(p, op, &error));
        assert_near((double)error.rms, rms, 1e-4 * rms);
        assert_near((double)error.max, max, 1e-4 * max);
        assert_near((double)error.base_rms, (double)op->error.base_rms, 1e-5);
        assert_true(error.rms < error.base_rms);
        vo_upsample_operator_destroy(op);
    }
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static double training_error(const vo_upsample_pairs *p, const vo_upsample_fit_def *def) {
    vo_upsample_operator *op = fit_pairs(p, def);
    double error = (double)op->error.rms;
    vo_upsample_operator_destroy(op);
    return error;
}

/* A larger exponent penalises medium frequencies less. */
static void larger_exponents_fit_finer_detail(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 5, 4, 21, 19, 80, 1);
    fill_frames(p, 0.03, 0.002, 9);
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    double last = INFINITY;
    for (int c = 1; c <= 16; c *= 2) {
        def.exponent = c;
        double error = training_error(p, &def);
        assert_true(error < last);
        last = error;
    }
    def.regularisation = VO_UPSAMPLE_UNREGULARISED;
    assert_true(training_error(p, &def) < last);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

/* Detail that lags behind the coarse cloth is predicted from its previous state. */
static void history_predicts_delayed_detail(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 4, 4, 13, 13, 120, 2);
    fill_frames(p, 0, 0.003, 9);
    for (int q = 0; q < 2; q++)
        for (int f = p->first_frame[q + 1] - 1; f > p->first_frame[q] + 3; f--) {
            float *fine = p->fine_frames + (size_t)f * 169 * 3;
            const float *old = p->coarse_frames + (size_t)(f - 4) * 16 * 3;
            for (int i = 0; i < 169; i++)
                fine[3 * i + 1] += 0.3f * (old[3 * 5 + 1] - old[3 * 10 + 1]);
        }
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    def.gamma_last = 10, def.gamma_first = 0.01;
    double without = training_error(p, &def);
    def.history = 1, def.history_step = 4;
    assert_true(training_error(p, &def) < 0.7 * without);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

/* ---- profile -------------------------------------------------------------------------------- */

static void profile_meets_its_bounds(void **state) {
    (void)state;
    for (int c = 1; c <= 8; c++) {
        vo_upsample_profile p = vo_upsample_profile_make(0.8, 1e5, c, 7016);
        double last = 0;
        for (int n = 1; n <= 7016; n++) {
            double gamma = p.a * pow(1 + p.b * (n - 1) / 7016, p.c);
            assert_true(gamma > last);
            last = gamma;
        }
        assert_near(p.a, 0.8, 0);
        assert_near(last, 1e5, 1e-6);
    }
    vo_upsample_profile one = vo_upsample_profile_make(2, 5, 4, 1);
    assert_near(one.a, 2, 0);
}

/* ---- failures ------------------------------------------------------------------------------- */

static void parameters_out_of_range_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_fit_def good = vo_upsample_fit_def_default(), def;
    assert_ok(ctx, vo_upsample_fit_def_validate(ctx, &good));
#define REJECT(member, value, text)                                             \
    def = good, def.member = value;                                             \
    assert_int_equal(vo_upsample_fit_def_validate(ctx, &def), VO_BAD_ARGUMENT); \
    assert_message_contains(ctx, text)
    REJECT(gamma_first, 0, "gamma_first");
    REJECT(gamma_last, 0.5, "gamma_last");
    REJECT(gamma_last, INFINITY, "gamma_last");
    REJECT(exponent, NAN, "exponent");
    REJECT(alpha, -1, "alpha");
    REJECT(history, -1, "history");
    REJECT(history_step, 0, "history");
    REJECT(mode_count, 1000, "oscillatory");
    vo_context_destroy(ctx);
}

static void invalid_positions_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 3, 3, 6, 5, 10, 1);
    fill_frames(p, 0.02, 0.01, 1);
    vo_upsample_products *products;
    p->fine_frames[3 * (4 * 30 + 7)] = NAN;
    assert_int_equal(vo_upsample_products_create(p, 0, 1, 1, &products), VO_BAD_DATA);
    assert_message_contains(ctx, "frame 4");
    assert_message_contains(ctx, "fine vertex 7");
    assert_null(products);
    assert_int_equal(vo_upsample_products_create(p, 0, 1, 11, &products), VO_BAD_DATA);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static vo_result fit_once(vo_context *ctx, void *arg) {
    const vo_upsample_pairs *model = arg;
    vo_upsample_pairs p = *model;
    vo_upsample_fit_def def = vo_upsample_fit_def_default();
    vo_harmonics_def harmonics = {0};
    vo_upsample_operator *op;
    p.ctx = ctx;
    def.mode_count = 1, def.mode_threshold = 0;
    vo_result result = vo_upsample_fit_pairs(&p, &harmonics, &def, &op);
    if (result != VO_OK) assert_null(op);
    vo_upsample_operator_destroy(op);
    return result;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx, 3, 3, 5, 4, 30, 1);
    fill_frames(p, 0.02, 0.01, 1);
    test_every_allocation(fit_once, p);
    vo_upsample_pairs_destroy(p);
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
        cmocka_unit_test(fit_solves_the_constrained_problem),
        cmocka_unit_test(cutoff_equals_fit_with_fewer_harmonics),
        cmocka_unit_test(unregularised_fit_recovers_a_linear_operator),
        cmocka_unit_test(rows_sum_to_one),
        cmocka_unit_test(operator_commutes_with_affine_maps),
        cmocka_unit_test(operator_does_not_depend_on_units),
        cmocka_unit_test(operator_does_not_depend_on_threads_or_instruction_set),
        cmocka_unit_test(errors_are_those_of_plain_evaluation),
        cmocka_unit_test(larger_exponents_fit_finer_detail),
        cmocka_unit_test(history_predicts_delayed_detail),
        cmocka_unit_test(profile_meets_its_bounds),
        cmocka_unit_test(parameters_out_of_range_are_reported),
        cmocka_unit_test(invalid_positions_are_reported),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, skip_without_lapack, NULL);
}
