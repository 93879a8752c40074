/* Tracking constraints: memory, factorisation, projection. */
#include "upsample/simulate/tracking.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };
/* Fraction of a diagonal element below which a test function depends on the previous ones. */
static const double DEPENDENT = 1e-9;

typedef vo_upsample_tracking tracking;

static const vo_upsample_tracking_kernels *kernels(const tracking *t) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (t->ctx->use_avx2) return &vo_upsample_tracking_kernels_avx2;
#endif
    (void)t;
    return &vo_upsample_tracking_kernels_base;
}

static size_t weight_count(const tracking *t) {
    return (size_t)t->group_count * (size_t)t->vertex_count * LANES;
}

/* Elements of a [3][8 group_count] array. */
static size_t padded_count(const tracking *t) { return (size_t)t->group_count * LANES * 3; }

static bool allocate(tracking *t) {
    size_t count = (size_t)t->count;
    t->weight = vo_alloc_zero(t->ctx, weight_count(t) * sizeof *t->weight);
    t->inverse_mass = vo_alloc_zero(t->ctx, (size_t)t->vertex_count * sizeof *t->inverse_mass);
    t->factor = vo_alloc_zero(t->ctx, count * count * sizeof *t->factor);
    t->inverse = vo_alloc_zero(t->ctx, count * sizeof *t->inverse);
    t->sum = vo_alloc_zero(t->ctx, padded_count(t) * sizeof *t->sum);
    t->difference = vo_alloc_zero(t->ctx, 3 * count * sizeof *t->difference);
    t->lambda = vo_alloc_zero(t->ctx, padded_count(t) * sizeof *t->lambda);
    return t->weight && t->inverse_mass && t->factor && t->inverse && t->sum && t->difference &&
           t->lambda;
}

void vo_upsample_tracking_destroy(tracking *t) {
    if (!t) return;
    size_t count = (size_t)t->count;
    vo_free(t->ctx, t->weight, weight_count(t) * sizeof *t->weight);
    vo_free_array(t->ctx, t->inverse_mass, t->vertex_count);
    vo_free(t->ctx, t->factor, count * count * sizeof *t->factor);
    vo_free_array(t->ctx, t->inverse, count);
    vo_free(t->ctx, t->sum, padded_count(t) * sizeof *t->sum);
    vo_free_array(t->ctx, t->difference, 3 * count);
    vo_free(t->ctx, t->lambda, padded_count(t) * sizeof *t->lambda);
    vo_delete(t->ctx, t);
}

/* Weight of test function k at vertex i. */
static float *weight_at(const tracking *t, int k, int i) {
    size_t group = (size_t)(k / LANES) * (size_t)t->vertex_count;
    return &t->weight[(group + (size_t)i) * LANES + (size_t)(k % LANES)];
}

vo_result vo_upsample_tracking_create(vo_context *ctx, int count, int vertex_count,
                                      const float *rows, tracking **out) {
    VO_REQUIRE(ctx, count > 0 && count <= vertex_count);
    tracking *t = *out = vo_new(ctx, tracking);
    if (!t) return vo_fail_memory(ctx, "tracking constraints");
    *t = (tracking){.ctx = ctx,
                    .count = count,
                    .group_count = (count + LANES - 1) / LANES,
                    .vertex_count = vertex_count};
    if (!allocate(t)) {
        vo_upsample_tracking_destroy(t);
        *out = NULL;
        return vo_fail_memory(ctx, "tracking constraints");
    }
    for (int k = 0; k < count; k++)
        for (int i = 0; i < vertex_count; i++)
            *weight_at(t, k, i) = rows[(size_t)k * (size_t)vertex_count + (size_t)i];
    return VO_OK;
}

/* ---- factorisation -------------------------------------------------------------------------- */

/* Element (a, b) of T W T^T. */
static double mass_product(const tracking *t, int a, int b) {
    const float *u = weight_at(t, a, 0), *v = weight_at(t, b, 0);
    double sum = 0;
    for (int i = 0; i < t->vertex_count; i++)
        sum += (double)u[(size_t)i * LANES] * (double)v[(size_t)i * LANES] *
               (double)t->inverse_mass[i];
    return sum;
}

/* Cholesky factorisation in place, by rows; rows that depend on previous ones are skipped. */
static void factorise(tracking *t) {
    int n = t->count;
    for (int a = 0; a < n; a++) {
        double *row = t->factor + (size_t)a * (size_t)n;
        double diagonal = row[a], rest = diagonal;
        for (int b = 0; b < a; b++) {
            const double *other = t->factor + (size_t)b * (size_t)n;
            double s = row[b];
            for (int k = 0; k < b; k++) s -= row[k] * other[k];
            row[b] = s * t->inverse[b];
            rest -= row[b] * row[b];
        }
        bool is_independent = rest > DEPENDENT * diagonal && rest > 0;
        row[a] = is_independent ? sqrt(rest) : 0;
        t->inverse[a] = is_independent ? 1 / row[a] : 0;
    }
}

/* Factorises the matrix of the current free vertices. */
static void update_factor(tracking *t, const float *positions) {
    bool is_current = t->has_factor;
    for (int i = 0; is_current && i < t->vertex_count; i++)
        is_current = t->inverse_mass[i] == positions[4 * (size_t)i + 3];
    if (is_current) return;
    t->mass = 0;
    for (int i = 0; i < t->vertex_count; i++) {
        float w = positions[4 * (size_t)i + 3];
        t->inverse_mass[i] = w;
        if (w > 0) t->mass += 1 / (double)w;
    }
    for (int a = 0; a < t->count; a++)
        for (int b = 0; b <= a; b++)
            t->factor[(size_t)a * (size_t)t->count + (size_t)b] = mass_product(t, a, b);
    factorise(t);
    t->has_factor = true;
}

/* Solves L y = b in place; entries of ignored rows become 0. */
static void solve_lower(const tracking *t, double *b) {
    int n = t->count;
    for (int a = 0; a < n; a++) {
        const double *row = t->factor + (size_t)a * (size_t)n;
        for (int k = 0; k < a; k++) b[a] -= row[k] * b[k];
        b[a] *= t->inverse[a];
    }
}

/* Solves L^T x = y in place. */
static void solve_upper(const tracking *t, double *b) {
    int n = t->count;
    for (int a = n - 1; a >= 0; a--) {
        const double *row = t->factor + (size_t)a * (size_t)n;
        b[a] *= t->inverse[a];
        for (int k = 0; k < a; k++) b[k] -= row[k] * b[a];
    }
}

/* ---- projection ----------------------------------------------------------------------------- */

void vo_upsample_tracking_measure(tracking *t, const float *positions, double *out) {
    int stride = t->group_count * LANES;
    memset(t->sum, 0, padded_count(t) * sizeof *t->sum);
    kernels(t)->gather(t->weight, t->group_count, t->vertex_count, positions, t->sum);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < t->count; k++) out[c * t->count + k] = t->sum[c * stride + k];
}

/* Sets `difference` to L^-1 (target - T p). */
static void find_violation(tracking *t, const float *positions, const double *target) {
    update_factor(t, positions);
    vo_upsample_tracking_measure(t, positions, t->difference);
    for (int k = 0; k < 3 * t->count; k++) t->difference[k] = target[k] - t->difference[k];
    for (int c = 0; c < 3; c++) solve_lower(t, t->difference + (size_t)c * (size_t)t->count);
}

void vo_upsample_tracking_project(tracking *t, float *positions, const double *target) {
    int stride = t->group_count * LANES;
    find_violation(t, positions, target);
    for (int c = 0; c < 3; c++) {
        double *d = t->difference + (size_t)c * (size_t)t->count;
        solve_upper(t, d);
        for (int k = 0; k < t->count; k++) t->lambda[c * stride + k] = (float)d[k];
    }
    kernels(t)->scatter(t->weight, t->group_count, t->vertex_count, t->lambda, positions);
}

double vo_upsample_tracking_error(tracking *t, const float *positions, const double *target) {
    double sum = 0;
    find_violation(t, positions, target);
    for (int k = 0; k < 3 * t->count; k++) sum += t->difference[k] * t->difference[k];
    return t->mass > 0 ? sqrt(sum / t->mass) : 0;
}
