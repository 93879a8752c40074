/* Legs of a clip: inverse kinematics from steps to the rotations of thigh, shin, foot and toes. */
#ifndef VO_CHARACTER_CLIP_LEGS_H
#define VO_CHARACTER_CLIP_LEGS_H

#include "character/clip.h"

/* Target of a foot. */
typedef struct vo_foot_target {
    vo_vec3 ankle;        /* m */
    double heading, tilt; /* radians, as in vo_clip_step and VO_LEG_TILT */
    double flat;          /* 1: the toes are flat on the floor, 0: they follow the foot */
    bool stands;
    vo_vec3 pivot;
} vo_foot_target;

/* Returns the value of a channel of a leg. */
double vo_leg_channel_at(const vo_clip *clip, int side, vo_leg_channel channel, double time);

/* Returns the factor from lengths of the clip to lengths of the skeleton. */
double vo_clip_scale(const vo_clip *clip, const vo_skeleton *skeleton);

/* Returns the target from the steps of this side, which must have at least one. */
vo_foot_target vo_foot_target_at(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                 double time);

/* Sets the four rotations of a leg in `pose`, whose hips are final and whose leg holds the
 * rotations from its angles. `knee` rotates the plane of the leg outwards about the line from hip
 * to ankle, radians; `free` blends from the target (0) to the joint angles (1). Returns the
 * distance by which the leg is too short, m. */
double vo_leg_solve(const vo_skeleton *skeleton, int side, const vo_foot_target *target,
                    double knee, double free, vo_body_pose *pose);

#endif
