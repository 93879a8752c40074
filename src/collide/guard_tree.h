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
 * Rejected: trees over the order of faces, which is good after a compaction, and bad in a user's
 * first mesh and wherever splits have added; a grid of hashed cells, coarse and fine, which has to
 * look into a thousand fine cells for each question about a large face. */
#ifndef VO_COLLIDE_GUARD_TREE_H
#define VO_COLLIDE_GUARD_TREE_H

#include "core/context.h"
#include "spatial/aabb.h"

enum { VO_GUARD_LEVELS = 20 };

typedef struct vo_guard_entry {
    float min[3], max[3];
    int next, previous; /* entries of the same cube, -1 */
    int cell;           /* its cube; -1: a hole, whose next one is `next` */
    int surface, face;  /* the caller's names */
    int node[3];
} vo_guard_entry;

typedef struct vo_guard_cell {
    float min[3], max[3];
    int first;    /* entry, -1 */
    int children; /* the first of eight; 0: none */
} vo_guard_cell;

/* Zero is a good start; until vo_guard_tree_start nothing can be added. */
typedef struct vo_guard_tree {
    vo_guard_cell *cells; /* the root, then eight by eight */
    int cell_count, cell_capacity;
    vo_guard_entry *entries;
    int entry_count, entry_capacity;
    int hole; /* first, -1 */
    vo_vec3 origin;
    double per_metre; /* cubes of the deepest level */
    int exponent;     /* the root is 2^exponent m wide */

    bool filling;                 /* boxes are those of the cubes' own faces only */
    int last[3];                  /* where the last face was added, and the way to it, */
    int way[VO_GUARD_LEVELS + 1]; /* as far as it goes down to level `way_end` */
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
