/* Scene files and API calls accept and reject the same definitions. */
#include "scene_files.h"

#include <voile/voile.h>

/* A scene built by API calls: a sheet of cloth with its fabric and material. */
typedef struct made {
    vo_context *ctx;
    vo_mesh *sheet;
    vo_fabric *fabric;
    vo_scene *scene;
    vo_material_def material;
    vo_cloth_def cloth;
} made;

static made make_scene(vo_context *ctx) {
    made m = {.ctx = ctx, .material = vo_material_def_default(), .cloth = vo_cloth_def_default()};
    vo_fabric_def weave = vo_fabric_def_default();
    m.sheet = test_grid(ctx, 1, 1, 2, 2);
    assert_ok(ctx, vo_fabric_create(ctx, &weave, &m.fabric));
    assert_ok(ctx, vo_scene_create(ctx, NULL, &m.scene));
    m.material.fabric = m.fabric;
    m.cloth.mesh = m.sheet;
    m.cloth.material_count = 1;
    return m;
}

static void free_scene(made *m) {
    vo_scene_destroy(m->scene);
    vo_fabric_destroy(m->fabric);
    vo_mesh_destroy(m->sheet);
}

static vo_result add_cloth(made *m) {
    m->cloth.materials = &m->material;
    return vo_scene_add_cloth(m->scene, &m->cloth, NULL);
}

static void expect_rejected(vo_context *ctx, vo_result result, const char *message) {
    if (result != VO_BAD_ARGUMENT) fail_msg("\"%s\": result %d", message, (int)result);
    assert_message_contains(ctx, message);
}

static vo_result make_tetrahedron(vo_context *ctx, vo_mesh_use use, vo_mesh **out) {
    static const vo_vec3 x[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int face[][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    return vo_mesh_create(ctx, 4, x, 0, NULL, NULL, 4, face, use, out);
}

static const char tetrahedron_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                      "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/* A closed surface overlaps itself in material space, which is an error for cloth only. */
static void closed_bodies_are_obstacles(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    made m = make_scene(files.ctx);
    vo_mesh *body;
    assert_int_equal(make_tetrahedron(files.ctx, VO_MESH_FOR_CLOTH, &body), VO_BAD_DATA);
    assert_null(body);
    assert_message_contains(files.ctx, "no area in material space");
    expect_rejected(files.ctx, make_tetrahedron(files.ctx, (vo_mesh_use)2, &body), "vo_mesh_use");
    assert_ok(files.ctx, make_tetrahedron(files.ctx, VO_MESH_FOR_OBSTACLE, &body));
    vo_obstacle_def obstacle = vo_obstacle_def_default();
    obstacle.mesh = body;
    assert_ok(files.ctx, vo_scene_add_obstacle(m.scene, &obstacle, NULL));
    assert_int_equal(m.scene->obstacle[0].mesh->face_count, 4);
    m.cloth.mesh = body;
    expect_rejected(files.ctx, add_cloth(&m), "created for an obstacle");
    m.cloth.mesh = m.scene->obstacle[0].mesh; /* a copy keeps its use (cloth or obstacle) */
    expect_rejected(files.ctx, add_cloth(&m), "created for an obstacle");
    vo_mesh_destroy(body);
    free_scene(&m);
    scene_files_close(&files);
}

static void obstacle_files_are_loaded_by_calls(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "body.obj", tetrahedron_obj);
    char path[600];
    snprintf(path, sizeof path, "%s/body.obj", files.folder);
    vo_mesh *body;
    assert_int_equal(vo_mesh_load_obj(files.ctx, path, VO_MESH_FOR_CLOTH, &body), VO_BAD_DATA);
    assert_ok(files.ctx, vo_mesh_load_obj(files.ctx, path, VO_MESH_FOR_OBSTACLE, &body));
    assert_int_equal(vo_mesh_get_view(body).face_count, 4);
    vo_mesh_destroy(body);
    assert_int_equal(vo_check_mesh(files.ctx, path, VO_MESH_FOR_CLOTH, NULL, NULL), VO_BAD_DATA);
    assert_ok(files.ctx, vo_check_mesh(files.ctx, path, VO_MESH_FOR_OBSTACLE, NULL, NULL));
    scene_files_close(&files);
}

/* A definition rejected by the API and the equivalent scene file, which is rejected too. */
#define REJECT_DEF(change, set, message)                                               \
    do {                                                                               \
        vo_scene_def def = vo_scene_def_default();                                     \
        vo_scene *scene;                                                               \
        change;                                                                        \
        expect_rejected(files.ctx, vo_scene_create(files.ctx, &def, &scene), message); \
        assert_null(scene);                                                            \
        if (set) scene_files_refuse(&files, scene_full, set, "");                      \
    } while (0)

static const char *const no_set = NULL;

static void scenes_have_the_same_bounds(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    REJECT_DEF(def.frame_time = 1e16, "frame_time=1e16", "frame_time");
    REJECT_DEF(def.frame_time = 1e-16, "frame_time=1e-16", "frame_time");
    REJECT_DEF(def.end_time = 1e16, "end_time=1e16", "end_time");
    REJECT_DEF(def.end_time = NAN, no_set, "end_time");
    REJECT_DEF(def.end_time = -INFINITY, "end_time=\"-inf\"", "end_time");
    REJECT_DEF(def.end_frame = 1e16, "end_frame=1e16", "end_frame");
    REJECT_DEF(def.end_frame = 2.5, "end_frame=2.5", "end_frame must be a whole number");
    REJECT_DEF(def.gravity.x = 2e15, "gravity=[2e15,0,0]", "gravity");
    REJECT_DEF(def.gravity.z = -INFINITY, no_set, "gravity");
    REJECT_DEF(def.wind_density = 1e16, "wind.density=1e16", "wind_density");
    REJECT_DEF(def.wind_density = NAN, no_set, "wind_density");
    REJECT_DEF(def.wind_velocity.y = -1e16, "wind.velocity=[0,-1e16,0]", "wind_velocity");
    REJECT_DEF(def.wind_drag = 1e16, "wind.drag=1e16", "wind_drag");
    REJECT_DEF(def.repulsion_thickness = 1e16, "magic.repulsion_thickness=1e16",
               "repulsion_thickness");
    REJECT_DEF(def.repulsion_thickness = 1e-16, "magic.repulsion_thickness=1e-16",
               "repulsion_thickness");
    REJECT_DEF(def.projection_thickness = 1e16, "magic.projection_thickness=1e16",
               "projection_thickness");
    REJECT_DEF(def.collision_stiffness = 1e16, "magic.collision_stiffness=1e16",
               "collision_stiffness");
    REJECT_DEF(def.friction = 1e16, "friction=1e16", "friction");
    REJECT_DEF(def.obstacle_friction = 1e16, "obs_friction=1e16", "obstacle_friction");
    REJECT_DEF(def.handle_stiffness = 1e16, "magic.handle_stiffness=1e16", "handle_stiffness");
    REJECT_DEF(def.handle_stiffness = 1e-16, "magic.handle_stiffness=1e-16", "handle_stiffness");
    REJECT_DEF(def.solver_tolerance = 1e-16, "solver.tolerance=1e-16", "solver_tolerance");
    REJECT_DEF(def.solver_tolerance = NAN, no_set, "solver_tolerance");
    REJECT_DEF(def.view.frustum_margin = 1e-300, "view.frustum_margin=1e-300",
               "view.frustum_margin");
    REJECT_DEF(def.view.min_edge_pixels = 1e-20, "view.min_edge_pixels=1e-20",
               "view.min_edge_pixels");
    REJECT_DEF(def.view.silhouette = 1e-20, "view.silhouette=1e-20", "view.silhouette");
    REJECT_DEF(def.view.max_popping = 1e-300, "view.max_popping=1e-300", "view.max_popping");
    REJECT_DEF(def.view.budget_seconds = 1e-300, "view.budget_seconds=1e-300", "budget_seconds");
    scene_files_close(&files);
}

#define REJECT_CLOTH(change, set, message)                        \
    do {                                                          \
        made m = good;                                            \
        change;                                                   \
        expect_rejected(files.ctx, add_cloth(&m), message);       \
        if (set) scene_files_refuse(&files, scene_full, set, ""); \
    } while (0)

static void cloths_have_the_same_bounds(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    made good = make_scene(files.ctx);
#define MATERIAL "cloths[0].materials[0]."
    REJECT_CLOTH(m.material.density_mult = 1e16, MATERIAL "density_mult=1e16", "density_mult");
    REJECT_CLOTH(m.material.density_mult = 1e-16, MATERIAL "density_mult=1e-16", "density_mult");
    REJECT_CLOTH(m.material.stretching_mult = 1e16, MATERIAL "stretching_mult=1e16", "stretching");
    REJECT_CLOTH(m.material.bending_mult = NAN, no_set, "bending_mult");
    REJECT_CLOTH(m.material.damping = 1e16, MATERIAL "damping=1e16", "damping");
    REJECT_CLOTH(m.material.stretch_min = NAN, no_set, "stretch_min");
    REJECT_CLOTH(m.material.stretch_max = NAN, no_set, "stretch_max");
    REJECT_CLOTH(m.material.stretch_min = INFINITY, MATERIAL "strain_limits=[\"inf\",\"inf\"]",
                 "stretch_min");
    REJECT_CLOTH(m.material.stretch_max = 1e16, MATERIAL "strain_limits=[0,1e16]", "stretch_max");
#undef MATERIAL
    REJECT_CLOTH(m.cloth.pose.translate.y = 1e16, "cloths[0].transform.translate=[0,1e16,0]",
                 "pose.translate");
    REJECT_CLOTH(m.cloth.pose.scale = 1e-16, "cloths[0].transform.scale=1e-16", "pose.scale");
    REJECT_CLOTH(m.cloth.pose.degrees = NAN, no_set, "pose.degrees"); /* even about a zero axis */
    REJECT_CLOTH(m.cloth.pose.degrees = 1e16, "cloths[0].transform.rotate=[1e16,0,0,1]",
                 "pose.degrees");
    REJECT_CLOTH(m.cloth.pose.axis.x = NAN, no_set, "pose.axis");
    REJECT_CLOTH(m.cloth.linear_velocity.x = 1e16, "cloths[0].velocity.linear=[1e16,0,0]",
                 "linear_velocity");
    REJECT_CLOTH(m.cloth.angular_velocity.x = NAN, no_set, "angular_velocity");
    REJECT_CLOTH(m.cloth.velocity_origin.x = 1e16, "cloths[0].velocity.origin=[1e16,0,0]",
                 "velocity_origin");
    /* each number is valid, the result is not */
    REJECT_CLOTH(m.cloth.pose.scale = 1e-9, "cloths[0].transform.scale=1e-9", "the area of face");
    REJECT_CLOTH(m.cloth.angular_velocity.x = 1e15;
                 m.cloth.pose.translate.y = 1e3,
                 "cloths[0].velocity={\"angular\": [1e15, 0, 0], \"origin\": [0, 0, 1e3]}",
                 "the velocity of node");
    assert_int_equal(vo_scene_cloth_count(good.scene), 0);
    free_scene(&good);
    scene_files_close(&files);
}

#define REJECT_HANDLE(change, set, message)                                            \
    do {                                                                               \
        vo_handle_def def = vo_handle_def_default();                                   \
        def.node_count = 2;                                                            \
        def.nodes = (int[]){0, 1};                                                     \
        change;                                                                        \
        expect_rejected(files.ctx, vo_scene_add_handle(m.scene, &def, NULL), message); \
        if (set) scene_files_refuse(&files, scene_full, set, "");                      \
    } while (0)

static void handles_have_the_same_bounds(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    made m = make_scene(files.ctx);
    assert_ok(files.ctx, add_cloth(&m));
    REJECT_HANDLE(def.start = INFINITY, "handles[0].start_time=\"inf\"", "start");
    REJECT_HANDLE(def.start = 1e16, "handles[0].start_time=1e16", "start");
    REJECT_HANDLE(def.end = -INFINITY, "handles[0].end_time=\"-inf\"", "end");
    REJECT_HANDLE(def.end = -INFINITY; def.fade = INFINITY, no_set, "end");
    REJECT_HANDLE(def.end = NAN, no_set, "end");
    REJECT_HANDLE(def.end = 1e16, "handles[0].end_time=1e16", "end");
    REJECT_HANDLE(def.fade = INFINITY, "handles[0].fade_time=\"inf\"", "fade");
    REJECT_HANDLE(def.fade = NAN, no_set, "fade");
    REJECT_HANDLE(def.stiffness = 1e16, "handles[0].stiffness=1e16", "stiffness");
    REJECT_HANDLE(def.stiffness = NAN, no_set, "stiffness");
    REJECT_HANDLE(def.character = 5, "handles[0].character=5", "character 5");
    REJECT_HANDLE(def.character = -2, "handles[0].character=-2", "character -2");
    REJECT_HANDLE(def.label = -2, "handles[0].label=-2", "label");
    vo_handle_def circle = {.kind = VO_HANDLE_CIRCLE,
                            .character = -1,
                            .motion = -1,
                            .label = 3,
                            .end = INFINITY,
                            .circumference = 1,
                            .circle_u = {1, 0},
                            .axis0 = {1, 0, 0},
                            .axis1 = {0, 1, 0}};
    REJECT_HANDLE(def = circle;
                  def.circumference = 1e16, "handles[4].circumference=1e16", "circumference");
    REJECT_HANDLE(def = circle; def.circle_u.y = 1e16, "handles[4].u=[1, 1e16]", "circle_u");
    REJECT_HANDLE(def = circle; def.center.y = 1e16, "handles[4].center=[0, 1e16, 0]", "center");
    REJECT_HANDLE(def = circle; def.axis0.y = 1e16, "handles[4].axis0=[0, 1e16, 0]", "axis0");
    REJECT_HANDLE(def = circle; def.axis1.y = NAN, no_set, "axis1");
    REJECT_HANDLE(def.kind = VO_HANDLE_SOFT; def.radius = 1e16, "handles[3].radius=1e16", "radius");
    free_scene(&m);
    scene_files_close(&files);
}

static void motions_and_obstacles_have_the_same_bounds(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    made m = make_scene(files.ctx);
#define REJECT_KEY(change, set, message)                                                  \
    do {                                                                                  \
        vo_keyframe key = {.pose = vo_pose_identity(), .has_velocity = true};             \
        change;                                                                           \
        expect_rejected(files.ctx, vo_scene_add_motion(m.scene, 1, &key, NULL), message); \
        if (set) scene_files_refuse(&files, scene_full, set, "");                         \
    } while (0)
    REJECT_KEY(key.time = 1e16, "motions[0][1].time=1e16", "time");
    REJECT_KEY(key.pose.translate.x = 1e16, "motions[0][1].transform.translate=[1e16,0,0]",
               "pose.translate");
    REJECT_KEY(key.pose.scale = 1e16, "motions[0][1].transform.scale=1e16", "pose.scale");
    REJECT_KEY(key.pose.degrees = 1e16, "motions[0][1].transform.rotate=[1e16,0,0,1]",
               "pose.degrees");
    REJECT_KEY(key.pose.axis.z = NAN, no_set, "pose.axis");
    REJECT_KEY(key.velocity.translate.x = 1e16, "motions[0][0].velocity.translate=[1e16,0,0]",
               "velocity.translate");
    REJECT_KEY(key.velocity.scale = NAN, no_set, "velocity.scale");
    assert_int_equal(m.scene->motion_count, 0);
    vo_obstacle_def def = vo_obstacle_def_default();
    def.mesh = m.sheet;
    def.pose.degrees = NAN;
    expect_rejected(files.ctx, vo_scene_add_obstacle(m.scene, &def, NULL), "pose.degrees");
    def.pose = vo_pose_identity();
    def.end = -INFINITY;
    expect_rejected(files.ctx, vo_scene_add_obstacle(m.scene, &def, NULL), "end");
    scene_files_refuse(&files, scene_full, "obstacles[0].end_time=\"-inf\"", "obstacles[0]: end");
    assert_int_equal(vo_scene_obstacle_count(m.scene), 0);
    scene_files_write(&files, "far.mot", "NumFrames: 1\np\n1e15 0 0\n\no\n1 0 0 0\n");
    scene_files_refuse(&files, scene_least,
                       "motions={\"motfile\": \"far.mot\", \"fps\": 1, \"transform\": "
                       "{\"scale\": 10}}",
                       "motions.motfile: key 0 of the motion: the pose is out of bounds");
    free_scene(&m);
    scene_files_close(&files);
}

/* The fifth node is isolated. Its label is 3, as that of the first node. */
static const char lonely_obj[] = "v 0 0 0\nnl 3\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 5 5\nnl 3\n"
                                 "f 1 2 3\nf 1 3 4\n";

/* Positions on the circle are computed from material positions, which isolated nodes lack. */
static void circles_leave_isolated_nodes_out(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "sheet.obj", lonely_obj);
    static const char circle[] =
        "handles=[{\"type\": \"circle\", \"label\": 3, \"circumference\": 1, \"u\": [1, 0], "
        "\"center\": [0, 0, 0], \"axis0\": [1, 0, 0], \"axis1\": [0, 1, 0]}, {\"label\": 3}]";
    vo_scene *scene = scene_files_expect(&files, scene_least, circle);
    assert_int_equal(scene->handle[0].def.node_count, 1);
    assert_int_equal(scene->handle[0].def.nodes[0], 0);
    assert_int_equal(scene->handle[1].def.node_count, 2); /* a node handle accepts it */
    assert_non_null(strstr(files.log, "warning: handle 0 ignores 1 node of cloth 0"));
    assert_null(strstr(files.log, "handle 1"));
    vo_handle_def def = scene->handle[0].def;
    def.label = -1;
    def.node_count = 2;
    def.nodes = (int[]){4, 4};
    files.log[0] = 0;
    assert_ok(files.ctx, vo_scene_add_handle(scene, &def, NULL));
    assert_int_equal(scene->handle[2].def.node_count, 0);
    assert_null(scene->handle[2].def.nodes);
    assert_non_null(strstr(files.log, "warning: handle 2 ignores 2 nodes of cloth 0"));
    vo_sim *sim;
    assert_ok(files.ctx, vo_sim_create(files.ctx, scene, &sim));
    for (int i = 0; i < 3; i++) assert_ok(files.ctx, vo_sim_step(sim));
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* Steps a scene and asserts that all positions are finite. */
static void expect_steps(vo_context *ctx, const vo_scene *scene) {
    vo_sim *sim;
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < 5; i++) assert_ok(ctx, vo_sim_step(sim));
    for (int c = 0; c < vo_scene_cloth_count(scene); c++) {
        vo_mesh_view view = vo_sim_get_cloth(sim, c);
        for (int n = 0; n < view.node_count; n++) assert_true(v3_is_finite(view.node_x[n]));
    }
    vo_sim_destroy(sim);
}

/* A file without cloth is rejected. A scene built by calls may be empty; its simulation runs
 * without cloth. */
static void scenes_without_cloth(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_refuse(&files, "{\"frame_time\": 0.04}", NULL, "cloths: is missing");
    scene_files_refuse(&files, "{\"frame_time\": 0.04, \"cloths\": []}", NULL,
                       "cloths: the array is empty");
    made m = make_scene(files.ctx);
    assert_int_equal(vo_scene_cloth_count(m.scene), 0);
    vo_handle_def handle = vo_handle_def_default();
    expect_rejected(files.ctx, vo_scene_add_handle(m.scene, &handle, NULL),
                    "cloth 0 does not exist; the scene has 0");
    expect_steps(files.ctx, m.scene);
    free_scene(&m);
    scene_files_close(&files);
}

/* Two triangles; every node is a corner of the sheet. */
static void smallest_grid_is_accepted(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    static const char set[] =
        "cloths=[{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 1, \"rows\": 1}, "
        "\"materials\": [{\"data\": \"cloth.json\"}]}]";
    vo_scene *scene = scene_files_expect(&files, scene_least, set);
    assert_int_equal(scene->cloth[0].mesh->face_count, 2);
    assert_string_equal(files.log, "");
    expect_steps(files.ctx, scene);
    vo_scene_destroy(scene);
    made m = make_scene(files.ctx);
    vo_mesh *small = test_grid(files.ctx, 1, 1, 1, 1);
    m.cloth.mesh = small;
    assert_ok(files.ctx, add_cloth(&m));
    vo_handle_def corner = vo_handle_def_default();
    corner.node_count = 1;
    corner.nodes = (int[]){3};
    assert_ok(files.ctx, vo_scene_add_handle(m.scene, &corner, NULL));
    expect_steps(files.ctx, m.scene);
    for (int i = 0; i < 4; i++) {
        double size[] = {i == 0 ? 0 : 1, i == 1 ? NAN : 1};
        vo_mesh *none;
        expect_rejected(files.ctx,
                        vo_mesh_create_grid(files.ctx, size[0], size[1], i == 2 ? 0 : 1,
                                            i == 3 ? -1 : 1, &none),
                        "grid of ");
        assert_null(none);
    }
    vo_mesh_destroy(small);
    free_scene(&m);
    scene_files_close(&files);
}

/* Scenes refer to nodes by index, so an isolated node is kept, without mass, with a warning. */
static void isolated_nodes_stay(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "sheet.obj", lonely_obj);
    static const char *const sets[] = {
        "handles=[{\"nodes\": [4]}]", "handles=[{\"nodes\": [4], \"stiffness\": 10}]",
        "handles=[{\"type\": \"glue\", \"nodes\": [0, 4]}]",
        "handles=[{\"type\": \"soft\", \"center\": [5, 5, 5], \"radius\": 20}]", "handles=[]"};
    for (int i = 0; i < 5; i++) {
        vo_scene *scene = scene_files_expect(&files, scene_least, sets[i]);
        assert_int_equal(scene->cloth[0].mesh->node_count, 5);
        assert_int_equal(scene->cloth[0].mesh->vert_count, 4);
        assert_non_null(strstr(files.log, "node 4 (line 6), at (5, 5, 5): belongs to no face"));
        expect_steps(files.ctx, scene);
        vo_scene_destroy(scene);
    }
    static const vo_vec3 x[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {9, 9, 9}};
    static const int face[][3] = {{0, 1, 2}};
    made m = make_scene(files.ctx);
    vo_mesh *lonely;
    files.log[0] = 0;
    assert_ok(files.ctx,
              vo_mesh_create(files.ctx, 4, x, 0, NULL, NULL, 1, face, VO_MESH_FOR_CLOTH, &lonely));
    assert_non_null(strstr(files.log, "node 3, at (9, 9, 9): belongs to no face"));
    m.cloth.mesh = lonely;
    assert_ok(files.ctx, add_cloth(&m));
    expect_steps(files.ctx, m.scene);
    vo_mesh_destroy(lonely);
    free_scene(&m);
    scene_files_close(&files);
}

/* A handle label without nodes is accepted with a warning, a material without faces is unused, and
 * a face with an undefined material is rejected. */
static void labels_that_nothing_has(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(&files, scene_least, "handles=[{\"label\": 77}]");
    assert_non_null(strstr(files.log, "handle 0 holds nothing: no node of cloth 0 has label 77"));
    assert_int_equal(scene->handle[0].def.node_count, 0);
    expect_steps(files.ctx, scene);
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_least,
                               "cloths[0].materials=[{\"data\": \"cloth.json\"}, {\"data\": "
                               "\"cloth.json\", \"damping\": 1}]");
    assert_int_equal(scene->cloth[0].material_count, 2);
    expect_steps(files.ctx, scene);
    vo_scene_destroy(scene);
    scene_files_write(&files, "sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\ntl 1\n");
    scene_files_refuse(&files, scene_least, NULL, "face 0 has label 1");

    made m = make_scene(files.ctx);
    m.sheet->face_label[5] = 1;
    expect_rejected(files.ctx, add_cloth(&m), "face 5 has label 1");
    vo_material_def two[] = {m.material, m.material};
    m.cloth.materials = two;
    m.cloth.material_count = 2;
    assert_ok(files.ctx, vo_scene_add_cloth(m.scene, &m.cloth, NULL));
    vo_handle_def handle = vo_handle_def_default();
    handle.label = 77;
    files.log[0] = 0;
    assert_ok(files.ctx, vo_scene_add_handle(m.scene, &handle, NULL));
    assert_non_null(strstr(files.log, "no node of cloth 0 has label 77"));
    expect_steps(files.ctx, m.scene);
    free_scene(&m);
    scene_files_close(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_bodies_are_obstacles),
        cmocka_unit_test(obstacle_files_are_loaded_by_calls),
        cmocka_unit_test(scenes_have_the_same_bounds),
        cmocka_unit_test(cloths_have_the_same_bounds),
        cmocka_unit_test(handles_have_the_same_bounds),
        cmocka_unit_test(motions_and_obstacles_have_the_same_bounds),
        cmocka_unit_test(circles_leave_isolated_nodes_out),
        cmocka_unit_test(scenes_without_cloth),
        cmocka_unit_test(smallest_grid_is_accepted),
        cmocka_unit_test(isolated_nodes_stay),
        cmocka_unit_test(labels_that_nothing_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
