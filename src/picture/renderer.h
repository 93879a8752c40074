/* Renderer: images of a model in three passes over the pixels.
 *
 * 1. One ray through each pixel centre finds the visible surface, and a few rays from there sample
 * each light (lighting.h).
 *
 * 2. Light is filtered over 5 x 5 pixels of the same surface. The weights 1/2 1 1 1 1/2 include
 * each pixel of the sampling tile exactly once, which removes exactly the noise of the few rays.
 *
 * 3. Pixels are shaded. At outlines many rays are traced per pixel, each with the light of the
 * closest pixel that shows the same surface.
 *
 * Light rays dominate the cost, and light is smooth where outlines are sharp, so each is sampled at
 * its own rate. Every pixel is a function of the model alone: the bytes do not depend on threads.
 */
#ifndef VO_PICTURE_RENDERER_H
#define VO_PICTURE_RENDERER_H

#include "codec/image.h"
#include "picture/lighting.h"

/* Visible surface and light of a pixel. */
typedef struct vo_pixel {
    int face;   /* face of the model or VO_HIT_... */
    float u, v; /* barycentric coordinates */
    float x[3], normal[3];
    float size; /* m, side length of the pixel at this distance */
    float key, sky;
} vo_pixel;

typedef struct vo_renderer {
    vo_context *ctx;
    vo_rays *rays;
    size_t pixel_count;
    vo_pixel *pixel; /* [width height] */
    int disc_count;
    vo_vec2 *disc;      /* [disc_count] */
    vo_vec3 *to_key;    /* [disc_count] unit vectors to these points of the key light */
    float (*smooth)[2]; /* [width height] key and sky after filtering */
    uint8_t *rgb;       /* [3 width height] last image */
} vo_renderer;

typedef struct vo_renderer_def {
    const vo_model *model;
    vo_camera camera;    /* relative to the model's origin */
    vo_vec3 light_right; /* right vector that orients the lights; zero: that of the camera */
    vo_vec3 up;
    bool has_ground;
    double ground; /* m along up, relative to the model's origin */
    double scale;  /* m, size of the visible scene */
    int samples;
    bool wireframe;
} vo_renderer_def;

/* VO_BAD_ARGUMENT if the build lacks ray casting. */
vo_result vo_renderer_create(vo_context *ctx, vo_renderer *out);
void vo_renderer_free(vo_renderer *renderer);

/* Renders an image, which is owned by the renderer and valid until the next one. */
vo_result vo_renderer_render(vo_renderer *renderer, const vo_renderer_def *def, vo_image *out);

/* light.c: buffers of the passes. vo_render_target_filter_light is the second pass for rows [begin,
 * end). vo_render_target_find_light interpolates the light of an additional hit in a pixel from the
 * pixels around; it returns false if none of them shows the same surface. */
typedef struct vo_render_target {
    vo_lighting lighting;
    int width, height;
    vo_pixel *pixel;
    float (*smooth)[2];
    uint8_t *rgb;
} vo_render_target;
void vo_render_target_filter_light(vo_render_target *target, int begin, int end);
bool vo_render_target_find_light(const vo_render_target *target, int x, int y,
                                 const vo_surface_hit *hit, vo_light_sample *out);
/* Returns true if a pixel shows another surface than one of its neighbours. */
bool vo_render_target_is_outline(const vo_render_target *target, int x, int y);

#endif
