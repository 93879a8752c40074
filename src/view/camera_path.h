/* Cameras over time.
 *
 *      keys     o-----o-----------o   o------o      o
 *      shots    |  shot 0         |...|      |......|
 *                                 held       held    held
 *                                     cut           cut
 *
 * A path is a row of keys in the order of their times. A key that is a cut begins a shot; the
 * camera at exactly its time is the new shot's, any time before is the old shot's. Nothing is ever
 * blended across a cut, so the pose is a function of time that jumps there and nowhere else, and is
 * C1 within shots: every key carries its rates of change (as scene/motion.h does), which are those
 * of the curves on both of its sides.
 *
 * A path knows no frames: it is evaluated at any time, the future included. Whoever looks ahead in
 * steps asks for the cuts between them, for a shot may be shorter than a step. */
#ifndef VO_VIEW_CAMERA_PATH_H
#define VO_VIEW_CAMERA_PATH_H

#include "core/context.h"
#include "view/camera.h"

/* What changes along a path. The magnification's logarithm is what zooms evenly, and no curve of it
 * can make an opening that is not there. */
typedef struct vo_camera_pose {
    vo_vec3 position, target;
    vo_quat rotation; /* unit at keys; of keys with a target that of looking at it */
    double zoom;      /* log of tan_y */
} vo_camera_pose;

typedef struct vo_camera_knot {
    double time; /* s */
    vo_camera_pose pose, rate;
    bool cut;  /* first of a shot; true for the very first key, too */
    bool aims; /* the shot follows its targets */
} vo_camera_knot;

typedef struct vo_camera_path {
    int knot_count;
    vo_camera_knot *knot; /* [knot_count], at least one */
    vo_vec3 up;
    double near, far; /* m */
    int width, height;
} vo_camera_path;

/* What is wrong with key k, of which those before are right, beginning with the member's name;
 * NULL: nothing is. */
const char *vo_camera_key_defect(const vo_camera_key *keys, int k);

/* Checks and copies; VO_BAD_CALL names the member or key that is wrong. */
vo_result vo_camera_path_create(vo_context *ctx, const vo_camera_def *def, vo_camera_path *out);
void vo_camera_path_free(vo_context *ctx, vo_camera_path *path);

vo_camera vo_camera_path_at(const vo_camera_path *path, double time);

/* Times of the cuts with from < time <= to, in order; the number of all of them, of which the first
 * `capacity` are written. */
int vo_camera_path_cuts(const vo_camera_path *path, double from, double to, int capacity,
                        double *out);

/* When the shot that is on at a time begins; that of the first one is its first key's. */
double vo_camera_path_shot(const vo_camera_path *path, double time);

#endif
