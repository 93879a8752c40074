/* ARPACK: Lehoucq, Sorensen, Yang 1998, "ARPACK users' guide", mode 1 on the inverse of the shifted
 * matrix. */
#include "linalg/eigen.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

void vo_symmetric_multiply(const vo_symmetric_matrix *a, const double *x, double *y) {
    for (int i = 0; i < a->row_count; i++) {
        double sum = 0;
        for (int k = a->first[i]; k < a->first[i + 1]; k++) sum += a->value[k] * x[a->column[k]];
        y[i] = sum;
    }
}

#ifdef VO_HAVE_LAPACK

#include <lapacke.h>

#ifdef VO_HAVE_OPENBLAS
void openblas_set_num_threads(int count);
int openblas_get_num_threads(void);

/* Limits OpenBLAS to one thread; returns the number before. */
static int begin_blas(void) {
    int threads = openblas_get_num_threads();
    openblas_set_num_threads(1);
    return threads;
}

static void end_blas(int threads) { openblas_set_num_threads(threads); }
#else
static int begin_blas(void) { return 1; }
static void end_blas(int threads) { (void)threads; }
#endif

bool vo_eigen_all_available(void) { return true; }

static lapack_int decompose(vo_context *ctx, int n, double *matrix, double *value) {
    double work_size;
    lapack_int index_size, info;
    info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, matrix, n, value, &work_size, -1,
                               &index_size, -1);
    if (info) return info;
    size_t words = (size_t)work_size;
    double *work = vo_new_array(ctx, double, words);
    lapack_int *index = vo_new_array(ctx, lapack_int, index_size);
    info = work && index ? LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, matrix, n, value,
                                               work, (lapack_int)words, index, index_size)
                         : LAPACK_WORK_MEMORY_ERROR;
    vo_free_array(ctx, work, words);
    vo_free_array(ctx, index, (size_t)index_size);
    return info;
}

/* Columns of LAPACK's matrix are rows in C. */
vo_result vo_eigen_all(vo_context *ctx, int n, double *matrix, double *value) {
    int threads = begin_blas();
    lapack_int info = decompose(ctx, n, matrix, value);
    end_blas(threads);
    if (info == LAPACK_WORK_MEMORY_ERROR) return vo_fail_memory(ctx, "eigenvectors");
    if (info)
        return vo_fail(ctx, VO_BAD_DATA, "LAPACK found no eigenvectors of a matrix of %d rows (%d)",
                       n, (int)info);
    return VO_OK;
}

#else

bool vo_eigen_all_available(void) { return false; }

vo_result vo_eigen_all(vo_context *ctx, int n, double *matrix, double *value) {
    (void)n, (void)matrix, (void)value;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "this build cannot compute eigenvectors (it was made without LAPACK)");
}

#endif

#if defined(VO_HAVE_ARPACK) && defined(VO_HAVE_CHOLMOD) && defined(VO_HAVE_LAPACK)

#include <arpack.h>
#include <cholmod.h>

bool vo_eigen_lowest_available(void) { return true; }

/* ---- inverse of the shifted matrix ---------------------------------------------------------- */

/* Simplicial, so that the bits do not depend on BLAS. */
typedef struct inverse {
    cholmod_common common;
    cholmod_sparse *a;
    cholmod_factor *factor;
    cholmod_dense *b;
    cholmod_dense *x, *y, *e; /* of cholmod_solve2, reused */
} inverse;

static void free_inverse(inverse *v) {
    cholmod_free_sparse(&v->a, &v->common);
    cholmod_free_factor(&v->factor, &v->common);
    cholmod_free_dense(&v->b, &v->common);
    cholmod_free_dense(&v->x, &v->common);
    cholmod_free_dense(&v->y, &v->common);
    cholmod_free_dense(&v->e, &v->common);
    cholmod_finish(&v->common);
}

/* Copies the upper triangle by columns, which are the lower parts of the rows. */
static void copy_triangle(const vo_symmetric_matrix *m, double shift, cholmod_sparse *a) {
    int *start = a->p, *row = a->i, count = 0;
    double *value = a->x;
    for (int j = 0; j < m->row_count; j++) {
        start[j] = count;
        for (int k = m->first[j]; k < m->first[j + 1] && m->column[k] <= j; k++) {
            row[count] = m->column[k];
            value[count++] = m->value[k] + (m->column[k] == j ? shift : 0);
        }
    }
    start[m->row_count] = count;
}

static bool make_inverse(const vo_symmetric_matrix *m, double shift, inverse *v) {
    memset(v, 0, sizeof *v);
    cholmod_start(&v->common);
    v->common.print = 0;
    v->common.supernodal = CHOLMOD_SIMPLICIAL;
    v->common.final_ll = 1;
    v->common.nmethods = 1;
    v->common.method[0].ordering = CHOLMOD_AMD;
    v->common.postorder = 1;
    size_t n = (size_t)m->row_count, entries = (size_t)m->first[n];
    v->a = cholmod_allocate_sparse(n, n, entries, 1, 1, 1, CHOLMOD_REAL, &v->common);
    v->b = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &v->common);
    if (!v->a || !v->b) return false;
    copy_triangle(m, shift, v->a);
    v->factor = cholmod_analyze(v->a, &v->common);
    return v->factor && cholmod_factorize(v->a, v->factor, &v->common) &&
           v->common.status == CHOLMOD_OK;
}

/* y = (A + shift I)^-1 x */
static bool apply_inverse(inverse *v, const double *x, double *y) {
    size_t bytes = v->b->nrow * sizeof(double);
    memcpy(v->b->x, x, bytes);
    if (!cholmod_solve2(CHOLMOD_A, v->factor, v->b, NULL, &v->x, NULL, &v->y, &v->e, &v->common))
        return false;
    memcpy(y, v->x->x, bytes);
    return true;
}

/* ---- iteration ------------------------------------------------------------------------------ */

typedef struct lanczos {
    int n, count, basis; /* rows, wanted vectors, vectors of the Krylov basis */
    double *start;       /* [n] */
    double *v;           /* [basis][n] */
    double *work;        /* [3 n] */
    double *scratch;     /* [scratch_count] */
    int scratch_count;
    int *select; /* [basis] */
} lanczos;

static void free_lanczos(vo_context *ctx, lanczos *z) {
    vo_free_array(ctx, z->start, z->n);
    vo_free_array(ctx, z->v, (size_t)z->basis * (size_t)z->n);
    vo_free_array(ctx, z->work, 3 * (size_t)z->n);
    vo_free_array(ctx, z->scratch, z->scratch_count);
    vo_free_array(ctx, z->select, z->basis);
}

/* A larger basis needs fewer restarts but more orthogonalisation; for 500 of 7,000 a quarter more
 * than wanted is fastest. */
static bool make_lanczos(vo_context *ctx, int n, int count, lanczos *z) {
    int basis = count + count / 4 + 20;
    *z = (lanczos){.n = n, .count = count, .basis = basis < n ? basis : n};
    z->scratch_count = z->basis * (z->basis + 8);
    z->start = vo_new_array(ctx, double, n);
    z->v = vo_new_array(ctx, double, (size_t)z->basis *(size_t)n);
    z->work = vo_alloc_zero(ctx, 3 * (size_t)n * sizeof(double));
    z->scratch = vo_alloc_zero(ctx, (size_t)z->scratch_count * sizeof(double));
    z->select = vo_alloc_zero(ctx, (size_t)z->basis * sizeof(int));
    if (!z->start || !z->v || !z->work || !z->scratch || !z->select) return false;
    for (int i = 0; i < n; i++) z->start[i] = 1 + 0.5 * sin(1.7 * i + 0.3 * sin(0.01 * i));
    return true;
}

enum { MAX_RESTARTS = 300, POLL_INTERVAL = 64 };

static vo_result fail_iteration(vo_context *ctx, const lanczos *z, int info) {
    return vo_fail(ctx, VO_BAD_DATA,
                   "ARPACK did not find %d eigenvectors of a matrix of %d rows (%d)", z->count,
                   z->n, info);
}

/* Reverse communication: ARPACK returns whenever it needs a product with the inverse. */
static vo_result iterate(vo_context *ctx, lanczos *z, inverse *v, int *param, int *pointer) {
    int task = 0, info = 1;
    for (int step = 0;; step++) {
        dsaupd_c(&task, "I", z->n, "LM", z->count, 0, z->start, z->basis, z->v, z->n, param,
                 pointer, z->work, z->scratch, z->scratch_count, &info);
        if (task != 1 && task != -1) break;
        if (step % POLL_INTERVAL == 0) VO_TRY(vo_check_cancel(ctx));
        if (!apply_inverse(v, z->work + pointer[0] - 1, z->work + pointer[1] - 1))
            return vo_fail_memory(ctx, "eigenvectors");
    }
    return info == 0 ? VO_OK : fail_iteration(ctx, z, info);
}

/* Eigenvalues m of the inverse are ascending, so those of A, 1 / m - shift, are descending. */
static void reverse_order(double shift, int n, int count, double *value, double *vector) {
    for (int i = 0; i < count; i++) value[i] = 1 / value[i] - shift;
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        double *a = vector + (size_t)i * (size_t)n, *b = vector + (size_t)j * (size_t)n, t;
        t = value[i], value[i] = value[j], value[j] = t;
        for (int k = 0; k < n; k++) t = a[k], a[k] = b[k], b[k] = t;
    }
}

static vo_result run_lanczos(vo_context *ctx, lanczos *z, inverse *v, double *value,
                             double *vector) {
    int param[11] = {1, 0, MAX_RESTARTS, 1, 0, 0, 1}, pointer[11] = {0}, info = 0;
    VO_TRY(iterate(ctx, z, v, param, pointer));
    dseupd_c(1, "A", z->select, value, vector, z->n, 0, "I", z->n, "LM", z->count, 0, z->start,
             z->basis, z->v, z->n, param, pointer, z->work, z->scratch, z->scratch_count, &info);
    return info == 0 && param[4] == z->count ? VO_OK : fail_iteration(ctx, z, info);
}

static vo_result find_lowest(vo_context *ctx, const vo_symmetric_matrix *a, double shift, int count,
                             double *value, double *vector) {
    inverse v;
    lanczos z = {0};
    vo_result result = VO_OK;
    if (!make_inverse(a, shift, &v))
        result = v.common.status == CHOLMOD_NOT_POSDEF
                     ? vo_fail(ctx, VO_BAD_DATA, "the matrix is not positive semidefinite")
                     : vo_fail_memory(ctx, "eigenvectors");
    else if (!make_lanczos(ctx, a->row_count, count, &z))
        result = vo_fail_memory(ctx, "eigenvectors");
    else
        result = run_lanczos(ctx, &z, &v, value, vector);
    if (result == VO_OK) reverse_order(shift, a->row_count, count, value, vector);
    free_inverse(&v);
    free_lanczos(ctx, &z);
    return result;
}

vo_result vo_eigen_lowest(vo_context *ctx, const vo_symmetric_matrix *a, double shift, int count,
                          double *value, double *vector) {
    VO_REQUIRE(ctx, count >= 1 && count < a->row_count && shift > 0);
    int threads = begin_blas();
    vo_result result = find_lowest(ctx, a, shift, count, value, vector);
    end_blas(threads);
    return result;
}

#else

bool vo_eigen_lowest_available(void) { return false; }

vo_result vo_eigen_lowest(vo_context *ctx, const vo_symmetric_matrix *a, double shift, int count,
                          double *value, double *vector) {
    (void)a, (void)shift, (void)count, (void)value, (void)vector;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "this build cannot compute the lowest eigenvectors of a sparse matrix (it was "
                   "made without ARPACK, LAPACK or CHOLMOD)");
}

#endif
