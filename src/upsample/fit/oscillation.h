/* Oscillatory modes: travelling waves of the residual that the coarse cloth does not determine
 * (Kavan et al. 2011, section 5).
 *
 * A mode is a pair of fields and a frequency: d(i, t) = S_i sin(theta t) + C_i cos(theta t). Modes
 * are found one after the other in what the ones before leave:
 *
 * 1. The autocorrelation of the displacements gives the period, in whole frames.
 * 2. The frequency is refined between whole frames by maximising the energy that the regression
 *    removes, over the interval to the neighbouring lags.
 * 3. Regression gives the fields, and the mode is subtracted.
 *
 * The search needs the products of frames d(t) . d(t') only: a matrix of frames by frames, which
 * deflation updates. Sequences of frames have phases of their own; the fields are common. */
#ifndef VO_UPSAMPLE_FIT_OSCILLATION_H
#define VO_UPSAMPLE_FIT_OSCILLATION_H

#include "upsample/fit/products.h"
#include "upsample/operator.h"

typedef struct vo_oscillation_def {
    int vertex_count, frame_count;
    int sequence_count;
    const int *first_frame;     /* [sequence_count + 1] */
    const double *displacement; /* [vertex_count][frame_count]; means over time are ignored */
    int max_modes;
    double threshold; /* stops at a mode that removes less than this fraction of the energy */
} vo_oscillation_def;

typedef struct vo_oscillation {
    int mode_count;
    double *theta;    /* [max_modes] radians per frame */
    double *fraction; /* [max_modes] energy removed / energy of the displacements */
    double *sine;     /* [max_modes][vertex_count] */
    double *cosine;   /* [max_modes][vertex_count] */
    double energy;    /* of the displacements without their means */
} vo_oscillation;

/* The arrays of `out` belong to the caller. */
vo_result vo_oscillation_find(vo_context *ctx, const vo_oscillation_def *def, vo_oscillation *out);

/* Finds modes of the residual of an operator without modes and adds them; parameters of the
 * operator give their largest number and the threshold. Sets error.mode_rms and mode_wind. */
vo_result vo_upsample_add_modes(const vo_upsample_products *products, vo_upsample_operator *op);

#endif
