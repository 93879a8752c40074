/* Tests of the SIMD kernels against the scalar energies, and of their variants against each other.
 */
#include "support.h"

#include "lanes.h"

#include "core/random.h"
#include "material/bend_lanes.h"
#include "material/measured.h"
#include "material/stretch.h"
#include "material/stretch_lanes.h"

enum { TRIALS = 3000 };

/* Inputs and results of a kernel call. */
typedef struct stretch_call {
    vo_stretch4 in;
    vo_p4 x[3], v[3];
    const vo_fabric *fabric[4]; /* NULL: c is given */
    vo_d4 mult;
    vo_stretch4_out out;
} stretch_call;

typedef struct hinge_call {
    vo_p4 x[4], v[4], gradient[4];
    vo_d4 angle, rate;
} hinge_call;

typedef struct plate_call {
    vo_d4 area, basis[3][3], d[3], bent[3];
    vo_d4 k[3], moment[3], weight[3];
} plate_call;

VO_INLINE void call_stretch(stretch_call *call) {
    if (call->fabric[0]) {
        vo_d4 g[3];
        vo_stretch4_strain(&call->in, call->x, g);
        vo_stretch4_lookup(call->fabric, call->mult, g, call->in.c);
    }
    vo_stretch4_eval(&call->in, call->x, call->v, &call->out);
}
VO_INLINE void call_hinge(hinge_call *call) {
    call->angle = vo_bend4_angle(call->x, call->gradient);
    call->rate = vo_bend4_rate(call->gradient, call->v);
}
VO_INLINE void call_plate(plate_call *call) {
    vo_bend4_curvature(call->basis, call->bent, call->k);
    vo_bend4_moments(call->area, call->basis, call->d, call->k, call->moment);
    vo_bend4_weights(call->area, call->basis, call->d, call->weight);
}
VO_INLINE void call_atan2(const vo_d4 *y, const vo_d4 *x, vo_d4 *out) { *out = d4_atan2(*y, *x); }

/* Both instruction sets per kernel. */
static void stretch_base(stretch_call *call) { call_stretch(call); }
static void hinge_base(hinge_call *call) { call_hinge(call); }
static void plate_base(plate_call *call) { call_plate(call); }
static void atan2_base(const vo_d4 *y, const vo_d4 *x, vo_d4 *out) { call_atan2(y, x, out); }
AVX2 static void stretch_avx2(stretch_call *call) { call_stretch(call); }
AVX2 static void hinge_avx2(hinge_call *call) { call_hinge(call); }
AVX2 static void plate_avx2(plate_call *call) { call_plate(call); }
AVX2 static void atan2_avx2(const vo_d4 *y, const vo_d4 *x, vo_d4 *out) { call_atan2(y, x, out); }

static double draw(vo_random *r, double size) { return vo_random_real(r, -size, size); }

/* A random face of about one metre: at rest, stretched, compressed or degenerate. */
static void draw_face(vo_random *r, stretch_call *call, int n) {
    vo_mat2 dm;
    do {
        dm = (vo_mat2){draw(r, 1), draw(r, 1), draw(r, 1), draw(r, 1)};
    } while (m2_det(dm) < 0.2);
    vo_mat2 inverse = m2_inverse(dm);
    const double entries[4] = {inverse.a, inverse.b, inverse.c, inverse.d};
    for (int k = 0; k < 4; k++) call->in.inverse[k][n] = entries[k];
    call->in.area[n] = 0.5 * m2_det(dm);
    double c0 = vo_random_real(r, 0, 3), c2 = vo_random_real(r, 0, 3);
    const double c[4] = {c0, draw(r, 0.99) * sqrt(c0 * c2), c2, vo_random_real(r, 0, 2)};
    for (int k = 0; k < 4; k++) call->in.c[k][n] = c[k];
    call->in.tau[n] = vo_random_real(r, 0, 0.1);
    double strain = n == 0 ? 0 : vo_random_real(r, 0, 0.8);
    vo_vec3 u = v3_normalize(test_random_vec3(r, 1)),
            v = v3_normalize(v3_cross(test_random_vec3(r, 1), u));
    u = v3_add(u, test_random_vec3(r, strain));
    v = v3_add(v, test_random_vec3(r, strain));
    vo_vec3 origin = test_random_vec3(r, 1);
    set_lane(&call->x[0], n, origin);
    set_lane(&call->x[1], n, v3_add(origin, v3_add(v3_scale(dm.a, u), v3_scale(dm.c, v))));
    set_lane(&call->x[2], n, v3_add(origin, v3_add(v3_scale(dm.b, u), v3_scale(dm.d, v))));
    for (int i = 0; i < 3; i++) set_lane(&call->v[i], n, test_random_vec3(r, 2));
}

static void draw_hinge(vo_random *r, hinge_call *call, int n) {
    for (int i = 0; i < 4; i++) {
        set_lane(&call->x[i], n, test_random_vec3(r, 1));
        set_lane(&call->v[i], n, test_random_vec3(r, 1));
    }
}

/* Loads a face of the scalar code with random bend angles into a lane. */
static void set_plate(vo_random *r, plate_call *call, int n, const vo_bend_face *face) {
    call->area[n] = face->area;
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) call->basis[k][c][n] = face->basis[k][c];
        call->d[k][n] = exp(draw(r, 5));
        call->bent[k][n] = draw(r, 3);
    }
}

static vo_bend_face draw_bend_face(vo_random *r) {
    vo_vec2 corner[3];
    do {
        for (int k = 0; k < 3; k++) {
            double u = draw(r, 1);
            corner[k] = v2(u, draw(r, 1));
        }
    } while (fabs(v2_cross(v2_sub(corner[1], corner[0]), v2_sub(corner[2], corner[0]))) < 0.02);
    return vo_bend_face_make(corner);
}

/* Compares all results of one lane with the scalar code. */
static void check_stretch_lane(const stretch_call *call, int n) {
    const vo_stretch4 *in = &call->in;
    vo_stretch_face face = {
        {in->inverse[0][n], in->inverse[1][n], in->inverse[2][n], in->inverse[3][n]}, in->area[n]};
    vo_stiffness c = {{in->c[0][n], in->c[1][n], in->c[2][n], in->c[3][n]}};
    vo_vec3 x[3], v[3], force[3];
    for (int i = 0; i < 3; i++) {
        x[i] = get_lane(&call->x[i], n);
        v[i] = get_lane(&call->v[i], n);
    }
    vo_mat3 h[3][3];
    vo_stretch_gradient(&face, &c, x, force);
    vo_stretch_hessian(&face, &c, x, true, h);
    double size = 1;
    for (int b = 0; b < 6; b++) {
        static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
        for (int k = 0; k < 9; k++) {
            const vo_vec3 *line = &h[row[b]][column[b]].row[k % 3];
            const double entries[3] = {line->x, line->y, line->z};
            assert_near(call->out.hessian[b][k][n], entries[k / 3],
                        1e-12 * (10 + fabs(entries[k / 3])));
            size = vo_max(size, fabs(entries[k / 3]));
        }
    }
    for (int i = 0; i < 3; i++) {
        vo_vec3 expected = v3_negate(force[i]);
        for (int j = 0; j < 3; j++)
            expected = v3_add_scaled(expected, -in->tau[n], m3_mul(h[i][j], v[j]));
        assert_near(v3_distance(get_lane(&call->out.force[i], n), expected), 0, 1e-12 * size);
    }
    vo_svd32 svd = vo_mat32_svd(m32_mul_m2(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]), face.inverse));
    assert_near(call->out.stretch_max[n], svd.stretch[0], 1e-12);
    /* the square root of a difference: 1e-16 of rounding under it is 1e-8 at zero */
    assert_near(call->out.stretch_min[n] * call->out.stretch_min[n],
                svd.stretch[1] * svd.stretch[1], 1e-13 * svd.stretch[0] * svd.stretch[0] + 1e-14);
}

static void stretch_lanes_agree_with_scalar_code(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        stretch_call base = {.mult = d4_set(1)};
        for (int n = 0; n < 4; n++) draw_face(&r, &base, n);
        stretch_call avx2 = base;
        stretch_base(&base);
        for (int n = 0; n < 4; n++) check_stretch_lane(&base, n);
        if (!HAVE_AVX2()) continue;
        stretch_avx2(&avx2);
        assert_memory_equal(&base, &avx2, sizeof base);
    }
}

static void empty_stretch_lanes_are_zero(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    stretch_call call = {.mult = d4_set(1)};
    draw_face(&r, &call, 2);
    stretch_base(&call);
    check_stretch_lane(&call, 2);
    for (int b = 0; b < 6; b++)
        for (int k = 0; k < 9; k++) assert_true(call.out.hessian[b][k][1] == 0);
    for (int i = 0; i < 3; i++) assert_true(v3_length(get_lane(&call.out.force[i], 1)) == 0);
}

/* Different kinds of fabric in one call. */
static void lookup_agrees_with_scalar_code(void **state) {
    (void)state;
    vo_measured m = {{{31, -12.8, 44, 31.9},
                      {78, 26, 268, 27},
                      {67, 77, 182, -14},
                      {113, 54, 175, 44},
                      {144, 111, 138, -29},
                      {143, 49, 191, 39}}};
    static vo_stiffness_sample table[VO_STRETCH_TABLE];
    vo_measured_tabulate(&m, table);
    vo_fabric measured = {.table = table}, linear = {.linear = {{800, 100, 600, 50}}};
    vo_random r = vo_random_seed(3);
    for (int trial = 0; trial < TRIALS; trial++) {
        stretch_call base = {.fabric = {&measured, trial % 2 ? &linear : &measured, &measured,
                                        trial % 3 ? &measured : &linear}};
        for (int n = 0; n < 4; n++) {
            draw_face(&r, &base, n);
            base.mult[n] = vo_random_real(&r, 0.5, 2);
        }
        if (trial == 7) set_lane(&base.x[0], 1, v3(NAN, 0, 0));
        stretch_call avx2 = base;
        stretch_base(&base);
        vo_d4 g[3];
        vo_stretch4_strain(&base.in, base.x, g);
        for (int n = 0; n < 4; n++) {
            vo_sym2 strain = {g[0][n], g[1][n], g[2][n]};
            vo_stiffness s = vo_fabric_stiffness(base.fabric[n], strain);
            for (int k = 0; k < 4; k++)
                assert_near(base.in.c[k][n], base.mult[n] * s.c[k], 1e-12 * (1 + s.c[k]));
        }
        if (!HAVE_AVX2() || trial == 7) continue;
        stretch_avx2(&avx2);
        assert_memory_equal(&base, &avx2, sizeof base);
    }
}

static void check_hinge_lane(const hinge_call *call, int n) {
    vo_vec3 x[4], g[4];
    double rate = 0, size = 1;
    for (int i = 0; i < 4; i++) x[i] = get_lane(&call->x[i], n);
    assert_near(call->angle[n], vo_hinge_angle(x), 1e-12);
    vo_hinge_angle_gradient(x, g);
    for (int i = 0; i < 4; i++) {
        size += v3_length2(g[i]);
        rate += v3_dot(g[i], get_lane(&call->v[i], n));
    }
    for (int i = 0; i < 4; i++)
        assert_near(v3_distance(get_lane(&call->gradient[i], n), g[i]), 0, 1e-12 * size);
    assert_near(call->rate[n], rate, 1e-12 * size);
}

static void hinge_lanes_agree_with_scalar_code(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    for (int trial = 0; trial < TRIALS; trial++) {
        hinge_call base = {.angle = d4_set(0)};
        for (int n = 0; n < 4; n++) draw_hinge(&r, &base, n);
        hinge_call avx2 = base;
        hinge_base(&base);
        for (int n = 0; n < 4; n++) check_hinge_lane(&base, n);
        if (!HAVE_AVX2()) continue;
        hinge_avx2(&avx2);
        assert_memory_equal(&base, &avx2, sizeof base);
    }
}

static void degenerate_hinge_lanes_are_zero(void **state) {
    (void)state;
    vo_random r = vo_random_seed(5);
    hinge_call call = {.angle = d4_set(0)};
    for (int n = 0; n < 4; n++) draw_hinge(&r, &call, n);
    set_lane(&call.x[1], 0, get_lane(&call.x[0], 0)); /* no edge */
    set_lane(&call.x[2], 1,
             v3_lerp(get_lane(&call.x[0], 1), get_lane(&call.x[1], 1), 0.25)); /* no face */
    set_lane(&call.x[3], 2, get_lane(&call.x[1], 2));
    hinge_base(&call);
    for (int n = 0; n < 3; n++) {
        assert_true(call.angle[n] == 0 && call.rate[n] == 0);
        for (int i = 0; i < 4; i++) assert_true(v3_length(get_lane(&call.gradient[i], n)) == 0);
    }
    check_hinge_lane(&call, 3);
}

/* A completely folded hinge has the angle +pi in both codes. */
static void folded_hinge_lanes_have_angle_pi(void **state) {
    (void)state;
    hinge_call call = {.angle = d4_set(0)};
    for (int n = 0; n < 4; n++) {
        double side = n % 2 ? 1 : -1;
        set_lane(&call.x[1], n, v3(0, 1, 0));
        set_lane(&call.x[2], n, v3(side, 0.5, 0));
        set_lane(&call.x[3], n, v3(side, 0.25 * n, 0));
    }
    hinge_base(&call);
    for (int n = 0; n < 4; n++) assert_near(call.angle[n], VO_PI, 1e-15);
}

static void check_plate_lane(const plate_call *call, int n, const vo_bend_face *face) {
    vo_plate plate = {{call->d[0][n], call->d[1][n], call->d[2][n]}};
    double bent[3] = {call->bent[0][n], call->bent[1][n], call->bent[2][n]};
    double moment[3], weight[3];
    vo_bend_moments(face, &plate, bent, moment);
    vo_bend_weights(face, &plate, weight);
    double size = weight[0] + weight[1] + weight[2];
    for (int i = 0; i < 3; i++) {
        assert_near(call->moment[i][n], moment[i], 1e-12 * size);
        assert_near(call->weight[i][n], weight[i], 1e-12 * size);
    }
    double k[3] = {call->k[0][n], call->k[1][n], call->k[2][n]};
    double curvature = sqrt(k[0] * k[0] + k[1] * k[1] + 2 * k[2] * k[2]);
    double energy =
        0.5 * face->area *
        (plate.d[0] * k[0] * k[0] + plate.d[1] * k[1] * k[1] + plate.d[2] * k[2] * k[2]);
    assert_near(curvature, vo_bend_curvature(face, bent), 1e-12 * (1 + curvature));
    assert_near(energy, vo_bend_energy(face, &plate, bent), 1e-12 * size);
}

static void plate_lanes_agree_with_scalar_code(void **state) {
    (void)state;
    vo_random r = vo_random_seed(7);
    for (int trial = 0; trial < TRIALS; trial++) {
        plate_call base = {.area = d4_set(0)};
        vo_bend_face face[4];
        for (int n = 0; n < 4; n++) {
            face[n] = draw_bend_face(&r);
            set_plate(&r, &base, n, &face[n]);
        }
        plate_call avx2 = base;
        plate_base(&base);
        for (int n = 0; n < 4; n++) check_plate_lane(&base, n, &face[n]);
        if (!HAVE_AVX2()) continue;
        plate_avx2(&avx2);
        assert_memory_equal(&base, &avx2, sizeof base);
    }
}

/* A degenerate face and an unused lane next to a regular face. */
static void empty_plate_lanes_are_zero(void **state) {
    (void)state;
    vo_random r = vo_random_seed(8);
    plate_call call = {.area = d4_set(0)};
    vo_bend_face sound = draw_bend_face(&r);
    vo_bend_face broken = vo_bend_face_make((const vo_vec2[]){v2(0, 0), v2(1, 1), v2(3, 3)});
    set_plate(&r, &call, 0, &broken);
    set_plate(&r, &call, 2, &sound);
    plate_base(&call);
    check_plate_lane(&call, 2, &sound);
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < 3; i++)
            assert_true(call.k[i][n] == 0 && call.moment[i][n] == 0 && call.weight[i][n] == 0);
}

static void check_atan2(vo_d4 y, vo_d4 x, double *worst) {
    vo_d4 base, avx2;
    atan2_base(&y, &x, &base);
    for (int n = 0; n < 4; n++) {
        long double exact = atan2l(y[n], x[n]);
        double error = (double)fabsl(base[n] - exact) / (double)fabsl(exact);
        *worst = vo_max(*worst, exact == 0 ? fabs(base[n]) : error);
        assert_true(base[n] > -VO_PI - 1e-15 && base[n] <= VO_PI);
    }
    if (!HAVE_AVX2()) return;
    atan2_avx2(&y, &x, &avx2);
    assert_memory_equal(&base, &avx2, sizeof base);
}

static void atan2_error_is_at_most_two_ulp(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    double worst = 0;
    for (int trial = 0; trial < 200000; trial++) {
        double scale = exp(draw(&r, 200)), ratio = exp(draw(&r, trial % 2 ? 1 : 60));
        vo_d4 y = {draw(&r, 1), draw(&r, 1), draw(&r, 1), draw(&r, 1)};
        vo_d4 x = {draw(&r, 1), draw(&r, 1), draw(&r, 1), draw(&r, 1)};
        check_atan2(y * scale, x * scale * ratio, &worst);
    }
    for (int k = -2000; k <= 2000; k++) { /* all octants and their borders */
        double t = k * VO_PI / 2000;
        vo_d4 y = {sin(t), sin(t + 1e-9), sin(t - 1e-15), 1};
        vo_d4 x = {cos(t), cos(t + 1e-9), cos(t - 1e-15), t};
        check_atan2(y, x, &worst);
    }
    if (worst > 4.5e-16) fail_msg("relative error %g", worst);
}

static void atan2_is_exact_on_axes(void **state) {
    (void)state;
    vo_d4 y = {0, -0.0, 0, 0}, x = {0, -1, -1, 1}, angle;
    atan2_base(&y, &x, &angle);
    assert_true(angle[0] == 0 && angle[1] == VO_PI && angle[2] == VO_PI && angle[3] == 0);
    y = (vo_d4){1, -1, 2, -1e-300};
    x = (vo_d4){0, 0, -0.0, -1};
    atan2_base(&y, &x, &angle);
    assert_true(angle[0] == VO_PI / 2 && angle[1] == -VO_PI / 2 && angle[2] == VO_PI / 2);
    assert_near(angle[3], -VO_PI, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretch_lanes_agree_with_scalar_code),
        cmocka_unit_test(empty_stretch_lanes_are_zero),
        cmocka_unit_test(lookup_agrees_with_scalar_code),
        cmocka_unit_test(hinge_lanes_agree_with_scalar_code),
        cmocka_unit_test(degenerate_hinge_lanes_are_zero),
        cmocka_unit_test(folded_hinge_lanes_have_angle_pi),
        cmocka_unit_test(plate_lanes_agree_with_scalar_code),
        cmocka_unit_test(empty_plate_lanes_are_zero),
        cmocka_unit_test(atan2_error_is_at_most_two_ulp),
        cmocka_unit_test(atan2_is_exact_on_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
