/* Intersection contours compared with brute force and with circles, and their gradient with finite
 * differences. */
#include "codec/hash.h"
#include "collide/untangle/untangle_private.h"
#include "untangle_cases.h"

#include <string.h>

static vo_contours find_contours(vo_context *ctx, const tangle_case *c) {
    vo_contours k;
    vo_soup soup = case_soup(c);
    assert_ok(ctx, vo_contours_create(ctx, &soup, c->x, &k));
    assert_ok(ctx, vo_contours_find(&k, c->x));
    return k;
}

static int compare_pairs(const void *x, const void *y) {
    const vo_pair *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static vo_pair sorted_pair(int a, int b) { return a < b ? (vo_pair){a, b} : (vo_pair){b, a}; }

/* Asserts that every intersecting pair is a segment of one contour, or listed as touching, exactly
 * once. */
static void check_pairs(const vo_contours *k) {
    vo_pair *found = malloc((size_t)(k->pair_count + 1) * sizeof *found);
    int count = 0;
    for (int i = 0; i < k->vertex_count; i++)
        if (k->vertex[i].segment[0] >= 0) {
            assert_true(count < k->pair_count);
            found[count++] = sorted_pair(k->vertex[i].segment[0], k->vertex[i].segment[1]);
        }
    for (int i = 0; i < k->touching_count; i++) {
        assert_true(count < k->pair_count);
        found[count++] = k->touching[i];
    }
    assert_int_equal(count, k->pair_count);
    qsort(found, (size_t)count, sizeof *found, compare_pairs);
    qsort(k->pair, (size_t)count, sizeof *found, compare_pairs);
    assert_memory_equal(found, k->pair, (size_t)count * sizeof *found);
    free(found);
}

static bool edge_of_face(const vo_soup *s, int e, int f) {
    return s->face_edge[f][0] == e || s->face_edge[f][1] == e || s->face_edge[f][2] == e;
}

/* Asserts that a crossing lies on its edge and its face, and belongs to the segments on both sides
 * of it, on the correct surfaces. */
static void check_vertex(const vo_contours *k, const vo_vec3 *x, const vo_contour *c, int v) {
    const vo_contour_vertex *at = &k->vertex[v];
    if (at->edge < 0) {
        assert_true(!c->closed && (v == c->begin || v == c->end - 1));
        return;
    }
    const int *e = k->soup.edge[at->edge], *f = k->soup.face[at->face];
    vo_vec3 n = v3_normalize(v3_cross(v3_sub(x[f[1]], x[f[0]]), v3_sub(x[f[2]], x[f[0]])));
    assert_near(v3_dot(n, v3_sub(at->p, x[f[0]])), 0, 1e-12);
    assert_near(v3_distance(at->p, x[e[0]]) + v3_distance(at->p, x[e[1]]),
                v3_distance(x[e[0]], x[e[1]]), 1e-12);
    int before = v > c->begin ? v - 1 : c->closed ? c->end - 1 : -1;
    for (int i = 0; i < 2; i++) {
        int from = i ? before : v;
        if (from < 0 || k->vertex[from].segment[0] < 0) continue;
        assert_true(edge_of_face(&k->soup, at->edge, k->vertex[from].segment[at->side]));
        assert_int_equal(k->vertex[from].segment[1 - at->side], at->face);
    }
}

static void check_contours(const vo_contours *k, const vo_vec3 *x) {
    double length = 0;
    int begin = 0;
    for (int i = 0; i < k->contour_count; i++) {
        const vo_contour *c = &k->contour[i];
        assert_int_equal(c->begin, begin);
        begin = c->end;
        length += c->length;
        for (int v = c->begin; v < c->end; v++) {
            bool last = !c->closed && v == c->end - 1;
            assert_int_equal(k->vertex[v].segment[0] < 0, last);
            check_vertex(k, x, c, v);
        }
    }
    assert_int_equal(begin, k->vertex_count);
    assert_near(length, k->length, 1e-12);
}

static void pairs_match_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    for (int seed = 0; seed < 40; seed++) {
        tangle_case c;
        make_tangle(&c, seed);
        vo_contours k = find_contours(ctx, &c);
        assert_int_equal(k.pair_count, case_count_pairs(&c, c.x));
        check_pairs(&k);
        check_contours(&k, c.x);
        vo_contours_free(&k);
        case_free(&c);
    }
    vo_context_destroy(ctx);
}

/* A plane cuts a ball in a circle. */
static void sheet_through_ball_gives_circle(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c = {0};
    case_sheet(&c, 30);
    case_ball(&c, v3(0.011, 0.007, 0.1003), 0.3, 40);
    case_edges(&c);
    vo_contours k = find_contours(ctx, &c);
    assert_int_equal(k.contour_count, 1);
    assert_true(k.contour[0].closed);
    assert_near(k.length, 2 * VO_PI * sqrt(0.3 * 0.3 - 0.1003 * 0.1003), 0.01);
    vo_contours_free(&k);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* Two crossing squares intersect in a line from one border to another. */
static void crossing_squares_give_open_contour(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c = {0};
    case_sheet(&c, 7);
    int first = case_sheet(&c, 9);
    case_transform(&c, first, v3(1, 0, 0), 1.3, v3(0.2, 0.013, 0.017));
    case_edges(&c);
    vo_contours k = find_contours(ctx, &c);
    assert_int_equal(k.contour_count, 1);
    assert_false(k.contour[0].closed);
    assert_near(k.length, 0.8, 1e-9);
    assert_int_equal(k.touching_count, 0);
    assert_true(k.vertex[0].edge >= 0 && k.vertex[k.vertex_count - 1].edge >= 0);
    vo_contours_free(&k);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* Two intersecting faces with a common node: the contour ends there. */
static void pinched_node_ends_contour(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c = {0};
    case_grow(&c, 6, 4);
    static const vo_vec3 x[6] = {{0, 0, 0},        {1, 0, 0},       {1, 1, 0.1},
                                 {0.9, 0.4, -0.6}, {0.8, 0.5, 0.7}, {0, 1, 0.2}};
    for (int i = 0; i < 6; i++) case_node(&c, x[i], 1);
    case_face(&c, 0, 1, 2);
    case_face(&c, 0, 3, 4);
    c.parts = 1;
    case_edges(&c);
    vo_contours k = find_contours(ctx, &c);
    assert_int_equal(k.contour_count, 1);
    const vo_contour *at = &k.contour[0];
    assert_int_equal(at->end - at->begin, 2);
    assert_true((k.vertex[0].edge < 0) != (k.vertex[1].edge < 0));
    assert_true(v3_length(k.vertex[k.vertex[0].edge < 0 ? 0 : 1].p) == 0);
    vo_contours_free(&k);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* ---- the gradient --------------------------------------------------------------------------- */

/* Returns the sum of the unit vectors from a vertex to its neighbours on the contour. */
static vo_vec3 neighbour_directions(const vo_contours *k, const vo_contour *c, int v) {
    int last = c->end - 1, next[2] = {v > c->begin ? v - 1 : last, v < last ? v + 1 : c->begin};
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < 2; i++) {
        if (!c->closed && v == (i ? last : c->begin)) continue;
        sum = v3_add(sum, v3_normalize(v3_sub(k->vertex[next[i]].p, k->vertex[v].p)));
    }
    return sum;
}

/* Returns the displacement of a point of a face. */
static vo_vec3 face_motion(const vo_vec3 *x, const int f[3], vo_vec3 at, const vo_vec3 *to) {
    vo_vec3 n = v3_cross(v3_sub(x[f[1]], x[f[0]]), v3_sub(x[f[2]], x[f[0]])), sum = v3_zero();
    for (int j = 0; j < 3; j++) {
        vo_vec3 p = v3_sub(x[f[(j + 1) % 3]], at), q = v3_sub(x[f[(j + 2) % 3]], at);
        sum = v3_add_scaled(sum, v3_dot(n, v3_cross(p, q)) / v3_length2(n), to[f[j]]);
    }
    return sum;
}

/* Returns the contribution of one vertex to the change of length when nodes move by `to`. With the
 * edge moving by d and the face by g, a crossing moves by (d - g) - (N.(d - g))/(N.E) E + g, so the
 * length changes by -G.(d - g) - R.g. An end at a node moves with it. */
static double vertex_change(const vo_contours *k, const vo_vec3 *x, const vo_contour *c, int v,
                            const vo_vec3 *to) {
    const vo_contour_vertex *at = &k->vertex[v];
    if (at->edge < 0) {
        int n = 0;
        while (v3_distance(x[n], at->p) > 0) n++;
        return -v3_dot(neighbour_directions(k, c, v), to[n]);
    }
    const int *e = k->soup.edge[at->edge];
    double s = v3_distance(at->p, x[e[0]]) / v3_distance(x[e[1]], x[e[0]]);
    vo_vec3 d = v3_lerp(to[e[0]], to[e[1]], s);
    vo_vec3 g = face_motion(x, k->soup.face[at->face], at->p, to);
    return -v3_dot(vo_untangle_gradient(k, x, c, v), v3_sub(d, g)) -
           v3_dot(neighbour_directions(k, c, v), g);
}

static double predicted_change(const vo_contours *k, const vo_vec3 *x, const vo_vec3 *to) {
    double sum = 0;
    for (int i = 0; i < k->contour_count; i++)
        for (int v = k->contour[i].begin; v < k->contour[i].end; v++)
            sum += vertex_change(k, x, &k->contour[i], v, to);
    return sum;
}

static void check_gradient(vo_context *ctx, int seed) {
    tangle_case c;
    make_tangle(&c, seed);
    vo_random r = vo_random_seed((uint64_t)seed);
    vo_vec3 *to = calloc((size_t)c.nodes, sizeof *to), *x = calloc((size_t)c.nodes, sizeof *x);
    for (int n = 0; n < c.nodes; n++)
        if (c.inverse_mass[n] > 0) to[n] = test_random_vec3(&r, 1);
    vo_contours k = find_contours(ctx, &c);
    double predicted = predicted_change(&k, c.x, to), change = 0;
    const double step = 1e-8;
    for (int side = -1; side <= 1; side += 2) {
        for (int n = 0; n < c.nodes; n++) x[n] = v3_add_scaled(c.x[n], side * step, to[n]);
        assert_ok(ctx, vo_contours_find(&k, x));
        change += side * k.length / (2 * step);
    }
    assert_near(change, predicted, 1e-6 * (1 + fabs(predicted)));
    vo_contours_free(&k);
    free(to);
    free(x);
    case_free(&c);
}

/* Kind 8 is excluded: its two layers have coplanar borders, a tie at both ends. */
static void gradient_matches_differences(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int seed = 0; seed < 20; seed++)
        if (seed % 10 != 8) check_gradient(ctx, seed);
    vo_context_destroy(ctx);
}

/* ---- degenerate input ----------------------------------------------------------------------- */

/* Two coincident sheets: faces touch, nothing crosses, nothing fails. */
static void coincident_sheets_touch(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c = {0};
    case_sheet(&c, 6);
    case_sheet(&c, 6);
    case_edges(&c);
    vo_contours k = find_contours(ctx, &c);
    assert_true(k.pair_count > 72);
    check_pairs(&k);
    vo_contours_free(&k);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* Nodes on a coarse integer lattice: ties everywhere. */
static void ties_match_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int seed = 0; seed < 200; seed++) {
        vo_random r = vo_random_seed((uint64_t)seed);
        tangle_case c = {0};
        case_sheet(&c, 4);
        case_sheet(&c, 3);
        for (int n = 0; n < c.nodes; n++)
            c.x[n] = v3(vo_random_int(&r, 4), vo_random_int(&r, 4), vo_random_int(&r, 3));
        case_edges(&c);
        vo_contours k = find_contours(ctx, &c);
        assert_int_equal(k.pair_count, case_count_pairs(&c, c.x));
        check_pairs(&k);
        assert_true(isfinite(k.length));
        vo_contours_free(&k);
        case_free(&c);
    }
    vo_context_destroy(ctx);
}

/* Obstacles are found at their last positions, and not at all if absent. */
static void moved_obstacle_is_found(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c = {0};
    case_sheet(&c, 10);
    int first = c.nodes;
    case_ball(&c, v3_zero(), 0.2, 8);
    case_edges(&c);
    vo_contours k = find_contours(ctx, &c);
    assert_true(k.pair_count > 0);
    for (int n = first; n < c.nodes; n++) c.x[n].z += 1;
    vo_contours_set_obstacles(&k, c.x);
    assert_ok(ctx, vo_contours_find(&k, c.x));
    assert_int_equal(k.pair_count, 0);
    for (int n = first; n < c.nodes; n++) c.x[n].z -= 1.05;
    vo_contours_set_obstacles(&k, c.x);
    assert_ok(ctx, vo_contours_find(&k, c.x));
    assert_int_equal(k.pair_count, case_count_pairs(&c, c.x));
    vo_contours_free(&k);
    c.flags[1] |= VO_SOUP_ABSENT;
    k = find_contours(ctx, &c);
    assert_int_equal(k.pair_count, 0);
    vo_contours_free(&k);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* ---- memory and threads --------------------------------------------------------------------- */

static void result_does_not_depend_on_threads(void **state) {
    (void)state;
    for (int seed = 6; seed < 10; seed++) {
        tangle_case c;
        make_tangle(&c, seed);
        uint64_t expected = 0;
        for (int threads = 1; threads <= 3; threads++) {
            vo_context *ctx = test_context(threads);
            vo_contours k = find_contours(ctx, &c);
            uint64_t hash = vo_hash(k.vertex, (size_t)k.vertex_count * sizeof *k.vertex);
            hash = vo_hash_more(hash, k.pair, (size_t)k.pair_count * sizeof *k.pair);
            if (threads == 1) expected = hash;
            assert_true(hash == expected);
            vo_contours_free(&k);
            vo_context_destroy(ctx);
        }
        case_free(&c);
    }
}

static void repeated_search_does_not_allocate(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    tangle_case c;
    make_tangle(&c, 6);
    vo_contours k = find_contours(ctx, &c);
    assert_ok(ctx, vo_contours_find(&k, c.x));
    long calls = memory.calls;
    for (int i = 0; i < 3; i++) assert_ok(ctx, vo_contours_find(&k, c.x));
    assert_int_equal(memory.calls, calls);
    vo_contours_free(&k);
    case_free(&c);
    vo_context_destroy(ctx);
}

static vo_result find_once(vo_context *ctx, void *arg) {
    const tangle_case *c = arg;
    vo_contours k;
    vo_soup soup = case_soup(c);
    VO_TRY(vo_contours_create(ctx, &soup, c->x, &k));
    vo_result result = vo_contours_find(&k, c->x);
    vo_contours_free(&k);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    tangle_case c;
    make_tangle(&c, 1);
    test_every_allocation(find_once, &c);
    case_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_match_brute_force),
        cmocka_unit_test(sheet_through_ball_gives_circle),
        cmocka_unit_test(crossing_squares_give_open_contour),
        cmocka_unit_test(pinched_node_ends_contour),
        cmocka_unit_test(gradient_matches_differences),
        cmocka_unit_test(coincident_sheets_touch),
        cmocka_unit_test(ties_match_brute_force),
        cmocka_unit_test(moved_obstacle_is_found),
        cmocka_unit_test(result_does_not_depend_on_threads),
        cmocka_unit_test(repeated_search_does_not_allocate),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
