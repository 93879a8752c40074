/* The part of cmocka that the tests of the real-time library use, for platforms without it. A
 * failed assertion ends the program with status 1. */
#ifndef VOILE_TESTS_PORT_CMOCKA_H
#define VOILE_TESTS_PORT_CMOCKA_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int shim_fixture(void **state);
typedef struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    shim_fixture *setup, *teardown;
} CMUnitTest;

#define cmocka_unit_test(f) \
    { #f, f, NULL, NULL }
#define cmocka_unit_test_setup(f, setup) \
    { #f, f, setup, NULL }
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
    { #f, f, setup, teardown }

/* Prints the place of a failure and ends the program. */
_Noreturn void shim_fail(const char *file, int line);
int shim_run_tests(const CMUnitTest *tests, size_t count);

#define cmocka_run_group_tests(tests, setup, teardown) \
    ((void)(setup), (void)(teardown), shim_run_tests(tests, sizeof(tests) / sizeof *(tests)))

#define print_message(...) printf(__VA_ARGS__)
#define fail()             shim_fail(__FILE__, __LINE__)
#define fail_msg(...)      (fprintf(stderr, __VA_ARGS__), fail())
/* Skips the rest of a test; must be called from the test function itself. */
#define skip()                                         \
    do {                                               \
        printf("%s: the rest is skipped\n", __func__); \
        return;                                        \
    } while (0)

#define assert_true(c)  ((c) ? (void)0 : fail_msg("%s", #c))
#define assert_false(c) assert_true(!(c))
#define assert_int_equal(a, b)                                                               \
    do {                                                                                     \
        intmax_t left_ = (intmax_t)(a), right_ = (intmax_t)(b);                              \
        if (left_ != right_) fail_msg("%s = %jd, expected %s = %jd", #a, left_, #b, right_); \
    } while (0)
#define assert_in_range(a, low, high)    assert_true((a) >= (low) && (a) <= (high))
#define assert_null(p)                   assert_true((p) == NULL)
#define assert_non_null(p)               assert_true((p) != NULL)
#define assert_ptr_equal(a, b)           assert_true((const void *)(a) == (const void *)(b))
#define assert_memory_equal(a, b, bytes) assert_true(memcmp(a, b, bytes) == 0)
#define assert_string_equal(a, b)        assert_true(strcmp(a, b) == 0)

/* Windows has neither of these, and releases aligned memory by another function. */
#ifdef _WIN32
void *shim_aligned_alloc(size_t alignment, size_t bytes);
void *shim_calloc(size_t count, size_t bytes);
int shim_posix_memalign(void **out, size_t alignment, size_t bytes);
void shim_free(void *memory);
#define aligned_alloc  shim_aligned_alloc
#define posix_memalign shim_posix_memalign
#define malloc(bytes)  shim_calloc(1, bytes)
#define calloc         shim_calloc
#define free           shim_free
#endif

#endif
