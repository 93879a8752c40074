/* The user's mesh where it is too coarse for the folds that were simulated.
 *
 * Nodes read off the surface one by one are right each by itself; but where a fold is tighter than
 * the edges that cross it, some edges bridge it and some do not, as their ends happen to lie:
 *
 *          fold  ______|______             the mesh's edges       /\/\/\/\/
 *                                          and what is seen of them along the fold
 *
 * This is aliasing, and the remedy is the usual one: what the mesh cannot show is taken out before
 * it is sampled. There the nodes are those of the mesh whose faces, as a whole, are nearest to the
 * surface, and smooth:
 *
 *      E(x) = integral of |sum of x_i phi_i(u) - X(u)|^2 du  +  k sum of A_i |(L x)_i|^2
 *
 * with X the surface over the flat fabric, phi_i the hat functions of the mesh, A_i a third of the
 * area around node i, and L the cotangent Laplacian, which is 0 on anything flat and scale-free in
 * two dimensions. Its square hardly touches waves of eight edges (8 % less) and takes most of those
 * of two. On borders L is the second difference along the border. It is a low-pass filter of fourth
 * order, and linear, so velocities go the same way.
 *
 * Where the faces follow the surface already nodes stay exactly as they were read off: a node is
 * moved by the share by which the mesh around it is off, from none at a thirtieth of an edge to all
 * at a tenth. Creases, and what is held, stay in any case. */
#ifndef VO_SIM_INPUT_MESH_FILTER_H
#define VO_SIM_INPUT_MESH_FILTER_H

#include "mesh/smooth.h"

/* The surface: faces of a mesh, and curved ones through its nodes. */
typedef struct vo_simulated_surface {
    const vo_mesh *now;
    const vo_locator *locator;
    const vo_smooth *smooth;
} vo_simulated_surface;

/* Filters the sampled x [input nodes] and v (may be NULL) in place. Nodes marked in `held` [input
 * nodes] (NULL: none) do not move. */
vo_result vo_input_mesh_filter(vo_context *ctx, const vo_mesh *input,
                               const vo_simulated_surface *surface, const unsigned char *held,
                               vo_vec3 *x, vo_vec3 *v);

#endif
