/* Tests of the physics against analytic solutions. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* A scene of one grid sheet, and everything that must be freed with it. */
typedef struct sheet {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
    vo_scene_def def;
    vo_fabric_def fabric;
    vo_material_def material;
    vo_pose pose;
    vo_vec3 velocity, spin;
    double width, height;
    int columns, rows;
    int pins[4096], pin_count;
} sheet;

static sheet sheet_default(void) {
    sheet s = {.def = vo_scene_def_default(),
               .fabric = vo_fabric_def_default(),
               .material = vo_material_def_default(),
               .pose = vo_pose_identity(),
               .width = 1,
               .height = 1,
               .columns = 10,
               .rows = 10};
    s.def.frame_time = 0.04;
    s.def.frame_steps = 8;
    s.def.end_time = 1;
    s.def.gravity = (vo_vec3){0, 0, -9.8};
    s.def.wind_density = 0;
    return s;
}

static void pin(sheet *s, int column, int row) {
    s->pins[s->pin_count++] = row * (s->columns + 1) + column;
}

static void open_sheet(sheet *s) {
    vo_mesh *mesh;
    vo_fabric *fabric;
    s->ctx = test_context(1);
    assert_ok(s->ctx, vo_scene_create(s->ctx, &s->def, &s->scene));
    mesh = test_grid(s->ctx, s->width, s->height, s->columns, s->rows);
    assert_ok(s->ctx, vo_fabric_create(s->ctx, &s->fabric, &fabric));
    s->material.fabric = fabric;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.pose = s->pose;
    cloth.linear_velocity = s->velocity;
    cloth.angular_velocity = s->spin;
    cloth.materials = &s->material;
    cloth.material_count = 1;
    assert_ok(s->ctx, vo_scene_add_cloth(s->scene, &cloth, NULL));
    if (s->pin_count) {
        vo_handle_def handle = vo_handle_def_default();
        handle.nodes = s->pins;
        handle.node_count = s->pin_count;
        assert_ok(s->ctx, vo_scene_add_handle(s->scene, &handle, NULL));
    }
    vo_mesh_destroy(mesh);
    vo_fabric_destroy(fabric);
    assert_ok(s->ctx, vo_sim_create(s->ctx, s->scene, &s->sim));
}

static void close_sheet(sheet *s) {
    vo_sim_destroy(s->sim);
    vo_scene_destroy(s->scene);
    vo_context_destroy(s->ctx);
}

static vo_vec3 at(const sheet *s, int column, int row) {
    return vo_sim_get_cloth(s->sim, 0).node_x[row * (s->columns + 1) + column];
}

static void step(sheet *s, int count) {
    for (int i = 0; i < count; i++) assert_ok(s->ctx, vo_sim_step(s->sim));
}

/* Steps until no node is faster than `speed`, or for max_steps. */
static void settle(sheet *s, int max_steps, double speed) {
    for (int i = 0; i < max_steps; i += 50) {
        step(s, 50);
        vo_mesh_view view = vo_sim_get_cloth(s->sim, 0);
        double fastest = 0;
        for (int k = 0; k < view.node_count; k++) {
            vo_vec3 v = view.node_v[k];
            fastest = fmax(fastest, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
        }
        if (fastest < speed) return;
    }
}

/* Sum of mass times value over nodes, with masses of a uniform grid by its faces' areas. */
static vo_vec3 weighted_sum(const sheet *s, const vo_vec3 *value) {
    vo_mesh_view view = vo_sim_get_cloth(s->sim, 0);
    double face = s->fabric.density * s->width * s->height / view.face_count / 3;
    vo_vec3 sum = {0, 0, 0};
    for (int f = 0; f < view.face_count; f++)
        for (int i = 0; i < 3; i++) {
            vo_vec3 p = value[view.vert_node[view.face_vert[f][i]]];
            sum.x += face * p.x;
            sum.y += face * p.y;
            sum.z += face * p.z;
        }
    return sum;
}

static double total_energy(const sheet *s) {
    vo_energy e = vo_sim_get_energy(s->sim);
    return e.kinetic + e.gravity + e.stretch + e.bend;
}

/* ---- free flight ---------------------------------------------------------------------------- */

/* The first linearised step of a rotation moves every node along its tangent and stretches the
 * sheet: the energy may rise by that second-order amount once. */
static void spinning_sheet_conserves_momentum(void **state) {
    (void)state;
    sheet s = sheet_default();
    s.def.gravity = (vo_vec3){0, 0, 0};
    s.velocity = (vo_vec3){1, -0.5, 2};
    s.spin = (vo_vec3){3, 4, 1};
    s.columns = s.rows = 20;
    open_sheet(&s);
    vo_vec3 before = weighted_sum(&s, vo_sim_get_cloth(s.sim, 0).node_v);
    double first = total_energy(&s), energy = first * (1 + 1e-4), size = fabs(before.z);
    for (int i = 0; i < 200; i++) {
        step(&s, 1);
        double now = total_energy(&s);
        assert_true(now <= energy);
        energy = now;
    }
    assert_true(energy > 0.8 * first); /* and damping is small */
    vo_vec3 after = weighted_sum(&s, vo_sim_get_cloth(s.sim, 0).node_v);
    assert_near(after.x, before.x, 1e-6 * size);
    assert_near(after.y, before.y, 1e-6 * size);
    assert_near(after.z, before.z, 1e-6 * size);
    close_sheet(&s);
}

static void falling_sheet_follows_parabola(void **state) {
    (void)state;
    sheet s = sheet_default();
    s.velocity = (vo_vec3){2, 0, 3};
    s.spin = (vo_vec3){0, 2, 0};
    open_sheet(&s);
    vo_vec3 start = weighted_sum(&s, vo_sim_get_cloth(s.sim, 0).node_x);
    vo_vec3 momentum = weighted_sum(&s, vo_sim_get_cloth(s.sim, 0).node_v);
    int steps = 200;
    double mass = s.fabric.density, dt = s.def.frame_time / s.def.frame_steps, t = steps * dt;
    step(&s, steps);
    vo_vec3 end = weighted_sum(&s, vo_sim_get_cloth(s.sim, 0).node_x);
    /* Backward Euler falls by g dt^2 n (n + 1) / 2. */
    double fall = 0.5 * 9.8 * dt * dt * steps * (steps + 1);
    assert_near(end.x, start.x + t * momentum.x, 1e-5 * mass);
    assert_near(end.z, start.z + t * momentum.z - mass * fall, 1e-5 * mass);
    close_sheet(&s);
}

/* ---- stretching ----------------------------------------------------------------------------- */

/* Length of a hanging strip: with stretch l(s), force per width E l (l^2 - 1) / 2 = density g (L -
 * s), integrated by the midpoint rule. */
static double hanging_length(double length, double young, double density) {
    enum { N = 2000 };
    double total = 0;
    for (int i = 0; i < N; i++) {
        double load = density * 9.8 * length * (1 - (i + 0.5) / N) / young, stretch = 1;
        for (int k = 0; k < 50; k++)
            stretch -=
                (stretch * (stretch * stretch - 1) / 2 - load) / ((3 * stretch * stretch - 1) / 2);
        total += stretch * length / N;
    }
    return total;
}

static void hanging_strip_has_analytic_length(void **state) {
    (void)state;
    const double young[] = {20, 100, 1000};
    for (int k = 0; k < 3; k++) {
        sheet s = sheet_default();
        s.width = 0.1;
        s.height = 1;
        s.columns = 4;
        s.rows = 40;
        s.fabric.young_warp = s.fabric.young_weft = young[k];
        s.fabric.poisson = 0;
        s.fabric.shear = young[k] / 2;
        s.material.damping = 0.05;
        s.def.solver_tolerance = 1e-8;
        s.pose.degrees = -90;
        s.pose.axis = (vo_vec3){1, 0, 0}; /* row 0 on top */
        for (int i = 0; i <= s.columns; i++) pin(&s, i, 0);
        open_sheet(&s);
        settle(&s, 4000, 1e-5);
        double expected = hanging_length(1, young[k], s.fabric.density);
        double extension = -at(&s, 2, s.rows).z - 1;
        assert_near(extension, expected - 1, 0.005 * (expected - 1));
        close_sheet(&s);
    }
}

/* ---- bending -------------------------------------------------------------------------------- */

/* Drop of the tip of a heavy elastica clamped horizontally: B a'' = -q (L - s) cos a for the angle
 * a below the horizontal, a(0) = 0, a'(L) = 0; shooting on a'(0) with Runge-Kutta. */
static double integrate_elastica(double load, double slope, double *tip_slope) {
    enum { N = 2000 };
    double h = 1.0 / N, a = 0, d = slope, drop = 0;
    for (int i = 0; i < N; i++) {
        double s = i * h, k[4][3], pa = a, pd = d;
        for (int j = 0; j < 4; j++) {
            double w = j == 0 ? 0 : j == 3 ? h : h / 2, ps = s + w;
            if (j > 0) {
                pa = a + w * k[j - 1][0];
                pd = d + w * k[j - 1][1];
            }
            k[j][0] = pd;
            k[j][1] = -load * (1 - ps) * cos(pa);
            k[j][2] = sin(pa);
        }
        a += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        d += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
        drop += h / 6 * (k[0][2] + 2 * k[1][2] + 2 * k[2][2] + k[3][2]);
    }
    *tip_slope = d;
    return drop;
}

/* Drop over length, for load = q L^3 / B. */
static double elastica_drop(double load) {
    double low = 0, high = load, drop = 0;
    for (int i = 0; i < 100; i++) {
        double slope = (low + high) / 2, end;
        drop = integrate_elastica(load, slope, &end);
        if (end > 0)
            high = slope;
        else
            low = slope;
    }
    return drop;
}

static double cantilever_drop(double rigidity, double density, int resolution) {
    sheet s = sheet_default();
    /* A hinge represents the half cells on both sides, so the clamp is in the middle of the first
     * cell, whose nodes are pinned. */
    double length = 0.2, cell = length / (resolution + 0.5);
    s.columns = resolution + 1;
    s.rows = 4;
    s.width = length + 0.5 * cell;
    s.height = 4 * cell;
    s.fabric.density = density;
    s.fabric.young_warp = s.fabric.young_weft = 2000;
    s.fabric.poisson = 0;
    s.fabric.shear = 1000;
    s.fabric.bend_warp = s.fabric.bend_weft = s.fabric.bend_bias = rigidity;
    s.material.damping = 0.01;
    s.def.solver_tolerance = 1e-8;
    s.def.solver_max_iterations = 2000;
    for (int j = 0; j <= s.rows; j++) {
        pin(&s, 0, j);
        pin(&s, 1, j);
    }
    open_sheet(&s);
    settle(&s, 6000, 2e-6);
    double drop = -at(&s, s.columns, 2).z / length;
    close_sheet(&s);
    return drop;
}

static void cantilever_matches_elastica(void **state) {
    (void)state;
    const double rigidity[2] = {2e-3, 4e-4}, density[2] = {0.15, 0.3};
    const int resolution[3] = {10, 20, 40};
    const double tolerance[3] = {0.02, 0.01, 0.01};
    for (int m = 0; m < 2; m++) {
        double load = density[m] * 9.8 * 0.2 * 0.2 * 0.2 / rigidity[m];
        double expected = elastica_drop(load);
        for (int r = 0; r < 3; r++) {
            double drop = cantilever_drop(rigidity[m], density[m], resolution[r]);
            print_message("cantilever: load %.3g, %d cells: drop %.5f, elastica %.5f\n", load,
                          resolution[r], drop, expected);
            assert_near(drop, expected, tolerance[r] * expected);
        }
    }
}

/* Small deflections of a beam: q L^4 / (8 B). */
static void stiff_cantilever_matches_beam(void **state) {
    (void)state;
    double rigidity = 0.05, density = 0.15;
    double expected = density * 9.8 * 0.2 * 0.2 * 0.2 / (8 * rigidity);
    assert_near(cantilever_drop(rigidity, density, 20), expected, 0.02 * expected);
    assert_near(elastica_drop(8 * expected), expected, 0.002 * expected);
}

/* ---- wind ----------------------------------------------------------------------------------- */

static void flat_sheet_reaches_terminal_velocity(void **state) {
    (void)state;
    sheet s = sheet_default();
    s.def.wind_density = 1.2;
    open_sheet(&s);
    step(&s, 600);
    double expected = sqrt(s.fabric.density * 9.8 / 1.2);
    vo_mesh_view view = vo_sim_get_cloth(s.sim, 0);
    for (int i = 0; i < view.node_count; i++)
        assert_near(-view.node_v[i].z, expected, 1e-3 * expected);
    close_sheet(&s);
}

static void sheet_reaches_wind_velocity(void **state) {
    (void)state;
    sheet s = sheet_default();
    s.def.gravity = (vo_vec3){0, 0, 0};
    s.def.wind_density = 1;
    s.def.wind_drag = 0.5;
    s.def.wind_velocity = (vo_vec3){3, 1, 2};
    open_sheet(&s);
    step(&s, 4000);
    vo_vec3 momentum = weighted_sum(&s, vo_sim_get_cloth(s.sim, 0).node_v);
    assert_near(momentum.x / s.fabric.density, 3, 0.02);
    assert_near(momentum.y / s.fabric.density, 1, 0.02);
    assert_near(momentum.z / s.fabric.density, 2, 0.05);
    close_sheet(&s);
}

/* ---- pendulum ------------------------------------------------------------------------------- */

/* A stiff strip hinged at its upper edge swings as a rod: T = 2 pi sqrt(2 L / (3 g)). */
static void stiff_strip_matches_rod_pendulum(void **state) {
    (void)state;
    sheet s = sheet_default();
    s.width = 0.1;
    s.height = 0.5;
    s.columns = 2;
    s.rows = 10;
    s.fabric.young_warp = s.fabric.young_weft = 5000;
    s.fabric.shear = 2500;
    s.fabric.poisson = 0;
    s.fabric.bend_warp = s.fabric.bend_weft = s.fabric.bend_bias = 1;
    s.def.frame_time = 0.01;
    s.def.frame_steps = 10;
    s.pose.degrees = -90 + 5; /* five degrees off the vertical */
    s.pose.axis = (vo_vec3){1, 0, 0};
    for (int i = 0; i <= s.columns; i++) pin(&s, i, 0);
    open_sheet(&s);
    double dt = 1e-3, first = 0, last = 0, previous = at(&s, 1, s.rows).y;
    int crossings = 0;
    for (int i = 1; i < 4000 && crossings < 5; i++) {
        step(&s, 1);
        double y = at(&s, 1, s.rows).y;
        if ((previous > 0) != (y > 0)) {
            last = (i - 1 + previous / (previous - y)) * dt;
            if (crossings++ == 0) first = last;
        }
        previous = y;
    }
    assert_int_equal(crossings, 5);
    double period = (last - first) / 2, expected = 2 * PI * sqrt(2 * 0.5 / (3 * 9.8));
    /* Lumped masses: sum m s^2 / sum m s is larger than 2/3 L by 1 / (2 rows^2) of it. */
    expected *= sqrt(1 + 0.5 / (s.rows * s.rows));
    assert_near(period, expected, 0.01 * expected);
    close_sheet(&s);
}

/* ---- resolution ----------------------------------------------------------------------------- */

typedef struct shape {
    double lowest, middle; /* m below the pins */
} shape;

static shape hanging_shape(int resolution, int substeps) {
    sheet s = sheet_default();
    s.columns = s.rows = resolution;
    s.def.frame_steps = substeps;
    s.def.wind_density = 1;
    s.material.damping = 0.02;
    pin(&s, 0, 0);
    pin(&s, resolution, 0);
    open_sheet(&s);
    step(&s, 75 * substeps); /* three seconds */
    settle(&s, 75 * substeps, 1e-3);
    vo_mesh_view view = vo_sim_get_cloth(s.sim, 0);
    shape result = {0, -at(&s, resolution / 2, resolution / 2).z};
    for (int i = 0; i < view.node_count; i++)
        result.lowest = fmax(result.lowest, -view.node_x[i].z);
    close_sheet(&s);
    return result;
}

static void hanging_shape_is_independent_of_resolution(void **state) {
    (void)state;
    const int resolution[4] = {8, 16, 32, 48}, substeps[2] = {8, 16};
    const int count = TEST_SLOWNESS > 1 ? 2 : 4; /* sanitizer builds run the coarse ones only */
    shape got[4][2];
    for (int r = 0; r < count; r++)
        for (int s = 0; s < 2; s++) {
            got[r][s] = hanging_shape(resolution[r], substeps[s]);
            print_message(
                "hanging sheet, %2d x %2d cells, %2d substeps: lowest %.4f, middle %.4f\n",
                resolution[r], resolution[r], substeps[s], got[r][s].lowest, got[r][s].middle);
        }
    shape finest = got[count - 1][1];
    for (int r = 0; r < count; r++)
        for (int s = 0; s < 2; s++) {
            assert_near(got[r][s].lowest, finest.lowest, 0.01 * finest.lowest);
            assert_near(got[r][s].middle, finest.middle, 0.01 * finest.lowest);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_sheet_conserves_momentum),
        cmocka_unit_test(falling_sheet_follows_parabola),
        cmocka_unit_test(hanging_strip_has_analytic_length),
        cmocka_unit_test(cantilever_matches_elastica),
        cmocka_unit_test(stiff_cantilever_matches_beam),
        cmocka_unit_test(flat_sheet_reaches_terminal_velocity),
        cmocka_unit_test(sheet_reaches_wind_velocity),
        cmocka_unit_test(stiff_strip_matches_rod_pendulum),
        cmocka_unit_test(hanging_shape_is_independent_of_resolution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
