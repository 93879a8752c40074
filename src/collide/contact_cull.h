/* Contact culling in dense regions (collide/dense_region.h): selects the nearest contacts of each
 * node.
 *
 * Cloth, however folded, has about five contacts per node. In a dense region every edge is close to
 * hundreds of others; a matrix with all of them has hundreds of entries per row without adding
 * information. If cloth has more than VO_MAX_NODE_CONTACTS cloth contacts per node, a contact is
 * kept only if one of its nodes has fewer than VO_MAX_NODE_CONTACTS nearer ones. Equal distances
 * are ordered by list index.
 *
 * Contacts with obstacles are counted separately, with the involved obstacle nodes added to the
 * budget: a coarse cloth on a fine body has as many contacts as the body has nodes there, and is
 * not a dense region. */
#ifndef VO_COLLIDE_CONTACT_CULL_H
#define VO_COLLIDE_CONTACT_CULL_H

#include "collide/candidates.h"

enum { VO_MAX_NODE_CONTACTS = 16 };

/* Memory, reused from step to step. Zero-initialised: empty. */
typedef struct vo_contact_cull {
    int rank_capacity, node_capacity, keep_capacity;
    struct vo_contact_cull_rank *rank;
    int *node_contacts;  /* [nodes] contacts kept */
    unsigned char *keep; /* [pairs] 1: keep; valid if over_budget */
    bool over_budget;    /* some contacts are culled */
} vo_contact_cull;

void vo_contact_cull_free(vo_context *ctx, vo_contact_cull *cull);

/* Sets cull->over_budget and, if it is true, cull->keep. No allocation after warm-up. */
vo_result vo_contact_cull_select(vo_context *ctx, const vo_surface *surface, int count,
                                 const vo_proximity *proximity, vo_contact_cull *cull);

#endif
