/* Strain limiting: keeps the principal stretches of each face within the limits of its material.
 *
 * After the step is solved, faces beyond their limits are corrected by one or a few additional
 * solves for a velocity change w:
 *
 *       (A + dt^2 (K_all + K_beyond)) w = -dt dE/dx,   v += w,   x += dt w
 *
 *     A         matrix of the step: masses, forces, contacts, handles; fixed rows stay fixed
 *     E         penalty of stretch_limit.h, of the faces beyond their limits
 *     K_beyond  its Hessian
 *     K_all     resistance of all limited faces to any strain, weaker by SOFTNESS
 *
 * This is an inelastic impact: momentum is conserved and energy is lost. A face that began the step
 * beyond its limit has that excess as grace, which decays over RECOVERY, so it is not accelerated
 * back. Excess caused by remeshing is an offset (integrate/assemble.h): limits apply to the
 * effective strain, so it decays with the offset.
 *
 * K_all makes the method work on fine meshes. A pull must propagate through the whole cloth in the
 * step in which a corner is held: with only the faces already beyond, each solve would pass it on
 * to the next ring of faces. Rejected for this reason after trials: penalty springs beyond the
 * limits in the step's own solve (soft ones do not hold, stiff ones push the next ring beyond its
 * limits), and Gauss-Seidel projection face by face, which propagates even more slowly and whose
 * residual grows with every step until the cloth collapses.
 *
 * The stiffness is that of a fabric in which a wave travels REACH times the size of the cloth per
 * step: k = density (REACH size / dt)^2. It is independent of the fabric's stiffness, so the system
 * is equally well conditioned for silk and leather. */
#ifndef VO_INTEGRATE_STRAIN_LIMIT_H
#define VO_INTEGRATE_STRAIN_LIMIT_H

#include "integrate/implicit.h"

typedef struct vo_strain_limit_report {
    int solves, iterations;
    double excess; /* largest remaining excess beyond the limits including grace, in units of
                      stretch */
} vo_strain_limit_report;

/* Corrects x and v after a step of dt; overwrites dv and the matrix. */
vo_strain_limit_report vo_strain_limit_apply(vo_implicit *implicit, double dt);

/* Arguments of the kernels for one correction. Vectors are indexed by row. */
typedef struct vo_strain_limit_pass {
    const vo_system *system;
    double dt; /* s */
    double
        grace; /* fraction of the excess at the beginning of the step that is tolerated, 0 to 1 */
    double wave_distance2;          /* m^2, squared distance that a wave travels per step */
    const vo_vec4 *x, *v;           /* at the end of the step; the start is x - dt v */
    const vo_strain_offset *offset; /* as in vo_assembly */
    double fade;
    const double *slack; /* as in vo_assembly */
    bool add_resistance; /* adds K_all to the matrix */
    float *block;        /* in and out */
    vo_vec4 *b;          /* out: right side */
    double *excess;      /* [chunk_count] out: largest excess per chunk */
} vo_strain_limit_pass;

typedef struct vo_strain_limit_kernels {
    void (*measure)(const vo_strain_limit_pass *pass, int chunk); /* fills excess */
    void (*correct)(const vo_strain_limit_pass *pass, int chunk); /* fills b, adds to block */
} vo_strain_limit_kernels;
extern const vo_strain_limit_kernels vo_strain_limit_kernels_base, vo_strain_limit_kernels_avx2;

#endif
