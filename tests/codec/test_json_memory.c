/* json-c allocates with malloc, not from the context. Here each call of malloc fails once. Requires
 * the GNU C library without sanitizers, which replace malloc. */
#include "support.h"

#include "codec/json.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_REFUSE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CAN_REFUSE 0
#endif
#endif
#if !defined(CAN_REFUSE) && defined(__GLIBC__)
#define CAN_REFUSE 1
#endif

#if CAN_REFUSE
#define EXPORTED __attribute__((visibility("default")))

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
EXPORTED void *malloc(size_t bytes);
EXPORTED void *calloc(size_t count, size_t bytes);
EXPORTED void *realloc(void *memory, size_t bytes);

static bool armed;  /* calls are counted and may be refused */
static long calls;  /* while armed */
static long refuse; /* this call returns NULL */

static bool refused(void) { return armed && calls++ == refuse; }

EXPORTED void *malloc(size_t bytes) { return refused() ? NULL : __libc_malloc(bytes); }

EXPORTED void *calloc(size_t count, size_t bytes) {
    return refused() ? NULL : __libc_calloc(count, bytes);
}

EXPORTED void *realloc(void *memory, size_t bytes) {
    return refused() ? NULL : __libc_realloc(memory, bytes);
}

static const char *const text =
    "[1, 2.5, \"a string that is longer than a few bytes\", null, true, "
    "[1,2,3,4,5,6,7,8,9,10,11,12,"
    "13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36], {\"k1\": 1, \"k2\": "
    "{\"k3\": []}}]";

static vo_result fill(vo_json_doc *doc, vo_json_cursor from) {
    static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                       "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};
    vo_json_cursor root = vo_json_root(doc), made;
    for (int i = 0; i < 20; i++) VO_TRY(vo_json_put_int(&root, keys[i], i));
    VO_TRY(vo_json_put_copy(&root, "copy", from));
    VO_TRY(vo_json_put_object(&root, "made", &made));
    VO_TRY(vo_json_put_copy(&made, "again", root));
    VO_TRY(vo_json_put_reals(&root, "reals", (double[]){1, INFINITY, 3}, 3));
    VO_TRY(vo_json_put_string(&made, "text", "some text that is not short at all"));
    return vo_json_set(doc, "x.y[0].z", "1,[2],word");
}

/* Prints the resulting document to `printed`. */
static vo_result work(vo_context *ctx, char printed[2000]) {
    vo_json_doc doc, list;
    char *out = NULL;
    size_t size = 0;
    VO_TRY(vo_json_parse(ctx, "text", text, strlen(text), &list));
    vo_result result = vo_json_new(ctx, "doc", &doc);
    if (result == VO_OK) result = fill(&doc, vo_json_root(&list));
    if (result == VO_OK) result = vo_json_print(&doc, &out, &size);
    if (out) snprintf(printed, 2000, "%s", out);
    vo_free(ctx, out, size + 1);
    vo_json_free(&doc);
    vo_json_free(&list);
    return result;
}

/* json-c tolerates some failures (shrinking a buffer); then the document must be complete. */
static void failed_malloc_in_json_c_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char whole[2000], printed[2000];
    assert_ok(ctx, work(ctx, whole));
    for (refuse = 0;; refuse++) {
        calls = 0;
        armed = true;
        vo_result result = work(ctx, printed);
        armed = false;
        bool met = calls > refuse;
        if (result == VO_OK)
            assert_string_equal(printed, whole);
        else if (result != VO_NO_MEMORY || !met)
            fail_msg("malloc %ld refused: result %d, %s", refuse, (int)result,
                     vo_context_message(ctx));
        if (!met) break;
    }
    assert_true(refuse > 50);
    vo_context_destroy(ctx);
}
#else
static void failed_malloc_in_json_c_is_reported(void **state) {
    (void)state;
    skip();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(failed_malloc_in_json_c_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
