/* Voile: continuous collision of moving points, edges and faces.
 *
 * A query has four points that move evenly along straight lines from `start` (time 0) to `end`
 * (time 1). The answer is conservative: a collision is never missed, and the time given is never
 * later than the first contact. The price is a false alarm now and then, where the parts pass each
 * other closer than rounding can tell, or than the definition asks for. */
#ifndef VOILE_COLLIDE_H
#define VOILE_COLLIDE_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_ccd_def {
    double thickness; /* at least 0: contact is a distance of `thickness` or less */
    double approach; /* 0 to 0.5: of the gap (distance less thickness) that there is at time 0, this
                        part is left at the time given; an approach to twice of it is contact. 0:
                        as close as rounding allows */
    int max_steps;   /* at least 1: a query that is not decided by then counts as contact */
} vo_ccd_def;

/* Thickness 0, approach 0, 1024 steps. */
VO_API vo_ccd_def vo_ccd_def_default(void);

/* Whether the point 0 may touch the face 1 2 3. `def` may be NULL for the defaults. `time` (may be
 * NULL) gets a moment in [0, 1] before which there is no contact; 1 where there is none at all.
 * Parts in contact from the start give time 0, and so do numbers that are not finite, differences
 * that overflow, and definitions out of range. Faces without area and points that coincide are
 * valid. The same input gives the same bits; the functions may be called from any thread. */
VO_API bool vo_ccd_vertex_face(const vo_ccd_def *def, const vo_vec3 start[4], const vo_vec3 end[4],
                               double *time);

/* The same for the edges 0 1 and 2 3. Parallel edges and edges without length are valid. */
VO_API bool vo_ccd_edge_edge(const vo_ccd_def *def, const vo_vec3 start[4], const vo_vec3 end[4],
                             double *time);

#ifdef __cplusplus
}
#endif
#endif
