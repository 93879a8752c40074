/* The cloth mesh: a flat fabric (verts, 2D material space) embedded in the world (nodes, 3D).
 *
 *      material space                      world
 *      v0----v1   v4----v5                  n0------n1=n4------n5
 *      |  f0/ |   |  f2/ |     vert_node     |  f0 / | f2  / |
 *      |  / f1|   |  / f3|    ---------->    |   / f1|   / f3|
 *      v2----v3   v6----v7                  n2------n3=n6------n7
 *
 * Faces join verts and have a label (the material). Edges join nodes, since bending and seams exist
 * in the world: the edge n1-n3 above is a seam, with a different pair of verts on each side. So
 * discontinuous material coordinates need no special treatment.
 *
 * All connectivity is stored as indices in flat arrays, hot and cold data separate. A half-edge
 * structure was rejected: remeshing enumerates faces around an edge, forces and output iterate over
 * arrays, and edges with two faces and faces with three edges serve both with half the memory.
 *
 * Invariants of a built mesh (mesh/validate.h checks the input):
 *  1. a face has three different verts of three different nodes and, unless the mesh is for an
 *     obstacle, positive material area;
 *  2. an edge has one or two faces, and two faces traverse it in opposite directions;
 *  3. face_edge[f][i] joins the nodes of face_vert[f][i] and face_vert[f][(i + 1) % 3];
 *  4. edge_face[e][0] traverses it from edge_node[e][0] to edge_node[e][1]; edge_face[e][1] is the
 *     other face, or -1;
 *  5. every vert belongs to a node; every coordinate is finite and below 1e30. */
#ifndef VO_MESH_MESH_H
#define VO_MESH_MESH_H

#include "core/context.h"
#include "math/mat.h"

#include <voile/mesh.h>

struct vo_mesh {
    vo_context *ctx;
    vo_mesh_use use;   /* the use it was validated for */
    uint64_t topology; /* version, see vo_mesh_change_topology; never saved */

    int node_count, node_capacity;
    vo_vec3 *node_x; /* m */
    vo_vec3 *node_v; /* m/s */
    int *node_label; /* 0: none */
    vo_vec3 *node_y; /* plastic embedding (ARCSim's ny), m; NULL if no node has one */

    int vert_count, vert_capacity;
    vo_vec2 *vert_u; /* m */
    int *vert_node;
    int *vert_label;
    int *vert_patch; /* patch of the fabric (mesh/patch.h), numbered by first vert when the cloth
                        was created; edits never renumber patches */

    int edge_count, edge_capacity;
    int (*edge_node)[2];
    int (*edge_face)[2];
    double *edge_rest_angle; /* rad; sign as vo_hinge_angle (material/bend.h) */
    int *edge_label;         /* nonzero: a crease or seam that remeshing preserves */
    double *edge_damage;     /* 0: none */

    int face_count, face_capacity;
    int (*face_vert)[3];
    int (*face_edge)[3];
    int *face_label;             /* index into the cloth's materials */
    double *face_damage;         /* 0: none */
    double (*face_curvature)[4]; /* plastic curvature, 2x2; NULL if no face has one */
};

/* Sets a new topology version. Call it after every change of faces, verts or their numbering.
 * Versions are unique within a context, so two meshes have the same version only if one is a copy
 * of the other; a mesh that replaces another, for example when a frame is read, has a new version.
 */
static inline void vo_mesh_change_topology(vo_mesh *m) {
    m->topology = vo_context_next_version(m->ctx);
}

/* Grows the capacities to at least these counts; new rows are zero, the counts do not change. On
 * failure the contents are unchanged. */
vo_result vo_mesh_reserve(vo_mesh *m, int nodes, int verts, int edges, int faces);
/* Allocates the optional arrays node_y and face_curvature, cleared. */
vo_result vo_mesh_add_optional_arrays(vo_mesh *m, bool embedding, bool curvature);

/* Permutes the rows of nodes, verts, edges and faces (in this order): row i becomes the former row
 * from[i], and `count` rows remain. Indices stored in the rows are not changed. `scratch` must hold
 * the widest column: 32 bytes per row. */
void vo_mesh_permute(vo_mesh *m, int *const from[4], const int count[4], void *scratch);

/* Unvalidated mesh data, for example from a file: input of the validator and the builder. Only
 * node_x, vert_u, vert_node and face_vert are required; any other array may be NULL, which means
 * zero everywhere (node_y: none). mesh/data.h grows the arrays. */
typedef struct vo_mesh_data {
    int node_count, vert_count, face_count, edge_count;
    int node_capacity, vert_capacity, face_capacity, edge_capacity;
    vo_vec3 *node_x, *node_v;
    vo_vec3 *node_y; /* NaN where the file has none */
    int *node_label;
    int *node_line; /* *_line: line in the file, 0 if there is no file */
    vo_vec2 *vert_u;
    int *vert_node; /* -1: no face uses this vert */
    int *vert_label;
    int *vert_patch; /* NULL: numbered by the builder; not grown by mesh/data.h */
    int *vert_line;
    int (*face_vert)[3];
    int *face_label;
    int *face_line;
    double *face_damage;
    double (*face_curvature)[4];
    int (*edge_node)[2]; /* only the edges that the file lists (e a b) */
    double *edge_rest_angle;
    int *edge_label;
    int *edge_line;
    double *edge_damage;
} vo_mesh_data;

void vo_mesh_data_free(vo_context *ctx, vo_mesh_data *data);

/* Builds edges and adjacency from data without defects that are fatal for its use.
 *
 * Edges are numbered by first appearance in the faces, so the same faces give the same mesh. Verts
 * without faces are omitted; nodes are kept, since scenes refer to them by index. A patch (faces
 * joined by common verts) that is inverted as a whole is mirrored, u -> -u: modelling tools export
 * the left half of a garment like this. Obstacles may have edges with more than two faces, or faces
 * of inconsistent orientation: there, several edges join the same two nodes, and each satisfies
 * invariants 2 to 4. */
vo_result vo_mesh_build(vo_context *ctx, const vo_mesh_data *data, vo_mesh **out);

vo_result vo_mesh_copy(vo_context *ctx, const vo_mesh *mesh, vo_mesh **out);

static inline int vo_mesh_face_node(const vo_mesh *m, int face, int corner) {
    return m->vert_node[m->face_vert[face][corner]];
}
/* Material area of a face, m^2. */
double vo_mesh_face_area(const vo_mesh *m, int face);
/* Length of the longest side of a face in material space, m. */
double vo_mesh_face_longest_side(const vo_mesh *m, int face);
/* Extent of the bounding box of all nodes, m; zero without nodes. */
vo_vec3 vo_mesh_size(const vo_mesh *m);
/* Columns: the material edges v0->v1 and v0->v2. */
vo_mat2 vo_mesh_face_dm(const vo_mesh *m, int face);
/* Normal of the world triangle, not normalized: its length is twice the area. */
vo_vec3 vo_mesh_face_normal(const vo_mesh *m, int face);
/* The vert opposite the edge in face `side` (0 or 1) of the edge; -1 if there is no face. */
int vo_mesh_edge_opposite(const vo_mesh *m, int edge, int side);
/* The verts of the edge's ends in face `side`, in the order of edge_node; -1 if there is no
 * face. */
void vo_mesh_edge_verts(const vo_mesh *m, int edge, int side, int verts[2]);

#endif
