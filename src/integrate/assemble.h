/* Assembly of one implicit step: forces and matrix, the numeric part of system.h. */
#ifndef VO_INTEGRATE_ASSEMBLE_H
#define VO_INTEGRATE_ASSEMBLE_H

#include "force/wind.h"
#include "integrate/system.h"

/* Strain and curvature subtracted from those of a face. Remeshing sets it on new faces, so that
 * they start with the stress of the faces they replace; it fades. */
typedef struct vo_strain_offset {
    double strain[3];    /* Guu, Guv, Gvv */
    double curvature[3]; /* Kuu, Kvv, Kuv, 1/m */
} vo_strain_offset;

/* Inputs and outputs of the kernels. Vectors are indexed by row. */
typedef struct vo_assembly {
    const vo_system *system;
    double dt; /* s */
    vo_vec3 gravity;
    vo_wind wind;
    const vo_vec4 *x; /* m, at the start of the step */
    const vo_vec4 *v; /* m/s */
    const vo_strain_offset
        *offset; /* [face_count] in the order of system.face_number; NULL: none */
    double fade; /* factor of the offsets, 0 to 1 */
    const double
        *slack; /* [face_count] in the same order, 0 to 1 (material/buckle.h); NULL: none */
    /* Scratch of the bending passes. */
    double *angle, *rate; /* [hinge_count + 1] bend angle, rad, and its rate; the last stays 0 */
    double *moment,
        *weight;  /* [3 face_count] per side: moment, N m, and dt tau times its derivative */
    float *block; /* out: M + dt (dt + damping) K + dt D, upper triangle */
    vo_vec4 *b;   /* out: dt (f - (dt + damping) K v), kg m/s */
} vo_assembly;

/* Returns the number of doubles of all scratch arrays of a system; vo_assembly_set_scratch
 * distributes them. */
size_t vo_assembly_scratch(const vo_system *system);
void vo_assembly_set_scratch(vo_assembly *assembly, double *scratch);

/* Runs the passes angles, moments and chunks, each in parallel. */
void vo_assemble(vo_context *ctx, const vo_assembly *assembly);

/* The kernels per instruction set. Ranges are of packets. */
typedef struct vo_assemble_kernels {
    void (*angles)(const vo_assembly *assembly, int begin, int end);
    void (*moments)(const vo_assembly *assembly, int begin, int end);
    void (*chunk)(const vo_assembly *assembly, int chunk);
} vo_assemble_kernels;
extern const vo_assemble_kernels vo_assemble_kernels_base, vo_assemble_kernels_avx2;

#endif
