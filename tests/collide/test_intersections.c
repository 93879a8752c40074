/* Intersecting faces: the broad phase compared with brute force by the exact predicate, and
 * configurations with known counts. */
#include "collide/intersect.h"
#include "collide/intersections.h"
#include "core/timer.h"
#include "soup.h"

#include <stdio.h>

static vo_face_soup view(const soup *s, int cloth_faces) {
    return (vo_face_soup){s->x, (const int(*)[3])s->face, s->face_count, cloth_faces};
}

static int count(vo_context *ctx, const soup *s, int cloth_faces) {
    vo_intersections c = {0};
    vo_face_soup all = view(s, cloth_faces);
    assert_ok(ctx, vo_intersections_find(ctx, &c, &all));
    int found = c.count;
    assert_true(c.complete);
    vo_intersections_free(ctx, &c);
    return found;
}

/* ---- brute force ---------------------------------------------------------------------------- */

/* Asserts that the result is the ordered list of all intersecting pairs; returns their number. */
static int compare(vo_context *ctx, vo_intersections *c, const soup *s, int cloth_faces) {
    vo_face_soup all = view(s, cloth_faces);
    assert_ok(ctx, vo_intersections_find(ctx, c, &all));
    assert_true(c->complete);
    int at = 0;
    for (int i = 0; i < s->face_count; i++)
        for (int j = i + 1; j < s->face_count; j++) {
            if (i >= cloth_faces || !vo_faces_intersect(s->x, s->face[i], s->face[j])) continue;
            if (at >= c->count || c->pair[at][0] != i || c->pair[at][1] != j)
                fail_msg("the pair %d %d is missing at %d of %d", i, j, at, c->count);
            at++;
        }
    assert_int_equal(at, c->count);
    return at;
}

static void random_soups_match_brute_force(void **state) {
    (void)state;
    static const double scales[] = {1, 1e-6, 1e6};
    vo_random r = vo_random_seed(1);
    int found = 0, clean = 0;
    for (int round = 0; round < 36; round++) {
        vo_context *ctx = test_context(1 + round % 3);
        vo_intersections c = {0};
        soup s = {0};
        int n = 3 + vo_random_int(&r, 8);
        soup_sheet(&s, n, n, v3_zero(), v3(1, 0, 0), v3(0, 1, 0));
        soup_sheet(&s, n / 2, n, test_random_vec3(&r, 0.3), v3(1, 0, 0.1), v3(0.1, 1, 0));
        int cloth_faces = s.face_count;
        if (round % 2) soup_sphere(&s, 3 + n / 2, test_random_vec3(&r, 1), 0.4);
        if (round % 3) soup_box(&s, v3(-9, -9, -2), v3(9, 9, -0.01));
        soup_jitter(&s, &r, 0.3 / n * (round % 5), scales[round % 3]);
        int pairs = compare(ctx, &c, &s, cloth_faces);
        found += pairs;
        clean += pairs == 0;
        compare(ctx, &c, &s, s.face_count / 2); /* memory is reused */
        vo_intersections_free(ctx, &c);
        soup_free(&s);
        vo_context_destroy(ctx);
    }
    print_message("random soups: %d pairs, %d of 36 clean\n", found, clean);
    assert_true(found > 500 && clean > 3);
}

/* Nodes on a coarse lattice: coplanar faces, faces without area, coincident corners. */
static void lattice_soups_match_brute_force(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    vo_context *ctx = test_context(2);
    vo_intersections c = {0};
    for (int round = 0; round < 150; round++) {
        soup s = {0};
        int nodes = 12 + vo_random_int(&r, 40), faces = 5 + vo_random_int(&r, 60),
            size = 4 + round % 9;
        for (int i = 0; i < nodes; i++)
            soup_node(&s, v3(vo_random_int(&r, size), vo_random_int(&r, size),
                             vo_random_int(&r, round % 3 ? size : 1)));
        for (int f = 0; f < faces; f++) {
            int a = vo_random_int(&r, nodes), b = (a + 1 + vo_random_int(&r, nodes - 1)) % nodes, d;
            do d = vo_random_int(&r, nodes);
            while (d == a || d == b);
            soup_face(&s, a, b, d);
        }
        compare(ctx, &c, &s, faces - faces / 3);
        soup_free(&s);
    }
    vo_intersections_free(ctx, &c);
    vo_context_destroy(ctx);
}

/* ---- known counts --------------------------------------------------------------------------- */

/* Two squares that intersect in a segment off their diagonals and corners. */
static void crossing_quads_have_known_pairs(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    soup s = {0};
    soup_sheet(&s, 1, 1, v3_zero(), v3(1, 0, 0), v3(0, 1, 0));
    soup_sheet(&s, 1, 1, v3(0.25, 0.05, -0.5), v3(0, 0.1, 0), v3(0, 0, 1));
    assert_int_equal(count(ctx, &s, 4),
                     2); /* both faces of the second with the lower one of the first */
    assert_int_equal(count(ctx, &s, 2), 2); /* the second as an obstacle */
    assert_int_equal(count(ctx, &s, 0), 0); /* both as obstacles */
    for (int i = 4; i < 8; i++) s.x[i].z += 0.501;
    assert_int_equal(count(ctx, &s, 4), 0);
    for (int i = 4; i < 8; i++) s.x[i].z = i < 6 ? 0 : 1; /* touches along its lower side */
    assert_int_equal(count(ctx, &s, 4), 2);
    for (int i = 4; i < 6; i++) s.x[i].z = 0x1p-1000; /* above by a tiny distance */
    for (int i = 4; i < 6; i++) s.x[i].z = vo_exact_point(s.x[i]).z;
    assert_int_equal(count(ctx, &s, 4), 2); /* treated as 0 */
    for (int i = 4; i < 6; i++) s.x[i].z = 1e-80;
    assert_int_equal(count(ctx, &s, 4), 0);
    soup_free(&s);
    vo_context_destroy(ctx);
}

/* Sheets have no intersecting pair although neighbours share corners and sides, flat or bent. */
static void neighbours_do_not_intersect(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    soup s = {0};
    soup_sheet(&s, 20, 20, v3_zero(), v3(1, 0, 0), v3(0, 1, 0));
    assert_int_equal(count(ctx, &s, s.face_count), 0);
    for (int i = 0; i < s.node_count; i++) s.x[i].z = 0.2 * sin(9 * s.x[i].x) * s.x[i].y;
    assert_int_equal(count(ctx, &s, s.face_count), 0);
    soup_free(&s);
    soup_sphere(&s, 12, v3_zero(), 1);
    assert_int_equal(count(ctx, &s, s.face_count), 0);
    soup_free(&s);
    vo_context_destroy(ctx);
}

/* Two faces of a square folded flat onto each other along the diagonal; then raised by a tiny
 * distance. */
static void flat_fold_intersects(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    soup s = {0};
    soup_sheet(&s, 1, 1, v3_zero(), v3(1, 0, 0), v3(0, 1, 0));
    s.x[2] = s.x[1]; /* the corner opposite the diagonal 0-3 */
    assert_int_equal(count(ctx, &s, 2), 1);
    s.x[2].z = 1e-60;
    assert_int_equal(count(ctx, &s, 2), 0);
    soup_free(&s);
    vo_context_destroy(ctx);
}

/* A horizontal sheet through the centre of a sphere; then above it. */
static void sheet_through_sphere_matches_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_intersections c = {0};
    soup s = {0};
    soup_sheet(&s, 16, 16, v3(-1, -1, 0.01), v3(2, 0, 0), v3(0, 2, 0));
    int cloth_faces = s.face_count;
    soup_sphere(&s, 10, v3(0.003, 0.002, 0), 0.6);
    assert_true(compare(ctx, &c, &s, cloth_faces) > 40);
    for (int i = 0; i < 17 * 17; i++) s.x[i].z = 0.61;
    assert_int_equal(compare(ctx, &c, &s, cloth_faces), 0);
    vo_intersections_free(ctx, &c);
    soup_free(&s);
    vo_context_destroy(ctx);
}

/* ---- invalid input -------------------------------------------------------------------------- */

/* Faces with invalid positions are ignored; the others are still found. */
static void invalid_positions_are_ignored(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    soup s = {0};
    soup_sheet(&s, 1, 1, v3_zero(), v3(1, 0, 0), v3(0, 1, 0));
    soup_sheet(&s, 1, 1, v3(0.25, 0.05, -0.5), v3(0, 0.1, 0), v3(0, 0, 1));
    s.x[2].x = NAN; /* of the face without an intersection */
    assert_int_equal(count(ctx, &s, 4), 2);
    s.x[5].y = INFINITY;
    assert_int_equal(count(ctx, &s, 4), 1);
    for (int i = 0; i < s.node_count; i++) s.x[i].z = 1e31;
    assert_int_equal(count(ctx, &s, 4), 0);
    soup_free(&s);
    assert_int_equal(count(ctx, &s, 0), 0);
    vo_context_destroy(ctx);
}

/* A cloth collapsed to a point is checked in bounded time, with a lower bound. */
static void collapsed_cloth_is_bounded(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_intersections c = {0};
    soup s = {0};
    soup_sheet(&s, 24, 24, v3_zero(), v3_zero(), v3_zero());
    vo_face_soup all = view(&s, s.face_count);
    double start = test_seconds();
    assert_ok(ctx, vo_intersections_find(ctx, &c, &all));
    assert_false(c.complete);
    assert_true(c.count > 100 * s.face_count &&
                c.count <= VO_MAX_FACE_INTERSECTIONS * s.face_count);
    assert_true(test_seconds() - start < 20 * TEST_SLOWNESS);
    vo_intersections_free(ctx, &c);
    soup_free(&s);
    vo_context_destroy(ctx);
}

static vo_result find_once(vo_context *ctx, void *arg) {
    vo_intersections c = {0};
    vo_face_soup all = view(arg, 32);
    vo_result result = vo_intersections_find(ctx, &c, &all);
    assert_true(result != VO_OK || c.count > 0);
    if (result != VO_OK) assert_int_equal(c.count, 0);
    vo_intersections_free(ctx, &c);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    soup s = {0};
    soup_sheet(&s, 4, 4, v3(-1, -1, 0), v3(2, 0, 0), v3(0, 2, 0));
    soup_sphere(&s, 5, v3(0.003, 0.002, 0), 0.6);
    test_every_allocation(find_once, &s);
    soup_free(&s);
}

/* 33,000 folded faces over a sphere; nothing is allocated after the first search. */
static void search_is_within_time_limit(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_intersections c = {0};
    soup s = {0};
    soup_sheet(&s, 128, 128, v3(-1, -1, 0), v3(2, 0, 0), v3(0, 2, 0));
    for (int i = 0; i < s.node_count; i++)
        s.x[i] = v3(0.8 * s.x[i].x + 0.15 * sin(20 * s.x[i].y), 0.8 * s.x[i].y,
                    0.7 + 0.3 * sin(12 * s.x[i].x) * cos(5 * s.x[i].y));
    int cloth_faces = s.face_count;
    soup_sphere(&s, 40, v3(0.003, 0.002, 0), 0.3);
    vo_face_soup all = view(&s, cloth_faces);
    assert_ok(ctx, vo_intersections_find(ctx, &c, &all));
    long calls = memory.calls;
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        double start = test_seconds();
        assert_ok(ctx, vo_intersections_find(ctx, &c, &all));
        best = vo_min(best, test_seconds() - start);
    }
    assert_int_equal(memory.calls, calls);
    print_message("%d faces, %d of them cloth: %.1f ms, %d pairs\n", s.face_count, cloth_faces,
                  best * 1e3, c.count);
    assert_true(best < 0.1 * TEST_SLOWNESS);
    vo_intersections_free(ctx, &c);
    soup_free(&s);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_soups_match_brute_force),
        cmocka_unit_test(lattice_soups_match_brute_force),
        cmocka_unit_test(crossing_quads_have_known_pairs),
        cmocka_unit_test(neighbours_do_not_intersect),
        cmocka_unit_test(flat_fold_intersects),
        cmocka_unit_test(sheet_through_sphere_matches_brute_force),
        cmocka_unit_test(invalid_positions_are_ignored),
        cmocka_unit_test(collapsed_cloth_is_bounded),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(search_is_within_time_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
