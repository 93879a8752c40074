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

/* Bytes of a file that is quoted do nothing to the terminal; letters of other scripts stay. */
static void messages_have_no_control_characters(void **state) {
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

static void parallel_for_gives_the_same_bits_for_any_thread_count(void **state) {
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

/* Counts what is done, item by item; chunks that are where they should not be count as well. */
typedef struct visit_job {
    int grain, misplaced[64], visits[64];
} visit_job;

static void visit_chunk(void *arg, int begin, int end, int chunk) {
    visit_job *job = arg;
    job->misplaced[chunk] += begin != chunk * job->grain || end - begin > job->grain;
    for (int i = begin; i < end; i++) job->visits[i]++;
}

/* Loops one after another, of fewer chunks than threads and of more: no item is left out or done
 * twice, whichever thread takes it. */
static void loops_visit_every_item_once(void **state) {
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

static void arena_stops_asking_once_it_knows_its_peak(void **state) {
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

/* Each block is filled with its own number, and must still hold it when it goes. */
static void release_block(vo_slabs *slabs, slab_block *block, unsigned char number) {
    for (size_t i = 0; i < block->bytes; i += 61) assert_int_equal(block->memory[i], number);
    assert_int_equal(block->memory[block->bytes - 1], number);
    vo_slabs_release(slabs, block->memory, block->bytes);
    *block = (slab_block){0};
}

static void take_block(vo_slabs *slabs, vo_random *random, slab_block *block, int number) {
    double most = (double)(VO_SLAB_MOST - 1), least = (double)VO_SLAB_LEAST;
    block->bytes = (size_t)vo_random_real(random, least, number % 3 ? least * 4 : most);
    assert_true(vo_slabs_hold(block->bytes));
    block->memory = vo_slabs_allocate(slabs, block->bytes);
    assert_non_null(block->memory);
    assert_int_equal((uintptr_t)block->memory % VO_ALIGNMENT, 0);
    memset(block->memory, number, block->bytes);
}

static void blocks_of_slabs_never_overlap_and_all_come_back(void **state) {
    (void)state;
    enum { BLOCKS = 40 };
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    assert_null(ctx->slabs); /* a host's allocator sees every block */
    long live = memory.live;
    vo_slabs *slabs = vo_slabs_create(&ctx->allocator);
    slab_block block[BLOCKS] = {0};
    vo_random random = vo_random_seed(7);
    for (int round = 0; round < 400; round++) {
        int k = (int)vo_random_real(&random, 0, BLOCKS);
        if (block[k].memory)
            release_block(slabs, &block[k], (unsigned char)k);
        else
            take_block(slabs, &random, &block[k], k);
    }
    for (int k = 0; k < BLOCKS; k++)
        if (block[k].memory) release_block(slabs, &block[k], (unsigned char)k);
    int slab_count, unit_count;
    vo_slabs_count(slabs, &slab_count, &unit_count);
    assert_int_equal(slab_count, 1); /* kept for the next */
    assert_int_equal(unit_count, 0);
    vo_slabs_destroy(slabs);
    assert_int_equal(memory.live, live);
    vo_context_destroy(ctx);
}

typedef struct slab_job {
    vo_slabs *slabs;
    int *fault; /* by chunk: blocks that were refused or did not keep what was written */
} slab_job;

enum { MARK_EVERY = 4096 }; /* bytes; blocks that overlap do so by more */

static void mark_block(slab_block *block, unsigned char number) {
    for (size_t i = 0; i < block->bytes; i += MARK_EVERY) block->memory[i] = number;
}

static bool is_marked(const slab_block *block, unsigned char number) {
    for (size_t i = 0; i < block->bytes; i += MARK_EVERY)
        if (block->memory[i] != number) return false;
    return true;
}

/* Takes a block where there is none and gives it back where there is one; returns the faults.
 * Little is written, so that threads meet in the slabs and not in memory. */
static int toggle_block(vo_slabs *slabs, vo_random *random, slab_block *block, int number) {
    if (block->memory) {
        int fault = !is_marked(block, (unsigned char)number);
        vo_slabs_release(slabs, block->memory, block->bytes);
        *block = (slab_block){0};
        return fault;
    }
    double least = (double)VO_SLAB_LEAST;
    block->bytes = (size_t)vo_random_real(random, least, 4 * least);
    block->memory = vo_slabs_allocate(slabs, block->bytes);
    if (!block->memory) return 1;
    mark_block(block, (unsigned char)number);
    return 0;
}

/* Each chunk has blocks and a number of its own. Only the main thread may assert. */
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

static void slabs_serve_several_threads(void **state) {
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

static void slabs_fill_gaps_and_survive_refused_memory(void **state) {
    (void)state;
    enum { BYTES = 1 << 20, BLOCKS = 7 };
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_slabs *slabs = vo_slabs_create(&ctx->allocator);
    void *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) block[i] = vo_slabs_allocate(slabs, BYTES);
    memory.fail_at = memory.calls;
    assert_null(vo_slabs_allocate(slabs, BYTES)); /* does not fit the first slab */
    vo_slabs_release(slabs, block[3], BYTES);
    assert_ptr_equal(vo_slabs_allocate(slabs, BYTES), block[3]);
    for (int i = 0; i < BLOCKS; i++) vo_slabs_release(slabs, block[i], BYTES);
    vo_slabs_destroy(slabs);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

static void array_keeps_its_contents_when_it_grows(void **state) {
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

static void files_are_whole_or_absent(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600], missing[600];
    const char *folder = test_folder();
    snprintf(path, sizeof path, "%s/a/b/c.txt", folder);
    snprintf(missing, sizeof missing, "%s/a/b", folder);
    assert_int_equal(vo_file_write(ctx, path, "x", 1), VO_IO_FAILED);
    assert_non_null(strstr(vo_context_message(ctx), path));
    assert_ok(ctx, vo_folder_make(ctx, missing));
    assert_ok(ctx, vo_file_write(ctx, path, "hello", 5));
    assert_ok(ctx, vo_file_append(ctx, path, " you", 4));
    vo_bytes bytes;
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    assert_string_equal(bytes.data, "hello you");
    vo_bytes_free(ctx, &bytes);
    assert_int_equal(vo_file_read(ctx, missing, &bytes), VO_IO_FAILED);
    vo_context_destroy(ctx);
}

/* Takes and gives back blocks of all sizes, some of which do not fit, from several threads. */
static void take_and_give_back(void *arg, int begin, int end, int chunk) {
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

static void a_limit_refuses_what_goes_beyond_and_counts_what_comes_back(void **state) {
    (void)state;
    enum { MIB = 1 << 20 };
    vo_context *ctx = limited_context(3, 64 * MIB);
    size_t at_first = vo_context_memory(ctx).used;
    void *most = vo_alloc(ctx, 60 * MIB);
    assert_non_null(most);
    assert_int_equal(vo_context_memory(ctx).used, at_first + 60 * MIB);
    assert_int_equal(vo_context_memory(ctx).refused, 0);
    assert_null(vo_alloc(ctx, 5 * MIB));
    assert_null(vo_alloc(ctx, SIZE_MAX - 100));
    assert_null(vo_alloc(ctx, 5 * MIB));
    assert_int_equal(vo_context_memory(ctx).refused, 5 * MIB);
    assert_int_equal(vo_fail_memory(ctx, "a test"), VO_NO_MEMORY);
    assert_non_null(strstr(vo_context_message(ctx), "a test: 5.0 MiB more were asked for, but 60"));
    assert_non_null(strstr(vo_context_message(ctx), "of at most 64.0 MiB"));
    vo_free(ctx, most, 60 * MIB);
    assert_int_equal(vo_context_memory(ctx).used, at_first);
    vo_parallel_for(ctx, 5000, 10, take_and_give_back, ctx);
    size_t kept = ctx->slabs ? (size_t)8 * MIB : 0; /* one slab */
    assert_int_equal(vo_context_memory(ctx).used, at_first + kept);
    vo_context_destroy(ctx);
}

/* A host that gives nothing but its word, so that threads meet in the limit alone. */
static void *promise(void *user, size_t bytes, size_t alignment) {
    (void)bytes, (void)alignment;
    return user;
}

static void take_back(void *user, void *memory, size_t bytes) {
    (void)user, (void)memory, (void)bytes;
}

typedef struct limit_job {
    vo_allocator allocator;
    atomic_int wrong;
} limit_job;

/* Chunks ask in turn for more than there is and for little. */
static void ask_for_much_and_little(void *arg, int begin, int end, int chunk) {
    limit_job *job = arg;
    size_t bytes = chunk % 2 ? 4000 : 10;
    for (int i = begin; i < end; i++) {
        void *memory = job->allocator.allocate(job->allocator.user, bytes, 16);
        if ((memory == NULL) != (chunk % 2 == 1)) atomic_fetch_add(&job->wrong, 1);
        if (memory) job->allocator.release(job->allocator.user, memory, bytes);
    }
}

static void what_is_refused_takes_no_room_from_others(void **state) {
    (void)state;
    vo_context *ctx = test_context(3);
    vo_limit limit = {.host = {ctx, promise, take_back}, .most = 3000};
    limit_job job = {.allocator = vo_limit_allocator(&limit)};
    vo_parallel_for(ctx, 2000000, 1000, ask_for_much_and_little, &job);
    assert_int_equal(job.wrong, 0);
    assert_int_equal(limit.used, 0);
    vo_context_destroy(ctx);
}

/* A host whose memory may be at an end. */
static void *host_allocate(void *user, size_t bytes, size_t alignment) {
    return *(bool *)user
               ? NULL
               : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void host_release(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    free(memory);
}

static void want_of_the_host_is_not_told_as_the_limits(void **state) {
    (void)state;
    bool empty = false;
    vo_context_def def = {
        .allocator = {&empty, host_allocate, host_release}, .threads = 1, .memory_limit = 1 << 20};
    vo_context *ctx;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    size_t used = vo_context_memory(ctx).used;
    assert_null(vo_alloc(ctx, 2 << 20));
    assert_int_equal(vo_context_memory(ctx).refused, 2 << 20);
    empty = true;
    assert_null(vo_alloc(ctx, 1000));
    assert_int_equal(vo_context_memory(ctx).refused, 0);
    assert_int_equal(vo_context_memory(ctx).used, used);
    assert_int_equal(vo_fail_memory(ctx, "a test"), VO_NO_MEMORY);
    assert_string_equal(vo_context_message(ctx), "out of memory for a test");
    vo_context_destroy(ctx);
}

static void without_a_limit_nothing_is_counted(void **state) {
    (void)state;
    vo_context *ctx = limited_context(1, 0);
    vo_memory memory = vo_context_memory(ctx);
    assert_int_equal(memory.limit + memory.used + memory.refused, 0);
    vo_context_destroy(ctx);
}

static vo_result nothing_more(vo_context *ctx, void *arg) {
    (void)ctx;
    (void)arg;
    return VO_OK;
}

static void context_survives_refused_memory(void **state) {
    (void)state;
    test_every_allocation(nothing_more, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_have_no_control_characters),
        cmocka_unit_test(parallel_for_gives_the_same_bits_for_any_thread_count),
        cmocka_unit_test(parallel_for_visits_each_index_once),
        cmocka_unit_test(arena_stops_asking_once_it_knows_its_peak),
        cmocka_unit_test(blocks_of_slabs_never_overlap_and_all_come_back),
        cmocka_unit_test(loops_visit_every_item_once),
        cmocka_unit_test(slabs_serve_several_threads),
        cmocka_unit_test(slabs_fill_gaps_and_survive_refused_memory),
        cmocka_unit_test(array_keeps_its_contents_when_it_grows),
        cmocka_unit_test(files_are_whole_or_absent),
        cmocka_unit_test(context_survives_refused_memory),
        cmocka_unit_test(a_limit_refuses_what_goes_beyond_and_counts_what_comes_back),
        cmocka_unit_test(what_is_refused_takes_no_room_from_others),
        cmocka_unit_test(want_of_the_host_is_not_told_as_the_limits),
        cmocka_unit_test(without_a_limit_nothing_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
