/* Tests of the solver with degenerate and extreme input, and of its determinism. */
#include "rt_sheet.h"

#include "rt/solve/kernels.h"

#include <math.h>

static bool is_finite_sheet(const rt_sheet *s) {
    for (int i = 0; i < s->front.vertex_end; i++)
        if (!f3_is_finite(f4_xyz(s->front.position[i])) ||
            !f3_is_finite(f4_xyz(s->front.velocity[i])))
            return false;
    return true;
}

static rt_sheet *create_flag(vo_rt_solver solver) {
    rt_sheet *s = rt_sheet_create(10, 14, 0.5f, 0.7f);
    s->def.solver = solver;
    s->def.air = &s->air;
    s->air.wind = f3(3, 0, 4);
    rt_sheet_attach(s, rt_sheet_slot(s, 0, 0), 1);
    rt_sheet_attach(s, rt_sheet_slot(s, 0, 14), 1);
    rt_sheet_attach(s, rt_sheet_slot(s, 5, 0), 0.5f);
    rt_sheet_add_tethers(s, 2, 1.02f);
    return s;
}

/* Runs two flags side by side; the second with the given kernels. */
static void check_equal_flags(vo_rt_solver solver, bool use_avx2) {
    rt_sheet *a = create_flag(solver), *b = create_flag(solver);
    a->def.use_avx2 = false;
    b->def.use_avx2 = use_avx2;
    a->def.fabric.stretch_compliance = b->def.fabric.stretch_compliance =
        solver == VO_RT_SOLVER_XPBD ? 0 : 1e-3f;
    a->air.fan_count = b->air.fan_count = 1;
    a->air.fan[0] = b->air.fan[0] = (vo_rt_fan){.position = {0, 0, -1},
                                                .direction = {0.2f, -0.1f, 1},
                                                .speed = 20,
                                                .angle = 0.8f,
                                                .range = 4};
    size_t bytes = sizeof(vo_rt_vec4) * (size_t)a->front.vertex_end;
    for (int i = 0; i < 240; i++) {
        rt_sheet_step(a);
        rt_sheet_step(b);
        assert_memory_equal(a->front.position, b->front.position, bytes);
        assert_memory_equal(a->front.velocity, b->front.velocity, bytes);
    }
    vo_rt_solve_select_kernels(false)->compute_normals(&a->front, a->front.position);
    vo_rt_solve_select_kernels(use_avx2)->compute_normals(&b->front, b->front.position);
    assert_memory_equal(a->front.normal, b->front.normal, bytes);
    assert_true(is_finite_sheet(a));
    rt_sheet_destroy(a);
    rt_sheet_destroy(b);
}

static void test_avx2_is_bit_identical(void **state) {
    (void)state;
    if (!vo_simd_has_avx2()) skip();
    check_equal_flags(VO_RT_SOLVER_XPBD, true);
    check_equal_flags(VO_RT_SOLVER_VERLET, true);
}

static void test_steps_are_deterministic(void **state) {
    (void)state;
    check_equal_flags(VO_RT_SOLVER_XPBD, false);
    check_equal_flags(VO_RT_SOLVER_VERLET, false);
}

static void test_verlet_hangs_within_its_limit(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(20, 20, 0.6f, 0.6f);
    s->def.solver = VO_RT_SOLVER_VERLET;
    s->def.fabric.damping = 1;
    rt_sheet_attach_row(s, 0);
    rt_sheet_run(s, 4);
    assert_true(vo_rt_solve_stretch(&s->front, 0.99f) < 0.08f);
    vo_rt_vec3 bottom = rt_sheet_position(s, 10, 20);
    assert_true(bottom.y < -0.58f && bottom.y > -0.66f);
    assert_true(rt_sheet_step(s).max_speed < 0.2f);
    rt_sheet_destroy(s);
}

static void test_storm_stays_finite(void **state) {
    (void)state;
    for (int solver = 0; solver < 2; solver++) {
        rt_sheet *s = create_flag((vo_rt_solver)solver);
        s->air.wind = f3(150, -60, 120);
        int clamped = 0;
        for (int i = 0; i < 240; i++) {
            vo_rt_solve_result r = rt_sheet_step(s);
            clamped += r.clamped_velocities;
            assert_true(r.is_finite && r.max_speed <= 50.01f);
        }
        assert_true(clamped > 0);
        /* Calm again: recovers within a second, and has swung out after two. */
        s->air.wind = f3(0, 0, 0);
        rt_sheet_run(s, 1);
        assert_true(vo_rt_solve_stretch(&s->front, 0.99f) < 0.15f);
        rt_sheet_run(s, 1);
        assert_true(vo_rt_solve_stretch(&s->front, 0.99f) < 0.08f);
        rt_sheet_destroy(s);
    }
}

static void test_step_without_duration_changes_nothing(void **state) {
    (void)state;
    static const float durations[] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        rt_sheet *s = create_flag(VO_RT_SOLVER_XPBD);
        rt_sheet_run(s, 0.1f);
        size_t bytes = sizeof(vo_rt_vec4) * (size_t)s->front.vertex_end;
        void *before = malloc(bytes);
        memcpy(before, s->front.position, bytes);
        s->def.dt = durations[k];
        vo_rt_solve_result r = rt_sheet_step(s);
        assert_true(r.is_finite && r.max_speed > 0);
        assert_memory_equal(before, s->front.position, bytes);
        free(before);
        rt_sheet_destroy(s);
    }
}

static void test_long_steps_stay_finite(void **state) {
    (void)state;
    for (int solver = 0; solver < 2; solver++) {
        rt_sheet *s = create_flag((vo_rt_solver)solver);
        s->def.dt = 1;
        for (int i = 0; i < 20; i++) assert_true(rt_sheet_step(s).is_finite);
        s->def.dt = 1.0f / 120;
        rt_sheet_run(s, 2);
        assert_true(vo_rt_solve_stretch(&s->front, 0.99f) < 0.08f);
        rt_sheet_destroy(s);
    }
}

/* Zero rest lengths, coincident and collinear points, zero widths, stiffness, areas and masses. */
static void test_degenerate_elements_stay_finite(void **state) {
    (void)state;
    for (int solver = 0; solver < 2; solver++) {
        rt_sheet *s = create_flag((vo_rt_solver)solver);
        s->def.fabric.stretch_compliance = solver ? 0 : 1e-3f;
        s->def.fabric.bend_stiffness = 1;
        vo_rt_front *f = &s->front;
        for (int k = 0; k < 8; k++) f->springs[3].rest[k] = 0;
        for (int k = 0; k < 8; k++) f->springs[4].width[k] = 0;
        for (int k = 0; k < 8; k++) f->bends[2].rest[k] = 3.1f;
        for (int k = 0; k < 8; k++) f->bends[5].rest[k] = -3.1f;
        f->triangles[0].rest_area = 0;
        f->mass[rt_sheet_slot(s, 3, 3)] = 0;
        for (int j = 5; j < 9; j++) /* a patch collapsed to a point, another one to a line */
            for (int i = 2; i < 6; i++) {
                f->position[rt_sheet_slot(s, i, j)] = f->position[rt_sheet_slot(s, 2, 5)];
                f->position[rt_sheet_slot(s, i + 4, j)].y = -0.3f;
            }
        rt_sheet_run(s, 1);
        assert_true(is_finite_sheet(s));
        vo_rt_solve_normals(f);
        for (int i = 1; i < f->vertex_end; i++) assert_true(f3_is_finite(f4_xyz(f->normal[i])));
        rt_sheet_destroy(s);
    }
}

/* All vertices at one point with zero mass: nothing moves, nothing is divided by zero. */
static void test_collapsed_sheet_stays_finite(void **state) {
    (void)state;
    rt_sheet *s = create_flag(VO_RT_SOLVER_XPBD);
    for (int i = 1; i < s->front.vertex_end; i++)
        s->front.position[i] = f4_make(f3(1, 2, 3), s->front.position[i].w);
    rt_sheet_run(s, 0.2f);
    memset(s->front.mass, 0, sizeof(float) * (size_t)s->front.vertex_end);
    rt_sheet_run(s, 0.1f);
    assert_true(is_finite_sheet(s));
    rt_sheet_destroy(s);
}

/* A crumpled sheet recovers its shape. */
static void test_crumpled_sheet_recovers(void **state) {
    (void)state;
    for (int solver = 0; solver < 2; solver++) {
        rt_sheet *s = create_flag((vo_rt_solver)solver);
        vo_random r = vo_random_seed(3);
        for (int i = 1; i < s->front.vertex_end; i++)
            for (int k = 0; k < 3; k++)
                (&s->front.position[i].x)[k] += (float)vo_random_real(&r, -0.3, 0.3);
        rt_sheet_run(s, 1);
        assert_true(vo_rt_solve_stretch(&s->front, 0.99f) < 0.08f);
        rt_sheet_destroy(s);
    }
}

static void test_lost_vertices_are_reported(void **state) {
    (void)state;
    rt_sheet *s = create_flag(VO_RT_SOLVER_XPBD);
    s->front.position[rt_sheet_slot(s, 5, 5)].y = NAN;
    assert_false(rt_sheet_step(s).is_finite);
    rt_sheet_destroy(s);

    /* A pose that is not finite is ignored: prescribed vertices stay where they are. */
    s = create_flag(VO_RT_SOLVER_XPBD);
    for (int i = 1; i < s->front.vertex_end; i++) {
        s->front.target[i].x = NAN;
        s->front.maps[i].max_distance = 0.1f;
        s->front.maps[i].backstop = 0.01f;
    }
    rt_sheet_run(s, 0.2f);
    assert_near(rt_sheet_position(s, 0, 0).x, 0, 1e-6);
    rt_sheet_destroy(s);
}

/* The target: one minor step with 4 substeps of a sheet of 6,272 triangles. Printed for
 * information; the assertion only detects a change of magnitude. */
static void test_step_is_fast(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(56, 56, 1, 1);
    s->def.air = &s->air;
    rt_sheet_attach_row(s, 0);
    rt_sheet_add_tethers(s, 8, 1.02f);
    rt_sheet_run(s, 0.1f);
    double best = 1;
    for (int i = 0; i < 50; i++) {
        double start = test_seconds();
        rt_sheet_step(s);
        double time = test_seconds() - start;
        best = time < best ? time : best;
    }
    print_message("%d vertices, %d springs, %d bends, %d triangles: %.3f ms per minor step\n",
                  s->front.vertex_count, s->front.spring_count, s->front.bend_count,
                  s->front.triangle_count, 1e3 * best);
    assert_true(best < 0.01 * TEST_SLOWNESS);
    rt_sheet_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_avx2_is_bit_identical),
        cmocka_unit_test(test_steps_are_deterministic),
        cmocka_unit_test(test_verlet_hangs_within_its_limit),
        cmocka_unit_test(test_storm_stays_finite),
        cmocka_unit_test(test_step_without_duration_changes_nothing),
        cmocka_unit_test(test_long_steps_stay_finite),
        cmocka_unit_test(test_degenerate_elements_stay_finite),
        cmocka_unit_test(test_collapsed_sheet_stays_finite),
        cmocka_unit_test(test_crumpled_sheet_recovers),
        cmocka_unit_test(test_lost_vertices_are_reported),
        cmocka_unit_test(test_step_is_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
