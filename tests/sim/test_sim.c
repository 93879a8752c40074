/* Tests of the simulation as a whole: handles, strain limits, determinism, memory. */
#include "support.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

/* Creates a sheet of the given resolution, attached by a handle or pinned at two corners. */
static vo_result make_sheet(vo_context *ctx, int resolution, const vo_material_def *given,
                            const vo_handle_def *handle, double wind, vo_scene **scene) {
    vo_scene_def def = vo_scene_def_default();
    def.frame_time = 0.04;
    def.frame_steps = 8;
    def.end_frame = 10;
    def.gravity = (vo_vec3){0, 0, -9.8};
    def.wind_density = 1;
    def.wind_velocity = (vo_vec3){2 * wind, 3 * wind, 0};
    vo_mesh *mesh = NULL;
    vo_fabric *fabric = NULL;
    vo_fabric_def fabric_def = vo_fabric_def_default();
    vo_result result = vo_scene_create(ctx, &def, scene);
    if (result == VO_OK) result = vo_mesh_create_grid(ctx, 1, 1, resolution, resolution, &mesh);
    if (result == VO_OK) result = vo_fabric_create(ctx, &fabric_def, &fabric);
    if (result == VO_OK) {
        vo_material_def material = given ? *given : vo_material_def_default();
        material.fabric = fabric;
        vo_cloth_def cloth = vo_cloth_def_default();
        cloth.mesh = mesh;
        cloth.materials = &material;
        cloth.material_count = 1;
        result = vo_scene_add_cloth(*scene, &cloth, NULL);
    }
    int corners[2] = {0, resolution};
    vo_handle_def pins = vo_handle_def_default();
    pins.nodes = corners;
    pins.node_count = 2;
    if (result == VO_OK) result = vo_scene_add_handle(*scene, handle ? handle : &pins, NULL);
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(mesh);
    return result;
}

static uint64_t hash_after(vo_context *ctx, int resolution, int steps) {
    vo_scene *scene = NULL;
    vo_sim *sim;
    assert_ok(ctx, make_sheet(ctx, resolution, NULL, NULL, 1, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < steps; i++) assert_ok(ctx, vo_sim_step(sim));
    uint64_t hash = vo_sim_hash(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    return hash;
}

static void state_is_independent_of_threads(void **state) {
    (void)state;
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
        vo_context *ctx = test_context(threads);
        hash[threads - 1] = hash_after(ctx, 40, 20);
        vo_context_destroy(ctx);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

typedef struct side {
    uint64_t hash;
} side;

static void *run_in_thread(void *arg) {
    vo_context *ctx = test_context(2);
    ((side *)arg)->hash = hash_after(ctx, 20, 40);
    vo_context_destroy(ctx);
    return NULL;
}

static void two_simulations_run_concurrently(void **state) {
    (void)state;
    side sides[2] = {{0}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_in_thread, &sides[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    vo_context *ctx = test_context(1);
    uint64_t alone = hash_after(ctx, 20, 40);
    vo_context_destroy(ctx);
    assert_true(sides[0].hash == alone && sides[1].hash == alone);
}

static void step_allocates_nothing_after_warm_up(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    vo_scene *scene = NULL;
    vo_sim *sim;
    vo_material_def material = vo_material_def_default();
    material.stretch_min = 0.9;
    material.stretch_max = 1.1;
    assert_ok(ctx, make_sheet(ctx, 30, &material, NULL, 1, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < 100; i++)
        assert_ok(ctx, vo_sim_step(sim)); /* the sheet has fallen and swung */
    long calls = memory.calls;
    for (int i = 0; i < 100; i++) assert_ok(ctx, vo_sim_step(sim));
    assert_int_equal(memory.calls, calls);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

static vo_result create_and_step(vo_context *ctx, void *arg) {
    (void)arg;
    vo_scene *scene = NULL;
    vo_sim *sim = NULL;
    vo_material_def material = vo_material_def_default();
    material.stretch_max = 1.1;
    vo_result result = make_sheet(ctx, 2, &material, NULL, 1, &scene);
    if (result == VO_OK) result = vo_sim_create(ctx, scene, &sim);
    if (result == VO_OK) result = vo_sim_step_frame(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    test_every_allocation(create_and_step, NULL);
}

/* ---- handles -------------------------------------------------------------------------------- */

static void keyframed_node_follows_its_motion(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene *scene = NULL;
    vo_sim *sim;
    int nodes[1] = {0};
    vo_handle_def handle = vo_handle_def_default();
    handle.nodes = nodes;
    handle.node_count = 1;
    handle.motion = 0;
    handle.end = 0.2;
    vo_keyframe keys[2] = {{.time = 0, .pose = vo_pose_identity()},
                           {.time = 0.2, .pose = vo_pose_identity()}};
    keys[1].pose.translate = (vo_vec3){0.1, 0, 0.3};
    vo_handle_def none = vo_handle_def_default();
    int other[1] = {3};
    none.nodes = other;
    none.node_count = 1;
    assert_ok(ctx, make_sheet(ctx, 8, NULL, &none, 1, &scene));
    assert_ok(ctx, vo_scene_add_motion(scene, 2, keys, NULL));
    assert_ok(ctx, vo_scene_add_handle(scene, &handle, NULL));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < 20; i++)
        assert_ok(ctx, vo_sim_step(sim)); /* half of the path: Hermite, 0.5 */
    vo_vec3 x = vo_sim_get_cloth(sim, 0).node_x[0];
    assert_near(x.x, 0.05, 1e-12);
    assert_near(x.z, 0.15, 1e-12);
    for (int i = 0; i < 20; i++) assert_ok(ctx, vo_sim_step(sim));
    x = vo_sim_get_cloth(sim, 0).node_x[0];
    assert_near(x.z, 0.3, 1e-9);
    for (int i = 0; i < 40; i++) assert_ok(ctx, vo_sim_step(sim)); /* released: the node falls */
    assert_true(vo_sim_get_cloth(sim, 0).node_x[0].z < 0.25);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* A soft handle carries half of the sheet's weight with a spring: it sags by weight / stiffness. */
static void soft_handle_sags_by_weight_over_stiffness(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene *scene = NULL;
    vo_sim *sim;
    int nodes[2] = {0, 4};
    vo_handle_def handle = vo_handle_def_default();
    handle.nodes = nodes;
    handle.node_count = 2;
    handle.stiffness = 50;
    vo_material_def material = vo_material_def_default();
    material.damping = 0.1;
    assert_ok(ctx, make_sheet(ctx, 4, &material, &handle, 0, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    double start = vo_sim_get_cloth(sim, 0).node_x[0].z, mean = 0;
    for (int i = 0; i < 3000; i++) {
        assert_ok(ctx, vo_sim_step(sim));
        vo_mesh_view view = vo_sim_get_cloth(sim, 0);
        if (i >= 2000) mean += (view.node_x[0].z + view.node_x[4].z) / 2 / 1000;
    }
    double weight = vo_fabric_def_default().density * 9.8;
    assert_near(start - mean, weight / (2 * 50), 0.1 * weight / (2 * 50));
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

static void glue_pulls_two_nodes_together(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene *scene = NULL;
    vo_sim *sim;
    int ends[2] = {0, 80};
    vo_handle_def glue = vo_handle_def_default();
    glue.kind = VO_HANDLE_GLUE;
    glue.nodes = ends;
    glue.node_count = 2;
    assert_ok(ctx, make_sheet(ctx, 8, NULL, &glue, 1, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < 400; i++) assert_ok(ctx, vo_sim_step(sim));
    vo_vec3 a = vo_sim_get_cloth(sim, 0).node_x[0], b = vo_sim_get_cloth(sim, 0).node_x[80];
    double apart =
        sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
    assert_true(apart < 0.02);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* ---- strain limits -------------------------------------------------------------------------- */

static double max_strain(const vo_material_def *material) {
    vo_context *ctx = test_context(1);
    vo_scene *scene = NULL;
    vo_sim *sim;
    assert_ok(ctx, make_sheet(ctx, 16, material, NULL, 1, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    double worst = 0;
    for (int i = 0; i < 12; i++) {
        assert_ok(ctx, vo_sim_step_frame(sim));
        worst = fmax(worst, vo_sim_get_stats(sim).max_strain);
    }
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return worst;
}

static void strain_limits_are_enforced(void **state) {
    (void)state;
    vo_material_def material = vo_material_def_default();
    material.stretching_mult = 0.1;
    double free_strain = max_strain(&material);
    material.stretch_max = 1.05;
    double limited = max_strain(&material);
    print_message("largest strain: %.3f free, %.3f limited to 0.05\n", free_strain, limited);
    assert_true(free_strain > 0.10);
    assert_true(limited < 0.06);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_is_independent_of_threads),
        cmocka_unit_test(two_simulations_run_concurrently),
        cmocka_unit_test(step_allocates_nothing_after_warm_up),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(keyframed_node_follows_its_motion),
        cmocka_unit_test(soft_handle_sags_by_weight_over_stiffness),
        cmocka_unit_test(glue_pulls_two_nodes_together),
        cmocka_unit_test(strain_limits_are_enforced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
