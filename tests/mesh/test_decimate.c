/* Tests of decimation: coarse bodies are closed, free of intersections and close to the fine
 * body. */
#include "surface_checks.h"

#include "character/mannequin.h"
#include "mesh/decimate.h"

#include <stdlib.h>
#include <string.h>

#define CONST_FACES(m) ((const int(*)[3])(m).face)

static vo_mannequin make_mannequin(vo_context *ctx, double build, double figure, int faces) {
    vo_mannequin_def def = vo_mannequin_def_default();
    vo_mannequin m;
    def.build = build;
    def.figure = figure;
    def.faces = faces;
    assert_ok(ctx, vo_mannequin_create(ctx, &def, &m));
    return m;
}

static double litres(const vo_mannequin *m) {
    return 1e3 * volume_of(m->skin.rest, m->face_count, CONST_FACES(*m));
}

static double longest_edge(const vo_mannequin *m) {
    double longest = 0;
    for (int f = 0; f < m->face_count; f++)
        for (int k = 0; k < 3; k++)
            longest = vo_max(longest, v3_distance(m->skin.rest[m->face[f][k]],
                                                  m->skin.rest[m->face[f][(k + 1) % 3]]));
    return longest;
}

/* Every node is a node of the finer body, with its skinning weights. */
static void assert_subset(const vo_mannequin *m, const vo_mannequin *fine) {
    int at = 0;
    for (int n = 0; n < m->skin.node_count; n++, at++) {
        while (at < fine->skin.node_count &&
               memcmp(&m->skin.rest[n], &fine->skin.rest[at], sizeof(vo_vec3)) != 0)
            at++;
        assert_true(at < fine->skin.node_count);
        assert_memory_equal(m->skin.bone[n], fine->skin.bone[at], sizeof m->skin.bone[n]);
        assert_memory_equal(m->skin.weight[n], fine->skin.weight[at], sizeof m->skin.weight[n]);
    }
}

static void assert_decimated(vo_context *ctx, const vo_mannequin *fine, int faces) {
    vo_mannequin m;
    assert_ok(ctx, vo_mannequin_copy(ctx, fine, &m));
    assert_ok(ctx, vo_mannequin_decimate(ctx, &m, faces));
    assert_near(m.face_count, faces, 0.1 * faces);
    assert_closed(m.face_count, CONST_FACES(m));
    assert_manifold_nodes(m.skin.node_count, m.face_count, CONST_FACES(m));
    assert_int_equal(euler_of(m.skin.node_count, m.face_count), 2);
    assert_int_equal(intersections_of(ctx, m.skin.rest, m.face_count, CONST_FACES(m)), 0);
    assert_true(min_angle(m.skin.rest, m.face_count, CONST_FACES(m)) > 1);
    assert_subset(&m, fine);
    double mean_edge = sqrt(4 / sqrt(3) * 1.8 / faces); /* 1.8 m^2 of equilateral faces */
    assert_true(longest_edge(&m) < 2.5 * mean_edge);
    /* the volume error is proportional to the squared edge length */
    assert_near(litres(&m), litres(fine), 80.0 / faces * litres(fine));
    vo_mannequin_free(ctx, &m);
}

static void bodies_of_all_builds_are_decimated(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int build = -1; build <= 1; build++) {
        vo_mannequin fine = make_mannequin(ctx, build, -build, VO_MANNEQUIN_MIN_LATTICE_FACES);
        for (int faces = VO_MANNEQUIN_MIN_FACES; faces < 6000; faces *= 2)
            assert_decimated(ctx, &fine, faces);
        vo_mannequin_free(ctx, &fine);
    }
    vo_context_destroy(ctx);
}

/* A mannequin created with few faces has that number, and the same bits each time. */
static void creation_with_few_faces_is_deterministic(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_mannequin a = make_mannequin(ctx, 0, 1, 1500), b = make_mannequin(ctx, 0, 1, 1500);
    assert_near(a.face_count, 1500, 150);
    assert_int_equal(a.face_count, b.face_count);
    assert_memory_equal(a.face, b.face, (size_t)a.face_count * sizeof *a.face);
    assert_memory_equal(a.skin.rest, b.skin.rest, (size_t)a.skin.node_count * sizeof *a.skin.rest);
    vo_mannequin_free(ctx, &a);
    vo_mannequin_free(ctx, &b);
    vo_context_destroy(ctx);
}

/* A surface is decimated until no node can be removed; a tetrahedron stays unchanged. */
static void decimation_stops_at_a_tetrahedron(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec3 x[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    int face[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                      {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    int count = 8;
    assert_ok(ctx, vo_surface_decimate(ctx, 6, x, 0, &count, face));
    assert_in_range(count, 4, 8);
    assert_closed(count, (const int(*)[3])face);
    int tetrahedron[4][3] = {{0, 2, 4}, {2, 1, 4}, {1, 0, 4}, {2, 0, 1}};
    count = 4;
    assert_ok(ctx, vo_surface_decimate(ctx, 6, x, 0, &count, tetrahedron));
    assert_int_equal(count, 4);
    vo_context_destroy(ctx);
}

static vo_result decimate_copy(vo_context *ctx, void *arg) {
    vo_mannequin m;
    vo_result result = vo_mannequin_copy(ctx, arg, &m);
    if (result == VO_OK) result = vo_mannequin_decimate(ctx, &m, 4000);
    vo_mannequin_free(ctx, &m);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mannequin fine = make_mannequin(ctx, 0, 0, VO_MANNEQUIN_MIN_LATTICE_FACES);
    test_every_allocation(decimate_copy, &fine);
    vo_mannequin_free(ctx, &fine);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_all_builds_are_decimated),
        cmocka_unit_test(creation_with_few_faces_is_deterministic),
        cmocka_unit_test(decimation_stops_at_a_tetrahedron),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
