/* A grid of cells, coarse and fine at once: which boxes overlap a given one?
 *
 * This is the broad phase of the checker (collide/crossings.h). It is kept apart from the trees of
 * the simulation (spatial/bvh.h) on purpose: whoever proves that nothing was missed must not have
 * searched by the same means.
 *
 * A box has a size class: the least power of two above its longest side. Boxes of one class lie in
 * a layer of cells twice that wide, each box in the one cell that holds its lowest corner. So a box
 * takes one entry whatever its size, and whoever overlaps a given box in a layer is in a cell
 * within reach below it:
 *
 *         cells of a layer          |     +-|--+ box asked about: columns 1 and 2 for those that
 *       0     |  1     |  2     |   |     | |  | begin in it; a box that begins up to half a cell
 *      -------+--[---]-+-[--]---+   |     +-|--+ before may reach it, so column 0 only if it
 *                                           |    begins in the left half of column 1
 *
 * That makes 1 to 8 cells a layer for a box no larger than those of the layer. Since large boxes
 * would cover many cells of a fine layer, a pair is found by asking with the smaller box among
 * those of its class and above (vo_grid_find).
 *
 * Cells that hold anything are found by hashing; entries lie bucket by bucket, in the order of
 * their ids, with their cell, so that cells that share a bucket are told apart. Memory and building
 * time are proportional to the boxes, and nothing depends on addresses or threads.
 *
 * Rejected: one uniform grid, which a floor of two faces under fine cloth fills with entries;
 * sorting along an axis and sweeping, which in a sheet of n faces compares sqrt(n) with each. */
#ifndef VO_SPATIAL_GRID_H
#define VO_SPATIAL_GRID_H

#include "core/context.h"
#include "spatial/aabb.h"

enum {
    VO_GRID_LAYERS = 28,         /* classes below 2^-27 of the whole share the finest layer */
    VO_GRID_LEAST_CLASS = -2000, /* of a box without extent; below any other */
    VO_GRID_MAX_BOXES = 1 << 29,
};

typedef struct vo_grid_entry {
    int cell[3];
    int layer;
    int class; /* of the box */
    int id;    /* index of the box as it was given */
} vo_grid_entry;

/* Zero is an empty grid. */
typedef struct vo_grid {
    int count;       /* boxes that are in it: all but empty ones */
    int finest;      /* exponent of 2 of the finest layer's class */
    unsigned layers; /* bit i: there are boxes in layer i */
    vo_vec3 origin;
    double per_metre[VO_GRID_LAYERS]; /* cells of each layer */
    int entry_capacity, box_capacity, start_capacity;
    vo_grid_entry *entry; /* [count] by bucket */
    vo_box *box;          /* [count] in the same order */
    int bucket_bits;
    int *start; /* [2^bucket_bits + 1] first entry of each bucket */
} vo_grid;

#define VO_GRID_MAX_BOUND 1e300

/* Puts n boxes (0 and more) into the grid, reusing its memory. Empty boxes, and such with bounds
 * that are NaN or beyond VO_GRID_MAX_BOUND, are left out. Without memory the grid is left empty. */
vo_result vo_grid_build(vo_context *ctx, vo_grid *grid, const vo_box *boxes, int n);
void vo_grid_free(vo_context *ctx, vo_grid *grid);

/* The size class: 2^class is the least power of two above the longest side. */
int vo_grid_class(vo_box box);

/* False ends the search. */
typedef bool vo_grid_fn(void *arg, int id);

/* Calls fn for every box of the grid that overlaps `box` and comes at (class, id) or later: its
 * class is greater, or equal with an id of at least `id`. Each is found once, in an order that
 * depends on the boxes of the grid alone. */
void vo_grid_find(const vo_grid *grid, const vo_box *box, int class, int id, vo_grid_fn *fn,
                  void *arg);

#endif
