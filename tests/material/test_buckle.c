/* Tests of buckling compensation: the law against its optimality conditions, closed forms and
 * finite differences. */
#include "buckle_cases.h"

#include "material/stretch_limit.h"

enum { TRIALS = 4000 };

static double sym2_dot(vo_sym2 a, vo_sym2 b) { return a.xx * b.xx + 2 * a.xy * b.xy + a.yy * b.yy; }

/* ---- alpha ---------------------------------------------------------------------------------- */

static void alpha_falls_from_one_to_zero(void **state) {
    (void)state;
    assert_true(vo_buckle_alpha(1, 1, 5, 10) == 1);
    assert_true(vo_buckle_alpha(5, 1, 5, 10) == 0);
    assert_true(vo_buckle_alpha(0.5, 1, 5, 10) == 1); /* clamped outside the bounds */
    assert_true(vo_buckle_alpha(6, 1, 5, 10) == 0);
    assert_near(vo_buckle_alpha(2, 1, 5, 1), 0.75, 1e-15);
    assert_near(vo_buckle_alpha(2, 1, 5, 10), pow(0.75, 10), 1e-15);
    for (int i = 0; i < 100; i++)
        assert_true(vo_buckle_alpha(0.05 * i, 1, 5, 10) >=
                    vo_buckle_alpha(0.05 * i + 0.05, 1, 5, 10));
    /* no range of sizes, or an infinite one: no face is coarse */
    assert_true(vo_buckle_alpha(1, 1, 1, 10) == 1);
    assert_true(vo_buckle_alpha(3, 1, INFINITY, 10) == 1);
}

/* ---- the law -------------------------------------------------------------------------------- */

/* C^-1 : S */
static vo_sym2 elastic_strain(const double c[4], vo_sym2 s) {
    double det = c[0] * c[2] - c[1] * c[1];
    return (vo_sym2){(c[2] * s.xx - c[1] * s.yy) / det, s.xy / (2 * c[3]),
                     (c[0] * s.yy - c[1] * s.xx) / det};
}

/* The minimum over D >= 0 satisfies S >= 0, D >= 0 and S : D = 0. */
static void full_slack_minimises_energy(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    int taut = 0, loose = 0, wrinkled = 0;
    for (int trial = 0; trial < 10 * TRIALS; trial++) {
        vo_stiffness c = draw_cloth_stiffness(&r);
        vo_sym2 g = draw_strain(&r);
        vo_tension t = vo_buckle_law(&c, 1, g), plain = vo_buckle_law(&c, 0, g);
        vo_sym2 e = elastic_strain(c.c, t.stress), d = {e.xx - g.xx, e.xy - g.xy, e.yy - g.yy};
        double strain = fabs(g.xx) + fabs(g.xy) + fabs(g.yy), stress = strain * (c.c[0] + c.c[2]);
        assert_true(vo_sym2_eigen(t.stress).lambda_min >= -1e-11 * stress);
        assert_true(vo_sym2_eigen(d).lambda_min >= -1e-10 * strain);
        assert_near(sym2_dot(t.stress, d), 0, 1e-10 * stress * strain);
        assert_near(t.energy, 0.5 * sym2_dot(t.stress, e), 1e-10 * stress * strain);
        assert_true(t.energy >= 0 && t.energy <= plain.energy * (1 + 1e-12));
        bool none = vo_sym2_eigen(d).lambda_max < 1e-10 * strain, all = t.energy == 0;
        taut += none, loose += all, wrinkled += !none && !all;
    }
    assert_true(taut > TRIALS && loose > TRIALS && wrinkled > TRIALS);
}

/* Without coupling, D is that of the paper (eq. 10) and S = C : G^. */
static void uncoupled_law_is_equation_10(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stiffness c = {{3, 0, 3, 1.5}};
        double slack = vo_random_real(&r, 0, 1);
        vo_sym2 g = draw_strain(&r), seen = vo_buckle_strain(g, slack);
        vo_eigen2 before = vo_sym2_eigen(g), after = vo_sym2_eigen(seen);
        double alpha = 1 - slack, size = fabs(before.lambda_max) + fabs(before.lambda_min);
        double large = before.lambda_max < 0 ? alpha * before.lambda_max : before.lambda_max;
        double small = before.lambda_min < 0 ? alpha * before.lambda_min : before.lambda_min;
        assert_near(after.lambda_max, vo_max(large, small), 1e-14 * size);
        assert_near(after.lambda_min, vo_min(large, small), 1e-14 * size);
        vo_tension t = vo_buckle_law(&c, slack, g);
        assert_near(t.stress.xx, 3 * seen.xx, 1e-13 * size);
        assert_near(t.stress.xy, 3 * seen.xy, 1e-13 * size);
        assert_near(t.stress.yy, 3 * seen.yy, 1e-13 * size);
    }
}

/* A strip under tension contracts by the same amount for any slack. */
static void strip_width_is_independent_of_slack(void **state) {
    (void)state;
    vo_stiffness c = {{100, 30, 60, 10}};
    double narrow = -0.5 * 0.04; /* of -c1 / c2 Guu */
    for (int i = 0; i <= 10; i++) {
        vo_tension t = vo_buckle_law(&c, 0.1 * i, (vo_sym2){0.04, 0, narrow});
        assert_near(t.stress.yy, 0, 1e-14);
        assert_near(t.stress.xx, (100 - 30 * 30 / 60.0) * 0.04, 1e-13);
        /* narrower it pushes with alpha of the full stress, wider it pulls with all of it */
        t = vo_buckle_law(&c, 0.1 * i, (vo_sym2){0.04, 0, narrow - 0.01});
        assert_near(t.stress.yy, -(1 - 0.1 * i) * 60 * 0.01, 1e-13);
        t = vo_buckle_law(&c, 0.1 * i, (vo_sym2){0.04, 0, narrow + 0.01});
        assert_near(t.stress.yy, 60 * 0.01, 1e-13);
    }
}

static void zero_slack_is_fabric_law(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stiffness c = draw_stiffness(&r);
        vo_sym2 g = draw_strain(&r);
        vo_tension t = vo_buckle_law(&c, 0, g);
        assert_true(t.stress.xx == c.c[0] * g.xx + c.c[1] * g.yy);
        assert_true(t.stress.yy == c.c[1] * g.xx + c.c[2] * g.yy);
        assert_true(t.stress.xy == 2 * c.c[3] * g.xy);
        vo_sym2 seen = vo_buckle_strain(g, 0);
        assert_true(seen.xx == g.xx && seen.xy == g.xy && seen.yy == g.yy);
    }
}

/* ---- derivatives ---------------------------------------------------------------------------- */

static double *component(vo_sym2 *g, int k) {
    double *c[3] = {&g->xx, &g->yy, &g->xy};
    return c[k];
}

/* dW/dG by differences in Guu, Gvv and 2 Guv. */
static void check_stress(const vo_stiffness *c, double slack, vo_sym2 g, double h, double error) {
    vo_tension t = vo_buckle_law(c, slack, g);
    const double stress[3] = {t.stress.xx, t.stress.yy, t.stress.xy};
    for (int k = 0; k < 3; k++) {
        vo_sym2 up = g, down = g;
        double step = k == 2 ? h / 2 : h;
        *component(&up, k) += step;
        *component(&down, k) -= step;
        double slope =
            (vo_buckle_law(c, slack, up).energy - vo_buckle_law(c, slack, down).energy) / (2 * h);
        assert_near(stress[k], slope, error);
    }
}

static void stress_is_energy_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stiffness c = draw_stiffness(&r);
        vo_sym2 g = draw_strain(&r);
        double size = fabs(g.xx) + fabs(g.xy) + fabs(g.yy), h = 1e-5 * size;
        double most = c.c[0] + c.c[2] + c.c[3];
        check_stress(&c, vo_random_real(&r, 0, 1), g, h, 2e-5 * most * size);
    }
}

/* The energy is smooth at equal, zero and mixed-sign eigenvalues. */
static void stress_is_energy_derivative_at_special_strains(void **state) {
    (void)state;
    vo_random r = vo_random_seed(5);
    static const vo_sym2 special[] = {
        {0, 0, 0},
        {0.1, 0, 0.1},
        {-0.1, 0, -0.1},
        {0.1, 0, -0.1},
        {0.1, 0, 0},
        {0, 0, 0.1},
        {-0.1, 0, 0},
        {0, 0, -0.1},
        {0, 0.1, 0},
        {0.05, 0.05, 0.05},
        {-0.05, 0.05, -0.05},
        {0.1, 0, -0.03},
        {-0.2, 0.1, 0.3},
        {0.1, 1e-12, 0.1 + 1e-12},
    };
    const vo_stiffness plain = {{100, 30, 100, 35}}; /* isotropic */
    for (int trial = 0; trial < 200; trial++) {
        vo_stiffness c = trial ? draw_cloth_stiffness(&r) : plain;
        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            for (double slack = 0; slack <= 1; slack += 0.25)
                check_stress(&c, slack, special[i], 1e-7, 2e-6 * (c.c[0] + c.c[2] + c.c[3]));
    }
}

/* Slopes against differences of stress. At the borders between taut, wrinkled and slack they lie
 * between those of both sides; few samples are there. */
static void slopes_are_stress_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    int borders = 0;
    for (int trial = 0; trial < 10 * TRIALS; trial++) {
        vo_stiffness c = draw_cloth_stiffness(&r);
        vo_sym2 g = draw_strain(&r);
        double slack = vo_random_real(&r, 0, 1), size = fabs(g.xx) + fabs(g.xy) + fabs(g.yy);
        double h = 1e-6 * size, worst = 0;
        vo_tension t = vo_buckle_law(&c, slack, g);
        const double *s = t.slope;
        const double slope[3][3] = {{s[0], s[1], s[3]}, {s[1], s[2], s[4]}, {s[3], s[4], s[5]}};
        for (int k = 0; k < 3; k++) {
            vo_sym2 up = g, down = g;
            *component(&up, k) += k == 2 ? h / 2 : h;
            *component(&down, k) -= k == 2 ? h / 2 : h;
            vo_sym2 high = vo_buckle_law(&c, slack, up).stress;
            vo_sym2 low = vo_buckle_law(&c, slack, down).stress;
            for (int i = 0; i < 3; i++) {
                double measured = (*component(&high, i) - *component(&low, i)) / (2 * h);
                worst = vo_max(worst, fabs(measured - slope[k][i]));
            }
        }
        borders += worst > 1e-4 * (c.c[0] + c.c[2]);
    }
    assert_true(borders < TRIALS / 100);
}

/* Positive semidefinite up to rounding: all leading minors of the matrix plus a small diagonal are
 * positive. */
static void assert_slopes_are_psd(const double s[6]) {
    double little = 1e-9 * (s[0] + s[2] + s[5] + 1e-12);
    double a = s[0] + little, b = s[2] + little, d = s[5] + little;
    assert_true(a > 0 && b > 0 && d > 0);
    double minor = a * b - s[1] * s[1];
    assert_true(minor > 0);
    double det = a * (b * d - s[4] * s[4]) - s[1] * (s[1] * d - s[4] * s[3]) +
                 s[3] * (s[1] * s[4] - b * s[3]);
    assert_true(det > 0);
}

static void slopes_are_positive_semidefinite(void **state) {
    (void)state;
    vo_random r = vo_random_seed(7);
    for (int trial = 0; trial < 20 * TRIALS; trial++) {
        vo_stiffness c = draw_stiffness(&r);
        double slack = trial % 2 ? 1 : vo_random_real(&r, 0, 1);
        vo_tension t = vo_buckle_law(&c, slack, draw_strain(&r));
        assert_slopes_are_psd(t.slope);
        assert_true(t.energy >= 0 && isfinite(t.energy));
    }
}

/* ---- faces ---------------------------------------------------------------------------------- */

static void forces_are_energy_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(8);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_vec3 x[3], g[3];
        vo_stretch_face face = draw_face(&r, x);
        vo_stiffness c = draw_cloth_stiffness(&r);
        vo_stretch_gradient(&face, &c, x, g);
        for (int k = 0; k < 9; k++) {
            double *p = coordinate(x, k), keep = *p, h = 1e-6;
            *p = keep + h;
            double up = vo_stretch_energy(&face, &c, x);
            *p = keep - h;
            double down = vo_stretch_energy(&face, &c, x);
            *p = keep;
            double slope = *coordinate(g, k);
            assert_near(slope, (up - down) / (2 * h), 3e-5 * (1 + fabs(slope)));
        }
    }
}

static void hessian_is_force_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(9);
    int borders = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_vec3 x[3], up[3], down[3];
        vo_stretch_face face = draw_face(&r, x);
        vo_stiffness c = draw_cloth_stiffness(&r);
        vo_mat3 hessian[3][3];
        vo_stretch_hessian(&face, &c, x, false, hessian);
        double worst = 0;
        for (int k = 0; k < 9; k++) {
            double *p = coordinate(x, k), keep = *p, h = 1e-6;
            *p = keep + h;
            vo_stretch_gradient(&face, &c, x, up);
            *p = keep - h;
            vo_stretch_gradient(&face, &c, x, down);
            *p = keep;
            for (int i = 0; i < 9; i++) {
                double expected = (*coordinate(up, i) - *coordinate(down, i)) / (2 * h);
                vo_vec3 row = hessian[i / 3][k / 3].row[i % 3];
                worst = vo_max(worst, fabs(*coordinate(&row, k % 3) - expected));
            }
        }
        borders += worst > 1e-4;
    }
    assert_true(borders < TRIALS / 100);
}

/* The lower stretch limit applies to the reduced compression. */
static void slack_lowers_min_stretch(void **state) {
    (void)state;
    double min2 = 0.9 * 0.9;
    assert_true(vo_stretch_min2_with_slack(min2, 0) == min2);
    double half = vo_stretch_min2_with_slack(min2, 0.5); /* twice the Green strain */
    assert_near(0.5 * (half - 1), 2 * 0.5 * (min2 - 1), 1e-15);
    assert_true(vo_stretch_min2_with_slack(min2, 1) == -INFINITY);
    assert_true(vo_stretch_min2_with_slack(1, 1) == -INFINITY);
    assert_true(vo_stretch_min2_with_slack(-INFINITY, 0.5) == -INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_falls_from_one_to_zero),
        cmocka_unit_test(full_slack_minimises_energy),
        cmocka_unit_test(uncoupled_law_is_equation_10),
        cmocka_unit_test(strip_width_is_independent_of_slack),
        cmocka_unit_test(zero_slack_is_fabric_law),
        cmocka_unit_test(stress_is_energy_derivative),
        cmocka_unit_test(stress_is_energy_derivative_at_special_strains),
        cmocka_unit_test(slopes_are_stress_derivative),
        cmocka_unit_test(slopes_are_positive_semidefinite),
        cmocka_unit_test(forces_are_energy_derivative),
        cmocka_unit_test(hessian_is_force_derivative),
        cmocka_unit_test(slack_lowers_min_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
