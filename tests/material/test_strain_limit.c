/* Tests of strain limiting of a sheet after one step. */
#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "integrate/strain_limit.h"
#include "material/stretch_limit.h"

#include <math.h>
#include <string.h>

static const double DT = 0.005;

typedef struct fixture {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_material material;
    vo_system_cloth cloth;
    vo_implicit implicit;
} fixture;

/* A flat square metre at rest. */
static void open_fixture(fixture *f, int threads, int cells, double low, double high) {
    *f = (fixture){.ctx = test_context(threads)};
    f->mesh = test_grid(f->ctx, 1, 1, cells, cells);
    vo_fabric_def def = vo_fabric_def_default();
    assert_ok(f->ctx, vo_fabric_create(f->ctx, &def, &f->fabric));
    f->material = (vo_material){f->fabric, 1, 1, 1, 0, low, high};
    f->cloth = (vo_system_cloth){.mesh = f->mesh, .material = &f->material};
    assert_ok(f->ctx, vo_implicit_create(f->ctx, 1, &f->cloth, 0, NULL, &f->implicit));
    vo_implicit *s = &f->implicit;
    for (int i = 0; i < s->system.row_count; i++) {
        vo_vec3 p = f->mesh->node_x[i];
        s->x[s->system.row_of[i]] = (vo_vec4){p.x, p.y, p.z, 0};
    }
}

static void close_fixture(fixture *f) {
    vo_implicit_free(&f->implicit);
    vo_fabric_destroy(f->fabric);
    vo_mesh_destroy(f->mesh);
    vo_context_destroy(f->ctx);
}

/* Velocities that stretch the sheet unevenly by a fifth of its size in one step, with noise. */
static void tear(fixture *f, double size) {
    vo_implicit *s = &f->implicit;
    vo_random random = vo_random_seed(3);
    for (int i = 0; i < s->system.row_count; i++) {
        vo_vec4 x = s->x[i];
        s->v[i] = (vo_vec4){size * (40 * x.x * x.x + vo_random_real(&random, -0.2, 0.2)),
                            size * (20 * x.y * x.x + vo_random_real(&random, -0.2, 0.2)),
                            size * sin(9 * x.x), 0};
    }
}

/* A step and its corrections; no gravity. */
static vo_strain_limit_report step(fixture *f, const vo_constraints *constraints) {
    vo_implicit_def def = {.dt = DT, .tolerance = 1e-8, .max_iterations = 2000};
    vo_implicit_report solved = vo_implicit_solve(&f->implicit, &def, constraints);
    assert_int_equal(solved.outcome, VO_STEP_SOLVED);
    vo_implicit_apply(&f->implicit, DT);
    return vo_strain_limit_apply(&f->implicit, DT);
}

static vo_vec3 xyz(vo_vec4 p) { return v3(p.x, p.y, p.z); }

static vo_vec3 momentum(const fixture *f, vo_vec3 *angular) {
    const vo_implicit *s = &f->implicit;
    vo_vec3 linear = *angular = v3_zero();
    for (int i = 0; i < s->system.row_count; i++) {
        vo_vec3 p = v3_scale(s->system.mass[i], xyz(s->v[i]));
        linear = v3_add(linear, p);
        *angular = v3_add(*angular, v3_cross(xyz(s->x[i]), p));
    }
    return linear;
}

static double kinetic_energy(const fixture *f) {
    const vo_implicit *s = &f->implicit;
    double sum = 0;
    for (int i = 0; i < s->system.row_count; i++)
        sum += 0.5 * s->system.mass[i] * v3_length2(xyz(s->v[i]));
    return sum;
}

/* Brute force: the worst face by the scalar code. */
static double excess(const fixture *f) {
    const vo_mesh *m = f->mesh;
    vo_stretch_limit limit = {vo_material_min2(&f->material), vo_material_max2(&f->material), 1};
    double worst = 0;
    for (int i = 0; i < m->face_count; i++) {
        vo_stretch_face face = {m2_inverse(vo_mesh_face_dm(m, i)), vo_mesh_face_area(m, i)};
        vo_vec3 x[3];
        for (int k = 0; k < 3; k++)
            x[k] = xyz(f->implicit.x[f->implicit.system.row_of[vo_mesh_face_node(m, i, k)]]);
        worst = fmax(worst, vo_stretch_excess(&face, &limit, x));
    }
    return worst;
}

static void stretched_sheet_is_limited(void **state) {
    (void)state;
    const int cells[] = {6, 20, 60};
    for (int n = 0; n < 3; n++) {
        fixture f;
        open_fixture(&f, 2, cells[n], 0.95, 1.05);
        tear(&f, 1);
        vo_constraints none = {0};
        vo_strain_limit_report report = step(&f, &none);
        print_message("%d faces: excess %.4f after %d solves, %d iterations\n", f.mesh->face_count,
                      report.excess, report.solves, report.iterations);
        assert_true(report.solves > 0);
        assert_near(report.excess, excess(&f), 1e-9);
        assert_true(report.excess < 0.01);
        close_fixture(&f);
    }
}

/* Inelastic impact: momentum is conserved, energy decreases. */
static void momentum_is_conserved_and_energy_decreases(void **state) {
    (void)state;
    fixture limited, free_sheet;
    open_fixture(&limited, 1, 30, 0.95, 1.05);
    open_fixture(&free_sheet, 1, 30, -INFINITY, INFINITY);
    vo_constraints none = {0};
    tear(&limited, 1);
    tear(&free_sheet, 1);
    assert_int_equal(step(&free_sheet, &none).solves, 0);
    assert_true(step(&limited, &none).solves > 0);
    vo_vec3 turning[2],
        moving[2] = {momentum(&free_sheet, &turning[0]), momentum(&limited, &turning[1])};
    print_message("momentum %.6f off by %.1e, angular %.6f off by %.1e, energy %.3f of %.3f\n",
                  v3_length(moving[0]), v3_length(v3_sub(moving[0], moving[1])),
                  v3_length(turning[0]), v3_length(v3_sub(turning[0], turning[1])),
                  kinetic_energy(&limited), kinetic_energy(&free_sheet));
    assert_true(v3_length(v3_sub(moving[0], moving[1])) < 1e-3 * v3_length(moving[0]));
    assert_true(v3_length(v3_sub(turning[0], turning[1])) < 1e-2 * v3_length(moving[0]));
    assert_true(kinetic_energy(&limited) < kinetic_energy(&free_sheet));
    close_fixture(&limited);
    close_fixture(&free_sheet);
}

/* A face beyond its limits at the start recovers over several steps, with velocities no larger than
 * that requires. */
static void initial_excess_recovers_smoothly(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, 1, 20, 0.9, 1.1);
    vo_implicit *s = &f.implicit;
    f.material.stretching_mult = 0.001; /* else the fabric itself would recover */
    for (int i = 0; i < s->system.row_count; i++) s->x[i].x *= 1.3;
    vo_constraints none = {0};
    double before = excess(&f);
    assert_near(before, 0.2, 1e-9);
    for (int n = 0; n < 20; n++) {
        step(&f, &none);
        double now = excess(&f), fastest = 0;
        for (int i = 0; i < s->system.row_count; i++)
            fastest = fmax(fastest, v3_length(xyz(s->v[i])));
        assert_true(now <= before + 3e-3);
        assert_true(fastest < 1.2 * 0.65 * 0.2 / 0.02); /* half the sheet by 0.2 in 20 ms */
        before = now;
    }
    assert_true(before < 3e-3);
    close_fixture(&f);
}

static void fixed_rows_stay(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, 1, 20, -INFINITY, 1.05);
    vo_implicit *s = &f.implicit;
    for (int i = 0; i < s->system.row_count; i++) s->v[i] = (vo_vec4){4, 0, 0, 0};
    vo_pin pin[2] = {{.row = s->system.row_of[0]}, {.row = s->system.row_of[20 * 21]}};
    vo_constraints held = {.pin_count = 2, .pin = pin};
    vo_vec4 was[2] = {s->x[pin[0].row], s->x[pin[1].row]};
    for (int n = 0; n < 10; n++) {
        vo_strain_limit_report report = step(&f, &held);
        assert_true(report.excess < 0.02);
        for (int i = 0; i < 2; i++) assert_memory_equal(&was[i], &s->x[pin[i].row], sizeof was[i]);
    }
    close_fixture(&f);
}

/* Pins further apart than the limits allow: the sheet stretches evenly and stays calm. */
static void unreachable_limits_stay_calm(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, 1, 12, 0.95, 1.05);
    vo_implicit *s = &f.implicit;
    vo_pin pin[26];
    for (int n = 0; n < 60; n++) {
        for (int i = 0; i < 13; i++) {
            double speed = n < 20 ? 2 : 0; /* 0.2 m to each side in the end */
            pin[2 * i] = (vo_pin){s->system.row_of[13 * i], v3(-speed, 0, 0)};
            pin[2 * i + 1] = (vo_pin){s->system.row_of[13 * i + 12], v3(speed, 0, 0)};
        }
        vo_constraints held = {.pin_count = 26, .pin = pin};
        step(&f, &held);
    }
    assert_true(excess(&f) > 0.3 && excess(&f) < 0.5);
    assert_true(kinetic_energy(&f) < 1e-6);
    close_fixture(&f);
}

static void result_is_independent_of_threads(void **state) {
    (void)state;
    fixture f[3];
    vo_constraints none = {0};
    for (int i = 0; i < 3; i++) {
        open_fixture(&f[i], i + 1, 40, 0.95, 1.05);
        tear(&f[i], 1);
        assert_true(step(&f[i], &none).solves > 0);
    }
    for (int i = 1; i < 3; i++) {
        size_t bytes = (size_t)f[0].implicit.system.row_count * sizeof *f[0].implicit.x;
        assert_memory_equal(f[0].implicit.x, f[i].implicit.x, bytes);
        assert_memory_equal(f[0].implicit.v, f[i].implicit.v, bytes);
    }
    for (int i = 0; i < 3; i++) close_fixture(&f[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretched_sheet_is_limited),
        cmocka_unit_test(momentum_is_conserved_and_energy_decreases),
        cmocka_unit_test(initial_excess_recovers_smoothly),
        cmocka_unit_test(fixed_rows_stay),
        cmocka_unit_test(unreachable_limits_stay_calm),
        cmocka_unit_test(result_is_independent_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
