/* Isosurface extraction by surface nets: a closed triangle mesh of the zero set of a function.
 *
 * The function is negative inside. Its sign is sampled at the corners of a lattice of cubes; each
 * cube with corners of both signs gets one node, each lattice edge with ends of both signs one
 * quadrilateral around it (Gibson 1998, "Constrained elastic surface nets"). Nodes are then
 * projected onto the surface and relaxed along it, quadrilaterals are split into triangles, and
 * edges flipped.
 *
 *     - - + +        The signs are repaired first, which guarantees a manifold. A cube whose inside
 *     -[o]o +        corners, or outside corners, are not connected by edges of the cube would get
 *     - o - +        one node for two sheets of surface. It is filled: its corners all become
 *     - - - -        inside. Filling only adds, so it terminates, and then every face of a cube is
 *                    crossed by no or two of its edges and every cube by one ring of them: the
 *                    surface is closed and manifold for any function. Flips preserve this.
 *
 * Rejected: marching tetrahedra, which give the same guarantee without repair but six times the
 * triangles for the same cell size, most of them slivers; dual contouring, which preserves sharp
 * edges that bodies do not have. */
#ifndef VO_MESH_POLYGONISE_H
#define VO_MESH_POLYGONISE_H

#include "mesh/surface_parts.h"

/* Approximate signed distance from the surface, m, negative inside. Called from several threads. */
typedef double vo_field_fn(const void *arg, vo_vec3 p);

typedef struct vo_field {
    vo_field_fn *value;
    const void *arg;
} vo_field;

typedef struct vo_polygonise_def {
    vo_vec3 low,
        high;      /* m, a box that contains the surface; the lattice is up to 16 cells larger */
    double cell;   /* m, width of a cube; approximate edge length */
    double slope;  /* [2] Lipschitz constant of the function, used to skip parts of the lattice
                      that are far from the surface */
    int rounds;    /* [8] rounds of relaxation and flips */
    int faces;     /* [0] target number of faces for coarsening; 0: none */
    vo_field size; /* m, relative edge length at a position, for coarsening */
} vo_polygonise_def;

vo_polygonise_def vo_polygonise_def_default(void);

/* Fills `out`, which must be empty with its ctx set; faces are oriented outwards. VO_BAD_ARGUMENT
 * for a lattice of more than about 100 million corners, VO_BAD_DATA if the function has no inside
 * there or the surface reaches the box. */
vo_result vo_polygonise(vo_context *ctx, const vo_polygonise_def *def, vo_field field,
                        vo_surface_parts *out);

/* Gradient of the function by finite differences over `step`. */
vo_vec3 vo_field_gradient(vo_field field, vo_vec3 p, double step);

/* Collapses edges, those shortest relative to `size` first, until at most `faces` faces remain or
 * no edge can be collapsed. The surface must be closed and manifold and keeps its topology. Nodes
 * are projected onto the function's surface. */
vo_result vo_polygonise_coarsen(vo_context *ctx, vo_field field, double cell, vo_field size,
                                int faces, vo_surface_parts *s);

/* Relaxes nodes along the surface and flips edges whose opposite angles sum to more than 180
 * degrees, `rounds` times. The surface must be closed and manifold; it stays so. */
vo_result vo_polygonise_improve(vo_context *ctx, vo_field field, double cell, int rounds,
                                vo_surface_parts *s);

#endif
