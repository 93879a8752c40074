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
    double *partial[3]; /* [a range] sums */
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
/* two->r = scale H r; x, p and q are zero. */
VO_DECLARE_KERNEL(void, vo_two_load, const vo_two_level *two, const vo_vec4 *r, double scale,
                  int begin, int end);
/* x += scale H^t (two->x + alpha p) */
VO_DECLARE_KERNEL(void, vo_two_unload, const vo_two_level *two, float alpha, double scale,
                  int begin, int end, vo_vec4 *x);
/* x = G^t Z y, r -= H (A + C) Z y for the coarse solution y; returns |r|^2. */
VO_DECLARE_KERNEL(double, vo_two_deflate, const vo_two_level *two, int begin, int end);
/* r -= alpha q; returns |r|^2. */
VO_DECLARE_KERNEL(double, vo_two_update, const vo_two_level *two, float alpha, int begin, int end);
/* Of aggregates [begin, end): restricted and right = Zt G r. */
VO_DECLARE_KERNEL(void, vo_two_restrict, const vo_two_level *two, int begin, int end);
/* Of aggregates [begin, end): t gets the blocks between half ranges and the couplings; restricted =
 * Zt G r, right = Zt G (r - scale t). */
VO_DECLARE_KERNEL(void, vo_two_cross, const vo_two_level *two, float scale, int begin, int end);
/* x += alpha p, then p = scale z + G^t Z y + beta p, q = scale t + H (A + C) Z y + beta q; returns
 * p . q. */
VO_DECLARE_KERNEL(double, vo_two_direction, const vo_two_level *two, float alpha, float scale,
                  float beta, int begin, int end);

#endif
