/* Conjugate gradients with the two-level preconditioner.
 *
 * The preconditioner is A-DEF2 of Tang, Nabben, Vuik and Erlangga 2009, "Comparison of two-level
 * preconditioners derived from deflation, domain decomposition and multigrid methods":
 *     w = M^-1 r,   z = w + Z E^-1 Zt (r - A w)
 * with M the symmetric Gauss-Seidel sweep (SSOR) within half tiles of rows and Z, E the coarse
 * level (linalg/coarse.h). It is symmetric on residuals with Zt r = 0, which the start establishes
 * and the iteration preserves.
 *
 * With couplings C the operator is A + C throughout, also in E; only the sweeps use A alone
 * (linalg/coupled.h).
 *
 * There is no explicit product with A: the sweeps yield A w, the coarse level adds A Z y, and with
 * q = A p the recurrence of p applies, q = A z + beta q. An iteration reads each matrix value once.
 * On a large sheet the cost is memory traffic, so there are only two passes, and the data of a tile
 * are used while they are in the cache:
 *
 *      step    p, q, r from z, A z and the coarse solution; sweeps from r within half tiles,
 *              their product, and the segments from which the restrictions are summed
 *      cross   the blocks between half tiles, for the rows that have some
 *      coarse  y = E^-1 Zt (r - A w), small enough to stay in the cache
 *
 * To combine these, the step needs alpha before p is complete. With p . q = z . A z - beta^2 (that
 * of the last step), which follows from conjugacy (Chronopoulos and Gear 1989, "s-step iterative
 * methods for symmetric linear systems"), only z . A z is needed, which is a sum of values that
 * sweeps, cross and coarse level compute anyway:
 *     z . A z = w . A w + y . Zt A w + y . Zt r     by E y = Zt (r - A w)
 * x is updated in every second step, for both directions.
 *
 * All of this is in float, on the scaled matrix and a residual of norm 1. The recurrences of r and
 * q deviate from b - A x by about 1e-6 of the first residual; after a reduction by DROP, or at
 * convergence, x is corrected in double, and if the target is not reached the true residual is
 * computed and the iteration repeated (iterative refinement). */
#include "linalg/two_level.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { PACK_ROWS = 32, PARTIALS = 4 };

/* Overrelaxation: the iteration count is nearly constant between 1 and 1.5 and smallest at 1.3. */
static const float OMEGA = 1.3f;
static const float SCALE = 2 - 1.3f; /* factor of the sweeps' result */
static const double DROP = 1e-4;

/* ---- memory --------------------------------------------------------------------------------- */

static int tile_count(const vo_two_level *two) {
    return vo_chunk_count(two->pattern->row_count, VO_ROW_TILE);
}

static vo_float4 **vectors(vo_two_level *two, int k) {
    vo_float4 **all[] = {&two->x, &two->r, &two->p, &two->q, &two->z, &two->t};
    return k < (int)(sizeof all / sizeof *all) ? all[k] : NULL;
}

static bool allocate(vo_two_level *two) {
    size_t n = (size_t)two->pattern->row_count + 1; /* never empty */
    bool all = true;
    for (int k = 0; vectors(two, k); k++) {
        *vectors(two, k) = vo_new_array(two->ctx, vo_float4, n);
        all = all && *vectors(two, k);
    }
    for (int k = 0; k < PARTIALS; k++) {
        two->partial[k] = vo_new_array(two->ctx, double, (size_t)tile_count(two) + 1);
        all = all && two->partial[k];
    }
    return all;
}

vo_result vo_two_level_init(vo_context *ctx, const vo_block_pattern *pattern, vo_two_level *out) {
    *out = (vo_two_level){.ctx = ctx, .pattern = pattern};
    vo_arena_init(&out->coupled.arena, ctx);
    vo_result result = allocate(out) ? VO_OK : vo_fail_memory(ctx, "a linear solver");
    if (result == VO_OK) result = vo_row_tiles_init(ctx, pattern, &out->tiles);
    if (result == VO_OK) result = vo_coarse_init(ctx, pattern, &out->coarse);
    if (result != VO_OK) vo_two_level_free(out);
    return result;
}

void vo_two_level_free(vo_two_level *two) {
    if (!two->ctx) return;
    size_t n = (size_t)two->pattern->row_count + 1;
    for (int k = 0; vectors(two, k); k++) vo_free_array(two->ctx, *vectors(two, k), n);
    for (int k = 0; k < PARTIALS; k++)
        vo_free_array(two->ctx, two->partial[k], (size_t)tile_count(two) + 1);
    vo_row_tiles_free(&two->tiles);
    vo_coarse_free(&two->coarse);
    vo_arena_free(&two->coupled.arena);
    *two = (vo_two_level){0};
}

/* ---- passes --------------------------------------------------------------------------------- */

/* A tile of rows [begin, end), and the end of the next tile of the same thread. */
typedef struct tile_span {
    int begin, end, range, next_end;
} tile_span;

typedef struct solve solve;
typedef void pass_fn(solve *s, tile_span rows);

/* State of one solve: arguments and values passed between the passes. */
struct solve {
    vo_two_level *two;
    vo_context *ctx;
    const vo_block_matrix *matrix;
    vo_rows_view a, c; /* c: of the couplings, if any */
    bool coupled;
    const vo_vec4 *b;
    vo_vec4 *x, *r;
    double scale; /* norm of the residual */
    vo_two_level_step_def step;
    pass_fn *pass;
    int chunk_rows; /* rows per chunk of work, whole tiles */
};

static double partial_sum(const solve *s, int which) {
    double sum = 0;
    for (int k = 0; k < tile_count(s->two); k++) sum += s->two->partial[which][k];
    return sum;
}

/* On sheets that exceed the inner caches several tiles form one chunk of work, so that each can
 * prefetch the next one; a single thread takes all at once. */
static int chunk_rows(const solve *s) {
    enum {
        CACHED_ROWS = 4096,
        CHUNKS_PER_THREAD = 16
    }; /* rows; chunks per thread, for load balance */
    int threads = vo_context_thread_count(s->ctx), ranges = tile_count(s->two);
    int together = threads == 1 ? ranges : ranges / (threads * CHUNKS_PER_THREAD);
    return s->two->pattern->row_count > CACHED_ROWS && together > 1 ? VO_ROW_TILE * together
                                                                    : VO_ROW_TILE;
}

static int range_end(int begin, int end) {
    return end - begin < VO_ROW_TILE ? end : begin + VO_ROW_TILE;
}

/* Runs a pass over the tiles of rows [begin, end). */
static void run_tiles(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    solve *s = arg;
    for (int i = begin; i < end; i = range_end(i, end)) {
        int last = range_end(i, end);
        s->pass(s, (tile_span){i, last, i / VO_ROW_TILE, range_end(last, end)});
    }
}

/* Runs one pass over all rows; returns the sum of partial[0]. */
static double run_pass(solve *s, pass_fn *pass) {
    s->pass = pass;
    vo_parallel_for(s->ctx, s->two->pattern->row_count, s->chunk_rows, run_tiles, s);
    return partial_sum(s, 0);
}

/* r = b - (A + C) x in rows [begin, end). */
static void compute_residual(solve *s, int begin, int end) {
    VO_DISPATCH(s->ctx, vo_residual_rows)(&s->a, begin, end, s->x, s->b, s->r);
    if (s->coupled) VO_DISPATCH(s->ctx, vo_couple_rows)(&s->c, begin, end, -1, s->x, s->r);
}

/* Excludes rows without couplings from the coarse level. */
static void clear_roots(vo_two_level *two, int begin, int end) {
    for (int i = begin; i < end; i++)
        if (!two->coarse.free_row[i])
            memset(two->tiles.root + (size_t)i * VO_ROOT, 0, VO_ROOT * sizeof(float));
}

/* First pass, which does nearly all reading of the matrix, a few rows at a time while they are in
 * the cache: |r|^2, |b|^2, and the number of diagonal blocks that are not positive definite. */
static void pack_pass(solve *s, tile_span rows) {
    vo_two_level *two = s->two;
    for (int i = rows.begin; i < rows.end; i += PACK_ROWS) {
        int last = rows.end - i < PACK_ROWS ? rows.end : i + PACK_ROWS;
        compute_residual(s, i, last);
        VO_DISPATCH(s->ctx, vo_coarse_sum)(&two->coarse, s->matrix, i, last);
    }
    two->partial[2][rows.range] =
        VO_DISPATCH(s->ctx, vo_row_tiles_factor)(&two->tiles, s->matrix, rows.begin, rows.end);
    VO_DISPATCH(s->ctx, vo_row_tiles_pack)(&two->tiles, s->matrix, rows.begin, rows.end);
    clear_roots(two, rows.begin, rows.end);
    two->partial[0][rows.range] =
        VO_DISPATCH(s->ctx, vo_two_level_norm)(two, s->r, rows.begin, rows.end);
    two->partial[1][rows.range] =
        VO_DISPATCH(s->ctx, vo_two_level_norm)(two, s->b, rows.begin, rows.end);
}

/* Packs the blocks between half tiles and the couplings. */
static void pack_cross(solve *s, int begin, int end) {
    VO_DISPATCH(s->ctx, vo_row_tiles_pack_cross)(&s->two->tiles, s->matrix, begin, end);
}

/* r = b - (A + C) x, |r|^2 */
static void residual_pass(solve *s, tile_span rows) {
    compute_residual(s, rows.begin, rows.end);
    s->two->partial[0][rows.range] =
        VO_DISPATCH(s->ctx, vo_two_level_norm)(s->two, s->r, rows.begin, rows.end);
}

/* x = 0, r = b */
static void reset_guess_pass(solve *s, tile_span rows) {
    for (int i = rows.begin; i < rows.end; i++) {
        s->x[i] = (vo_vec4){0, 0, 0, 0};
        s->r[i] = s->b[i];
    }
}

static void load_pass(solve *s, tile_span rows) {
    VO_DISPATCH(s->ctx, vo_two_level_load)(s->two, s->r, s->scale, rows.begin, rows.end);
}

static void unload_pass(solve *s, tile_span rows) {
    float deferred = s->step.update_x ? s->step.deferred_alpha : 0;
    VO_DISPATCH(s->ctx, vo_two_level_unload)
    (s->two, deferred, 1 / s->scale, rows.begin, rows.end, s->x);
}

/* Zt r in the rows' segments. */
static void restrict_pass(solve *s, tile_span rows) {
    vo_two_level *two = s->two;
    VO_DISPATCH(s->ctx, vo_two_level_restrict)
    (two, two->r, rows.begin, rows.end, two->coarse.segment_restricted);
}

/* Prefetches the vectors that a step reads in rows [begin, end). */
static void fetch_rows(const vo_two_level *two, int begin, int end) {
    const vo_row_tiles *g = &two->tiles;
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

/* Step pass: p, q, r; |r|^2; sweeps, r . z and z . t; segments. */
static void step_pass(solve *s, tile_span rows) {
    vo_two_level *two = s->two;
    two->partial[0][rows.range] =
        VO_DISPATCH(s->ctx, vo_two_level_step)(two, &s->step, rows.begin, rows.end);
    fetch_rows(two, rows.end, rows.next_end);
    vo_sweep_dots dots = VO_DISPATCH(s->ctx, vo_row_tiles_sweep)(
        &two->tiles, OMEGA, two->r, rows.begin, rows.end, two->z, two->t, rows.next_end);
    two->partial[1][rows.range] = dots.rz;
    two->partial[2][rows.range] = dots.zt;
    restrict_pass(s, rows);
    VO_DISPATCH(s->ctx, vo_two_level_restrict)
    (two, two->t, rows.begin, rows.end, two->coarse.segment_product);
}

static void cross_pass(solve *s, tile_span rows) {
    s->two->partial[3][rows.range] =
        VO_DISPATCH(s->ctx, vo_two_level_cross)(s->two, rows.range, rows.begin, rows.end);
}

/* ---- iteration ------------------------------------------------------------------------------ */

/* One step; returns |r|^2. */
static double step(solve *s, double alpha, double beta) {
    s->step.alpha = (float)alpha, s->step.beta = (float)beta;
    double norm2 = run_pass(s, step_pass);
    s->step.update_x = !s->step.update_x;
    s->step.deferred_alpha = s->step.alpha;
    return norm2;
}

/* Dot products of a preconditioned residual z: r . z and z . A z. */
typedef struct dots {
    double rz, zz;
} dots;

/* Completes z, which the sweeps have started, except for adding its parts. */
static dots precondition(solve *s) {
    const double scale = (double)SCALE;
    double rw = partial_sum(s, 1), ww = partial_sum(s, 2);
    run_pass(s, cross_pass);
    ww += partial_sum(s, 3);
    vo_coarse_sum_segments(&s->two->coarse, SCALE);
    vo_coarse_dots y = vo_coarse_solve(&s->two->coarse);
    return (dots){scale * rw + y.restricted, scale * (scale * ww + y.product) + y.restricted};
}

/* Loads the residual, scaled to norm 1, and makes Zt r = 0 by a step along the coarse solution
 * alone; returns |r|^2. */
static double start(solve *s) {
    vo_coarse *coarse = &s->two->coarse;
    run_pass(s, load_pass);
    run_pass(s, restrict_pass);
    memset(coarse->segment_product, 0,
           (size_t)coarse->segment_count * sizeof *coarse->segment_product);
    vo_coarse_sum_segments(coarse, 0);
    vo_coarse_solve(coarse);
    s->step = (vo_two_level_step_def){.scale = SCALE};
    return step(s, 1, 0);
}

/* Returns false on stagnation: no decrease of the squared residual by a tenth in recent iterations.
 */
static bool is_progressing(double norm2, int iteration, double *best, int *best_at) {
    enum { MAX_STAGNATION = 300 };
    if (norm2 < 0.9 * *best) *best = norm2, *best_at = iteration;
    return iteration - *best_at < MAX_STAGNATION;
}

/* Iterates from a residual of norm 1 until its square is below `target2`; report.residual is the
 * final squared norm. */
static vo_solve_report iterate(solve *s, int max_iterations, double target2) {
    double norm2 = start(s), rz = 0, curvature = 0, best = norm2;
    vo_solve_report report = {.converged = norm2 <= target2, .residual = norm2};
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
            .converged = norm2 <= target2, .iterations = report.iterations + 1, .residual = norm2};
        if (!isfinite(norm2) || !is_progressing(norm2, report.iterations, &best, &best_at)) break;
    }
    return report;
}

/* Iterative refinement: iterates in float between true residuals, the first of which is `r2`, until
 * |r|^2 <= target2; report.residual is the final squared norm. */
static vo_solve_report refine(solve *s, int max_iterations, double r2, double target2) {
    vo_solve_report all = {.converged = r2 <= target2, .residual = r2};
    while (!all.converged) {
        s->scale = 1 / sqrt(r2);
        double wanted = target2 / r2, target = wanted > DROP * DROP ? wanted : DROP * DROP;
        vo_solve_report part = iterate(s, max_iterations - all.iterations, target);
        run_pass(s, unload_pass);
        all.iterations += part.iterations;
        all.residual = part.residual * r2;
        all.converged = part.converged && target <= wanted;
        if (all.converged || !part.converged) break;
        double now2 = run_pass(s, residual_pass);
        all.residual = now2;
        all.converged = now2 <= target2;
        if (!(now2 < 0.25 * r2)) break; /* float precision is exhausted */
        r2 = now2;
    }
    return all;
}

/* Item 0 factorises the coarse matrix on one thread while the others pack; the other items are
 * tiles. */
static void factor_and_pack(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    solve *s = arg;
    int rows = s->two->pattern->row_count;
    for (int item = begin; item < end; item++)
        if (item > 0)
            pack_cross(s, (item - 1) * VO_ROW_TILE, range_end((item - 1) * VO_ROW_TILE, rows));
        else if (!s->coupled)
            vo_coarse_factor(&s->two->coarse);
}

/* Prepares the iteration after the first pass; returns false if memory is exhausted. */
static bool prepare(solve *s, const vo_couplings *couplings) {
    vo_two_level *two = s->two;
    vo_coarse_compute(&two->coarse, &two->tiles);
    vo_parallel_for(s->ctx, 1 + tile_count(two), 1, factor_and_pack, s);
    two->coupled.couplings = NULL;
    return !s->coupled ||
           vo_coupled_prepare(&two->coupled, couplings, &two->tiles, &two->coarse) == VO_OK;
}

vo_solve_report vo_two_level_solve(vo_two_level *two, const vo_pcg_def *def,
                                   const vo_block_matrix *a, const vo_vec4 *b, vo_vec4 *x,
                                   vo_vec4 *r) {
    solve s = {.two = two, .ctx = two->ctx, .matrix = a, .a = vo_rows_of(a), .b = b};
    s.x = x, s.r = r, s.chunk_rows = chunk_rows(&s);
    s.coupled = def->couplings && def->couplings->block_count > 0;
    if (s.coupled) s.c = vo_couplings_of(def->couplings);
    double r2 = run_pass(&s, pack_pass), b2 = partial_sum(&s, 1), singular = partial_sum(&s, 2);
    if (!(r2 < b2)) { /* the zero guess is at least as good, or the guess is not finite */
        run_pass(&s, reset_guess_pass);
        r2 = b2;
    }
    if (singular > 0 || !isfinite(b2)) return (vo_solve_report){.residual = 1};
    if (b2 == 0) return (vo_solve_report){.converged = true};
    double target2 = def->tolerance * def->tolerance * b2;
    if (r2 > target2 && !prepare(&s, def->couplings))
        return (vo_solve_report){.residual = 1, .no_memory = true};
    vo_solve_report report = refine(&s, def->max_iterations, r2, target2);
    report.residual = sqrt(report.residual / b2);
    return report;
}
