/* Tests of simulations with adaptive remeshing. */
#include "support.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cloth of one material and the scene around it. */
typedef struct world {
    vo_scene_def def;
    vo_cloth_def cloth;
    vo_fabric_def fabric;
    double damping; /* of the material, s */
    int resolution; /* cells per side of a square of 1 m */
} world;

static world default_world(void) {
    world w = {vo_scene_def_default(), vo_cloth_def_default(), vo_fabric_def_default(), 0, 4};
    w.def.wind_density = 0;
    w.cloth.remeshing.enabled = true;
    w.cloth.remeshing.refine_angle = 0.3;
    w.cloth.remeshing.refine_compression = 0.01;
    w.cloth.remeshing.refine_velocity = 0.5;
    w.cloth.remeshing.size_min = 0.03;
    w.cloth.remeshing.size_max = 0.25;
    w.cloth.remeshing.aspect_min = 0.2;
    return w;
}

static vo_result add_cloth(vo_context *ctx, const world *w, vo_scene *scene) {
    vo_mesh *mesh = NULL;
    vo_fabric *fabric = NULL;
    vo_result result = vo_mesh_create_grid(ctx, 1, 1, w->resolution, w->resolution, &mesh);
    if (result == VO_OK) result = vo_fabric_create(ctx, &w->fabric, &fabric);
    if (result == VO_OK) {
        vo_material_def material = vo_material_def_default();
        material.fabric = fabric;
        material.damping = w->damping;
        vo_cloth_def cloth = w->cloth;
        cloth.mesh = mesh;
        cloth.materials = &material;
        cloth.material_count = 1;
        result = vo_scene_add_cloth(scene, &cloth, NULL);
    }
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(mesh);
    return result;
}

static vo_result open_world(vo_context *ctx, const world *w, vo_scene **scene) {
    VO_TRY(vo_scene_create(ctx, &w->def, scene));
    return add_cloth(ctx, w, *scene);
}

static vo_handle_def pins(int count, const int *nodes) {
    vo_handle_def def = vo_handle_def_default();
    def.nodes = nodes;
    def.node_count = count;
    return def;
}

/* ---- conservation --------------------------------------------------------------------------- */

static vo_vec3 momentum(const vo_sim *sim, double *mass) {
    const vo_mesh *m = sim->cloth[0].mesh;
    const vo_system *s = &sim->implicit.system;
    vo_vec3 sum = v3(0, 0, 0);
    *mass = 0;
    for (int i = 0; i < m->node_count; i++) {
        sum = v3_add_scaled(sum, s->mass[s->row_of[i]], m->node_v[i]);
        *mass += s->mass[s->row_of[i]];
    }
    return sum;
}

/* Sets waves across the sheet and a drift. */
static void set_flapping(vo_sim *sim) {
    vo_mesh *m = sim->cloth[0].mesh;
    for (int i = 0; i < m->node_count; i++) {
        vo_vec3 x = m->node_x[i];
        m->node_v[i] = v3(0.3, -0.2, 4 * sin(7 * x.x + 2 * x.y) + 0.5);
    }
    vo_sim_gather_state(sim);
}

static double total(vo_energy e) { return e.kinetic + e.gravity + e.stretch + e.bend; }

static void flying_sheet_keeps_mass_and_momentum(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    world w = default_world();
    w.def.gravity = v3(0, 0, 0);
    w.def.frame_steps = 1; /* remeshing after every step */
    w.def.frame_time = 0.005;
    w.def.solver_tolerance = 1e-9;
    w.def.disable = VO_DISABLE_PROXIMITY | VO_DISABLE_COLLISION; /* their energy is not measured */
    w.resolution = 12;
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(ctx, open_world(ctx, &w, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    set_flapping(sim);
    double mass, first_mass, energy = total(vo_sim_get_energy(sim));
    vo_vec3 first = momentum(sim, &first_mass);
    int edits = 0, frames = TEST_SLOWNESS > 1 ? 50 : 1000;
    for (int frame = 0; frame < frames; frame++) {
        assert_ok(ctx, vo_sim_step(sim));
        vo_vec3 now = momentum(sim, &mass);
        assert_near(mass, first_mass, 1e-12 * first_mass);
        assert_true(v3_distance(now, first) < 1e-5 * v3_length(first));
        double next = total(vo_sim_get_energy(sim));
        if (next > 1.01 * energy) fail_msg("frame %d: %g J after %g J", frame, next, energy);
        energy = fmin(energy, next);
        vo_stats s = vo_sim_get_stats(sim);
        edits += s.splits + s.collapses + s.flips;
    }
    assert_true(edits > 10 * frames);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* ---- rest ----------------------------------------------------------------------------------- */

static void cloth_at_rest_is_not_remeshed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    world w = default_world();
    w.def.wind_density = 1.2;
    w.def.wind_drag = 1;
    w.damping = 0.05;
    w.cloth.pose.degrees = -90; /* hanging from the start instead of swinging down */
    w.cloth.pose.axis = v3(1, 0, 0);
    vo_scene *scene;
    vo_sim *sim;
    int corners[2] = {0, w.resolution};
    vo_handle_def handle = pins(2, corners);
    assert_ok(ctx, open_world(ctx, &w, &scene));
    assert_ok(ctx, vo_scene_add_handle(scene, &handle, NULL));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int frame = 0; frame < 200; frame++) assert_ok(ctx, vo_sim_step_frame(sim));
    assert_true(vo_sim_get_stats(sim).max_speed < 0.01);
    int edits = 0;
    for (int frame = 0; frame < 25; frame++) {
        assert_ok(ctx, vo_sim_step_frame(sim));
        vo_stats s = vo_sim_get_stats(sim);
        edits += s.splits + s.collapses + s.flips;
    }
    assert_in_range(edits, 0, 5);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* ---- handles -------------------------------------------------------------------------------- */

static int nodes_above(const vo_sim *sim, double z) {
    const vo_mesh *m = sim->cloth[0].mesh;
    int count = 0;
    for (int i = 0; i < m->node_count; i++) count += m->node_x[i].z > z;
    return count;
}

/* A rim selected by label stays on the rail over its full length; handles on node numbers hold only
 * those nodes. */
static void labelled_rim_stays_attached(void **state) {
    (void)state;
    for (int by_label = 0; by_label < 2; by_label++) {
        vo_context *ctx = test_context(1);
        world w = default_world();
        vo_scene *scene;
        vo_sim *sim;
        int corners[5] = {0, 1, 2, 3, 4};
        vo_handle_def handle = pins(5, corners);
        handle.rim = by_label;
        assert_ok(ctx, open_world(ctx, &w, &scene));
        assert_ok(ctx, vo_scene_add_handle(scene, &handle, NULL));
        assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
        int refined = 5;
        for (int frame = 0; frame < 30; frame++) {
            assert_ok(ctx, vo_sim_step_frame(sim));
            int held = nodes_above(sim, -1e-9);
            refined = vo_max_int(refined, held);
            if (by_label)
                assert_int_equal(held, sim->handle[0].count);
            else
                assert_int_equal(sim->handle[0].count, 5);
        }
        if (by_label) assert_true(refined > 5);
        for (int k = 0; k < 5; k++) { /* the first five have not moved */
            const vo_mesh *m = sim->cloth[0].mesh;
            double nearest = INFINITY;
            for (int i = 0; i < m->node_count; i++)
                nearest = fmin(nearest, v3_distance(m->node_x[i], v3(0.25 * k, 0, 0)));
            assert_true(nearest < 1e-12);
        }
        vo_sim_destroy(sim);
        vo_scene_destroy(scene);
        vo_context_destroy(ctx);
    }
}

/* ---- accuracy ------------------------------------------------------------------------------- */

/* Returns the largest distance of a node of a from the surface of b. */
static double one_sided_distance(const vo_mesh *a, const vo_mesh *b) {
    vo_nearest nearest;
    assert_ok(b->ctx, vo_nearest_create(b->ctx, 1, &b, &nearest));
    vo_nearest_set_pose(&nearest, 0, xf_identity());
    double worst = 0;
    for (int i = 0; i < a->node_count; i++) {
        vo_vec3 near;
        vo_nearest_find(&nearest, 1, &a->node_x[i], 10, &near);
        worst = fmax(worst, v3_distance(near, a->node_x[i]));
    }
    vo_nearest_free(&nearest);
    return worst;
}

/* Simulates a curtain until it rests, on an adaptive mesh or a fine one. */
static vo_sim *simulate_drape(vo_context *ctx, vo_adapt adapt, vo_scene **scene) {
    world w = default_world();
    w.def.adapt = adapt;
    w.def.wind_density = 1.2;
    w.def.wind_drag = 0.5;
    w.resolution = 8;
    w.cloth.remeshing.refine_angle = 0.2;
    w.cloth.remeshing.size_min = 0.016;
    int rim[2] = {0, 8};
    vo_handle_def handle = pins(2, rim);
    vo_sim *sim;
    assert_ok(ctx, open_world(ctx, &w, scene));
    assert_ok(ctx, vo_scene_add_handle(*scene, &handle, NULL));
    assert_ok(ctx, vo_sim_create(ctx, *scene, &sim));
    for (int frame = 0; frame < 120; frame++) assert_ok(ctx, vo_sim_step_frame(sim));
    return sim;
}

static void adaptive_drape_matches_fine_mesh(void **state) {
    (void)state;
    if (TEST_SLOWNESS > 1) skip();
    vo_context *ctx = test_context(2);
    vo_scene *scene[2];
    vo_sim *fine = simulate_drape(ctx, VO_ADAPT_NONE, &scene[0]);
    vo_sim *adaptive = simulate_drape(ctx, VO_ADAPT_FULL, &scene[1]);
    const vo_mesh *a = fine->cloth[0].mesh, *b = adaptive->cloth[0].mesh;
    double distance = fmax(one_sided_distance(a, b), one_sided_distance(b, a));
    printf("drape: %d faces against %d, distance %.4f m\n", b->face_count, a->face_count, distance);
    assert_true(2 * b->face_count < a->face_count);
    assert_true(distance < 0.02 * sqrt(2));
    vo_sim_destroy(fine);
    vo_sim_destroy(adaptive);
    for (int i = 0; i < 2; i++) vo_scene_destroy(scene[i]);
    vo_context_destroy(ctx);
}

/* ---- external scenes ------------------------------------------------------------------------- */

/* Face counts of ARCSim 0.2.1 at these frames, with the same parameters. */
enum { FRAME_SAMPLES = 4 };
static const int mark_frame[FRAME_SAMPLES] = {1, 10, 25, 50};
typedef struct arcsim_scene {
    const char *name;
    int faces[FRAME_SAMPLES]; /* 0: unknown */
} arcsim_scene;
static const arcsim_scene arcsim_scenes[] = {{"sphere", {128, 1011, 3263, 2691}},
                                             {"dress-blue", {5170, 6921, 6457, 9897}},
                                             {"flag", {255, 5318, 12969, 0}}};

static void run_arcsim(const arcsim_scene *a, int frames) {
    vo_context *ctx = test_context(2);
    vo_scene *scene;
    vo_sim *sim;
    char path[1200];
    double theirs = 0, ours = 0;
    snprintf(path, sizeof path, "%s/arcsim/conf/%s.json", test_data(), a->name);
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int frame = 1; frame <= frames; frame++) {
        assert_ok(ctx, vo_sim_step_frame(sim));
        vo_inspection seen;
        assert_ok(ctx, vo_sim_inspect(sim, &seen));
        if (!vo_inspection_is_clean(&seen)) fail_msg("%s: frame %d is not clean", a->name, frame);
        for (int i = 0; i < FRAME_SAMPLES; i++) {
            if (mark_frame[i] != frame || !a->faces[i]) continue;
            theirs += a->faces[i];
            ours += sim->cloth[0].mesh->face_count;
        }
    }
    if (ours > 1.5 * theirs || theirs > 1.5 * ours)
        fail_msg("%s: %.0f faces at the marked frames instead of %.0f", a->name, ours, theirs);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* Up to frame 100 in the long test, to the first sample otherwise. */
static void arcsim_scenes_are_clean_and_match_face_counts(void **state) {
    (void)state;
    if (!test_data()) skip();
    for (size_t i = 0; i < sizeof arcsim_scenes / sizeof *arcsim_scenes; i++)
        run_arcsim(&arcsim_scenes[i], getenv("VOILE_TEST_LONG") ? 100 : 1);
}

/* ---- memory --------------------------------------------------------------------------------- */

static vo_result create_and_step(vo_context *ctx, void *arg) {
    (void)arg;
    world w = default_world();
    vo_scene *scene = NULL;
    vo_sim *sim = NULL;
    w.resolution = 2;
    w.cloth.linear_velocity = v3(0, 0, 1);
    w.cloth.angular_velocity = v3(20, 0, 3);
    vo_result result = open_world(ctx, &w, &scene);
    int corner = 0;
    vo_handle_def handle = pins(1, &corner);
    if (result == VO_OK) result = vo_scene_add_handle(scene, &handle, NULL);
    if (result == VO_OK) result = vo_sim_create(ctx, scene, &sim);
    if (result == VO_OK) result = vo_sim_step_frame(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    test_every_allocation_forgiving(create_and_step, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flying_sheet_keeps_mass_and_momentum),
        cmocka_unit_test(cloth_at_rest_is_not_remeshed),
        cmocka_unit_test(labelled_rim_stays_attached),
        cmocka_unit_test(adaptive_drape_matches_fine_mesh),
        cmocka_unit_test(arcsim_scenes_are_clean_and_match_face_counts),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
