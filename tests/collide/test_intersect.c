/* Triangle pairs with small integer coordinates compared with an exact search for a separating
 * axis. */
#include "collide/intersect.h"
#include "core/timer.h"
#include "support.h"

#include <stdio.h>

typedef struct ivec {
    int64_t x, y, z;
} ivec;

/* Convex hull of a few points. */
typedef struct hull {
    int n;
    ivec p[4];
} hull;

static ivec isub(ivec a, ivec b) { return (ivec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static int64_t idot(ivec a, ivec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static ivec icross(ivec a, ivec b) {
    return (ivec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static bool iequal(ivec a, ivec b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
/* Returns (k - 1) / k a + 1 / k b, times k. */
static ivec step(ivec a, ivec b, int64_t k) {
    return (ivec){(k - 1) * a.x + b.x, (k - 1) * a.y + b.y, (k - 1) * a.z + b.z};
}
static ivec times(ivec a, int64_t k) { return (ivec){k * a.x, k * a.y, k * a.z}; }

static bool separates(ivec axis, const hull *a, const hull *b) {
    int64_t a_low = INT64_MAX, a_high = INT64_MIN, b_low = INT64_MAX, b_high = INT64_MIN;
    for (int i = 0; i < a->n; i++) {
        int64_t d = idot(axis, a->p[i]);
        a_low = d < a_low ? d : a_low;
        a_high = d > a_high ? d : a_high;
    }
    for (int i = 0; i < b->n; i++) {
        int64_t d = idot(axis, b->p[i]);
        b_low = d < b_low ? d : b_low;
        b_high = d > b_high ? d : b_high;
    }
    return a_high < b_low || b_high < a_low;
}

/* Tests the axes of one edge of a: to the corners of b, and perpendicular to its edges. */
static bool edge_separates(ivec from, ivec to, const hull *a, const hull *b) {
    ivec e = isub(to, from);
    for (int i = 0; i < b->n; i++)
        if (separates(icross(e, icross(isub(b->p[i], from), e)), a, b)) return true;
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < i; j++)
            if (separates(icross(e, isub(b->p[i], b->p[j])), a, b)) return true;
    return false;
}

/* Tests the axes of the features of a. */
static bool feature_separates(const hull *a, const hull *b) {
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++)
            if (separates(isub(a->p[i], b->p[j]), a, b)) return true;
        for (int j = 0; j < i; j++) {
            if (edge_separates(a->p[i], a->p[j], a, b)) return true;
            for (int k = 0; k < j; k++)
                if (separates(icross(isub(a->p[j], a->p[i]), isub(a->p[k], a->p[i])), a, b))
                    return true;
        }
    }
    return false;
}

/* Disjoint hulls are separated by the direction between their nearest points, which is one of:
 * corner to corner, corner to edge, perpendicular to two edges, face normal. */
static bool hulls_intersect(const hull *a, const hull *b) {
    return !feature_separates(a, b) && !feature_separates(b, a);
}

static bool is_flat_hull(const ivec p[3]) {
    ivec n = icross(isub(p[1], p[0]), isub(p[2], p[0]));
    return n.x == 0 && n.y == 0 && n.z == 0;
}

/* Relative distance from the shared corner beyond which common points are tested: smaller than any
 * ratio of small integers. */
enum { CORNER_RATIO = 4096 };

static hull scaled(const ivec p[3]) {
    return (hull){
        3, {times(p[0], CORNER_RATIO), times(p[1], CORNER_RATIO), times(p[2], CORNER_RATIO)}};
}

/* Returns true if [from, to] without `from` intersects b. */
static bool stub_intersects(ivec from, ivec to, const hull *b) {
    hull stub = {2, {step(from, to, CORNER_RATIO), times(to, CORNER_RATIO)}};
    return !iequal(from, to) && hulls_intersect(&stub, b);
}

static bool reference_corner(const ivec a[3], const ivec b[3]) {
    hull whole = scaled(b);
    if (is_flat_hull(a))
        return stub_intersects(a[0], a[1], &whole) || stub_intersects(a[0], a[2], &whole);
    hull rest = {4,
                 {step(a[0], a[1], CORNER_RATIO), step(a[0], a[2], CORNER_RATIO),
                  times(a[1], CORNER_RATIO), times(a[2], CORNER_RATIO)}};
    return hulls_intersect(&rest, &whole);
}

static bool reference_side(const ivec a[3], const ivec b[3]) {
    hull whole = scaled(b);
    ivec u = a[0], v = a[1], p = a[2];
    if (is_flat_hull(a)) {
        if (idot(isub(p, u), isub(v, u)) < 0 || iequal(u, v)) return stub_intersects(u, p, &whole);
        return idot(isub(p, v), isub(u, v)) < 0 && stub_intersects(v, p, &whole);
    }
    hull rest = {3, {step(u, p, CORNER_RATIO), step(v, p, CORNER_RATIO), times(p, CORNER_RATIO)}};
    return hulls_intersect(&rest, &whole);
}

static bool reference(const ivec a[3], const ivec b[3], int shared) {
    if (shared == 1) return reference_corner(a, b);
    if (shared == 2) return reference_side(a, b);
    hull s = scaled(a), t = scaled(b);
    return hulls_intersect(&s, &t);
}

static vo_triangle triangle(const ivec p[3], double scale) {
    vo_triangle t;
    for (int i = 0; i < 3; i++)
        t.corner[i] = v3(scale * (double)p[i].x, scale * (double)p[i].y, scale * (double)p[i].z);
    return t;
}

static ivec random_ivec(vo_random *r, int n, bool flat) {
    return (ivec){vo_random_int(r, n), vo_random_int(r, n), flat ? 1 : vo_random_int(r, n)};
}

static void compare(const ivec a[3], const ivec b[3], int shared, int found[2]) {
    bool expected = reference(a, b, shared);
    vo_triangle s = triangle(a, 1), t = triangle(b, 1);
    bool got = vo_triangles_intersect(&s, &t, shared),
         back = vo_triangles_intersect(&t, &s, shared);
    if (got != expected || back != expected)
        fail_msg("shared %d: (%d %d %d) (%d %d %d) (%d %d %d), (%d %d %d) (%d %d %d) (%d %d %d): "
                 "%d, swapped %d, expected %d",
                 shared, (int)a[0].x, (int)a[0].y, (int)a[0].z, (int)a[1].x, (int)a[1].y,
                 (int)a[1].z, (int)a[2].x, (int)a[2].y, (int)a[2].z, (int)b[0].x, (int)b[0].y,
                 (int)b[0].z, (int)b[1].x, (int)b[1].y, (int)b[1].z, (int)b[2].x, (int)b[2].y,
                 (int)b[2].z, got, back, expected);
    found[expected]++;
}

/* Lattices of 2 to 4 points per side contain every degenerate case: flat triangles, coincident
 * points, common planes and lines. */
static void small_integers_match_reference(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    for (int shared = 0; shared < 3; shared++) {
        int found[2] = {0, 0};
        for (int i = 0; i < 150000; i++) {
            int n = 2 + vo_random_int(&r, 3);
            bool flat = vo_random_int(&r, 4) == 0;
            ivec a[3], b[3];
            for (int k = 0; k < 3; k++) {
                a[k] = random_ivec(&r, n, flat);
                b[k] = k < shared ? a[k] : random_ivec(&r, n, flat);
            }
            compare(a, b, shared, found);
        }
        assert_true(found[0] > 10000 && found[1] > 10000);
    }
}

static vo_triangle shuffled(const vo_triangle *t, vo_random *r) {
    int first = vo_random_int(r, 3), turn = 1 + vo_random_int(r, 2);
    return (vo_triangle){
        {t->corner[first], t->corner[(first + turn) % 3], t->corner[(first + 2 * turn) % 3]}};
}

/* Returns a simple number, or one that differs in the last bits. */
static double near_simple(vo_random *r) {
    double x = 0.1 * vo_random_int(r, 5);
    for (int n = vo_random_int(r, 3); n > 0; n--) x = nextafter(x, vo_random_int(r, 2) ? 1 : -1);
    return x;
}

static vo_triangle nearly_simple(vo_random *r) {
    vo_triangle t;
    for (int i = 0; i < 3; i++) t.corner[i] = v3(near_simple(r), near_simple(r), near_simple(r));
    return t;
}

static void permutations_give_same_result(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    int found[2] = {0, 0};
    for (int i = 0; i < 20000; i++) {
        vo_triangle a = nearly_simple(&r), b = nearly_simple(&r);
        bool expected = vo_triangles_intersect(&a, &b, 0);
        found[expected]++;
        for (int k = 0; k < 4; k++) {
            vo_triangle s = shuffled(&a, &r), t = shuffled(&b, &r);
            assert_int_equal(vo_triangles_intersect(&s, &t, 0), expected);
            assert_int_equal(vo_triangles_intersect(&t, &s, 0), expected);
        }
    }
    assert_true(found[0] > 2000 && found[1] > 2000);
}

/* A change of the last bit decides whether a corner touches. */
static void last_bit_decides_contact(void **state) {
    (void)state;
    vo_triangle floor = {{v3(0, 0, 0.1), v3(1, 0, 0.1), v3(0, 1, 0.1)}};
    vo_triangle pin = {{v3(0.2, 0.3, 0.1), v3(0.2, 0.3, 2), v3(0.3, 0.2, 2)}};
    assert_true(vo_triangles_intersect(&floor, &pin, 0));
    pin.corner[0].z = nextafter(0.1, 1);
    assert_false(vo_triangles_intersect(&floor, &pin, 0));
    pin.corner[0].z = nextafter(0.1, 0);
    assert_true(vo_triangles_intersect(&floor, &pin, 0));
    pin.corner[0] = v3(0.5, 0.5, 0.1); /* on the slanted side */
    assert_true(vo_triangles_intersect(&floor, &pin, 0));
    pin.corner[0].x = nextafter(0.5, 1);
    assert_false(vo_triangles_intersect(&floor, &pin, 0));
}

typedef struct named_case {
    const char *name;
    ivec a[3], b[3];
    int shared;
    bool expected;
} named_case;

static const named_case cases[] = {
    {"through the middle",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{1, 1, -1}, {1, 1, 1}, {2, 9, 1}},
     0,
     true},
    {"above", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, 0, false},
    {"corner on face",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{1, 1, 0}, {1, 1, 1}, {2, 1, 1}},
     0,
     true},
    {"corner on corner",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{4, 0, 0}, {5, 1, 1}, {5, 0, 1}},
     0,
     true},
    {"side on side",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{1, 0, 0}, {3, 0, 0}, {2, -1, 1}},
     0,
     true},
    {"sides cross",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{2, -1, -1}, {2, 1, 1}, {2, -2, 2}},
     0,
     true},
    {"inside, one plane",
     {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}},
     {{1, 1, 0}, {2, 1, 0}, {1, 2, 0}},
     0,
     true},
    {"beside, one plane",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{4, 4, 0}, {3, 4, 0}, {4, 3, 0}},
     0,
     false},
    {"star, one plane",
     {{0, 0, 0}, {6, 0, 0}, {3, 6, 0}},
     {{0, 4, 0}, {6, 4, 0}, {3, -2, 0}},
     0,
     true},
    {"crossing planes, apart",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{9, 9, -1}, {9, 9, 1}, {9, 8, 1}},
     0,
     false},
    {"fan about a corner",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{0, 0, 0}, {-4, 0, 1}, {0, -4, 1}},
     1,
     false},
    {"through from the corner",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{0, 0, 0}, {1, 1, 1}, {1, 1, -1}},
     1,
     true},
    {"hinge", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 0, 0}, {4, 0, 0}, {0, 4, 1}}, 2, false},
    {"spread flat",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     {{0, 0, 0}, {4, 0, 0}, {0, -4, 0}},
     2,
     false},
    {"folded flat", {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 0, 0}, {4, 0, 0}, {1, 1, 0}}, 2, true},
};

static void named_cases_have_expected_results(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const named_case *c = &cases[i];
        int found[2] = {0, 0};
        compare(c->a, c->b, c->shared, found);
        if (!found[c->expected]) fail_msg("%s", c->name);
    }
}

/* Faces by nodes: shared nodes may be in any position. */
static void shared_nodes_are_found_in_any_position(void **state) {
    (void)state;
    vo_vec3 x[] = {v3(0, 0, 0), v3(4, 0, 0),  v3(0, 4, 0),  v3(0, 4, 1),
                   v3(1, 1, 0), v3(1, 1, -1), v3(-1, 5, -1)};
    assert_false(vo_faces_intersect(x, (int[]){0, 1, 2}, (int[]){1, 0, 3}));
    assert_true(vo_faces_intersect(x, (int[]){2, 0, 1}, (int[]){1, 4, 0}));
    assert_true(vo_faces_intersect(x, (int[]){0, 1, 2}, (int[]){4, 5, 0}));
    assert_true(vo_faces_intersect(x, (int[]){0, 1, 2}, (int[]){2, 0, 1}));
    assert_true(vo_faces_intersect(x, (int[]){0, 1, 2}, (int[]){3, 4, 5}));
    assert_false(vo_faces_intersect(x, (int[]){0, 1, 2}, (int[]){3, 6, 2}));
}

/* Tiny coordinates are treated as 0 instead of disturbing the arithmetic. */
static void tiny_coordinates_are_zero(void **state) {
    (void)state;
    vo_triangle a = {{v3(0, 1e-300, 4e-324), v3(1, -1e-310, 1e-200), v3(0, 1, 1e-150)}};
    vo_triangle b = {{v3(0.25, 0.25, -1e-320), v3(0.5, 0.25, 1), v3(0.25, 0.5, 1)}};
    assert_true(vo_triangles_intersect(&a, &b, 0));
    b.corner[0].z = 1e-80;
    assert_false(vo_triangles_intersect(&a, &b, 0));
}

static void speed_is_printed(void **state) {
    (void)state;
    enum { N = 1000, ROUNDS = 50 };
    static vo_triangle t[N];
    vo_random r = vo_random_seed(5);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) t[i].corner[k] = test_random_vec3(&r, 0.5);
    int intersecting = 0;
    double start = vo_now();
    for (int k = 1; k <= ROUNDS; k++)
        for (int i = 0; i < N; i++)
            intersecting += vo_triangles_intersect(&t[i], &t[(i + k) % N], 0);
    printf("triangle pair: %.0f ns, %d %% intersect\n", (vo_now() - start) / (N * ROUNDS) * 1e9,
           intersecting * 100 / (N * ROUNDS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_cases_have_expected_results),
        cmocka_unit_test(small_integers_match_reference),
        cmocka_unit_test(permutations_give_same_result),
        cmocka_unit_test(last_bit_decides_contact),
        cmocka_unit_test(shared_nodes_are_found_in_any_position),
        cmocka_unit_test(tiny_coordinates_are_zero),
        cmocka_unit_test(speed_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
