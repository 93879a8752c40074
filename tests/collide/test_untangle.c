/* Untangling: 200 tangles with fixed seeds, each checked by brute force; six harder kinds; mesh
 * quality afterwards; the gap; threads and memory.
 *
 * VOILE_TANGLES=FOLDER writes each tangle before and after as OBJ files, one per part, for
 * inspection. */
#include "codec/hash.h"
#include "collide/distance.h"
#include "collide/untangle/untangle.h"
#include "untangle_cases.h"

#include <string.h>

static void write_parts(const tangle_case *c, int kind, int seed, const char *when) {
    const char *folder = getenv("VOILE_TANGLES");
    char path[512];
    for (int p = 0; folder && p < c->parts; p++) {
        snprintf(path, sizeof path, "%s/%02d-%03d-%s-%d.obj", folder, kind, seed, when, p);
        case_write(c, c->x, p, path);
    }
}

/* Smallest and largest edge length and smallest face area, relative to the initial ones. */
typedef struct shape {
    double shortest, longest, smallest;
} shape;

static double twice_area(const vo_vec3 *x, const int n[3]) {
    return v3_length(v3_cross(v3_sub(x[n[1]], x[n[0]]), v3_sub(x[n[2]], x[n[0]])));
}

static shape measure_shape(const tangle_case *c, const vo_vec3 *before) {
    shape s = {INFINITY, 0, INFINITY};
    for (int e = 0; e < c->edges; e++) {
        int a = c->edge[e][0], b = c->edge[e][1];
        double q = v3_distance(c->x[a], c->x[b]) / v3_distance(before[a], before[b]);
        s.shortest = vo_min(s.shortest, q);
        s.longest = vo_max(s.longest, q);
    }
    for (int f = 0; f < c->faces; f++)
        s.smallest =
            vo_min(s.smallest, twice_area(c->x, c->face[f]) / twice_area(before, c->face[f]));
    return s;
}

/* Asserts that pinned nodes have not moved and all positions are finite. */
static void check_nodes(const tangle_case *c, const vo_vec3 *before) {
    for (int n = 0; n < c->nodes; n++) {
        assert_true(v3_is_finite(c->x[n]));
        if (c->inverse_mass[n] == 0) assert_true(v3_distance(c->x[n], before[n]) == 0);
    }
}

typedef struct outcome {
    vo_untangle_report report;
    shape shape;
    double seconds;
    int pairs; /* intersecting pairs by brute force */
} outcome;

static outcome untangle_case(vo_context *ctx, tangle_case *c) {
    outcome o;
    vo_untangle_def def = vo_untangle_def_default();
    def.soup = case_soup(c);
    vo_vec3 *before = malloc((size_t)c->nodes * sizeof *before);
    assert_non_null(before);
    memcpy(before, c->x, (size_t)c->nodes * sizeof *before);
    vo_untangler *u;
    o.seconds = test_seconds();
    assert_ok(ctx, vo_untangler_create(ctx, &def, c->x, &u));
    assert_ok(ctx, vo_untangle(u, c->x, &o.report));
    o.seconds = test_seconds() - o.seconds;
    vo_untangler_destroy(u);
    o.pairs = case_count_pairs(c, c->x);
    o.shape = measure_shape(c, before);
    check_nodes(c, before);
    free(before);
    return o;
}

/* Untangles all seeds of a kind; returns the number that end without intersections, and the worst
 * shape. */
static int untangle_kind(vo_context *ctx, int kind, int seeds, shape *worst, double *seconds) {
    int clean = 0;
    for (int seed = 0; seed < seeds; seed++) {
        tangle_case c = {0};
        make_tangle_of(&c, kind, seed);
        write_parts(&c, kind, seed, "before");
        outcome o = untangle_case(ctx, &c);
        write_parts(&c, kind, seed, "after");
        if (o.pairs > 0)
            printf("%s %d: %d pairs left of %d\n", tangle_kinds[kind].name, seed, o.pairs,
                   o.report.pairs_before);
        assert_int_equal(o.report.clean, o.pairs == 0);
        assert_true(o.report.pairs_before >= 8);
        clean += o.pairs == 0;
        worst->shortest = vo_min(worst->shortest, o.shape.shortest);
        worst->longest = vo_max(worst->longest, o.shape.longest);
        worst->smallest = vo_min(worst->smallest, o.shape.smallest);
        *seconds += o.seconds;
        case_free(&c);
    }
    return clean;
}

/* All 200 become free of intersections, without overstretched or crushed edges or sliver faces. */
static void tangles_become_clean(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int seeds = TEST_SLOWNESS > 1 ? 3 : 20, all = 0;
    double total = 0;
    for (int kind = 0; kind < TANGLE_KINDS; kind++) {
        shape worst = {INFINITY, 0, INFINITY};
        double seconds = 0;
        int clean = untangle_kind(ctx, kind, seeds, &worst, &seconds);
        printf("%-16s %d of %d clean, edges %.2f to %.2f, smallest face %.2f, %.2f s\n",
               tangle_kinds[kind].name, clean, seeds, worst.shortest, worst.longest, worst.smallest,
               seconds);
        all += clean;
        total += seconds;
        assert_true(worst.shortest > 0.6 && worst.longest < 1.5 && worst.smallest > 0.1);
    }
    printf("%d of %d clean, %.1f s\n", all, seeds * TANGLE_KINDS, total);
    assert_int_equal(all, seeds * TANGLE_KINDS);
    vo_context_destroy(ctx);
}

static void hard_tangles_become_clean(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int seeds = getenv("VOILE_TEST_LONG") ? 40 : 4, all = 0;
    for (int kind = TANGLE_KINDS; kind < TANGLE_KINDS + HARD_KINDS; kind++) {
        shape worst = {INFINITY, 0, INFINITY};
        double seconds = 0;
        int clean = untangle_kind(ctx, kind, seeds, &worst, &seconds);
        printf("%-16s %d of %d clean, edges %.2f to %.2f, smallest face %.2f, %.2f s\n",
               tangle_kinds[kind].name, clean, seeds, worst.shortest, worst.longest, worst.smallest,
               seconds);
        all += clean;
    }
    assert_int_equal(all, seeds * HARD_KINDS);
    vo_context_destroy(ctx);
}

/* Two pinned tangles in which the last contour is a slit of 2 mm around a pinned corner. */
static void slits_at_pinned_corners_are_removed(void **state) {
    (void)state;
    static const int seeds[] = {9, 16};
    enum { PINNED = TANGLE_KINDS + 3 };
    vo_context *ctx = test_context(1);
    assert_string_equal(tangle_kinds[PINNED].name, "pinned");
    for (int i = 0; i < 2; i++) {
        tangle_case c = {0};
        make_tangle_of(&c, PINNED, seeds[i]);
        outcome o = untangle_case(ctx, &c);
        assert_int_equal(o.pairs, 0);
        assert_true(o.report.iterations < 200);
        case_free(&c);
    }
    vo_context_destroy(ctx);
}

/* ---- the gap -------------------------------------------------------------------------------- */

static bool have_common_node(const int a[3], const int b[3]) {
    for (int i = 0; i < 3; i++)
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2]) return true;
    return false;
}

/* Returns the distance of two disjoint faces. */
static double face_distance(const vo_vec3 *x, const int a[3], const int b[3]) {
    double min_distance = INFINITY;
    for (int i = 0; i < 3; i++) {
        min_distance = vo_min(min_distance,
                              vo_distance_vertex_face(x[a[i]], x[b[0]], x[b[1]], x[b[2]]).squared);
        min_distance = vo_min(min_distance,
                              vo_distance_vertex_face(x[b[i]], x[a[0]], x[a[1]], x[a[2]]).squared);
        for (int j = 0; j < 3; j++)
            min_distance = vo_min(min_distance, vo_distance_edge_edge(x[a[i]], x[a[(i + 1) % 3]],
                                                                      x[b[j]], x[b[(j + 1) % 3]])
                                                    .squared);
    }
    return sqrt(min_distance);
}

/* Returns the smallest distance of two faces without a common node, up to `max_distance`. */
static double min_face_distance(const tangle_case *c, double max_distance) {
    double min_distance = max_distance;
    for (int f = 0; f < c->faces; f++)
        for (int g = 0; g < f; g++) {
            const int *a = c->face[f], *b = c->face[g];
            if (have_common_node(a, b) || (c->flags[c->face_part[f]] && c->flags[c->face_part[g]]))
                continue;
            vo_box box = box_grow(box_triangle(c->x[a[0]], c->x[a[1]], c->x[a[2]]), max_distance);
            if (box_overlaps(box, box_triangle(c->x[b[0]], c->x[b[1]], c->x[b[2]])))
                min_distance = vo_min(min_distance, face_distance(c->x, a, b));
        }
    return min_distance;
}

static void gap_is_reached(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int kind = 0; kind < TANGLE_KINDS; kind++) {
        tangle_case c = {0};
        make_tangle_of(&c, kind, 1);
        outcome o = untangle_case(ctx, &c);
        assert_true(o.report.clean);
        double gap = vo_untangle_def_default().gap;
        assert_near(o.report.gap, gap, 1e-12);
        assert_near(min_face_distance(&c, gap), gap, 1e-12);
        case_free(&c);
    }
    vo_context_destroy(ctx);
}

/* A stack of sheets much closer than the gap separates, and distant sheets do not move. */
static void stack_is_separated(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tangle_case c = {0};
    for (int i = 0; i < 5; i++) {
        int first = case_sheet(&c, 8);
        case_transform(&c, first, v3(0, 0, 1), 0.1 * i, v3(0, 0, 1e-7 * i));
    }
    int far = case_sheet(&c, 8);
    case_transform(&c, far, v3(0, 0, 1), 0, v3(0, 0, 0.1));
    case_edges(&c);
    outcome o = untangle_case(ctx, &c);
    assert_true(o.report.clean && o.report.iterations == 0);
    assert_near(min_face_distance(&c, 0.0005), 0.0005, 1e-12);
    for (int n = far; n < c.nodes; n++) assert_true(c.x[n].z == 0.1);
    case_free(&c);
    vo_context_destroy(ctx);
}

/* ---- threads and memory --------------------------------------------------------------------- */

static uint64_t hash_of_run(int threads, int kind) {
    vo_context *ctx = test_context(threads);
    tangle_case c = {0};
    make_tangle_of(&c, kind, 2);
    outcome o = untangle_case(ctx, &c);
    uint64_t hash = vo_hash(c.x, (size_t)c.nodes * sizeof *c.x) ^ (uint64_t)o.report.iterations;
    case_free(&c);
    vo_context_destroy(ctx);
    return hash;
}

static void result_does_not_depend_on_threads(void **state) {
    (void)state;
    for (int kind = 0; kind < TANGLE_KINDS; kind++) {
        uint64_t expected = hash_of_run(1, kind);
        assert_true(hash_of_run(2, kind) == expected);
        assert_true(hash_of_run(3, kind) == expected);
    }
}

/* A reused untangler gives the same result and allocates nothing more. */
static void reused_untangler_gives_same_result(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    tangle_case c;
    make_tangle(&c, 7);
    size_t bytes = (size_t)c.nodes * sizeof *c.x;
    vo_vec3 *x[3];
    vo_untangle_def def = vo_untangle_def_default();
    def.soup = case_soup(&c);
    vo_untangler *u;
    vo_untangle_report r;
    assert_ok(ctx, vo_untangler_create(ctx, &def, c.x, &u));
    long calls = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = malloc(bytes);
        memcpy(x[i], c.x, bytes);
        if (i == 2) calls = memory.calls;
        assert_ok(ctx, vo_untangle(u, x[i], &r));
    }
    assert_int_equal(memory.calls, calls);
    assert_memory_equal(x[0], x[1], bytes);
    assert_memory_equal(x[0], x[2], bytes);
    for (int i = 0; i < 3; i++) free(x[i]);
    vo_untangler_destroy(u);
    case_free(&c);
    vo_context_destroy(ctx);
}

static vo_result untangle_once(vo_context *ctx, void *arg) {
    const tangle_case *c = arg;
    vo_vec3 *x = malloc((size_t)c->nodes * sizeof *x);
    memcpy(x, c->x, (size_t)c->nodes * sizeof *x);
    vo_untangle_def def = vo_untangle_def_default();
    def.soup = case_soup(c);
    def.max_iterations = 2; /* intersections remain and are listed */
    vo_untangler *u;
    vo_untangle_report r;
    vo_result result = vo_untangler_create(ctx, &def, x, &u);
    if (result == VO_OK) result = vo_untangle(u, x, &r);
    vo_untangler_destroy(u);
    free(x);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    tangle_case c;
    make_tangle(&c, 3);
    test_every_allocation(untangle_once, &c);
    case_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangles_become_clean),
        cmocka_unit_test(hard_tangles_become_clean),
        cmocka_unit_test(slits_at_pinned_corners_are_removed),
        cmocka_unit_test(gap_is_reached),
        cmocka_unit_test(stack_is_separated),
        cmocka_unit_test(result_does_not_depend_on_threads),
        cmocka_unit_test(reused_untangler_gives_same_result),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
