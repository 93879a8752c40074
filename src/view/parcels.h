/* Items of several cloths, faces or nodes, as one list of parcels, so that a single loop goes over
 * all of them. A crowd is a hundred dresses of a few hundred faces each: a loop a dress would spend
 * most of its time waiting for the last thread.
 *
 *      cloth       0              1         2
 *      items     |--------------|-------|----|
 *      parcels   |----|----|----|----|--|----|       at most `grain` items of one cloth each
 *
 * `first` is where a parcel begins in arrays that have the items of all cloths one after the
 * other. */
#ifndef VO_VIEW_PARCELS_H
#define VO_VIEW_PARCELS_H

#include "core/memory.h"

typedef struct vo_parcel {
    int cloth;
    int begin, end; /* items of that cloth */
    int first;      /* `begin` among the items of all */
} vo_parcel;

typedef struct vo_parcels {
    vo_parcel *parcel;
    int count, capacity;
    int items; /* of all cloths so far */
} vo_parcels;

static inline void vo_parcels_clear(vo_parcels *p) { p->count = p->items = 0; }

static inline void vo_parcels_free(vo_context *ctx, vo_parcels *p) {
    vo_free_array(ctx, p->parcel, p->capacity);
}

/* Adds the items of a cloth; false without memory. */
static inline bool vo_parcels_add(vo_context *ctx, vo_parcels *p, int cloth, int items, int grain) {
    int need = p->count + (items + grain - 1) / grain;
    if (!vo_reserve(ctx, &p->parcel, &p->capacity, need + 1)) return false;
    for (int begin = 0; begin < items; begin += grain) {
        int end = items - begin < grain ? items : begin + grain;
        p->parcel[p->count++] = (vo_parcel){cloth, begin, end, p->items + begin};
    }
    p->items += items;
    return true;
}

#endif
