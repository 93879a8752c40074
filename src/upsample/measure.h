/* Measures of an upsampled surface against the fine simulation.
 *
 *     position    RMS distance of corresponding vertices, weighted by area
 *     normals     mean angle between the vertex normals, weighted by area
 *     wrinkles    mean square of the part of the normals above the K lowest mesh harmonics:
 *                 E = sum_i v_i |n_i - sum_k phi_k(i) c_k|^2 / sum_i v_i,  c_k = sum_i v_i phi_k(i)
 * n_i
 *
 * With K equal to the number of coarse vertices, E is the energy of folds that are too short for
 * the coarse mesh. A sinusoid of amplitude a and wavelength 2 pi / q has E = a^2 q^2 / 2 while a q
 * is small. Normals instead of curvatures: the weight of a fold grows with its slope, so that noise
 * at the resolution of the mesh does not dominate. */
#ifndef VO_UPSAMPLE_MEASURE_H
#define VO_UPSAMPLE_MEASURE_H

#include "upsample/pairs.h"

/* Constant input of the measures of one fine mesh. */
typedef struct vo_upsample_meter {
    vo_context *ctx;
    const vo_upsample_mesh *mesh; /* not owned */
    double total_area;            /* m^2 */
    double *area;                 /* [vertex_count] m^2, weights v */
    int mode_count;               /* K */
    float *weighted_mode;         /* [vertex_count][mode_count] v_i phi_k(i) */
} vo_upsample_meter;

/* `area` [vertex_count] m^2; `modes` [mode_count][vertex_count] is orthonormal with respect to it:
 * sum_i v_i phi_k(i) phi_l(i) = 1 if k = l, else 0. Both are copied, the mesh is not. */
vo_result vo_upsample_meter_create(vo_context *ctx, const vo_upsample_mesh *mesh, const float *area,
                                   int mode_count, const float *modes, vo_upsample_meter *out);
void vo_upsample_meter_free(vo_upsample_meter *meter);

/* Scratch memory of one thread. */
typedef struct vo_upsample_meter_scratch {
    int vertex_count, mode_count;
    vo_rt_vec3 *normal, *reference_normal; /* [vertex_count] unit */
    double *coefficient;                   /* [2][3][mode_count] */
} vo_upsample_meter_scratch;
bool vo_upsample_meter_scratch_create(const vo_upsample_meter *meter,
                                      vo_upsample_meter_scratch *out);
void vo_upsample_meter_scratch_free(vo_context *ctx, vo_upsample_meter_scratch *scratch);

/* Measures of one frame. */
typedef struct vo_upsample_frame_difference {
    double position_square;          /* m^2, mean over the area */
    double position_max;             /* m */
    double normal_angle;             /* degrees, mean over the area */
    double wrinkle_energy;           /* of the surface */
    double reference_wrinkle_energy; /* of the reference */
    double wrinkle_difference;       /* of the difference of the normals */
} vo_upsample_frame_difference;

/* Compares positions [vertex_count][3], m, with those of the reference. Thread-safe with separate
 * scratch memory. */
vo_upsample_frame_difference vo_upsample_meter_compare(const vo_upsample_meter *meter,
                                                       const float *positions,
                                                       const float *reference,
                                                       vo_upsample_meter_scratch *scratch);

/* Unit vertex normals, weighted by the area of the triangles; zero where all are degenerate. */
void vo_upsample_compute_normals(const vo_upsample_mesh *mesh, const float *positions,
                                 vo_rt_vec3 *normals);

/* A third of the area of the triangles around each vertex of the rest shape, m^2. */
void vo_upsample_compute_areas(const vo_upsample_mesh *mesh, float *areas);

#endif
