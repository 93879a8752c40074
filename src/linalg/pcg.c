/* Preconditioned conjugate gradients.
 *
 * The two-level preconditioner is A-DEF2 of Tang, Nabben, Vuik and Erlangga 2009, "Comparison of
 * two-level preconditioners derived from deflation, domain decomposition and multigrid methods":
 *      w = M^-1 r,   z = w + Z E^-1 Zt (r - A w)
 * with M the symmetric Gauss-Seidel sweep (SSOR) within fixed ranges of rows and Z, E the coarse
 * level (linalg/coarse.h). It is symmetric on residuals with Zt r = 0, which the start makes so and
 * the iteration keeps.
 *
 * With couplings C the operator is A + C, but the coarse level knows A alone: the iteration does
 * not keep Zt r = 0. Then the form that is symmetric for any residual takes its place, which is the
 * same where Zt r = 0 (balancing, BNN in the same paper):
 *      y1 = E^-1 Zt r,   q = r - A Z y1,   w = M^-1 q,   z = w + Z (y1 + E^-1 Zt (q - A w))
 *
 * An iteration is four short parallel loops over the same ranges, whose partial sums are added in
 * order: the product; the update with the sweeps; the restriction; the direction. */
#include "linalg/solver.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/coarse.h"
#include "linalg/inverse3.h"
#include "linalg/pcg_kernel.h"

#include <math.h>

/* Rows a chunk of every loop; the blocks of a range (160 kB) stay in the second-level cache between
 * the sweeps. */
enum { RANGE = VO_SWEEP_RANGE };

/* Overrelaxation: between 1 and 1.5 hardly anything changes; 1.3 needs the fewest iterations. */
static const float OMEGA = 1.3f;

struct vo_pcg {
    vo_context *ctx;
    const vo_block_pattern *pattern;
    int range_count;
    int *lower, *upper; /* [row_count] the blocks of a row that the sweeps use: [lower, upper) */
    float *inverse;     /* [row_count][12] inverse diagonal blocks */
    vo_vec4 *r, *p, *q; /* [row_count] residual, direction, A p */
    vo_float4 *z;       /* [row_count] preconditioned residual */
    double *partial[3]; /* [range_count] sums a range */
    vo_coarse coarse;
};

/* ---- memory and symbolic work --------------------------------------------------------------- */

static bool allocate(vo_pcg *pcg) {
    vo_context *ctx = pcg->ctx;
    size_t n = (size_t)pcg->pattern->row_count + 1; /* none is empty */
    pcg->lower = vo_new_array(ctx, int, n);
    pcg->upper = vo_new_array(ctx, int, n);
    pcg->inverse = vo_new_array(ctx, float, n *VO_BLOCK_FLOATS);
    pcg->r = vo_new_array(ctx, vo_vec4, n);
    pcg->p = vo_new_array(ctx, vo_vec4, n);
    pcg->q = vo_new_array(ctx, vo_vec4, n);
    pcg->z = vo_new_array(ctx, vo_float4, n);
    bool all = pcg->lower && pcg->upper && pcg->inverse && pcg->r && pcg->p && pcg->q && pcg->z;
    for (int k = 0; k < 3; k++) {
        pcg->partial[k] = vo_new_array(ctx, double, (size_t)pcg->range_count + 1);
        all = all && pcg->partial[k];
    }
    return all;
}

/* Where the blocks that a row shares with its own half range begin and end. */
static void find_ranges(vo_pcg *pcg) {
    const vo_block_pattern *p = pcg->pattern;
    for (int i = 0; i < p->row_count; i++) {
        int begin = i / VO_SWEEP_HALF * VO_SWEEP_HALF;
        int k = p->row_start[i], end = p->row_start[i + 1];
        while (p->column[k] < begin) k++;
        pcg->lower[i] = k;
        for (k = p->diagonal[i]; k < end && p->column[k] - begin < VO_SWEEP_HALF;) k++;
        pcg->upper[i] = k;
    }
}

vo_result vo_pcg_create(vo_context *ctx, const vo_block_pattern *pattern, vo_pcg **out) {
    *out = NULL;
    vo_pcg *pcg = vo_new(ctx, vo_pcg);
    if (!pcg) return vo_fail_memory(ctx, "a linear solver");
    pcg->ctx = ctx;
    pcg->pattern = pattern;
    pcg->range_count = vo_chunk_count(pattern->row_count, RANGE);
    vo_result result = allocate(pcg) ? VO_OK : vo_fail_memory(ctx, "a linear solver");
    if (result == VO_OK) result = vo_coarse_init(ctx, pattern, &pcg->coarse);
    if (result != VO_OK) {
        vo_pcg_destroy(pcg);
        return result;
    }
    find_ranges(pcg);
    *out = pcg;
    return VO_OK;
}

void vo_pcg_destroy(vo_pcg *pcg) {
    if (!pcg) return;
    vo_context *ctx = pcg->ctx;
    size_t n = (size_t)pcg->pattern->row_count + 1;
    vo_free_array(ctx, pcg->lower, n);
    vo_free_array(ctx, pcg->upper, n);
    vo_free_array(ctx, pcg->inverse, n * VO_BLOCK_FLOATS);
    vo_free_array(ctx, pcg->r, n);
    vo_free_array(ctx, pcg->p, n);
    vo_free_array(ctx, pcg->q, n);
    vo_free_array(ctx, pcg->z, n);
    for (int k = 0; k < 3; k++) vo_free_array(ctx, pcg->partial[k], (size_t)pcg->range_count + 1);
    vo_coarse_free(&pcg->coarse);
    vo_delete(ctx, pcg);
}

/* ---- the passes ----------------------------------------------------------------------------- */

/* One solve: its arguments, and what the passes hand to each other. */
typedef struct solve {
    vo_pcg *pcg;
    vo_context *ctx;
    vo_rows_view a;
    const vo_vec4 *b;
    vo_vec4 *x;
    bool two_level, coupled;
    vo_rows_view c;    /* of the couplings, if coupled */
    vo_direct *factor; /* NULL: another preconditioner */
    double alpha, beta;
} solve;

/* The ranges' partial sums number `which`, added in order. */
static double partial_sum(const vo_pcg *pcg, int which) {
    double sum = 0;
    for (int k = 0; k < pcg->range_count; k++) sum += pcg->partial[which][k];
    return sum;
}

/* Makes one pass over all rows; returns what it left in partial[0]. */
static double run(solve *s, vo_range_fn *pass) {
    vo_parallel_for(s->ctx, s->pcg->pattern->row_count, RANGE, pass, s);
    return partial_sum(s->pcg, 0);
}

/* r = b - (A + C) x in these rows. */
static void find_residual(solve *s, int begin, int end) {
    VO_DISPATCH(s->ctx, vo_residual_rows)(&s->a, begin, end, s->x, s->b, s->pcg->r);
    if (s->coupled) VO_DISPATCH(s->ctx, vo_couple_rows)(&s->c, begin, end, -1, s->x, s->pcg->r);
}

/* Inverse diagonal blocks; |b|^2, |b - A x|^2, and how many blocks had no inverse. */
static void begin_pass(void *arg, int begin, int end, int chunk) {
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
    find_residual(s, begin, end);
    const float *inverse = pcg->inverse;
    pcg->partial[0][chunk] = VO_DISPATCH(s->ctx, vo_norm_rows)(inverse, s->b, begin, end, NULL);
    pcg->partial[1][chunk] = VO_DISPATCH(s->ctx, vo_norm_rows)(inverse, pcg->r, begin, end, NULL);
    pcg->partial[2][chunk] = singular;
}

/* x = 0, r = b */
static void forget_guess_pass(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    solve *s = arg;
    for (int i = begin; i < end; i++) {
        s->x[i] = (vo_vec4){0, 0, 0, 0};
        s->pcg->r[i] = s->b[i];
    }
}

/* x += Z y */
static void add_coarse_pass(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    solve *s = arg;
    const vo_coarse *c = &s->pcg->coarse;
    for (int i = begin; i < end; i++) {
        if (!c->free_row[i]) continue;
        vo_float4 y = c->right[i >> c->shift];
        s->x[i].x += (double)y.x;
        s->x[i].y += (double)y.y;
        s->x[i].z += (double)y.z;
    }
}

/* The sweeps within a range; its part of r . w goes to partial[1]. */
static void sweep(solve *s, const vo_vec4 *r, int begin, int end, int chunk) {
    vo_pcg *pcg = s->pcg;
    vo_sweep job = {.a = s->a,
                    .lower = pcg->lower,
                    .diagonal = pcg->pattern->diagonal,
                    .upper = pcg->upper,
                    .inverse = pcg->inverse,
                    .r = r,
                    .z = pcg->z,
                    .omega = OMEGA};
    pcg->partial[1][chunk] = (2 - OMEGA) * VO_DISPATCH(s->ctx, vo_sweep_rows)(&job, begin, end);
}

/* r = b - A x and its norm; preconditions r. */
static void restart_pass(void *arg, int begin, int end, int chunk) {
    solve *s = arg;
    vo_pcg *pcg = s->pcg;
    find_residual(s, begin, end);
    pcg->partial[0][chunk] =
        VO_DISPATCH(s->ctx, vo_norm_rows)(pcg->inverse, pcg->r, begin, end, pcg->z);
    if (s->two_level && !s->coupled) sweep(s, pcg->r, begin, end, chunk);
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
    pcg->partial[0][chunk] =
        VO_DISPATCH(s->ctx, vo_update_rows)(s->alpha, pcg->p, pcg->q, pcg->inverse, begin, end,
                                            s->x, pcg->r, s->two_level ? NULL : pcg->z);
    if (s->two_level && !s->coupled) sweep(s, pcg->r, begin, end, chunk);
}

/* q = r - A Z y1; the sweeps from q. */
static void balance_pass(void *arg, int begin, int end, int chunk) {
    solve *s = arg;
    vo_pcg *pcg = s->pcg;
    VO_DISPATCH(s->ctx, vo_coarse_subtract)(&pcg->coarse, pcg->r, begin, end, pcg->q);
    sweep(s, pcg->q, begin, end, chunk);
}

/* z = q, r . z */
static void take_direct_pass(void *arg, int begin, int end, int chunk) {
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
    const vo_coarse *c = &pcg->coarse;
    VO_DISPATCH(s->ctx, vo_direction_rows)
    (s->two_level ? 2 - OMEGA : 1, pcg->z, s->two_level ? c->right : NULL, c->shift, c->free_row,
     s->beta, begin, end, pcg->p);
}

/* ---- the iteration -------------------------------------------------------------------------- */

/* The two levels for any residual; r . z. */
static double balance(solve *s) {
    vo_pcg *pcg = s->pcg;
    double dot = vo_coarse_begin(&pcg->coarse, pcg->r);
    run(s, balance_pass);
    return dot + partial_sum(pcg, 1) + vo_coarse_finish(&pcg->coarse, pcg->q, 2 - OMEGA, pcg->z);
}

/* r . z; finishes z where passes before have begun it. */
static double precondition(solve *s, double norm2) {
    vo_pcg *pcg = s->pcg;
    if (s->factor) return vo_direct_apply(s->factor, pcg->r, pcg->q) ? run(s, take_direct_pass) : 0;
    if (!s->two_level) return norm2;
    if (s->coupled) return balance(s);
    double dot = partial_sum(pcg, 1);
    return dot + vo_coarse_solve(&pcg->coarse, pcg->r, 2 - OMEGA, pcg->z);
}

/* Makes the residual orthogonal to the coarse space, where that lasts; returns |r|^2. */
static double start(solve *s, const vo_block_matrix *a) {
    if (s->two_level) vo_coarse_compute(&s->pcg->coarse, a);
    if (s->two_level && !s->coupled) {
        vo_coarse_solve(&s->pcg->coarse, s->pcg->r, 0, NULL);
        run(s, add_coarse_pass);
    }
    return run(s, restart_pass);
}

/* True while the squared residual still falls by a tenth now and then. */
static bool still_falls(double norm2, int iteration, double *best, int *best_at) {
    enum { PATIENCE = 300 };
    if (norm2 < 0.9 * *best) *best = norm2, *best_at = iteration;
    return iteration - *best_at < PATIENCE;
}

/* Iterates from a residual of squared norm `norm2` until it is below `goal2`; report.residual is
 * the squared norm at the end. */
static vo_solve_report iterate(solve *s, const vo_pcg_def *def, double norm2, double goal2) {
    vo_solve_report report = {.converged = norm2 <= goal2, .residual = norm2};
    double rz = 0, best = norm2;
    int best_at = 0;
    while (!report.converged && report.iterations < def->max_iterations) {
        double rz_new = precondition(s, norm2);
        if (!(rz_new > 0) || !isfinite(rz_new)) break;
        s->beta = rz > 0 ? rz_new / rz : 0;
        rz = rz_new;
        run(s, direction_pass);
        double curvature = run(s, product_pass);
        if (!(curvature > 0) || !isfinite(curvature)) break;
        s->alpha = rz / curvature;
        norm2 = run(s, update_pass);
        report = (vo_solve_report){norm2 <= goal2, report.iterations + 1, norm2};
        if (!isfinite(norm2) || !still_falls(norm2, report.iterations, &best, &best_at)) break;
    }
    return report;
}

/* Drops an x that overflowed. */
static vo_solve_report keep_finite(solve *s, vo_solve_report report) {
    double sum = 0; /* of zeros; an infinity or not-a-number makes it one */
    for (int i = 0; i < s->pcg->pattern->row_count; i++)
        sum += 0 * s->x[i].x + 0 * s->x[i].y + 0 * s->x[i].z;
    if (sum == 0 && isfinite(report.residual)) return report;
    run(s, forget_guess_pass);
    return (vo_solve_report){.iterations = report.iterations, .residual = 1};
}

vo_solve_report vo_pcg_solve(vo_pcg *pcg, const vo_pcg_def *def, const vo_block_matrix *a,
                             const vo_vec4 *b, vo_vec4 *x) {
    solve s = {.pcg = pcg, .ctx = pcg->ctx, .a = vo_rows_of(a), .b = b, .x = x};
    s.two_level = def->preconditioner == VO_PRECONDITION_TWO_LEVEL;
    s.factor = def->preconditioner == VO_PRECONDITION_DIRECT ? def->factor : NULL;
    s.coupled = def->couplings && def->couplings->block_count > 0;
    if (s.coupled) s.c = vo_couplings_of(def->couplings);
    double b2 = run(&s, begin_pass), r2 = partial_sum(pcg, 1), singular = partial_sum(pcg, 2);
    if (!(r2 < b2)) { /* zero is no worse a guess, or the guess is not finite */
        run(&s, forget_guess_pass);
        r2 = b2;
    }
    if (singular > 0 || !isfinite(b2)) return keep_finite(&s, (vo_solve_report){.residual = 1});
    if (b2 == 0) return (vo_solve_report){.converged = true};
    double goal2 = def->tolerance * def->tolerance * b2;
    vo_solve_report report = {.converged = true, .residual = r2};
    if (r2 > goal2) report = iterate(&s, def, start(&s, a), goal2);
    report.residual = sqrt(report.residual / b2);
    return keep_finite(&s, report);
}
