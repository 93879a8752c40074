#include "core/memory_limit.h"

#include <stdio.h>

/* Adds to `used` if the sum stays within the limit. A denied request is never added, not even
 * temporarily, so that it cannot make another thread's request fail. */
static bool try_reserve(vo_memory_limit *limit, size_t bytes) {
    size_t used = atomic_load_explicit(&limit->used, memory_order_relaxed);
    do {
        if (bytes > limit->max_bytes - used) return false;
    } while (!atomic_compare_exchange_weak_explicit(&limit->used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void *allocate(void *user, size_t bytes, size_t alignment) {
    vo_memory_limit *limit = user;
    if (!try_reserve(limit, bytes)) {
        atomic_store_explicit(&limit->denied_bytes, bytes, memory_order_relaxed);
        return NULL;
    }
    void *memory = limit->host.allocate(limit->host.user, bytes, alignment);
    if (memory) return memory;
    atomic_fetch_sub_explicit(&limit->used, bytes, memory_order_relaxed);
    atomic_store_explicit(&limit->denied_bytes, 0, memory_order_relaxed);
    return NULL;
}

static void release(void *user, void *memory, size_t bytes) {
    vo_memory_limit *limit = user;
    limit->host.release(limit->host.user, memory, bytes);
    atomic_fetch_sub_explicit(&limit->used, bytes, memory_order_relaxed);
}

vo_allocator vo_memory_limit_allocator(vo_memory_limit *limit) {
    return (vo_allocator){limit, allocate, release};
}

const char *vo_bytes_text(double bytes, char out[VO_BYTES_TEXT]) {
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int u = 0;
    for (; bytes >= 1024 && u < 4; u++) bytes /= 1024;
    snprintf(out, VO_BYTES_TEXT, "%.*f %s", u == 0 || bytes >= 99.95 ? 0 : 1, bytes, unit[u]);
    return out;
}
