/* The context: what would otherwise be global. See include/voile/base.h. */
#ifndef VO_CORE_CONTEXT_H
#define VO_CORE_CONTEXT_H

#include <voile/base.h>

#include "core/limit.h"
#include "core/slabs.h"

typedef struct vo_threads vo_threads;

struct vo_context {
    vo_allocator allocator; /* the host's, or that of the limit around it */
    vo_limit limit;         /* most is 0: there is none */
    vo_slabs *slabs;        /* NULL: every block comes from the allocator by itself */
    vo_log_fn *log;
    void *log_user;
    vo_assert_fn *on_assert;
    void *assert_user;
    vo_stop_fn *stop;
    void *stop_user;
    vo_threads *threads;
    bool use_avx2; /* kernels may use the AVX2 copies; cleared by tests to compare */
    char message[1024];
};

/* Records the message and returns `code`: `return vo_fail(ctx, VO_BAD_DATA, "...", ...)`. */
vo_result vo_fail(vo_context *ctx, vo_result code, const char *format, ...) VO_PRINTF(3, 4);

/* The same for memory that could not be had; `what` names what it was for. Where the limit refused
 * it, the sentence has the numbers. */
vo_result vo_fail_memory(vo_context *ctx, const char *what);

/* VO_STOPPED, with its sentence, once the caller wants to stop: for loops of a set-up. */
vo_result vo_check_stop(vo_context *ctx);

void vo_log_line(vo_context *ctx, vo_log_level level, const char *format, ...) VO_PRINTF(3, 4);

/* A rule the calling programmer must keep. Costs one compare; stays on in release builds. */
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
