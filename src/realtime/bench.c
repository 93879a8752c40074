/* Entry point of the measurements. */
#include "realtime/bench.h"

vo_bench_rt_def vo_bench_rt_def_default(void) {
    return (vo_bench_rt_def){.assets = "assets", .repeat = 5};
}

typedef struct benchmark {
    const char *prefix; /* of its rows */
    vo_result (*run)(vo_bench *b);
} benchmark;

static const benchmark benchmarks[] = {
    {"transition", vo_bench_transitions},
    {"lists", vo_bench_lists},
    {"linear", vo_bench_linear},
    {"tshirt", vo_bench_tshirt},
    {"walkers", vo_bench_walkers},
    {"parade", vo_bench_parade},
    {"drape", vo_bench_drape},
    {"curtains", vo_bench_curtains},
    {"trousers", vo_bench_trousers},
    {"upsampling", vo_bench_upsampling},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static vo_result check_def(vo_context *ctx, const vo_bench_rt_def *def) {
    if (!def->assets) return vo_fail(ctx, VO_BAD_ARGUMENT, "assets: is NULL; name a folder");
    if (def->repeat < 1 || def->repeat > 1000)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "repeat: is %d; use 1 to 1000", def->repeat);
    if (def->max_frames < 0)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "max_frames: is %d; use 0 for all frames, or more",
                       def->max_frames);
    return VO_OK;
}

VO_API vo_result vo_bench_rt(vo_context *ctx, const vo_bench_rt_def *def) {
    vo_bench b = {ctx, def, 0};
    VO_TRY(check_def(ctx, def));
    for (int i = 0; i < BENCHMARKS; i++) {
        if (!vo_bench_wants(&b, benchmarks[i].prefix)) continue;
        VO_TRY(vo_check_cancel(ctx));
        VO_TRY(benchmarks[i].run(&b));
    }
    if (b.rows > 0) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "only: no row begins with \"%.60s\"; rows begin with transition, lists, linear, "
                   "tshirt, walkers, parade, drape, curtains, trousers or upsampling",
                   def->only ? def->only : "");
}
