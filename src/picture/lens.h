/* Where a picture is taken from.
 *
 * `vo_fit` finds the place from which everything is just in the picture, for a direction of view
 * that is given. The four planes that bound the picture then only move along their normals n: the
 * furthest point in each direction, max n . x, is all that has to be kept of any number of points
 * and frames. The eye is where the planes meet, or further back where width and height disagree
 * or something would be right before the lens:
 *
 *              \  n_left           n_right  /        n . (x - eye) <= 0 for all x, that is
 *               \<---   .  . ..     --->   /         n_left  . eye = s_left
 *                \     . the cloth .      /          n_right . eye = s_right
 *                 \     .  .  .          /
 *                  \                    /
 *                     \      eye    /                                                            */
#ifndef VO_PICTURE_LENS_H
#define VO_PICTURE_LENS_H

#include "math/vec.h"

typedef struct vo_lens {
    vo_vec3 eye;                /* m */
    vo_vec3 right, up, forward; /* orthonormal */
    double tan_x, tan_y;        /* of half the opening angles */
    int width, height;          /* pixels */
} vo_lens;

/* Through a place of the picture, in pixels from its upper left corner; a unit vector. */
vo_vec3 vo_lens_direction(const vo_lens *lens, double x, double y);

/* The place of a point in the picture, in pixels; false if it is not before the eye. */
bool vo_lens_project(const vo_lens *lens, vo_vec3 point, vo_vec2 *out);

/* Length in the world of a pixel's side, at a distance of 1 m. */
double vo_lens_pixel(const vo_lens *lens);

typedef struct vo_lens_def {
    vo_vec3 up;        /* of the world: one of the axes, or its opposite */
    double azimuth;    /* degrees around up; 0 looks along y (or, with y up, against z) */
    double elevation;  /* degrees above the horizon, -89 to 89 */
    double field;      /* degrees, the opening angle along the longer side of the picture */
    double zoom;       /* 1: fits; 2: shows half of it */
    int width, height; /* pixels */
} vo_lens_def;

typedef struct vo_fit {
    vo_lens lens;      /* but for the eye */
    double support[4]; /* right, left, up, down */
    double near, far;  /* least and greatest along the view */
    double margin;     /* part of the half picture that is filled */
    double zoom;
    bool any;
} vo_fit;

vo_fit vo_fit_begin(const vo_lens_def *def);
void vo_fit_add(vo_fit *fit, vo_vec3 point);
/* Without any point: around the origin. */
vo_lens vo_fit_end(const vo_fit *fit);

#endif
