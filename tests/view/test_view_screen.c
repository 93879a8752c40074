/* Tests of the screen-space bound: equations 5 to 8, extreme views, several samples. */
#include "support.h"

#include "remesh/metric.h"
#include "view/view_kernel.h"
#include "view_cases.h"

/* ---- fixture -------------------------------------------------------------------------------- */

static vo_frustum_sample sample_of(const vo_camera *camera) {
    vo_view_sample sample = {.camera = *camera};
    vo_viewpoint eye = {1, &sample, 1};
    vo_frustum_sample m;
    assert_int_equal(vo_frustum_samples_make(&eye, 0, 1, &m), 1);
    return m;
}

/* A face with given positions and material edges. */
static vo_view_face face_of(const vo_vec3 x[3], vo_vec2 a, vo_vec2 b) {
    vo_view_face f = {.x = {x[0], x[1], x[2]}};
    f.normal = v3_normalize(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])));
    f.edges = m2_inverse((vo_mat2){a.x, b.x, a.y, b.y});
    return f;
}

/* Bound of a two-sided face from all samples, as if it were inside each frustum. */
static vo_sym2 bound_of_samples(const vo_screen_def *def, double max_bound, int count,
                                const vo_frustum_sample *m, const vo_view_face *f) {
    vo_view_params params = {vo_factor_def_default(), *def, max_bound};
    vo_view_lanes lanes = {.count = 1, .max_front = {1}};
    for (int k = 0; k < 3; k++) {
        lanes.x[k][0][0] = f->x[k].x;
        lanes.x[k][1][0] = f->x[k].y;
        lanes.x[k][2][0] = f->x[k].z;
    }
    lanes.edges[0][0] = f->edges.a, lanes.edges[1][0] = f->edges.b;
    lanes.edges[2][0] = f->edges.c, lanes.edges[3][0] = f->edges.d;
    for (int k = 0; k < count; k++) vo_view_eval_base(&params, &m[k], true, &lanes);
    vo_sym2 b = {lanes.bound[0][0], lanes.bound[1][0], lanes.bound[2][0]};
    return lanes.unbounded[0] || !(b.xx + b.yy > 0) ? vo_screen_no_bound() : b;
}

static vo_sym2 bound_of(const vo_screen_def *def, const vo_camera *camera, const vo_view_face *f) {
    vo_frustum_sample m = sample_of(camera);
    return bound_of_samples(def, INFINITY, 1, &m, f);
}

/* Pixels of a point. */
static vo_vec2 pixel_of(const vo_camera *c, vo_vec3 x) {
    vo_vec3 d = v3_sub(x, c->position);
    double z = v3_dot(d, c->forward);
    return v2(v3_dot(d, c->right) / z / c->tan_x * c->width / 2,
              v3_dot(d, c->up) / z / c->tan_y * c->height / 2);
}

/* S from the projected corners, as in the paper. */
static vo_mat2 jacobian_of(const vo_camera *c, const vo_view_face *f) {
    vo_vec2 p = pixel_of(c, f->x[0]);
    vo_vec2 a = v2_sub(pixel_of(c, f->x[1]), p), b = v2_sub(pixel_of(c, f->x[2]), p);
    vo_mat2 e = f->edges;
    return (vo_mat2){a.x * e.a + b.x * e.c, a.x * e.b + b.x * e.d, a.y * e.a + b.y * e.c,
                     a.y * e.b + b.y * e.d};
}

static vo_sym2 gram(vo_mat2 s, double l) {
    double k = 1 / (l * l);
    return (vo_sym2){k * (s.a * s.a + s.c * s.c), k * (s.a * s.b + s.c * s.d),
                     k * (s.b * s.b + s.d * s.d)};
}

static void assert_sym2_near(vo_sym2 a, vo_sym2 b, double tolerance) {
    double size = fabs(b.xx) + fabs(b.yy);
    assert_near(a.xx, b.xx, tolerance * size);
    assert_near(a.xy, b.xy, tolerance * size);
    assert_near(a.yy, b.yy, tolerance * size);
}

/* A small random face inside the frustum. */
static vo_view_face random_face(vo_random *r, const vo_camera *c, double size) {
    double z = vo_random_real(r, 1, 5);
    vo_vec3 at = v3_add_scaled(c->position, z, c->forward), x[3];
    at = v3_add_scaled(at, z * c->tan_x * vo_random_real(r, -0.9, 0.9), c->right);
    at = v3_add_scaled(at, z * c->tan_y * vo_random_real(r, -0.9, 0.9), c->up);
    for (int i = 0; i < 3; i++) x[i] = v3_add(at, test_random_vec3(r, size));
    vo_vec2 a = v2(size * vo_random_real(r, 0.5, 1.5), size * vo_random_real(r, -0.3, 0.3));
    vo_vec2 b = v2(size * vo_random_real(r, -0.3, 0.3), size * vo_random_real(r, 0.5, 1.5));
    return face_of(x, a, b);
}

/* ---- equations ------------------------------------------------------------------------------ */

/* 4 m in front of a camera of 1600 x 900 pixels whose image is 8 m x 4.5 m there: 200 pixels per
 * metre. */
static void bound_known_values(void **state) {
    (void)state;
    vo_camera c = camera_at(v3_zero(), v3(0, 4, 0), 1, 0.5625);
    vo_vec3 flat[3] = {{0, 4, 0}, {0.01, 4, 0}, {0, 4, 0.01}};
    vo_view_face f = face_of(flat, v2(0.01, 0), v2(0, 0.01));
    vo_screen_def def = {.min_edge_pixels = 5, .grazing = 0};
    assert_sym2_near(bound_of(&def, &c, &f), (vo_sym2){1600, 0, 1600}, 1e-5); /* 5 px = 25 mm */
    /* Stretched to double its width along u: half the material length covers the same pixels. */
    f = face_of(flat, v2(0.005, 0), v2(0, 0.01));
    assert_sym2_near(bound_of(&def, &c, &f), (vo_sym2){6400, 0, 1600}, 1e-5);
    /* Rotated by 60 degrees about the vertical: half the width on screen. */
    vo_vec3 turned[3] = {{0, 4, 0}, {0.005, 4 + 0.01 * sqrt(0.75), 0}, {0, 4, 0.01}};
    f = face_of(turned, v2(0.01, 0), v2(0, 0.01));
    assert_sym2_near(bound_of(&def, &c, &f), (vo_sym2){400, 0, 1600}, 2e-3);
    def.grazing = 0.5; /* along the ray, 3/4 of its squared length weighted by grazing^2 */
    assert_sym2_near(bound_of(&def, &c, &f), (vo_sym2){400 + 1600 * 0.75 * 0.25, 0, 1600}, 2e-3);
    def.min_edge_pixels = 0;
    assert_true(isinf(bound_of(&def, &c, &f).xx));
}

/* S^T S / l^2 with S from the projected corners. */
static void bound_agrees_with_projected_corners(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    vo_screen_def def = {.min_edge_pixels = 2, .grazing = 0};
    for (int i = 0; i < 1000; i++) {
        vo_camera c = random_camera(&r);
        c.z_near = 0.1, c.z_far = 50;
        c.width = 1600, c.height = 900;
        vo_view_face f = random_face(&r, &c, 1e-5);
        assert_sym2_near(bound_of(&def, &c, &f), gram(jacobian_of(&c, &f), 2), 1e-3);
    }
}

/* M clamped by the bound equals eqs. 5 to 8 step by step. */
static void bound_agrees_with_paper_equations(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    vo_screen_def def = {.min_edge_pixels = 3, .grazing = 0};
    for (int i = 0; i < 1000; i++) {
        vo_camera c = camera_at(test_random_vec3(&r, 3), test_random_vec3(&r, 3), 0.7, 0.4);
        vo_view_face f = random_face(&r, &c, 1e-5);
        vo_mat2 s = jacobian_of(&c, &f);
        if (fabs(m2_det(s)) < 1e-2 * (s.a * s.a + s.b * s.b + s.c * s.c + s.d * s.d)) continue;
        double p = pow(10, vo_random_real(&r, 2, 6)), q = p * vo_random_real(&r, 0.01, 1);
        double angle = vo_random_real(&r, 0, VO_PI);
        vo_sym2 m = vo_metric_from_eigen((vo_eigen2){p, q, {cos(angle), sin(angle)}});
        vo_mat2 t = m2_inverse(s);
        vo_vec2 u = v2(t.a, t.c), v = v2(t.b, t.d); /* columns of S^-1 */
        vo_sym2 screen = {sym2_dot(m, u, u), sym2_dot(m, u, v), sym2_dot(m, v, v)}; /* eq. 5 */
        vo_eigen2 e = vo_sym2_eigen(screen);                                        /* eq. 6 */
        e.lambda_max = vo_min(e.lambda_max, 1 / 9.0),
        e.lambda_min = vo_min(e.lambda_min, 1 / 9.0); /* eq. 7 */
        screen = vo_metric_from_eigen(e);             /* eq. 8 */
        vo_vec2 x = v2(s.a, s.c), y = v2(s.b, s.d);
        vo_sym2 back = {sym2_dot(screen, x, x), sym2_dot(screen, x, y), sym2_dot(screen, y, y)};
        vo_sym2 bounded = vo_metric_bound(m, bound_of(&def, &c, &f));
        assert_sym2_near(bounded, back, 2e-2);
    }
}

/* At k times the distance edges may be k times as long. */
static void bound_scales_with_distance(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    vo_screen_def def = {.min_edge_pixels = 2, .grazing = 0.1};
    for (int i = 0; i < 300; i++) {
        vo_camera c = camera_at(test_random_vec3(&r, 3), test_random_vec3(&r, 3), 0.7, 0.4),
                  back = c;
        vo_view_face f = random_face(&r, &c, 1e-5);
        double k = vo_random_real(&r, 1, 10);
        back.position = v3_add_scaled(f.x[0], k, v3_sub(c.position, f.x[0]));
        back.z_far = 1000;
        vo_sym2 near = bound_of(&def, &c, &f), far = bound_of(&def, &back, &f);
        assert_sym2_near(sym2_scale(k * k, far), near, 1e-3);
    }
}

/* ---- extreme views -------------------------------------------------------------------------- */

/* Edge-on the bound is positive in every material direction. */
static void edge_on_bound_is_positive(void **state) {
    (void)state;
    vo_camera c = camera_at(v3_zero(), v3(0, 4, 0), 1, 0.5625);
    vo_vec3 x[3] = {{0, 4, 0}, {0, 4.001, 0}, {0, 4, 0.001}};
    vo_view_face f = face_of(x, v2(0.001, 0), v2(0, 0.001));
    vo_screen_def def = {.min_edge_pixels = 5, .grazing = 0.1};
    vo_sym2 b = bound_of(&def, &c, &f);
    assert_sym2_near(b, (vo_sym2){16, 0, 1600}, 1e-3);
    /* At the image border, along the ray: a tenth of 200 pixels per metre, by 5 pixels. */
    vo_vec3 aside[3] = {{3.2, 4, 0}, {3.2 * 1.0002, 4 * 1.0002, 0}, {3.2, 4, 0.001}};
    double along = 0.0002 * sqrt(3.2 * 3.2 + 16);
    vo_view_face g = face_of(aside, v2(along, 0), v2(0, 0.001));
    assert_near(bound_of(&def, &c, &g).xx, 16, 0.02);
    def.grazing = 0;
    assert_near(bound_of(&def, &c, &g).xx, 0, 1e-4);
    b = bound_of(&def, &c, &f);
    assert_true(b.xx < 1e-3 && isfinite(b.xy) && b.yy > 1500);
}

/* A face beside the camera is as fine as its closest part requires. */
static void face_beside_camera_uses_near_plane(void **state) {
    (void)state;
    vo_camera c = camera_at(v3_zero(), v3(0, 4, 0), 1, 0.5625);
    vo_vec3 x[3] = {{-0.5, -1, -0.2}, {0.5, -1, -0.2}, {0, 5, -0.2}};
    vo_view_face f = face_of(x, v2(1, 0), v2(0.5, 6));
    vo_screen_def def = {.min_edge_pixels = 2, .grazing = 0};
    vo_sym2 b = bound_of(&def, &c, &f);
    /* Across the view at the near plane, depth 0.1: 800 / 0.1 pixels per metre. */
    assert_near(b.xx, 4000.0 * 4000.0, 1);
    vo_vec3 behind[3] = {{-0.5, -1, 0}, {0.5, -1, 0}, {0, -2, 0.5}};
    f = face_of(behind, v2(1, 0), v2(0.5, 1));
    b = bound_of(&def, &c, &f);
    assert_true(isfinite(b.xx) && isfinite(b.xy) && isfinite(b.yy) && b.xx > 1e6);
}

static double odd_number(vo_random *r) {
    double odd[] = {NAN, INFINITY, -INFINITY, 0, 1e-300, 1e300, -1e30, 1e9};
    return vo_random_int(r, 4) ? vo_random_real(r, -2, 2) : odd[vo_random_int(r, 8)];
}

/* Any input gives a finite positive semidefinite tensor or no bound. */
static void random_input_gives_valid_bound(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    for (int i = 0; i < 30000; i++) {
        vo_camera c = random_camera(&r);
        c.z_near = vo_random_int(&r, 2) ? 0 : odd_number(&r);
        if (!vo_random_int(&r, 5)) c.tan_x = odd_number(&r);
        vo_vec3 x[3];
        for (int k = 0; k < 3; k++) x[k] = v3(odd_number(&r), odd_number(&r), odd_number(&r));
        vo_view_face f = face_of(x, v2(odd_number(&r), 0.1), v2(-0.1, odd_number(&r)));
        vo_screen_def def = {.min_edge_pixels = 1, .grazing = vo_random_real(&r, 0, 1)};
        vo_sym2 b = bound_of(&def, &c, &f);
        if (isinf(b.xx)) continue;
        assert_true(isfinite(b.xx) && isfinite(b.xy) && isfinite(b.yy));
        assert_true(b.xx >= 0 && b.yy >= 0 && b.xy * b.xy <= b.xx * b.yy * (1 + 1e-9) + 1e-280);
    }
}

/* ---- several samples and the finest edges --------------------------------------------------- */

static double least_eigenvalue(vo_sym2 m) { return vo_sym2_eigen(m).lambda_min; }

/* The join of two samples dominates both bounds and is the smallest tensor by trace. */
static void join_dominates_both(void **state) {
    (void)state;
    vo_random r = vo_random_seed(5);
    vo_screen_def def = {.min_edge_pixels = 2, .grazing = 0};
    int distinct = 0;
    for (int i = 0; i < 3000; i++) {
        vo_camera c[2] = {random_camera(&r), random_camera(&r)};
        for (int k = 0; k < 2; k++) c[k].width = 1600, c[k].height = 900;
        vo_view_face f = random_face(&r, &c[0], 1e-3);
        vo_frustum_sample sample[2] = {sample_of(&c[0]), sample_of(&c[1])};
        vo_sym2 m[2] = {bound_of(&def, &c[0], &f), bound_of(&def, &c[1], &f)};
        vo_sym2 join = bound_of_samples(&def, INFINITY, 2, sample, &f), best = vo_metric_max(2, m);
        double size = join.xx + join.yy;
        for (int k = 0; k < 2; k++)
            assert_true(least_eigenvalue(sym2_sub(join, m[k])) >= -1e-12 * size);
        assert_near(size, best.xx + best.yy, 1e-10 * size);
        distinct += !sym2_equal(join, m[0]) && !sym2_equal(join, m[1]);
    }
    assert_true(distinct > 300);
}

/* A dominated bound does not change the join, in either order; a sample without a bound removes
 * it. */
static void join_special_cases(void **state) {
    (void)state;
    vo_random r = vo_random_seed(7);
    vo_screen_def def = {.min_edge_pixels = 2, .grazing = 0.5};
    vo_camera c = camera_at(v3_zero(), v3(0, 4, 0), 1, 0.5625);
    vo_view_face f = random_face(&r, &c, 1e-3);
    vo_frustum_sample whole = sample_of(&c), half = whole, open = whole;
    half.weight = 0.5;
    open.pixel_x = 1e20;
    vo_sym2 alone = bound_of(&def, &c, &f);
    vo_frustum_sample orders[3][2] = {{whole, half}, {half, whole}, {whole, whole}};
    for (int k = 0; k < 3; k++)
        assert_true(sym2_equal(bound_of_samples(&def, INFINITY, 2, orders[k], &f), alone));
    assert_true(
        sym2_equal(bound_of_samples(&def, INFINITY, 1, &half, &f), sym2_scale(0.25, alone)));
    vo_frustum_sample unbounded[2] = {whole, open};
    assert_true(isinf(bound_of_samples(&def, INFINITY, 2, unbounded, &f).xx));
}

static void limit_clamps_eigenvalues(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    vo_screen_def def = {.min_edge_pixels = 2, .grazing = 0.5};
    int clamped = 0;
    for (int i = 0; i < 3000; i++) {
        vo_camera c = camera_at(test_random_vec3(&r, 3), test_random_vec3(&r, 3), 0.7, 0.4);
        vo_view_face f = random_face(&r, &c, 1e-3);
        vo_frustum_sample sample = sample_of(&c);
        vo_eigen2 e = vo_sym2_eigen(bound_of(&def, &c, &f));
        double most = e.lambda_max * pow(10, vo_random_real(&r, -2, 0.5));
        vo_eigen2 cut = vo_sym2_eigen(bound_of_samples(&def, most, 1, &sample, &f));
        assert_near(cut.lambda_max, vo_min(e.lambda_max, most), 1e-12 * e.lambda_max);
        assert_near(cut.lambda_min, vo_min(e.lambda_min, most), 1e-12 * e.lambda_max);
        clamped += most < e.lambda_max;
        sample.pixel_x = 1e20;
        vo_sym2 open = bound_of_samples(&def, 7, 1, &sample, &f);
        assert_true(open.xx == 7 && open.xy == 0 && open.yy == 7);
        assert_true(isinf(bound_of_samples(&def, INFINITY, 1, &sample, &f).xx));
    }
    assert_true(clamped > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_known_values),
        cmocka_unit_test(bound_agrees_with_projected_corners),
        cmocka_unit_test(bound_agrees_with_paper_equations),
        cmocka_unit_test(bound_scales_with_distance),
        cmocka_unit_test(edge_on_bound_is_positive),
        cmocka_unit_test(face_beside_camera_uses_near_plane),
        cmocka_unit_test(random_input_gives_valid_bound),
        cmocka_unit_test(join_dominates_both),
        cmocka_unit_test(join_special_cases),
        cmocka_unit_test(limit_clamps_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
