/* Solving A x = b for one symmetric positive definite block matrix: preconditioned conjugate
 * gradients, and CHOLMOD where the build has it.
 *
 * Both are fastest, and the two-level preconditioner is only good, when rows are numbered by
 * vo_order_points (linalg/ordering.h). */
#ifndef VO_LINALG_SOLVER_H
#define VO_LINALG_SOLVER_H

#include "linalg/couplings.h"

typedef struct vo_direct vo_direct;

typedef enum vo_preconditioner {
    /* SSOR within fixed ranges of rows and an exact solve for patches of rows moving as one. On a
     * sheet of 10,000 nodes it needs 6 to 17 times fewer iterations than Jacobi, of 2.5 times the
     * cost each: take this one. */
    VO_PRECONDITION_TWO_LEVEL,
    /* The inverse of the diagonal blocks: for very short steps or very soft cloth, where ten
     * iterations suffice, and to compare. */
    VO_PRECONDITION_JACOBI,
    /* The last factor of vo_pcg_def.factor, exact but for the couplings: where the sheet itself is
     * so stiff that two levels stall. Without couplings one or two iterations suffice. */
    VO_PRECONDITION_DIRECT,
} vo_preconditioner;

typedef struct vo_pcg_def {
    vo_preconditioner preconditioner;
    double tolerance; /* stop at |r| <= tolerance |b|, where |r|^2 = rt D^-1 r, D the diagonal
                         blocks of A: the same norm for every preconditioner */
    int max_iterations;
    const vo_couplings *couplings; /* C; NULL: none. The system is (A + C) x = b */
    vo_direct *factor;             /* of A, by vo_direct_factor; only for VO_PRECONDITION_DIRECT */
} vo_pcg_def;

typedef struct vo_solve_report {
    bool converged;
    int iterations;  /* 0 for the direct solver */
    double residual; /* relative: in the norm above, or the plain one for the direct solver */
    bool no_memory;  /* for couplings: why it did not converge */
} vo_solve_report;

/* Scratch vectors and preconditioner of one pattern, which must outlive it. */
typedef struct vo_pcg vo_pcg;
vo_result vo_pcg_create(vo_context *ctx, const vo_block_pattern *pattern, vo_pcg **out);
void vo_pcg_destroy(vo_pcg *pcg); /* NULL is allowed */

/* x: the first guess on entry (dropped where zero is better), the last iterate on return, which is
 * finite whatever A, b and the guess hold. Rows that must not move are expressed in A and b (an
 * identity row and column with b = 0). Allocates nothing, but for couplings, whose memory grows to
 * the most there ever were.
 *
 * Not converged: max_iterations were made; or the residual stopped falling; or A showed itself not
 * positive definite (a diagonal block, or a direction of negative curvature); or something was not
 * finite; or memory for couplings was missing. */
vo_solve_report vo_pcg_solve(vo_pcg *pcg, const vo_pcg_def *def, const vo_block_matrix *a,
                             const vo_vec4 *b, vo_vec4 *x);

/* The direct solver; symbolic work at creation, numeric at each solve. */
bool vo_direct_available(void);
/* VO_BAD_CALL where this build has none. The pattern must outlive it. */
vo_result vo_direct_create(vo_context *ctx, const vo_block_pattern *pattern, vo_direct **out);
void vo_direct_destroy(vo_direct *direct); /* NULL is allowed */
/* report.converged is false, and x untouched, where A is not positive definite, something is not
 * finite or CHOLMOD ran out of memory. */
vo_solve_report vo_direct_solve(vo_direct *direct, const vo_block_matrix *a, const vo_vec4 *b,
                                vo_vec4 *x);

/* The same in two halves. False where A cannot be factored: for the reasons above, or because this
 * build has no direct solver. */
bool vo_direct_factor(vo_direct *direct, const vo_block_matrix *a);
/* x = A^-1 b with the last factor that succeeded; false, and x untouched, where memory is missing
 * or x would not be finite. */
bool vo_direct_apply(vo_direct *direct, const vo_vec4 *b, vo_vec4 *x);

/* (A + C) x = b by a direct solver of the merged pattern, made for this one call: the last resort
 * where contacts are so stiff that conjugate gradients stall. Fails where memory is missing or this
 * build has no direct solver; `report` as vo_direct_solve. */
vo_result vo_direct_solve_coupled(vo_context *ctx, const vo_block_matrix *a,
                                  const vo_couplings *couplings, const vo_vec4 *b, vo_vec4 *x,
                                  vo_solve_report *report);

#endif
