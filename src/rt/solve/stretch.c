/* Percentile of spring elongation, by histogram. */
#include "math/simd_float.h"

#include "rt/solve/solve.h"

enum { BINS = 1024 };
static const float BIN_WIDTH = 0.0005f;

/* Elongations of at most 0 are in bin 0, those in ((k - 1) w, k w] in bin k, and the ones beyond in
 * the last bin. */
typedef struct elongation_histogram {
    int32_t bin[BINS];
    int32_t count;
    vo_f8 max; /* largest elongations of the lanes */
} elongation_histogram;

static void add_group(elongation_histogram *h, const vo_rt_front *front,
                      const vo_rt_spring_group *g) {
    vo_f8 w, rest = f8_load(g->rest);
    vo_v8 d = v8_sub(v8_gather(front->position, g->a, &w), v8_gather(front->position, g->b, &w));
    vo_f8 elongation = f8_divide(f8_sqrt(v8_dot(d, d)), rest, 0) - f8_set(1);
    elongation = f8_select(elongation > f8_set(0), elongation, f8_set(0));
    vo_f8 bin = f8_min(elongation * f8_set(1 / BIN_WIDTH) + f8_set(1), f8_set(BINS - 1));
    float bins[VO_RT_LANES];
    f8_store(bins, f8_select(elongation > f8_set(0), bin, f8_set(0)));
    h->max = f8_max(elongation, h->max);
    for (int k = 0; k < VO_RT_LANES; k++) {
        if (g->a[k] == g->b[k] || !(g->rest[k] > 0)) continue;
        h->bin[(int)bins[k]]++;
        h->count++;
    }
}

float vo_rt_solve_stretch(const vo_rt_front *front, float percentile) {
    elongation_histogram h = {0};
    for (int i = 0; i < front->spring_group_count; i++) add_group(&h, front, &front->springs[i]);
    float max = f8_max_lane(h.max);
    if (h.count == 0) return 0;
    int32_t below = (int32_t)ceilf(f_clamp(percentile, 0, 1) * (float)h.count);
    int k = 0;
    for (int32_t sum = h.bin[0]; k < BINS - 1 && sum < below;) sum += h.bin[++k];
    return k < BINS - 1 ? f_min((float)k * BIN_WIDTH, max) : max;
}
