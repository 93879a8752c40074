/* Low-pass filter for sampling simulated cloth on a coarser input mesh.
 *
 * Sampling the surface at each node is exact per node. Where a fold is narrower than the edges that
 * cross it, some edges bridge it and others do not, depending on the positions of their ends:
 *
 *          fold  ______|______             the edges along the fold   /\/\/\/\/
 *
 * This is aliasing. The remedy is to remove the frequencies that the mesh cannot represent before
 * sampling: the nodes minimise the distance of the faces from the surface plus a smoothness term,
 *
 *      E(x) = integral of |sum of x_i phi_i(u) - X(u)|^2 du  +  k sum of A_i |(L x)_i|^2
 *
 * with X the surface over material space, phi_i the hat functions of the mesh, A_i a third of the
 * area around node i, and L the cotangent Laplacian, which vanishes on flat cloth and is scale-free
 * in two dimensions. The smoothness term reduces waves of eight edges by 8 % and removes most of
 * the amplitude of waves of two edges. On borders L is the second difference along the border. The
 * filter is of fourth order and linear; velocities are filtered by the same operator.
 *
 * Nodes keep their sampled positions where the faces already follow the surface: the displacement
 * is weighted by the deviation of the faces around the node, from 0 at a thirtieth of an edge to 1
 * at a tenth. Nodes on creases and held nodes keep their positions. */
#ifndef VO_SIM_INPUT_MESH_FILTER_H
#define VO_SIM_INPUT_MESH_FILTER_H

#include "mesh/smooth.h"

/* The simulated surface: the mesh, its locator in material space, and its smooth patches. */
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
