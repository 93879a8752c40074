/* Distances of points, edges and faces, with the closest points as weights.
 *
 * Every function compares all candidates: the interior solution, if the linear system has one, and
 * each end or side. The weights of the interior solution are clamped, so whatever rounding does to
 * it for slivers or nearly parallel edges, it is a point of the feature with its true distance, and
 * the smallest candidate wins. Faces without area and edges without length need no special case:
 * their interior candidate is left out, their sides remain. */
#ifndef VO_COLLIDE_DISTANCE_H
#define VO_COLLIDE_DISTANCE_H

#include "math/vec.h"

/* Closest point of an edge: a + s (b - a). */
typedef struct vo_edge_point {
    double s;       /* 0 to 1, exactly 0 or 1 at an end */
    vo_vec3 offset; /* from the query point to the closest one */
    double squared; /* of the distance */
} vo_edge_point;

vo_edge_point vo_distance_vertex_edge(vo_vec3 p, vo_vec3 a, vo_vec3 b);

/* Closest point of a face: the sum of weight[i] times corner i. */
typedef struct vo_face_point {
    double weight[3]; /* 0 to 1, sum 1; exactly 0 for corners off the closest feature */
    vo_vec3 offset;   /* from the query point to the closest one */
    double squared;   /* of the distance */
} vo_face_point;

vo_face_point vo_distance_vertex_face(vo_vec3 p, vo_vec3 a, vo_vec3 b, vo_vec3 c);

/* Closest points of two edges: a0 + s (a1 - a0) and b0 + t (b1 - b0). */
typedef struct vo_edge_pair {
    double s, t;    /* 0 to 1, exactly 0 or 1 at an end */
    vo_vec3 offset; /* from the first edge to the second */
    double squared; /* of the distance */
} vo_edge_pair;

vo_edge_pair vo_distance_edge_edge(vo_vec3 a0, vo_vec3 a1, vo_vec3 b0, vo_vec3 b1);

#endif
