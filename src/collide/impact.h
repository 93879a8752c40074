/* Impacts: pairs of features that come too close on the linear trajectories from x0 to x1.
 *
 * The thresholds depend on the initial distance. With g the distance at x0, h the thickness of the
 * response and e = h / 50:
 *
 *     0 ... min_distance ... trigger_distance ... target_distance ... g     for g > h
 *
 *   min_distance      guaranteed: no pair comes closer without being detected, min(0.88 g, e / 10).
 * So gaps never vanish: a state without intersections leads to another one, with gaps that
 * continuous collision detection can still resolve; trigger_distance  an approach to this distance
 * is an impact: a fifth of g, at most about e. It is small compared with the thickness, because
 * layers that slide along each other change their distance a lot without an impact; target_distance
 * distance of the features after the impact: h, or the initial distance if that is less. Between
 * features of one cloth h is at most max_self_thickness (surface.h), as for repulsion: separating
 * faces of a millimetre by a thickness of several would strain them excessively.
 *
 * Features that touch at x0, up to rounding, are never an impact: no side is defined for them, and
 * constraining them would freeze cloth that starts with coincident layers. Untangling handles
 * those. The same holds for coordinates at x0 that are not finite. */
#ifndef VO_COLLIDE_IMPACT_H
#define VO_COLLIDE_IMPACT_H

#include "collide/candidates.h"

/* Budget of impacts per node. */
enum { VO_MAX_NODE_IMPACTS = 32 };

typedef struct vo_impact {
    vo_feature_pair pair;
    double weight[4]; /* of the closest points at the time of impact: the sum is 0, and the sum of
                         weight[i] x[i] is the vector from the second feature to the first */
    vo_vec3 normal;   /* unit vector along it; zero if undefined */
    double target_distance;  /* m, required length of this vector along the normal at x1 */
    vo_vec3 start_direction; /* unit vector from the second feature to the first at x0 */
    double start_distance;   /* m, distance at x0 */
} vo_impact;

/* Time of impact of a pair, and its distance at x0. */
typedef struct vo_impact_time {
    double time; /* 0 to 1; 2: no impact */
    double distance;
} vo_impact_time;

/* Impacts of the last search, and its memory.
 *
 * An object that moves into ten layers collides with ten times as many pairs as matter: if it stays
 * clear of the nearest layer, it stays clear of the others. So pairs are left out that are much
 * further apart at x0 than another colliding pair of each of their nodes. They are only counted. */
typedef struct vo_impact_list {
    vo_context *ctx;
    int node_count;
    vo_impact *impact;
    int count, capacity;
    int found_count;  /* colliding pairs, including those left out */
    bool over_budget; /* the budget is exhausted; impacts are missing */
    double *nearest;  /* [node_count] m, smallest start distance of its colliding pairs; infinite
                         between calls */
    vo_impact_time *time; /* of each searched pair */
    int time_capacity;
} vo_impact_list;

vo_result vo_impact_list_create(vo_context *ctx, int node_count, vo_impact_list *out);
void vo_impact_list_free(vo_impact_list *list);

/* Finds the impacts among the pairs, in their order, in parallel. Sets marks[i] = 1 ([node_count])
 * for each movable node i of a colliding pair. `all`: no pair is left out. */
vo_result vo_impacts_find(const vo_surface *surface, double thickness, bool all, int count,
                          const vo_feature_pair *pairs, vo_impact_list *out, unsigned char *marks);

#endif
