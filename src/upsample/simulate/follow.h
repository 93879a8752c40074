/* The fine cloth follows the coarse one: tracking constraints (tracking.h) whose targets T B p_c
 * move along cubic Hermite curves through the coarse positions and velocities at the ends of a
 * step. */
#ifndef VO_UPSAMPLE_SIMULATE_FOLLOW_H
#define VO_UPSAMPLE_SIMULATE_FOLLOW_H

#include "upsample/simulate/tracking.h"

#include <voile/rt.h>

/* Rows of an interpolation operator B [fine_count][coarse_count]. */
typedef struct vo_upsample_rows {
    int fine_count, coarse_count;
    int *first;    /* [fine_count + 1] */
    int *column;   /* [first[fine_count]] */
    float *weight; /* the same */
} vo_upsample_rows;

typedef struct vo_upsample_follow {
    vo_context *ctx;
    vo_upsample_tracking *tracking; /* owned */
    int count, coarse_count;        /* T, M */
    double *product;                /* [count][coarse_count] T B */
    /* [3][count] each, m or m/s; target: of the last substep */
    double *start, *start_rate, *end, *end_rate, *target;
    double begin, duration; /* s, of the step, simulated time of the fine world */
} vo_upsample_follow;

/* Copies `rows` [count][fine_count], mass-weighted test functions. */
vo_result vo_upsample_follow_create(vo_context *ctx, int count, const float *rows,
                                    const vo_upsample_rows *base, vo_upsample_follow **out);
void vo_upsample_follow_destroy(vo_upsample_follow *follow); /* NULL is allowed */

/* Sets the coarse state at the end of the next step; the end of the last one becomes its start.
 * Four floats per coarse vertex each, m and m/s. */
void vo_upsample_follow_set(vo_upsample_follow *follow, const float *positions,
                            const float *velocities);
/* Sets the time of the next step. */
void vo_upsample_follow_begin(vo_upsample_follow *follow, double begin, double duration);
/* The constraint; `user` is the vo_upsample_follow. */
void vo_upsample_follow_project(void *user, const vo_rt_substep_view *view);

#endif
