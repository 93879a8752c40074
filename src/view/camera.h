/* What a camera at one moment is made of. */
#ifndef VO_VIEW_CAMERA_H
#define VO_VIEW_CAMERA_H

#include "math/quat.h"

#include <voile/camera.h>

enum { VO_CAMERA_MAX_PIXELS = 16384 };

/* A cut that comes within this time has come, s: times of frames are rounded, and those of cuts are
 * written with a few digits. Frame 34 at 24 frames a second means a cut at 1.4167. */
#define VO_CAMERA_INSTANT 5e-5

/* Turns the camera's axes: x right, y up, -z forward, by a unit quaternion. */
void vo_camera_turn(vo_camera *camera, vo_quat rotation);

/* The rotation that vo_camera_turn would be given. */
vo_quat vo_camera_rotation(const vo_camera *camera);

/* Axes of a camera that looks along `forward` (any length but zero) and does not roll. False, and
 * nothing done, where it has no length to speak of. */
bool vo_camera_aim(vo_camera *camera, vo_vec3 forward, vo_vec3 up);

/* Opens the camera by the tangent of half the vertical angle; pixels are square. */
void vo_camera_open(vo_camera *camera, double tan_y);

/* Why it is no camera, beginning with the member's name; NULL: it is one. Finite, with axes of
 * length 1 at right angles and of the right hand, an opening, 0 < near < far, and pixels. */
const char *vo_camera_defect(const vo_camera *camera);

/* Whether a point is in the picture, or within a border of some pixels around it, between near and
 * far; and where, also if it is not but is before the camera. */
bool vo_camera_shows(const vo_camera *camera, double border, vo_vec3 point, vo_vec2 *pixel);

/* Tangent of half an angle in degrees. */
double vo_camera_tangent(double field);

#endif
