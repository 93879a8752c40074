/* Conjugate gradients with the two-level preconditioner (see two_level.c). */
#ifndef VO_LINALG_TWO_LEVEL_H
#define VO_LINALG_TWO_LEVEL_H

#include "linalg/block_kernel.h"
#include "linalg/coupled.h"
#include "linalg/solver.h"

/* All row vectors are in scaled coordinates (linalg/row_tiles.h) and in float. */
typedef struct vo_two_level {
    vo_context *ctx;
    const vo_block_pattern *pattern; /* owned by the caller */
    vo_row_tiles tiles;
    vo_coarse coarse;
    vo_coupled coupled;
    vo_float4 *x;       /* [row_count] correction of the solution */
    vo_float4 *r;       /* [row_count] residual */
    vo_float4 *p, *q;   /* [row_count] direction and its product */
    vo_float4 *z, *t;   /* [row_count] residual after the sweeps, and its product */
    double *partial[4]; /* [tile count] partial sums */
} vo_two_level;

vo_result vo_two_level_init(vo_context *ctx, const vo_block_pattern *pattern, vo_two_level *out);
void vo_two_level_free(vo_two_level *two);

/* Like vo_pcg_solve, but x may become infinite. `r` [row_count] is scratch. */
vo_solve_report vo_two_level_solve(vo_two_level *two, const vo_pcg_def *def,
                                   const vo_block_matrix *a, const vo_vec4 *b, vo_vec4 *x,
                                   vo_vec4 *r);

/* Returns |H v|^2 of rows [begin, end). */
VO_DECLARE_KERNEL(double, vo_two_level_norm, const vo_two_level *two, const vo_vec4 *v, int begin,
                  int end);
/* two->r = scale H r; all other vectors are set to zero. */
VO_DECLARE_KERNEL(void, vo_two_level_load, const vo_two_level *two, const vo_vec4 *r, double scale,
                  int begin, int end);
/* x += scale H^t (two->x + alpha p) */
VO_DECLARE_KERNEL(void, vo_two_level_unload, const vo_two_level *two, float alpha, double scale,
                  int begin, int end, vo_vec4 *x);

/* Coefficients of one step. */
typedef struct vo_two_level_step_def {
    float alpha, beta;
    float scale;   /* factor of z and t */
    bool update_x; /* updates x, including deferred_alpha times the last direction */
    float deferred_alpha;
} vo_two_level_step_def;

/* p = scale z + G^t Z y + beta p, q = scale t + H (A + C) Z y + beta q, r -= alpha q; returns
 * |r|^2. If update_x is set, x += deferred_alpha (the last p) + alpha p. */
VO_DECLARE_KERNEL(double, vo_two_level_step, const vo_two_level *two,
                  const vo_two_level_step_def *def, int begin, int end);
/* Sums G v over the segments of rows [begin, end). */
VO_DECLARE_KERNEL(void, vo_two_level_restrict, const vo_two_level *two, const vo_float4 *v,
                  int begin, int end, vo_float4 *segment);
/* Adds the blocks between half tiles and the couplings to t and its segments in tile `tile`, rows
 * [begin, end); returns their contribution to z . t. */
VO_DECLARE_KERNEL(double, vo_two_level_cross, const vo_two_level *two, int tile, int begin,
                  int end);

#endif
