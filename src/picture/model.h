/* Render model: the faces of all meshes in one list.
 *
 *     face -> node      position, for ray casting                 (shared: watertight)
 *          -> normal    shading normal, one per side of a crease or sharp edge
 *          -> vert      material coordinates, for the weave       (two on a seam)
 *          -> material  colours of front and back
 *
 * Positions are in single precision, as Embree requires, and therefore relative to an origin in the
 * middle of the scene. Normals of cloth are those of the smooth surface (mesh/smooth.h), which
 * agree across seams; normals of obstacles are split by angle, so a box has sharp edges, and a
 * sphere or a body has none. */
#ifndef VO_PICTURE_MODEL_H
#define VO_PICTURE_MODEL_H

#include "mesh/mesh.h"

typedef struct vo_render_material {
    vo_vec3 front, back; /* albedo, linear, 0 to 1 */
    double weave;        /* visibility of the threads of the fabric; 0: none */
    double sheen;        /* forward scattering of fibres, visible at grazing angles */
    double gloss;        /* strength of a soft highlight */
    double transmission; /* fraction of the light from behind that is transmitted */
    bool wireframe;      /* its edges may be drawn as wireframe */
} vo_render_material;

typedef struct vo_model_face {
    int node[3], normal[3], vert[3];
    int material;
} vo_model_face;

typedef struct vo_model {
    vo_context *ctx;
    vo_vec3 origin; /* m, subtracted from all positions */
    int node_count, node_capacity;
    float (*x)[3]; /* m; padded by 16 bytes */
    int normal_count, normal_capacity;
    float (*normal)[3]; /* unit, or zero */
    int vert_count, vert_capacity;
    float (*u)[2]; /* m */
    int face_count, face_capacity;
    vo_model_face *face;
    int material_count;
    const vo_render_material *material; /* not owned */
} vo_model;

/* Removes all elements; memory is kept. */
void vo_model_clear(vo_model *model);
void vo_model_free(vo_model *model);

/* Adds the faces of a mesh. A face of cloth uses material first_material + its label, at most
 * last_material; an obstacle uses first_material. Each edge of cloth is subdivided into
 * `subdivisions` and each face into their square, with points on the smooth surface; 1: the mesh
 * itself. Between nodes in contact (`in_contact` by node; NULL: none) points stay on the mesh,
 * because the smooth surface would intersect the other side. After a failure the model may be
 * cleared or freed. */
vo_result vo_model_add_cloth(vo_model *model, const vo_mesh *mesh, int subdivisions,
                             const unsigned char *in_contact, int first_material,
                             int last_material);
vo_result vo_model_add_obstacle(vo_model *model, const vo_mesh *mesh, int first_material);
/* Like vo_model_add_obstacle, for characters: only edges above 90 degrees are sharp. */
vo_result vo_model_add_body(vo_model *model, const vo_mesh *mesh, int first_material);

/* Removes the faces from first_face on whose back is visible from `eye` (m, relative to the
 * origin). */
void vo_model_cull_back_faces(vo_model *model, int first_face, vo_vec3 eye);

/* Numbers of elements to add. vo_model_reserve allocates them and returns false if memory is
 * exhausted; vo_model_grow adds them to the counts. */
typedef struct vo_model_size {
    int64_t nodes, normals, verts, faces;
} vo_model_size;
bool vo_model_reserve(vo_model *model, const vo_model_size *more);
void vo_model_grow(vo_model *model, const vo_model_size *more);

/* Stores a vector in single precision. */
static inline void vo_model_store(float out[3], vo_vec3 a) {
    out[0] = (float)a.x;
    out[1] = (float)a.y;
    out[2] = (float)a.z;
}

/* Position and shading normal by index. */
static inline vo_vec3 vo_model_x(const vo_model *m, int node) {
    const float *x = m->x[node];
    return v3((double)x[0], (double)x[1], (double)x[2]);
}
static inline vo_vec3 vo_model_normal(const vo_model *m, int normal) {
    const float *n = m->normal[normal];
    return v3((double)n[0], (double)n[1], (double)n[2]);
}

#endif
