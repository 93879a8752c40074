/* What every test needs: cmocka, contexts that count or refuse allocations, scratch folders, and
 * the way to data that is not ours. */
#ifndef VOILE_TESTS_SUPPORT_H
#define VOILE_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <voile/voile.h>

/* A context with the given number of threads; fails the test if it cannot be had. */
vo_context *test_context(int threads);

/* An allocator that counts, and can refuse one call in particular. */
typedef struct test_memory {
    long calls;       /* allocations so far */
    long live, bytes; /* blocks and bytes not yet released */
    long fail_at;     /* refuse the call with this number (from 0); -1: none */
} test_memory;
vo_context *test_context_with(int threads, test_memory *memory);

/* Runs `body` with its first, second, third... allocation refused until it passes untouched. Each
 * refusal must end in VO_NO_MEMORY, and nothing may be left allocated. */
typedef vo_result test_body(vo_context *ctx, void *arg);
void test_every_allocation(test_body *body, void *arg);
/* The same for a body that can do without some of its memory, as an arena without its one block: it
 * may succeed all the same. */
void test_every_allocation_forgiving(test_body *body, void *arg);

/* A new empty folder, removed at exit. */
const char *test_folder(void);

/* Folder of other people's data: $VOILE_DATA, or ../shared/data beside the checkout. NULL if it is
 * not there; the test then calls skip(). */
const char *test_data(void);

/* Processor seconds that this program has used, and how much slower than others this build may be:
 * limits on them hold on a busy machine, too. */
double test_seconds(void);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
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

/* |a - b| <= tolerance, with the values in the message. */
#define assert_near(a, b, tolerance)                                                   \
    do {                                                                               \
        double a_ = (a), b_ = (b), t_ = (tolerance);                                   \
        if (!(a_ - b_ <= t_ && b_ - a_ <= t_))                                         \
            fail_msg("%s = %.17g, expected %s = %.17g within %g", #a, a_, #b, b_, t_); \
    } while (0)

#endif
