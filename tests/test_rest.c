/* Cloth that lies still does so also where its mesh follows what a camera sees of it. */
#include "support.h"

#include "sim/sim.h"
#include "spatial/rays.h"

#define SCENE VOILE_SOURCE_DIR "/assets/scenes/drape-sphere.json"

enum { FRAMES = 75, SETTLED = 50 };

/* What goes on after frame SETTLED, a frame. */
typedef struct unrest {
    double speed; /* m/s, root of the mean square over the nodes */
    double edits;
    double faces;
} unrest;

static double mean_square(const vo_mesh *m) {
    double sum = 0;
    for (int i = 0; i < m->node_count; i++) sum += v3_length2(m->node_v[i]);
    return sum / m->node_count;
}

/* A sheet falls on a ball, while a camera looks away for a moment, and from the other side later;
 * from frame 30 on it stands still. */
static unrest drape(const char *more) {
    const char *sets[] = {
        "adapt=view",
        "cloths[0].transform={\"translate\": [-0.5, -0.5, 0.32]}",
        "obstacles=[{\"shape\": {\"type\": \"sphere\", \"radius\": 0.25, \"edge_length\": 0.04}}]",
        "wind.density=0",
        "friction=0.6",
        "obs_friction=0.3",
        "cloths[0].grid={\"width\": 1, \"height\": 1, \"columns\": 6, \"rows\": 6}",
        "cloths[0].remeshing={\"refine_angle\": 0.3, \"refine_compression\": 0.01, "
        "\"refine_velocity\": 0.5, \"size\": [0.03, 0.2], \"aspect_min\": 0.2}",
        "camera={\"field\": 35, \"resolution\": [640, 360], \"keys\": ["
        "{\"time\": 0, \"position\": [2, -2, 0.8], \"target\": [0, 0, 0]}, "
        "{\"time\": 0.5, \"position\": [2, -1, 0.8], \"target\": [0, 0, 0]}, "
        "{\"time\": 0.5, \"cut\": true, \"position\": [2, -1, 0.8], \"target\": [10, 0, 0]}, "
        "{\"time\": 0.8, \"cut\": true, \"position\": [-2, -1, 0.8], \"target\": [0, 0, 0]}, "
        "{\"time\": 1.2, \"position\": [-2, 1, 0.8], \"target\": [0, 0, 0]}]}",
        "view.two_sided=true",
        "view.occlusion=true",
        more};
    vo_context *ctx = test_context(2);
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(ctx, vo_scene_load(ctx, SCENE, more ? 12 : 11, sets, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    unrest u = {0};
    for (int f = 1; f <= FRAMES; f++) {
        assert_ok(ctx, vo_sim_step_frame(sim));
        if (f <= SETTLED) continue;
        u.speed += sqrt(mean_square(sim->cloth[0].mesh)) / (FRAMES - SETTLED);
        u.edits += (double)(sim->stats.splits + sim->stats.collapses) / (FRAMES - SETTLED);
        u.faces += (double)sim->cloth[0].mesh->face_count / (FRAMES - SETTLED);
    }
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return u;
}

static void what_is_half_hidden_rests(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    unrest hidden = drape(NULL), all = drape("view.occlusion=false");
    print_message("with what is hidden: %.1f mm/s, %.1f edits, %.0f faces a frame; without: %.1f, "
                  "%.1f, %.0f\n",
                  1e3 * hidden.speed, hidden.edits, hidden.faces, 1e3 * all.speed, all.edits,
                  all.faces);
    assert_true(hidden.faces < 0.95 * all.faces);
    assert_true(hidden.speed < 2 * all.speed + 5e-3);
    assert_true(hidden.edits < 2 * all.edits + 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_half_hidden_rests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
