/* Memory through the context's allocator: single blocks, growable arrays and the arena.
 *
 * Three lifetimes, three tools: objects (vo_new / vo_delete), arrays that follow a mesh's size
 * (vo_array_reserve), and whatever lives for one step (vo_arena). The arena grows to the peak of
 * the first steps and then never asks the heap again; counting calls to the host allocator in a
 * test proves it. */
#ifndef VO_CORE_MEMORY_H
#define VO_CORE_MEMORY_H

#include "core/context.h"

enum { VO_ALIGNMENT = 64 }; /* cache line; enough for every vector type */

/* NULL when there is no memory, or when bytes is 0. Not cleared. */
void *vo_alloc(vo_context *ctx, size_t bytes);
void *vo_alloc_zero(vo_context *ctx, size_t bytes);
void vo_free(vo_context *ctx, void *memory, size_t bytes); /* NULL is allowed */

/* count * size, or 0 when that does not fit. */
size_t vo_array_bytes(size_t count, size_t size);

#define vo_new(ctx, type)      ((type *)vo_alloc_zero((ctx), sizeof(type)))
#define vo_delete(ctx, object) vo_free((ctx), (object), sizeof *(object))
#define vo_new_array(ctx, type, n) \
    ((type *)vo_alloc((ctx), vo_array_bytes((size_t)(n), sizeof(type))))
#define vo_free_array(ctx, array, n) vo_free((ctx), (array), (size_t)(n) * sizeof *(array))

/* Grows *array (of *capacity elements of `size` bytes) to at least `need`, by half again at a time;
 * what it held is kept, the rest is cleared. False, and nothing changed, without memory. */
bool vo_array_reserve(vo_context *ctx, void **array, int *capacity, int need, size_t size);
#define vo_reserve(ctx, array, capacity, need) \
    vo_array_reserve((ctx), (void **)(array), (capacity), (need), sizeof **(array))

char *vo_copy_string(vo_context *ctx, const char *text);
void vo_free_string(vo_context *ctx, char *text);

/* Memory for one step. Blocks are chained while a step outgrows the arena; the next reset replaces
 * them by a single block of the peak size. */
typedef struct vo_arena_block {
    struct vo_arena_block *next;
    size_t bytes; /* of the whole block, header included */
    size_t used;
} vo_arena_block;

typedef struct vo_arena {
    vo_context *ctx;
    vo_arena_block *blocks; /* the newest first */
    size_t used, peak; /* bytes handed out since the last reset, and the most there ever were */
} vo_arena;

void vo_arena_init(vo_arena *arena, vo_context *ctx);
void vo_arena_free(vo_arena *arena);
void vo_arena_reset(vo_arena *arena);
void *vo_arena_alloc(vo_arena *arena, size_t bytes); /* NULL without memory; not cleared */
#define vo_arena_array(arena, type, n) \
    ((type *)vo_arena_alloc((arena), vo_array_bytes((size_t)(n), sizeof(type))))

#endif
