/* Trees of boxes: which pairs of boxes overlap?
 *
 * The caller has one box a face, swept over a step and thickened as the question at hand needs; the
 * tree knows neither faces nor meshes. It is built once per topology and refitted when boxes move.
 *
 *   depth first:  0 1 2 3 4 5 6 7 8        a subtree of m boxes is a run of 2m - 1 nodes:
 *                                          its left child follows it, its right child follows the
 *            0                             left child's run. Children come after their parent, so
 *        1       4                         one pass from the last node to the first refits, and
 *       2 3    5   6                       a walk into a left subtree reads memory forwards.
 *                 7 8
 *
 * One box a leaf, 2n - 1 nodes of 32 bytes, two to a cache line: 64 bytes a box. Splits halve the
 * boxes at the median centre along the axis on which the centres spread most. So the depth is
 * log2 n rounded up whatever the boxes are, walks need no more stack than an array of fixed size,
 * and no input makes the build slow: selection takes random pivots (from a fixed seed) and tells
 * equal centres apart by index, which gives O(n log n) for duplicates and sorted input alike.
 *
 * What was rejected:
 * - k-DOPs. With 18 directions they are tighter around slanted faces and let through fewer pairs.
 *   But a node takes 80 bytes instead of 32 and a test three times the loads, and it is the refit
 *   of each step and the walk that are bound by memory; surplus pairs fall to the cheap first tests
 *   of whoever asked.
 * - The surface area heuristic. Faces of a cloth are nearly alike and evenly spread, where it finds
 *   about the median anyway; elsewhere it makes trees of any depth.
 * - Several boxes a leaf. Fewer nodes, but boxes to be kept beside them, and a second kind of test.
 * - Double bounds. Twice the memory; the outward rounding costs a box 3e-7 of its distance from the
 *   origin, which for a dressed body is a few tenths of a micrometre.
 * - Leaving out flat regions in the self-walk. A walk here never leaves out a pair that overlaps.
 *   The usual test, normals within a cone (Volino and Magnenat-Thalmann 1994, Provot 1997), is no
 *   proof: a spiral ramp passes it. The region's outline, projected along the cone, must not cross
 *   itself either, for motion at all times between, and even then nothing is said about faces that
 *   are merely closer than a thickness. A proof is possible in the fabric's own coordinates: if all
 *   faces that a convex piece of fabric touches have deformation gradients within d of a common one
 *   with smallest stretch s, points of the piece are at least s - d times as far apart as in the
 *   fabric. It was measured on a cloth of 33,024 faces that falls on a sphere: of the lists of
 *   neighbouring clusters and of clusters with themselves that contact has to make (see
 *   collide/candidates_run.h), it spares all while the cloth is flat, 21 % of all lists as it
 * lands, and 5 to 8 % once there are folds of a few centimetres; with d taken over the two clusters
 *   alone, which is no proof, a fifth. Lists are a third of the time, and gradients of all faces
 *   cost as much as is won. Adaptive meshes have faces as large as curvature allows, and hence no
 *   flat regions at all. What keeps neighbours cheap is that they move together: their distances
 *   are bounded from step to step, and they sleep. */
#ifndef VO_SPATIAL_BVH_H
#define VO_SPATIAL_BVH_H

#include "core/context.h"
#include "spatial/aabb.h"

#include <stdint.h>

typedef struct vo_bvh_node {
    float min[3];
    int32_t leaves; /* boxes below; 1: a leaf */
    float max[3];
    int32_t link; /* leaf: index of its box; else index of the right child */
} vo_bvh_node;

/* Zero is the empty tree. */
typedef struct vo_bvh {
    vo_bvh_node *nodes; /* 2 box_count - 1, depth first */
    int box_count, node_count, node_capacity;
    int32_t *cuts; /* roots of the largest subtrees of at most VO_BVH_CUT boxes, ascending */
    int cut_count, cut_capacity;
    struct vo_bvh_item *items; /* scratch of the build */
    int item_capacity;
} vo_bvh;

enum {
    VO_BVH_CUT = 512,           /* subtrees up to this size are refitted by one thread */
    VO_BVH_MAX_BOXES = 1 << 29, /* 2n - 1 nodes fit into an int */
    VO_BVH_MAX_ENTRY = 1 << 22, /* pairs of one part of a walk, see vo_bvh_self_pairs */
};

/* Builds the tree over n boxes (0 and more), reusing its memory. An empty box is never found; a NaN
 * bound excludes nothing. Without memory the tree is left empty. */
vo_result vo_bvh_build(vo_context *ctx, vo_bvh *tree, const vo_box *boxes, int n);

/* Sorts boxes into groups of at most `most`: those of the largest subtrees so small that the tree
 * over n boxes would have. order[n] gets the boxes, group by group, begin[groups + 1] where each
 * begins; there is room for n + 1. Uses the tree's memory, and leaves it empty. */
vo_result vo_bvh_group(vo_context *ctx, vo_bvh *tree, const vo_box *boxes, int n, int most,
                       int *order, int *begin, int *groups);

/* Makes `to`, whose memory is reused, a tree of the same shape and bounds. Without memory it is
 * left empty. */
vo_result vo_bvh_copy(vo_context *ctx, const vo_bvh *from, vo_bvh *to);

/* Takes new bounds for the same boxes; the shape of the tree stays. In parallel, allocates nothing.
 * Walks slow down as boxes that were neighbours drift apart; they never go wrong. */
void vo_bvh_refit(vo_context *ctx, vo_bvh *tree, const vo_box *boxes);

void vo_bvh_free(vo_context *ctx, vo_bvh *tree);

typedef struct vo_pair {
    int32_t a, b;
} vo_pair;

/* The result of a walk and its memory, to be used again for the next one: once it has grown to the
 * largest result (and a walk has shown it), walks allocate nothing. Zero is a good start.
 *
 * Threads write pairs into blocks of a common pool, one chain of blocks a part of the walk, since
 * nobody knows beforehand how many there will be. Then the chains are copied one after the other
 * into `pairs`. A part that finds the pool used up only counts, and is walked again straight into
 * its place; the pool is enlarged for the next time. */
typedef struct vo_pair_list {
    int most;     /* pairs that the caller has a use for; 0: any number */
    bool crowded; /* there were more: the list is empty. Whether, depends on the boxes alone */
    vo_pair *pairs;
    int count, capacity;
    vo_pair *pool; /* VO_PAIR_BLOCK pairs a block */
    int pool_capacity;
    int32_t *next; /* of each block, the one that continues it */
    int next_capacity;
} vo_pair_list;

enum { VO_PAIR_BLOCK = 256 };

/* Every unordered pair of different boxes that overlap (rounded outward to float), once, with
 * a < b. The order depends on the tree alone, not on the number of threads.
 *
 * With more than `out->most` pairs, or more than VO_BVH_MAX_ENTRY in one of the several hundred
 * parts of the walk, tens of thousands of boxes cover each other, which is no cloth but a state
 * that the caller should look at: a caller who has set `most` is told by `crowded`, others get
 * VO_NO_MEMORY. The list is empty after a failure. */
vo_result vo_bvh_self_pairs(vo_context *ctx, const vo_bvh *tree, vo_pair_list *out);

/* The same for every box of one tree against every box of the other. */
vo_result vo_bvh_tree_pairs(vo_context *ctx, const vo_bvh *a, const vo_bvh *b, vo_pair_list *out);

void vo_pair_list_free(vo_context *ctx, vo_pair_list *list);

#endif
