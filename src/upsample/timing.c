#include "upsample/timing.h"

#include "core/memory.h"
#include "core/timer.h"
#include "rt/detail/operator.h"

/* Evaluations; bytes that are overwritten in between, more than the last level of a cache. */
enum { WARM = 60, COLD = 12, EVICTED_BYTES = 96 << 20 };

/* Memory of the evaluations. */
typedef struct rig {
    const vo_rt_asset *asset;
    const vo_rt_operator_kernels *kernels;
    vo_rt_upsample upsample;
    float weight[VO_RT_MAX_OPERATORS];
    char *evicted; /* [EVICTED_BYTES] */
} rig;

static void evict(rig *r) {
    for (size_t i = 0; i < EVICTED_BYTES; i += 64) r->evicted[i]++;
}

/* Shortest of `count` evaluations, s. */
static double time_evaluations(rig *r, int count, bool is_cold) {
    vo_rt_upsample *u = &r->upsample;
    double best = 1e9;
    for (int i = 0; i < count; i++) {
        if (is_cold) evict(r);
        double start = vo_now();
        vo_rt_upsample_evaluate(r->kernels, r->asset, r->weight, u->input,
                                (vo_rt_upsample_scratch){u->product, u->scaled}, u->current);
        double time = vo_now() - start;
        if (time < best) best = time;
    }
    return best;
}

static void measure(rig *r, vo_upsample_timing *out) {
    int operators = r->asset->detail.operator_count;
    for (int i = 0; i < r->asset->vertex_count; i++) {
        vo_rt_vec3 p = r->asset->position[i];
        r->upsample.input[i] = (vo_rt_vec4){p.x, p.y, p.z, 0};
    }
    for (int k = 0; k < operators; k++) r->weight[k] = 1 / (float)operators;
    out->warm_s = time_evaluations(r, WARM, false);
    out->cold_s = time_evaluations(r, COLD, true);
}

vo_result vo_upsample_time_operators(vo_context *ctx, const vo_rt_asset *asset,
                                     vo_upsample_timing *out) {
    rig r = {.asset = asset, .kernels = vo_rt_operator_select_kernels(ctx->use_avx2)};
    *out = (vo_upsample_timing){.bytes = vo_rt_asset_get_info(asset).detail_bytes};
    r.evicted = vo_alloc_zero(ctx, EVICTED_BYTES);
    bool ok = r.evicted && vo_rt_upsample_init(&r.upsample, &ctx->allocator, asset);
    if (ok) measure(&r, out);
    if (r.evicted) vo_rt_upsample_free(&r.upsample, &ctx->allocator);
    vo_free(ctx, r.evicted, EVICTED_BYTES);
    return ok ? VO_OK : vo_fail_memory(ctx, "a measurement");
}
