/* Host task systems in place of worker threads: each index runs once, and results are bit-identical
 * to those of our own threads for any order of the tasks. */
#include "support.h"

#include "core/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct host {
    int calls;          /* of run_tasks */
    int max_task_count; /* per call */
} host;

static void record_call(void *user, int count) {
    host *h = user;
    h->calls++;
    if (count > h->max_task_count) h->max_task_count = count;
}

static void run_serially(void *user, int count, vo_task_fn *task, void *data) {
    record_call(user, count);
    for (int i = 0; i < count; i++) task(data, i);
}

static void run_reversed(void *user, int count, vo_task_fn *task, void *data) {
    record_call(user, count);
    for (int i = count - 1; i >= 0; i--) task(data, i);
}

typedef struct pool_thread {
    pthread_t thread;
    vo_task_fn *task;
    void *data;
    int count;
    atomic_int *next; /* first task that no thread has claimed */
} pool_thread;

static void *run_pool_thread(void *arg) {
    const pool_thread *p = arg;
    for (int i; (i = atomic_fetch_add(p->next, 1)) < p->count;) p->task(p->data, i);
    return NULL;
}

/* A pool of two threads, neither of which is the caller. */
static void run_in_pool(void *user, int count, vo_task_fn *task, void *data) {
    atomic_int next = 0;
    pool_thread pool[2];
    record_call(user, count);
    for (int i = 0; i < 2; i++) {
        pool[i] = (pool_thread){.task = task, .data = data, .count = count, .next = &next};
        assert_int_equal(pthread_create(&pool[i].thread, NULL, run_pool_thread, &pool[i]), 0);
    }
    for (int i = 0; i < 2; i++) pthread_join(pool[i].thread, NULL);
}

static vo_run_tasks_fn *const runners[] = {run_serially, run_reversed, run_in_pool};
enum { RUNNERS = sizeof runners / sizeof *runners };

static vo_context *host_context(int threads, vo_run_tasks_fn *run_tasks, host *h) {
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    def.threads = threads;
    def.run_tasks = run_tasks;
    def.run_tasks_user = h;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    assert_int_equal(vo_context_thread_count(ctx), threads);
    return ctx;
}

static void count_visits(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    for (int i = begin; i < end; i++) ((int *)arg)[i]++;
}

static void host_loop_visits_each_index_once(void **state) {
    (void)state;
    for (int r = 0; r < RUNNERS; r++) {
        for (int threads = 1; threads <= 5; threads++) {
            host h = {0};
            vo_context *ctx = host_context(threads, runners[r], &h);
            for (int count = 0; count < 100; count += 7) {
                int visits[100] = {0};
                vo_parallel_for(ctx, count, 3, count_visits, visits);
                for (int i = 0; i < 100; i++) assert_int_equal(visits[i], i < count);
            }
            assert_int_equal(h.max_task_count, threads == 1 ? 0 : threads);
            vo_context_destroy(ctx);
        }
    }
}

/* State of the default scene after two frames. */
static uint64_t simulate(vo_context *ctx) {
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(ctx,
              vo_scene_load(ctx, VOILE_SOURCE_DIR "/assets/scenes/default.json", 0, NULL, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < 2; i++) assert_ok(ctx, vo_sim_step_frame(sim));
    uint64_t hash = vo_sim_hash(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    return hash;
}

static void host_simulation_matches_own_threads(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    uint64_t expected = simulate(ctx);
    vo_context_destroy(ctx);
    for (int r = 0; r < RUNNERS; r++) {
        for (int threads = 1; threads <= 3; threads++) {
            host h = {0};
            ctx = host_context(threads, runners[r], &h);
            assert_true(simulate(ctx) == expected);
            assert_int_equal(h.calls > 0, threads > 1);
            vo_context_destroy(ctx);
        }
    }
}

static void run_nothing(void *user, int count, vo_task_fn *task, void *data) {
    (void)user, (void)count, (void)task, (void)data;
}

static void expect_assert(void *user, const char *condition, const char *file, int line) {
    (void)user, (void)file, (void)line;
    mock_assert(0, condition, file, line);
}

/* A host that returns before the tasks have finished violates the contract. */
static void host_that_skips_tasks_fails_an_assertion(void **state) {
    (void)state;
    host h = {0};
    int visits[10] = {0};
    vo_context *ctx = host_context(2, run_nothing, &h);
    ctx->on_assert = expect_assert;
    expect_assert_failure(vo_parallel_for(ctx, 10, 1, count_visits, visits));
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_loop_visits_each_index_once),
        cmocka_unit_test(host_simulation_matches_own_threads),
        cmocka_unit_test(host_that_skips_tasks_fails_an_assertion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
