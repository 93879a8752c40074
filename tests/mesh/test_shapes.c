/* Tests of shapes against geometry: closed, oriented outwards, with the exact area and volume and
 * well-shaped triangles. */
#include "codec/hash.h"
#include "collide/intersections.h"
#include "mesh_checks.h"

#include <stdlib.h>
#include <string.h>

/* Volume by the divergence theorem; positive if the faces are oriented outwards. */
static double volume_of(const vo_mesh *m) {
    double volume = 0;
    for (int f = 0; f < m->face_count; f++) {
        vo_vec3 a = m->node_x[vo_mesh_face_node(m, f, 0)];
        vo_vec3 b = m->node_x[vo_mesh_face_node(m, f, 1)];
        vo_vec3 c = m->node_x[vo_mesh_face_node(m, f, 2)];
        volume += v3_dot(a, v3_cross(b, c)) / 6;
    }
    return volume;
}

static double area_of(const vo_mesh *m) {
    double area = 0;
    for (int f = 0; f < m->face_count; f++) area += v3_length(vo_mesh_face_normal(m, f)) / 2;
    return area;
}

/* Smallest angle of all triangles, degrees. */
static double measure_min_angle(const vo_mesh *m) {
    double smallest = 180;
    for (int f = 0; f < m->face_count; f++)
        for (int i = 0; i < 3; i++) {
            vo_vec3 a = m->node_x[vo_mesh_face_node(m, f, i)];
            vo_vec3 p = v3_sub(m->node_x[vo_mesh_face_node(m, f, (i + 1) % 3)], a);
            vo_vec3 q = v3_sub(m->node_x[vo_mesh_face_node(m, f, (i + 2) % 3)], a);
            double angle = atan2(v3_length(v3_cross(p, q)), v3_dot(p, q)) * 180 / VO_PI;
            smallest = vo_min(smallest, angle);
        }
    return smallest;
}

static void edge_lengths(const vo_mesh *m, double *low, double *high) {
    *low = INFINITY;
    *high = 0;
    for (int e = 0; e < m->edge_count; e++) {
        double l = v3_distance(m->node_x[m->edge_node[e][0]], m->node_x[m->edge_node[e][1]]);
        *low = vo_min(*low, l);
        *high = vo_max(*high, l);
    }
}

/* Asserts no defects, two faces at every edge, and the Euler characteristic. */
static void check_closed(vo_context *ctx, const vo_mesh *m, int euler) {
    check_valid(ctx, m, VO_MESH_FOR_OBSTACLE);
    for (int e = 0; e < m->edge_count; e++) assert_true(m->edge_face[e][1] >= 0);
    assert_int_equal(m->node_count - m->edge_count + m->face_count, euler);
    assert_int_equal(m->use, VO_MESH_FOR_OBSTACLE);
}

typedef struct shape_case {
    vo_shape_def def;
    double volume, area;
    int euler;
    double min_angle; /* degrees; 0: thin shapes have thin triangles */
    bool flat;        /* flat sides: area and volume are exact */
} shape_case;

/* Frustum of a cone. */
static double frustum(double a, double b, double h) {
    return VO_PI * h / 3 * (a * a + a * b + b * b);
}
static double frustum_side(double a, double b, double h) {
    return VO_PI * (a + b) * hypot(a - b, h);
}

/* A funnel of 45 degrees: radius 3, neck 1, height 2, stem 1, wall t with t sqrt(2) across. */
static const double wall = 0.4;
static double funnel_volume(void) {
    double w = wall * sqrt(2), corner = wall * (1 - sqrt(2)), out = 1 + wall;
    return frustum(3 + w, out, 2 - corner) + VO_PI * out * out * (1 + corner) - frustum(3, 1, 2) -
           VO_PI;
}
static double funnel_area(void) {
    double w = wall * sqrt(2), corner = wall * (1 - sqrt(2)), out = 1 + wall;
    return frustum_side(3 + w, out, 2 - corner) + 2 * VO_PI * out * (1 + corner) +
           frustum_side(3, 1, 2) + 2 * VO_PI + VO_PI * ((3 + w) * (3 + w) - 9) +
           VO_PI * (out * out - 1);
}

static int make_cases(shape_case *c) {
    const vo_vec3 size = {2, 1, 0.5}, thin = {2, 1, 0.02};
    double blade = 2 * 2 * hypot(1, 0.01) + 2 * 0.02 + 0.02; /* two sides, the back, two ends */
    int n = 0;
    c[n++] = (shape_case){
        {.kind = VO_SHAPE_SPHERE, .radius = 2}, 32 * VO_PI / 3, 16 * VO_PI, 2, 45, false};
    c[n++] = (shape_case){{.kind = VO_SHAPE_BOX, .size = size}, 1, 7, 2, 30, true};
    c[n++] = (shape_case){{.kind = VO_SHAPE_PLATE, .size = thin}, 0.04, 4.12, 2, 0, true};
    c[n++] = (shape_case){{.kind = VO_SHAPE_BLADE, .size = thin}, 0.02, blade, 2, 0, true};
    c[n++] = (shape_case){
        {.kind = VO_SHAPE_CYLINDER, .radius = 1, .height = 3}, 3 * VO_PI, 8 * VO_PI, 2, 25, false};
    c[n++] = (shape_case){{.kind = VO_SHAPE_TORUS, .radius = 3, .tube = 1},
                          6 * VO_PI * VO_PI,
                          12 * VO_PI * VO_PI,
                          0,
                          25,
                          false};
    c[n++] = (shape_case){{.kind = VO_SHAPE_FUNNEL,
                           .radius = 3,
                           .neck = 1,
                           .height = 2,
                           .stem = 1,
                           .thickness = wall},
                          funnel_volume(),
                          funnel_area(),
                          0,
                          25,
                          false};
    return n;
}

/* Round shapes are inscribed: the deficit is proportional to the squared edge length. */
static void check_case(vo_context *ctx, shape_case c, double edge) {
    vo_mesh *m;
    c.def.edge_length = edge;
    assert_ok(ctx, vo_mesh_create_shape(ctx, &c.def, &m));
    check_closed(ctx, m, c.euler);
    double slack = c.flat ? 1e-12 : edge * edge;
    assert_near(volume_of(m), c.volume, slack * c.volume);
    assert_near(area_of(m), c.area, slack * c.area);
    if (!c.flat) assert_true(volume_of(m) < c.volume * (1 + 1e-3 * slack));
    double low, high;
    edge_lengths(m, &low, &high);
    if (edge > 0 && measure_min_angle(m) < c.min_angle)
        fail_msg("kind %d, edge %g: an angle of %g degrees", (int)c.def.kind, edge,
                 measure_min_angle(m));
    if (c.min_angle > 0 && edge < 0.2 && !(low > 0.5 * edge && high < 1.8 * edge))
        fail_msg("kind %d: edges from %g to %g, requested %g", (int)c.def.kind, low, high, edge);
    vo_mesh_destroy(m);
}

static void shapes_have_their_volume_and_area(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    shape_case cases[16];
    int count = make_cases(cases);
    for (int i = 0; i < count; i++)
        for (double edge = 0.5; edge > 0.06; edge *= 0.7) check_case(ctx, cases[i], edge);
    vo_context_destroy(ctx);
}

/* Number of intersecting pairs of faces of a mesh. */
static int count_intersections(vo_context *ctx, const vo_mesh *m) {
    vo_intersections found = {0};
    int(*face)[3] = malloc((size_t)m->face_count * sizeof *face);
    for (int k = 0; k < 3 * m->face_count; k++)
        face[k / 3][k % 3] = vo_mesh_face_node(m, k / 3, k % 3);
    vo_face_soup soup = {m->node_x, (const int(*)[3])face, m->face_count, m->face_count};
    assert_ok(ctx, vo_intersections_find(ctx, &found, &soup));
    int count = found.count;
    vo_intersections_free(ctx, &found);
    free(face);
    return count;
}

static void get_box(const vo_mesh *m, vo_vec3 *low, vo_vec3 *high) {
    *low = *high = m->node_x[0];
    for (int n = 0; n < m->node_count; n++) {
        *low = v3_min(*low, m->node_x[n]);
        *high = v3_max(*high, m->node_x[n]);
    }
}

/* Sits on the ground, is as high as requested and wider than its ears, and has the volume of its
 * parts, to the accuracy of the edges. */
static void check_rabbit(vo_context *ctx, double height, double edge) {
    vo_mesh *m;
    vo_vec3 low, high;
    vo_shape_def def = {.kind = VO_SHAPE_RABBIT, .height = height, .edge_length = edge};
    assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &m));
    check_closed(ctx, m, 2);
    assert_int_equal(count_intersections(ctx, m), 0);
    get_box(m, &low, &high);
    double shortest, longest, used = edge > 0 ? vo_min(edge, height / 32) : height / 64;
    double slack = 0.005 * height + 0.5 * used;
    assert_near(low.z, 0, 0.1 * used);
    assert_near(high.z, height, slack);
    assert_near(high.x, 0.2842 * height, slack);
    assert_near(low.x, -high.x, 0.2 * used);
    assert_near(high.y - low.y, 0.955 * height, 2 * slack);
    assert_near(volume_of(m), 0.166 * height * height * height, 0.1 * slack * height * height);
    edge_lengths(m, &shortest, &longest);
    assert_true(longest < 2.5 * used && shortest > 0.05 * used);
    vo_mesh_destroy(m);
}

static void rabbits_of_all_sizes_are_closed_and_free_of_intersections(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    check_rabbit(ctx, 0.6, 0);
    check_rabbit(ctx, 1, 0.5);
    for (double edges = 32; edges < 130; edges *= 1.19) check_rabbit(ctx, 0.6, 0.6 / edges);
    vo_context_destroy(ctx);
}

static uint64_t hash_rabbit(int threads) {
    vo_context *ctx = test_context(threads);
    vo_mesh *m;
    vo_shape_def def = {.kind = VO_SHAPE_RABBIT, .height = 0.6};
    assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &m));
    uint64_t hash = vo_hash(m->node_x, (size_t)m->node_count * sizeof *m->node_x) ^
                    vo_hash(m->face_vert, (size_t)m->face_count * sizeof *m->face_vert);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
    return hash;
}

static void rabbits_do_not_depend_on_threads(void **state) {
    (void)state;
    uint64_t hash = hash_rabbit(1);
    assert_true(hash_rabbit(1) == hash);
    assert_true(hash_rabbit(3) == hash);
}

/* With edges far longer than the shape the mesh is minimal but still closed. */
static void coarse_shapes_are_closed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    shape_case cases[16];
    int count = make_cases(cases);
    for (int i = 0; i < count; i++) {
        vo_mesh *m;
        cases[i].def.edge_length = 1e6;
        assert_ok(ctx, vo_mesh_create_shape(ctx, &cases[i].def, &m));
        check_closed(ctx, m, cases[i].euler);
        assert_true(volume_of(m) > 0.3 * cases[i].volume);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

static void default_edge_length_resolves_the_shape(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    shape_case cases[16];
    int count = make_cases(cases);
    for (int i = 0; i < count; i++) {
        vo_mesh *m;
        assert_ok(ctx, vo_mesh_create_shape(ctx, &cases[i].def, &m));
        check_closed(ctx, m, cases[i].euler);
        assert_near(volume_of(m), cases[i].volume, 0.07 * cases[i].volume);
        assert_in_range(m->face_count, 200, 10000);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

static void bounds_of(const vo_mesh *m, vo_vec3 *low, vo_vec3 *high) {
    *low = v3(INFINITY, INFINITY, INFINITY);
    *high = v3_negate(*low);
    for (int n = 0; n < m->node_count; n++) {
        *low = v3_min(*low, m->node_x[n]);
        *high = v3_max(*high, m->node_x[n]);
    }
}

static void shapes_have_documented_positions(void **state) {
    (void)state;
    static const struct {
        vo_shape_def def;
        vo_vec3 low, high;
    } cases[] = {
        {{.kind = VO_SHAPE_BOX, .size = {1, 2, 3}}, {-0.5, -1, -1.5}, {0.5, 1, 1.5}},
        {{.kind = VO_SHAPE_PLATE, .size = {1, 2, 3}}, {-0.5, -1, -3}, {0.5, 1, 0}},
        {{.kind = VO_SHAPE_BLADE, .size = {1, 2, 0.5}}, {-0.5, -2, -0.25}, {0.5, 0, 0.25}},
        {{.kind = VO_SHAPE_CYLINDER, .radius = 1, .height = 3}, {-1, -1, -1.5}, {1, 1, 1.5}},
        {{.kind = VO_SHAPE_TORUS, .radius = 1, .tube = 0.25},
         {-1.25, -1.25, -.25},
         {1.25, 1.25, .25}},
        {{.kind = VO_SHAPE_SPHERE, .radius = 2}, {-2, -2, -2}, {2, 2, 2}},
        {{.kind = VO_SHAPE_FUNNEL,
          .radius = 3,
          .neck = 1,
          .height = 4,
          .stem = 2,
          .thickness = 0.1},
         {-3.112, -3.112, -2},
         {3.112, 3.112, 4}},
    };
    vo_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vo_mesh *m;
        vo_vec3 low, high;
        vo_shape_def def = cases[i].def;
        def.edge_length = 0.1;
        assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &m));
        bounds_of(m, &low, &high);
        double slack = i < 3 ? 1e-12 : 0.01;
        assert_near(v3_distance(low, cases[i].low), 0, slack);
        assert_near(v3_distance(high, cases[i].high), 0, slack);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

static void sphere_nodes_lie_on_the_sphere(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int cuts = 1; cuts < 9; cuts++) {
        vo_shape_def def = {.kind = VO_SHAPE_SPHERE, .radius = 1, .edge_length = 1.2 / cuts};
        vo_mesh *m;
        assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &m));
        assert_int_equal(m->node_count, 10 * cuts * cuts + 2);
        assert_int_equal(m->face_count, 20 * cuts * cuts);
        for (int n = 0; n < m->node_count; n++) assert_near(v3_length(m->node_x[n]), 1, 1e-15);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

/* Walls of any proportion, with and without a stem, down to flat dishes. */
static void funnels_of_any_proportion_are_closed(void **state) {
    (void)state;
    static const double values[] = {0.1, 0.3, 1, 5};
    vo_context *ctx = test_context(1);
    for (int i = 0; i < 64; i++) {
        vo_shape_def def = {.kind = VO_SHAPE_FUNNEL, .radius = 1, .neck = 0.3, .edge_length = 0.2};
        def.height = values[i % 4];
        def.stem = i / 4 % 4 ? values[i / 4 % 4] : 0;
        def.thickness = i / 16 ? values[i / 16] / 4 : 0;
        vo_mesh *m;
        assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &m));
        check_closed(ctx, m, 0);
        assert_true(volume_of(m) > 0);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

static void invalid_shapes_are_rejected(void **state) {
    (void)state;
    static const struct {
        vo_shape_def def;
        const char *sentence;
    } cases[] = {
        {{.kind = VO_SHAPE_SPHERE}, "a sphere: radius must be positive"},
        {{.kind = VO_SHAPE_SPHERE, .radius = NAN}, "radius"},
        {{.kind = VO_SHAPE_SPHERE, .radius = 1e16}, "radius"},
        {{.kind = VO_SHAPE_SPHERE, .radius = 1, .edge_length = -1}, "edge_length"},
        {{.kind = VO_SHAPE_SPHERE, .radius = 1, .edge_length = NAN}, "edge_length"},
        {{.kind = VO_SHAPE_SPHERE, .radius = 1, .edge_length = 1e-9}, "more than 2000000 faces"},
        {{.kind = VO_SHAPE_SPHERE, .radius = 1, .edge_length = 1e-320}, "more than"},
        {{.kind = VO_SHAPE_BOX, .size = {1, 1, 0}}, "a box: size must be three positive numbers"},
        {{.kind = VO_SHAPE_BLADE, .size = {1, NAN, 1}}, "a blade: size"},
        {{.kind = VO_SHAPE_CYLINDER, .radius = 1}, "a cylinder: height"},
        {{.kind = VO_SHAPE_TORUS, .radius = 1}, "a torus: tube must be positive"},
        {{.kind = VO_SHAPE_TORUS, .radius = 1, .tube = 1}, "tube must be less than radius"},
        {{.kind = VO_SHAPE_FUNNEL, .radius = 1, .neck = 1, .height = 1}, "neck must be less"},
        {{.kind = VO_SHAPE_FUNNEL, .radius = 1, .neck = 0.5, .height = 1, .stem = -1}, "stem"},
        {{.kind = VO_SHAPE_FUNNEL, .radius = 1, .neck = 0.5, .height = 1, .thickness = -1},
         "thickness"},
        {{.kind = VO_SHAPE_FUNNEL, .radius = 1, .neck = 0.5, .height = 1e-14, .thickness = 1},
         "more than"},
        {{.kind = (vo_shape_kind)99}, "vo_shape_kind"},
    };
    vo_context *ctx = test_context(1);
    vo_mesh *m;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(vo_mesh_create_shape(ctx, &cases[i].def, &m), VO_BAD_ARGUMENT);
        assert_null(m);
        if (!strstr(vo_context_message(ctx), cases[i].sentence))
            fail_msg("\"%s\" does not contain \"%s\"", vo_context_message(ctx), cases[i].sentence);
    }
    assert_int_equal(vo_mesh_create_shape(ctx, NULL, &m), VO_BAD_ARGUMENT);
    vo_context_destroy(ctx);
}

static vo_result make_shape(vo_context *ctx, void *arg) {
    vo_mesh *m;
    vo_result result = vo_mesh_create_shape(ctx, arg, &m);
    vo_mesh_destroy(m);
    return result;
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    shape_case cases[16];
    int count = make_cases(cases);
    for (int i = 0; i < count; i++) test_every_allocation(make_shape, &cases[i].def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_have_their_volume_and_area),
        cmocka_unit_test(rabbits_of_all_sizes_are_closed_and_free_of_intersections),
        cmocka_unit_test(rabbits_do_not_depend_on_threads),
        cmocka_unit_test(coarse_shapes_are_closed),
        cmocka_unit_test(default_edge_length_resolves_the_shape),
        cmocka_unit_test(shapes_have_documented_positions),
        cmocka_unit_test(sphere_nodes_lie_on_the_sphere),
        cmocka_unit_test(funnels_of_any_proportion_are_closed),
        cmocka_unit_test(invalid_shapes_are_rejected),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
