/* Which features come close, and which may meet during a step?
 *
 * One object answers both questions of a substep: before the solve, where nothing has moved yet
 * (vo_candidates_near), and after it, along the way from x0 to x1 (vo_candidates_swept), also again
 * and again while the response moves x1. Five parts, each with an essay of its own:
 *
 *   clusters  a dozen faces each, that move almost as rigid bodies   candidates_cluster.h
 *   places    where they are and how they move in a step             candidates_place.h
 *   walks     trees: which clusters are close to each other          candidates_walk.h
 *   runs      pairs of clusters, and what is known of distances      candidates_run.h
 *   pairs     of features, measured where they may matter            candidates_pair.h, _kernel.h
 *
 * candidates.c answers the first question, candidates_swept.c the second.
 *
 * Trees, lists and distances all have slack: they are looked at again only where something has
 * moved so far that the answer could be another. A substep in which little moves walks no tree and
 * measures little more than the pairs it returns.
 *
 * Lists have bounds, which follow from the number of features. A clump (collide/clump.h) gets an
 * answer that is not complete, and vo_candidates_crowded says so.
 *
 * Answers do not depend on what was asked before: pairs are judged by what is measured at x0 and
 * by the step's motions, never by what is remembered; and their order depends on the features
 * alone. So a run that is resumed, or has another number of threads, goes on as it would have. */
#ifndef VO_COLLIDE_CANDIDATES_H
#define VO_COLLIDE_CANDIDATES_H

#include "collide/candidates_keep.h"

typedef enum vo_feature_kind {
    VO_NODE_FACE, /* node 0 against the face 1 2 3 */
    VO_EDGE_EDGE, /* the edge 0 1 against the edge 2 3 */
} vo_feature_kind;

typedef struct vo_feature_pair {
    int node[4];
    vo_feature_kind kind;
} vo_feature_pair;

/* Features of an obstacle have only its nodes: the first or the last tells. */
static inline bool vo_pair_touches_obstacle(const vo_surface *s, const int node[4]) {
    return node[0] >= s->cloth_node_count || node[3] >= s->cloth_node_count;
}

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
    int pair_count; /* in the lists */
    double tree_s;  /* seconds for all but measuring pairs: motions, boxes, trees, lists */
} vo_candidates_report;

/* m. A smaller thickness, or none, is taken for this one: continuous collision needs one, and the
 * lists must reach as far as it asks. */
#define VO_LEAST_THICKNESS 1e-6

/* The surface must outlive it, and may change in positions, poses and presence only; so must what
 * `rest` of its parts points to. `thickness` (m) is the largest distance that near is asked for.
 * `kept`, which may be NULL, is what earlier candidates knew about the same obstacles; trees are
 * taken out of it. */
vo_result vo_candidates_create(vo_context *ctx, const vo_surface *surface, double thickness,
                               vo_kept_obstacles *kept, vo_candidates **out);
/* Before they are destroyed: what the next ones can use, if only cloths change. */
vo_result vo_candidates_keep(vo_candidates *candidates, vo_kept_obstacles *kept);
void vo_candidates_destroy(vo_candidates *candidates); /* NULL is allowed */

/* Forgets everything: the memory of another state. Never needed for the answers to be right; where
 * all positions jump, it saves the time to find out. */
void vo_candidates_forget(vo_candidates *candidates);

/* Features closer than their thickness at x0: nodes with faces by node, each with the nearest
 * first; then edges, by edge.
 *
 * Of the faces of one part that are near a node, only the nearest counts, and then the nearest of
 * those in whose direction (up to 60 degrees) no nearer one was found: a node between two layers,
 * or in a corner, has one face for each. Among equal distances the lower face is the nearer. Edges
 * count only where the closest points are inside both; ends are a node's affair.
 *
 * The answer is valid until the next call. No allocation after warm-up. */
vo_result vo_candidates_near(vo_candidates *candidates, int *count, const vo_near **near);

/* Of the thickness, this part is what swept keeps watch over. */
#define VO_SWEPT_KEPT 0x1p-5

/* Every pair of features without a common node that, on the straight ways from x0 to x1, comes as
 * close as VO_SWEPT_KEPT times the thickness, or as 0.9 of its distance at x0 where that is less.
 * Most others are cleared by bounds, proved also for rounding; some are not. By node and face, then
 * by edges. The first list of a step is a function of x0, x1 and the poses alone. A pair of which
 * no node moves is not listed.
 *
 * With `moved` ([node_count], may be NULL) only pairs of which a node is marked. Pairs in which
 * nothing can be moved (obstacle against obstacle) are left out. The answer is valid until the next
 * call. */
vo_result vo_candidates_swept(vo_candidates *candidates, const unsigned char *moved, int *count,
                              const vo_feature_pair **pairs);

/* Pairs that answers may have for each node and edge: near ones (before those that stand for others
 * are chosen), and swept ones. */
enum { VO_NEAR_PAIRS = 64, VO_SWEPT_PAIRS = 512 };

/* Whether the last answer has only a part of what there is. It then has as many pairs as it may; or
 * none, if even clusters came too close to each other in too many pairs to be listed, for which it
 * takes 10,000 faces and more in one place. It depends on the state alone. */
bool vo_candidates_crowded(const vo_candidates *candidates);

/* Since the last call of this; for the statistics. */
vo_candidates_report vo_candidates_report_take(vo_candidates *candidates);

#endif
