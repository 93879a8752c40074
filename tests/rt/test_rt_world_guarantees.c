/* Guarantees of the real-time library: no NaN and no lost cloth, whatever the host passes. */
#include "rt_fixture.h"

/* True if the cloth is finite, near its place and not stretched beyond use. */
static bool is_sound(vo_rt_cloth *c, vo_rt_vec3 place, float size) {
    vo_rt_cloth_info info = vo_rt_cloth_get_info(c);
    return rt_is_finite(c) && f3_distance(info.min, place) < 3 * size &&
           f3_distance(info.max, place) < 3 * size && info.max_stretch < 0.3f &&
           !vo_rt_mesh_validate(&c->mesh);
}

typedef struct scene {
    vo_rt_asset *asset;
    vo_rt_world *w;
    vo_rt_cloth *c;
} scene;

static scene hanging_sheet(void) {
    scene s = {.asset = rt_sheet(1, false, RT_PIN_CORNERS, 3), .w = rt_world(NULL)};
    s.c = rt_cloth(s.w, s.asset, 0, 0, 0);
    rt_run(s.w, 30);
    return s;
}

static void destroy(scene s) {
    vo_rt_world_destroy(s.w);
    vo_rt_asset_destroy(s.asset);
}

static void test_any_dt(void **state) {
    (void)state;
    scene s = hanging_sheet();
    uint64_t before = rt_hash(s.w);
    double time = vo_rt_world_time(s.w);
    assert_int_equal(vo_rt_world_step(s.w, 0), VO_OK);
    const float bad[] = {NAN, INFINITY, -INFINITY, -1, -1e-9f};
    for (int i = 0; i < 5; i++) assert_int_equal(vo_rt_world_step(s.w, bad[i]), VO_BAD_ARGUMENT);
    assert_true(rt_hash(s.w) == before && vo_rt_world_time(s.w) == time);
    const float valid[] = {1, 1e-9f, 1e6f, 1e30f, 3e38f, 1e-30f, 0.5f, 1 / 1000.0f, 1 / 24.0f};
    for (int i = 0; i < 9; i++) {
        assert_rt_ok(s.w, vo_rt_world_step(s.w, valid[i]));
        assert_true(is_sound(s.c, f3(0, 0, 0), 1));
        if (valid[i] >= 1) assert_true(vo_rt_world_get_stats(s.w).dropped_steps > 0);
    }
    rt_run(s.w, 60);
    assert_true(is_sound(s.c, f3(0, 0, 0), 1));
    destroy(s);
}

/* Simulated time stays within a minor step ahead of the host, for any sequence of dt. */
static void test_time_follows_the_host(void **state) {
    (void)state;
    scene s = hanging_sheet();
    vo_random random = vo_random_seed(3);
    double start = vo_rt_world_time(s.w), host = 0;
    for (int i = 0; i < 300; i++) {
        float dt = (float)vo_random_real(&random, 0.0005, 0.03);
        host += dt;
        assert_rt_ok(s.w, vo_rt_world_step(s.w, dt));
        double lead = vo_rt_world_time(s.w) - start - host;
        assert_true(lead > -1e-4 && lead < 1 / 120.0 + 1e-4);
    }
    destroy(s);
}

static void test_bad_poses_change_nothing(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_tube();
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    vo_rt_body *b = rt_sphere(w, 0.2f, 0, 0.5f, 0);
    for (int i = 0; i < 60; i++) {
        vo_rt_matrix bones[2] = {0};
        for (int k = 0; k < 12; k++) bones[0].m[k] = bones[1].m[k] = k % 5 == i % 5 ? NAN : 1;
        assert_int_equal(vo_rt_cloth_set_bones(c, 2, bones), VO_BAD_ARGUMENT);
        assert_int_equal(vo_rt_body_set_transform(b, rt_at(NAN, 0, 0)), VO_BAD_ARGUMENT);
        vo_rt_transform zero = {0};
        assert_int_equal(vo_rt_cloth_set_transform(c, zero), VO_BAD_ARGUMENT);
        rt_run(w, 1);
        assert_true(is_sound(c, f3(0, 0.5f, 0), 1));
    }
    /* Degenerate but finite: all vertices in one point, then back. */
    vo_rt_matrix flat[2] = {0}, identity[2] = {0};
    for (int k = 0; k < 3; k++) identity[0].m[5 * k] = identity[1].m[5 * k] = 1;
    assert_rt_ok(w, vo_rt_cloth_set_bones(c, 2, flat));
    rt_run(w, 20);
    assert_true(rt_is_finite(c));
    assert_rt_ok(w, vo_rt_cloth_set_bones(c, 2, identity));
    rt_run(w, 60);
    assert_true(is_sound(c, f3(0, 0.5f, 0), 1));
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void test_pose_far_away_without_teleport(void **state) {
    (void)state;
    scene s = hanging_sheet();
    assert_rt_ok(s.w, vo_rt_cloth_set_transform(s.c, rt_at(100, 5, 0)));
    rt_run(s.w, 1);
    assert_true(rt_is_finite(s.c));
    rt_run(s.w, 240);
    assert_true(is_sound(s.c, f3(100, 5, 0), 1));
    destroy(s);
}

static void test_teleport_keeps_shape_and_motion(void **state) {
    (void)state;
    scene s = hanging_sheet();
    vo_rt_vec3 before[RT_GRID_VERTICES];
    for (int i = 0; i < RT_GRID_VERTICES; i++) before[i] = vo_rt_cloth_get_vertex(s.c, i);
    vo_rt_transform t = rt_at(50, -3, 20);
    t.rotation = (vo_rt_quat){0, 0.70710678f, 0, 0.70710678f};
    assert_rt_ok(s.w, vo_rt_cloth_set_transform(s.c, t));
    assert_rt_ok(s.w, vo_rt_cloth_teleport(s.c));
    rt_run(s.w, 1);
    for (int i = 0; i < RT_GRID_VERTICES; i++)
        assert_true(f3_distance(vo_rt_cloth_get_vertex(s.c, i), ft_apply(t, before[i])) < 0.05f);
    rt_run(s.w, 60);
    assert_true(is_sound(s.c, t.position, 1));
    destroy(s);
}

static void test_teleported_tube_follows(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_tube();
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    rt_run(w, 30);
    vo_rt_vec3 before = vo_rt_cloth_get_vertex(c, RT_TUBE_VERTICES - 1);
    vo_rt_matrix turned = {{0, 0, 1, 10, 0, 1, 0, 2, -1, 0, 0, 0}}, bones[2] = {turned, turned};
    assert_rt_ok(w, vo_rt_cloth_set_bones(c, 2, bones));
    assert_rt_ok(w, vo_rt_cloth_teleport(c));
    rt_run(w, 1);
    assert_true(f3_distance(vo_rt_cloth_get_vertex(c, RT_TUBE_VERTICES - 1),
                            fm_apply(&turned, before)) < 0.03f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void test_reset_returns_to_the_pose(void **state) {
    (void)state;
    scene s = hanging_sheet();
    assert_rt_ok(s.w, vo_rt_world_set_wind(s.w, f3(0, 0, 15), 0));
    rt_run(s.w, 60);
    assert_true(s.c->mesh.finest_level > 0);
    assert_rt_ok(s.w, vo_rt_world_set_wind(s.w, f3(0, 0, 0), 0));
    assert_rt_ok(s.w, vo_rt_cloth_reset(s.c));
    assert_rt_ok(s.w, vo_rt_world_begin_step(s.w, 1 / 60.0f));
    assert_int_equal(s.c->mesh.front.triangle_count, 128);
    for (int i = 0; i < RT_GRID_VERTICES; i++)
        assert_true(f3_distance(vo_rt_cloth_get_vertex(s.c, i), s.asset->position[i]) < 1e-6f);
    vo_rt_world_run_step(s.w);
    assert_rt_ok(s.w, vo_rt_world_end_step(s.w));
    rt_run(s.w, 30);
    assert_true(is_sound(s.c, f3(0, 0, 0), 1));
    destroy(s);
}

static void test_body_inside_the_cloth(void **state) {
    (void)state;
    scene s = hanging_sheet();
    vo_rt_body *b = rt_sphere(s.w, 0.25f, 0, 0, 0); /* appears in the middle of the sheet */
    rt_run(s.w, 60);
    assert_true(is_sound(s.c, f3(0, 0, 0), 1));
    assert_int_equal(rt_count_inside(s.c, f3(0, 0, 0), 0.25f), 0);
    for (int i = 0; i < 8; i++) { /* and jumps to and fro */
        assert_rt_ok(s.w,
                     vo_rt_body_set_transform(b, rt_at(0.1f * (float)i, 0, i % 2 ? 0.1f : -5)));
        assert_rt_ok(s.w, vo_rt_body_teleport(b));
        rt_run(s.w, 10);
        assert_true(rt_is_finite(s.c));
    }
    rt_run(s.w, 60);
    assert_true(is_sound(s.c, f3(0, 0, 0), 1));
    destroy(s);
}

static void test_storm(void **state) {
    (void)state;
    scene s = hanging_sheet();
    assert_rt_ok(s.w, vo_rt_world_set_wind(s.w, f3(120, 0, 160), 1));
    for (int i = 0; i < 90; i++) {
        rt_run(s.w, 1);
        assert_true(rt_is_finite(s.c));
        assert_true(f3_length(f3_sub(s.c->state.max, s.c->state.min)) < 4);
    }
    assert_rt_ok(s.w, vo_rt_world_set_wind(s.w, f3(0, 0, 0), 0));
    rt_run(s.w, 60);
    assert_true(is_sound(s.c, f3(0, 0, 0), 1));
    destroy(s);
}

static void test_damaged_state_is_recovered(void **state) {
    (void)state;
    scene s = hanging_sheet();
    s.c->mesh.front.position[RT_GRID_VERTICES / 2].x = NAN;
    s.c->mesh.front.velocity[3].y = INFINITY;
    rt_run(s.w, 1);
    assert_int_equal(vo_rt_world_get_stats(s.w).recovered_cloths, 1);
    assert_true(rt_is_finite(s.c));
    rt_run(s.w, 60);
    assert_true(is_sound(s.c, f3(0, 0, 0), 1));
    assert_int_equal(vo_rt_world_get_stats(s.w).recovered_cloths, 0);
    destroy(s);
}

static void test_shifted_origin_changes_nothing_else(void **state) {
    (void)state;
    scene s = hanging_sheet();
    vo_rt_body *b = rt_sphere(s.w, 0.2f, 0, -0.2f, 0.3f);
    rt_run(s.w, 10);
    vo_rt_vec3 before = vo_rt_cloth_get_vertex(s.c, 40), offset = f3(4, -8, 16);
    assert_rt_ok(s.w, vo_rt_world_shift_origin(s.w, offset));
    assert_true(f3_distance(vo_rt_cloth_get_vertex(s.c, 40), f3_sub(before, offset)) < 1e-5f);
    rt_run(s.w, 60);
    assert_true(is_sound(s.c, f3(-4, 8, -16), 1));
    vo_rt_vec3 min, max;
    vo_rt_body_get_bounds(b, &min, &max);
    assert_true(f3_distance(f3_lerp(min, max, 0.5f), f3(-4, 7.8f, -15.7f)) < 1e-4f);
    destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_dt),
        cmocka_unit_test(test_time_follows_the_host),
        cmocka_unit_test(test_bad_poses_change_nothing),
        cmocka_unit_test(test_pose_far_away_without_teleport),
        cmocka_unit_test(test_teleport_keeps_shape_and_motion),
        cmocka_unit_test(test_teleported_tube_follows),
        cmocka_unit_test(test_reset_returns_to_the_pose),
        cmocka_unit_test(test_body_inside_the_cloth),
        cmocka_unit_test(test_storm),
        cmocka_unit_test(test_damaged_state_is_recovered),
        cmocka_unit_test(test_shifted_origin_changes_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
