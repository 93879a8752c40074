/* Collision response in typical and adversarial scenes: every step ends free of collisions. */
#include "response_scene.h"

/* Number of steps that reached each stage. */
typedef struct tally {
    int steps, zones, truncated, frozen, yielded;
} tally;

static void count(tally *t, const vo_response_report *r) {
    t->steps++;
    t->zones += r->zones > 0;
    t->truncated += r->truncated_nodes > 0;
    t->frozen += r->frozen_nodes > 0;
    t->yielded += r->lagging_nodes > 0;
    bool any_stage = r->zones + r->truncated_nodes + r->frozen_nodes + r->lagging_nodes > 0;
    assert_int_equal(r->worst_node >= 0, any_stage);
}

static void print_tally(const char *name, const tally *t) {
    print_message("%s: of %d steps %d had zones, %d truncated, %d frozen, %d yielding nodes\n",
                  name, t->steps, t->zones, t->truncated, t->frozen, t->yielded);
}

static void step_and_check(scene *s, double friction, tally *t) {
    vo_response_def def = scene_def();
    def.friction = def.obstacle_friction = friction;
    apply_response(s, &def);
    assert_clean(s);
    count(t, &s->report);
}

/* Nodes move by up to five edge lengths per step. */
static void random_motion_of_folded_sheets_is_clean(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    tally t = {0};
    for (int i = 0; i < (getenv("VOILE_TEST_LONG") ? 240 : 40) / TEST_SLOWNESS + 8; i++) {
        scene s = scene_open(1 + i % 2);
        add_sheet(&s, v3(0, 0, 0), v3(1, 0, 0), v3(0, 0.3, 0), 16, 5, 1e-3);
        vo_vec3 low = v3(-0.3, -0.3, -0.03);
        if (i % 2) add_sheet(&s, low, v3(0.8, 0, 0), v3(0, 0.8, 0), 1 + i % 5, 2, 0);
        scene_build(&s);
        fold(&s, 0, 0.1875, 0.01);
        assert_int_equal(count_intersections(&s, s.surface.x0), 0);
        random_motion(&s, &r, 0.0625 * vo_random_real(&r, 0.1, 5));
        step_and_check(&s, i % 3 * 0.3, &t);
        scene_close(&s);
    }
    print_tally("random motion", &t);
    assert_true(t.zones > t.steps / 2);
    assert_true(20 * t.truncated <= t.steps + 40);
    assert_int_equal(t.yielded, 0);
}

/* Ten sheets at 10 m/s, and the steps after the impact. */
static void stack_falling_on_plate_is_clean(void **state) {
    (void)state;
    int n = TEST_SLOWNESS > 1 ? 4 : 10;
    scene s = scene_open(2);
    for (int i = 0; i < n; i++) {
        vo_vec3 corner = v3(0.001 * i, 0, 0.01 + 0.004 * i);
        add_sheet(&s, corner, v3(0.5, 0, 0), v3(0, 0.5, 0), 10, 10, 1e-3);
    }
    add_sheet(&s, v3(-0.5, -0.5, 0), v3(1.5, 0, 0), v3(0, 1.5, 0), 2, 2, 0);
    scene_build(&s);
    for (int i = 0; i < n; i++) move_by(&s, i, v3(0, 0, -0.05));
    tally t = {0};
    for (int k = 0; k < 8; k++) {
        step_and_check(&s, 0.3, &t);
        for (int i = 0; i < s.surface.cloth_node_count; i++) {
            vo_vec3 motion = v3_sub(s.surface.x1[i], s.surface.x0[i]);
            s.surface.x0[i] = s.surface.x1[i];
            s.surface.x1[i] = v3_add(s.surface.x1[i], v3_add(motion, v3(0, 0, -2.5e-4)));
        }
    }
    print_tally("stack", &t);
    assert_int_equal(t.truncated + t.frozen + t.yielded, 0);
    scene_close(&s);
}

/* 30 m/s and 5 ms: the blade moves by several edge lengths per step. The sheet has no stiffness, so
 * it stretches without limit. */
static void blade_through_sheet_is_clean(void **state) {
    (void)state;
    scene s = scene_open(2);
    add_sheet(&s, v3(0, 0, 0), v3(0, 1, 0), v3(0, 0, 1), 20, 20, 1e-3);
    int blade = add_sheet(&s, v3(-0.3, 0.2, 0.5), v3(0.2, 0, 0), v3(0, 0.6, 0.01), 4, 8, 0);
    scene_build(&s);
    for (int i = 0; i <= 20; i++) s.surface.inverse_mass[20 * 21 + i] = 0;
    tally t = {0};
    for (int k = 0; k < 8; k++) {
        move_by(&s, blade, v3(0.15, 0, 0));
        step_and_check(&s, 0, &t);
        next_step(&s);
    }
    print_tally("blade", &t);
    assert_int_equal(t.yielded, 0);
    scene_close(&s);
}

static void squeezing_plates_yield(void **state) {
    (void)state;
    scene s = scene_open(2);
    add_sheet(&s, v3(0, 0, 0.02), v3(0.5, 0, 0), v3(0, 0.5, 0), 10, 10, 1e-3);
    int low = add_sheet(&s, v3(-0.5, -0.5, 0), v3(1.5, 0, 0), v3(0, 1.5, 0), 3, 3, 0);
    int any_stage = add_sheet(&s, v3(-0.5, -0.5, 0.04), v3(1.5, 0, 0), v3(0, 1.5, 0), 4, 4, 0);
    scene_build(&s);
    tally t = {0};
    for (int k = 0; k < 10; k++) {
        move_by(&s, low, v3(0, 0, 0.005));
        move_by(&s, any_stage, v3(0, 0, -0.005));
        step_and_check(&s, 0, &t);
        assert_int_equal(t.yielded > 0, k >= 3); /* the plates would touch at the end of step 3 */
        next_step(&s);
    }
    print_tally("plates", &t);
    scene_close(&s);
}

/* The obstacle is on the other side after one step. It takes the sheet along and need not yield. */
static void ball_through_sheet_is_clean(void **state) {
    (void)state;
    scene s = scene_open(2);
    add_sheet(&s, v3(-0.5, -0.5, 0), v3(1, 0, 0), v3(0, 1, 0), 12, 12, 1e-3);
    int ball = add_ball(&s, v3(0.01, 0.02, 0.5), 0.3, 12, 0);
    scene_build(&s);
    move_by(&s, ball, v3(0, 0, -1));
    tally t = {0};
    step_and_check(&s, 0, &t);
    print_tally("leap", &t);
    assert_int_equal(t.yielded, 0);
    scene_close(&s);
}

/* Two balls move into each other within a step, with a sheet between them. */
static void two_balls_squeezing_sheet_yield(void **state) {
    (void)state;
    scene s = scene_open(2);
    add_sheet(&s, v3(-0.5, -0.5, 0), v3(1, 0, 0), v3(0, 1, 0), 12, 12, 1e-3);
    int above = add_ball(&s, v3(0.01, 0.02, 0.5), 0.3, 10, 0);
    int below = add_ball(&s, v3(-0.02, 0.01, -0.5), 0.3, 9, 0);
    scene_build(&s);
    tally t = {0};
    for (int k = 0; k < 3; k++) {
        move_by(&s, above, v3(0, 0, -0.3));
        move_by(&s, below, v3(0, 0, 0.3));
        step_and_check(&s, 0.3, &t);
        next_step(&s);
    }
    print_tally("two balls", &t);
    assert_true(t.yielded > 0);
    scene_close(&s);
}

/* A paddle rotates a sheet by 60 degrees per step. */
static void paddle_through_sheet_is_clean(void **state) {
    (void)state;
    scene s = scene_open(1);
    add_sheet(&s, v3(0.1, -0.5, 0.02), v3(1, 0, 0), v3(0, 1, 0), 10, 10, 1e-3);
    int paddle = add_sheet(&s, v3(0, -0.4, 0), v3(0.8, 0, 0), v3(0, 0.8, 0), 4, 4, 0);
    scene_build(&s);
    const vo_surface_part *p = &s.surface.part[paddle];
    tally t = {0};
    for (int k = 0; k < 4; k++) {
        for (int i = p->node_begin; i < p->node_end; i++) {
            vo_vec3 x = s.surface.x0[i];
            s.surface.x1[i] = v3(0.5 * x.x - sqrt(0.75) * x.z, x.y, sqrt(0.75) * x.x + 0.5 * x.z);
        }
        step_and_check(&s, 0.2, &t);
        next_step(&s);
    }
    print_tally("paddle", &t);
    assert_int_equal(t.yielded, 0);
    scene_close(&s);
}

/* Pins follow their motion, until it leads through an obstacle. */
static void pins_dragged_through_obstacle_lag(void **state) {
    (void)state;
    scene s = scene_open(1);
    add_sheet(&s, v3(0, 0, 0.05), v3(0.5, 0, 0), v3(0, 0.5, 0), 6, 6, 1e-3);
    add_sheet(&s, v3(-0.5, -0.5, 0), v3(1.5, 0, 0), v3(0, 1.5, 0), 3, 3, 0);
    scene_build(&s);
    s.surface.inverse_mass[0] = s.surface.inverse_mass[6] = 0;
    tally t = {0};
    for (int k = 0; k < 5; k++) {
        move_by(&s, 0, v3(0, 0, k == 0 ? -0.04 : -0.1));
        step_and_check(&s, 0, &t);
        assert_true(s.surface.x1[0].z > 0 && s.surface.x1[6].z > 0);
        if (k == 0) assert_near(s.surface.x1[0].z, 0.01, 1e-15);
        assert_true(k == 0 ? s.report.lagging_nodes == 0 : s.report.lagging_nodes >= 2);
        next_step(&s);
    }
    scene_close(&s);
}

/* A strip twisted between its ends, with friction. */
static void twisted_towel_is_clean(void **state) {
    (void)state;
    scene s = scene_open(2);
    int n = 24, rows = 6;
    add_sheet(&s, v3(0, 0, 0), v3(1, 0, 0), v3(0, 0.25, 0), n, rows, 1e-3);
    scene_build(&s);
    vo_surface *f = &s.surface;
    tally t = {0};
    for (int k = 0; k < 60 / TEST_SLOWNESS + 6; k++) {
        for (int i = 0; i < f->node_count; i++) {
            double along = (double)(i % (n + 1)) / n, turn = 0.35 * (along - 0.5);
            double y = f->x0[i].y - 0.125, z = f->x0[i].z;
            vo_vec3 to = v3(f->x0[i].x, 0.125 + y * cos(turn) - z * sin(turn),
                            y * sin(turn) + z * cos(turn));
            bool end = i % (n + 1) == 0 || i % (n + 1) == n;
            f->inverse_mass[i] = end ? 0 : 1e3;
            f->x1[i] = end ? to : v3_lerp(f->x0[i], to, 1.1);
        }
        step_and_check(&s, 0.3, &t);
        next_step(&s);
    }
    print_tally("towel", &t);
    assert_int_equal(t.frozen + t.yielded, 0);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_falling_on_plate_is_clean),
        cmocka_unit_test(blade_through_sheet_is_clean),
        cmocka_unit_test(squeezing_plates_yield),
        cmocka_unit_test(ball_through_sheet_is_clean),
        cmocka_unit_test(two_balls_squeezing_sheet_yield),
        cmocka_unit_test(paddle_through_sheet_is_clean),
        cmocka_unit_test(pins_dragged_through_obstacle_lag),
        cmocka_unit_test(twisted_towel_is_clean),
        cmocka_unit_test(random_motion_of_folded_sheets_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
