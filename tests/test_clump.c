/* Clumps: more pairs in one place than lists are kept for. Answers stay right where they can be
 * given, are known not to be complete where they cannot, and memory stays proportional to the
 * faces. */
#include "contact_world.h"

#include "collide/clump.h"
#include "collide/contour.h"
#include "collide/response.h"
#include "collide/untangle.h"

/* ---- lists that are not kept ---------------------------------------------------------------- */

/* Two sheets of a thickness in which every feature is near every other: too many pairs for lists,
 * but few of them meet. */
static world make_sheets(vo_context *ctx) {
    world w = {.ctx = ctx};
    world_add(&w, world_sheet(ctx, 0.1, 32, 0), false, false);
    world_add(&w, world_sheet(ctx, 0.1, 32, 0.05), false, false);
    world_build(&w);
    return w;
}

/* The upper sheet comes down, at a slant, through the lower one. */
static void sink(vo_surface *s, double depth) {
    for (int i = s->part[1].node_begin; i < s->part[1].node_end; i++)
        s->x1[i] = v3_add(s->x0[i], v3(0.003, 0.002, -depth * (1 + 4 * s->x0[i].x)));
}

/* What is looked for. */
typedef struct search {
    const vo_surface *s;
    double thickness;
    const vo_feature_pair *found;
    int count, at, met;
} search;

static bool same_pair(const vo_feature_pair *p, const vo_feature_pair *q) {
    return p->kind == q->kind && memcmp(p->node, q->node, sizeof p->node) == 0;
}

/* Pairs come in the order of the answer, so one pass finds them all. */
static void expect_found(void *arg, const vo_feature_pair *pair, int face) {
    (void)face;
    search *x = arg;
    bool listed = x->at < x->count && same_pair(&x->found[x->at], pair);
    x->at += listed;
    if (!world_meets(x->s, pair, x->thickness)) return;
    x->met++;
    assert_true(listed);
}

static void slices_find_what_lists_would(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    world w = make_sheets(ctx);
    vo_candidates *c;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.5, NULL, &c));
    sink(&w.surface, 0.05);
    search x = {.s = &w.surface, .thickness = 0.5};
    assert_ok(ctx, vo_candidates_swept(c, NULL, &x.count, &x.found));
    assert_false(vo_candidates_crowded(c));
    world_each(&w.surface, expect_found, &x);
    assert_int_equal(x.at, x.count);
    assert_true(x.met > 100);
    vo_candidates_report report = vo_candidates_report_take(c);
    assert_int_equal(report.pair_count, 0); /* nothing is kept */
    vo_candidates_destroy(c);
    world_free(&w);
    vo_context_destroy(ctx);
}

/* All are closer than the thickness: the answer has as many as it may. */
static void too_many_are_near(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    world w = make_sheets(ctx);
    const vo_near *near;
    vo_candidates *c;
    int count, features = w.surface.node_count + w.surface.edge_count;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.5, NULL, &c));
    assert_ok(ctx, vo_candidates_near(c, &count, &near));
    assert_true(vo_candidates_crowded(c));
    assert_in_range(count, 1, VO_NEAR_PAIRS * features);
    for (int i = 0; i < count; i++) assert_true(near[i].distance < near[i].thickness);
    vo_candidates_destroy(c);
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.051, NULL, &c));
    assert_ok(ctx, vo_candidates_near(c, &count, &near));
    assert_false(vo_candidates_crowded(c));
    assert_true(count > 0);
    vo_candidates_destroy(c);
    world_free(&w);
    vo_context_destroy(ctx);
}

/* A sheet folded in half and shrunk, so that slack, which goes by the fabric, has every cluster
 * near every other, while few of them are. */
static world make_shrunk(vo_context *ctx) {
    const double size = 0.5, scale = 0.005;
    world w = {.ctx = ctx};
    world_add(&w, world_sheet(ctx, size, 100, 0), false, false);
    world_build(&w);
    for (int i = 0; i < w.surface.node_count; i++) {
        vo_vec3 *x = &w.surface.x0[i];
        bool upper = x->x > size / 2;
        *x = v3(scale * (upper ? size - x->x : x->x), scale * x->y, upper ? 0x1p-18 : 0);
        w.surface.x1[i] = *x;
    }
    return w;
}

static int ask_near(vo_context *ctx, vo_candidates *c) {
    const vo_near *near;
    int count;
    assert_ok(ctx, vo_candidates_near(c, &count, &near));
    assert_false(vo_candidates_crowded(c));
    return count;
}

/* No clump: whoever has walked before, with whatever slack, knows no better. */
static void slack_makes_no_clump(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    world w = make_shrunk(ctx);
    vo_candidates *c;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 1e-5, NULL, &c));
    int count = ask_near(ctx, c);
    assert_true(count >= w.surface.node_count);
    assert_int_equal(ask_near(ctx, c), count);
    for (int i = 0; i < w.surface.node_count; i++) w.surface.x0[i].z += 0x1p-10;
    assert_int_equal(ask_near(ctx, c), count);
    vo_candidates_destroy(c);
    world_free(&w);
    vo_context_destroy(ctx);
}

/* ---- the response --------------------------------------------------------------------------- */

/* A sheet crumpled into a tenth of a millimetre, and another beside it that falls freely. */
static world make_knot(vo_context *ctx, int cells) {
    world w = {.ctx = ctx};
    vo_random r = vo_random_seed(5);
    world_add(&w, world_sheet(ctx, 0.5, cells, 0), false, false);
    world_add(&w, world_sheet(ctx, 0.5, 6, 0.5), false, false);
    world_build(&w);
    for (int i = 0; i < w.surface.part[0].node_end; i++) {
        double x = vo_random_real(&r, 0, 1e-4), y = vo_random_real(&r, 0, 1e-4);
        w.surface.x0[i] = v3(x, y, vo_random_real(&r, 0, 1e-4));
    }
    return w;
}

/* Everything goes down, the knot's nodes each in their own way. */
static void fall(vo_surface *s) {
    vo_random r = vo_random_seed(6);
    for (int i = 0; i < s->node_count; i++)
        s->x1[i] = v3_add(s->x0[i], v3(0, 0, vo_random_real(&r, -0.002, -0.001)));
    for (int i = s->part[1].node_begin; i < s->part[1].node_end; i++)
        s->x1[i] = v3_add(s->x0[i], v3(0, 0, -0.001));
}

static vo_response_report respond(world *w, vo_candidates *c) {
    vo_response *response;
    vo_response_report report;
    vo_response_def def = {.thickness = 0.002};
    assert_ok(w->ctx, vo_response_create(w->ctx, &w->surface, &response));
    assert_ok(w->ctx, vo_respond(response, &def, &w->surface, c, &report));
    vo_response_destroy(response);
    return report;
}

/* Cloth of the clump stays at x0, and all else moves as if it were not there. */
static void check_knot(int cells, bool wholly) {
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    world w = make_knot(ctx, cells);
    vo_surface *s = &w.surface;
    vo_candidates *c;
    int held = 0, free = 0;
    double start = test_seconds();
    assert_ok(ctx, vo_candidates_create(ctx, s, 0.002, NULL, &c));
    fall(s);
    vo_response_report report = respond(&w, c);
    for (int i = 0; i < s->part[0].node_end; i++) held += v3_equal(s->x0[i], s->x1[i]);
    for (int i = s->part[1].node_begin; i < s->part[1].node_end; i++)
        free += !v3_equal(s->x0[i], s->x1[i]);
    assert_true(report.crowded_nodes > 0 && report.clump_node >= 0);
    assert_true(held >= 0.9 * s->part[0].node_end);
    assert_int_equal(free, wholly ? 0 : s->part[1].node_end - s->part[1].node_begin);
    if (memory.bytes > 50000000L + 100000L * s->face_count) fail_msg("%ld bytes", memory.bytes);
    assert_true(test_seconds() - start < 30 * TEST_SLOWNESS);
    vo_candidates_destroy(c);
    world_free(&w);
    vo_context_destroy(ctx);
}

static void a_knot_is_held(void **state) {
    (void)state;
    check_knot(TEST_SLOWNESS > 1 ? 24 : 50, false);
}

/* So many clusters in one place that not even they can be paired: nothing moves. */
static void a_huge_knot_holds_all(void **state) {
    (void)state;
    check_knot(TEST_SLOWNESS > 1 ? 100 : 130, true);
}

/* ---- contours and untangling ---------------------------------------------------------------- */

/* The surface of a world as a soup. */
static vo_soup soup_of(const vo_surface *s, const unsigned char *flags) {
    return (vo_soup){.node_count = s->node_count,
                     .edge_count = s->edge_count,
                     .face_count = s->face_count,
                     .part_count = s->part_count,
                     .face = (const int(*)[3])s->face,
                     .face_edge = (const int(*)[3])s->face_edge,
                     .edge = (const int(*)[2])s->edge,
                     .face_part = s->face_part,
                     .part_flags = flags,
                     .inverse_mass = s->inverse_mass};
}

static void untangling_names_a_clump(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    world w = make_knot(ctx, 100);
    vo_surface *s = &w.surface;
    unsigned char flags[2] = {0};
    vo_untangle_def def = vo_untangle_def_default();
    vo_untangle_report report;
    vo_untangler *u;
    def.soup = soup_of(s, flags);
    memcpy(s->x1, s->x0, (size_t)s->node_count * sizeof *s->x0);
    assert_ok(ctx, vo_untangler_create(ctx, &def, s->x0, &u));
    assert_ok(ctx, vo_untangle(u, s->x0, &report));
    assert_false(report.clean);
    assert_in_range(report.clump.face, 0, s->part[0].face_end - 1);
    assert_int_equal(report.clump.faces, s->part[0].face_end);
    assert_true(report.clump.radius <= 0.00101);
    assert_true(v3_length(report.clump.place) < 2e-4);
    assert_memory_equal(s->x0, s->x1, (size_t)s->node_count * sizeof *s->x0);
    assert_true(memory.bytes < 10000L * s->face_count);
    vo_untangler_destroy(u);
    world_free(&w);
    vo_context_destroy(ctx);
}

/* Whether there is a clump is no matter of threads, and the same finder finds again. */
static void a_clump_comes_and_goes(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        vo_context *ctx = test_context(threads);
        world w = make_knot(ctx, 60);
        unsigned char flags[2] = {0};
        vo_soup soup = soup_of(&w.surface, flags);
        vo_contours contours;
        assert_ok(ctx, vo_contours_create(ctx, &soup, w.surface.x0, &contours));
        for (int round = 0; round < 2; round++) {
            assert_ok(ctx, vo_contours_find(&contours, w.surface.x0));
            assert_true(contours.crowded);
            assert_int_equal(contours.pair_count, 0);
            assert_ok(ctx, vo_contours_find(&contours, w.surface.x1)); /* flat */
            assert_false(contours.crowded);
        }
        vo_contours_free(&contours);
        world_free(&w);
        vo_context_destroy(ctx);
    }
}

/* ---- where ---------------------------------------------------------------------------------- */

static void a_clump_is_found(void **state) {
    (void)state;
    enum { FACES = 3000 };
    static vo_vec3 x[3 * FACES];
    static int face[FACES][3];
    vo_random r = vo_random_seed(1);
    for (int i = 0; i < 3 * FACES; i++) { /* a tenth of them in one place, the others all over */
        double size = i / 3 % 10 == 0 ? 1e-4 : 0;
        x[i] = v3(i / 3, vo_random_real(&r, 0, 0.1), vo_random_real(&r, 0, 0.1));
        if (size > 0) x[i] = v3(7 + vo_random_real(&r, 0, size), 8, vo_random_real(&r, 0, size));
        face[i / 3][i % 3] = i;
    }
    vo_clump clump = vo_clump_find(FACES, (const int(*)[3])face, FACES, x);
    assert_int_equal(clump.face % 10, 0);
    assert_int_equal(clump.faces, FACES / 10);
    assert_near(v3_distance(clump.place, v3(7, 8, 0)), 0, 2e-4);
    assert_int_equal(vo_clump_find(0, NULL, 0, x).face, -1);
    assert_int_equal(vo_clump_around(FACES, (const int(*)[3])face, 1, x).faces, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_find_what_lists_would), cmocka_unit_test(too_many_are_near),
        cmocka_unit_test(slack_makes_no_clump),         cmocka_unit_test(a_knot_is_held),
        cmocka_unit_test(a_huge_knot_holds_all),        cmocka_unit_test(untangling_names_a_clump),
        cmocka_unit_test(a_clump_comes_and_goes),       cmocka_unit_test(a_clump_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
