/* Cloth at rest stays at rest with a view-dependent mesh. */
#include "support.h"

#include "sim/sim.h"
#include "spatial/rays.h"

#define SCENE VOILE_SOURCE_DIR "/assets/scenes/drape-sphere.json"

enum { FRAMES = 75, SETTLED = 50 };

/* Means per frame after frame SETTLED. */
typedef struct residual_motion {
    double speed; /* m/s, root of the mean square over the nodes */
    double edits;
    double faces;
} residual_motion;

static double mean_square(const vo_mesh *m) {
    double sum = 0;
    for (int i = 0; i < m->node_count; i++) sum += v3_length2(m->node_v[i]);
    return sum / m->node_count;
}

/* A sheet falls on a ball; the camera looks away for a short time, then views it from the other
 * side and stops at frame 30. */
static residual_motion drape(const char *extra_override) {
    const char *overrides[] = {
        "adapt=view",
        "cloths[0].transform={\"translate\": [-0.5, -0.5, 0.32]}",
        "obstacles=[{\"shape\": {\"type\": \"sphere\", \"radius\": 0.25, \"edge_length\": 0.04}}]",
        "wind.density=0",
        "friction=0.6",
        "obs_friction=0.3",
        "cloths[0].grid={\"width\": 1, \"height\": 1, \"columns\": 6, \"rows\": 6}",
        "cloths[0].remeshing={\"refine_angle\": 0.3, \"refine_compression\": 0.01, "
        "\"refine_velocity\": 0.5, \"size\": [0.03, 0.2], \"aspect_min\": 0.2}",
        "camera={\"fov_y\": 35, \"resolution\": [640, 360], \"keys\": ["
        "{\"time\": 0, \"position\": [2, -2, 0.8], \"target\": [0, 0, 0]}, "
        "{\"time\": 0.5, \"position\": [2, -1, 0.8], \"target\": [0, 0, 0]}, "
        "{\"time\": 0.5, \"cut\": true, \"position\": [2, -1, 0.8], \"target\": [10, 0, 0]}, "
        "{\"time\": 0.8, \"cut\": true, \"position\": [-2, -1, 0.8], \"target\": [0, 0, 0]}, "
        "{\"time\": 1.2, \"position\": [-2, 1, 0.8], \"target\": [0, 0, 0]}]}",
        "view.two_sided=true",
        "view.occlusion=true",
        extra_override};
    vo_context *ctx = test_context(2);
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(ctx, vo_scene_load(ctx, SCENE, extra_override ? 12 : 11, overrides, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    residual_motion u = {0};
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

static void partly_occluded_cloth_comes_to_rest(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    residual_motion occluded = drape(NULL), all = drape("view.occlusion=false");
    print_message("with occlusion: %.1f mm/s, %.1f edits, %.0f faces per frame; without: %.1f, "
                  "%.1f, %.0f\n",
                  1e3 * occluded.speed, occluded.edits, occluded.faces, 1e3 * all.speed, all.edits,
                  all.faces);
    assert_true(occluded.faces < 0.95 * all.faces);
    assert_true(occluded.speed < 2 * all.speed + 5e-3);
    assert_true(occluded.edits < 2 * all.edits + 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(partly_occluded_cloth_comes_to_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
