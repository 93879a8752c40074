/* Targets of the tracking constraints. */
#include "upsample/simulate/follow.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

typedef vo_upsample_follow follow;

/* Arrays of the targets. */
enum { TARGETS = 5 };

static double **target_of(follow *f, int i) {
    double **const list[TARGETS] = {&f->start, &f->start_rate, &f->end, &f->end_rate, &f->target};
    return list[i];
}

void vo_upsample_follow_destroy(follow *f) {
    if (!f) return;
    vo_upsample_tracking_destroy(f->tracking);
    vo_free(f->ctx, f->product, (size_t)f->count * (size_t)f->coarse_count * sizeof *f->product);
    for (int i = 0; i < TARGETS; i++) vo_free_array(f->ctx, *target_of(f, i), 3 * f->count);
    vo_delete(f->ctx, f);
}

static void multiply(follow *f, const float *rows, const vo_upsample_rows *base) {
    for (int k = 0; k < f->count; k++) {
        const float *row = rows + (size_t)k * (size_t)base->fine_count;
        double *out = f->product + (size_t)k * (size_t)f->coarse_count;
        for (int i = 0; i < base->fine_count; i++)
            for (int e = base->first[i]; e < base->first[i + 1]; e++)
                out[base->column[e]] += (double)row[i] * (double)base->weight[e];
    }
}

static vo_result allocate(follow *f) {
    f->product =
        vo_alloc_zero(f->ctx, (size_t)f->count * (size_t)f->coarse_count * sizeof *f->product);
    bool ok = f->product != NULL;
    for (int i = 0; i < TARGETS; i++) {
        *target_of(f, i) = vo_alloc_zero(f->ctx, 3 * (size_t)f->count * sizeof(double));
        ok = ok && *target_of(f, i);
    }
    return ok ? VO_OK : vo_fail_memory(f->ctx, "tracking constraints");
}

vo_result vo_upsample_follow_create(vo_context *ctx, int count, const float *rows,
                                    const vo_upsample_rows *base, follow **out) {
    follow *f = *out = vo_new(ctx, follow);
    if (!f) return vo_fail_memory(ctx, "tracking constraints");
    *f = (follow){.ctx = ctx, .count = count, .coarse_count = base->coarse_count};
    vo_result result = allocate(f);
    if (result == VO_OK)
        result = vo_upsample_tracking_create(ctx, count, base->fine_count, rows, &f->tracking);
    if (result == VO_OK) {
        multiply(f, rows, base);
        return VO_OK;
    }
    vo_upsample_follow_destroy(f);
    *out = NULL;
    return result;
}

/* out = T B x for coarse vectors of four floats. */
static void apply(const follow *f, const float *x, double *out) {
    for (int k = 0; k < f->count; k++) {
        const double *row = f->product + (size_t)k * (size_t)f->coarse_count;
        double sum[3] = {0};
        for (int j = 0; j < f->coarse_count; j++)
            for (int c = 0; c < 3; c++) sum[c] += row[j] * (double)x[4 * j + c];
        for (int c = 0; c < 3; c++) out[c * f->count + k] = sum[c];
    }
}

void vo_upsample_follow_set(follow *f, const float *positions, const float *velocities) {
    size_t bytes = 3 * (size_t)f->count * sizeof(double);
    memcpy(f->start, f->end, bytes);
    memcpy(f->start_rate, f->end_rate, bytes);
    apply(f, positions, f->end);
    apply(f, velocities, f->end_rate);
    memcpy(f->target, f->end, bytes);
}

void vo_upsample_follow_begin(follow *f, double begin, double duration) {
    f->begin = begin;
    f->duration = duration;
}

/* Sets the target at fraction s of the step, on the cubic Hermite curve. */
static void interpolate(follow *f, double s) {
    double r = 1 - s, h00 = (1 + 2 * s) * r * r, h01 = s * s * (3 - 2 * s);
    double h10 = s * r * r * f->duration, h11 = -s * s * r * f->duration;
    for (int k = 0; k < 3 * f->count; k++)
        f->target[k] =
            h00 * f->start[k] + h10 * f->start_rate[k] + h01 * f->end[k] + h11 * f->end_rate[k];
}

void vo_upsample_follow_project(void *user, const vo_rt_substep_view *view) {
    follow *f = user;
    double s = f->duration > 0 ? (view->time - f->begin) / f->duration : 1;
    interpolate(f, fmin(fmax(s, 0), 1));
    vo_upsample_tracking_project(f->tracking, view->positions + 4, f->target); /* without slot 0 */
}
