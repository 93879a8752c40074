/* Deterministic parallel-for, the only threading primitive of the library: a loop on the context's
 * threads (core/threads.h). Reductions store one partial result per chunk and sum them in chunk
 * order, so that the result is bit-identical for any number of threads. */
#ifndef VO_CORE_PARALLEL_H
#define VO_CORE_PARALLEL_H

#include "core/context.h"
#include "core/threads.h"

/* Calls `body` for every chunk of [0, count) and returns when all are done. Not reentrant: a body
 * must not start another loop. */
void vo_parallel_for(vo_context *ctx, int count, int grain, vo_loop_fn *body, void *arg);

/* Grain of loops with a few operations per row or node. */
enum { VO_LIGHT_GRAIN = 1024 };

#endif
