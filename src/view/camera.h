/* Internal operations on cameras. */
#ifndef VO_VIEW_CAMERA_H
#define VO_VIEW_CAMERA_H

#include "math/quat.h"

#include <voile/camera.h>

enum { VO_CAMERA_MAX_PIXELS = 16384 };

/* Tolerance of cut times, s: frame times are rounded, and cut times are written with a few digits.
 * Frame 34 at 24 frames per second matches a cut at 1.4167. */
#define VO_CUT_TOLERANCE 5e-5

/* Sets the axes from a unit quaternion that rotates camera axes (x right, y up, -z forward) to the
 * world. */
void vo_camera_set_rotation(vo_camera *camera, vo_quat rotation);

/* Returns the rotation for vo_camera_set_rotation that reproduces the camera's axes. */
vo_quat vo_camera_get_rotation(const vo_camera *camera);

/* Sets the axes from a viewing direction (any length except zero) without roll. Returns false and
 * changes nothing if the direction has no usable length. */
bool vo_camera_set_direction(vo_camera *camera, vo_vec3 forward, vo_vec3 up);

/* Sets the fov_degrees of view from the tangent of half the vertical angle; pixels are square. */
void vo_camera_set_fov(vo_camera *camera, double tan_y);

/* Returns why the camera is invalid, beginning with the member's name, or NULL if it is valid:
 * finite, with a right-handed orthonormal frame, positive fov_degrees of view, 0 < near < far and
 * at least one pixel. */
const char *vo_camera_defect(const vo_camera *camera);

/* Returns true if a point projects into the image, enlarged by `border` pixels, between near and
 * far. Sets *pixel for every point in front of the camera. */
bool vo_camera_contains(const vo_camera *camera, double border, vo_vec3 point, vo_vec2 *pixel);

/* Returns the tangent of half a fov_degrees of view in degrees. */
double vo_camera_half_fov_tangent(double fov_degrees);

#endif
