/* Dressed characters in front of a camera: layered garments are coarsened and refined without
 * intersections. Coarse and short by default, with a camera that first looks away; the original
 * scenes with VOILE_TEST_LONG. */
#include "support.h"

#include "sim/sim.h"

#include <voile/check.h>

#include <stdio.h>
#include <stdlib.h>

enum { MAX_OVERRIDES = 16, MAX_FRAMES = 120 };

typedef struct view_scene {
    const char *scene;
    int cloths;
    int frames, long_frames;              /* last frame */
    const char *overrides[MAX_OVERRIDES]; /* of the short test */
} view_scene;

/* The camera looks past the characters until a cut at frame 4, with an anticipation of two
 * frames. */
enum { AWAY = 1, CUT = 4 };
#define CAMERA_AWAY                                                                      \
    "camera.keys=[{\"time\": 0, \"position\": [0, -4, 1], \"target\": [0, -9, 1]}, "     \
    "{\"time\": 0.16, \"cut\": true, \"position\": [0, -4, 1], \"target\": [0, 0, 1]}]", \
        "view.anticipation=2", "view.off_screen=0.01"

static const view_scene karate = {
    "karate",
    3,
    8,
    110,
    {CAMERA_AWAY, "preroll=0.2", "characters[0].body.faces=4000", "garments[0].edge_length=0.06",
     "garments[0].remeshing.size=[0.04, 0.15]", "garments[1].edge_length=0.06",
     "garments[1].remeshing.size=[0.04, 0.15]", "garments[2].edge_length=0.06",
     "garments[2].remeshing.size=[0.04, 0.15]"}};
static const view_scene solo = {"solo-dancer",
                                1,
                                8,
                                100,
                                {CAMERA_AWAY, "preroll=0.2", "characters[0].body.faces=4000",
                                 "garments[0].edge_length=0.06",
                                 "garments[0].remeshing.size=[0.025, 0.15]"}};
static const view_scene ten = {"ten-dancers",
                               10,
                               6,
                               40,
                               {CAMERA_AWAY, "preroll=0.2", "characters[0].body.faces=3000",
                                "garments[0].edge_length=0.08",
                                "garments[0].remeshing.size=[0.04, 0.15]"}};

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

static int last_frame_of(const view_scene *f) { return is_long() ? f->long_frames : f->frames; }

static vo_scene *load(vo_context *ctx, const view_scene *f, const char *adapt) {
    const char *overrides[MAX_OVERRIDES + 1] = {adapt};
    int count = 1;
    for (int i = 0; !is_long() && i < MAX_OVERRIDES && f->overrides[i]; i++)
        overrides[count++] = f->overrides[i];
    char path[600];
    vo_scene *scene;
    snprintf(path, sizeof path, "%s/assets/scenes/%s.json", VOILE_SOURCE_DIR, f->scene);
    assert_ok(ctx, vo_scene_load(ctx, path, count, overrides, &scene));
    assert_int_equal(scene->cloth_count, f->cloths);
    return scene;
}

static void assert_clean(vo_context *ctx, const view_scene *f, const vo_sim *sim) {
    vo_inspection i;
    assert_ok(ctx, vo_sim_inspect(sim, &i));
    if (vo_inspection_intersections(&i) || i.inside_nodes || i.inverted_faces || i.lost_nodes)
        fail_msg("%s, frame %d: %d intersections, %d nodes inside, %d inverted faces", f->scene,
                 vo_sim_frame(sim), vo_inspection_intersections(&i), i.inside_nodes,
                 i.inverted_faces);
}

/* Results of a run. */
typedef struct record {
    int drape;                 /* faces at the end of the preroll, which has full detail */
    int faces[MAX_FRAMES + 1]; /* from frame 0 on */
    int rejected;              /* edits rejected because of intersections */
    uint64_t hash;             /* of the final state */
} record;

static void record_frame(record *r, int frame, const vo_stats *stats) {
    if (frame < 0) r->drape = stats->faces;
    if (frame >= 0) r->faces[frame] = stats->faces;
    r->rejected += frame >= 0 ? stats->rejected_edits : 0;
}

/* Steps to the last frame; all frames, including the preroll, must be clean. */
static record simulate_clean(const view_scene *f, const char *adapt, int threads, int last) {
    vo_context *ctx = test_context(threads);
    vo_scene *scene = load(ctx, f, adapt);
    vo_sim *sim;
    record r = {0};
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    while (vo_sim_frame(sim) < last) {
        assert_ok(ctx, vo_sim_step_frame(sim));
        assert_clean(ctx, f, sim);
        vo_stats stats = vo_sim_get_stats(sim);
        record_frame(&r, vo_sim_frame(sim), &stats);
    }
    r.hash = vo_sim_hash(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return r;
}

/* Outside the view the mesh is coarse, edits that would cause intersections are rejected, and the
 * cut refines it again. A run with adapt = full has the same drape and keeps it fine. */
static void check_short(const view_scene *f, const record *view) {
    print_message("%s: %d faces before frame 0, %d outside the view, %d in view; %d "
                  "edits rejected\n",
                  f->scene, view->drape, view->faces[AWAY], view->faces[f->frames], view->rejected);
    assert_true(view->faces[AWAY] < 0.4 * view->drape);
    assert_true(view->faces[CUT] > 1.5 * view->faces[AWAY]);
    assert_true(view->rejected > 100);
    if (TEST_SLOWNESS > 1) return;
    record full = simulate_clean(f, "adapt=full", 2, AWAY);
    assert_int_equal(full.drape, view->drape);
    assert_true(view->faces[AWAY] < 0.4 * full.faces[AWAY]);
}

/* All frames have far fewer faces than the drape, which has full detail. */
static void check_long(const view_scene *f, const record *view) {
    int max_faces = 0;
    for (int i = 0; i <= f->long_frames; i++)
        max_faces = view->faces[i] > max_faces ? view->faces[i] : max_faces;
    print_message("%s: %d faces before frame 0, at most %d from frame 0 on; %d edits rejected\n",
                  f->scene, view->drape, max_faces, view->rejected);
    assert_true(max_faces < 0.7 * view->drape);
}

static record run_and_check(const view_scene *f) {
    record view = simulate_clean(f, "adapt=view", 2, last_frame_of(f));
    if (is_long())
        check_long(f, &view);
    else
        check_short(f, &view);
    return view;
}

static void coarse_layers_stay_clean(void **state) {
    (void)state;
    (void)run_and_check(&karate);
}

static void state_is_independent_of_threads(void **state) {
    (void)state;
    record two = run_and_check(&solo),
           one = simulate_clean(&solo, "adapt=view", 1, last_frame_of(&solo));
    assert_true(one.hash == two.hash);
}

static void ten_dancers_stay_clean(void **state) {
    (void)state;
    if (TEST_SLOWNESS > 1) skip();
    (void)run_and_check(&ten);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_layers_stay_clean),
        cmocka_unit_test(state_is_independent_of_threads),
        cmocka_unit_test(ten_dancers_stay_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
