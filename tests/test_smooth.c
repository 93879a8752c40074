/* The smooth surface: through the nodes, flat where they are, round on round surfaces, sharp at
 * creases, one surface on both sides of every edge, and never far from the faces. */
#include "scramble.h"

#include "core/memory.h"
#include "mesh/smooth.h"

static vo_mesh *make_grid(vo_context *ctx, int cells) {
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_create_grid(ctx, 1, 1, cells, cells, &m));
    return m;
}

static vo_vec2 material_of(const vo_mesh *m, const vo_spot *s) {
    vo_vec2 sum = v2(0, 0);
    for (int i = 0; i < 3; i++)
        sum = v2_add(sum, v2_scale(s->weight[i], m->vert_u[m->face_vert[s->face][i]]));
    return sum;
}

static vo_spot random_spot(const vo_mesh *m, vo_random *r) {
    double a = vo_random_real(r, 0, 1), b = vo_random_real(r, 0, 1 - a);
    return (vo_spot){.face = vo_random_int(r, m->face_count), .weight = {a, b, 1 - a - b}};
}

static double longest_edge(const vo_mesh *m, int face) {
    double longest = 0;
    for (int i = 0; i < 3; i++)
        longest = vo_max(longest, v3_distance(m->node_x[vo_mesh_face_node(m, face, i)],
                                              m->node_x[vo_mesh_face_node(m, face, (i + 1) % 3)]));
    return longest;
}

/* Distance of a point from its surface. */
typedef double distance_fn(vo_vec3 x);

static double from_cylinder(vo_vec3 x) { return fabs(hypot(x.x, x.z) - SURFACE_RADIUS); }
static double from_sphere(vo_vec3 x) { return fabs(v3_length(x) - SURFACE_RADIUS); }

/* To first order; the saddle's slope is below one. */
static double from_saddle(vo_vec3 x) {
    double slope2 = 2.56 * (x.x * x.x + x.y * x.y);
    return fabs(x.z - 0.8 * (x.x * x.x - x.y * x.y)) / sqrt(1 + slope2);
}

typedef struct errors {
    double max[2], mean2[2]; /* smooth, flat */
} errors;

/* Of many points on a mesh whose nodes lie on the surface. */
static errors measure(const vo_mesh *m, distance_fn *distance) {
    enum { POINTS = 20000 };
    vo_random r = vo_random_seed(3);
    vo_smooth s;
    errors e = {0};
    assert_ok(m->ctx, vo_smooth_create(m->ctx, m, &s));
    for (int k = 0; k < POINTS; k++) {
        vo_spot spot = random_spot(m, &r);
        vo_vec3 x[2] = {vo_smooth_point(&s, &spot), vo_spot_point(m, &spot, m->node_x)};
        for (int i = 0; i < 2; i++) {
            double d = distance(x[i]);
            e.max[i] = vo_max(e.max[i], d);
            e.mean2[i] += d * d / POINTS;
        }
    }
    vo_smooth_free(&s);
    return e;
}

/* How many times nearer than flat faces: at worst, and in the mean. */
static void assert_nearer(const vo_mesh *m, distance_fn *distance, double worst, double mean) {
    errors e = measure(m, distance);
    double by_max = e.max[1] / e.max[0], by_mean = sqrt(e.mean2[1] / e.mean2[0]);
    if (by_max < worst || by_mean < mean)
        fail_msg("%d faces: nearer by %.1f at worst, %.1f in the mean", m->face_count, by_max,
                 by_mean);
}

/* A regular grid, one that lost most of its nodes, and one that was edited all over. */
static void round_surfaces_come_out_round(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int kind = 0; kind < 3; kind++) {
        vo_mesh *m = make_grid(ctx, kind == 2 ? 16 : 10);
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

/* A cylinder of only eight faces around, along its axis. */
static void eight_faces_make_a_cylinder(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = make_grid(ctx, 8);
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
        vo_mesh *m = make_grid(ctx, 8);
        scramble(m, (uint64_t)round, 300, 0);
        put_on_surface(m, surface_plane);
        vo_smooth s;
        assert_ok(ctx, vo_smooth_create(ctx, m, &s));
        for (int k = 0; k < 1000; k++) {
            vo_spot spot = random_spot(m, &r);
            vo_vec3 x = vo_smooth_point(&s, &spot), exact = surface_plane(material_of(m, &spot));
            assert_near(v3_distance(x, exact), 0, 1e-14);
        }
        vo_smooth_free(&s);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

/* A sheet folded by `angle` along x = 1/2; the way of a point from its half's plane. */
static void fold(vo_mesh *m, double angle) {
    for (int v = 0; v < m->vert_count; v++) {
        double x = m->vert_u[v].x - 0.5, y = m->vert_u[v].y;
        m->node_x[m->vert_node[v]] = x < 0 ? v3(x, y, 0) : v3(x * cos(angle), y, -x * sin(angle));
    }
}

static double from_fold(vo_vec2 u, vo_vec3 x, double angle) {
    return u.x < 0.5 ? fabs(x.z) : fabs(x.x * sin(angle) + x.z * cos(angle));
}

/* A fold rounds its own row of faces, by a bounded amount, and leaves the others flat; labelled, it
 * rounds nothing. */
static void folds_stay_where_they_are(void **state) {
    (void)state;
    enum { CELLS = 12 };
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(2);
    for (int degrees = 5; degrees <= 175; degrees += 10)
        for (int labelled = 0; labelled < 2; labelled++) {
            double angle = degrees * VO_PI / 180, most[2] = {0};
            vo_mesh *m = make_grid(ctx, CELLS);
            fold(m, angle);
            for (int e = 0; e < m->edge_count && labelled; e++)
                if (m->vert_u[m->edge_node[e][0]].x == 0.5 &&
                    m->vert_u[m->edge_node[e][1]].x == 0.5)
                    m->edge_label[e] = 1;
            vo_smooth s;
            assert_ok(ctx, vo_smooth_create(ctx, m, &s));
            for (int k = 0; k < 3000; k++) {
                vo_spot spot = random_spot(m, &r);
                vo_vec2 u = material_of(m, &spot);
                double d = from_fold(u, vo_smooth_point(&s, &spot), angle) * CELLS;
                bool away = fabs(u.x - 0.5) > 1.0 / CELLS;
                most[away] = vo_max(most[away], d);
            }
            assert_near(most[0], 0, labelled ? 1e-13 : 0.15);
            assert_near(most[1], 0, 1e-13);
            if (!labelled && degrees <= 45) assert_true(most[0] > 0.05 * angle);
            vo_smooth_free(&s);
            vo_mesh_destroy(m);
        }
    vo_context_destroy(ctx);
}

/* Long edges that end in a fold of short ones do not swell out of it by more than a part of these.
 */
static void coarse_sides_of_a_fold_stay_flat(void **state) {
    (void)state;
    enum { ROWS = 24 };
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(7);
    for (int degrees = 5; degrees <= 175; degrees += 10) {
        double angle = degrees * VO_PI / 180, most = 0;
        vo_mesh *m;
        assert_ok(ctx, vo_mesh_create_grid(ctx, 1, 1, 4, ROWS, &m));
        fold(m, angle);
        vo_smooth s;
        assert_ok(ctx, vo_smooth_create(ctx, m, &s));
        for (int k = 0; k < 3000; k++) {
            vo_spot spot = random_spot(m, &r);
            most =
                vo_max(most, from_fold(material_of(m, &spot), vo_smooth_point(&s, &spot), angle));
        }
        assert_true(most < 0.1 / ROWS);
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
        vo_spot spot = {.face = c / 3};
        spot.weight[c % 3] = 1;
        vo_vec3 x = vo_smooth_point(&s, &spot),
                node = m->node_x[vo_mesh_face_node(m, c / 3, c % 3)];
        assert_true(v3_equal(x, node));
    }
    vo_smooth_free(&s);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static vo_spot spot_on_edge(const vo_mesh *m, int edge, int side, double t) {
    int end[2];
    vo_mesh_edge_verts(m, edge, side, end);
    vo_spot spot = {.face = m->edge_face[edge][side]};
    for (int i = 0; i < 3; i++) {
        if (m->face_vert[spot.face][i] == end[0]) spot.weight[i] = 1 - t;
        if (m->face_vert[spot.face][i] == end[1]) spot.weight[i] = t;
    }
    return spot;
}

/* Seams and creases included. */
static void both_sides_of_an_edge_meet(void **state) {
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
                vo_spot a = spot_on_edge(m, e, 0, t), b = spot_on_edge(m, e, 1, t);
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
            vo_spot spot = {.face = f};
            spot.weight[i] = 1 - h;
            spot.weight[(i + k) % 3] = h;
            vo_vec3 way = v3_sub(vo_smooth_point(&s, &spot), x);
            assert_near(v3_dot(normal, way) / v3_length(way), 0, 10 * h);
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
        if (kind == 1) m->node_x[n].y = m->node_x[n].z = 0;                 /* all on a line */
        if (kind == 2 && vo_random_int(r, 2)) m->node_x[n] = v3(0.5, 1, 2); /* many in a point */
    }
}

/* Nodes anywhere at all: a point is within a quarter of the longest edge of where the face has it.
 */
static void nothing_swells_out(void **state) {
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
            vo_spot spot = random_spot(m, &r);
            vo_vec3 x = vo_smooth_point(&s, &spot), flat = vo_spot_point(m, &spot, m->node_x);
            assert_true(v3_is_finite(x));
            double longest = longest_edge(m, spot.face);
            if (longest > 0) worst = vo_max(worst, v3_distance(x, flat) / longest);
        }
        vo_smooth_free(&s);
        vo_mesh_destroy(m);
    }
    assert_true(worst > 0.05);
    assert_near(worst, 0, 0.25);
    vo_context_destroy(ctx);
}

/* Where the fabric went on beyond its face, so does the plane; not without bounds. */
static void overhang_goes_on_in_the_plane(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = make_grid(ctx, 4);
    put_on_surface(m, surface_plane);
    vo_spot spot = {.face = 5, .weight = {0.5, 0.5, 0}, .beyond = {0.03, -0.02}};
    vo_vec3 expected = v3(0.03, 0.8 * -0.02, 0.6 * -0.02);
    assert_near(v3_distance(vo_spot_overhang(m, &spot), expected), 0, 1e-15);
    spot.beyond = v2(30, -20);
    assert_near(v3_length(vo_spot_overhang(m, &spot)), 0.25 * sqrt(2) / 4, 1e-12);
    spot.beyond = v2(0.01, 0);
    for (int n = 0; n < m->node_count; n++) m->node_x[n].x *= 1e3;
    assert_near(v3_length(vo_spot_overhang(m, &spot)), 0.02, 1e-12);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static vo_result smooth_body(vo_context *ctx, void *arg) {
    vo_smooth s;
    vo_result result = vo_smooth_create(ctx, arg, &s);
    vo_smooth_free(&s);
    return result;
}

static void refused_memory(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = garment_build(ctx, 5, 1);
    test_every_allocation(smooth_body, m);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_surfaces_come_out_round),
        cmocka_unit_test(eight_faces_make_a_cylinder),
        cmocka_unit_test(planes_stay_flat),
        cmocka_unit_test(folds_stay_where_they_are),
        cmocka_unit_test(coarse_sides_of_a_fold_stay_flat),
        cmocka_unit_test(nodes_are_reproduced),
        cmocka_unit_test(both_sides_of_an_edge_meet),
        cmocka_unit_test(faces_share_tangents_at_nodes),
        cmocka_unit_test(nothing_swells_out),
        cmocka_unit_test(overhang_goes_on_in_the_plane),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
