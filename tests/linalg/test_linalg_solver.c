/* Tests of the solvers against dense Cholesky and each other, and with invalid matrices and values.
 */
#include "linalg_dense.h"

static const vo_preconditioner BOTH[] = {VO_PRECONDITION_TWO_LEVEL, VO_PRECONDITION_JACOBI};

static vo_solve_report solve_with(block_system *s, vo_preconditioner preconditioner,
                                  double tolerance, int max_iterations) {
    vo_pcg *pcg;
    assert_ok(s->ctx, vo_pcg_create(s->ctx, &s->pattern, &pcg));
    vo_pcg_def def = {
        .preconditioner = preconditioner, .tolerance = tolerance, .max_iterations = max_iterations};
    vo_solve_report report = vo_pcg_solve(pcg, &def, &s->a, s->b, s->x);
    vo_pcg_destroy(pcg);
    return report;
}

/* Replaces a row and column by the identity with b = 0. */
static void pin(block_system *s, int row) {
    const vo_block_pattern *p = &s->pattern;
    for (int k = p->row_start[row]; k < p->row_start[row + 1]; k++) {
        memset(block_at(&s->a, k), 0, VO_BLOCK_FLOATS * sizeof(float));
        memset(block_at(&s->a, p->transpose[k]), 0, VO_BLOCK_FLOATS * sizeof(float));
    }
    float *m = block_at(&s->a, p->diagonal[row]);
    m[0] = m[5] = m[10] = 1;
    s->b[row] = (vo_vec4){0, 0, 0, 0};
}

/* ---- correctness ---------------------------------------------------------------------------- */

static void conjugate_gradients_agree_with_dense_cholesky(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    int sizes[] = {1, 2, 15, 16, 17, 40, 127, 129, 255, 256, 257, 300};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        block_system s;
        make_random_system(&s, ctx, sizes[c], 9, 1.02, c);
        if (sizes[c] > 20) pin(&s, 5), pin(&s, 18);
        double *d = dense_matrix(&s), *y = dense_vector(s.b, sizes[c]);
        dense_solve(d, y, 3 * sizes[c]);
        for (int k = 0; k < 2; k++) {
            vo_solve_report report = solve_with(&s, BOTH[k], 1e-11, 500);
            assert_true(report.converged);
            assert_true(report.residual <= 1e-11);
            assert_close(s.x, y, sizes[c], 1e-9);
            memset(s.x, 0, (size_t)sizes[c] * sizeof *s.x);
        }
        free(d), free(y);
        free_system(&s);
    }
    vo_context_destroy(ctx);
}

static void pinned_rows_do_not_move(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, 400, 9, 1.02, 4);
    for (int i = 0; i < 400; i += 7) pin(&s, i);
    for (int i = 160; i < 176; i++) pin(&s, i); /* a whole aggregate */
    for (int k = 0; k < 2; k++) {
        memset(s.x, 0, 400 * sizeof *s.x);
        assert_true(solve_with(&s, BOTH[k], 1e-8, 500).converged);
        for (int i = 0; i < 400; i++)
            if (i % 7 == 0 || (i >= 160 && i < 176))
                assert_true(s.x[i].x == 0 && s.x[i].y == 0 && s.x[i].z == 0);
    }
    free_system(&s);
    vo_context_destroy(ctx);
}

static void direct_solver_agrees_with_dense_cholesky(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    if (!vo_direct_available()) {
        vo_direct *none;
        vo_block_pattern empty = {0};
        assert_int_equal(vo_direct_create(ctx, &empty, &none), VO_BAD_ARGUMENT);
        assert_null(none);
        assert_message_contains(ctx, "without CHOLMOD");
        vo_direct_destroy(none);
        vo_context_destroy(ctx);
        skip();
    }
    int sizes[] = {1, 2, 17, 120};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        block_system s;
        make_random_system(&s, ctx, sizes[c], 9, 1.02, c);
        vo_direct *direct;
        assert_ok(ctx, vo_direct_create(ctx, &s.pattern, &direct));
        for (uint64_t seed = 0; seed < 3; seed++) { /* one analysis, several matrices */
            fill_random(&s, 1.02, seed);
            double *d = dense_matrix(&s), *y = dense_vector(s.b, sizes[c]);
            dense_solve(d, y, 3 * sizes[c]);
            vo_solve_report report = vo_direct_solve(direct, &s.a, s.b, s.x);
            assert_true(report.converged);
            assert_true(report.residual < 1e-13);
            assert_close(s.x, y, sizes[c], 1e-12);
            free(d), free(y);
        }
        vo_direct_destroy(direct);
        free_system(&s);
    }
    vo_context_destroy(ctx);
}

/* ---- initial guess -------------------------------------------------------------------------- */

static void initial_guess_is_kept_if_better(void **state) {
    (void)state;
    enum { N = 200 };
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, N, 9, 1.02, 6);
    for (int k = 0; k < 2; k++) {
        memset(s.x, 0, N * sizeof *s.x);
        vo_solve_report cold = solve_with(&s, BOTH[k], 1e-6, 500);
        vo_vec4 solution[N];
        memcpy(solution, s.x, sizeof solution);
        assert_true(cold.converged && cold.iterations > 3);

        assert_int_equal(solve_with(&s, BOTH[k], 2e-6, 500).iterations, 0);
        assert_memory_equal(s.x, solution, sizeof solution);

        for (int i = 0; i < N; i++) s.x[i].x *= 1.001;
        vo_solve_report warm = solve_with(&s, BOTH[k], 1e-6, 500);
        assert_true(warm.converged && warm.iterations < cold.iterations);

        double bad[] = {1e6, -1, NAN, INFINITY};
        for (int g = 0; g < 4; g++) {
            for (int i = 0; i < N; i++) s.x[i] = (vo_vec4){bad[g], bad[g], bad[g], 0};
            vo_solve_report report = solve_with(&s, BOTH[k], 1e-6, 500);
            assert_int_equal(report.iterations, cold.iterations);
            assert_memory_equal(s.x, solution, sizeof solution);
        }
    }
    free_system(&s);
    vo_context_destroy(ctx);
}

static void zero_right_side_gives_zero(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, 50, 9, 1.02, 6);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 50; i++) s.b[i] = (vo_vec4){0, 0, 0, 0}, s.x[i].y = 1;
        vo_solve_report report = solve_with(&s, BOTH[k], 1e-6, 500);
        assert_true(report.converged && report.iterations == 0 && report.residual == 0);
        for (int i = 0; i < 50; i++) assert_true(s.x[i].y == 0);
    }
    free_system(&s);
    vo_context_destroy(ctx);
}

/* ---- determinism ---------------------------------------------------------------------------- */

/* Threads process single tiles of the smaller system and several at once of the larger. */
enum { FEW_ROWS = 1700, MANY_ROWS = 26000 };

static void solve_on(int threads, bool avx2, vo_preconditioner preconditioner, int rows, vo_vec4 *x,
                     vo_solve_report *report) {
    vo_context *ctx = test_context(threads);
    ctx->use_avx2 = ctx->use_avx2 && avx2;
    block_system s;
    make_random_system(&s, ctx, rows, 20, 1.001, 2);
    *report = solve_with(&s, preconditioner, 1e-7, 500);
    memcpy(x, s.x, (size_t)rows * sizeof *x);
    free_system(&s);
    vo_context_destroy(ctx);
}

static void solution_is_independent_of_kernel_and_threads(void **state) {
    (void)state;
    static vo_vec4 one[MANY_ROWS], other[MANY_ROWS];
    for (int k = 0; k < 4; k++) {
        int rows = k < 2 ? FEW_ROWS : MANY_ROWS;
        vo_solve_report base, report;
        solve_on(1, false, BOTH[k % 2], rows, one, &base);
        assert_true(base.converged && base.iterations > 3);
        for (int threads = 1; threads <= 3; threads++) {
            solve_on(threads, true, BOTH[k % 2], rows, other, &report);
            assert_int_equal(base.iterations, report.iterations);
            assert_memory_equal(&base.residual, &report.residual, sizeof base.residual);
            assert_memory_equal(one, other, (size_t)rows * sizeof *one);
        }
    }
}

/* ---- invalid matrices ----------------------------------------------------------------------- */

/* Indefinite by a diagonal block, by couplings, or by a small part of the spectrum. */
static void indefinite_matrix_does_not_converge(void **state) {
    (void)state;
    enum { N = 60 };
    vo_context *ctx = test_context(1);
    for (int kind = 0; kind < 3; kind++) {
        for (int k = 0; k < 2; k++) {
            block_system s;
            make_random_system(&s, ctx, N, 9, kind == 1 ? 0.1 : 1.02, 11);
            if (kind == 0) block_at(&s.a, s.pattern.diagonal[30])[5] = -1;
            if (kind == 2) {
                float *m = block_at(&s.a, vo_block_pattern_find(&s.pattern, 20, 21));
                for (int e = 0; e < VO_BLOCK_FLOATS; e++) m[e] *= 1000;
                vo_block_matrix_symmetrise(ctx, &s.a);
            }
            vo_solve_report report = solve_with(&s, BOTH[k], 1e-10, 5000);
            assert_false(report.converged);
            assert_true(report.iterations < 5000);
            assert_true(all_finite(s.x, N));
            free_system(&s);
        }
    }
    vo_context_destroy(ctx);
}

static void direct_solver_rejects_invalid_matrix(void **state) {
    (void)state;
    if (!vo_direct_available()) skip();
    enum { N = 60 };
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, N, 9, 1.02, 11);
    vo_direct *direct;
    assert_ok(ctx, vo_direct_create(ctx, &s.pattern, &direct));
    float *m = block_at(&s.a, s.pattern.diagonal[30]), good = m[5];
    float bad[] = {-1, 0, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        m[5] = bad[k];
        for (int i = 0; i < N; i++) s.x[i].z = 7;
        assert_false(vo_direct_solve(direct, &s.a, s.b, s.x).converged);
        for (int i = 0; i < N; i++) assert_true(s.x[i].z == 7);
    }
    m[5] = good; /* and recovers afterwards */
    assert_true(vo_direct_solve(direct, &s.a, s.b, s.x).residual < 1e-13);
    vo_direct_destroy(direct);
    free_system(&s);
    vo_context_destroy(ctx);
}

/* x is finite for any input that is not. */
static void x_is_finite_for_any_input(void **state) {
    (void)state;
    enum { N = 90 };
    vo_context *ctx = test_context(1);
    double bad[] = {NAN, INFINITY, -INFINITY, 1e38, 1e300, 1e-300, 1e-40};
    vo_random random = vo_random_seed(1);
    for (int round = 0; round < 200; round++) {
        block_system s;
        make_random_system(&s, ctx, N, 9, 1.02, 11);
        double value = bad[round % 7];
        int where = vo_random_int(&random, 3);
        if (where == 0) s.b[vo_random_int(&random, N)].y = value;
        if (where == 1)
            block_at(&s.a, vo_random_int(&random, s.pattern.block_count))[5] = (float)value;
        if (where == 2)
            for (int i = 0; i < N; i++) s.b[i].x *= value, s.x[i].y = value;
        vo_solve_report report = solve_with(&s, BOTH[round % 2], 1e-4, 300);
        assert_true(all_finite(s.x, N));
        assert_true(isfinite(report.residual));
        if (isnan(value) && where < 2) assert_false(report.converged);
        free_system(&s);
    }
    vo_context_destroy(ctx);
}

/* A graph Laplacian has no solution for a right-hand side with nonzero mean: the residual
 * stagnates. */
static void stagnation_ends_the_solve(void **state) {
    (void)state;
    enum { N = 64 };
    vo_context *ctx = test_context(1);
    int pairs[N][2];
    for (int i = 0; i < N; i++) pairs[i][0] = i, pairs[i][1] = (i + 1) % N;
    block_system s;
    make_system(&s, ctx, N, N, (const int(*)[2])pairs);
    for (int k = 0; k < s.pattern.block_count; k++)
        for (int e = 0; e < 3; e++) block_at(&s.a, k)[5 * e] = -1;
    for (int i = 0; i < N; i++) {
        float *m = block_at(&s.a, s.pattern.diagonal[i]);
        m[0] = m[5] = m[10] = 2;
        s.b[i] = (vo_vec4){1, 1, 1 + i % 2, 0};
    }
    for (int k = 0; k < 2; k++) {
        memset(s.x, 0, N * sizeof *s.x);
        vo_solve_report report = solve_with(&s, BOTH[k], 1e-6, 1000000);
        assert_false(report.converged);
        assert_true(report.iterations < 2000);
        assert_true(all_finite(s.x, N));
    }
    free_system(&s);
    vo_context_destroy(ctx);
}

static void iterations_are_limited(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, 100, 9, 1.02, 11);
    for (int most = 0; most < 3; most++) {
        vo_solve_report report = solve_with(&s, VO_PRECONDITION_JACOBI, 1e-12, most);
        assert_false(report.converged);
        assert_int_equal(report.iterations, most);
        memset(s.x, 0, 100 * sizeof *s.x);
    }
    free_system(&s);
    vo_context_destroy(ctx);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void solve_allocates_nothing(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    block_system s;
    make_random_system(&s, ctx, 700, 9, 1.02, 11);
    vo_pcg *pcg;
    assert_ok(ctx, vo_pcg_create(ctx, &s.pattern, &pcg));
    long calls = memory.calls;
    for (int k = 0; k < 2; k++) {
        vo_pcg_def def = {.preconditioner = BOTH[k], .tolerance = 1e-8, .max_iterations = 500};
        memset(s.x, 0, 700 * sizeof *s.x);
        assert_true(vo_pcg_solve(pcg, &def, &s.a, s.b, s.x).converged);
    }
    assert_int_equal(memory.calls, calls);
    vo_pcg_destroy(pcg);
    free_system(&s);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

static vo_result create_solvers(vo_context *ctx, void *arg) {
    (void)arg;
    const int pairs[][2] = {{0, 1}, {1, 2}, {5, 20}, {30, 39}};
    vo_block_pattern pattern;
    vo_pcg *pcg = NULL;
    vo_direct *direct = NULL;
    vo_result result = vo_block_pattern_build(ctx, 40, 4, pairs, &pattern);
    if (result == VO_OK) result = vo_pcg_create(ctx, &pattern, &pcg);
    if (result == VO_OK && vo_direct_available()) result = vo_direct_create(ctx, &pattern, &direct);
    vo_direct_destroy(direct);
    vo_pcg_destroy(pcg);
    vo_block_pattern_free(&pattern);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    test_every_allocation(create_solvers, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conjugate_gradients_agree_with_dense_cholesky),
        cmocka_unit_test(pinned_rows_do_not_move),
        cmocka_unit_test(direct_solver_agrees_with_dense_cholesky),
        cmocka_unit_test(initial_guess_is_kept_if_better),
        cmocka_unit_test(zero_right_side_gives_zero),
        cmocka_unit_test(solution_is_independent_of_kernel_and_threads),
        cmocka_unit_test(indefinite_matrix_does_not_converge),
        cmocka_unit_test(direct_solver_rejects_invalid_matrix),
        cmocka_unit_test(x_is_finite_for_any_input),
        cmocka_unit_test(stagnation_ends_the_solve),
        cmocka_unit_test(iterations_are_limited),
        cmocka_unit_test(solve_allocates_nothing),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
