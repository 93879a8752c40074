/* A closed surface of triangles where a function of space is zero.
 *
 * The function is negative inside. Its sign is taken at the corners of a lattice of cubes; each
 * cube with corners of both signs gets one node, each lattice edge with ends of both signs one
 * quadrangle around it (surface nets: Gibson 1998, "Constrained elastic surface nets"). Nodes are
 * then drawn onto the surface and spread along it, quadrangles cut in two, and edges flipped.
 *
 *     - - + +        What makes this safe is that the signs are mended first. A cube whose inside
 *     -[o]o +        corners, or outside corners, do not hang together by edges of the cube would
 *     - o - +        get one node for two sheets of surface. It is filled: its corners all become
 *     - - - -        inside. Filling only ever adds, so it ends, and then every face of a cube is
 *                    crossed by no or two of its edges and every cube by one ring of them: the
 *                    surface is closed and manifold, whatever the function. Flips keep that.
 *
 * Marching tetrahedra give the same guarantee without mending, but six times the triangles for a
 * lattice of the same width, most of them needles. Dual contouring would keep sharp edges, of which
 * bodies have none. */
#ifndef VO_MESH_POLYGONISE_H
#define VO_MESH_POLYGONISE_H

#include "mesh/primitives.h"

/* About m from the surface, negative inside. Called from several threads. */
typedef double vo_field_fn(const void *arg, vo_vec3 p);

typedef struct vo_field {
    vo_field_fn *value;
    const void *arg;
} vo_field;

typedef struct vo_polygonise_def {
    vo_vec3 low, high; /* m, a box that holds the surface; the lattice is up to 16 cells larger */
    double cell;       /* m, width of a cube; edges get about as long */
    double slope;      /* [2] how much the function can change per metre; parts of the lattice that
                          are further off than that allows are not looked at */
    int rounds;        /* [8] of spreading the nodes and flipping edges */
    int faces;         /* [0] the surface is made coarser until it has so many; 0: it is not */
    vo_field size;     /* m, how long edges should be at a place, in proportion to elsewhere, where
                          the surface is made coarser */
} vo_polygonise_def;

vo_polygonise_def vo_polygonise_def_default(void);

/* Fills `out`, which is empty before (its ctx set); faces look outwards. VO_BAD_CALL for a lattice
 * of more than about 100 million corners, VO_BAD_DATA if the function has no inside there or the
 * surface reaches the box. */
vo_result vo_polygonise(vo_context *ctx, const vo_polygonise_def *def, vo_field field,
                        vo_surface_parts *out);

/* The direction in which the function grows, and how fast; by differences over `step`. */
vo_vec3 vo_field_gradient(vo_field field, vo_vec3 p, double step);

/* Takes edges away, those first that are shortest against `size`, until there are no more than so
 * many faces or none can go. The surface must be closed and manifold; it stays so, and of one
 * topology. Nodes keep to the function's surface. */
vo_result vo_polygonise_coarsen(vo_context *ctx, vo_field field, double cell, vo_field size,
                                int faces, vo_surface_parts *s);

/* Spreads nodes along the surface and flips edges that have more than half a turn opposite to them,
 * `rounds` times. The surface must be closed and manifold; it stays so. */
vo_result vo_polygonise_improve(vo_context *ctx, vo_field field, double cell, int rounds,
                                vo_surface_parts *s);

#endif
