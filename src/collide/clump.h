/* Clumps: so many faces in one place that pairs of them cannot be listed.
 *
 * Lists of pairs grow with the square of what lies in one place. Cloth, however folded, has a few
 * dozen pairs a feature; a mesh that has collapsed into a point, or lies in a hundred coincident
 * layers, has as many as there are faces. So every list has a bound that follows from the number of
 * features. Beyond it there is a clump: the state is named, and whoever made the list goes on
 * without it. Memory stays proportional to the faces, whatever the state. */
#ifndef VO_COLLIDE_CLUMP_H
#define VO_COLLIDE_CLUMP_H

#include "math/vec.h"

/* Pairs that a list may have: so many for each of its features. */
static inline int vo_clump_bound(int per_feature, int64_t features) {
    int64_t most = per_feature * features;
    return most < INT32_MAX / 4 ? (int)most : INT32_MAX / 4;
}

typedef struct vo_clump {
    int face;      /* one of them; -1: there is no clump */
    int faces;     /* that lie wholly within the radius */
    double radius; /* m */
    vo_vec3 place; /* m */
    int star;      /* faces at that corner of `face` at which most meet */
} vo_clump;

/* Looks for the place where most faces are among each other: among a few hundred of the first
 * `searched` faces, spread evenly, the one whose box overlaps most boxes; the faces around it are
 * counted among all. Faces without a place are left out. */
vo_clump vo_clump_find(int face_count, const int (*face)[3], int searched, const vo_vec3 *x);

/* The faces around one of them. */
vo_clump vo_clump_around(int face_count, const int (*face)[3], int which, const vo_vec3 *x);

#endif
