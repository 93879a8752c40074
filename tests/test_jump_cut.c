/* A cut onto a dancer whom nobody has seen before (assets/scenes/jump-cut.json): where the film is
 * known beforehand her dress is as fine as `full` has it in the first picture, where it is not, it
 * is not. Minutes; with VOILE_TEST_LONG only. A curtain shows the same in short: test_sim_view.c.
 */
#include "support.h"

#include "sim/folder.h"
#include "spatial/rays.h"

#include <voile/compare.h>
#include <voile/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SCENE VOILE_SOURCE_DIR "/assets/scenes/jump-cut.json"
enum { CUT = 20, RUNS = 3 };

static const char *const names[RUNS] = {"view", "full", "late"};
static const char *const sets[RUNS][2] = {
    {"adapt=view", NULL}, {"adapt=full", NULL}, {"adapt=view", "view.anticipation=0"}};

static void simulate(vo_context *ctx, int i, const char *folder) {
    vo_run_def def = vo_run_def_default();
    def.folder = folder;
    def.last_frame = CUT;
    def.set_count = sets[i][1] ? 2 : 1;
    def.sets = sets[i];
    assert_ok(ctx, vo_run_simulate(ctx, SCENE, &def));
    vo_stats_list list;
    assert_ok(ctx, vo_folder_read_stats(ctx, folder, &list));
    for (int k = 0; k < list.count; k++)
        assert_int_equal(list.stats[k].intersections + list.stats[k].inside_nodes, 0);
    vo_stats_list_free(ctx, &list);
}

/* Faces for each pixel of cloth in the first picture. */
static double density(const vo_compared_run *run) {
    const vo_compared_frame *f = &run->frame[run->frame_count - 1];
    assert_int_equal(f->frame, CUT);
    print_message("%s: %.0f faces in view, %.0f in all, wrinkles %.3g\n", run->name, f->seen_faces,
                  f->faces, f->wrinkle_ratio);
    return f->seen_faces / f->cloth_pixels;
}

static void a_dancer_is_fine_when_she_is_shown(void **state) {
    (void)state;
    if (!getenv("VOILE_TEST_LONG") || !vo_rays_available()) skip();
    vo_context *ctx = test_context(2);
    char folder[RUNS][600];
    const char *runs[RUNS];
    for (int i = 0; i < RUNS; i++) {
        snprintf(folder[i], sizeof folder[i], "%s/%s", test_folder(), names[i]);
        runs[i] = folder[i];
        simulate(ctx, i, folder[i]);
    }
    vo_compare_def def = vo_compare_def_default();
    def.run_count = RUNS;
    def.runs = runs;
    def.first = def.last = CUT;
    vo_comparison c;
    assert_ok(ctx, vo_compare(ctx, &def, &c));
    double view = density(&c.run[0]), full = density(&c.run[1]), late = density(&c.run[2]);
    assert_true(fabs(view / full - 1) < 0.1);
    assert_true(late / full < 0.8);
    vo_comparison_free(ctx, &c);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dancer_is_fine_when_she_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
