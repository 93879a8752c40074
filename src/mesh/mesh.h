/* The cloth mesh: a flat fabric (verts, 2D) and where it is in the world (nodes, 3D).
 *
 *      material space                      world
 *      v0----v1   v4----v5                  n0------n1=n4------n5
 *      |  f0/ |   |  f2/ |     vert_node     |  f0 / | f2  / |
 *      |  / f1|   |  / f3|    ---------->    |   / f1|   / f3|
 *      v2----v3   v6----v7                  n2------n3=n6------n7
 *
 * Faces join verts and carry a label (which material). Edges join nodes, since bending and seams
 * happen in the world: the edge n1-n3 above is a seam, with a different pair of verts on each side.
 * So discontinuous material coordinates need nothing special anywhere.
 *
 * Everything is an index into flat arrays, hot and cold apart. Half-edges were rejected: remeshing
 * walks faces around an edge, forces and output walk arrays, and an edge with two faces and a face
 * with three edges answer both with half the memory.
 *
 * Invariants of a built mesh (mesh/validate.h checks them on the way in):
 *  1. a face has three different verts of three different nodes and, unless the mesh is for an
 *     obstacle, positive material area;
 *  2. an edge has one or two faces, and two faces cross it in opposite directions;
 *  3. face_edge[f][i] joins the nodes of face_vert[f][i] and face_vert[f][(i + 1) % 3];
 *  4. edge_face[e][0] crosses it from edge_node[e][0] to edge_node[e][1]; edge_face[e][1] is the
 *     other one, or -1;
 *  5. every vert belongs to a node; every coordinate is finite and below 1e30. */
#ifndef VO_MESH_MESH_H
#define VO_MESH_MESH_H

#include "core/context.h"
#include "math/mat.h"

#include <voile/mesh.h>

struct vo_mesh {
    vo_context *ctx;
    vo_mesh_use use;   /* what it was validated for */
    uint64_t topology; /* grows with every change of connectivity */

    int node_count, node_capacity;
    vo_vec3 *node_x; /* m */
    vo_vec3 *node_v; /* m/s */
    int *node_label; /* 0: none */
    vo_vec3 *node_y; /* plastic embedding (ARCSim's ny), m; NULL if no node has one */

    int vert_count, vert_capacity;
    vo_vec2 *vert_u; /* m */
    int *vert_node;
    int *vert_label;
    int *vert_patch; /* which patch of the fabric (mesh/patch.h): numbered by their first verts when
                        the cloth was made, and the same ever after, whatever edits do */

    int edge_count, edge_capacity;
    int (*edge_node)[2];
    int (*edge_face)[2];
    double *edge_rest_angle; /* rad; positive as vo_mesh_dihedral_angle counts */
    int *edge_label;         /* nonzero: a crease or seam that remeshing keeps */
    double *edge_damage;     /* 0: none */

    int face_count, face_capacity;
    int (*face_vert)[3];
    int (*face_edge)[3];
    int *face_label;             /* index into the cloth's materials */
    double *face_damage;         /* 0: none */
    double (*face_curvature)[4]; /* plastic curvature, 2x2; NULL if no face has one */
};

/* Room for at least so many elements each; new ones are zero and the counts stay. On failure the
 * mesh is as it was, but may have room. */
vo_result vo_mesh_reserve(vo_mesh *m, int nodes, int verts, int edges, int faces);
/* Makes the arrays that most meshes do without: node_y, face_curvature; cleared. */
vo_result vo_mesh_enable(vo_mesh *m, bool embedding, bool curvature);

/* Takes rows of nodes, verts, edges and faces (in this order) in another order: row i becomes what
 * row from[i] was, and there are `count` of them. The indices in them are left as they are. The
 * scratch memory holds the longest column: 32 bytes a row. */
void vo_mesh_gather(vo_mesh *m, int *const from[4], const int count[4], void *scratch);

/* What a file says before anybody believes it; the validator reads this, the builder consumes it.
 * Only node_x, vert_u, vert_node and face_vert must be there; any other array may be NULL, which
 * means zero everywhere (node_y: none anywhere). mesh/data.h grows the arrays. */
typedef struct vo_mesh_data {
    int node_count, vert_count, face_count, edge_count;
    int node_capacity, vert_capacity, face_capacity, edge_capacity;
    vo_vec3 *node_x, *node_v;
    vo_vec3 *node_y; /* NaN where the file gave none */
    int *node_label;
    int *node_line; /* these lines are of the file, 0 if it did not come from one */
    vo_vec2 *vert_u;
    int *vert_node; /* -1: no face uses this vert */
    int *vert_label;
    int *vert_patch; /* NULL: the builder numbers them; not grown by mesh/data.h */
    int *vert_line;
    int (*face_vert)[3];
    int *face_label;
    int *face_line;
    double *face_damage;
    double (*face_curvature)[4];
    int (*edge_node)[2]; /* only the edges the file names (e a b) */
    double *edge_rest_angle;
    int *edge_label;
    int *edge_line;
    double *edge_damage;
} vo_mesh_data;

void vo_mesh_data_free(vo_context *ctx, vo_mesh_data *data);

/* Makes edges and adjacency from data in which vo_mesh_validate found nothing fatal for its use.
 *
 * Edges are numbered by first appearance in the faces, so a mesh built from the same faces is the
 * same. Verts that no face uses are left out; nodes never are, since scenes name them by index.
 * A patch (faces joined by common verts) that is turned over as a whole is mirrored, u -> -u: such
 * is the custom of modelling tools for the left half of a garment. An obstacle may have edges of
 * more than two faces, or faces that disagree about front and back: there several edges join the
 * same two nodes, and each keeps invariants 2 to 4. */
vo_result vo_mesh_build(vo_context *ctx, const vo_mesh_data *data, vo_mesh **out);

vo_result vo_mesh_copy(vo_context *ctx, const vo_mesh *mesh, vo_mesh **out);

static inline int vo_mesh_face_node(const vo_mesh *m, int face, int corner) {
    return m->vert_node[m->face_vert[face][corner]];
}
/* Material area, m^2. */
double vo_mesh_face_area(const vo_mesh *m, int face);
/* m, in material space. */
double vo_mesh_face_longest_side(const vo_mesh *m, int face);
/* m, of the box around all nodes; zero where there are none. */
vo_vec3 vo_mesh_size(const vo_mesh *m);
/* Columns: the material edges v0->v1 and v0->v2. */
vo_mat2 vo_mesh_face_dm(const vo_mesh *m, int face);
/* Normal of the world triangle, not normalized (length is twice the area). */
vo_vec3 vo_mesh_face_normal(const vo_mesh *m, int face);
/* Corner of face `side` (0 or 1) of the edge that is not on the edge, as a vert; -1 where there is
 * no such face. */
int vo_mesh_edge_opposite(const vo_mesh *m, int edge, int side);
/* Verts of the edge's two ends as face `side` sees them, in the order of edge_node; -1 where there
 * is no such face. */
void vo_mesh_edge_verts(const vo_mesh *m, int edge, int side, int verts[2]);

/* How far the cloth is folded along an edge, in rad:
 *
 *                 1                 The hinge: 0 and 1 are edge_node, 2 is opposite in edge_face[0]
 *               / | \               (which crosses the edge from 0 to 1), 3 in edge_face[1]. Seen
 *             /   |   \             from the side the normals n0 and n1 point to, face 0 is on
 *            2 n0 | n1 3            the left.
 *             \   |   /
 *               \ | /               angle = atan2(e . (n0 x n1), n0 . n1), e from 0 to 1, unit
 *                 0
 *
 * 0 is flat; positive is a ridge, both faces falling away from their normals; negative a valley.
 * It does not depend on which end is called 0. A boundary edge has 0. */
double vo_mesh_dihedral_angle(const vo_mesh *m, int edge);

#endif
