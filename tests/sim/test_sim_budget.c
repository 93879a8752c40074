/* Tests of the view budgets for faces and seconds, in simulations. */
#include "view_fixture.h"

#include "run/segment.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int warnings;
static void count_warnings(void *user, vo_log_level level, const char *message) {
    (void)user;
    warnings += level == VO_LOG_WARNING && strstr(message, "budget_faces cannot be met") != NULL;
}

/* Numbers of frames with more faces than the budget, and of frames that report a missed budget. */
static int exceeded, missed;

/* Checks the statistics of the current frame against its number of faces, and counts the frame. */
static void assert_budget_stats(const world *w, double budget) {
    const vo_stats *stats = &w->sim->stats;
    assert_near(stats->budget_excess, fmax(stats->faces / budget - 1, 0), 1e-12);
    bool beyond = stats->faces > 1.03 * budget;
    assert_int_equal(stats->budget_missed, beyond && w->sim->budget.min_edge_pixels >= 64);
    exceeded += beyond;
    missed += stats->budget_missed;
}

/* Opens a simulation of a curtain that a cut brings into view, with a face budget and an
 * anticipation in frames. */
static world open_budget_with_anticipation(double faces, double anticipation) {
    world w = open_world(VO_ADAPT_VIEW, anticipation, true, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.view.budget_faces = faces;
    w.scene->def.view.min_edge_pixels = 1;
    w.ctx->log = count_warnings;
    warnings = exceeded = missed = 0;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    return w;
}

static world open_budget(double faces) { return open_budget_with_anticipation(faces, 5); }

/* Folder with the frame file of save(). */
static char folder[400];

static void save(world *w) {
    char path[500];
    vo_vof_writer *writer;
    snprintf(folder, sizeof folder, "%s", test_folder());
    snprintf(path, sizeof path, "%s/frames", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/frames/%04d.vof", folder, vo_sim_frame(w->sim));
    assert_ok(w->ctx, vo_vof_writer_create(w->ctx, &writer));
    assert_ok(w->ctx, vo_sim_save(w->sim, writer, path));
    vo_vof_writer_destroy(writer);
}

static void restore(world *w) {
    int frame = vo_sim_frame(w->sim);
    vo_sim_destroy(w->sim);
    assert_ok(w->ctx, vo_sim_create_for_frames(w->ctx, w->scene, &w->sim));
    assert_ok(w->ctx, vo_run_restore_frame(w->sim, folder, frame));
}

static void save_and_restore(world *w) {
    save(w);
    restore(w);
}

/* Runs 60 frames with a face budget and checks the statistics of each. */
static world run_budget(double faces) {
    world w = open_budget(faces);
    assert_budget_stats(&w, faces);
    for (int f = 0; f < 60; f++) {
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        assert_budget_stats(&w, faces);
    }
    print_message("budget of %.0f faces: %d with %.3g pixels\n", faces, faces_of(&w),
                  w.sim->budget.min_edge_pixels);
    return w;
}

static void face_budget_limits_the_number_of_faces(void **state) {
    (void)state;
    world w = run_budget(1000);
    assert_true(faces_of(&w) > 900 && w.sim->budget.min_edge_pixels > 1);
    assert_int_equal(w.sim->stats.budget_missed, 0);
    assert_int_equal(warnings, 0);
    assert_true(exceeded == 0 && missed == 0); /* in any frame, including the first */
    close_world(&w);
}

/* The budget holds also where a cut shows a coarse mesh from one frame to the next. */
static void face_budget_holds_through_a_cut(void **state) {
    (void)state;
    for (double budget = 500; budget <= 2000; budget *= 2) {
        world w = open_budget_with_anticipation(budget, 0);
        double max_faces = 0, min_faces = INFINITY;
        for (int f = 0; f < 40; f++) {
            assert_ok(w.ctx, vo_sim_step_frame(w.sim));
            max_faces = fmax(max_faces, faces_of(&w));
            if (f > CUT + 5) min_faces = fmin(min_faces, faces_of(&w));
        }
        print_message("budget of %.0f faces through a cut: %.0f to %.0f\n", budget, min_faces,
                      max_faces);
        assert_true(max_faces < 1.2 * budget && min_faces > 0.85 * budget);
        close_world(&w);
    }
}

/* A budget below the smallest possible number of faces is exceeded; the warning is logged once. */
static void unreachable_face_budget_is_warned_once(void **state) {
    (void)state;
    world w = run_budget(50);
    assert_true(faces_of(&w) > 60);
    assert_near(w.sim->budget.min_edge_pixels, 64, 0);
    assert_int_equal(w.sim->stats.budget_missed, 1);
    assert_int_equal(warnings, 1);
    assert_true(missed > 0 && exceeded >= missed);
    close_world(&w);
}

static char last_warning[400];
static void keep_warning(void *user, vo_log_level level, const char *message) {
    (void)user;
    if (level == VO_LOG_WARNING && strstr(message, "cannot be met"))
        snprintf(last_warning, sizeof last_warning, "%s", message);
}

/* With two budgets the warning names the one that is missed. */
static void missed_budget_warning_names_its_key(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.view.budget_faces = 1e6;
    w.scene->def.view.budget_seconds = 1e-9;
    w.ctx->log = keep_warning;
    last_warning[0] = 0;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    for (int f = 0; f < 3 * FRAMES && !last_warning[0]; f++)
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_non_null(strstr(last_warning, "view.budget_seconds cannot be met"));
    close_world(&w);
}

/* Runs ten frames of preroll; returns the smallest edge length on screen, in pixels. */
static double preroll(bool full_detail_preroll) {
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.preroll = 0.4;
    w.scene->def.view.full_detail_preroll = full_detail_preroll;
    w.scene->def.view.budget_faces = 50;
    w.scene->def.view.min_edge_pixels = 1;
    w.ctx->log = count_warnings;
    warnings = 0;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    for (int f = 0; f < 9; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    double pixels = w.sim->budget.min_edge_pixels;
    close_world(&w);
    return pixels;
}

/* With full detail in the preroll the screen size has no effect, so the budget must not change
 * it. */
static void full_detail_preroll_ignores_the_budget(void **state) {
    (void)state;
    assert_near(preroll(true), 1, 0);
    assert_int_equal(warnings, 0);
    assert_true(preroll(false) > 1);
}

/* A frame of a single step has no other frame time than that of the step. */
static void time_budget_applies_to_single_step_frames(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.frame_steps = 1;
    w.scene->def.view.budget_seconds = 1e-9;
    w.scene->def.view.min_edge_pixels = 1;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    assert_near(w.sim->budget.min_edge_pixels, 1, 0); /* no time is measured before frame 0 */
    assert_near(w.sim->stats.budget_excess, 0, 0);
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(w.sim->budget.min_edge_pixels > 1);
    assert_true(w.sim->stats.budget_excess > 1);
    close_world(&w);
}

/* Resuming a run without its budget restores the minimum edge length of the scene. */
static void resuming_without_budget_resets_edge_length(void **state) {
    (void)state;
    world w = run_budget(200);
    assert_true(w.sim->budget.min_edge_pixels > 4);
    save_and_restore(&w);
    assert_true(w.sim->budget.min_edge_pixels > 4);
    save(&w);
    w.scene->def.view.budget_faces = 0;
    restore(&w);
    assert_near(w.sim->budget.min_edge_pixels, 1, 0);
    close_world(&w);
}

/* A run with a face budget that is saved and restored continues bit-identically. */
static void resumed_face_budget_gives_same_bits(void **state) {
    (void)state;
    world a = open_budget(1000), b = open_budget(1000);
    for (int f = 0; f < 40; f++) {
        assert_ok(a.ctx, vo_sim_step_frame(a.sim));
        assert_ok(b.ctx, vo_sim_step_frame(b.sim));
        if (f % 7 == 3) save_and_restore(&b);
        assert_near(a.sim->budget.min_edge_pixels, b.sim->budget.min_edge_pixels, 0);
        assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
    }
    assert_true(a.sim->budget.min_edge_pixels > 1);
    close_world(&a);
    close_world(&b);
}

/* The controller uses the time of the whole frame: its steps and all work after them. */
static void time_budget_covers_whole_frames(void **state) {
    (void)state;
    world w = open_budget(0);
    w.scene->def.view.budget_seconds = 1000;
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    double steps = w.sim->budget.steps_s, all = w.sim->stats.wall_s;
    assert_true(steps > 0 && steps < all);
    /* a write time with which the steps alone are within the budget and the frame is not */
    vo_sim_add_write_time(w.sim, 3000);
    vo_sim_view_report_budget(w.sim);
    assert_near(w.sim->stats.budget_excess, w.sim->stats.wall_s / 1000 - 1, 1e-12);
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(w.sim->budget.after_steps_s > 3000 && w.sim->budget.after_steps_s < 3000 + all);
    assert_near(w.sim->budget.min_edge_pixels, 1.25, 1e-12); /* largest change in one frame */
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));              /* the next frame has no write time */
    assert_true(w.sim->budget.after_steps_s < 1000 && w.sim->budget.min_edge_pixels < 1.25);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(face_budget_limits_the_number_of_faces),
        cmocka_unit_test(face_budget_holds_through_a_cut),
        cmocka_unit_test(unreachable_face_budget_is_warned_once),
        cmocka_unit_test(missed_budget_warning_names_its_key),
        cmocka_unit_test(full_detail_preroll_ignores_the_budget),
        cmocka_unit_test(time_budget_applies_to_single_step_frames),
        cmocka_unit_test(resuming_without_budget_resets_edge_length),
        cmocka_unit_test(resumed_face_budget_gives_same_bits),
        cmocka_unit_test(time_budget_covers_whole_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
