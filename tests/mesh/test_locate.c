/* Point location on randomly edited meshes: against brute force, with overlapping panels, slits,
 * and moved outlines. */
#include "scramble.h"

#include "core/memory.h"
#include "mesh/locate.h"

static vo_vec2 blend(const vo_mesh *m, int face, const double w[3]) {
    vo_vec2 sum = v2(0, 0);
    for (int i = 0; i < 3; i++) sum = v2_add(sum, v2_scale(w[i], m->vert_u[m->face_vert[face][i]]));
    return sum;
}

static int patch_count(const vo_mesh *m) {
    int count = 0;
    for (int v = 0; v < m->vert_count; v++) count = vo_max_int(count, m->vert_patch[v] + 1);
    return count;
}

static vo_vec2 middle(const vo_mesh *m, int face) {
    return blend(m, face, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3});
}

static vo_vec2 random_point(const vo_mesh *m, int face, vo_random *r) {
    double a = vo_random_real(r, 0, 1), b = vo_random_real(r, 0, 1 - a);
    return blend(m, face, (double[]){a, b, 1 - a - b});
}

/* Asserts the properties of every location. */
static void check_location(const vo_mesh *m, const vo_face_location *s, int patch, vo_vec2 u,
                           double most) {
    assert_in_range(s->face, 0, m->face_count - 1);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(m->vert_patch[m->face_vert[s->face][i]], patch);
        assert_true(s->weight[i] >= 0);
        sum += s->weight[i];
    }
    assert_near(sum, 1, 1e-15);
    vo_vec2 there = v2_add(blend(m, s->face, s->weight), s->outside_offset);
    assert_near(v2_length(v2_sub(there, u)), 0, 1e-11);
    assert_near(v2_length(s->outside_offset), 0, most);
}

static double distance2_to_face(const vo_mesh *m, int face, vo_vec2 u) {
    double best = INFINITY;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        vo_vec2 a = m->vert_u[m->face_vert[face][i]],
                b = m->vert_u[m->face_vert[face][(i + 1) % 3]];
        vo_vec2 ab = v2_sub(b, a), au = v2_sub(u, a);
        double t = vo_clamp(v2_dot(ab, au) / v2_dot(ab, ab), 0, 1);
        vo_vec2 d = v2_sub(au, v2_scale(t, ab));
        best = vo_min(best, v2_dot(d, d));
        inside = inside && v2_cross(ab, au) >= 0;
    }
    return inside ? 0 : best;
}

/* Edits keep the areas and numbers of patches. */
static void edits_keep_patches(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int g = 0; g < GARMENT_COUNT; g++) {
        double before[8] = {0}, after[8] = {0};
        vo_mesh *m = garment_build(ctx, g, 1);
        int patches = patch_count(m);
        for (int f = 0; f < m->face_count; f++)
            before[m->vert_patch[m->face_vert[f][0]]] += vo_mesh_face_area(m, f);
        scramble(m, (uint64_t)g, 600, 0);
        for (int f = 0; f < m->face_count; f++) {
            const int *v = m->face_vert[f];
            assert_int_equal(m->vert_patch[v[0]], m->vert_patch[v[1]]);
            assert_int_equal(m->vert_patch[v[0]], m->vert_patch[v[2]]);
            after[m->vert_patch[v[0]]] += vo_mesh_face_area(m, f);
        }
        assert_int_equal(patches, g == 1 || g == 3 ? 2 : g == 2 ? 3 : 1);
        for (int p = 0; p < 8; p++) assert_near(after[p], before[p], 1e-12);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

/* Patch numbers of a file are kept; without them the builder assigns numbers. */
static void patches_survive_a_file(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = garment_build(ctx, 1, 1), *copy;
    int *patch = test_malloc((size_t)m->vert_count * sizeof *patch);
    for (int v = 0; v < m->vert_count; v++) patch[v] = 7 - m->vert_patch[v];
    vo_mesh_data d = {.node_count = m->node_count,
                      .vert_count = m->vert_count,
                      .face_count = m->face_count,
                      .node_x = m->node_x,
                      .vert_u = m->vert_u,
                      .vert_node = m->vert_node,
                      .vert_patch = patch,
                      .face_vert = m->face_vert};
    assert_ok(ctx, vo_mesh_build(ctx, &d, &copy));
    assert_memory_equal(copy->vert_patch, patch, (size_t)m->vert_count * sizeof *patch);
    vo_mesh_destroy(copy);
    d.vert_patch = NULL;
    assert_ok(ctx, vo_mesh_build(ctx, &d, &copy));
    assert_memory_equal(copy->vert_patch, m->vert_patch, (size_t)m->vert_count * sizeof *patch);
    vo_mesh_destroy(copy);
    test_free(patch);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

/* Points of every face of thoroughly edited meshes are found. */
static void every_point_is_found(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(5);
    for (int round = 0; round < 5 * GARMENT_COUNT; round++) {
        vo_mesh *old = garment_build(ctx, round % GARMENT_COUNT, 1), *m;
        assert_ok(ctx, vo_mesh_copy(ctx, old, &m));
        scramble(m, (uint64_t)round, 100 << round / GARMENT_COUNT, 0);
        vo_locator l;
        assert_ok(ctx, vo_locator_create(ctx, m, patch_count(old), &l));
        for (int f = 0; f < old->face_count; f++) {
            int patch = old->vert_patch[old->face_vert[f][0]];
            for (int k = 0; k < 8; k++) {
                double corner[3] = {k == 0, k == 1, k == 2};
                vo_vec2 u = k < 3 ? blend(old, f, corner) : random_point(old, f, &r);
                vo_face_location s = vo_locate(&l, patch, u, middle(old, f));
                check_location(m, &s, patch, u, 1e-11);
            }
        }
        vo_locator_free(&l);
        vo_mesh_destroy(m);
        vo_mesh_destroy(old);
    }
    vo_context_destroy(ctx);
}

/* Points outside moved borders and seams: the offset is within the tolerance. */
static void offset_outside_moved_outline_is_small(void **state) {
    (void)state;
    const double tolerance = 0.02;
    vo_context *ctx = test_context(1);
    int outside = 0;
    for (int round = 0; round < 10; round++) {
        vo_mesh *old = make_disk(ctx, 5, 60, 1 + round % 2), *m;
        assert_ok(ctx, vo_mesh_copy(ctx, old, &m));
        scramble(m, (uint64_t)round, 3000, tolerance);
        vo_locator l;
        assert_ok(ctx, vo_locator_create(ctx, m, patch_count(old), &l));
        for (int c = 0; c < 3 * old->face_count; c++) {
            int v = old->face_vert[c / 3][c % 3], patch = old->vert_patch[v];
            vo_face_location s = vo_locate(&l, patch, old->vert_u[v], middle(old, c / 3));
            check_location(m, &s, patch, old->vert_u[v], 1.01 * tolerance);
            outside += v2_length(s.outside_offset) > 1e-6;
            if (v2_length(s.outside_offset) < 1e-6) continue;
            double best = INFINITY; /* no point of the fabric is much nearer */
            for (int f = 0; f < m->face_count; f++)
                if (m->vert_patch[m->face_vert[f][0]] == patch)
                    best = vo_min(best, distance2_to_face(m, f, old->vert_u[v]));
            assert_near(v2_length(s.outside_offset), sqrt(best), 1e-9);
        }
        vo_locator_free(&l);
        vo_mesh_destroy(m);
        vo_mesh_destroy(old);
    }
    assert_true(outside > 500);
    vo_context_destroy(ctx);
}

/* The tree against all faces, for near and distant points. */
static void nearest_face_matches_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(11);
    for (int g = 0; g < GARMENT_COUNT; g++) {
        vo_mesh *m = garment_build(ctx, g, 1);
        scramble(m, (uint64_t)g, 1500, 0.02);
        vo_locator l;
        assert_ok(ctx, vo_locator_create(ctx, m, patch_count(m), &l));
        for (int k = 0; k < 1000; k++) {
            double far = k % 10 ? 3 : 1e6;
            vo_vec2 u = v2(vo_random_real(&r, -far, far), vo_random_real(&r, -far, far));
            int patch = vo_random_int(&r, l.patch_count);
            int found = vo_locate_nearest(&l, patch, u);
            double best = INFINITY;
            for (int f = 0; f < m->face_count; f++)
                if (m->vert_patch[m->face_vert[f][0]] == patch)
                    best = vo_min(best, distance2_to_face(m, f, u));
            assert_int_equal(m->vert_patch[m->face_vert[found][0]], patch);
            assert_near(distance2_to_face(m, found, u), best, 1e-14 * best);
        }
        assert_int_equal(vo_locate_nearest(&l, l.patch_count, v2(0, 0)), -1);
        assert_int_equal(vo_locate_nearest(&l, -1, v2(0, 0)), -1);
        vo_locator_free(&l);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

static vo_vec3 place_layer(double s, double t, void *arg) { return v3(s, t, *(double *)arg); }

/* Panels at the same position in material space, and one that the builder mirrors. */
static void overlapping_panels_are_separate(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    garment g = {.ctx = ctx};
    double height[] = {0, 1, 2};
    garment_sheet(&g, 4, 4, v2(0, 0), v2(1, 1), NO_HOLE, 0, place_layer, &height[0]);
    garment_sheet(&g, 4, 4, v2(0, 0), v2(1, 1), NO_HOLE, 0, place_layer, &height[1]);
    garment_sheet(&g, 4, 4, v2(0, 0), v2(-1, 1), NO_HOLE, 0, place_layer, &height[2]);
    vo_mesh *old, *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "layers", &g.data, VO_MESH_FOR_CLOTH, &old));
    vo_mesh_data_free(ctx, &g.data);
    assert_ok(ctx, vo_mesh_copy(ctx, old, &m));
    scramble(m, 3, 900, 0);
    vo_locator l;
    assert_ok(ctx, vo_locator_create(ctx, m, 3, &l));
    for (int c = 0; c < 3 * old->face_count; c++) {
        int v = old->face_vert[c / 3][c % 3];
        vo_face_location s = vo_locate(&l, old->vert_patch[v], old->vert_u[v], middle(old, c / 3));
        check_location(m, &s, old->vert_patch[v], old->vert_u[v], 1e-12);
        for (int i = 0; i < 3; i++)
            assert_near(m->node_x[vo_mesh_face_node(m, s.face, i)].z, old->vert_patch[v], 0);
    }
    vo_locator_free(&l);
    vo_mesh_destroy(m);
    vo_mesh_destroy(old);
    vo_context_destroy(ctx);
}

/* Labels identify the side of the slit. */
static void slit_is_not_crossed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int seen = 0;
    for (int round = 0; round < 40; round++) {
        vo_mesh *old = make_slit(ctx), *m;
        assert_ok(ctx, vo_mesh_copy(ctx, old, &m));
        scramble(m, (uint64_t)round, 400, round % 2 ? 0.02 : 0);
        vo_locator l;
        assert_ok(ctx, vo_locator_create(ctx, m, 1, &l));
        for (int c = 0; c < 3 * old->face_count; c++) {
            int f = c / 3;
            vo_vec2 u = old->vert_u[old->face_vert[f][c % 3]];
            vo_vec2 inside = v2_add(v2_scale(0.75, u), v2_scale(0.25, middle(old, f)));
            if (u.x != 0.5 || u.y >= 0.5) continue;
            vo_face_location s = vo_locate(&l, 0, u, inside);
            check_location(m, &s, 0, u, 0.04);
            assert_int_equal(m->face_label[s.face], old->face_label[f]);
            seen++;
        }
        vo_locator_free(&l);
        vo_mesh_destroy(m);
        vo_mesh_destroy(old);
    }
    assert_true(seen > 40 * 16);
    vo_context_destroy(ctx);
}

/* A surviving vert is found as a corner with exact weights. */
static void corners_are_exact(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = garment_build(ctx, 5, 1);
    scramble(m, 9, 500, 0);
    vo_locator l;
    assert_ok(ctx, vo_locator_create(ctx, m, 1, &l));
    for (int c = 0; c < 3 * m->face_count; c++) {
        int v = m->face_vert[c / 3][c % 3];
        vo_face_location s = vo_locate(&l, 0, m->vert_u[v], middle(m, c / 3));
        int ones = 0;
        for (int i = 0; i < 3; i++) {
            ones += s.weight[i] == 1 && m->face_vert[s.face][i] == v;
            assert_true(s.weight[i] == 1 || s.weight[i] == 0);
        }
        assert_int_equal(ones, 1);
        assert_true(s.outside_offset.x == 0 && s.outside_offset.y == 0);
    }
    vo_locator_free(&l);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static vo_result locator_body(vo_context *ctx, void *arg) {
    vo_locator l;
    vo_result result = vo_locator_create(ctx, arg, 2, &l);
    vo_locator_free(&l);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = garment_build(ctx, 1, 1);
    test_every_allocation(locator_body, m);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_keep_patches),
        cmocka_unit_test(patches_survive_a_file),
        cmocka_unit_test(every_point_is_found),
        cmocka_unit_test(offset_outside_moved_outline_is_small),
        cmocka_unit_test(nearest_face_matches_brute_force),
        cmocka_unit_test(overlapping_panels_are_separate),
        cmocka_unit_test(slit_is_not_crossed),
        cmocka_unit_test(corners_are_exact),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
