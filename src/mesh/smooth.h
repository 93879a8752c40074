/* A smooth surface through the nodes of a mesh, for showing it: what is coarse looks round, not
 * faceted.
 *
 * Each face becomes a cubic triangle of Bezier, as the "curved PN triangles" of Vlachos et al.
 * (2001): it passes through its corners and is tangential there to planes that all faces around a
 * node have in common.
 *
 *               2            Ten control points: the corners, two on each edge, one in the middle.
 *             .   .          Those of an edge are kept with the edge, so the two faces beside it,
 *           .       .        also those of a seam, meet along the same curve.
 *          21       12
 *         .           .      01 = x0 + h, h tangential, about a third of the edge long:
 *       20     m       02       |h| = 2 |e| / (3 (1 + cos a)),  a between h and the edge e,
 *      .                 .   which is the best cubic arc of a circle, while the original's
 *     0 . . 01 . . 10 . . 1  projection of e / 3 flattens what bends by more than a few degrees.
 *
 * Bending by more than 45 degrees between tangent and edge is a fold that the mesh does not
 * resolve; there the angle used falls again, to none at 90 degrees: folds stay as sharp as they
 * are, and nothing swells out. So a face never leaves the plane of its corners by more than a
 * quarter of its longest edge. An edge of a round surface bends alike at both ends. One that bends
 * at one end only leads from a fold to flat cloth. Where that is coarse beside a fine fold, it
 * would stand out as a spike, the longer the larger; so with s and s' the sines at its ends
 *
 *      s <= 2 s' + 0.4 l / |e|,   l: the shortest edge at the node;
 *
 * faces at the end of such a fold give up their common tangents.
 *
 * Normals belong to sectors, the faces around a node up to the next crease (a labelled edge) or
 * border; seams are no end. They begin with the weights of Max (1999), exact on any sphere. On a
 * quadratic surface, as on spheres and cylinders, the mean of two nodes' normals is perpendicular
 * to the line between them,
 *
 *      (N_i + N_j) . (x_j - x_i) = 0,
 *
 * so each node's edges are least squares for two angles by which its normal may be off. A sector
 * that does not close around its node sees its faces on one side only and would leave the border
 * half as round as it is: its normal is extrapolated from its neighbours'. Then a few sweeps over
 * all sectors make normals agree on meshes as irregular as remeshing leaves them. Without limits
 * that would spread a fold as ripples over the flat cloth beside it; so a normal never goes further
 * from where it began than those of its own faces are, and none where they all are the same.
 *
 * It is a surface to look at: between nodes it is not the one that collisions were resolved for. */
#ifndef VO_MESH_SMOOTH_H
#define VO_MESH_SMOOTH_H

#include "mesh/locate.h"

typedef struct vo_smooth {
    vo_context *ctx;
    const vo_mesh *mesh; /* not owned */
    int face_count, edge_count, sector_count;
    int (*sector)[3];           /* [face_count] of each corner */
    vo_vec3 *normal;            /* [sector_count] unit, or zero where no face has an area */
    vo_vec3 (*edge_control)[2]; /* [edge_count] near its first and second node, m */
} vo_smooth;

/* From the present node positions, for a mesh without holes. */
vo_result vo_smooth_create(vo_context *ctx, const vo_mesh *mesh, vo_smooth *out);
void vo_smooth_free(vo_smooth *smooth);

/* The smooth surface at a spot in a face; `beyond` is not looked at. At a corner exactly the node.
 */
vo_vec3 vo_smooth_point(const vo_smooth *smooth, const vo_spot *spot);

/* The flat face there. */
vo_vec3 vo_spot_point(const vo_mesh *mesh, const vo_spot *spot, const vo_vec3 *node_value);

/* m in the world, by which the flat face would go on over `beyond`. No further than a quarter of
 * its longest side in the flat fabric is believed, and no stretch of more than two. */
vo_vec3 vo_spot_overhang(const vo_mesh *mesh, const vo_spot *spot);

#endif
