/* Work ranges: the items (faces or nodes) of several cloths as one list of ranges, so that a single
 * parallel loop covers all of them. A crowd has a hundred dresses of a few hundred faces each: one
 * loop per dress would be dominated by waiting for the last thread.
 *
 *      cloth       0              1         2
 *      items     |--------------|-------|----|
 *      ranges    |----|----|----|----|--|----|       at most `grain` items of one cloth each
 *
 * `first` is the start of a range in arrays that concatenate the items of all cloths. */
#ifndef VO_VIEW_WORK_RANGE_H
#define VO_VIEW_WORK_RANGE_H

#include "core/memory.h"

typedef struct vo_work_range {
    int cloth;
    int begin, end; /* items of that cloth */
    int first;      /* index of `begin` in the concatenated items */
} vo_work_range;

typedef struct vo_work_ranges {
    vo_work_range *range;
    int count, capacity;
    int items; /* total over the cloths added */
} vo_work_ranges;

static inline void vo_work_ranges_clear(vo_work_ranges *p) { p->count = p->items = 0; }

static inline void vo_work_ranges_free(vo_context *ctx, vo_work_ranges *p) {
    vo_free_array(ctx, p->range, p->capacity);
}

/* Appends the items of a cloth; returns false if memory is exhausted. */
static inline bool vo_work_ranges_add(vo_context *ctx, vo_work_ranges *p, int cloth, int items,
                                      int grain) {
    int need = p->count + (items + grain - 1) / grain;
    if (!vo_reserve(ctx, &p->range, &p->capacity, need + 1)) return false;
    for (int begin = 0; begin < items; begin += grain) {
        int end = items - begin < grain ? items : begin + grain;
        p->range[p->count++] = (vo_work_range){cloth, begin, end, p->items + begin};
    }
    p->items += items;
    return true;
}

#endif
