#include "core/memory.h"
#include "run/compare.h"

#include <stddef.h>

static const struct {
    const char *name;
    size_t frame, distribution; /* offsets in vo_frame_comparison and vo_run_comparison */
} fields[] = {
#define X(name, unit, meaning) \
    {#name, offsetof(vo_frame_comparison, name), offsetof(vo_run_comparison, all.name)},
    VO_COMPARE_FIELDS(X)
#undef X
};

const char *vo_compare_field_name(int field) { return fields[field].name; }

double vo_compare_field_value(const vo_frame_comparison *frame, int field) {
    return *(const double *)(const void *)((const char *)frame + fields[field].frame);
}

vo_distribution *vo_compare_field_distribution(vo_run_comparison *run, int field) {
    return (vo_distribution *)(void *)((char *)run + fields[field].distribution);
}

/* Sorts the values in place. */
static vo_distribution make_distribution(int count, double *value) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += value[i];
    vo_sort_values(count, value);
    return (vo_distribution){count,
                             vo_quantile(count, value, 0),
                             vo_quantile(count, value, 1),
                             count ? sum / count : NAN,
                             vo_quantile(count, value, 0.01),
                             vo_quantile(count, value, 0.99)};
}

/* `scratch` has room for one value per frame. */
static vo_distribution field_distribution(const vo_run_comparison *run, int field,
                                          double *scratch) {
    int count = 0;
    for (int i = 0; i < run->frame_count; i++) {
        double value = vo_compare_field_value(&run->frame[i], field);
        if (isfinite(value)) scratch[count++] = value;
    }
    return make_distribution(count, scratch);
}

/* The frame of the reference; NULL if it has none. Calls must be in ascending order of frames. */
static const vo_frame_comparison *find_reference_frame(const vo_run_comparison *reference,
                                                       int frame, int *at) {
    while (*at < reference->frame_count && reference->frame[*at].frame < frame) ++*at;
    bool found = *at < reference->frame_count && reference->frame[*at].frame == frame;
    return found ? &reference->frame[*at] : NULL;
}

/* Distribution over the frames in which the reference is slow. */
static vo_distribution slow_silhouette_iou(const vo_run_comparison *run,
                                           const vo_run_comparison *reference, double slow,
                                           double *scratch) {
    int count = 0;
    for (int i = 0, at = 0; i < run->frame_count; i++) {
        const vo_frame_comparison *other =
            find_reference_frame(reference, run->frame[i].frame, &at);
        double iou = run->frame[i].silhouette_iou;
        if (other && other->speed <= slow && isfinite(iou)) scratch[count++] = iou;
    }
    return make_distribution(count, scratch);
}

/* Ratio of the times of the frames that both runs have times for. */
static void find_speed_up(vo_run_comparison *run, const vo_run_comparison *reference) {
    double own = 0, other = 0;
    int frames = 0;
    for (int i = 0, at = 0; i < run->frame_count; i++) {
        const vo_frame_comparison *match =
            find_reference_frame(reference, run->frame[i].frame, &at);
        double a = run->frame[i].seconds, b = match ? match->seconds : NAN;
        if (!isfinite(a) || !isfinite(b)) continue;
        own += a;
        other += b;
        frames++;
    }
    run->speed_up = own > 0 ? other / own : NAN;
    run->speed_up_frames = frames;
}

static vo_result sum_run(vo_context *ctx, const vo_comparison *c, vo_run_comparison *run) {
    const vo_run_comparison *reference = &c->run[c->reference];
    double *scratch = vo_new_array(ctx, double, vo_max_int(run->frame_count, 1));
    if (!scratch) return vo_fail_memory(ctx, "the comparison");
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
        *vo_compare_field_distribution(run, f) = field_distribution(run, f, scratch);
    run->slow_silhouette_iou = slow_silhouette_iou(run, reference, c->slow, scratch);
    find_speed_up(run, reference);
    vo_free_array(ctx, scratch, vo_max_int(run->frame_count, 1));
    vo_distribution seconds = run->all.seconds;
    run->seconds_total = seconds.frames ? seconds.mean * seconds.frames : 0;
    return VO_OK;
}

vo_result vo_comparison_sum(vo_context *ctx, vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++) VO_TRY(sum_run(ctx, c, &c->run[i]));
    return VO_OK;
}
