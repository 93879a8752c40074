/* Scenes of the real-time engine in assets/scenes: every frame is finite, no node is inside an
 * obstacle, meshes are refined up to their finest level, and garments stay on their characters. A
 * few frames by default, all of them with VOILE_TEST_LONG. */
#include "realtime/realtime_private.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_OVERRIDES = 6 };

typedef struct scene_case {
    const char *name;
    int cloths;
    int base_faces, finest_faces; /* of all cloths together; garments within 5 % */
    int short_frames, all_frames;
    double low, high;                     /* m, range of z in all frames */
    const char *overrides[MAX_OVERRIDES]; /* without VOILE_TEST_LONG */
} scene_case;

static const scene_case CASES[] = {
    {"drape-rabbit", 1, 2048, 32768, 16, 240, 0, 0.7, {0}},
    {"curtains", 2, 2048, 32768, 6, 390, 0.05, 2.16, {"preroll=0.1"}},
    {"squat-trousers",
     1,
     635,
     10160,
     6,
     384,
     0,
     1.5,
     {"preroll=0.2", "characters[0].body.faces=6000", "garments[0].edge_length=0.05"}},
    {"layers",
     3,
     1234,
     19744,
     4,
     240,
     0.5,
     1.65,
     {"preroll=0.2", "characters[0].body.faces=6000", "garments[0].edge_length=0.05",
      "garments[1].edge_length=0.05", "garments[2].edge_length=0.05"}},
    {"sheets", 20, 2560, 40960, 8, 240, 0, 1.2, {0}},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

/* Simulates the scene up to a frame, with the case's overrides unless the test is long. */
static void simulate_case(vo_context *ctx, const scene_case *c, int last, const char *adapt,
                          const char *folder) {
    const char *overrides[MAX_OVERRIDES + 1];
    char scene[600];
    vo_run_def def = vo_run_def_default();
    int count = 0;
    for (int i = 0; i < MAX_OVERRIDES && c->overrides[i] && !is_long(); i++)
        overrides[count++] = c->overrides[i];
    if (adapt) overrides[count++] = adapt;
    snprintf(scene, sizeof scene, VOILE_SOURCE_DIR "/assets/scenes/%s.json", c->name);
    def.folder = folder;
    def.last_frame = last;
    def.override_count = count;
    def.overrides = overrides;
    assert_ok(ctx, vo_run_simulate(ctx, scene, &def));
}

static void check_positions(const scene_case *c, const vo_run_reader *reader, int frame) {
    for (int k = 0; k < c->cloths; k++) {
        vo_mesh_view mesh = vo_run_reader_get_cloth(reader, k);
        for (int n = 0; n < mesh.node_count; n++) {
            vo_vec3 x = mesh.node_x[n];
            if (!isfinite(x.x) || !isfinite(x.y) || !(x.z >= c->low && x.z <= c->high))
                fail_msg("%s, frame %d: a node of cloth %d is at %g, %g, %g", c->name, frame, k,
                         x.x, x.y, x.z);
        }
    }
}

/* Checks frames `first` to `last`, each with at least and at most these faces. */
static void check_frames(vo_context *ctx, const scene_case *c, const char *folder, int first,
                         int last, double min_faces, double max_faces) {
    vo_run_reader *reader;
    assert_ok(ctx, vo_run_reader_open(ctx, folder, &reader));
    for (int frame = first; frame <= last; frame++) {
        const vo_stats *stats = vo_run_reader_find_stats(reader, frame);
        assert_non_null(stats);
        assert_int_equal(stats->inside_nodes, 0);
        assert_int_equal(stats->cloths, c->cloths);
        if (!(stats->faces >= min_faces && stats->faces <= max_faces))
            fail_msg("%s, frame %d: %d faces", c->name, frame, stats->faces);
        assert_ok(ctx, vo_run_reader_read_frame(reader, frame));
        check_positions(c, reader, frame);
    }
    vo_run_reader_close(reader);
}

static void scenes_are_simulated(void **state) {
    (void)state;
    for (int i = 0; i < CASE_COUNT; i++) {
        const scene_case *c = &CASES[i];
        vo_context *ctx = test_context(2);
        char folder[600];
        int last = is_long() ? c->all_frames : c->short_frames;
        snprintf(folder, sizeof folder, "%s/run", test_folder());
        simulate_case(ctx, c, last, NULL, folder);
        check_frames(ctx, c, folder, 0, last, 0.95 * c->base_faces, 1.05 * c->finest_faces);
        vo_context_destroy(ctx);
    }
}

/* Frame by which two levels of refinement have been added, at 30 adaptions per second. */
enum { FINEST_FRAME = 4 };

/* With `adapt` `none` every frame has all faces of the finest level. */
static void scenes_run_at_the_finest_level(void **state) {
    (void)state;
    for (int i = 0; i < CASE_COUNT; i++) {
        const scene_case *c = &CASES[i];
        if (c->cloths == 3 && !is_long()) continue; /* sewing takes long; trousers are sewn, too */
        vo_context *ctx = test_context(2);
        char folder[600];
        int last = is_long() ? 60 : FINEST_FRAME + 1;
        snprintf(folder, sizeof folder, "%s/run", test_folder());
        simulate_case(ctx, c, last, "adapt=none", folder);
        check_frames(ctx, c, folder, FINEST_FRAME, last, 0.95 * c->finest_faces,
                     1.05 * c->finest_faces);
        vo_context_destroy(ctx);
    }
}

/* Garments are layers in their order, per character; other cloths are not. */
static void garments_are_layers(void **state) {
    (void)state;
    static const char *const overrides[] = {
        "characters=[{\"body\": {\"faces\": 1000}}, {\"body\": {\"faces\": 1000}}]",
        "garments[1].character=1"};
    const int expected[2][3] = {{0, 1, 2}, {0, 0, 1}};
    for (int k = 0; k < 2; k++) {
        vo_context *ctx = test_context(1);
        vo_scene *scene;
        assert_ok(ctx, vo_scene_load(ctx, VOILE_SOURCE_DIR "/assets/scenes/layers.json", k + 1,
                                     overrides, &scene));
        for (int c = 0; c < 3; c++) assert_int_equal(vo_realtime_layer(scene, c), expected[k][c]);
        vo_scene_destroy(scene);
        vo_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(garments_are_layers),
        cmocka_unit_test(scenes_are_simulated),
        cmocka_unit_test(scenes_run_at_the_finest_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
