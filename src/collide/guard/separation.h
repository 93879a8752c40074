/* Tests of a face against a sweep: separation in floating point, intersection by exact
 * predicates. */
#ifndef VO_COLLIDE_GUARD_SEPARATION_H
#define VO_COLLIDE_GUARD_SEPARATION_H

#include "collide/guard/sweep.h"

/* A face that is not part of the edit, relative to the sweep. */
typedef struct vo_guard_face {
    vo_vec3 x[3]; /* rounded by vo_exact_point */
    vo_vec2 projected[3];
    int corner[3]; /* corner index in the sweep; -1: not a corner of it */
    bool shares;   /* it shares corners with the sweep */
    double extent; /* bound on all coordinate differences of face and sweep */
    double margin; /* m, required clearance */
    vo_box box;
} vo_guard_face;

/* Returns true if a face without shared corners, with x and margin set, is certainly above or below
 * the whole sweep by more than its margin. Usual for layers. */
bool vo_guard_is_above(const vo_sweep *sweep, const vo_guard_face *face);

/* Completes a face whose x, corner, shares and margin are set. */
void vo_guard_face_query(const vo_sweep *sweep, vo_guard_face *face);

/* Return true only if the face is certainly further from the whole sweep, or from one tetrahedron,
 * than its margin, apart from shared corners. True for most faces. */
bool vo_guard_is_separated(const vo_sweep *sweep, const vo_guard_face *face);
bool vo_guard_is_separated_tet(const vo_sweep *sweep, vo_sweep_tet *tet, const vo_guard_face *face);

/* Returns true if the face intersects the tetrahedron beyond shared corners. Exact. */
bool vo_guard_meets_tet(const vo_sweep *sweep, const vo_sweep_tet *tet, const vo_guard_face *face);

/* Returns true if the face, which shares no corner with the sweep and does not intersect it, is
 * closer to a new face than its margin and closer than it was to the old ones. */
bool vo_guard_breaks_clearance(const vo_sweep *sweep, const vo_guard_face *face);

#endif
