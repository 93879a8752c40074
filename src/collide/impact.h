/* Impacts: pairs of features that would come too close on the straight ways from x0 to x1.
 *
 * What is too close depends on how close they were. With g the distance at x0, h the thickness of
 * the response and e = h / 50:
 *
 *     0 ..... kept ..... alarm ............ goal ............ g     distances, for g > h
 *
 *   kept    no pair gets closer than this without being found: min(0.8 g, e / 10). So gaps are
 *           never used up, whatever happens: a state that is free of intersections leads to one
 *           that is, with gaps that continuous collision can still tell from nothing;
 *   alarm   an approach to this is an impact: a fifth of g, at most about e. It is small against
 *           the thickness, since features that slide along each other at the distance of layers
 *           come much closer than they were, and that is no impact;
 *   goal    what an impact leaves its features at: h, or as much as they had.
 *
 * Features that touch at x0, as far as rounding can tell, are never an impact: there is no side to
 * keep them on, and to hold them would freeze cloth that starts with coincident layers. Untangling
 * takes care of those. The same holds for coordinates at x0 that are not finite. */
#ifndef VO_COLLIDE_IMPACT_H
#define VO_COLLIDE_IMPACT_H

#include "collide/candidates.h"

typedef struct vo_impact {
    vo_feature_pair pair;
    double weight[4]; /* of the closest points at the time of impact: their sum is 0, and the sum of
                         weight[i] x[i] is the vector from the second feature to the first */
    vo_vec3 normal;   /* along that vector, of length 1; or zero where nothing has a direction */
    double goal;      /* m, that this vector shall have along the normal at x1 */
} vo_impact;

/* The list of the last search and its memory. Zero is a good start. */
typedef struct vo_impact_list {
    vo_impact *impact;
    int count, capacity;
    double *time; /* of each pair searched: of its impact, or NO_IMPACT */
    int time_capacity;
} vo_impact_list;

/* Finds those of the pairs that are impacts, in the order of the pairs; in parallel. */
vo_result vo_impacts_find(const vo_surface *surface, double thickness, int count,
                          const vo_feature_pair *pairs, vo_impact_list *out);
void vo_impact_list_free(vo_context *ctx, vo_impact_list *list);

#endif
