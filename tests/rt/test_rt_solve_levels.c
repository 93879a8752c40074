/* Coarse-to-fine projection of stretch: lists, momentum, and the stretch of a hanging sheet. */
#include "rt_hierarchy_assets.h"

#include "rt/solve/kernels.h"
#include "rt/solve/levels.h"
#include "rt/solve/solve.h"

#include <math.h>
#include <stdio.h>

/* A mesh with its split edges. */
typedef struct level_mesh {
    test_mesh mesh;
    vo_rt_levels levels;
} level_mesh;

/* Splits all edges `count` times, or each with probability 1/2 if `random` is not NULL. */
static void refine(test_mesh *m, int count, vo_random *random) {
    for (int pass = 0; pass < count; pass++) {
        int end = m->mesh.edge_end;
        for (int e = 0; e < end; e++) {
            if (random && vo_random_real(random, 0, 1) < 0.5) continue;
            if (!vo_rt_mesh_can_split(&m->mesh, e)) continue;
            assert_true(vo_rt_mesh_reserve_splits(&m->mesh, &m->heap, 1));
            vo_rt_mesh_split(&m->mesh, e);
        }
    }
    test_mesh_check(&m->mesh);
}

static void init(level_mesh *m, int cells, float cell, int count, vo_random *random) {
    vo_random diagonals = vo_random_seed(3);
    *m = (level_mesh){0};
    test_mesh_init(&m->mesh, test_asset_sheet(cells, cells, cell, 0, false, 4, &diagonals),
                   64 << 20);
    vo_rt_mesh_set_density(&m->mesh.mesh, 0.2f);
    refine(&m->mesh, count, random);
    assert_true(vo_rt_levels_reserve(&m->levels, &m->mesh.heap, &m->mesh.mesh));
    vo_rt_levels_update(&m->levels, &m->mesh.mesh);
}

static void free_all(level_mesh *m) {
    vo_rt_levels_free(&m->levels, &m->mesh.heap);
    test_mesh_free(&m->mesh);
}

/* Every refined vertex is the midpoint of one listed edge; parents come first. */
static void test_lists_every_split_edge(void **state) {
    (void)state;
    vo_random random = vo_random_seed(5);
    for (int round = 0; round < 20; round++) {
        level_mesh m;
        init(&m, 3, 0.1f, 1 + round % 5, &random);
        const vo_rt_front *f = &m.mesh.mesh.front;
        int count = VO_RT_LANES * vo_rt_levels_count(&m.levels), refined = 0, listed = 0;
        bool *is_known = test_array((size_t)f->vertex_end, sizeof *is_known);
        for (int i = 1; i < f->vertex_end; i++) {
            if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
            refined += f->level[i] > 0;
            is_known[i] = f->level[i] == 0;
        }
        for (int i = 0; i < count; i++) {
            const vo_rt_split_group *g = &m.levels.group[i / VO_RT_LANES];
            int lane = i % VO_RT_LANES, a = g->a[lane], b = g->b[lane], middle = g->middle[lane];
            if (middle == 0) continue;
            assert_true(is_known[a] && is_known[b] && !is_known[middle]);
            for (int k = 0; k < lane; k++)
                assert_true(a != g->a[k] && a != g->b[k] && b != g->a[k] && b != g->b[k]);
            is_known[middle] = true;
            listed++;
        }
        assert_int_equal(listed, refined);
        free(is_known);
        free_all(&m);
    }
}

/* Sum of mass times position. */
static void sum_positions(const vo_rt_front *f, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        double m = (double)f->mass[i];
        sum[0] += m * (double)f->position[i].x;
        sum[1] += m * (double)f->position[i].y;
        sum[2] += m * (double)f->position[i].z;
    }
}

/* Free cloth, stretched at random: its centre of mass stays, and split edges become shorter. */
static void test_centre_of_mass_stays(void **state) {
    (void)state;
    vo_random random = vo_random_seed(11);
    for (int round = 0; round < 20; round++) {
        level_mesh m;
        init(&m, 3, 0.1f, 4, round % 2 ? &random : NULL);
        vo_rt_front *f = &m.mesh.mesh.front;
        for (int i = 1; i < f->vertex_end; i++) {
            f->position[i].x *= 1.5f;
            f->position[i].y += (float)vo_random_real(&random, -0.02, 0.02);
        }
        double before[3], after[3];
        sum_positions(f, before);
        vo_rt_levels_project(&m.levels, f, false);
        sum_positions(f, after);
        double scale = 0.2 * 0.3 * 0.3 * 0.3; /* mass times size */
        for (int k = 0; k < 3; k++) assert_near(after[k], before[k], 1e-5 * scale);
        const vo_rt_split_group *g = &m.levels.group[0];
        float length = f3_distance(f4_xyz(f->position[g->a[0]]), f4_xyz(f->position[g->b[0]]));
        assert_true(length < 1.3f * g->rest[0]);
        free_all(&m);
    }
}

/* A pass of bending flattens waves of several fine elements, without a change of momentum, and does
 * not move flat cloth. */
static void test_bending_flattens(void **state) {
    (void)state;
    level_mesh m;
    init(&m, 4, 0.1f, 3, NULL);
    vo_rt_front *f = &m.mesh.mesh.front;
    size_t bytes = (size_t)f->vertex_end * sizeof *f->position;
    vo_rt_bend_pass pass = {.stiffness = 1e-5f / 14400, .scale = 1};
    memcpy(f->velocity, f->position, bytes); /* positions at the start of the substep */
    vo_rt_solve_select_kernels(false)->bend_levels(&m.levels, f, &pass);
    for (int i = 1; i < f->vertex_end; i++)
        assert_true(f3_distance(f4_xyz(f->position[i]), f4_xyz(f->velocity[i])) < 1e-7f);
    double before[3], after[3], rough = 0, smooth = 0;
    for (int i = 1; i < f->vertex_end; i++) {
        f->position[i].z = 0.01f * sinf(100 * f->position[i].x); /* waves of 63 mm */
        rough += (double)(f->position[i].z * f->position[i].z);
    }
    memcpy(f->velocity, f->position, bytes);
    sum_positions(f, before);
    vo_rt_solve_select_kernels(false)->bend_levels(&m.levels, f, &pass);
    sum_positions(f, after);
    for (int i = 1; i < f->vertex_end; i++) smooth += (double)(f->position[i].z * f->position[i].z);
    for (int k = 0; k < 3; k++) assert_near(after[k], before[k], 1e-5 * 0.2 * 0.4 * 0.4 * 0.4);
    assert_true(smooth < 0.9 * rough);
    free_all(&m);
}

/* Vertices with inverse mass 0 stay, also midpoints. */
static void test_prescribed_vertices_stay(void **state) {
    (void)state;
    level_mesh m;
    init(&m, 2, 0.2f, 3, NULL);
    vo_rt_front *f = &m.mesh.mesh.front;
    for (int i = 1; i < f->vertex_end; i++) f->position[i].x *= 1.4f;
    for (int i = 1; i < f->vertex_end; i += 3) f->position[i].w = 0;
    for (int i = 1; i < f->vertex_end; i++) f->previous[i] = f->position[i];
    vo_rt_levels_project(&m.levels, f, false);
    int moved = 0;
    for (int i = 1; i < f->vertex_end; i++) {
        bool stays = f3_distance(f4_xyz(f->position[i]), f4_xyz(f->previous[i])) == 0;
        if (i % 3 == 1) assert_true(stays);
        moved += !stays;
    }
    assert_true(moved > 10);
    free_all(&m);
}

static bool has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/* The variant for AVX2 gives the same bits. */
static void test_variants_are_equal(void **state) {
    (void)state;
    if (!has_avx2()) skip();
    vo_random random = vo_random_seed(7);
    for (int round = 0; round < 5; round++) {
        level_mesh m;
        init(&m, 3, 0.1f, 4, &random);
        vo_rt_front *f = &m.mesh.mesh.front;
        size_t bytes = (size_t)f->vertex_end * sizeof *f->position;
        for (int i = 1; i < f->vertex_end; i++) {
            f->position[i].x += (float)vo_random_real(&random, -0.02, 0.02);
            f->previous[i] = f->position[i];
        }
        vo_rt_levels_project(&m.levels, f, false);
        memcpy(f->velocity, f->position, bytes);
        memcpy(f->position + 1, f->previous + 1, bytes - sizeof *f->position);
        vo_rt_levels_project(&m.levels, f, true);
        assert_memory_equal(f->velocity, f->position, bytes);
        free_all(&m);
    }
}

/* 99th percentile of the elongation of a sheet of 0.8 m that hangs from one edge. */
static float hang(bool use_levels, int substeps) {
    level_mesh m;
    init(&m, 4, 0.2f, 4, NULL);
    vo_rt_front *f = &m.mesh.mesh.front;
    float top = -INFINITY;
    for (int i = 1; i < f->vertex_end; i++) top = f_max(top, f->position[i].y);
    for (int i = 1; i < f->vertex_end; i++)
        if (f->position[i].y > top - 1e-4f) {
            vo_rt_mesh_set_attachment(&m.mesh.mesh, i, 1);
            f->target[i] = f4_make(f4_xyz(f->position[i]), 1);
        }
    vo_rt_solve_def def = {.dt = 1.0f / 120,
                           .substeps = substeps,
                           .gravity = {0, -9.81f, 0},
                           .fabric = vo_rt_fabric_default(),
                           .stretch_limit = 0.05f,
                           .compression = 0.1f,
                           .max_speed = 100,
                           .levels = use_levels ? &m.levels : NULL};
    for (int i = 0; i < 240; i++) {
        vo_rt_solve_result r = vo_rt_solve_step(&m.mesh.asset.asset, f, NULL, 0, &def);
        assert_true(r.is_finite);
    }
    float stretch = vo_rt_solve_stretch(f, 0.99f);
    free_all(&m);
    return stretch;
}

static void test_hanging_sheet_stretches_less(void **state) {
    (void)state;
    float without = hang(false, 1), with = hang(true, 1);
    printf("hanging sheet of 8,192 faces: %.1f %% without levels, %.1f %% with\n",
           100 * (double)without, 100 * (double)with);
    assert_true(with < 0.5f * without);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_every_split_edge),
        cmocka_unit_test(test_centre_of_mass_stays),
        cmocka_unit_test(test_bending_flattens),
        cmocka_unit_test(test_prescribed_vertices_stay),
        cmocka_unit_test(test_variants_are_equal),
        cmocka_unit_test(test_hanging_sheet_stretches_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
