/* Common test support: cmocka, contexts with instrumented allocators, temporary folders, the path
 * of external data, random vectors and grids. */
#ifndef VOILE_TESTS_SUPPORT_H
#define VOILE_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <voile/voile.h>

#include "core/random.h"

/* Creates a context with the given number of threads; fails the test on an error. */
vo_context *test_context(int threads);
/* The same with a cache in a folder; NULL: without cache. */
vo_context *test_context_cached(int threads, const char *folder);

/* An allocator that counts its calls and can fail one of them. */
typedef struct test_memory {
    long calls;       /* number of allocations */
    long live, bytes; /* blocks and bytes not yet released */
    long fail_at;     /* index (from 0) of the call to fail; -1: none */
} test_memory;
vo_context *test_context_with(int threads, test_memory *memory);

/* Runs `body` repeatedly with its first, second, third... allocation failing, until it completes
 * without a failure. Each failure must result in VO_NO_MEMORY, and all memory must be released. */
typedef vo_result test_body(vo_context *ctx, void *arg);
void test_every_allocation(test_body *body, void *arg);
/* Like test_every_allocation, for a body with optional memory, for example an arena with a
 * fallback: it may succeed in spite of the failure. */
void test_every_allocation_forgiving(test_body *body, void *arg);

/* Creates an empty folder, which is removed at exit. */
const char *test_folder(void);

/* Folder of external data: $VOILE_DATA, or ../shared/data beside the checkout. NULL if it does not
 * exist; the test then calls skip(). */
const char *test_data(void);

/* Processor time of this program, s, and the slowdown factor of sanitizer builds: time limits in
 * processor time hold on a busy machine, too. */
double test_seconds(void);
#if defined(VOILE_TEST_SLOWNESS) /* emulators (tests/port) */
enum { TEST_SLOWNESS = VOILE_TEST_SLOWNESS };
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { TEST_SLOWNESS = 20 };
#elif defined(__has_feature)
enum {
    TEST_SLOWNESS = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ? 20 : 1
};
#else
enum { TEST_SLOWNESS = 1 };
#endif

#define assert_ok(ctx, call)                                                             \
    do {                                                                                 \
        vo_result result_ = (call);                                                      \
        if (result_ != VO_OK)                                                            \
            fail_msg("%s: result %d: %s", #call, (int)result_, vo_context_message(ctx)); \
    } while (0)

/* The message of the context contains the text. */
#define assert_message_contains(ctx, text)                                               \
    do {                                                                                 \
        if (!strstr(vo_context_message(ctx), (text)))                                    \
            fail_msg("\"%s\" does not contain \"%s\"", vo_context_message(ctx), (text)); \
    } while (0)

/* A vector whose components are uniformly distributed in [-size, size). */
vo_vec3 test_random_vec3(vo_random *random, double size);

/* vo_mesh_create_grid; fails the test on an error. The caller destroys the mesh. */
vo_mesh *test_grid(vo_context *ctx, double width, double height, int columns, int rows);

/* |a - b| <= tolerance, with the values in the message. */
#define assert_near(a, b, tolerance)                                                   \
    do {                                                                               \
        double a_ = (a), b_ = (b), t_ = (tolerance);                                   \
        if (!(a_ - b_ <= t_ && b_ - a_ <= t_))                                         \
            fail_msg("%s = %.17g, expected %s = %.17g within %g", #a, a_, #b, b_, t_); \
    } while (0)

#endif
