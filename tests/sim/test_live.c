/* Live inputs and snapshots: the same bits as a scene with the same motion, and as a simulation
 * that was never interrupted. */
#include "support.h"

#include "sim/sim.h"

#include <math.h>
#include <string.h>

enum { FRAMES = 6, STEPS = 4 };

typedef struct world {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
} world;

/* Inputs with other values than usual. */
enum { WIND = 1, GRAVITY = 2, FRICTION = 4, MATERIAL = 8, ALL_INPUTS = 15 };

static const vo_vec3 other_wind = {1, 3, 0}, other_gravity = {0, 1, -8};
static const double other_density = 2, other_drag = 0.1;
static const double other_friction[2] = {0.1, 0.05}; /* of cloth on cloth, on obstacles */

/* The usual material of the sheet, or another one in all respects. The caller destroys its
 * fabric. */
static vo_fabric *make_material(vo_context *ctx, bool other, vo_material_def *out) {
    vo_fabric *fabric;
    vo_fabric_def def = vo_fabric_def_default();
    *out = vo_material_def_default();
    if (other) {
        def.density *= 1.5;
        out->density_mult = 2;
        out->stretching_mult = 1.5;
        out->bending_mult = 3;
        out->damping = 0.01;
        out->stretch_min = 0.9;
        out->stretch_max = 1.02;
    }
    assert_ok(ctx, vo_fabric_create(ctx, &def, &fabric));
    out->fabric = fabric;
    return fabric;
}

/* Deviations from the usual scene. */
typedef struct variant {
    unsigned other_inputs; /* WIND | ... */
    bool has_zero_scale;   /* motions have a scale of 0 at all times */
    int obstacle_cells;    /* per side; 0: 3 */
    test_memory *memory;   /* counts and fails allocations; NULL: the usual allocator */
} variant;

/* A remeshed sheet held at one edge above a square obstacle; with motions, or without them for live
 * inputs. */
static world open_variant(int threads, bool motions, variant v) {
    world w = {.ctx = v.memory ? test_context_with(threads, v.memory) : test_context(threads)};
    int cells = v.obstacle_cells ? v.obstacle_cells : 3;
    vo_scene_def def = vo_scene_def_default();
    def.frame_steps = STEPS;
    if (v.other_inputs & WIND) {
        def.wind_density = other_density;
        def.wind_velocity = other_wind;
        def.wind_drag = other_drag;
    }
    if (v.other_inputs & GRAVITY) def.gravity = other_gravity;
    if (v.other_inputs & FRICTION) {
        def.friction = other_friction[0];
        def.obstacle_friction = other_friction[1];
    }
    assert_ok(w.ctx, vo_scene_create(w.ctx, &def, &w.scene));
    vo_keyframe ball[2] = {{.time = 0, .pose = vo_pose_identity()},
                           {.time = 0.3, .pose = vo_pose_identity()}};
    if (v.has_zero_scale) ball[0].pose.scale = ball[1].pose.scale = 0;
    vo_keyframe grip[2] = {ball[0], ball[1]};
    ball[1].pose.translate = (vo_vec3){0.1, 0.05, 0.2};
    ball[1].pose.degrees = 40;
    ball[1].pose.axis = (vo_vec3){1, 2, 3};
    grip[1].pose.translate = (vo_vec3){-0.1, 0, 0.05};
    int motion[2] = {-1, -1};
    assert_ok(w.ctx, vo_scene_add_motion(w.scene, 2, ball, &motion[0]));
    assert_ok(w.ctx, vo_scene_add_motion(w.scene, 2, grip, &motion[1]));
    vo_mesh *sheet, *sphere;
    assert_ok(w.ctx, vo_mesh_create_grid(w.ctx, 0.6, 0.6, 8, 8, &sheet));
    assert_ok(w.ctx, vo_mesh_create_grid(w.ctx, 0.4, 0.4, cells, cells, &sphere));
    vo_material_def material;
    vo_fabric *fabric = make_material(w.ctx, v.other_inputs & MATERIAL, &material);
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = sheet;
    cloth.pose.translate.z = 0.1;
    cloth.materials = &material;
    cloth.material_count = 1;
    cloth.remeshing.enabled = true;
    cloth.remeshing.refine_angle = 0.3;
    cloth.remeshing.size_min = 0.03;
    cloth.remeshing.size_max = 0.2;
    assert_ok(w.ctx, vo_scene_add_cloth(w.scene, &cloth, NULL));
    vo_obstacle_def obstacle = vo_obstacle_def_default();
    obstacle.mesh = sphere;
    obstacle.motion = motions ? motion[0] : -1;
    assert_ok(w.ctx, vo_scene_add_obstacle(w.scene, &obstacle, NULL));
    int nodes[3] = {0, 1, 2};
    vo_handle_def handle = vo_handle_def_default();
    handle.nodes = nodes;
    handle.node_count = 3;
    handle.motion = motions ? motion[1] : -1;
    assert_ok(w.ctx, vo_scene_add_handle(w.scene, &handle, NULL));
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(sheet);
    vo_mesh_destroy(sphere);
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    return w;
}

static world open_world(int threads, bool motions) {
    return open_variant(threads, motions, (variant){0});
}

static void close_world(world *w) {
    vo_sim_destroy(w->sim);
    vo_scene_destroy(w->scene);
    vo_context_destroy(w->ctx);
}

static vo_placement placement_at(const vo_scene *scene, int motion, double time) {
    vo_transform t = vo_motion_pose(&scene->motion[motion], time);
    return (vo_placement){
        t.translation, t.scale, {t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z}};
}

/* Sets all targets of the next substep as the motions of the scene have them. */
static void drive(world *w) {
    double frame = w->scene->def.frame_time;
    bool last = w->sim->substep + 1 == STEPS;
    double end = last ? w->sim->frame_start + frame
                      : w->sim->frame_start + (w->sim->substep + 1) * w->sim->dt;
    vo_placement ball = placement_at(w->scene, 0, end), grip = placement_at(w->scene, 1, end);
    assert_ok(w->ctx, vo_sim_set_obstacle_pose(w->sim, 0, &ball));
    assert_ok(w->ctx, vo_sim_set_handle_target(w->sim, 0, &grip));
}

static void live_motion_equals_scene_motion(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        world a = open_world(threads, true), b = open_world(threads, false);
        for (int f = 0; f < FRAMES; f++) {
            assert_ok(a.ctx, vo_sim_step_frame(a.sim));
            for (int s = 0; s < STEPS; s++) {
                drive(&b);
                assert_ok(b.ctx, vo_sim_step(b.sim));
            }
            assert_int_equal(vo_sim_get_stats(a.sim).step_halvings, 0);
            assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
        }
        assert_true(vo_sim_get_stats(a.sim).contacts > 0);
        close_world(&a);
        close_world(&b);
    }
}

/* The statistics without times. */
static vo_stats counters(const vo_sim *sim) {
    vo_stats s = vo_sim_get_stats(sim);
    memset(&s.stage, 0, sizeof s.stage);
    s.wall_s = s.broad_phase_s = 0;
    s.broad_phase_updates = 0;
    return s;
}

static void assert_same_counters(const vo_sim *a, const vo_sim *b) {
    vo_stats s = counters(a), t = counters(b);
#define X(name, type, format, meaning) assert_true(s.name == t.name);
    VO_STAT_HEAD(X)
    VO_STAT_FIELDS(X)
#undef X
}

static void substeps_equal_step_frame(void **state) {
    (void)state;
    world a = open_world(2, true), b = open_world(2, true);
    for (int f = 0; f < FRAMES; f++) {
        assert_ok(a.ctx, vo_sim_step_frame(a.sim));
        for (int s = 0; s < STEPS; s++) assert_ok(b.ctx, vo_sim_step(b.sim));
        assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
        assert_same_counters(a.sim, b.sim);
    }
    close_world(&a);
    close_world(&b);
}

/* Other wind, friction and material from the third frame on. */
static void change_inputs(world *w) {
    vo_fabric *fabric;
    vo_fabric_def def = vo_fabric_def_default();
    assert_ok(w->ctx, vo_fabric_create(w->ctx, &def, &fabric));
    vo_material_def material = vo_material_def_default();
    material.fabric = fabric;
    material.density_mult = 2;
    material.bending_mult = 3;
    assert_ok(w->ctx, vo_sim_set_material(w->sim, 0, 0, &material));
    assert_ok(w->ctx, vo_sim_set_wind(w->sim, 1.2, (vo_vec3){1, 3, 0}, 0.1));
    assert_ok(w->ctx, vo_sim_set_gravity(w->sim, (vo_vec3){0, 1, -8}));
    assert_ok(w->ctx, vo_sim_set_friction(w->sim, 0.2, 0.1));
    vo_fabric_destroy(fabric);
}

static void step_live(world *w, int count) {
    for (int i = 0; i < count; i++) {
        drive(w);
        assert_ok(w->ctx, vo_sim_step(w->sim));
    }
}

/* ---- wind, gravity, friction, materials ------------------------------------------------------ */

static void set_material(world *w, bool other) {
    vo_material_def material;
    vo_fabric *fabric = make_material(w->ctx, other, &material);
    assert_ok(w->ctx, vo_sim_set_material(w->sim, 0, 0, &material));
    vo_fabric_destroy(fabric);
}

static void set_other_inputs(world *w, unsigned inputs) {
    if (inputs & WIND)
        assert_ok(w->ctx, vo_sim_set_wind(w->sim, other_density, other_wind, other_drag));
    if (inputs & GRAVITY) assert_ok(w->ctx, vo_sim_set_gravity(w->sim, other_gravity));
    if (inputs & FRICTION)
        assert_ok(w->ctx, vo_sim_set_friction(w->sim, other_friction[0], other_friction[1]));
    if (inputs & MATERIAL) set_material(w, true);
}

static void set_usual_inputs(world *w) {
    vo_scene_def def = vo_scene_get_def(w->scene);
    assert_ok(w->ctx, vo_sim_set_wind(w->sim, def.wind_density, def.wind_velocity, def.wind_drag));
    assert_ok(w->ctx, vo_sim_set_gravity(w->sim, def.gravity));
    assert_ok(w->ctx, vo_sim_set_friction(w->sim, def.friction, def.obstacle_friction));
    set_material(w, false);
}

/* A scene with other values, against the usual scene with these values set live. */
static void live_inputs_equal_scene_inputs(void **state) {
    (void)state;
    static const unsigned inputs[] = {WIND, GRAVITY, FRICTION, MATERIAL, ALL_INPUTS};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        world a = open_variant(2, true, (variant){.other_inputs = inputs[i]});
        world b = open_world(2, true), usual = open_world(2, true);
        set_other_inputs(&b, inputs[i]);
        for (int f = 0; f < FRAMES; f++) {
            assert_ok(a.ctx, vo_sim_step_frame(a.sim));
            assert_ok(b.ctx, vo_sim_step_frame(b.sim));
            assert_ok(usual.ctx, vo_sim_step_frame(usual.sim));
            if (vo_sim_hash(a.sim) != vo_sim_hash(b.sim))
                fail_msg("inputs %u: frame %d differs", inputs[i], f + 1);
            assert_same_counters(a.sim, b.sim);
        }
        assert_true(vo_sim_get_stats(a.sim).contacts > 0);
        assert_true(vo_sim_hash(a.sim) != vo_sim_hash(usual.sim));
        close_world(&a);
        close_world(&b);
        close_world(&usual);
    }
}

/* Values that a simulation has already do not change its bits, in whatever substep they are set. */
static void equal_live_inputs_keep_the_bits(void **state) {
    (void)state;
    world a = open_world(1, true), b = open_world(1, true);
    for (int i = 0; i < FRAMES * STEPS; i++) {
        if (i % 5 == 2) set_usual_inputs(&b);
        assert_ok(a.ctx, vo_sim_step(a.sim));
        assert_ok(b.ctx, vo_sim_step(b.sim));
        assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
    }
    close_world(&a);
    close_world(&b);
}

static void material_changed_within_a_run_takes_effect(void **state) {
    (void)state;
    world a = open_world(1, true), b = open_world(1, true);
    for (int i = 0; i < 2 * STEPS + 1; i++) {
        assert_ok(a.ctx, vo_sim_step(a.sim));
        assert_ok(b.ctx, vo_sim_step(b.sim));
    }
    vo_material_def soft;
    vo_fabric *fabric = make_material(b.ctx, false, &soft);
    soft.stretching_mult = 0.002;
    soft.density_mult = 2;
    assert_ok(b.ctx, vo_sim_set_material(b.sim, 0, 0, &soft));
    vo_fabric_destroy(fabric);
    assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim)); /* nothing has moved yet */
    vo_energy light = vo_sim_get_energy(a.sim), heavy = vo_sim_get_energy(b.sim);
    assert_near(heavy.gravity, 2 * light.gravity, 1e-12 * fabs(light.gravity));
    assert_near(heavy.kinetic, 2 * light.kinetic, 1e-12 * light.kinetic);
    for (int f = 0; f < FRAMES; f++) {
        assert_ok(a.ctx, vo_sim_step_frame(a.sim));
        assert_ok(b.ctx, vo_sim_step_frame(b.sim));
    }
    double usual = vo_sim_get_stats(a.sim).max_strain, strain = vo_sim_get_stats(b.sim).max_strain;
    if (!(strain > 2 * usual)) fail_msg("strain %g, with the softer material %g", usual, strain);
    close_world(&a);
    close_world(&b);
}

static void restored_snapshot_continues_with_same_bits(void **state) {
    (void)state;
    for (int at = 7; at <= 10; at++) { /* within and at the end of a frame */
        world a = open_world(2, false), b = open_world(2, false);
        step_live(&a, 5);
        change_inputs(&a);
        step_live(&a, at - 5);
        drive(&a);
        vo_snapshot *snapshot;
        assert_ok(a.ctx, vo_sim_save_snapshot(a.sim, &snapshot));
        assert_true(vo_snapshot_size(snapshot) > 0);
        uint64_t then = vo_sim_hash(a.sim);
        step_live(&a, 8);
        uint64_t after = vo_sim_hash(a.sim);
        vo_stats stats = counters(a.sim);
        step_live(&b, 3);
        assert_ok(b.ctx, vo_sim_restore_snapshot(b.sim, snapshot));
        assert_true(vo_sim_hash(b.sim) == then);
        step_live(&b, 8);
        assert_true(vo_sim_hash(b.sim) == after);
        assert_ok(a.ctx, vo_sim_restore_snapshot(a.sim, snapshot));
        assert_true(vo_sim_hash(a.sim) == then);
        step_live(&a, 8);
        assert_true(vo_sim_hash(a.sim) == after);
        assert_int_equal(counters(a.sim).substeps, stats.substeps);
        assert_int_equal(counters(b.sim).contacts, stats.contacts);
        vo_snapshot_destroy(snapshot);
        close_world(&a);
        close_world(&b);
    }
}

static void live_vertices_equal_live_pose(void **state) {
    (void)state;
    world a = open_world(1, false), b = open_world(1, false);
    const vo_mesh *rest = b.scene->obstacle[0].mesh;
    vo_vec3 x[64];
    for (int i = 0; i < 2 * STEPS; i++) {
        drive(&a);
        drive(&b);
        vo_transform pose = b.sim->obstacle[0].live.pose;
        for (int k = 0; k < rest->node_count; k++) x[k] = xf_point(pose, rest->node_x[k]);
        assert_ok(b.ctx, vo_sim_set_obstacle_vertices(b.sim, 0, rest->node_count, x, NULL));
        assert_ok(a.ctx, vo_sim_step(a.sim));
        assert_ok(b.ctx, vo_sim_step(b.sim));
        vo_mesh_view p = vo_sim_get_obstacle(a.sim, 0), q = vo_sim_get_obstacle(b.sim, 0);
        for (int k = 0; k < p.node_count; k++)
            assert_true(v3_distance(p.node_x[k], q.node_x[k]) < 1e-12);
    }
    close_world(&a);
    close_world(&b);
}

static void released_handle_lets_cloth_fall(void **state) {
    (void)state;
    world w = open_world(1, false);
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    vo_vec3 held = vo_sim_get_cloth(w.sim, 0).node_x[0];
    assert_near(held.z, 0.1, 1e-12);
    assert_ok(w.ctx, vo_sim_set_handle_weight(w.sim, 0, 0));
    for (int f = 0; f < 3; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(vo_sim_get_cloth(w.sim, 0).node_x[0].z < 0.095);
    close_world(&w);
}

/* ---- invalid arguments ----------------------------------------------------------------------- */

static vo_result set_pose(vo_sim *sim, bool of_handle, int index, const vo_placement *pose) {
    return of_handle ? vo_sim_set_handle_target(sim, index, pose)
                     : vo_sim_set_obstacle_pose(sim, index, pose);
}

static void assert_rejected(const world *w, vo_result result, const char *message) {
    assert_int_equal(result, VO_BAD_ARGUMENT);
    if (!strstr(vo_context_message(w->ctx), message))
        fail_msg("\"%s\" does not contain \"%s\"", vo_context_message(w->ctx), message);
    (void)vo_fail(w->ctx, VO_OK, "%s", ""); /* so that the next call must set its own message */
}

static void invalid_poses_are_rejected(void **state) {
    (void)state;
    static const struct {
        vo_placement pose;
        const char *message;
    } cases[] = {
        {{{NAN, 0, 0}, 1, {1, 0, 0, 0}}, "pose.translate"},
        {{{0, INFINITY, 0}, 1, {1, 0, 0, 0}}, "pose.translate"},
        {{{0, 0, -1e16}, 1, {1, 0, 0, 0}}, "pose.translate"},
        {{{0}, 0, {1, 0, 0, 0}}, "pose.scale"},
        {{{0}, -1, {1, 0, 0, 0}}, "pose.scale"},
        {{{0}, NAN, {1, 0, 0, 0}}, "pose.scale"},
        {{{0}, INFINITY, {1, 0, 0, 0}}, "pose.scale"},
        {{{0}, 1, {2, 0, 0, 0}}, "pose.rotation"},
        {{{0}, 1, {0, 0, 0, 0}}, "pose.rotation"},
        {{{0}, 1, {NAN, 0, 0, 0}}, "pose.rotation"},
        {{{0}, 1, {1, 0, 0, INFINITY}}, "pose.rotation"},
    };
    world w = open_world(1, false);
    vo_placement pose = vo_placement_identity();
    uint64_t before = vo_sim_hash(w.sim);
    for (int handle = 0; handle < 2; handle++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            assert_rejected(&w, set_pose(w.sim, handle, 0, &cases[i].pose), cases[i].message);
        for (int index = -1; index <= 1; index += 2) {
            assert_rejected(&w, set_pose(w.sim, handle, index, &pose), "does not exist");
            assert_rejected(&w, set_pose(w.sim, handle, index, NULL), "does not exist");
        }
        assert_int_equal(set_pose(NULL, handle, 0, &pose), VO_BAD_ARGUMENT);
    }
    pose.translate.x = 1e15;
    pose.scale = 1e15;
    assert_rejected(&w, vo_sim_set_obstacle_pose(w.sim, 0, &pose), "out of bounds");
    assert_int_equal(w.sim->obstacle[0].live.driver, VO_DRIVER_SCENE);
    assert_false(w.sim->handle[0].live.has_target);
    assert_true(vo_sim_hash(w.sim) == before);
    close_world(&w);
}

static void invalid_vertices_are_rejected(void **state) {
    (void)state;
    world w = open_world(1, false);
    vo_vec3 x[16] = {{0}}, bad[16] = {{0}}, far[16] = {{0}};
    int count = vo_sim_get_obstacle(w.sim, 0).node_count;
    assert_int_equal(count, 16);
    bad[15].z = NAN;
    far[3].y = 1e16;
    const struct {
        int obstacle, count;
        const vo_vec3 *x, *v;
        const char *message;
    } cases[] = {
        {-1, 16, x, NULL, "obstacle: -1 does not exist"},
        {1, 16, x, NULL, "obstacle: 1 does not exist"},
        {1, 0, NULL, NULL, "obstacle: 1 does not exist"},
        {0, 15, x, NULL, "count is 15"},
        {0, -1, x, NULL, "count is -1"},
        {0, 0, x, NULL, "count is 0"},
        {0, 16, NULL, NULL, "positions is NULL"},
        {0, 0, NULL, x, "positions is NULL"},
        {0, 16, bad, NULL, "positions[15]"},
        {0, 16, far, NULL, "positions[3]"},
        {0, 16, x, bad, "velocities[15]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_rejected(&w,
                        vo_sim_set_obstacle_vertices(w.sim, cases[i].obstacle, cases[i].count,
                                                     cases[i].x, cases[i].v),
                        cases[i].message);
    assert_int_equal(w.sim->obstacle[0].live.driver, VO_DRIVER_SCENE);
    assert_int_equal(vo_sim_set_obstacle_vertices(NULL, 0, 16, x, NULL), VO_BAD_ARGUMENT);
    close_world(&w);
}

static void invalid_numbers_are_rejected(void **state) {
    (void)state;
    static const double invalid[] = {NAN, INFINITY, -INFINITY, -1, 1e16};
    world w = open_world(1, false);
    vo_vec3 zero = {0};
    vo_sim_environment before = w.sim->environment;
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        double x = invalid[i];
        assert_rejected(&w, vo_sim_set_handle_weight(w.sim, 0, x), "weight");
        assert_rejected(&w, vo_sim_set_wind(w.sim, x, zero, 0), "density");
        assert_rejected(&w, vo_sim_set_wind(w.sim, 0, zero, x), "drag");
        assert_rejected(&w, vo_sim_set_friction(w.sim, x, 0), "cloth");
        assert_rejected(&w, vo_sim_set_friction(w.sim, 0, x), "obstacle");
        if (x == -1) continue;
        assert_rejected(&w, vo_sim_set_gravity(w.sim, (vo_vec3){0, x, 0}), "gravity");
        assert_rejected(&w, vo_sim_set_wind(w.sim, 0, (vo_vec3){0, 0, x}, 0), "velocity");
    }
    assert_rejected(&w, vo_sim_set_handle_weight(w.sim, 0, 1.01), "weight");
    assert_rejected(&w, vo_sim_set_handle_weight(w.sim, 1, 1), "handle: 1 does not exist");
    assert_rejected(&w, vo_sim_set_handle_weight(w.sim, -1, 1), "handle: -1 does not exist");
    assert_memory_equal(&before, &w.sim->environment, sizeof before);
    assert_true(w.sim->handle[0].live.weight == 1);
    assert_int_equal(vo_sim_set_handle_weight(NULL, 0, 1), VO_BAD_ARGUMENT);
    assert_int_equal(vo_sim_set_gravity(NULL, zero), VO_BAD_ARGUMENT);
    assert_int_equal(vo_sim_set_wind(NULL, 0, zero, 0), VO_BAD_ARGUMENT);
    assert_int_equal(vo_sim_set_friction(NULL, 0, 0), VO_BAD_ARGUMENT);
    close_world(&w);
}

/* Sets one member of a material to each invalid number. */
static void reject_member(world *w, vo_material_def *def, double *member, const char *name) {
    static const double invalid[] = {NAN, -INFINITY, -1};
    double valid = *member;
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        *member = invalid[i];
        if (*member == -INFINITY && member == &def->stretch_min) continue; /* no limit */
        assert_rejected(w, vo_sim_set_material(w->sim, 0, 0, def), name);
    }
    *member = valid;
}

static void invalid_materials_are_rejected(void **state) {
    (void)state;
    world w = open_world(1, false);
    vo_material_def def;
    vo_fabric *fabric = make_material(w.ctx, true, &def);
    def.fabric = NULL;
    assert_rejected(&w, vo_sim_set_material(w.sim, 0, 0, &def), "fabric");
    def.fabric = fabric;
    reject_member(&w, &def, &def.density_mult, "density_mult");
    reject_member(&w, &def, &def.stretching_mult, "stretching_mult");
    reject_member(&w, &def, &def.bending_mult, "bending_mult");
    reject_member(&w, &def, &def.damping, "damping");
    reject_member(&w, &def, &def.stretch_max, "stretch");
    for (int index = -1; index <= 1; index += 2) {
        assert_rejected(&w, vo_sim_set_material(w.sim, index, 0, &def), "cloth: ");
        assert_rejected(&w, vo_sim_set_material(w.sim, 0, index, &def), "material: ");
        assert_rejected(&w, vo_sim_set_material(w.sim, 0, index, NULL), "material: ");
    }
    assert_false(w.sim->cloth[0].material_is_live[0]);
    assert_int_equal(vo_sim_set_material(NULL, 0, 0, &def), VO_BAD_ARGUMENT);
    vo_fabric_destroy(fabric);
    close_world(&w);
}

static void null_snapshots_are_rejected(void **state) {
    (void)state;
    world w = open_world(1, false);
    vo_snapshot *snapshot = (vo_snapshot *)&w;
    assert_int_equal(vo_sim_save_snapshot(NULL, &snapshot), VO_BAD_ARGUMENT);
    assert_null(snapshot);
    assert_rejected(&w, vo_sim_save_snapshot(w.sim, NULL), "out");
    assert_rejected(&w, vo_sim_restore_snapshot(w.sim, NULL), "snapshot");
    assert_ok(w.ctx, vo_sim_save_snapshot(w.sim, &snapshot));
    assert_int_equal(vo_sim_restore_snapshot(NULL, snapshot), VO_BAD_ARGUMENT);
    assert_int_equal(vo_snapshot_size(NULL), 0);
    assert_ok(w.ctx, vo_sim_step(w.sim));
    vo_snapshot_destroy(snapshot);
    vo_snapshot_destroy(NULL);
    close_world(&w);
}

/* The largest valid values give no solution, but a step ends with a result. */
static void extreme_inputs_do_not_crash(void **state) {
    (void)state;
    world w = open_world(1, false);
    vo_placement pose = vo_placement_identity();
    vo_vec3 large = {1e15, -1e15, 1e15}, x[16];
    pose.translate = large;
    for (int i = 0; i < 16; i++) x[i] = large;
    assert_ok(w.ctx, vo_sim_set_handle_target(w.sim, 0, &pose));
    assert_ok(w.ctx, vo_sim_set_obstacle_vertices(w.sim, 0, 16, x, x));
    assert_ok(w.ctx, vo_sim_set_gravity(w.sim, large));
    assert_ok(w.ctx, vo_sim_set_wind(w.sim, 1e15, large, 1e15));
    assert_ok(w.ctx, vo_sim_set_friction(w.sim, 1e15, 1e15));
    assert_ok(w.ctx, vo_sim_step(w.sim));
    vo_mesh_view cloth = vo_sim_get_cloth(w.sim, 0);
    for (int n = 0; n < cloth.node_count; n++) assert_true(isfinite(v3_length(cloth.node_x[n])));
    close_world(&w);
}

typedef struct cancel {
    int polls, stop_at;
} cancel;

static bool stop_later(void *user) {
    cancel *c = user;
    return ++c->polls == c->stop_at;
}

static void cancelled_frame_continues_with_same_bits(void **state) {
    (void)state;
    world a = open_world(1, true), b = open_world(1, true);
    cancel c = {.stop_at = 3};
    b.ctx->cancel = stop_later;
    b.ctx->cancel_user = &c;
    assert_int_equal(vo_sim_step_frame(b.sim), VO_CANCELLED);
    assert_int_equal(b.sim->substep, 2);
    assert_ok(b.ctx, vo_sim_step_frame(b.sim));
    assert_ok(a.ctx, vo_sim_step_frame(a.sim));
    assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
    assert_same_counters(a.sim, b.sim);
    close_world(&a);
    close_world(&b);
}

/* Steps with an obstacle that rises by 5 mm per substep and keeps its size exactly. */
static void step_rising(world *w, int begin, int end) {
    vo_placement pose = vo_placement_identity();
    for (int i = begin; i < end; i++) {
        pose.translate.z = 0.005 * (i + 1);
        assert_ok(w->ctx, vo_sim_set_obstacle_pose(w->sim, 0, &pose));
        assert_false(w->sim->obstacle[0].live.rescaled);
        assert_ok(w->ctx, vo_sim_step(w->sim));
    }
}

static void restored_rigid_obstacle_continues_after_live_scale(void **state) {
    (void)state;
    world w = open_world(1, false);
    vo_snapshot *snapshot;
    vo_placement larger = vo_placement_identity();
    larger.scale = 1.1;
    step_rising(&w, 0, STEPS);
    assert_ok(w.ctx, vo_sim_save_snapshot(w.sim, &snapshot));
    step_rising(&w, STEPS, 3 * STEPS);
    uint64_t after = vo_sim_hash(w.sim);
    assert_ok(w.ctx, vo_sim_set_obstacle_pose(w.sim, 0, &larger));
    assert_true(w.sim->obstacle[0].live.rescaled);
    assert_ok(w.ctx, vo_sim_restore_snapshot(w.sim, snapshot));
    step_rising(&w, STEPS, 3 * STEPS);
    assert_true(vo_sim_hash(w.sim) == after);
    vo_snapshot_destroy(snapshot);
    close_world(&w);
}

/* Distance, m, from a node of the obstacle to the surface that the sizing field uses. */
static double distance_to_sizing_surface(const world *w, int node) {
    vo_vec3 x = vo_sim_get_obstacle(w->sim, 0).node_x[node], near;
    vo_nearest_find(&w->sim->remesh.nearest, 1, &x, 10, &near);
    return v3_distance(x, near);
}

static void pose_after_vertices_is_applied_once(void **state) {
    (void)state;
    world w = open_world(1, false);
    const vo_mesh *rest = w.scene->obstacle[0].mesh;
    vo_vec3 x[64];
    vo_placement pose = vo_placement_identity();
    pose.translate.z = -0.1;
    for (int k = 0; k < rest->node_count; k++) x[k] = v3_add(rest->node_x[k], v3(0, 0, -0.1));
    assert_ok(w.ctx, vo_sim_set_obstacle_vertices(w.sim, 0, rest->node_count, x, NULL));
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(distance_to_sizing_surface(&w, 0) < 1e-9);
    assert_ok(w.ctx, vo_sim_set_obstacle_pose(w.sim, 0, &pose));
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(distance_to_sizing_surface(&w, 0) < 1e-9);
    assert_ok(w.ctx, vo_sim_set_obstacle_vertices(w.sim, 0, rest->node_count, x, NULL));
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(distance_to_sizing_surface(&w, 0) < 1e-9);
    assert_ok(w.ctx, vo_sim_set_obstacle_pose(w.sim, 0, NULL));
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(distance_to_sizing_surface(&w, 0) < 1e-9);
    close_world(&w);
}

static void live_obstacle_is_present_while_motion_has_zero_scale(void **state) {
    (void)state;
    world w = open_variant(1, true, (variant){.has_zero_scale = true});
    vo_placement pose = vo_placement_identity();
    assert_ok(w.ctx, vo_sim_step(w.sim));
    assert_false(w.sim->obstacle[0].present);
    assert_ok(w.ctx, vo_sim_set_obstacle_pose(w.sim, 0, &pose));
    assert_ok(w.ctx, vo_sim_step(w.sim));
    assert_true(w.sim->obstacle[0].present);
    assert_ok(w.ctx, vo_sim_set_obstacle_pose(w.sim, 0, NULL));
    assert_ok(w.ctx, vo_sim_step(w.sim));
    assert_false(w.sim->obstacle[0].present);
    close_world(&w);
}

static void handle_target_of_zero_scale_motion_holds_nodes(void **state) {
    (void)state;
    world w = open_variant(1, true, (variant){.has_zero_scale = true});
    vo_placement pose = vo_placement_identity();
    vo_vec3 begin = vo_sim_get_cloth(w.sim, 0).node_x[0];
    pose.translate.z = 0.001;
    assert_ok(w.ctx, vo_sim_set_handle_target(w.sim, 0, &pose));
    assert_ok(w.ctx, vo_sim_step(w.sim));
    assert_near(vo_sim_get_cloth(w.sim, 0).node_x[0].z, begin.z + 0.001, 1e-9);
    close_world(&w);
}

static void null_material_restores_scene_material(void **state) {
    (void)state;
    world a = open_world(1, true), b = open_world(1, true);
    vo_material_def material = vo_material_def_default();
    vo_fabric_def def = vo_fabric_def_default();
    vo_fabric *fabric;
    assert_ok(b.ctx, vo_fabric_create(b.ctx, &def, &fabric));
    material.fabric = fabric;
    material.bending_mult = 5;
    assert_ok(b.ctx, vo_sim_set_material(b.sim, 0, 0, &material));
    assert_ok(b.ctx, vo_sim_set_material(b.sim, 0, 0, NULL));
    vo_fabric_destroy(fabric);
    assert_ok(a.ctx, vo_sim_step_frame(a.sim));
    assert_ok(b.ctx, vo_sim_step_frame(b.sim));
    assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
    close_world(&a);
    close_world(&b);
}

static void *allocate_nothing(void *user, size_t size, size_t alignment) {
    (void)user;
    (void)size;
    (void)alignment;
    return NULL;
}

static void assert_step_requires_restore(world *w, vo_result expected) {
    assert_int_equal(vo_sim_step(w->sim), expected);
    assert_non_null(strstr(vo_context_message(w->ctx), "restore a snapshot"));
}

static void failed_solver_rebuild_requires_restore(void **state) {
    (void)state;
    world a = open_world(1, true), b = open_world(1, true);
    vo_snapshot *snapshot, *none;
    assert_ok(a.ctx, vo_sim_save_snapshot(a.sim, &snapshot));
    vo_allocator allocator = b.ctx->allocator;
    b.ctx->allocator.allocate = allocate_nothing;
    assert_int_equal(vo_sim_set_material(b.sim, 0, 0, NULL), VO_NO_MEMORY);
    b.ctx->allocator = allocator;
    assert_step_requires_restore(&b, VO_NO_MEMORY);
    assert_int_equal(vo_sim_set_material(b.sim, 0, 0, NULL), VO_NO_MEMORY);
    assert_int_equal(vo_sim_save_snapshot(b.sim, &none), VO_NO_MEMORY);
    assert_null(none);
    assert_ok(b.ctx, vo_sim_restore_snapshot(b.sim, snapshot));
    assert_ok(a.ctx, vo_sim_step_frame(a.sim));
    assert_ok(b.ctx, vo_sim_step_frame(b.sim));
    assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
    vo_snapshot_destroy(snapshot);
    close_world(&a);
    close_world(&b);
}

/* Sets a material with a measured table, whose stiffness varies with strain. */
static void set_measured_material(world *w) {
    vo_material_def material;
    vo_fabric *fabric = make_material(w->ctx, true, &material);
    fabric->table = vo_new_array(w->ctx, vo_stiffness_sample, VO_STRETCH_TABLE);
    assert_non_null(fabric->table);
    for (int i = 0; i < VO_STRETCH_TABLE; i++)
        for (int k = 0; k < 4; k++)
            fabric->table[i].c[k] = (float)(fabric->linear.c[k] * (1 + 1e-5 * i));
    assert_ok(w->ctx, vo_sim_set_material(w->sim, 0, 0, &material));
    vo_fabric_destroy(fabric);
}

/* One substep with a weak handle that moves, and an obstacle whose nodes are displaced
 * individually, in every second step with velocities. */
static void step_vertices(world *w, int step) {
    const vo_mesh *rest = w->scene->obstacle[0].mesh;
    vo_vec3 x[64], v[64];
    vo_placement grip = vo_placement_identity();
    grip.translate.z = 0.003 * (step + 1);
    for (int k = 0; k < rest->node_count; k++) {
        x[k] = v3_add(rest->node_x[k], v3(0, 0, 0.002 * (step + 1) * (k % 3)));
        v[k] = v3(0, 0, 0.2 * (k % 3));
    }
    assert_ok(w->ctx,
              vo_sim_set_obstacle_vertices(w->sim, 0, rest->node_count, x, step % 2 ? v : NULL));
    assert_ok(w->ctx, vo_sim_set_handle_target(w->sim, 0, &grip));
    assert_ok(w->ctx, vo_sim_set_handle_weight(w->sim, 0, 1 - 0.05 * step));
    assert_ok(w->ctx, vo_sim_step(w->sim));
}

/* Releases the handle and sets another target. */
static void release_handle(world *w) {
    vo_placement grip = vo_placement_identity();
    grip.translate.z = 0.05;
    assert_ok(w->ctx, vo_sim_set_handle_weight(w->sim, 0, 0));
    assert_ok(w->ctx, vo_sim_set_handle_target(w->sim, 0, &grip));
}

static void snapshot_restores_vertices_handles_and_measured_fabrics(void **state) {
    (void)state;
    for (int at = 4; at <= 7; at++) {
        world a = open_world(1, false), b = open_world(1, false);
        vo_snapshot *snapshot;
        set_measured_material(&a);
        for (int i = 0; i < at; i++) step_vertices(&a, i);
        if (at % 2) release_handle(&a);
        assert_ok(a.ctx, vo_sim_save_snapshot(a.sim, &snapshot));
        assert_ok(b.ctx, vo_sim_restore_snapshot(b.sim, snapshot));
        if (at % 2) { /* attaches to the pose of the last step, which differs from the target */
            assert_ok(a.ctx, vo_sim_set_handle_weight(a.sim, 0, 0.5));
            assert_ok(b.ctx, vo_sim_set_handle_weight(b.sim, 0, 0.5));
        }
        for (int i = at; i < at + 6; i++) {
            if (i < at + 2) { /* the inputs of the snapshot stay in use */
                assert_ok(a.ctx, vo_sim_step(a.sim));
                assert_ok(b.ctx, vo_sim_step(b.sim));
            } else {
                step_vertices(&a, i);
                step_vertices(&b, i);
            }
            vo_mesh_view p = vo_sim_get_obstacle(a.sim, 0), q = vo_sim_get_obstacle(b.sim, 0);
            assert_memory_equal(p.node_v, q.node_v, (size_t)p.node_count * sizeof *p.node_v);
            assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
        }
        vo_snapshot_destroy(snapshot);
        close_world(&a);
        close_world(&b);
    }
}

/* A live pose stays in use after it is restored. */
static void snapshot_restores_pose_of_obstacle(void **state) {
    (void)state;
    world a = open_world(1, false), b = open_world(1, false);
    vo_snapshot *snapshot;
    step_live(&a, 3);
    drive(&a);
    assert_ok(a.ctx, vo_sim_save_snapshot(a.sim, &snapshot));
    assert_ok(b.ctx, vo_sim_restore_snapshot(b.sim, snapshot));
    assert_true(v3_length(a.sim->obstacle[0].pose.translation) > 0);
    assert_memory_equal(&a.sim->obstacle[0].pose, &b.sim->obstacle[0].pose, sizeof(vo_transform));
    for (int i = 0; i < 2; i++) {
        assert_ok(a.ctx, vo_sim_step(a.sim));
        assert_ok(b.ctx, vo_sim_step(b.sim));
        vo_mesh_view p = vo_sim_get_obstacle(a.sim, 0), q = vo_sim_get_obstacle(b.sim, 0);
        assert_memory_equal(p.node_x, q.node_x, (size_t)p.node_count * sizeof *p.node_x);
        assert_memory_equal(p.node_v, q.node_v, (size_t)p.node_count * sizeof *p.node_v);
        assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
    }
    vo_snapshot_destroy(snapshot);
    close_world(&a);
    close_world(&b);
}

static vo_camera camera_at(double x, double fov) {
    return vo_camera_look_at((vo_vec3){x, -3, 1 + x * x}, (vo_vec3){0, x, 0}, (vo_vec3){0, 0, 1},
                             fov, 640, 480);
}

static void assert_same_prediction(const vo_sim *a, const vo_sim *b, double time) {
    const vo_camera_predictor *p = &a->view.predictor, *q = &b->view.predictor;
    vo_camera c = vo_camera_predict(p, time), d = vo_camera_predict(q, time);
    vo_camera_uncertainty u = vo_camera_predict_uncertainty(p, time),
                          v = vo_camera_predict_uncertainty(q, time);
    assert_memory_equal(&c, &d, sizeof c);
    assert_memory_equal(&u, &v, sizeof u);
    assert_true(u.metres > 0 && u.radians > 0);
}

static void snapshot_restores_camera_budget_and_statistics(void **state) {
    (void)state;
    world a = open_world(1, true), b = open_world(1, true);
    vo_snapshot *snapshot;
    for (int i = 0; i < 3; i++) {
        vo_camera camera = camera_at(0.1 * i * i, 40 + i * i);
        vo_camera_predictor_add(&a.sim->view.predictor, 0.04 * i, &camera);
    }
    assert_ok(a.ctx, vo_sim_step(a.sim));
    a.sim->budget = (vo_sim_budget){1, 2, 3, 4, 5, 6};
    assert_ok(a.ctx, vo_sim_save_snapshot(a.sim, &snapshot));
    assert_ok(b.ctx, vo_sim_restore_snapshot(b.sim, snapshot));
    assert_memory_equal(&a.sim->budget, &b.sim->budget, sizeof a.sim->budget);
    assert_memory_equal(&a.sim->stats.stage, &b.sim->stats.stage, sizeof a.sim->stats.stage);
    assert_true(a.sim->stats.wall_s == b.sim->stats.wall_s);
    assert_same_counters(a.sim, b.sim);
    assert_same_prediction(a.sim, b.sim, 0.2);
    vo_camera replaced = camera_at(0.5, 44); /* continues from the state before the last pose */
    vo_camera_predictor_add(&a.sim->view.predictor, 0.08, &replaced);
    vo_camera_predictor_add(&b.sim->view.predictor, 0.08, &replaced);
    assert_same_prediction(a.sim, b.sim, 0.2);
    vo_snapshot_destroy(snapshot);
    close_world(&a);
    close_world(&b);
}

/* Saves and restores with each allocation failing in turn; the next call succeeds. */
static void snapshot_without_memory_can_be_repeated(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    world w = open_variant(1, false, (variant){.memory = &memory});
    vo_snapshot *snapshot = NULL;
    set_measured_material(&w);
    for (int i = 0; i < STEPS + 1; i++) step_vertices(&w, i);
    uint64_t expected = vo_sim_hash(w.sim);
    long live = memory.live;
    for (long n = 0; !snapshot; n++) {
        memory.fail_at = memory.calls + n;
        vo_result result = vo_sim_save_snapshot(w.sim, &snapshot);
        bool failed = memory.calls > memory.fail_at;
        memory.fail_at = -1;
        assert_int_equal(result, failed ? VO_NO_MEMORY : VO_OK);
        assert_true((snapshot == NULL) == failed);
        if (failed) assert_int_equal(memory.live, live);
    }
    for (long n = 0, failures = 0;; n++) {
        memory.fail_at = memory.calls + n;
        vo_result result = vo_sim_restore_snapshot(w.sim, snapshot);
        bool failed = memory.calls > memory.fail_at;
        memory.fail_at = -1;
        failures += result == VO_NO_MEMORY;
        if (result != VO_OK) assert_int_equal(result, VO_NO_MEMORY);
        if (result != VO_OK) assert_int_equal(vo_sim_step(w.sim), w.sim->broken);
        if (failed) continue;
        assert_ok(w.ctx, result);
        assert_true(vo_sim_hash(w.sim) == expected);
        assert_true(failures > 20);
        break;
    }
    assert_ok(w.ctx, vo_sim_step(w.sim));
    vo_snapshot_destroy(snapshot);
    close_world(&w);
    assert_int_equal(memory.live, 0);
}

static void snapshot_of_other_scene_is_rejected(void **state) {
    (void)state;
    world a = open_world(1, true), b = open_variant(1, true, (variant){.obstacle_cells = 4});
    vo_snapshot *other, *own;
    assert_ok(a.ctx, vo_sim_save_snapshot(a.sim, &own));
    assert_ok(b.ctx, vo_sim_save_snapshot(b.sim, &other));
    assert_int_equal(vo_sim_restore_snapshot(a.sim, other), VO_BAD_ARGUMENT);
    assert_non_null(strstr(vo_context_message(a.ctx), "another scene"));
    assert_null(strstr(vo_context_message(a.ctx), "run"));
    assert_step_requires_restore(&a, VO_BAD_ARGUMENT);
    assert_ok(a.ctx, vo_sim_restore_snapshot(a.sim, own));
    assert_ok(a.ctx, vo_sim_step_frame(a.sim));
    vo_snapshot_destroy(own);
    vo_snapshot_destroy(other);
    close_world(&a);
    close_world(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_motion_equals_scene_motion),
        cmocka_unit_test(substeps_equal_step_frame),
        cmocka_unit_test(live_inputs_equal_scene_inputs),
        cmocka_unit_test(equal_live_inputs_keep_the_bits),
        cmocka_unit_test(material_changed_within_a_run_takes_effect),
        cmocka_unit_test(restored_snapshot_continues_with_same_bits),
        cmocka_unit_test(live_vertices_equal_live_pose),
        cmocka_unit_test(released_handle_lets_cloth_fall),
        cmocka_unit_test(invalid_poses_are_rejected),
        cmocka_unit_test(invalid_vertices_are_rejected),
        cmocka_unit_test(invalid_numbers_are_rejected),
        cmocka_unit_test(invalid_materials_are_rejected),
        cmocka_unit_test(null_snapshots_are_rejected),
        cmocka_unit_test(extreme_inputs_do_not_crash),
        cmocka_unit_test(cancelled_frame_continues_with_same_bits),
        cmocka_unit_test(restored_rigid_obstacle_continues_after_live_scale),
        cmocka_unit_test(pose_after_vertices_is_applied_once),
        cmocka_unit_test(live_obstacle_is_present_while_motion_has_zero_scale),
        cmocka_unit_test(handle_target_of_zero_scale_motion_holds_nodes),
        cmocka_unit_test(null_material_restores_scene_material),
        cmocka_unit_test(failed_solver_rebuild_requires_restore),
        cmocka_unit_test(snapshot_restores_vertices_handles_and_measured_fabrics),
        cmocka_unit_test(snapshot_restores_pose_of_obstacle),
        cmocka_unit_test(snapshot_restores_camera_budget_and_statistics),
        cmocka_unit_test(snapshot_without_memory_can_be_repeated),
        cmocka_unit_test(snapshot_of_other_scene_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
