/* Impacts: pairs of features that would come too close on the straight ways from x0 to x1.
 *
 * What is too close depends on how close they were. With g the distance at x0, h the thickness of
 * the response and e = h / 50:
 *
 *     0 ..... kept ..... alarm ............ goal ............ g     distances, for g > h
 *
 *   kept    no pair gets closer than this without being found: min(0.88 g, e / 10). So gaps are
 *           never used up, whatever happens: a state that is free of intersections leads to one
 *           that is, with gaps that continuous collision can still tell from nothing;
 *   alarm   an approach to this is an impact: a fifth of g, at most about e. It is small against
 *           the thickness, since features that slide along each other at the distance of layers
 *           come much closer than they were, and that is no impact;
 *   goal    what an impact leaves its features at: h, or as much as they had. Between features of
 *           one cloth h is at most their reach (surface.h), as for repulsion: to put faces of a
 *           millimetre back by a thickness of several would strain them beyond anything.
 *
 * Features that touch at x0, as far as rounding can tell, are never an impact: there is no side to
 * keep them on, and to hold them would freeze cloth that starts with coincident layers. Untangling
 * takes care of those. The same holds for coordinates at x0 that are not finite. */
#ifndef VO_COLLIDE_IMPACT_H
#define VO_COLLIDE_IMPACT_H

#include "collide/candidates.h"

/* Impacts that a list may have for each node. */
enum { VO_IMPACTS = 32 };

typedef struct vo_impact {
    vo_feature_pair pair;
    double weight[4]; /* of the closest points at the time of impact: their sum is 0, and the sum of
                         weight[i] x[i] is the vector from the second feature to the first */
    vo_vec3 normal;   /* along that vector, of length 1; or zero where nothing has a direction */
    double goal;      /* m, that this vector shall have along the normal at x1 */
    vo_vec3 apart;    /* from the second feature to the first at x0: length 1, and the length */
    double distance;  /* m */
} vo_impact;

/* When a pair collides, and its distance at x0. */
typedef struct vo_impact_time {
    double time; /* 0 to 1, or 2: it does not */
    double distance;
} vo_impact_time;

/* The list of the last search and its memory.
 *
 * Where something flies into ten layers, ten times as many pairs collide as matter: if the nearest
 * layer stays clear, so do the others. So the list leaves out pairs that are further apart at x0
 * than others that each of their nodes collides in. These are only counted. */
typedef struct vo_impact_list {
    vo_context *ctx;
    int node_count;
    vo_impact *impact;
    int count, capacity;
    int found;       /* pairs that collide, with those that are left out */
    bool crowded;    /* the list has as many as it may, and there are more */
    double *nearest; /* [node_count] m, of the pairs a node collides in; infinite between calls */
    vo_impact_time *time; /* of each pair searched */
    int time_capacity;
} vo_impact_list;

vo_result vo_impact_list_create(vo_context *ctx, int node_count, vo_impact_list *out);
void vo_impact_list_free(vo_impact_list *list);

/* Finds those of the pairs that are impacts, in the order of the pairs; in parallel. `marks`
 * ([node_count]) gets a 1 for each node that can be moved of each pair that collides. With `all`
 * no pair is left out. */
vo_result vo_impacts_find(const vo_surface *surface, double thickness, bool all, int count,
                          const vo_feature_pair *pairs, vo_impact_list *out, unsigned char *marks);

#endif
