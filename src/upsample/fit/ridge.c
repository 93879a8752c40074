#include "upsample/fit/ridge.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <string.h>

vo_result vo_ridge_create(vo_context *ctx, int size, const double *gram, vo_ridge *out) {
    size_t n = (size_t)size;
    *out = (vo_ridge){.ctx = ctx, .size = size};
    out->vector = vo_new_array(ctx, double, n *n);
    out->value = vo_new_array(ctx, double, n);
    vo_result result = out->vector && out->value ? VO_OK : vo_fail_memory(ctx, "a fit");
    if (result == VO_OK) {
        memcpy(out->vector, gram, n * n * sizeof *gram);
        result = vo_eigen_all(ctx, size, out->vector, out->value);
    }
    if (result != VO_OK) vo_ridge_free(out);
    return result;
}

void vo_ridge_free(vo_ridge *r) {
    size_t n = (size_t)r->size;
    vo_free_array(r->ctx, r->vector, n * n);
    vo_free_array(r->ctx, r->value, n);
    *r = (vo_ridge){.ctx = r->ctx};
}

typedef struct scale_job {
    const vo_ridge *ridge;
    const double *penalty;
    double *coefficient; /* [rows][size] */
} scale_job;

/* Eigenvalues below this fraction of the largest are rounding errors of zero. */
static const double NULL_VALUE = 1e-12;

static void scale_rows(void *arg, int begin, int end, int chunk) {
    const scale_job *job = arg;
    const vo_ridge *r = job->ridge;
    double least = NULL_VALUE * r->value[r->size - 1];
    (void)chunk;
    for (int k = begin; k < end; k++)
        for (int i = 0; i < r->size; i++) {
            double *c = &job->coefficient[(size_t)k * (size_t)r->size + (size_t)i];
            *c = r->value[i] > least ? *c / (r->value[i] + job->penalty[k]) : 0;
        }
}

vo_result vo_ridge_solve(const vo_ridge *r, int rows, const double *b, const double *penalty,
                         double *x) {
    size_t count = (size_t)rows * (size_t)r->size;
    double *coefficient = vo_new_array(r->ctx, double, count);
    if (!coefficient) return vo_fail_memory(r->ctx, "a fit");
    vo_result result =
        vo_dense_multiply_nt(r->ctx, rows, r->size, r->size, b, r->vector, coefficient);
    if (result == VO_OK) {
        scale_job job = {r, penalty, coefficient};
        vo_parallel_for(r->ctx, rows, 64, scale_rows, &job);
        result = vo_dense_multiply_nn(r->ctx, rows, r->size, r->size, coefficient, r->vector, x);
    }
    vo_free_array(r->ctx, coefficient, count);
    return result;
}
