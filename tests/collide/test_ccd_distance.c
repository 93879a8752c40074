/* Distances of points, edges and faces compared with a search over the weights, including
 * degenerate cases. */
#include "ccd_cases.h"

#include "collide/distance.h"

enum { CASES = 300 };

/* Asserts that the weights are valid and consistent with the offset; returns the distance. */
static double check_face(const vo_vec3 x[4]) {
    vo_face_point c = vo_distance_vertex_face(x[0], x[1], x[2], x[3]);
    vo_vec3 sum = v3_negate(x[0]);
    double weights = 0;
    for (int i = 0; i < 3; i++) {
        assert_true(c.weight[i] >= 0 && c.weight[i] <= 1);
        weights += c.weight[i];
        sum = v3_add_scaled(sum, c.weight[i], x[1 + i]);
    }
    assert_near(weights, 1, 1e-15);
    assert_near(v3_distance(sum, c.offset), 0, 1e-14);
    assert_near(c.squared, v3_length2(c.offset), 0);
    return sqrt(c.squared);
}

static double check_edges(const vo_vec3 x[4]) {
    vo_edge_pair c = vo_distance_edge_edge(x[0], x[1], x[2], x[3]);
    assert_true(c.s >= 0 && c.s <= 1 && c.t >= 0 && c.t <= 1);
    vo_vec3 offset = v3_sub(v3_lerp(x[2], x[3], c.t), v3_lerp(x[0], x[1], c.s));
    assert_near(v3_distance(offset, c.offset), 0, 1e-14);
    assert_near(c.squared, v3_length2(c.offset), 0);
    return sqrt(c.squared);
}

static double check(bool edges, const vo_vec3 x[4]) {
    return edges ? check_edges(x) : check_face(x);
}

static void random_distances_match_search(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    for (int i = 0; i < CASES; i++) {
        ccd_case c = random_case(&r, i % 2, 0);
        assert_near(check(c.edges, c.start), plain_minimum(c.edges, c.start), 1e-7);
    }
}

/* Coincident points, faces without area, edges without length or parallel. On the lattice exact
 * contacts occur: their distance is exactly 0. */
static void lattice_distances_match_search(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    int zeros = 0;
    for (int i = 0; i < CASES; i++) {
        ccd_case c = lattice_case(&r, i % 2, 1);
        double found = check(c.edges, c.start), plain = plain_minimum(c.edges, c.start);
        assert_near(found, plain, 1e-7);
        if (plain < 1e-7) assert_near(found, 0, 1e-15);
        zeros += found == 0;
    }
    assert_in_range(zeros, 10, CASES - 10);
}

/* Slivers and nearly parallel edges: 1e-3 to 1e-17 away from zero area. */
static void nearly_degenerate_distances_match_search(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int i = 0; i < CASES; i++) {
        ccd_case c = random_case(&r, i % 2, 0);
        double tiny = pow(10, -3 - i % 15);
        vo_vec3 side = v3_sub(c.start[3], c.start[2]);
        if (c.edges)
            c.start[1] = v3_add(v3_add(c.start[0], side), test_random_vec3(&r, tiny));
        else
            c.start[1] = v3_add(v3_lerp(c.start[2], c.start[3], 0.3), test_random_vec3(&r, tiny));
        assert_near(check(c.edges, c.start), plain_minimum(c.edges, c.start), 1e-7);
    }
}

/* Each closest feature, with weights that are exactly 0 or 1. */
static void closest_features_have_exact_weights(void **state) {
    (void)state;
    vo_vec3 a = v3(0, 0, 0), b = v3(4, 0, 0), c = v3(0, 4, 0);
    vo_face_point inside = vo_distance_vertex_face(v3(1, 1, 3), a, b, c);
    assert_near(inside.squared, 9, 0);
    assert_near(inside.weight[0], 0.5, 0);
    vo_face_point side = vo_distance_vertex_face(v3(2, -1, 0), a, b, c);
    assert_true(side.squared == 1 && side.weight[2] == 0 && side.weight[0] == 0.5);
    vo_face_point corner = vo_distance_vertex_face(v3(6, -1, 0), a, b, c);
    assert_true(corner.squared == 5 && corner.weight[1] == 1);
    vo_edge_pair cross = vo_distance_edge_edge(a, b, v3(1, -1, 2), v3(1, 3, 2));
    assert_true(cross.squared == 4 && cross.s == 0.25 && cross.t == 0.25);
    vo_edge_pair apart = vo_distance_edge_edge(a, b, v3(5, 0, 0), v3(9, 0, 0));
    assert_true(apart.squared == 1 && apart.s == 1 && apart.t == 0);
    vo_edge_pair parallel = vo_distance_edge_edge(a, b, v3(3, 2, 0), v3(9, 2, 0));
    assert_true(parallel.squared == 4);
    vo_edge_pair points = vo_distance_edge_edge(a, a, b, b);
    assert_true(points.squared == 16);
}

/* NaN input does not give a valid distance. */
static void non_finite_input_gives_no_distance(void **state) {
    (void)state;
    vo_vec3 a = v3(0, 0, 0), b = v3(1, 0, 0), c = v3(0, 1, 0), n = v3(NAN, INFINITY, 0);
    assert_false(vo_distance_vertex_face(n, a, b, c).squared >= 0);
    assert_false(vo_distance_edge_edge(n, a, b, c).squared < 0);
    assert_false(vo_distance_vertex_edge(n, a, b).squared >= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_distances_match_search),
        cmocka_unit_test(lattice_distances_match_search),
        cmocka_unit_test(nearly_degenerate_distances_match_search),
        cmocka_unit_test(closest_features_have_exact_weights),
        cmocka_unit_test(non_finite_input_gives_no_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
