/* Tests of cameras: projection, paths against analytic curves, cuts, and prediction. */
#include "support.h"

#include "core/context.h"
#include "core/random.h"
#include "view/camera_path.h"
#include "view/camera_predict.h"

#include <string.h>

static const vo_vec3 UP = {0, 0, 1};

static vo_camera_key aimed(double time, vo_vec3 position, vo_vec3 target, double field) {
    return (vo_camera_key){
        .time = time, .position = position, .has_target = true, .target = target, .fov_y = field};
}

static vo_camera_key turned(double time, vo_vec3 position, vo_quat q) {
    return (vo_camera_key){
        .time = time, .position = position, .rotation = {q.w, q.x, q.y, q.z}, .fov_y = 40};
}

static vo_camera_path make_path(vo_context *ctx, int count, const vo_camera_key *keys, bool ease) {
    vo_camera_def def = vo_camera_def_default();
    def.key_count = count;
    def.keys = keys;
    def.ease = ease;
    vo_camera_path path;
    assert_ok(ctx, vo_camera_path_create(ctx, &def, &path));
    return path;
}

static void assert_vector(vo_vec3 a, vo_vec3 b, double tolerance) {
    if (!(v3_distance(a, b) <= tolerance))
        fail_msg("(%g, %g, %g) is not (%g, %g, %g) within %g", a.x, a.y, a.z, b.x, b.y, b.z,
                 tolerance);
}

static void assert_orthonormal(const vo_camera *c) {
    assert_near(v3_length(c->right), 1, 1e-12);
    assert_near(v3_length(c->up), 1, 1e-12);
    assert_near(v3_dot(c->right, c->up), 0, 1e-12);
    assert_vector(c->forward, v3_cross(c->up, c->right), 1e-12);
    assert_true(c->tan_x > 0 && c->tan_y > 0);
}

static double between(vo_random *r, double low, double high) {
    return vo_random_real(r, low, high);
}

static vo_quat random_turn(vo_random *r) {
    return q_normalize(
        (vo_quat){between(r, -1, 1), between(r, -1, 1), between(r, -1, 1), between(r, -1, 1)});
}

/* ---- projection ----------------------------------------------------------------------------- */

/* From (0, -4, 0) along y with a vertical field of view of 90 degrees: at depth 2 the image is 4 m
 * high. */
static void project_known_points(void **state) {
    (void)state;
    vo_camera c = vo_camera_look_at(v3(0, -4, 0), v3(0, 0, 0), UP, 90, 200, 100);
    assert_vector(c.right, v3(1, 0, 0), 1e-15);
    assert_vector(c.up, v3(0, 0, 1), 1e-15);
    assert_vector(c.forward, v3(0, 1, 0), 1e-15);
    assert_near(c.tan_y, 1, 1e-15);
    assert_near(c.tan_x, 2, 1e-15);
    vo_vec2 pixel;
    double depth;
    assert_true(vo_camera_project(&c, v3(0, -2, 0), &pixel, &depth));
    assert_near(pixel.x, 100, 1e-12);
    assert_near(pixel.y, 50, 1e-12);
    assert_near(depth, 2, 1e-15);
    assert_true(vo_camera_project(&c, v3(4, -2, 2), &pixel, NULL)); /* the upper right corner */
    assert_near(pixel.x, 200, 1e-12);
    assert_near(pixel.y, 0, 1e-12);
    assert_false(vo_camera_project(&c, v3(0, -4, 0), &pixel, NULL));
    assert_false(vo_camera_project(&c, v3(0, -9, 0), &pixel, NULL));
    assert_vector(vo_camera_direction(&c, v2(200, 50)), v3_normalize(v3(2, 1, 0)), 1e-15);
}

static void unproject_inverts_project(void **state) {
    (void)state;
    vo_random r = vo_random_seed(5);
    for (int i = 0; i < 2000; i++) {
        vo_camera c = {.position = test_random_vec3(&r, 10), .width = 640, .height = 360};
        vo_camera_set_rotation(&c, random_turn(&r));
        vo_camera_set_fov(&c, between(&r, 0.1, 3));
        assert_orthonormal(&c);
        double depth = between(&r, 0.01, 100), found;
        vo_vec2 pixel = v2(between(&r, -100, 800), between(&r, -100, 500)), seen;
        vo_vec3 point = vo_camera_unproject(&c, pixel, depth);
        assert_true(vo_camera_project(&c, point, &seen, &found));
        assert_near(seen.x, pixel.x, 1e-8);
        assert_near(seen.y, pixel.y, 1e-8);
        assert_near(found, depth, 1e-11 * depth + 1e-12);
        vo_vec3 way = v3_normalize(v3_sub(point, c.position));
        assert_vector(vo_camera_direction(&c, pixel), way, 1e-9);
    }
}

static void set_rotation_round_trips(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    for (int i = 0; i < 2000; i++) {
        vo_camera c = {0};
        vo_quat q = random_turn(&r);
        if (i < 4) q = (vo_quat){i == 0, i == 1, i == 2, i == 3};
        vo_camera_set_rotation(&c, q);
        assert_near(fabs(q_dot(vo_camera_get_rotation(&c), q)), 1, 1e-14);
    }
}

/* No roll for any target, and defined if the view is along up. */
static void look_at_has_no_roll(void **state) {
    (void)state;
    vo_random r = vo_random_seed(7);
    for (int i = 0; i < 2000; i++) {
        vo_vec3 from = test_random_vec3(&r, 3), to = test_random_vec3(&r, 3);
        vo_camera c = vo_camera_look_at(from, to, UP, 40, 16, 9);
        assert_orthonormal(&c);
        assert_near(c.right.z, 0, 1e-14);
        assert_true(c.up.z >= 0);
        assert_vector(c.forward, v3_normalize(v3_sub(to, from)), 1e-14);
    }
    vo_camera down = vo_camera_look_at(v3(1, 2, 5), v3(1, 2, 0), UP, 40, 16, 9);
    assert_vector(down.right, v3(1, 0, 0), 1e-15); /* north up */
    assert_vector(down.up, v3(0, 1, 0), 1e-15);
    vo_camera above = vo_camera_look_at(v3(1, 2, 5), v3(1, 2, 9), UP, 40, 16, 9);
    assert_orthonormal(&above);
    assert_vector(above.up, v3(0, 1, 0), 1e-15);
    vo_camera nowhere = vo_camera_look_at(v3(1, 2, 5), v3(1, 2, 5), UP, 40, 16, 9);
    assert_orthonormal(&nowhere);
    vo_camera other = vo_camera_look_at(v3(0, 5, 0), v3_zero(), v3(0, 1, 0), 40, 16, 9);
    assert_vector(other.up, v3(0, 0, -1), 1e-15);
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* At constant speed without easing, as 3 s^2 - 2 s^3 with it. */
static void dolly_is_straight(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_camera_key keys[] = {aimed(1, v3(0, -5, 1), v3(0, 0, 1), 40),
                            aimed(3, v3(2, -5, 1), v3(2, 0, 1), 40)};
    vo_camera_path even = make_path(ctx, 2, keys, false), eased = make_path(ctx, 2, keys, true);
    for (int i = 0; i <= 40; i++) {
        double s = i / 40.0, t = 1 + 2 * s;
        vo_camera a = vo_camera_path_eval(&even, t), b = vo_camera_path_eval(&eased, t);
        assert_vector(a.position, v3(2 * s, -5, 1), 1e-14);
        assert_vector(b.position, v3(2 * s * s * (3 - 2 * s), -5, 1), 1e-14);
        assert_vector(a.forward, v3(0, 1, 0), 1e-14);
    }
    assert_vector(vo_camera_path_eval(&even, -1e9).position, v3(0, -5, 1), 0);
    assert_vector(vo_camera_path_eval(&even, 1e9).position, v3(2, -5, 1), 0);
    assert_vector(vo_camera_path_eval(&even, NAN).position, v3(0, -5, 1), 0);
    assert_int_equal(vo_camera_path_eval(&even, 2).width, 1920);
    vo_camera_path_free(ctx, &even);
    vo_camera_path_free(ctx, &eased);
    vo_context_destroy(ctx);
}

/* A quarter turn about z: no roll, and by symmetry exactly half of it at half the time. */
static void pan_takes_shorter_arc(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_quat level = q_axis_angle(v3(1, 0, 0), VO_PI / 2); /* looks along y */
    vo_camera_key keys[2];
    for (int k = 0; k < 2; k++)
        keys[k] = turned(k, v3_zero(), q_mul(q_axis_angle(UP, k * VO_PI / 2), level));
    for (int i = 0; i < 4; i++) keys[1].rotation[i] *= -3; /* the same rotation */
    vo_camera_path path = make_path(ctx, 2, keys, true);
    for (int i = 0; i <= 20; i++) {
        vo_camera c = vo_camera_path_eval(&path, i / 20.0);
        assert_orthonormal(&c);
        assert_vector(c.up, UP, 1e-12);
        assert_true(c.forward.x <= 1e-12 && c.forward.y >= -1e-12);
    }
    vo_camera half = vo_camera_path_eval(&path, 0.5), end = vo_camera_path_eval(&path, 1);
    assert_vector(half.forward, v3(-sqrt(0.5), sqrt(0.5), 0), 1e-14);
    assert_vector(end.forward, v3(-1, 0, 0), 1e-14);
    vo_camera_path_free(ctx, &path);
    vo_context_destroy(ctx);
}

/* Uniform in the logarithm: halfway the tangent is the geometric mean. */
static void zoom_is_logarithmic(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_camera_key keys[] = {aimed(0, v3(0, -5, 1), v3_zero(), 60),
                            aimed(1, v3(0, -5, 1), v3_zero(), 10)};
    vo_camera_path path = make_path(ctx, 2, keys, false);
    double a = tan(VO_PI / 6), b = tan(VO_PI / 36);
    for (int i = 0; i <= 16; i++) {
        vo_camera c = vo_camera_path_eval(&path, i / 16.0);
        assert_near(c.tan_y, a * pow(b / a, i / 16.0), 1e-14);
        assert_near(c.tan_x, c.tan_y * 16 / 9, 1e-14);
    }
    vo_camera_path_free(ctx, &path);
    vo_context_destroy(ctx);
}

/* Two shots of four keys each, at uneven times. */
static vo_camera_path random_path(vo_context *ctx, vo_random *r, bool targets, bool ease) {
    vo_camera_key keys[8];
    double time = 0;
    for (int k = 0; k < 8; k++) {
        vo_vec3 position = test_random_vec3(r, 1);
        keys[k] = targets ? aimed(time, position, v3_add(position, v3(3, between(r, -1, 1), 0.5)),
                                  between(r, 20, 90))
                          : turned(time, position, random_turn(r));
        keys[k].cut = k == 4;
        time += between(r, 0.3, 1.2);
    }
    return make_path(ctx, 8, keys, ease);
}

static double change(const vo_camera *a, const vo_camera *b) {
    return v3_distance(a->position, b->position) + v3_distance(a->forward, b->forward) +
           v3_distance(a->up, b->up) + fabs(a->tan_y - b->tan_y);
}

/* Left and right derivatives agree at every key of a shot, including the constant parts if it
 * eases. */
static void path_is_smooth_within_shots(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(8);
    const double h = 1e-5;
    for (int i = 0; i < 60; i++) {
        bool ease = i % 4 < 2;
        vo_camera_path path = random_path(ctx, &r, i % 2, ease);
        for (int k = 0; k < path.knot_count; k++) {
            bool end = k % 4 == 0 || k % 4 == 3;
            if (k == 4 || (end && !ease)) continue;
            double t = path.knot[k].time;
            vo_camera a = vo_camera_path_eval(&path, t - h), b = vo_camera_path_eval(&path, t);
            vo_camera c = vo_camera_path_eval(&path, t + h);
            vo_vec3 before = v3_sub(b.position, a.position), after = v3_sub(c.position, b.position);
            assert_vector(v3_scale(1 / h, before), v3_scale(1 / h, after), 2e-3);
            before = v3_sub(b.forward, a.forward), after = v3_sub(c.forward, b.forward);
            assert_vector(v3_scale(1 / h, before), v3_scale(1 / h, after), 5e-3);
            assert_near((b.tan_y - a.tan_y) / h, (c.tan_y - b.tan_y) / h, 5e-3);
        }
        vo_camera_path_free(ctx, &path);
    }
    vo_context_destroy(ctx);
}

static void cut_switches_at_its_time(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_camera_key keys[] = {aimed(0, v3(0, -5, 1), v3_zero(), 40),
                            aimed(1, v3(1, -5, 1), v3_zero(), 40),
                            aimed(2, v3(9, 9, 9), v3_zero(), 20), /* cut; constant from 1 to 2 s */
                            aimed(3, v3(9, 8, 9), v3_zero(), 20),
                            aimed(3, v3(0, 0, 7), v3_zero(), 50)}; /* cut while moving */
    keys[2].cut = keys[4].cut = true;
    vo_camera_path path = make_path(ctx, 5, keys, false);
    assert_vector(vo_camera_path_eval(&path, 1.7).position, v3(1, -5, 1), 0);
    assert_vector(vo_camera_path_eval(&path, nextafter(2, 0)).position, v3(1, -5, 1), 0);
    assert_vector(vo_camera_path_eval(&path, 2).position, v3(9, 9, 9), 0);
    assert_near(vo_camera_path_eval(&path, 2).tan_y, tan(VO_PI / 18), 1e-15);
    assert_vector(vo_camera_path_eval(&path, nextafter(3, 0)).position, v3(9, 8, 9), 1e-12);
    assert_vector(vo_camera_path_eval(&path, 3).position, v3(0, 0, 7), 0);
    assert_near(vo_camera_path_shot_start(&path, 1.99), 0, 0);
    assert_near(vo_camera_path_shot_start(&path, -7), 0, 0);
    assert_near(vo_camera_path_shot_start(&path, 2), 2, 0);
    assert_near(vo_camera_path_shot_start(&path, 1e9), 3, 0);
    vo_camera_path_free(ctx, &path);
    vo_context_destroy(ctx);
}

static void find_cuts_lists_cuts(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    enum { COUNT = 50 };
    vo_camera_key keys[COUNT];
    vo_random r = vo_random_seed(9);
    for (int k = 0; k < COUNT; k++) {
        keys[k] = aimed(0.1 * k, test_random_vec3(&r, 1), v3(5, 0, 0), 40);
        keys[k].cut = between(&r, 0, 1) < 0.3;
    }
    vo_camera_path path = make_path(ctx, COUNT, keys, true);
    for (int i = 0; i < 500; i++) {
        double from = between(&r, -1, 5), to = from + between(&r, 0, 2), out[4];
        if (i % 3 == 0) from = keys[i % COUNT].time;
        if (i % 5 == 0) to = keys[i % COUNT].time;
        int expected = 0, count = vo_camera_path_find_cuts(&path, from, to, 4, out);
        for (int k = 1; k < COUNT; k++) {
            if (!keys[k].cut || !(keys[k].time > from && keys[k].time <= to)) continue;
            if (expected < 4) assert_true(out[expected] == keys[k].time);
            expected++;
        }
        assert_int_equal(count, expected);
    }
    assert_int_equal(vo_camera_path_find_cuts(&path, -INFINITY, INFINITY, 0, NULL),
                     vo_camera_path_find_cuts(&path, -1, 1e9, 0, NULL));
    vo_camera_path_free(ctx, &path);
    vo_context_destroy(ctx);
}

/* Between cuts the path is continuous: a small step changes little. */
static void path_is_continuous_between_cuts(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(10);
    for (int i = 0; i < 20; i++) {
        vo_camera_path path = random_path(ctx, &r, i % 2, i % 3);
        double end = path.knot[7].time + 0.5, step = 1e-3;
        for (int k = 0; - 0.5 + k * step < end; k++) {
            double t = -0.5 + k * step;
            vo_camera a = vo_camera_path_eval(&path, t), b = vo_camera_path_eval(&path, t + step);
            assert_orthonormal(&a);
            if (vo_camera_path_find_cuts(&path, t, t + step, 0, NULL) == 0)
                assert_true(change(&a, &b) < 0.15);
        }
        vo_camera_path_free(ctx, &path);
    }
    vo_context_destroy(ctx);
}

/* A shot with both kinds of keys interpolates each of them. */
static void mixed_keys_are_interpolated(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_camera_key keys[] = {aimed(0, v3(0, -5, 0), v3_zero(), 40),
                            turned(1, v3(0, -5, 0), q_axis_angle(v3(1, 0, 0), VO_PI / 4)),
                            aimed(2, v3(0, -5, 0), v3(5, -5, 0), 40)};
    vo_camera_path path = make_path(ctx, 3, keys, true);
    assert_vector(vo_camera_path_eval(&path, 0).forward, v3(0, 1, 0), 1e-14);
    assert_vector(vo_camera_path_eval(&path, 1).forward, v3(0, sqrt(0.5), -sqrt(0.5)), 1e-14);
    assert_vector(vo_camera_path_eval(&path, 2).forward, v3(1, 0, 0), 1e-14);
    vo_camera_path_free(ctx, &path);
    vo_context_destroy(ctx);
}

/* A camera that passes through its own target keeps the direction of the previous key there. */
static void passing_target_keeps_direction(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_camera_key keys[] = {aimed(0, v3(0, -1, 0), v3_zero(), 40),
                            aimed(1, v3(0, 1, 0), v3_zero(), 40)};
    vo_camera_path path = make_path(ctx, 2, keys, false);
    vo_camera c = vo_camera_path_eval(&path, 0.5);
    assert_orthonormal(&c);
    assert_vector(c.forward, v3(0, 1, 0), 1e-14);
    vo_camera_path_free(ctx, &path);
    vo_context_destroy(ctx);
}

/* ---- invalid definitions -------------------------------------------------------------------- */

static void assert_rejected(vo_context *ctx, const vo_camera_def *def, const char *message) {
    vo_camera_path path;
    assert_int_equal(vo_camera_path_create(ctx, def, &path), VO_BAD_ARGUMENT);
    if (!strstr(vo_context_message(ctx), message))
        fail_msg("expected \"%s\" in: %s", message, vo_context_message(ctx));
    assert_null(path.knot);
}

static void invalid_member_is_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_camera_key key = aimed(0, v3(0, -5, 0), v3_zero(), 40);
    vo_camera_def good = vo_camera_def_default(), def = good;
    assert_rejected(ctx, &def, "at least one key");
    good.key_count = 1;
    good.keys = &key;
#define REJECTED(member, value, message)     \
    do {                                     \
        def = good;                          \
        def.member = value;                  \
        assert_rejected(ctx, &def, message); \
    } while (0)
    REJECTED(width, 0, "width");
    REJECTED(height, 20000, "height");
    REJECTED(z_near, 0, "z_near");
    REJECTED(z_far, 0.001, "z_far");
    REJECTED(z_far, INFINITY, "z_far");
    REJECTED(up, v3_zero(), "up");
    REJECTED(up, v3(NAN, 0, 0), "up");
    REJECTED(weight, 0, "weight");
    REJECTED(weight, 1.5, "weight");
    vo_context_destroy(ctx);
}

static void invalid_key_is_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_camera_key good[2] = {aimed(0, v3(0, -5, 0), v3_zero(), 40),
                             aimed(1, v3(0, -5, 0), v3_zero(), 40)};
    vo_camera_key keys[2];
    vo_camera_def def = vo_camera_def_default();
    def.key_count = 2;
    def.keys = keys;
#undef REJECTED
#define REJECTED(member, value, message)     \
    do {                                     \
        memcpy(keys, good, sizeof keys);     \
        keys[1].member = value;              \
        assert_rejected(ctx, &def, message); \
    } while (0)
    REJECTED(time, NAN, "key 1: time");
    REJECTED(time, 0, "key 1: time must be at least 1e-9 s later");
    REJECTED(position, v3(0, 1e16, 0), "key 1: position");
    REJECTED(target, v3(0, -5, 0), "key 1: target equals position");
    REJECTED(target, v3(0, INFINITY, 0), "key 1: target");
    REJECTED(fov_y, 180, "key 1: fov_y");
    REJECTED(fov_y, NAN, "key 1: fov_y");
    good[1].has_target = false;
    REJECTED(rotation[0], 0, "key 1: rotation");
    REJECTED(rotation[2], NAN, "key 1: rotation");
    good[1].cut = true;
    REJECTED(time, -1, "key 1: time must not be before");
    vo_context_destroy(ctx);
}

static vo_result create_once(vo_context *ctx, void *arg) {
    vo_camera_path path;
    VO_TRY(vo_camera_path_create(ctx, arg, &path));
    vo_camera_path_free(ctx, &path);
    return VO_OK;
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    vo_camera_key key = aimed(0, v3(0, -5, 0), v3_zero(), 40);
    vo_camera_def def = vo_camera_def_default();
    def.key_count = 1;
    def.keys = &key;
    test_every_allocation(create_once, &def);
}

/* ---- prediction ----------------------------------------------------------------------------- */

/* A camera in uniform motion. */
static vo_camera uniform_camera(double t) {
    vo_camera c = {.position = v3(2 * t, 1 - t, 0.5), .width = 16, .height = 9};
    vo_camera_set_rotation(&c,
                           q_mul(q_axis_angle(v3(1, 2, 3), 0.8 * t), q_axis_angle(v3(1, 0, 0), 1)));
    vo_camera_set_fov(&c, 0.5 * exp(0.3 * t));
    return c;
}

/* An accelerating camera: m/s^2 down, rad/s^2 about z, 1/s^2 of the logarithm of its field of view.
 */
static vo_camera accelerating_camera(double t, double acceleration, double angular_acceleration,
                                     double zoom_acceleration) {
    double half = t * t / 2;
    vo_camera c = {.position = v3(0, 0, -acceleration * half), .width = 16, .height = 9};
    vo_camera_set_rotation(&c, q_mul(q_axis_angle(v3(0, 0, 1), angular_acceleration * half),
                                     q_axis_angle(v3(1, 0, 0), VO_PI / 2)));
    vo_camera_set_fov(&c, 0.5 * exp(zoom_acceleration * half));
    return c;
}

static void uniform_motion_is_predicted(void **state) {
    (void)state;
    vo_camera_predictor predictor = vo_camera_predictor_init();
    for (int i = 0; i < 3; i++) {
        vo_camera c = uniform_camera(0.04 * i);
        vo_camera_predictor_add(&predictor, 0.04 * i, &c);
    }
    for (int i = 0; i <= 20; i++) {
        double t = 0.08 + 0.02 * i;
        vo_camera found = vo_camera_predict(&predictor, t), expected = uniform_camera(t);
        assert_orthonormal(&found);
        assert_vector(found.position, expected.position, 1e-12);
        assert_vector(found.forward, expected.forward, 1e-12);
        assert_vector(found.up, expected.up, 1e-12);
        assert_near(found.tan_x, expected.tan_x, 1e-12);
        vo_camera_uncertainty doubt = vo_camera_predict_uncertainty(&predictor, t);
        assert_near(doubt.metres, 0, 1e-11);
        assert_near(doubt.radians, 0, 1e-11);
    }
}

/* Falls at 9 m/s^2, rotates and zooms with acceleration: the uncertainty equals the lag of the
 * prediction. */
static void uncertainty_covers_constant_acceleration(void **state) {
    (void)state;
    const double a = 9, angular_acceleration = 2, zoom_acceleration = 3,
                 steps[] = {0.01, 0.04, 0.1};
    for (int k = 0; k < 3; k++) {
        vo_camera_predictor predictor = vo_camera_predictor_init();
        double h = steps[k];
        for (int i = 0; i < 3; i++) {
            vo_camera c = accelerating_camera(h * i, a, angular_acceleration, zoom_acceleration);
            vo_camera_predictor_add(&predictor, h * i, &c);
        }
        assert_near(predictor.acceleration, a, 1e-9);
        assert_near(predictor.angular_acceleration, angular_acceleration, 1e-9);
        assert_near(predictor.zoom_acceleration, zoom_acceleration, 1e-9);
        for (double ahead = h; ahead < 0.3; ahead += h) {
            double t = 2 * h + ahead, lag = ahead * (ahead + h) / 2;
            vo_camera_uncertainty doubt = vo_camera_predict_uncertainty(&predictor, t);
            vo_camera found = vo_camera_predict(&predictor, t),
                      is = accelerating_camera(t, a, angular_acceleration, zoom_acceleration);
            assert_near(v3_distance(found.position, is.position), doubt.metres, 1e-9);
            assert_near(acos(v3_dot(found.forward, is.forward)), lag * angular_acceleration, 1e-6);
            double opened = hypot(is.tan_x, is.tan_y) - hypot(found.tan_x, found.tan_y);
            assert_near(lag * angular_acceleration + opened, doubt.radians, 1e-6);
        }
        assert_near(vo_camera_predict_uncertainty(&predictor, 0).metres, 0, 0);
    }
}

static void cut_resets_predictor(void **state) {
    (void)state;
    vo_camera_predictor predictor = vo_camera_predictor_init();
    vo_camera a = vo_camera_look_at(v3(0, -5, 0), v3_zero(), UP, 40, 16, 9), b = a;
    b.position.x += 0.1;
    vo_camera_predictor_add(&predictor, 0, &a);
    assert_vector(vo_camera_predict(&predictor, 1).position, a.position, 0);
    vo_camera_predictor_add(&predictor, 0.1, &b);
    assert_vector(vo_camera_predict(&predictor, 1.1).position, v3(1.1, -5, 0), 1e-12);
    vo_camera other = vo_camera_look_at(v3(9, 0, 0), v3_zero(), UP, 40, 16, 9);
    vo_camera_predictor_add(&predictor, 0.2, &other); /* rotated by a quarter turn */
    assert_vector(vo_camera_predict(&predictor, 5).position, v3(9, 0, 0), 0);
    vo_camera_predictor_add(&predictor, 0.3, &other);
    vo_camera_predictor_add(&predictor, 0.3, &other); /* the same time twice */
    assert_vector(vo_camera_predict(&predictor, 5).position, v3(9, 0, 0), 0);
    vo_camera_predictor_add(&predictor, 0.1, &b); /* back in time: resets */
    assert_int_equal(predictor.count, 1);
    vo_camera_predictor_reset(&predictor);
    vo_camera_predictor_add(&predictor, 0.4, &a);
    assert_vector(vo_camera_predict(&predictor, 1).position, a.position, 0);
    assert_near(predictor.acceleration, 0, 0);
}

/* The last of several poses of one time replaces the others. */
static void pose_of_same_time_is_replaced(void **state) {
    (void)state;
    vo_camera wrong[3];
    wrong[0] = vo_camera_look_at(v3(7, 7, 7), v3(7, 9, 7), UP, 20, 16, 9); /* elsewhere */
    wrong[1] = vo_camera_look_at(v3(0, 5, 0), v3_zero(), UP, 40, 16, 9);   /* a cut */
    wrong[2] = wrong[1];
    for (int poses = 1; poses <= 4; poses++) {
        vo_camera_predictor once = vo_camera_predictor_init(), again = once;
        for (int i = 0; i < poses; i++) {
            double t = 0.04 * i;
            vo_camera c = uniform_camera(t + 0.3 * t * t);
            vo_camera_predictor_add(&once, t, &c);
            for (int k = 0; k < 3; k++) vo_camera_predictor_add(&again, t, &wrong[k]);
            vo_camera_predictor_add(&again, t, &c);
        }
        assert_int_equal(once.count, again.count);
        assert_true(once.acceleration == again.acceleration &&
                    once.angular_acceleration == again.angular_acceleration);
        vo_camera a = vo_camera_predict(&once, 0.5), b = vo_camera_predict(&again, 0.5);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

static void assert_defect(const vo_camera *camera, const char *begin) {
    const char *defect = vo_camera_defect(camera);
    if (!begin != !defect || (begin && strncmp(defect, begin, strlen(begin)) != 0))
        fail_msg("\"%s\" instead of \"%s\"", defect ? defect : "fine", begin ? begin : "fine");
}

static void invalid_camera_is_named(void **state) {
    (void)state;
    const vo_camera good = vo_camera_look_at(v3(1, -5, 2), v3(0.3, 0, 0), UP, 40, 16, 9);
    assert_defect(&good, NULL);
#define DEFECT(change, begin)     \
    do {                          \
        vo_camera c = good;       \
        change;                   \
        assert_defect(&c, begin); \
    } while (0)
    DEFECT(c.position.y = NAN, "position");
    DEFECT(c.right = v3_scale(2, c.right), "right must have");
    DEFECT(c.up.x = INFINITY, "up must have");
    DEFECT(c.forward = v3_zero(), "forward must have");
    DEFECT(c.up = c.right, "right, up and forward");
    DEFECT(c.forward = v3_normalize(v3_add_scaled(c.forward, 0.01, c.up)), "right, up and forward");
    DEFECT(c.forward = v3_negate(c.forward), "forward must be up x right");
    DEFECT(c.right = v3_negate(c.right), "forward must be up x right");
    DEFECT(c.tan_x = 0, "tan_x");
    DEFECT(c.tan_y = -1, "tan_y");
    DEFECT(c.z_near = 0, "z_near");
    DEFECT(c.z_far = c.z_near, "z_far");
    DEFECT(c.z_far = INFINITY, "z_far");
    DEFECT(c.height = 0, "width and height");
    DEFECT(c.right = v3(c.right.x + 1e-5, c.right.y, c.right.z - 1e-5), NULL); /* floats */
#undef DEFECT
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(project_known_points),
        cmocka_unit_test(unproject_inverts_project),
        cmocka_unit_test(set_rotation_round_trips),
        cmocka_unit_test(look_at_has_no_roll),
        cmocka_unit_test(dolly_is_straight),
        cmocka_unit_test(pan_takes_shorter_arc),
        cmocka_unit_test(zoom_is_logarithmic),
        cmocka_unit_test(path_is_smooth_within_shots),
        cmocka_unit_test(cut_switches_at_its_time),
        cmocka_unit_test(find_cuts_lists_cuts),
        cmocka_unit_test(path_is_continuous_between_cuts),
        cmocka_unit_test(mixed_keys_are_interpolated),
        cmocka_unit_test(passing_target_keeps_direction),
        cmocka_unit_test(invalid_member_is_named),
        cmocka_unit_test(invalid_key_is_named),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(uniform_motion_is_predicted),
        cmocka_unit_test(uncertainty_covers_constant_acceleration),
        cmocka_unit_test(cut_resets_predictor),
        cmocka_unit_test(pose_of_same_time_is_replaced),
        cmocka_unit_test(invalid_camera_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
