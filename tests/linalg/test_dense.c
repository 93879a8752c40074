/* Tests of dense products and factors against plain loops, for shapes at the borders of blocks. */
#include "support.h"

#include "core/context.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

static double *random_matrix(int rows, int columns, uint64_t seed) {
    vo_random random = vo_random_seed(seed);
    size_t count = (size_t)rows * (size_t)columns;
    double *m = malloc((count + 1) * sizeof *m);
    for (size_t i = 0; i < count; i++) m[i] = vo_random_real(&random, -1, 1);
    return m;
}

/* Element of an operand in memory, plain or transposed. */
static double element(const double *m, int rows, int columns, bool transposed, int i, int j) {
    return transposed ? m[(size_t)j * (size_t)rows + (size_t)i]
                      : m[(size_t)i * (size_t)columns + (size_t)j];
}

static void check_product(vo_context *ctx, int rows, int columns, int depth, int kind) {
    double *a = random_matrix(rows, depth, 1), *b = random_matrix(depth, columns, 2);
    double *c = random_matrix(rows, columns, 3);
    bool at = kind == 1, bt = kind == 2;
    if (kind == 0) assert_ok(ctx, vo_dense_multiply_nn(ctx, rows, columns, depth, a, b, c));
    if (kind == 1) assert_ok(ctx, vo_dense_multiply_tn(ctx, rows, columns, depth, a, b, c));
    if (kind == 2) assert_ok(ctx, vo_dense_multiply_nt(ctx, rows, columns, depth, a, b, c));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int k = 0; k < depth; k++)
                sum += element(a, rows, depth, at, i, k) * element(b, depth, columns, bt, k, j);
            assert_true(c[(size_t)i * (size_t)columns + (size_t)j] ==
                        sum); /* the same order of k */
        }
    free(a), free(b), free(c);
}

static void products_equal_plain_loops(void **state) {
    (void)state;
    int sizes[] = {1, 3, 4, 5, 8, 9, 31, 33, 65};
    int depths[] = {0, 1, 7, 255, 256, 257, 600};
    vo_context *ctx = test_context(2);
    for (int avx2 = 0; avx2 < 2; avx2++) {
        ctx->use_avx2 = ctx->use_avx2 && !avx2;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
                check_product(ctx, sizes[i], sizes[j], depths[(i + j) % 7], (int)(i + 2 * j) % 3);
    }
    vo_context_destroy(ctx);
}

static void products_do_not_depend_on_threads(void **state) {
    (void)state;
    double *a = random_matrix(301, 517, 5), *b = random_matrix(517, 99, 6), *c[3];
    for (int t = 0; t < 3; t++) {
        vo_context *ctx = test_context(t + 1);
        c[t] = random_matrix(301, 99, 7 + (uint64_t)t);
        assert_ok(ctx, vo_dense_multiply_nn(ctx, 301, 99, 517, a, b, c[t]));
        assert_memory_equal(c[t], c[0], 301 * 99 * sizeof(double));
        vo_context_destroy(ctx);
    }
    for (int t = 0; t < 3; t++) free(c[t]);
    free(a), free(b);
}

static void cholesky_solves_definite_systems_only(void **state) {
    (void)state;
    for (int n = 1; n < 60; n += 13) {
        double *m = random_matrix(n, n, 9), *a = calloc((size_t)(n * n), sizeof *a);
        double *x = random_matrix(n, 1, 10), *b = calloc((size_t)n, sizeof *b);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < n; k++) a[i * n + j] += m[i * n + k] * m[j * n + k];
                a[i * n + j] += i == j;
                b[i] += a[i * n + j] * x[j];
            }
        double *factor = malloc((size_t)(n * n) * sizeof *factor);
        memcpy(factor, a, (size_t)(n * n) * sizeof *a);
        assert_true(vo_dense_cholesky(n, factor));
        vo_dense_cholesky_solve(n, factor, b);
        for (int i = 0; i < n; i++) assert_near(b[i], x[i], 1e-10);
        a[n * n - 1] -= 1e3;
        assert_false(vo_dense_cholesky(n, a));
        free(m), free(a), free(x), free(b), free(factor);
    }
}

static vo_result multiply_once(vo_context *ctx, void *arg) {
    double c[12];
    return vo_dense_multiply_nn(ctx, 3, 4, 5, arg, arg, c);
}

static void failed_allocation_is_reported(void **state) {
    (void)state;
    double *a = random_matrix(5, 5, 1);
    test_every_allocation(multiply_once, a);
    free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_equal_plain_loops),
        cmocka_unit_test(products_do_not_depend_on_threads),
        cmocka_unit_test(cholesky_solves_definite_systems_only),
        cmocka_unit_test(failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
