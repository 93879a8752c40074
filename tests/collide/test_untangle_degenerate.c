/* Untangling of degenerate states: it ends without intersections, or with a report that names and
 * locates them; it always terminates and never produces invalid numbers. */
#include "collide/untangle/untangle.h"
#include "untangle_cases.h"

#include <string.h>

typedef struct untangle_run {
    vo_context *ctx;
    vo_untangler *untangler;
    vo_untangle_report report;
    vo_vec3 *before;
} untangle_run;

/* Untangles and compares the report with brute force. */
static untangle_run untangle(tangle_case *c, vo_untangle_def def) {
    untangle_run r = {.ctx = test_context(1)};
    def.soup = case_soup(c);
    r.before = malloc((size_t)(c->nodes + 1) * sizeof *r.before);
    assert_non_null(r.before);
    memcpy(r.before, c->x, (size_t)c->nodes * sizeof *r.before);
    double seconds = test_seconds();
    assert_ok(r.ctx, vo_untangler_create(r.ctx, &def, c->x, &r.untangler));
    assert_ok(r.ctx, vo_untangle(r.untangler, c->x, &r.report));
    assert_true(test_seconds() - seconds < 10 * TEST_SLOWNESS);
    for (int n = 0; n < c->nodes; n++) assert_true(v3_is_finite(c->x[n]));
    int pairs = case_count_pairs(c, c->x);
    assert_int_equal(pairs, r.report.pairs_after);
    assert_int_equal(pairs == 0, r.report.clean);
    return r;
}

static void free_run(untangle_run *r, tangle_case *c) {
    vo_untangler_destroy(r->untangler);
    vo_context_destroy(r->ctx);
    free(r->before);
    case_free(c);
}

static void expect_clean(tangle_case *c) {
    case_edges(c);
    untangle_run r = untangle(c, vo_untangle_def_default());
    assert_true(r.report.clean);
    assert_int_equal(r.report.tangle_count, 0);
    free_run(&r, c);
}

/* Returns true if there is a tangle with this reason between these parts; its position must be
 * close to them. */
static bool has_tangle(const untangle_run *r, vo_tangle_reason reason, int a, int b) {
    for (int i = 0; i < r->report.tangle_count; i++) {
        const vo_tangle *t = &r->report.tangle[i];
        assert_true(v3_is_finite(t->position) && v3_length(t->position) < 2);
        bool same = (t->part[0] == a && t->part[1] == b) || (t->part[0] == b && t->part[1] == a);
        if (t->reason == reason && same) return true;
    }
    return false;
}

/* ---- cloth and cloth ------------------------------------------------------------------------ */

static void coincident_sheets_become_clean(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 12);
    case_sheet(&c, 12);
    expect_clean(&c);
}

/* Coincident sheets with opposite orientation. */
static void coincident_reversed_sheets_become_clean(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 12);
    case_sheet(&c, 12);
    for (int f = c.faces / 2; f < c.faces; f++) {
        int node = c.face[f][0];
        c.face[f][0] = c.face[f][1];
        c.face[f][1] = node;
    }
    expect_clean(&c);
}

/* Five coplanar sheets with different meshes. */
static void coplanar_sheets_become_clean(void **state) {
    (void)state;
    tangle_case c = {0};
    for (int i = 0; i < 5; i++) {
        int first = case_sheet(&c, 7 + i);
        case_transform(&c, first, v3(0, 0, 1), 0.3 * i, v3_zero());
    }
    expect_clean(&c);
}

/* A sheet folded flat onto itself, exactly. */
static void flat_fold_becomes_clean(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 12);
    for (int n = 0; n < c.nodes; n++) c.x[n].x = fabs(c.x[n].x);
    expect_clean(&c);
}

/* Sheets that touch along a line of nodes without passing through. */
static void touching_sheets_become_clean(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 8);
    int first = case_sheet(&c, 8);
    case_transform(&c, first, v3(1, 0, 0), VO_PI / 2, v3(0, 0, 0.5));
    for (int n = first; n < c.nodes; n++) c.x[n].z = floor(c.x[n].z * 8 + 0.5) / 8;
    expect_clean(&c);
}

/* A sheet with degenerate faces. */
static void degenerate_faces_are_resolved_or_reported(void **state) {
    (void)state;
    tangle_case c = {0};
    int first = case_sheet(&c, 12);
    for (int n = first + 1; n < c.nodes; n += 5) c.x[n] = c.x[n - 1];
    first = case_sheet(&c, 12);
    case_transform(&c, first, v3(1, 0.1, 0), 0.4, v3(0.1, 0.05, 0.02));
    case_edges(&c);
    untangle_run r = untangle(&c, vo_untangle_def_default());
    if (!r.report.clean) assert_true(r.report.tangle_count > 0);
    free_run(&r, &c);
}

/* All nodes in one point: without a size nothing can be resolved, which is reported. */
static void sheet_in_one_point_is_unsolved(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 4);
    for (int n = 0; n < c.nodes; n++) c.x[n] = v3(1, 1, 1);
    case_edges(&c);
    untangle_run r = untangle(&c, vo_untangle_def_default());
    assert_false(r.report.clean);
    assert_true(has_tangle(&r, VO_TANGLE_UNSOLVED, 0, 0));
    free_run(&r, &c);
}

/* A sheet of a millimetre, and one of a kilometre. */
static void any_scale_becomes_clean(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        tangle_case c;
        make_tangle(&c, 10);
        for (int n = 0; n < c.nodes; n++) c.x[n] = v3_scale(i ? 1000 : 0.001, c.x[n]);
        untangle_run r = untangle(&c, vo_untangle_def_default());
        assert_true(r.report.clean);
        free_run(&r, &c);
    }
}

static void empty_input_is_clean(void **state) {
    (void)state;
    tangle_case c = {0};
    case_grow(&c, 1, 1);
    vo_untangle_def def = vo_untangle_def_default();
    c.edge = malloc(1);
    c.face_edge = malloc(1);
    untangle_run r = untangle(&c, def);
    assert_true(r.report.clean);
    free_run(&r, &c);
}

static void non_finite_positions_are_rejected(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    vo_context *ctx = test_context(1);
    tangle_case c;
    make_tangle(&c, 0);
    vo_untangle_def def = vo_untangle_def_default();
    def.soup = case_soup(&c);
    vo_untangler *u;
    vo_untangle_report report;
    assert_ok(ctx, vo_untangler_create(ctx, &def, c.x, &u));
    for (int i = 0; i < 4; i++) {
        double y = c.x[7].y;
        c.x[7].y = bad[i];
        assert_int_equal(vo_untangle(u, c.x, &report), VO_BAD_DATA);
        assert_message_contains(ctx, "node 7");
        c.x[7].y = y;
    }
    assert_ok(ctx, vo_untangle(u, c.x, &report));
    assert_true(report.clean);
    vo_untangler_destroy(u);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* An untangler cannot be created from invalid positions. */
static void untangler_from_invalid_positions_is_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c;
    make_tangle(&c, 1);
    vo_vec3 *invalid = malloc((size_t)c.nodes * sizeof *invalid);
    for (int n = 0; n < c.nodes; n++) invalid[n] = v3(NAN, INFINITY, 1e300);
    vo_untangle_def def = vo_untangle_def_default();
    def.soup = case_soup(&c);
    vo_untangler *u;
    assert_int_equal(vo_untangler_create(ctx, &def, invalid, &u), VO_BAD_DATA);
    assert_null(u);
    free(invalid);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* ---- pins ----------------------------------------------------------------------------------- */

/* Two crossing sheets with all nodes pinned. */
static void pinned_sheets_are_reported(void **state) {
    (void)state;
    tangle_case c;
    make_tangle(&c, 5);
    for (int n = 0; n < c.nodes; n++) c.inverse_mass[n] = 0;
    untangle_run r = untangle(&c, vo_untangle_def_default());
    assert_false(r.report.clean);
    assert_true(has_tangle(&r, VO_TANGLE_PINNED, 0, 1));
    assert_memory_equal(c.x, r.before, (size_t)c.nodes * sizeof *c.x);
    free_run(&r, &c);
}

/* A sheet pinned inside a ball at its centre, and free elsewhere. */
static void sheet_pinned_in_ball_is_reported(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 16);
    for (int n = 0; n < c.nodes; n++)
        if (v3_length(c.x[n]) < 0.1) c.inverse_mass[n] = 0;
    case_ball(&c, v3_zero(), 0.25, 9);
    case_edges(&c);
    untangle_run r = untangle(&c, vo_untangle_def_default());
    assert_false(r.report.clean);
    assert_true(r.report.tangle_count > 0);
    assert_int_equal(r.report.inside_count, 0);
    free_run(&r, &c);
}

/* Only one of two crossing sheets is movable: it makes the whole motion. */
static void movable_sheet_leaves_pinned_one(void **state) {
    (void)state;
    tangle_case c;
    make_tangle(&c, 9);
    int half = 0;
    while (half < c.faces && c.face_part[half] == 0) half++;
    int nodes = c.face[half][0];
    for (int n = 0; n < nodes; n++) c.inverse_mass[n] = 0;
    untangle_run r = untangle(&c, vo_untangle_def_default());
    assert_true(r.report.clean);
    for (int n = 0; n < nodes; n++) assert_true(v3_distance(c.x[n], r.before[n]) == 0);
    free_run(&r, &c);
}

/* ---- obstacles ------------------------------------------------------------------------------ */

static void make_inside(tangle_case *c) {
    int first = case_sheet(c, 8);
    for (int n = first; n < c->nodes; n++) c->x[n] = v3_scale(0.2, c->x[n]);
    case_ball(c, v3(0.02, 0.01, 0.03), 0.3, 9);
    case_edges(c);
}

/* No intersection, but inside an obstacle: reported, and unchanged unless requested. */
static void sheet_inside_is_reported(void **state) {
    (void)state;
    tangle_case c = {0};
    make_inside(&c);
    untangle_run r = untangle(&c, vo_untangle_def_default());
    assert_true(r.report.clean);
    assert_int_equal(r.report.inside_count, 1);
    assert_true(has_tangle(&r, VO_TANGLE_INSIDE, 0, 1));
    assert_memory_equal(c.x, r.before, (size_t)c.nodes * sizeof *c.x);
    free_run(&r, &c);
}

static void sheet_inside_is_pushed_out(void **state) {
    (void)state;
    tangle_case c = {0};
    make_inside(&c);
    vo_untangle_def def = vo_untangle_def_default();
    def.push_out = true;
    untangle_run r = untangle(&c, def);
    assert_true(r.report.clean);
    assert_int_equal(r.report.tangle_count, 0);
    for (int n = 0; n < c.nodes; n++)
        if (c.inverse_mass[n] > 0)
            assert_true(v3_distance(c.x[n], v3(0.02, 0.01, 0.03)) > 0.3 * cos(VO_PI / 10));
    free_run(&r, &c);
}

/* Inside two overlapping balls: pushed out of both. */
static void sheet_is_pushed_out_of_two_balls(void **state) {
    (void)state;
    tangle_case c = {0};
    int first = case_sheet(&c, 8);
    for (int n = first; n < c.nodes; n++) c.x[n] = v3_scale(0.1, c.x[n]);
    case_ball(&c, v3(0.1, 0.01, 0.03), 0.3, 9);
    case_ball(&c, v3(-0.1, 0.01, 0.02), 0.25, 9);
    case_edges(&c);
    untangle_run r = untangle(&c, vo_untangle_def_default());
    assert_int_equal(r.report.inside_count, 2);
    vo_untangler_destroy(r.untangler);
    vo_context_destroy(r.ctx);
    free(r.before);
    vo_untangle_def def = vo_untangle_def_default();
    def.push_out = true;
    r = untangle(&c, def);
    assert_true(r.report.clean);
    assert_int_equal(r.report.tangle_count, 0);
    free_run(&r, &c);
}

/* A sheet pinned inside stays there, and is reported. */
static void pinned_sheet_inside_is_reported(void **state) {
    (void)state;
    tangle_case c = {0};
    make_inside(&c);
    c.inverse_mass[3] = 0;
    vo_untangle_def def = vo_untangle_def_default();
    def.push_out = true;
    untangle_run r = untangle(&c, def);
    assert_int_equal(r.report.inside_count, 1);
    free_run(&r, &c);
}

/* An obstacle with a hole has no inside; intersections with it are still resolved. */
static void open_obstacle_becomes_clean(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        tangle_case c = {0};
        int first = case_sheet(&c, 16);
        case_transform(&c, first, v3(1, 0.2, 0), 0.2, v3(0, 0, 0.08 * i - 0.2));
        case_ball(&c, v3_zero(), 0.25, 9);
        c.faces -= 9; /* a hole */
        expect_clean(&c);
    }
}

/* A flat obstacle across a sheet. */
static void flat_obstacle_becomes_clean(void **state) {
    (void)state;
    tangle_case c = {0};
    int first = case_sheet(&c, 10);
    case_transform(&c, first, v3(1, 0, 0), 1.2, v3(0.1, 0, 0.1));
    first = case_sheet(&c, 8);
    c.flags[1] = VO_SOUP_OBSTACLE;
    for (int n = first; n < c.nodes; n++) c.inverse_mass[n] = 0;
    expect_clean(&c);
}

/* A ball turned inside out has the same inside. */
static void reversed_obstacle_becomes_clean(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 16);
    int face = c.faces;
    case_ball(&c, v3(0.03, 0.02, 0.1), 0.25, 9);
    for (int f = face; f < c.faces; f++) {
        int node = c.face[f][0];
        c.face[f][0] = c.face[f][1];
        c.face[f][1] = node;
    }
    expect_clean(&c);
}

/* A sheet whose border is pinned in the plane in which two balls overlap, so that it cannot leave
 * both without excessive stretch: position and reason are reported. */
static void squeezed_sheet_is_reported(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 20);
    for (int n = 0; n < c.nodes; n++)
        if (v3_length(c.x[n]) > 0.3) c.inverse_mass[n] = 0;
    case_ball(&c, v3(0, 0, 0.2), 0.25, 12);
    case_ball(&c, v3(0, 0.01, -0.2), 0.25, 12);
    case_edges(&c);
    untangle_run r = untangle(&c, vo_untangle_def_default());
    assert_false(r.report.clean);
    assert_true(has_tangle(&r, VO_TANGLE_SQUEEZED, 0, 1) ||
                has_tangle(&r, VO_TANGLE_SQUEEZED, 0, 2) ||
                has_tangle(&r, VO_TANGLE_PINNED, 0, 1) || has_tangle(&r, VO_TANGLE_PINNED, 0, 2));
    free_run(&r, &c);
}

/* An obstacle that moves between two calls is found at its new position. */
static void moved_obstacle_is_found(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c = {0};
    case_sheet(&c, 16);
    int first = c.nodes;
    case_ball(&c, v3(0, 0, 5), 0.2, 9);
    case_edges(&c);
    vo_untangle_def def = vo_untangle_def_default();
    def.soup = case_soup(&c);
    vo_untangler *u;
    vo_untangle_report report;
    assert_ok(ctx, vo_untangler_create(ctx, &def, c.x, &u));
    assert_ok(ctx, vo_untangle(u, c.x, &report));
    assert_int_equal(report.pairs_before, 0);
    for (int n = first; n < c.nodes; n++) c.x[n].z -= 4.95;
    assert_ok(ctx, vo_untangle(u, c.x, &report));
    assert_true(report.pairs_before > 0 && report.clean);
    assert_int_equal(case_count_pairs(&c, c.x), 0);
    vo_untangler_destroy(u);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* Random triangles on a coarse lattice: it terminates, whatever the result. */
static void random_triangles_terminate(void **state) {
    (void)state;
    for (int seed = 0; seed < 30; seed++) {
        vo_random random = vo_random_seed((uint64_t)seed);
        tangle_case c = {0};
        case_sheet(&c, 5);
        case_sheet(&c, 4);
        case_ball(&c, v3_zero(), 0.3, 4);
        for (int n = 0; n < c.nodes; n++) {
            c.x[n] = v3(vo_random_int(&random, 5) * 0.2, vo_random_int(&random, 5) * 0.2,
                        vo_random_int(&random, 5) * 0.2);
            if (vo_random_int(&random, 10) == 0) c.inverse_mass[n] = 0;
        }
        case_edges(&c);
        vo_untangle_def def = vo_untangle_def_default();
        def.max_iterations = 60;
        def.push_out = seed % 2;
        untangle_run r = untangle(&c, def);
        assert_int_equal(r.report.clean, r.report.tangle_count == r.report.inside_count);
        free_run(&r, &c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coincident_sheets_become_clean),
        cmocka_unit_test(coincident_reversed_sheets_become_clean),
        cmocka_unit_test(coplanar_sheets_become_clean),
        cmocka_unit_test(flat_fold_becomes_clean),
        cmocka_unit_test(touching_sheets_become_clean),
        cmocka_unit_test(degenerate_faces_are_resolved_or_reported),
        cmocka_unit_test(sheet_in_one_point_is_unsolved),
        cmocka_unit_test(any_scale_becomes_clean),
        cmocka_unit_test(empty_input_is_clean),
        cmocka_unit_test(non_finite_positions_are_rejected),
        cmocka_unit_test(untangler_from_invalid_positions_is_rejected),
        cmocka_unit_test(pinned_sheets_are_reported),
        cmocka_unit_test(sheet_pinned_in_ball_is_reported),
        cmocka_unit_test(movable_sheet_leaves_pinned_one),
        cmocka_unit_test(sheet_inside_is_reported),
        cmocka_unit_test(sheet_inside_is_pushed_out),
        cmocka_unit_test(sheet_is_pushed_out_of_two_balls),
        cmocka_unit_test(pinned_sheet_inside_is_reported),
        cmocka_unit_test(open_obstacle_becomes_clean),
        cmocka_unit_test(flat_obstacle_becomes_clean),
        cmocka_unit_test(reversed_obstacle_becomes_clean),
        cmocka_unit_test(squeezed_sheet_is_reported),
        cmocka_unit_test(moved_obstacle_is_found),
        cmocka_unit_test(random_triangles_terminate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
