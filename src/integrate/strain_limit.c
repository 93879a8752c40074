#include "integrate/strain_limit.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

/* Tolerated excess, in units of stretch. */
static const double TOLERANCE = 2e-3;
/* Solves per step; each leaves about two thirds of the excess next to a pin and almost none
 * elsewhere. */
enum { MAX_SOLVES = 4, MAX_ITERATIONS = 200 };
/* Relative residual of a correction; inaccuracy is left to the next one. */
static const double PRECISION = 0.03;
/* Distance that a wave travels per step, in sizes of the largest cloth. */
static const double REACH = 2.5;
/* Time constant in s of the decay of an initial excess. With half of it, cloth that is held further
 * apart than its limits allow starts to vibrate. */
static const double RECOVERY = 0.02;

typedef struct limit_job {
    const vo_strain_limit_pass *pass;
    void (*kernel)(const vo_strain_limit_pass *pass, int chunk);
} limit_job;

static void run_chunks(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const limit_job *job = arg;
    for (int i = begin; i < end; i++) job->kernel(job->pass, i);
}

static const vo_strain_limit_kernels *kernels_for(const vo_context *ctx) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (ctx->use_avx2) return &vo_strain_limit_kernels_avx2;
#endif
    (void)ctx;
    return &vo_strain_limit_kernels_base;
}

static double measure_excess(vo_implicit *s, const vo_strain_limit_pass *pass) {
    limit_job job = {pass, kernels_for(s->ctx)->measure};
    vo_parallel_for(s->ctx, s->system.chunk_count, 1, run_chunks, &job);
    double excess = 0;
    for (int i = 0; i < s->system.chunk_count; i++) excess = vo_max(excess, pass->excess[i]);
    return excess;
}

static void assemble(vo_implicit *s, vo_strain_limit_pass *pass) {
    limit_job job = {pass, kernels_for(s->ctx)->correct};
    vo_parallel_for(s->ctx, s->system.chunk_count, 1, run_chunks, &job);
    pass->add_resistance = false;
    vo_block_matrix_symmetrise(s->ctx, &s->matrix);
    vo_implicit_clear_fixed(s);
}

/* Computes dv; an inaccurate solution is still used. */
static int solve_correction(vo_implicit *s) {
    vo_pcg_def def = {.preconditioner = VO_PRECONDITION_TWO_LEVEL,
                      .couplings = s->couplings.block_count ? &s->couplings : NULL,
                      .tolerance = PRECISION,
                      .max_iterations = MAX_ITERATIONS};
    memset(s->dv, 0, (size_t)s->system.row_count * sizeof *s->dv);
    return vo_pcg_solve(s->pcg, &def, &s->matrix, s->b, s->dv).iterations;
}

/* v += w, x += dt w */
static void apply_correction(vo_implicit *s, double dt) {
    for (int i = 0; i < s->system.row_count; i++) {
        vo_vec4 *x = &s->x[i], *v = &s->v[i];
        const vo_vec4 *w = &s->dv[i];
        *v = (vo_vec4){v->x + w->x, v->y + w->y, v->z + w->z, 0};
        *x = (vo_vec4){x->x + dt * w->x, x->y + dt * w->y, x->z + dt * w->z, 0};
    }
}

vo_strain_limit_report vo_strain_limit_apply(vo_implicit *s, double dt) {
    vo_strain_limit_report report = {0};
    if (s->limited_area == 0) return report;
    vo_strain_limit_pass pass = {.system = &s->system,
                                 .dt = dt,
                                 .grace = exp(-dt / RECOVERY),
                                 .wave_distance2 = REACH * REACH * s->limited_area,
                                 .x = s->x,
                                 .v = s->v,
                                 .offset = s->fade > 0 ? s->offset : NULL,
                                 .fade = s->fade,
                                 .slack = s->has_slack ? s->slack : NULL,
                                 .add_resistance = true,
                                 .block = s->matrix.block,
                                 .b = s->b,
                                 .excess = s->excess};
    for (;;) {
        report.excess = measure_excess(s, &pass);
        if (report.excess <= TOLERANCE || report.solves == MAX_SOLVES) return report;
        assemble(s, &pass);
        report.iterations += solve_correction(s);
        report.solves++;
        if (!vo_implicit_result_is_bounded(s, dt)) return report;
        apply_correction(s, dt);
    }
}
