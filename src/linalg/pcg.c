/* Conjugate gradients in double precision with the simple preconditioners, and the entry point of
 * those with the two-level preconditioner (two_level.c).
 *
 * An iteration is three short parallel loops over the same row ranges, whose partial sums are added
 * in order: product, update, direction. */
#include "linalg/solver.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/inverse3.h"
#include "linalg/pcg_kernel.h"
#include "linalg/two_level.h"

#include <math.h>

enum { RANGE_ROWS = 256 }; /* rows per chunk of every loop */

struct vo_pcg {
    vo_context *ctx;
    const vo_block_pattern *pattern;
    int range_count;
    float *inverse;     /* [row_count][12] inverse diagonal blocks */
    vo_vec4 *r, *p, *q; /* [row_count] residual, direction, A p */
    vo_float4 *z;       /* [row_count] preconditioned residual */
    double *partial[3]; /* [range_count] partial sums */
    vo_two_level two;
};

/* ---- creation ------------------------------------------------------------------------------- */

static bool allocate(vo_pcg *pcg) {
    vo_context *ctx = pcg->ctx;
    size_t n = (size_t)pcg->pattern->row_count + 1; /* never empty */
    pcg->inverse = vo_new_array(ctx, float, n *VO_BLOCK_FLOATS);
    pcg->r = vo_new_array(ctx, vo_vec4, n);
    pcg->p = vo_new_array(ctx, vo_vec4, n);
    pcg->q = vo_new_array(ctx, vo_vec4, n);
    pcg->z = vo_new_array(ctx, vo_float4, n);
    bool all = pcg->inverse && pcg->r && pcg->p && pcg->q && pcg->z;
    for (int k = 0; k < 3; k++) {
        pcg->partial[k] = vo_new_array(ctx, double, (size_t)pcg->range_count + 1);
        all = all && pcg->partial[k];
    }
    return all;
}

vo_result vo_pcg_create(vo_context *ctx, const vo_block_pattern *pattern, vo_pcg **out) {
    *out = NULL;
    vo_pcg *pcg = vo_new(ctx, vo_pcg);
    if (!pcg) return vo_fail_memory(ctx, "a linear solver");
    pcg->ctx = ctx;
    pcg->pattern = pattern;
    pcg->range_count = vo_chunk_count(pattern->row_count, RANGE_ROWS);
    vo_result result = allocate(pcg) ? VO_OK : vo_fail_memory(ctx, "a linear solver");
    if (result == VO_OK) result = vo_two_level_init(ctx, pattern, &pcg->two);
    if (result != VO_OK) {
        vo_pcg_destroy(pcg);
        return result;
    }
    *out = pcg;
    return VO_OK;
}

void vo_pcg_destroy(vo_pcg *pcg) {
    if (!pcg) return;
    vo_context *ctx = pcg->ctx;
    size_t n = (size_t)pcg->pattern->row_count + 1;
    vo_free_array(ctx, pcg->inverse, n * VO_BLOCK_FLOATS);
    vo_free_array(ctx, pcg->r, n);
    vo_free_array(ctx, pcg->p, n);
    vo_free_array(ctx, pcg->q, n);
    vo_free_array(ctx, pcg->z, n);
    for (int k = 0; k < 3; k++) vo_free_array(ctx, pcg->partial[k], (size_t)pcg->range_count + 1);
    vo_two_level_free(&pcg->two);
    vo_delete(ctx, pcg);
}

/* ---- passes --------------------------------------------------------------------------------- */

/* State of one solve: arguments and values passed between the passes. */
typedef struct solve {
    vo_pcg *pcg;
    vo_context *ctx;
    vo_rows_view a;
    const vo_vec4 *b;
    vo_vec4 *x;
    bool coupled;
    vo_rows_view c;    /* of the couplings, if any */
    vo_direct *factor; /* NULL: Jacobi */
    double alpha, beta;
} solve;

/* Returns the sum of the partial sums `which`, added in order. */
static double partial_sum(const vo_pcg *pcg, int which) {
    double sum = 0;
    for (int k = 0; k < pcg->range_count; k++) sum += pcg->partial[which][k];
    return sum;
}

/* Runs one pass over all rows; returns the sum of partial[0]. */
static double run_pass(solve *s, vo_loop_fn *pass) {
    vo_parallel_for(s->ctx, s->pcg->pattern->row_count, RANGE_ROWS, pass, s);
    return partial_sum(s->pcg, 0);
}

/* r = b - (A + C) x in rows [begin, end). */
static void compute_residual(solve *s, int begin, int end) {
    VO_DISPATCH(s->ctx, vo_residual_rows)(&s->a, begin, end, s->x, s->b, s->pcg->r);
    if (s->coupled) VO_DISPATCH(s->ctx, vo_couple_rows)(&s->c, begin, end, -1, s->x, s->pcg->r);
}

/* Computes inverse diagonal blocks, |b|^2, |b - A x|^2, and the number of blocks without an
 * inverse. */
static void init_pass(void *arg, int begin, int end, int chunk) {
    solve *s = arg;
    vo_pcg *pcg = s->pcg;
    int singular = 0;
    for (int i = begin; i < end; i++) {
        double m[VO_BLOCK_FLOATS], inverted[VO_BLOCK_FLOATS];
        const float *from = s->a.block + (size_t)pcg->pattern->diagonal[i] * VO_BLOCK_FLOATS;
        for (int k = 0; k < VO_BLOCK_FLOATS; k++) m[k] = from[k];
        singular += !vo_invert3(m, inverted);
        float *to = pcg->inverse + (size_t)i * VO_BLOCK_FLOATS;
        for (int k = 0; k < VO_BLOCK_FLOATS; k++) to[k] = (float)inverted[k];
        pcg->p[i] = (vo_vec4){0, 0, 0, 0};
    }
    compute_residual(s, begin, end);
    const float *inverse = pcg->inverse;
    pcg->partial[0][chunk] = VO_DISPATCH(s->ctx, vo_norm_rows)(inverse, s->b, begin, end, NULL);
    pcg->partial[1][chunk] = VO_DISPATCH(s->ctx, vo_norm_rows)(inverse, pcg->r, begin, end, NULL);
    pcg->partial[2][chunk] = singular;
}

/* x = 0, r = b */
static void reset_guess_pass(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    solve *s = arg;
    for (int i = begin; i < end; i++) {
        s->x[i] = (vo_vec4){0, 0, 0, 0};
        s->pcg->r[i] = s->b[i];
    }
}

/* r = b - A x and its norm; preconditions r. */
static void restart_pass(void *arg, int begin, int end, int chunk) {
    solve *s = arg;
    vo_pcg *pcg = s->pcg;
    compute_residual(s, begin, end);
    pcg->partial[0][chunk] =
        VO_DISPATCH(s->ctx, vo_norm_rows)(pcg->inverse, pcg->r, begin, end, pcg->z);
}

/* q = A p, p . q */
static void product_pass(void *arg, int begin, int end, int chunk) {
    solve *s = arg;
    vo_pcg *pcg = s->pcg;
    pcg->partial[0][chunk] =
        VO_DISPATCH(s->ctx, vo_multiply_dot_rows)(&s->a, begin, end, pcg->p, pcg->q);
    if (s->coupled)
        pcg->partial[0][chunk] +=
            VO_DISPATCH(s->ctx, vo_couple_rows)(&s->c, begin, end, 1, pcg->p, pcg->q);
}

/* x += alpha p, r -= alpha q, |r|^2; preconditions r. */
static void update_pass(void *arg, int begin, int end, int chunk) {
    solve *s = arg;
    vo_pcg *pcg = s->pcg;
    pcg->partial[0][chunk] = VO_DISPATCH(s->ctx, vo_update_rows)(
        s->alpha, pcg->p, pcg->q, pcg->inverse, begin, end, s->x, pcg->r, pcg->z);
}

/* z = q, r . z */
static void direct_pass(void *arg, int begin, int end, int chunk) {
    solve *s = arg;
    vo_pcg *pcg = s->pcg;
    double sum = 0;
    for (int i = begin; i < end; i++) {
        vo_vec4 r = pcg->r[i], q = pcg->q[i];
        vo_float4 z = {(float)q.x, (float)q.y, (float)q.z, 0};
        pcg->z[i] = z;
        sum += r.x * (double)z.x + r.y * (double)z.y + r.z * (double)z.z;
    }
    pcg->partial[0][chunk] = sum;
}

/* p = z + beta p */
static void direction_pass(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    solve *s = arg;
    vo_pcg *pcg = s->pcg;
    VO_DISPATCH(s->ctx, vo_direction_rows)(pcg->z, s->beta, begin, end, pcg->p);
}

/* ---- the iteration -------------------------------------------------------------------------- */

/* Completes z if the update has not computed it; returns r . z. */
static double precondition(solve *s, double norm2) {
    vo_pcg *pcg = s->pcg;
    if (!s->factor) return norm2;
    return vo_direct_apply(s->factor, pcg->r, pcg->q) ? run_pass(s, direct_pass) : 0;
}

/* Returns false on stagnation: no decrease of the squared residual by a tenth in recent iterations.
 */
static bool is_progressing(double norm2, int iteration, double *best, int *best_at) {
    enum { MAX_STAGNATION = 300 };
    if (norm2 < 0.9 * *best) *best = norm2, *best_at = iteration;
    return iteration - *best_at < MAX_STAGNATION;
}

/* Iterates from a residual of squared norm `norm2` until it is below `target2`; report.residual is
 * the final squared norm. */
static vo_solve_report iterate(solve *s, const vo_pcg_def *def, double norm2, double target2) {
    vo_solve_report report = {.converged = norm2 <= target2, .residual = norm2};
    double rz = 0, best = norm2;
    int best_at = 0;
    while (!report.converged && report.iterations < def->max_iterations) {
        double rz_new = precondition(s, norm2);
        if (!(rz_new > 0) || !isfinite(rz_new)) break;
        s->beta = rz > 0 ? rz_new / rz : 0;
        rz = rz_new;
        run_pass(s, direction_pass);
        double curvature = run_pass(s, product_pass);
        if (!(curvature > 0) || !isfinite(curvature)) break;
        s->alpha = rz / curvature;
        norm2 = run_pass(s, update_pass);
        report = (vo_solve_report){
            .converged = norm2 <= target2, .iterations = report.iterations + 1, .residual = norm2};
        if (!isfinite(norm2) || !is_progressing(norm2, report.iterations, &best, &best_at)) break;
    }
    return report;
}

/* Resets an x that overflowed to zero. */
static vo_solve_report ensure_finite(solve *s, vo_solve_report report) {
    double sum = 0; /* sum of 0 * x, which is NaN if a value is not finite */
    for (int i = 0; i < s->pcg->pattern->row_count; i++)
        sum += 0 * s->x[i].x + 0 * s->x[i].y + 0 * s->x[i].z;
    if (sum == 0 && isfinite(report.residual)) return report;
    run_pass(s, reset_guess_pass);
    return (vo_solve_report){
        .iterations = report.iterations, .residual = 1, .no_memory = report.no_memory};
}

/* Solves without the final check of x. */
static vo_solve_report solve_unchecked(solve *s, const vo_pcg_def *def) {
    vo_pcg *pcg = s->pcg;
    double b2 = run_pass(s, init_pass), r2 = partial_sum(pcg, 1), singular = partial_sum(pcg, 2);
    if (!(r2 < b2)) { /* the zero guess is at least as good, or the guess is not finite */
        run_pass(s, reset_guess_pass);
        r2 = b2;
    }
    if (singular > 0 || !isfinite(b2)) return (vo_solve_report){.residual = 1};
    if (b2 == 0) return (vo_solve_report){.converged = true};
    double target2 = def->tolerance * def->tolerance * b2;
    vo_solve_report report = {.converged = true, .residual = r2};
    if (r2 > target2) report = iterate(s, def, run_pass(s, restart_pass), target2);
    report.residual = sqrt(report.residual / b2);
    return report;
}

vo_solve_report vo_pcg_solve(vo_pcg *pcg, const vo_pcg_def *def, const vo_block_matrix *a,
                             const vo_vec4 *b, vo_vec4 *x) {
    solve s = {.pcg = pcg, .ctx = pcg->ctx, .a = vo_rows_of(a), .b = b, .x = x};
    s.factor = def->preconditioner == VO_PRECONDITION_DIRECT ? def->factor : NULL;
    s.coupled = def->couplings && def->couplings->block_count > 0;
    if (s.coupled) s.c = vo_couplings_of(def->couplings);
    if (def->preconditioner == VO_PRECONDITION_TWO_LEVEL)
        return ensure_finite(&s, vo_two_level_solve(&pcg->two, def, a, b, x, pcg->r));
    return ensure_finite(&s, solve_unchecked(&s, def));
}
