/* Broad phase: finds cluster pairs whose fattened AABBs overlap by traversing BVHs, one per frame
 * of reference.
 *
 * One traversal is in world space: cloths with themselves and each other, and with deformable
 * obstacles. Each rigid obstacle has a traversal in its own frame, in which its BVH is static; the
 * boxes of the cloth clusters are transformed into that frame.
 *
 * The boxes are fattened by a margin. As long as every cluster stays inside its fat box, the pairs
 * found are still a superset of the required ones and the traversal is skipped. Each traversal is
 * tested for validity separately.
 *
 * Fattening. At x0 the required pairs are those closer than the contact thickness. In a step they
 * are those that come closer than `swept_distance`. In world space the boxes swept over the whole
 * step cover that. In the frame of a rigid obstacle, the box at x0 is enlarged by the motion of the
 * cloth relative to the obstacle: with the obstacle's motion as the common motion of cluster.h,
 * taken about the centre c of the cloth cluster, a point x of the cloth and a point y of the
 * obstacle approach each other by at most e + f |y - c| <= e + f (r + |x - y|), so only points
 * within
 *
 *     (swept_distance + e + f r) / (1 - f),   e = |uA - u(c)| + |wA - w| r + s
 *
 * of each other at x0 can come too close.
 *
 * Clusters that are not close to the bounding box of the whole part, at x0 or in the step, are
 * skipped in its traversal.
 *
 * A traversal that finds more than VO_MAX_CLUSTER_PAIRS pairs per cluster is repeated without a
 * margin. If the budget is still exceeded, the state contains a dense region
 * (collide/dense_region.h) and no pairs are returned. */
#ifndef VO_COLLIDE_PAIR_CACHE_BROAD_PHASE_H
#define VO_COLLIDE_PAIR_CACHE_BROAD_PHASE_H

#include "collide/pair_cache/kinematics.h"
#include "spatial/bvh.h"

enum { VO_MAX_CLUSTER_PAIRS = 512 };

/* Growing array of cluster pairs. */
typedef struct vo_cluster_pairs {
    vo_pair *pair;
    int count, capacity;
} vo_cluster_pairs;

/* Traversal in the frame of one rigid part. */
typedef struct vo_rigid_broad_phase {
    vo_bvh tree;         /* BVH over its clusters; built on first use, never refitted */
    const vo_vec3 *rest; /* rest positions that the BVH was built from */
    bool valid;
    vo_box part_box; /* world-space bounds of the part: at x0, or swept over the step */
    vo_box *fat_box; /* [cloth clusters] fat boxes of the last traversal */
    vo_cluster_pairs pairs;
} vo_rigid_broad_phase;

/* Treatment of a part in the traversal. */
typedef enum vo_part_role { VO_PART_ABSENT, VO_PART_SOFT, VO_PART_RIGID } vo_part_role;

typedef struct vo_broad_phase {
    vo_context *ctx;
    const vo_cluster_kinematics *kinematics;
    double margin; /* m, fattening of the boxes */

    bool valid;         /* the world-space traversal is up to date */
    vo_part_role *role; /* [part_count] at that traversal */
    vo_box *fat_box;    /* [clusters] fat boxes of that traversal; empty for parts that are not
                           VO_PART_SOFT */
    vo_bvh cloth_tree,
        obstacle_tree; /* topology built from material space, so it does not depend on folds */
    vo_cluster_pairs world_pairs;

    vo_rigid_broad_phase *rigid; /* [part_count] */
    vo_bvh posed_tree;           /* BVH of the cloths in the frame of a rigid part */

    vo_pair_list tree_pairs;
    vo_cluster_pairs pairs, spare; /* union of all traversals and the pair of each cloth cluster
                                      with itself, a <= b, sorted */
    int *start;                    /* [clusters + 1] scratch of the counting sort */
} vo_broad_phase;

/* Creates the broad phase. `cache` may be NULL; if it matches the obstacles of the surface, its
 * BVHs are moved out of it. */
vo_result vo_broad_phase_create(vo_context *ctx, const vo_cluster_kinematics *kinematics,
                                vo_obstacle_cache *cache, vo_broad_phase *out);
void vo_broad_phase_free(vo_broad_phase *b);
/* Discards all fat boxes: the next update traverses every tree. */
void vo_broad_phase_invalidate(vo_broad_phase *b);

/* Result of an update. */
typedef struct vo_broad_phase_report {
    bool updated;     /* a tree was traversed and `pairs` has changed */
    bool over_budget; /* the pair budget is exceeded; `pairs` is invalid */
} vo_broad_phase_report;

/* Updates `pairs`, sorted, to contain every cluster pair closer than `distance` at x0 or, with
 * `swept`, at any time of the step. */
vo_result vo_broad_phase_update(vo_broad_phase *b, bool swept, double distance,
                                vo_broad_phase_report *report);

/* Last result of vo_broad_phase_query_distance for a rigid part. It is the same for all clusters of
 * the part, which are queried consecutively. */
typedef struct vo_query_distance_cache {
    int a, part; /* -1: empty */
    double query_distance;
} vo_query_distance_cache;

/* Returns the largest distance at x0 (m) at which features of cloth cluster a and of cluster b can
 * come closer than `swept_distance` in the step; negative if none can. The result depends on the
 * state alone, not on earlier traversals: `pairs` may contain pairs that a new traversal would not
 * find. */
double vo_broad_phase_query_distance(const vo_broad_phase *broad_phase, int a, int b,
                                     double swept_distance, vo_query_distance_cache *cache);

#endif
