/* Scenes built by API calls: defaults, rejected arguments, transformed meshes and handles. */
#include "support.h"

#include "scene/scene.h"

#include <string.h>

static vo_mesh *make_grid(vo_context *ctx) {
    vo_mesh *mesh = test_grid(ctx, 2, 1, 2, 1);
    return mesh;
}

static vo_fabric *make_fabric(vo_context *ctx) {
    vo_fabric_def def = vo_fabric_def_default();
    vo_fabric *fabric;
    assert_ok(ctx, vo_fabric_create(ctx, &def, &fabric));
    return fabric;
}

/* Fixture: a context, a scene and a sheet of cloth. */
typedef struct fixture {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_scene *scene;
    vo_material_def material;
    vo_cloth_def cloth;
} fixture;

static fixture set_up(void) {
    fixture f = {.ctx = test_context(1)};
    f.mesh = make_grid(f.ctx);
    f.fabric = make_fabric(f.ctx);
    assert_ok(f.ctx, vo_scene_create(f.ctx, NULL, &f.scene));
    f.material = vo_material_def_default();
    f.material.fabric = f.fabric;
    f.cloth = vo_cloth_def_default();
    f.cloth.mesh = f.mesh;
    f.cloth.material_count = 1;
    return f;
}

static void tear_down(fixture *f) {
    vo_scene_destroy(f->scene);
    vo_fabric_destroy(f->fabric);
    vo_mesh_destroy(f->mesh);
    vo_context_destroy(f->ctx);
}

static vo_result add_cloth(fixture *f) {
    f->cloth.materials = &f->material;
    return vo_scene_add_cloth(f->scene, &f->cloth, NULL);
}

static void expect_rejected(vo_context *ctx, vo_result result, const char *message) {
    assert_int_equal(result, VO_BAD_ARGUMENT);
    assert_message_contains(ctx, message);
}

static void defaults_are_physical(void **state) {
    (void)state;
    vo_scene_def def = vo_scene_def_default();
    assert_true(def.frame_time == 0.04 && def.frame_steps == 8); /* substeps of 5 ms */
    assert_true(isinf(def.end_time) && isinf(def.end_frame));
    assert_true(def.friction == 0.6 && def.obstacle_friction == 0.3);
    assert_true(def.repulsion_thickness == 2e-3 && def.projection_thickness == 0);
    assert_true(def.collision_stiffness == 1e7);
    assert_true(def.handle_stiffness == 1e3 && def.wind_density == 1.2 && def.wind_drag == 0);
    assert_true(def.gravity.x == 0 && def.gravity.y == 0 && def.gravity.z == -9.81);
    assert_true(def.solver == VO_SOLVER_PCG && def.solver_tolerance == 1e-3);
    assert_int_equal(def.solver_max_iterations, 500);
    vo_material_def material = vo_material_def_default();
    assert_true(material.density_mult == 1 && material.bending_mult == 1);
    assert_true(material.stretch_min == -INFINITY && material.stretch_max == INFINITY);
    vo_handle_def handle = vo_handle_def_default();
    assert_true(handle.kind == VO_HANDLE_NODE && handle.label == -1 && handle.motion == -1);
    assert_true(handle.start == 0 && isinf(handle.end) && handle.fade == 0);
    assert_true(vo_obstacle_def_default().pose.scale == 1 && isinf(vo_obstacle_def_default().end));
}

static void bad_scene_definitions_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene *scene;
#define REFUSE(member, value, message)                                     \
    do {                                                                   \
        vo_scene_def def = vo_scene_def_default();                         \
        def.member = value;                                                \
        expect_rejected(ctx, vo_scene_create(ctx, &def, &scene), message); \
        assert_null(scene);                                                \
    } while (0)
    REFUSE(frame_time, 0, "frame_time");
    REFUSE(frame_time, NAN, "frame_time");
    REFUSE(frame_time, INFINITY, "frame_time");
    REFUSE(frame_steps, 0, "frame_steps");
    REFUSE(end_time, -1, "end_time");
    REFUSE(end_frame, NAN, "end_frame");
    REFUSE(gravity.y, NAN, "gravity");
    REFUSE(wind_density, -1, "wind_density");
    REFUSE(wind_velocity.x, INFINITY, "wind_velocity");
    REFUSE(wind_drag, -1, "wind_drag");
    REFUSE(repulsion_thickness, 0, "repulsion_thickness");
    REFUSE(teleport_speed, 0, "teleport_speed");
    REFUSE(projection_thickness, -1, "projection_thickness");
    REFUSE(projection_thickness, NAN, "projection_thickness");
    REFUSE(collision_stiffness, 0, "collision_stiffness");
    REFUSE(friction, NAN, "friction");
    REFUSE(obstacle_friction, -1, "friction");
    REFUSE(handle_stiffness, 0, "handle_stiffness");
    REFUSE(solver, (vo_linear_solver)7, "solver");
    REFUSE(solver_tolerance, 0, "solver_tolerance");
    REFUSE(solver_tolerance, 1, "solver_tolerance");
    REFUSE(solver_max_iterations, 0, "solver_max_iterations");
    REFUSE(disable, 1u << 9, "disable");
#undef REFUSE
    vo_context_destroy(ctx);
}

/* Node 1 of the grid is at (1, 0, 0). Scaled by 2, rotated by 90 degrees about z and
 * translated by (5, 0, 1) it is at (5, 2, 1); an angular velocity of 3 rad/s about z through
 * (5, 0, 0) gives it the velocity (-6, 0, 0). */
static void cloth_is_put_in_its_place(void **state) {
    (void)state;
    fixture f = set_up();
    f.cloth.pose = (vo_pose){{5, 0, 1}, 2, 90, {0, 0, 1}};
    f.cloth.linear_velocity = v3(0, 0, 0.5);
    f.cloth.angular_velocity = v3(0, 0, 3);
    f.cloth.velocity_origin = v3(5, 0, 0);
    f.mesh->node_v[1] = v3(1, 0, 0);
    assert_ok(f.ctx, add_cloth(&f));
    const vo_mesh *placed = f.scene->cloth[0].mesh;
    assert_near(v3_distance(placed->node_x[1], v3(5, 2, 1)), 0, 1e-14);
    assert_near(v3_distance(placed->node_v[1], v3(-6, 2, 0.5)), 0, 1e-14);
    assert_near(vo_mesh_face_area(placed, 0), 4 * vo_mesh_face_area(f.mesh, 0), 1e-15);
    assert_true(f.mesh->node_x[1].x == 1); /* the caller's mesh is unchanged */
    tear_down(&f);
}

static void definitions_are_copied(void **state) {
    (void)state;
    fixture f = set_up();
    assert_ok(f.ctx, add_cloth(&f));
    vo_obstacle_def obstacle = vo_obstacle_def_default();
    obstacle.mesh = f.mesh;
    obstacle.pose.translate.z = -1;
    assert_ok(f.ctx, vo_scene_add_obstacle(f.scene, &obstacle, NULL));
    vo_mesh_destroy(f.mesh);
    vo_fabric_destroy(f.fabric);
    f.mesh = NULL;
    f.fabric = NULL;
    assert_int_equal(f.scene->cloth[0].mesh->face_count, 4);
    assert_true(f.scene->cloth[0].material[0].fabric->density > 0);
    assert_true(f.scene->obstacle[0].mesh->node_x[0].z == -1);
    assert_int_equal(vo_scene_cloth_count(f.scene), 1);
    assert_int_equal(vo_scene_obstacle_count(f.scene), 1);
    tear_down(&f);
}

static void bad_cloths_are_rejected(void **state) {
    (void)state;
    fixture f = set_up();
    fixture good = f;
#define REFUSE(change, message)                         \
    do {                                                \
        f = good;                                       \
        change;                                         \
        expect_rejected(f.ctx, add_cloth(&f), message); \
    } while (0)
    REFUSE(f.cloth.mesh = NULL, "mesh");
    REFUSE(f.cloth.material_count = 0, "material");
    REFUSE(f.material.fabric = NULL, "material 0: it has no fabric");
    REFUSE(f.material.density_mult = 0, "material 0: density_mult");
    REFUSE(f.material.stretching_mult = NAN, "material 0: stretching_mult");
    REFUSE(f.material.bending_mult = -1, "material 0: bending_mult");
    REFUSE(f.material.damping = -1, "material 0: damping");
    REFUSE(f.material.stretch_min = 2; f.material.stretch_max = 1, "material 0: the strain limits");
    REFUSE(f.material.stretch_max = 0, "material 0: the upper strain limit");
    REFUSE(f.cloth.pose.scale = 0, "pose");
    REFUSE(f.cloth.pose.translate.x = NAN, "pose");
    REFUSE(f.cloth.pose.scale = 1e15, "out of bounds");
    REFUSE(f.cloth.linear_velocity.z = INFINITY, "velocity");
    REFUSE(f.cloth.sides = (vo_sidedness)3, "sides");
#undef REFUSE
    expect_rejected(good.ctx, vo_scene_add_cloth(good.scene, NULL, NULL), "mesh");
    good.mesh->face_label[2] = 1;
    expect_rejected(good.ctx, add_cloth(&good), "face 2 has label 1");
    assert_int_equal(good.scene->cloth_count, 0);
    tear_down(&good);
}

static void labels_become_lists_of_nodes(void **state) {
    (void)state;
    fixture f = set_up();
    f.mesh->node_label[1] = f.mesh->node_label[4] = 7;
    assert_ok(f.ctx, add_cloth(&f));
    vo_handle_def def = vo_handle_def_default();
    def.label = 7;
    int id = -1;
    assert_ok(f.ctx, vo_scene_add_handle(f.scene, &def, &id));
    assert_int_equal(id, 0);
    const vo_handle_def *kept = &f.scene->handle[0].def;
    assert_int_equal(kept->node_count, 2);
    assert_true(kept->nodes[0] == 1 && kept->nodes[1] == 4);
    def.label = 8; /* holds no node, which is allowed */
    assert_ok(f.ctx, vo_scene_add_handle(f.scene, &def, &id));
    assert_int_equal(f.scene->handle[1].def.node_count, 0);
    tear_down(&f);
}

static void bad_handles_are_rejected(void **state) {
    (void)state;
    fixture f = set_up();
    int nodes[] = {0, 5}, outside[] = {0, 6}, twice[] = {3, 3};
    assert_ok(f.ctx, add_cloth(&f));
    vo_handle_def circle = {.kind = VO_HANDLE_CIRCLE,
                            .character = -1,
                            .label = -1,
                            .node_count = 2,
                            .nodes = nodes,
                            .motion = -1,
                            .end = INFINITY,
                            .circumference = 1,
                            .circle_u = {1, 0},
                            .axis0 = {1, 0, 0},
                            .axis1 = {0, 1, 0},
                            .radius = 1};
    vo_handle_def def;
#define REFUSE(change, message)                                                    \
    do {                                                                           \
        def = circle;                                                              \
        change;                                                                    \
        expect_rejected(f.ctx, vo_scene_add_handle(f.scene, &def, NULL), message); \
    } while (0)
    REFUSE(def.cloth = 1, "cloth 1 does not exist");
    REFUSE(def.cloth = -1, "cloth -1 does not exist");
    REFUSE(def.motion = 0, "motion 0 does not exist");
    REFUSE(def.motion = -2, "motion -2 does not exist");
    REFUSE(def.start = NAN, "start");
    REFUSE(def.fade = -1, "fade");
    REFUSE(def.stiffness = -1, "stiffness");
    REFUSE(def.nodes = outside, "node 6 does not exist; cloth 0 has nodes 0 to 5");
    REFUSE(def.node_count = 0, "nodes or a label");
    REFUSE(def.nodes = NULL, "nodes or a label");
    REFUSE(def.kind = (vo_handle_kind)9, "kind");
    REFUSE(def.circumference = 0, "circumference");
    REFUSE(def.circle_u.x = 0, "u must be");
    REFUSE(def.center.x = NAN, "center");
    REFUSE(def.axis1.y = 0, "axis");
    REFUSE(def.kind = VO_HANDLE_GLUE; def.node_count = 1, "two different nodes");
    REFUSE(def.kind = VO_HANDLE_GLUE; def.nodes = twice, "two different nodes");
    REFUSE(def.kind = VO_HANDLE_SOFT; def.radius = 0, "radius");
    REFUSE(def.kind = VO_HANDLE_SOFT; def.center.z = NAN, "center");
#undef REFUSE
    expect_rejected(f.ctx, vo_scene_add_handle(f.scene, NULL, NULL), "definition");
    assert_int_equal(f.scene->handle_count, 0);
    assert_ok(f.ctx, vo_scene_add_handle(f.scene, &circle, NULL));
    circle.kind = VO_HANDLE_GLUE;
    assert_ok(f.ctx, vo_scene_add_handle(f.scene, &circle, NULL));
    circle.kind = VO_HANDLE_SOFT;
    assert_ok(f.ctx, vo_scene_add_handle(f.scene, &circle, NULL));
    tear_down(&f);
}

static void bad_obstacles_and_motions_are_rejected(void **state) {
    (void)state;
    fixture f = set_up();
    vo_obstacle_def def = vo_obstacle_def_default();
    expect_rejected(f.ctx, vo_scene_add_obstacle(f.scene, &def, NULL), "mesh");
    expect_rejected(f.ctx, vo_scene_add_obstacle(f.scene, NULL, NULL), "mesh");
    def.mesh = f.mesh;
    def.motion = 0;
    expect_rejected(f.ctx, vo_scene_add_obstacle(f.scene, &def, NULL), "motion 0 does not exist");
    def.motion = -1;
    def.end = NAN;
    expect_rejected(f.ctx, vo_scene_add_obstacle(f.scene, &def, NULL), "end");
    def.end = 1;
    def.pose.scale = -1;
    expect_rejected(f.ctx, vo_scene_add_obstacle(f.scene, &def, NULL), "pose");
    expect_rejected(f.ctx, vo_scene_add_motion(f.scene, 0, NULL, NULL), "key");
    assert_int_equal(f.scene->obstacle_count, 0);
    assert_int_equal(f.scene->motion_count, 0);
    tear_down(&f);
}

/* A scene with one object of each kind. */
static vo_result build_scene(vo_context *ctx, const vo_mesh *mesh, const vo_fabric *fabric,
                             vo_scene *scene) {
    vo_material_def material = vo_material_def_default();
    material.fabric = fabric;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.material_count = 1;
    cloth.materials = &material;
    VO_TRY(vo_scene_add_cloth(scene, &cloth, NULL));
    vo_keyframe keys[2] = {{.time = 0, .pose = vo_pose_identity()},
                           {.time = 1, .pose = vo_pose_identity()}};
    int motion;
    VO_TRY(vo_scene_add_motion(scene, 2, keys, &motion));
    vo_obstacle_def obstacle = vo_obstacle_def_default();
    obstacle.mesh = mesh;
    obstacle.motion = motion;
    VO_TRY(vo_scene_add_obstacle(scene, &obstacle, NULL));
    vo_handle_def handle = vo_handle_def_default();
    handle.node_count = 2;
    handle.nodes = (int[]){0, 1};
    handle.motion = motion;
    (void)ctx;
    return vo_scene_add_handle(scene, &handle, NULL);
}

static vo_result build_all(vo_context *ctx, void *arg) {
    (void)arg;
    vo_fabric_def def = vo_fabric_def_default();
    vo_mesh *mesh = NULL;
    vo_fabric *fabric = NULL;
    vo_scene *scene = NULL;
    vo_result result = vo_mesh_create_grid(ctx, 1, 1, 3, 3, &mesh);
    if (result == VO_OK) result = vo_fabric_create(ctx, &def, &fabric);
    if (result == VO_OK) result = vo_scene_create(ctx, NULL, &scene);
    if (result == VO_OK) result = build_scene(ctx, mesh, fabric, scene);
    vo_scene_destroy(scene);
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(mesh);
    return result;
}

static void scenes_survive_allocation_failure(void **state) {
    (void)state;
    test_every_allocation(build_all, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_physical),
        cmocka_unit_test(bad_scene_definitions_are_rejected),
        cmocka_unit_test(cloth_is_put_in_its_place),
        cmocka_unit_test(definitions_are_copied),
        cmocka_unit_test(bad_cloths_are_rejected),
        cmocka_unit_test(labels_become_lists_of_nodes),
        cmocka_unit_test(bad_handles_are_rejected),
        cmocka_unit_test(bad_obstacles_and_motions_are_rejected),
        cmocka_unit_test(scenes_survive_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
