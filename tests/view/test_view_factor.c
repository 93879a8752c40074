/* Tests of the view factor: equations 3 and 4 with known values, the window and its slack against
 * dense sampling, and camera prediction. */
#include "support.h"

#include "view/camera_path.h"
#include "view/factor.h"
#include "view_cases.h"

/* ---- faces and viewpoints ------------------------------------------------------------------- */

static vo_view_face face_of(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    vo_view_face f = {.x = {a, b, c}};
    f.normal = v3_normalize(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    f.edges = (vo_mat2){1, 0, 0, 1};
    return f;
}

/* A small face around a point with its normal along -y. */
static vo_view_face small_face(vo_vec3 at, double size) {
    return face_of(v3_add(at, v3(-size, 0, -size)), v3_add(at, v3(size, 0, -size)),
                   v3_add(at, v3(0, 0, size)));
}

/* Eq. 4 over the frustum samples of a viewpoint. */
static double factor_over(const vo_factor_def *def, const vo_viewpoint *eye, double length,
                          const vo_view_face *face) {
    vo_frustum_sample sample_out[64];
    double nu = 0;
    int count = vo_frustum_samples_make(eye, 0, length, sample_out);
    for (int i = 0; i < count; i++)
        nu = vo_max(nu,
                    sample_out[i].weight * vo_factor_eval_face(def, &sample_out[i], face).factor);
    return nu;
}

/* Eq. 3 for a fixed camera, without slack. */
static double factor_now(const vo_factor_def *def, const vo_camera *camera, double front,
                         const vo_view_face *face) {
    vo_view_sample sample = {.camera = *camera};
    vo_viewpoint eye = {1, &sample, front};
    return factor_over(def, &eye, 1, face);
}

/* ---- eq. 3 ---------------------------------------------------------------------------------- */

static void factors_of_face_classes(void **state) {
    (void)state;
    vo_factor_def def = vo_factor_def_default();
    vo_camera c = camera_at(v3_zero(), v3(0, 1, 0), 1, 0.5),
              behind = camera_at(v3(0, 9, 0), v3_zero(), 1, 0.5);
    vo_view_face face = small_face(v3(0, 4, 0), 0.1);
    assert_near(factor_now(&def, &c, 1, &face), 1, 0);
    assert_near(factor_now(&def, &c, 0.7, &face), 0.7, 0); /* a light */
    assert_near(factor_now(&def, &behind, 1, &face), 0.2, 0);
    assert_near(factor_now(&def, &behind, 0.1, &face), 0.1, 0); /* clamped to the front factor */
    face.two_sided = true;
    assert_near(factor_now(&def, &behind, 1, &face), 1, 0);
    face.occluded = true;
    def.occluded = 0.05;
    assert_near(factor_now(&def, &c, 1, &face), 0.05, 0);
    face.two_sided = false;
    assert_near(factor_now(&def, &behind, 1, &face), 0.2, 0); /* occlusion applies to fronts only */
    /* To the right of the frustum: the right plane is x = y, the closest corner at x - 0.1. */
    double d = 0.15;
    face = small_face(v3(4 + sqrt(2) * d + 0.1, 4, 0), 0.1);
    assert_near(factor_now(&def, &c, 1, &face), 1 - d / 0.4 * 0.99, 1e-9);
    face = small_face(v3(9, 4, 0), 0.1);
    assert_near(factor_now(&def, &c, 1, &face), 0.01, 0);
    face = small_face(v3(0, -0.1, 0), 0.02); /* behind the camera, back-facing */
    assert_near(factor_now(&def, &c, 1, &face), 0.2 - 0.2 / 0.4 * 0.19, 1e-9);
}

/* The classification of a ball holds for the faces inside it. */
static void ball_class_agrees_with_faces(void **state) {
    (void)state;
    vo_factor_def def = vo_factor_def_default();
    vo_random r = vo_random_seed(1);
    int count[3] = {0};
    for (int i = 0; i < 20000; i++) {
        vo_view_sample s[2] = {{.camera = random_camera(&r)}, {.ahead = 0.5}};
        s[1].camera = camera_between(&s[0].camera, test_random_vec3(&r, 0.1),
                                     test_random_vec3(&r, 1), 0.05, 1.02, 1);
        vo_viewpoint eye = {2, s, 1};
        vo_frustum_sample m[2];
        vo_frustum_samples_make(&eye, 0, 1, m);
        vo_vec3 at = test_random_vec3(&r, 5), p[3];
        double radius = vo_random_real(&r, 0.01, 0.5);
        for (int k = 0; k < 3; k++)
            p[k] = v3_add_scaled(at, radius, v3_normalize(test_random_vec3(&r, 1)));
        vo_view_face face = face_of(p[0], p[1], p[2]);
        vo_face_visibility sight = vo_factor_eval_face(&def, &m[0], &face);
        vo_ball_class place = vo_factor_classify_ball(&def, &m[0], at, radius * (1 + 1e-12));
        count[place]++;
        if (place == VO_BALL_OUTSIDE)
            assert_true(!sight.near_frame && sight.factor == def.off_screen);
        if (place == VO_BALL_INSIDE)
            assert_true(sight.near_frame &&
                        sight.factor == (sight.front_facing ? 1 : def.back_facing));
    }
    for (int i = 0; i < 3; i++) assert_true(count[i] > 300);
}

/* ---- eq. 4 ---------------------------------------------------------------------------------- */

/* nu rises linearly from off_screen to front_factor in the window before a cut. */
static void factor_rises_before_cut(void **state) {
    (void)state;
    vo_factor_def def = vo_factor_def_default();
    vo_camera away = camera_at(v3(50, 0, 0), v3(60, 0, 0), 1, 0.5);
    vo_camera there = camera_at(v3_zero(), v3(0, 1, 0), 1, 0.5);
    vo_view_face face = small_face(v3(0, 4, 0), 0.1);
    double before = 0;
    for (int i = 0; i <= 40; i++) {
        double left = 0.4 - 0.01 * i; /* s until the cut; T is 0.2 */
        vo_view_sample s[3] = {{.camera = away},
                               {.ahead = left, .camera = away},
                               {.ahead = left, .camera = there, .cut = true}};
        vo_viewpoint eye = {3, s, 1};
        double nu = factor_over(&def, &eye, 0.2, &face);
        assert_near(nu, vo_max(0.01, 1 - left / 0.2), 1e-12);
        assert_true(nu >= before);
        before = nu;
    }
    assert_near(before, 1, 0); /* full factor at the cut */
}

/* Motion of a camera over a window. */
typedef struct motion {
    vo_camera start;
    vo_vec3 way, axis;
    double angle, zoom;
} motion;

static vo_camera motion_at(const motion *m, double part) {
    return camera_between(&m->start, m->way, m->axis, m->angle, m->zoom, part);
}

static motion random_motion(vo_random *r) {
    motion m = {random_camera(r), test_random_vec3(r, 0.3), test_random_vec3(r, 1),
                vo_random_real(r, 0, 0.5), vo_random_real(r, 0.8, 1.25)};
    m.start.z_far = 100;
    return m;
}

/* Maximum of w nu~ over a window of 1 s by dense sampling. */
static double dense_factor(const vo_factor_def *def, const motion *m, const vo_view_face *face) {
    double nu = 0;
    for (int i = 0; i < 300; i++) {
        vo_camera c = motion_at(m, i / 300.0);
        nu = vo_max(nu, (1 - i / 300.0) * factor_now(def, &c, 1, face));
    }
    return nu;
}

/* With any number of samples the factor is not below the densely sampled or the current one; with
 * many it is not much above. */
static void slack_is_conservative(void **state) {
    (void)state;
    vo_factor_def def = vo_factor_def_default();
    vo_random r = vo_random_seed(2);
    vo_view_sample s[61];
    int differ = 0;
    for (int i = 0; i < 600; i++) {
        motion m = random_motion(&r);
        vo_vec3 at = v3_add_scaled(m.start.position, 3, v3_normalize(test_random_vec3(&r, 1)));
        vo_view_face face =
            face_of(v3_add(at, test_random_vec3(&r, 0.2)), v3_add(at, test_random_vec3(&r, 0.2)),
                    v3_add(at, test_random_vec3(&r, 0.2)));
        double exact = dense_factor(&def, &m, &face);
        int parts[] = {1, 1 + vo_random_int(&r, 9), 60};
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j <= parts[k]; j++)
                s[j] = (vo_view_sample){.ahead = (double)j / parts[k],
                                        .camera = motion_at(&m, (double)j / parts[k])};
            vo_viewpoint eye = {parts[k] + 1, s, 1};
            double nu = factor_over(&def, &eye, 1, &face);
            assert_true(nu >= exact - 1e-9);
            assert_true(nu >= factor_now(&def, &m.start, 1, &face));
            if (k == 2) differ += nu > exact + 0.1;
        }
    }
    assert_true(differ < 30); /* faces at the limit between front and back */
}

/* Each point of the next sample's frustum is within the slack of a point of this sample's; for
 * rotation or zoom the slack is attained. */
static void slack_is_tight(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    double most[2] = {0};
    for (int i = 0; i < 20000; i++) {
        vo_camera c = random_camera(&r), then = c;
        int kind = i % 3; /* rotation; zoom; both with translation */
        vo_vec3 way = kind == 2 ? test_random_vec3(&r, 0.2) : v3_zero();
        double angle = kind == 1 ? 0 : 0.2, zoom = kind == 0 ? 1 : 1.2;
        then = camera_between(&c, way, test_random_vec3(&r, 1), angle, zoom, 1);
        vo_view_sample s[2] = {{.camera = c}, {.ahead = 0.5, .camera = then}};
        vo_viewpoint eye = {2, s, 1};
        vo_frustum_sample m[2];
        assert_int_equal(vo_frustum_samples_make(&eye, 0, 1, m), 2);
        vo_vec3 q = m[1].frustum.corner[4 + vo_random_int(&r, 4)]; /* of the far side */
        q = v3_scale(vo_random_real(&r, c.z_near / c.z_far, 1), q);
        vo_vec3 x = v3_add_scaled(then.position, q.x, then.right);
        x = v3_add_scaled(v3_add_scaled(x, q.y, then.up), q.z, then.forward);
        vo_vec3 p = vo_frustum_to_local(&m[0].frustum, x);
        double d = v3_distance(p, vo_frustum_closest_point(&m[0].frustum, p));
        double slack = vo_frustum_sample_slack(&m[0], v3_length(q));
        assert_true(d <= slack * (1 + 1e-9));
        if (kind < 2 && slack > 1e-3) most[kind] = vo_max(most[kind], d / slack);
    }
    assert_true(most[0] > 0.9 && most[1] > 0.6);
}

/* ---- windows -------------------------------------------------------------------------------- */

/* A path with a pan, a cut at 1 s, a static shot, and a cut at 1.05 s. */
static bool path_at(const void *path, double time, vo_camera *out) {
    const vo_camera *base = path;
    int shot = time > 1.05 - 1e-6 ? 2 : time > 1 - 1e-6; /* times rounded as in camera paths */
    vo_camera moved = camera_between(base, v3(0.3, 0, 0), v3(0, 0, 1), 0.4, 1, time);
    *out = shot == 0 ? moved : *base;
    if (shot > 0) out->position = v3(10 * shot, 0, 0);
    return true;
}

static void window_samples_shots(void **state) {
    (void)state;
    vo_camera base = camera_at(v3_zero(), v3(0, 1, 0), 1, 0.5);
    double cut[] = {1, 1.05};
    vo_window_def def = vo_window_def_default();
    vo_view_sample s[64];
    def.time = 0.9, def.length = 0.2, def.cut = cut, def.cut_count = 2;
    for (int capacity = VO_WINDOW_MIN_SAMPLES(2); capacity <= 64; capacity++) {
        int count = vo_window_sample_path(&def, path_at, &base, capacity, s), cuts = 0;
        assert_true(count > 0 && count <= capacity);
        assert_near(s[0].ahead, 0, 0);
        for (int i = 0; i < count; i++) {
            vo_camera c;
            bool left = i + 1 < count && s[i + 1].cut && s[i + 1].ahead == s[i].ahead;
            if (i) assert_true(s[i].ahead >= s[i - 1].ahead);
            path_at(&base, def.time + s[i].ahead - (left ? 2e-6 : 0), &c);
            if (!s[i].cut) assert_true(v3_distance(c.position, s[i].camera.position) < 1e-5);
            if (!s[i].cut) continue;
            assert_near(def.time + s[i].ahead, cut[cuts], 1e-12);
            assert_near(s[i].camera.position.x, 10 * (cuts + 1), 1e-12);
            cuts++;
        }
        assert_int_equal(cuts, 2);
        assert_near(s[count - 1].camera.position.x, 20, 0); /* static: one sample */
        assert_true(s[count - 1].cut);
    }
    def.time = 2; /* static */
    assert_int_equal(vo_window_sample_path(&def, path_at, &base, 64, s), 1);
    def.time = 1; /* the window starts at the cut */
    assert_int_equal(vo_window_sample_path(&def, path_at, &base, 64, s), 2);
    assert_near(s[0].camera.position.x, 10, 0);
    for (int i = 0; i < 4; i++) { /* windows shorter than the time tolerance */
        def.length = (double[]){0, 1e-300, 1e-17, 1e-7}[i];
        assert_int_equal(vo_window_sample_path(&def, path_at, &base, 64, s), 1);
        assert_near(s[0].ahead, 0, 0);
    }
}

static bool pan_at(const void *path, double time, vo_camera *out) {
    double part = time < 0.1 ? 0 : time > 0.16 ? 1 : (time - 0.1) / 0.06;
    *out = camera_between(path, v3_zero(), v3(0, 0, 1), 1.5, 1, part);
    return true;
}

/* A whip pan gets more samples than a static camera. */
static void samples_concentrate_on_motion(void **state) {
    (void)state;
    vo_camera base = camera_at(v3_zero(), v3(0, 1, 0), 1, 0.5);
    vo_window_def def = vo_window_def_default();
    vo_view_sample s[40];
    def.length = 0.2;
    int count = vo_window_sample_path(&def, pan_at, &base, 40, s), rest = 0;
    for (int i = 0; i < count; i++) rest += s[i].ahead < 0.1 - 1e-9 || s[i].ahead > 0.16 + 1e-9;
    assert_true(count == 40 && rest <= 4);
}

/* A static camera with rounding noise. */
static bool noisy_static_at(const void *path, double time, vo_camera *out) {
    *out = *(const vo_camera *)path;
    out->position.x += 1e-12 * sin(1e6 * time);
    return true;
}

static void static_camera_has_one_sample(void **state) {
    (void)state;
    vo_camera base = camera_at(v3_zero(), v3(0, 1, 0), 1, 0.5);
    vo_window_def def = vo_window_def_default();
    vo_view_sample s[40];
    def.length = 0.2;
    assert_int_equal(vo_window_sample_path(&def, noisy_static_at, &base, 40, s), 1);
}

/* A camera that is active from 0.5 to 1 s. */
static bool inactive_at(const void *path, double time, vo_camera *out) {
    *out = *(const vo_camera *)path;
    return time >= 0.5 && time < 1;
}

/* An inactive shot has no samples; a cut that rounding placed after the current time has passed. */
static void inactive_shots_have_no_samples(void **state) {
    (void)state;
    vo_camera base = camera_at(v3_zero(), v3(0, 1, 0), 1, 0.5);
    double cut[] = {0.5, 1};
    vo_window_def def = vo_window_def_default();
    vo_view_sample s[20];
    def.length = 0.2, def.cut = cut, def.cut_count = 2;
    assert_int_equal(vo_window_sample_path(&def, inactive_at, &base, 20, s), 0);
    def.time = 0.4;
    assert_int_equal(vo_window_sample_path(&def, inactive_at, &base, 20, s), 1);
    assert_near(s[0].ahead, 0.1, 1e-15);
    def.time = 0.9;
    assert_int_equal(vo_window_sample_path(&def, inactive_at, &base, 20, s), 1);
    assert_near(s[0].ahead, 0, 0);
    def.time = 1 - 1e-7; /* within the tolerance of the cut */
    assert_int_equal(vo_window_sample_path(&def, inactive_at, &base, 20, s), 0);
    def.time = 0.5 - 1e-7;
    assert_int_equal(vo_window_sample_path(&def, inactive_at, &base, 20, s), 1);
    assert_true(s[0].ahead < 1e-6);
}

static bool knots_at(const void *path, double time, vo_camera *out) {
    *out = vo_camera_path_eval(path, time);
    return true;
}

/* A random path that returns to some of its positions. */
static vo_camera_path random_path(vo_context *ctx, vo_random *r, int keys, double length) {
    vo_camera_key key[8];
    for (int k = 0; k < keys; k++) {
        key[k] = (vo_camera_key){.time = length * k / (keys - 1), .has_target = true, .fov_y = 40};
        key[k].position = test_random_vec3(r, 1);
        key[k].target = v3_add(key[k].position, test_random_vec3(r, 4));
        if (k > 1 && vo_random_int(r, 2)) {
            key[k].position = key[k - 2].position;
            key[k].target = key[k - 2].target;
        }
    }
    vo_camera_def def = vo_camera_def_default();
    def.key_count = keys;
    def.keys = key;
    vo_camera_path path;
    assert_ok(ctx, vo_camera_path_create(ctx, &def, &path));
    return path;
}

/* Long windows are conservative too: the factor is not below dense sampling even if the camera
 * moves away and back between two samples. */
static void returning_path_is_anticipated(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_factor_def def = vo_factor_def_default();
    vo_random r = vo_random_seed(11);
    double least = 0;
    for (int i = 0; i < 60; i++) {
        static const double LENGTH = 4; /* s */
        vo_camera_path path = random_path(ctx, &r, 8, LENGTH);
        vo_window_def window = vo_window_def_default();
        vo_view_sample s[48];
        window.length = LENGTH;
        window.intervals = i % 2 ? 3 : 10;
        int count = vo_window_sample_path(&window, knots_at, &path, i % 3 ? 48 : 12, s);
        vo_viewpoint eye = {count, s, 1};
        for (int k = 0; k < 20; k++) {
            vo_vec3 at = test_random_vec3(&r, 5);
            vo_view_face face = face_of(v3_add(at, test_random_vec3(&r, 0.2)),
                                        v3_add(at, test_random_vec3(&r, 0.2)),
                                        v3_add(at, test_random_vec3(&r, 0.2)));
            double dense = 0, nu = factor_over(&def, &eye, LENGTH, &face);
            for (int j = 0; j < 400; j++) {
                vo_camera c = vo_camera_path_eval(&path, LENGTH * j / 400);
                dense = vo_max(dense, (1 - j / 400.0) * factor_now(&def, &c, 1, &face));
            }
            least = vo_min(least, nu - dense);
        }
        vo_camera_path_free(ctx, &path);
    }
    assert_true(least > -0.01); /* between two evaluations the path may deviate slightly more */
    vo_context_destroy(ctx);
}

/* A camera along y that looks along -y from 0.5 to 0.6 s. */
static bool look_aside_at(const void *path, double time, vo_camera *out) {
    *out = *(const vo_camera *)path;
    if (time < 0.5 || time >= 0.6) return true;
    out->forward = v3_scale(-1, out->forward);
    out->right = v3_scale(-1, out->right);
    return true;
}

/* A camera that briefly looks elsewhere between two samples: the faces visible then are anticipated
 * in every frame before, increasingly. */
static void brief_look_aside_is_anticipated(void **state) {
    (void)state;
    vo_camera base = camera_at(v3_zero(), v3(0, 1, 0), 1, 0.5);
    vo_factor_def factor = vo_factor_def_default();
    vo_view_face behind = face_of(v3(0, -3, 0), v3(0.1, -3, 0), v3(0, -3, 0.1));
    vo_view_face faces[] = {behind, face_of(v3(0, -3, 0), v3(0, -3, 0.1), v3(0.1, -3, 0))};
    double before = 0;
    for (int frame = 0; frame < 12; frame++) {
        vo_window_def def = vo_window_def_default();
        vo_view_sample s[48];
        def.time = 0.04 * frame, def.length = 1.6;
        int count = vo_window_sample_path(&def, look_aside_at, &base, 48, s);
        vo_viewpoint eye = {count, s, 1};
        double most = 0;
        for (int k = 0; k < 2; k++) /* one of them is front-facing */
            most = vo_max(most, factor_over(&factor, &eye, def.length, &faces[k]));
        assert_true(most >= 1 - (0.5 - def.time) / def.length - 1e-9);
        assert_true(most >= before);
        before = most;
    }
}

/* ---- prediction ----------------------------------------------------------------------------- */

/* A camera in uniform motion is predicted within the uncertainty. */
static void uniform_motion_is_anticipated(void **state) {
    (void)state;
    vo_random r = vo_random_seed(7);
    for (int i = 0; i < 200; i++) {
        motion m = random_motion(&r);
        vo_camera_predictor guide = vo_camera_predictor_init();
        vo_view_sample s[6];
        m.zoom = 1;
        for (int k = 0; k < 3; k++) {
            vo_camera c = motion_at(&m, 0.1 * k);
            vo_camera_predictor_add(&guide, 0.1 * k, &c);
        }
        assert_int_equal(vo_window_sample_prediction(&guide, guide.time, 0.5, 0.2, 6, s), 6);
        for (int k = 0; k < 6; k++) {
            vo_camera then = motion_at(&m, 0.2 + s[k].ahead);
            assert_near(s[k].ahead, 0.1 * k, 1e-15);
            assert_near(v3_distance(then.position, s[k].camera.position), 0, 1e-6);
            assert_near(v3_distance(then.forward, s[k].camera.forward), 0, 1e-6);
            assert_near(s[k].drift, 0.2 * s[k].ahead, 1e-6);
            assert_near(s[k].turn, 0.2 * s[k].ahead, 1e-6);
        }
        assert_int_equal(vo_window_sample_prediction(&guide, 0.3, 0.5, 0.2, 6, s),
                         6); /* sampled later */
        vo_camera then = motion_at(&m, 0.3);
        assert_near(v3_distance(then.position, s[0].camera.position), 0, 1e-6);
        assert_near(s[0].ahead, 0, 0);
        assert_int_equal(vo_window_sample_prediction(&guide, guide.time, 0, 0.2, 6, s),
                         1); /* no window */
        assert_near(s[0].ahead + s[0].drift, 0, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_of_face_classes),
        cmocka_unit_test(ball_class_agrees_with_faces),
        cmocka_unit_test(factor_rises_before_cut),
        cmocka_unit_test(slack_is_conservative),
        cmocka_unit_test(slack_is_tight),
        cmocka_unit_test(window_samples_shots),
        cmocka_unit_test(samples_concentrate_on_motion),
        cmocka_unit_test(static_camera_has_one_sample),
        cmocka_unit_test(returning_path_is_anticipated),
        cmocka_unit_test(brief_look_aside_is_anticipated),
        cmocka_unit_test(inactive_shots_have_no_samples),
        cmocka_unit_test(uniform_motion_is_anticipated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
