/* The one door to threads.
 *
 * Work is cut into chunks whose bounds depend on the count and the grain alone, never on the number
 * of threads; each thread begins with a run of neighbouring chunks and then takes what others have
 * left. A body writes only to what its own indices or its own chunk own. Reductions keep one
 * partial result a chunk and add them up in chunk order. So the result has the same bits for any
 * number of threads. */
#ifndef VO_CORE_PARALLEL_H
#define VO_CORE_PARALLEL_H

#include "core/context.h"

/* Handles [begin, end); `chunk` is begin / grain. */
typedef void vo_range_fn(void *arg, int begin, int end, int chunk);

/* Calls `body` for every chunk of [0, count) and returns when all are done. Not reentrant. */
void vo_parallel_for(vo_context *ctx, int count, int grain, vo_range_fn *body, void *arg);

/* The grain of loops that do a few operations for each row or node. */
enum { VO_LIGHT_GRAIN = 1024 };

static inline int vo_chunk_count(int count, int grain) { return (count + grain - 1) / grain; }

vo_threads *vo_threads_create(const vo_allocator *allocator, int count);
void vo_threads_destroy(vo_threads *threads, const vo_allocator *allocator);
int vo_threads_count(const vo_threads *threads);

#endif
