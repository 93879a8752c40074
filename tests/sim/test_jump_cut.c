/* Cut onto a dancer outside the view (assets/scenes/jump-cut.json): with anticipation the dress has
 * the face density of adapt = full in the first frame after the cut, without it the density is
 * lower. Takes minutes; runs with VOILE_TEST_LONG only. test_sim_view.c has a short version with a
 * curtain. */
#include "support.h"

#include "run/folder.h"
#include "spatial/rays.h"

#include <voile/compare.h>
#include <voile/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SCENE VOILE_SOURCE_DIR "/assets/scenes/jump-cut.json"
enum { CUT = 20, RUNS = 3 };

static const char *const names[RUNS] = {"view", "full", "late"};
static const char *const overrides[RUNS][2] = {
    {"adapt=view", NULL}, {"adapt=full", NULL}, {"adapt=view", "view.anticipation=0"}};

static void simulate(vo_context *ctx, int i, const char *folder) {
    vo_run_def def = vo_run_def_default();
    def.folder = folder;
    def.last_frame = CUT;
    def.override_count = overrides[i][1] ? 2 : 1;
    def.overrides = overrides[i];
    assert_ok(ctx, vo_run_simulate(ctx, SCENE, &def));
    vo_stats_list list;
    assert_ok(ctx, vo_folder_read_stats(ctx, folder, &list));
    for (int k = 0; k < list.count; k++)
        assert_int_equal(list.stats[k].intersections + list.stats[k].inside_nodes, 0);
    vo_stats_list_free(ctx, &list);
}

/* Returns the number of visible faces per pixel of cloth in the first frame after the cut. */
static double face_density(const vo_run_comparison *run) {
    const vo_frame_comparison *f = &run->frame[run->frame_count - 1];
    assert_int_equal(f->frame, CUT);
    print_message("%s: %.0f faces in view, %.0f in all, wrinkles %.3g\n", run->name,
                  f->visible_faces, f->faces, f->wrinkle_ratio);
    return f->visible_faces / f->cloth_pixels;
}

static void anticipated_cut_shows_full_detail(void **state) {
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
    double view = face_density(&c.run[0]), full = face_density(&c.run[1]),
           late = face_density(&c.run[2]);
    assert_true(fabs(view / full - 1) < 0.1);
    assert_true(late / full < 0.8);
    vo_comparison_free(ctx, &c);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anticipated_cut_shows_full_detail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
