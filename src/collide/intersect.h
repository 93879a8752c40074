/* Do two triangles intersect? Decided by signs of determinants alone (math/predicates.h), so there
 * is no tolerance and no wrong answer, for triangles of zero area too.
 *
 * This is the ruler that frames are measured with. It shares nothing with the code that keeps cloth
 * apart during a simulation.
 *
 * A triangle is the set of all points between its corners, border included. Two closed triangles
 * meet if and only if a side of one meets the other: where they cross in a segment, its ends lie on
 * sides; where they overlap in a common plane, so do the corners of the overlap.
 *
 * Coordinates must be finite and at most VO_EXACT_MAX; such below VO_EXACT_MIN count as 0. */
#ifndef VO_COLLIDE_INTERSECT_H
#define VO_COLLIDE_INTERSECT_H

#include "math/vec.h"

typedef struct vo_triangle {
    vo_vec3 corner[3];
} vo_triangle;

/* Is there a point in both? Touching counts. The answer does not depend on the order of corners and
 * triangles. */
bool vo_triangles_meet(const vo_triangle *a, const vo_triangle *b);

/* The same for two faces of one mesh, which always meet in the corners they share. The shared ones
 * come first in both, in the same order, with the same coordinates:
 *   shared 0: any common point counts;
 *   shared 1: a common point other than the shared corner;
 *   shared 2: a common point beyond the shared side, that is, faces folded flat onto each other;
 *   shared 3: the same face twice, which is always an intersection.
 * Corners that coincide without being shared count as a common point. */
bool vo_triangles_intersect(const vo_triangle *a, const vo_triangle *b, int shared);

/* The same for faces given by their nodes; x holds the nodes' positions. */
bool vo_faces_intersect(const vo_vec3 *x, const int a[3], const int b[3]);

#endif
