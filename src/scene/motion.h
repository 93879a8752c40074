/* Poses over time: keyframes joined by cubic Hermite curves, or the bodies of a .mot file. */
#ifndef VO_SCENE_MOTION_H
#define VO_SCENE_MOTION_H

#include "core/context.h"
#include "math/quat.h"

#include <voile/scene.h>

/* One key: a pose and its rate of change per second, component by component (the rotation's is a
 * quaternion rate; the blended quaternion is normalized). */
typedef struct vo_motion_key {
    double time;
    vo_transform pose, rate;
} vo_motion_key;

typedef struct vo_motion {
    int key_count;
    vo_motion_key *key; /* ascending times; at least one */
} vo_motion;

/* Before the first and after the last key the end pose is held. */
vo_transform vo_motion_pose(const vo_motion *motion, double time);

vo_transform vo_pose_transform(vo_pose pose);

#endif
