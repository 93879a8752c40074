/* Primitive shapes for obstacles: the implementation of vo_mesh_create_shape.
 *
 * Every shape is closed and manifold, oriented outwards, with nearly equilateral triangles. There
 * are four constructions:
 *
 *     icosahedron, each face divided into n x n                sphere
 *     lattice on the sides of a block                          box, plate; blade, with one side
 *                                                              contracted to an edge
 *     rings of points around the z axis, neighbours joined     cylinder, torus, funnel
 *     isosurface of implicit primitives                        rabbit
 *
 * The number of points of a ring (mesh/revolve.c) is proportional to its circumference, so there
 * are no slivers in the middle of a lid or at the neck of a funnel. Spheres are not made of rings,
 * which would have two poles. */
#ifndef VO_MESH_PRIMITIVES_H
#define VO_MESH_PRIMITIVES_H

#include "mesh/surface_parts.h"

#include <voile/mesh.h>

/* A profile curve in the half-plane of distance r (x) from the z axis and height z (y), to be
 * revolved around it. The interior lies to the left of the direction of travel, that is, towards
 * the axis where the curve rises. A loop is closed and does not touch the axis; an open curve
 * starts and ends on the axis. */
typedef struct vo_profile {
    int count; /* number of points */
    vo_vec2 point[8];
    bool loop;
} vo_profile;

/* Creates the surface of revolution of a profile, with edges of about `edge`, m. */
vo_result vo_revolve(const vo_profile *profile, double edge, vo_surface_parts *out);

/* Creates a rabbit, with edges of at most a 32nd of its height (mesh/rabbit.c). */
vo_result vo_make_rabbit(const vo_shape_def *def, vo_surface_parts *out);

/* Creates a torus: `radius` of the centre line, `tube` of the cross section. */
vo_result vo_revolve_torus(double radius, double tube, double edge, vo_surface_parts *out);

#endif
