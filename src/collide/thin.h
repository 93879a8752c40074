/* Of the close pairs in a clump (collide/clump.h), those that a solve can do with.
 *
 * Cloth, however folded, has about five contacts a node. In a clump every edge is close to hundreds
 * of others; a matrix with all of them has hundreds of entries a row and says no more than one with
 * the nearest. So a pair stays if one of its nodes of cloth has fewer than VO_THIN_CONTACTS that
 * are nearer, which leaves at most so many for each node of cloth. Among equal distances the first
 * in the list is the nearer. */
#ifndef VO_COLLIDE_THIN_H
#define VO_COLLIDE_THIN_H

#include "collide/candidates.h"

enum { VO_THIN_CONTACTS = 16 };

/* Memory, kept from step to step. Zero is empty. */
typedef struct vo_thin {
    int rank_capacity, node_capacity, keep_capacity;
    struct vo_thin_rank *rank;
    int *taken; /* [nodes] contacts so far */
    unsigned char *keep;
} vo_thin;

void vo_thin_free(vo_context *ctx, vo_thin *thin);

/* Whether there are so many pairs that they must be thinned out. */
bool vo_thin_needed(const vo_surface *surface, int count);

/* Fills thin->keep, [count]: 1 for pairs that stay. */
vo_result vo_thin_choose(vo_context *ctx, const vo_surface *surface, int count, const vo_near *near,
                         vo_thin *thin);

#endif
