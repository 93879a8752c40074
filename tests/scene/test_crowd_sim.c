/* A crowd in front of a moving camera: equal bits for any number of threads and after resuming, and
 * no intersections. */
#include "support.h"

#include "core/file.h"
#include "run/folder.h"

#include <voile/run.h>

#include <stdio.h>

#define SCENE VOILE_SOURCE_DIR "/assets/scenes/crowd.json"

/* Four dancers in skirts, two near and two far; a cut between frames 2 and 3 changes that. */
static const char *const sets[] = {
    "adapt=view",
    "preroll=0.12",
    "characters[0].body.faces=3000",
    "garments[0].pattern=garments/skirt-wide.json",
    "garments[0].edge_length=0.12",
    "garments[0].remeshing.size=[0.05, 0.3]",
    "crowd.rows=2",
    "crowd.columns=2",
    "crowd.spacing=[2, 60]",
    "crowd.delay=0.5",
    "camera.keys=[{\"time\": 0, \"position\": [0, -36, 1], \"target\": [0, 0, 1]}, {\"time\": "
    "0.09, "
    "\"cut\": true, \"position\": [0, 24, 1], \"target\": [0, 30, 1]}]",
};
enum { LAST = 4, SETS = sizeof sets / sizeof *sets };

static vo_run_def run_def(const char *folder, int last) {
    vo_run_def def = vo_run_def_default();
    def.folder = folder;
    def.last_frame = last;
    def.override_count = SETS;
    def.overrides = sets;
    return def;
}

static void compare_frames(vo_context *ctx, const char *one, const char *other) {
    for (int frame = 0; frame <= LAST; frame++) {
        vo_bytes bytes[2];
        for (int i = 0; i < 2; i++) {
            char path[1200];
            snprintf(path, sizeof path, "%s/frames/%04d.vof", i ? other : one, frame);
            assert_ok(ctx, vo_file_read(ctx, path, &bytes[i]));
        }
        assert_int_equal(bytes[0].size, bytes[1].size);
        assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].size);
        for (int i = 0; i < 2; i++) vo_bytes_free(ctx, &bytes[i]);
    }
}

/* Every frame is free of intersections, and the face density follows visibility. */
static void check_stats(vo_context *ctx, const char *folder) {
    vo_stats_list list;
    assert_ok(ctx, vo_folder_read_stats(ctx, folder, &list));
    assert_int_equal(list.count, LAST + 1);
    int edits = 0;
    for (int i = 0; i < list.count; i++) {
        const vo_stats *s = &list.stats[i];
        assert_int_equal(s->intersections + s->inside_nodes, 0);
        edits += s->splits + s->collapses;
    }
    assert_true(edits > 0);
    vo_stats_list_free(ctx, &list);
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    vo_context *one = test_context(1), *two = test_context(2);
    char whole[600], parts[600];
    snprintf(whole, sizeof whole, "%s/whole", test_folder());
    snprintf(parts, sizeof parts, "%s/parts", test_folder());
    vo_run_def def = run_def(whole, LAST);
    assert_ok(one, vo_run_simulate(one, SCENE, &def));
    def = run_def(parts, 1);
    assert_ok(two, vo_run_simulate(two, SCENE, &def));
    def.override_count = 0;
    for (def.last_frame = 2; def.last_frame <= LAST; def.last_frame++)
        assert_ok(two, vo_run_resume(two, &def));
    compare_frames(one, whole, parts);
    check_stats(one, whole);
    vo_context_destroy(one);
    vo_context_destroy(two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
