/* Which features come close, and which may meet during a step?
 *
 * One object answers both questions of a substep: before the solve, where nothing has moved yet
 * (vo_candidates_near), and after it, along the way from x0 to x1 (vo_candidates_swept), also again
 * and again while the response moves x1. Between the trees and the answers stands a list of
 * candidates with slack: all pairs of features whose boxes, over the motion that was known when the
 * list was made, come closer than thickness + slack. As long as every node stays within half the
 * slack of its own box of that time, the list holds every pair that matters and no tree is touched.
 *
 * The order of the answers depends on the meshes and positions alone, not on threads. */
#ifndef VO_COLLIDE_CANDIDATES_H
#define VO_COLLIDE_CANDIDATES_H

#include "collide/surface.h"

typedef enum vo_feature_kind {
    VO_NODE_FACE, /* node 0 against the face 1 2 3 */
    VO_EDGE_EDGE, /* the edge 0 1 against the edge 2 3 */
} vo_feature_kind;

typedef struct vo_feature_pair {
    int node[4];
    vo_feature_kind kind;
} vo_feature_pair;

/* Two features that are close at x0. */
typedef struct vo_near {
    vo_feature_pair pair;
    double weight[4]; /* of the closest points: their sum is 0, and the sum of weight[i] x0[i] is
                         the vector from the second point to the first */
    vo_vec3 normal;   /* along that vector, of length 1 */
    double distance;  /* m, its length: below `thickness` */
    double thickness; /* m, at which this pair begins to repel: the given one, or less between
                         small faces of one cloth (surface.h, reach) */
} vo_near;

typedef struct vo_candidates vo_candidates;

typedef struct vo_candidates_report {
    bool searched;  /* trees were walked */
    int pair_count; /* in the list */
    double tree_s;  /* seconds in trees: boxes, refit, walk, list */
} vo_candidates_report;

/* The surface must outlive it. `thickness` (m) is the largest distance that near is asked for. */
vo_result vo_candidates_create(vo_context *ctx, const vo_surface *surface, double thickness,
                               vo_candidates **out);
void vo_candidates_destroy(vo_candidates *candidates); /* NULL is allowed */

/* Forgets the list: positions jumped, obstacles came or went. */
void vo_candidates_forget(vo_candidates *candidates);

/* Features closer than their thickness at x0; a node against each part and side of it only with the
 * nearest face; edges only where the closest points are inside both (ends are a node's affair).
 * The answer is valid until the next call. No allocation after warm-up. */
vo_result vo_candidates_near(vo_candidates *candidates, int *count, const vo_near **near);

/* Every pair of features without a common node that might touch on the straight ways from x0 to x1,
 * less those that a cheap bound clears (conservatively: also for rounding). With `moved`
 * ([node_count], may be NULL) only pairs of which a node is marked. Pairs in which nothing can be
 * moved (obstacle against obstacle) are left out. The answer is valid until the next call. */
vo_result vo_candidates_swept(vo_candidates *candidates, const unsigned char *moved, int *count,
                              const vo_feature_pair **pairs);

/* Since the last call of this; for the statistics. */
vo_candidates_report vo_candidates_report_take(vo_candidates *candidates);

#endif
