/* Tests of the solvers' convergence on systems of a swinging sheet. */
#include "linalg_cloth.h"

#include "core/timer.h"
#include "linalg/ordering.h"

enum { SIDE = 60, WARM_UP = 12 };

/* Computes the row of each node by bisection of material coordinates. */
static void number_nodes(vo_context *ctx, int side, bool irregular, int *row_of) {
    cloth c;
    cloth_make(ctx, &c, side, CLOTH_SOFT, irregular, NULL);
    vo_vec3 *at = calloc((size_t)c.node_count, sizeof *at);
    for (int i = 0; i < c.node_count; i++) at[i] = v3(c.rest[i].x, c.rest[i].y, 0);
    assert_ok(ctx, vo_order_points(ctx, c.node_count, at, row_of));
    free(at);
    cloth_free(ctx, &c);
}

/* A sheet that has swung for a few steps, and the system of the next one. */
static void swing(vo_context *ctx, cloth *c, int side, cloth_fabric fabric, bool irregular) {
    int *row_of = calloc((size_t)side * (size_t)side, sizeof *row_of);
    number_nodes(ctx, side, irregular, row_of);
    cloth_make(ctx, c, side, fabric, irregular, row_of);
    free(row_of);
    vo_pcg *pcg;
    assert_ok(ctx, vo_pcg_create(ctx, &c->pattern, &pcg));
    vo_pcg_def def = {
        .preconditioner = VO_PRECONDITION_TWO_LEVEL, .tolerance = 1e-6, .max_iterations = 400};
    vo_vec4 *dv = calloc((size_t)c->node_count, sizeof *dv);
    for (int step = 0; step < WARM_UP; step++) {
        cloth_assemble(ctx, c);
        memcpy(dv, c->guess, (size_t)c->node_count * sizeof *dv);
        assert_true(vo_pcg_solve(pcg, &def, &c->a, c->b, dv).converged);
        cloth_advance(c, dv);
    }
    cloth_assemble(ctx, c);
    free(dv);
    vo_pcg_destroy(pcg);
}

/* Verifies the test sheet: its forces are the gradient of its energy. */
static void hinge_gradient_is_the_derivative_of_the_angle(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c;
    cloth_make(ctx, &c, 4, CLOTH_STIFF, true, NULL);
    const double step = 1e-7;
    for (int h = 0; h < c.hinge_count; h++) {
        vo_vec3 g[4];
        cloth_hinge_gradient(&c, c.hinge[h], g);
        for (int k = 0; k < 4; k++) {
            double *x = &c.x[c.hinge[h][k]].x, slope[3];
            for (int d = 0; d < 3; d++) {
                double here = x[d];
                x[d] = here + step;
                double high = cloth_hinge_angle(&c, c.hinge[h]);
                x[d] = here - step;
                slope[d] = (high - cloth_hinge_angle(&c, c.hinge[h])) / (2 * step);
                x[d] = here;
            }
            assert_near(slope[0], g[k].x, 1e-4);
            assert_near(slope[1], g[k].y, 1e-4);
            assert_near(slope[2], g[k].z, 1e-4);
        }
    }
    cloth_free(ctx, &c);
    vo_context_destroy(ctx);
}

static void conjugate_gradients_agree_with_cholmod(void **state) {
    (void)state;
    if (!vo_direct_available()) skip();
    vo_context *ctx = test_context(2);
    for (int fabric = 0; fabric < 2; fabric++) {
        cloth c;
        swing(ctx, &c, 30, fabric ? CLOTH_STIFF : CLOTH_SOFT, true);
        vo_vec4 *exact = calloc((size_t)c.node_count, sizeof *exact);
        vo_vec4 *x = calloc((size_t)c.node_count, sizeof *x);
        vo_direct *direct;
        assert_ok(ctx, vo_direct_create(ctx, &c.pattern, &direct));
        assert_true(vo_direct_solve(direct, &c.a, c.b, exact).residual < 1e-11);
        vo_pcg *pcg;
        assert_ok(ctx, vo_pcg_create(ctx, &c.pattern, &pcg));
        for (int k = 0; k < 2; k++) {
            vo_pcg_def def = {
                .preconditioner = (vo_preconditioner)k, .tolerance = 1e-10, .max_iterations = 3000};
            memcpy(x, c.guess, (size_t)c.node_count * sizeof *x);
            assert_true(vo_pcg_solve(pcg, &def, &c.a, c.b, x).converged);
            double error = 0, size = 0;
            for (int i = 0; i < c.node_count; i++) {
                vo_vec3 e = v3(x[i].x - exact[i].x, x[i].y - exact[i].y, x[i].z - exact[i].z);
                error = fmax(error, v3_length(e));
                size = fmax(size, v3_length(v3(exact[i].x, exact[i].y, exact[i].z)));
            }
            assert_true(error < 1e-7 * size);
        }
        vo_pcg_destroy(pcg);
        vo_direct_destroy(direct);
        free(x), free(exact);
        cloth_free(ctx, &c);
    }
    vo_context_destroy(ctx);
}

/* Iteration counts. The bounds are a fifth above the measured values. Sanitizer builds run the
 * irregular sheets only. */
static void two_level_needs_few_iterations(void **state) {
    (void)state;
    const struct {
        cloth_fabric fabric;
        bool irregular;
        int most; /* to 1e-3 */
    } kinds[] = {{CLOTH_SOFT, false, 15},
                 {CLOTH_SOFT, true, 17},
                 {CLOTH_STIFF, false, 29},
                 {CLOTH_STIFF, true, 38}};
    vo_context *ctx = test_context(2);
    int first = TEST_SLOWNESS > 1 ? 1 : 0;
    for (int k = first; k < 4; k += 1 + first) {
        cloth c;
        swing(ctx, &c, SIDE, kinds[k].fabric, kinds[k].irregular);
        vo_pcg *pcg;
        assert_ok(ctx, vo_pcg_create(ctx, &c.pattern, &pcg));
        int iterations[2];
        for (int p = 0; p < 2; p++) {
            vo_pcg_def def = {
                .preconditioner = (vo_preconditioner)p, .tolerance = 1e-3, .max_iterations = 3000};
            vo_vec4 *x = calloc((size_t)c.node_count, sizeof *x);
            memcpy(x, c.guess, (size_t)c.node_count * sizeof *x);
            vo_solve_report report = vo_pcg_solve(pcg, &def, &c.a, c.b, x);
            assert_true(report.converged);
            iterations[p] = report.iterations;
            free(x);
        }
        print_message("%s, %s: two levels %d, Jacobi %d iterations\n", k < 2 ? "soft" : "stiff",
                      kinds[k].irregular ? "irregular" : "regular", iterations[0], iterations[1]);
        assert_in_range(iterations[0], 1, kinds[k].most);
        assert_true(4 * iterations[0] < iterations[1]);
        vo_pcg_destroy(pcg);
        cloth_free(ctx, &c);
    }
    vo_context_destroy(ctx);
}

/* With $VOILE_BENCH set: iterations and milliseconds on 10,000 nodes, best of ten. */
static void measure(int threads, bool stiff, bool irregular) {
    vo_context *ctx = test_context(threads);
    cloth c;
    swing(ctx, &c, 100, stiff ? CLOTH_STIFF : CLOTH_SOFT, irregular);
    vo_pcg *pcg;
    assert_ok(ctx, vo_pcg_create(ctx, &c.pattern, &pcg));
    vo_vec4 *x = calloc((size_t)c.node_count, sizeof *x);
    for (int k = 0; k < 4; k++) {
        vo_pcg_def def = {.preconditioner = (vo_preconditioner)(k / 2),
                          .tolerance = k % 2 ? 1e-4 : 1e-3,
                          .max_iterations = 3000};
        vo_solve_report report = {0};
        double best = INFINITY;
        for (int n = 0; n < 10; n++) {
            memcpy(x, c.guess, (size_t)c.node_count * sizeof *x);
            double start = vo_now();
            report = vo_pcg_solve(pcg, &def, &c.a, c.b, x);
            best = fmin(best, vo_now() - start);
        }
        print_message("%-5s %-9s %-9s %g  %d threads %4d iterations %7.2f ms\n",
                      stiff ? "stiff" : "soft", irregular ? "irregular" : "regular",
                      k / 2 ? "Jacobi" : "two-level", def.tolerance, threads, report.iterations,
                      1e3 * best);
    }
    free(x);
    vo_pcg_destroy(pcg);
    cloth_free(ctx, &c);
    vo_context_destroy(ctx);
}

static void print_times(void **state) {
    (void)state;
    if (!getenv("VOILE_BENCH")) skip();
    for (int stiff = 0; stiff < 2; stiff++)
        for (int irregular = 0; irregular < 2; irregular++)
            for (int threads = 1; threads <= 2; threads++) measure(threads, stiff, irregular);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hinge_gradient_is_the_derivative_of_the_angle),
        cmocka_unit_test(conjugate_gradients_agree_with_cholmod),
        cmocka_unit_test(two_level_needs_few_iterations),
        cmocka_unit_test(print_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
