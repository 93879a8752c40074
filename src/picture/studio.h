/* The room a picture is taken in, and what a ray sees there.
 *
 * As a photographer would set it up: a large key light high on the left before the subject, an even
 * sky all around, a faint light from behind that draws the outline, and a paper backdrop that
 * goes over into the floor. Unless told otherwise the lights move with the camera, so every view is
 * well lit; where a camera moves within a shot they stay where they were as it began. */
#ifndef VO_PICTURE_STUDIO_H
#define VO_PICTURE_STUDIO_H

#include "picture/fit.h"
#include "picture/model.h"
#include "spatial/rays.h"

enum { VO_SEES_NOTHING = -1, VO_SEES_GROUND = -2 };

typedef struct vo_studio {
    const vo_model *model;
    const vo_rays *rays; /* over the model's faces */
    vo_camera camera;    /* relative to the model's origin, as all positions here */
    vo_vec3 lights;      /* right of whom the lights are set up for; zero: of the camera */
    vo_vec3 up;
    bool has_ground;
    double ground;         /* m along up */
    double scale;          /* m, size of what is shown */
    double nudge;          /* m, by which rays begin off a surface */
    int samples;           /* rays a pixel to each light */
    const vo_vec2 *disc;   /* [16 samples] of the unit disc, those of each index together */
    const vo_vec3 *to_key; /* [16 samples] unit vectors to the same places on the key light */
    bool wire;             /* edges are drawn on paints that allow it */
    vo_vec3 centre;   /* of a ball around all faces: rays that miss it need not be asked about */
    double radius;    /* m */
    vo_vec3 key, rim; /* unit vectors to these lights */
} vo_studio;

/* Fills in key, rim, nudge and the ball. */
void vo_studio_prepare(vo_studio *studio);

/* After that: the directions of the key light. */
void vo_studio_aim(const vo_studio *studio, int count, vo_vec3 *to_key);

/* What is seen through a place of the picture. */
typedef struct vo_seen {
    int face; /* or VO_SEES_... */
    bool back;
    double weight[3];      /* of the face's corners */
    vo_vec3 direction;     /* of the ray */
    vo_vec3 x;             /* m; the point itself */
    vo_vec3 lifted;        /* m; on the round surface that the normals pretend */
    vo_vec3 flat;          /* normal of the face, towards the eye */
    vo_vec3 normal;        /* normal for shading, towards the eye */
    double pixel;          /* m, side of a pixel there, seen from the front */
    const vo_paint *paint; /* NULL for the ground */
} vo_seen;

void vo_studio_see(const vo_studio *studio, double x, double y, vo_seen *out);
/* The same once more, of a face that was seen there, without asking; x and lifted are the face's
 * own point. */
void vo_studio_recall(const vo_studio *studio, double x, double y, const vo_ray_hit *hit,
                      vo_seen *out);

/* Light at a point: parts of the key light and of the sky that reach it. */
typedef struct vo_lit {
    double key; /* 0 to 1 */
    double sky; /* 1: that of an open field */
} vo_lit;

/* By `samples` rays each; `index` is which of the sixteen sets of them. */
vo_lit vo_studio_light_at(const vo_studio *studio, const vo_seen *seen, int index);

/* shade.c: the colour of what is seen, linear, before the tone curve. */
vo_vec3 vo_studio_shade(const vo_studio *studio, const vo_seen *seen, vo_lit lit, double x,
                        double y);
/* To bytes of sRGB; the place of the pixel chooses how values between two bytes are rounded. */
void vo_studio_develop(vo_vec3 colour, int x, int y, uint8_t out[3]);

#endif
