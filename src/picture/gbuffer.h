/* G-buffer pass: depth and normal per pixel, from one ray through each pixel centre.
 *
 * Image comparison (similarity.h) is independent of lighting and colours and therefore uses
 * G-buffers, not rendered images (renderer.h). */
#ifndef VO_PICTURE_GBUFFER_H
#define VO_PICTURE_GBUFFER_H

#include "picture/model.h"
#include "picture/similarity.h"
#include "spatial/rays.h"

#include <voile/camera.h>

typedef struct vo_gbuffer_pass_def {
    const vo_model *model;
    int cloth_nodes,
        cloth_faces;  /* the model's first nodes and faces are cloth, the others are obstacles */
    vo_camera camera; /* relative to the model's origin */
    vo_vec2 frame;    /* width and height in pixels of the central part that is rendered; 0: all */
    bool flat;        /* face normals instead of shading normals */
    bool include_obstacles; /* obstacles are stored too, with negative depth; else they only occlude
                             */
} vo_gbuffer_pass_def;

typedef struct vo_gbuffer_pass {
    vo_context *ctx;
    vo_rays *rays;
    vo_gbuffer_pass_def def; /* of the last pass */
    size_t pixel_count;
    float *depth, *normal[3]; /* [pixel_count] each */
    vo_gbuffer gbuffer;       /* the same arrays as a G-buffer */
} vo_gbuffer_pass;

/* VO_BAD_ARGUMENT if the build lacks ray casting. */
vo_result vo_gbuffer_pass_create(vo_context *ctx, vo_gbuffer_pass *out);
void vo_gbuffer_pass_free(vo_gbuffer_pass *pass); /* a zeroed pass is allowed */

/* Renders into pass->gbuffer. The model must stay valid as long as the pass is queried. */
vo_result vo_gbuffer_render(vo_gbuffer_pass *pass, const vo_gbuffer_pass_def *def);

/* Returns an upper bound in pixels of the image motion of a visible cloth point that moves by
 * `metres`; 0 if no cloth is visible. */
double vo_gbuffer_pass_max_shift(const vo_gbuffer_pass *pass, double metres);

/* Image-space lengths of visible edges, from the context's allocator. */
typedef struct vo_edge_lengths {
    double faces; /* visible faces: visible corners / 3 */
    int count, capacity;
    double *pixels; /* [count] lengths */
} vo_edge_lengths;

/* Appends the lengths of the visible edges of a mesh, whose nodes must be nodes of the model. A
 * node is visible if it is inside the image and the ray to it hits no face more than a pixel's
 * width in front of it; an edge is visible if one of its ends is and both are in front of the
 * camera. */
vo_result vo_gbuffer_pass_measure_edges(vo_gbuffer_pass *pass, const vo_mesh *mesh,
                                        vo_edge_lengths *out);

#endif
