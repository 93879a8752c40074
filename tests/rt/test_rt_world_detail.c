/* Level of detail, budget, sleep, inertia, output and queries of the real-time library. */
#include "rt_fixture.h"

static vo_rt_camera camera_at(float x, float y, float z, bool looks_back) {
    vo_rt_camera c = {.position = {x, y, z}, .rotation = {0, 0, 0, 1}, .fov_y = 0.9f};
    if (looks_back) c.rotation = (vo_rt_quat){0, 1, 0, 0};
    c.aspect = 1.5f;
    c.height_pixels = 720;
    return c;
}

static int triangles(const vo_rt_cloth *c) { return vo_rt_cloth_get_info(c).triangles; }

static void test_invisible_cloth_is_coarse(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 3);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    vo_rt_camera front = camera_at(0, 0, 2, false), back = camera_at(0, 0, 2, true);
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(5, 0, 5), 0.5f));
    assert_rt_ok(w, vo_rt_world_set_cameras(w, 1, &front));
    rt_run(w, 120);
    int fine = triangles(c);
    assert_true(fine > 300);
    assert_true(vo_rt_cloth_get_info(c).is_visible);
    assert_rt_ok(w, vo_rt_world_set_cameras(w, 1, &back));
    rt_run(w, 120);
    assert_false(vo_rt_cloth_get_info(c).is_visible);
    assert_int_equal(triangles(c), 128);
    assert_rt_ok(w, vo_rt_world_set_cameras(w, 1, &front));
    rt_run(w, 16); /* levels change by one per major step, 30 times per second */
    assert_true(triangles(c) > 200);
    /* Far away, edges are small on the screen. */
    vo_rt_camera distant = camera_at(0, 0, 20, false);
    distant.height_pixels = 200;
    assert_rt_ok(w, vo_rt_world_set_cameras(w, 1, &distant));
    rt_run(w, 120);
    assert_int_equal(triangles(c), 128);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void test_levels_are_limited(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_CORNERS, 3);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    assert_rt_ok(w, vo_rt_cloth_set_levels(c, 2, 3));
    rt_run(w, 30);
    assert_true(triangles(c) >= 128 * 16);
    uint8_t *levels = malloc((size_t)triangles(c));
    assert_int_equal(vo_rt_cloth_get_levels(c, triangles(c), levels), triangles(c));
    for (int i = 0; i < triangles(c); i++) assert_in_range(levels[i], 2, 3);
    free(levels);
    assert_rt_ok(w, vo_rt_cloth_set_levels(c, 0, 0));
    rt_run(w, 120);
    assert_int_equal(triangles(c), 128);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void test_budget_limits_the_cost(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 4);
    double cost[2];
    uint64_t hash[2];
    for (int limited = 0; limited < 2; limited++) {
        vo_rt_world *w = rt_world(NULL);
        rt_cloth(w, asset, 0, 0, 0);
        assert_rt_ok(w, vo_rt_world_set_wind(w, f3(5, 0, 5), 0.5f));
        if (limited)
            assert_rt_ok(w, vo_rt_world_set_budget(w, VO_RT_BUDGET_COUNTED, (float)cost[0] / 3));
        int64_t over = 0; /* steps above the budget */
        double last = 0;
        for (int i = 0; i < 330; i++) {
            rt_run(w, 1);
            vo_rt_stats stats = vo_rt_world_get_stats(w);
            over += limited && (float)stats.cost > (float)cost[0] / 3;
            assert_int_equal(stats.over_budget, over);
            if (i >= 300) last += stats.cost / 30;
        }
        assert_true(limited == (over > 0));
        cost[limited] = last;
        assert_true(limited == (vo_rt_world_get_stats(w).detail_scale > 1));
        hash[limited] = rt_hash(w);
        vo_rt_world_destroy(w);
    }
    assert_true(hash[0] != hash[1]);
    assert_true(cost[1] < 0.55 * cost[0]);
    vo_rt_asset_destroy(asset);
}

static void test_far_cloths_move_less_often(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_CORNERS, 2);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *near = rt_cloth(w, asset, 0, 0, 0), *far = rt_cloth(w, asset, 0, 0, -60);
    vo_rt_camera camera = camera_at(0, 0, 3, false);
    assert_rt_ok(w, vo_rt_world_set_cameras(w, 1, &camera));
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(0, 0, 4), 0));
    rt_run(w, 60);
    assert_true(vo_rt_cloth_get_info(far).is_far && !vo_rt_cloth_get_info(near).is_far);
    /* One of two calls of two minor steps moves it; the output moves in each. */
    int moves = 0;
    for (int i = 0; i < 20; i++) {
        vo_rt_vec3 before = vo_rt_cloth_get_vertex(far, 76);
        rt_run(w, 1);
        moves += f3_distance(before, vo_rt_cloth_get_vertex(far, 76)) > 0;
    }
    assert_in_range(moves, 9, 11);
    assert_true(rt_is_finite(far));
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void test_resting_cloth_sleeps_until_disturbed(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_CORNERS, 2);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    vo_rt_cloth *c;
    def.asset = asset;
    def.sleep_speed = 0.2f;
    assert_rt_ok(w, vo_rt_cloth_create(w, &def, &c));
    vo_rt_fabric fabric = vo_rt_fabric_default();
    fabric.damping = 4;
    assert_rt_ok(w, vo_rt_cloth_set_fabric(c, fabric));
    vo_rt_body *b = rt_sphere(w, 0.2f, 0, 0, 5);
    for (int i = 0; i < 900 && !vo_rt_cloth_get_info(c).is_sleeping; i++) rt_run(w, 1);
    assert_true(vo_rt_cloth_get_info(c).is_sleeping);
    rt_run(w, 1);
    assert_int_equal(vo_rt_world_get_stats(w).sleeping_cloths, 1);
    uint64_t hash = rt_hash(w);
    rt_run(w, 10);
    assert_true(rt_hash(w) == hash);
    assert_rt_ok(w, vo_rt_cloth_set_transform(c, def.transform)); /* the same pose */
    rt_run(w, 1);
    assert_true(vo_rt_cloth_get_info(c).is_sleeping);
    assert_rt_ok(w, vo_rt_cloth_wake(c));
    rt_run(w, 1);
    assert_false(vo_rt_cloth_get_info(c).is_sleeping);
    for (int i = 0; i < 300 && !vo_rt_cloth_get_info(c).is_sleeping; i++) rt_run(w, 1);
    assert_true(vo_rt_cloth_get_info(c).is_sleeping);
    assert_rt_ok(w, vo_rt_body_set_transform(b, rt_at(0, 0, 0.22f)));
    rt_run(w, 2);
    assert_false(vo_rt_cloth_get_info(c).is_sleeping);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Lag of the lower edge behind a frame that starts to move. */
static float measure_lag(const vo_rt_asset *asset, float inertia) {
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    assert_rt_ok(w, vo_rt_cloth_set_inertia(c, inertia, inertia, 1));
    rt_run(w, 60);
    float z0 = vo_rt_cloth_get_vertex(c, 76).z;
    for (int i = 1; i <= 20; i++) {
        assert_rt_ok(w, vo_rt_cloth_set_transform(c, rt_at(0, 0, 0.05f * (float)i)));
        rt_run(w, 1);
    }
    float lag = 1 - (vo_rt_cloth_get_vertex(c, 76).z - z0);
    vo_rt_world_destroy(w);
    return lag;
}

static void test_inertia_scales_the_motion_of_the_frame(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_CORNERS, 0);
    float none = measure_lag(asset, 0), half = measure_lag(asset, 0.5f),
          full = measure_lag(asset, 1);
    assert_true(fabsf(none) < 0.02f);
    assert_true(half > 0.05f && full > half + 0.05f);
    vo_rt_asset_destroy(asset);
}

static void test_blend_mixes_with_the_animated_pose(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, true, RT_PIN_CORNERS, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    int count = vo_rt_asset_get_info(asset).render_vertex_count;
    vo_rt_vec3 *x = malloc((size_t)count * sizeof *x);
    vo_rt_output output = {.positions = &x->x, .position_stride = sizeof *x};
    rt_run(w, 60);
    assert_rt_ok(w, vo_rt_cloth_set_blend(c, 0.25f));
    rt_run(w, 30);
    assert_rt_ok(w, vo_rt_cloth_write_output(c, &output));
    for (int i = 0; i < RT_GRID_VERTICES; i++) {
        vo_rt_vec3 expected = f3_lerp(asset->position[i], vo_rt_cloth_get_vertex(c, i), 0.25f);
        assert_true(f3_distance(x[i], expected) < 1e-4f);
    }
    assert_rt_ok(w, vo_rt_cloth_set_blend(c, 0));
    rt_run(w, 2);
    assert_rt_ok(w, vo_rt_cloth_write_output(c, &output));
    for (int i = 0; i < RT_GRID_VERTICES; i++)
        assert_true(f3_distance(x[i], asset->position[i]) < 1e-5f);
    output.position_stride = 8;
    assert_int_equal(vo_rt_cloth_write_output(c, &output), VO_BAD_ARGUMENT);
    assert_non_null(strstr(vo_rt_world_message(w), "output.position_stride is 8 bytes"));
    output = (vo_rt_output){.tangents = &x->x, .tangent_stride = 12};
    assert_int_equal(vo_rt_cloth_write_output(c, &output), VO_BAD_ARGUMENT);
    free(x);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Frames of irregular length: no output vertex moves farther than its speed permits. */
static void test_output_is_continuous(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 3);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    int count = vo_rt_asset_get_info(asset).render_vertex_count;
    vo_rt_vec3 *x = malloc((size_t)count * sizeof *x), *last = malloc((size_t)count * sizeof *x);
    vo_rt_vec3 *normal = malloc((size_t)count * sizeof *x),
               *shown = malloc((size_t)count * sizeof *x);
    vo_rt_output output = {.positions = &x->x,
                           .position_stride = sizeof *x,
                           .normals = &normal->x,
                           .normal_stride = sizeof *normal,
                           .previous_positions = &shown->x,
                           .previous_stride = sizeof *shown};
    vo_random random = vo_random_seed(8);
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(3, 0, 3), 0.5f));
    rt_run(w, 20);
    int64_t splits = 0;
    for (int i = 0; i < 200; i++) {
        float dt = (float)vo_random_real(&random, 0.002, 0.02), speed = 0;
        assert_rt_ok(w, vo_rt_cloth_write_output(c, &output));
        memcpy(last, x, (size_t)count * sizeof *x);
        assert_rt_ok(w, vo_rt_world_step(w, dt));
        assert_rt_ok(w, vo_rt_cloth_write_output(c, &output));
        splits += vo_rt_world_get_stats(w).splits;
        const vo_rt_front *f = &c->mesh.front;
        for (int v = 1; v < f->vertex_end; v++)
            if (f->flags[v] & VO_RT_VERTEX_USED)
                speed = f_max(speed, f3_length(f4_xyz(f->velocity[v])));
        for (int v = 0; v < count; v++) {
            assert_true(f3_distance(x[v], last[v]) < 1.5f * (speed + 1) * dt + 0.002f);
            assert_true(f3_distance(shown[v], last[v]) < 1e-6f);
            assert_near(f3_length(normal[v]), 1, 1e-3);
        }
    }
    assert_true(splits > 20);
    free(x), free(last), free(normal), free(shown);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void test_rays_and_spheres(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 2);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *a = rt_cloth(w, asset, 0, 0, 0), *b = rt_cloth(w, asset, 0, 0, -1), *found[1];
    vo_rt_ray_hit hit;
    assert_true(vo_rt_world_cast_ray(w, f3(0.1f, 0.13f, 2), f3(0.1f, 0.13f, -2), &hit));
    assert_ptr_equal(hit.cloth, a);
    assert_near(hit.t, 0.5, 1e-6);
    assert_near(fabsf(hit.normal.z), 1, 1e-6);
    assert_int_equal(hit.base_vertex, 3 * RT_GRID + 5);
    assert_true(vo_rt_world_cast_ray(w, f3(0.1f, 0.1f, -2), f3(0.1f, 0.1f, 2), &hit));
    assert_ptr_equal(hit.cloth, b);
    assert_false(vo_rt_world_cast_ray(w, f3(0.1f, 0.1f, 2), f3(0.1f, 0.1f, 0.1f), &hit));
    assert_false(vo_rt_world_cast_ray(w, f3(0.6f, 0.1f, 2), f3(0.6f, 0.1f, -2), &hit));
    assert_false(vo_rt_world_cast_ray(w, f3(NAN, 0, 0), f3(0, 0, 0), &hit));
    assert_int_equal(vo_rt_world_overlap_sphere(w, f3(0, 0, -0.5f), 0.51f, 1, found), 2);
    assert_ptr_equal(found[0], a);
    assert_int_equal(vo_rt_world_overlap_sphere(w, f3(0, 0, -0.5f), 0.49f, 1, found), 0);
    assert_int_equal(vo_rt_world_overlap_sphere(w, f3(0.7f, 0, 0.1f), 0.2f, 1, found), 0);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void count_line(void *user, vo_rt_vec3 a, vo_rt_vec3 b, uint32_t rgba) {
    assert_true(f3_is_finite(a) && f3_is_finite(b) && (rgba & 255) == 255);
    ++*(int *)user;
}

static void test_debug_lines(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, true, RT_PIN_CORNERS, 2);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    rt_sphere(w, 0.2f, 0, -1, 0);
    rt_run(w, 10);
    int leaves = 0, boxes = 0, tethers = 0;
    vo_rt_world_debug_draw(w, VO_RT_DRAW_LEAVES, count_line, &leaves);
    vo_rt_world_debug_draw(w, VO_RT_DRAW_BOUNDS | VO_RT_DRAW_BODIES, count_line, &boxes);
    vo_rt_world_debug_draw(w, VO_RT_DRAW_TETHERS, count_line, &tethers);
    assert_int_equal(leaves, vo_rt_cloth_get_info(c).springs);
    assert_int_equal(boxes, 24);
    assert_int_equal(tethers, vo_rt_asset_get_info(asset).tether_count);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invisible_cloth_is_coarse),
        cmocka_unit_test(test_levels_are_limited),
        cmocka_unit_test(test_budget_limits_the_cost),
        cmocka_unit_test(test_far_cloths_move_less_often),
        cmocka_unit_test(test_resting_cloth_sleeps_until_disturbed),
        cmocka_unit_test(test_inertia_scales_the_motion_of_the_frame),
        cmocka_unit_test(test_blend_mixes_with_the_animated_pose),
        cmocka_unit_test(test_output_is_continuous),
        cmocka_unit_test(test_rays_and_spheres),
        cmocka_unit_test(test_debug_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
