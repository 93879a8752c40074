/* Budgets of the view, in simulations. */
#include "view_world.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int warnings;
static void count_warnings(void *user, vo_log_level level, const char *message) {
    (void)user;
    warnings += level == VO_LOG_WARNING && strstr(message, "budget_faces cannot be held") != NULL;
}

/* How many frames so far had too many faces, and in how many of them that was to stay so. */
static int exceeded, missed;

/* The line of every frame says of its own faces whether they are too many, and by how much. */
static void assert_told(const world *w, double wanted) {
    const vo_stats *stats = &w->sim->stats;
    assert_near(stats->budget_excess, fmax(stats->faces / wanted - 1, 0), 1e-12);
    bool beyond = stats->faces > 1.03 * wanted;
    assert_int_equal(stats->budget_missed, beyond && w->sim->view.pixels >= 64);
    exceeded += beyond;
    missed += stats->budget_missed;
}

/* A curtain that comes into sight, so many frames ahead, with so many faces wanted. */
static world open_budget_ahead(double faces, double anticipation) {
    world w = open_world(VO_ADAPT_VIEW, anticipation, true, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.view.budget_faces = faces;
    w.scene->def.view.pixels = 1;
    w.ctx->log = count_warnings;
    warnings = exceeded = missed = 0;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    return w;
}

static world open_budget(double faces) { return open_budget_ahead(faces, 5); }

/* Into a frame file, and out of it again. */
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
    assert_ok(w->ctx, vo_sim_restore(w->sim, folder, frame));
}

static void save_and_restore(world *w) {
    save(w);
    restore(w);
}

/* The same for 60 frames. */
static world run_budget(double faces) {
    world w = open_budget(faces);
    assert_told(&w, faces);
    for (int f = 0; f < 60; f++) {
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        assert_told(&w, faces);
    }
    print_message("%.0f faces wanted: %d with %.3g pixels\n", faces, faces_of(&w),
                  w.sim->view.pixels);
    return w;
}

static void a_budget_holds_the_number_of_faces(void **state) {
    (void)state;
    world w = run_budget(1000);
    assert_true(faces_of(&w) > 900 && w.sim->view.pixels > 1);
    assert_int_equal(w.sim->stats.budget_missed, 0);
    assert_int_equal(warnings, 0);
    assert_true(exceeded == 0 && missed == 0); /* not in any frame, the first among them */
    close_world(&w);
}

/* Also where a coarse mesh comes into sight from one frame to the next. */
static void a_budget_holds_through_a_cut(void **state) {
    (void)state;
    for (double wanted = 500; wanted <= 2000; wanted *= 2) {
        world w = open_budget_ahead(wanted, 0);
        double most = 0, least = INFINITY;
        for (int f = 0; f < 40; f++) {
            assert_ok(w.ctx, vo_sim_step_frame(w.sim));
            most = fmax(most, faces_of(&w));
            if (f > CUT + 5) least = fmin(least, faces_of(&w));
        }
        print_message("%.0f faces wanted through a cut: %.0f to %.0f\n", wanted, least, most);
        assert_true(most < 1.2 * wanted && least > 0.85 * wanted);
        close_world(&w);
    }
}

/* Fewer faces than the cloth can be of are not reached, and that is told, once. */
static void a_budget_that_cannot_be_held_is_told(void **state) {
    (void)state;
    world w = run_budget(50);
    assert_true(faces_of(&w) > 60);
    assert_near(w.sim->view.pixels, 64, 0);
    assert_int_equal(w.sim->stats.budget_missed, 1);
    assert_int_equal(warnings, 1);
    assert_true(missed > 0 && exceeded >= missed);
    close_world(&w);
}

static char told[400];
static void keep_warning(void *user, vo_log_level level, const char *message) {
    (void)user;
    if (level == VO_LOG_WARNING && strstr(message, "cannot be held"))
        snprintf(told, sizeof told, "%s", message);
}

/* The key that is named is the one that cannot be held, not the other. */
static void the_budget_that_is_missed_is_named(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.view.budget_faces = 1e6;
    w.scene->def.view.budget_seconds = 1e-9;
    w.ctx->log = keep_warning;
    told[0] = 0;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    for (int f = 0; f < 3 * FRAMES && !told[0]; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_non_null(strstr(told, "view.budget_seconds cannot be held"));
    close_world(&w);
}

/* Ten frames before 0, in which everything counts as seen or not; returns the shortest edge then.
 */
static double preroll(bool whole_start) {
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.preroll = 0.4;
    w.scene->def.view.whole_start = whole_start;
    w.scene->def.view.budget_faces = 50;
    w.scene->def.view.pixels = 1;
    w.ctx->log = count_warnings;
    warnings = 0;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    for (int f = 0; f < 9; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    double pixels = w.sim->view.pixels;
    close_world(&w);
    return pixels;
}

/* What does not go by the screen cannot be held by it. */
static void a_budget_waits_for_the_film(void **state) {
    (void)state;
    assert_near(preroll(true), 1, 0);
    assert_int_equal(warnings, 0);
    assert_true(preroll(false) > 1);
}

/* Also where a frame is a single step, whose own time is then all there is. */
static void a_budget_of_seconds_is_felt(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.frame_steps = 1;
    w.scene->def.view.budget_seconds = 1e-9;
    w.scene->def.view.pixels = 1;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    assert_near(w.sim->view.pixels, 1, 0); /* before frame 0 no second counts */
    assert_near(w.sim->stats.budget_excess, 0, 0);
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(w.sim->view.pixels > 1);
    assert_true(w.sim->stats.budget_excess > 1);
    close_world(&w);
}

/* A budget lets go of what it held when a run goes on without one. */
static void a_budget_that_is_taken_away_lets_go(void **state) {
    (void)state;
    world w = run_budget(200);
    assert_true(w.sim->view.pixels > 4);
    save_and_restore(&w);
    assert_true(w.sim->view.pixels > 4);
    save(&w);
    w.scene->def.view.budget_faces = 0;
    restore(&w);
    assert_near(w.sim->view.pixels, 1, 0);
    close_world(&w);
}

/* A run that holds a number of faces goes on bit by bit. */
static void a_budget_of_faces_is_resumed(void **state) {
    (void)state;
    world a = open_budget(1000), b = open_budget(1000);
    for (int f = 0; f < 40; f++) {
        assert_ok(a.ctx, vo_sim_step_frame(a.sim));
        assert_ok(b.ctx, vo_sim_step_frame(b.sim));
        if (f % 7 == 3) save_and_restore(&b);
        assert_near(a.sim->view.pixels, b.sim->view.pixels, 0);
        assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
    }
    assert_true(a.sim->view.pixels > 1);
    close_world(&a);
    close_world(&b);
}

/* What is steered by are the seconds of a whole frame: its steps, and what comes after them. */
static void seconds_are_those_of_whole_frames(void **state) {
    (void)state;
    world w = open_budget(0);
    w.scene->def.view.budget_seconds = 1000;
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    double steps = w.sim->view.stepped_s, all = w.sim->stats.wall_s;
    assert_true(steps > 0 && steps < all);
    /* writing, say, took so long that steps alone are within the budget and the frame is not */
    w.sim->stats.wall_s += 3000;
    vo_sim_view_judge(w.sim);
    assert_near(w.sim->stats.budget_excess, w.sim->stats.wall_s / 1000 - 1, 1e-12);
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_true(w.sim->view.rest_s > 3000 && w.sim->view.rest_s < 3000 + all);
    assert_near(w.sim->view.pixels, 1.25, 1e-12); /* the most in one frame */
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));   /* and the next one had none of it */
    assert_true(w.sim->view.rest_s < 1000 && w.sim->view.pixels < 1.25);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_holds_the_number_of_faces),
        cmocka_unit_test(a_budget_holds_through_a_cut),
        cmocka_unit_test(a_budget_that_cannot_be_held_is_told),
        cmocka_unit_test(the_budget_that_is_missed_is_named),
        cmocka_unit_test(a_budget_waits_for_the_film),
        cmocka_unit_test(a_budget_of_seconds_is_felt),
        cmocka_unit_test(a_budget_that_is_taken_away_lets_go),
        cmocka_unit_test(a_budget_of_faces_is_resumed),
        cmocka_unit_test(seconds_are_those_of_whole_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
