#include "core/memory.h"

#include <stdint.h>
#include <string.h>

void *vo_alloc(vo_context *ctx, size_t bytes) {
    if (bytes == 0) return NULL;
    if (ctx->slabs && vo_slabs_accepts(bytes)) return vo_slabs_allocate(ctx->slabs, bytes);
    return ctx->allocator.allocate(ctx->allocator.user, bytes, VO_ALIGNMENT);
}

void *vo_alloc_zero(vo_context *ctx, size_t bytes) {
    void *memory = vo_alloc(ctx, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void vo_free(vo_context *ctx, void *memory, size_t bytes) {
    if (!memory) return;
    if (ctx->slabs && vo_slabs_accepts(bytes))
        vo_slabs_release(ctx->slabs, memory, bytes);
    else
        ctx->allocator.release(ctx->allocator.user, memory, bytes);
}

size_t vo_array_bytes(size_t count, size_t size) {
    return count > SIZE_MAX / 2 / (size ? size : 1) ? 0 : count * size;
}

bool vo_array_reserve(vo_context *ctx, void **array, int *capacity, int need, size_t size) {
    if (need <= *capacity) return true;
    int64_t grown = (int64_t)*capacity + *capacity / 2 + 16;
    if (grown < need) grown = need;
    if (grown > INT32_MAX) return false;
    size_t old_bytes = (size_t)*capacity * size, bytes = vo_array_bytes((size_t)grown, size);
    char *memory = vo_alloc(ctx, bytes);
    if (!memory) return false;
    if (old_bytes) memcpy(memory, *array, old_bytes);
    memset(memory + old_bytes, 0, bytes - old_bytes);
    vo_free(ctx, *array, old_bytes);
    *array = memory;
    *capacity = (int)grown;
    return true;
}

char *vo_copy_string(vo_context *ctx, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = vo_alloc(ctx, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void vo_free_string(vo_context *ctx, char *text) {
    if (text) vo_free(ctx, text, strlen(text) + 1);
}

enum { ARENA_HEADER = VO_ALIGNMENT, ARENA_MIN = 64 * 1024 };

static size_t round_up(size_t bytes) {
    return (bytes + VO_ALIGNMENT - 1) / VO_ALIGNMENT * VO_ALIGNMENT;
}

void vo_arena_init(vo_arena *arena, vo_context *ctx) { *arena = (vo_arena){.ctx = ctx}; }

void vo_arena_free(vo_arena *arena) {
    for (vo_arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        vo_free(arena->ctx, block, block->bytes);
    }
    arena->blocks = NULL;
}

static bool add_block(vo_arena *arena, size_t payload) {
    size_t bytes = ARENA_HEADER + payload;
    vo_arena_block *block = vo_alloc(arena->ctx, bytes);
    if (!block) return false;
    *block = (vo_arena_block){.next = arena->blocks, .bytes = bytes, .used = ARENA_HEADER};
    arena->blocks = block;
    return true;
}

void vo_arena_reset(vo_arena *arena) {
    arena->used = 0;
    if (!arena->blocks) return;
    if (!arena->blocks->next) {
        arena->blocks->used = ARENA_HEADER;
        return;
    }
    vo_arena_free(arena);
    add_block(arena, arena->peak); /* if this fails, the next allocation reports it */
}

void *vo_arena_alloc(vo_arena *arena, size_t bytes) {
    if (bytes == 0 || bytes > SIZE_MAX / 2) return NULL;
    bytes = round_up(bytes);
    vo_arena_block *block = arena->blocks;
    if (!block || block->bytes - block->used < bytes) {
        size_t payload = bytes > ARENA_MIN ? bytes : ARENA_MIN;
        if (payload < arena->peak / 2) payload = round_up(arena->peak / 2);
        if (!add_block(arena, payload)) return NULL;
        block = arena->blocks;
    }
    void *memory = (char *)block + block->used;
    block->used += bytes;
    arena->used += bytes;
    if (arena->used > arena->peak) arena->peak = arena->used;
    return memory;
}
