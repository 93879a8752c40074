/* Legs of a clip: from steps to the angles of thigh, shin, foot and toes. */
#ifndef VO_SCENE_CLIP_LEGS_H
#define VO_SCENE_CLIP_LEGS_H

#include "scene/clip.h"

/* Where a foot is to be. */
typedef struct vo_foot_goal {
    vo_vec3 ankle;        /* m */
    double heading, tilt; /* radians, as in vo_clip_step and VO_LEG_TILT */
    double flat;          /* 1: the toes lie on the floor, 0: they follow the foot */
    bool stands;
    vo_vec3 pivot;
} vo_foot_goal;

/* The value of a channel of a leg. */
double vo_leg_channel_at(const vo_clip *clip, int side, vo_leg_channel channel, double time);

/* The clip's lengths times this are the skeleton's. */
double vo_clip_scale(const vo_clip *clip, const vo_skeleton *skeleton);

/* By the steps of the side, of which there must be some. */
vo_foot_goal vo_foot_goal_at(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                             double time);

/* Sets the four rotations of a leg in `pose`, whose hips are as they shall be and whose leg has the
 * angles for where it is free. Returns by how much the leg is too short. */
double vo_leg_solve(const vo_skeleton *skeleton, int side, const vo_foot_goal *goal, double knee,
                    double free, vo_body_pose *pose);

#endif
