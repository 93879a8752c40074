/* Dense regions: places where the number of close face pairs exceeds what can be listed.
 *
 * Pair lists grow with the square of the number of faces in one place. Cloth, however folded, has a
 * few dozen pairs per feature; a mesh that has collapsed to a point, or lies in a hundred
 * coincident layers, has as many as there are faces. So every list has a budget proportional to the
 * number of features. If it is exceeded, the state has a dense region: it is reported, and the
 * caller continues without the list. Memory stays proportional to the number of faces in any
 * state. */
#ifndef VO_COLLIDE_DENSE_REGION_H
#define VO_COLLIDE_DENSE_REGION_H

#include "math/vec.h"

/* Returns the pair budget of a list: `per_feature` pairs per feature, limited to the range of
 * int. */
static inline int vo_pair_budget(int per_feature, int64_t features) {
    int64_t budget = per_feature * features;
    return budget < INT32_MAX / 4 ? (int)budget : INT32_MAX / 4;
}

typedef struct vo_dense_region {
    int face;         /* a face in it; -1: there is no dense region */
    int face_count;   /* faces that lie entirely within the radius */
    double radius;    /* m, extent of `face` */
    vo_vec3 position; /* m, centre */
    int max_valence;  /* largest number of faces at a corner of `face` */
} vo_dense_region;

/* Finds the densest place: among a few hundred samples of the first `searched` faces, the one whose
 * box overlaps the most boxes; face_count counts over all faces. Faces with NaN positions are
 * ignored. */
vo_dense_region vo_dense_region_find(int face_count, const int (*face)[3], int searched,
                                     const vo_vec3 *x);

/* Returns the region around the face `which`. */
vo_dense_region vo_dense_region_around(int face_count, const int (*face)[3], int which,
                                       const vo_vec3 *x);

#endif
