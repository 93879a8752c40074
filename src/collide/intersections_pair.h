/* Intersection test of two faces that decides most pairs by a separating line or plane. */
#ifndef VO_COLLIDE_INTERSECTIONS_PAIR_H
#define VO_COLLIDE_INTERSECTIONS_PAIR_H

#include "math/vec.h"

/* A face projected along an axis. */
typedef struct vo_flat_face {
    const int *node;
    int axis; /* projection axis */
    vo_vec2 p[3];
} vo_flat_face;

/* Projects a face along the axis that gives the largest area. */
vo_flat_face vo_flat_face_make(const vo_vec3 *x, const int face[3]);

/* Returns the result of vo_faces_intersect (collide/intersect.h). */
bool vo_flat_face_intersects(const vo_vec3 *x, const vo_flat_face *face, const int other[3]);

#endif
