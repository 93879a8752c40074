/* Smooth surface through the nodes of a mesh, for rendering: coarse meshes look round, not faceted.
 *
 * Each face becomes a cubic Bezier triangle (Vlachos et al. 2001, "Curved PN triangles"): it
 * interpolates its corners and is tangential there to planes that all faces around a node share.
 *
 *               2            Ten control points: the corners, two per edge, one in the middle.
 *             .   .          Those of an edge are stored with the edge, so the two faces beside it,
 *           .       .        also at a seam, have the same boundary curve.
 *          21       12
 *         .           .      01 = x0 + h, h tangential, about a third of the edge long:
 *       20     m       02       |h| = 2 |e| / (3 (1 + cos a)),  a between h and the edge e,
 *      .                 .   the best cubic approximation of a circular arc; the original's
 *     0 . . 01 . . 10 . . 1  projection of e / 3 flattens bends of more than a few degrees.
 *
 * A bend of more than 45 degrees between tangent and edge is a fold that the mesh does not resolve;
 * there the angle used decreases again, to zero at 90 degrees: folds stay sharp and do not bulge.
 * So a face never leaves the plane of its corners by more than a quarter of its longest edge. An
 * edge of a round surface bends equally at both ends. One that bends at one end only leads from a
 * fold to flat cloth, where a coarse face next to a fine fold would form a spike; so with s and s'
 * the sines at its ends
 *
 *      s <= 2 s' + 0.4 l / |e|,   l: the shortest edge at the node;
 *
 * faces at the end of such a fold do not keep common tangents.
 *
 * Normals belong to sectors: the faces around a node up to the next crease (a labelled edge) or
 * border; seams do not end a sector. They start with the weights of Max (1999), exact on spheres.
 * On quadratic surfaces, as on spheres and cylinders, the mean of two nodes' normals is
 * perpendicular to the line between them,
 *
 *      (N_i + N_j) . (x_j - x_i) = 0,
 *
 * so the edges of a node give a least-squares problem for two angles by which its normal is
 * corrected. A sector that does not close around its node has faces on one side only, which would
 * halve the curvature at a border: its normal is extrapolated from its neighbours. A few sweeps
 * over all sectors then make the normals consistent on the irregular meshes that remeshing
 * produces. To keep folds from spreading ripples over flat cloth beside them, a normal never moves
 * further from its start than the normals of its own faces, and not at all where these are equal.
 *
 * The surface is for display only: between nodes, collisions are not resolved on it. */
#ifndef VO_MESH_SMOOTH_H
#define VO_MESH_SMOOTH_H

#include "mesh/locate.h"

typedef struct vo_smooth {
    vo_context *ctx;
    const vo_mesh *mesh; /* not owned */
    int face_count, edge_count, sector_count;
    int (*sector)[3];           /* [face_count] sector of each corner */
    vo_vec3 *normal;            /* [sector_count] unit, or zero if no face has an area */
    vo_vec3 (*edge_control)[2]; /* [edge_count] near its first and second node, m */
} vo_smooth;

/* Builds the surface from the current node positions of a mesh without free slots. */
vo_result vo_smooth_create(vo_context *ctx, const vo_mesh *mesh, vo_smooth *out);
void vo_smooth_free(vo_smooth *smooth);

/* The smooth surface at a location; outside_offset is ignored. At a corner exactly the node. */
vo_vec3 vo_smooth_point(const vo_smooth *smooth, const vo_face_location *location);

/* Linear interpolation of node values at a location. */
vo_vec3 vo_face_location_point(const vo_mesh *mesh, const vo_face_location *location,
                               const vo_vec3 *node_value);

/* World displacement, m, of outside_offset by linear extrapolation of the face. Offsets beyond a
 * quarter of the face's longest side and stretches above two are clamped. */
vo_vec3 vo_face_location_extrapolate(const vo_mesh *mesh, const vo_face_location *location);

#endif
