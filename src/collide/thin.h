/* Of the close pairs in a clump (collide/clump.h), those that a solve can do with.
 *
 * Cloth, however folded, has about five contacts a node. In a clump every edge is close to hundreds
 * of others; a matrix with all of them has hundreds of entries a row and says no more than one with
 * the nearest. So where cloth has more than VO_THIN_CONTACTS pairs with cloth for each of its
 * nodes, a pair stays if one of its nodes has fewer than so many that are nearer, which leaves at
 * most so many for each node. Among equal distances the first in the list is the nearer.
 *
 * Pairs with obstacles are counted by themselves, and have room at the obstacles' nodes that they
 * are about as well: a coarse cloth on a fine body has as many as the body has nodes there, and is
 * no clump. */
#ifndef VO_COLLIDE_THIN_H
#define VO_COLLIDE_THIN_H

#include "collide/candidates.h"

enum { VO_THIN_CONTACTS = 16 };

/* Memory, kept from step to step. Zero is empty. */
typedef struct vo_thin {
    int rank_capacity, node_capacity, keep_capacity;
    struct vo_thin_rank *rank;
    int *taken;          /* [nodes] contacts so far */
    unsigned char *keep; /* [pairs] 1 for those that stay; only if there is a clump */
    bool crowded;        /* there is: some do not stay */
} vo_thin;

void vo_thin_free(vo_context *ctx, vo_thin *thin);

/* Sets thin->crowded and, if need be, fills thin->keep. No allocation after warm-up. */
vo_result vo_thin_choose(vo_context *ctx, const vo_surface *surface, int count, const vo_near *near,
                         vo_thin *thin);

#endif
