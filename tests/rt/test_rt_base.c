/* Memory and messages of the real-time library (rt/base). */
#include "support.h"

#include "rt/base/heap.h"
#include "rt/base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(void *user, size_t bytes, size_t alignment) {
    int *left = user;
    if (left && (*left)-- <= 0) return NULL;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    free(memory);
}

static const vo_allocator libc_allocator = {NULL, allocate, release};

static void test_message_formats(void **state) {
    (void)state;
    vo_rt_message m;
    assert_int_equal(vo_rt_fail(&m, VO_BAD_DATA, "%s[%d]: %u%% of %g", "x", -3, 42u, 0.25),
                     VO_BAD_DATA);
    assert_string_equal(m.text, "x[-3]: 42% of 0.25");
    assert_int_equal(vo_rt_fail(NULL, VO_NO_MEMORY, "%d", 1), VO_NO_MEMORY);
    vo_rt_fail(&m, VO_OK, "%d %u", INT32_MIN, UINT32_MAX);
    assert_string_equal(m.text, "-2147483648 4294967295");
}

static void test_numbers_match_printf(void **state) {
    (void)state;
    const double x[] = {0,      1,       -1,       10,     123456,  1234567, 1e-4,
                        1.5e-5, 0.1,     999999,   1e6,    9.99999, 1e30,    1e-30,
                        -2.5e9, FLT_MAX, 0.333333, 100000, 0.05,    120,     FLT_MIN};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        vo_rt_message m;
        char expected[64];
        vo_rt_fail(&m, VO_OK, "%g", x[i]);
        snprintf(expected, sizeof expected, "%g", x[i]);
        assert_string_equal(m.text, expected);
    }
    vo_rt_message m;
    vo_rt_fail(&m, VO_OK, "%g %g", (double)NAN, -INFINITY);
    assert_string_equal(m.text, "nan -inf");
}

static void test_long_message_is_truncated(void **state) {
    (void)state;
    struct {
        vo_rt_message m;
        char guard;
    } s = {.guard = 7};
    char text[1000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    vo_rt_fail(&s.m, VO_OK, "%s", text);
    assert_int_equal(strlen(s.m.text), sizeof s.m.text - 1);
    assert_int_equal(s.guard, 7);
}

static void test_hash_depends_on_every_bit(void **state) {
    (void)state;
    uint8_t data[27] = {0};
    uint64_t zero = vo_rt_hash(0, data, sizeof data);
    assert_true(vo_rt_hash(1, data, sizeof data) != zero);
    assert_true(vo_rt_hash(0, data, sizeof data - 1) != zero);
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(vo_rt_hash(0, data, sizeof data) != zero);
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void test_reserve_keeps_and_clears(void **state) {
    (void)state;
    vo_rt_heap heap;
    assert_true(vo_rt_heap_init(&heap, &libc_allocator, 64 * 1024));
    int *a = NULL, *b = NULL, a_capacity = 0, b_capacity = 0;
    assert_true(vo_rt_heap_reserve(&heap, (void **)&a, &a_capacity, 10, sizeof *a));
    assert_true(vo_rt_heap_reserve(&heap, (void **)&b, &b_capacity, 1, sizeof *b));
    for (int i = 0; i < a_capacity; i++) a[i] = i + 1;
    b[0] = -5;
    int old = a_capacity;
    assert_true(vo_rt_heap_reserve(&heap, (void **)&a, &a_capacity, old + 1, sizeof *a));
    assert_true(a_capacity >= old + old / 4);
    for (int i = 0; i < a_capacity; i++) assert_int_equal(a[i], i < old ? i + 1 : 0);
    assert_int_equal(b[0], -5);
    assert_int_equal((uintptr_t)a % VO_RT_ALIGNMENT, 0);
    vo_rt_heap_release(&heap, a, a_capacity, sizeof *a);
    vo_rt_heap_release(&heap, b, b_capacity, sizeof *b);
    vo_rt_heap_release(&heap, NULL, 0, 4);
    assert_int_equal(heap.used, 0);
    assert_true(heap.peak > 0);
    vo_rt_heap_free(&heap);
}

static void test_exhausted_heap_changes_nothing(void **state) {
    (void)state;
    vo_rt_heap heap;
    assert_true(vo_rt_heap_init(&heap, &libc_allocator, 8 * 1024));
    char *a = NULL, *b = NULL;
    int a_capacity = 0, b_capacity = 0;
    assert_true(vo_rt_heap_reserve(&heap, (void **)&a, &a_capacity, 5 * 1024, 1));
    char *kept = a;
    assert_false(vo_rt_heap_reserve(&heap, (void **)&a, &a_capacity, 9 * 1024, 1));
    assert_false(vo_rt_heap_reserve(&heap, (void **)&a, &a_capacity, INT32_MAX, SIZE_MAX / 4));
    assert_ptr_equal(a, kept);
    assert_int_equal(a_capacity, 5 * 1024);
    assert_true(vo_rt_heap_reserve(&heap, (void **)&b, &b_capacity, 3 * 1024, 1));
    assert_int_equal(heap.used, 8 * 1024);
    vo_rt_heap_free(&heap);
}

/* Random arrays never overlap; the same calls give the same places. */
static void test_random_arrays(void **state) {
    (void)state;
    enum { ARRAYS = 20, CALLS = 3000 };
    ptrdiff_t place[2][CALLS];
    for (int run = 0; run < 2; run++) {
        vo_rt_heap heap;
        assert_true(vo_rt_heap_init(&heap, &libc_allocator, 300 * 1024));
        uint8_t *array[ARRAYS] = {0};
        int capacity[ARRAYS] = {0};
        vo_random random = vo_random_seed(5);
        for (int call = 0; call < CALLS; call++) {
            int k = vo_random_int(&random, ARRAYS);
            int need = vo_random_int(&random, 4000);
            if (vo_random_int(&random, 5) == 0) {
                vo_rt_heap_release(&heap, array[k], capacity[k], 8);
                array[k] = NULL;
                capacity[k] = 0;
            } else if (vo_rt_heap_reserve(&heap, (void **)&array[k], &capacity[k], need, 8)) {
                if (array[k]) memset(array[k], k + 1, (size_t)capacity[k] * 8);
            }
            place[run][call] = array[k] ? array[k] - heap.memory : -1;
            for (int i = 0; i < ARRAYS; i++)
                for (int j = 0; j < capacity[i] * 8; j += 997) assert_int_equal(array[i][j], i + 1);
        }
        vo_rt_heap_free(&heap);
    }
    assert_memory_equal(place[0], place[1], sizeof place[0]);
}

static void test_init_without_memory(void **state) {
    (void)state;
    for (int calls = 0; calls < 2; calls++) {
        int left = calls;
        vo_allocator a = {&left, allocate, release};
        vo_rt_heap heap;
        assert_false(vo_rt_heap_init(&heap, &a, 4096));
        assert_null(heap.memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_formats),
        cmocka_unit_test(test_numbers_match_printf),
        cmocka_unit_test(test_long_message_is_truncated),
        cmocka_unit_test(test_hash_depends_on_every_bit),
        cmocka_unit_test(test_reserve_keeps_and_clears),
        cmocka_unit_test(test_exhausted_heap_changes_nothing),
        cmocka_unit_test(test_random_arrays),
        cmocka_unit_test(test_init_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
