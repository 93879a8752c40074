/* Bodies of simple shape, made rather than modelled: what vo_mesh_create_shape builds from.
 *
 * Every shape is closed, without a hole or a double edge, its faces turned outwards, and of
 * triangles as near to equal sides as the shape allows. There are three ways to one:
 *
 *     icosahedron, each face cut in n x n                      sphere
 *     lattice on the sides of a block                          box, plate; blade, with one side
 *                                                              drawn together to an edge
 *     rings of points around the z axis, neighbours joined     cylinder, torus, funnel
 *
 * Rings (mesh/revolve.c) get as many points as their circumference has room for, so there are no
 * needles in the middle of a lid or at the neck of a funnel, as there would be with one number for
 * all. Spheres are not made of rings, since those would have two poles to slide off from. */
#ifndef VO_MESH_PRIMITIVES_H
#define VO_MESH_PRIMITIVES_H

#include "core/context.h"
#include "math/vec.h"

#include <voile/mesh.h>

/* A surface that grows: only world positions and triangles of nodes. */
typedef struct vo_surface_parts {
    vo_context *ctx;
    int node_count, node_capacity;
    vo_vec3 *node_x;
    int face_count, face_capacity;
    int (*face)[3];
} vo_surface_parts;

/* Room for so many nodes and faces in all; new ones are zero and the counts stay. */
vo_result vo_surface_parts_reserve(vo_surface_parts *s, int nodes, int faces);
void vo_surface_parts_free(vo_surface_parts *s);
void vo_surface_parts_add_face(vo_surface_parts *s, int a, int b, int c);

/* A line in the half plane of distance r (x) from the z axis and height z (y), to be turned around
 * it. Walked from point to point, the inside of the body lies to the left, that is, towards the
 * axis on the way up. A loop goes from the last point back to the first and keeps off the axis; an
 * open line starts and ends on it. */
typedef struct vo_profile {
    int count; /* of points */
    vo_vec2 point[8];
    bool loop;
} vo_profile;

/* The body of that profile, with edges of about `edge`. */
vo_result vo_revolve(const vo_profile *profile, double edge, vo_surface_parts *out);

/* The body of a ring: `radius` of the middle line, `tube` of the round section. */
vo_result vo_revolve_torus(double radius, double tube, double edge, vo_surface_parts *out);

#endif
