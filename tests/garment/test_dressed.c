/* Scenes with characters and garments: no intersection in any frame, and results independent of the
 * number of threads. Coarse and short by default; the original scenes with VOILE_TEST_LONG. */
#include "support.h"

#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct dressed_scene {
    const char *scene;
    int garments;
    int frames; /* number of frames in the short test; 0: skipped */
} dressed_scene;

static const dressed_scene scenes[] = {
    {"walker", 1, 6}, {"solo-dancer", 1, 6}, {"squat", 1, 8},
    {"karate", 3, 0}, {"ten-dancers", 1, 0}, {"jump-cut", 1, 0},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

static vo_scene *load(vo_context *ctx, const dressed_scene *d) {
    static const char *const coarse[] = {
        "characters[0].body.faces=6000", "garments[0].edge_length=0.06",
        "garments[0].remeshing={\"refine_angle\": 0.6, \"size\": [0.05, 0.2]}", "preroll=0.4"};
    char path[600];
    vo_scene *scene;
    snprintf(path, sizeof path, "%s/assets/scenes/%s.json", VOILE_SOURCE_DIR, d->scene);
    assert_ok(ctx, vo_scene_load(ctx, path, is_long() ? 0 : 4, coarse, &scene));
    assert_true(scene->cloth_count % d->garments == 0);
    return scene;
}

/* Steps through the frames, checks that each is clean and returns the hash of the final state. */
static uint64_t simulate_clean(const dressed_scene *d, int threads, int frames) {
    vo_context *ctx = test_context(threads);
    vo_scene *scene = load(ctx, d);
    vo_sim *sim;
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int f = 0; f <= frames; f++) {
        vo_stats stats = vo_sim_get_stats(sim);
        if (stats.intersections || stats.inside_nodes)
            fail_msg("%s, frame %d: %d intersections, %d nodes inside", d->scene, f,
                     stats.intersections, stats.inside_nodes);
        if (f < frames) assert_ok(ctx, vo_sim_step_frame(sim));
    }
    uint64_t hash = vo_sim_hash(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return hash;
}

static void dressed_scenes_stay_clean(void **state) {
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        int frames = is_long() ? 100 : scenes[i].frames;
        if (frames > 0) (void)simulate_clean(&scenes[i], 2, frames);
    }
}

static void state_is_independent_of_threads(void **state) {
    (void)state;
    assert_true(simulate_clean(&scenes[0], 1, 3) == simulate_clean(&scenes[0], 3, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dressed_scenes_stay_clean),
        cmocka_unit_test(state_is_independent_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
