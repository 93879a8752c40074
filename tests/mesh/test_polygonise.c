/* Tests of isosurface extraction. */
#include "surface_checks.h"

#include "core/random.h"
#include "mesh/polygonise.h"

#include <string.h>

#define CONST_FACES(s) ((const int(*)[3])(s).face)

static double sphere(const void *arg, vo_vec3 p) { return v3_length(p) - *(const double *)arg; }

/* A torus of radii 1 and 0.3 around z. */
static double torus(const void *arg, vo_vec3 p) {
    (void)arg;
    double r = sqrt(p.x * p.x + p.y * p.y) - 1;
    return sqrt(r * r + p.z * p.z) - 0.3;
}

/* Random signs, which cover every case of the manifold repair. */
static double noise(const void *arg, vo_vec3 p) {
    uint64_t seed = *(const uint64_t *)arg;
    if (v3_length(p) > 1) return 1;
    seed ^= (uint64_t)(int64_t)floor(p.x * 16 + 0.5) * 73856093u;
    seed ^= (uint64_t)(int64_t)floor(p.y * 16 + 0.5) * 19349663u;
    seed ^= (uint64_t)(int64_t)floor(p.z * 16 + 0.5) * 83492791u;
    vo_random random = vo_random_seed(seed);
    return vo_random_real(&random, -1, 1.5);
}

static vo_polygonise_def def_of_box(double half, double cell) {
    vo_polygonise_def def = vo_polygonise_def_default();
    def.low = v3(-half, -half, -half);
    def.high = v3(half, half, half);
    def.cell = cell;
    return def;
}

static void assert_sound(const vo_surface_parts *s) {
    assert_closed(s->face_count, CONST_FACES(*s));
    assert_manifold_nodes(s->node_count, s->face_count, CONST_FACES(*s));
    assert_true(volume_of(s->node_x, s->face_count, CONST_FACES(*s)) > 0);
}

static void sphere_is_closed_and_accurate(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double cells[] = {0.4, 0.15, 0.05};
    double radius = 0.8;
    for (int i = 0; i < 3; i++) {
        vo_polygonise_def def = def_of_box(1.4, cells[i]);
        vo_surface_parts s = {.ctx = ctx};
        assert_ok(ctx, vo_polygonise(ctx, &def, (vo_field){sphere, &radius}, &s));
        assert_sound(&s);
        assert_int_equal(euler_of(s.node_count, s.face_count), 2);
        for (int n = 0; n < s.node_count; n++)
            assert_near(v3_length(s.node_x[n]), radius, 1e-3 * cells[i]);
        assert_int_equal(intersections_of(ctx, s.node_x, s.face_count, CONST_FACES(s)), 0);
        assert_true(min_angle(s.node_x, s.face_count, CONST_FACES(s)) > 15);
        vo_surface_parts_free(&s);
    }
    vo_context_destroy(ctx);
}

static void torus_has_genus_one(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_polygonise_def def = def_of_box(1.6, 0.1);
    vo_surface_parts s = {.ctx = ctx};
    assert_ok(ctx, vo_polygonise(ctx, &def, (vo_field){torus, NULL}, &s));
    assert_sound(&s);
    assert_int_equal(euler_of(s.node_count, s.face_count), 0);
    double volume = 2 * VO_PI * VO_PI * 0.3 * 0.3;
    assert_near(volume_of(s.node_x, s.face_count, CONST_FACES(s)) / volume, 1, 0.03);
    vo_surface_parts_free(&s);
    vo_context_destroy(ctx);
}

/* Size field: short edges on one side, long edges on the other. */
static double side_size(const void *arg, vo_vec3 p) {
    (void)arg;
    return p.x > 0 ? 0.07 : 0.2;
}

/* Returns the mean edge length of the faces whose centroid is on one side. */
static double mean_edge(const vo_surface_parts *s, bool right) {
    double sum = 0;
    int count = 0;
    for (int f = 0; f < s->face_count; f++) {
        const int *n = s->face[f];
        vo_vec3 a = s->node_x[n[0]], b = s->node_x[n[1]], c = s->node_x[n[2]];
        double x = a.x + b.x + c.x;
        if (right ? x < 0.9 : x > -0.9) continue;
        sum += v3_distance(a, b) + v3_distance(b, c) + v3_distance(c, a);
        count += 3;
    }
    return sum / count;
}

/* The number of faces is as requested, the topology is unchanged, nodes are on the surface, and
 * edge lengths follow the size field. */
static void coarsened_surface_keeps_topology_and_sizing(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    double radius = 0.8;
    const vo_field field[2] = {{sphere, &radius}, {torus, NULL}};
    for (int i = 0; i < 2; i++)
        for (int faces = 2400; faces <= 4800; faces += 1200) {
            vo_polygonise_def def = def_of_box(1.6, 0.05);
            vo_surface_parts s = {.ctx = ctx};
            def.faces = faces;
            def.size = (vo_field){side_size, NULL};
            assert_ok(ctx, vo_polygonise(ctx, &def, field[i], &s));
            assert_sound(&s);
            assert_true(s.face_count <= faces && s.face_count > faces - 2);
            assert_int_equal(euler_of(s.node_count, s.face_count), i ? 0 : 2);
            assert_int_equal(intersections_of(ctx, s.node_x, s.face_count, CONST_FACES(s)), 0);
            assert_true(mean_edge(&s, false) > 1.5 * mean_edge(&s, true));
            for (int n = 0; n < s.node_count; n++)
                assert_near(field[i].value(field[i].arg, s.node_x[n]), 0, 1e-3);
            vo_surface_parts_free(&s);
        }
    vo_context_destroy(ctx);
}

/* A coarsened surface is closed and manifold for any function. */
static void coarsened_noise_is_manifold(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 8; seed++) {
        vo_polygonise_def def = def_of_box(1.4, 1.0 / 16);
        vo_surface_parts s = {.ctx = ctx};
        def.faces = 100;
        def.size = (vo_field){side_size, NULL};
        assert_ok(ctx, vo_polygonise(ctx, &def, (vo_field){noise, &seed}, &s));
        assert_closed(s.face_count, CONST_FACES(s));
        assert_manifold_nodes(s.node_count, s.face_count, CONST_FACES(s));
        vo_surface_parts_free(&s);
    }
    vo_context_destroy(ctx);
}

/* The surface is closed and manifold for any function, before and after flips. */
static void noise_surface_is_manifold(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 40; seed++) {
        vo_polygonise_def def = def_of_box(1.5, 0.125);
        def.slope = 1e9;
        def.rounds = seed % 2 ? 3 : 0;
        vo_surface_parts s = {.ctx = ctx};
        assert_ok(ctx, vo_polygonise(ctx, &def, (vo_field){noise, &seed}, &s));
        assert_closed(s.face_count, CONST_FACES(s));
        assert_manifold_nodes(s.node_count, s.face_count, CONST_FACES(s));
        vo_surface_parts_free(&s);
    }
    vo_context_destroy(ctx);
}

/* Skipping cells far from the surface does not change the result. */
static void skipping_far_cells_keeps_the_surface(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    double radius = 0.5;
    vo_polygonise_def def = def_of_box(1, 0.05), all = def;
    all.slope = 1e9;
    vo_surface_parts s = {.ctx = ctx}, t = {.ctx = ctx};
    assert_ok(ctx, vo_polygonise(ctx, &def, (vo_field){sphere, &radius}, &s));
    assert_ok(ctx, vo_polygonise(ctx, &all, (vo_field){sphere, &radius}, &t));
    assert_int_equal(s.node_count, t.node_count);
    assert_memory_equal(s.node_x, t.node_x, (size_t)s.node_count * sizeof *s.node_x);
    vo_surface_parts_free(&s);
    vo_surface_parts_free(&t);
    vo_context_destroy(ctx);
}

static void gradient_matches_sphere(void **state) {
    (void)state;
    double radius = 0.5;
    vo_vec3 p = v3(0.3, -0.4, 0.7), g = vo_field_gradient((vo_field){sphere, &radius}, p, 1e-4);
    assert_near(v3_distance(g, v3_normalize(p)), 0, 2e-4);
}

static void assert_rejected(vo_context *ctx, vo_polygonise_def def, double radius, vo_result code,
                            const char *word) {
    vo_surface_parts s = {.ctx = ctx};
    assert_int_equal(vo_polygonise(ctx, &def, (vo_field){sphere, &radius}, &s), code);
    assert_message_contains(ctx, word);
    vo_surface_parts_free(&s);
}

static void invalid_definitions_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    assert_rejected(ctx, def_of_box(1, 0.1), 5, VO_BAD_DATA, "reaches the box");
    assert_rejected(ctx, def_of_box(1, 0.1), -5, VO_BAD_DATA, "nowhere negative");
    assert_rejected(ctx, def_of_box(1, 0), 0.5, VO_BAD_ARGUMENT, "no lattice");
    assert_rejected(ctx, def_of_box(1, 1e-6), 0.5, VO_BAD_ARGUMENT, "no lattice");
    assert_rejected(ctx, def_of_box(-9, 0.1), 0.5, VO_BAD_ARGUMENT, "no lattice");
    assert_rejected(ctx, def_of_box(1, NAN), 0.5, VO_BAD_ARGUMENT, "no lattice");
    vo_context_destroy(ctx);
}

static vo_result make_sphere(vo_context *ctx, void *arg) {
    vo_polygonise_def def = def_of_box(1.4, 0.2);
    vo_surface_parts s = {.ctx = ctx};
    def.faces = 200;
    def.size = (vo_field){side_size, NULL};
    vo_result result = vo_polygonise(ctx, &def, (vo_field){sphere, arg}, &s);
    vo_surface_parts_free(&s);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    double radius = 0.8;
    test_every_allocation(make_sphere, &radius);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_is_closed_and_accurate),
        cmocka_unit_test(torus_has_genus_one),
        cmocka_unit_test(noise_surface_is_manifold),
        cmocka_unit_test(coarsened_surface_keeps_topology_and_sizing),
        cmocka_unit_test(coarsened_noise_is_manifold),
        cmocka_unit_test(skipping_far_cells_keeps_the_surface),
        cmocka_unit_test(gradient_matches_sphere),
        cmocka_unit_test(invalid_definitions_are_rejected),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
