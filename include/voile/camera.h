/* Voile: cameras and camera paths.
 *
 * Pixel coordinates start at the upper left corner of the image, x to the right and y down; the
 * centre of the first pixel is (0.5, 0.5). Pixels are square. */
#ifndef VOILE_CAMERA_H
#define VOILE_CAMERA_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A camera pose. A point at depth z along `forward` is in the image if it is within tan_x z to the
 * left and right and tan_y z above and below. */
typedef struct vo_camera {
    vo_vec3 position;           /* m */
    vo_vec3 right, up, forward; /* orthonormal, world; forward = up x right */
    double tan_x, tan_y;        /* tangents of half the fields of view, positive */
    double z_near, z_far;       /* m along forward; 0 < z_near < z_far, finite */
    int width, height;          /* pixels, at least 1 */
} vo_camera;

/* Returns a camera at `position` that looks at `target` without roll: `right` is perpendicular to
 * `up`. If it looks straight up or down, the top of the image is the y direction (-z if y is up); a
 * target equal to the position is replaced by that direction. `fov_y` is the vertical field of view
 * in degrees. z_near and z_far are 0.01 m and 1000 m. */
VO_API vo_camera vo_camera_look_at(vo_vec3 position, vo_vec3 target, vo_vec3 up, double fov_y,
                                   int width, int height);

/* Projects a world point to pixel coordinates, which may lie outside the image; `depth` (may be
 * NULL) receives its depth along forward in m. Returns false if the point is not in front of the
 * camera. */
VO_API bool vo_camera_project(const vo_camera *camera, vo_vec3 point, vo_vec2 *pixel,
                              double *depth);

/* Returns the world point at a pixel position and a depth along forward in m. */
VO_API vo_vec3 vo_camera_unproject(const vo_camera *camera, vo_vec2 pixel, double depth);

/* Returns the unit direction of the ray through a pixel position. */
VO_API vo_vec3 vo_camera_direction(const vo_camera *camera, vo_vec2 pixel);

/* A key of a camera path. */
typedef struct vo_camera_key {
    double time;        /* s; at least 1e-9 after the previous key, or equal to it if `cut` */
    vo_vec3 position;   /* m */
    vo_vec3 target;     /* m; used if `has_target`; must differ from position */
    double rotation[4]; /* used otherwise: quaternion w, x, y, z of any length, from camera axes (x
                           right, y up, -z forward) to the world */
    double fov_y;       /* degrees, vertical field of view, 0.001 to 179 */
    bool has_target;
    bool cut; /* begins a new shot at this time */
} vo_camera_key;

/* Definition of a camera and its path; vo_camera_def_default sets the values in square brackets.
 *
 * Between two keys of a shot, position, target, rotation (along the shorter arc) and the logarithm
 * of the magnification follow cubic Hermite curves with derivatives from the neighbouring keys. At
 * the time of a cut the new shot is active, at any earlier time the old one. Before its first and
 * after its last key a shot is constant. If only some keys of a shot have a target, the viewing
 * directions are interpolated as rotations. */
typedef struct vo_camera_def {
    const char *name; /* [""] identifies the camera; copied. Must not be "none" or contain "=" */
    int key_count;    /* [0] must be at least 1 */
    const vo_camera_key *keys; /* [NULL] copied */
    vo_vec3 up; /* [0, 0, 1] up direction for keys with a target; any length except zero */
    bool ease;  /* [true] shots begin and end at rest; false: with the velocity of the curve */
    int width, height;    /* [1920, 1080] pixels, 1 to 16384 */
    double z_near, z_far; /* [0.01, 1000] m */
    int motion; /* [-1] index of a motion of the scene that transforms the whole path; -1: none */
    bool light; /* [false] a light whose shadows are visible: refines meshes like a camera, but
                   renders images only if it is selected by name */
    double weight; /* [1] view factor of visible front faces, above 0 to 1 */
} vo_camera_def;

/* Returns the defaults above. */
VO_API vo_camera_def vo_camera_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
