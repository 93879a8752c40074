/* Conjugate gradients with the two-level preconditioner (see two_level.c). */
#ifndef VO_LINALG_TWO_LEVEL_H
#define VO_LINALG_TWO_LEVEL_H

#include "linalg/block_kernel.h"
#include "linalg/coupled.h"
#include "linalg/solver.h"

/* Everything by row is in scaled coordinates (linalg/ranges.h) and in float. */
typedef struct vo_two_level {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* the caller keeps it */
    vo_ranges ranges;
    vo_coarse coarse;
    vo_coupled coupled;
    vo_float4 *x;       /* [row_count] correction of the solution */
    vo_float4 *r;       /* [row_count] residual */
    vo_float4 *p, *q;   /* [row_count] direction and its product */
    vo_float4 *z, *t;   /* [row_count] swept residual and its product */
    double *partial[4]; /* [a range] sums */
} vo_two_level;

vo_result vo_two_level_init(vo_context *ctx, const vo_block_pattern *pattern, vo_two_level *out);
void vo_two_level_free(vo_two_level *two);

/* As vo_pcg_solve, but x may come out infinite. `r` [row_count] is scratch. */
vo_solve_report vo_two_level_solve(vo_two_level *two, const vo_pcg_def *def,
                                   const vo_block_matrix *a, const vo_vec4 *b, vo_vec4 *x,
                                   vo_vec4 *r);

/* |H v|^2 of rows [begin, end). */
VO_DECLARE_KERNEL(double, vo_two_norm, const vo_two_level *two, const vo_vec4 *v, int begin,
                  int end);
/* two->r = scale H r; everything else is zero. */
VO_DECLARE_KERNEL(void, vo_two_load, const vo_two_level *two, const vo_vec4 *r, double scale,
                  int begin, int end);
/* x += scale H^t (two->x + alpha p) */
VO_DECLARE_KERNEL(void, vo_two_unload, const vo_two_level *two, float alpha, double scale,
                  int begin, int end, vo_vec4 *x);

/* The numbers of one step. */
typedef struct vo_two_step_def {
    float alpha, beta;
    float scale; /* of z and t */
    bool add;    /* to x, which lacks `behind` times the last direction */
    float behind;
} vo_two_step_def;

/* p = scale z + G^t Z y + beta p, q = scale t + H (A + C) Z y + beta q, r -= alpha q; returns
 * |r|^2. Where x is added to, x += behind (the last p) + alpha p. */
VO_DECLARE_KERNEL(double, vo_two_step, const vo_two_level *two, const vo_two_step_def *def,
                  int begin, int end);
/* The sums of G v over the runs of rows [begin, end). */
VO_DECLARE_KERNEL(void, vo_two_restrict, const vo_two_level *two, const vo_float4 *v, int begin,
                  int end, vo_float4 *run);
/* Of range `range`, rows [begin, end): t and its runs get the blocks between half ranges and the
 * couplings; returns what they add to z . t. */
VO_DECLARE_KERNEL(double, vo_two_cross, const vo_two_level *two, int range, int begin, int end);

#endif
