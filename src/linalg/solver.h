/* Solving A x = b for one symmetric positive definite block matrix: preconditioned conjugate
 * gradients, and CHOLMOD where the build has it. */
#ifndef VO_LINALG_SOLVER_H
#define VO_LINALG_SOLVER_H

#include "linalg/block_matrix.h"

typedef enum vo_preconditioner {
    VO_PRECONDITION_JACOBI,     /* inverse of the diagonal blocks */
    VO_PRECONDITION_INCOMPLETE, /* incomplete block Cholesky within fixed ranges of rows */
} vo_preconditioner;

typedef struct vo_pcg_def {
    vo_preconditioner preconditioner;
    double tolerance; /* stop at |r| <= tolerance |b|, in the preconditioner's norm */
    int max_iterations;
} vo_pcg_def;

typedef struct vo_solve_report {
    bool converged;
    int iterations;
    double residual; /* relative, in the norm that was tested */
} vo_solve_report;

/* Scratch vectors and preconditioner of one pattern. */
typedef struct vo_pcg vo_pcg;
vo_result vo_pcg_create(vo_context *ctx, const vo_block_pattern *pattern, vo_pcg **out);
void vo_pcg_destroy(vo_pcg *pcg);
/* x: the first guess on entry, the best iterate on return. Rows that must not move are expressed in
 * A and b (an identity row and column with b = 0). Allocates nothing. */
vo_solve_report vo_pcg_solve(vo_pcg *pcg, const vo_pcg_def *def, const vo_block_matrix *a,
                             const vo_vec4 *b, vo_vec4 *x);

/* The direct solver; symbolic work at creation, numeric at each solve. */
typedef struct vo_direct vo_direct;
bool vo_direct_available(void);
vo_result vo_direct_create(vo_context *ctx, const vo_block_pattern *pattern, vo_direct **out);
void vo_direct_destroy(vo_direct *direct);
/* report->converged is false where A is not positive definite or CHOLMOD ran out of memory. */
vo_solve_report vo_direct_solve(vo_direct *direct, const vo_block_matrix *a, const vo_vec4 *b,
                                vo_vec4 *x);

#endif
