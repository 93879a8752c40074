/* Decimation of a closed surface onto a subset of its nodes by half-edge collapses.
 *
 *         a---b                a---b         Node u is collapsed onto a neighbour v: the two
 *        / \ / \              /|\   \        faces at the edge vanish, the others around u get v
 *       f---u---v     ->     f | \---v       instead. The remaining nodes do not move, so data
 *        \ / \ /              \|/   /        per node, such as skinning weights, stays valid.
 *         e---d                e---d
 *
 * Cost: nodes whose new faces have short edges and turn little go first, so that faces grow evenly,
 * slightly less where the surface bends. A purely geometric error would remove all nodes of flat
 * parts before any of the fingers, but cloth rests on the flat parts. Collapses that remove much
 * volume are expensive, since the remaining nodes cannot compensate for it. In each round every
 * node selects its cheapest neighbour; then the cheapest collapses whose nodes are not adjacent are
 * made.
 *
 * mesh/polygonise.h coarsens differently: it has the implicit function and creates new nodes.
 *
 * The surface stays closed, manifold and of the same topology (link condition); faces turn by less
 * than 60 degrees per collapse and do not become slivers. Self-intersections are not checked. */
#ifndef VO_MESH_DECIMATE_H
#define VO_MESH_DECIMATE_H

#include "core/context.h"
#include "math/vec.h"

/* Removes faces until there are at most `max_faces`, or no collapse is possible. `face` must be a
 * closed manifold surface; *face_count and `face` are replaced by the remaining faces in their
 * order. Nodes keep their numbers, some without a face. Deterministic. */
vo_result vo_surface_decimate(vo_context *ctx, int node_count, const vo_vec3 *x, int max_faces,
                              int *face_count, int (*face)[3]);

#endif
