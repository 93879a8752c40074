/* Exact triangle-triangle intersection test, by signs of determinants alone (math/predicates.h): no
 * tolerance, correct for triangles of zero area too.
 *
 * This is the reference by which frames are checked. It shares no code with the collision handling
 * of the simulation.
 *
 * A triangle is the closed set of points between its corners. Two closed triangles intersect if and
 * only if a side of one intersects the other: if they cross in a segment, its ends lie on sides; if
 * they overlap in a common plane, so do the corners of the overlap.
 *
 * Coordinates must be finite and at most VO_EXACT_MAX; those below VO_EXACT_MIN are treated as
 * 0. */
#ifndef VO_COLLIDE_INTERSECT_H
#define VO_COLLIDE_INTERSECT_H

#include "math/vec.h"

typedef struct vo_triangle {
    vo_vec3 corner[3];
} vo_triangle;

/* Returns true if two faces of one mesh intersect, apart from the corners they share. Shared
 * corners come first in both, in the same order, with the same coordinates:
 *   shared 0: any common point, touching included;
 *   shared 1: a common point other than the shared corner;
 *   shared 2: a common point beyond the shared side, that is, faces folded flat onto each other;
 *   shared 3: the same face twice, always true.
 * Corners that coincide without being shared are common points. The result does not depend on the
 * order of corners and triangles. */
bool vo_triangles_intersect(const vo_triangle *a, const vo_triangle *b, int shared);

/* Like vo_triangles_intersect, for faces given by their nodes; x are the node positions. */
bool vo_faces_intersect(const vo_vec3 *x, const int a[3], const int b[3]);

#endif
