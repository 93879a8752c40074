/* Untangling what should not exist: it ends clean, or with a report that names and locates what is
 * left; it never hangs, and never makes a number that is none. */
#include "collide/untangle.h"
#include "untangle_cases.h"

#include <string.h>

typedef struct run {
    vo_context *ctx;
    vo_untangler *untangler;
    vo_untangle_report report;
    vo_vec3 *before;
} run;

/* Untangles and compares with all pairs of faces. */
static run start(tangle_case *c, vo_untangle_def def) {
    run r = {.ctx = test_context(1)};
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

static void stop(run *r, tangle_case *c) {
    vo_untangler_destroy(r->untangler);
    vo_context_destroy(r->ctx);
    free(r->before);
    case_free(c);
}

static void expect_clean(tangle_case *c) {
    case_edges(c);
    run r = start(c, vo_untangle_def_default());
    assert_true(r.report.clean);
    assert_int_equal(r.report.tangle_count, 0);
    stop(&r, c);
}

/* Is there a tangle with this reason between these parts? It must be near where they are. */
static bool has_tangle(const run *r, vo_tangle_why why, int a, int b) {
    for (int i = 0; i < r->report.tangle_count; i++) {
        const vo_tangle *t = &r->report.tangle[i];
        assert_true(v3_is_finite(t->place) && v3_length(t->place) < 2);
        bool same = (t->part[0] == a && t->part[1] == b) || (t->part[0] == b && t->part[1] == a);
        if (t->why == why && same) return true;
    }
    return false;
}

/* ---- cloth and cloth ------------------------------------------------------------------------ */

static void test_coincident(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 12);
    case_sheet(&c, 12);
    expect_clean(&c);
}

/* In one place and facing each other. */
static void test_coincident_turned(void **state) {
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

/* In one plane, with other faces; and five of them. */
static void test_one_plane(void **state) {
    (void)state;
    tangle_case c = {0};
    for (int i = 0; i < 5; i++) {
        int first = case_sheet(&c, 7 + i);
        case_place(&c, first, v3(0, 0, 1), 0.3 * i, v3_zero());
    }
    expect_clean(&c);
}

/* A sheet folded flat onto itself, exactly. */
static void test_folded_flat(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 12);
    for (int n = 0; n < c.nodes; n++) c.x[n].x = fabs(c.x[n].x);
    expect_clean(&c);
}

/* Sheets that touch along a line of nodes without passing through. */
static void test_touching(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 8);
    int first = case_sheet(&c, 8);
    case_place(&c, first, v3(1, 0, 0), VO_PI / 2, v3(0, 0, 0.5));
    for (int n = first; n < c.nodes; n++) c.x[n].z = floor(c.x[n].z * 8 + 0.5) / 8;
    expect_clean(&c);
}

/* Every other face has lost its area. */
static void test_no_area(void **state) {
    (void)state;
    tangle_case c = {0};
    int first = case_sheet(&c, 12);
    for (int n = first + 1; n < c.nodes; n += 5) c.x[n] = c.x[n - 1];
    first = case_sheet(&c, 12);
    case_place(&c, first, v3(1, 0.1, 0), 0.4, v3(0.1, 0.05, 0.02));
    case_edges(&c);
    run r = start(&c, vo_untangle_def_default());
    if (!r.report.clean) assert_true(r.report.tangle_count > 0);
    stop(&r, &c);
}

/* Everything in one point: nothing has a size, so nothing can be done, and that is said. */
static void test_one_point(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 4);
    for (int n = 0; n < c.nodes; n++) c.x[n] = v3(1, 1, 1);
    case_edges(&c);
    run r = start(&c, vo_untangle_def_default());
    assert_false(r.report.clean);
    assert_true(has_tangle(&r, VO_TANGLE_UNSOLVED, 0, 0));
    stop(&r, &c);
}

/* A sheet of a millimetre, and one of a kilometre. */
static void test_sizes(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        tangle_case c;
        make_tangle(&c, 10);
        for (int n = 0; n < c.nodes; n++) c.x[n] = v3_scale(i ? 1000 : 0.001, c.x[n]);
        run r = start(&c, vo_untangle_def_default());
        assert_true(r.report.clean);
        stop(&r, &c);
    }
}

static void test_nothing(void **state) {
    (void)state;
    tangle_case c = {0};
    case_grow(&c, 1, 1);
    vo_untangle_def def = vo_untangle_def_default();
    c.edge = malloc(1);
    c.face_edge = malloc(1);
    run r = start(&c, def);
    assert_true(r.report.clean);
    stop(&r, &c);
}

static void test_no_number(void **state) {
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
        assert_non_null(strstr(vo_context_message(ctx), "node 7"));
        c.x[7].y = y;
    }
    assert_ok(ctx, vo_untangle(u, c.x, &report));
    assert_true(report.clean);
    vo_untangler_destroy(u);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* An untangler is not made from a state that is none. */
static void test_made_from_nonsense(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c;
    make_tangle(&c, 1);
    vo_vec3 *nonsense = malloc((size_t)c.nodes * sizeof *nonsense);
    for (int n = 0; n < c.nodes; n++) nonsense[n] = v3(NAN, INFINITY, 1e300);
    vo_untangle_def def = vo_untangle_def_default();
    def.soup = case_soup(&c);
    vo_untangler *u;
    assert_int_equal(vo_untangler_create(ctx, &def, nonsense, &u), VO_BAD_DATA);
    assert_null(u);
    free(nonsense);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* ---- pins ----------------------------------------------------------------------------------- */

/* Two sheets that cross, with no node that may move. */
static void test_all_pinned(void **state) {
    (void)state;
    tangle_case c;
    make_tangle(&c, 5);
    for (int n = 0; n < c.nodes; n++) c.inverse_mass[n] = 0;
    run r = start(&c, vo_untangle_def_default());
    assert_false(r.report.clean);
    assert_true(has_tangle(&r, VO_TANGLE_PINNED, 0, 1));
    assert_memory_equal(c.x, r.before, (size_t)c.nodes * sizeof *c.x);
    stop(&r, &c);
}

/* A sheet held inside a ball in the middle, and free elsewhere. */
static void test_pinned_inside(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 16);
    for (int n = 0; n < c.nodes; n++)
        if (v3_length(c.x[n]) < 0.1) c.inverse_mass[n] = 0;
    case_ball(&c, v3_zero(), 0.25, 9);
    case_edges(&c);
    run r = start(&c, vo_untangle_def_default());
    assert_false(r.report.clean);
    assert_true(r.report.tangle_count > 0);
    assert_int_equal(r.report.inside_count, 0);
    stop(&r, &c);
}

/* Only one of two crossing sheets may move: it does all of it. */
static void test_one_side_pinned(void **state) {
    (void)state;
    tangle_case c;
    make_tangle(&c, 9);
    int half = 0;
    while (half < c.faces && c.face_part[half] == 0) half++;
    int nodes = c.face[half][0];
    for (int n = 0; n < nodes; n++) c.inverse_mass[n] = 0;
    run r = start(&c, vo_untangle_def_default());
    assert_true(r.report.clean);
    for (int n = 0; n < nodes; n++) assert_true(v3_distance(c.x[n], r.before[n]) == 0);
    stop(&r, &c);
}

/* ---- obstacles ------------------------------------------------------------------------------ */

static void make_inside(tangle_case *c) {
    int first = case_sheet(c, 8);
    for (int n = first; n < c->nodes; n++) c->x[n] = v3_scale(0.2, c->x[n]);
    case_ball(c, v3(0.02, 0.01, 0.03), 0.3, 9);
    case_edges(c);
}

/* No intersection, but no place for cloth: reported, and left alone unless asked. */
static void test_wholly_inside(void **state) {
    (void)state;
    tangle_case c = {0};
    make_inside(&c);
    run r = start(&c, vo_untangle_def_default());
    assert_true(r.report.clean);
    assert_int_equal(r.report.inside_count, 1);
    assert_true(has_tangle(&r, VO_TANGLE_INSIDE, 0, 1));
    assert_memory_equal(c.x, r.before, (size_t)c.nodes * sizeof *c.x);
    stop(&r, &c);
}

static void test_pushed_out(void **state) {
    (void)state;
    tangle_case c = {0};
    make_inside(&c);
    vo_untangle_def def = vo_untangle_def_default();
    def.push_out = true;
    run r = start(&c, def);
    assert_true(r.report.clean);
    assert_int_equal(r.report.tangle_count, 0);
    for (int n = 0; n < c.nodes; n++)
        if (c.inverse_mass[n] > 0)
            assert_true(v3_distance(c.x[n], v3(0.02, 0.01, 0.03)) > 0.3 * cos(VO_PI / 10));
    stop(&r, &c);
}

/* Inside two balls that overlap: out of both. */
static void test_pushed_out_of_two(void **state) {
    (void)state;
    tangle_case c = {0};
    int first = case_sheet(&c, 8);
    for (int n = first; n < c.nodes; n++) c.x[n] = v3_scale(0.1, c.x[n]);
    case_ball(&c, v3(0.1, 0.01, 0.03), 0.3, 9);
    case_ball(&c, v3(-0.1, 0.01, 0.02), 0.25, 9);
    case_edges(&c);
    run r = start(&c, vo_untangle_def_default());
    assert_int_equal(r.report.inside_count, 2);
    vo_untangler_destroy(r.untangler);
    vo_context_destroy(r.ctx);
    free(r.before);
    vo_untangle_def def = vo_untangle_def_default();
    def.push_out = true;
    r = start(&c, def);
    assert_true(r.report.clean);
    assert_int_equal(r.report.tangle_count, 0);
    stop(&r, &c);
}

/* A sheet that a pin holds inside stays there, and is reported. */
static void test_pinned_wholly_inside(void **state) {
    (void)state;
    tangle_case c = {0};
    make_inside(&c);
    c.inverse_mass[3] = 0;
    vo_untangle_def def = vo_untangle_def_default();
    def.push_out = true;
    run r = start(&c, def);
    assert_int_equal(r.report.inside_count, 1);
    stop(&r, &c);
}

/* An obstacle with a hole has no inside; what passes through it is untangled all the same. */
static void test_open_obstacle(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        tangle_case c = {0};
        int first = case_sheet(&c, 16);
        case_place(&c, first, v3(1, 0.2, 0), 0.2, v3(0, 0, 0.08 * i - 0.2));
        case_ball(&c, v3_zero(), 0.25, 9);
        c.faces -= 9; /* a hole */
        expect_clean(&c);
    }
}

/* A flat obstacle across a sheet. */
static void test_flat_obstacle(void **state) {
    (void)state;
    tangle_case c = {0};
    int first = case_sheet(&c, 10);
    case_place(&c, first, v3(1, 0, 0), 1.2, v3(0.1, 0, 0.1));
    first = case_sheet(&c, 8);
    c.flags[1] = VO_SOUP_OBSTACLE;
    for (int n = first; n < c.nodes; n++) c.inverse_mass[n] = 0;
    expect_clean(&c);
}

/* A ball turned inside out has the same inside. */
static void test_turned_obstacle(void **state) {
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

/* A sheet whose border is held in the plane in which two balls overlap, so that it cannot leave
 * both without being torn: whatever comes of it, it is said where and why. */
static void test_squeezed(void **state) {
    (void)state;
    tangle_case c = {0};
    case_sheet(&c, 20);
    for (int n = 0; n < c.nodes; n++)
        if (v3_length(c.x[n]) > 0.3) c.inverse_mass[n] = 0;
    case_ball(&c, v3(0, 0, 0.2), 0.25, 12);
    case_ball(&c, v3(0, 0.01, -0.2), 0.25, 12);
    case_edges(&c);
    run r = start(&c, vo_untangle_def_default());
    assert_false(r.report.clean);
    assert_true(has_tangle(&r, VO_TANGLE_SQUEEZED, 0, 1) ||
                has_tangle(&r, VO_TANGLE_SQUEEZED, 0, 2) ||
                has_tangle(&r, VO_TANGLE_PINNED, 0, 1) || has_tangle(&r, VO_TANGLE_PINNED, 0, 2));
    stop(&r, &c);
}

/* An obstacle that jumps between two calls is found where it is. */
static void test_obstacle_jumps(void **state) {
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

/* Random triangles on random nodes, on a coarse grid: it ends, whatever comes of it. */
static void test_any_triangles(void **state) {
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
        run r = start(&c, def);
        assert_int_equal(r.report.clean, r.report.tangle_count == r.report.inside_count);
        stop(&r, &c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coincident),
        cmocka_unit_test(test_coincident_turned),
        cmocka_unit_test(test_one_plane),
        cmocka_unit_test(test_folded_flat),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_no_area),
        cmocka_unit_test(test_one_point),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_no_number),
        cmocka_unit_test(test_made_from_nonsense),
        cmocka_unit_test(test_all_pinned),
        cmocka_unit_test(test_pinned_inside),
        cmocka_unit_test(test_one_side_pinned),
        cmocka_unit_test(test_wholly_inside),
        cmocka_unit_test(test_pushed_out),
        cmocka_unit_test(test_pushed_out_of_two),
        cmocka_unit_test(test_pinned_wholly_inside),
        cmocka_unit_test(test_open_obstacle),
        cmocka_unit_test(test_flat_obstacle),
        cmocka_unit_test(test_turned_obstacle),
        cmocka_unit_test(test_squeezed),
        cmocka_unit_test(test_obstacle_jumps),
        cmocka_unit_test(test_any_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
