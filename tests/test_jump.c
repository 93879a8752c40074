/* Obstacles that are elsewhere at once: what they wear goes along, all else stays. */
#include "run_place.h"

#include "collide/carry.h"
#include "core/random.h"
#include "sim/sim.h"

#include <limits.h>

/* ---- carrying ------------------------------------------------------------------------------- */

enum { SAMPLES = 300, POINTS = 200 };

static vo_vec3 anywhere(vo_random *r, double size) {
    double x = vo_random_real(r, -size, size), y = vo_random_real(r, -size, size);
    return v3(x, y, vo_random_real(r, -size, size));
}

/* Around a rigid body it is the body's own motion, also where it turns by half a turn. */
static void a_rigid_body_carries_rigidly(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_random r = vo_random_seed(5);
    for (int round = 0; round < 6; round++) {
        vo_vec3 from[SAMPLES], to[SAMPLES], x[POINTS], v[POINTS], was[POINTS], speed[POINTS];
        vo_transform t = {anywhere(&r, 3), 1, q_axis_angle(anywhere(&r, 1), VO_PI * round / 5)};
        for (int i = 0; i < SAMPLES; i++) {
            from[i] = anywhere(&r, 0.5);
            if (round % 2) from[i].z = 0; /* a plate */
            to[i] = xf_point(t, from[i]);
        }
        for (int i = 0; i < POINTS; i++) {
            x[i] = was[i] = i == 0 ? from[0] : anywhere(&r, 0.7);
            v[i] = speed[i] = anywhere(&r, 2);
        }
        vo_carry(ctx, SAMPLES, from, to, POINTS, x, v);
        for (int i = 0; i < POINTS; i++) {
            assert_near(v3_distance(x[i], xf_point(t, was[i])), 0, 1e-9);
            assert_near(v3_distance(v[i], q_rotate(t.rotation, speed[i])), 0, 1e-9);
        }
    }
    vo_context_destroy(ctx);
}

/* Two limbs part: what is on one of them goes with it, what is between goes between. */
static void limbs_carry_what_is_near(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec3 from[SAMPLES], to[SAMPLES], x[3], v[3] = {{0}};
    for (int i = 0; i < SAMPLES; i++) {
        double side = i % 2 ? 1 : -1;
        from[i] = v3(0.3 * side, 0.1 * cos(i), 0.1 * sin(i) + 0.002 * i);
        to[i] = v3_add(from[i], v3(side, 0, 0));
    }
    x[0] = v3(0.31, 0.1, 0.2), x[1] = v3(-0.31, 0.1, 0.2), x[2] = v3(0, 0, 0.3);
    vo_carry(ctx, SAMPLES, from, to, 3, x, v);
    assert_near(x[0].x, 1.31, 0.01);
    assert_near(x[1].x, -1.31, 0.01);
    assert_near(x[2].x, 0, 0.05);
    vo_context_destroy(ctx);
}

/* A single point of a body shifts, and a point where the body is is carried, too. */
static void one_point_carries(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec3 from = v3(1, 2, 3), to = v3(4, 4, 4), x[2] = {{1, 2, 3}, {0, 0, 0}}, v[2] = {{0}};
    vo_carry(ctx, 1, &from, &to, 2, x, v);
    assert_near(v3_distance(x[0], to), 0, 1e-12);
    assert_near(v3_distance(x[1], v3(3, 2, 1)), 0, 1e-12);
    vo_context_destroy(ctx);
}

/* ---- scenes --------------------------------------------------------------------------------- */

typedef struct outcome {
    vo_vec3 *x; /* nodes of the cloth at the end */
    int nodes;
    int jumps; /* warnings of them */
    char told[1024];
} outcome;

static void note(void *user, vo_log_level level, const char *text) {
    outcome *o = user;
    if (level != VO_LOG_WARNING || !strstr(text, " jumps by ")) return;
    o->jumps++;
    snprintf(o->told, sizeof o->told, "%s", text);
}

/* A sheet on a table that is elsewhere after 0.08 s, or another time: at once, and turned by 130
 * degrees. */
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
    static outcome seen; /* by the log */
    char path[1024];
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
    snprintf(path, sizeof path, "%s/scene.json", test_folder());
    write_table(path, time, transform, rest);
    seen = (outcome){0};
    def.threads = threads;
    def.log = note;
    def.log_user = &seen;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int f = 1; f <= 4; f++) {
        vo_inspection look;
        assert_ok(ctx, vo_sim_step_frame(sim));
        assert_ok(ctx, vo_sim_inspect(sim, &look));
        assert_true(vo_inspection_is_clean(&look));
    }
    outcome o = seen;
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

/* It hangs over the table as if nothing had happened. */
static void what_is_worn_goes_along(void **state) {
    (void)state;
    outcome still = run_table(unmoved, "", 1), there = run_table(moved, "", 1);
    vo_transform t = {v3(2, 1, 0.5), 1, q_axis_angle(v3(0, 0, 1), 130 * VO_PI / 180)};
    assert_int_equal(still.jumps, 0);
    assert_int_equal(there.jumps, 1);
    assert_non_null(strstr(there.told, "frame 3: obstacle 0 jumps by "));
    assert_non_null(strstr(there.told, "1 of 1 cloths, which it wears, go along"));
    assert_near(largest_distance(&still, &there, t), 0, 3e-3);
    test_free(still.x);
    test_free(there.x);
}

/* Held by its corners it stays, and so does cloth that the obstacle only passes. */
static void what_is_held_stays(void **state) {
    (void)state;
    const char *held = "\"handles\": [{\"corners\": [0, 1, 2, 3]}]";
    outcome still = run_table(unmoved, held, 1), there = run_table(moved, held, 1);
    assert_int_equal(there.jumps, 1);
    assert_non_null(strstr(there.told, "0 of 1 cloths"));
    assert_true(largest_distance(&still, &there, xf_identity()) < 0.15);
    test_free(still.x);
    test_free(there.x);
}

/* Handles on the table's motion go with it, also one that takes hold in the substep of the jump. */
static void handles_go_along(void **state) {
    (void)state;
    const char *handles[] = {"\"handles\": [{\"corners\": [0, 1], \"motion\": 0}]",
                             "\"handles\": [{\"corners\": [0, 1], \"motion\": 0, "
                             "\"start_time\": 0.0801}]"};
    vo_transform t = {v3(2, 1, 0.5), 1, q_axis_angle(v3(0, 0, 1), 130 * VO_PI / 180)};
    for (int i = 0; i < 2; i++) {
        outcome still = run_table(unmoved, handles[i], 1), there = run_table(moved, handles[i], 1);
        assert_int_equal(there.jumps, 1);
        assert_non_null(strstr(there.told, "1 of 1 cloths, which it wears, go along"));
        assert_near(largest_distance(&still, &there, t), 0, 3e-3);
        test_free(still.x);
        test_free(there.x);
    }
}

/* How far pins go in a step, m. */
static double longest_pull(vo_sim *sim, double begin, double end) {
    double longest = 0;
    vo_sim_obstacles_aim(sim, end, end - begin);
    vo_sim_handles_move(sim, begin, end, end - begin);
    for (int k = 0; k < sim->constraints.pin_count; k++)
        longest = vo_max(longest, (end - begin) * v3_length(sim->constraints.pin[k].velocity));
    return longest;
}

/* The table in a simulation of its own. */
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

/* In the halves of a step that is cut after the jump, handles rest as the obstacle does. */
static void handles_rest_in_halves(void **state) {
    (void)state;
    table t = open_table(0.087, moved, "\"handles\": [{\"corners\": [0, 1], \"motion\": 0}]");
    vo_context *ctx = t.ctx;
    vo_sim *sim = t.sim;
    bool jumped;
    for (int i = 0; i < 8; i++) assert_ok(ctx, vo_sim_step(sim));
    double begin = vo_sim_time(sim), end = begin + sim->dt, middle = begin + sim->dt / 2;
    vo_sim_load_rows(sim);
    assert_true(longest_pull(sim, begin, end) > 1);
    assert_ok(ctx, vo_sim_jump(sim, end, sim->dt, &jumped));
    assert_true(jumped);
    assert_int_equal(sim->constraints.pin_count, 2);
    assert_near(longest_pull(sim, begin, middle), 0, 1e-3);
    assert_near(longest_pull(sim, middle, end), 0, 1e-3);
    assert_true(longest_pull(sim, end, end + sim->dt) < 1e-3);
    close_table(&t);
}

/* There and back again: the memory of the first jumps serves the others. */
static void later_jumps_allocate_nothing(void **state) {
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
        bool jumped;
        long before = memory.calls;
        sim->obstacle[0].rests_until = -INFINITY;
        vo_sim_load_rows(sim);
        vo_sim_obstacles_aim(sim, end, sim->dt);
        vo_sim_handles_move(sim, end - sim->dt, end, sim->dt);
        assert_ok(ctx, vo_sim_jump(sim, end, sim->dt, &jumped));
        assert_true(jumped);
        assert_near(sim->cloth[0].mesh->node_x[0].z, i % 2 ? 0.205 : 0.705, 0.1);
        if (i >= 2) assert_int_equal(memory.calls, before);
    }
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

/* The frame before the first has a number, too. */
static void told_of_in_the_preroll(void **state) {
    (void)state;
    outcome there = run_table_at(-0.02, moved, "\"preroll\": 0.08", 1);
    assert_int_equal(there.jumps, 1);
    assert_non_null(strstr(there.told, "frame 0: obstacle 0 jumps by "));
    test_free(there.x);
}

/* Stopped after every frame, it goes on as if it had not been; jumps at the end of a frame and
 * within one. */
static void a_run_can_be_resumed_around_a_jump(void **state) {
    (void)state;
    static const double times[] = {0.08, 0.0951};
    for (int i = 0; i < 2; i++) {
        place whole = open_place(1), parts = open_place(2);
        write_table(whole.scene, times[i], moved, "");
        write_table(parts.scene, times[i], moved, "");
        assert_ok(whole.ctx, simulate(&whole, INT_MAX));
        assert_int_equal(simulate(&parts, 1), VO_STOPPED);
        for (int f = 2; f < 4; f++) assert_int_equal(resume_until(&parts, NULL, f), VO_STOPPED);
        assert_ok(parts.ctx, resume(&parts, 0, NULL));
        assert_same_frames(&whole, &parts, 4);
        close_place(&whole);
        close_place(&parts);
    }
}

static void threads_do_not_matter(void **state) {
    (void)state;
    outcome one = run_table(moved, "", 1), two = run_table(moved, "", 2);
    assert_memory_equal(one.x, two.x, (size_t)one.nodes * sizeof *one.x);
    test_free(one.x);
    test_free(two.x);
}

/* What has fallen behind its motion is counted where it can be seen, and no further. */
static void what_yielded_is_counted(void **state) {
    (void)state;
    table t = open_table(0.08, unmoved, "");
    vo_context *ctx = t.ctx;
    vo_sim *sim = t.sim;
    vo_inspection look;
    assert_ok(ctx, vo_sim_inspect(sim, &look));
    assert_int_equal(look.yielded_nodes, 0);
    assert_int_equal(look.behind_node, -1);
    sim->obstacle[0].behind[3] = v3(0, 0.02, 0);
    sim->obstacle[0].behind[5] = v3(0.01, 0, 0);
    sim->obstacle[0].behind[7] = v3(5e-5, 0, 0);
    assert_ok(ctx, vo_sim_inspect(sim, &look));
    assert_int_equal(look.yielded_nodes, 2);
    assert_int_equal(look.behind_obstacle, 0);
    assert_int_equal(look.behind_node, 3);
    assert_near(look.max_behind, 0.02, 1e-12);
    assert_true(v3_equal(look.behind_place, sim->obstacle[0].mesh->node_x[3]));
    assert_true(vo_inspection_is_clean(&look));
    close_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_body_carries_rigidly),
        cmocka_unit_test(limbs_carry_what_is_near),
        cmocka_unit_test(one_point_carries),
        cmocka_unit_test(what_is_worn_goes_along),
        cmocka_unit_test(what_is_held_stays),
        cmocka_unit_test(handles_go_along),
        cmocka_unit_test(handles_rest_in_halves),
        cmocka_unit_test(later_jumps_allocate_nothing),
        cmocka_unit_test(told_of_in_the_preroll),
        cmocka_unit_test(a_run_can_be_resumed_around_a_jump),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_yielded_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
