/* Tracking constraints: projection, free vertices, clusters, targets. */
#include "support.h"

#include "core/memory.h"
#include "upsample/simulate/clusters.h"
#include "upsample/simulate/follow.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 12, SIDE = 20, COUNT = SIDE * SIDE };

/* A sheet of SIDE x SIDE vertices, with masses that differ. */
typedef struct sheet {
    float position[4 * COUNT]; /* x y z and the inverse mass */
    double mass[COUNT];
    float rows[ROWS * COUNT]; /* mass-weighted test functions */
    double function[ROWS][COUNT];
} sheet;

/* Orthonormal functions phi^T M phi = 1 by Gram-Schmidt from cosines. */
static void make_functions(sheet *s) {
    for (int k = 0; k < ROWS; k++) {
        for (int i = 0; i < COUNT; i++)
            s->function[k][i] = cos(3.14159265 * (k % 4) * (i % SIDE + 0.5) / SIDE) *
                                cos(3.14159265 * (k / 4) * (i / SIDE + 0.5) / SIDE);
        for (int j = 0; j <= k; j++) {
            double dot = 0;
            for (int i = 0; i < COUNT; i++)
                dot += s->function[k][i] * s->mass[i] * s->function[j][i];
            for (int i = 0; i < COUNT; i++)
                s->function[k][i] = j == k ? s->function[k][i] / sqrt(dot)
                                           : s->function[k][i] - dot * s->function[j][i];
        }
        for (int i = 0; i < COUNT; i++)
            s->rows[k * COUNT + i] = (float)(s->function[k][i] * s->mass[i]);
    }
}

static sheet *make_sheet(void) {
    sheet *s = calloc(1, sizeof *s);
    vo_random random = vo_random_seed(7);
    for (int i = 0; i < COUNT; i++) {
        float inverse = (float)(1 / (1e-4 * (1 + vo_random_real(&random, 0, 1))));
        s->mass[i] = 1 / (double)inverse;
        float *x = s->position + 4 * i;
        x[0] = 1 + (float)(i % SIDE) / SIDE, x[1] = (float)(i / SIDE) / SIDE;
        x[2] = 0.1f * (float)vo_random_real(&random, 0, 1), x[3] = inverse;
    }
    make_functions(s);
    return s;
}

static vo_upsample_tracking *track(vo_context *ctx, const sheet *s) {
    vo_upsample_tracking *t;
    assert_ok(ctx, vo_upsample_tracking_create(ctx, ROWS, COUNT, s->rows, &t));
    return t;
}

/* Target: T p of the sheet moved and bent by a multiple of a low function. */
static void make_target(const sheet *s, double *target) {
    for (int k = 0; k < ROWS; k++)
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int i = 0; i < COUNT; i++)
                sum += (double)s->rows[k * COUNT + i] *
                       ((double)s->position[4 * i + c] + 0.03 * (c + 1) +
                        0.002 * s->function[5][i] * (c == 2));
            target[c * ROWS + k] = sum;
        }
}

static void test_constraint_is_met(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet *s = make_sheet();
    vo_upsample_tracking *t = track(ctx, s);
    double target[3 * ROWS], before;
    make_target(s, target);
    before = vo_upsample_tracking_error(t, s->position, target);
    assert_true(before > 0.05);
    vo_upsample_tracking_project(t, s->position, target);
    double after = vo_upsample_tracking_error(t, s->position, target);
    assert_true(after < 1e-6); /* the sheet has a size of 1.4 m */
    double reached[3 * ROWS];
    vo_upsample_tracking_measure(t, s->position, reached);
    for (int k = 0; k < 3 * ROWS; k++) /* |T p| is up to 0.2 */
        assert_true(fabs(reached[k] - target[k]) < 2e-7);
    vo_upsample_tracking_destroy(t);
    vo_context_destroy(ctx);
    free(s);
}

/* Components of the displacement that are orthogonal to the test functions are zero. */
static void test_high_modes_are_undisturbed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet *s = make_sheet(), *start = make_sheet();
    vo_upsample_tracking *t = track(ctx, s);
    double target[3 * ROWS];
    make_target(s, target);
    vo_upsample_tracking_project(t, s->position, target);
    for (int c = 0; c < 3; c++) {
        double d[COUNT], high = 0, all = 0;
        for (int i = 0; i < COUNT; i++)
            all += d[i] = (double)s->position[4 * i + c] - (double)start->position[4 * i + c];
        assert_true(fabs(all / COUNT) > 0.02);
        for (int k = 0; k < ROWS; k++) {
            double dot = 0;
            for (int i = 0; i < COUNT; i++) dot += d[i] * s->mass[i] * s->function[k][i];
            for (int i = 0; i < COUNT; i++) d[i] -= dot * s->function[k][i];
        }
        for (int i = 0; i < COUNT; i++) high = fmax(high, fabs(d[i]));
        assert_true(high < 1e-6);
    }
    vo_upsample_tracking_destroy(t);
    vo_context_destroy(ctx);
    free(s);
    free(start);
}

static void test_only_free_vertices_move(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet *s = make_sheet();
    for (int i = 0; i < COUNT; i += SIDE) s->position[4 * i + 3] = 0;
    vo_upsample_tracking *t = track(ctx, s);
    double target[3 * ROWS];
    make_target(s, target);
    sheet *start = malloc(sizeof *start);
    memcpy(start, s, sizeof *s);
    vo_upsample_tracking_project(t, s->position, target);
    assert_true(vo_upsample_tracking_error(t, s->position, target) < 1e-6);
    for (int i = 0; i < COUNT; i += SIDE)
        assert_memory_equal(s->position + 4 * i, start->position + 4 * i, 4 * sizeof(float));
    s->position[3] = 5000; /* released: the factor is updated */
    s->position[0] += 0.01f;
    vo_upsample_tracking_project(t, s->position, target);
    assert_true(vo_upsample_tracking_error(t, s->position, target) < 1e-6);
    assert_true(s->position[0] != start->position[0] + 0.01f);
    vo_upsample_tracking_destroy(t);
    vo_context_destroy(ctx);
    free(s);
    free(start);
}

/* Test functions that are equal on the free vertices: the first of them is met. */
static void test_dependent_rows_are_ignored(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet *s = make_sheet();
    memcpy(s->rows + 3 * COUNT, s->rows + 2 * COUNT, COUNT * sizeof(float));
    vo_upsample_tracking *t = track(ctx, s);
    double target[3 * ROWS], reached[3 * ROWS];
    make_target(s, target);
    for (int c = 0; c < 3; c++) target[c * ROWS + 3] += 1;
    vo_upsample_tracking_project(t, s->position, target);
    vo_upsample_tracking_measure(t, s->position, reached);
    for (int k = 0; k < 3 * ROWS; k++)
        assert_true(k % ROWS == 3 || fabs(reached[k] - target[k]) < 2e-7);
    vo_upsample_tracking_destroy(t);
    vo_context_destroy(ctx);
    free(s);
}

static void test_kernels_agree(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet *s = make_sheet(), *other = make_sheet();
    double target[3 * ROWS];
    vo_upsample_tracking *t = track(ctx, s);
    make_target(s, target);
    vo_upsample_tracking_project(t, s->position, target);
    ctx->use_avx2 = false;
    vo_upsample_tracking_project(t, other->position, target);
    assert_memory_equal(s->position, other->position, sizeof s->position);
    vo_upsample_tracking_destroy(t);
    vo_context_destroy(ctx);
    free(s);
    free(other);
}

/* ---- clusters ------------------------------------------------------------------------------- */

static vo_upsample_pairs *make_pairs(vo_context *ctx) {
    vo_upsample_pairs *p;
    vo_upsample_pairs_size size = {.fine_vertices = COUNT,
                                   .fine_triangles = 2 * (SIDE - 1) * (SIDE - 1)};
    assert_ok(ctx, vo_upsample_pairs_create(ctx, &size, &p));
    int at = 0;
    for (int i = 0; i < COUNT; i++) {
        p->fine.position[i] = (vo_rt_vec3){(float)(i % SIDE), (float)(i / SIDE), 0};
        p->fine.mass[i] = 1 + (float)(i % 3);
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        int t[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        for (int k = 0; k < 6; k++) p->fine.triangle[at++] = t[k];
    }
    return p;
}

static void test_clusters_divide_the_mesh(void **state) {
    (void)state;
    enum { CLUSTERS = 16 };
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx);
    int cluster[COUNT], size[CLUSTERS] = {0};
    assert_ok(ctx, vo_upsample_clusters_find(ctx, &p->fine, CLUSTERS, cluster));
    for (int i = 0; i < COUNT; i++) {
        assert_in_range(cluster[i], 0, CLUSTERS - 1);
        size[cluster[i]]++;
    }
    for (int k = 0; k < CLUSTERS; k++) assert_in_range(size[k], 10, 45); /* 25 on average */
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static void test_rows_of_clusters_are_orthonormal(void **state) {
    (void)state;
    enum { CLUSTERS = 9 };
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *p = make_pairs(ctx);
    static float rows[CLUSTERS * COUNT];
    assert_ok(ctx, vo_upsample_clusters_rows(ctx, &p->fine, CLUSTERS, rows));
    for (int a = 0; a < CLUSTERS; a++)
        for (int b = 0; b <= a; b++) {
            double dot = 0;
            for (int i = 0; i < COUNT; i++)
                dot += (double)rows[a * COUNT + i] * (double)rows[b * COUNT + i];
            assert_true(fabs(dot - (a == b)) < 1e-5);
        }
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

/* ---- targets -------------------------------------------------------------------------------- */

/* Two coarse vertices; the fine ones lie between them. The target moves with their velocities at
 * the ends of a step. */
static void test_targets_follow_the_coarse_mesh(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int first[4] = {0, 2, 4, 6}, column[6] = {0, 1, 0, 1, 0, 1};
    float weight[6] = {1, 0, 0.5f, 0.5f, 0, 1}, row[3] = {0.5f, 1, 0.5f};
    vo_upsample_rows base = {3, 2, first, column, weight};
    vo_upsample_follow *f;
    assert_ok(ctx, vo_upsample_follow_create(ctx, 1, row, &base, &f));
    float x0[8] = {0, 0, 0, 1, 1, 0, 0, 1}, v[8] = {1, 0, 0, 0, 1, 0, 0, 0};
    float x1[8] = {0.5f, 0, 0, 1, 1.5f, 0, 0, 1};
    vo_upsample_follow_set(f, x0, v);
    vo_upsample_follow_set(f, x1, v);
    vo_upsample_follow_begin(f, 2, 0.5);
    float p[16] = {[4] = 0, [7] = 1, [8] = 0.5f, [11] = 1, [12] = 1, [15] = 1};
    for (int i = 0; i <= 4; i++) {
        vo_rt_substep_view view = {4, p, 2 + 0.125 * i};
        vo_upsample_follow_project(f, &view);
        float mean = 0.25f * p[4] + 0.5f * p[8] + 0.25f * p[12];
        assert_true(fabsf(mean - (0.5f + 0.125f * (float)i)) < 1e-6f); /* uniform motion */
    }
    vo_upsample_follow_destroy(f);
    vo_context_destroy(ctx);
}

static vo_result create_all(vo_context *ctx, void *arg) {
    vo_upsample_tracking *t;
    vo_upsample_pairs *p;
    vo_result result = vo_upsample_tracking_create(ctx, ROWS, COUNT, ((sheet *)arg)->rows, &t);
    if (result != VO_OK) return result;
    vo_upsample_tracking_destroy(t);
    vo_upsample_pairs_size size = {4, 2, COUNT, 2 * (SIDE - 1) * (SIDE - 1), 1, 3, 10};
    result = vo_upsample_pairs_create(ctx, &size, &p);
    vo_upsample_pairs_destroy(p);
    return result;
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    sheet *s = make_sheet();
    test_every_allocation(create_all, s);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constraint_is_met),
        cmocka_unit_test(test_high_modes_are_undisturbed),
        cmocka_unit_test(test_only_free_vertices_move),
        cmocka_unit_test(test_dependent_rows_are_ignored),
        cmocka_unit_test(test_kernels_agree),
        cmocka_unit_test(test_clusters_divide_the_mesh),
        cmocka_unit_test(test_rows_of_clusters_are_orthonormal),
        cmocka_unit_test(test_targets_follow_the_coarse_mesh),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
