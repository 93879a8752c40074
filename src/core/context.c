#define _DEFAULT_SOURCE /* madvise */
#include "core/context.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Large blocks use huge pages: the solver streams through tens of megabytes per iteration, and on
 * virtual machines a TLB miss costs more than a cache miss. */
static void *libc_allocate(void *user, size_t bytes, size_t alignment) {
    enum { HUGE_PAGE = 2 << 20 };
    (void)user;
    void *memory = NULL;
    bool large = bytes >= HUGE_PAGE;
    if (large && alignment < HUGE_PAGE) alignment = HUGE_PAGE;
    if (posix_memalign(&memory, alignment, bytes) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

static void libc_release(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    free(memory);
}

vo_context_def vo_context_def_default(void) {
    return (vo_context_def){.allocator = {NULL, libc_allocate, libc_release}};
}

/* Slabs are disabled for the address sanitizer, which cannot detect an overrun inside a slab. */
#if defined(__SANITIZE_ADDRESS__)
enum { ENABLE_SLABS = 0 };
#elif defined(__has_feature)
enum { ENABLE_SLABS = !__has_feature(address_sanitizer) };
#else
enum { ENABLE_SLABS = 1 };
#endif

/* Slabs are used with the default allocator only; a host's allocator receives every request. */
static bool should_use_slabs(const vo_allocator *allocator) {
    return ENABLE_SLABS && allocator->allocate == libc_allocate;
}

static bool processor_has_avx2(void) {
#if defined(VO_HAVE_AVX2_KERNELS) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static int processor_count(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

vo_result vo_context_create(const vo_context_def *given, vo_context **out) {
    vo_context_def def = given ? *given : vo_context_def_default();
    *out = NULL;
    if (!def.allocator.allocate || !def.allocator.release || def.threads < 0)
        return VO_BAD_ARGUMENT;
    vo_context *ctx = def.allocator.allocate(def.allocator.user, sizeof *ctx, VO_ALIGNMENT);
    if (!ctx) return VO_NO_MEMORY;
    *ctx = (vo_context){.allocator = def.allocator,
                        .limit = {.host = def.allocator, .max_bytes = def.memory_limit},
                        .log = def.log,
                        .log_user = def.log_user,
                        .on_assert = def.on_assert,
                        .assert_user = def.assert_user,
                        .cancel = def.cancel,
                        .cancel_user = def.cancel_user,
                        .work = def.work,
                        .work_user = def.work_user,
                        .no_cache = def.no_cache,
                        .use_avx2 = processor_has_avx2()};
    int count = def.threads > 0 ? def.threads : processor_count();
    bool use_slabs = should_use_slabs(&ctx->allocator);
    if (def.memory_limit) ctx->allocator = vo_memory_limit_allocator(&ctx->limit);
    if (use_slabs) ctx->slabs = vo_slabs_create(&ctx->allocator);
    ctx->threads = def.run_tasks ? vo_threads_create_host(&ctx->allocator, count, def.run_tasks,
                                                          def.run_tasks_user)
                                 : vo_threads_create(&ctx->allocator, count);
    if (def.cache_folder) ctx->cache_folder = vo_copy_string(ctx, def.cache_folder);
    if (!ctx->threads || (use_slabs && !ctx->slabs) || (def.cache_folder && !ctx->cache_folder)) {
        vo_context_destroy(ctx);
        return VO_NO_MEMORY;
    }
    *out = ctx;
    return VO_OK;
}

void vo_context_destroy(vo_context *ctx) {
    if (!ctx) return;
    vo_allocator host = ctx->limit.host;
    if (ctx->threads) vo_threads_destroy(ctx->threads, &ctx->allocator);
    vo_free_string(ctx, ctx->cache_folder);
    vo_slabs_destroy(ctx->slabs);
    host.release(host.user, ctx, sizeof *ctx);
}

const char *vo_context_message(const vo_context *ctx) { return ctx->message; }

int vo_context_thread_count(const vo_context *ctx) { return vo_threads_count(ctx->threads); }

vo_memory_usage vo_context_get_memory_usage(const vo_context *ctx) {
    const vo_memory_limit *limit = &ctx->limit;
    if (limit->max_bytes == 0) return (vo_memory_usage){0};
    return (vo_memory_usage){limit->max_bytes, atomic_load(&limit->used),
                             atomic_load(&limit->denied_bytes)};
}

static bool is_control(char c) { return (unsigned char)c < 0x20 || c == 0x7f; }

/* Copies `text`, with control characters written as "\x1b": messages quote file contents and names,
 * which could otherwise contain terminal escape sequences. Truncates at `size`. */
static void escape_control_chars(char *out, size_t size, const char *text) {
    size_t n = 0;
    for (; *text && n + 5 < size; text++) {
        if (is_control(*text))
            n += (size_t)snprintf(out + n, size - n, "\\x%02x", (unsigned)(unsigned char)*text);
        else
            out[n++] = *text;
    }
    out[n] = 0;
}

vo_result vo_fail(vo_context *ctx, vo_result code, const char *format, ...) {
    /* Formatted into a copy, since the arguments may contain the previous message. */
    char text[sizeof ctx->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    escape_control_chars(ctx->message, sizeof ctx->message, text);
    return code;
}

vo_result vo_fail_memory(vo_context *ctx, const char *what) {
    vo_memory_usage memory = vo_context_get_memory_usage(ctx);
    char requested[VO_BYTES_TEXT], used[VO_BYTES_TEXT], limit[VO_BYTES_TEXT];
    if (!memory.denied_bytes) return vo_fail(ctx, VO_NO_MEMORY, "out of memory for %s", what);
    return vo_fail(
        ctx, VO_NO_MEMORY, "out of memory for %s: %s requested, %s of the limit of %s in use", what,
        vo_bytes_text((double)memory.denied_bytes, requested),
        vo_bytes_text((double)memory.used, used), vo_bytes_text((double)memory.limit, limit));
}

bool vo_is_cancelled(const vo_context *ctx) { return ctx->cancel && ctx->cancel(ctx->cancel_user); }

vo_result vo_check_cancel(vo_context *ctx) {
    if (!vo_is_cancelled(ctx)) return VO_OK;
    return vo_fail(ctx, VO_CANCELLED, "cancelled by the caller");
}

void vo_report_work(const vo_context *ctx, const char *operation, int done, int total) {
    if (ctx->work) ctx->work(ctx->work_user, operation, done, total);
}

void vo_log_line(vo_context *ctx, vo_log_level level, const char *format, ...) {
    if (!ctx->log) return;
    char text[1024], line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    escape_control_chars(line, sizeof line, text);
    ctx->log(ctx->log_user, level, line);
}

void vo_require_failed(vo_context *ctx, const char *condition, const char *file, int line) {
    if (ctx->on_assert) ctx->on_assert(ctx->assert_user, condition, file, line);
    abort();
}

#define QUOTE(x)     #x
#define STRINGIFY(x) QUOTE(x)

const char *vo_version(void) {
    return STRINGIFY(VO_VERSION_MAJOR) "." STRINGIFY(VO_VERSION_MINOR) "." STRINGIFY(
        VO_VERSION_PATCH);
}

const char *vo_features(void) {
    return ""
#ifdef VO_HAVE_CHOLMOD
           "cholmod "
#endif
#ifdef VO_HAVE_LAPACK
           "lapack "
#endif
#ifdef VO_HAVE_ARPACK
           "arpack "
#endif
#ifdef VO_HAVE_ASSIMP
           "assimp "
#endif
#ifdef VO_HAVE_EMBREE
           "embree "
#endif
#ifdef VO_HAVE_PNG
           "png "
#endif
#ifdef VO_HAVE_LIBAV
           "movie "
#endif
#ifdef VO_HAVE_AVX2_KERNELS
           "avx2 "
#endif
        ;
}
