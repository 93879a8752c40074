/* Tests of teleports: worn cloth moves with the obstacle, other cloth stays. */
#include "run_fixture.h"

#include "collide/mls_deform.h"
#include "core/random.h"
#include "sim/sim.h"

#include <limits.h>

/* ---- moving least squares deformation -------------------------------------------------------- */

enum { SAMPLES = 300, POINTS = 200 };

static vo_vec3 random_point(vo_random *r, double size) {
    double x = vo_random_real(r, -size, size), y = vo_random_real(r, -size, size);
    return v3(x, y, vo_random_real(r, -size, size));
}

/* Samples of a rigid motion, up to half a turn, give that motion. */
static void rigid_motion_is_reproduced(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_random r = vo_random_seed(5);
    for (int round = 0; round < 6; round++) {
        vo_vec3 from[SAMPLES], to[SAMPLES], x[POINTS], v[POINTS], x0[POINTS], v0[POINTS];
        vo_transform t = {random_point(&r, 3), 1,
                          q_axis_angle(random_point(&r, 1), VO_PI * round / 5)};
        for (int i = 0; i < SAMPLES; i++) {
            from[i] = random_point(&r, 0.5);
            if (round % 2) from[i].z = 0; /* a plate */
            to[i] = xf_point(t, from[i]);
        }
        for (int i = 0; i < POINTS; i++) {
            x[i] = x0[i] = i == 0 ? from[0] : random_point(&r, 0.7);
            v[i] = v0[i] = random_point(&r, 2);
        }
        vo_mls_deform(ctx, SAMPLES, from, to, POINTS, x, v);
        for (int i = 0; i < POINTS; i++) {
            assert_near(v3_distance(x[i], xf_point(t, x0[i])), 0, 1e-9);
            assert_near(v3_distance(v[i], q_rotate(t.rotation, v0[i])), 0, 1e-9);
        }
    }
    vo_context_destroy(ctx);
}

/* Two limbs move apart: points near a limb follow it, and points between them stay between. */
static void separating_limbs_move_nearby_points(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec3 from[SAMPLES], to[SAMPLES], x[3], v[3] = {{0}};
    for (int i = 0; i < SAMPLES; i++) {
        double side = i % 2 ? 1 : -1;
        from[i] = v3(0.3 * side, 0.1 * cos(i), 0.1 * sin(i) + 0.002 * i);
        to[i] = v3_add(from[i], v3(side, 0, 0));
    }
    x[0] = v3(0.31, 0.1, 0.2), x[1] = v3(-0.31, 0.1, 0.2), x[2] = v3(0, 0, 0.3);
    vo_mls_deform(ctx, SAMPLES, from, to, 3, x, v);
    assert_near(x[0].x, 1.31, 0.01);
    assert_near(x[1].x, -1.31, 0.01);
    assert_near(x[2].x, 0, 0.05);
    vo_context_destroy(ctx);
}

/* A single sample gives a translation, also at the sample itself. */
static void single_sample_translates(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec3 from = v3(1, 2, 3), to = v3(4, 4, 4), x[2] = {{1, 2, 3}, {0, 0, 0}}, v[2] = {{0}};
    vo_mls_deform(ctx, 1, &from, &to, 2, x, v);
    assert_near(v3_distance(x[0], to), 0, 1e-12);
    assert_near(v3_distance(x[1], v3(3, 2, 1)), 0, 1e-12);
    vo_context_destroy(ctx);
}

/* ---- scenes --------------------------------------------------------------------------------- */

typedef struct outcome {
    vo_vec3 *x; /* final node positions of the cloth */
    int nodes;
    int warnings; /* number of teleport warnings */
    char warning[1024];
} outcome;

static void record_warning(void *user, vo_log_level level, const char *text) {
    outcome *o = user;
    if (level != VO_LOG_WARNING || !strstr(text, " teleports by ")) return;
    o->warnings++;
    snprintf(o->warning, sizeof o->warning, "%s", text);
}

/* Motions of a table that teleports within 0.1 ms, turned by 130 degrees, or stays. */
static const char moved[] = "\"translate\": [2, 1, 0.5], \"rotate\": [130, 0, 0, 1]";
static const char unmoved[] = "\"translate\": [0, 0, 0]";

static void write_table(const char *path, double time, const char *transform, const char *rest) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"fps\": 25, \"frame_steps\": 4, \"end_frame\": 4, \"gravity\": [0, 0, -9.81],\n"
            "\"magic\": {\"repulsion_thickness\": 4e-3, \"collision_stiffness\": 1e7},\n"
            "\"cloths\": [{\"grid\": {\"width\": 0.6, \"height\": 0.6, \"columns\": 16, \"rows\": "
            "16}, \"transform\": {\"translate\": [-0.3, -0.3, 0.205]}, \"materials\": [{"
            "\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e5, \"poisson_ratio\": "
            "0.3}]}],\n"
            "\"motions\": [[{\"time\": %g, \"velocity\": {\"translate\": [0, 0, 0]}}, {\"time\": "
            "%g, \"transform\": {%s}, \"velocity\": {\"translate\": [0, 0, 0]}}]],\n"
            "\"obstacles\": [{\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.4, 0.2], "
            "\"edge_length\": 0.1}, \"transform\": {\"translate\": [0, 0, 0.1]}, \"motion\": 0}]"
            "%s%s}\n",
            time, time + 1e-4, transform, *rest ? ", " : "", rest);
    assert_int_equal(fclose(f), 0);
}

static outcome run_table_at(double time, const char *transform, const char *rest, int threads) {
    static outcome logged; /* filled by the log callback */
    char path[1024];
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
    snprintf(path, sizeof path, "%s/scene.json", test_folder());
    write_table(path, time, transform, rest);
    logged = (outcome){0};
    def.threads = threads;
    def.log = record_warning;
    def.log_user = &logged;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int f = 1; f <= 4; f++) {
        vo_inspection inspection;
        assert_ok(ctx, vo_sim_step_frame(sim));
        assert_ok(ctx, vo_sim_inspect(sim, &inspection));
        assert_true(vo_inspection_is_clean(&inspection));
    }
    outcome o = logged;
    const vo_mesh *mesh = sim->cloth[0].mesh;
    o.nodes = mesh->node_count;
    o.x = test_malloc((size_t)o.nodes * sizeof *o.x);
    memcpy(o.x, mesh->node_x, (size_t)o.nodes * sizeof *o.x);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return o;
}

static outcome run_table(const char *transform, const char *rest, int threads) {
    return run_table_at(0.08, transform, rest, threads);
}

static double largest_distance(const outcome *a, const outcome *b, vo_transform t) {
    double largest = 0;
    assert_int_equal(a->nodes, b->nodes);
    for (int i = 0; i < a->nodes; i++)
        largest = vo_max(largest, v3_distance(xf_point(t, a->x[i]), b->x[i]));
    return largest;
}

/* The cloth hangs over the table as without the teleport. */
static void worn_cloth_moves_with_the_obstacle(void **state) {
    (void)state;
    outcome still = run_table(unmoved, "", 1), there = run_table(moved, "", 1);
    vo_transform t = {v3(2, 1, 0.5), 1, q_axis_angle(v3(0, 0, 1), 130 * VO_PI / 180)};
    assert_int_equal(still.warnings, 0);
    assert_int_equal(there.warnings, 1);
    assert_non_null(strstr(there.warning, "frame 3: obstacle 0 teleports by "));
    assert_non_null(strstr(there.warning, "1 of 1 cloth is carried along"));
    assert_near(largest_distance(&still, &there, t), 0, 3e-3);
    test_free(still.x);
    test_free(there.x);
}

/* Cloth pinned at its corners stays, as does cloth that the obstacle only passes. */
static void pinned_cloth_stays(void **state) {
    (void)state;
    const char *held = "\"handles\": [{\"corners\": [0, 1, 2, 3]}]";
    outcome still = run_table(unmoved, held, 1), there = run_table(moved, held, 1);
    assert_int_equal(there.warnings, 1);
    assert_non_null(strstr(there.warning, "0 of 1 cloth"));
    assert_true(largest_distance(&still, &there, xf_identity()) < 0.15);
    test_free(still.x);
    test_free(there.x);
}

/* Handles on the table's motion move with it, also a handle that starts in the substep of the
 * teleport. */
static void handles_on_the_motion_teleport(void **state) {
    (void)state;
    const char *handles[] = {"\"handles\": [{\"corners\": [0, 1], \"motion\": 0}]",
                             "\"handles\": [{\"corners\": [0, 1], \"motion\": 0, "
                             "\"start_time\": 0.0801}]"};
    vo_transform t = {v3(2, 1, 0.5), 1, q_axis_angle(v3(0, 0, 1), 130 * VO_PI / 180)};
    for (int i = 0; i < 2; i++) {
        outcome still = run_table(unmoved, handles[i], 1), there = run_table(moved, handles[i], 1);
        assert_int_equal(there.warnings, 1);
        assert_non_null(strstr(there.warning, "1 of 1 cloth is carried along"));
        assert_near(largest_distance(&still, &there, t), 0, 3e-3);
        test_free(still.x);
        test_free(there.x);
    }
}

/* Returns the largest displacement of a pin in a step, m. */
static double max_pin_displacement(vo_sim *sim, double begin, double end) {
    double longest = 0;
    vo_sim_obstacles_set_targets(sim, (vo_step_span){end, end, end - begin});
    vo_sim_handles_move(sim, (vo_step_span){begin, end, end - begin});
    for (int k = 0; k < sim->constraints.pin_count; k++)
        longest = vo_max(longest, (end - begin) * v3_length(sim->constraints.pin[k].velocity));
    return longest;
}

/* A simulation of the table scene. */
typedef struct table {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
} table;

static table open_table(double time, const char *transform, const char *rest) {
    table t = {.ctx = test_context(1)};
    char path[1024];
    snprintf(path, sizeof path, "%s/scene.json", test_folder());
    write_table(path, time, transform, rest);
    assert_ok(t.ctx, vo_scene_load(t.ctx, path, 0, NULL, &t.scene));
    assert_ok(t.ctx, vo_sim_create(t.ctx, t.scene, &t.sim));
    return t;
}

static void close_table(table *t) {
    vo_sim_destroy(t->sim);
    vo_scene_destroy(t->scene);
    vo_context_destroy(t->ctx);
}

/* When a step is halved after the teleport, handles rest in both halves, like the obstacle. */
static void handles_rest_in_halved_steps(void **state) {
    (void)state;
    table t = open_table(0.087, moved, "\"handles\": [{\"corners\": [0, 1], \"motion\": 0}]");
    vo_context *ctx = t.ctx;
    vo_sim *sim = t.sim;
    bool teleported;
    for (int i = 0; i < 8; i++) assert_ok(ctx, vo_sim_step(sim));
    double begin = vo_sim_time(sim), end = begin + sim->dt, middle = begin + sim->dt / 2;
    vo_sim_gather_state(sim);
    assert_true(max_pin_displacement(sim, begin, end) > 1);
    assert_ok(ctx, vo_sim_teleport_obstacles(sim, end, sim->dt, &teleported));
    assert_true(teleported);
    assert_int_equal(sim->constraints.pin_count, 2);
    assert_near(max_pin_displacement(sim, begin, middle), 0, 1e-3);
    assert_near(max_pin_displacement(sim, middle, end), 0, 1e-3);
    assert_true(max_pin_displacement(sim, end, end + sim->dt) < 1e-3);
    close_table(&t);
}

/* Repeated teleports reuse the memory of the first two. */
static void later_teleports_allocate_nothing(void **state) {
    (void)state;
    char path[1024];
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_scene *scene;
    vo_sim *sim;
    snprintf(path, sizeof path, "%s/scene.json", test_folder());
    write_table(path, 0.08, moved, "");
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < 6; i++) {
        double end = i % 2 ? 0 : 0.2;
        bool teleported;
        long before = memory.calls;
        sim->obstacle[0].rests_until = -INFINITY;
        vo_sim_gather_state(sim);
        vo_sim_obstacles_set_targets(sim, (vo_step_span){end, end, sim->dt});
        vo_sim_handles_move(sim, (vo_step_span){end - sim->dt, end, sim->dt});
        assert_ok(ctx, vo_sim_teleport_obstacles(sim, end, sim->dt, &teleported));
        assert_true(teleported);
        assert_near(sim->cloth[0].mesh->node_x[0].z, i % 2 ? 0.205 : 0.705, 0.1);
        if (i >= 2) assert_int_equal(memory.calls, before);
    }
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

/* The frame number of the warning is correct during the preroll. */
static void preroll_teleport_is_warned_with_frame(void **state) {
    (void)state;
    outcome there = run_table_at(-0.02, moved, "\"preroll\": 0.08", 1);
    assert_int_equal(there.warnings, 1);
    assert_non_null(strstr(there.warning, "frame 0: obstacle 0 teleports by "));
    test_free(there.x);
}

/* A run that is stopped after every frame and resumed equals an uninterrupted one, with the
 * teleport at the end of a frame and within a frame. */
static void run_resumes_around_a_teleport(void **state) {
    (void)state;
    static const double times[] = {0.08, 0.0951};
    for (int i = 0; i < 2; i++) {
        run_fixture whole = open_run_fixture(1), parts = open_run_fixture(2);
        write_table(whole.scene, times[i], moved, "");
        write_table(parts.scene, times[i], moved, "");
        assert_ok(whole.ctx, simulate(&whole, INT_MAX));
        assert_int_equal(simulate(&parts, 1), VO_CANCELLED);
        for (int f = 2; f < 4; f++) assert_int_equal(resume_until(&parts, NULL, f), VO_CANCELLED);
        assert_ok(parts.ctx, resume(&parts, 0, NULL));
        assert_same_frames(&whole, &parts, 4);
        close_run_fixture(&whole);
        close_run_fixture(&parts);
    }
}

static void result_is_independent_of_threads(void **state) {
    (void)state;
    outcome one = run_table(moved, "", 1), two = run_table(moved, "", 2);
    assert_memory_equal(one.x, two.x, (size_t)one.nodes * sizeof *one.x);
    test_free(one.x);
    test_free(two.x);
}

/* Nodes whose lag exceeds the reporting threshold are counted. */
static void lagging_nodes_are_counted(void **state) {
    (void)state;
    table t = open_table(0.08, unmoved, "");
    vo_context *ctx = t.ctx;
    vo_sim *sim = t.sim;
    vo_inspection inspection;
    assert_ok(ctx, vo_sim_inspect(sim, &inspection));
    assert_int_equal(inspection.lagging_nodes, 0);
    assert_int_equal(inspection.lag_node, -1);
    sim->obstacle[0].lag[3] = v3(0, 0.02, 0);
    sim->obstacle[0].lag[5] = v3(0.01, 0, 0);
    sim->obstacle[0].lag[7] = v3(5e-5, 0, 0);
    assert_ok(ctx, vo_sim_inspect(sim, &inspection));
    assert_int_equal(inspection.lagging_nodes, 2);
    assert_int_equal(inspection.lag_obstacle, 0);
    assert_int_equal(inspection.lag_node, 3);
    assert_near(inspection.max_lag, 0.02, 1e-12);
    assert_true(v3_equal(inspection.lag_position, sim->obstacle[0].mesh->node_x[3]));
    assert_true(vo_inspection_is_clean(&inspection));
    close_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motion_is_reproduced),
        cmocka_unit_test(separating_limbs_move_nearby_points),
        cmocka_unit_test(single_sample_translates),
        cmocka_unit_test(worn_cloth_moves_with_the_obstacle),
        cmocka_unit_test(pinned_cloth_stays),
        cmocka_unit_test(handles_on_the_motion_teleport),
        cmocka_unit_test(handles_rest_in_halved_steps),
        cmocka_unit_test(later_teleports_allocate_nothing),
        cmocka_unit_test(preroll_teleport_is_warned_with_frame),
        cmocka_unit_test(run_resumes_around_a_teleport),
        cmocka_unit_test(result_is_independent_of_threads),
        cmocka_unit_test(lagging_nodes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
