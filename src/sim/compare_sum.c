#include "core/memory.h"
#include "sim/compare.h"

#include <stddef.h>

static const struct {
    const char *name;
    size_t frame, spread; /* where it is in the structs */
} fields[] = {
#define X(name, unit, meaning) \
    {#name, offsetof(vo_compared_frame, name), offsetof(vo_compared_run, all.name)},
    VO_COMPARE_FIELDS(X)
#undef X
};

const char *vo_compare_field_name(int field) { return fields[field].name; }

double vo_compared_value(const vo_compared_frame *frame, int field) {
    return *(const double *)(const void *)((const char *)frame + fields[field].frame);
}

vo_spread *vo_compared_spread(vo_compared_run *run, int field) {
    return (vo_spread *)(void *)((char *)run + fields[field].spread);
}

/* `room` has space for a value a frame. */
static vo_spread spread_of(const vo_compared_run *run, int field, double *room) {
    int count = 0;
    double sum = 0;
    for (int i = 0; i < run->frame_count; i++) {
        double value = vo_compared_value(&run->frame[i], field);
        if (!isfinite(value)) continue;
        room[count++] = value;
        sum += value;
    }
    vo_measure_sort(count, room);
    return (vo_spread){count,
                       vo_measure_quantile(count, room, 0),
                       vo_measure_quantile(count, room, 1),
                       count ? sum / count : NAN,
                       vo_measure_quantile(count, room, 0.01),
                       vo_measure_quantile(count, room, 0.99)};
}

/* Both lists ascend. A run is as fast as the frames that both have times of say. */
static double speed_up(const vo_compared_run *run, const vo_compared_run *reference) {
    double own = 0, other = 0;
    for (int i = 0, k = 0; i < run->frame_count; i++) {
        while (k < reference->frame_count && reference->frame[k].frame < run->frame[i].frame) k++;
        if (k == reference->frame_count) break;
        double a = run->frame[i].seconds, b = reference->frame[k].seconds;
        if (reference->frame[k].frame != run->frame[i].frame || !isfinite(a) || !isfinite(b))
            continue;
        own += a;
        other += b;
    }
    return own > 0 ? other / own : NAN;
}

static vo_result sum_run(vo_context *ctx, vo_compared_run *run) {
    double *room = vo_new_array(ctx, double, vo_max_int(run->frame_count, 1));
    if (!room) return vo_fail_memory(ctx, "the comparison");
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
        *vo_compared_spread(run, f) = spread_of(run, f, room);
    vo_free_array(ctx, room, vo_max_int(run->frame_count, 1));
    vo_spread seconds = run->all.seconds;
    run->seconds_total = seconds.frames ? seconds.mean * seconds.frames : 0;
    return VO_OK;
}

vo_result vo_comparison_sum(vo_context *ctx, vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++) {
        VO_TRY(sum_run(ctx, &c->run[i]));
        c->run[i].speed_up = speed_up(&c->run[i], &c->run[c->reference]);
    }
    return VO_OK;
}
