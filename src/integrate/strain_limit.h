/* Strain limiting: no principal stretch of a face beyond its material's limits.
 *
 * Faces are corrected one after the other (Gauss-Seidel) until all are within a small tolerance or
 * the passes run out: the deformation gradient F = U diag(s) V^T is replaced by U diag(clamped s)
 * V^T about the centre of mass, which keeps linear and angular momentum (Wang, O'Brien, Ramamoorthi
 * 2010, "Multi-resolution isotropic strain limiting", section 3). Faces of one colour share no
 * node, so they may run in parallel and the result does not depend on the number of threads. */
#ifndef VO_INTEGRATE_STRAIN_LIMIT_H
#define VO_INTEGRATE_STRAIN_LIMIT_H

#include "integrate/system.h"

typedef struct vo_limit_face {
    int row[3];
    vo_vec2 u[3];    /* m */
    vo_mat2 inverse; /* of the material edge matrix */
    double stretch_min, stretch_max;
} vo_limit_face;

typedef struct vo_limiter {
    vo_context *ctx;
    int face_count, colour_count;
    vo_limit_face *face; /* by colour */
    int *colour_start;   /* [colour_count + 1] */
    int row_count;
    vo_vec4 *before;   /* [row_count] scratch: where the nodes were */
    double *violation; /* scratch, one a parallel chunk */
    int violation_capacity;
} vo_limiter;

typedef struct vo_limit_def {
    int max_passes;
    double tolerance; /* how far beyond a limit a stretch may stay */
} vo_limit_def;

typedef struct vo_limit_report {
    bool met; /* every stretch was within the tolerance */
    int passes;
    double violation; /* largest that is left, as it was seen in the last pass */
} vo_limit_report;

/* face_count is 0 where no material has a finite limit. */
vo_result vo_limiter_create(vo_context *ctx, int cloth_count, const vo_system_cloth *cloth,
                            const vo_system *system, vo_limiter *out);
void vo_limiter_free(vo_limiter *limiter);

/* Moves x, and changes v by what that means over a step of dt; rows with fixed[row] stay. */
vo_limit_report vo_limiter_apply(vo_limiter *limiter, const vo_limit_def *def, const double *mass,
                                 const unsigned char *fixed, double dt, vo_vec4 *x, vo_vec4 *v);

#endif
