/* Middle-sized blocks on large pages.
 *
 * A simulation streams through some fifty arrays a step. On pages of 4 KiB, and most of all on
 * virtual machines, a miss in the page tables costs more than one in the cache; but only blocks of
 * 2 MiB and more can be on large pages by themselves. Those between VO_SLAB_LEAST and VO_SLAB_MOST
 * are therefore cut from slabs of 8 MiB:
 *
 *      |head| array      |free| array              |array |            free            |
 *      0    1            17                        40     46                        510   units
 *
 * A unit is a little more than 16 KiB, so that arrays that are read side by side do not begin at
 * the same offset of a page, where they would compete for the same lines of the inner cache. The
 * first request maps a whole slab of address space. Of that, pages that were never written cost
 * nothing, and the rest of a large page that was is lost: a small simulation pays a few MB at most.
 * A block takes the first gap that is large enough; the last block of a slab frees it, but for one
 * that is kept. */
#ifndef VO_CORE_SLABS_H
#define VO_CORE_SLABS_H

#include <voile/base.h>

#define VO_SLAB_LEAST ((size_t)64 << 10)
#define VO_SLAB_MOST  ((size_t)2 << 20)

typedef struct vo_slabs vo_slabs;

/* NULL without memory. Slabs come from `allocator`, which must outlive them. */
vo_slabs *vo_slabs_create(const vo_allocator *allocator);
void vo_slabs_destroy(vo_slabs *slabs); /* NULL is allowed */

static inline bool vo_slabs_hold(size_t bytes) {
    return bytes >= VO_SLAB_LEAST && bytes < VO_SLAB_MOST;
}
/* For sizes that slabs hold; from any thread. NULL without memory; aligned to VO_ALIGNMENT. */
void *vo_slabs_allocate(vo_slabs *slabs, size_t bytes);
void vo_slabs_release(vo_slabs *slabs, void *memory, size_t bytes);
/* How many slabs there are, and how many units of them are taken, heads aside. */
void vo_slabs_count(vo_slabs *slabs, int *slab_count, int *unit_count);
/* Bytes of slabs that no block has. */
size_t vo_slabs_spare(vo_slabs *slabs);

#endif
