/* Bounding volume hierarchy (BVH) of axis-aligned boxes: finds all pairs of overlapping boxes.
 *
 * The caller provides one box per face, swept over a step and thickened as the query requires; the
 * tree itself has no notion of faces or meshes. It is built once per topology and refitted when
 * boxes move.
 *
 *   depth first:  0 1 2 3 4 5 6 7 8        a subtree of m boxes occupies 2m - 1 consecutive nodes:
 *                                          the left child follows its parent, the right child
 *            0                             follows the subtree of the left child. Children come
 *        1       4                         after their parent, so a single pass from the last node
 *       2 3    5   6                       to the first refits, and a traversal into a left subtree
 *                 7 8                      reads memory forwards.
 *
 * One box per leaf, 2n - 1 nodes of 32 bytes, two to a cache line: 64 bytes per box. Nodes are
 * split at the median centre along the axis with the largest extent of centres. So the depth is
 * log2 n rounded up for any input, traversals use a stack of fixed size, and no input makes the
 * build slow: selection uses random pivots (from a fixed seed) and orders equal centres by index,
 * which gives O(n log n) for duplicates and sorted input alike.
 *
 * Rejected:
 * - k-DOPs. With 18 directions they bound slanted faces more tightly and report fewer pairs. But a
 *   node takes 80 bytes instead of 32 and a test three times the loads, and both refit and
 *   traversal are memory-bound; surplus pairs are removed by the caller's cheap first tests.
 * - The surface area heuristic. Faces of a cloth have similar size and spacing, where it yields
 *   about the median; elsewhere it builds trees of unbounded depth.
 * - Several boxes per leaf. Fewer nodes, but separate storage for the boxes and a second kind of
 *   test.
 * - Double-precision bounds. Twice the memory; the outward rounding to float enlarges a box by 3e-7
 *   of its distance from the origin, a few tenths of a micrometre for a dressed body.
 * - Culling of flat regions in self-traversal. This traversal never misses an overlapping pair.
 *   The usual test, normals within a cone (Volino and Magnenat-Thalmann 1994, Provot 1997), is not
 *   a proof: a spiral ramp passes it. The boundary of the region, projected along the cone, must
 *   not intersect itself either, at all times of the step, and even then faces may be closer than
 *   the thickness. A proof is possible in material space: if all faces that a convex piece of
 *   fabric touches have deformation gradients within d of a common one with smallest stretch s,
 *   points of the piece are at least s - d times as far apart as in the fabric. Measured on a
 *   cloth of 33,024 faces that falls on a sphere: of the feature pair lists of neighbouring
 *   clusters and of clusters with themselves (collide/pair_cache/pair_cache.h), it avoids all
 *   while the cloth is flat, 21 % as it lands, and 5 to 8 % once there are folds of a few
 *   centimetres; with d taken over the two clusters alone, which is not a proof, a fifth. Lists
 *   are a third of the time, and computing the gradients of all faces costs as much as is saved.
 *   Adaptive meshes have faces as large as the curvature allows, and hence no flat regions.
 *   Neighbours stay cheap by temporal coherence: their distances are bounded from step to step,
 *   and distant pairs are culled. */
#ifndef VO_SPATIAL_BVH_H
#define VO_SPATIAL_BVH_H

#include "core/context.h"
#include "spatial/aabb.h"

#include <stdint.h>

typedef struct vo_bvh_node {
    float min[3];
    int32_t leaves; /* number of boxes in the subtree; 1: a leaf */
    float max[3];
    int32_t link; /* leaf: index of its box; otherwise index of the right child */
} vo_bvh_node;

/* A zero-initialised struct is the empty tree. */
typedef struct vo_bvh {
    vo_bvh_node *nodes; /* 2 box_count - 1, depth first */
    int box_count, node_count, node_capacity;
    int32_t *subtree_roots; /* roots of the largest subtrees of at most VO_BVH_SUBTREE_BOXES boxes,
                               ascending */
    int subtree_count, subtree_capacity;
    struct vo_bvh_item *items; /* scratch of the build */
    int item_capacity;
} vo_bvh;

enum {
    VO_BVH_SUBTREE_BOXES = 512,      /* subtrees up to this size are refitted by one thread */
    VO_BVH_MAX_BOXES = 1 << 29,      /* 2n - 1 nodes fit into an int */
    VO_BVH_MAX_TASK_PAIRS = 1 << 22, /* pairs of one traversal task, see vo_bvh_self_pairs */
};

/* Builds the tree over n >= 0 boxes, reusing its memory. Empty boxes overlap nothing; a NaN bound
 * is treated as infinite. Without memory the tree is left empty. */
vo_result vo_bvh_build(vo_context *ctx, vo_bvh *tree, const vo_box *boxes, int n);

/* Partitions boxes into groups of at most `max_size`: the largest subtrees of that size in the tree
 * over n boxes. order[n] receives the boxes group by group, begin[*groups + 1] the offsets of the
 * groups; its capacity must be n + 1. Uses the tree's memory and leaves the tree empty. */
vo_result vo_bvh_group(vo_context *ctx, vo_bvh *tree, const vo_box *boxes, int n, int most,
                       int *order, int *begin, int *groups);

/* Copies shape and bounds of a tree into `to`, reusing its memory. Without memory `to` is left
 * empty. */
vo_result vo_bvh_copy(vo_context *ctx, const vo_bvh *from, vo_bvh *to);

/* Updates the bounds for moved boxes and keeps the shape of the tree. Parallel; allocates nothing.
 * Results stay exact; traversal slows down as boxes of a subtree drift apart. */
void vo_bvh_refit(vo_context *ctx, vo_bvh *tree, const vo_box *boxes);

void vo_bvh_free(vo_context *ctx, vo_bvh *tree);

typedef struct vo_pair {
    int32_t a, b;
} vo_pair;

/* Result of a traversal and its memory, reused by the next one: once it has grown to the largest
 * result, traversals allocate nothing. Initialise with zeros.
 *
 * The number of pairs is not known in advance. Threads write pairs into blocks of a shared pool, a
 * chain of blocks per task; the chains are then copied into `pairs` in task order. A task that
 * finds the pool exhausted only counts its pairs and is repeated with its final destination; the
 * pool is enlarged for the next traversal. */
typedef struct vo_pair_list {
    int max_pairs;    /* in: maximum number of pairs; 0: no limit */
    bool over_budget; /* out: there are more; the list is empty. Depends on the boxes alone */
    vo_pair *pairs;
    int count, capacity;
    vo_pair *pool; /* blocks of VO_PAIR_BLOCK pairs */
    int pool_capacity;
    int32_t *next; /* [blocks] next block of the chain */
    int next_capacity;
} vo_pair_list;

enum { VO_PAIR_BLOCK = 256 };

/* Finds every unordered pair of distinct boxes that overlap (rounded outward to float), once, with
 * a < b. The order depends on the tree alone, not on the number of threads.
 *
 * More than `out->max_pairs` pairs, or more than VO_BVH_MAX_TASK_PAIRS in one of the several
 * hundred tasks, mean that tens of thousands of boxes overlap mutually: `over_budget` is set if the
 * caller has set `max_pairs`; otherwise the call fails with VO_NO_MEMORY. The list is empty after a
 * failure. */
vo_result vo_bvh_self_pairs(vo_context *ctx, const vo_bvh *tree, vo_pair_list *out);

/* Like vo_bvh_self_pairs, for every box of `a` against every box of `b`. */
vo_result vo_bvh_tree_pairs(vo_context *ctx, const vo_bvh *a, const vo_bvh *b, vo_pair_list *out);

void vo_pair_list_free(vo_context *ctx, vo_pair_list *list);

#endif
