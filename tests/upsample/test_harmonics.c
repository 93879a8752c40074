/* Tests of the Laplacian and the harmonics of garment meshes against analytic modes, of their cache
 * and of the eigenvector routines. */
#include "upsample_meshes.h"

#include "core/file.h"
#include "upsample/harmonics/harmonics.h"
#include "upsample/harmonics/laplacian.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

static vo_harmonics *make_harmonics(vo_context *ctx, const vo_upsample_mesh *m, int count) {
    vo_harmonics_def def = {.count = count};
    vo_harmonics *h;
    assert_ok(ctx, vo_harmonics_create(ctx, m, &def, &h));
    return h;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Largest difference of Q^T Q from the identity. */
static double orthonormality_error(const vo_harmonics *h) {
    double error = 0;
    int n = h->vertex_count;
    for (int a = 0; a < h->count; a++)
        for (int b = 0; b <= a; b++) {
            double d = dot(h->mode + (size_t)a * (size_t)n, h->mode + (size_t)b * (size_t)n, n);
            error = fmax(error, fabs(d - (a == b)));
        }
    return error;
}

/* Largest |L q - lambda q| relative to the largest eigenvalue. */
static double residual_error(vo_context *ctx, const vo_upsample_mesh *m, const vo_harmonics *h) {
    vo_laplacian l;
    assert_ok(ctx, vo_laplacian_create(ctx, m, &l));
    int n = h->vertex_count;
    double *entry = calloc((size_t)l.entry_count, sizeof *entry), *y = calloc((size_t)n, sizeof *y);
    vo_laplacian_symmetrise(&l, entry);
    vo_symmetric_matrix a = {n, l.first, l.column, entry};
    double error = 0;
    for (int k = 0; k < h->count; k++) {
        const double *q = h->mode + (size_t)k * (size_t)n;
        vo_symmetric_multiply(&a, q, y);
        for (int i = 0; i < n; i++) error = fmax(error, fabs(y[i] - h->value[k] * q[i]));
    }
    free(entry), free(y);
    vo_laplacian_free(&l);
    return error / h->value[h->count - 1];
}

/* ---- Laplacian ------------------------------------------------------------------------------ */

static void laplacian_is_symmetric_and_has_constant_null_vector(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh m;
    make_sphere(&m, 0.3, 9);
    vo_laplacian l;
    assert_ok(ctx, vo_laplacian_create(ctx, &m, &l));
    double total = 0;
    for (int i = 0; i < l.vertex_count; i++) {
        double sum = 0;
        for (int k = l.first[i]; k < l.first[i + 1]; k++) {
            sum += l.stiffness[k];
            int j = l.column[k];
            for (int back = l.first[j]; back < l.first[j + 1]; back++)
                if (l.column[back] == i) assert_near(l.stiffness[back], l.stiffness[k], 1e-12);
        }
        assert_near(sum, 0, 1e-12);
        total += l.area[i];
    }
    assert_near(total, l.total_area, 1e-12);
    assert_near(total, 4 * PI * 0.09, 0.03);
    vo_laplacian_free(&l);
    free_mesh(&m);
    vo_context_destroy(ctx);
}

/* The quadratic form of K is the Dirichlet energy: of a linear function, gradient^2 times area. */
static void laplacian_reproduces_dirichlet_energy_of_linear_functions(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh m;
    make_rectangle(&m, 1.3, 0.7, 14, 9);
    vo_laplacian l;
    assert_ok(ctx, vo_laplacian_create(ctx, &m, &l));
    double energy = 0;
    for (int i = 0; i < l.vertex_count; i++)
        for (int k = l.first[i]; k < l.first[i + 1]; k++) {
            vo_rt_vec3 a = m.position[i], b = m.position[l.column[k]];
            energy += l.stiffness[k] * (2.0 * a.x - 3.0 * a.z) * (2.0 * b.x - 3.0 * b.z);
        }
    assert_near(energy, 13 * 1.3 * 0.7, 1e-5);
    vo_laplacian_free(&l);
    free_mesh(&m);
    vo_context_destroy(ctx);
}

static void vertex_without_triangle_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh m;
    make_rectangle(&m, 1, 1, 4, 4);
    vo_upsample_mesh more = {0};
    allocate_mesh(&more, 17, m.triangle_count);
    memcpy(more.position, m.position, 16 * sizeof *m.position);
    memcpy(more.triangle, m.triangle, 3 * (size_t)m.triangle_count * sizeof *m.triangle);
    vo_laplacian l;
    assert_int_equal(vo_laplacian_create(ctx, &more, &l), VO_BAD_DATA);
    assert_message_contains(ctx, "vertex 16");
    free_mesh(&m), free_mesh(&more);
    vo_context_destroy(ctx);
}

/* ---- analytic modes ------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lowest `count` of pi^2 (i^2 / w^2 + j^2 / h^2). */
static void rectangle_spectrum(double w, double h, int count, double *value) {
    double all[400];
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++)
            all[20 * i + j] = PI * PI * (i * i / (w * w) + j * j / (h * h));
    qsort(all, 400, sizeof *all, compare_doubles);
    memcpy(value, all, (size_t)count * sizeof *value);
}

static void rectangle_has_cosine_modes(void **state) {
    (void)state;
    enum { COUNT = 30 };
    vo_context *ctx = test_context(1);
    const double w = 1, h = 0.618;
    vo_upsample_mesh m;
    make_rectangle(&m, w, h, 61, 38);
    vo_harmonics *q = make_harmonics(ctx, &m, COUNT);
    double expected[COUNT];
    rectangle_spectrum(w, h, COUNT, expected);
    assert_near(q->value[0], 0, 1e-7);
    for (int k = 1; k < COUNT; k++) assert_near(q->value[k] / expected[k], 1, 0.01);
    /* The second mode is cos(pi x / w), weighted by the root of the areas. */
    double *cosine = calloc((size_t)m.vertex_count, sizeof *cosine);
    for (int i = 0; i < m.vertex_count; i++)
        cosine[i] = cos(PI * (double)m.position[i].x / w) * sqrt(q->area[i]);
    double size = sqrt(dot(cosine, cosine, m.vertex_count));
    double *second = q->mode + m.vertex_count;
    assert_near(fabs(dot(cosine, second, m.vertex_count)) / size, 1, 1e-4);
    free(cosine);
    vo_harmonics_destroy(q);
    free_mesh(&m);
    vo_context_destroy(ctx);
}

static void sphere_has_spherical_harmonics(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double radius = 0.4;
    vo_upsample_mesh m;
    make_sphere(&m, radius, 40);
    vo_harmonics *q = make_harmonics(ctx, &m, 36);
    for (int degree = 0, k = 0; degree < 6; degree++)
        for (int order = 0; order < 2 * degree + 1; order++, k++) {
            double expected = degree * (degree + 1) / (radius * radius);
            assert_near(q->value[k], expected, 1e-6 + 0.02 * expected);
        }
    assert_true(orthonormality_error(q) < 1e-10); /* with multiple eigenvalues */
    vo_harmonics_destroy(q);
    free_mesh(&m);
    vo_context_destroy(ctx);
}

static void normalised_spectrum_follows_weyls_law(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int scale = 1; scale <= 1000; scale *= 1000) { /* in metres and in millimetres */
        vo_upsample_mesh m;
        make_rectangle(&m, scale, 0.7 * scale, 50, 35);
        vo_harmonics *q = make_harmonics(ctx, &m, 200);
        double expected = 199.0 / m.vertex_count;
        assert_near(vo_harmonics_normalised(q, 199) / expected, 1, 0.3);
        vo_harmonics_destroy(q);
        free_mesh(&m);
    }
    vo_context_destroy(ctx);
}

/* ---- basis ---------------------------------------------------------------------------------- */

static void modes_are_orthonormal_eigenvectors(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh m;
    make_rectangle(&m, 0.9, 0.6, 31, 21);
    int counts[] = {1, 2, 60, 150, m.vertex_count};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        vo_harmonics *q = make_harmonics(ctx, &m, counts[c]);
        assert_int_equal(q->count, counts[c]);
        assert_true(orthonormality_error(q) < 1e-10);
        if (counts[c] > 1) assert_true(residual_error(ctx, &m, q) < 1e-10);
        vo_harmonics_destroy(q);
    }
    free_mesh(&m);
    vo_context_destroy(ctx);
}

static void null_vector_is_root_of_areas(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh m;
    make_sphere(&m, 1, 12);
    vo_harmonics *q = make_harmonics(ctx, &m, 20);
    for (int i = 0; i < m.vertex_count; i++)
        assert_near(q->mode[i], sqrt(q->area[i] / q->total_area), 1e-9);
    vo_harmonics_destroy(q);
    free_mesh(&m);
    vo_context_destroy(ctx);
}

static void sparse_and_dense_modes_agree(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    if (!vo_eigen_lowest_available()) skip();
    vo_upsample_mesh m;
    make_rectangle(&m, 1, 0.618, 25, 16);
    vo_harmonics *few = make_harmonics(ctx, &m, 80), *all = make_harmonics(ctx, &m, 0);
    assert_int_equal(all->count, m.vertex_count);
    for (int k = 0; k < 80; k++) assert_near(few->value[k], all->value[k], 1e-8 * all->value[80]);
    for (int k = 0; k < 12; k++) { /* simple eigenvalues: equal up to the fixed sign */
        size_t at = (size_t)k * (size_t)m.vertex_count;
        assert_near(dot(few->mode + at, all->mode + at, m.vertex_count), 1, 1e-9);
    }
    vo_harmonics_destroy(few), vo_harmonics_destroy(all);
    free_mesh(&m);
    vo_context_destroy(ctx);
}

/* Number of zero eigenvalues: connected components. */
static int count_null_vectors(vo_context *ctx, const vo_upsample_mesh *m) {
    vo_harmonics *q = make_harmonics(ctx, m, 6);
    int count = 0;
    for (int k = 0; k < 6; k++) count += q->value[k] < 1e-6;
    vo_harmonics_destroy(q);
    return count;
}

/* Two panels with material coordinates far apart, sewn along an edge: nodes are shared. */
static void seams_connect_panels(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh m, apart;
    make_rectangle(&m, 2, 1, 21, 11);
    for (int t = 0; t < m.triangle_count; t++) {
        double x = 0;
        for (int k = 0; k < 3; k++) x += (double)m.coordinate[3 * t + k].x / 3;
        for (int k = 0; k < 3 && x > 1; k++) m.coordinate[3 * t + k].y += 5;
    }
    assert_int_equal(count_null_vectors(ctx, &m), 1);
    allocate_mesh(&apart, 2 * m.vertex_count, 2 * m.triangle_count);
    for (int i = 0; i < 2 * m.vertex_count; i++) apart.position[i] = m.position[i % m.vertex_count];
    for (int c = 0; c < 6 * m.triangle_count; c++) {
        int from = c % (3 * m.triangle_count);
        apart.triangle[c] = m.triangle[from] + (c == from ? 0 : m.vertex_count);
        apart.coordinate[c] = m.coordinate[from];
    }
    assert_int_equal(count_null_vectors(ctx, &apart), 2);
    free_mesh(&m), free_mesh(&apart);
    vo_context_destroy(ctx);
}

static void harmonics_do_not_depend_on_threads(void **state) {
    (void)state;
    vo_upsample_mesh m;
    make_rectangle(&m, 1, 1, 22, 23);
    vo_harmonics *first = NULL;
    vo_context *ctx[3];
    for (int threads = 1; threads <= 3; threads++) {
        ctx[threads - 1] = test_context(threads);
        vo_harmonics *q = make_harmonics(ctx[threads - 1], &m, 70);
        size_t bytes = (size_t)q->count * (size_t)q->vertex_count * sizeof(double);
        if (first) assert_memory_equal(first->mode, q->mode, bytes);
        if (first)
            vo_harmonics_destroy(q);
        else
            first = q;
    }
    vo_harmonics_destroy(first);
    for (int i = 0; i < 3; i++) vo_context_destroy(ctx[i]);
    free_mesh(&m);
}

/* ---- cache ---------------------------------------------------------------------------------- */

static vo_harmonics *make_cached(vo_context *ctx, const vo_upsample_mesh *m, int count) {
    vo_harmonics_def def = {.count = count};
    vo_harmonics *h;
    assert_ok(ctx, vo_harmonics_create(ctx, m, &def, &h));
    return h;
}

static void stored_harmonics_are_reused_for_the_same_mesh_only(void **state) {
    (void)state;
    const char *folder = test_folder();
    vo_context *ctx = test_context_cached(1, folder);
    vo_upsample_mesh m;
    make_rectangle(&m, 1, 1, 12, 12);
    for (int count = 30; count > 0; count -= 10) {
        vo_harmonics *fresh = make_cached(ctx, &m, count);
        assert_false(fresh->was_stored); /* other numbers of modes may be */
        vo_harmonics *stored = make_cached(ctx, &m, count);
        assert_true(stored->was_stored);
        assert_int_equal(stored->count, count);
        assert_memory_equal(stored->mode, fresh->mode, (size_t)count * 144 * sizeof(double));
        assert_memory_equal(stored->area, fresh->area, 144 * sizeof(double));
        assert_true(stored->total_area == fresh->total_area);
        vo_harmonics_destroy(stored), vo_harmonics_destroy(fresh);
    }
    m.position[40].x += 0.001f;
    vo_harmonics *other = make_cached(ctx, &m, 20);
    assert_false(other->was_stored);
    vo_harmonics_destroy(other);
    free_mesh(&m);
    vo_context_destroy(ctx);
}

static void damaged_cache_is_computed_again(void **state) {
    (void)state;
    const char *folder = test_folder();
    vo_context *ctx = test_context_cached(1, folder);
    vo_upsample_mesh m;
    make_rectangle(&m, 1, 1, 8, 8);
    vo_harmonics *fresh = make_cached(ctx, &m, 10);
    char path[VO_PATH_SIZE];
    snprintf(path, sizeof path, "%s/harmonics-%016llx.bin", folder, (unsigned long long)fresh->key);
    vo_bytes file;
    assert_ok(ctx, vo_file_read(ctx, path, &file));
    for (size_t at = 0; at < file.size; at += 97) {
        file.data[at] ^= 4;
        assert_ok(ctx, vo_file_write(ctx, path, file.data, file.size));
        vo_harmonics *h = make_cached(ctx, &m, 10);
        assert_false(h->was_stored);
        assert_memory_equal(h->mode, fresh->mode, 640 * sizeof(double));
        vo_harmonics_destroy(h);
        file.data[at] ^= 4;
        assert_ok(ctx, vo_file_write(ctx, path, file.data, at));
        h = make_cached(ctx, &m, 10);
        assert_false(h->was_stored);
        vo_harmonics_destroy(h);
    }
    vo_bytes_free(ctx, &file);
    vo_harmonics_destroy(fresh);
    free_mesh(&m);
    vo_context_destroy(ctx);
}

/* ---- failures ------------------------------------------------------------------------------- */

static vo_result compute_both(vo_context *ctx, void *arg) {
    for (int count = 0; count <= 10; count += 10) {
        vo_harmonics_def def = {.count = count};
        vo_harmonics *h;
        vo_result result = vo_harmonics_create(ctx, arg, &def, &h);
        if (result != VO_OK) assert_null(h);
        vo_harmonics_destroy(h);
        if (result != VO_OK) return result;
    }
    return VO_OK;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    vo_upsample_mesh m;
    make_rectangle(&m, 1, 1, 8, 8);
    test_every_allocation(compute_both, &m);
    free_mesh(&m);
}

static void indefinite_matrix_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    if (!vo_eigen_lowest_available()) skip();
    int first[5] = {0, 1, 2, 3, 4}, column[4] = {0, 1, 2, 3};
    double entry[4] = {1, 2, -3, 4}, value[2], vector[8];
    vo_symmetric_matrix a = {4, first, column, entry};
    assert_int_equal(vo_eigen_lowest(ctx, &a, 0.1, 2, value, vector), VO_BAD_DATA);
    assert_message_contains(ctx, "not positive semidefinite");
    vo_context_destroy(ctx);
}

/* Builds without the libraries say so. */
static int skip_without_eigenvectors(void **state) {
    (void)state;
    if (vo_eigen_all_available()) return 0;
    vo_context *ctx = test_context(1);
    vo_upsample_mesh m;
    make_rectangle(&m, 1, 1, 4, 4);
    vo_harmonics_def def = {0};
    vo_harmonics *h;
    assert_int_equal(vo_harmonics_create(ctx, &m, &def, &h), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "without LAPACK");
    free_mesh(&m);
    vo_context_destroy(ctx);
    exit(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplacian_is_symmetric_and_has_constant_null_vector),
        cmocka_unit_test(laplacian_reproduces_dirichlet_energy_of_linear_functions),
        cmocka_unit_test(vertex_without_triangle_is_reported),
        cmocka_unit_test(rectangle_has_cosine_modes),
        cmocka_unit_test(sphere_has_spherical_harmonics),
        cmocka_unit_test(normalised_spectrum_follows_weyls_law),
        cmocka_unit_test(modes_are_orthonormal_eigenvectors),
        cmocka_unit_test(null_vector_is_root_of_areas),
        cmocka_unit_test(sparse_and_dense_modes_agree),
        cmocka_unit_test(seams_connect_panels),
        cmocka_unit_test(harmonics_do_not_depend_on_threads),
        cmocka_unit_test(stored_harmonics_are_reused_for_the_same_mesh_only),
        cmocka_unit_test(damaged_cache_is_computed_again),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(indefinite_matrix_is_reported),
    };
    return cmocka_run_group_tests(tests, skip_without_eigenvectors, NULL);
}
