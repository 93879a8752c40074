/* World of the real-time library: scenes, determinism, snapshots, memory, inputs, output. */
#include "rt_fixture.h"

#include <pthread.h>

/* --- Scenes ---------------------------------------------------------------------------------- */

static void test_flag_stays_on_its_pole(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 3);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 2, 0);
    vo_rt_vec3 pole = vo_rt_cloth_get_vertex(c, 0);
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(6, 0, 3), 0.5f));
    float lift = 0;
    for (int i = 0; i < 120; i++) {
        rt_run(w, 1);
        assert_true(rt_is_finite(c));
        lift = f_max(lift, fabsf(vo_rt_cloth_get_vertex(c, RT_GRID - 1).z));
        assert_true(f3_distance(vo_rt_cloth_get_vertex(c, 0), pole) < 1e-6f);
    }
    assert_true(lift > 0.05f); /* the wind moves its free end */
    assert_true(vo_rt_cloth_get_info(c).triangles > 128);
    assert_null(vo_rt_mesh_validate(&c->mesh));
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void test_sheet_on_sphere_stays_outside(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1.2f, true, RT_FREE, 3);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0.45f, 0);
    vo_rt_body *body = rt_sphere(w, 0.4f, 0, 0, 0);
    bool began = false;
    for (int i = 0; i < 150; i++) {
        rt_run(w, 1);
        assert_int_equal(rt_count_inside(c, f3(0, 0, 0), 0.4f), 0);
        int count;
        const vo_rt_contact_event *e = vo_rt_world_get_events(w, &count);
        for (int k = 0; k < count; k++) began |= e[k].began && e[k].body == body && e[k].cloth == c;
    }
    assert_true(began);
    assert_true(vo_rt_world_get_stats(w).contacts > 10);
    assert_true(vo_rt_world_get_stats(w).max_stretch < 0.1f);
    /* It rests on the sphere, which carries most of its weight. */
    assert_true(vo_rt_cloth_get_vertex(c, RT_GRID_VERTICES / 2).y > 0.4f);
    assert_true(vo_rt_body_get_reaction(body).force.y < 0);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static vo_rt_matrix bone_at(float angle, float x) {
    float c = cosf(angle), s = sinf(angle);
    return (vo_rt_matrix){{c, 0, s, x, 0, 1, 0, 0, -s, 0, c, 0}};
}

static void test_skinned_tube_follows_its_bones(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_tube();
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    for (int i = 1; i <= 60; i++) {
        vo_rt_matrix bones[2] = {bone_at(0.02f * (float)i, 0.01f * (float)i),
                                 bone_at(0.02f * (float)i, 0.01f * (float)i)};
        assert_rt_ok(w, vo_rt_cloth_set_bones(c, 2, bones));
        rt_run(w, 1);
        vo_rt_vec3 target = fm_apply(&bones[0], asset->position[3]);
        assert_true(f3_distance(vo_rt_cloth_get_vertex(c, 3), target) < 1e-5f);
    }
    rt_run(w, 60);
    vo_rt_cloth_info info = vo_rt_cloth_get_info(c);
    assert_near(0.5 * (info.min.x + info.max.x), 0.6, 0.1);
    assert_true(info.min.y > -0.1f && info.max_stretch < 0.1f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* --- Determinism ----------------------------------------------------------------------------- */

/* Several cloths, a moving body, wind and a camera. */
static void build_scene(vo_rt_world *w, const vo_rt_asset *sheet, const vo_rt_asset *tube) {
    for (int i = 0; i < 5; i++) rt_cloth(w, i % 2 ? tube : sheet, 1.5f * (float)i, 1.0f, 0);
    for (int i = 0; i < 5; i++) rt_sphere(w, 0.3f, 1.5f * (float)i, 0.6f, 0.05f);
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(2, 0, 3), 0.4f));
}

static void run_scene(vo_rt_world *w, int from, int to) {
    for (int i = from; i < to; i++) {
        for (int b = 0; b < 5; b++)
            assert_rt_ok(w, vo_rt_body_set_transform(
                                w->body[b], rt_at(1.5f * (float)b + 0.2f * sinf(0.1f * (float)i),
                                                  0.6f, 0.2f * cosf(0.07f * (float)i))));
        rt_run(w, 1);
    }
}

/* Runs the tasks of a loop backwards, in the calling thread. */
static void run_backwards(void *user, int count, vo_task_fn *task, void *data) {
    (void)user;
    for (int i = count - 1; i >= 0; i--) task(data, i);
}

static void test_results_do_not_depend_on_threads(void **state) {
    (void)state;
    vo_rt_asset *sheet = rt_sheet(1, true, RT_PIN_CORNERS, 3), *tube = rt_tube();
    uint64_t hash[4];
    for (int i = 0; i < 4; i++) {
        vo_rt_world_def def = vo_rt_world_def_default();
        def.threads = i + 1;
        if (i == 3) def.run_tasks = run_backwards;
        vo_rt_world *w = rt_world(&def);
        build_scene(w, sheet, tube);
        run_scene(w, 0, 90);
        hash[i] = rt_hash(w);
        assert_true(vo_rt_world_get_stats(w).triangles > 1000);
        vo_rt_world_destroy(w);
    }
    for (int i = 1; i < 4; i++) assert_true(hash[i] == hash[0]);
    vo_rt_asset_destroy(sheet);
    vo_rt_asset_destroy(tube);
}

static void test_restored_world_continues_identically(void **state) {
    (void)state;
    vo_rt_asset *sheet = rt_sheet(1, true, RT_PIN_CORNERS, 3), *tube = rt_tube();
    vo_rt_world *w = rt_world(NULL);
    build_scene(w, sheet, tube);
    run_scene(w, 0, 40);
    size_t bytes = vo_rt_world_save(w, NULL, 0);
    void *data = malloc(bytes);
    assert_int_equal(vo_rt_world_save(w, data, bytes - 1), bytes);
    assert_int_equal(vo_rt_world_save(w, data, bytes), bytes);
    run_scene(w, 40, 90);
    uint64_t expected = rt_hash(w);

    assert_rt_ok(w, vo_rt_world_restore(w, data, bytes)); /* the same world */
    run_scene(w, 40, 90);
    assert_true(rt_hash(w) == expected);

    vo_rt_world *other = rt_world(NULL); /* a new one with the same objects */
    build_scene(other, sheet, tube);
    assert_rt_ok(other, vo_rt_world_restore(other, data, bytes));
    run_scene(other, 40, 90);
    assert_true(rt_hash(other) == expected);
    free(data);
    vo_rt_world_destroy(other);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(sheet);
    vo_rt_asset_destroy(tube);
}

static void test_damaged_snapshots_are_rejected(void **state) {
    (void)state;
    vo_rt_asset *sheet = rt_sheet(1, true, RT_PIN_CORNERS, 3);
    vo_rt_world *w = rt_world(NULL);
    rt_cloth(w, sheet, 0, 0, 0);
    rt_sphere(w, 0.2f, 0, -0.5f, 0);
    rt_run(w, 20);
    size_t bytes = vo_rt_world_save(w, NULL, 0);
    uint8_t *data = malloc(bytes);
    vo_rt_world_save(w, data, bytes);
    uint64_t before = rt_hash(w);
    for (size_t i = 0; i < 500; i++) {
        size_t at = (i * 7919) % bytes;
        data[at] ^= 0x10;
        assert_int_equal(vo_rt_world_restore(w, data, bytes), VO_BAD_DATA);
        data[at] ^= 0x10;
        assert_int_equal(vo_rt_world_restore(w, data, at), VO_BAD_DATA);
    }
    assert_true(rt_hash(w) == before);
    rt_cloth(w, sheet, 2, 0, 0); /* other objects */
    assert_int_equal(vo_rt_world_restore(w, data, bytes), VO_BAD_DATA);
    free(data);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(sheet);
}

/* --- Memory ---------------------------------------------------------------------------------- */

static void test_steps_do_not_allocate(void **state) {
    (void)state;
    vo_rt_asset *sheet = rt_sheet(1, true, RT_PIN_CORNERS, 3), *tube = rt_tube();
    rt_memory memory = {0};
    vo_rt_world_def def = vo_rt_world_def_default();
    def.allocator = rt_allocator(&memory);
    def.threads = 2;
    vo_rt_world *w = rt_world(&def);
    build_scene(w, sheet, tube);
    long calls = memory.calls;
    run_scene(w, 0, 60);
    assert_rt_ok(w, vo_rt_cloth_reset(&w->cloth[0]));
    assert_rt_ok(w, vo_rt_cloth_set_blend(&w->cloth[1], 0.5f));
    run_scene(w, 60, 90);
    assert_int_equal(memory.calls, calls);
    vo_rt_world_destroy(w);
    assert_int_equal(memory.live, 0);
    vo_rt_asset_destroy(sheet);
    vo_rt_asset_destroy(tube);
}

static void test_exhausted_pool_stops_refinement(void **state) {
    (void)state;
    vo_rt_asset *sheet = rt_sheet(1, true, RT_PIN_CORNERS, 4);
    vo_rt_world_def def = vo_rt_world_def_default();
    def.pool_bytes = 400 << 10;
    vo_rt_world *w = rt_world(&def);
    vo_rt_cloth *c = rt_cloth(w, sheet, 0, 0, 0);
    assert_rt_ok(w, vo_rt_cloth_set_levels(c, 4, 4));
    int64_t rejected = 0;
    for (int i = 0; i < 60; i++) {
        rt_run(w, 1);
        rejected += vo_rt_world_get_stats(w).rejected_splits;
        assert_true(rt_is_finite(c));
    }
    assert_true(rejected > 0);
    assert_null(vo_rt_mesh_validate(&c->mesh));
    vo_rt_cloth *second = c;
    vo_rt_cloth_def cloth_def = vo_rt_cloth_def_default();
    cloth_def.asset = sheet;
    while (vo_rt_cloth_create(w, &cloth_def, &second) == VO_OK) continue; /* until it is full */
    assert_null(second);
    assert_true(vo_rt_world_message(w)[0] != 0);
    rt_run(w, 5);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(sheet);
}

/* --- Inputs ---------------------------------------------------------------------------------- */

#define assert_rejected(call) assert_int_equal((call), VO_BAD_ARGUMENT)

static void test_setters_reject_bad_values(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_tube();
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    vo_rt_body *b = rt_sphere(w, 0.3f, 0, -1, 0);
    vo_rt_cloth_inputs before = c->next;
    vo_rt_world_inputs world_before = w->next;
    const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1};
    for (int i = 0; i < 5; i++) {
        float x = bad[i];
        if (i < 4) {
            assert_rejected(vo_rt_world_set_gravity(w, f3(0, x, 0)));
            assert_rejected(vo_rt_cloth_set_transform(c, rt_at(x, 0, 0)));
            assert_rejected(vo_rt_body_set_transform(b, rt_at(0, 0, x)));
            vo_rt_matrix bones[2] = {bone_at(0, 0), bone_at(0, x)};
            assert_rejected(vo_rt_cloth_set_bones(c, 2, bones));
            assert_rejected(vo_rt_cloth_set_attachment(c, 0, 1, f3(0, x, 0)));
            assert_rejected(vo_rt_world_set_wind(w, f3(x, 0, 0), 0));
            assert_rejected(vo_rt_world_shift_origin(w, f3(x, 0, 0)));
        }
        assert_rejected(vo_rt_world_set_wind(w, f3(1, 0, 0), x));
        assert_rejected(vo_rt_cloth_set_blend(c, x));
        assert_rejected(vo_rt_cloth_set_inertia(c, 1, x, 1));
        assert_rejected(vo_rt_cloth_set_link_strength(c, x));
        assert_rejected(vo_rt_cloth_set_attachment(c, 0, x, f3(0, 0, 0)));
        assert_rejected(vo_rt_world_set_budget(w, VO_RT_BUDGET_COUNTED, x));
        vo_rt_fabric fabric = vo_rt_fabric_default();
        fabric.density = x;
        assert_rejected(vo_rt_cloth_set_fabric(c, fabric));
        vo_rt_adaption adaption = vo_rt_adaption_default();
        adaption.max_angle = x;
        assert_rejected(vo_rt_cloth_set_adaption(c, adaption));
        vo_rt_camera camera = {
            .rotation = {0, 0, 0, 1}, .fov_y = x, .aspect = 1, .height_pixels = 9};
        assert_rejected(vo_rt_world_set_cameras(w, 1, &camera));
        vo_rt_fan fan = {.direction = {0, 0, 1}, .speed = x, .angle = 0.5f, .range = 1};
        assert_rejected(vo_rt_world_set_fans(w, 1, &fan));
        assert_rejected(vo_rt_body_set_friction(b, i < 4 ? x : -1));
    }
    assert_rejected(vo_rt_cloth_set_bones(c, 1, NULL));
    assert_rejected(vo_rt_cloth_set_levels(c, 2, 1));
    assert_rejected(vo_rt_cloth_set_levels(c, 0, 7));
    assert_rejected(vo_rt_cloth_set_attachment(c, RT_TUBE_VERTICES, 1, f3(0, 0, 0)));
    assert_rejected(vo_rt_world_set_cameras(w, 5, NULL));
    assert_rejected(vo_rt_world_set_fans(w, 9, NULL));
    assert_memory_equal(&before, &c->next, sizeof before);
    assert_memory_equal(&world_before, &w->next, sizeof world_before);
    assert_true(strlen(vo_rt_world_message(w)) > 10);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void test_attachments_follow_the_host(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_CORNERS, 2);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    vo_rt_vec3 place = f3(0.2f, -0.3f, 0.1f);
    assert_rt_ok(w, vo_rt_cloth_set_attachment(c, RT_GRID_VERTICES - 1, 1, place));
    assert_rt_ok(w, vo_rt_cloth_set_attachment(c, 0, 0, place));
    rt_run(w, 30);
    assert_true(f3_distance(vo_rt_cloth_get_vertex(c, RT_GRID_VERTICES - 1), place) < 1e-5f);
    assert_true(vo_rt_cloth_get_vertex(c, 0).y < 0.4f); /* released, it falls */
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Carries the top row of a hanging sheet away: refined vertices below it are not pulled back to the
 * rest pose of the free vertices, so that the whole sheet hangs below the row. */
static void test_attachments_do_not_extend_to_free_vertices(void **state) {
    (void)state;
    const float away = 4;
    vo_rt_asset *asset = rt_sheet(1, false, RT_FREE, 2);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    assert_rt_ok(w, vo_rt_cloth_set_levels(c, 2, 2));
    vo_rt_vec3 start[RT_GRID];
    for (int i = 0; i < RT_GRID; i++) start[i] = vo_rt_cloth_get_vertex(c, i);
    for (int frame = 0; frame < 360; frame++) {
        float x = away * fminf((float)frame / 240, 1);
        for (int i = 0; i < RT_GRID; i++)
            assert_rt_ok(w, vo_rt_cloth_set_attachment(c, i, 1, f3_add(start[i], f3(x, 0, 0))));
        rt_run(w, 1);
    }
    vo_rt_cloth_info info = vo_rt_cloth_get_info(c);
    assert_int_equal(info.level, 2);
    assert_true(info.min.x > away - 0.6f && info.max.x < away + 0.6f);
    assert_true(info.max.y < 0.5f + 1e-3f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void *run_in_thread(void *arg) {
    vo_rt_world_run_step(arg);
    return NULL;
}

static void test_step_in_parts(void **state) {
    (void)state;
    vo_rt_asset *sheet = rt_sheet(1, true, RT_PIN_CORNERS, 3), *tube = rt_tube();
    vo_rt_world *w = rt_world(NULL), *reference = rt_world(NULL);
    build_scene(w, sheet, tube);
    build_scene(reference, sheet, tube);
    for (int i = 0; i < 30; i++) {
        pthread_t thread;
        float x = 0.01f * (float)i;
        assert_rt_ok(w, vo_rt_world_begin_step(w, 1 / 60.0f));
        assert_int_equal(pthread_create(&thread, NULL, run_in_thread, w), 0);
        assert_rt_ok(w, vo_rt_body_set_transform(w->body[0], rt_at(x, 0.6f, 0)));
        assert_rt_ok(w, vo_rt_cloth_set_transform(&w->cloth[0], rt_at(x, 1, 0)));
        pthread_join(thread, NULL);
        assert_rt_ok(w, vo_rt_world_end_step(w));
        rt_run(reference, 1);
        vo_rt_body_set_transform(reference->body[0], rt_at(x, 0.6f, 0));
        vo_rt_cloth_set_transform(&reference->cloth[0], rt_at(x, 1, 0));
    }
    assert_true(rt_hash(w) == rt_hash(reference));
    assert_int_equal(vo_rt_world_end_step(w), VO_BAD_ARGUMENT);
    assert_rt_ok(w, vo_rt_world_begin_step(w, 1 / 60.0f));
    assert_int_equal(vo_rt_world_begin_step(w, 1 / 60.0f), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_world_restore(w, NULL, 0), VO_BAD_ARGUMENT);
    vo_rt_world_destroy(w);
    vo_rt_world_destroy(reference);
    vo_rt_asset_destroy(sheet);
    vo_rt_asset_destroy(tube);
}

static void run_no_tasks(void *user, int count, vo_task_fn *task, void *data) {
    (void)user, (void)count, (void)task, (void)data;
}

static void test_runner_that_skips_tasks_is_reported(void **state) {
    (void)state;
    vo_rt_asset *sheet = rt_sheet(1, true, RT_PIN_CORNERS, 3);
    vo_rt_world_def def = vo_rt_world_def_default();
    def.threads = 2;
    def.run_tasks = run_no_tasks;
    vo_rt_world *w = rt_world(&def);
    rt_cloth(w, sheet, 0, 0, 0);
    rt_cloth(w, sheet, 2, 0, 0);
    assert_int_equal(vo_rt_world_step(w, 1 / 60.0f), VO_BAD_ARGUMENT);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flag_stays_on_its_pole),
        cmocka_unit_test(test_sheet_on_sphere_stays_outside),
        cmocka_unit_test(test_skinned_tube_follows_its_bones),
        cmocka_unit_test(test_results_do_not_depend_on_threads),
        cmocka_unit_test(test_restored_world_continues_identically),
        cmocka_unit_test(test_damaged_snapshots_are_rejected),
        cmocka_unit_test(test_steps_do_not_allocate),
        cmocka_unit_test(test_exhausted_pool_stops_refinement),
        cmocka_unit_test(test_setters_reject_bad_values),
        cmocka_unit_test(test_attachments_follow_the_host),
        cmocka_unit_test(test_attachments_do_not_extend_to_free_vertices),
        cmocka_unit_test(test_step_in_parts),
        cmocka_unit_test(test_runner_that_skips_tasks_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
