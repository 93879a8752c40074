/* Operators of detail meshes: kernels against sums in double precision, in all variants that the
 * processor runs; affine invariance; compressed forms. */
#include "rt_detail_fixture.h"

#include "math/simd_float.h"
#include "rt/base/half.h"

enum { NODES = RT_FINE_NODES, VERTICES = RT_GRID_VERTICES };

static const vo_rt_operator_kernels *variants[2];
static int variant_count;

static void select_variants(void) {
    variants[variant_count++] = &vo_rt_operator_kernels_base;
    if (vo_simd_has_avx2()) variants[variant_count++] = vo_rt_operator_select_kernels(true);
}

/* Reference: U = B + sum of w_k D_k in double precision, and the sum of the magnitudes. */
typedef struct reference {
    double x[3], size;
} reference;

static void add_term(reference *r, double a, vo_rt_vec4 p) {
    const double x[3] = {(double)p.x, (double)p.y, (double)p.z};
    for (int k = 0; k < 3; k++) {
        r->x[k] += a * x[k];
        r->size += fabs(a * x[k]);
    }
}

/* Element of an operator as defined. */
static double element_of(const vo_rt_operator_def *op, int node, int column) {
    int columns = VERTICES * (1 + op->history);
    double sum = 0;
    if (op->form == VO_RT_OPERATOR_DENSE) return (double)op->residual[node * columns + column];
    if (op->form == VO_RT_OPERATOR_LOW_RANK) {
        for (int k = 0; k < op->rank; k++)
            sum += (double)op->left[node * op->rank + k] * (double)op->right[k * columns + column];
        return sum;
    }
    for (int k = op->row_first[node]; k < op->row_first[node + 1]; k++)
        if (op->columns[k] == column) sum += (double)op->weights[k];
    return sum;
}

static reference evaluate(const rt_detail *d, const float *weight, const vo_rt_vec4 *input,
                          int node) {
    reference r = {{0, 0, 0}, 0};
    for (int k = d->first[node]; k < d->first[node + 1]; k++)
        add_term(&r, (double)d->weight[k], input[d->column[k]]);
    for (int i = 0; i < d->def.operator_count; i++)
        for (int j = 0; j < VERTICES * (1 + d->op[i].history); j++)
            add_term(&r, (double)weight[i] * element_of(&d->op[i], node, j), input[j]);
    return r;
}

static vo_rt_vec4 *make_input(vo_random *random, int frames) {
    vo_rt_vec4 *input = aligned_alloc(64, (size_t)(frames * VERTICES + 4) / 4 * 64);
    for (int i = 0; i < frames * VERTICES; i++)
        input[i] =
            f4_make(f3((float)vo_random_real(random, -1, 1), (float)vo_random_real(random, -1, 1),
                       (float)vo_random_real(random, -1, 1)),
                    0);
    return input;
}

static vo_rt_vec4 *apply(const vo_rt_operator_kernels *kernels, const vo_rt_asset *asset,
                         const float *weight, const vo_rt_vec4 *input) {
    size_t padded = vo_rt_strips(NODES) * VO_RT_STRIP * sizeof(vo_rt_vec4);
    vo_rt_vec4 *out = aligned_alloc(64, padded);
    vo_rt_upsample_scratch scratch = {
        aligned_alloc(64, (size_t)(vo_rt_upsample_rank(asset) + 4) * sizeof(vo_rt_vec4)),
        aligned_alloc(64, (size_t)VERTICES * 5 * sizeof(vo_rt_vec4) / 64 * 64 + 64)};
    memset(out, 0, padded);
    vo_rt_upsample_evaluate(kernels, asset, weight, input, scratch, out);
    free(scratch.product);
    free(scratch.scaled);
    return out;
}

/* Compares all variants with the reference, up to `relative` of the sum of the magnitudes, and with
 * each other, exactly. */
static void compare(const rt_detail *d, const vo_rt_asset *asset, const float *weight,
                    const vo_rt_vec4 *input, double relative) {
    vo_rt_vec4 *out[2] = {NULL, NULL};
    for (int v = 0; v < variant_count; v++) out[v] = apply(variants[v], asset, weight, input);
    for (int i = 0; i < NODES; i++) {
        reference r = evaluate(d, weight, input, i);
        const float x[3] = {out[0][i].x, out[0][i].y, out[0][i].z};
        for (int k = 0; k < 3; k++) assert_near((double)x[k], r.x[k], relative * r.size + 1e-12);
    }
    if (variant_count > 1) assert_memory_equal(out[0], out[1], (size_t)NODES * sizeof *out[0]);
    free(out[0]);
    free(out[1]);
}

static void check_form(vo_rt_operator_form form, int history, int rank, double relative) {
    vo_random random = vo_random_seed(11);
    vo_rt_asset *asset = rt_sheet(1, false, RT_FREE, 0);
    rt_detail *d = rt_detail_create(asset);
    const float one = 1;
    rt_detail_add(d, &random, form, history, rank, 0.1);
    asset = rt_detail_finish(asset, d);
    vo_rt_vec4 *input = make_input(&random, 1 + history);
    compare(d, asset, &one, input, relative);
    free(input);
    vo_rt_asset_destroy(asset);
    rt_detail_free(d);
}

static void dense_products_equal_the_reference(void **state) {
    (void)state;
    check_form(VO_RT_OPERATOR_DENSE, 0, 0, 2e-6);
    check_form(VO_RT_OPERATOR_DENSE, 2, 0, 2e-6);
}

static void sparse_products_equal_the_reference(void **state) {
    (void)state;
    check_form(VO_RT_OPERATOR_SPARSE, 0, 20, 2e-6);
    check_form(VO_RT_OPERATOR_SPARSE, 1, 7, 2e-6);
}

/* Half floats have 11 bits: each product of the factors is rounded by at most 2^-11 of itself, so
 * that of the elements is at most 2^-11 of the sum of the magnitudes of the products, which is here
 * up to `rank` times that of the elements. */
static void low_rank_products_are_within_the_bound(void **state) {
    (void)state;
    check_form(VO_RT_OPERATOR_LOW_RANK, 0, 1, 6e-4);
    check_form(VO_RT_OPERATOR_LOW_RANK, 0, 33, 4e-3);
    check_form(VO_RT_OPERATOR_LOW_RANK, 1, 64, 6e-3);
}

static void operators_are_blended_by_weights(void **state) {
    (void)state;
    vo_random random = vo_random_seed(12);
    vo_rt_asset *asset = rt_sheet(1, false, RT_FREE, 0);
    rt_detail *d = rt_detail_create(asset);
    const float weight[4] = {0.25f, 0.5f, 0.0f, 0.25f};
    rt_detail_add(d, &random, VO_RT_OPERATOR_DENSE, 1, 0, 0.1);
    rt_detail_add(d, &random, VO_RT_OPERATOR_SPARSE, 0, 9, 0.1);
    rt_detail_add(d, &random, VO_RT_OPERATOR_DENSE, 0, 0, 5.0);
    rt_detail_add(d, &random, VO_RT_OPERATOR_SPARSE, 1, 9, 0.1);
    asset = rt_detail_finish(asset, d);
    vo_rt_vec4 *input = make_input(&random, 2);
    compare(d, asset, weight, input, 2e-6);
    free(input);
    vo_rt_asset_destroy(asset);
    rt_detail_free(d);
}

/* U (A p + t) = A (U p) + t for any matrix A: rows of the base operator sum to 1, those of the
 * residual to 0. */
static void operators_are_affinely_invariant(void **state) {
    (void)state;
    static const double a[3][4] = {
        {1.5, -0.25, 0.5, 0.75}, {0.125, 2, -1, -0.5}, {-0.5, 1, 0.25, 1}};
    vo_random random = vo_random_seed(14);
    vo_rt_asset *asset = rt_sheet(1, false, RT_FREE, 0);
    rt_detail *d = rt_detail_create(asset);
    const float weight[2] = {0.75f, 0.25f};
    rt_detail_add(d, &random, VO_RT_OPERATOR_DENSE, 0, 0, 0.1);
    rt_detail_add(d, &random, VO_RT_OPERATOR_LOW_RANK, 0, 5, 0.1);
    asset = rt_detail_finish(asset, d);
    vo_rt_vec4 *p = make_input(&random, 1), *q = make_input(&random, 1);
    for (int i = 0; i < VERTICES; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = a[k][0] * (double)p[i].x + a[k][1] * (double)p[i].y + a[k][2] * (double)p[i].z +
                   a[k][3];
        q[i] = f4_make(f3((float)x[0], (float)x[1], (float)x[2]), 0);
    }
    vo_rt_vec4 *x = apply(variants[0], asset, weight, p), *y = apply(variants[0], asset, weight, q);
    for (int i = 0; i < NODES; i++) {
        const float b[3] = {y[i].x, y[i].y, y[i].z};
        for (int k = 0; k < 3; k++)
            assert_near((double)b[k],
                        a[k][0] * (double)x[i].x + a[k][1] * (double)x[i].y +
                            a[k][2] * (double)x[i].z + a[k][3],
                        1e-4);
    }
    free(p), free(q), free(x), free(y);
    vo_rt_asset_destroy(asset);
    rt_detail_free(d);
}

/* All numbers with 16 bits, and random floats against the nearest of their neighbours. */
static void half_floats_are_converted_exactly(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        int exponent = (int)(h >> 10 & 31), mantissa = (int)(h & 1023);
        if (exponent == 31) {
            assert_false(vo_rt_half_is_finite((uint16_t)h));
            continue;
        }
        double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
        float f = vo_rt_half_to_float((uint16_t)h);
        assert_true((double)f == (h & 0x8000u ? -value : value));
        if (exponent) assert_int_equal(vo_rt_half_from_float(f), h);
    }
    vo_random random = vo_random_seed(13);
    for (int i = 0; i < 100000; i++) {
        float x = (float)(vo_random_real(&random, -1, 1) * exp(vo_random_real(&random, -9, 10)));
        uint16_t h = vo_rt_half_from_float(x);
        double error = fabs((double)vo_rt_half_to_float(h) - (double)x);
        if (fabsf(x) > 6.2e-5f) assert_true(error <= ldexp(fabs((double)x), -11));
        assert_true(error < 3.1e-5 || fabsf(x) > 3e-5f);
    }
    assert_int_equal(vo_rt_half_from_float(1e9f), 0x7bff);
    assert_int_equal(vo_rt_half_from_float(-1e9f), 0xfbff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_products_equal_the_reference),
        cmocka_unit_test(sparse_products_equal_the_reference),
        cmocka_unit_test(low_rank_products_are_within_the_bound),
        cmocka_unit_test(operators_are_blended_by_weights),
        cmocka_unit_test(operators_are_affinely_invariant),
        cmocka_unit_test(half_floats_are_converted_exactly),
    };
    select_variants();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
