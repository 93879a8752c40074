/* Which pairs of clusters are close enough to be runs? Trees over the clusters' boxes answer.
 *
 * One walk is in the world: cloths with themselves and each other, and with obstacles that are
 * taken by their nodes. Each rigid obstacle has a walk in its own frame: there its tree stands
 * still for ever, and the cloths' boxes are brought to it.
 *
 * The boxes that trees are walked with are larger than need be by some slack. As long as all
 * clusters stay inside, the pairs found are all there can be, and no tree is touched; each walk by
 * itself.
 *
 * How much need be. At x0 two clusters matter that are closer than the thickness. In a step those
 * do that come closer than `keep`. In the world boxes over the whole step show that. In the frame
 * of a rigid obstacle, the box at x0 is made larger by what the cloth moves against the obstacle:
 * with the obstacle's motion as the common one of candidates_cluster.h, taken about the cloth
 * cluster's centre c, a point x of the cloth and y of the obstacle come closer by no more than e +
 * f |y - c| <= e + f (r + |x - y|), so only points matter that are within
 *
 *     (keep + e + f r) / (1 - f),   e = |uA - u(c)| + |wA - w| r + s.
 *
 * Clusters that are not even close to the box round the whole part, at x0 or in the step, do not
 * take part in its walk.
 *
 * A walk that finds more than VO_WALK_PAIRS pairs for each cluster is done again without slack, and
 * given up if it still does: a clump (collide/clump.h). */
#ifndef VO_COLLIDE_CANDIDATES_WALK_H
#define VO_COLLIDE_CANDIDATES_WALK_H

#include "collide/candidates_place.h"
#include "spatial/bvh.h"

enum { VO_WALK_PAIRS = 512 };

/* A growing list of pairs of clusters. */
typedef struct vo_cluster_pairs {
    vo_pair *pair;
    int count, capacity;
} vo_cluster_pairs;

/* The walk in the frame of one rigid part. */
typedef struct vo_frame_walk {
    vo_bvh tree;         /* over its clusters; built when first needed, never refitted */
    const vo_vec3 *rest; /* the positions that it was built for */
    bool valid;
    vo_box whole; /* round the part in the world: at x0, or over the step */
    vo_box *list; /* [cloth clusters] walked with */
    vo_cluster_pairs found;
} vo_frame_walk;

/* How a part takes part. */
typedef enum vo_part_role { VO_PART_ABSENT, VO_PART_SOFT, VO_PART_RIGID } vo_part_role;

typedef struct vo_walks {
    vo_context *ctx;
    const vo_places *places;
    double slack; /* m */

    bool valid;             /* the walk in the world */
    vo_part_role *role;     /* [part_count] in it */
    vo_box *list;           /* [clusters] walked with; empty for parts that are not soft */
    vo_bvh cloth, obstacle; /* their shape comes from the fabric, not from the fold of the day */
    vo_cluster_pairs found;

    vo_frame_walk *frame; /* [part_count] */
    vo_bvh posed;         /* the cloths' tree in a frame */

    vo_pair_list walked;
    vo_cluster_pairs all, spare; /* of all walks, and each cloth's cluster with itself; a <= b */
    int *start;                  /* [clusters + 1] scratch of sorting */
} vo_walks;

/* Takes the trees out of `kept`, unless it is NULL or about other obstacles. */
vo_result vo_walks_create(vo_context *ctx, const vo_places *places, vo_kept_obstacles *kept,
                          vo_walks *out);
void vo_walks_free(vo_walks *walks);
void vo_walks_forget(vo_walks *walks);

/* What came of a question. */
typedef struct vo_walks_report {
    bool searched; /* a tree was walked, and `all` is new */
    bool crowded;  /* there are too many pairs: `all` is not to be used */
} vo_walks_report;

/* Sees to it that `all`, sorted, has all pairs of clusters that matter: at x0 for the thickness, or
 * (`swept`) in the step for `keep`. */
vo_result vo_walks_cover(vo_walks *walks, bool swept, double distance, vo_walks_report *report);

/* The last answer about a rigid part: it is the same for all of its clusters, which are asked about
 * one after the other. */
typedef struct vo_reach_memo {
    int a, part; /* -1: none */
    double reach;
} vo_reach_memo;

/* How far apart, at x0, features of a cloth's cluster a and of cluster b may be that matter in the
 * step. It is negative if none do, which does not depend on what was walked before: `all` may hold
 * pairs that another walk would not have found, and so may matter to nobody. */
double vo_walks_reach(const vo_walks *walks, int a, int b, double keep, vo_reach_memo *memo);

#endif
