/* Strain limits: no principal stretch of a face beyond what its material allows.
 *
 * After the step is solved, faces that it took beyond their limits are brought back by a second
 * solve, or a few, for a change of velocities w:
 *
 *     (A + dt^2 (K_all + K_beyond)) w = -dt dE/dx,   v += w,   x += dt w
 *
 *   A         the matrix of the step: masses, forces, contacts, handles; fixed rows stay fixed
 *   E         the penalty of stretch_limit.h, of faces that are beyond
 *   K_beyond  its Hessian
 *   K_all     a resistance of all limited faces to being strained at all, weaker by SOFTNESS
 *
 * It is an inelastic impact: momentum is kept and energy is lost. A face that began the step beyond
 * its limit has that much grace, which it loses within RECOVERY, so it is not kicked back. What
 * remeshing took beyond is an offset (integrate/assemble.h): limits are for the strain that counts,
 * so it comes back as the offset fades.
 *
 * K_all is what makes it work on fine meshes. A pull has to travel through the whole cloth in the
 * step in which a corner is held: with the faces alone that are beyond already, each solve would
 * only hand it on to the next ring of faces. Rejected for this reason, and tried: springs in the
 * step's own solve beyond the limits (soft ones do not hold, stiff ones throw the next ring out of
 * its limits, and so on); and projecting face by face in sweeps, which is slower still to travel,
 * and whose remainder grows with every step until nothing is left of the cloth.
 *
 * The stiffness is that of a fabric in which a pull travels REACH times the size of the cloth in a
 * step: k = density (REACH size / dt)^2. It depends on no fabric's stiffness, so that the system is
 * as well conditioned for silk as for leather. */
#ifndef VO_INTEGRATE_STRAIN_LIMIT_H
#define VO_INTEGRATE_STRAIN_LIMIT_H

#include "integrate/implicit.h"

typedef struct vo_limit_report {
    int solves, iterations;
    double excess; /* largest that is left, in units of stretch, beyond limits with their grace */
} vo_limit_report;

/* Corrects x and v, which a step of dt has led to; dv and the matrix are scratch. */
vo_limit_report vo_strain_limit(vo_implicit *implicit, double dt);

/* One correction as the kernels see it. Vectors are by row. */
typedef struct vo_limit_pass {
    const vo_system *system;
    double dt;               /* s */
    double keep;             /* of an excess at the beginning of the step that may stay, 0 to 1 */
    double reach2;           /* m^2, square of how far a pull travels */
    const vo_vec4 *x, *v;    /* at the end of the step; it began at x - dt v */
    const vo_offset *offset; /* as in vo_assembly */
    double fade;
    const double *slack; /* likewise */
    bool all;            /* K_all is not in the matrix yet */
    float *block;        /* in and out */
    vo_vec4 *b;          /* out: right side */
    double *excess;      /* [chunk_count] out: largest of each chunk's faces */
} vo_limit_pass;

typedef struct vo_limit_kernels {
    void (*measure)(const vo_limit_pass *pass, int chunk); /* fills excess */
    void (*correct)(const vo_limit_pass *pass, int chunk); /* fills b, adds to block */
} vo_limit_kernels;
extern const vo_limit_kernels vo_limit_kernels_base, vo_limit_kernels_avx2;

#endif
