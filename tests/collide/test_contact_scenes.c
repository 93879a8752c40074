/* The contact scenes, simulated to their ends: every frame free of intersections, bit-identical for
 * one and two threads, and no higher stage of the response than intended. */
#include "run_fixture.h"

#include "math/vec.h"
#include "scene/scene.h"

#include <stdio.h>

#define OWN_SCENES VOILE_SOURCE_DIR "/assets/scenes"

/* A scene simulated twice: with one thread and with two. */
typedef struct twin {
    vo_context *ctx[2];
    vo_scene *scene[2];
    vo_sim *sim[2];
} twin;

static void twin_open(twin *t, const char *path, int override_count, const char *const *overrides) {
    for (int i = 0; i < 2; i++) {
        t->ctx[i] = test_context(i + 1);
        assert_ok(t->ctx[i],
                  vo_scene_load(t->ctx[i], path, override_count, overrides, &t->scene[i]));
        assert_ok(t->ctx[i], vo_sim_create(t->ctx[i], t->scene[i], &t->sim[i]));
    }
}

static void twin_close(twin *t) {
    for (int i = 0; i < 2; i++) {
        vo_sim_destroy(t->sim[i]);
        vo_scene_destroy(t->scene[i]);
        vo_context_destroy(t->ctx[i]);
    }
}

static void check_clean(const twin *t) {
    vo_inspection inspection;
    assert_ok(t->ctx[0], vo_sim_inspect(t->sim[0], &inspection));
    if (!vo_inspection_is_clean(&inspection))
        fail_msg("frame %d: %d intersections (self %d, cloths %d, obstacles %d), %d nodes inside, "
                 "%d inverted faces",
                 vo_sim_frame(t->sim[0]), vo_inspection_intersections(&inspection),
                 inspection.self_pairs, inspection.cloth_pairs, inspection.obstacle_pairs,
                 inspection.inside_nodes, inspection.inverted_faces);
}

/* Stages above impulses and zones must not occur. */
static void check_stages(const twin *t) {
    vo_stats s = vo_sim_get_stats(t->sim[0]);
    if (s.truncated_nodes || s.frozen_nodes || s.lagging_nodes)
        fail_msg("frame %d: %d truncated nodes, %d frozen nodes, %d lagging obstacle nodes",
                 s.frame, s.truncated_nodes, s.frozen_nodes, s.lagging_nodes);
    assert_int_equal(s.frozen_substeps, 0);
}

static void twin_frame(twin *t, bool allow_failsafe) {
    for (int i = 0; i < 2; i++) assert_ok(t->ctx[i], vo_sim_step_frame(t->sim[i]));
    assert_int_equal(vo_sim_hash(t->sim[0]), vo_sim_hash(t->sim[1]));
    check_clean(t);
    if (!allow_failsafe) check_stages(t);
}

/* Returns the number of frames to simulate; fewer with sanitizers. */
static int frames_of(const twin *t) {
    vo_scene_def def = vo_scene_get_def(t->scene[0]);
    int frames = vo_scene_last_frame(&def);
    return TEST_SLOWNESS > 1 ? vo_min_int(frames, 12) : frames;
}

static void open_own(twin *t, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.json", OWN_SCENES, name);
    twin_open(t, path, 0, NULL);
    check_clean(t);
}

static void simulate_twin(const char *name, bool allow_failsafe) {
    twin t;
    open_own(&t, name);
    int frames = frames_of(&t);
    for (int f = 0; f < frames; f++) twin_frame(&t, allow_failsafe);
    twin_close(&t);
}

static void drape_sphere_is_clean(void **state) {
    (void)state;
    simulate_twin("drape-sphere", false);
}

static void funnel_is_clean(void **state) {
    (void)state;
    simulate_twin("funnel", false);
}

static void stacked_sheets_are_clean(void **state) {
    (void)state;
    simulate_twin("stacked-sheets", false);
}

static void towel_is_clean(void **state) {
    (void)state;
    simulate_twin("towel", false);
}

static void ring_is_clean(void **state) {
    (void)state;
    simulate_twin("ring", false);
}

static void blade_is_clean(void **state) {
    (void)state;
    simulate_twin("blade", false);
}

static void crossing_spheres_are_clean(void **state) {
    (void)state;
    simulate_twin("crossing-spheres", true);
}

/* Adaptive meshes in two layers, coarser than in the scene. */
static void adaptive_cloths_are_clean(void **state) {
    (void)state;
    static const char *const overrides[] = {"cloths[0].remeshing.size=[0.05, 0.25]",
                                            "cloths[1].remeshing.size=[0.05, 0.25]"};
    twin t;
    twin_open(&t, OWN_SCENES "/adaptive.json", 2, overrides);
    int frames = frames_of(&t), edits = 0;
    for (int f = 0; f < frames; f++) {
        twin_frame(&t, false);
        vo_stats s = vo_sim_get_stats(t.sim[0]);
        edits += s.splits + s.collapses + s.flips;
    }
    assert_true(edits > 20 * frames);
    twin_close(&t);
}

/* Returns the position of the cloth centre along a direction. */
static double position_along(const twin *t, vo_vec3 direction) {
    vo_mesh_view m = vo_sim_get_cloth(t->sim[0], 0);
    double sum = 0;
    for (int n = 0; n < m.node_count; n++) sum += v3_dot(m.node_x[n], direction);
    return sum / m.node_count;
}

static vo_vec3 downhill(double degrees) {
    double a = degrees * VO_PI / 180;
    return v3(cos(a), 0, -sin(a));
}

static void sheet_below_friction_angle_sticks(void **state) {
    (void)state;
    twin t;
    vo_vec3 down = downhill(19.621);
    open_own(&t, "incline-hold");
    double start = position_along(&t, down);
    int frames = frames_of(&t);
    for (int f = 0; f < frames; f++) twin_frame(&t, false);
    assert_near(position_along(&t, down), start, 2e-3);
    twin_close(&t);
}

/* Like a block: s = a t^2 / 2 with a = g (sin - mu cos). */
static void sheet_above_friction_angle_slides(void **state) {
    (void)state;
    const double mu = 0.4, degrees = 23.982, angle = degrees * VO_PI / 180;
    const double a = 9.81 * (sin(angle) - mu * cos(angle));
    twin t;
    vo_vec3 down = downhill(degrees);
    open_own(&t, "incline-slide");
    double start = position_along(&t, down);
    int frames = frames_of(&t);
    for (int f = 0; f < frames; f++) {
        twin_frame(&t, false);
        double time = vo_sim_time(t.sim[0]), expected = a * time * time / 2;
        assert_near(position_along(&t, down) - start, expected, 0.03 * expected + 1e-3);
    }
    twin_close(&t);
}

/* Independent of speed and contact stiffness: a sheet that moves by ten times its height above the
 * plate per step does not catch on its edges. */
static void fast_sheet_slides_like_slow_one(void **state) {
    (void)state;
    static const char *const stiffness[] = {"magic.collision_stiffness=1e6",
                                            "magic.collision_stiffness=1e9"};
    const double mu = 0.4, angle = 23.982 * VO_PI / 180, v = 2 / cos(angle);
    const double a = 9.81 * (sin(angle) - mu * cos(angle));
    for (int i = 0; i < 2; i++) {
        const char *overrides[] = {stiffness[i], "cloths[0].velocity.linear=[2, 0, -0.889748]"};
        twin t;
        twin_open(&t, OWN_SCENES "/incline-slide.json", 2, overrides);
        double start = position_along(&t, downhill(23.982));
        for (int f = 0; f < 12; f++) {
            twin_frame(&t, false);
            double time = vo_sim_time(t.sim[0]), expected = v * time + a * time * time / 2;
            assert_near(position_along(&t, downhill(23.982)) - start, expected, 0.01 * expected);
        }
        twin_close(&t);
    }
}

static void compare_files(vo_context *ctx, const char *one, const char *other, const char *name) {
    char path[2][1200];
    snprintf(path[0], sizeof path[0], "%s/%s", one, name);
    snprintf(path[1], sizeof path[1], "%s/%s", other, name);
    assert_same_file(ctx, path[0], path[1]);
}

/* Contact has state across steps, which frames must contain. */
static void resumed_run_has_same_contacts(void **state) {
    (void)state;
    static const char *const names[] = {"incline-slide", "stacked-sheets", "adaptive"};
    vo_context *ctx = test_context(1);
    for (int i = 0; i < 3; i++) {
        char path[1024], whole[600], parts[600];
        snprintf(path, sizeof path, "%s/%s.json", OWN_SCENES, names[i]);
        snprintf(whole, sizeof whole, "%s/whole", test_folder());
        snprintf(parts, sizeof parts, "%s/parts", test_folder());
        vo_run_def def = vo_run_def_default();
        def.folder = whole;
        def.last_frame = 6;
        assert_ok(ctx, vo_run_simulate(ctx, path, &def));
        def.folder = parts;
        def.last_frame = 3;
        assert_ok(ctx, vo_run_simulate(ctx, path, &def));
        def.last_frame = 6;
        assert_ok(ctx, vo_run_resume(ctx, &def));
        compare_files(ctx, whole, parts, "frames/0006.vof");
    }
    vo_context_destroy(ctx);
}

/* At any frame, including frames without remeshing. */
static void remeshed_run_resumes_at_any_frame(void **state) {
    (void)state;
    enum { LAST = 8 };
    static const char *const overrides[] = {"cloths[0].remeshing.size=[0.08, 0.3]",
                                            "cloths[1].remeshing.size=[0.08, 0.3]"};
    vo_context *ctx = test_context(1);
    char whole[600], parts[600];
    snprintf(whole, sizeof whole, "%s/whole2", test_folder());
    snprintf(parts, sizeof parts, "%s/parts2", test_folder());
    vo_run_def def = vo_run_def_default();
    def.override_count = 2;
    def.overrides = overrides;
    def.folder = whole;
    def.last_frame = LAST;
    assert_ok(ctx, vo_run_simulate(ctx, OWN_SCENES "/adaptive.json", &def));
    def.folder = parts;
    def.last_frame = 0;
    assert_ok(ctx, vo_run_simulate(ctx, OWN_SCENES "/adaptive.json", &def));
    def.override_count = 0;
    for (def.last_frame = 1; def.last_frame <= LAST; def.last_frame++) {
        char name[32];
        assert_ok(ctx, vo_run_resume(ctx, &def));
        snprintf(name, sizeof name, "frames/%04d.vof", def.last_frame);
        compare_files(ctx, whole, parts, name);
    }
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drape_sphere_is_clean),
        cmocka_unit_test(adaptive_cloths_are_clean),
        cmocka_unit_test(funnel_is_clean),
        cmocka_unit_test(stacked_sheets_are_clean),
        cmocka_unit_test(towel_is_clean),
        cmocka_unit_test(ring_is_clean),
        cmocka_unit_test(blade_is_clean),
        cmocka_unit_test(crossing_spheres_are_clean),
        cmocka_unit_test(sheet_below_friction_angle_sticks),
        cmocka_unit_test(sheet_above_friction_angle_slides),
        cmocka_unit_test(fast_sheet_slides_like_slow_one),
        cmocka_unit_test(resumed_run_has_same_contacts),
        cmocka_unit_test(remeshed_run_resumes_at_any_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
