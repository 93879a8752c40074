/* Faces in a tree of cubes that lives with edits.
 *
 * The root is a cube around all cloth; each cube has eight halves as wide, made when a face wants
 * to lie in one. A face lies in the cube that holds its centre and is once to twice as wide as the
 * face is long, large faces near the root, small ones deep. So its place depends on itself alone:
 * adding and removing is a walk from the root, the tree needs no balancing, and a mesh that becomes
 * a hundred times finer within a frame has a tree as good as one made anew.
 *
 * Each cube keeps the box around all that was ever put in it or below. Removing does not shrink it;
 * faces that edits take away have others in their place. Boxes, not cubes, decide where a search
 * goes, so it does not matter where faces that reach out of their cube end.
 *
 * Four boxes lie side by side and are compared at once: cubes come eight at a time, and the faces
 * of a cube in a list of blocks of four. All blocks of a cube are full but the first, so a face
 * that is removed is replaced by the last one of that. Where cloth lies in layers, a cube has some
 * dozens of faces, of which a search wants a few.
 *
 * Rejected: trees over the order of faces, which is good after a compaction, and bad in a user's
 * first mesh and wherever splits have added; a grid of hashed cells, coarse and fine, which has to
 * look into a thousand fine cells for each question about a large face. */
#ifndef VO_COLLIDE_GUARD_TREE_H
#define VO_COLLIDE_GUARD_TREE_H

#include "core/context.h"
#include "spatial/aabb.h"

enum { VO_GUARD_LEVELS = 20 };

/* Boxes side by side, rounded outward. */
typedef struct vo_guard_boxes {
    float min[3][4], max[3][4];
} vo_guard_boxes;

/* A face. */
typedef struct vo_guard_entry {
    int surface, face, node[3]; /* the caller's names */
    int cell;                   /* the cube it is in; -1: a hole */
    int block, slot;            /* its box is there; of a hole, block is the next hole */
} vo_guard_entry;

/* Up to four faces of a cube. 128 bytes. */
typedef struct vo_guard_block {
    vo_guard_boxes box; /* empty beyond count */
    int entry[4], count;
    int next; /* of the same cube, or the next free one; -1 */
    int unused[2];
} vo_guard_block;

/* Eight cubes, halves of one. Cube i of group g is number 8 g + i; the root is 0 and the only one
 * of its group. 256 bytes. */
typedef struct vo_guard_group {
    vo_guard_boxes box[2];
    int first[8];    /* block, -1 */
    int children[8]; /* group; 0: none */
} vo_guard_group;

/* Zero is a good start; until vo_guard_tree_start nothing can be added. */
typedef struct vo_guard_tree {
    vo_guard_group *groups;
    int group_count, group_capacity;
    vo_guard_block *blocks;
    int block_count, block_capacity;
    vo_guard_entry *entries;
    int entry_count, entry_capacity;
    int free_entry, free_block; /* first, -1 */

    vo_vec3 origin;
    double per_metre; /* cubes of the deepest level */
    int exponent;     /* the root is 2^exponent m wide */

    bool filling; /* boxes are those of the cubes' own faces only */
    int last[3];  /* where the last face was added, and the cubes on the way there, */
    int way[VO_GUARD_LEVELS + 1]; /* down to level way_end */
    int way_end;
} vo_guard_tree;

/* Empties the tree and makes its root around a box. Room for so many entries is made at once. Then
 * faces are added, best with neighbours one after the other; vo_guard_tree_fit makes the boxes for
 * searching, once. Faces may be added and removed before and after. */
bool vo_guard_tree_start(vo_context *ctx, vo_guard_tree *tree, vo_box all, int entries);
void vo_guard_tree_fit(vo_guard_tree *tree);
void vo_guard_tree_free(vo_context *ctx, vo_guard_tree *tree);

/* Adds a face: its box, surface, face and nodes. Returns its entry, -1 without memory. */
int vo_guard_tree_add(vo_context *ctx, vo_guard_tree *tree, vo_box box, int surface, int face,
                      const int node[3]);
void vo_guard_tree_remove(vo_guard_tree *tree, int entry);

/* False ends the search. */
typedef bool vo_guard_tree_fn(void *arg, const vo_guard_entry *entry);

/* Calls fn for each entry whose box, rounded outward to float, overlaps `box`. False if fn ended
 * it. */
bool vo_guard_tree_find(const vo_guard_tree *tree, vo_box box, vo_guard_tree_fn *fn, void *arg);

#endif
