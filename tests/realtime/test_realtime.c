/* The engine realtime of runs: frames are valid, identical for any number of threads and after
 * resuming; no node is inside an obstacle; scenes that it cannot simulate are rejected. */
#include "run_fixture.h"

#include "math/vec.h"

/* A sheet of 32 base triangles falls on a moving sphere; a handle holds a corner for a while. */
static const char drape_text[] =
    "{\n"
    "  \"engine\": \"realtime\", \"fps\": 30, \"end_frame\": 12,\n"
    "  \"cloths\": [{\"grid\": {\"width\": 0.8, \"height\": 0.8, \"columns\": 4, \"rows\": 4},\n"
    "    \"transform\": {\"translate\": [-0.38, -0.41, 0.23]},\n"
    "    \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3}]}],\n"
    "  \"motions\": [[{\"time\": 0}, {\"time\": 0.4, \"transform\": {\"translate\": [0.1, 0, "
    "0]}}]],\n"
    "  \"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.2}, \"motion\": 0}],\n"
    "  \"handles\": [{\"nodes\": [0], \"end_time\": 0.15}, {\"nodes\": [4], \"start_time\": "
    "0.1}],\n"
    "  \"gravity\": [0, 0, -9.8], \"wind\": {\"density\": 1.2},\n"
    "  \"realtime\": {\"levels\": 2, \"fans\": [{\"position\": [0, -1, 0.2], \"motion\": 0}]}\n"
    "}\n";

static run_fixture open_drape(int threads) {
    run_fixture p = open_run_fixture(threads);
    assert_ok(p.ctx, vo_file_write(p.ctx, p.scene, drape_text, strlen(drape_text)));
    return p;
}

static vo_result simulate_with(run_fixture *p, const char *set) {
    vo_run_def def = vo_run_def_default();
    def.folder = p->run;
    def.override_count = set != NULL;
    def.overrides = &set;
    return vo_run_simulate(p->ctx, p->scene, &def);
}

static void frames_do_not_depend_on_threads(void **state) {
    (void)state;
    run_fixture one = open_drape(1);
    assert_ok(one.ctx, simulate_with(&one, NULL));
    for (int threads = 2; threads <= 3; threads++) {
        run_fixture more = open_drape(threads);
        assert_ok(more.ctx, simulate_with(&more, NULL));
        assert_same_frames(&one, &more, 12);
        close_run_fixture(&more);
    }
    close_run_fixture(&one);
}

/* Stops before and after handles begin and end; the last frame is damaged, as by a crash. */
static void resumed_run_has_equal_bits(void **state) {
    (void)state;
    run_fixture whole = open_drape(1), parts = open_drape(2);
    assert_ok(whole.ctx, simulate_with(&whole, NULL));
    assert_int_equal(simulate(&parts, 1), VO_CANCELLED);
    for (int stop = 3; stop < 10; stop += 2)
        assert_int_equal(resume_until(&parts, NULL, stop), VO_CANCELLED);
    assert_ok(parts.ctx, vo_file_write(parts.ctx, frame_path(&parts, 9), "half", 4));
    assert_ok(parts.ctx, resume(&parts, 0, NULL));
    assert_same_frames(&whole, &parts, 12);
    close_run_fixture(&whole);
    close_run_fixture(&parts);
}

/* The sphere, of radius 0.2, is symmetric: the mean of its nodes is its centre. */
static void expect_outside(vo_mesh_view cloth, vo_mesh_view sphere) {
    vo_vec3 center = {0, 0, 0};
    for (int n = 0; n < sphere.node_count; n++)
        center = v3_add_scaled(center, 1.0 / sphere.node_count, sphere.node_x[n]);
    for (int n = 0; n < cloth.node_count; n++)
        assert_true(v3_distance(cloth.node_x[n], center) > 0.2);
}

/* The mesh is refined, and no node is inside the sphere in any frame. */
static void cloth_stays_outside(void **state) {
    (void)state;
    run_fixture p = open_drape(2);
    vo_run_info info;
    assert_ok(p.ctx, simulate_with(&p, NULL));
    assert_ok(p.ctx, vo_run_get_info(p.ctx, p.run, &info));
    assert_int_equal(info.frames, 13);
    assert_int_equal(info.max_intersections, -1); /* not counted */
    assert_true(info.faces.max > 100);
    vo_run_info_free(p.ctx, &info);
    vo_run_reader *reader;
    assert_ok(p.ctx, vo_run_reader_open(p.ctx, p.run, &reader));
    for (int frame = 0; frame <= 12; frame++) {
        assert_ok(p.ctx, vo_run_reader_read_frame(reader, frame));
        expect_outside(vo_run_reader_get_cloth(reader, 0), vo_run_reader_get_obstacle(reader, 0));
    }
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

static void expect_message(const char *set, const char *words) {
    run_fixture p = open_drape(1);
    vo_result result = simulate_with(&p, set);
    if (result == VO_OK || !strstr(vo_context_message(p.ctx), words))
        print_error("%s: %s\n", set, vo_context_message(p.ctx));
    assert_int_not_equal(result, VO_OK);
    assert_non_null(strstr(vo_context_message(p.ctx), words));
    close_run_fixture(&p);
}

static void clock_budget_is_accepted(void **state) {
    (void)state;
    run_fixture p = open_drape(1);
    assert_int_equal(simulate_with(&p, "realtime={\"budget_ms\": 5, \"budget_clock\": true}"),
                     VO_OK);
    close_run_fixture(&p);
}

static void wrong_values_are_rejected(void **state) {
    (void)state;
    expect_message("engine=fast", "engine");
    expect_message("realtime.budget_ms=1e5", "0.001 to 10,000");
    expect_message("gravity=[0,0,-1e7]", "1e6 m/s^2 with the engine realtime");
    expect_message("realtime.rate=5", "realtime.rate");
    expect_message("realtime.levels=7", "realtime.levels");
    expect_message("realtime.thickness=0.2", "realtime.thickness");
    expect_message("realtime.offset=0.11", "realtime.offset: must be 0 to 0.1 m");
    expect_message("realtime.substeps=65", "realtime.substeps");
    expect_message("realtime.solver=pcg", "realtime.solver");
    expect_message("realtime.budget_clock=true", "realtime.budget_clock: needs");
    expect_message("realtime.speed=1", "unknown key \"speed\"");
    expect_message("realtime.fans[0].angle=90", "realtime.fans[0].angle");
    expect_message("realtime.fans[0].direction=[0, 0, 0]", "realtime.fans[0].direction");
    expect_message("realtime.fans[0].motion=3", "motion");
}

/* An open obstacle is named together with the remedy. */
static void open_obstacle_is_named(void **state) {
    (void)state;
    expect_message("obstacles[0]={\"mesh\": \"sheet.obj\"}", "sheet.obj");
    run_fixture p = open_drape(1);
    char path[700], set[800];
    vo_mesh *sheet;
    snprintf(path, sizeof path, "%s.obj", p.scene);
    assert_ok(p.ctx, vo_mesh_create_grid(p.ctx, 1, 1, 2, 2, &sheet));
    assert_ok(p.ctx, vo_mesh_save_obj(p.ctx, sheet, path));
    vo_mesh_destroy(sheet);
    snprintf(set, sizeof set, "obstacles[0]={\"mesh\": \"%s\"}", path);
    assert_int_equal(simulate_with(&p, set), VO_BAD_DATA);
    assert_non_null(strstr(vo_context_message(p.ctx), "obstacle 0"));
    assert_non_null(strstr(vo_context_message(p.ctx), "close its surface"));
    close_run_fixture(&p);
}

/* The frames of one engine cannot be continued by the other. */
static void engine_cannot_be_changed(void **state) {
    (void)state;
    run_fixture p = open_drape(1);
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    assert_int_equal(resume_until(&p, "engine=quality", 5), VO_BAD_DATA);
    assert_non_null(strstr(vo_context_message(p.ctx), "engine"));
    close_run_fixture(&p);
}

/* Every allocation of a run may fail. */
static vo_result run_once(vo_context *ctx, void *arg) {
    run_fixture p = *(run_fixture *)arg;
    vo_run_def def = vo_run_def_default();
    def.folder = p.run;
    def.last_frame = 1;
    def.overwrite = true;
    return vo_run_simulate(ctx, p.scene, &def);
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    run_fixture p = open_drape(1);
    test_every_allocation_forgiving(run_once, &p);
    close_run_fixture(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_do_not_depend_on_threads),
        cmocka_unit_test(resumed_run_has_equal_bits),
        cmocka_unit_test(cloth_stays_outside),
        cmocka_unit_test(clock_budget_is_accepted),
        cmocka_unit_test(wrong_values_are_rejected),
        cmocka_unit_test(open_obstacle_is_named),
        cmocka_unit_test(engine_cannot_be_changed),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
