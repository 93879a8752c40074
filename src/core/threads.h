/* Thread pool with deterministic loops, without a context: needs an allocator at creation only.
 *
 * A loop is split into chunks whose bounds depend on count and grain alone, never on the number of
 * threads. Each thread starts with a contiguous range of chunks and then steals from the others. A
 * body writes only to data owned by its indices or by its chunk. The result is therefore
 * bit-identical for any number of threads, and for a host's task system (vo_run_tasks_fn). On
 * platforms without threads (WebAssembly) loops run in the calling thread. */
#ifndef VO_CORE_THREADS_H
#define VO_CORE_THREADS_H

#include <voile/base.h>

typedef struct vo_threads vo_threads;

/* Loop body: processes [begin, end); `chunk` is begin / grain. */
typedef void vo_loop_fn(void *arg, int begin, int end, int chunk);

static inline int vo_chunk_count(int count, int grain) { return (count + grain - 1) / grain; }

/* Starts count - 1 worker threads, or as many as the system permits. NULL without memory. */
vo_threads *vo_threads_create(const vo_allocator *allocator, int count);
/* Starts no threads: loops are split into at most `count` tasks for the host. */
vo_threads *vo_threads_create_host(const vo_allocator *allocator, int count,
                                   vo_run_tasks_fn *run_tasks, void *user);
void vo_threads_destroy(vo_threads *threads, const vo_allocator *allocator);
/* Threads including the caller. */
int vo_threads_count(const vo_threads *threads);

/* Calls `body` for every chunk of [0, count) and returns when all are done; count >= 0, grain > 0.
 * Not reentrant: a body must not start another loop. Returns false if the host's runner returned
 * before it had run all its tasks; some chunks are then missing. */
bool vo_threads_run(vo_threads *threads, int count, int grain, vo_loop_fn *body, void *arg);

#endif
