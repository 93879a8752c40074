/* Tests of buckling compensation in SIMD lanes against the scalar code. */
#include "buckle_cases.h"
#include "lanes.h"

#include "material/buckle_lanes.h"

enum { TRIALS = 4000 };

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
        v[i] = test_random_vec3(r, 2);
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
    for (int i = 0; i < 3; i++) x[i] = get_lane(&call->x[i], n);
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
        assert_near(v3_distance(get_lane(&call->out.force[i], n), expected), 0, 1e-9 * size);
    }
}

static void lanes_agree_with_scalar_code(void **state) {
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

/* Lanes with and without slack side by side, and all without. */
static void zero_slack_lanes_give_same_bits(void **state) {
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
                assert_true(
                    v3_equal(get_lane(&buckled.out.force[i], n), get_lane(&plain.out.force[i], n)));
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
    for (int i = 0; i < 3; i++) assert_true(v3_length(get_lane(&call.out.force[i], 1)) == 0);
}

static void table_lookup_agrees_with_scalar_code(void **state) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_agree_with_scalar_code),
        cmocka_unit_test(zero_slack_lanes_give_same_bits),
        cmocka_unit_test(empty_lanes_are_zero),
        cmocka_unit_test(table_lookup_agrees_with_scalar_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
