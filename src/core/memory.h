/* Memory from the context's allocator: blocks, growable arrays and the arena.
 *
 * There is one interface per lifetime: vo_new and vo_delete for objects, vo_array_reserve for
 * arrays that grow with a mesh, vo_arena for data of one step. The arena grows to the peak of the
 * first steps; afterwards a step makes no heap call. */
#ifndef VO_CORE_MEMORY_H
#define VO_CORE_MEMORY_H

#include "core/context.h"

enum { VO_ALIGNMENT = 64 }; /* cache line; enough for every vector type */

/* Allocates uninitialised memory. Returns NULL on failure and for 0 bytes. */
void *vo_alloc(vo_context *ctx, size_t bytes);
void *vo_alloc_zero(vo_context *ctx, size_t bytes);
void vo_free(vo_context *ctx, void *memory, size_t bytes); /* NULL is allowed */

/* count * size, or 0 on overflow. */
size_t vo_array_bytes(size_t count, size_t size);

#define vo_new(ctx, type)      ((type *)vo_alloc_zero((ctx), sizeof(type)))
#define vo_delete(ctx, object) vo_free((ctx), (object), sizeof *(object))
#define vo_new_array(ctx, type, n) \
    ((type *)vo_alloc((ctx), vo_array_bytes((size_t)(n), sizeof(type))))
#define vo_free_array(ctx, array, n) vo_free((ctx), (array), (size_t)(n) * sizeof *(array))

/* Grows *array, which has *capacity elements of `size` bytes, to at least `need` elements, by at
 * least half its capacity. Keeps the contents and clears the rest. On failure returns false and
 * changes nothing. */
bool vo_array_reserve(vo_context *ctx, void **array, int *capacity, int need, size_t size);
#define vo_reserve(ctx, array, capacity, need) \
    vo_array_reserve((ctx), (void **)(array), (capacity), (need), sizeof **(array))

char *vo_copy_string(vo_context *ctx, const char *text);
void vo_free_string(vo_context *ctx, char *text);

/* Linear allocator for one step. While a step exceeds the arena, blocks are chained; the next reset
 * replaces them by a single block of the peak size. */
typedef struct vo_arena_block {
    struct vo_arena_block *next;
    size_t bytes; /* size of the block including this header */
    size_t used;
} vo_arena_block;

typedef struct vo_arena {
    vo_context *ctx;
    vo_arena_block *blocks; /* newest first */
    size_t used, peak;      /* bytes allocated since the last reset, and its maximum */
} vo_arena;

void vo_arena_init(vo_arena *arena, vo_context *ctx);
void vo_arena_free(vo_arena *arena);
void vo_arena_reset(vo_arena *arena);
void *vo_arena_alloc(vo_arena *arena, size_t bytes); /* uninitialised; NULL on failure */
#define vo_arena_array(arena, type, n) \
    ((type *)vo_arena_alloc((arena), vo_array_bytes((size_t)(n), sizeof(type))))

#endif
