/* Where a picture is taken from.
 *
 * `vo_fit` finds the place from which everything is just in the picture, for a direction of view
 * that is given. The four planes that bound the picture then only move along their normals n: the
 * furthest point in each direction, max n . x, is all that has to be kept of any number of points
 * and frames. The eye is where the planes meet, or further back where width and height disagree
 * or something would be right before the camera:
 *
 *              \  n_left           n_right  /        n . (x - eye) <= 0 for all x, that is
 *               \<---   .  . ..     --->   /         n_left  . eye = s_left
 *                \     . the cloth .      /          n_right . eye = s_right
 *                 \     .  .  .          /
 *                  \                    /
 *                     \      eye    /                                                            */
#ifndef VO_PICTURE_FIT_H
#define VO_PICTURE_FIT_H

#include "math/vec.h"

#include <voile/camera.h>

/* Length in the world of a pixel's side, at a distance of 1 m. */
static inline double vo_pixel_size(const vo_camera *camera) {
    return 2 * camera->tan_x / camera->width;
}

typedef struct vo_fit_def {
    vo_vec3 up;        /* of the world: one of the axes, or its opposite */
    double azimuth;    /* degrees around up; 0 looks along y (or, with y up, against z) */
    double elevation;  /* degrees above the horizon, -89 to 89 */
    double field;      /* degrees, the opening angle along the longer side of the picture */
    double zoom;       /* 1: fits; 2: shows half of it */
    int width, height; /* pixels */
} vo_fit_def;

typedef struct vo_fit {
    vo_camera camera;  /* but for the eye */
    double support[4]; /* right, left, up, down */
    double near, far;  /* least and greatest along the view */
    double margin;     /* part of the half picture that is filled */
    double zoom;
    bool any;
} vo_fit;

vo_fit vo_fit_begin(const vo_fit_def *def);
void vo_fit_add(vo_fit *fit, vo_vec3 point);
/* Without any point: around the origin. */
vo_camera vo_fit_end(const vo_fit *fit);

#endif
