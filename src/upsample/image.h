/* Images of upsampled surfaces: several surfaces side by side from one camera, and columns of
 * operators as coloured height fields. */
#ifndef VO_UPSAMPLE_IMAGE_H
#define VO_UPSAMPLE_IMAGE_H

#include "codec/image.h"
#include "mesh/mesh.h"
#include "upsample/pairs.h"

/* A surface of one image of a row. */
typedef struct vo_upsample_panel {
    const vo_upsample_mesh *mesh;
    const float *positions; /* [mesh->vertex_count][3] m */
    unsigned colour;        /* sRGB 0xRRGGBB */
    bool wireframe;         /* draws the edges */
    const float *values;    /* [mesh->vertex_count] -1 to 1, colours from blue to red; NULL: none */
} vo_upsample_panel;

typedef struct vo_upsample_image_def {
    int panel_count;
    const vo_upsample_panel *panels;
    int obstacle_count;
    const vo_mesh *const *obstacles; /* [obstacle_count] in every panel; may be large */
    int extent_count;
    const float *extent;  /* [extent_count][3] m, points that are in the image besides the
                             surfaces, to use one camera for several images */
    int width, height;    /* pixels of a panel */
    double azimuth;       /* degrees around z; at 0 the view is along y */
    double elevation;     /* degrees above the horizon */
    double fov_long_side; /* degrees */
    double zoom;          /* 1: everything fits */
    int samples;          /* rays per pixel and light */
    bool ground;          /* draws a floor below everything */
} vo_upsample_image_def;

vo_upsample_image_def vo_upsample_image_def_default(void);

/* Renders the panels from left to right. The caller frees the pixels with vo_upsample_image_free.
 * VO_BAD_ARGUMENT if the build lacks ray casting. */
vo_result vo_upsample_render_panels(vo_context *ctx, const vo_upsample_image_def *def,
                                    vo_image *out);
/* Allocates a black image; VO_NO_MEMORY if that fails. */
vo_result vo_upsample_image_create(vo_context *ctx, int width, int height, vo_image *out);
void vo_upsample_image_free(vo_context *ctx, vo_image *image);
/* Copies an image into a larger one at a position; both must fit. */
void vo_upsample_image_paste(const vo_image *from, int x, int y, vo_image *to);

/* Height field of a function on the mesh: vertices of material space, or of the rest shape if the
 * mesh has seams, displaced along the normal by scale values[i]. `positions` [3 vertex_count]. */
vo_result vo_upsample_height_field(vo_context *ctx, const vo_upsample_mesh *mesh,
                                   const float *values, double scale, float *positions);

#endif
