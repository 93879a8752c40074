/* Poses over time: keyframes joined by cubic Hermite curves, or the bodies of a .mot file. */
#ifndef VO_SCENE_MOTION_H
#define VO_SCENE_MOTION_H

#include "core/context.h"
#include "math/quat.h"

#include <voile/scene.h>

/* One key: a pose and its rate of change per second, component by component (the rotation's is a
 * quaternion rate; the blended quaternion is normalized).
 *
 * Interpolated quaternions take the shorter arc, and a full turn, from q to -q, has none. Between
 * two keys that rotate about the same axis by more than half a turn, the angle is interpolated
 * instead (`turn`). */
typedef struct vo_motion_key {
    double time;
    vo_transform pose, rate;
    vo_vec3 turn; /* rotation to the next key by more than half a turn, as axis times radians; else
                     zero */
    double spin[2]; /* 1/s, rates of `turn` at this key and the next, relative to its angle */
} vo_motion_key;

typedef struct vo_motion {
    int key_count;
    bool has_zero_scale; /* at one of its keys */
    vo_motion_key *key;  /* ascending times; at least one */
} vo_motion;

/* The pose at a time, constant before the first and after the last key. Its scale is 0 while
 * the interpolated scale is not positive (vo_motion_is_present). */
vo_transform vo_motion_pose(const vo_motion *motion, double time);

/* False while the interpolated scale is not positive, as in ARCSim: an obstacle that follows the
 * motion is absent then. */
bool vo_motion_is_present(const vo_motion *motion, double time);

vo_transform vo_pose_transform(vo_pose pose);

/* Message about an invalid pose, which begins with the member's name, or NULL. The scale of a
 * keyframe may be 0, that of a rate of change any number. */
const char *vo_pose_defect(vo_pose pose);
const char *vo_pose_key_defect(vo_pose pose);
const char *vo_pose_rate_defect(vo_pose rate);

/* Message about an invalid time of key k, or NULL. The earlier keys are valid. */
const char *vo_key_time_defect(const vo_keyframe *keys, int k);

/* Checks and copies keyframes; VO_BAD_ARGUMENT names the key that is wrong. */
vo_result vo_motion_from_keyframes(vo_context *ctx, int key_count, const vo_keyframe *keys,
                                   vo_motion *out);

/* Fills in every rate: central differences, zero at the first and last key. */
void vo_motion_central_rates(vo_motion *motion);

/* Transforms a motion M to other axes: frame M frame^-1. `frame` has no translation. */
void vo_motion_change_frame(vo_motion *motion, vo_transform frame);

void vo_motion_free(vo_context *ctx, vo_motion *motion);

/* The bodies of a .mot file (docs/scene-reference.md), one motion each. Frame k is at k / fps;
 * `placement` is applied after every pose. Errors name `name` and the line. */
typedef struct vo_mot {
    vo_context *ctx;
    int body_count, body_capacity;
    vo_motion *body;
} vo_mot;

vo_result vo_mot_parse(vo_context *ctx, const char *name, const char *text, size_t size, double fps,
                       vo_transform placement, vo_mot *out);
void vo_mot_free(vo_mot *mot);

#endif
