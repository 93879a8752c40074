/* Tests of the smooth surface: it interpolates the nodes, keeps planes flat and creases sharp,
 * approximates round surfaces, is continuous across edges and stays near the faces. */
#include "scramble.h"

#include "core/memory.h"
#include "mesh/smooth.h"

static vo_vec2 material_of(const vo_mesh *m, const vo_face_location *s) {
    vo_vec2 sum = v2(0, 0);
    for (int i = 0; i < 3; i++)
        sum = v2_add(sum, v2_scale(s->weight[i], m->vert_u[m->face_vert[s->face][i]]));
    return sum;
}

static vo_face_location random_location(const vo_mesh *m, vo_random *r) {
    double a = vo_random_real(r, 0, 1), b = vo_random_real(r, 0, 1 - a);
    return (vo_face_location){.face = vo_random_int(r, m->face_count), .weight = {a, b, 1 - a - b}};
}

static double longest_edge(const vo_mesh *m, int face) {
    double longest = 0;
    for (int i = 0; i < 3; i++)
        longest = vo_max(longest, v3_distance(m->node_x[vo_mesh_face_node(m, face, i)],
                                              m->node_x[vo_mesh_face_node(m, face, (i + 1) % 3)]));
    return longest;
}

/* Distance of a point from a reference surface. */
typedef double distance_fn(vo_vec3 x);

static double from_cylinder(vo_vec3 x) { return fabs(hypot(x.x, x.z) - SURFACE_RADIUS); }
static double from_sphere(vo_vec3 x) { return fabs(v3_length(x) - SURFACE_RADIUS); }

/* First-order distance; the slope of the saddle is below one. */
static double from_saddle(vo_vec3 x) {
    double slope2 = 2.56 * (x.x * x.x + x.y * x.y);
    return fabs(x.z - 0.8 * (x.x * x.x - x.y * x.y)) / sqrt(1 + slope2);
}

typedef struct errors {
    double max[2], mean2[2]; /* smooth, flat */
} errors;

/* Samples a mesh whose nodes lie on the reference surface. */
static errors measure(const vo_mesh *m, distance_fn *distance) {
    enum { POINTS = 20000 };
    vo_random r = vo_random_seed(3);
    vo_smooth s;
    errors e = {0};
    assert_ok(m->ctx, vo_smooth_create(m->ctx, m, &s));
    for (int k = 0; k < POINTS; k++) {
        vo_face_location location = random_location(m, &r);
        vo_vec3 x[2] = {vo_smooth_point(&s, &location),
                        vo_face_location_point(m, &location, m->node_x)};
        for (int i = 0; i < 2; i++) {
            double d = distance(x[i]);
            e.max[i] = vo_max(e.max[i], d);
            e.mean2[i] += d * d / POINTS;
        }
    }
    vo_smooth_free(&s);
    return e;
}

/* Asserts by what factors the smooth surface is nearer than flat faces: for the maximum and for the
 * mean error. */
static void assert_nearer(const vo_mesh *m, distance_fn *distance, double worst, double mean) {
    errors e = measure(m, distance);
    double by_max = e.max[1] / e.max[0], by_mean = sqrt(e.mean2[1] / e.mean2[0]);
    if (by_max < worst || by_mean < mean)
        fail_msg("%d faces: nearer by %.1f at worst, %.1f in the mean", m->face_count, by_max,
                 by_mean);
}

/* A regular grid, a decimated one and one with random edits. */
static void round_surfaces_are_approximated(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int kind = 0; kind < 3; kind++) {
        vo_mesh *m = test_grid(ctx, 1, 1, kind == 2 ? 16 : 10, kind == 2 ? 16 : 10);
        if (kind) scramble(m, 21, kind == 2 ? 400 : 150, 0);
        put_on_surface(m, surface_cylinder);
        assert_nearer(m, from_cylinder, 5, 12);
        put_on_surface(m, surface_sphere);
        assert_nearer(m, from_sphere, 10, 30);
        put_on_surface(m, surface_saddle);
        assert_nearer(m, from_saddle, 3, 6);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

/* A cylinder with eight sides, along its axis. */
static void eight_sided_cylinder_is_round(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = test_grid(ctx, 1, 1, 8, 8);
    for (int v = 0; v < m->vert_count; v++) {
        double r = SURFACE_RADIUS, angle = 2 * VO_PI * m->vert_u[v].x;
        m->node_x[v] = v3(r * sin(angle), m->vert_u[v].y, r * cos(angle));
    }
    assert_nearer(m, from_cylinder, 5, 10);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static void planes_stay_flat(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(2);
    for (int round = 0; round < 10; round++) {
        vo_mesh *m = test_grid(ctx, 1, 1, 8, 8);
        scramble(m, (uint64_t)round, 300, 0);
        put_on_surface(m, surface_plane);
        vo_smooth s;
        assert_ok(ctx, vo_smooth_create(ctx, m, &s));
        for (int k = 0; k < 1000; k++) {
            vo_face_location location = random_location(m, &r);
            vo_vec3 x = vo_smooth_point(&s, &location),
                    exact = surface_plane(material_of(m, &location));
            assert_near(v3_distance(x, exact), 0, 1e-14);
        }
        vo_smooth_free(&s);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

/* Folds a sheet by `angle` along x = 1/2. */
static void fold(vo_mesh *m, double angle) {
    for (int v = 0; v < m->vert_count; v++) {
        double x = m->vert_u[v].x - 0.5, y = m->vert_u[v].y;
        m->node_x[m->vert_node[v]] = x < 0 ? v3(x, y, 0) : v3(x * cos(angle), y, -x * sin(angle));
    }
}

static double from_fold(vo_vec2 u, vo_vec3 x, double angle) {
    return u.x < 0.5 ? fabs(x.z) : fabs(x.x * sin(angle) + x.z * cos(angle));
}

/* A fold rounds only its own row of faces, by a bounded amount; a labelled fold rounds nothing. */
static void fold_rounds_adjacent_faces_only(void **state) {
    (void)state;
    enum { CELLS = 12 };
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(2);
    for (int degrees = 5; degrees <= 175; degrees += 10)
        for (int labelled = 0; labelled < 2; labelled++) {
            double angle = degrees * VO_PI / 180, max_distance[2] = {0};
            vo_mesh *m = test_grid(ctx, 1, 1, CELLS, CELLS);
            fold(m, angle);
            for (int e = 0; e < m->edge_count && labelled; e++)
                if (m->vert_u[m->edge_node[e][0]].x == 0.5 &&
                    m->vert_u[m->edge_node[e][1]].x == 0.5)
                    m->edge_label[e] = 1;
            vo_smooth s;
            assert_ok(ctx, vo_smooth_create(ctx, m, &s));
            for (int k = 0; k < 3000; k++) {
                vo_face_location location = random_location(m, &r);
                vo_vec2 u = material_of(m, &location);
                double d = from_fold(u, vo_smooth_point(&s, &location), angle) * CELLS;
                bool away = fabs(u.x - 0.5) > 1.0 / CELLS;
                max_distance[away] = vo_max(max_distance[away], d);
            }
            assert_near(max_distance[0], 0, labelled ? 1e-13 : 0.15);
            assert_near(max_distance[1], 0, 1e-13);
            if (!labelled && degrees <= 45) assert_true(max_distance[0] > 0.05 * angle);
            vo_smooth_free(&s);
            vo_mesh_destroy(m);
        }
    vo_context_destroy(ctx);
}

/* Long edges that end in a fold of short edges bulge by at most a fraction of the short edges. */
static void coarse_sides_of_a_fold_stay_flat(void **state) {
    (void)state;
    enum { ROWS = 24 };
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(7);
    for (int degrees = 5; degrees <= 175; degrees += 10) {
        double angle = degrees * VO_PI / 180, max_distance = 0;
        vo_mesh *m = test_grid(ctx, 1, 1, 4, ROWS);
        fold(m, angle);
        vo_smooth s;
        assert_ok(ctx, vo_smooth_create(ctx, m, &s));
        for (int k = 0; k < 3000; k++) {
            vo_face_location location = random_location(m, &r);
            max_distance = vo_max(max_distance, from_fold(material_of(m, &location),
                                                          vo_smooth_point(&s, &location), angle));
        }
        assert_true(max_distance < 0.1 / ROWS);
        vo_smooth_free(&s);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

static void nodes_are_reproduced(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = garment_build(ctx, 3, 4);
    scramble(m, 6, 300, 0);
    vo_smooth s;
    assert_ok(ctx, vo_smooth_create(ctx, m, &s));
    for (int c = 0; c < 3 * m->face_count; c++) {
        vo_face_location location = {.face = c / 3};
        location.weight[c % 3] = 1;
        vo_vec3 x = vo_smooth_point(&s, &location),
                node = m->node_x[vo_mesh_face_node(m, c / 3, c % 3)];
        assert_true(v3_equal(x, node));
    }
    vo_smooth_free(&s);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static vo_face_location location_on_edge(const vo_mesh *m, int edge, int side, double t) {
    int end[2];
    vo_mesh_edge_verts(m, edge, side, end);
    vo_face_location location = {.face = m->edge_face[edge][side]};
    for (int i = 0; i < 3; i++) {
        if (m->face_vert[location.face][i] == end[0]) location.weight[i] = 1 - t;
        if (m->face_vert[location.face][i] == end[1]) location.weight[i] = t;
    }
    return location;
}

/* Including seams and creases. */
static void surface_is_continuous_across_edges(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(8);
    for (int g = 0; g < GARMENT_COUNT; g++) {
        vo_mesh *m = garment_build(ctx, g, 1);
        for (int n = 0; n < m->node_count; n++) m->node_x[n].z += vo_random_real(&r, 0, 0.1);
        scramble(m, (uint64_t)g, 200, 0);
        vo_smooth s;
        assert_ok(ctx, vo_smooth_create(ctx, m, &s));
        for (int e = 0; e < m->edge_count; e++) {
            if (m->edge_face[e][1] < 0) continue;
            for (double t = 0; t <= 1; t += 0.125) {
                vo_face_location a = location_on_edge(m, e, 0, t), b = location_on_edge(m, e, 1, t);
                double gap = v3_distance(vo_smooth_point(&s, &a), vo_smooth_point(&s, &b));
                assert_near(gap, 0, 1e-14);
            }
        }
        vo_smooth_free(&s);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

/* At a node the faces around it are tangential to its normal, also across a seam. */
static void faces_share_tangents_at_nodes(void **state) {
    (void)state;
    const double h = 1e-6;
    vo_context *ctx = test_context(1);
    vo_mesh *m = garment_build(ctx, 1, 4); /* a tube of two sheets */
    vo_smooth s;
    assert_ok(ctx, vo_smooth_create(ctx, m, &s));
    assert_int_equal(s.sector_count, m->node_count);
    for (int c = 0; c < 3 * m->face_count; c++) {
        int f = c / 3, i = c % 3;
        vo_vec3 x = m->node_x[vo_mesh_face_node(m, f, i)], normal = s.normal[s.sector[f][i]];
        for (int k = 1; k < 3; k++) {
            vo_face_location location = {.face = f};
            location.weight[i] = 1 - h;
            location.weight[(i + k) % 3] = h;
            vo_vec3 offset = v3_sub(vo_smooth_point(&s, &location), x);
            assert_near(v3_dot(normal, offset) / v3_length(offset), 0, 10 * h);
        }
    }
    vo_smooth_free(&s);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static void move_at_random(vo_mesh *m, vo_random *r, int kind) {
    for (int n = 0; n < m->node_count; n++) {
        double size = kind == 3 ? 1e25 : kind == 4 ? 1e-25 : 1;
        m->node_x[n] = v3(vo_random_real(r, -size, size), vo_random_real(r, -size, size),
                          vo_random_real(r, -size, size));
        if (kind == 1) m->node_x[n].y = m->node_x[n].z = 0;                 /* all collinear */
        if (kind == 2 && vo_random_int(r, 2)) m->node_x[n] = v3(0.5, 1, 2); /* many coincident */
    }
}

/* For arbitrary node positions a point of the smooth surface is within a quarter of the longest
 * edge of its point on the face. */
static void surface_stays_near_its_faces(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(12);
    double worst = 0;
    for (int round = 0; round < 100; round++) {
        vo_mesh *m = garment_build(ctx, round % GARMENT_COUNT, 1);
        vo_smooth s;
        move_at_random(m, &r, round % 5);
        assert_ok(ctx, vo_smooth_create(ctx, m, &s));
        for (int k = 0; k < 1000; k++) {
            vo_face_location location = random_location(m, &r);
            vo_vec3 x = vo_smooth_point(&s, &location),
                    flat = vo_face_location_point(m, &location, m->node_x);
            assert_true(v3_is_finite(x));
            double longest = longest_edge(m, location.face);
            if (longest > 0) worst = vo_max(worst, v3_distance(x, flat) / longest);
        }
        vo_smooth_free(&s);
        vo_mesh_destroy(m);
    }
    assert_true(worst > 0.05);
    assert_near(worst, 0, 0.25);
    vo_context_destroy(ctx);
}

/* Beyond the boundary of its face the surface continues in the plane, up to a bound. */
static void overhang_continues_in_the_plane(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = test_grid(ctx, 1, 1, 4, 4);
    put_on_surface(m, surface_plane);
    vo_face_location location = {
        .face = 5, .weight = {0.5, 0.5, 0}, .outside_offset = {0.03, -0.02}};
    vo_vec3 expected = v3(0.03, 0.8 * -0.02, 0.6 * -0.02);
    assert_near(v3_distance(vo_face_location_extrapolate(m, &location), expected), 0, 1e-15);
    location.outside_offset = v2(30, -20);
    assert_near(v3_length(vo_face_location_extrapolate(m, &location)), 0.25 * sqrt(2) / 4, 1e-12);
    location.outside_offset = v2(0.01, 0);
    for (int n = 0; n < m->node_count; n++) m->node_x[n].x *= 1e3;
    assert_near(v3_length(vo_face_location_extrapolate(m, &location)), 0.02, 1e-12);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static vo_result smooth_body(vo_context *ctx, void *arg) {
    vo_smooth s;
    vo_result result = vo_smooth_create(ctx, arg, &s);
    vo_smooth_free(&s);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = garment_build(ctx, 5, 1);
    test_every_allocation(smooth_body, m);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_surfaces_are_approximated),
        cmocka_unit_test(eight_sided_cylinder_is_round),
        cmocka_unit_test(planes_stay_flat),
        cmocka_unit_test(fold_rounds_adjacent_faces_only),
        cmocka_unit_test(coarse_sides_of_a_fold_stay_flat),
        cmocka_unit_test(nodes_are_reproduced),
        cmocka_unit_test(surface_is_continuous_across_edges),
        cmocka_unit_test(faces_share_tangents_at_nodes),
        cmocka_unit_test(surface_stays_near_its_faces),
        cmocka_unit_test(overhang_continues_in_the_plane),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
