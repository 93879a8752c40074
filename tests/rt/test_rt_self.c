/* Self-collision: bounds against brute force, and worlds that stay free of intersections. */
#include "rt_intersections.h"
#include "rt_self_fixture.h"
#include "surface_distance.h"

#include "math/simd_float.h"

/* --- Detection against brute force ------------------------------------------------------------ */

/* Anchor of a vertex at fraction s. */
static point anchor(const vo_rt_self_set *set, int v, double s) {
    vo_rt_vec3 p = f3_add(set->shift, f4_xyz(set->drift[v]));
    vo_rt_vec4 x = set->x[v];
    return (point){{(double)x.x + s * (double)p.x, (double)x.y + s * (double)p.y,
                    (double)x.z + s * (double)p.z}};
}

static double largest(const vo_rt_self_set *set, const int32_t *v, int count) {
    double b = 0;
    for (int k = 0; k < count; k++) b = fmax(b, (double)set->bound[v[k]]);
    return b;
}

static bool share(const int32_t *a, int count_a, const int32_t *b, int count_b) {
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++)
            if (a[i] == b[k]) return true;
    return false;
}

/* Features that touch at the query have no side: both are tangled, and exempt. */
static bool are_tangled(const vo_rt_self_set *set, const int32_t *a, int count_a, const int32_t *b,
                        int count_b) {
    unsigned any_a = 0, any_b = 0;
    for (int k = 0; k < count_a; k++) any_a |= set->flags[a[k]];
    for (int k = 0; k < count_b; k++) any_b |= set->flags[b[k]];
    return any_a & any_b & VO_RT_SELF_TANGLED;
}

/* Every pair of features that share no vertex: their anchors are farther apart than their bounds
 * together. Returns the number of pairs that nearly use their distance. */
static int check_bounds(const vo_rt_self_set *set, double s) {
    int tight = 0;
    for (int i = 0; i < set->cloth_face_count; i++) {
        const int32_t *f = set->face[i].vertex;
        point t[3] = {anchor(set, f[0], s), anchor(set, f[1], s), anchor(set, f[2], s)};
        for (int v = 0; v < set->cloth_vertex_count; v++) {
            if (set->star_begin[v] == set->star_begin[v + 1] || share(&v, 1, f, 3)) continue;
            if (are_tangled(set, &v, 1, f, 3)) continue;
            double d = point_triangle(anchor(set, v, s), t);
            double used = (double)set->bound[v] + largest(set, f, 3);
            if (!(used < d)) fail_msg("vertex %d, face %d: bounds %g, distance %g", v, i, used, d);
            tight += used > 0.8 * d;
        }
        for (int j = 0; j < i; j++)
            for (int k = 0; k < 9; k++) {
                int32_t e0[2] = {f[k % 3], f[(k + 1) % 3]};
                int32_t e1[2] = {set->face[j].vertex[k / 3], set->face[j].vertex[(k / 3 + 1) % 3]};
                if (share(e0, 2, e1, 2) || are_tangled(set, e0, 2, e1, 2)) continue;
                double d = segment_segment(anchor(set, e0[0], s), anchor(set, e0[1], s),
                                           anchor(set, e1[0], s), anchor(set, e1[1], s));
                double used = largest(set, e0, 2) + largest(set, e1, 2);
                if (!(used < d)) fail_msg("edges of %d, %d: bounds %g, distance %g", i, j, used, d);
                tight += used > 0.8 * d;
            }
    }
    return tight;
}

static void test_bounds_separate_all_pairs(void **state) {
    (void)state;
    vo_random random = vo_random_seed(7);
    int tight = 0, stored = 0;
    for (int round = 0; round < 12; round++) {
        rt_group t;
        rt_group_set_up(&t, &random, round % 3 ? RT_LAYERED : RT_FOLDED, round % 2 ? 8 : 1);
        vo_rt_self_query query = {.is_static = true, .use_avx2 = vo_simd_has_avx2() && round % 2};
        vo_rt_self_find(&t.set, &query);
        tight += check_bounds(&t.set, 0);
        stored += t.set.pair_count;
        rt_group_tear_down(&t);
    }
    assert_true(tight > 1000 && stored > 1000); /* the sheets do come close */
}

/* --- Filter against brute force --------------------------------------------------------------- */

/* Moves all vertices by their velocities, which are partly random, plus noise. */
static void displace(rt_group *t, vo_random *random, float scale, float noise) {
    for (int k = 0; k < 2; k++) {
        vo_rt_front *f = &t->mesh[k].front;
        for (int i = 1; i < f->vertex_end; i++) {
            vo_rt_vec3 x = f3_add_scaled(f4_xyz(f->position[i]), scale, f4_xyz(f->velocity[i]));
            for (int c = 0; c < 3; c++) *(&x.x + c) += noise * (float)vo_random_real(random, -1, 1);
            f->velocity[i] = f->position[i]; /* start of the substep */
            f->position[i] = f4_make(x, f->position[i].w);
        }
    }
}

/* Corners of a face at fraction s of the filtered paths. */
static rt_leaf leaf_at(const vo_rt_self_set *set, int face, double s) {
    rt_leaf leaf;
    for (int k = 0; k < 3; k++) {
        int v = set->face[face].vertex[k];
        vo_rt_vec3 d = f3_add(set->shift, f4_xyz(set->move[v]));
        for (int i = 0; i < 3; i++)
            leaf.corner[k].x[i] = (double)*(&set->x[v].x + i) + s * (double)*(&d.x + i);
        leaf.id[k] = v;
    }
    for (int i = 0; i < 3; i++) {
        const rt_corner *c = leaf.corner;
        leaf.min[i] = fmin(c[0].x[i], fmin(c[1].x[i], c[2].x[i]));
        leaf.max[i] = fmax(c[0].x[i], fmax(c[1].x[i], c[2].x[i]));
    }
    return leaf;
}

static int count_crossings(const vo_rt_self_set *set, double s) {
    int hits = 0, count = set->cloth_face_count;
    rt_leaf *leaf = malloc((size_t)count * sizeof *leaf);
    for (int i = 0; i < count; i++) leaf[i] = leaf_at(set, i, s);
    qsort(leaf, (size_t)count, sizeof *leaf, rt_leaf_compare);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && leaf[j].min[0] <= leaf[i].max[0]; j++)
            hits += rt_count_piercings(&leaf[i], &leaf[j]) + rt_count_piercings(&leaf[j], &leaf[i]);
    free(leaf);
    return hits;
}

static double mean_move(const vo_rt_self_set *set) {
    double sum = 0;
    for (int v = 1; v < set->cloth_vertex_count; v++)
        sum += (double)f3_length(f3_add(set->shift, f4_xyz(set->move[v])));
    return sum / set->cloth_vertex_count;
}

/* Whatever displacements a solver asks for, the filtered paths are free of collisions, and so are
 * the spheres at their ends. */
static void test_filtered_paths_do_not_collide(void **state) {
    (void)state;
    vo_random random = vo_random_seed(23);
    int requested = 0, corrected = 0;
    double moved = 0;
    for (int round = 0; round < 8; round++) {
        rt_group t;
        rt_group_set_up(&t, &random, RT_LAYERED, 8);
        vo_rt_self_query query = {.use_avx2 = vo_simd_has_avx2() && round % 2};
        vo_rt_self_find(&t.set, &query);
        displace(&t, &random, 0.01f * (float)(round % 4), round < 4 ? 0.002f : 0.01f);
        vo_rt_self_filtered result = vo_rt_self_filter(&t.set, &query, 1);
        corrected += result.corrected;
        assert_false(result.is_limited);
        moved += mean_move(&t.set);
        for (int k = 0; k <= 12; k++) {
            int hits = count_crossings(&t.set, k / 12.0);
            if (hits > 0) fail_msg("round %d, fraction %d/12: %d intersections", round, k, hits);
        }
        vo_rt_self_finish(&t.set);
        check_bounds(&t.set, 0);
        requested += t.set.cloth_vertex_count;
        rt_group_tear_down(&t);
    }
    assert_true(corrected > requested / 4);
    assert_true(moved / 8 > 0.002); /* the vertices do move, m */
}

/* True if the cells of two faces share a flat fan. */
static bool share_flat_fan(const vo_rt_self_set *set, int a, int b) {
    const vo_rt_self_cell *p = &set->cell[set->face_cell[a]], *q = &set->cell[set->face_cell[b]];
    for (int k = 0; k < 3; k++)
        if (p->flat[k] >= 0 && share(&p->flat[k], 1, q->fan, 3)) return true;
    return false;
}

/* All pairs within the query radius are stored, except those in the star of a calm vertex or in a
 * flat fan. */
static void test_pairs_equal_brute_force(void **state) {
    (void)state;
    vo_random random = vo_random_seed(3);
    rt_group t;
    rt_group_set_up(&t, &random, RT_FOLDED, 8);
    vo_rt_self_query query = {.is_static = true};
    vo_rt_self_find(&t.set, &query);
    vo_rt_self_set *set = &t.set;
    int found = 0;
    for (int i = 0; i < set->cloth_face_count; i++)
        for (int v = 0; v < set->vertex_count; v++) {
            const int32_t *f = set->face[i].vertex;
            if (set->star_begin[v] == set->star_begin[v + 1] || share(&v, 1, f, 3)) continue;
            point x[3] = {anchor(set, f[0], 0), anchor(set, f[1], 0), anchor(set, f[2], 0)};
            float radius = set->radius[v] +
                           f_min(set->radius[f[0]], f_min(set->radius[f[1]], set->radius[f[2]]));
            if (point_triangle(anchor(set, v, 0), x) > 0.999 * (double)radius) continue;
            bool is_calm = false, is_stored = false;
            for (int k = set->star_begin[v]; k < set->star_begin[v + 1]; k++)
                for (int c = 0; c < 3; c++) {
                    int a = set->face[set->star_face[k]].vertex[c];
                    is_calm |= share(&a, 1, f, 3) && (set->flags[a] & VO_RT_SELF_CALM);
                    is_calm |= share_flat_fan(set, set->star_face[k], i);
                }
            for (int k = 0; k < set->pair_count && !is_calm && !is_stored; k++) {
                const vo_rt_self_pair *p = &set->pair[k];
                is_stored = p->count_a == 1 && p->vertex[0] == v && share(p->vertex + 1, 3, f, 1) &&
                            share(p->vertex + 1, 3, f + 1, 1) && share(p->vertex + 1, 3, f + 2, 1);
            }
            if (!is_calm && !is_stored) fail_msg("vertex %d, face %d: not stored", v, i);
            found += is_stored;
        }
    assert_true(found > 100);
    assert_true(set->counts.face_pairs > set->pair_count / 4);
    rt_group_tear_down(&t);
}

/* Kernels of all instruction sets give the same bits. */
static void test_kernels_are_identical(void **state) {
    (void)state;
    vo_random random = vo_random_seed(11);
    rt_group t;
    rt_group_set_up(&t, &random, RT_FOLDED, 8);
    if (vo_simd_has_avx2()) {
        vo_rt_self_query query = {.use_avx2 = false};
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            query.use_avx2 = k;
            vo_rt_self_find(&t.set, &query);
            size_t count = (size_t)t.set.vertex_count;
            hash[k] = vo_rt_hash(0, t.set.near, count * sizeof *t.set.near);
            hash[k] =
                vo_rt_hash(hash[k], t.set.pair, (size_t)t.set.pair_count * sizeof *t.set.pair);
            assert_true(t.set.pair_count > 100);
        }
        assert_true(hash[0] == hash[1]);
    }
    rt_group_tear_down(&t);
}

/* --- Worlds ----------------------------------------------------------------------------------- */

typedef struct scene {
    vo_rt_world *w;
    vo_rt_asset *asset;
    vo_rt_body *sphere;
} scene;

static vo_rt_cloth *add_cloth(scene *s, float x, float y, float z, float turn, int layer) {
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    def.asset = s->asset;
    def.self_collision = true;
    def.layer = layer;
    def.transform = rt_at(x, y, z);
    def.transform.rotation = (vo_rt_quat){0, sinf(turn), 0, cosf(turn)};
    vo_rt_cloth *cloth;
    assert_rt_ok(s->w, vo_rt_cloth_create(s->w, &def, &cloth));
    return cloth;
}

static void add_floor(scene *s) {
    vo_rt_shape plane = vo_rt_shape_default(VO_RT_PLANE);
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shape_count = 1;
    def.shapes = &plane;
    vo_rt_body *body;
    assert_rt_ok(s->w, vo_rt_body_create(s->w, &def, &body));
}

static scene make_scene(float size, bool lies, int level, int threads, rt_memory *memory) {
    vo_rt_world_def def = vo_rt_world_def_default();
    def.threads = threads;
    def.pool_bytes = (size_t)64 << 20;
    if (memory) def.allocator = rt_allocator(memory);
    scene s = {rt_world(&def), rt_sheet(size, lies, RT_FREE, level), NULL};
    add_floor(&s);
    return s;
}

static void destroy(scene s) {
    vo_rt_world_destroy(s.w);
    vo_rt_asset_destroy(s.asset);
}

/* Runs simulation steps one by one; no state may contain an intersection. */
static void run_clean(scene *s, int steps) {
    for (int i = 0; i < steps; i++) {
        assert_rt_ok(s->w, vo_rt_world_step(s->w, 1 / 120.0f));
        int hits = rt_count_intersections(s->w);
        if (hits > 0) fail_msg("step %d: %d intersections", i + 1, hits);
        for (int k = 0; k < s->w->cloth_end; k++) assert_true(rt_is_finite(&s->w->cloth[k]));
    }
}

static void test_sheet_on_sphere_and_floor(void **state) {
    (void)state;
    scene s = make_scene(1, true, 3, 1, NULL);
    rt_sphere(s.w, 0.2f, 0, 0.25f, 0);
    add_cloth(&s, 0, 0.55f, 0, 0, 0);
    run_clean(&s, 160);
    vo_rt_stats stats = vo_rt_world_get_stats(s.w);
    assert_true(stats.triangles > 500 && stats.self_queries > 0);
    assert_true(stats.self_feature_pairs < stats.self_face_pairs * 4);
    destroy(s);
}

/* A sheet that falls on its edge folds up. */
static void test_sheet_folds_on_the_floor(void **state) {
    (void)state;
    scene s = make_scene(0.7f, false, 3, 1, NULL);
    vo_rt_cloth *c = add_cloth(&s, 0, 0.45f, 0, 0, 0);
    assert_rt_ok(s.w, vo_rt_world_set_wind(s.w, f3(0.5f, 0, 1), 0.3f));
    run_clean(&s, 200);
    assert_true(vo_rt_cloth_get_info(c).max.y < 0.5f);
    destroy(s);
}

/* Sheets fall on each other; a body moves through the heap. */
static void test_stack_of_sheets(void **state) {
    (void)state;
    scene s = make_scene(0.5f, true, 2, 1, NULL);
    s.sphere = rt_sphere(s.w, 0.1f, 0, 0.1f, 0);
    for (int i = 0; i < 4; i++)
        add_cloth(&s, 0.03f * (float)i, 0.3f + 0.05f * (float)i, 0, 0.3f * (float)i, 0);
    run_clean(&s, 80);
    for (int i = 0; i < 40; i++) {
        float x = 0.3f * sinf(0.2f * (float)i);
        assert_rt_ok(s.w, vo_rt_body_set_transform(s.sphere, rt_at(x, 0.1f, 0)));
        run_clean(&s, 1);
    }
    destroy(s);
}

static void fill(scene *s) {
    rt_sphere(s->w, 0.15f, 0, 0.15f, 0);
    for (int i = 0; i < 3; i++)
        add_cloth(s, 0.02f * (float)i, 0.36f + 0.03f * (float)i, 0, 0.4f * (float)i, 0);
    for (int i = 0; i < 2; i++) add_cloth(s, 3, 0.2f + 0.04f * (float)i, 0, 0.4f * (float)i, 0);
}

static uint64_t run_hash(int threads) {
    scene s = make_scene(0.5f, true, 2, threads, NULL);
    fill(&s);
    rt_run(s.w, 30);
    uint64_t hash = rt_hash(s.w);
    destroy(s);
    return hash;
}

static void test_threads_do_not_change_results(void **state) {
    (void)state;
    uint64_t hash = run_hash(1);
    assert_true(run_hash(2) == hash);
    assert_true(run_hash(3) == hash);
}

static void test_snapshot_continues_identically(void **state) {
    (void)state;
    scene s = make_scene(0.5f, true, 2, 1, NULL);
    fill(&s);
    rt_run(s.w, 22);
    size_t bytes = vo_rt_world_save(s.w, NULL, 0);
    void *data = malloc(bytes);
    assert_true(vo_rt_world_save(s.w, data, bytes) == bytes);
    rt_run(s.w, 8);
    uint64_t hash = rt_hash(s.w);
    assert_rt_ok(s.w, vo_rt_world_restore(s.w, data, bytes));
    rt_run(s.w, 8);
    assert_true(rt_hash(s.w) == hash);
    free(data);
    destroy(s);
}

static void test_no_allocation_in_steps(void **state) {
    (void)state;
    rt_memory memory = {0};
    scene s = make_scene(0.5f, true, 2, 1, &memory);
    fill(&s);
    long calls = memory.calls;
    rt_run(s.w, 30);
    assert_int_equal(memory.calls, calls);
    assert_true(vo_rt_world_get_stats(s.w).self_contacts > 0);
    destroy(s);
}

/* Without memory for the queries, cloth moves without them, and the statistics report it. */
static void test_exhausted_pool_is_reported(void **state) {
    (void)state;
    vo_rt_world_def def = vo_rt_world_def_default();
    def.pool_bytes = 420000;
    scene s = {rt_world(&def), rt_sheet(0.5f, true, RT_FREE, 0), NULL};
    add_cloth(&s, 0, 1, 0, 0, 0);
    add_cloth(&s, 0, 1.05f, 0, 0, 0);
    int64_t skipped = 0;
    for (int i = 0; i < 10; i++) {
        rt_run(s.w, 1);
        skipped += vo_rt_world_get_stats(s.w).self_skipped;
    }
    assert_true(skipped > 0);
    assert_true(rt_is_finite(&s.w->cloth[0]));
    destroy(s);
}

/* --- Recovery --------------------------------------------------------------------------------- */

/* Where the upper sheet of two is created. */
typedef struct placement {
    float x, turn; /* m; rad, half the angle about the vertical axis */
} placement;

/* Two sheets created so that the rim of one passes through the other. */
static void run_recovery(int layer, int seconds, placement at) {
    vo_rt_world_def def = vo_rt_world_def_default();
    def.pool_bytes = (size_t)64 << 20;
    def.gravity = f3(0, 0, 0);
    scene s = {rt_world(&def), rt_sheet(0.4f, true, RT_FREE, 2), NULL};
    add_cloth(&s, 0, 1, 0, 0, 0);
    vo_rt_cloth_def cloth = vo_rt_cloth_def_default();
    cloth.asset = s.asset;
    cloth.self_collision = true;
    cloth.layer = layer;
    float c0 = cosf(at.turn), s0 = sinf(at.turn), c1 = cosf(0.15f), s1 = sinf(0.15f);
    cloth.transform = rt_at(at.x, 1.02f, 0);
    cloth.transform.rotation = (vo_rt_quat){s0 * s1, s0 * c1, c0 * s1, c0 * c1};
    vo_rt_cloth *c;
    assert_rt_ok(s.w, vo_rt_cloth_create(s.w, &cloth, &c));
    assert_true(rt_count_intersections(s.w) > 0);
    rt_run(s.w, 1);
    assert_true(vo_rt_world_get_stats(s.w).self_intersections > 0);
    int frame = 1;
    for (; frame < 60 * seconds && rt_count_intersections(s.w) > 0; frame++) {
        rt_run(s.w, 1);
        for (int k = 0; k < 2; k++) {
            assert_true(rt_is_finite(&s.w->cloth[k]));
            vo_rt_cloth_info info = vo_rt_cloth_get_info(&s.w->cloth[k]);
            assert_true(f3_distance(info.min, info.max) < 1);
        }
    }
    assert_int_equal(rt_count_intersections(s.w), 0);
    rt_run(s.w, 2);
    assert_int_equal(vo_rt_world_get_stats(s.w).self_intersections, 0);
    for (int i = 0; i < 60; i++) {
        rt_run(s.w, 1);
        assert_int_equal(rt_count_intersections(s.w), 0);
    }
    destroy(s);
}

static void test_intersecting_sheets_are_untangled(void **state) {
    (void)state;
    run_recovery(0, 4, (placement){0.2f, 0});
}

/* The contour divides one sheet, or runs from the rim of one to that of the other. */
static void test_sheets_across_are_untangled(void **state) {
    (void)state;
    run_recovery(0, 2, (placement){0.05f, 0.3f});
    run_recovery(0, 2, (placement){0.13f, 0.8f});
    run_recovery(0, 2, (placement){0.25f, 0.8f});
}

static void test_layers_are_untangled(void **state) {
    (void)state;
    run_recovery(1, 4, (placement){0.2f, 0});
    run_recovery(1, 2, (placement){0.1f, 0.8f});
}

/* Displacement bounds do not slow cloth that is far from other cloth, at any frame rate. */
static void test_sheets_fall_freely(void **state) {
    (void)state;
    for (int fps = 30; fps <= 120; fps *= 2) {
        scene s = make_scene(1, false, 0, 1, NULL);
        vo_rt_cloth *bounded = add_cloth(&s, 0, 30, 0, 0, 0);
        vo_rt_cloth *other = rt_cloth(s.w, s.asset, 3, 30, 0);
        for (int i = 0; i < fps; i++) assert_rt_ok(s.w, vo_rt_world_step(s.w, 1 / (float)fps));
        float y = vo_rt_cloth_get_vertex(bounded, 0).y;
        assert_true(y < 27);
        assert_near((double)y, (double)vo_rt_cloth_get_vertex(other, 0).y, 0.02);
        destroy(s);
    }
}

/* A body of spheres that is kicked into two layers does not push one through the other. */
static void test_kicked_sphere_does_not_mix_layers(void **state) {
    (void)state;
    scene s = make_scene(1, true, 1, 1, NULL);
    add_cloth(&s, 0, 0.62f, 0, 0, 0);
    add_cloth(&s, 0, 0.66f, 0, 0.3f, 1);
    vo_rt_body *sphere = rt_sphere(s.w, 0.25f, 0, 0.3f, 0);
    for (int i = 0; i < 90 / (TEST_SLOWNESS > 1 ? 3 : 1); i++) {
        float kick = i % 30 == 29 ? 0.13f : 0;
        assert_rt_ok(s.w, vo_rt_body_set_transform(sphere, rt_at(0, 0.3f + kick, 0)));
        rt_run(s.w, 1);
        assert_int_equal(rt_count_intersections(s.w), 0);
    }
    destroy(s);
}

/* Cloth that is enabled inside other cloth is untangled. */
static void test_enabled_cloth_is_tested(void **state) {
    (void)state;
    scene s = make_scene(0.5f, true, 0, 1, NULL);
    vo_rt_cloth *low = add_cloth(&s, 0, 1, 0, 0, 0), *high = add_cloth(&s, 0, 1.2f, 0, 0.2f, 1);
    assert_rt_ok(s.w, vo_rt_cloth_set_enabled(high, false));
    rt_run(s.w, 2);
    vo_rt_transform at = rt_at(0, vo_rt_cloth_get_vertex(low, 40).y, 0);
    at.rotation = (vo_rt_quat){0.3f, 0, 0, 0.954f};
    assert_rt_ok(s.w, vo_rt_cloth_set_transform(high, at));
    assert_rt_ok(s.w, vo_rt_cloth_reset(high));
    rt_run(s.w, 1);
    assert_rt_ok(s.w, vo_rt_cloth_set_enabled(high, true));
    rt_run(s.w, 1);
    assert_true(vo_rt_world_get_stats(s.w).self_intersections > 0);
    destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_separate_all_pairs),
        cmocka_unit_test(test_filtered_paths_do_not_collide),
        cmocka_unit_test(test_pairs_equal_brute_force),
        cmocka_unit_test(test_kernels_are_identical),
        cmocka_unit_test(test_sheet_on_sphere_and_floor),
        cmocka_unit_test(test_sheet_folds_on_the_floor),
        cmocka_unit_test(test_stack_of_sheets),
        cmocka_unit_test(test_threads_do_not_change_results),
        cmocka_unit_test(test_snapshot_continues_identically),
        cmocka_unit_test(test_no_allocation_in_steps),
        cmocka_unit_test(test_exhausted_pool_is_reported),
        cmocka_unit_test(test_intersecting_sheets_are_untangled),
        cmocka_unit_test(test_sheets_across_are_untangled),
        cmocka_unit_test(test_layers_are_untangled),
        cmocka_unit_test(test_sheets_fall_freely),
        cmocka_unit_test(test_kicked_sphere_does_not_mix_layers),
        cmocka_unit_test(test_enabled_cloth_is_tested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
