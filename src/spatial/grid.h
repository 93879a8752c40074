/* Hierarchical hash grid: finds the boxes that overlap a given box.
 *
 * This is the broad phase of the intersection checker (collide/intersections.h). It is deliberately
 * independent of the BVH of the simulation (spatial/bvh.h): a check that no pair was missed must
 * not use the same search.
 *
 * A box has a size class: the smallest power of two above its longest side. Boxes of one class are
 * in a layer of cells of twice that width, each box in the cell that contains its minimum corner.
 * So every box has one entry, and the boxes of a layer that overlap a given box begin in nearby
 * cells:
 *
 *         cells of a layer          |     +-|--+ queried box: columns 1 and 2 contain boxes that
 *       0     |  1     |  2     |   |     | |  | begin inside it; a box that begins up to half a
 *      -------+--[---]-+-[--]---+   |     +-|--+ cell before may reach it, so column 0 is needed
 *                                           |    only if it begins in the left half of column 1
 *
 * That makes 1 to 8 cells per layer for a box no larger than those of the layer. A large box covers
 * many cells of a fine layer, so each pair is found by querying with the smaller box among the
 * boxes of its class and above (vo_grid_find).
 *
 * Occupied cells are hashed; entries are stored bucket by bucket, sorted by id, with their cell to
 * resolve collisions. Memory and build time are linear in the number of boxes, and results do not
 * depend on addresses or threads.
 *
 * Rejected: one uniform grid, which a floor of two faces under fine cloth fills with entries; sweep
 * and prune along an axis, which in a sheet of n faces compares sqrt(n) with each. */
#ifndef VO_SPATIAL_GRID_H
#define VO_SPATIAL_GRID_H

#include "core/context.h"
#include "spatial/aabb.h"

enum {
    VO_GRID_LAYERS = 28,       /* classes below 2^-27 of the whole extent use the finest layer */
    VO_GRID_MIN_CLASS = -2000, /* class of a box without extent; below any other */
    VO_GRID_MAX_BOXES = 1 << 29,
};

typedef struct vo_grid_entry {
    int cell[3];
    int layer;
    int class; /* of the box */
    int id;    /* index of the box in the input */
} vo_grid_entry;

/* A zero-initialised struct is an empty grid. */
typedef struct vo_grid {
    int count;       /* boxes in the grid: all except empty ones */
    int finest;      /* exponent of 2 of the finest layer's class */
    unsigned layers; /* bit i: layer i contains boxes */
    vo_vec3 origin;
    double per_metre[VO_GRID_LAYERS]; /* cells per metre of each layer */
    int entry_capacity, box_capacity, start_capacity;
    vo_grid_entry *entry; /* [count] by bucket */
    vo_box *box;          /* [count] in the same order */
    int bucket_bits;
    int *start; /* [2^bucket_bits + 1] first entry of each bucket */
} vo_grid;

#define VO_GRID_MAX_BOUND 1e300

/* Builds the grid from n >= 0 boxes, reusing its memory. Empty boxes and boxes with bounds that are
 * NaN or beyond VO_GRID_MAX_BOUND are skipped. Without memory the grid is left empty. */
vo_result vo_grid_build(vo_context *ctx, vo_grid *grid, const vo_box *boxes, int n);
void vo_grid_free(vo_context *ctx, vo_grid *grid);

/* The size class: 2^class is the smallest power of two above the longest side. */
int vo_grid_class(vo_box box);

/* Called for each box found; returning false ends the search. */
typedef bool vo_grid_fn(void *arg, int id);

/* Calls fn for every box of the grid that overlaps `box` and whose (class, id) is not before the
 * given one: its class is greater, or equal with an id of at least `id`. Each box is reported once,
 * in an order that depends on the boxes of the grid alone. */
void vo_grid_find(const vo_grid *grid, const vo_box *box, int class, int id, vo_grid_fn *fn,
                  void *arg);

#endif
