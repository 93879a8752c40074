/* A bound on the memory of a context: an allocator around the host's own that counts bytes and
 * refuses what would go beyond. Taken and given back cost one atomic operation each; blocks of
 * slabs (core/slabs.h) are counted by the slab. What libraries from outside allocate by themselves
 * is not seen here. */
#ifndef VO_CORE_LIMIT_H
#define VO_CORE_LIMIT_H

#include <voile/base.h>

#include <stdatomic.h>

typedef struct vo_limit {
    vo_allocator host;
    size_t most;           /* bytes */
    atomic_size_t used;    /* bytes that are out, as they were asked for; never above `most` */
    atomic_size_t refused; /* bytes of the last request that was too much; 0: none was, or the host
                              itself has refused one since */
} vo_limit;

/* The allocator that takes from limit->host, which must be set, as must limit->most. `limit` must
 * stay where it is. From any thread. */
vo_allocator vo_limit_allocator(vo_limit *limit);

enum { VO_BYTES_TEXT = 32 };
/* "412 bytes", "3.2 MiB", "17.4 GiB"; returns `out`. */
const char *vo_bytes_text(double bytes, char out[VO_BYTES_TEXT]);

#endif
