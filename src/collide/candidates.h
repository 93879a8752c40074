/* Candidates: broad phase, narrow phase and temporal coherence of collision detection.
 *
 * One object serves both queries of a substep: the proximity query before the solve, at x0
 * (vo_candidates_find_proximities), and the swept query after it, for the step from x0 to x1
 * (vo_candidates_find_swept_pairs), which is repeated while the response changes x1.
 *
 *   broad phase         BVHs over clusters: cluster pairs that are close  pair_cache/broad_phase.h
 *   clusters            a dozen faces each, nearly rigid                  pair_cache/cluster.h
 *   cluster kinematics  boxes and motions of clusters in a step           pair_cache/kinematics.h
 *   pair cache          cluster pairs with cached distance bounds         pair_cache/pair_cache.h
 *   narrow phase        distances of feature pairs                        pair_cache/pair.h
 *
 * candidates.c implements the proximity query, pair_cache/swept.c the swept query.
 *
 * Temporal coherence: trees, lists and distances have margins and are updated only after motions
 * that could change the result. A substep with little motion traverses no tree and measures little
 * more than the pairs that it returns.
 *
 * Lists have budgets proportional to the number of features. In a dense region
 * (collide/dense_region.h) the result is incomplete and vo_candidates_over_budget returns true.
 *
 * Results do not depend on earlier queries: a pair is returned because of its distance at x0 and
 * the motions of the step, never because of cached values, and the order depends on the features
 * alone. So resumed runs and runs with another number of threads give identical results. */
#ifndef VO_COLLIDE_CANDIDATES_H
#define VO_COLLIDE_CANDIDATES_H

#include "collide/pair_cache/obstacle_cache.h"

typedef enum vo_feature_kind {
    VO_NODE_FACE, /* node 0 and face 1 2 3 */
    VO_EDGE_EDGE, /* edge 0 1 and edge 2 3 */
} vo_feature_kind;

typedef struct vo_feature_pair {
    int node[4];
    vo_feature_kind kind;
} vo_feature_pair;

/* Returns true if one feature belongs to an obstacle. The first or the last node decides, because a
 * feature has nodes of one part only. */
static inline bool vo_pair_touches_obstacle(const vo_surface *s, const int node[4]) {
    return node[0] >= s->cloth_node_count || node[3] >= s->cloth_node_count;
}

/* Two features closer than their thickness at x0. */
typedef struct vo_proximity {
    vo_feature_pair pair;
    double weight[4]; /* of the closest points: the sum is 0, and the sum of weight[i] x0[i] is the
                         vector from the second point to the first */
    vo_vec3 normal;   /* unit vector along it */
    double distance;  /* m, length of that vector, below `thickness` */
    double thickness; /* m, distance at which this pair begins to repel: the given thickness, or
                         less between small faces of one cloth (surface.h, max_self_thickness) */
} vo_proximity;

typedef struct vo_candidates vo_candidates;

typedef struct vo_candidates_report {
    bool broad_phase_updated; /* trees were traversed */
    int pair_count;           /* cached pairs */
    double broad_phase_s;     /* s, for all but measuring pairs: motions, boxes, trees, lists */
} vo_candidates_report;

/* m. Smaller thicknesses are raised to this value: continuous collision detection requires a
 * positive one, and the lists must cover it. */
#define VO_MIN_THICKNESS 1e-6

/* Creates candidates for a surface, which must outlive them together with the `rest` arrays of its
 * parts; only positions, poses and presence may change. `thickness` (m) is the largest distance of
 * a proximity. `cache` may be NULL; if it belongs to the same obstacles, its data is used and its
 * BVHs are moved out of it. */
vo_result vo_candidates_create(vo_context *ctx, const vo_surface *surface, double thickness,
                               vo_obstacle_cache *cache, vo_candidates **out);
/* Moves the data of the obstacles to `cache`, for candidates that are created after a change of the
 * cloths only. Call it directly before vo_candidates_destroy. */
vo_result vo_candidates_save_obstacles(vo_candidates *candidates, vo_obstacle_cache *cache);
void vo_candidates_destroy(vo_candidates *candidates); /* NULL is allowed */

/* Invalidates all cached state. Results never require it; after a discontinuous change of all
 * positions it saves the time of updating the caches. */
void vo_candidates_invalidate(vo_candidates *candidates);

/* Proximity query: finds features closer than their thickness at x0. Node-face pairs come first,
 * ordered by node and then by distance, followed by edge pairs, ordered by edge.
 *
 * Of the faces of one part near a node, the nearest is returned, and then the nearest face in each
 * direction that differs from those already returned by more than 60 degrees: a node between two
 * layers, or in a corner, has one face for each. Equal distances are ordered by face index. Edge
 * pairs are returned only if the closest points are interior to both edges; end points are covered
 * by node-face pairs.
 *
 * The result is valid until the next call. No allocation after warm-up. */
vo_result vo_candidates_find_proximities(vo_candidates *candidates, int *count,
                                         const vo_proximity **proximities);

/* Distance that the swept query guards, as a fraction of the thickness. */
#define VO_SWEPT_DISTANCE_RATIO 0x1p-5

/* Swept query: finds every pair of features without a common node that, on the linear trajectories
 * from x0 to x1, comes closer than VO_SWEPT_DISTANCE_RATIO times the thickness, or than 0.9 of its
 * distance at x0 if that is less. Most other pairs are excluded by bounds that are conservative
 * under rounding; some are returned. Node-face pairs come first, then edge pairs, each sorted by
 * features. Pairs without a moving node are excluded. The first result of a step is a function of
 * x0, x1 and the poses alone.
 *
 * `moved` ([node_count]) may be NULL; otherwise only pairs with a marked node are returned. Pairs
 * of two obstacles are excluded. The result is valid until the next call. */
vo_result vo_candidates_find_swept_pairs(vo_candidates *candidates, const unsigned char *moved,
                                         int *count, const vo_feature_pair **pairs);

/* Budgets of the results per node and edge: proximities, before the selection of the nearest, and
 * swept pairs. */
enum { VO_MAX_PROXIMITIES = 64, VO_MAX_SWEPT_PAIRS = 512 };

/* Returns true if the last result is incomplete. It then has as many pairs as its budget, or none
 * if even the cluster pairs exceed their budget, which requires 10,000 or more faces in one place.
 * Depends on the state alone. */
bool vo_candidates_over_budget(const vo_candidates *candidates);

/* Returns the counters since the last call and resets them. */
vo_candidates_report vo_candidates_reset_report(vo_candidates *candidates);

#endif
