/* Voile: triangle meshes of cloth and obstacles.
 *
 * A vert is a point of the flat fabric (material space, metres, x along the warp U and y along the
 * weft V); a node is a point in the world. A node on a seam has several verts. Faces join verts. */
#ifndef VOILE_MESH_H
#define VOILE_MESH_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_mesh vo_mesh;

/* Use of a mesh, which determines how it is validated. Cloth needs a material space and at most two
 * faces per edge; an obstacle needs only triangles in the world, so closed, non-manifold and
 * unwrapped surfaces are valid. Cloth meshes can be used as obstacles, but not vice versa. */
typedef enum vo_mesh_use { VO_MESH_FOR_CLOTH, VO_MESH_FOR_OBSTACLE } vo_mesh_use;

/* Read-only view of a mesh's arrays. Valid until the mesh changes. */
typedef struct vo_mesh_view {
    int node_count, vert_count, edge_count, face_count;
    uint64_t topology;         /* version; changes whenever faces, verts or their numbering change.
                                  Equal values for the same mesh mean the same topology */
    const vo_vec3 *node_x;     /* [node_count] world position, m */
    const vo_vec3 *node_v;     /* [node_count] velocity, m/s */
    const int *node_label;     /* [node_count] */
    const vo_vec2 *vert_u;     /* [vert_count] material position, m */
    const int *vert_node;      /* [vert_count] */
    const int (*edge_node)[2]; /* [edge_count] */
    const int (*edge_face)[2]; /* [edge_count] second is -1 on a boundary */
    const int (*face_vert)[3]; /* [face_count] counter-clockwise in material space */
    const int *face_label;     /* [face_count] index into the cloth's materials */
} vo_mesh_view;

/* Creates a flat sheet in the plane z = 0 with its corner at the origin: `columns` x `rows` cells
 * along x (warp) and y (weft), two faces per cell with alternating diagonals. Node (i, j) has the
 * index j * (columns + 1) + i. */
VO_API vo_result vo_mesh_create_grid(vo_context *ctx, double width, double height, int columns,
                                     int rows, vo_mesh **out);

/* A sheet that is cut as an annular sector and closed around the z axis: a skirt or, open, a cape.
 * Defaults of vo_cone_def_default in square brackets. */
typedef struct vo_cone_def {
    double top_radius;    /* [0] m, positive; of the upper ring, in the plane z = 0 */
    double bottom_radius; /* [0] m, at least top_radius */
    double length;        /* [0] m along the fabric, at least bottom_radius - top_radius */
    double angle;         /* [360] degrees around the axis, 10 to 360; the opening faces +y */
    double depth;         /* [1] ratio of the axes of the upper ring along y and x, 0.2 to 1, at
                             equal length; rings become circles towards the bottom */
    int vertices;         /* [200] nodes of the mesh, exactly; at least three per ring */
    int rings;            /* [0] at least 2; 0: as many as nearly equilateral triangles need */
} vo_cone_def;

VO_API vo_cone_def vo_cone_def_default(void);

/* Creates a cloth mesh whose rest shape is the flat sector; with depth 1 it has no strain. Faces
 * are oriented outwards. Nodes of the upper ring have label 1, those of the lower one label 2. */
VO_API vo_result vo_mesh_create_cone(vo_context *ctx, const vo_cone_def *def, vo_mesh **out);

/* Creates a mesh from arrays, which are copied. `uv` has one entry per vert and `vert_node` the
 * node of each vert; if `uv` is NULL, each node has one vert at its (x, y). Faces index verts.
 * Defects that are fatal for the use fail with VO_BAD_DATA and a message that contains the first
 * one and the number of the others. Verts without faces are omitted (later ones move up), and a
 * patch of cloth whose uv are inverted as a whole is mirrored; both are logged as warnings. */
VO_API vo_result vo_mesh_create(vo_context *ctx, int node_count, const vo_vec3 *node_x,
                                int vert_count, const vo_vec2 *uv, const int *vert_node,
                                int face_count, const int (*face_vert)[3], vo_mesh_use use,
                                vo_mesh **out);

/* Primitive shapes for obstacles. All are closed and oriented outwards. */
typedef enum vo_shape_kind {
    VO_SHAPE_SPHERE,   /* around the origin: radius */
    VO_SHAPE_BOX,      /* around the origin: size */
    VO_SHAPE_PLATE,    /* a box of this size with its top face in the plane z = 0 */
    VO_SHAPE_CYLINDER, /* around the origin, along z: radius, height */
    VO_SHAPE_TORUS,    /* a ring around z in the plane z = 0: radius, tube */
    VO_SHAPE_FUNNEL,   /* around z, open above and below: radius, neck, height, stem, thickness */
    VO_SHAPE_BLADE,  /* a wedge with its sharp edge along x through the origin, pointing to +y; its
                        back is at y = -size.y and size.z thick */
    VO_SHAPE_RABBIT, /* sits on the plane z = 0 around the z axis and faces -y: height, to the tips
                        of its ears */
} vo_shape_kind;

/* Defaults of vo_shape_def_default are in square brackets. Members that a kind does not list are
 * ignored. */
typedef struct vo_shape_def {
    vo_shape_kind kind;
    double radius;      /* [0] m, positive; torus: to the centre line of its tube; funnel: inner
                           radius at the mouth */
    double tube;        /* [0] m, radius of the tube; positive and less than radius */
    double neck;        /* [0] m, inner radius at the narrow end; positive and less than radius */
    double height;      /* [0] m, positive; funnel: from the neck (z = 0) to the mouth */
    double stem;        /* [0] m, length of the straight pipe below the neck; may be 0 */
    double thickness;   /* [0] m, of the wall; 0: a fifth of the neck */
    vo_vec3 size;       /* [0, 0, 0] m, positive, along x, y, z */
    double edge_length; /* [0] m, approximate edge length of the triangles; 0: an eighth of a
                           sphere's radius, a quarter of a cylinder's (at most its height), half of
                           a tube, a third of a neck, a 64th of a rabbit's height, a sixteenth of
                           the longest side of the others. A circle has at least six edges, a side
                           at least one, the height of a rabbit at least 32 */
} vo_shape_def;

VO_API vo_shape_def vo_shape_def_default(vo_shape_kind kind);

/* Creates a mesh for VO_MESH_FOR_OBSTACLE. Fails with VO_BAD_ARGUMENT for invalid sizes and for
 * edges so short that there would be more than about 2 million faces. */
VO_API vo_result vo_mesh_create_shape(vo_context *ctx, const vo_shape_def *def, vo_mesh **out);

/* Reads and writes OBJ files with ARCSim's extensions (docs/formats.md). */
VO_API vo_result vo_mesh_load_obj(vo_context *ctx, const char *path, vo_mesh_use use,
                                  vo_mesh **out);
VO_API vo_result vo_mesh_save_obj(vo_context *ctx, const vo_mesh *mesh, const char *path);

VO_API void vo_mesh_destroy(vo_mesh *mesh); /* NULL is allowed */
VO_API vo_mesh_view vo_mesh_get_view(const vo_mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
