/* The user's own mesh, carried by a mesh that remeshing has changed.
 *
 *      input                   now                       input's nodes now
 *      verts: patch, u   ->    locate: face, weights ->  mean over the verts of a node
 *
 * Nodes of the input come back in their own order, so files of the user can be written again with
 * nothing but new positions. */
#ifndef VO_SIM_INPUT_MESH_H
#define VO_SIM_INPUT_MESH_H

#include "mesh/mesh.h"

#include <voile/run.h>

/* Evaluates the nodes of `input` on the surface of `now`: positions x and, unless NULL, velocities
 * v, each with input->node_count entries. `now` is `input` after edits and motion. Nodes without a
 * face keep their input position, at rest. If the faces are equal, nodes are copied. Nodes marked
 * in `held` [input nodes] (NULL: none) are not moved by the filter for tight folds. */
vo_result vo_input_mesh_evaluate(vo_context *ctx, const vo_mesh *input, const vo_mesh *now,
                                 vo_surface_kind surface, const unsigned char *held, vo_vec3 *x,
                                 vo_vec3 *v);

/* input_mesh_save.c: writes the mesh that a cloth was given to the scene with, as OBJ, where it is
 * now: the file that the scene names with nothing changed but positions, or the grid. */
vo_result vo_input_mesh_save(const vo_sim *sim, int cloth, vo_surface_kind surface,
                             const char *path);

#endif
