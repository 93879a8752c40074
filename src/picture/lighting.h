/* Scene lighting and ray tracing of a rendered image.
 *
 * A lighting setup: a large key light high on the left in front of the subject, a uniform sky, a
 * faint rim light from behind that accentuates the outline, and a paper backdrop that continues
 * into the floor. By default the lights move with the camera, so every view is well light; if a
 * camera moves within a shot, they stay where they were at its start. */
#ifndef VO_PICTURE_LIGHTING_H
#define VO_PICTURE_LIGHTING_H

#include "picture/framing.h"
#include "picture/model.h"
#include "spatial/rays.h"

enum { VO_HIT_BACKGROUND = -1, VO_HIT_GROUND = -2 };

typedef struct vo_lighting {
    const vo_model *model;
    const vo_rays *rays; /* ray-casting structure of the model's faces */
    vo_camera camera;    /* relative to the model's origin, like all positions here */
    vo_vec3 light_right; /* right vector that orients the lights; zero: that of the camera */
    vo_vec3 up;
    bool has_ground;
    double ground;       /* m along up */
    double scale;        /* m, size of the visible scene */
    double ray_bias;     /* m, offset of ray origins from the surface */
    int samples;         /* rays per pixel and light */
    const vo_vec2 *disc; /* [16 samples] points of the unit disc, grouped by sample set */
    const vo_vec3
        *to_key;      /* [16 samples] unit vectors to the corresponding points of the key light */
    bool wireframe;   /* draws edges on materials that allow it */
    vo_vec3 centre;   /* bounding ball of all faces: rays that miss it are not traced */
    double radius;    /* m */
    vo_vec3 key, rim; /* unit vectors to these lights */
} vo_lighting;

/* Computes key, rim, ray_bias and the bounding ball from the other members. */
void vo_lighting_prepare(vo_lighting *lighting);

/* Computes `count` sample directions of the key light. Requires vo_lighting_prepare. */
void vo_lighting_sample_key(const vo_lighting *lighting, int count, vo_vec3 *to_key);

/* Intersection of a camera ray with the scene. */
typedef struct vo_surface_hit {
    int face; /* face of the model, or VO_HIT_... */
    bool back;
    double weight[3];  /* barycentric weights of the face's corners */
    vo_vec3 direction; /* direction of the ray */
    vo_vec3 x;         /* m; intersection point */
    vo_vec3 lifted;    /* m; lifted onto the smooth surface that the normals suggest */
    vo_vec3 flat;      /* face normal, towards the camera */
    vo_vec3 normal;    /* shading normal, towards the camera */
    double pixel;      /* m, side length of a pixel at this distance */
    const vo_render_material *material; /* NULL for the ground */
} vo_surface_hit;

/* Traces the camera ray through an image point in pixels. */
void vo_lighting_trace(const vo_lighting *lighting, double x, double y, vo_surface_hit *out);
/* Restores a hit from its face and barycentric coordinates without tracing; x and lifted are the
 * point on the face. */
void vo_lighting_restore_hit(const vo_lighting *lighting, double x, double y, const vo_ray_hit *hit,
                             vo_surface_hit *out);

/* Unoccluded fractions of the key light and of the sky at a point. */
typedef struct vo_light_sample {
    double key; /* 0 to 1 */
    double sky; /* 1: unobstructed horizon */
} vo_light_sample;

/* Samples the light at a hit by `samples` rays per light; `index` selects one of the sixteen sample
 * sets. */
vo_light_sample vo_lighting_eval(const vo_lighting *lighting, const vo_surface_hit *hit, int index);

/* shade.c: returns the colour of a hit, linear, before tone mapping. */
vo_vec3 vo_lighting_shade(const vo_lighting *lighting, const vo_surface_hit *hit,
                          vo_light_sample light, double x, double y);
/* Tone-maps a linear colour to sRGB bytes with ordered dithering by pixel position. */
void vo_tonemap(vo_vec3 colour, int x, int y, uint8_t out[3]);

#endif
