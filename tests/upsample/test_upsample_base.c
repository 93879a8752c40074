/* Tests of the base operators: correspondence of two meshes, barycentric and Loop interpolation. */
#include "upsample_meshes.h"

#include "upsample/base/base_operator.h"
#include "upsample/base/surface_location.h"

static vo_sparse_rows make_base(vo_context *ctx, const vo_upsample_mesh *coarse,
                                const vo_upsample_mesh *fine, vo_upsample_base kind) {
    vo_sparse_rows rows;
    assert_ok(ctx, vo_base_operator_create(ctx, coarse, fine, kind, &rows));
    assert_int_equal(rows.row_count, fine->vertex_count);
    return rows;
}

static double weight_of(const vo_sparse_rows *rows, int row, int column) {
    for (int k = rows->first[row]; k < rows->first[row + 1]; k++)
        if (rows->column[k] == column) return rows->weight[k];
    return 0;
}

/* Row applied to the rest positions. */
static vo_rt_vec3 interpolate(const vo_sparse_rows *rows, int row, const vo_upsample_mesh *coarse) {
    vo_rt_vec3 p = {0};
    for (int k = rows->first[row]; k < rows->first[row + 1]; k++) {
        vo_rt_vec3 x = coarse->position[rows->column[k]];
        float w = (float)rows->weight[k];
        p = (vo_rt_vec3){p.x + w * x.x, p.y + w * x.y, p.z + w * x.z};
    }
    return p;
}

static double distance(vo_rt_vec3 a, vo_rt_vec3 b) {
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
    double z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

static void rows_of_all_bases_sum_to_one(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_upsample_mesh coarse, fine;
    make_rectangle(&coarse, 1, 0.8, 6, 5);
    make_rectangle(&fine, 1, 0.8, 23, 19);
    for (int kind = VO_UPSAMPLE_BARYCENTRIC; kind <= VO_UPSAMPLE_MEAN; kind++) {
        vo_sparse_rows rows = make_base(ctx, &coarse, &fine, (vo_upsample_base)kind);
        for (int i = 0; i < rows.row_count; i++) {
            double sum = 0;
            for (int k = rows.first[i]; k < rows.first[i + 1]; k++) {
                sum += rows.weight[k];
                if (k > rows.first[i]) assert_true(rows.column[k] > rows.column[k - 1]);
            }
            assert_near(sum, 1, 1e-13);
        }
        vo_sparse_rows_free(&rows);
    }
    free_mesh(&coarse), free_mesh(&fine);
    vo_context_destroy(ctx);
}

static void barycentric_base_reproduces_flat_cloth(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh coarse, fine;
    make_rectangle(&coarse, 1, 0.8, 6, 5);
    make_rectangle(&fine, 1, 0.8, 31, 29);
    vo_sparse_rows rows = make_base(ctx, &coarse, &fine, VO_UPSAMPLE_BARYCENTRIC);
    for (int i = 0; i < fine.vertex_count; i++) {
        assert_true(rows.first[i + 1] - rows.first[i] <= 3);
        for (int k = rows.first[i]; k < rows.first[i + 1]; k++)
            assert_true(rows.weight[k] >= -1e-5);
        assert_near(distance(interpolate(&rows, i, &coarse), fine.position[i]), 0, 1e-6);
    }
    vo_sparse_rows_free(&rows);
    free_mesh(&coarse), free_mesh(&fine);
    vo_context_destroy(ctx);
}

/* Coarse triangle of each fine vertex of a cloth that is folded onto itself: its left and right
 * half touch in world space. */
static void touching_layers_are_told_apart(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh coarse, fine, *both[2] = {&coarse, &fine};
    make_rectangle(&coarse, 2, 1, 9, 5);
    make_rectangle(&fine, 2, 1, 41, 21);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < both[k]->vertex_count; i++)
            both[k]->position[i].x = fabsf(both[k]->position[i].x - 1);
    vo_sparse_rows rows = make_base(ctx, &coarse, &fine, VO_UPSAMPLE_BARYCENTRIC);
    for (int i = 0; i < fine.vertex_count; i++)
        for (int k = rows.first[i]; k < rows.first[i + 1]; k++) {
            int fine_column = i % 41, coarse_column = rows.column[k] % 9;
            assert_true(abs(coarse_column * 5 - fine_column) <= 5);
        }
    vo_sparse_rows_free(&rows);
    free_mesh(&coarse), free_mesh(&fine);
    vo_context_destroy(ctx);
}

/* Panels whose material coordinates overlap are told apart in world space. */
static void overlapping_panels_are_told_apart(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh coarse, fine, *both[2] = {&coarse, &fine};
    make_rectangle(&coarse, 2, 1, 9, 5);
    make_rectangle(&fine, 2, 1, 41, 21);
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < both[k]->triangle_count; t++) {
            vo_rt_vec2 *u = both[k]->coordinate + 3 * t;
            if (u[0].x + u[1].x + u[2].x > 3)
                for (int c = 0; c < 3; c++) u[c].x -= 1;
        }
    vo_sparse_rows rows = make_base(ctx, &coarse, &fine, VO_UPSAMPLE_BARYCENTRIC);
    for (int i = 0; i < fine.vertex_count; i++)
        assert_near(distance(interpolate(&rows, i, &coarse), fine.position[i]), 0, 1e-6);
    vo_sparse_rows_free(&rows);
    free_mesh(&coarse), free_mesh(&fine);
    vo_context_destroy(ctx);
}

/* Coordinates of the two meshes that have nothing to do with each other are ignored. */
static void unrelated_coordinates_are_ignored(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh coarse, fine;
    make_rectangle(&coarse, 1, 1, 5, 5);
    make_rectangle(&fine, 1, 1, 17, 17);
    for (int c = 0; c < 3 * fine.triangle_count; c++)
        fine.coordinate[c] = (vo_rt_vec2){8 - fine.coordinate[c].y, 3 * fine.coordinate[c].x};
    vo_sparse_rows rows = make_base(ctx, &coarse, &fine, VO_UPSAMPLE_BARYCENTRIC);
    for (int i = 0; i < fine.vertex_count; i++)
        assert_near(distance(interpolate(&rows, i, &coarse), fine.position[i]), 0, 1e-6);
    vo_sparse_rows_free(&rows);
    free_mesh(&coarse), free_mesh(&fine);
    vo_context_destroy(ctx);
}

/* A flat disc of one ring around a centre. */
static void make_disc(vo_upsample_mesh *m, double radius, int around, int rings) {
    allocate_mesh(m, 1 + rings * around, around * (2 * rings - 1));
    for (int r = 1; r <= rings; r++)
        for (int i = 0; i < around; i++) {
            double angle = 6.283185307179586 * i / around, at = radius * r / rings;
            m->position[1 + (r - 1) * around + i] =
                (vo_rt_vec3){(float)(at * cos(angle)), 0, (float)(at * sin(angle))};
        }
    int32_t *t = m->triangle;
    for (int i = 0; i < around; i++) {
        int cap[3] = {0, 1 + i, 1 + (i + 1) % around};
        for (int k = 0; k < 3; k++) *t++ = cap[k];
    }
    for (int r = 1; r < rings; r++)
        for (int i = 0; i < around; i++) {
            int a = 1 + (r - 1) * around, b = a + around, j = (i + 1) % around;
            int quad[6] = {a + i, b + i, b + j, a + i, b + j, a + j};
            for (int k = 0; k < 6; k++) *t++ = quad[k];
        }
    set_flat_coordinates(m);
}

/* The border of a coarse disc consists of chords; fine vertices outside keep their place. */
static void hems_are_continued_over_the_chords(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh coarse, fine;
    make_disc(&coarse, 1, 12, 3);
    make_disc(&fine, 1, 96, 12);
    vo_sparse_rows rows = make_base(ctx, &coarse, &fine, VO_UPSAMPLE_BARYCENTRIC);
    double outside = 0;
    for (int i = 0; i < fine.vertex_count; i++) {
        assert_near(distance(interpolate(&rows, i, &coarse), fine.position[i]), 0, 1e-6);
        for (int k = rows.first[i]; k < rows.first[i + 1]; k++)
            outside = fmin(outside, rows.weight[k]);
    }
    assert_true(outside < -0.05 && outside >= -0.5);
    vo_sparse_rows_free(&rows);
    free_mesh(&coarse), free_mesh(&fine);
    vo_context_destroy(ctx);
}

/* ---- Loop ----------------------------------------------------------------------------------- */

/* A rectangle with diagonals in one direction: interior vertices have valence 6. */
static void make_regular(vo_upsample_mesh *m, int columns, int rows) {
    make_rectangle(m, columns - 1, rows - 1, columns, rows);
    int32_t *t = m->triangle;
    for (int j = 0; j + 1 < rows; j++)
        for (int i = 0; i + 1 < columns; i++) {
            int a = j * columns + i,
                quad[6] = {a, a + 1, a + columns + 1, a, a + columns + 1, a + columns};
            for (int k = 0; k < 6; k++) *t++ = quad[k];
        }
    set_flat_coordinates(m);
}

static void loop_base_is_the_limit_surface_at_vertices(void **state) {
    (void)state;
    enum { COLUMNS = 7, ROWS = 6 };
    vo_context *ctx = test_context(1);
    vo_upsample_mesh coarse, fine;
    make_regular(&coarse, COLUMNS, ROWS);
    make_regular(&fine, COLUMNS, ROWS);
    vo_sparse_rows rows = make_base(ctx, &coarse, &fine, VO_UPSAMPLE_LOOP);
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            int v = j * COLUMNS + i;
            bool side = i == 0 || i == COLUMNS - 1, end = j == 0 || j == ROWS - 1;
            if (side && end) continue; /* corners of one or two triangles */
            if (side || end) {
                int step = side ? COLUMNS : 1;
                assert_near(weight_of(&rows, v, v), 2.0 / 3, 1e-3);
                assert_near(weight_of(&rows, v, v + step), 1.0 / 6, 1e-3);
                continue;
            }
            int neighbour[6] = {1, COLUMNS, COLUMNS + 1, -1, -COLUMNS, -COLUMNS - 1};
            assert_near(weight_of(&rows, v, v), 0.5, 1e-12);
            for (int k = 0; k < 6; k++)
                assert_near(weight_of(&rows, v, v + neighbour[k]), 1.0 / 12, 1e-12);
        }
    vo_sparse_rows_free(&rows);
    free_mesh(&coarse), free_mesh(&fine);
    vo_context_destroy(ctx);
}

/* A regular grid carries quartic box splines: with quadratic data z = x^2 the limit is x^2 plus a
 * constant, at every point and not at vertices alone. */
static void loop_base_is_smooth_between_vertices(void **state) {
    (void)state;
    enum { COLUMNS = 13, ROWS = 12, FINE = 8 };
    vo_context *ctx = test_context(1);
    vo_upsample_mesh coarse, fine;
    make_regular(&coarse, COLUMNS, ROWS);
    make_rectangle(&fine, COLUMNS - 1, ROWS - 1, FINE * (COLUMNS - 1) + 1, FINE * (ROWS - 1) + 1);
    vo_sparse_rows rows = make_base(ctx, &coarse, &fine, VO_UPSAMPLE_LOOP);
    for (int i = 0; i < fine.vertex_count; i++) {
        double x = (double)fine.position[i].x, z = (double)fine.position[i].z, value = 0;
        if (x < 3 || z < 3 || x > COLUMNS - 4 || z > ROWS - 4) continue; /* away from borders */
        for (int k = rows.first[i]; k < rows.first[i + 1]; k++) {
            double at = (double)coarse.position[rows.column[k]].x;
            value += rows.weight[k] * at * at;
        }
        assert_near(value, x * x + 1.0 / 3, 0.005); /* linear between the vertices of a level */
    }
    vo_sparse_rows_free(&rows);
    free_mesh(&coarse), free_mesh(&fine);
    vo_context_destroy(ctx);
}

static vo_result create_both(vo_context *ctx, void *arg) {
    const vo_upsample_mesh *m = arg;
    for (int kind = VO_UPSAMPLE_BARYCENTRIC; kind <= VO_UPSAMPLE_MEAN; kind++) {
        vo_sparse_rows rows;
        VO_TRY(vo_base_operator_create(ctx, &m[0], &m[1], (vo_upsample_base)kind, &rows));
        vo_sparse_rows_free(&rows);
    }
    return VO_OK;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    vo_upsample_mesh m[2];
    make_rectangle(&m[0], 1, 1, 3, 3);
    make_rectangle(&m[1], 1, 1, 6, 6);
    test_every_allocation(create_both, m);
    free_mesh(&m[0]), free_mesh(&m[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_all_bases_sum_to_one),
        cmocka_unit_test(barycentric_base_reproduces_flat_cloth),
        cmocka_unit_test(touching_layers_are_told_apart),
        cmocka_unit_test(overlapping_panels_are_told_apart),
        cmocka_unit_test(unrelated_coordinates_are_ignored),
        cmocka_unit_test(hems_are_continued_over_the_chords),
        cmocka_unit_test(loop_base_is_the_limit_surface_at_vertices),
        cmocka_unit_test(loop_base_is_smooth_between_vertices),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
