/* Smooth curves through keys: the value of one channel of a clip over time.
 *
 * Monotone cubic Hermite interpolation (Fritsch and Butland 1984): the slopes at the keys are
 * chosen so that the curve stays within the range of its two neighbouring keys. The derivative is
 * continuous, and an angle whose keys respect a joint limit respects it at all times. Natural
 * splines through the same keys are smoother but overshoot. */
#ifndef VO_CHARACTER_CLIP_CURVE_H
#define VO_CHARACTER_CLIP_CURVE_H

#include "core/context.h"

typedef struct vo_curve_key {
    double time, value;
    double slope; /* per second; set by vo_curve_finish */
} vo_curve_key;

/* Continuation beyond the keys: constant if the period is 0, else periodic, plus `gain` per
 * period. */
typedef struct vo_curve_cycle {
    double period, gain;
} vo_curve_cycle;

typedef struct vo_curve {
    int count, capacity;
    vo_curve_key *key; /* ascending times; with a period all in [0, period) */
    vo_curve_cycle cycle;
} vo_curve;

/* Appends a key, later than all others. Returns false without memory. */
bool vo_curve_add(vo_context *ctx, vo_curve *curve, double time, double value);
/* Computes the slopes; call it after the last vo_curve_add. */
void vo_curve_finish(vo_curve *curve, vo_curve_cycle cycle);
void vo_curve_free(vo_context *ctx, vo_curve *curve);

/* Returns the value at a time; 0 for a curve without keys. */
double vo_curve_at(const vo_curve *curve, double time);

/* Smoothstep: 0 for x <= 0, 1 for x >= 1, with zero slope at both ends. */
double vo_ease(double x);

#endif
