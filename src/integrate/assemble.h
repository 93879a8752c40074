/* Forces and matrix of one implicit step: the numeric half of system.h. */
#ifndef VO_INTEGRATE_ASSEMBLE_H
#define VO_INTEGRATE_ASSEMBLE_H

#include "force/wind.h"
#include "integrate/system.h"

/* What a face is taken to be strained and bent less than it is. Remeshing gives it to new faces, so
 * that they begin with the stress that was there before them; it fades. */
typedef struct vo_offset {
    double strain[3];    /* Guu, Guv, Gvv */
    double curvature[3]; /* Kuu, Kvv, Kuv, 1/m */
} vo_offset;

/* Everything the kernel reads and writes. Vectors are by row. */
typedef struct vo_assembly {
    const vo_system *system;
    double dt; /* s */
    vo_vec3 gravity;
    vo_wind wind;
    const vo_vec4 *x;        /* m, at the start of the step */
    const vo_vec4 *v;        /* m/s */
    const vo_offset *offset; /* [face_count] in the order of the list; NULL: none */
    double fade;             /* what is left of them, 0 to 1 */
    const double *slack;     /* [face_count] likewise, 0 to 1 (material/buckle.h); NULL: none */
    /* Scratch of the bending passes. */
    double *angle, *rate;    /* [hinge_count + 1] bent by, rad, and its rate; the last stays 0 */
    double *moment, *weight; /* [3 face_count] of each side: N m, and dt tau times its slope */
    float *block;            /* out: M + dt (dt + damping) K + dt D, upper triangle */
    vo_vec4 *b;              /* out: dt (f - (dt + damping) K v), kg m/s */
} vo_assembly;

/* Doubles that the scratch arrays of a system need together, and how they share them. */
size_t vo_assembly_scratch(const vo_system *system);
void vo_assembly_set_scratch(vo_assembly *assembly, double *scratch);

/* Angles, moments, chunks: each in parallel. */
void vo_assemble(vo_context *ctx, const vo_assembly *assembly);

/* The kernels, one copy for each instruction set. Ranges are of packets. */
typedef struct vo_assemble_kernels {
    void (*angles)(const vo_assembly *assembly, int begin, int end);
    void (*moments)(const vo_assembly *assembly, int begin, int end);
    void (*chunk)(const vo_assembly *assembly, int chunk);
} vo_assemble_kernels;
extern const vo_assemble_kernels vo_assemble_kernels_base, vo_assemble_kernels_avx2;

#endif
