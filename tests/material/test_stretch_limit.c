/* Tests of stretch limits of single faces: derivatives of the penalty, and the lanes against the
 * scalar code. */
#include "support.h"

#include "lanes.h"

#include "core/random.h"
#include "material/stretch_limit.h"
#include "material/stretch_limit_lanes.h"

#include <math.h>

enum { TRIALS = 2000 };

typedef struct sample {
    vo_stretch_face face;
    vo_stretch_limit limit;
    vo_vec3 x[3], before[3];
} sample;

/* Corners of a face with edge matrix dm, stretched by up to `strain` in every direction. */
static void draw_corners(vo_random *r, vo_mat2 dm, double strain, vo_vec3 x[3]) {
    vo_vec3 u = v3_normalize(test_random_vec3(r, 1)),
            v = v3_normalize(v3_cross(test_random_vec3(r, 1), u));
    u = v3_add(u, test_random_vec3(r, strain));
    v = v3_add(v, test_random_vec3(r, strain));
    x[0] = test_random_vec3(r, 1);
    x[1] = v3_add(x[0], v3_add(v3_scale(dm.a, u), v3_scale(dm.c, v)));
    x[2] = v3_add(x[0], v3_add(v3_scale(dm.b, u), v3_scale(dm.d, v)));
}

static sample draw_sample(vo_random *r, double offset) {
    vo_mat2 dm;
    do {
        double a = vo_random_real(r, -1, 1), b = vo_random_real(r, -1, 1);
        double c = vo_random_real(r, -1, 1);
        dm = (vo_mat2){a, b, c, vo_random_real(r, -1, 1)};
    } while (m2_det(dm) < 0.2);
    sample s = {.face = {m2_inverse(dm), 0.5 * m2_det(dm)}};
    double xx = vo_random_real(r, -offset, offset), xy = vo_random_real(r, -offset, offset);
    s.face.offset = (vo_sym2){xx, xy, vo_random_real(r, -offset, offset)};
    double min = vo_random_real(r, 0.7, 1), max = vo_random_real(r, 1, 1.3);
    s.limit = (vo_stretch_limit){min * min, max * max, vo_random_real(r, 1, 50)};
    draw_corners(r, dm, 0.6, s.x);
    draw_corners(r, dm, 0.3, s.before);
    return s;
}

/* ---- scalar code ---------------------------------------------------------------------------- */

static double *coordinate(vo_vec3 x[3], int i) {
    vo_vec3 *p = &x[i / 3];
    return i % 3 == 0 ? &p->x : i % 3 == 1 ? &p->y : &p->z;
}

static void gradient_is_energy_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    int beyond = 0;
    for (int n = 0; n < TRIALS; n++) {
        sample s = draw_sample(&r, 0);
        vo_vec3 g[3];
        vo_stretch_limit_gradient(&s.face, &s.limit, s.x, g);
        beyond += vo_stretch_excess(&s.face, &s.limit, s.x) > 0;
        for (int i = 0; i < 9; i++) {
            const double h = 1e-6;
            vo_vec3 up[3] = {s.x[0], s.x[1], s.x[2]}, down[3] = {s.x[0], s.x[1], s.x[2]};
            *coordinate(up, i) += h;
            *coordinate(down, i) -= h;
            double slope = (vo_stretch_limit_energy(&s.face, &s.limit, up) -
                            vo_stretch_limit_energy(&s.face, &s.limit, down)) /
                           (2 * h);
            assert_near(*coordinate(g, i), slope, 2e-4);
        }
    }
    assert_true(beyond > TRIALS / 2);
}

static void no_force_within_limits(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    for (int n = 0; n < TRIALS; n++) {
        sample s = draw_sample(&r, 0.1);
        s.limit.min2 = -INFINITY;
        s.limit.max2 = INFINITY;
        vo_vec3 g[3];
        vo_mat3 h[3][3];
        vo_stretch_limit_gradient(&s.face, &s.limit, s.x, g);
        vo_stretch_limit_hessian(&s.face, &s.limit, s.x, h);
        assert_true(vo_stretch_excess(&s.face, &s.limit, s.x) == 0);
        for (int i = 0; i < 3; i++) {
            assert_true(v3_length(g[i]) == 0);
            for (int k = 0; k < 3; k++) assert_true(v3_length(h[i][k].row[0]) == 0);
        }
    }
}

/* x^T H y over the face's nine coordinates. */
static double product(vo_mat3 h[3][3], const vo_vec3 x[3], const vo_vec3 y[3]) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                double xk = k == 0 ? x[i].x : k == 1 ? x[i].y : x[i].z;
                sum += xk * v3_dot(h[i][j].row[k], y[j]);
            }
    return sum;
}

static void hessian_is_positive_semidefinite(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int n = 0; n < TRIALS; n++) {
        sample s = draw_sample(&r, 0.1);
        vo_mat3 h[3][3];
        vo_stretch_limit_hessian(&s.face, &s.limit, s.x, h);
        vo_vec3 a[3], b[3], shift = test_random_vec3(&r, 1), moved[3] = {shift, shift, shift};
        for (int i = 0; i < 3; i++) a[i] = test_random_vec3(&r, 1), b[i] = test_random_vec3(&r, 1);
        double size = 1 + fabs(product(h, a, a)) + fabs(product(h, b, b));
        assert_true(product(h, a, a) >= -1e-12 * size);
        assert_near(product(h, a, b), product(h, b, a), 1e-12 * size);
        assert_near(product(h, a, moved), 0, 1e-11 * size);
    }
}

/* Along the direction of pull the penalty is quadratic: a Newton step ends at the limit from any
 * distance. */
static void newton_step_reaches_limit(void **state) {
    (void)state;
    const double stretches[] = {0.2, 0.8, 1.2, 3, 40};
    vo_stretch_face face = {{2, 0, 0, 2}, 0.125};
    vo_stretch_limit limit = {0.95 * 0.95, 1.05 * 1.05, 7};
    for (int n = 0; n < 5; n++) {
        vo_vec3 x[3] = {v3_zero(), v3(0.5 * stretches[n], 0, 0), v3(0, 0.5, 0)}, g[3];
        vo_vec3 along[3] = {v3_zero(), v3(1, 0, 0), v3_zero()};
        vo_mat3 h[3][3];
        vo_stretch_limit_gradient(&face, &limit, x, g);
        vo_stretch_limit_hessian(&face, &limit, x, h);
        x[1].x -= g[1].x / product(h, along, along);
        assert_near(x[1].x / 0.5, stretches[n] < 1 ? 0.95 : 1.05, 1e-12);
    }
}

static void grace_interpolates_limit(void **state) {
    (void)state;
    vo_stretch_face face = {{1, 0, 0, 1}, 0.5};
    vo_stretch_limit limit = {0.9 * 0.9, 1.1 * 1.1, 1};
    vo_vec3 wide[3] = {v3_zero(), v3(1.2, 0, 0), v3(0, 0.8, 0)};
    vo_vec3 inside[3] = {v3_zero(), v3(1.05, 0, 0), v3(0, 0.95, 0)};
    vo_stretch_limit none = vo_stretch_limit_widen(&face, &limit, 0, wide);
    vo_stretch_limit all = vo_stretch_limit_widen(&face, &limit, 1, wide);
    vo_stretch_limit same = vo_stretch_limit_widen(&face, &limit, 1, inside);
    assert_near(none.max2, limit.max2, 0);
    assert_near(none.min2, limit.min2, 0);
    assert_near(all.max2, 1.44, 1e-12);
    assert_near(all.min2, 0.64, 1e-12);
    assert_near(same.max2, limit.max2, 0);
    assert_near(same.min2, limit.min2, 0);
}

/* A face whose strain equals its offset is treated as at rest. */
static void offset_is_not_limited(void **state) {
    (void)state;
    vo_stretch_face face = {{1, 0, 0, 1}, 0.5, {0.5 * (1.3 * 1.3 - 1), 0, 0}};
    vo_stretch_limit limit = {0.9 * 0.9, 1.1 * 1.1, 1};
    vo_vec3 x[3] = {v3_zero(), v3(1.3, 0, 0), v3(0, 1, 0)};
    assert_near(vo_stretch_excess(&face, &limit, x), 0, 0);
    x[1].x = sqrt(1.3 * 1.3 + 1.2 * 1.2 - 1); /* effective stretch 1.2 */
    double goal = sqrt(1.3 * 1.3 + 1.1 * 1.1 - 1);
    assert_near(vo_stretch_excess(&face, &limit, x), x[1].x - goal, 1e-12);
}

/* ---- lanes ---------------------------------------------------------------------------------- */

typedef struct lanes_call {
    vo_stretch4 in;
    vo_limit4 limit;
    vo_d4 keep;
    vo_p4 x[3], before[3];
    vo_violation4 beyond[2];
    vo_stretch4_out out;
} lanes_call;

VO_INLINE void call_lanes(lanes_call *c) {
    const vo_d4 zero = d4_set(0);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 9; k++) c->out.hessian[i][k] = zero;
    for (int i = 0; i < 3; i++) c->out.force[i] = (vo_p4){zero, zero, zero};
    vo_limit4_widen(&c->in, vo_stretch4_map(&c->in, c->before), c->keep, &c->limit);
    vo_limit4_find(&c->in, &c->limit, vo_stretch4_map(&c->in, c->x), c->beyond);
    for (int i = 0; i < 2; i++) vo_limit4_add(&c->in, &c->limit, &c->beyond[i], &c->out);
    vo_stretch4_complete(c->out.hessian);
}

static void lanes_base(lanes_call *c) { call_lanes(c); }
AVX2 static void lanes_avx2(lanes_call *c) { call_lanes(c); }

static void put_sample(lanes_call *c, int n, const sample *s) {
    const vo_mat2 *m = &s->face.inverse;
    const double inverse[4] = {m->a, m->b, m->c, m->d};
    for (int k = 0; k < 4; k++) c->in.inverse[k][n] = inverse[k];
    c->in.area[n] = s->face.area;
    c->in.offset[0][n] = s->face.offset.xx;
    c->in.offset[1][n] = s->face.offset.xy;
    c->in.offset[2][n] = s->face.offset.yy;
    c->limit.min2[n] = s->limit.min2;
    c->limit.max2[n] = s->limit.max2;
    c->limit.stiffness[n] = s->limit.stiffness;
    for (int i = 0; i < 3; i++) {
        set_lane(&c->x[i], n, s->x[i]);
        set_lane(&c->before[i], n, s->before[i]);
    }
}

static void check_lane(const lanes_call *c, int n, const sample *s) {
    static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
    vo_stretch_limit limit = vo_stretch_limit_widen(&s->face, &s->limit, c->keep[n], s->before);
    vo_vec3 g[3];
    vo_mat3 h[3][3];
    vo_stretch_limit_gradient(&s->face, &limit, s->x, g);
    vo_stretch_limit_hessian(&s->face, &limit, s->x, h);
    assert_near(vo_limit4_excess(c->beyond)[n], vo_stretch_excess(&s->face, &limit, s->x), 1e-12);
    for (int i = 0; i < 3; i++) {
        vo_vec3 force = v3(c->out.force[i].x[n], c->out.force[i].y[n], c->out.force[i].z[n]);
        assert_true(v3_length(v3_add(force, g[i])) < 1e-9 * (1 + v3_length(g[i])));
    }
    for (int b = 0; b < 6; b++)
        for (int k = 0; k < 9; k++) {
            vo_vec3 line = h[row[b]][column[b]].row[k % 3];
            double expected = k / 3 == 0 ? line.x : k / 3 == 1 ? line.y : line.z;
            assert_near(c->out.hessian[b][k][n], expected, 1e-8 * (1 + fabs(expected)));
        }
}

static void lanes_agree_with_scalar_code(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    for (int trial = 0; trial < TRIALS; trial++) {
        sample s[4];
        lanes_call base = {.keep = d4_set(vo_random_real(&r, 0, 1))};
        for (int n = 0; n < 4; n++) {
            s[n] = draw_sample(&r, n == 0 ? 0 : 0.1);
            if (n == 1) s[n].limit.min2 = -INFINITY;
            if (n == 2) s[n].limit.max2 = INFINITY;
            put_sample(&base, n, &s[n]);
        }
        lanes_call avx2 = base;
        lanes_base(&base);
        for (int n = 0; n < 4; n++) check_lane(&base, n, &s[n]);
        if (!HAVE_AVX2()) continue;
        lanes_avx2(&avx2);
        assert_memory_equal(&avx2.out, &base.out, sizeof base.out);
    }
}

/* Equal stretches have no principal directions, a collapsed face has no direction of pull. */
static void degenerate_faces_have_finite_forces(void **state) {
    (void)state;
    const double sizes[] = {2, 0.1, 1e-20, 0};
    lanes_call c = {.keep = d4_set(0)};
    for (int n = 0; n < 4; n++) {
        sample s = {.face = {{1, 0, 0, 1}, 0.5}, .limit = {0.9 * 0.9, 1.1 * 1.1, 3}};
        s.x[1] = v3(sizes[n], 0, 0);
        s.x[2] = v3(0, sizes[n], 0);
        s.before[1] = v3(1, 0, 0);
        s.before[2] = v3(0, 1, 0);
        put_sample(&c, n, &s);
    }
    lanes_base(&c);
    for (int n = 0; n < 4; n++) {
        assert_near(vo_limit4_excess(c.beyond)[n], fabs(sizes[n] - (n == 0 ? 1.1 : 0.9)), 1e-12);
        for (int i = 0; i < 3; i++) assert_true(isfinite(c.out.force[i].x[n]));
        for (int b = 0; b < 6; b++)
            for (int k = 0; k < 9; k++) assert_true(isfinite(c.out.hessian[b][k][n]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_energy_derivative),
        cmocka_unit_test(no_force_within_limits),
        cmocka_unit_test(hessian_is_positive_semidefinite),
        cmocka_unit_test(newton_step_reaches_limit),
        cmocka_unit_test(grace_interpolates_limit),
        cmocka_unit_test(offset_is_not_limited),
        cmocka_unit_test(lanes_agree_with_scalar_code),
        cmocka_unit_test(degenerate_faces_have_finite_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
