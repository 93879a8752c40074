#include "core/threads.h"

#include <stdatomic.h>

#ifdef __wasm__
#define HAVE_WORKERS 0
#else
#define HAVE_WORKERS 1
#include <pthread.h>
#include <sched.h>
#endif

/* Workers spin before they sleep: the conjugate gradient method runs three short loops per
 * iteration, and waking a sleeping thread takes longer than one of them.
 *
 * The chunks of a loop are divided into one queue per thread, each a contiguous range. A thread
 * empties its own queue first and then steals from the others:
 *
 *      chunks   0 1 2 3 4 5 6 | 7 8 9 10 11 12 13 | ...
 *               queue 0         queue 1
 *
 * A thread thus reads memory in order and finds the data of the previous loop over the same items
 * in its cache. With a single shared counter, neighbouring chunks would move between processors.
 *
 * A queue's `ticket` has the loop number in its upper half and the number of unclaimed chunks in
 * its lower half. A thread claims a chunk by decrementing the lower half with compare-and-swap,
 * which succeeds only while that loop is open; the loop's parameters cannot change while a claimed
 * chunk is unfinished. The caller waits until all chunks are done, not until all workers have
 * responded, so a worker that gets no processor time does not delay the loop.
 *
 * With a host's task system, task i does the work of thread i. A task that starts late finds empty
 * queues, so any order and any number of threads is correct. */
enum { MAX_THREADS = 256, CACHE_LINE = 64 };
#ifdef __SANITIZE_THREAD__ /* under which spinning is as slow as waking a thread */
enum { SPINS_BEFORE_SLEEP = 100 };
#else
enum { SPINS_BEFORE_SLEEP = 20000 };
#endif

/* Aligned to a cache line to avoid false sharing. */
typedef struct queue {
    _Alignas(CACHE_LINE) _Atomic uint64_t ticket;
    int end; /* one past its last chunk */
} queue;

#if HAVE_WORKERS
typedef struct worker {
    vo_threads *threads;
    int index;
    pthread_t thread;
} worker;
#endif

struct vo_threads {
    queue queue[MAX_THREADS];                   /* [count] */
    _Alignas(CACHE_LINE) _Atomic uint32_t loop; /* number of the last loop, set after its queues */
    int count;                                  /* threads including the caller, or host tasks */
    vo_run_tasks_fn *run_tasks;                 /* NULL: own workers */
    void *run_tasks_user;
#if HAVE_WORKERS
    worker worker[MAX_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_int sleepers;
    atomic_bool quit;
#endif

    vo_loop_fn *body;
    void *arg;
    int item_count, grain, chunk_count;
    atomic_int done; /* finished chunks of the current loop */
};

static void run_chunk(vo_threads *t, int chunk) {
    int begin = chunk * t->grain;
    int end = t->item_count - begin < t->grain ? t->item_count : begin + t->grain;
    t->body(t->arg, begin, end, chunk);
}

/* Claims and runs chunks of a queue until it is empty. */
static void run_queue(vo_threads *t, queue *from) {
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

/* Runs the thread's own queue first, then those of the threads after it, cyclically. */
static void run_queues(vo_threads *t, int self) {
    for (int k = self; k < t->count; k++) run_queue(t, &t->queue[k]);
    for (int k = 0; k < self; k++) run_queue(t, &t->queue[k]);
}

static uint32_t current_loop(vo_threads *t) { return atomic_load(&t->loop); }

/* One past the last chunk of a thread's queue. A remainder goes to the first threads, since the
 * caller is certain to be running. */
static int queue_end(const vo_threads *t, int chunks, int thread) {
    return (int)(((int64_t)chunks * (thread + 1) + t->count - 1) / t->count);
}

/* Fills the queues with the chunks of the next loop and publishes its number. */
static void fill_queues(vo_threads *t, int chunks) {
    uint32_t loop = current_loop(t) + 1;
    for (int k = 0, begin = 0; k < t->count; k++) {
        int end = queue_end(t, chunks, k);
        t->queue[k].end = end;
        atomic_store(&t->queue[k].ticket, (uint64_t)loop << 32 | (uint32_t)(end - begin));
        begin = end;
    }
    atomic_store(&t->loop, loop);
}

#if HAVE_WORKERS

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits until a loop other than `seen` is open; returns its number. */
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

static void *run_worker(void *arg) {
    worker *w = arg;
    vo_threads *t = w->threads;
    uint32_t loop = 0;
    for (;;) {
        loop = wait_for_loop(t, loop);
        if (atomic_load(&t->quit)) return NULL;
        run_queues(t, w->index);
    }
}

static void wake_workers(vo_threads *t) {
    if (atomic_load(&t->sleepers) == 0) return;
    pthread_mutex_lock(&t->mutex);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

static bool start_worker(vo_threads *t, int index) {
    worker *w = &t->worker[index];
    *w = (worker){.threads = t, .index = index};
    return pthread_create(&w->thread, NULL, run_worker, w) == 0;
}

static void start_workers(vo_threads *t, int count) {
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->wake, NULL);
    /* With fewer threads than requested the result is the same, only slower. */
    while (t->count < count && t->count < MAX_THREADS && start_worker(t, t->count)) t->count++;
}

static void stop_workers(vo_threads *t) {
    atomic_store(&t->quit, true);
    fill_queues(t, 0);
    wake_workers(t);
    for (int i = 1; i < t->count; i++) pthread_join(t->worker[i].thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
}

static void run_own_threads(vo_threads *t) {
    wake_workers(t);
    run_queues(t, 0);
    for (int spin = 0; atomic_load_explicit(&t->done, memory_order_acquire) < t->chunk_count;
         spin++)
        if (spin < SPINS_BEFORE_SLEEP)
            relax();
        else
            sched_yield(); /* more threads than processors: lets the last worker run */
}

#else

static void start_workers(vo_threads *t, int count) { (void)t, (void)count; }
static void stop_workers(vo_threads *t) { (void)t; }
static void run_own_threads(vo_threads *t) { run_queues(t, 0); }

#endif

static vo_threads *create_alone(const vo_allocator *allocator) {
    vo_threads *t = allocator->allocate(allocator->user, sizeof *t, CACHE_LINE);
    if (t) *t = (vo_threads){.count = 1};
    return t;
}

vo_threads *vo_threads_create(const vo_allocator *allocator, int count) {
    vo_threads *t = create_alone(allocator);
    if (t) start_workers(t, count);
    return t;
}

vo_threads *vo_threads_create_host(const vo_allocator *allocator, int count,
                                   vo_run_tasks_fn *run_tasks, void *user) {
    vo_threads *t = create_alone(allocator);
    if (!t) return NULL;
    t->count = count < MAX_THREADS ? count : MAX_THREADS;
    t->run_tasks = run_tasks;
    t->run_tasks_user = user;
    return t;
}

void vo_threads_destroy(vo_threads *t, const vo_allocator *allocator) {
    if (!t->run_tasks) stop_workers(t);
    allocator->release(allocator->user, t, sizeof *t);
}

int vo_threads_count(const vo_threads *t) { return t->count; }

static void run_task(void *data, int index) { run_queues(data, index); }

/* One task per queue; a loop of few chunks needs no more tasks than chunks, since tasks steal. */
static bool run_host_tasks(vo_threads *t) {
    int tasks = t->chunk_count < t->count ? t->chunk_count : t->count;
    t->run_tasks(t->run_tasks_user, tasks, run_task, t);
    return atomic_load(&t->done) == t->chunk_count;
}

bool vo_threads_run(vo_threads *t, int count, int grain, vo_loop_fn *body, void *arg) {
    t->body = body;
    t->arg = arg;
    t->item_count = count;
    t->grain = grain;
    t->chunk_count = vo_chunk_count(count, grain);
    if (t->count == 1 || t->chunk_count < 2) {
        for (int chunk = 0; chunk < t->chunk_count; chunk++) run_chunk(t, chunk);
        return true;
    }
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    fill_queues(t, t->chunk_count);
    if (t->run_tasks) return run_host_tasks(t);
    run_own_threads(t);
    return true;
}
