/* Conjugate gradients with the two-level preconditioner.
 *
 * The preconditioner is A-DEF2 of Tang, Nabben, Vuik and Erlangga 2009, "Comparison of two-level
 * preconditioners derived from deflation, domain decomposition and multigrid methods":
 *      w = M^-1 r,   z = w + Z E^-1 Zt (r - A w)
 * with M the symmetric Gauss-Seidel sweep (SSOR) within half ranges of rows and Z, E the coarse
 * level (linalg/coarse.h). It is symmetric on residuals with Zt r = 0, which the start makes so and
 * the iteration keeps.
 *
 * With couplings C the operator is A + C throughout, also in E; only the sweeps know A alone
 * (linalg/coupled.h).
 *
 * A itself is never multiplied with: the sweeps leave A w, the coarse level adds A Z y, and with
 * q = A p the recurrence of p carries over, q = A z + beta q. So an iteration reads each number of
 * the matrix once. On a large sheet it costs what it moves through memory, so there are only two
 * passes, and what a range of rows has is used while it is in the cache:
 *
 *      step    p, q, r from z, A z and the coarse solution; sweeps from r within half ranges, their
 *              product, the runs that the restrictions are summed from
 *      cross   the blocks between half ranges, of the rows that have some
 *      coarse  y = E^-1 Zt (r - A w), with few enough numbers to stay in the cache
 *
 * For the step to do both, alpha must be known before p is. With p . q = z . A z - beta^2 (that of
 * the last step), which follows from the directions' being conjugate (Chronopoulos and Gear 1989,
 * "s-step iterative methods for symmetric linear systems"), it takes z . A z alone; and that is a
 * sum over what sweeps, cross and coarse level know already:
 *      z . A z = w . A w + y . Zt A w + y . Zt r     by E y = Zt (r - A w)
 * x is added to in every second step, for both directions.
 *
 * All of it is done in float, on the scaled matrix and on a residual of norm 1. The recurrences of
 * r and q drift away from b - A x by about 1e-6 of the first residual; so after a fall of DROP, or
 * when the goal is reached, x is corrected in double, and where the goal is further away the true
 * residual is taken and the whole repeated (iterative refinement). */
#include "linalg/two_level.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { PACK_ROWS = 32, PARTIALS = 4 };

/* Overrelaxation: between 1 and 1.5 hardly anything changes; 1.3 needs the fewest iterations. */
static const float OMEGA = 1.3f;
static const float SCALE = 2 - 1.3f; /* of the sweeps' result */
static const double DROP = 1e-4;

/* ---- memory --------------------------------------------------------------------------------- */

static int range_count(const vo_two_level *two) {
    return vo_chunk_count(two->pattern->row_count, VO_RANGE);
}

static vo_float4 **vectors(vo_two_level *two, int k) {
    vo_float4 **all[] = {&two->x, &two->r, &two->p, &two->q, &two->z, &two->t};
    return k < (int)(sizeof all / sizeof *all) ? all[k] : NULL;
}

static bool allocate(vo_two_level *two) {
    size_t n = (size_t)two->pattern->row_count + 1; /* none is empty */
    bool all = true;
    for (int k = 0; vectors(two, k); k++) {
        *vectors(two, k) = vo_new_array(two->ctx, vo_float4, n);
        all = all && *vectors(two, k);
    }
    for (int k = 0; k < PARTIALS; k++) {
        two->partial[k] = vo_new_array(two->ctx, double, (size_t)range_count(two) + 1);
        all = all && two->partial[k];
    }
    return all;
}

vo_result vo_two_level_init(vo_context *ctx, const vo_block_pattern *pattern, vo_two_level *out) {
    *out = (vo_two_level){.ctx = ctx, .pattern = pattern};
    vo_arena_init(&out->coupled.arena, ctx);
    vo_result result = allocate(out) ? VO_OK : vo_fail_memory(ctx, "a linear solver");
    if (result == VO_OK) result = vo_ranges_init(ctx, pattern, &out->ranges);
    if (result == VO_OK) result = vo_coarse_init(ctx, pattern, &out->coarse);
    if (result != VO_OK) vo_two_level_free(out);
    return result;
}

void vo_two_level_free(vo_two_level *two) {
    if (!two->ctx) return;
    size_t n = (size_t)two->pattern->row_count + 1;
    for (int k = 0; vectors(two, k); k++) vo_free_array(two->ctx, *vectors(two, k), n);
    for (int k = 0; k < PARTIALS; k++)
        vo_free_array(two->ctx, two->partial[k], (size_t)range_count(two) + 1);
    vo_ranges_free(&two->ranges);
    vo_coarse_free(&two->coarse);
    vo_arena_free(&two->coupled.arena);
    *two = (vo_two_level){0};
}

/* ---- the passes ----------------------------------------------------------------------------- */

/* A range of rows [begin, end), and where the one ends that the same thread takes after it. */
typedef struct span {
    int begin, end, range, next_end;
} span;

typedef struct solve solve;
typedef void pass_fn(solve *s, span rows);

/* One solve: its arguments, and what the passes hand to each other. */
struct solve {
    vo_two_level *two;
    vo_context *ctx;
    const vo_block_matrix *matrix;
    vo_rows_view a, c; /* c: if coupled */
    bool coupled;
    const vo_vec4 *b;
    vo_vec4 *x, *r;
    double scale; /* of the residual */
    vo_two_step_def step;
    pass_fn *pass;
    int chunk_rows; /* that a thread takes at once: whole ranges */
};

static double partial_sum(const solve *s, int which) {
    double sum = 0;
    for (int k = 0; k < range_count(s->two); k++) sum += s->two->partial[which][k];
    return sum;
}

/* On sheets that do not fit the inner caches several ranges are one chunk of work, so that each can
 * ask for the memory of the one after it; a single thread takes all at once. */
static int chunk_rows(const solve *s) {
    enum { FIT = 4096, CHUNKS = 16 }; /* rows; a thread, for balance */
    int threads = vo_context_thread_count(s->ctx), ranges = range_count(s->two);
    int together = threads == 1 ? ranges : ranges / (threads * CHUNKS);
    return s->two->pattern->row_count > FIT && together > 1 ? VO_RANGE * together : VO_RANGE;
}

static int range_end(int begin, int end) { return end - begin < VO_RANGE ? end : begin + VO_RANGE; }

/* Makes a pass over the ranges of rows [begin, end). */
static void run_ranges(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    solve *s = arg;
    for (int i = begin; i < end; i = range_end(i, end)) {
        int last = range_end(i, end);
        s->pass(s, (span){i, last, i / VO_RANGE, range_end(last, end)});
    }
}

/* Makes one pass over all rows; returns what it left in partial[0]. */
static double run(solve *s, pass_fn *pass) {
    s->pass = pass;
    vo_parallel_for(s->ctx, s->two->pattern->row_count, s->chunk_rows, run_ranges, s);
    return partial_sum(s, 0);
}

/* r = b - (A + C) x in these rows. */
static void find_residual(solve *s, int begin, int end) {
    VO_DISPATCH(s->ctx, vo_residual_rows)(&s->a, begin, end, s->x, s->b, s->r);
    if (s->coupled) VO_DISPATCH(s->ctx, vo_couple_rows)(&s->c, begin, end, -1, s->x, s->r);
}

/* Rows that are coupled to nothing take no part in the coarse level. */
static void clear_roots(vo_two_level *two, int begin, int end) {
    for (int i = begin; i < end; i++)
        if (!two->coarse.free_row[i])
            memset(two->ranges.root + (size_t)i * VO_ROOT, 0, VO_ROOT * sizeof(float));
}

/* Nearly everything that reads the matrix, a few rows at a time while they are in the cache:
 * |r|^2, |b|^2, and how many diagonal blocks are not positive definite. */
static void pack_pass(solve *s, span rows) {
    vo_two_level *two = s->two;
    for (int i = rows.begin; i < rows.end; i += PACK_ROWS) {
        int last = rows.end - i < PACK_ROWS ? rows.end : i + PACK_ROWS;
        find_residual(s, i, last);
        VO_DISPATCH(s->ctx, vo_coarse_sum)(&two->coarse, s->matrix, i, last);
    }
    two->partial[2][rows.range] =
        VO_DISPATCH(s->ctx, vo_ranges_factor)(&two->ranges, s->matrix, rows.begin, rows.end);
    VO_DISPATCH(s->ctx, vo_ranges_pack)(&two->ranges, s->matrix, rows.begin, rows.end);
    clear_roots(two, rows.begin, rows.end);
    two->partial[0][rows.range] = VO_DISPATCH(s->ctx, vo_two_norm)(two, s->r, rows.begin, rows.end);
    two->partial[1][rows.range] = VO_DISPATCH(s->ctx, vo_two_norm)(two, s->b, rows.begin, rows.end);
}

/* The rest of it. */
static void pack_cross(solve *s, int begin, int end) {
    VO_DISPATCH(s->ctx, vo_ranges_pack_cross)(&s->two->ranges, s->matrix, begin, end);
}

/* r = b - (A + C) x, |r|^2 */
static void residual_pass(solve *s, span rows) {
    find_residual(s, rows.begin, rows.end);
    s->two->partial[0][rows.range] =
        VO_DISPATCH(s->ctx, vo_two_norm)(s->two, s->r, rows.begin, rows.end);
}

/* x = 0, r = b */
static void forget_guess_pass(solve *s, span rows) {
    for (int i = rows.begin; i < rows.end; i++) {
        s->x[i] = (vo_vec4){0, 0, 0, 0};
        s->r[i] = s->b[i];
    }
}

static void load_pass(solve *s, span rows) {
    VO_DISPATCH(s->ctx, vo_two_load)(s->two, s->r, s->scale, rows.begin, rows.end);
}

static void unload_pass(solve *s, span rows) {
    float behind = s->step.add ? s->step.behind : 0;
    VO_DISPATCH(s->ctx, vo_two_unload)(s->two, behind, 1 / s->scale, rows.begin, rows.end, s->x);
}

/* Zt r in these rows' runs. */
static void restrict_pass(solve *s, span rows) {
    vo_two_level *two = s->two;
    VO_DISPATCH(s->ctx, vo_two_restrict)
    (two, two->r, rows.begin, rows.end, two->coarse.run_restricted);
}

/* What a step reads of rows [begin, end), but for the packed blocks. */
static void fetch_rows(const vo_two_level *two, int begin, int end) {
    const vo_ranges *g = &two->ranges;
    const int *sum = two->coarse.sum_start + begin, *block = g->lower_start + begin;
    if (begin >= end) return;
    size_t rows = (size_t)(end - begin), sums = (size_t)(sum[rows] - sum[0]);
    size_t blocks = (size_t)(block[rows] - block[0]), row = (size_t)begin, first = (size_t)block[0];
    const vo_float4 *vector[] = {two->z, two->t, two->p, two->q, two->r};
    for (int k = 0; k < 5; k++) fetch_bytes(vector[k] + row, rows * sizeof **vector);
    fetch_bytes(g->root + row * VO_ROOT, rows * VO_ROOT * sizeof *g->root);
    fetch_bytes(sum, rows * sizeof *sum);
    fetch_bytes(two->coarse.sum_aggregate + sum[0], sums * sizeof *sum);
    fetch_bytes(block, rows * sizeof *block);
    fetch_bytes(g->upper_start + row, rows * sizeof *g->upper_start);
    fetch_bytes(g->lower_at + first, blocks);
    fetch_bytes(g->upper_at + first, blocks);
    fetch_bytes(g->upper_block + first, blocks * sizeof *g->upper_block);
}

/* p, q, r; |r|^2; sweeps, r . z and z . t; the runs. */
static void step_pass(solve *s, span rows) {
    vo_two_level *two = s->two;
    two->partial[0][rows.range] =
        VO_DISPATCH(s->ctx, vo_two_step)(two, &s->step, rows.begin, rows.end);
    fetch_rows(two, rows.end, rows.next_end);
    vo_sweep_dots dots = VO_DISPATCH(s->ctx, vo_ranges_sweep)(
        &two->ranges, OMEGA, two->r, rows.begin, rows.end, two->z, two->t, rows.next_end);
    two->partial[1][rows.range] = dots.rz;
    two->partial[2][rows.range] = dots.zt;
    restrict_pass(s, rows);
    VO_DISPATCH(s->ctx, vo_two_restrict)
    (two, two->t, rows.begin, rows.end, two->coarse.run_product);
}

static void cross_pass(solve *s, span rows) {
    s->two->partial[3][rows.range] =
        VO_DISPATCH(s->ctx, vo_two_cross)(s->two, rows.range, rows.begin, rows.end);
}

/* ---- the iteration -------------------------------------------------------------------------- */

/* One step; returns |r|^2. */
static double step(solve *s, double alpha, double beta) {
    s->step.alpha = (float)alpha, s->step.beta = (float)beta;
    double norm2 = run(s, step_pass);
    s->step.add = !s->step.add;
    s->step.behind = s->step.alpha;
    return norm2;
}

/* Of a preconditioned residual z: r . z and z . A z. */
typedef struct dots {
    double rz, zz;
} dots;

/* Finishes z, which the sweeps have begun, but for adding its parts up. */
static dots precondition(solve *s) {
    const double scale = (double)SCALE;
    double rw = partial_sum(s, 1), ww = partial_sum(s, 2);
    run(s, cross_pass);
    ww += partial_sum(s, 3);
    vo_coarse_add_runs(&s->two->coarse, SCALE);
    vo_coarse_dots y = vo_coarse_solve(&s->two->coarse);
    return (dots){scale * rw + y.restricted, scale * (scale * ww + y.product) + y.restricted};
}

/* Takes the residual, scaled to norm 1, into the iteration and makes Zt r = 0, by a step along the
 * coarse solution alone; returns its |r|^2. */
static double start(solve *s) {
    vo_coarse *coarse = &s->two->coarse;
    run(s, load_pass);
    run(s, restrict_pass);
    memset(coarse->run_product, 0, (size_t)coarse->run_count * sizeof *coarse->run_product);
    vo_coarse_add_runs(coarse, 0);
    vo_coarse_solve(coarse);
    s->step = (vo_two_step_def){.scale = SCALE};
    return step(s, 1, 0);
}

/* True while the squared residual still falls by a tenth now and then. */
static bool still_falls(double norm2, int iteration, double *best, int *best_at) {
    enum { PATIENCE = 300 };
    if (norm2 < 0.9 * *best) *best = norm2, *best_at = iteration;
    return iteration - *best_at < PATIENCE;
}

/* Iterates from a residual of norm 1 until its square is below `goal2`; report.residual is the
 * squared norm at the end. */
static vo_solve_report iterate(solve *s, int max_iterations, double goal2) {
    double norm2 = start(s), rz = 0, curvature = 0, best = norm2;
    vo_solve_report report = {.converged = norm2 <= goal2, .residual = norm2};
    int best_at = 0;
    while (!report.converged && report.iterations < max_iterations) {
        dots z = precondition(s);
        if (!(z.rz > 0) || !isfinite(z.rz)) break;
        double beta = rz > 0 ? z.rz / rz : 0;
        rz = z.rz;
        curvature = z.zz - beta * beta * curvature; /* p . q */
        if (!(curvature > 0) || !isfinite(curvature)) break;
        norm2 = step(s, rz / curvature, beta);
        report = (vo_solve_report){
            .converged = norm2 <= goal2, .iterations = report.iterations + 1, .residual = norm2};
        if (!isfinite(norm2) || !still_falls(norm2, report.iterations, &best, &best_at)) break;
    }
    return report;
}

/* Iterates until |r|^2 <= goal2, in float between true residuals, the first of which is `r2`;
 * report.residual is the squared norm at the end. */
static vo_solve_report refine(solve *s, int max_iterations, double r2, double goal2) {
    vo_solve_report all = {.converged = r2 <= goal2, .residual = r2};
    while (!all.converged) {
        s->scale = 1 / sqrt(r2);
        double wanted = goal2 / r2, target = wanted > DROP * DROP ? wanted : DROP * DROP;
        vo_solve_report part = iterate(s, max_iterations - all.iterations, target);
        run(s, unload_pass);
        all.iterations += part.iterations;
        all.residual = part.residual * r2;
        all.converged = part.converged && target <= wanted;
        if (all.converged || !part.converged) break;
        double now2 = run(s, residual_pass);
        all.residual = now2;
        all.converged = now2 <= goal2;
        if (!(now2 < 0.25 * r2)) break; /* as good as float can */
        r2 = now2;
    }
    return all;
}

/* Item 0 is the factor of the coarse matrix, which one thread computes by itself while the others
 * pack; the rest are the ranges. */
static void factor_and_pack(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    solve *s = arg;
    int rows = s->two->pattern->row_count;
    for (int item = begin; item < end; item++)
        if (item > 0)
            pack_cross(s, (item - 1) * VO_RANGE, range_end((item - 1) * VO_RANGE, rows));
        else if (!s->coupled)
            vo_coarse_factor(&s->two->coarse);
}

/* What the iteration needs beyond the first pass; false where memory is missing. */
static bool prepare(solve *s, const vo_couplings *couplings) {
    vo_two_level *two = s->two;
    vo_coarse_compute(&two->coarse, &two->ranges);
    vo_parallel_for(s->ctx, 1 + range_count(two), 1, factor_and_pack, s);
    two->coupled.given = NULL;
    return !s->coupled ||
           vo_coupled_prepare(&two->coupled, couplings, &two->ranges, &two->coarse) == VO_OK;
}

vo_solve_report vo_two_level_solve(vo_two_level *two, const vo_pcg_def *def,
                                   const vo_block_matrix *a, const vo_vec4 *b, vo_vec4 *x,
                                   vo_vec4 *r) {
    solve s = {.two = two, .ctx = two->ctx, .matrix = a, .a = vo_rows_of(a), .b = b};
    s.x = x, s.r = r, s.chunk_rows = chunk_rows(&s);
    s.coupled = def->couplings && def->couplings->block_count > 0;
    if (s.coupled) s.c = vo_couplings_of(def->couplings);
    double r2 = run(&s, pack_pass), b2 = partial_sum(&s, 1), singular = partial_sum(&s, 2);
    if (!(r2 < b2)) { /* zero is no worse a guess, or the guess is not finite */
        run(&s, forget_guess_pass);
        r2 = b2;
    }
    if (singular > 0 || !isfinite(b2)) return (vo_solve_report){.residual = 1};
    if (b2 == 0) return (vo_solve_report){.converged = true};
    double goal2 = def->tolerance * def->tolerance * b2;
    if (r2 > goal2 && !prepare(&s, def->couplings))
        return (vo_solve_report){.residual = 1, .no_memory = true};
    vo_solve_report report = refine(&s, def->max_iterations, r2, goal2);
    report.residual = sqrt(report.residual / b2);
    return report;
}
