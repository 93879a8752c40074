/* Midpoint subdivision of a cloth mesh: every face is divided into four by the midpoints of its
 * sides.
 *
 *               c             The parts are similar to the face: triangle quality is unchanged,
 *              / \            material areas add up exactly, and the mean edge length is halved by
 *            m2---m1          each level.
 *            / \ / \
 *           a---m0--b
 *
 * Old nodes, verts and their numbers are kept; new nodes follow, one per edge in the order of the
 * edges. A new node is at the midpoint of its edge in the world, with the mean velocity of its
 * ends. It has one vert, or two on a seam, where the faces on the two sides do not share both
 * verts; so seams stay closed and patches flat.
 *
 * Parts inherit the properties of their element: label, damage and plastic curvature of a face;
 * label, damage and rest angle of an edge. New edges inside old faces are flat at rest. A new node
 * on a border edge gets the label of its ends if they are equal: handles refer to rims and hems by
 * label. In the interior, two adjacent labelled nodes do not imply a labelled line. */
#ifndef VO_MESH_REFINE_H
#define VO_MESH_REFINE_H

#include "mesh/mesh.h"

/* The number of subdivision levels that brings the mean side closest to `edge_length`, as a ratio:
 * to 0.7 to 1.4 of it, or less if it was less before. */
int vo_mesh_refine_levels(const vo_mesh *m, double edge_length);

/* Replaces a cloth mesh by one subdivided `levels` times. On failure the mesh is unchanged;
 * VO_BAD_ARGUMENT if it would have more than 4 million faces, or faces without area. */
vo_result vo_mesh_refine(vo_mesh **mesh, int levels);

#endif
