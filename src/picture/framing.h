/* Camera framing: places a camera of given direction so that all points are just in the image.
 *
 * The four side planes of the frustum then only translate along their normals n, so the support max
 * n . x in each direction is all that must be stored for any number of points and frames. The
 * camera is at the intersection of the planes, or further back if width and height disagree or a
 * point would be too close:
 *
 *             \  n_left           n_right  /        n . (x - camera) <= 0 for all x, that is
 *              \<---   .  . ..     --->   /         n_left  . camera = s_left
 *               \     . the cloth .      /          n_right . camera = s_right
 *                \     .  .  .          /
 *                 \                    /
 *                    \     camera   / */
#ifndef VO_PICTURE_FRAMING_H
#define VO_PICTURE_FRAMING_H

#include "math/vec.h"

#include <voile/camera.h>

/* Returns the side length of a pixel in m at a distance of 1 m. */
static inline double vo_pixel_size(const vo_camera *camera) {
    return 2 * camera->tan_x / camera->width;
}

typedef struct vo_camera_framing_def {
    vo_vec3 up;           /* up direction of the world: an axis or its opposite */
    double azimuth;       /* degrees around up; at 0 the view is along y (along -z if y is up) */
    double elevation;     /* degrees above the horizon, -89 to 89 */
    double fov_long_side; /* degrees, field of view along the longer side of the image */
    double zoom;          /* 1: everything fits; 2: half of it is in the image */
    int width, height;    /* pixels */
} vo_camera_framing_def;

typedef struct vo_camera_framing {
    vo_camera camera;            /* all members except the position */
    double support[4];           /* supports: right, left, up, down */
    double min_depth, max_depth; /* m, extent along the viewing direction */
    double fill;                 /* fraction of the image that is filled */
    double zoom;
    bool has_points;
} vo_camera_framing;

/* Starts a framing without points. */
vo_camera_framing vo_camera_framing_begin(const vo_camera_framing_def *def);
/* Adds a point that must be in the image, m. */
void vo_camera_framing_add(vo_camera_framing *framing, vo_vec3 point);
/* Returns the camera; around the origin if no point was added. */
vo_camera vo_camera_framing_end(const vo_camera_framing *framing);

#endif
