/* Direct solver: CHOLMOD's simplicial L Lt.
 *
 * The simplicial factorisation is plain C without BLAS: its bits depend on the matrix alone. The
 * supernodal one is several times faster on large matrices, but its summation order depends on the
 * number of threads of OpenBLAS, a process-wide setting that a library must not change. */
#include "linalg/solver.h"

#include "core/memory.h"

#include <math.h>

#ifdef VO_HAVE_CHOLMOD

#include <cholmod.h>

struct vo_direct {
    vo_context *ctx;
    const vo_block_pattern *pattern;
    cholmod_common common;
    cholmod_sparse *a; /* upper triangle as scalars */
    cholmod_factor *factor;
    cholmod_dense *b;
    vo_vec4 *product; /* [row_count] A x, for the residual */
};

bool vo_direct_available(void) { return true; }

/* Counts the scalars on and above the diagonal. */
static int64_t count_scalars(const vo_block_pattern *p) {
    int64_t count = 0;
    for (int j = 0; j < p->row_count; j++)
        count += 9 * (int64_t)(p->diagonal[j] - p->row_start[j]) + 6;
    return count;
}

/* Fills column pointers and row indices. Block (i, j) above the diagonal is visited as its
 * transpose (j, i), so that each column is ascending. */
static void expand_pattern(const vo_block_pattern *p, cholmod_sparse *a) {
    int *start = a->p, *row = a->i, count = 0;
    for (int j = 0; j < p->row_count; j++) {
        for (int c = 0; c < 3; c++) {
            start[3 * j + c] = count;
            for (int k = p->row_start[j]; k < p->diagonal[j]; k++)
                for (int r = 0; r < 3; r++) row[count++] = 3 * p->column[k] + r;
            for (int r = 0; r <= c; r++) row[count++] = 3 * j + r;
        }
    }
    start[3 * p->row_count] = count;
}

/* Fills the values in the same order: element (r, c) of block (i, j) is element (c, r) of (j, i).
 */
static void expand_numbers(const vo_block_matrix *m, cholmod_sparse *a) {
    const vo_block_pattern *p = m->pattern;
    double *value = a->x;
    size_t count = 0;
    for (int j = 0; j < p->row_count; j++) {
        const float *diagonal = m->block + (size_t)p->diagonal[j] * VO_BLOCK_FLOATS;
        for (int c = 0; c < 3; c++) {
            for (int k = p->row_start[j]; k < p->diagonal[j]; k++)
                for (int r = 0; r < 3; r++)
                    value[count++] = (double)m->block[(size_t)k * VO_BLOCK_FLOATS + 4 * r + c];
            for (int r = 0; r <= c; r++) value[count++] = (double)diagonal[4 * c + r];
        }
    }
}

/* Configures CHOLMOD: no output, no BLAS, failure on a pivot that is not positive. */
static void configure(cholmod_common *common) {
    cholmod_start(common);
    common->print = 0;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->final_ll = 1;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_AMD;
    common->postorder = 1;
}

static bool analyse(vo_direct *d) {
    size_t n = 3 * (size_t)d->pattern->row_count;
    int64_t count = count_scalars(d->pattern);
    d->a = cholmod_allocate_sparse(n, n, (size_t)count, 1, 1, 1, CHOLMOD_REAL, &d->common);
    d->b = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &d->common);
    d->product = vo_new_array(d->ctx, vo_vec4, (size_t)d->pattern->row_count + 1);
    if (!d->a || !d->b || !d->product) return false;
    expand_pattern(d->pattern, d->a);
    d->factor = cholmod_analyze(d->a, &d->common);
    return d->factor != NULL;
}

vo_result vo_direct_create(vo_context *ctx, const vo_block_pattern *pattern, vo_direct **out) {
    *out = NULL;
    if (count_scalars(pattern) > INT32_MAX)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%d rows are too many for the direct solver",
                       pattern->row_count);
    vo_direct *d = vo_new(ctx, vo_direct);
    if (!d) return vo_fail_memory(ctx, "a direct solver");
    d->ctx = ctx;
    d->pattern = pattern;
    configure(&d->common);
    if (!analyse(d)) {
        vo_direct_destroy(d);
        return vo_fail_memory(ctx, "a direct solver");
    }
    *out = d;
    return VO_OK;
}

void vo_direct_destroy(vo_direct *d) {
    if (!d) return;
    cholmod_free_sparse(&d->a, &d->common);
    cholmod_free_dense(&d->b, &d->common);
    cholmod_free_factor(&d->factor, &d->common);
    cholmod_finish(&d->common);
    vo_free_array(d->ctx, d->product, (size_t)d->pattern->row_count + 1);
    vo_delete(d->ctx, d);
}

static bool is_finite(const double *value, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(value[i])) return false;
    return true;
}

/* CHOLMOD accepts an infinite pivot as a large one, so the values are checked first. */
bool vo_direct_factor(vo_direct *d, const vo_block_matrix *a) {
    expand_numbers(a, d->a);
    if (!is_finite(d->a->x, (size_t)count_scalars(d->pattern))) return false;
    if (!cholmod_factorize(d->a, d->factor, &d->common)) return false;
    return d->common.status == CHOLMOD_OK; /* otherwise not positive definite */
}

bool vo_direct_apply(vo_direct *d, const vo_vec4 *b, vo_vec4 *x) {
    double *right = d->b->x;
    int n = d->pattern->row_count;
    for (int i = 0; i < n; i++) {
        right[3 * i] = b[i].x;
        right[3 * i + 1] = b[i].y;
        right[3 * i + 2] = b[i].z;
    }
    cholmod_dense *solution = cholmod_solve(CHOLMOD_A, d->factor, d->b, &d->common);
    if (!solution) return false;
    const double *value = solution->x;
    bool finite = is_finite(value, 3 * (size_t)n);
    for (int i = 0; finite && i < n; i++)
        x[i] = (vo_vec4){value[3 * i], value[3 * i + 1], value[3 * i + 2], 0};
    cholmod_free_dense(&solution, &d->common);
    return finite;
}

/* |b - A x| / |b| */
static double relative_residual(vo_direct *d, const vo_block_matrix *a, const vo_vec4 *b,
                                const vo_vec4 *x) {
    vo_block_matrix_multiply(d->ctx, a, x, d->product);
    double rest = 0, all = 0;
    for (int i = 0; i < d->pattern->row_count; i++) {
        double e[3] = {b[i].x - d->product[i].x, b[i].y - d->product[i].y,
                       b[i].z - d->product[i].z};
        rest += e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        all += b[i].x * b[i].x + b[i].y * b[i].y + b[i].z * b[i].z;
    }
    return all > 0 ? sqrt(rest / all) : 0;
}

vo_solve_report vo_direct_solve(vo_direct *d, const vo_block_matrix *a, const vo_vec4 *b,
                                vo_vec4 *x) {
    if (!vo_direct_factor(d, a) || !vo_direct_apply(d, b, x))
        return (vo_solve_report){.residual = 1};
    return (vo_solve_report){.converged = true, .residual = relative_residual(d, a, b, x)};
}

#else

bool vo_direct_available(void) { return false; }

vo_result vo_direct_create(vo_context *ctx, const vo_block_pattern *pattern, vo_direct **out) {
    (void)pattern;
    *out = NULL;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "this build has no direct solver (it was made without CHOLMOD)");
}

void vo_direct_destroy(vo_direct *direct) { (void)direct; }

bool vo_direct_factor(vo_direct *direct, const vo_block_matrix *a) {
    (void)direct;
    (void)a;
    return false;
}

bool vo_direct_apply(vo_direct *direct, const vo_vec4 *b, vo_vec4 *x) {
    (void)direct;
    (void)b;
    (void)x;
    return false;
}

vo_solve_report vo_direct_solve(vo_direct *direct, const vo_block_matrix *a, const vo_vec4 *b,
                                vo_vec4 *x) {
    (void)direct;
    (void)a;
    (void)b;
    (void)x;
    return (vo_solve_report){.residual = 1};
}

#endif

vo_result vo_direct_solve_coupled(vo_context *ctx, const vo_block_matrix *a,
                                  const vo_couplings *couplings, const vo_vec4 *b, vo_vec4 *x,
                                  vo_solve_report *report) {
    *report = (vo_solve_report){.residual = 1};
    vo_block_pattern pattern;
    vo_block_matrix merged;
    vo_direct *direct;
    VO_TRY(vo_couplings_merge(ctx, couplings, a, &pattern, &merged));
    vo_result result = vo_direct_create(ctx, &pattern, &direct);
    if (result == VO_OK) *report = vo_direct_solve(direct, &merged, b, x);
    vo_direct_destroy(direct);
    vo_block_matrix_free(ctx, &merged);
    vo_block_pattern_free(&pattern);
    return result;
}
