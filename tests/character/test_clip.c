/* Curves and clips: analytic values, symmetry against mirrored poses, legs against forward
 * kinematics. */
#include "support.h"

#include "clip_measure.h"

#include "core/random.h"

#include <string.h>

static vo_curve make_curve(vo_context *ctx, int count, const double (*key)[2],
                           vo_curve_cycle cycle) {
    vo_curve curve = {0};
    for (int i = 0; i < count; i++) assert_true(vo_curve_add(ctx, &curve, key[i][0], key[i][1]));
    vo_curve_finish(&curve, cycle);
    return curve;
}

/* Keys (0, 0), (1, 1), (3, 5) have secants 1 and 2, so alpha = (1 + 4) / 9 and the slope in the
 * middle is 2 / (5/9 2 + 4/9 1) = 9/7; the ends are flat. Midway in the first interval: 1/2 - 1/8
 * 9/7; in the second: 3 + 2/8 9/7. */
static void curve_matches_fritsch_butland(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double key[][2] = {{0, 0}, {1, 1}, {3, 5}};
    vo_curve curve = make_curve(ctx, 3, key, (vo_curve_cycle){0, 0});
    assert_near(vo_curve_at(&curve, 0.5), 0.5 - 9.0 / 56, 1e-15);
    assert_near(vo_curve_at(&curve, 2), 3 + 9.0 / 28, 1e-15);
    assert_true(vo_curve_at(&curve, -1e300) == 0 && vo_curve_at(&curve, 1e300) == 5);
    for (int i = 0; i < 3; i++) assert_near(vo_curve_at(&curve, key[i][0]), key[i][1], 1e-15);
    vo_curve_free(ctx, &curve);
    assert_true(vo_curve_at(&curve, 3) == 0); /* no keys */
    vo_context_destroy(ctx);
}

/* Between two keys a curve stays within their values, and its derivative is continuous. */
static void curve_is_monotone_and_smooth(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random random = vo_random_seed(3);
    for (int n = 0; n < 200; n++) {
        double key[8][2], time = 0;
        for (int i = 0; i < 8; i++) {
            key[i][0] = time;
            key[i][1] = n % 3 == 0 && i > 0 && i % 2 ? key[i - 1][1] : vo_random_int(&random, 9);
            time += vo_random_real(&random, 0.05, 1);
        }
        vo_curve curve = make_curve(ctx, 8, key, (vo_curve_cycle){n % 2 ? time : 0, 0});
        for (int i = 0; i < 7; i++) {
            double low = vo_min(key[i][1], key[i + 1][1]), high = vo_max(key[i][1], key[i + 1][1]);
            for (int k = 0; k <= 20; k++) {
                double t = key[i][0] + k / 20.0 * (key[i + 1][0] - key[i][0]);
                double value = vo_curve_at(&curve, t);
                assert_true(value >= low - 1e-12 && value <= high + 1e-12);
            }
            const double h = 1e-7;
            double t = key[i][0];
            double before = (vo_curve_at(&curve, t) - vo_curve_at(&curve, t - h)) / h;
            double after = (vo_curve_at(&curve, t + h) - vo_curve_at(&curve, t)) / h;
            assert_near(before, after, 1e-2);
        }
        vo_curve_free(ctx, &curve);
    }
    vo_context_destroy(ctx);
}

static void curves_go_on_and_on(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double key[][2] = {{0.5, 1}, {1.5, 3}};
    vo_curve curve = make_curve(ctx, 2, key, (vo_curve_cycle){2, 10});
    for (int i = -40; i < 40; i++) {
        double t = 0.1 * i;
        assert_near(vo_curve_at(&curve, t + 2), vo_curve_at(&curve, t) + 10, 1e-12);
        assert_true(vo_curve_at(&curve, t + 0.1) > vo_curve_at(&curve, t));
    }
    vo_curve_free(ctx, &curve);
    vo_context_destroy(ctx);
}

static vo_clip *parse(vo_context *ctx, const char *text) {
    vo_clip *clip;
    assert_ok(ctx, vo_clip_parse(ctx, "c.json", text, strlen(text), &clip));
    return clip;
}

static void assert_same_pose(const vo_body_pose *a, const vo_body_pose *b) {
    assert_near(v3_distance(a->translation, b->translation), 0, 1e-9);
    for (int i = 0; i < VO_BONE_COUNT; i++)
        assert_near(measure_angle(a->rotation[i], b->rotation[i]), 0, 1e-6);
}

static void angles_and_root_match_file(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_clip *clip = parse(ctx, "{\"duration\": 2, \"leg\": 0.455, \"keys\": ["
                               "{\"time\": 0, \"left forearm\": {\"bend\": 0}},"
                               "{\"time\": 2, \"left forearm\": {\"bend\": 90},"
                               " \"root\": {\"forward\": 1, \"left\": 2, \"up\": 3, "
                               "\"heading\": 90}, \"hips\": {\"bend\": 30}}]}");
    vo_clip_foot feet[VO_CLIP_SIDES];
    vo_body_pose pose = vo_clip_pose(clip, &skeleton, 1, feet);
    assert_false(feet[0].stands || feet[1].stands);
    vo_joint_angles elbow =
        angles_from_rotation(VO_BONE_LEFT_FOREARM, pose.rotation[VO_BONE_LEFT_FOREARM]);
    assert_near(elbow.bend, 45, 1e-9);
    /* lengths are doubled: this leg is 0.91 m */
    assert_near(v3_distance(pose.translation, v3(4, -2, 6)), 0, 1e-9);
    vo_vec3 front = q_rotate(pose.rotation[VO_BONE_HIPS], v3(0, -1, 0));
    assert_near(v3_distance(front, v3(cos(VO_PI / 6), 0, -0.5)), 0, 1e-9); /* left, nodding */
    vo_clip_destroy(clip);
    vo_context_destroy(ctx);
}

#define STEP(from, to, at) "{\"from\": " #from ", \"to\": " #to ", \"at\": " at "}"

/* mirror: the pose equals its image. alternate: half a loop later it equals its image,
 * displaced. */
static void symmetric_clips_are_mirror_images(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_clip *same =
        parse(ctx, "{\"duration\": 2, \"loop\": true, \"symmetry\": \"mirror\", "
                   "\"steps\": {\"left\": [" STEP(
                       0, 1.2,
                       "[0.1, 0.2]") "]}, "
                                     "\"keys\": [{\"time\": 0.2, \"root\": {\"up\": -0.1}, "
                                     "\"left hand\": {\"side\": 5}, \"left leg\": {\"knee\": 9}}, "
                                     "{\"time\": 1, \"left hand\": {\"side\": -9, \"bend\": 3}, "
                                     "\"head\": {\"bend\": 8}}]}");
    vo_clip *walk;
    assert_ok(ctx, vo_clip_load(ctx, VOILE_SOURCE_DIR "/assets/motions/walk.json", &walk));
    vo_vec3 half = v3_scale(0.5, clip_travel(walk, &skeleton));
    for (int i = 0; i < 40; i++) {
        vo_body_pose pose = vo_clip_pose(same, &skeleton, 0.07 * i, NULL);
        vo_body_pose image = mirror_pose(&pose);
        assert_same_pose(&pose, &image);
        pose = vo_clip_pose(walk, &skeleton, 0.07 * i, NULL);
        image = vo_clip_pose(walk, &skeleton, 0.07 * i + walk->duration / 2, NULL);
        image = mirror_pose(&image);
        image.translation = v3_sub(image.translation, half);
        assert_same_pose(&pose, &image);
    }
    vo_clip_destroy(same);
    vo_clip_destroy(walk);
    vo_context_destroy(ctx);
}

/* For any motion of the hips, a standing foot is flat at its position, with the ball where the step
 * specifies it. */
static void standing_feet_stay_at_their_steps(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    double scale = 0.52 * skeleton.height / 0.91;
    vo_clip *clip =
        parse(ctx, "{\"duration\": 4, \"steps\": {\"left\": [{\"from\": 0, \"to\": 4, "
                   "\"at\": [0.2, 0.15], \"heading\": 20}]}, \"keys\": [{\"time\": 0, \"root\": "
                   "{\"up\": -0.1, \"left\": -0.1, \"heading\": -20}}, {\"time\": 2, \"root\": "
                   "{\"up\": -0.4, \"left\": 0.2, \"forward\": 0.1, \"heading\": 30}, "
                   "\"hips\": {\"bend\": 20, \"side\": 9}}, {\"time\": 4, \"root\": "
                   "{\"up\": -0.15}, \"left leg\": {\"knee\": 20}}]}");
    for (int i = -2; i < 50; i++) {
        measure_sample s;
        measure_take(clip, &skeleton, 0.1 * i, &s);
        assert_true(s.feet[0].stands && s.feet[0].shortfall == 0 && !s.feet[1].stands);
        vo_vec3 ball = s.world[VO_BONE_LEFT_TOES].translation;
        assert_near(v3_distance(ball, v3(scale * 0.15, -scale * 0.2, 0.012 * skeleton.height)), 0,
                    1e-9);
        vo_vec3 ahead = xf_vector(s.world[VO_BONE_LEFT_FOOT], v3(0, -1, 0));
        double turn = 20 * VO_PI / 180;
        assert_near(v3_distance(ahead, v3(sin(turn), -cos(turn), 0)), 0, 1e-9);
        vo_joint_angles knee =
            angles_from_rotation(VO_BONE_LEFT_SHIN, s.pose.rotation[VO_BONE_LEFT_SHIN]);
        assert_true(knee.bend < 0);
    }
    vo_clip_destroy(clip);
    vo_context_destroy(ctx);
}

#define FREE_LEG(free)                                                                         \
    "{\"duration\": 1, \"steps\": {\"right\": [" STEP(                                         \
        0, 1, "[0.1, -0.1]") "]}, \"keys\": "                                                  \
                             "[{\"time\": 0, \"right leg\": {\"free\": " #free                 \
                             "}, \"right thigh\": {\"bend\": 80, "                             \
                             "\"side\": 20, \"twist\": 10}, \"right shin\": {\"bend\": -60}, " \
                             "\"right foot\": {\"bend\": "                                     \
                             "-30}, \"root\": {\"up\": -0.05}}]}"

/* A free leg has its angles; a nearly free one is close to them. */
static void free_legs_follow_their_angles(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_clip *whole = parse(ctx, FREE_LEG(1)), *nearly = parse(ctx, FREE_LEG(0.999999));
    vo_body_pose a = vo_clip_pose(whole, &skeleton, 0.5, NULL);
    vo_body_pose b = vo_clip_pose(nearly, &skeleton, 0.5, NULL);
    vo_quat thigh = vo_joint_rotation(VO_BONE_RIGHT_THIGH, (vo_joint_angles){80, 20, 10});
    assert_near(measure_angle(a.rotation[VO_BONE_RIGHT_THIGH], thigh), 0, 1e-6);
    for (int i = 0; i < VO_BONE_COUNT; i++)
        assert_near(measure_angle(a.rotation[i], b.rotation[i]), 0, 1e-3);
    vo_clip_destroy(whole);
    vo_clip_destroy(nearly);
    vo_context_destroy(ctx);
}

/* A step out of reach reports the distance, and the leg points straight towards it. */
static void steps_out_of_reach_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_clip *clip = parse(ctx, "{\"duration\": 1, \"steps\": {\"left\": [" STEP(
                                   0, 1, "[0.1365, 0.0875]") "]}, \"keys\": [{\"time\": 0, "
                                                             "\"root\": {\"up\": 0.1}}]}");
    vo_clip_foot feet[VO_CLIP_SIDES];
    vo_body_pose pose = vo_clip_pose(clip, &skeleton, 0, feet);
    assert_near(feet[0].shortfall, 0.1, 1e-3);
    vo_joint_angles knee =
        angles_from_rotation(VO_BONE_LEFT_SHIN, pose.rotation[VO_BONE_LEFT_SHIN]);
    assert_near(knee.bend, 0, 1);
    vo_clip_destroy(clip);
    vo_context_destroy(ctx);
}

/* The ankle is lifted on the path to a new step, and the toes leave last. */
static void feet_are_lifted_between_steps(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_clip *clip = parse(ctx, "{\"duration\": 3, \"steps\": {\"left\": [" STEP(
                                   0, 1, "[0, 0.1]") ", {\"from\": 2, \"to\": 3, \"at\": [0.3, "
                                                     "0.1], \"lift\": 0.2}]}, \"keys\": "
                                                     "[{\"time\": 0, \"root\": {\"up\": -0.2}}]}");
    double flat = 0.043 * skeleton.height;
    for (int i = 0; i <= 30; i++) {
        measure_sample s;
        measure_take(clip, &skeleton, 0.1 * i, &s);
        double z = s.world[VO_BONE_LEFT_FOOT].translation.z;
        assert_int_equal(s.feet[0].stands, i <= 10 || i >= 20);
        if (s.feet[0].stands) assert_near(z, flat, 1e-9);
        if (i == 15) assert_near(z, flat + 0.2, 1e-9);
    }
    vo_clip_destroy(clip);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curve_matches_fritsch_butland),
        cmocka_unit_test(curve_is_monotone_and_smooth),
        cmocka_unit_test(curves_go_on_and_on),
        cmocka_unit_test(angles_and_root_match_file),
        cmocka_unit_test(symmetric_clips_are_mirror_images),
        cmocka_unit_test(standing_feet_stay_at_their_steps),
        cmocka_unit_test(free_legs_follow_their_angles),
        cmocka_unit_test(steps_out_of_reach_are_reported),
        cmocka_unit_test(feet_are_lifted_between_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
