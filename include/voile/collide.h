/* Voile: continuous collision detection (CCD) of moving points, edges and faces.
 *
 * A query has four points with linear trajectories from `start` (time 0) to `end` (time 1). The
 * result is conservative: a collision is never missed, and the returned time is never later than
 * the first contact. False positives are possible where the features pass each other closer than
 * rounding can resolve, or closer than the definition requires. */
#ifndef VOILE_COLLIDE_H
#define VOILE_COLLIDE_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_ccd_def {
    double thickness;     /* at least 0: features at this distance or less are in contact */
    double min_gap_ratio; /* 0 to 0.5: fraction of the initial gap (distance minus thickness) that
                             remains at the returned time; an approach to twice this gap is a
                             contact. 0: as close as rounding allows */
    int max_steps; /* at least 1: a query that is undecided after this many steps returns contact */
} vo_ccd_def;

/* Returns thickness 0, min_gap_ratio 0, max_steps 1024. */
VO_API vo_ccd_def vo_ccd_def_default(void);

/* Returns true if point 0 may touch the face 1 2 3. `def` may be NULL for the defaults. `time` may
 * be NULL; it receives a time in [0, 1] before which there is no contact, and 1 if there is no
 * contact. The time is 0 for features in contact at the start, for coordinates that are not finite,
 * for differences that overflow, and for definitions out of range. Faces without area and
 * coincident points are valid. Equal inputs give bit-identical results; the functions may be called
 * from any thread. */
VO_API bool vo_ccd_vertex_face(const vo_ccd_def *def, const vo_vec3 start[4], const vo_vec3 end[4],
                               double *time);

/* Like vo_ccd_vertex_face, for the edges 0 1 and 2 3. Parallel edges and edges of zero length are
 * valid. */
VO_API bool vo_ccd_edge_edge(const vo_ccd_def *def, const vo_vec3 start[4], const vo_vec3 end[4],
                             double *time);

#ifdef __cplusplus
}
#endif
#endif
