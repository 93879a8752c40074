/* Pictures of a model: three passes over the pixels.
 *
 * 1. One ray through the middle of each pixel finds what is there, and a few rays from that point
 *    how much of each light reaches it (studio.h).
 * 2. Light is smoothed over 5 x 5 pixels of the same surface. The weights 1/2 1 1 1 1/2 count each
 *    pixel of the sampling tile exactly once, so the grain of the few rays goes and nothing else
 *    does.
 * 3. Pixels are coloured. Where neighbours differ in what they show, many rays go through the
 *    pixel, each with the light of the nearest pixel that shows the same.
 *
 * Rays to lights are most of the cost, and light is smooth where outlines are sharp: so each is
 * sampled where it needs to be. Every pixel is its own function of the model: the bytes do not
 * depend on threads. */
#ifndef VO_PICTURE_PICTURE_H
#define VO_PICTURE_PICTURE_H

#include "codec/image.h"
#include "picture/studio.h"

/* Light is kept with what it fell on. */
typedef struct vo_pixel {
    int face;   /* as in vo_seen */
    float u, v; /* weights of the face's second and third corner */
    float x[3], normal[3];
    float size; /* m, of the pixel there */
    float key, sky;
} vo_pixel;

typedef struct vo_painter {
    vo_context *ctx;
    vo_rays *rays;
    size_t pixel_count;
    vo_pixel *pixel; /* [width height] */
    int disc_count;
    vo_vec2 *disc;      /* [disc_count] */
    vo_vec3 *to_key;    /* [disc_count] unit vectors to these places on the key light */
    float (*smooth)[2]; /* [width height] key and sky after the second pass */
    uint8_t *rgb;       /* [3 width height] the last picture */
} vo_painter;

typedef struct vo_picture_def {
    const vo_model *model;
    vo_camera camera; /* relative to the model's origin */
    vo_vec3 lights;   /* what is to the right of whom the lights are set up for; zero: the camera */
    vo_vec3 up;
    bool has_ground;
    double ground; /* m along up, relative to the model's origin */
    double scale;  /* m, size of what is shown */
    int samples;
    bool wire;
} vo_picture_def;

/* VO_BAD_CALL where this build cannot draw. */
vo_result vo_painter_create(vo_context *ctx, vo_painter *out);
void vo_painter_free(vo_painter *painter);

/* The image belongs to the painter and holds until its next picture. */
vo_result vo_painter_draw(vo_painter *painter, const vo_picture_def *def, vo_image *out);

/* light.c: the second pass, for rows [begin, end); and the light of what a further ray saw in a
 * pixel, from the pixels around. False if none of them shows the same. */
typedef struct vo_canvas {
    vo_studio studio;
    int width, height;
    vo_pixel *pixel;
    float (*smooth)[2];
    uint8_t *rgb;
} vo_canvas;
void vo_canvas_smooth(vo_canvas *canvas, int begin, int end);
bool vo_canvas_borrow(const vo_canvas *canvas, int x, int y, const vo_seen *seen, vo_lit *out);
/* Whether the pixel shows something else than a neighbour. */
bool vo_canvas_outline(const vo_canvas *canvas, int x, int y);

#endif
