/* Joint angles and joint limits. */
#include "character/skeleton.h"

#define DEGREES (180 / VO_PI)

/* Axes of the positive angles of a bone, and its limits. The ranges are those of flexible people,
 * because motions include dance and karate. */
typedef struct joint {
    vo_vec3 bend, side, twist; /* unit, perpendicular */
    vo_joint_limits limits;
} joint;

#define TRUNK_AXES \
    {1, 0, 0}, {0, 1, 0}, { 0, 0, 1 }
#define LIMB_AXES \
    {-1, 0, 0}, {0, -1, 0}, { 0, 0, 1 }
#define CLAVICLE_AXES \
    {0, 0, -1}, {0, -1, 0}, { -1, 0, 0 }
#define HAND_AXES \
    {0, 1, 0}, {-1, 0, 0}, { 0, 0, 1 }

/* Joints of the middle and the left. */
static const joint JOINT[VO_BONE_RIGHT_CLAVICLE] = {
    [VO_BONE_HIPS] = {TRUNK_AXES, {{-180, -180, -180}, {180, 180, 180}}},
    [VO_BONE_SPINE] = {TRUNK_AXES, {{-30, -25, -35}, {45, 25, 35}}},
    [VO_BONE_CHEST] = {TRUNK_AXES, {{-25, -25, -35}, {40, 25, 35}}},
    [VO_BONE_NECK] = {TRUNK_AXES, {{-40, -30, -45}, {40, 30, 45}}},
    [VO_BONE_HEAD] = {TRUNK_AXES, {{-40, -25, -45}, {40, 25, 45}}},
    [VO_BONE_LEFT_CLAVICLE] = {CLAVICLE_AXES, {{-25, -10, -30}, {35, 45, 30}}},
    [VO_BONE_LEFT_UPPER_ARM] = {LIMB_AXES, {{-60, -60, -90}, {165, 160, 100}}},
    [VO_BONE_LEFT_FOREARM] = {LIMB_AXES, {{-5, 0, -95}, {150, 0, 95}}},
    [VO_BONE_LEFT_HAND] = {HAND_AXES, {{-75, -35, 0}, {80, 25, 0}}},
    [VO_BONE_LEFT_THIGH] = {LIMB_AXES, {{-50, -40, -50}, {145, 110, 60}}},
    [VO_BONE_LEFT_SHIN] = {LIMB_AXES, {{-155, 0, -25}, {3, 0, 25}}},
    [VO_BONE_LEFT_FOOT] = {LIMB_AXES, {{-60, -30, -30}, {35, 30, 30}}},
    [VO_BONE_LEFT_TOES] = {LIMB_AXES, {{-35, 0, 0}, {65, 0, 0}}},
};

/* Returns the axis of a right joint: mirroring in x = 0 maps a rotation about (x, y, z) to one
 * about (x, -y, -z). */
static vo_vec3 mirrored(vo_vec3 axis) { return v3(axis.x, -axis.y, -axis.z); }

static joint joint_of(vo_bone bone) {
    vo_bone other = vo_bone_mirror(bone);
    if (bone <= other) return JOINT[bone];
    joint j = JOINT[other];
    return (joint){mirrored(j.bend), mirrored(j.side), mirrored(j.twist), j.limits};
}

vo_joint_limits vo_bone_limits(vo_bone bone) { return joint_of(bone).limits; }

vo_quat vo_joint_rotation(vo_bone bone, vo_joint_angles angles) {
    joint j = joint_of(bone);
    vo_vec3 swing = v3_add(v3_scale(angles.bend, j.bend), v3_scale(angles.side, j.side));
    return q_mul(q_axis_angle(swing, v3_length(swing) / DEGREES),
                 q_axis_angle(j.twist, angles.twist / DEGREES));
}
