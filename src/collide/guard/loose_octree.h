/* Loose octree of faces with insertion and removal.
 *
 * The root is a cube around all cloth; each cell has eight children of half its width, created on
 * demand. A face is stored in the cell that contains its centre and is one to two times as wide as
 * the face is long: large faces near the root, small ones deep. So its position depends on the face
 * alone: insertion and removal descend from the root, the tree needs no balancing, and a mesh that
 * becomes a hundred times finer within a frame has a tree as good as a new one.
 *
 * Each cell stores the box of all that was ever inserted in it or below. Removal does not shrink
 * it, because edits replace removed faces by others in the same place. Searches use boxes, not
 * cells, so faces may extend beyond their cell.
 *
 * Four boxes are stored side by side and compared at once: cells come in groups of eight, and the
 * faces of a cell in a list of blocks of four. All blocks of a cell except the first are full, so a
 * removed face is replaced by the last one of the first block. Where cloth lies in layers, a cell
 * has dozens of faces, and a search needs a few.
 *
 * Rejected: trees over the face order, which is good after a compaction but bad in a user's first
 * mesh and wherever splits have added faces; hashed grids, coarse and fine, which visit a thousand
 * fine cells for a query with a large face. */
#ifndef VO_COLLIDE_GUARD_LOOSE_OCTREE_H
#define VO_COLLIDE_GUARD_LOOSE_OCTREE_H

#include "core/context.h"
#include "spatial/aabb.h"

enum { VO_OCTREE_LEVELS = 20 };

/* Boxes side by side, rounded outward. */
typedef struct vo_octree_boxes {
    float min[3][4], max[3][4];
} vo_octree_boxes;

/* A face in the octree. */
typedef struct vo_octree_entry {
    int surface, face, node[3]; /* identifiers of the caller */
    int cell;                   /* its cell; -1: free slot */
    int block, slot; /* location of its box; of a free slot, block is the next free slot */
} vo_octree_entry;

/* Up to four faces of a cell. 128 bytes. */
typedef struct vo_octree_block {
    vo_octree_boxes box; /* empty beyond count */
    int entry[4], count;
    int next; /* next block of the cell, or next free block; -1: none */
    int unused[2];
} vo_octree_block;

/* Eight child cells of a cell. Cell i of group g has number 8 g + i; the root is cell 0 and the
 * only one of its group. 256 bytes. */
typedef struct vo_octree_group {
    vo_octree_boxes box[2];
    int first[8];    /* first block, -1: none */
    int children[8]; /* child group; 0: none */
} vo_octree_group;

/* Zero-initialised: empty; nothing can be added before vo_loose_octree_start. */
typedef struct vo_loose_octree {
    vo_octree_group *groups;
    int group_count, group_capacity;
    vo_octree_block *blocks;
    int block_count, block_capacity;
    vo_octree_entry *entries;
    int entry_count, entry_capacity;
    int free_entry, free_block; /* first free slot, -1: none */

    vo_vec3 origin;
    double per_metre; /* cells of the deepest level per metre */
    int exponent;     /* the root has width 2^exponent m */

    bool filling; /* boxes cover the own faces of each cell only, until the refit */
    int last[3];  /* cell coordinates of the last insertion, and the path of cells to it, */
    int path[VO_OCTREE_LEVELS + 1]; /* down to level path_end */
    int path_end;
} vo_loose_octree;

/* Empties the tree and sets its root to the bounds `all`, with capacity for `entries` faces. Then
 * faces are added, preferably with neighbours consecutively; vo_loose_octree_refit computes the
 * boxes for searching, once. Faces may be added and removed before and after. Returns false if out
 * of memory. */
bool vo_loose_octree_start(vo_context *ctx, vo_loose_octree *tree, vo_box all, int entries);
void vo_loose_octree_refit(vo_loose_octree *tree);
void vo_loose_octree_free(vo_context *ctx, vo_loose_octree *tree);

/* Adds a face with its box. Returns its entry, -1 if out of memory. */
int vo_loose_octree_add(vo_context *ctx, vo_loose_octree *tree, vo_box box, int surface, int face,
                        const int node[3]);
void vo_loose_octree_remove(vo_loose_octree *tree, int entry);

/* Visitor; returning false ends the search. */
typedef bool vo_loose_octree_fn(void *arg, const vo_octree_entry *entry);

/* Calls fn for each entry whose box, rounded outward to float, overlaps `box`. Returns false if fn
 * ended the search. */
bool vo_loose_octree_find(const vo_loose_octree *tree, vo_box box, vo_loose_octree_fn *fn,
                          void *arg);

#endif
