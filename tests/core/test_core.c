#include "support.h"

#include "core/file.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/slabs.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct sum_job {
    const double *value;
    double *partial;
} sum_job;

static void sum_chunk(void *arg, int begin, int end, int chunk) {
    sum_job *job = arg;
    double sum = 0;
    for (int i = begin; i < end; i++) sum += job->value[i];
    job->partial[chunk] = sum;
}

static double parallel_sum(int threads, const double *value, int count) {
    enum { GRAIN = 97 };
    static double partial[2048];
    vo_context *ctx = test_context(threads);
    sum_job job = {value, partial};
    double sum = 0;
    for (int repeat = 0; repeat < 200; repeat++) {
        vo_parallel_for(ctx, count, GRAIN, sum_chunk, &job);
        sum = 0;
        for (int i = 0; i < vo_chunk_count(count, GRAIN); i++) sum += partial[i];
    }
    vo_context_destroy(ctx);
    return sum;
}

static void keep_line(void *user, vo_log_level level, const char *text) {
    (void)level;
    snprintf(user, 64, "%s", text);
}

/* Control characters are escaped; other UTF-8 characters are kept. */
static void message_with_control_characters_is_escaped(void **state) {
    (void)state;
    char line[64] = "", longest[3000];
    vo_context_def def = vo_context_def_default();
    def.log = keep_line;
    def.log_user = line;
    vo_context *ctx;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    assert_int_equal(vo_fail(ctx, VO_BAD_DATA, "\"%s\"", "a\x1b[31m\n\x7f\u00fc\\"), VO_BAD_DATA);
    assert_string_equal(vo_context_message(ctx), "\"a\\x1b[31m\\x0a\\x7f\u00fc\\\"");
    vo_log_line(ctx, VO_LOG_WARNING, "%s", "\a\t.");
    assert_string_equal(line, "\\x07\\x09.");
    memset(longest, 1, sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    (void)vo_fail(ctx, VO_BAD_DATA, "%s", longest);
    assert_true(strlen(vo_context_message(ctx)) > 1000);
    vo_context_destroy(ctx);
}

static void parallel_for_with_any_thread_count_is_bit_identical(void **state) {
    (void)state;
    static double value[100000];
    vo_random random = vo_random_seed(1);
    for (int i = 0; i < 100000; i++) value[i] = vo_random_real(&random, -1, 1e6);
    double one = parallel_sum(1, value, 100000);
    for (int threads = 2; threads <= 4; threads++) {
        double many = parallel_sum(threads, value, 100000);
        assert_memory_equal(&one, &many, sizeof one);
    }
}

/* Counts the visits of each item and the chunks with wrong bounds. */
typedef struct visit_job {
    int grain, misplaced[64], visits[64];
} visit_job;

static void visit_chunk(void *arg, int begin, int end, int chunk) {
    visit_job *job = arg;
    job->misplaced[chunk] += begin != chunk * job->grain || end - begin > job->grain;
    for (int i = begin; i < end; i++) job->visits[i]++;
}

/* Successive loops with fewer and with more chunks than threads. */
static void successive_loops_visit_each_item_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        vo_context *ctx = test_context(threads);
        for (int repeat = 0; repeat < 2000; repeat++) {
            visit_job job = {.grain = 1 + repeat % 9};
            int count = repeat % 65;
            vo_parallel_for(ctx, count, job.grain, visit_chunk, &job);
            for (int i = 0; i < 64; i++) {
                assert_int_equal(job.visits[i], i < count);
                assert_int_equal(job.misplaced[i], 0);
            }
        }
        vo_context_destroy(ctx);
    }
}

static void mark_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    for (int i = begin; i < end; i++) ((int *)arg)[i]++;
}

static void parallel_for_visits_each_index_once(void **state) {
    (void)state;
    vo_context *ctx = test_context(3);
    int counts[] = {0, 1, 2, 7, 8, 9, 100, 1023};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        int seen[1024] = {0};
        vo_parallel_for(ctx, counts[c], 8, mark_range, seen);
        for (int i = 0; i < 1024; i++) assert_int_equal(seen[i], i < counts[c]);
    }
    vo_context_destroy(ctx);
}

static void arena_after_warm_up_makes_no_heap_call(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_arena arena;
    vo_arena_init(&arena, ctx);
    long calls = 0;
    for (int step = 0; step < 10; step++) {
        vo_arena_reset(&arena);
        if (step == 2) calls = memory.calls;
        for (int i = 1; i < 100; i++) {
            char *p = vo_arena_alloc(&arena, (size_t)i * 1000);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % VO_ALIGNMENT, 0);
            memset(p, i, (size_t)i * 1000);
        }
    }
    assert_int_equal(memory.calls, calls);
    vo_arena_free(&arena);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

typedef struct slab_block {
    unsigned char *memory;
    size_t bytes;
} slab_block;

/* Each block is filled with its number, which must be intact on release. */
static void release_block(vo_slabs *slabs, slab_block *block, unsigned char number) {
    for (size_t i = 0; i < block->bytes; i += 61) assert_int_equal(block->memory[i], number);
    assert_int_equal(block->memory[block->bytes - 1], number);
    vo_slabs_release(slabs, block->memory, block->bytes);
    *block = (slab_block){0};
}

static void allocate_block(vo_slabs *slabs, vo_random *random, slab_block *block, int number) {
    double max = (double)(VO_SLAB_MAX_BYTES - 1), min = (double)VO_SLAB_MIN_BYTES;
    block->bytes = (size_t)vo_random_real(random, min, number % 3 ? min * 4 : max);
    assert_true(vo_slabs_accepts(block->bytes));
    block->memory = vo_slabs_allocate(slabs, block->bytes);
    assert_non_null(block->memory);
    assert_int_equal((uintptr_t)block->memory % VO_ALIGNMENT, 0);
    memset(block->memory, number, block->bytes);
}

static void slab_blocks_do_not_overlap_and_are_all_released(void **state) {
    (void)state;
    enum { BLOCKS = 40 };
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    assert_null(ctx->slabs); /* not used with a host's allocator */
    long live = memory.live;
    vo_slabs *slabs = vo_slabs_create(&ctx->allocator);
    slab_block block[BLOCKS] = {0};
    vo_random random = vo_random_seed(7);
    for (int round = 0; round < 400; round++) {
        int k = (int)vo_random_real(&random, 0, BLOCKS);
        if (block[k].memory)
            release_block(slabs, &block[k], (unsigned char)k);
        else
            allocate_block(slabs, &random, &block[k], k);
    }
    for (int k = 0; k < BLOCKS; k++)
        if (block[k].memory) release_block(slabs, &block[k], (unsigned char)k);
    int slab_count, unit_count;
    vo_slabs_count(slabs, &slab_count, &unit_count);
    assert_int_equal(slab_count, 1); /* one empty slab is kept */
    assert_int_equal(unit_count, 0);
    vo_slabs_destroy(slabs);
    assert_int_equal(memory.live, live);
    vo_context_destroy(ctx);
}

typedef struct slab_job {
    vo_slabs *slabs;
    int *fault; /* per chunk: failed allocations and overwritten blocks */
} slab_job;

enum { MARK_EVERY = 4096 }; /* bytes; overlaps are larger */

static void mark_block(slab_block *block, unsigned char number) {
    for (size_t i = 0; i < block->bytes; i += MARK_EVERY) block->memory[i] = number;
}

static bool is_marked(const slab_block *block, unsigned char number) {
    for (size_t i = 0; i < block->bytes; i += MARK_EVERY)
        if (block->memory[i] != number) return false;
    return true;
}

/* Allocates the block, or verifies and releases it; returns the number of faults. Writes little, so
 * that threads contend for the slabs rather than for memory. */
static int toggle_block(vo_slabs *slabs, vo_random *random, slab_block *block, int number) {
    if (block->memory) {
        int fault = !is_marked(block, (unsigned char)number);
        vo_slabs_release(slabs, block->memory, block->bytes);
        *block = (slab_block){0};
        return fault;
    }
    double min = (double)VO_SLAB_MIN_BYTES;
    block->bytes = (size_t)vo_random_real(random, min, 4 * min);
    block->memory = vo_slabs_allocate(slabs, block->bytes);
    if (!block->memory) return 1;
    mark_block(block, (unsigned char)number);
    return 0;
}

/* Each chunk has its own blocks and number. Only the main thread may assert. */
static void toggle_blocks(void *arg, int begin, int end, int chunk) {
    enum { BLOCKS = 8, ROUNDS = 40000 };
    const slab_job *job = arg;
    job->fault[chunk] = 0;
    for (int i = begin; i < end; i++) {
        slab_block block[BLOCKS] = {0};
        vo_random random = vo_random_seed((uint64_t)i);
        for (int round = 0; round < ROUNDS; round++) {
            int k = (int)vo_random_real(&random, 0, BLOCKS);
            job->fault[chunk] += toggle_block(job->slabs, &random, &block[k], i + 1);
        }
        for (int k = 0; k < BLOCKS; k++)
            if (block[k].memory)
                job->fault[chunk] += toggle_block(job->slabs, &random, &block[k], i + 1);
    }
}

static void slabs_are_thread_safe(void **state) {
    (void)state;
    enum { CHUNKS = 48 };
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(4, &memory);
    long live = memory.live;
    int fault[CHUNKS], slab_count, unit_count;
    slab_job job = {vo_slabs_create(&ctx->allocator), fault};
    vo_parallel_for(ctx, CHUNKS, 1, toggle_blocks, &job);
    for (int i = 0; i < CHUNKS; i++) assert_int_equal(fault[i], 0);
    vo_slabs_count(job.slabs, &slab_count, &unit_count);
    assert_int_equal(slab_count, 1);
    assert_int_equal(unit_count, 0);
    vo_slabs_destroy(job.slabs);
    assert_int_equal(memory.live, live);
    vo_context_destroy(ctx);
}

static void slabs_fill_gaps_and_report_failed_allocation(void **state) {
    (void)state;
    enum { BYTES = 1 << 20, BLOCKS = 7 };
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_slabs *slabs = vo_slabs_create(&ctx->allocator);
    void *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) block[i] = vo_slabs_allocate(slabs, BYTES);
    memory.fail_at = memory.calls;
    assert_null(vo_slabs_allocate(slabs, BYTES)); /* the first slab is full */
    vo_slabs_release(slabs, block[3], BYTES);
    assert_ptr_equal(vo_slabs_allocate(slabs, BYTES), block[3]);
    for (int i = 0; i < BLOCKS; i++) vo_slabs_release(slabs, block[i], BYTES);
    vo_slabs_destroy(slabs);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

static void growing_array_keeps_contents(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int *array = NULL, capacity = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(vo_reserve(ctx, &array, &capacity, i + 1));
        array[i] = i;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(array[i], i);
    vo_free_array(ctx, array, capacity);
    vo_context_destroy(ctx);
}

static void file_write_is_atomic(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600], missing[600];
    const char *folder = test_folder();
    snprintf(path, sizeof path, "%s/a/b/c.txt", folder);
    snprintf(missing, sizeof missing, "%s/a/b", folder);
    assert_int_equal(vo_file_write(ctx, path, "x", 1), VO_IO_FAILED);
    assert_message_contains(ctx, path);
    assert_ok(ctx, vo_folder_create(ctx, missing));
    assert_ok(ctx, vo_file_write(ctx, path, "hello", 5));
    assert_ok(ctx, vo_file_append(ctx, path, " you", 4));
    vo_bytes bytes;
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    assert_string_equal(bytes.data, "hello you");
    vo_bytes_free(ctx, &bytes);
    assert_int_equal(vo_file_read(ctx, missing, &bytes), VO_IO_FAILED);
    char link[600];
    snprintf(link, sizeof link, "%s/link.txt", folder);
    assert_int_equal(symlink(path, link), 0);
    assert_ok(ctx, vo_file_write(ctx, link, "linked", 6)); /* follows the link */
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    assert_string_equal(bytes.data, "linked");
    vo_bytes_free(ctx, &bytes);
    assert_ok(ctx, vo_file_write(ctx, "/dev/null", "x", 1)); /* is not replaced */
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    vo_context_destroy(ctx);
}

/* Allocates and releases blocks of all sizes, some beyond the limit. */
static void allocate_and_release(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    for (int i = begin; i < end; i++) {
        size_t bytes = (size_t)1 << (6 + i % 22);
        void *memory = vo_alloc(arg, bytes);
        vo_free(arg, memory, bytes);
    }
}

static vo_context *limited_context(int threads, size_t limit) {
    vo_context_def def = vo_context_def_default();
    vo_context *ctx = NULL;
    def.threads = threads;
    def.memory_limit = limit;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    return ctx;
}

static void memory_limit_denies_excess_and_counts_releases(void **state) {
    (void)state;
    enum { MIB = 1 << 20 };
    vo_context *ctx = limited_context(3, 64 * MIB);
    size_t initial = vo_context_get_memory_usage(ctx).used;
    void *large = vo_alloc(ctx, 60 * MIB);
    assert_non_null(large);
    assert_int_equal(vo_context_get_memory_usage(ctx).used, initial + 60 * MIB);
    assert_int_equal(vo_context_get_memory_usage(ctx).denied_bytes, 0);
    assert_null(vo_alloc(ctx, 5 * MIB));
    assert_null(vo_alloc(ctx, SIZE_MAX - 100));
    assert_null(vo_alloc(ctx, 5 * MIB));
    assert_int_equal(vo_context_get_memory_usage(ctx).denied_bytes, 5 * MIB);
    assert_int_equal(vo_fail_memory(ctx, "a test"), VO_NO_MEMORY);
    assert_message_contains(ctx, "a test: 5.0 MiB requested, 60");
    assert_message_contains(ctx, "of the limit of 64.0 MiB in use");
    vo_free(ctx, large, 60 * MIB);
    assert_int_equal(vo_context_get_memory_usage(ctx).used, initial);
    vo_parallel_for(ctx, 5000, 10, allocate_and_release, ctx);
    size_t kept = ctx->slabs ? (size_t)8 * MIB : 0; /* one slab */
    assert_int_equal(vo_context_get_memory_usage(ctx).used, initial + kept);
    vo_context_destroy(ctx);
}

/* An allocator that allocates nothing, so that threads contend for the limit only. */
static void *fake_allocate(void *user, size_t bytes, size_t alignment) {
    (void)bytes, (void)alignment;
    return user;
}

static void fake_release(void *user, void *memory, size_t bytes) {
    (void)user, (void)memory, (void)bytes;
}

typedef struct limit_job {
    vo_allocator allocator;
    atomic_int wrong;
} limit_job;

/* Alternate chunks request more than the limit and little. */
static void request_much_and_little(void *arg, int begin, int end, int chunk) {
    limit_job *job = arg;
    size_t bytes = chunk % 2 ? 4000 : 10;
    for (int i = begin; i < end; i++) {
        void *memory = job->allocator.allocate(job->allocator.user, bytes, 16);
        if ((memory == NULL) != (chunk % 2 == 1)) atomic_fetch_add(&job->wrong, 1);
        if (memory) job->allocator.release(job->allocator.user, memory, bytes);
    }
}

static void denied_request_does_not_affect_other_threads(void **state) {
    (void)state;
    vo_context *ctx = test_context(3);
    vo_memory_limit limit = {.host = {ctx, fake_allocate, fake_release}, .max_bytes = 3000};
    limit_job job = {.allocator = vo_memory_limit_allocator(&limit)};
    vo_parallel_for(ctx, 2000000, 1000, request_much_and_little, &job);
    assert_int_equal(job.wrong, 0);
    assert_int_equal(limit.used, 0);
    vo_context_destroy(ctx);
}

/* A host allocator that can be exhausted. */
static void *host_allocate(void *user, size_t bytes, size_t alignment) {
    return *(bool *)user
               ? NULL
               : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void host_release(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    free(memory);
}

static void exhausted_host_is_not_reported_as_limit(void **state) {
    (void)state;
    bool exhausted = false;
    vo_context_def def = {.allocator = {&exhausted, host_allocate, host_release},
                          .threads = 1,
                          .memory_limit = 1 << 20};
    vo_context *ctx;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    size_t used = vo_context_get_memory_usage(ctx).used;
    assert_null(vo_alloc(ctx, 2 << 20));
    assert_int_equal(vo_context_get_memory_usage(ctx).denied_bytes, 2 << 20);
    exhausted = true;
    assert_null(vo_alloc(ctx, 1000));
    assert_int_equal(vo_context_get_memory_usage(ctx).denied_bytes, 0);
    assert_int_equal(vo_context_get_memory_usage(ctx).used, used);
    assert_int_equal(vo_fail_memory(ctx, "a test"), VO_NO_MEMORY);
    assert_string_equal(vo_context_message(ctx), "out of memory for a test");
    vo_context_destroy(ctx);
}

static void usage_without_limit_is_zero(void **state) {
    (void)state;
    vo_context *ctx = limited_context(1, 0);
    vo_memory_usage memory = vo_context_get_memory_usage(ctx);
    assert_int_equal(memory.limit + memory.used + memory.denied_bytes, 0);
    vo_context_destroy(ctx);
}

typedef struct work_log {
    char operation[64];
    int done, total, calls;
} work_log;

static void record_work(void *user, const char *operation, int done, int total) {
    work_log *log = user;
    snprintf(log->operation, sizeof log->operation, "%s", operation);
    log->done = done;
    log->total = total;
    log->calls++;
}

static bool read_flag(void *user) { return *(bool *)user; }

static void cancel_and_work_callbacks_are_called(void **state) {
    (void)state;
    bool cancel = false;
    work_log log = {.calls = 0};
    vo_context_def def = vo_context_def_default();
    def.cancel = read_flag;
    def.cancel_user = &cancel;
    def.work = record_work;
    def.work_user = &log;
    vo_context *ctx;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    assert_int_equal(vo_check_cancel(ctx), VO_OK);
    cancel = true;
    assert_true(vo_is_cancelled(ctx));
    assert_int_equal(vo_check_cancel(ctx), VO_CANCELLED);
    assert_string_equal(vo_context_message(ctx), "cancelled by the caller");
    vo_report_work(ctx, "loading obstacles", 2, 7);
    assert_string_equal(log.operation, "loading obstacles");
    assert_int_equal(log.done, 2);
    assert_int_equal(log.total, 7);
    assert_int_equal(log.calls, 1);
    vo_context_destroy(ctx);
}

static void context_without_callbacks_is_never_cancelled(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    assert_false(vo_is_cancelled(ctx));
    vo_report_work(ctx, "loading obstacles", 1, 1);
    vo_context_destroy(ctx);
}

static vo_result do_nothing(vo_context *ctx, void *arg) {
    (void)ctx;
    (void)arg;
    return VO_OK;
}

static void context_creation_reports_failed_allocation(void **state) {
    (void)state;
    test_every_allocation(do_nothing, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_with_control_characters_is_escaped),
        cmocka_unit_test(parallel_for_with_any_thread_count_is_bit_identical),
        cmocka_unit_test(parallel_for_visits_each_index_once),
        cmocka_unit_test(arena_after_warm_up_makes_no_heap_call),
        cmocka_unit_test(slab_blocks_do_not_overlap_and_are_all_released),
        cmocka_unit_test(successive_loops_visit_each_item_once),
        cmocka_unit_test(slabs_are_thread_safe),
        cmocka_unit_test(slabs_fill_gaps_and_report_failed_allocation),
        cmocka_unit_test(growing_array_keeps_contents),
        cmocka_unit_test(file_write_is_atomic),
        cmocka_unit_test(context_creation_reports_failed_allocation),
        cmocka_unit_test(cancel_and_work_callbacks_are_called),
        cmocka_unit_test(context_without_callbacks_is_never_cancelled),
        cmocka_unit_test(memory_limit_denies_excess_and_counts_releases),
        cmocka_unit_test(denied_request_does_not_affect_other_threads),
        cmocka_unit_test(exhausted_host_is_not_reported_as_limit),
        cmocka_unit_test(usage_without_limit_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
