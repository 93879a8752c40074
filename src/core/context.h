/* The context replaces global variables: allocator, log, callbacks, threads, error message. Public
 * interface: include/voile/base.h. */
#ifndef VO_CORE_CONTEXT_H
#define VO_CORE_CONTEXT_H

#include <voile/base.h>

#include "core/memory_limit.h"
#include "core/slabs.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <stdint.h>

struct vo_context {
    vo_allocator allocator; /* the host's, or the memory limit's, which wraps it */
    vo_memory_limit limit;  /* max_bytes is 0: no limit */
    vo_slabs *slabs;        /* NULL: every block comes directly from the allocator */
    vo_log_fn *log;
    void *log_user;
    vo_assert_fn *on_assert;
    void *assert_user;
    vo_cancel_fn *cancel;
    void *cancel_user;
    vo_work_fn *work;
    void *work_user;
    vo_threads *threads;
    bool use_avx2; /* selects the AVX2 variants of the kernels; tests clear it to compare */
    bool log_all;  /* vo_check: lists of warnings are logged in full */
    bool no_cache;              /* see vo_context_def */
    char *cache_folder;         /* owned; NULL: the user's */
    atomic_ullong last_version; /* see vo_context_next_version */
    char message[1024];
};

/* A new version number, unique within the context. Thread-safe. */
static inline uint64_t vo_context_next_version(vo_context *ctx) {
    return atomic_fetch_add_explicit(&ctx->last_version, 1, memory_order_relaxed) + 1;
}

/* Sets the error message and returns `code`: `return vo_fail(ctx, VO_BAD_DATA, "...", ...)`. */
vo_result vo_fail(vo_context *ctx, vo_result code, const char *format, ...) VO_PRINTF(3, 4);

/* Sets the message for a failed allocation and returns VO_NO_MEMORY; `what` names its purpose. If
 * the memory limit denied it, the message contains the sizes. */
vo_result vo_fail_memory(vo_context *ctx, const char *what);

/* Polls the caller's cancel callback. Main thread only, never inside a parallel loop. */
bool vo_is_cancelled(const vo_context *ctx);

/* Polls like vo_is_cancelled and returns VO_CANCELLED, with a message, if it is true. Operations
 * call it between their parts: `VO_TRY(vo_check_cancel(ctx));`. */
vo_result vo_check_cancel(vo_context *ctx);

/* Reports to the caller's work callback that `done` of `total` parts of an operation are complete.
 * `operation` is a phrase such as "loading obstacles". Main thread only. */
void vo_report_work(const vo_context *ctx, const char *operation, int done, int total);

void vo_log_line(vo_context *ctx, vo_log_level level, const char *format, ...) VO_PRINTF(3, 4);

/* Asserts a precondition of the calling program. Costs one comparison; also in release builds. */
#define VO_REQUIRE(ctx, condition)                                                  \
    do {                                                                            \
        if (!(condition)) vo_require_failed((ctx), #condition, __FILE__, __LINE__); \
    } while (0)
void vo_require_failed(vo_context *ctx, const char *condition, const char *file, int line);

/* Returns early with the result of `call` unless it is VO_OK. */
#define VO_TRY(call)                                      \
    do {                                                  \
        vo_result vo_try_result = (call);                 \
        if (vo_try_result != VO_OK) return vo_try_result; \
    } while (0)

#endif
