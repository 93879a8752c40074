#include "core/parallel.h"

#include "core/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* Workers spin for a moment before they sleep: the conjugate gradient makes three short parallel
 * loops an iteration, and waking a sleeping thread costs more than one of them. `round` counts the
 * loops; a worker that sees it change takes part, counts itself out of `working` and waits for the
 * next. */
enum { SPINS_BEFORE_SLEEP = 20000, MAX_THREADS = 256 };

struct vo_threads {
    int count; /* including the caller */
    pthread_t thread[MAX_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_int sleepers;
    atomic_uint round;
    atomic_bool quit;

    vo_range_fn *body;
    void *arg;
    int item_count, grain, chunk_count;
    atomic_int next_chunk;
    atomic_int working;
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void run_chunks(vo_threads *t) {
    for (;;) {
        int chunk = atomic_fetch_add_explicit(&t->next_chunk, 1, memory_order_relaxed);
        if (chunk >= t->chunk_count) return;
        int begin = chunk * t->grain;
        int end = t->item_count - begin < t->grain ? t->item_count : begin + t->grain;
        t->body(t->arg, begin, end, chunk);
    }
}

static unsigned wait_for_round(vo_threads *t, unsigned seen) {
    for (int spin = 0; spin < SPINS_BEFORE_SLEEP; spin++) {
        unsigned round = atomic_load_explicit(&t->round, memory_order_acquire);
        if (round != seen) return round;
        relax();
    }
    pthread_mutex_lock(&t->mutex);
    atomic_fetch_add(&t->sleepers, 1);
    while (atomic_load(&t->round) == seen) pthread_cond_wait(&t->wake, &t->mutex);
    atomic_fetch_sub(&t->sleepers, 1);
    pthread_mutex_unlock(&t->mutex);
    return atomic_load(&t->round);
}

static void *worker(void *arg) {
    vo_threads *t = arg;
    unsigned round = 0;
    for (;;) {
        round = wait_for_round(t, round);
        if (atomic_load(&t->quit)) return NULL;
        run_chunks(t);
        atomic_fetch_sub_explicit(&t->working, 1, memory_order_release);
    }
}

static void start_round(vo_threads *t) {
    atomic_fetch_add(&t->round, 1);
    if (atomic_load(&t->sleepers) == 0) return;
    pthread_mutex_lock(&t->mutex);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

vo_threads *vo_threads_create(const vo_allocator *allocator, int count) {
    vo_threads *t = allocator->allocate(allocator->user, sizeof *t, VO_ALIGNMENT);
    if (!t) return NULL;
    *t = (vo_threads){.count = 1};
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->wake, NULL);
    /* A machine that gives fewer threads than asked for gets the same result, slower. */
    while (t->count < count && t->count < MAX_THREADS &&
           pthread_create(&t->thread[t->count], NULL, worker, t) == 0)
        t->count++;
    return t;
}

void vo_threads_destroy(vo_threads *t, const vo_allocator *allocator) {
    atomic_store(&t->quit, true);
    start_round(t);
    for (int i = 1; i < t->count; i++) pthread_join(t->thread[i], NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    allocator->release(allocator->user, t, sizeof *t);
}

int vo_threads_count(const vo_threads *t) { return t->count; }

void vo_parallel_for(vo_context *ctx, int count, int grain, vo_range_fn *body, void *arg) {
    vo_threads *t = ctx->threads;
    VO_REQUIRE(ctx, count >= 0 && grain > 0);
    int chunks = vo_chunk_count(count, grain);
    t->body = body;
    t->arg = arg;
    t->item_count = count;
    t->grain = grain;
    t->chunk_count = chunks;
    atomic_store_explicit(&t->next_chunk, 0, memory_order_relaxed);
    if (t->count == 1 || chunks < 2) {
        run_chunks(t);
        return;
    }
    atomic_store_explicit(&t->working, t->count - 1, memory_order_relaxed);
    start_round(t);
    run_chunks(t);
    for (int spin = 0; atomic_load_explicit(&t->working, memory_order_acquire) > 0; spin++) {
        if (spin < SPINS_BEFORE_SLEEP)
            relax();
        else
            sched_yield(); /* more threads than processors: let the last worker run */
    }
}
