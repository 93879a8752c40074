/* Configurations of a divided triangle against triangulations by brute force, and all transitions
 * between them on a mesh (rt/hierarchy/transition.h). */
#include "rt_hierarchy_assets.h"

enum { POINTS = 6 };
static const int twice_x[POINTS] = {0, 2, 0, 1, 0, 1}, twice_y[POINTS] = {0, 0, 2, 1, 1, 0};

/* Four times twice the area: 4 for the whole triangle. */
static int area_of(int a, int b, int c) {
    return (twice_x[b] - twice_x[a]) * (twice_y[c] - twice_y[a]) -
           (twice_y[b] - twice_y[a]) * (twice_x[c] - twice_x[a]);
}

/* Points on the outline of a state, counter-clockwise. */
static int outline_of(int state, int outline[POINTS]) {
    int n = 0;
    for (int corner = 0; corner < 3; corner++) {
        int opposite = (corner + 2) % 3; /* the edge from this corner to the next */
        outline[n++] = corner;
        if (state >> opposite & 1) outline[n++] = 3 + opposite;
    }
    return n;
}

/* A set of triangles as a sorted list of point sets. */
typedef struct triangulation {
    int count, triangle[4];
} triangulation;

static void add_triangle(triangulation *t, int a, int b, int c) {
    int set = 1 << a | 1 << b | 1 << c, i = t->count++;
    for (; i > 0 && t->triangle[i - 1] > set; i--) t->triangle[i] = t->triangle[i - 1];
    t->triangle[i] = set;
}

/* Triangulates points[first..last] of the outline in all ways without flat triangles; the edge
 * first-last is the base of the next triangle. `rest` lists further intervals. */
static void enumerate(const int *outline, int (*interval)[2], int intervals, triangulation so_far,
                      triangulation *found, int *count) {
    while (intervals > 0 && interval[intervals - 1][1] - interval[intervals - 1][0] < 2)
        intervals--;
    if (intervals == 0) {
        found[(*count)++] = so_far;
        return;
    }
    int first = interval[intervals - 1][0], last = interval[intervals - 1][1];
    for (int k = first + 1; k < last; k++) {
        if (area_of(outline[first], outline[k], outline[last]) <= 0) continue;
        triangulation next = so_far;
        int rest[8][2];
        memcpy(rest, interval, (size_t)(intervals - 1) * sizeof *rest);
        rest[intervals - 1][0] = first, rest[intervals - 1][1] = k;
        rest[intervals][0] = k, rest[intervals][1] = last;
        add_triangle(&next, outline[first], outline[k], outline[last]);
        enumerate(outline, rest, intervals + 1, next, found, count);
    }
}

static triangulation triangulation_of(int configuration) {
    triangulation t = {0, {0}};
    unsigned set = vo_rt_configurations[configuration].triangles;
    if (set == 0) add_triangle(&t, 0, 1, 2);
    for (; set; set &= set - 1) {
        const uint8_t *p = vo_rt_interior_triangles[vo_rt_lowest_bit(set)].point;
        add_triangle(&t, p[0], p[1], p[2]);
    }
    return t;
}

static bool is_same(const triangulation *a, const triangulation *b) {
    return a->count == b->count &&
           memcmp(a->triangle, b->triangle, (size_t)a->count * sizeof *a->triangle) == 0;
}

/* Every configuration is a triangulation of its outline; one split edge has one triangulation
 * without flat triangles, two have two, and those are exactly the configurations. */
static void test_configurations_are_triangulations(void **state) {
    (void)state;
    const int expected[8] = {1, 1, 1, 2, 1, 2, 2, 0};
    for (int s = 0; s < 8; s++) {
        int outline[POINTS], n = outline_of(s, outline), count = 0;
        int all[1][2] = {{0, n - 1}};
        triangulation found[16], none = {0, {0}};
        enumerate(outline, all, 1, none, found, &count);
        if (expected[s]) assert_int_equal(count, expected[s]);
        for (int c = 0; c < VO_RT_CONFIGURATIONS; c++) {
            if (vo_rt_configurations[c].state != s) continue;
            triangulation t = triangulation_of(c);
            int matches = 0;
            for (int k = 0; k < count; k++) matches += is_same(&t, &found[k]);
            assert_int_equal(matches, 1);
        }
    }
}

/* Ends of a local edge. */
static void ends_of(int edge, int *a, int *b) {
    int i = edge < 3 ? edge : (edge - 3) / 2;
    if (edge < 3)
        *a = (i + 1) % 3, *b = (i + 2) % 3;
    else if (edge < VO_RT_FIRST_INTERIOR)
        *a = 3 + i, *b = (edge - 3) % 2 ? (i + 2) % 3 : (i + 1) % 3;
    else
        *a = vo_rt_interior_edges[edge - VO_RT_FIRST_INTERIOR][0],
        *b = vo_rt_interior_edges[edge - VO_RT_FIRST_INTERIOR][1];
}

static void test_interior_triangles(void **state) {
    (void)state;
    for (int t = 0; t < VO_RT_INTERIOR_TRIANGLES; t++) {
        const vo_rt_interior_triangle *s = &vo_rt_interior_triangles[t];
        assert_int_equal(area_of(s->point[0], s->point[1], s->point[2]), s->quarters);
        for (int k = 0; k < 3; k++) {
            int a, b, p = s->point[(k + 1) % 3], q = s->point[(k + 2) % 3];
            ends_of(s->edge[k], &a, &b);
            assert_true((a == p && b == q) || (a == q && b == p));
            if (s->edge[k] >= VO_RT_FIRST_INTERIOR) assert_int_equal(s->side[k], a != p);
        }
    }
}

/* Each interior edge of a configuration is used by two of its triangles on different sides, each
 * outer edge by one; the masses are those of the triangles. */
static void test_configuration_rows(void **state) {
    (void)state;
    for (int c = 1; c < VO_RT_CONFIGURATIONS; c++) {
        const vo_rt_configuration *row = &vo_rt_configurations[c];
        int uses[VO_RT_LOCAL_EDGES] = {0}, mass[POINTS] = {0}, area = 0;
        for (unsigned set = row->triangles; set; set &= set - 1) {
            const vo_rt_interior_triangle *s = &vo_rt_interior_triangles[vo_rt_lowest_bit(set)];
            area += s->quarters;
            for (int k = 0; k < 3; k++) {
                uses[s->edge[k]] += 1 + (s->edge[k] >= VO_RT_FIRST_INTERIOR ? s->side[k] : 0);
                mass[s->point[k]] += s->quarters;
            }
        }
        assert_int_equal(area, 4);
        for (int i = 0; i < POINTS; i++) assert_int_equal(mass[i], row->mass[i]);
        for (int e = 0; e < 3; e++) {
            int split = row->state >> e & 1;
            assert_int_equal(uses[e], !split);
            assert_int_equal(uses[3 + 2 * e], split);
            assert_int_equal(uses[4 + 2 * e], split);
        }
        for (int e = 0; e < VO_RT_INTERIOR_EDGES; e++)
            assert_int_equal(uses[VO_RT_FIRST_INTERIOR + e], row->edges >> e & 1 ? 3 : 0);
    }
}

static void test_target_has_least_change(void **state) {
    (void)state;
    int pairs = 0, ties = 0;
    for (int from = 0; from < VO_RT_CONFIGURATIONS; from++)
        for (int to = 0; to < VO_RT_CONFIGURATIONS; to++) {
            int s = vo_rt_configurations[to].state;
            if (vo_rt_configurations[from].state == s) continue;
            vo_rt_transition d = vo_rt_transition_between(from, to);
            int cost = __builtin_popcount(d.removed_triangles) +
                       __builtin_popcount(d.created_triangles) +
                       __builtin_popcount(d.removed_edges) + __builtin_popcount(d.created_edges);
            int target = vo_rt_transition_target(from, s);
            assert_int_equal(cost, vo_rt_transition_cost(from, to));
            if (target >= 0) {
                assert_int_equal(vo_rt_configurations[target].state, s);
                assert_true(target == to || vo_rt_transition_cost(from, target) < cost);
            } else {
                int first = vo_rt_first_configuration[s];
                assert_int_equal(vo_rt_transition_cost(from, first),
                                 vo_rt_transition_cost(from, first + 1));
                ties++;
            }
            pairs++;
        }
    assert_int_equal(pairs, 104);
    assert_int_equal(vo_rt_transition_target(1, 3), 4);
    assert_int_equal(vo_rt_transition_target(2, 3), 5);
    assert_int_equal(vo_rt_transition_target(0, 3), -1);
    assert_true(ties > 0 && ties < pairs);
}

/* Changes the edges of triangle 0 to the state of a configuration, with the given target. */
static void change(vo_rt_mesh *mesh, int to) {
    vo_rt_triangle t = mesh->triangle[0];
    int from_state = vo_rt_configurations[t.configuration].state;
    int to_state = vo_rt_configurations[to].state, join = from_state & ~to_state;
    for (int i = 0; i < 3; i++)
        if (join >> i & 1) vo_rt_mesh_begin_join(mesh, t.edge[i]);
    for (int i = 0; i < 3; i++)
        if ((to_state & ~from_state) >> i & 1) vo_rt_mesh_divide_edge(mesh, t.edge[i]);
    vo_rt_mesh_change_configuration(mesh, 0, to);
    for (int k = 1; k < mesh->asset->triangle_count; k++) vo_rt_mesh_retriangulate(mesh, k);
    for (int i = 0; i < 3; i++)
        if (join >> i & 1) vo_rt_mesh_end_join(mesh, t.edge[i]);
    vo_rt_mesh_finish(mesh);
}

/* A triangle with three neighbours. */
static test_asset star(void) {
    const vo_rt_vec3 x[6] = {{0, 0, 0},    {1, 0, 0},     {0, 1, 0},
                             {1, 1, 0.1f}, {-1, 1, 0.2f}, {1, -1, 0}};
    const int triangle[12] = {0, 1, 2, 2, 1, 3, 0, 2, 4, 1, 0, 5};
    vo_rt_vec2 corner[12];
    for (int i = 0; i < 12; i++) corner[i] = f2(x[triangle[i]].x, x[triangle[i]].y);
    return test_asset_build(6, x, 4, triangle, corner, 2);
}

static void test_all_transitions(void **state) {
    (void)state;
    vo_random random = vo_random_seed(1);
    int count = 0;
    for (int from = 0; from < VO_RT_CONFIGURATIONS; from++)
        for (int to = 0; to < VO_RT_CONFIGURATIONS; to++) {
            if (vo_rt_configurations[from].state == vo_rt_configurations[to].state) continue;
            test_mesh m;
            test_mesh_init(&m, star(), 1 << 20);
            assert_true(vo_rt_mesh_reserve_splits(&m.mesh, &m.heap, 8));
            if (from > 0) change(&m.mesh, from);
            test_mesh_check(&m.mesh);
            test_random_velocities(&m.mesh, &random);
            test_momentum before = test_total(&m.mesh);
            vo_rt_triangle old = m.mesh.triangle[0];
            change(&m.mesh, to);
            test_mesh_check(&m.mesh);
            assert_int_equal(m.mesh.triangle[0].configuration, to);
            test_same_momentum(before, test_total(&m.mesh), 1e-6);
            /* Common triangles stay in their slots of the tree. */
            vo_rt_transition d = vo_rt_transition_between(from, to);
            for (unsigned set = d.kept_triangles; set; set &= set - 1) {
                int bit = vo_rt_lowest_bit(set);
                int a = old.child[vo_rt_slot_of(vo_rt_configurations[from].triangles, bit)];
                int b = m.mesh.triangle[0]
                            .child[vo_rt_slot_of(vo_rt_configurations[to].triangles, bit)];
                assert_int_equal(a, b);
            }
            if (to > 0) change(&m.mesh, 0);
            test_mesh_check(&m.mesh);
            test_same_momentum(before, test_total(&m.mesh), 1e-6);
            assert_int_equal(m.mesh.triangle_end, 4);
            assert_int_equal(m.mesh.front.vertex_end, 7);
            assert_int_equal(m.mesh.front.spring_count, 9);
            test_mesh_free(&m);
            count++;
        }
    assert_int_equal(count, 104);
}

/* The four tie rules choose the median that they promise for edges 0 and 1. */
static void test_tie_rules(void **state) {
    (void)state;
    for (int rule = VO_RT_TIE_DEFAULT; rule <= VO_RT_TIE_CURVATURE; rule++)
        for (int second = 0; second < 2; second++) {
            test_mesh m;
            test_mesh_init(&m, star(), 1 << 20);
            m.mesh.tie_rule = (vo_rt_tie_rule)rule;
            assert_true(vo_rt_mesh_reserve_splits(&m.mesh, &m.heap, 8));
            /* Corner 0 or 1 moves away from the midpoint of the opposite edge; the triangle bends
             * along one of the medians. */
            m.mesh.front.position[1 + !second].x += second ? 1.5f : -1.5f;
            if (rule == VO_RT_TIE_REST_LENGTH && second) {
                vo_rt_mesh_free(&m.mesh, &m.heap);
                for (int i = 0; i < m.asset.asset.edge_count; i++)
                    for (int s = 0; s < 4; s++) {
                        vo_rt_vec2 *u = &m.asset.edge[i].coordinate[s / 2][s % 2];
                        u->x += 2 * u->y;
                    }
                assert_true(vo_rt_mesh_init(&m.mesh, &m.asset.asset, &m.heap));
                m.mesh.tie_rule = (vo_rt_tie_rule)rule;
                assert_true(vo_rt_mesh_reserve_splits(&m.mesh, &m.heap, 8));
            }
            for (int i = 1; i < 7; i++) m.mesh.front.normal[i] = (vo_rt_vec4){.z = 1};
            if (rule == VO_RT_TIE_CURVATURE) {
                m.mesh.front.position[1] = (vo_rt_vec4){.w = 1};
                m.mesh.front.position[2] = (vo_rt_vec4){.x = 1, .w = 1};
                m.mesh.front.normal[second ? 1 : 2] =
                    (vo_rt_vec4){.x = second ? -0.6f : 0.6f, .z = 0.8f};
            }
            int32_t split[2] = {m.mesh.triangle[0].edge[0], m.mesh.triangle[0].edge[1]};
            vo_rt_edits edits = {.split_count = 2, .split = split, .capacity = 2};
            vo_rt_mesh_apply(&m.mesh, &edits, 0, NULL, NULL, NULL);
            test_mesh_check(&m.mesh);
            int expected = rule == VO_RT_TIE_DEFAULT ? 4 : 4 + second;
            assert_int_equal(m.mesh.triangle[0].configuration, expected);
            test_mesh_free(&m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations_are_triangulations),
        cmocka_unit_test(test_interior_triangles),
        cmocka_unit_test(test_configuration_rows),
        cmocka_unit_test(test_target_has_least_change),
        cmocka_unit_test(test_all_transitions),
        cmocka_unit_test(test_tie_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
