/* Memory limit of a context: wraps the host's allocator, counts bytes and denies requests beyond
 * the limit. Allocation and release cost one atomic operation each. Slabs (core/slabs.h) are
 * counted as a whole; memory that third-party libraries allocate themselves is not counted. */
#ifndef VO_CORE_MEMORY_LIMIT_H
#define VO_CORE_MEMORY_LIMIT_H

#include <voile/base.h>

#include <stdatomic.h>

typedef struct vo_memory_limit {
    vo_allocator host;
    size_t max_bytes;
    atomic_size_t used;         /* bytes allocated now, in requested sizes; at most max_bytes */
    atomic_size_t denied_bytes; /* size of the last denied request; 0: none, or the host's allocator
                                   has returned NULL since */
} vo_memory_limit;

/* Returns an allocator that forwards to limit->host. limit->host and limit->max_bytes must be set,
 * and `limit` must outlive the allocator at a fixed address. Thread-safe. */
vo_allocator vo_memory_limit_allocator(vo_memory_limit *limit);

enum { VO_BYTES_TEXT = 32 };
/* Formats a size as "412 bytes", "3.2 MiB" or "17.4 GiB"; returns `out`. */
const char *vo_bytes_text(double bytes, char out[VO_BYTES_TEXT]);

#endif
