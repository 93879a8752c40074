/* The response in the scenes it is made for, and in ones that nobody would make. Whatever happens,
 * the step ends clean. */
#include "response_scene.h"

/* How often the ladder went how far. */
typedef struct tally {
    int steps, zones, cut, held, yielded;
} tally;

static void count(tally *t, const vo_response_report *r) {
    t->steps++;
    t->zones += r->zones > 0;
    t->cut += r->cut_nodes > 0;
    t->held += r->held_nodes > 0;
    t->yielded += r->yielded_nodes > 0;
    bool high = r->zones + r->cut_nodes + r->held_nodes + r->yielded_nodes > 0;
    assert_int_equal(r->worst_node >= 0, high);
}

static void print_tally(const char *name, const tally *t) {
    print_message("%s: of %d steps %d needed zones, %d cut, %d held, %d let yield\n", name,
                  t->steps, t->zones, t->cut, t->held, t->yielded);
}

static void step_and_judge(scene *s, double friction, tally *t) {
    vo_response_def def = scene_def();
    def.friction = def.obstacle_friction = friction;
    respond(s, &def);
    assert_clean(s);
    count(t, &s->report);
}

/* Nodes go as fast as they can: up to five edges a step. */
static void random_motion_of_folded_sheets_ends_clean(void **state) {
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
        step_and_judge(&s, i % 3 * 0.3, &t);
        scene_close(&s);
    }
    print_tally("random motion", &t);
    assert_true(t.zones > t.steps / 2);
    assert_true(20 * t.cut <= t.steps + 40);
    assert_int_equal(t.yielded, 0);
}

/* Ten sheets at 10 m/s, and what they do afterwards. */
static void a_stack_falls_on_a_plate(void **state) {
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
        step_and_judge(&s, 0.3, &t);
        for (int i = 0; i < s.surface.cloth_node_count; i++) {
            vo_vec3 way = v3_sub(s.surface.x1[i], s.surface.x0[i]);
            s.surface.x0[i] = s.surface.x1[i];
            s.surface.x1[i] = v3_add(s.surface.x1[i], v3_add(way, v3(0, 0, -2.5e-4)));
        }
    }
    print_tally("stack", &t);
    assert_int_equal(t.cut + t.held + t.yielded, 0);
    scene_close(&s);
}

/* 30 m/s and 5 ms: the blade moves by fifteen times the distance of nodes at each step. The sheet
 * has no strength, so it is drawn out without end. */
static void a_blade_meets_a_sheet(void **state) {
    (void)state;
    scene s = scene_open(2);
    add_sheet(&s, v3(0, 0, 0), v3(0, 1, 0), v3(0, 0, 1), 20, 20, 1e-3);
    int blade = add_sheet(&s, v3(-0.3, 0.2, 0.5), v3(0.2, 0, 0), v3(0, 0.6, 0.01), 4, 8, 0);
    scene_build(&s);
    for (int i = 0; i <= 20; i++) s.surface.inverse_mass[20 * 21 + i] = 0;
    tally t = {0};
    for (int k = 0; k < 8; k++) {
        move_by(&s, blade, v3(0.15, 0, 0));
        step_and_judge(&s, 0, &t);
        next_step(&s);
    }
    print_tally("blade", &t);
    assert_int_equal(t.yielded, 0);
    scene_close(&s);
}

static void plates_squeeze_until_they_yield(void **state) {
    (void)state;
    scene s = scene_open(2);
    add_sheet(&s, v3(0, 0, 0.02), v3(0.5, 0, 0), v3(0, 0.5, 0), 10, 10, 1e-3);
    int low = add_sheet(&s, v3(-0.5, -0.5, 0), v3(1.5, 0, 0), v3(0, 1.5, 0), 3, 3, 0);
    int high = add_sheet(&s, v3(-0.5, -0.5, 0.04), v3(1.5, 0, 0), v3(0, 1.5, 0), 4, 4, 0);
    scene_build(&s);
    tally t = {0};
    for (int k = 0; k < 10; k++) {
        move_by(&s, low, v3(0, 0, 0.005));
        move_by(&s, high, v3(0, 0, -0.005));
        step_and_judge(&s, 0, &t);
        assert_int_equal(t.yielded > 0, k >= 3); /* the plates would meet at the end of step 3 */
        next_step(&s);
    }
    print_tally("plates", &t);
    scene_close(&s);
}

/* The obstacle is on the other side at once. It takes the sheet along: it need not yield. */
static void a_ball_leaps_through_a_sheet(void **state) {
    (void)state;
    scene s = scene_open(2);
    add_sheet(&s, v3(-0.5, -0.5, 0), v3(1, 0, 0), v3(0, 1, 0), 12, 12, 1e-3);
    int ball = add_ball(&s, v3(0.01, 0.02, 0.5), 0.3, 12, 0);
    scene_build(&s);
    move_by(&s, ball, v3(0, 0, -1));
    tally t = {0};
    step_and_judge(&s, 0, &t);
    print_tally("leap", &t);
    assert_int_equal(t.yielded, 0);
    scene_close(&s);
}

/* Two balls leap into each other with a sheet between them. */
static void two_balls_leap_into_a_sheet(void **state) {
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
        step_and_judge(&s, 0.3, &t);
        next_step(&s);
    }
    print_tally("two balls", &t);
    assert_true(t.yielded > 0);
    scene_close(&s);
}

/* A paddle sweeps a sheet round by 60 degrees a step. */
static void a_paddle_turns_through_a_sheet(void **state) {
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
        step_and_judge(&s, 0.2, &t);
        next_step(&s);
    }
    print_tally("paddle", &t);
    assert_int_equal(t.yielded, 0);
    scene_close(&s);
}

/* Pins are moved by nothing but their motion, until that leads through an obstacle. */
static void pins_dragged_through_an_obstacle_are_held_back(void **state) {
    (void)state;
    scene s = scene_open(1);
    add_sheet(&s, v3(0, 0, 0.05), v3(0.5, 0, 0), v3(0, 0.5, 0), 6, 6, 1e-3);
    add_sheet(&s, v3(-0.5, -0.5, 0), v3(1.5, 0, 0), v3(0, 1.5, 0), 3, 3, 0);
    scene_build(&s);
    s.surface.inverse_mass[0] = s.surface.inverse_mass[6] = 0;
    tally t = {0};
    for (int k = 0; k < 5; k++) {
        move_by(&s, 0, v3(0, 0, k == 0 ? -0.04 : -0.1));
        step_and_judge(&s, 0, &t);
        assert_true(s.surface.x1[0].z > 0 && s.surface.x1[6].z > 0);
        if (k == 0) assert_near(s.surface.x1[0].z, 0.01, 1e-15);
        assert_true(k == 0 ? s.report.yielded_nodes == 0 : s.report.yielded_nodes >= 2);
        next_step(&s);
    }
    scene_close(&s);
}

/* A strip between two lids that turn by half a turn against each other, with friction. */
static void a_towel_is_wrung(void **state) {
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
        step_and_judge(&s, 0.3, &t);
        next_step(&s);
    }
    print_tally("towel", &t);
    assert_int_equal(t.held + t.yielded, 0);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_falls_on_a_plate),
        cmocka_unit_test(a_blade_meets_a_sheet),
        cmocka_unit_test(plates_squeeze_until_they_yield),
        cmocka_unit_test(a_ball_leaps_through_a_sheet),
        cmocka_unit_test(two_balls_leap_into_a_sheet),
        cmocka_unit_test(a_paddle_turns_through_a_sheet),
        cmocka_unit_test(pins_dragged_through_an_obstacle_are_held_back),
        cmocka_unit_test(a_towel_is_wrung),
        cmocka_unit_test(random_motion_of_folded_sheets_ends_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
