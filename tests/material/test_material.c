/* The scalar energy of stretching and the angle of a hinge against finite differences, invariants
 * and closed forms; test_bending.c continues with bending. */
#include "support.h"

#include "core/random.h"
#include "material/bend.h"
#include "material/stretch.h"

#include <float.h>

enum { TRIALS = 2000 };

/* A face with a random rest shape of good quality. */
static vo_stretch_face random_face(vo_random *r) {
    for (;;) {
        vo_mat2 dm = {vo_random_real(r, -1, 1), vo_random_real(r, -1, 1), vo_random_real(r, -1, 1),
                      vo_random_real(r, -1, 1)};
        if (m2_det(dm) > 0.2) return (vo_stretch_face){m2_inverse(dm), 0.5 * m2_det(dm)};
    }
}

/* Positions by a random F near a rotation; `strain` is the deviation from one. */
static void random_positions(vo_random *r, const vo_stretch_face *face, double strain,
                             vo_vec3 x[3]) {
    vo_vec3 u = v3_normalize(test_random_vec3(r, 1)), w = v3_normalize(test_random_vec3(r, 1));
    vo_vec3 v = v3_normalize(v3_cross(w, u));
    u = v3_add(u, test_random_vec3(r, strain));
    v = v3_add(v, test_random_vec3(r, strain));
    vo_mat2 dm = m2_inverse(face->inverse);
    x[0] = test_random_vec3(r, 1);
    x[1] = v3_add(x[0], v3_add(v3_scale(dm.a, u), v3_scale(dm.c, v)));
    x[2] = v3_add(x[0], v3_add(v3_scale(dm.b, u), v3_scale(dm.d, v)));
}

static vo_stiffness random_stiffness(vo_random *r) {
    double c0 = vo_random_real(r, 0, 3), c2 = vo_random_real(r, 0, 3);
    double c1 = vo_random_real(r, -0.99, 0.99) * sqrt(c0 * c2);
    return (vo_stiffness){{c0, c1, c2, vo_random_real(r, 0, 2)}};
}

static double *coordinate(vo_vec3 *x, int k) {
    double *c[3] = {&x[k / 3].x, &x[k / 3].y, &x[k / 3].z};
    return c[k % 3];
}
static double component(const vo_vec3 *x, int k) {
    const double c[3] = {x[k / 3].x, x[k / 3].y, x[k / 3].z};
    return c[k % 3];
}
static double block_entry(const vo_mat3 *blocks, int nodes, int row, int column) {
    const vo_mat3 *block = blocks + row / 3 * nodes + column / 3;
    return component(&block->row[row % 3], column % 3);
}

/* Symmetric, and positive semidefinite up to rounding. */
static void assert_psd(const vo_mat3 *blocks, int nodes) {
    double largest = 0;
    for (int i = 0; i < 3 * nodes; i++)
        for (int j = 0; j < 3 * nodes; j++) {
            double h = block_entry(blocks, nodes, i, j);
            assert_near(h, block_entry(blocks, nodes, j, i), 1e-12 * (1 + fabs(h)));
            largest = vo_max(largest, fabs(h));
        }
    /* A Cholesky factor of H + tiny I exists if and only if H is positive semidefinite up to tiny.
     */
    double l[12][12] = {{0}};
    for (int i = 0; i < 3 * nodes; i++)
        for (int j = 0; j <= i; j++) {
            double s = block_entry(blocks, nodes, i, j) + (i == j ? 1e-9 * (largest + 1e-3) : 0);
            for (int k = 0; k < j; k++) s -= l[i][k] * l[j][k];
            if (i == j) {
                assert_true(s > 0);
                l[i][i] = sqrt(s);
            } else {
                l[i][j] = s / l[j][j];
            }
        }
}

static void stretch_gradient_is_energy_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stretch_face face = random_face(&r);
        vo_stiffness c = random_stiffness(&r);
        vo_vec3 x[3], g[3];
        random_positions(&r, &face, 0.5, x);
        vo_stretch_gradient(&face, &c, x, g);
        for (int k = 0; k < 9; k++) {
            double *p = coordinate(x, k), keep = *p, h = 1e-5;
            *p = keep + h;
            double up = vo_stretch_energy(&face, &c, x);
            *p = keep - h;
            double down = vo_stretch_energy(&face, &c, x);
            *p = keep;
            assert_near(component(g, k), (up - down) / (2 * h), 3e-8 * (1 + fabs(component(g, k))));
        }
    }
}

static void stretch_hessian_is_gradient_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stretch_face face = random_face(&r);
        vo_stiffness c = random_stiffness(&r);
        vo_vec3 x[3], up[3], down[3];
        vo_mat3 hessian[3][3];
        random_positions(&r, &face, 0.5, x);
        vo_stretch_hessian(&face, &c, x, false, hessian);
        for (int k = 0; k < 9; k++) {
            double *p = coordinate(x, k), keep = *p, h = 1e-5;
            *p = keep + h;
            vo_stretch_gradient(&face, &c, x, up);
            *p = keep - h;
            vo_stretch_gradient(&face, &c, x, down);
            *p = keep;
            for (int i = 0; i < 9; i++) {
                double expected = (component(up, i) - component(down, i)) / (2 * h);
                assert_near(block_entry(&hessian[0][0], 3, i, k), expected,
                            1e-7 * (1 + fabs(expected)));
            }
        }
    }
}

static void projected_stretch_hessian_is_positive_semidefinite(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stretch_face face = random_face(&r);
        vo_stiffness c = random_stiffness(&r);
        vo_vec3 x[3];
        vo_mat3 hessian[3][3];
        random_positions(&r, &face, trial % 2 ? 1.0 : 0.1, x);
        vo_stretch_hessian(&face, &c, x, true, hessian);
        assert_psd(&hessian[0][0], 3);
    }
}

static void projection_is_identity_under_tension(void **state) {
    (void)state;
    vo_stretch_face face = {{1, 0, 0, 1}, 0.5};
    vo_stiffness c = {{800, 100, 600, 50}};
    vo_vec3 x[3] = {v3(0, 0, 0), v3(1.1, 0, 0.1), v3(0.05, 1.2, 0)};
    vo_mat3 exact[3][3], projected[3][3];
    vo_stretch_hessian(&face, &c, x, false, exact);
    vo_stretch_hessian(&face, &c, x, true, projected);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            assert_near(block_entry(&exact[0][0], 3, i, j), block_entry(&projected[0][0], 3, i, j),
                        1e-10);
}

/* A rotation by axis and angle (Rodrigues), then a shift. */
static vo_vec3 move(vo_vec3 axis, double angle, vo_vec3 shift, vo_vec3 p) {
    vo_vec3 turned = v3_add(v3_scale(cos(angle), p), v3_scale(sin(angle), v3_cross(axis, p)));
    turned = v3_add_scaled(turned, (1 - cos(angle)) * v3_dot(axis, p), axis);
    return v3_add(turned, shift);
}

static void rigid_motion_keeps_energy_and_force(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stretch_face face = random_face(&r);
        vo_stiffness c = random_stiffness(&r);
        vo_vec3 x[4], y[4], g[4], axis = v3_normalize(test_random_vec3(&r, 1)),
                                  shift = test_random_vec3(&r, 3);
        double angle = vo_random_real(&r, -3, 3);
        random_positions(&r, &face, 0.4, x);
        x[3] = test_random_vec3(&r, 1);
        for (int i = 0; i < 4; i++) y[i] = move(axis, angle, shift, x[i]);
        double e = vo_stretch_energy(&face, &c, x);
        assert_near(vo_stretch_energy(&face, &c, y), e, 1e-13 + 1e-12 * e);
        double wrap = remainder(vo_hinge_angle(y) - vo_hinge_angle(x), 2 * VO_PI);
        assert_near(wrap, 0, 1e-8);

        random_positions(&r, &face, 0, y);
        vo_stretch_gradient(&face, &c, y, g);
        for (int i = 0; i < 3; i++) assert_near(v3_length(g[i]), 0, 1e-13);
    }
}

/* Sums of internal forces and moments vanish. */
static void internal_forces_balance(void **state) {
    (void)state;
    vo_random r = vo_random_seed(5);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stretch_face face = random_face(&r);
        vo_stiffness c = random_stiffness(&r);
        vo_vec3 x[4], g[4];
        for (int kind = 0; kind < 2; kind++) {
            int nodes = kind ? 4 : 3;
            random_positions(&r, &face, 0.4, x);
            x[3] = v3_add(x[0], test_random_vec3(&r, 1));
            if (kind)
                vo_hinge_angle_gradient(x, g);
            else
                vo_stretch_gradient(&face, &c, x, g);
            vo_vec3 sum = v3_zero(), moment = v3_zero();
            double size = 1;
            for (int i = 0; i < nodes; i++) {
                sum = v3_add(sum, g[i]);
                moment = v3_add(moment, v3_cross(x[i], g[i]));
                size = vo_max(size, v3_length2(g[i]));
            }
            assert_near(v3_length(sum), 0, 1e-13 * size);
            assert_near(v3_length(moment), 0, 1e-13 * size);
        }
    }
}

static void green_strain_known_values(void **state) {
    (void)state;
    vo_stretch_face face = {{2, 0, 0, 2}, 0.125};
    vo_vec3 x[3] = {v3(0, 0, 0), v3(0.6, 0, 0), v3(0, 0, 0.4)};
    vo_sym2 g = vo_green_strain(&face, x); /* stretches 1.2 and 0.8 */
    assert_near(g.xx, 0.5 * (1.44 - 1), 1e-15);
    assert_near(g.yy, 0.5 * (0.64 - 1), 1e-15);
    assert_near(g.xy, 0, 1e-15);
    vo_stiffness c = {{700, 100, 500, 40}};
    double expected = 0.125 * 0.5 * (700 * g.xx * g.xx + 200 * g.xx * g.yy + 500 * g.yy * g.yy);
    assert_near(vo_stretch_energy(&face, &c, x), expected, 1e-13);
    /* simple shear by gamma: Guv = gamma/2, Gvv = gamma^2/2, energy near 1/2 shear gamma^2 */
    double gamma = 1e-4;
    vo_vec3 sheared[3] = {v3(0, 0, 0), v3(0.5, 0, 0), v3(0.5 * gamma, 0.5, 0)};
    assert_near(vo_stretch_energy(&face, &c, sheared), 0.125 * 0.5 * 40 * gamma * gamma, 1e-14);
}

/* A hinge about the y axis with both faces lowered by `fold`/2 each: convex from above. */
static void folded_hinge(double fold, vo_vec3 x[4]) {
    double s = sin(fold / 2), c = cos(fold / 2);
    x[0] = v3(0, 0, 0);
    x[1] = v3(0, 1, 0);
    x[2] = v3(-c, 0.3, -s);
    x[3] = v3(2 * c, 0.8, -2 * s);
}

static void hinge_angle_known_values(void **state) {
    (void)state;
    vo_vec3 x[4];
    for (int n = -314; n <= 314; n++) {
        double fold = 0.01 * n;
        folded_hinge(fold, x);
        assert_near(vo_hinge_angle(x), fold, 1e-14);
    }
    folded_hinge(0, x);
    double flat = vo_hinge_angle(x);
    assert_true(flat == 0);
    x[2] = x[3]; /* completely folded: +pi, never -pi */
    assert_near(vo_hinge_angle(x), VO_PI, 1e-15);
    for (int i = 0; i < 4; i++) x[i].x = -x[i].x;
    assert_near(vo_hinge_angle(x), VO_PI, 1e-15);
}

static void hinge_gradient_is_angle_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    for (int n = -155; n <= 155; n++) {
        vo_vec3 x[4], g[4];
        folded_hinge(0.02 * n, x);
        for (int i = 0; i < 4; i++) x[i] = v3_add(x[i], test_random_vec3(&r, 0.02));
        vo_hinge_angle_gradient(x, g);
        for (int k = 0; k < 12; k++) {
            double *p = coordinate(x, k), keep = *p, h = 1e-5;
            *p = keep + h;
            double up = vo_hinge_angle(x);
            *p = keep - h;
            double down = vo_hinge_angle(x);
            *p = keep;
            if (fabs(up - down) > 1) continue; /* across the branch cut at pi */
            assert_near(component(g, k), (up - down) / (2 * h), 1e-8);
        }
    }
}

/* Either face may be first: the edge is then traversed in the opposite direction. */
static void hinge_is_symmetric(void **state) {
    (void)state;
    vo_random r = vo_random_seed(7);
    static const int other[4] = {1, 0, 3, 2};
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_vec3 x[4], y[4], g[4], h[4];
        folded_hinge(vo_random_real(&r, -3, 3), x);
        for (int i = 0; i < 4; i++) x[i] = v3_add(x[i], test_random_vec3(&r, 0.05));
        for (int i = 0; i < 4; i++) y[i] = x[other[i]];
        vo_hinge_angle_gradient(x, g);
        vo_hinge_angle_gradient(y, h);
        double turn = remainder(vo_hinge_angle(y) - vo_hinge_angle(x), 2 * VO_PI);
        assert_near(turn, 0, 1e-13);
        for (int i = 0; i < 4; i++) assert_near(v3_distance(h[i], g[other[i]]), 0, 1e-12);
    }
}

static void degenerate_hinge_is_zero(void **state) {
    (void)state;
    vo_vec3 y = v3(0, 1, 0);
    vo_vec3 broken[][4] = {
        {v3(0, 0, 0), v3(0, 0, 0), v3(-1, 0, 0), v3(1, 0, 1)}, /* no edge */
        {v3(0, 0, 0), y, v3(0, 0.5, 0), v3(1, 0, 1)},          /* no first face */
        {v3(0, 0, 0), y, v3(-1, 0, 0), v3(0, 3, 0)},           /* no second face */
        {v3(0, 0, 0), y, v3(1e-13, 0.5, 0), v3(1, 0, 1)},      /* sliver at rounding level */
        {v3(1, 1, 1), v3(1, 1, 1), v3(1, 1, 1), v3(1, 1, 1)},  /* a point */
        {v3(0, 0, 0), v3(0, 1e-200, 0), v3(-1e-200, 0, 0), v3(1e-200, 0, 1e-200)},
        {v3(0, 0, 0), v3(0, 1e200, 0), v3(-1e200, 0, 0), v3(1e200, 0, 1e200)},
        {v3(NAN, 0, 0), y, v3(-1, 0, 0), v3(1, 0, 1)},
        {v3(0, 0, 0), y, v3(INFINITY, 0, 0), v3(1, 0, 1)}};
    for (size_t n = 0; n < sizeof broken / sizeof *broken; n++) {
        vo_vec3 g[4];
        vo_hinge_angle_gradient(broken[n], g);
        assert_true(vo_hinge_angle(broken[n]) == 0);
        for (int i = 0; i < 4; i++) assert_true(v3_length(g[i]) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretch_gradient_is_energy_derivative),
        cmocka_unit_test(stretch_hessian_is_gradient_derivative),
        cmocka_unit_test(projected_stretch_hessian_is_positive_semidefinite),
        cmocka_unit_test(projection_is_identity_under_tension),
        cmocka_unit_test(rigid_motion_keeps_energy_and_force),
        cmocka_unit_test(internal_forces_balance),
        cmocka_unit_test(green_strain_known_values),
        cmocka_unit_test(hinge_angle_known_values),
        cmocka_unit_test(hinge_gradient_is_angle_derivative),
        cmocka_unit_test(hinge_is_symmetric),
        cmocka_unit_test(degenerate_hinge_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
