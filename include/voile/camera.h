/* Voile: cameras, at one moment and along their paths.
 *
 * Pixels are counted from the upper left corner of the picture, x to the right and y down; the
 * middle of the first pixel is (0.5, 0.5). They are square. */
#ifndef VOILE_CAMERA_H
#define VOILE_CAMERA_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A camera at one moment. A point at depth z along `forward` is in the picture where it is within
 * tan_x z to the right and left and within tan_y z above and below. */
typedef struct vo_camera {
    vo_vec3 position;           /* m */
    vo_vec3 right, up, forward; /* orthonormal, world; forward = up x right */
    double tan_x, tan_y;        /* of half the opening angles */
    double near, far;           /* m along forward; 0 < near < far, finite */
    int width, height;          /* pixels */
} vo_camera;

/* Stands at `position` and looks at `target` without rolling: `right` is level with respect to
 * `up`. Straight up or down, the top of the picture is where y points to (where y is up: -z); a
 * target at the position itself is taken to lie in that direction, too. `field` is the vertical
 * opening in degrees. near and far are 0.01 and 1000. */
VO_API vo_camera vo_camera_look_at(vo_vec3 position, vo_vec3 target, vo_vec3 up, double field,
                                   int width, int height);

/* Where a point is in the picture, also beyond its borders; `depth` (may be NULL) is along forward.
 * False if it is not before the camera. */
VO_API bool vo_camera_project(const vo_camera *camera, vo_vec3 point, vo_vec2 *pixel,
                              double *depth);

/* The point seen at a place of the picture at a depth. */
VO_API vo_vec3 vo_camera_unproject(const vo_camera *camera, vo_vec2 pixel, double depth);

/* The direction in which it is seen, a unit vector. */
VO_API vo_vec3 vo_camera_direction(const vo_camera *camera, vo_vec2 pixel);

/* A key of a camera's path. */
typedef struct vo_camera_key {
    double time;        /* s; at least 1e-9 after the key before, or the same if `cut` */
    vo_vec3 position;   /* m */
    vo_vec3 target;     /* m; where it looks if `has_target`; not the position itself */
    double rotation[4]; /* else w, x, y, z, any length: from the camera's own axes (x right, y up,
                           -z forward) to the world */
    double field;       /* degrees, vertical opening, 0.001 to 179 */
    bool has_target;
    bool cut; /* begins a new shot: the camera jumps here at that time */
} vo_camera_key;

/* A camera and its path, in square brackets what vo_camera_def_default sets.
 *
 * Between two keys of a shot position, target, rotation (the shorter way) and the logarithm of the
 * magnification follow cubic Hermite curves, whose slopes at a key come from the keys before and
 * after. At the time of a cut the new shot is on, at any time before the old one. Before its first
 * and after its last key a shot stands still. Where some keys of a shot have a target and some do
 * not, the directions of view are blended as rotations. */
typedef struct vo_camera_def {
    const char *name;          /* [""] tells it from others; copied. Not "none", and without "=" */
    int key_count;             /* [0] at least 1 must be given */
    const vo_camera_key *keys; /* [NULL] copied */
    vo_vec3 up;                /* [0, 0, 1] what keys with a target keep upright; any length */
    bool ease;         /* [true] shots begin and end at rest; false: at the speed they have there */
    int width, height; /* [1920, 1080] pixels, 1 to 16384 */
    double near, far;  /* [0.01, 1000] m */
    int motion;        /* [-1] a motion of the scene that carries the whole path; -1: none */
    bool light;        /* [false] a light whose shadows are seen: drawn from only by its name */
    double front;      /* [1] how much counts what it sees from the front, above 0 to 1 */
} vo_camera_def;

VO_API vo_camera_def vo_camera_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
