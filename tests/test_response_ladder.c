/* The response in the scenes it is made for, and in ones that nobody would make. */
#include "response_scene.h"

static vo_vec3 random_vector(vo_random *r, double size) {
    double x = vo_random_real(r, -size, size), y = vo_random_real(r, -size, size);
    return v3(x, y, vo_random_real(r, -size, size));
}

/* A sheet folded in zigzag, layers 4 mm apart. */
static void fold(scene *s, double pitch, double gap) {
    for (int i = 0; i < s->surface.cloth_node_count; i++) {
        vo_vec3 *x = &s->surface.x0[i];
        double along = x->x / pitch, phase = along - 2 * floor(along / 2);
        double up = phase < 1 ? phase : 2 - phase;
        *x = v3(pitch * up, x->y, x->x * gap / pitch);
        s->surface.x1[i] = *x;
    }
}

static void random_motion(scene *s, vo_random *r, double size) {
    for (int i = 0; i < s->surface.cloth_node_count; i++)
        s->surface.x1[i] = v3_add(s->surface.x0[i], random_vector(r, size));
}

static void random_motion_of_folded_sheets_ends_clean(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    int rungs[4] = {0};
    for (int i = 0; i < 300; i++) {
        scene s = scene_open(1);
        add_sheet(&s, v3(0, 0, 0), v3(1, 0, 0), v3(0, 0.3, 0), 16, 5, 1e-3);
        if (i % 2) {
            vo_vec3 low = v3(-0.3, -0.3, -0.03);
            add_sheet(&s, low, v3(0.8, 0, 0), v3(0, 0.8, 0), 1 + i % 5, 2, 0);
        }
        scene_build(&s);
        fold(&s, 0.1875, 0.01);
        assert_int_equal(count_intersections(&s, s.surface.x0), 0);
        double edge = 0.0625, size = edge * vo_random_real(&r, 0.1, 5);
        random_motion(&s, &r, size);
        vo_response_def def = scene_def();
        def.friction = def.obstacle_friction = i % 3 * 0.3;
        respond(&s, &def);
        if (i < 20) print_report("folded", &s.report);
        rungs[0] += s.report.zones > 0;
        rungs[1] += s.report.cut_nodes > 0;
        rungs[2] += s.report.held_nodes > 0;
        rungs[3] += s.report.yielded_nodes > 0;
        assert_clean(&s);
        scene_close(&s);
    }
    print_message("of 300: zones %d, cut %d, held %d, yield %d\n", rungs[0], rungs[1], rungs[2],
                  rungs[3]);
}

static void a_stack_falls_on_a_plate(void **state) {
    (void)state;
    scene s = scene_open(1);
    for (int i = 0; i < 10; i++)
        add_sheet(&s, v3(0.001 * i, 0, 0.01 + 0.004 * i), v3(0.5, 0, 0), v3(0, 0.5, 0), 10, 10,
                  1e-3);
    int plate = add_sheet(&s, v3(-0.5, -0.5, 0), v3(1.5, 0, 0), v3(0, 1.5, 0), 2, 2, 0);
    vo_response_def def = scene_def();
    def.friction = def.obstacle_friction = 0.3;
    scene_build(&s);
    for (int i = 0; i < plate; i++) move_by(&s, i, v3(0, 0, -0.05));
    for (int k = 0; k < 10; k++) {
        respond(&s, &def);
        print_report("stack", &s.report);
        assert_clean(&s);
        for (int i = 0; i < s.surface.cloth_node_count; i++) {
            vo_vec3 v = v3_sub(s.surface.x1[i], s.surface.x0[i]);
            s.surface.x0[i] = s.surface.x1[i];
            s.surface.x1[i] = v3_add(s.surface.x1[i], v3_add(v, v3(0, 0, -2.5e-4)));
        }
    }
    scene_close(&s);
}

static void a_blade_meets_a_sheet(void **state) {
    (void)state;
    scene s = scene_open(1);
    add_sheet(&s, v3(0, 0, 0), v3(0, 1, 0), v3(0, 0, 1), 20, 20, 1e-3);
    int blade = add_sheet(&s, v3(-0.3, 0.2, 0.5), v3(0.2, 0, 0), v3(0, 0.6, 0.01), 4, 8, 0);
    scene_build(&s);
    for (int i = 0; i <= 20; i++) s.surface.inverse_mass[20 * 21 + i] = 0;
    for (int k = 0; k < 10; k++) {
        move_by(&s, blade, v3(0.15, 0, 0));
        vo_response_def def = scene_def();
        respond(&s, &def);
        print_report("blade", &s.report);
        assert_clean(&s);
        next_step(&s);
    }
    scene_close(&s);
}

static void plates_squeeze_until_they_yield(void **state) {
    (void)state;
    scene s = scene_open(1);
    add_sheet(&s, v3(0, 0, 0.02), v3(0.5, 0, 0), v3(0, 0.5, 0), 10, 10, 1e-3);
    int low = add_sheet(&s, v3(-0.5, -0.5, 0), v3(1.5, 0, 0), v3(0, 1.5, 0), 3, 3, 0);
    int high = add_sheet(&s, v3(-0.5, -0.5, 0.04), v3(1.5, 0, 0), v3(0, 1.5, 0), 4, 4, 0);
    int yielded = 0;
    scene_build(&s);
    for (int k = 0; k < 10; k++) {
        move_by(&s, low, v3(0, 0, 0.005));
        move_by(&s, high, v3(0, 0, -0.005));
        vo_response_def def = scene_def();
        respond(&s, &def);
        print_report("plates", &s.report);
        assert_clean(&s);
        yielded += s.report.yielded_nodes;
        next_step(&s);
    }
    assert_true(yielded > 0);
    scene_close(&s);
}

static void an_obstacle_leaps_through_a_sheet(void **state) {
    (void)state;
    scene s = scene_open(1);
    add_sheet(&s, v3(-0.5, -0.5, 0), v3(1, 0, 0), v3(0, 1, 0), 12, 12, 1e-3);
    int ball = add_ball(&s, v3(0.01, 0.02, 0.5), 0.3, 12, 0);
    scene_build(&s);
    move_by(&s, ball, v3(0, 0, -1));
    vo_response_def def = scene_def();
    respond(&s, &def);
    print_report("leap", &s.report);
    assert_clean(&s);
    scene_close(&s);
}

static void pins_dragged_through_an_obstacle_are_held_back(void **state) {
    (void)state;
    scene s = scene_open(1);
    add_sheet(&s, v3(0, 0, 0.05), v3(0.5, 0, 0), v3(0, 0.5, 0), 6, 6, 1e-3);
    add_sheet(&s, v3(-0.5, -0.5, 0), v3(1.5, 0, 0), v3(0, 1.5, 0), 3, 3, 0);
    scene_build(&s);
    s.surface.inverse_mass[0] = s.surface.inverse_mass[6] = 0;
    move_by(&s, 0, v3(0, 0, -0.1));
    vo_response_def def = scene_def();
    respond(&s, &def);
    print_report("pins", &s.report);
    assert_clean(&s);
    assert_true(s.surface.x1[0].z > 0 && s.surface.x1[6].z > 0);
    assert_true(s.report.yielded_nodes >= 2);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_falls_on_a_plate),
        cmocka_unit_test(a_blade_meets_a_sheet),
        cmocka_unit_test(plates_squeeze_until_they_yield),
        cmocka_unit_test(an_obstacle_leaps_through_a_sheet),
        cmocka_unit_test(pins_dragged_through_an_obstacle_are_held_back),
        cmocka_unit_test(random_motion_of_folded_sheets_ends_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
