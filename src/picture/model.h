/* What is drawn: the faces of many meshes in one list.
 *
 *     face -> node    x, where rays meet it            (shared: no gaps)
 *          -> normal  shading, one for each side of a crease or sharp edge
 *          -> vert    the flat fabric, for the weave   (two on a seam)
 *          -> paint   colours of front and back
 *
 * Positions are in single precision, as Embree wants them, and so relative to an origin in the
 * middle of the scene. Normals of cloth are those of the smooth surface (mesh/smooth.h), which
 * agree across seams; obstacles have theirs by angle, so a box has sharp edges, and a sphere or a
 * body none.
 */
#ifndef VO_PICTURE_MODEL_H
#define VO_PICTURE_MODEL_H

#include "mesh/mesh.h"

typedef struct vo_paint {
    vo_vec3 front, back; /* part of red, green and blue light that comes back, linear, 0 to 1 */
    double weave;        /* how much the threads of the fabric show; 0: not at all */
    double sheen;        /* light that fibres scatter forwards, seen at glancing angles */
    double gloss;        /* a soft highlight */
    double through;      /* part of the light from behind that comes through */
    bool wire;           /* its edges may be drawn */
} vo_paint;

typedef struct vo_model_face {
    int node[3], normal[3], vert[3];
    int paint;
} vo_model_face;

typedef struct vo_model {
    vo_context *ctx;
    vo_vec3 origin; /* m, subtracted from all positions */
    int node_count, node_capacity;
    float (*x)[3]; /* m; room for 16 bytes more behind the last */
    int normal_count, normal_capacity;
    float (*normal)[3]; /* unit, or zero */
    int vert_count, vert_capacity;
    float (*u)[2]; /* m */
    int face_count, face_capacity;
    vo_model_face *face;
    int paint_count;
    const vo_paint *paint; /* not owned */
} vo_model;

/* Empties it; memory is kept. */
void vo_model_clear(vo_model *model);
void vo_model_free(vo_model *model);

/* Adds the faces of a mesh. A face of cloth has paint first_paint + its label, at most last_paint;
 * one of an obstacle first_paint. Sides of cloth's faces are cut into so many `parts`, and the
 * faces into their square, whose corners lie on the smooth surface; 1: the mesh as it is. Between
 * nodes that touch something (`touches`, by node; NULL: none do) they lie on the mesh itself, for
 * a rounder surface would dip into what is there. After a failure the model can be cleared or
 * freed. */
vo_result vo_model_add_cloth(vo_model *model, const vo_mesh *mesh, int parts,
                             const unsigned char *touches, int first_paint, int last_paint);
vo_result vo_model_add_obstacle(vo_model *model, const vo_mesh *mesh, int first_paint);
/* The same without sharp edges, but for the sharpest. */
vo_result vo_model_add_body(vo_model *model, const vo_mesh *mesh, int first_paint);

/* Elements that are to be added, and room for them; false without memory. */
typedef struct vo_model_size {
    int64_t nodes, normals, verts, faces;
} vo_model_size;
bool vo_model_reserve(vo_model *model, const vo_model_size *more);
void vo_model_count(vo_model *model, const vo_model_size *more);

static inline void vo_model_put(float out[3], vo_vec3 a) {
    out[0] = (float)a.x;
    out[1] = (float)a.y;
    out[2] = (float)a.z;
}

static inline vo_vec3 vo_model_x(const vo_model *m, int node) {
    const float *x = m->x[node];
    return v3((double)x[0], (double)x[1], (double)x[2]);
}
static inline vo_vec3 vo_model_normal(const vo_model *m, int normal) {
    const float *n = m->normal[normal];
    return v3((double)n[0], (double)n[1], (double)n[2]);
}

#endif
