/* Memory of a world that all its cloths share.
 *
 * One block of the host's allocator, divided into pages. Arrays are contiguous runs of pages, found
 * first-fit, so that the same sequence of calls always gives the same addresses relative to the
 * block. Elements inside an array are allocated and released in constant time by the free lists of
 * their owner (hierarchy/mesh.h); only the growth of an array reaches the heap, in the serial part
 * of a major step. Rejected: one pool of fixed-size elements per kind. Leaf arrays must be
 * contiguous for the solver, so a pool for the tree alone would be a second mechanism. */
#ifndef VO_RT_BASE_HEAP_H
#define VO_RT_BASE_HEAP_H

#include <voile/rt.h>

enum { VO_RT_PAGE = 1024, VO_RT_ALIGNMENT = 64 };

typedef struct vo_rt_heap {
    vo_allocator allocator;
    uint8_t *memory;    /* [page_count * VO_RT_PAGE] */
    uint8_t *page_used; /* [page_count] 1: in use */
    size_t page_count;
    size_t first_free; /* no page below it is free */
    size_t used, peak; /* bytes */
} vo_rt_heap;

/* Returns false if the allocator fails. */
bool vo_rt_heap_init(vo_rt_heap *heap, const vo_allocator *allocator, size_t bytes);
void vo_rt_heap_free(vo_rt_heap *heap);

/* Grows *array to at least `need` elements of `size` bytes, by at least a quarter. Keeps the
 * contents and clears the rest. On failure (heap exhausted) returns false and changes nothing. */
bool vo_rt_heap_reserve(vo_rt_heap *heap, void **array, int *capacity, int need, size_t size);
/* Releases an array; NULL is allowed. */
void vo_rt_heap_release(vo_rt_heap *heap, void *array, int capacity, size_t size);

#endif
