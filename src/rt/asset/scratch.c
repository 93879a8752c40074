/* Temporary memory of creation. */
#include "rt/asset/asset_private.h"

#include <string.h>

void *vo_rt_scratch_alloc(vo_rt_scratch *scratch, size_t count, size_t size) {
    if (count == 0) count = 1;
    size_t bytes = count * size;
    if (scratch->failed || scratch->count == VO_RT_MAX_SCRATCH || bytes / size != count) {
        scratch->failed = true;
        return NULL;
    }
    void *block = scratch->allocator->allocate(scratch->allocator->user, bytes, 64);
    if (!block) {
        scratch->failed = true;
        return NULL;
    }
    memset(block, 0, bytes);
    scratch->block[scratch->count] = block;
    scratch->bytes[scratch->count++] = bytes;
    return block;
}

void vo_rt_scratch_free(vo_rt_scratch *scratch) {
    const vo_allocator *allocator = scratch->allocator;
    while (scratch->count > 0) {
        scratch->count--;
        allocator->release(allocator->user, scratch->block[scratch->count],
                           scratch->bytes[scratch->count]);
    }
    scratch->failed = false;
}
