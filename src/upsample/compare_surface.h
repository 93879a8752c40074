/* Surfaces that are compared with the fine cloth, and the sums of their measures. */
#ifndef VO_UPSAMPLE_COMPARE_SURFACE_H
#define VO_UPSAMPLE_COMPARE_SURFACE_H

#include "upsample/base/base_operator.h"
#include "upsample/measure.h"

typedef enum vo_compared_kind {
    VO_COMPARED_BASE,     /* interpolation of the coarse mesh */
    VO_COMPARED_OPERATOR, /* U p of a learned operator */
    VO_COMPARED_REPEAT,   /* the fine cloth of other pairs */
    VO_COMPARED_RUN       /* positions given by the caller */
} vo_compared_kind;

typedef struct vo_compared_surface {
    vo_compared_kind kind;
    const char *name;               /* not owned */
    vo_sparse_rows rows;            /* of an interpolation */
    const vo_upsample_operator *op; /* not owned */
    const vo_upsample_pairs *pairs; /* of a repeat; not owned */
    /* Sums over frames. */
    int frames;
    double position_square, normal_angle, energy, reference_energy, energy_error, difference;
    double position_max; /* m */
    int inside;          /* largest number of vertices inside bodies; -1: not counted */
    double depth;        /* m, largest depth */
} vo_compared_surface;

/* Positions [N][3] of a surface that is not VO_COMPARED_RUN in a frame of the pairs, m. */
void vo_compared_surface_evaluate(const vo_compared_surface *surface,
                                  const vo_upsample_pairs *pairs, int sequence, int frame,
                                  float *positions);

/* Adds the measures of a frame. */
void vo_compared_surface_add(vo_compared_surface *surface,
                             const vo_upsample_frame_difference *frame);
void vo_compared_surface_add_inside(vo_compared_surface *surface, int inside, double depth);

/* Measures over all frames that were added. */
vo_upsample_surface_result vo_compared_surface_result(const vo_compared_surface *surface);

#endif
