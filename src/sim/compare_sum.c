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

/* Sorts the values. */
static vo_spread spread_over(int count, double *value) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += value[i];
    vo_measure_sort(count, value);
    return (vo_spread){count,
                       vo_measure_quantile(count, value, 0),
                       vo_measure_quantile(count, value, 1),
                       count ? sum / count : NAN,
                       vo_measure_quantile(count, value, 0.01),
                       vo_measure_quantile(count, value, 0.99)};
}

/* `room` has space for a value a frame. */
static vo_spread spread_of(const vo_compared_run *run, int field, double *room) {
    int count = 0;
    for (int i = 0; i < run->frame_count; i++) {
        double value = vo_compared_value(&run->frame[i], field);
        if (isfinite(value)) room[count++] = value;
    }
    return spread_over(count, room);
}

/* The frame of the reference; NULL: it has none. Both lists ascend, and so must calls. */
static const vo_compared_frame *frame_beside(const vo_compared_run *reference, int frame, int *at) {
    while (*at < reference->frame_count && reference->frame[*at].frame < frame) ++*at;
    bool found = *at < reference->frame_count && reference->frame[*at].frame == frame;
    return found ? &reference->frame[*at] : NULL;
}

/* Overlaps in frames in which the reference is slow. */
static vo_spread slow_overlap(const vo_compared_run *run, const vo_compared_run *reference,
                              double slow, double *room) {
    int count = 0;
    for (int i = 0, at = 0; i < run->frame_count; i++) {
        const vo_compared_frame *other = frame_beside(reference, run->frame[i].frame, &at);
        double overlap = run->frame[i].overlap;
        if (other && other->speed <= slow && isfinite(overlap)) room[count++] = overlap;
    }
    return spread_over(count, room);
}

/* A run is as fast as the frames that both have times of say. */
static void find_speed_up(vo_compared_run *run, const vo_compared_run *reference) {
    double own = 0, other = 0;
    int frames = 0;
    for (int i = 0, at = 0; i < run->frame_count; i++) {
        const vo_compared_frame *beside = frame_beside(reference, run->frame[i].frame, &at);
        double a = run->frame[i].seconds, b = beside ? beside->seconds : NAN;
        if (!isfinite(a) || !isfinite(b)) continue;
        own += a;
        other += b;
        frames++;
    }
    run->speed_up = own > 0 ? other / own : NAN;
    run->speed_up_frames = frames;
}

static vo_result sum_run(vo_context *ctx, const vo_comparison *c, vo_compared_run *run) {
    const vo_compared_run *reference = &c->run[c->reference];
    double *room = vo_new_array(ctx, double, vo_max_int(run->frame_count, 1));
    if (!room) return vo_fail_memory(ctx, "the comparison");
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
        *vo_compared_spread(run, f) = spread_of(run, f, room);
    run->slow_overlap = slow_overlap(run, reference, c->slow, room);
    find_speed_up(run, reference);
    vo_free_array(ctx, room, vo_max_int(run->frame_count, 1));
    vo_spread seconds = run->all.seconds;
    run->seconds_total = seconds.frames ? seconds.mean * seconds.frames : 0;
    return VO_OK;
}

vo_result vo_comparison_sum(vo_context *ctx, vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++) VO_TRY(sum_run(ctx, c, &c->run[i]));
    return VO_OK;
}
