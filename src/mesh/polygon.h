/* Cutting polygons into triangles. */
#ifndef VO_MESH_POLYGON_H
#define VO_MESH_POLYGON_H

#include "math/vec.h"

/* Up to this many corners the cut is chosen with care (the work grows with their cube); larger
 * polygons are cut zigzag, which suits the round caps that modelling tools make. */
enum { VO_POLYGON_CAREFUL = 32 };

/* n - 2 triangles of corner indices, turning the same way as the polygon. Of all fans the one with
 * the largest smallest angle is taken (as ARCSim does); where every fan has a triangle that is
 * turned over, ears are cut. `scratch` has room for n. n >= 3. */
void vo_polygon_triangulate(int n, const vo_vec2 *corner, int *scratch, int (*triangle)[3]);

/* The polygon seen from above its mean plane (Newell's normal), so that it turns to the left. */
void vo_polygon_flatten(int n, const vo_vec3 *corner, vo_vec2 *flat);

/* Signed; positive where the polygon turns to the left. */
double vo_polygon_area(int n, const vo_vec2 *corner);

#endif
