/* Dense regions: more pairs in one place than lists can hold. Results stay correct where they are
 * complete, are reported as incomplete otherwise, and memory stays proportional to the number of
 * faces. */
#include "contact_fixture.h"

#include "collide/contour.h"
#include "collide/dense_region.h"
#include "collide/response.h"
#include "collide/untangle/untangle.h"

/* ---- lists that are not cached -------------------------------------------------------------- */

/* Two sheets with a thickness at which every feature is close to every other: too many pairs for
 * lists, but few of them collide. */
static contact_fixture make_sheets(vo_context *ctx) {
    contact_fixture w = {.ctx = ctx};
    fixture_add(&w, make_sheet_mesh(ctx, 0.1, 32, 0), false, false);
    fixture_add(&w, make_sheet_mesh(ctx, 0.1, 32, 0.05), false, false);
    fixture_build(&w);
    return w;
}

/* Moves the upper sheet down, tilted, through the lower one. */
static void lower_upper_sheet(vo_surface *s, double depth) {
    for (int i = s->part[1].node_begin; i < s->part[1].node_end; i++)
        s->x1[i] = v3_add(s->x0[i], v3(0.003, 0.002, -depth * (1 + 4 * s->x0[i].x)));
}

/* State of the comparison. */
typedef struct search {
    const vo_surface *s;
    double thickness;
    const vo_feature_pair *found;
    int count, at, colliding;
} search;

static bool same_pair(const vo_feature_pair *p, const vo_feature_pair *q) {
    return p->kind == q->kind && memcmp(p->node, q->node, sizeof p->node) == 0;
}

/* Pairs are visited in the order of the result, so one pass finds them all. */
static void expect_found(void *arg, const vo_feature_pair *pair, int face) {
    (void)face;
    search *x = arg;
    bool listed = x->at < x->count && same_pair(&x->found[x->at], pair);
    x->at += listed;
    if (!pair_comes_close(x->s, pair, x->thickness)) return;
    x->colliding++;
    assert_true(listed);
}

static void slices_find_same_pairs_as_lists(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    contact_fixture w = make_sheets(ctx);
    vo_candidates *c;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.5, NULL, &c));
    lower_upper_sheet(&w.surface, 0.05);
    search x = {.s = &w.surface, .thickness = 0.5};
    assert_ok(ctx, vo_candidates_find_swept_pairs(c, NULL, &x.count, &x.found));
    assert_false(vo_candidates_over_budget(c));
    for_each_pair(&w.surface, expect_found, &x);
    assert_int_equal(x.at, x.count);
    assert_true(x.colliding > 100);
    vo_candidates_report report = vo_candidates_reset_report(c);
    assert_int_equal(report.pair_count, 0); /* nothing is cached */
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* All pairs are closer than the thickness: the result is as large as its budget. */
static void too_many_proximities_are_over_budget(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    contact_fixture w = make_sheets(ctx);
    const vo_proximity *proximity;
    vo_candidates *c;
    int count, features = w.surface.node_count + w.surface.edge_count;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.5, NULL, &c));
    assert_ok(ctx, vo_candidates_find_proximities(c, &count, &proximity));
    assert_true(vo_candidates_over_budget(c));
    assert_in_range(count, 1, VO_MAX_PROXIMITIES * features);
    for (int i = 0; i < count; i++) assert_true(proximity[i].distance < proximity[i].thickness);
    vo_candidates_destroy(c);
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.051, NULL, &c));
    assert_ok(ctx, vo_candidates_find_proximities(c, &count, &proximity));
    assert_false(vo_candidates_over_budget(c));
    assert_true(count > 0);
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* A sheet folded in half and shrunk, so that the margin, which depends on material space, makes
 * every cluster close to every other although few of them are. */
static contact_fixture make_shrunk(vo_context *ctx) {
    const double size = 0.5, scale = 0.005;
    contact_fixture w = {.ctx = ctx};
    fixture_add(&w, make_sheet_mesh(ctx, size, 100, 0), false, false);
    fixture_build(&w);
    for (int i = 0; i < w.surface.node_count; i++) {
        vo_vec3 *x = &w.surface.x0[i];
        bool upper = x->x > size / 2;
        *x = v3(scale * (upper ? size - x->x : x->x), scale * x->y, upper ? 0x1p-18 : 0);
        w.surface.x1[i] = *x;
    }
    return w;
}

static int count_proximities(vo_context *ctx, vo_candidates *c) {
    const vo_proximity *proximity;
    int count;
    assert_ok(ctx, vo_candidates_find_proximities(c, &count, &proximity));
    assert_false(vo_candidates_over_budget(c));
    return count;
}

/* Not a dense region, whatever the margin of earlier traversals was. */
static void margin_does_not_cause_dense_region(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    contact_fixture w = make_shrunk(ctx);
    vo_candidates *c;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 1e-5, NULL, &c));
    int count = count_proximities(ctx, c);
    assert_true(count >= w.surface.node_count);
    assert_int_equal(count_proximities(ctx, c), count);
    for (int i = 0; i < w.surface.node_count; i++) w.surface.x0[i].z += 0x1p-10;
    assert_int_equal(count_proximities(ctx, c), count);
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* ---- the response --------------------------------------------------------------------------- */

/* A sheet crumpled into a tenth of a millimetre, and another one beside it that falls freely. */
static contact_fixture make_dense_fixture(vo_context *ctx, int cells) {
    contact_fixture w = {.ctx = ctx};
    vo_random r = vo_random_seed(5);
    fixture_add(&w, make_sheet_mesh(ctx, 0.5, cells, 0), false, false);
    fixture_add(&w, make_sheet_mesh(ctx, 0.5, 6, 0.5), false, false);
    fixture_build(&w);
    for (int i = 0; i < w.surface.part[0].node_end; i++) {
        w.surface.x0[i] = test_random_vec3(&r, 5e-5);
    }
    return w;
}

/* Moves everything down, the nodes of the dense sheet by random amounts. */
static void move_down(vo_surface *s) {
    vo_random r = vo_random_seed(6);
    for (int i = 0; i < s->node_count; i++)
        s->x1[i] = v3_add(s->x0[i], v3(0, 0, vo_random_real(&r, -0.002, -0.001)));
    for (int i = s->part[1].node_begin; i < s->part[1].node_end; i++)
        s->x1[i] = v3_add(s->x0[i], v3(0, 0, -0.001));
}

static vo_response_report apply_response(contact_fixture *w, vo_candidates *c) {
    vo_response *response;
    vo_response_report report;
    vo_response_def def = {.thickness = 0.002};
    assert_ok(w->ctx, vo_response_create(w->ctx, &w->surface, &response));
    assert_ok(w->ctx, vo_response_apply(response, &def, &w->surface, c, &report));
    vo_response_destroy(response);
    return report;
}

/* Cloth of the dense region stays at x0, and everything else moves freely, or with `everything`
 * nothing moves. */
static void check_freeze(int cells, bool everything) {
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    contact_fixture w = make_dense_fixture(ctx, cells);
    vo_surface *s = &w.surface;
    vo_candidates *c;
    int frozen = 0, free = 0;
    double start = test_seconds();
    assert_ok(ctx, vo_candidates_create(ctx, s, 0.002, NULL, &c));
    move_down(s);
    vo_response_report report = apply_response(&w, c);
    for (int i = 0; i < s->part[0].node_end; i++) frozen += v3_equal(s->x0[i], s->x1[i]);
    for (int i = s->part[1].node_begin; i < s->part[1].node_end; i++)
        free += !v3_equal(s->x0[i], s->x1[i]);
    assert_true(report.dense_nodes > 0 && report.dense_node >= 0);
    assert_true(frozen >= 0.9 * s->part[0].node_end);
    assert_int_equal(free, everything ? 0 : s->part[1].node_end - s->part[1].node_begin);
    if (memory.bytes > 50000000L + 100000L * s->face_count) fail_msg("%ld bytes", memory.bytes);
    assert_true(test_seconds() - start < 30 * TEST_SLOWNESS);
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

static void dense_sheet_is_frozen(void **state) {
    (void)state;
    check_freeze(TEST_SLOWNESS > 1 ? 24 : 50, false);
}

/* More clusters in one place than cluster pairs can be listed: nothing moves. */
static void huge_dense_sheet_freezes_everything(void **state) {
    (void)state;
    check_freeze(TEST_SLOWNESS > 1 ? 100 : 130, true);
}

/* ---- contours and untangling ---------------------------------------------------------------- */

static void untangling_reports_dense_region(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    contact_fixture w = make_dense_fixture(ctx, 100);
    vo_surface *s = &w.surface;
    unsigned char flags[2] = {0};
    vo_untangle_def def = vo_untangle_def_default();
    vo_untangle_report report;
    vo_untangler *u;
    def.soup = vo_soup_from_surface(s, flags);
    memcpy(s->x1, s->x0, (size_t)s->node_count * sizeof *s->x0);
    assert_ok(ctx, vo_untangler_create(ctx, &def, s->x0, &u));
    assert_ok(ctx, vo_untangle(u, s->x0, &report));
    assert_false(report.clean);
    assert_in_range(report.dense_region.face, 0, s->part[0].face_end - 1);
    assert_int_equal(report.dense_region.face_count, s->part[0].face_end);
    assert_true(report.dense_region.radius <= 0.00101);
    assert_true(v3_length(report.dense_region.position) < 2e-4);
    assert_memory_equal(s->x0, s->x1, (size_t)s->node_count * sizeof *s->x0);
    assert_true(memory.bytes < 10000L * s->face_count);
    vo_untangler_destroy(u);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* The result does not depend on threads, and the finder can be used again. */
static void dense_region_is_detected_repeatedly(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        vo_context *ctx = test_context(threads);
        contact_fixture w = make_dense_fixture(ctx, 60);
        unsigned char flags[2] = {0};
        vo_soup soup = vo_soup_from_surface(&w.surface, flags);
        vo_contours contours;
        assert_ok(ctx, vo_contours_create(ctx, &soup, w.surface.x0, &contours));
        for (int round = 0; round < 2; round++) {
            assert_ok(ctx, vo_contours_find(&contours, w.surface.x0));
            assert_true(contours.over_budget);
            assert_int_equal(contours.pair_count, 0);
            assert_ok(ctx, vo_contours_find(&contours, w.surface.x1)); /* flat sheets */
            assert_false(contours.over_budget);
        }
        vo_contours_free(&contours);
        fixture_free(&w);
        vo_context_destroy(ctx);
    }
}

/* ---- location ------------------------------------------------------------------------------- */

static void dense_region_is_located(void **state) {
    (void)state;
    enum { FACES = 3000 };
    static vo_vec3 x[3 * FACES];
    static int face[FACES][3];
    vo_random r = vo_random_seed(1);
    for (int i = 0; i < 3 * FACES; i++) { /* a tenth of them in one place, the others spread out */
        double size = i / 3 % 10 == 0 ? 1e-4 : 0;
        x[i] = v3(i / 3, vo_random_real(&r, 0, 0.1), vo_random_real(&r, 0, 0.1));
        if (size > 0) x[i] = v3(7 + vo_random_real(&r, 0, size), 8, vo_random_real(&r, 0, size));
        face[i / 3][i % 3] = i;
    }
    vo_dense_region region = vo_dense_region_find(FACES, (const int(*)[3])face, FACES, x);
    assert_int_equal(region.face % 10, 0);
    assert_int_equal(region.face_count, FACES / 10);
    assert_near(v3_distance(region.position, v3(7, 8, 0)), 0, 2e-4);
    assert_int_equal(vo_dense_region_find(0, NULL, 0, x).face, -1);
    assert_int_equal(vo_dense_region_around(FACES, (const int(*)[3])face, 1, x).face_count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_find_same_pairs_as_lists),
        cmocka_unit_test(too_many_proximities_are_over_budget),
        cmocka_unit_test(margin_does_not_cause_dense_region),
        cmocka_unit_test(dense_sheet_is_frozen),
        cmocka_unit_test(huge_dense_sheet_freezes_everything),
        cmocka_unit_test(untangling_reports_dense_region),
        cmocka_unit_test(dense_region_is_detected_repeatedly),
        cmocka_unit_test(dense_region_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
