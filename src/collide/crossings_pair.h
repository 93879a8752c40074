/* Whether two faces intersect, settled for most pairs by a line or plane between them. */
#ifndef VO_COLLIDE_CROSSINGS_PAIR_H
#define VO_COLLIDE_CROSSINGS_PAIR_H

#include "math/vec.h"

/* A face without one coordinate. */
typedef struct vo_flat_face {
    const int *node;
    int axis; /* the coordinate that it lost */
    vo_vec2 p[3];
} vo_flat_face;

/* A face without the coordinate whose loss shows it best. */
vo_flat_face vo_flat_face_make(const vo_vec3 *x, const int face[3]);

/* vo_faces_intersect (collide/intersect.h). */
bool vo_flat_face_intersects(const vo_vec3 *x, const vo_flat_face *face, const int other[3]);

#endif
