/* Bodies as obstacles of cloth: deforming obstacles, and the preroll. */
#include "run_fixture.h"

#include "character/import/import.h"
#include "sim/sim.h"

#define MOTIONS VOILE_SOURCE_DIR "/assets/motions/"
#define FABRIC  VOILE_SOURCE_DIR "/assets/fabrics/cotton-poplin.json"
#define SCENE   VOILE_SOURCE_DIR "/assets/scenes/veil.json"

/* ---- scenes --------------------------------------------------------------------------------- */

static vo_scene_def calm(double preroll) {
    vo_scene_def def = vo_scene_def_default();
    def.preroll = preroll;
    def.frame_steps = 4;
    return def;
}

/* Adds a sheet of `cells` cells per side, centred at `at`. */
static void add_sheet(vo_scene *scene, double side, int cells, vo_vec3 at) {
    vo_context *ctx = scene->ctx;
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_material_def material = vo_material_def_default();
    vo_cloth_def def = vo_cloth_def_default();
    mesh = test_grid(ctx, side, side, cells, cells);
    assert_ok(ctx, vo_fabric_load(ctx, FABRIC, &fabric));
    material.fabric = fabric;
    def.mesh = mesh;
    def.pose.translate = v3_sub(at, v3(side / 2, side / 2, 0));
    def.material_count = 1;
    def.materials = &material;
    assert_ok(ctx, vo_scene_add_cloth(scene, &def, NULL));
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(mesh);
}

static vo_character_def walker(void) {
    vo_character_def def = vo_character_def_default();
    def.mannequin.faces = 6000;
    def.has_motion = true;
    def.motion.file = MOTIONS "walk.json";
    return def;
}

/* Creates a scene of a walker under a sheet. */
static vo_scene *create_veiled_walker(vo_context *ctx, double preroll, int cells) {
    vo_scene_def def = calm(preroll);
    vo_character_def body = walker();
    vo_scene *scene;
    int id;
    assert_ok(ctx, vo_scene_create(ctx, &def, &scene));
    add_sheet(scene, 0.8, cells, v3(0, 0, 1.77));
    assert_ok(ctx, vo_scene_add_character(scene, &body, &id));
    assert_int_equal(id, 0);
    assert_int_equal(scene->character_count, 1);
    assert_int_equal(scene->character[0].obstacle, 0);
    return scene;
}

/* ---- positions and velocities --------------------------------------------------------------- */

static double largest_difference(int count, const vo_vec3 *a, const vo_vec3 *b) {
    double far = 0;
    for (int n = 0; n < count; n++) far = vo_max(far, v3_distance(a[n], b[n]));
    return far;
}

/* Checks the obstacle's positions at the time of the simulation and its velocities by
 * differences. */
static void check_obstacle_motion(vo_sim *sim, double from, double to, double tolerance) {
    const vo_mesh *mesh = sim->obstacle[0].mesh;
    size_t count = (size_t)mesh->node_count;
    vo_vec3 *x = test_malloc(3 * count * sizeof *x);
    vo_body_evaluator follower;
    assert_ok(sim->ctx, vo_body_evaluator_init(sim->ctx, sim->scene->obstacle[0].body, &follower));
    vo_body_eval_positions(&follower, vo_sim_time(sim), x);
    assert_true(largest_difference(mesh->node_count, mesh->node_x, x) < 1e-12);
    vo_body_eval_positions(&follower, from, x);
    vo_body_eval_positions(&follower, to, x + count);
    for (size_t n = 0; n < count; n++)
        x[2 * count + n] = v3_scale(1 / (to - from), v3_sub(x[count + n], x[n]));
    double off = largest_difference(mesh->node_count, mesh->node_v, x + 2 * count);
    if (!(off < tolerance)) fail_msg("velocities are off by %g m/s", off);
    vo_body_evaluator_free(&follower);
    test_free(x);
}

static void bodies_have_places_and_velocities(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_scene *scene = create_veiled_walker(ctx, 0.2, 4);
    vo_sim *sim;
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    assert_near(vo_sim_time(sim), -0.2, 1e-15);
    check_obstacle_motion(sim, -0.2, -0.1999, 1e-2); /* at rest */
    vo_sim_obstacles_place(sim, 0);
    sim->frame_start = 0;
    check_obstacle_motion(sim, -1e-5, 1e-5, 1e-2);
    sim->frame_start = -0.2;
    vo_sim_obstacles_place(sim, -0.2);
    for (int i = 0; i < 24; i++) {
        double before = vo_sim_time(sim);
        assert_ok(ctx, vo_sim_step(sim));
        check_obstacle_motion(sim, before, vo_sim_time(sim), 1e-4);
    }
    assert_int_equal(vo_sim_frame(sim), 1);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* A body without motion behaves like a rigid obstacle. */
static void body_without_motion_equals_rigid_obstacle(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600];
    vo_shape_def shape = vo_shape_def_default(VO_SHAPE_SPHERE);
    vo_mesh *ball;
    shape.radius = 0.2;
    assert_ok(ctx, vo_mesh_create_shape(ctx, &shape, &ball));
    snprintf(path, sizeof path, "%s/ball.obj", test_folder());
    assert_ok(ctx, vo_mesh_save_obj(ctx, ball, path));
    vo_sim *sim[2];
    vo_scene *scene[2];
    for (int k = 0; k < 2; k++) {
        vo_scene_def def = calm(0);
        vo_obstacle_def obstacle = vo_obstacle_def_default();
        vo_character_def body = vo_character_def_default();
        assert_ok(ctx, vo_scene_create(ctx, &def, &scene[k]));
        add_sheet(scene[k], 0.6, 12, v3(0.02, 0.01, 0.21));
        obstacle.mesh = ball;
        body.body = path;
        if (k == 0) assert_ok(ctx, vo_scene_add_obstacle(scene[k], &obstacle, NULL));
        if (k == 1) assert_ok(ctx, vo_scene_add_character(scene[k], &body, NULL));
        assert_ok(ctx, vo_sim_create(ctx, scene[k], &sim[k]));
        for (int i = 0; i < 6; i++) assert_ok(ctx, vo_sim_step_frame(sim[k]));
    }
    const vo_mesh *a = sim[0]->cloth[0].mesh, *b = sim[1]->cloth[0].mesh;
    assert_true(sim[0]->stats.contacts > 0);
    assert_true(largest_difference(a->node_count, a->node_x, b->node_x) < 1e-4);
    for (int k = 0; k < 2; k++) {
        vo_sim_destroy(sim[k]);
        vo_scene_destroy(scene[k]);
    }
    vo_mesh_destroy(ball);
    vo_context_destroy(ctx);
}

static uint64_t hash_after(int threads, int frames) {
    vo_context *ctx = test_context(threads);
    vo_scene *scene = create_veiled_walker(ctx, 0.4, 10);
    vo_sim *sim;
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    while (vo_sim_frame(sim) < frames) assert_ok(ctx, vo_sim_step_frame(sim));
    assert_int_equal(sim->stats.intersections, 0);
    uint64_t hash = vo_sim_hash(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return hash;
}

static void threads_change_nothing(void **state) {
    (void)state;
    assert_true(hash_after(1, 2) == hash_after(2, 2));
}

/* Without contacts, so that no list needs to grow. */
static void steps_allocate_nothing(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_scene_def def = calm(0.2);
    vo_character_def body = walker();
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(ctx, vo_scene_create(ctx, &def, &scene));
    add_sheet(scene, 0.5, 4, v3(0, 0, 5));
    assert_ok(ctx, vo_scene_add_character(scene, &body, NULL));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < 8; i++) assert_ok(ctx, vo_sim_step(sim));
    long calls = memory.calls;
    for (int i = 0; i < 24; i++) assert_ok(ctx, vo_sim_step(sim));
    assert_int_equal(memory.calls, calls);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* ---- preroll -------------------------------------------------------------------------------- */

/* Handles hold during the preroll; one that ends at 0 is released there. Frame 0 is exactly at
 * 0. */
static void handles_are_active_in_preroll(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene_def def = calm(0.1); /* three frames after rounding up */
    vo_handle_def pin = vo_handle_def_default();
    vo_scene *scene;
    vo_sim *sim;
    int node = 0;
    def.frame_time = 0.04;
    assert_ok(ctx, vo_scene_create(ctx, &def, &scene));
    add_sheet(scene, 0.5, 4, v3(0, 0, 1));
    pin.node_count = 1;
    pin.nodes = &node;
    assert_ok(ctx, vo_scene_add_handle(scene, &pin, NULL));
    node = 4;
    pin.end = 0;
    assert_ok(ctx, vo_scene_add_handle(scene, &pin, NULL));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    assert_int_equal(vo_sim_frame(sim), -3);
    while (vo_sim_frame(sim) < 0) assert_ok(ctx, vo_sim_step(sim));
    assert_true(vo_sim_time(sim) == 0);
    assert_near(vo_sim_get_cloth(sim, 0).node_x[0].z, 1, 1e-9);
    assert_near(vo_sim_get_cloth(sim, 0).node_x[4].z, 1, 1e-9);
    assert_true(vo_sim_get_cloth(sim, 0).node_x[24].z < 0.99);
    assert_int_equal(vo_sim_get_stats(sim).frame, 0);
    assert_int_equal(vo_sim_get_stats(sim).substeps, 12); /* of the whole preroll */
    assert_ok(ctx, vo_sim_step_frame(sim));
    assert_near(vo_sim_get_cloth(sim, 0).node_x[0].z, 1, 1e-9);
    assert_true(vo_sim_get_cloth(sim, 0).node_x[4].z < 1 - 1e-4);
    assert_int_equal(vo_sim_get_stats(sim).frame, 1);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

static void scenes_know_their_preroll(void **state) {
    (void)state;
    static const struct {
        double preroll;
        bool character;
        int frames;
    } cases[] = {{-1, false, 0}, {-1, true, 25}, {0, true, 0}, {0.04, false, 1}, {0.1, true, 3}};
    vo_context *ctx = test_context(1);
    char path[600];
    snprintf(path, sizeof path, "%s/body.obj", test_folder());
    assert_ok(ctx, vo_file_write(ctx, path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 32));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vo_scene_def def = calm(cases[i].preroll);
        vo_character_def body = vo_character_def_default();
        vo_scene *scene;
        body.body = path;
        assert_ok(ctx, vo_scene_create(ctx, &def, &scene));
        if (cases[i].character) assert_ok(ctx, vo_scene_add_character(scene, &body, NULL));
        assert_int_equal(vo_scene_preroll_frames(scene), cases[i].frames);
        vo_scene_destroy(scene);
    }
    vo_context_destroy(ctx);
}

static void bad_characters_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene *scene;
    assert_ok(ctx, vo_scene_create(ctx, NULL, &scene));
    vo_character_def def = vo_character_def_default();
    assert_int_equal(vo_scene_add_character(scene, NULL, NULL), VO_BAD_ARGUMENT);
    def.mannequin.height = 7;
    assert_int_equal(vo_scene_add_character(scene, &def, NULL), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "height");
    def = vo_character_def_default();
    def.pose.scale = 0;
    assert_int_equal(vo_scene_add_character(scene, &def, NULL), VO_BAD_ARGUMENT);
    def = vo_character_def_default();
    def.body = "gone.glb";
    assert_int_not_equal(vo_scene_add_character(scene, &def, NULL), VO_OK);
    assert_message_contains(ctx, "gone.glb");
    def = vo_character_def_default();
    def.end = NAN;
    assert_int_equal(vo_scene_add_character(scene, &def, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(scene->character_count, 0);
    assert_int_equal(scene->obstacle_count, 0);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* The second of two equal mannequins is a copy of the first. */
static void equal_mannequins_are_copied(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene *scene;
    assert_ok(ctx, vo_scene_create(ctx, NULL, &scene));
    vo_character_def def = walker();
    assert_ok(ctx, vo_scene_add_character(scene, &def, NULL));
    double start = test_seconds();
    def.has_motion = false;
    for (int i = 0; i < 3; i++) assert_ok(ctx, vo_scene_add_character(scene, &def, NULL));
    assert_true(test_seconds() - start < 0.2 * TEST_SLOWNESS);
    const vo_mesh *a = scene->obstacle[0].mesh, *b = scene->obstacle[3].mesh;
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->node_x, b->node_x, (size_t)a->node_count * sizeof *a->node_x);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static const char *const coarse[] = {"characters[0].body.faces=6000",
                                     "cloths[0].remeshing.size=[0.06, 0.3]", "frame_steps=6"};

static vo_result run_scene(run_fixture *p, const char *set, int last, int stop) {
    const char *sets[4];
    memcpy(sets, coarse, sizeof coarse);
    sets[3] = set;
    vo_run_def def = vo_run_def_default();
    def.folder = p->run;
    def.last_frame = last;
    def.override_count = set ? 4 : 3;
    def.overrides = sets;
    def.progress = stop_at;
    def.user = &stop;
    return vo_run_simulate(p->ctx, SCENE, &def);
}

static bool frame_exists(const run_fixture *p, int frame) {
    return vo_file_exists(frame_path(p, frame));
}

/* The scene of the assets runs without intersections, resumes bit-identically and keeps the
 * requested frames only. */
static void veiled_walker_runs_and_resumes(void **state) {
    (void)state;
    run_fixture once = open_run_fixture(2), twice = open_run_fixture(2), late = open_run_fixture(2);
    assert_ok(once.ctx, run_scene(&once, NULL, 30, 1000));
    assert_ok(once.ctx, vo_check_run(once.ctx, once.run, NULL, NULL));
    assert_int_equal(run_scene(&twice, "preroll=1", 8, 3), VO_CANCELLED);
    assert_true(frame_exists(&twice, 3) && !frame_exists(&twice, 4));
    assert_ok(twice.ctx, resume(&twice, 0, NULL));
    for (int k = 0; k <= 8; k++) {
        char path[700];
        snprintf(path, sizeof path, "%s", frame_path(&once, k));
        assert_same_file(once.ctx, path, frame_path(&twice, k));
    }
    assert_ok(late.ctx, run_scene(&late, "start_frame=6", 8, 1000));
    assert_false(frame_exists(&late, 5));
    for (int k = 6; k <= 8; k++) {
        char path[700];
        snprintf(path, sizeof path, "%s", frame_path(&once, k));
        assert_same_file(once.ctx, path, frame_path(&late, k));
    }
    assert_ok(late.ctx, vo_check_run(late.ctx, late.run, NULL, NULL));
    vo_run_info info;
    assert_ok(late.ctx, vo_run_get_info(late.ctx, late.run, &info));
    assert_int_equal(info.first_frame, 6);
    assert_int_equal(info.frames, 3);
    assert_int_equal(info.warnings, 0);
    vo_run_info_free(late.ctx, &info);
    close_run_fixture(&once);
    close_run_fixture(&twice);
    close_run_fixture(&late);
}

/* A run that is cancelled in the preroll saves nothing; settings of the start cannot change
 * later. */
static void cancelled_preroll_saves_nothing(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(run_scene(&p, NULL, 3, -20), VO_CANCELLED);
    assert_message_contains(p.ctx, "cancelled before frame 0");
    assert_false(frame_exists(&p, 0));
    assert_int_equal(resume(&p, 0, NULL), VO_BAD_DATA);
    assert_message_contains(p.ctx, "no intact frame");
    assert_ok(p.ctx, run_scene(&p, "preroll=0.08", 1, 1000));
    close_run_fixture(&p);
    run_fixture q = open_run_fixture(1);
    const char *set = "preroll=2";
    assert_int_equal(run_scene(&q, "start_frame=9", 3, 1000), VO_BAD_ARGUMENT);
    assert_message_contains(q.ctx, "the last frame is 3, before start_frame 9");
    assert_int_equal(run_scene(&q, "preroll=0.08", 4, 1), VO_CANCELLED);
    assert_int_equal(resume_until(&q, set, 5), VO_BAD_DATA);
    assert_message_contains(q.ctx, "preroll");
    assert_ok(q.ctx, resume(&q, 0, NULL));
    close_run_fixture(&q);
}

/* Soldier and CesiumMan with a sheet above them. */
static void imported_characters_collide_with_cloth(void **state) {
    (void)state;
    static const struct {
        const char *file, *clip;
        double height;
    } cases[] = {{"CesiumMan.glb", NULL, 1.6}, {"Soldier.glb", "Run", 1.95}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[1024];
        if (!vo_import_has_assimp() || !test_data()) skip();
        snprintf(path, sizeof path, "%s/characters/%s", test_data(), cases[i].file);
        if (!vo_file_exists(path)) skip();
        vo_context *ctx = test_context(2);
        vo_scene_def scene_def = calm(0.4);
        vo_character_def def = vo_character_def_default();
        vo_scene *scene;
        vo_sim *sim;
        scene_def.frame_steps = 8;
        def.body = path;
        def.has_motion = true;
        def.motion.clip = cases[i].clip;
        def.motion.end = VO_END_LOOP;
        assert_ok(ctx, vo_scene_create(ctx, &scene_def, &scene));
        assert_ok(ctx, vo_scene_add_character(scene, &def, NULL));
        const vo_mesh *body = scene->obstacle[0].mesh;
        double top = 0;
        for (int n = 0; n < body->node_count; n++) top = vo_max(top, body->node_x[n].z);
        add_sheet(scene, 0.8, 12, v3(0, 0, top + 0.02));
        assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
        while (vo_sim_frame(sim) < 6) assert_ok(ctx, vo_sim_step_frame(sim));
        vo_stats stats = vo_sim_get_stats(sim);
        assert_int_equal(stats.intersections, 0);
        vo_sim_destroy(sim);
        vo_scene_destroy(scene);
        vo_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_have_places_and_velocities),
        cmocka_unit_test(body_without_motion_equals_rigid_obstacle),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(handles_are_active_in_preroll),
        cmocka_unit_test(scenes_know_their_preroll),
        cmocka_unit_test(bad_characters_are_rejected),
        cmocka_unit_test(equal_mannequins_are_copied),
        cmocka_unit_test(veiled_walker_runs_and_resumes),
        cmocka_unit_test(cancelled_preroll_saves_nothing),
        cmocka_unit_test(imported_characters_collide_with_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
