/* Dense references and random systems for the tests of linalg/. */
#ifndef VOILE_TESTS_LINALG_DENSE_H
#define VOILE_TESTS_LINALG_DENSE_H

#include "support.h"

#include "core/context.h"
#include "core/memory.h"
#include "core/random.h"
#include "linalg/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pattern, its matrix and a right-hand side of one context. */
typedef struct block_system {
    vo_context *ctx;
    vo_block_pattern pattern;
    vo_block_matrix a;
    vo_vec4 *b, *x; /* [row_count] */
} block_system;

static inline float *block_at(const vo_block_matrix *a, int k) {
    return a->block + (size_t)k * VO_BLOCK_FLOATS;
}

static inline vo_vec4 random_vec4(vo_random *random) {
    vo_vec4 v = {0, 0, 0, 0};
    v.x = vo_random_real(random, -1, 1);
    v.y = vo_random_real(random, -1, 1);
    v.z = vo_random_real(random, -1, 1);
    return v;
}

/* Random values in the upper triangle and the diagonal blocks, which are increased by `shift` times
 * the absolute row sum: above 1 the matrix is positive definite. */
static inline void fill_random(block_system *s, double shift, uint64_t seed) {
    const vo_block_pattern *p = &s->pattern;
    vo_random random = vo_random_seed(seed);
    double *weight = calloc((size_t)p->row_count + 1, sizeof *weight);
    for (int i = 0; i < p->row_count; i++) {
        for (int k = p->diagonal[i]; k < p->row_start[i + 1]; k++) {
            float *m = block_at(&s->a, k);
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++) m[4 * c + r] = (float)vo_random_real(&random, -1, 1);
            for (int e = 0; e < VO_BLOCK_FLOATS; e++) {
                weight[i] += fabs((double)m[e]);
                if (p->column[k] != i) weight[p->column[k]] += fabs((double)m[e]);
            }
        }
    }
    for (int i = 0; i < p->row_count; i++) {
        float *m = block_at(&s->a, p->diagonal[i]);
        m[0] += (float)(shift * weight[i]);
        m[5] += (float)(shift * weight[i]);
        m[10] += (float)(shift * weight[i]);
        s->b[i] = random_vec4(&random);
    }
    free(weight);
    vo_block_matrix_symmetrise(s->ctx, &s->a);
}

static inline void make_system(block_system *s, vo_context *ctx, int rows, int pair_count,
                               const int (*pairs)[2]) {
    *s = (block_system){.ctx = ctx};
    assert_ok(ctx, vo_block_pattern_build(ctx, rows, pair_count, pairs, &s->pattern));
    assert_ok(ctx, vo_block_matrix_init(ctx, &s->pattern, &s->a));
    s->b = calloc((size_t)rows + 1, sizeof *s->b);
    s->x = calloc((size_t)rows + 1, sizeof *s->x);
}

/* A chain with random shortcuts of up to `max_distance` rows. */
static inline void make_random_system(block_system *s, vo_context *ctx, int rows, int max_distance,
                                      double shift, uint64_t seed) {
    vo_random random = vo_random_seed(seed);
    int count = 3 * rows, (*pairs)[2] = malloc((size_t)count * sizeof *pairs);
    for (int k = 0; k < count; k++) {
        pairs[k][0] = k < rows ? k : vo_random_int(&random, rows);
        int far = pairs[k][0] + (k < rows ? 1 : vo_random_int(&random, max_distance + 1));
        pairs[k][1] = far < rows ? far : rows - 1;
    }
    make_system(s, ctx, rows, count, (const int(*)[2])pairs);
    free(pairs);
    fill_random(s, shift, seed + 1);
}

static inline void free_system(block_system *s) {
    vo_block_matrix_free(s->ctx, &s->a);
    vo_block_pattern_free(&s->pattern);
    free(s->b);
    free(s->x);
}

/* The matrix as n x n doubles, n = 3 rows, from the upper triangle alone. */
static inline double *dense_matrix(const block_system *s) {
    const vo_block_pattern *p = &s->pattern;
    size_t n = 3 * (size_t)p->row_count;
    double *d = calloc(n * n + 1, sizeof *d);
    for (int i = 0; i < p->row_count; i++)
        for (int k = p->diagonal[i]; k < p->row_start[i + 1]; k++)
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++) {
                    size_t row = 3 * (size_t)i + (size_t)r;
                    size_t column = 3 * (size_t)p->column[k] + (size_t)c;
                    d[row * n + column] = d[column * n + row] =
                        (double)block_at(&s->a, k)[4 * c + r];
                }
    return d;
}

static inline double *dense_vector(const vo_vec4 *v, int rows) {
    double *d = calloc(3 * (size_t)rows + 1, sizeof *d);
    for (int i = 0; i < rows; i++) d[3 * i] = v[i].x, d[3 * i + 1] = v[i].y, d[3 * i + 2] = v[i].z;
    return d;
}

/* Dense Cholesky solve; the solution replaces b. Fails the test if m is not positive definite. */
static inline void dense_solve(double *m, double *b, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = m[i * n + j];
            for (int k = 0; k < j; k++) sum -= m[i * n + k] * m[j * n + k];
            if (i == j) assert_true(sum > 0);
            m[i * n + j] = i == j ? sqrt(sum) : sum / m[j * n + j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= m[i * n + k] * b[k];
        b[i] /= m[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= m[k * n + i] * b[k];
        b[i] /= m[i * n + i];
    }
}

/* Asserts |x - y| <= tolerance |y| in the largest entry. */
static inline void assert_close(const vo_vec4 *x, const double *y, int rows, double tolerance) {
    double error = 0, size = 0;
    double *d = dense_vector(x, rows);
    for (int i = 0; i < 3 * rows; i++) {
        error = fmax(error, fabs(d[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    free(d);
    if (!(error <= tolerance * size)) fail_msg("error %g of %g", error, size);
}

static inline bool all_finite(const vo_vec4 *v, int rows) {
    for (int i = 0; i < rows; i++)
        if (!isfinite(v[i].x) || !isfinite(v[i].y) || !isfinite(v[i].z)) return false;
    return true;
}

#endif
