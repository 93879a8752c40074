/* Linear solvers for A x = b with a symmetric positive definite block matrix: preconditioned
 * conjugate gradients, and CHOLMOD if the build has it.
 *
 * Both are fastest, and the two-level preconditioner is effective only, if rows are numbered by
 * vo_order_points (linalg/ordering.h). */
#ifndef VO_LINALG_SOLVER_H
#define VO_LINALG_SOLVER_H

#include "linalg/couplings.h"

typedef struct vo_direct vo_direct;

typedef enum vo_preconditioner {
    /* SSOR within fixed row tiles and an exact coarse solve over aggregates of rows. On a sheet of
     * 10,000 nodes it needs 6 to 17 times fewer iterations than Jacobi at 2.5 times the cost per
     * iteration: the default choice. */
    VO_PRECONDITION_TWO_LEVEL,
    /* Block Jacobi: for very short steps or very soft cloth, where ten iterations suffice, and for
     * comparison. */
    VO_PRECONDITION_JACOBI,
    /* The last factor of vo_pcg_def.factor, exact except for the couplings: for sheets so stiff
     * that the two-level preconditioner stagnates. Without couplings one or two iterations suffice.
     */
    VO_PRECONDITION_DIRECT,
} vo_preconditioner;

typedef struct vo_pcg_def {
    vo_preconditioner preconditioner;
    double tolerance; /* stops at |r| <= tolerance |b|, where |r|^2 = rt D^-1 r with D the diagonal
                         blocks of A: the same norm for every preconditioner */
    int max_iterations;
    const vo_couplings *couplings; /* C; NULL: none. The system is (A + C) x = b */
    vo_direct *factor; /* factor of A by vo_direct_factor; only for VO_PRECONDITION_DIRECT */
} vo_pcg_def;

typedef struct vo_solve_report {
    bool converged;
    int iterations;  /* 0 for the direct solver */
    double residual; /* relative: in the norm above, or Euclidean for the direct solver */
    bool no_memory;  /* memory for couplings is exhausted */
} vo_solve_report;

/* Scratch vectors and preconditioner of one pattern, which must stay valid. */
typedef struct vo_pcg vo_pcg;
vo_result vo_pcg_create(vo_context *ctx, const vo_block_pattern *pattern, vo_pcg **out);
void vo_pcg_destroy(vo_pcg *pcg); /* NULL is allowed */

/* x: the initial guess on entry (replaced by zero if that is better), the last iterate on return,
 * which is always finite. Rows that must not move are expressed in A and b (an identity row and
 * column with b = 0). Makes no heap call except for couplings, whose memory grows to the largest
 * number.
 *
 * Not converged: max_iterations were made; the residual stagnated; A is not positive definite (a
 * diagonal block, or a direction of negative curvature); a value was not finite; or memory for
 * couplings was exhausted. */
vo_solve_report vo_pcg_solve(vo_pcg *pcg, const vo_pcg_def *def, const vo_block_matrix *a,
                             const vo_vec4 *b, vo_vec4 *x);

/* Direct solver: symbolic factorisation at creation, numeric at each solve. */
bool vo_direct_available(void);
/* VO_BAD_ARGUMENT if the build lacks CHOLMOD. The pattern must stay valid. */
vo_result vo_direct_create(vo_context *ctx, const vo_block_pattern *pattern, vo_direct **out);
void vo_direct_destroy(vo_direct *direct); /* NULL is allowed */
/* report.converged is false, and x unchanged, if A is not positive definite, a value is not finite
 * or CHOLMOD ran out of memory. */
vo_solve_report vo_direct_solve(vo_direct *direct, const vo_block_matrix *a, const vo_vec4 *b,
                                vo_vec4 *x);

/* vo_direct_solve in two parts. Returns false if A cannot be factorised, for the reasons above, or
 * if the build lacks CHOLMOD. */
bool vo_direct_factor(vo_direct *direct, const vo_block_matrix *a);
/* x = A^-1 b with the last successful factor; returns false and leaves x unchanged if memory is
 * exhausted or x would not be finite. */
bool vo_direct_apply(vo_direct *direct, const vo_vec4 *b, vo_vec4 *x);

/* Solves (A + C) x = b by a direct solver of the merged pattern, created for this call: the last
 * resort if contacts are so stiff that conjugate gradients stagnate. Fails if memory is exhausted
 * or the build lacks CHOLMOD; `report` as in vo_direct_solve. */
vo_result vo_direct_solve_coupled(vo_context *ctx, const vo_block_matrix *a,
                                  const vo_couplings *couplings, const vo_vec4 *b, vo_vec4 *x,
                                  vo_solve_report *report);

#endif
