#include "core/parallel.h"

void vo_parallel_for(vo_context *ctx, int count, int grain, vo_loop_fn *body, void *arg) {
    VO_REQUIRE(ctx, count >= 0 && grain > 0);
    bool every_task_has_finished = vo_threads_run(ctx->threads, count, grain, body, arg);
    VO_REQUIRE(ctx, every_task_has_finished);
}
