/* Tests of math/simd_float.h: every instruction set against the scalar variant, bit by bit, and the
 * scalar variant against plain C. */
#include "support.h"

#include "math/simd_float.h"
#include "simd_float_variant.h"

enum { TRIALS = 20000 };

/* Ordinary values, with zeros, infinities and equal values mixed in. */
static float draw_value(vo_random *r) {
    static const float special[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, 1e-30f, 1e30f};
    double kind = vo_random_real(r, 0, 1);
    if (kind < 0.2) return special[(int)vo_random_real(r, 0, 7.999)];
    return (float)vo_random_real(r, -3, 3);
}

static void draw_case(vo_random *r, simd_case *s) {
    memset(s, 0, sizeof *s);
    for (int k = 0; k < 8; k++) s->a[k] = draw_value(r), s->b[k] = draw_value(r);
    for (int k = 0; k < 8; k++) s->c[k] = draw_value(r);
    int first = (int)vo_random_real(r, 0, SIMD_ELEMENTS - 0.001);
    for (int k = 0; k < 8; k++) s->index[k] = (first + 5 * k) % SIMD_ELEMENTS;
    for (int k = 0; k < 4 * SIMD_ELEMENTS; k++) s->element[k] = (float)vo_random_real(r, -3, 3);
}

/* Equal bits, except that any two values that are not a number are equal. */
static bool is_same(float a, float b) { return (a != a && b != b) || !memcmp(&a, &b, sizeof a); }

static void check_same(const simd_case *a, const simd_case *b) {
    for (int i = 0; i < SIMD_RESULTS; i++)
        for (int k = 0; k < 8; k++)
            if (!is_same(a->result[i][k], b->result[i][k]))
                fail_msg("result %d, lane %d: %a and %a", i, k, (double)a->result[i][k],
                         (double)b->result[i][k]);
    for (int k = 0; k < 4 * SIMD_ELEMENTS; k++) assert_true(is_same(a->element[k], b->element[k]));
}

static void compare_variants(simd_run_fn *run) {
    vo_random r = vo_random_seed(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        simd_case scalar, other;
        draw_case(&r, &scalar);
        other = scalar;
        simd_run_scalar(&scalar);
        run(&other);
        check_same(&scalar, &other);
    }
}

static void test_base_equals_scalar(void **state) {
    (void)state;
    compare_variants(simd_run_base);
}

static void test_avx2_equals_scalar(void **state) {
    (void)state;
#ifdef VO_HAVE_AVX2_KERNELS
    if (!vo_simd_has_avx2()) skip();
    compare_variants(simd_run_avx2);
#else
    skip();
#endif
}

static void check_lane(const simd_case *s, const simd_case *in, int k) {
    float a = s->a[k], b = s->b[k], c = s->c[k];
    assert_true(is_same(s->result[0][k], a < b ? a : c));
    assert_true(is_same(s->result[1][k], a < b ? a : 0));
    assert_true(is_same(s->result[2][k], a < b ? a : b));
    assert_true(is_same(s->result[3][k], a > b ? a : b));
    assert_true(is_same(s->result[4][k], sqrtf(fabsf(a))));
    assert_true(is_same(s->result[5][k], 1 / sqrtf(fabsf(b))));
    assert_true(is_same(s->result[6][k], fabsf(b) > 0.25f ? a / b : 0));
    assert_int_equal((unsigned)s->result[9][k] >> k & 1, a < b);
    for (int j = 0; j < 4; j++)
        assert_true(is_same(s->result[14 + j][k], in->element[4 * s->index[k] + j]));
    assert_true(is_same(s->element[4 * s->index[k] + 3], s->result[17][k] + a));
}

static void test_scalar_equals_c(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    for (int trial = 0; trial < TRIALS; trial++) {
        simd_case s, in;
        draw_case(&r, &s);
        in = s;
        simd_run_scalar(&s);
        for (int k = 0; k < 8; k++) check_lane(&s, &in, k);
    }
}

/* All quadrants and octant boundaries, over 12 orders of magnitude. */
static void test_atan2_is_accurate(void **state) {
    (void)state;
    simd_case s = {0};
    for (int i = 0; i < 8; i++) s.index[i] = i;
    for (int i = -4000; i <= 4000; i++) {
        double angle = i * 3.14159265358979 / 4000, radius = pow(10, i % 7);
        for (int k = 0; k < 8; k++) s.a[k] = (float)(radius * sin(angle));
        for (int k = 0; k < 8; k++) s.b[k] = (float)(radius * cos(angle));
        simd_run_scalar(&s);
        double exact = atan2(s.a[0], s.b[0]);
        assert_near(s.result[7][0], exact, 4e-7);
    }
    memset(s.a, 0, sizeof s.a);
    memset(s.b, 0, sizeof s.b);
    simd_run_base(&s);
    assert_true(s.result[7][0] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_equals_scalar),
        cmocka_unit_test(test_avx2_equals_scalar),
        cmocka_unit_test(test_scalar_equals_c),
        cmocka_unit_test(test_atan2_is_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
