/* Collision surface: numbering of all parts, and ownership of features. */
#include "contact_fixture.h"

/* Two sheets and a ball. */
static contact_fixture make_fixture(vo_context *ctx) {
    contact_fixture w = {.ctx = ctx};
    fixture_add(&w, make_sheet_mesh(ctx, 1, 4, 0), false, false);
    fixture_add(&w, make_sheet_mesh(ctx, 2, 3, 1), false, false);
    fixture_add(&w, make_ball_mesh(ctx, 0.5, 5, v3(0, 0, 3)), true, true);
    fixture_build(&w);
    return w;
}

static void parts_have_contiguous_ranges(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    const vo_surface *s = &w.surface;
    int nodes = 0, edges = 0, faces = 0;
    for (int p = 0; p < w.count; p++) {
        const vo_surface_part *part = &s->part[p];
        const vo_mesh *m = w.mesh[p];
        assert_int_equal(part->node_begin, nodes);
        assert_int_equal(part->node_end, nodes += m->node_count);
        assert_int_equal(part->edge_begin, edges);
        assert_int_equal(part->edge_end, edges += m->edge_count);
        assert_int_equal(part->face_begin, faces);
        assert_int_equal(part->face_end, faces += m->face_count);
        assert_true(part->present && part->obstacle == (p == 2) && part->rigid == (p == 2));
    }
    assert_int_equal(s->node_count, nodes);
    assert_int_equal(s->cloth_node_count, 25 + 16);
    assert_int_equal(s->cloth_face_count, 32 + 18);
    assert_int_equal(s->vert_count, 25 + 16);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* Faces, their edges, parts and material corners agree with the meshes. */
static void elements_match_meshes(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    const vo_surface *s = &w.surface;
    for (int f = 0; f < s->face_count; f++) {
        const vo_surface_part *part = &s->part[s->face_part[f]];
        const vo_mesh *m = w.mesh[s->face_part[f]];
        assert_in_range(f, part->face_begin, part->face_end - 1);
        for (int k = 0; k < 3; k++) {
            int n = s->face[f][k], next = s->face[f][(k + 1) % 3];
            const int *e = s->edge[s->face_edge[f][k]];
            assert_int_equal(s->node_part[n], s->face_part[f]);
            assert_true((e[0] == n && e[1] == next) || (e[0] == next && e[1] == n));
            vo_vec3 x = m->node_x[n - part->node_begin];
            assert_memory_equal(&x, &s->x0[n], sizeof x);
            assert_memory_equal(&x, &s->x1[n], sizeof x);
            if (part->obstacle) continue;
            vo_vec2 u = m->vert_u[m->face_vert[f - part->face_begin][k]];
            assert_memory_equal(&u, &s->vert_u[s->face_vert[f][k]], sizeof u);
        }
    }
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* Each node and each edge is owned once, by a face that has it. */
static void features_have_one_owner(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    const vo_surface *s = &w.surface;
    int *node = calloc((size_t)s->node_count, sizeof *node);
    int *edge = calloc((size_t)s->edge_count, sizeof *edge);
    for (int f = 0; f < s->face_count; f++)
        for (int k = 0; k < 3; k++) {
            node[s->face[f][k]] += s->owns[f] >> k & VO_OWNS_NODE;
            edge[s->face_edge[f][k]] += (s->owns[f] & VO_OWNS_EDGE << k) != 0;
        }
    for (int i = 0; i < s->node_count; i++) assert_int_equal(node[i], 1);
    for (int i = 0; i < s->edge_count; i++) assert_int_equal(edge[i], 1);
    free(node);
    free(edge);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* Right-angled faces with legs of 1/4: the height is 1/4 / sqrt 2, and max_self_thickness half of
 * it. */
static void areas_and_thicknesses_are_exact(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    const vo_surface *s = &w.surface;
    double area[3] = {0};
    for (int i = 0; i < s->node_count; i++) {
        area[s->node_part[i]] += s->area[i];
        assert_true(s->area[i] > 0);
        if (i < 25) assert_near(s->max_self_thickness[i], 0.25 / sqrt(2) / 2, 1e-15);
        if (i >= s->cloth_node_count) assert_true(s->max_self_thickness[i] == INFINITY);
    }
    assert_near(area[0], 1, 1e-14);
    assert_near(area[1], 4, 1e-14);
    assert_true(area[2] > 2.5 && area[2] < VO_PI);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

static void empty_surface_has_no_pairs(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_surface s;
    assert_ok(ctx, vo_surface_create(ctx, 0, NULL, NULL, &s));
    assert_int_equal(s.node_count, 0);
    vo_candidates *c;
    const vo_proximity *proximity;
    const vo_feature_pair *pairs;
    int count = -1;
    assert_ok(ctx, vo_candidates_create(ctx, &s, 0.01, NULL, &c));
    assert_ok(ctx, vo_candidates_find_proximities(c, &count, &proximity));
    assert_int_equal(count, 0);
    assert_ok(ctx, vo_candidates_find_swept_pairs(c, NULL, &count, &pairs));
    assert_int_equal(count, 0);
    vo_candidates_destroy(c);
    vo_surface_free(&s);
    vo_context_destroy(ctx);
}

#define SAME(a, b, count, first) \
    assert_memory_equal((a) + (first), (b) + (first), (size_t)((count) - (first)) * sizeof *(a))

/* Asserts that two surfaces are equal. */
static void check_same(const vo_surface *a, const vo_surface *b) {
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->face_count, b->face_count);
    SAME(a->face, b->face, a->face_count, 0);
    SAME(a->face_edge, b->face_edge, a->face_count, 0);
    SAME(a->edge, b->edge, a->edge_count, 0);
    SAME(a->node_part, b->node_part, a->node_count, 0);
    SAME(a->face_part, b->face_part, a->face_count, 0);
    SAME(a->owns, b->owns, a->face_count, 0);
    SAME(a->max_self_thickness, b->max_self_thickness, a->node_count, 0);
    SAME(a->x0, b->x0, a->node_count, 0);
    SAME(a->x1, b->x1, a->node_count, 0);
    SAME(a->inverse_mass, b->inverse_mass, a->node_count, 0);
    SAME(a->area, b->area, a->node_count, 0);
    SAME(a->ring_begin, b->ring_begin, a->node_count + 1, 0);
    SAME(a->ring, b->ring, a->ring_begin[a->node_count], 0);
    SAME(a->edge_opposite, b->edge_opposite, a->edge_count, 0);
}

/* Other cloths before two obstacles: copied obstacle data equals newly computed data. */
static void copied_obstacles_equal_new_ones(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    fixture_add(&w, make_sheet_mesh(ctx, 3, 4, -1), true, false); /* with a border */
    vo_surface_free(&w.surface);
    fixture_build(&w);
    for (int i = 0; i < w.surface.node_count; i++) /* as after a simulation */
        w.surface.x0[i] = w.surface.x1[i] = v3(i, 0, 1);
    for (int cells = 2; cells < 9; cells += 3) {
        vo_surface_source source[] = {
            {make_sheet_mesh(ctx, 1, cells, 2), false, false}, w.source[2], w.source[3]};
        vo_surface copied, created;
        assert_ok(ctx, vo_surface_create(ctx, 3, source, &w.surface, &copied));
        assert_ok(ctx, vo_surface_create(ctx, 3, source, NULL, &created));
        check_same(&copied, &created);
        vo_surface_free(&copied);
        vo_surface_free(&created);
        vo_mesh_destroy((vo_mesh *)source[0].mesh);
    }
    fixture_free(&w);
    vo_context_destroy(ctx);
}

static vo_result create_surface(vo_context *ctx, void *arg) {
    contact_fixture *w = arg;
    vo_surface s;
    vo_result result = vo_surface_create(ctx, w->count, w->source, NULL, &s);
    if (result == VO_OK) vo_surface_free(&s);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    test_every_allocation(create_surface, &w);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_contiguous_ranges),
        cmocka_unit_test(elements_match_meshes),
        cmocka_unit_test(features_have_one_owner),
        cmocka_unit_test(areas_and_thicknesses_are_exact),
        cmocka_unit_test(empty_surface_has_no_pairs),
        cmocka_unit_test(copied_obstacles_equal_new_ones),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
