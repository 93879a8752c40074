/* The user's own mesh, carried by a mesh that remeshing has changed.
 *
 *      input                   now                       input's nodes now
 *      verts: patch, u   ->    locate: face, weights ->  mean over the verts of a node
 *
 * Nodes of the input come back in their own order, so files of the user can be written again with
 * nothing but new positions. */
#ifndef VO_SIM_ORIGINAL_H
#define VO_SIM_ORIGINAL_H

#include "mesh/mesh.h"

#include <voile/run.h>

/* Where the nodes of `input` are on the surface of `now`, into x, and how they move, into v (NULL:
 * not asked for); both have input->node_count entries. `now` is `input` after any edits and motion.
 * Nodes without a face are where the input has them, at rest. Where `now` has the faces of the
 * input, its nodes are copied. Nodes that are marked in `held` [input nodes] (NULL: none) are just
 * where their point of the fabric is, also where others are moved to follow tight folds. */
vo_result vo_original_evaluate(vo_context *ctx, const vo_mesh *input, const vo_mesh *now,
                               vo_surface_kind surface, const unsigned char *held, vo_vec3 *x,
                               vo_vec3 *v);

/* original_save.c: writes the mesh that a cloth was given to the scene with, as OBJ, where it is
 * now: the file that the scene names with nothing changed but positions, or the grid. */
vo_result vo_original_save(const vo_sim *sim, int cloth, vo_surface_kind surface, const char *path);

#endif
