/* Slab allocator: places arrays of medium size on huge pages.
 *
 * A simulation streams through about fifty arrays per step. With pages of 4 KiB, above all on
 * virtual machines, a TLB miss costs more than a cache miss, but only blocks of at least 2 MiB can
 * use huge pages on their own. Blocks from VO_SLAB_MIN_BYTES to VO_SLAB_MAX_BYTES are therefore cut
 * from slabs of 8 MiB:
 *
 *      |head| array      |free| array              |array |            free            |
 *      0    1            17                        40     46                        510   units
 *
 * A unit is slightly larger than 16 KiB, so that arrays that are read together do not start at the
 * same page offset, where they would compete for the same sets of the L1 cache. The first request
 * reserves a whole slab; pages that are never written use no memory, so a small simulation wastes a
 * few MB at most. Allocation is first-fit. A slab is freed with its last block, except one empty
 * slab, which is kept for the next request. */
#ifndef VO_CORE_SLABS_H
#define VO_CORE_SLABS_H

#include <voile/base.h>

#define VO_SLAB_MIN_BYTES ((size_t)64 << 10)
#define VO_SLAB_MAX_BYTES ((size_t)2 << 20)

typedef struct vo_slabs vo_slabs;

/* Creates an empty set of slabs, which come from `allocator`. Returns NULL on failure. */
vo_slabs *vo_slabs_create(const vo_allocator *allocator);
void vo_slabs_destroy(vo_slabs *slabs); /* NULL is allowed */

static inline bool vo_slabs_accepts(size_t bytes) {
    return bytes >= VO_SLAB_MIN_BYTES && bytes < VO_SLAB_MAX_BYTES;
}
/* Allocates a block, aligned to VO_ALIGNMENT; vo_slabs_accepts(bytes) must be true. Returns NULL on
 * failure. Thread-safe, like vo_slabs_release. */
void *vo_slabs_allocate(vo_slabs *slabs, size_t bytes);
void vo_slabs_release(vo_slabs *slabs, void *memory, size_t bytes);
/* Numbers of slabs and of allocated units, heads excluded. */
void vo_slabs_count(vo_slabs *slabs, int *slab_count, int *unit_count);
/* Bytes of all slabs that belong to no block. */
size_t vo_slabs_unused_bytes(vo_slabs *slabs);

#endif
