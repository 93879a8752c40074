/* Points inside closed surfaces compared with known geometry, including ties. */
#include "collide/inside.h"
#include "soup.h"

static vo_closed_surface view(const soup *s) {
    return (vo_closed_surface){s->x, (const int(*)[3])s->face, s->face_count};
}

/* Tests a point by the grid and by all faces, which must agree. */
static bool inside(vo_context *ctx, const soup *s, vo_vec3 p) {
    vo_inside memory = {0};
    vo_closed_surface surface = view(s);
    vo_deepest deepest;
    uint8_t is_inside = 0;
    assert_ok(ctx, vo_inside_find(ctx, &memory, &surface, 1, &p, &is_inside, &deepest));
    assert_int_equal(deepest.point, is_inside ? 0 : -1);
    assert_int_equal(is_inside, vo_winding_number(&surface, p) != 0);
    vo_inside_free(ctx, &memory);
    return is_inside;
}

/* A box with corners on a lattice, queried at lattice points: rays pass through its edges, corners
 * and within its sides, and every result is known. */
static void ties_on_lattice_are_resolved(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    soup s = {0};
    soup_box(&s, v3(1, 1, 1), v3(3, 3, 3));
    vo_closed_surface surface = view(&s);
    for (int i = 0; i < 125; i++) {
        vo_vec3 p = v3(i % 5, i / 5 % 5, i / 25);
        bool on_or_in = p.x >= 1 && p.x <= 3 && p.y >= 1 && p.y <= 3 && p.z >= 1 && p.z <= 3;
        bool within = p.x == 2 && p.y == 2 && p.z == 2;
        int winding = vo_winding_number(&surface, p);
        if (within) assert_int_equal(winding, 1);
        if (!on_or_in) assert_int_equal(winding, 0);
        assert_true(winding == 0 || winding == 1);
    }
    soup_free(&s);
    vo_context_destroy(ctx);
}

/* An octahedron queried at half lattice steps: rays pass through all its corners and along its
 * edges. */
static void octahedron_is_classified(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    soup s = {0};
    for (int i = 0; i < 6; i++) {
        double sign = i % 2 ? -2 : 2;
        soup_node(&s, v3(i / 2 == 0 ? sign : 0, i / 2 == 1 ? sign : 0, i / 2 == 2 ? sign : 0));
    }
    for (int i = 0; i < 8; i++) {
        int x = i & 1, y = 2 + (i >> 1 & 1), z = 4 + (i >> 2), flip = (i ^ i >> 1 ^ i >> 2) & 1;
        soup_face(&s, x, flip ? z : y, flip ? y : z);
    }
    /* Inside, the absolute coordinates sum to less than 2. */
    for (int i = 0; i < 9 * 9 * 9; i++) {
        vo_vec3 p = v3(i % 9 - 4, i / 9 % 9 - 4, i / 81 - 4);
        p = v3_scale(0.5, p);
        double sum = fabs(p.x) + fabs(p.y) + fabs(p.z);
        if (sum != 2) assert_int_equal(inside(ctx, &s, p), sum < 2);
    }
    soup_free(&s);
    vo_context_destroy(ctx);
}

/* Overlapping parts of one surface have one inside; so has a surface turned inside out. */
static void overlap_and_orientation_are_handled(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    soup s = {0};
    soup_box(&s, v3(0, 0, 0), v3(2, 2, 2));
    soup_box(&s, v3(1, 1, 1), v3(3, 3, 3));
    vo_closed_surface surface = view(&s);
    assert_int_equal(vo_winding_number(&surface, v3(0.5, 0.5, 0.5)), 1);
    assert_int_equal(vo_winding_number(&surface, v3(1.5, 1.5, 1.5)), 2);
    assert_int_equal(vo_winding_number(&surface, v3(2.5, 0.5, 0.5)), 0);
    assert_true(inside(ctx, &s, v3(1.5, 1.5, 1.5)));
    for (int f = 0; f < s.face_count; f++) {
        int a = s.face[f][0];
        s.face[f][0] = s.face[f][1];
        s.face[f][1] = a;
    }
    assert_int_equal(vo_winding_number(&surface, v3(1.5, 1.5, 1.5)), -2);
    assert_true(inside(ctx, &s, v3(0.5, 1.5, 1.5)));
    assert_false(inside(ctx, &s, v3(-1, 1.5, 1.5)));
    soup_free(&s);
    vo_context_destroy(ctx);
}

/* ---- spheres -------------------------------------------------------------------------------- */

enum { RINGS = 24 };

/* Returns the largest distance of the facets from the sphere that they approximate. */
static double sag(double radius) {
    double half = VO_PI / RINGS / 2;
    return radius * (1 - cos(half) * cos(half)) * 1.01;
}

static void sphere_is_classified(void **state) {
    (void)state;
    static const double scales[] = {1, 1e-6, 1e6};
    for (int k = 0; k < 3; k++) {
        vo_context *ctx = test_context(1 + k);
        vo_random r = vo_random_seed(5);
        double radius = 0.7 * scales[k];
        vo_vec3 centre = v3_scale(scales[k], v3(0.2, -0.1, 3)), point[3000];
        uint8_t is_inside[3000] = {0};
        soup s = {0};
        soup_sphere(&s, RINGS, centre, radius);
        for (int i = 0; i < 3000; i++)
            point[i] = v3_add(centre, test_random_vec3(&r, 1.2 * radius));
        for (int i = 0; i < 100; i++) point[30 * i] = v3_add(s.x[i], v3(0, 0, 0)); /* on corners */
        vo_closed_surface surface = view(&s);
        vo_inside memory = {0};
        vo_deepest deepest;
        assert_ok(ctx, vo_inside_find(ctx, &memory, &surface, 3000, point, is_inside, &deepest));
        double expected = 0;
        for (int i = 0; i < 3000; i++) {
            double depth = radius - v3_distance(point[i], centre);
            assert_int_equal(is_inside[i], vo_winding_number(&surface, point[i]) != 0);
            if (depth < -1e-12 * radius) assert_int_equal(is_inside[i], 0);
            if (depth > sag(radius)) assert_int_equal(is_inside[i], 1);
            if (i % 30) expected = vo_max(expected, depth);
        }
        assert_near(deepest.depth, expected, sag(radius));
        assert_near(radius - v3_distance(point[deepest.point], centre), deepest.depth, sag(radius));
        vo_inside_free(ctx, &memory);
        soup_free(&s);
        vo_context_destroy(ctx);
    }
}

/* The depth is the exact distance, independent of the start face of the search. */
static void depth_in_box_is_exact(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_random r = vo_random_seed(6);
    vo_inside memory = {0};
    soup s = {0};
    soup_box(&s, v3(0, 0, 0), v3(2, 3, 4));
    vo_closed_surface surface = view(&s);
    for (int round = 0; round < 200; round++) {
        vo_vec3 point[700];
        uint8_t is_inside[700] = {0};
        double expected = -1;
        int n = 1 + vo_random_int(&r, 700), best = -1;
        for (int i = 0; i < n; i++) {
            point[i] = v3_add(v3(1, 1.5, 2), test_random_vec3(&r, 2.5));
            if (round % 3 == 0 && i > 0) point[i] = v3_lerp(point[i - 1], point[i], 0.01);
            vo_vec3 p = point[i];
            double depth =
                vo_min(vo_min(vo_min(p.x, 2 - p.x), vo_min(p.y, 3 - p.y)), vo_min(p.z, 4 - p.z));
            if (depth > 0 && depth > expected) expected = depth, best = i;
        }
        vo_deepest deepest;
        assert_ok(ctx, vo_inside_find(ctx, &memory, &surface, n, point, is_inside, &deepest));
        assert_int_equal(deepest.point, best);
        if (best >= 0) assert_near(deepest.depth, expected, 1e-15);
    }
    vo_inside_free(ctx, &memory);
    soup_free(&s);
    vo_context_destroy(ctx);
}

static void invalid_points_are_outside(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    soup s = {0};
    soup_box(&s, v3(0, 0, 0), v3(1, 1, 1));
    assert_false(inside(ctx, &s, v3(-1, 0.5, 0.5)));
    vo_inside memory = {0};
    vo_closed_surface surface = view(&s);
    vo_vec3 point[] = {v3(NAN, 0.5, 0.5), v3(0.5, INFINITY, 0.5), v3(0.5, 0.5, -1e300),
                       v3(0.5, 0.5, 0.25)};
    uint8_t is_inside[4] = {0};
    vo_deepest deepest;
    assert_ok(ctx, vo_inside_find(ctx, &memory, &surface, 4, point, is_inside, &deepest));
    assert_int_equal(is_inside[0] + is_inside[1] + is_inside[2], 0);
    assert_int_equal(is_inside[3], 1);
    assert_int_equal(deepest.point, 3);
    assert_near(deepest.depth, 0.25, 0);
    vo_inside_free(ctx, &memory);
    soup_free(&s);
    vo_context_destroy(ctx);
}

static vo_result find_once(vo_context *ctx, void *arg) {
    vo_inside memory = {0};
    vo_closed_surface surface = view(arg);
    vo_vec3 p = v3(0.1, 0.1, 0.1);
    uint8_t is_inside = 0;
    vo_deepest deepest;
    vo_result result = vo_inside_find(ctx, &memory, &surface, 1, &p, &is_inside, &deepest);
    vo_inside_free(ctx, &memory);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    soup s = {0};
    soup_sphere(&s, 6, v3_zero(), 1);
    test_every_allocation(find_once, &s);
    soup_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_on_lattice_are_resolved),
        cmocka_unit_test(octahedron_is_classified),
        cmocka_unit_test(overlap_and_orientation_are_handled),
        cmocka_unit_test(sphere_is_classified),
        cmocka_unit_test(depth_in_box_is_exact),
        cmocka_unit_test(invalid_points_are_outside),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
