/* Tests of metrics: eigenvalues, maximum, limits, screen-space bound, edge size, flips. */
#include "support.h"

#include "core/random.h"
#include "remesh/metric.h"

#include <math.h>

/* ---- helpers -------------------------------------------------------------------------------- */

static vo_vec2 direction(double angle) { return v2(cos(angle), sin(angle)); }

static vo_sym2 tensor(double along, double across, double angle) {
    return sym2_add(sym2_outer(along, direction(angle)),
                    sym2_outer(across, direction(angle + VO_PI / 2)));
}

/* Returns a positive semidefinite tensor of random magnitude; often singular, isotropic or zero. */
static vo_sym2 random_tensor(vo_random *r) {
    double decades = vo_random_int(r, 4) ? 0.2 : 5;
    double large = pow(10, vo_random_real(r, -decades, decades)),
           small = large * vo_random_real(r, 0, 1);
    switch (vo_random_int(r, 8)) {
    case 0:
        return (vo_sym2){0};
    case 1:
        return sym2_diagonal(large);
    case 2:
    case 3:
    case 4:
        small = 0;
        break;
    default:
        break;
    }
    return tensor(large, small, vo_random_real(r, 0, VO_PI));
}

static vo_sym2 rotated(vo_sym2 m, double angle) {
    vo_vec2 a = direction(angle), b = direction(angle + VO_PI / 2); /* R^T m R */
    return (vo_sym2){sym2_dot(m, a, a), sym2_dot(m, a, b), sym2_dot(m, b, b)};
}

static double trace(vo_sym2 m) { return m.xx + m.yy; }

/* Smallest eigenvalue of a - b, in long double so that rounding errors are those of the function
 * under test. */
static double min_eigenvalue_of_difference(vo_sym2 a, vo_sym2 b) {
    long double xx = (long double)a.xx - b.xx, xy = (long double)a.xy - b.xy;
    long double yy = (long double)a.yy - b.yy, half = (xx - yy) / 2;
    return (double)((xx + yy) / 2 - sqrtl(half * half + xy * xy));
}

static void assert_tensor_near(vo_sym2 a, vo_sym2 b, double tolerance) {
    assert_near(a.xx, b.xx, tolerance);
    assert_near(a.xy, b.xy, tolerance);
    assert_near(a.yy, b.yy, tolerance);
}

static double trace_of_all(int count, const vo_sym2 *m) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += trace(m[i]);
    return sum;
}

/* ---- eigenvalues ---------------------------------------------------------------------------- */

static void eigenvalues_rebuild_the_tensor_at_any_scale(void **state) {
    (void)state;
    vo_random random = vo_random_seed(1);
    for (int trial = 0; trial < 20000; trial++) {
        double scale = pow(10, vo_random_real(&random, -290, 290));
        vo_sym2 m = {vo_random_real(&random, -1, 1), vo_random_real(&random, -1, 1),
                     vo_random_real(&random, -1, 1)};
        if (trial % 5 == 0) m = random_tensor(&random);
        if (trial % 7 == 0) m.xy = 0;
        double size = fabs(m.xx) + fabs(m.xy) + fabs(m.yy);
        vo_eigen2 e = vo_metric_eigen(sym2_scale(scale, m));
        assert_true(e.lambda_max >= e.lambda_min);
        assert_near(v2_length(e.axis), 1, 1e-15);
        vo_sym2 back = sym2_scale(1 / scale, vo_metric_from_eigen(e));
        assert_tensor_near(back, m, 1e-14 * size);
    }
    assert_true(vo_metric_eigen((vo_sym2){NAN, 0, 1}).lambda_max == 0);
    assert_true(vo_metric_eigen((vo_sym2){INFINITY, 0, 1}).lambda_min == 0);
}

/* ---- maximum -------------------------------------------------------------------------------- */

static void maximum_dominates_and_no_smaller_one_does(void **state) {
    (void)state;
    vo_random random = vo_random_seed(2);
    int by_three = 0;
    for (int trial = 0; trial < 20000; trial++) {
        vo_sym2 m[VO_METRIC_MAX_TERMS];
        int count = 1 + vo_random_int(&random, VO_METRIC_MAX_TERMS);
        for (int i = 0; i < count; i++) m[i] = random_tensor(&random);
        vo_sym2 max = vo_metric_max(count, m);
        double size = trace_of_all(count, m), max_pair_trace = 0;
        for (int i = 0; i < count; i++)
            assert_true(min_eigenvalue_of_difference(max, m[i]) >= -1e-14 * size);
        /* The maximum is at least that of every pair; where it is larger, three terms determine
         * it. */
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++) {
                vo_sym2 pair[2] = {m[i], m[j]};
                max_pair_trace = vo_max(max_pair_trace, trace(vo_metric_max(2, pair)));
            }
        assert_true(trace(max) >= max_pair_trace - 1e-13 * size);
        by_three += trace(max) > max_pair_trace * (1 + 1e-9);
    }
    assert_true(by_three > 500);
}

/* Largest |centre - c| + radius over the disks of the tensors: a convex function of c whose minimum
 * is the radius of the smallest enclosing disk. */
static double radius_at(int count, const vo_sym2 *m, vo_vec2 c) {
    double radius = 0;
    for (int i = 0; i < count; i++) {
        vo_vec2 p = v2(0.5 * (m[i].xx - m[i].yy), m[i].xy);
        radius = vo_max(radius, v2_length(v2_sub(p, c)) + 0.5 * trace(m[i]));
    }
    return radius;
}

static double lowest_on_line(int count, const vo_sym2 *m, double x, double reach) {
    double low = -reach, high = reach;
    for (int step = 0; step < 100; step++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (radius_at(count, m, v2(x, a)) < radius_at(count, m, v2(x, b)))
            high = b;
        else
            low = a;
    }
    return radius_at(count, m, v2(x, low));
}

static double lowest_radius(int count, const vo_sym2 *m, double reach) {
    double low = -reach, high = reach;
    for (int step = 0; step < 100; step++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (lowest_on_line(count, m, a, reach) < lowest_on_line(count, m, b, reach))
            high = b;
        else
            low = a;
    }
    return lowest_on_line(count, m, low, reach);
}

static void maximum_has_the_smallest_trace(void **state) {
    (void)state;
    vo_random random = vo_random_seed(3);
    for (int trial = 0; trial < 60; trial++) {
        vo_sym2 m[6];
        int count = 2 + vo_random_int(&random, 5);
        for (int i = 0; i < count; i++)
            m[i] = tensor(vo_random_real(&random, 0.2, 1),
                          vo_random_int(&random, 2) * vo_random_real(&random, 0, 0.2),
                          vo_random_real(&random, 0, VO_PI));
        double radius = 0.5 * trace(vo_metric_max(count, m));
        assert_near(radius, lowest_radius(count, m, 2), 1e-9);
    }
}

static void maximum_of_known_tensors(void **state) {
    (void)state;
    vo_sym2 along = tensor(4, 0, 0), across = tensor(4, 0, VO_PI / 2);
    vo_sym2 diagonal = tensor(4, 0, VO_PI / 4), other = tensor(4, 0, -VO_PI / 4);
    assert_tensor_near(vo_metric_max(2, (vo_sym2[]){along, across}), sym2_diagonal(4), 1e-15);
    assert_tensor_near(vo_metric_max(4, (vo_sym2[]){along, diagonal, across, other}),
                       sym2_diagonal(4), 1e-14);
    /* Bends at 60 degrees to each other: the maximum of three is isotropic. */
    vo_sym2 star[3] = {tensor(3, 0, 0), tensor(3, 0, VO_PI / 3), tensor(3, 0, 2 * VO_PI / 3)};
    assert_tensor_near(vo_metric_max(3, star), sym2_diagonal(3), 1e-14);
    /* Commuting tensors: the larger of each pair of eigenvalues. */
    assert_tensor_near(vo_metric_max(2, (vo_sym2[]){tensor(9, 1, 0.3), tensor(2, 5, 0.3)}),
                       tensor(9, 5, 0.3), 1e-14);
    assert_true(trace(vo_metric_max(0, NULL)) == 0);
    assert_true(trace(vo_metric_max(2, (vo_sym2[]){{0, 0, 0}, {0, 0, 0}})) == 0);
}

static void maximum_is_idempotent_commutative_and_equivariant(void **state) {
    (void)state;
    vo_random random = vo_random_seed(4);
    for (int trial = 0; trial < 20000; trial++) {
        vo_sym2 a = random_tensor(&random), b = random_tensor(&random), c = random_tensor(&random);
        double size = trace(a) + trace(b) + trace(c), angle = vo_random_real(&random, 0, 7);
        assert_true(sym2_equal(vo_metric_max(2, (vo_sym2[]){a, a}), a));
        vo_sym2 max = vo_metric_max(3, (vo_sym2[]){a, b, c});
        assert_true(min_eigenvalue_of_difference(max, a) >= -1e-14 * size);
        assert_tensor_near(vo_metric_max(3, (vo_sym2[]){c, a, b}), max, 1e-7 * size);
        assert_tensor_near(vo_metric_max(4, (vo_sym2[]){b, b, c, a}), max, 1e-7 * size);
        assert_near(trace(vo_metric_max(3, (vo_sym2[]){c, a, b})), trace(max), 1e-13 * size);
        vo_sym2 again = vo_metric_max(4, (vo_sym2[]){max, a, b, c});
        assert_tensor_near(again, max, 1e-7 * size);
        vo_sym2 in_turned =
            vo_metric_max(3, (vo_sym2[]){rotated(a, angle), rotated(b, angle), rotated(c, angle)});
        assert_tensor_near(in_turned, rotated(max, angle), 1e-7 * size);
        assert_tensor_near(
            vo_metric_max(3, (vo_sym2[]){sym2_scale(8, a), sym2_scale(8, b), sym2_scale(8, c)}),
            sym2_scale(8, max), 1e-13 * size);
    }
}

static void non_finite_tensors_are_ignored(void **state) {
    (void)state;
    double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_true(trace(vo_metric_sanitise((vo_sym2){bad[i], 0, 1})) == 0);
        assert_true(trace(vo_metric_sanitise((vo_sym2){1, bad[i], 1})) == 0);
        assert_true(trace(vo_metric_sanitise((vo_sym2){1, 0, bad[i]})) == 0);
    }
    vo_sym2 huge = vo_metric_sanitise((vo_sym2){1.6e308, 0, 1.6e308});
    assert_true(sym2_is_finite(huge) && trace(huge) > 1e13 && trace(huge) < 1e15);
    /* The terms beside it still apply. */
    vo_sym2 max = vo_metric_max(
        2, (vo_sym2[]){vo_metric_sanitise(tensor(1e200, 0, 0)), tensor(400, 0, VO_PI / 2)});
    assert_near(vo_metric_eigen(max).lambda_min, 400, 1);
}

/* ---- limits --------------------------------------------------------------------------------- */

static void limits_clamp_sizes_and_then_the_aspect(void **state) {
    (void)state;
    vo_metric_limits limits = vo_metric_limits_make(0.01, 0.2, 0);
    assert_near(limits.min_eigenvalue, 25, 1e-12);
    assert_near(limits.max_eigenvalue, 1e4, 1e-9);
    assert_tensor_near(vo_metric_limit(&limits, tensor(1e6, 1, 0.7)), tensor(1e4, 25, 0.7), 1e-9);
    assert_tensor_near(vo_metric_limit(&limits, tensor(900, 100, 0.7)), tensor(900, 100, 0.7),
                       1e-11);
    assert_true(
        sym2_equal(vo_metric_limit(&limits, (vo_sym2){0}), sym2_diagonal(limits.min_eigenvalue)));
    limits = vo_metric_limits_make(0.01, 0.2, 0.2);
    assert_tensor_near(vo_metric_limit(&limits, tensor(1e6, 1, 0.7)), tensor(1e4, 400, 0.7), 1e-9);
    assert_tensor_near(vo_metric_limit(&limits, tensor(100, 90, 2)), tensor(100, 90, 2), 1e-11);
    limits = vo_metric_limits_make(0.01, 0.2, 7); /* an aspect above 1 is limited to isotropic */
    assert_true(sym2_equal(vo_metric_limit(&limits, tensor(1e6, 1, 0.7)),
                           sym2_diagonal(limits.max_eigenvalue)));
    limits = vo_metric_limits_make(0.2, 0.01, 0);
    assert_near(vo_metric_eigen(vo_metric_limit(&limits, tensor(1e6, 1, 1))).lambda_max, 25, 1e-9);
}

static void limits_give_definite_tensors_for_any_input(void **state) {
    (void)state;
    const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e-300, 1e300, 1, 5e-324, -1e300};
    vo_random random = vo_random_seed(5);
    for (int trial = 0; trial < 20000; trial++) {
        double value[6];
        for (int i = 0; i < 6; i++)
            value[i] = vo_random_int(&random, 2) ? odd[vo_random_int(&random, 10)]
                                                 : pow(10, vo_random_real(&random, -6, 6));
        vo_metric_limits limits = vo_metric_limits_make(value[0], value[1], value[2]);
        assert_true(limits.min_eigenvalue > 0 && limits.min_eigenvalue <= limits.max_eigenvalue &&
                    isfinite(limits.max_eigenvalue));
        vo_sym2 m = vo_metric_limit(&limits, (vo_sym2){value[3], value[4], value[5]});
        assert_true(sym2_is_finite(m));
        assert_true(m.xx >= limits.min_eigenvalue * (1 - 1e-9) &&
                    m.yy >= limits.min_eigenvalue * (1 - 1e-9));
        assert_true(m.xx <= limits.max_eigenvalue * (1 + 1e-9) &&
                    m.yy <= limits.max_eigenvalue * (1 + 1e-9));
    }
}

/* ---- screen-space bound --------------------------------------------------------------------- */

/* Eqs. 5 to 8 as written: transform to the screen, clamp, transform back. */
static vo_sym2 bound_on_screen(vo_sym2 m, vo_mat2 s, double length) {
    vo_mat2 i = m2_inverse(s);
    vo_vec2 a = v2(i.a, i.c), b = v2(i.b, i.d); /* columns of S^-1 */
    vo_sym2 screen = {sym2_dot(m, a, a), sym2_dot(m, a, b), sym2_dot(m, b, b)};
    vo_eigen2 e = vo_metric_eigen(screen);
    e.lambda_max = vo_min(e.lambda_max, 1 / (length * length));
    e.lambda_min = vo_min(e.lambda_min, 1 / (length * length));
    screen = vo_metric_from_eigen(e);
    vo_vec2 u = v2(s.a, s.c), v = v2(s.b, s.d); /* columns of S */
    return (vo_sym2){sym2_dot(screen, u, u), sym2_dot(screen, u, v), sym2_dot(screen, v, v)};
}

static void bound_equals_screen_space_clamp(void **state) {
    (void)state;
    vo_random random = vo_random_seed(6);
    int lowered = 0;
    for (int trial = 0; trial < 20000; trial++) {
        vo_sym2 m = tensor(pow(10, vo_random_real(&random, 1, 4)), vo_random_real(&random, 1, 10),
                           vo_random_real(&random, 0, VO_PI));
        vo_mat2 s = {vo_random_real(&random, -1, 1), vo_random_real(&random, -1, 1),
                     vo_random_real(&random, -1, 1), vo_random_real(&random, -1, 1)};
        double length = vo_random_real(&random, 0.01, 0.2);
        if (fabs(m2_det(s)) < 0.02) continue;
        vo_sym2 gram = {s.a * s.a + s.c * s.c, s.a * s.b + s.c * s.d, s.b * s.b + s.d * s.d};
        vo_sym2 got = vo_metric_bound(m, sym2_scale(1 / (length * length), gram));
        assert_tensor_near(got, bound_on_screen(m, s, length), 1e-9 * trace(m));
        assert_true(min_eigenvalue_of_difference(m, got) >= -1e-10 * trace(m));
        lowered += trace(got) < 0.99 * trace(m);
    }
    assert_true(lowered > 5000);
}

static void infinite_and_zero_bounds_are_handled(void **state) {
    (void)state;
    vo_sym2 m = tensor(1e4, 100, 0.4);
    assert_true(sym2_equal(vo_metric_bound(m, (vo_sym2){INFINITY, 0, INFINITY}), m));
    assert_true(sym2_equal(vo_metric_bound(m, sym2_diagonal(1e5)), m));
    assert_tensor_near(vo_metric_bound(m, sym2_diagonal(50)), sym2_diagonal(50), 1e-9);
    vo_sym2 gone = vo_metric_bound(m, (vo_sym2){0});
    assert_true(trace(gone) >= 0 && trace(gone) < 1e-9);
    /* Edge-on: zero across, the bound along. */
    vo_sym2 edge_on = vo_metric_bound(sym2_diagonal(1e4), tensor(400, 0, 1));
    assert_near(vo_metric_eigen(edge_on).lambda_max, 400, 1e-3);
    assert_near(vo_metric_eigen(edge_on).lambda_min, 0, 1e-3);
}

/* ---- edges and flips ------------------------------------------------------------------------ */

static void edge_size_is_the_mean_of_both_ends(void **state) {
    (void)state;
    vo_sym2 a = tensor(100, 4, 0), b = tensor(300, 4, 0);
    assert_near(vo_metric_edge_size2(a, b, v2(0.1, 0)), 2, 1e-14);
    assert_near(vo_metric_edge_size2(a, b, v2(0, 0.5)), 1, 1e-14);
    assert_near(vo_metric_edge_size2(a, a, v2(0.1, 0.5)), 2, 1e-14);
}

/* Returns true if point 3 is inside the circumcircle of 0, 1, 2. */
static bool in_circle(const vo_vec2 u[4]) {
    double d[3][3];
    for (int i = 0; i < 3; i++) {
        vo_vec2 p = v2_sub(u[i], u[3]);
        d[i][0] = p.x, d[i][1] = p.y, d[i][2] = v2_dot(p, p);
    }
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
               d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
               d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]) >
           0;
}

static bool is_hinge(const vo_vec2 u[4]) {
    return v2_cross(v2_sub(u[1], u[0]), v2_sub(u[2], u[0])) > 1e-6 &&
           v2_cross(v2_sub(u[0], u[1]), v2_sub(u[3], u[1])) > 1e-6;
}

static void flips_are_delaunay_in_the_metric(void **state) {
    (void)state;
    vo_random random = vo_random_seed(7);
    int flips = 0, hinges = 0;
    for (int trial = 0; trial < 60000; trial++) {
        vo_vec2 u[4], stretched[4];
        for (int i = 0; i < 4; i++)
            u[i] = v2(vo_random_real(&random, -1, 1), vo_random_real(&random, -1, 1));
        if (!is_hinge(u)) continue;
        double a = vo_random_real(&random, 1, 5), angle = vo_random_real(&random, 0, VO_PI);
        vo_sym2 m = tensor(a * a, 1, angle), all[4] = {m, m, m, m};
        vo_vec2 axis = direction(angle), other = direction(angle + VO_PI / 2);
        for (int i = 0; i < 4; i++) stretched[i] = v2(a * v2_dot(axis, u[i]), v2_dot(other, u[i]));
        bool flip = vo_metric_should_flip(u, all, 0);
        assert_int_equal(flip, in_circle(stretched));
        hinges++;
        if (!flip) continue;
        flips++;
        /* (3, 2 | 0, 1): the flipped hinge is valid and is not flipped back. */
        vo_vec2 flipped[4] = {u[3], u[2], u[0], u[1]};
        assert_true(v2_cross(v2_sub(u[2], u[3]), v2_sub(u[0], u[3])) > 0);
        assert_true(v2_cross(v2_sub(u[3], u[2]), v2_sub(u[1], u[2])) > 0);
        assert_false(vo_metric_should_flip(flipped, all, 0));
    }
    assert_true(flips > 1000 && hinges - flips > 1000);
}

static void flips_use_the_mean_metric_and_a_threshold(void **state) {
    (void)state;
    /* A square with the diagonal 0-1 whose corner 3 is moved inwards by h: the opposite angles
     * exceed pi. */
    for (int i = 1; i < 10; i++) {
        double h = 0.01 * i;
        vo_vec2 u[4] = {{0, 0}, {1, 1}, {0, 1}, {1 - h, h}};
        vo_vec2 a = v2_sub(u[1], u[3]), b = v2_sub(u[0], u[3]);
        double sine = fabs(v2_dot(a, b)) / (v2_length(a) * v2_length(b));
        for (int decade = -4; decade <= 6; decade++) {
            vo_sym2 m = sym2_diagonal(pow(10, decade));
            vo_sym2 mixed[4] = {sym2_scale(4, m), {0}, {0}, {0}};
            assert_true(vo_metric_should_flip(u, mixed, sine * 0.999));
            assert_false(vo_metric_should_flip(u, mixed, sine * 1.001));
        }
    }
    vo_vec2 flat[4] = {{0, 0}, {1, 0}, {0.5, 0}, {0.5, -1}};
    vo_sym2 one[4] = {{1, 0, 1}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}};
    assert_false(vo_metric_should_flip(flat, one, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_rebuild_the_tensor_at_any_scale),
        cmocka_unit_test(maximum_dominates_and_no_smaller_one_does),
        cmocka_unit_test(maximum_has_the_smallest_trace),
        cmocka_unit_test(maximum_of_known_tensors),
        cmocka_unit_test(maximum_is_idempotent_commutative_and_equivariant),
        cmocka_unit_test(non_finite_tensors_are_ignored),
        cmocka_unit_test(limits_clamp_sizes_and_then_the_aspect),
        cmocka_unit_test(limits_give_definite_tensors_for_any_input),
        cmocka_unit_test(bound_equals_screen_space_clamp),
        cmocka_unit_test(infinite_and_zero_bounds_are_handled),
        cmocka_unit_test(edge_size_is_the_mean_of_both_ends),
        cmocka_unit_test(flips_are_delaunay_in_the_metric),
        cmocka_unit_test(flips_use_the_mean_metric_and_a_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
