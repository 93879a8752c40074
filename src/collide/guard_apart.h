/* A face against a sweep: is it apart, for certain, or does it meet it? */
#ifndef VO_COLLIDE_GUARD_APART_H
#define VO_COLLIDE_GUARD_APART_H

#include "collide/guard_sweep.h"

/* A face that takes no part, as the sweep sees it. */
typedef struct vo_guard_face {
    vo_vec3 x[3]; /* as vo_exact_point makes them */
    vo_vec2 flat[3];
    int corner[3]; /* of the sweep; -1 where it has no such node */
    bool shares;   /* it has corners of the sweep */
    double reach;  /* no difference of coordinates, of it and the sweep, is larger */
    double margin; /* m; it should be apart by this much */
    vo_box box;
} vo_guard_face;

/* Is a face that shares nothing, of which x and margin are there, above or below the whole sweep by
 * more than its margin, for certain? Layers mostly are. */
bool vo_guard_is_above(const vo_sweep *sweep, const vo_guard_face *face);

/* Completes a face whose x, corner, shares and margin are there. */
void vo_guard_face_look(const vo_sweep *sweep, vo_guard_face *face);

/* True only if the face is further from the whole sweep, or from one tetrahedron, than its margin;
 * corners that they share do not count. Most faces are. */
bool vo_guard_is_apart(const vo_sweep *sweep, const vo_guard_face *face);
bool vo_guard_is_apart_tet(const vo_sweep *sweep, vo_sweep_tet *tet, const vo_guard_face *face);

/* Does the face have a point of the tetrahedron other than what they share? Exact. */
bool vo_guard_meets_tet(const vo_sweep *sweep, const vo_sweep_tet *tet, const vo_guard_face *face);

/* Does the face, which shares nothing with the sweep and does not meet it, come closer to a new
 * face than its margin, and closer than it was to the old ones? */
bool vo_guard_comes_close(const vo_sweep *sweep, const vo_guard_face *face);

#endif
