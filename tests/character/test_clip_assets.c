/* Clips of assets/motions on three builds: joints within limits, standing feet do not slide, limbs
 * do not intersect, velocities are continuous, loops close. */
#include "support.h"

#include "clip_files.h"
#include "clip_measure.h"

#include <dirent.h>
#include <string.h>

static const char *const CLIP[] = {"idle",   "walk",  "run",        "dance",         "karate",
                                   "boxing", "squat", "squat-jump", "jumping-jacks", NULL};

enum { BUILDS = 3 };

static vo_skeleton build(int i) {
    const double height[BUILDS] = {1.75, 1.55, 1.95};
    const double hips[BUILDS] = {0.1, 0.115, 0.09}, shoulders[BUILDS] = {0.21, 0.2, 0.23};
    vo_skeleton_def def = vo_skeleton_def_default();
    def.height = height[i];
    def.hip_width = hips[i] * height[i];
    def.shoulder_width = shoulders[i] * height[i];
    return vo_skeleton_make(&def);
}

typedef void each_clip(const char *name, const vo_clip *clip, const vo_skeleton *skeleton);

/* Calls a check for every clip and every build. */
static void for_each(each_clip *body) {
    vo_context *ctx = test_context(1);
    for (int c = 0; CLIP[c]; c++) {
        vo_clip *clip = load_clip(ctx, CLIP[c]);
        for (int b = 0; b < BUILDS; b++) {
            vo_skeleton skeleton = build(b);
            body(CLIP[c], clip, &skeleton);
        }
        vo_clip_destroy(clip);
    }
    vo_context_destroy(ctx);
}

/* Fails with the whole table of measures unless `fine`. */
static void check_measure(bool fine, const char *name, const measures *m, const char *what) {
    if (fine) return;
    measure_print(name, m);
    fail_msg("%s: %s", name, what);
}

static void check_body(const char *name, const vo_clip *clip, const vo_skeleton *skeleton) {
    measures m = measure_clip(clip, skeleton, 0.004);
    check_measure(m.excess == 0, name, &m, "a joint is beyond its limits");
    check_measure(m.slide < 0.002, name, &m, "a foot slides");
    check_measure(m.hover < 0.0005, name, &m, "a foot is not where it stands");
    check_measure(m.floor < 0.005, name, &m, "a foot is below the floor");
    check_measure(m.shortfall == 0, name, &m, "a leg is too short");
    check_measure(m.gap.gap > 0, name, &m, "a limb is in another");
}

static void motions_keep_to_what_bodies_can(void **state) {
    (void)state;
    for_each(check_body);
}

/* Velocity differences are proportional to the sampling interval, so a quarter of it leaves a
 * quarter of the difference; a discontinuity would remain. */
static void check_speeds(const char *name, const vo_clip *clip, const vo_skeleton *skeleton) {
    measures coarse = measure_clip(clip, skeleton, 0.002);
    measures fine = measure_clip(clip, skeleton, 0.0005);
    check_measure(fine.angular_step < 0.45 * coarse.angular_step + 0.5, name, &fine,
                  "a joint's rate jumps");
    check_measure(fine.velocity_step < 0.45 * coarse.velocity_step + 0.005, name, &fine,
                  "a speed jumps");
    check_measure(coarse.angular_step < 120 && coarse.velocity_step < 0.8, name, &coarse, "a jerk");
}

static void speeds_do_not_jump(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int c = 0; CLIP[c]; c++) {
        vo_clip *clip = load_clip(ctx, CLIP[c]);
        vo_skeleton skeleton = build(0);
        check_speeds(CLIP[c], clip, &skeleton);
        vo_clip_destroy(clip);
    }
    vo_context_destroy(ctx);
}

/* One loop later the pose is the same, displaced. */
static void check_loop(const char *name, const vo_clip *clip, const vo_skeleton *skeleton) {
    (void)name;
    assert_true(clip->loop);
    vo_vec3 travel = clip_travel(clip, skeleton);
    for (int i = -5; i <= 5; i++) {
        double time = 0.19 * i * clip->duration;
        vo_body_pose a = vo_clip_pose(clip, skeleton, time, NULL);
        vo_body_pose b = vo_clip_pose(clip, skeleton, time + 3 * clip->duration, NULL);
        vo_vec3 moved = v3_add(a.translation, v3_scale(3, travel));
        assert_near(v3_distance(moved, b.translation), 0, 1e-9);
        for (int j = 0; j < VO_BONE_COUNT; j++)
            assert_near(measure_angle(a.rotation[j], b.rotation[j]), 0, 1e-6);
    }
}

static void loops_close(void **state) {
    (void)state;
    for_each(check_loop);
}

/* Motions have plausible speeds and sizes. */
static void motions_have_plausible_speeds(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skeleton skeleton = build(0);
    vo_clip *walk = load_clip(ctx, "walk"), *run = load_clip(ctx, "run"),
            *dance = load_clip(ctx, "dance");
    vo_clip *karate = load_clip(ctx, "karate");
    double walks = -clip_travel(walk, &skeleton).y / walk->duration;
    double runs = -clip_travel(run, &skeleton).y / run->duration;
    assert_true(walks > 1 && walks < 1.6 && runs > 2.5);
    assert_near(dance->duration, 10, 0);
    assert_near(karate->duration, 8, 0);
    double highest = 0, flight = 0;
    for (double t = 0; t < 8; t += 0.01) {
        measure_sample s;
        measure_take(karate, &skeleton, t, &s);
        highest = vo_max(highest, s.world[VO_BONE_RIGHT_FOOT].translation.z);
        measure_take(run, &skeleton, t, &s);
        if (!s.feet[0].stands && !s.feet[1].stands) flight += 0.01;
    }
    assert_true(highest > 1.4);              /* the kick reaches the shoulders */
    assert_true(flight > 1.5 && flight < 4); /* of 8 s */
    vo_clip_destroy(walk);
    vo_clip_destroy(run);
    vo_clip_destroy(dance);
    vo_clip_destroy(karate);
    vo_context_destroy(ctx);
}

/* The jump leaves the floor with both feet for as long as gravity takes for its height. */
static void jumps_fall_freely(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skeleton skeleton = build(0);
    vo_clip *clip = load_clip(ctx, "squat-jump");
    double flight = 0, low = INFINITY, high = 0, deepest = INFINITY, lift = 0;
    for (double t = 0; t < clip->duration; t += 0.001) {
        measure_sample s;
        measure_take(clip, &skeleton, t, &s);
        double hips = s.world[VO_BONE_HIPS].translation.z;
        deepest = vo_min(deepest, hips);
        if (s.feet[0].stands || s.feet[1].stands) continue;
        flight += 0.001;
        low = vo_min(low, hips);
        high = vo_max(high, hips);
        lift = vo_max(lift, s.world[VO_BONE_LEFT_TOES].translation.z);
    }
    assert_near(flight, sqrt(8 * (high - low) / 9.81), 0.03);
    assert_true(lift > 0.15);
    assert_true(high - deepest > 0.5);
    vo_clip_destroy(clip);
    vo_context_destroy(ctx);
}

/* The list contains every clip of the folder. */
static void all_clip_assets_are_listed(void **state) {
    (void)state;
    DIR *folder = opendir(VOILE_SOURCE_DIR "/assets/motions");
    assert_non_null(folder);
    int found = 0, listed = 0;
    for (struct dirent *entry; (entry = readdir(folder));) found += entry->d_name[0] != '.';
    closedir(folder);
    while (CLIP[listed]) listed++;
    assert_int_equal(found, listed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_keep_to_what_bodies_can),
        cmocka_unit_test(speeds_do_not_jump),
        cmocka_unit_test(loops_close),
        cmocka_unit_test(motions_have_plausible_speeds),
        cmocka_unit_test(jumps_fall_freely),
        cmocka_unit_test(all_clip_assets_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
