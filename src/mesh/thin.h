/* A closed surface with fewer faces, on some of its own nodes.
 *
 *         a---b                a---b         Node u goes onto a neighbour v: the two faces beside
 *        / \ / \              /|\   \        the edge vanish, the others around u get v instead.
 *       f---u---v     ->     f | \---v       Nodes that stay keep their place, so whatever is known
 *        \ / \ /              \|/   /        of them (shares in bones) holds as it was.
 *         e---d                e---d
 *
 * Which go first: those whose new faces have the shortest edges and are turned least, so that faces
 * grow evenly all over, and a little less where the surface bends. Flat parts alone would give up
 * their nodes for fingers otherwise, and cloth lies on the flat parts. What cuts off much of the
 * inside goes late: nodes that stay where they are cannot make up for it. It goes in rounds: every
 * node names its best neighbour, then the cheapest go as long as no two are neighbours.
 *
 * mesh/polygonise.h has fewer faces in another way: it knows the function whose surface it is, and
 * makes new nodes.
 *
 * The surface stays closed, manifold and of the same kind (a neighbour is refused that has other
 * than two neighbours in common); faces turn by less than a sixth of a turn a time and do not
 * become slivers. That none passes through another is for the caller to see. */
#ifndef VO_MESH_THIN_H
#define VO_MESH_THIN_H

#include "core/context.h"
#include "math/vec.h"

/* Takes faces out until there are at most `most`, or nothing more can go. *face_count and `face`
 * are those of a closed manifold surface and become those that are left, in their order; nodes
 * keep their numbers, some without a face. The same input gives the same bits. */
vo_result vo_surface_thin(vo_context *ctx, int node_count, const vo_vec3 *x, int most,
                          int *face_count, int (*face)[3]);

#endif
