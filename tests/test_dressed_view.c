/* Dressed characters before a camera: layered garments that become as coarse as they may, and fine
 * again, without ever intersecting. Coarse and short, before a camera that first looks away; with
 * VOILE_TEST_LONG the scenes as they are. */
#include "support.h"

#include "sim/sim.h"

#include <voile/check.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SETS = 16, MOST_FRAMES = 120 };

typedef struct filmed {
    const char *scene;
    int cloths;
    int frames, long_frames;     /* the last one */
    const char *sets[MOST_SETS]; /* of the short test */
} filmed;

/* The camera looks past everybody, until a cut at frame 4 that is foreseen by two frames. */
enum { AWAY = 1, CUT = 4 };
#define PAST                                                                             \
    "camera.keys=[{\"time\": 0, \"position\": [0, -4, 1], \"target\": [0, -9, 1]}, "     \
    "{\"time\": 0.16, \"cut\": true, \"position\": [0, -4, 1], \"target\": [0, 0, 1]}]", \
        "view.anticipation=2", "view.out=0.01"

static const filmed karate = {
    "karate",
    3,
    8,
    110,
    {PAST, "preroll=0.2", "characters[0].body.faces=4000", "garments[0].edge_length=0.06",
     "garments[0].remeshing.size=[0.04, 0.15]", "garments[1].edge_length=0.06",
     "garments[1].remeshing.size=[0.04, 0.15]", "garments[2].edge_length=0.06",
     "garments[2].remeshing.size=[0.04, 0.15]"}};
static const filmed solo = {"solo-dancer",
                            1,
                            8,
                            100,
                            {PAST, "preroll=0.2", "characters[0].body.faces=4000",
                             "garments[0].edge_length=0.06",
                             "garments[0].remeshing.size=[0.025, 0.15]"}};
static const filmed ten = {"ten-dancers",
                           10,
                           6,
                           40,
                           {PAST, "preroll=0.2", "characters[0].body.faces=3000",
                            "garments[0].edge_length=0.08",
                            "garments[0].remeshing.size=[0.04, 0.15]"}};

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

static int frames_of(const filmed *f) { return is_long() ? f->long_frames : f->frames; }

static vo_scene *load(vo_context *ctx, const filmed *f, const char *adapt) {
    const char *sets[MOST_SETS + 1] = {adapt};
    int count = 1;
    for (int i = 0; !is_long() && i < MOST_SETS && f->sets[i]; i++) sets[count++] = f->sets[i];
    char path[600];
    vo_scene *scene;
    snprintf(path, sizeof path, "%s/assets/scenes/%s.json", VOILE_SOURCE_DIR, f->scene);
    assert_ok(ctx, vo_scene_load(ctx, path, count, sets, &scene));
    assert_int_equal(scene->cloth_count, f->cloths);
    return scene;
}

static void assert_clean(vo_context *ctx, const filmed *f, const vo_sim *sim) {
    vo_inspection i;
    assert_ok(ctx, vo_sim_inspect(sim, &i));
    if (vo_inspection_intersections(&i) || i.inside_nodes || i.inverted_faces || i.lost_nodes)
        fail_msg("%s, frame %d: %d intersections, %d nodes inside, %d inverted faces", f->scene,
                 vo_sim_frame(sim), vo_inspection_intersections(&i), i.inside_nodes,
                 i.inverted_faces);
}

/* What came of a run. */
typedef struct record {
    int drape;                  /* faces at the end of the preroll, in which everything is seen */
    int faces[MOST_FRAMES + 1]; /* from frame 0 on */
    int refused;                /* edits that would have passed through something */
    uint64_t hash;              /* of the state at the end */
} record;

static void note(record *r, int frame, const vo_stats *stats) {
    if (frame < 0) r->drape = stats->faces;
    if (frame >= 0) r->faces[frame] = stats->faces;
    r->refused += frame >= 0 ? stats->refused_edits : 0;
}

/* Steps to the last frame; all are clean, those of the preroll as well. */
static record run(const filmed *f, const char *adapt, int threads, int last) {
    vo_context *ctx = test_context(threads);
    vo_scene *scene = load(ctx, f, adapt);
    vo_sim *sim;
    record r = {0};
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    while (vo_sim_frame(sim) < last) {
        assert_ok(ctx, vo_sim_step_frame(sim));
        assert_clean(ctx, f, sim);
        vo_stats stats = vo_sim_get_stats(sim);
        note(&r, vo_sim_frame(sim), &stats);
    }
    r.hash = vo_sim_hash(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return r;
}

/* Out of the picture there are few faces, those that coarsening would have taken through each other
 * stay, and the cut brings others. A run without a camera has the same drape and keeps it fine. */
static void check_short(const filmed *f, const record *view) {
    print_message("%s: %d faces before frame 0, %d out of the picture, %d when it shows them; %d "
                  "edits refused\n",
                  f->scene, view->drape, view->faces[AWAY], view->faces[f->frames], view->refused);
    assert_true(view->faces[AWAY] < 0.4 * view->drape);
    assert_true(view->faces[CUT] > 1.5 * view->faces[AWAY]);
    assert_true(view->refused > 100);
    if (TEST_SLOWNESS > 1) return;
    record full = run(f, "adapt=full", 2, AWAY);
    assert_int_equal(full.drape, view->drape);
    assert_true(view->faces[AWAY] < 0.4 * full.faces[AWAY]);
}

/* No frame comes near the drape, which is that of a run without a camera. */
static void check_long(const filmed *f, const record *view) {
    int most = 0;
    for (int i = 0; i <= f->long_frames; i++) most = view->faces[i] > most ? view->faces[i] : most;
    print_message("%s: %d faces before frame 0, at most %d in the film; %d edits refused\n",
                  f->scene, view->drape, most, view->refused);
    assert_true(most < 0.7 * view->drape);
}

static record film(const filmed *f) {
    record view = run(f, "adapt=view", 2, frames_of(f));
    if (is_long())
        check_long(f, &view);
    else
        check_short(f, &view);
    return view;
}

static void layers_are_clean_however_coarse(void **state) {
    (void)state;
    (void)film(&karate);
}

static void a_dress_is_the_same_for_any_number_of_threads(void **state) {
    (void)state;
    record two = film(&solo), one = run(&solo, "adapt=view", 1, frames_of(&solo));
    assert_true(one.hash == two.hash);
}

static void ten_dresses_are_clean(void **state) {
    (void)state;
    if (TEST_SLOWNESS > 1) skip();
    (void)film(&ten);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_clean_however_coarse),
        cmocka_unit_test(a_dress_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(ten_dresses_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
