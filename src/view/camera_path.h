/* Camera paths: keyframed cameras.
 *
 *      keys     o-----o-----------o   o------o      o
 *      shots    |  shot 0         |...|      |......|
 *                                 constant   constant constant
 *                                     cut           cut
 *
 * A path is a list of keys in ascending time. A key marked as a cut begins a shot; the camera at
 * exactly its time belongs to the new shot, at any earlier time to the old one. The pose is
 * discontinuous at cuts and C1 within shots: each key stores its derivatives (as in
 * scene/motion.h), which both adjacent curve segments use.
 *
 * A path is independent of frames and can be evaluated at any time, including the future. Code that
 * samples a window of the path must query the cuts inside it, because a shot may be shorter than
 * the sampling step. */
#ifndef VO_VIEW_CAMERA_PATH_H
#define VO_VIEW_CAMERA_PATH_H

#include "core/context.h"
#include "view/camera.h"

/* Interpolated quantities. Zoom is interpolated as the logarithm of tan_y, which makes zooms
 * uniform and keeps the field of view positive. */
typedef struct vo_camera_pose {
    vo_vec3 position, target;
    vo_quat rotation; /* unit at keys; for keys with a target the rotation towards it */
    double zoom;      /* log of tan_y */
} vo_camera_pose;

typedef struct vo_camera_knot {
    double time; /* s */
    vo_camera_pose pose, rate;
    bool cut;        /* first key of a shot; true for the very first key */
    bool has_target; /* all keys of the shot have a target */
} vo_camera_knot;

typedef struct vo_camera_path {
    int knot_count;
    vo_camera_knot *knot; /* [knot_count], at least one */
    vo_vec3 up;
    double z_near, z_far; /* m */
    int width, height;
} vo_camera_path;

/* Returns the defect of key k, beginning with the member's name, or NULL if it is valid. The
 * keys before k must be valid. */
const char *vo_camera_key_defect(const vo_camera_key *keys, int k);

/* Validates and copies the definition; VO_BAD_ARGUMENT with a message that names the member or key.
 */
vo_result vo_camera_path_create(vo_context *ctx, const vo_camera_def *def, vo_camera_path *out);
void vo_camera_path_free(vo_context *ctx, vo_camera_path *path);

/* Returns the camera at a time in s; constant before the first and after the last key of a shot. */
vo_camera vo_camera_path_eval(const vo_camera_path *path, double time);

/* Writes the times of the cuts with from < time <= to, ascending, at most `capacity` of them.
 * Returns their total number. */
int vo_camera_path_find_cuts(const vo_camera_path *path, double from, double to, int capacity,
                             double *out);

/* Returns the start time of the shot that is active at a time; for times before the first key, that
 * key's time. */
double vo_camera_path_shot_start(const vo_camera_path *path, double time);

#endif
