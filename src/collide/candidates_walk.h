/* Which pairs of clusters are close enough to be runs? Trees over the clusters' boxes answer.
 *
 * The boxes that the trees are walked with are larger than need be by some slack. As long as all
 * clusters stay inside, the pairs found are all there can be, and no tree is touched. */
#ifndef VO_COLLIDE_CANDIDATES_WALK_H
#define VO_COLLIDE_CANDIDATES_WALK_H

#include "collide/candidates_cluster.h"
#include "spatial/bvh.h"

typedef struct vo_walks {
    vo_context *ctx;
    const vo_surface *surface;
    const vo_clusters *clusters;
    double slack;           /* m */
    bool valid;             /* `pairs` are those of `list` */
    bool *present;          /* [part_count] of the last walk */
    vo_box *list;           /* [clusters] walked with; empty for parts that are not present */
    vo_bvh cloth, obstacle; /* their shape comes from the fabric, not from the fold of the day */
    vo_pair_list found;
    vo_pair *pairs,
        *spare; /* all pairs, a <= b, each cloth's cluster with itself included; sorted */
    int count, capacity, spare_capacity;
    int *start; /* [clusters + 1] scratch of sorting */
} vo_walks;

vo_result vo_walks_create(vo_context *ctx, const vo_surface *surface, const vo_clusters *clusters,
                          vo_walks *out);
void vo_walks_free(vo_walks *walks);

/* Whether the pairs still hold all clusters whose boxes are closer than 2 margin. */
bool vo_walks_hold(const vo_walks *walks, const vo_box *box, double margin);

/* Finds the pairs anew. */
vo_result vo_walks_search(vo_walks *walks, const vo_box *box, double margin);

#endif
