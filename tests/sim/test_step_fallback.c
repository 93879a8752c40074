/* Tests of the fallbacks of a step: direct solver, halved steps, frozen substeps. */
#include "support.h"

#include "sim/sim.h"

#include <math.h>

typedef struct fixture {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
} fixture;

static void open_fixture(fixture *f, const vo_scene_def *def, const vo_handle_def *handle) {
    f->ctx = test_context(1);
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_fabric_def fabric_def = vo_fabric_def_default();
    assert_ok(f->ctx, vo_scene_create(f->ctx, def, &f->scene));
    mesh = test_grid(f->ctx, 1, 1, 10, 10);
    assert_ok(f->ctx, vo_fabric_create(f->ctx, &fabric_def, &fabric));
    vo_material_def material = vo_material_def_default();
    material.fabric = fabric;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.materials = &material;
    cloth.material_count = 1;
    assert_ok(f->ctx, vo_scene_add_cloth(f->scene, &cloth, NULL));
    vo_keyframe keys[2] = {{.time = 0, .pose = vo_pose_identity()},
                           {.time = 1, .pose = vo_pose_identity()}};
    keys[1].pose.translate = (vo_vec3){0, 0, 1};
    assert_ok(f->ctx, vo_scene_add_motion(f->scene, 2, keys, NULL));
    if (handle) assert_ok(f->ctx, vo_scene_add_handle(f->scene, handle, NULL));
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(mesh);
    assert_ok(f->ctx, vo_sim_create(f->ctx, f->scene, &f->sim));
}

static void close_fixture(fixture *f) {
    vo_sim_destroy(f->sim);
    vo_scene_destroy(f->scene);
    vo_context_destroy(f->ctx);
}

static vo_scene_def small_def(void) {
    vo_scene_def def = vo_scene_def_default();
    def.frame_time = 0.04;
    def.frame_steps = 8;
    def.end_frame = 10;
    def.gravity = (vo_vec3){0, 0, -9.8};
    return def;
}

static vo_handle_def corner_handle(void) {
    static const int nodes[2] = {0, 10};
    vo_handle_def handle = vo_handle_def_default();
    handle.nodes = nodes;
    handle.node_count = 2;
    return handle;
}

/* Conjugate gradients limited to one iteration fail; the direct solver gives the same result. */
static void failed_cg_falls_back_to_direct_solver(void **state) {
    (void)state;
    if (!vo_direct_available()) {
        print_message("skipped: built without CHOLMOD\n");
        skip();
    }
    vo_scene_def def = small_def();
    vo_handle_def handle = corner_handle();
    fixture fallback, direct;
    def.solver_max_iterations = 1;
    def.solver_tolerance = 1e-12;
    open_fixture(&fallback, &def, &handle);
    def.solver = VO_SOLVER_DIRECT;
    open_fixture(&direct, &def, &handle);
    for (int i = 0; i < 8; i++) {
        assert_ok(fallback.ctx, vo_sim_step(fallback.sim));
        assert_ok(direct.ctx, vo_sim_step(direct.sim));
    }
    assert_true(vo_sim_get_stats(fallback.sim).direct_solves > 0);
    assert_int_equal(vo_sim_get_stats(direct.sim).direct_solves, 0);
    assert_int_equal(vo_sim_get_stats(direct.sim).step_halvings, 0);
    vo_mesh_view a = vo_sim_get_cloth(fallback.sim, 0), b = vo_sim_get_cloth(direct.sim, 0);
    for (int i = 0; i < a.node_count; i++)
        assert_true(v3_distance(a.node_x[i], b.node_x[i]) < 1e-6);
    close_fixture(&fallback);
    close_fixture(&direct);
}

static void nan_velocity_freezes_the_substep(void **state) {
    (void)state;
    vo_scene_def def = small_def();
    fixture f;
    open_fixture(&f, &def, NULL);
    f.sim->cloth[0].mesh->node_v[60] = v3(NAN, 0, 0);
    f.sim->rows_current = false;
    assert_ok(f.ctx, vo_sim_step(f.sim));
    vo_stats stats = vo_sim_get_stats(f.sim);
    assert_int_equal(stats.frozen_substeps, 1);
    assert_int_equal(stats.step_halvings, 0); /* halving cannot help */
    for (int i = 0; i < 4; i++) assert_ok(f.ctx, vo_sim_step(f.sim));
    assert_int_equal(vo_sim_get_stats(f.sim).frozen_substeps, 1);
    vo_mesh_view view = vo_sim_get_cloth(f.sim, 0);
    for (int i = 0; i < view.node_count; i++) assert_true(v3_is_finite(view.node_x[i]));
    close_fixture(&f);
}

/* A sheet that would leave the bounds within the step: the step is halved down to the minimum, then
 * frozen; each level is tried once. */
static void sheet_out_of_bounds_is_halved_then_frozen(void **state) {
    (void)state;
    vo_scene_def def = small_def();
    def.wind_density = 0;
    fixture f;
    open_fixture(&f, &def, NULL);
    vo_mesh *mesh = f.sim->cloth[0].mesh;
    for (int i = 0; i < mesh->node_count; i++) {
        mesh->node_x[i].x += 9e11;
        mesh->node_v[i] = v3(9e11, 0, 0);
    }
    f.sim->rows_current = false;
    int halvings = 0, frozen = 0;
    for (int i = 0; i < 5; i++) {
        assert_ok(f.ctx, vo_sim_step_frame(f.sim));
        vo_stats stats = vo_sim_get_stats(f.sim);
        halvings += stats.step_halvings;
        frozen += stats.frozen_substeps;
    }
    assert_in_range(halvings, 5, 10); /* one descent to the shortest step */
    assert_in_range(frozen, 1, 6);
    for (int i = 0; i < mesh->node_count; i++) assert_true(fabs(mesh->node_x[i].x) <= 1e12);
    close_fixture(&f);
}

/* Pinned nodes follow their motion while the cloth is frozen. */
static void pins_move_while_cloth_is_frozen(void **state) {
    (void)state;
    vo_scene_def def = small_def();
    vo_handle_def handle = corner_handle();
    handle.motion = 0;
    fixture f;
    open_fixture(&f, &def, &handle);
    f.sim->cloth[0].mesh->node_v[60] = v3(0, INFINITY, 0);
    f.sim->rows_current = false;
    assert_ok(f.ctx, vo_sim_step(f.sim));
    assert_int_equal(vo_sim_get_stats(f.sim).frozen_substeps, 1);
    double t = 0.005,
           expected = t * t * (3 - 2 * t); /* Hermite from 0 to 1, at rest at both ends */
    assert_near(vo_sim_get_cloth(f.sim, 0).node_x[0].z, expected, 1e-12);
    assert_near(vo_sim_get_cloth(f.sim, 0).node_x[60].z, 0, 0);
    close_fixture(&f);
}

static void disabled_physics_keeps_positions(void **state) {
    (void)state;
    vo_scene_def def = small_def();
    def.disable = VO_DISABLE_PHYSICS;
    fixture f;
    open_fixture(&f, &def, NULL);
    for (int i = 0; i < 8; i++) assert_ok(f.ctx, vo_sim_step(f.sim));
    assert_near(vo_sim_time(f.sim), 0.04, 1e-12);
    assert_near(vo_sim_get_cloth(f.sim, 0).node_x[60].z, 0, 0);
    close_fixture(&f);
}

/* ---- handles by kind ------------------------------------------------------------------------ */

static void soft_handle_attaches_nodes_in_its_sphere(void **state) {
    (void)state;
    vo_scene_def def = small_def();
    def.gravity = (vo_vec3){0, 0, 0};
    vo_handle_def handle = vo_handle_def_default();
    handle.kind = VO_HANDLE_SOFT;
    handle.center = (vo_vec3){0.5, 0.5, 0};
    handle.radius = 0.15;
    handle.motion = 0;
    handle.stiffness = 1e4;
    fixture f;
    open_fixture(&f, &def, &handle);
    for (int i = 0; i < 200; i++) assert_ok(f.ctx, vo_sim_step(f.sim));
    const vo_vec3 *x = vo_sim_get_cloth(f.sim, 0).node_x;
    assert_near(x[5 * 11 + 5].z, 1, 0.02); /* the middle followed */
    assert_true(x[0].z < 0.98);            /* the corner lags */
    close_fixture(&f);
}

static void circle_handle_pulls_nodes_onto_its_circle(void **state) {
    (void)state;
    vo_scene_def def = small_def();
    def.gravity = (vo_vec3){0, 0, 0};
    int nodes[11];
    for (int i = 0; i < 11; i++) nodes[i] = i; /* the edge v = 0, 1 m long */
    vo_handle_def handle = vo_handle_def_default();
    handle.kind = VO_HANDLE_CIRCLE;
    handle.nodes = nodes;
    handle.node_count = 11;
    handle.circumference = 1;
    handle.circle_u = (vo_vec2){1, 0};
    handle.axis0 = (vo_vec3){1, 0, 0};
    handle.axis1 = (vo_vec3){0, 0, 1};
    handle.stiffness = 1e4;
    fixture f;
    open_fixture(&f, &def, &handle);
    for (int i = 0; i < 400; i++) assert_ok(f.ctx, vo_sim_step(f.sim));
    const vo_vec3 *x = vo_sim_get_cloth(f.sim, 0).node_x;
    double radius = 1 / (2 * VO_PI);
    for (int i = 0; i < 11; i++) {
        double angle = 2 * VO_PI * i / 10;
        assert_near(x[i].x, radius * cos(angle), 0.01);
        assert_near(x[i].z, radius * sin(angle), 0.01);
        assert_near(x[i].y, 0, 0.01);
    }
    close_fixture(&f);
}

/* After its end a handle with a fade time is a spring that weakens as (1 - s)^4. */
static void ended_handle_fades_out(void **state) {
    (void)state;
    vo_scene_def def = small_def();
    vo_handle_def handle = corner_handle();
    handle.end = 0.05;
    handle.fade = 1;
    fixture f;
    open_fixture(&f, &def, &handle);
    double z[4];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < (k == 0 ? 10 : 70); i++) assert_ok(f.ctx, vo_sim_step(f.sim));
        z[k] = vo_sim_get_cloth(f.sim, 0).node_x[0].z;
    }
    assert_near(z[0], 0, 1e-12);                   /* still rigid at t = 0.05 */
    assert_true(z[1] > -0.05);                     /* stiff at 0.40 */
    assert_true(z[3] < z[2] - 0.1 && z[3] < -0.5); /* released at 1.10 */
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_cg_falls_back_to_direct_solver),
        cmocka_unit_test(nan_velocity_freezes_the_substep),
        cmocka_unit_test(sheet_out_of_bounds_is_halved_then_frozen),
        cmocka_unit_test(pins_move_while_cloth_is_frozen),
        cmocka_unit_test(disabled_physics_keeps_positions),
        cmocka_unit_test(soft_handle_attaches_nodes_in_its_sphere),
        cmocka_unit_test(circle_handle_pulls_nodes_onto_its_circle),
        cmocka_unit_test(ended_handle_fades_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
