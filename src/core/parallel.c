#include "core/parallel.h"

#include "core/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* Workers spin for a moment before they sleep: the conjugate gradient makes three short parallel
 * loops an iteration, and waking a sleeping thread costs more than one of them.
 *
 * The chunks of a loop are cut into one share a thread, of chunks that follow each other. A thread
 * takes those of its own share first and then what others have left:
 *
 *      chunks   0 1 2 3 4 5 6 | 7 8 9 10 11 12 13 | ...
 *               thread 0 ->     thread 1 ->
 *
 * So it reads memory in order, and finds in its cache what the last loop over the same items left
 * there. With one counter for all, neighbouring chunks would go to different processors each time.
 *
 * A share's `ticket` is the number of the loop in its upper half and the chunks nobody has taken
 * yet in its lower half. A thread takes a chunk by counting the lower half down; that succeeds only
 * while the loop it saw is still open, so what it reads about the loop afterwards cannot change
 * under it. The caller waits until all chunks are done, not until all workers have looked: on a
 * busy machine a worker that gets no processor costs nothing. */
enum { MAX_THREADS = 256, LINE = 64 };
#ifdef __SANITIZE_THREAD__ /* which makes a spin as slow as a wake-up */
enum { SPINS_BEFORE_SLEEP = 100 };
#else
enum { SPINS_BEFORE_SLEEP = 20000 };
#endif

/* On a cache line of its own, as threads count it down side by side. */
typedef struct share {
    _Alignas(LINE) _Atomic uint64_t ticket;
    int end; /* one past its last chunk */
} share;

typedef struct worker {
    vo_threads *threads;
    int index;
    pthread_t thread;
} worker;

struct vo_threads {
    share share[MAX_THREADS];             /* [count] */
    _Alignas(LINE) _Atomic uint32_t loop; /* the number of the last one, once all shares are open */
    int count;                            /* including the caller */
    worker worker[MAX_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_int sleepers;
    atomic_bool quit;

    vo_range_fn *body;
    void *arg;
    int item_count, grain, chunk_count;
    atomic_int done; /* chunks of the present loop */
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void run_chunk(vo_threads *t, int chunk) {
    int begin = chunk * t->grain;
    int end = t->item_count - begin < t->grain ? t->item_count : begin + t->grain;
    t->body(t->arg, begin, end, chunk);
}

/* Takes chunks of a share until there are none left. */
static void run_share(vo_threads *t, share *from) {
    uint64_t seen = atomic_load_explicit(&from->ticket, memory_order_acquire);
    while ((uint32_t)seen > 0) {
        if (!atomic_compare_exchange_weak_explicit(&from->ticket, &seen, seen - 1,
                                                   memory_order_acq_rel, memory_order_acquire))
            continue;
        run_chunk(t, from->end - (int)(uint32_t)seen);
        atomic_fetch_add_explicit(&t->done, 1, memory_order_release);
        seen = atomic_load_explicit(&from->ticket, memory_order_acquire);
    }
}

/* Its own share first, then those of the threads after it. */
static void run_shares(vo_threads *t, int self) {
    for (int k = self; k < t->count; k++) run_share(t, &t->share[k]);
    for (int k = 0; k < self; k++) run_share(t, &t->share[k]);
}

static uint32_t current_loop(vo_threads *t) { return atomic_load(&t->loop); }

/* Returns the number of the next loop. */
static uint32_t wait_for_loop(vo_threads *t, uint32_t seen) {
    for (int spin = 0; spin < SPINS_BEFORE_SLEEP; spin++) {
        if (current_loop(t) != seen) return current_loop(t);
        relax();
    }
    pthread_mutex_lock(&t->mutex);
    atomic_fetch_add(&t->sleepers, 1);
    while (current_loop(t) == seen) pthread_cond_wait(&t->wake, &t->mutex);
    atomic_fetch_sub(&t->sleepers, 1);
    pthread_mutex_unlock(&t->mutex);
    return current_loop(t);
}

static void *work(void *arg) {
    worker *w = arg;
    vo_threads *t = w->threads;
    uint32_t loop = 0;
    for (;;) {
        loop = wait_for_loop(t, loop);
        if (atomic_load(&t->quit)) return NULL;
        run_shares(t, w->index);
    }
}

/* One past the last chunk of a thread. The first threads have one more where there is a rest: the
 * caller, at least, is awake. */
static int share_end(const vo_threads *t, int chunks, int thread) {
    return (int)(((int64_t)chunks * (thread + 1) + t->count - 1) / t->count);
}

/* Opens the next loop with so many chunks. */
static void open_loop(vo_threads *t, int chunks) {
    uint32_t loop = current_loop(t) + 1;
    for (int k = 0, begin = 0; k < t->count; k++) {
        int end = share_end(t, chunks, k);
        t->share[k].end = end;
        atomic_store(&t->share[k].ticket, (uint64_t)loop << 32 | (uint32_t)(end - begin));
        begin = end;
    }
    atomic_store(&t->loop, loop);
    if (atomic_load(&t->sleepers) == 0) return;
    pthread_mutex_lock(&t->mutex);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

static bool start_worker(vo_threads *t, int index) {
    worker *w = &t->worker[index];
    *w = (worker){.threads = t, .index = index};
    return pthread_create(&w->thread, NULL, work, w) == 0;
}

vo_threads *vo_threads_create(const vo_allocator *allocator, int count) {
    vo_threads *t = allocator->allocate(allocator->user, sizeof *t, VO_ALIGNMENT);
    if (!t) return NULL;
    *t = (vo_threads){.count = 1};
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->wake, NULL);
    /* A machine that gives fewer threads than asked for gets the same result, slower. */
    while (t->count < count && t->count < MAX_THREADS && start_worker(t, t->count)) t->count++;
    return t;
}

void vo_threads_destroy(vo_threads *t, const vo_allocator *allocator) {
    atomic_store(&t->quit, true);
    open_loop(t, 0);
    for (int i = 1; i < t->count; i++) pthread_join(t->worker[i].thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    allocator->release(allocator->user, t, sizeof *t);
}

int vo_threads_count(const vo_threads *t) { return t->count; }

void vo_parallel_for(vo_context *ctx, int count, int grain, vo_range_fn *body, void *arg) {
    vo_threads *t = ctx->threads;
    VO_REQUIRE(ctx, count >= 0 && grain > 0);
    t->body = body;
    t->arg = arg;
    t->item_count = count;
    t->grain = grain;
    t->chunk_count = vo_chunk_count(count, grain);
    if (t->count == 1 || t->chunk_count < 2) {
        for (int chunk = 0; chunk < t->chunk_count; chunk++) run_chunk(t, chunk);
        return;
    }
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    open_loop(t, t->chunk_count);
    run_shares(t, 0);
    for (int spin = 0; atomic_load_explicit(&t->done, memory_order_acquire) < t->chunk_count;
         spin++)
        if (spin < SPINS_BEFORE_SLEEP)
            relax();
        else
            sched_yield(); /* more threads than processors: let the last worker run */
}
