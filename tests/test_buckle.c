/* Buckling compensation: the law against its conditions of optimality, closed forms and finite
 * differences, and the vector kernel against it. */
#include "support.h"

#include "core/random.h"
#include "material/buckle_lanes.h"
#include "material/stretch.h"
#include "material/stretch_limit.h"

#include <math.h>

#if defined(__x86_64__)
#define AVX2        __attribute__((target("avx2")))
#define HAVE_AVX2() __builtin_cpu_supports("avx2")
#else
#define AVX2
#define HAVE_AVX2() 0
#endif

enum { TRIALS = 4000 };

static double draw(vo_random *r, double size) { return vo_random_real(r, -size, size); }

/* Of any proportions, some without shear, coupling or weft. */
static vo_stiffness draw_stiffness(vo_random *r) {
    double c0 = exp(draw(r, 3)), c2 = exp(draw(r, 3)), both = sqrt(c0 * c2);
    double coupling = vo_random_int(r, 4) ? draw(r, 0.999) : 0;
    double shear = vo_random_int(r, 8) ? both * exp(draw(r, 4)) : 0;
    return (vo_stiffness){{c0, coupling * both, c2, shear}};
}

/* Of cloth: every share that the law needs is there. */
static vo_stiffness draw_sound_stiffness(vo_random *r) {
    double c0 = exp(draw(r, 1)), c2 = exp(draw(r, 1)), both = sqrt(c0 * c2);
    return (vo_stiffness){{c0, draw(r, 0.8) * both, c2, both * exp(vo_random_real(r, -3, 0.5))}};
}

static vo_sym2 draw_strain(vo_random *r) {
    double size = exp(vo_random_real(r, -8, 0));
    double xx = draw(r, size), xy = draw(r, size);
    return (vo_sym2){xx, xy, draw(r, size)};
}

static double sym2_dot(vo_sym2 a, vo_sym2 b) { return a.xx * b.xx + 2 * a.xy * b.xy + a.yy * b.yy; }

/* ---- alpha ---------------------------------------------------------------------------------- */

static void alpha_runs_from_one_to_zero(void **state) {
    (void)state;
    assert_true(vo_buckle_alpha(1, 1, 5, 10) == 1);
    assert_true(vo_buckle_alpha(5, 1, 5, 10) == 0);
    assert_true(vo_buckle_alpha(0.5, 1, 5, 10) == 1); /* beyond the bounds too */
    assert_true(vo_buckle_alpha(6, 1, 5, 10) == 0);
    assert_near(vo_buckle_alpha(2, 1, 5, 1), 0.75, 1e-15);
    assert_near(vo_buckle_alpha(2, 1, 5, 10), pow(0.75, 10), 1e-15);
    for (int i = 0; i < 100; i++)
        assert_true(vo_buckle_alpha(0.05 * i, 1, 5, 10) >=
                    vo_buckle_alpha(0.05 * i + 0.05, 1, 5, 10));
    /* no span of sizes, or no end of it: nothing is coarse */
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

/* The least energy over D >= 0 is where S >= 0, D >= 0 and S : D = 0. */
static void full_slack_leaves_the_least_energy(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    int taut = 0, loose = 0, wrinkled = 0;
    for (int trial = 0; trial < 10 * TRIALS; trial++) {
        vo_stiffness c = draw_sound_stiffness(&r);
        vo_sym2 g = draw_strain(&r);
        vo_tension t = vo_buckle_law(&c, 1, g), plain = vo_buckle_law(&c, 0, g);
        vo_sym2 e = elastic_strain(c.c, t.stress), d = {e.xx - g.xx, e.xy - g.xy, e.yy - g.yy};
        double strain = fabs(g.xx) + fabs(g.xy) + fabs(g.yy), stress = strain * (c.c[0] + c.c[2]);
        assert_true(vo_sym2_eigen(t.stress).small >= -1e-11 * stress);
        assert_true(vo_sym2_eigen(d).small >= -1e-10 * strain);
        assert_near(sym2_dot(t.stress, d), 0, 1e-10 * stress * strain);
        assert_near(t.energy, 0.5 * sym2_dot(t.stress, e), 1e-10 * stress * strain);
        assert_true(t.energy >= 0 && t.energy <= plain.energy * (1 + 1e-12));
        bool none = vo_sym2_eigen(d).large < 1e-10 * strain, all = t.energy == 0;
        taut += none, loose += all, wrinkled += !none && !all;
    }
    assert_true(taut > TRIALS && loose > TRIALS && wrinkled > TRIALS);
}

/* Where no direction couples with another, D is that of the paper (eq. 10) and S = C : G^. */
static void without_coupling_it_is_equation_10(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_stiffness c = {{3, 0, 3, 1.5}};
        double slack = vo_random_real(&r, 0, 1);
        vo_sym2 g = draw_strain(&r), seen = vo_buckle_strain(g, slack);
        vo_eigen2 before = vo_sym2_eigen(g), after = vo_sym2_eigen(seen);
        double alpha = 1 - slack, size = fabs(before.large) + fabs(before.small);
        double large = before.large < 0 ? alpha * before.large : before.large;
        double small = before.small < 0 ? alpha * before.small : before.small;
        assert_near(after.large, vo_max(large, small), 1e-14 * size);
        assert_near(after.small, vo_min(large, small), 1e-14 * size);
        vo_tension t = vo_buckle_law(&c, slack, g);
        assert_near(t.stress.xx, 3 * seen.xx, 1e-13 * size);
        assert_near(t.stress.xy, 3 * seen.xy, 1e-13 * size);
        assert_near(t.stress.yy, 3 * seen.yy, 1e-13 * size);
    }
}

/* A strip under tension is as narrow as ever, whatever it resists compression with. */
static void a_pulled_strip_does_not_become_narrower(void **state) {
    (void)state;
    vo_stiffness c = {{100, 30, 60, 10}};
    double narrow = -0.5 * 0.04; /* of -c1 / c2 Guu */
    for (int i = 0; i <= 10; i++) {
        vo_tension t = vo_buckle_law(&c, 0.1 * i, (vo_sym2){0.04, 0, narrow});
        assert_near(t.stress.yy, 0, 1e-14);
        assert_near(t.stress.xx, (100 - 30 * 30 / 60.0) * 0.04, 1e-13);
        /* less wide it pushes outwards with alpha of what it would, wider it pulls as ever */
        t = vo_buckle_law(&c, 0.1 * i, (vo_sym2){0.04, 0, narrow - 0.01});
        assert_near(t.stress.yy, -(1 - 0.1 * i) * 60 * 0.01, 1e-13);
        t = vo_buckle_law(&c, 0.1 * i, (vo_sym2){0.04, 0, narrow + 0.01});
        assert_near(t.stress.yy, 60 * 0.01, 1e-13);
    }
}

static void without_slack_it_is_the_fabric_s_own(void **state) {
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

static void stress_is_the_energy_s_derivative(void **state) {
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

/* Where eigenvalues are equal, zero, or of both signs: energy is smooth there, too. */
static void stress_is_the_derivative_at_special_strains(void **state) {
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
    const vo_stiffness plain = {{100, 30, 100, 35}}; /* the same in all directions */
    for (int trial = 0; trial < 200; trial++) {
        vo_stiffness c = trial ? draw_sound_stiffness(&r) : plain;
        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            for (double slack = 0; slack <= 1; slack += 0.25)
                check_stress(&c, slack, special[i], 1e-7, 2e-6 * (c.c[0] + c.c[2] + c.c[3]));
    }
}

/* Slopes by differences of stress. Where a border of taut, wrinkled and slack is crossed, they are
 * between those of both sides; there only few samples lie. */
static void slopes_are_the_stress_s_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    int borders = 0;
    for (int trial = 0; trial < 10 * TRIALS; trial++) {
        vo_stiffness c = draw_sound_stiffness(&r);
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

/* Smallest eigenvalue of the slopes, by their characteristic polynomial's signs: all leading
 * minors of the matrix plus a little are positive. */
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

static vo_vec3 draw_point(vo_random *r, double size) {
    double x = draw(r, size), y = draw(r, size);
    return v3(x, y, draw(r, size));
}

static double *coordinate(vo_vec3 *x, int k) {
    double *c[3] = {&x[k / 3].x, &x[k / 3].y, &x[k / 3].z};
    return c[k % 3];
}

/* A face and a place for it, compressed in some direction. */
static vo_stretch_face draw_face(vo_random *r, vo_vec3 x[3]) {
    vo_mat2 dm;
    do {
        dm = (vo_mat2){draw(r, 1), draw(r, 1), draw(r, 1), draw(r, 1)};
    } while (m2_det(dm) < 0.2);
    vo_vec3 u = v3_normalize(draw_point(r, 1)), v = v3_normalize(v3_cross(draw_point(r, 1), u));
    u = v3_scale(vo_random_real(r, 0.4, 1.2), v3_add(u, draw_point(r, 0.2)));
    v = v3_scale(vo_random_real(r, 0.4, 1.2), v3_add(v, draw_point(r, 0.2)));
    x[0] = draw_point(r, 1);
    x[1] = v3_add(x[0], v3_add(v3_scale(dm.a, u), v3_scale(dm.c, v)));
    x[2] = v3_add(x[0], v3_add(v3_scale(dm.b, u), v3_scale(dm.d, v)));
    return (vo_stretch_face){
        .inverse = m2_inverse(dm), .area = 0.5 * m2_det(dm), .slack = vo_random_real(r, 0, 1)};
}

static void forces_are_the_energy_s_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(8);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_vec3 x[3], g[3];
        vo_stretch_face face = draw_face(&r, x);
        vo_stiffness c = draw_sound_stiffness(&r);
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

static void hessians_are_the_force_s_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(9);
    int borders = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_vec3 x[3], up[3], down[3];
        vo_stretch_face face = draw_face(&r, x);
        vo_stiffness c = draw_sound_stiffness(&r);
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

/* ---- lanes ---------------------------------------------------------------------------------- */

typedef struct lanes_call {
    vo_stretch4 in;
    vo_d4 slack;
    vo_p4 x[3], v[3];
    vo_stretch4_out out;
} lanes_call;

VO_INLINE void call_buckle(lanes_call *c) {
    vo_buckle4_eval(&c->in, c->slack, c->x, c->v, &c->out);
}
static void buckle_base(lanes_call *c) { call_buckle(c); }
AVX2 static void buckle_avx2(lanes_call *c) { call_buckle(c); }
static void stretch_base(lanes_call *c) { vo_stretch4_eval(&c->in, c->x, c->v, &c->out); }

static void set_lane(vo_p4 *p, int n, vo_vec3 v) { p->x[n] = v.x, p->y[n] = v.y, p->z[n] = v.z; }
static vo_vec3 lane(const vo_p4 *p, int n) { return v3(p->x[n], p->y[n], p->z[n]); }

static vo_stretch_face draw_lane(vo_random *r, lanes_call *call, int n, vo_stiffness *c,
                                 vo_vec3 v[3]) {
    vo_vec3 x[3];
    vo_stretch_face face = draw_face(r, x);
    *c = draw_stiffness(r);
    face.offset = (vo_sym2){draw(r, 0.1), draw(r, 0.1), draw(r, 0.1)};
    const double inverse[4] = {face.inverse.a, face.inverse.b, face.inverse.c, face.inverse.d};
    const double offset[3] = {face.offset.xx, face.offset.xy, face.offset.yy};
    for (int i = 0; i < 4; i++) call->in.inverse[i][n] = inverse[i];
    for (int i = 0; i < 4; i++) call->in.c[i][n] = c->c[i];
    for (int i = 0; i < 3; i++) call->in.offset[i][n] = offset[i];
    call->in.area[n] = face.area;
    call->in.tau[n] = vo_random_real(r, 0, 0.1);
    call->slack[n] = face.slack;
    for (int i = 0; i < 3; i++) {
        v[i] = draw_point(r, 2);
        set_lane(&call->x[i], n, x[i]);
        set_lane(&call->v[i], n, v[i]);
    }
    return face;
}

/* Force with damping and projected Hessian, against the scalar code. */
static void check_lane(const lanes_call *call, int n, const vo_stretch_face *face,
                       const vo_stiffness *c, const vo_vec3 v[3]) {
    static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
    vo_vec3 x[3], force[3];
    vo_mat3 h[3][3];
    for (int i = 0; i < 3; i++) x[i] = lane(&call->x[i], n);
    vo_stretch_gradient(face, c, x, force);
    vo_stretch_hessian(face, c, x, true, h);
    double size = c->c[0] + c->c[2] + c->c[3];
    for (int b = 0; b < 6; b++)
        for (int k = 0; k < 9; k++) {
            double expected = *coordinate(&h[row[b]][column[b]].row[k % 3], k / 3);
            assert_near(call->out.hessian[b][k][n], expected, 1e-9 * size);
        }
    for (int i = 0; i < 3; i++) {
        vo_vec3 expected = v3_negate(force[i]);
        for (int j = 0; j < 3; j++)
            expected = v3_add_scaled(expected, -call->in.tau[n], m3_mul(h[i][j], v[j]));
        assert_near(v3_distance(lane(&call->out.force[i], n), expected), 0, 1e-9 * size);
    }
}

static void lanes_agree_with_the_scalar_code(void **state) {
    (void)state;
    vo_random r = vo_random_seed(10);
    for (int trial = 0; trial < TRIALS; trial++) {
        lanes_call base = {.slack = d4_set(0)};
        vo_stretch_face face[4];
        vo_stiffness c[4];
        vo_vec3 v[4][3];
        for (int n = 0; n < 4; n++) face[n] = draw_lane(&r, &base, n, &c[n], v[n]);
        lanes_call avx2 = base;
        buckle_base(&base);
        for (int n = 0; n < 4; n++) check_lane(&base, n, &face[n], &c[n], v[n]);
        if (!HAVE_AVX2()) continue;
        buckle_avx2(&avx2);
        assert_memory_equal(&base, &avx2, sizeof base);
    }
}

/* Firm lanes beside slack ones, and all of them. */
static void lanes_without_slack_have_the_same_bits_as_ever(void **state) {
    (void)state;
    vo_random r = vo_random_seed(11);
    for (int trial = 0; trial < TRIALS; trial++) {
        lanes_call buckled = {.slack = d4_set(0)};
        vo_stiffness c;
        vo_vec3 v[3];
        for (int n = 0; n < 4; n++) {
            draw_lane(&r, &buckled, n, &c, v);
            if (n != trial % 5) buckled.slack[n] = 0;
        }
        lanes_call plain = buckled;
        buckle_base(&buckled);
        stretch_base(&plain);
        for (int n = 0; n < 4; n++) {
            if (n == trial % 5) continue;
            for (int b = 0; b < 6; b++)
                for (int k = 0; k < 9; k++)
                    assert_true(buckled.out.hessian[b][k][n] == plain.out.hessian[b][k][n]);
            for (int i = 0; i < 3; i++)
                assert_true(v3_equal(lane(&buckled.out.force[i], n), lane(&plain.out.force[i], n)));
        }
    }
}

static void empty_lanes_are_zero(void **state) {
    (void)state;
    vo_random r = vo_random_seed(12);
    lanes_call call = {.slack = d4_set(0.5)};
    vo_stiffness c;
    vo_vec3 v[3];
    vo_stretch_face face = draw_lane(&r, &call, 2, &c, v);
    buckle_base(&call);
    check_lane(&call, 2, &face, &c, v);
    for (int b = 0; b < 6; b++)
        for (int k = 0; k < 9; k++) assert_true(call.out.hessian[b][k][1] == 0);
    for (int i = 0; i < 3; i++) assert_true(v3_length(lane(&call.out.force[i], 1)) == 0);
}

static void lanes_look_tables_up_where_the_scalar_code_does(void **state) {
    (void)state;
    vo_random r = vo_random_seed(13);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_d4 g[3], slack;
        vo_sym2 strain[4];
        for (int n = 0; n < 4; n++) {
            strain[n] = draw_strain(&r);
            g[0][n] = strain[n].xx, g[1][n] = strain[n].xy, g[2][n] = strain[n].yy;
            slack[n] = n ? vo_random_real(&r, 0, 1) : 0;
        }
        vo_buckle4_strain(slack, g);
        for (int n = 0; n < 4; n++) {
            vo_sym2 expected = vo_buckle_strain(strain[n], slack[n]);
            assert_near(g[0][n], expected.xx, 1e-14);
            assert_near(g[1][n], expected.xy, 1e-14);
            assert_near(g[2][n], expected.yy, 1e-14);
        }
        assert_true(g[0][0] == strain[0].xx && g[1][0] == strain[0].xy && g[2][0] == strain[0].yy);
    }
}

/* The lower limit of stretches is for the compression that is seen, too. */
static void slack_faces_may_be_compressed_further(void **state) {
    (void)state;
    double min2 = 0.9 * 0.9;
    assert_true(vo_stretch_min2_with(min2, 0) == min2);
    double half = vo_stretch_min2_with(min2, 0.5); /* twice the Green strain */
    assert_near(0.5 * (half - 1), 2 * 0.5 * (min2 - 1), 1e-15);
    assert_true(vo_stretch_min2_with(min2, 1) == -INFINITY);
    assert_true(vo_stretch_min2_with(1, 1) == -INFINITY);
    assert_true(vo_stretch_min2_with(-INFINITY, 0.5) == -INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_runs_from_one_to_zero),
        cmocka_unit_test(full_slack_leaves_the_least_energy),
        cmocka_unit_test(without_coupling_it_is_equation_10),
        cmocka_unit_test(a_pulled_strip_does_not_become_narrower),
        cmocka_unit_test(without_slack_it_is_the_fabric_s_own),
        cmocka_unit_test(stress_is_the_energy_s_derivative),
        cmocka_unit_test(stress_is_the_derivative_at_special_strains),
        cmocka_unit_test(slopes_are_the_stress_s_derivative),
        cmocka_unit_test(slopes_are_positive_semidefinite),
        cmocka_unit_test(forces_are_the_energy_s_derivative),
        cmocka_unit_test(hessians_are_the_force_s_derivative),
        cmocka_unit_test(lanes_agree_with_the_scalar_code),
        cmocka_unit_test(lanes_without_slack_have_the_same_bits_as_ever),
        cmocka_unit_test(empty_lanes_are_zero),
        cmocka_unit_test(lanes_look_tables_up_where_the_scalar_code_does),
        cmocka_unit_test(slack_faces_may_be_compressed_further),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
