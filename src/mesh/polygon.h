/* Triangulation of polygons. */
#ifndef VO_MESH_POLYGON_H
#define VO_MESH_POLYGON_H

#include "math/vec.h"

/* Up to this many corners the triangulation maximises the smallest angle (cubic cost); larger
 * polygons are cut in zigzag, which suits the round caps of modelling tools. */
enum { VO_POLYGON_MAX_OPTIMISED = 32 };

/* Writes n - 2 triangles of corner indices with the orientation of the polygon: the fan with the
 * largest minimum angle (as ARCSim does), or ear clipping if every fan has an inverted triangle.
 * `scratch` has the capacity n; n >= 3. */
void vo_polygon_triangulate(int n, const vo_vec2 *corner, int *scratch, int (*triangle)[3]);

/* Projects the polygon onto its mean plane (Newell's normal), counter-clockwise. */
void vo_polygon_flatten(int n, const vo_vec3 *corner, vo_vec2 *flat);

/* Signed area; positive if the polygon is counter-clockwise. */
double vo_polygon_area(int n, const vo_vec2 *corner);

#endif
