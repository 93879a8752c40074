/* A finer mesh of the same cloth: every face is cut in four by the middles of its sides.
 *
 *               c             The pieces have the shape of the whole: triangles stay as good
 *              / \            as they are, material areas add up exactly, and the mean edge is
 *            m2---m1          halved at each turn.
 *            / \ / \
 *           a---m0--b
 *
 * Old nodes, verts and their numbers stay; new nodes come behind them, one an edge in the order of
 * the edges. A new node lies in the middle of its edge in the world and moves with the mean of its
 * ends. It has one vert, or two where the edge is a seam, that is, where the faces on both sides do
 * not share both verts; so a seam stays closed and each patch flat.
 *
 * What was said of an element goes to its pieces: label, damage and plastic curvature of a face;
 * label, damage and rest angle of an edge, whose halves are folded as it was, while the new edges
 * within old faces lie flat. A new node gets the label of its ends where both have the same and
 * the edge is on the border: labels are how handles name a rim or a hem, and that is still the same
 * rim. Within the cloth two labelled nodes that happen to be neighbours say nothing about what lies
 * between. */
#ifndef VO_MESH_REFINE_H
#define VO_MESH_REFINE_H

#include "mesh/mesh.h"

/* Mean length of the sides of all faces in material space, m. */
double vo_mesh_mean_side(const vo_mesh *m);

/* How many turns bring the mean side nearest to `edge_length`, as a ratio: from 0.7 to 1.4 of it,
 * or less where it was less before. */
int vo_mesh_refine_turns(const vo_mesh *m, double edge_length);

/* Replaces the mesh, which is one for cloth, by one refined so many times. On failure it stays what
 * it was: VO_BAD_CALL where it would have more than 4 million faces, or faces of no area. */
vo_result vo_mesh_refine(vo_mesh **mesh, int turns);

#endif
