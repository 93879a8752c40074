/* Smooth curves through keys: the value of one channel of a clip over time.
 *
 * Between two keys runs a cubic whose slopes at the keys come from the neighbours such that the
 * curve never leaves the range of the two (Fritsch and Butland 1984). So the curve has no jump in
 * its rate, and an angle whose keys keep a joint's limits keeps them at any time. Splines through
 * the same keys would be rounder, but overshoot. */
#ifndef VO_SCENE_CLIP_CURVE_H
#define VO_SCENE_CLIP_CURVE_H

#include "core/context.h"

typedef struct vo_curve_key {
    double time, value;
    double slope; /* per second; set by vo_curve_finish */
} vo_curve_key;

/* How a curve goes on beyond its keys: held if the period is 0, or else again and again, higher by
 * `gain` each time. */
typedef struct vo_curve_cycle {
    double period, gain;
} vo_curve_cycle;

typedef struct vo_curve {
    int count, capacity;
    vo_curve_key *key; /* ascending times; with a period all of them in [0, period) */
    vo_curve_cycle cycle;
} vo_curve;

/* After all others in time. False without memory. */
bool vo_curve_add(vo_context *ctx, vo_curve *curve, double time, double value);
/* Works out the slopes; to be called when all keys are there. */
void vo_curve_finish(vo_curve *curve, vo_curve_cycle cycle);
void vo_curve_free(vo_context *ctx, vo_curve *curve);

/* 0 of a curve without keys. */
double vo_curve_at(const vo_curve *curve, double time);

/* From 0 to 1 while x goes from 0 to 1, with no rate at either end; held outside. */
double vo_ease(double x);

#endif
