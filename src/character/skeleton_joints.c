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

/* Returns the twist of a rotation about an axis; the identity where the swing is half a turn and
 * the twist is arbitrary. */
static vo_quat twist_about(vo_vec3 axis, vo_quat q) {
    double along = v3_dot(axis, v3(q.x, q.y, q.z));
    if (along * along + q.w * q.w < 1e-24) return q_identity();
    return q_normalize((vo_quat){q.w, along * axis.x, along * axis.y, along * axis.z});
}

vo_joint_angles vo_joint_angles_from_rotation(vo_bone bone, vo_quat rotation) {
    joint j = joint_of(bone);
    vo_quat q = rotation.w < 0 ? q_scale(-1, rotation) : rotation;
    vo_quat twist = twist_about(j.twist, q), s = q_mul(q, q_conjugate(twist));
    if (s.w < 0) s = q_scale(-1, s);
    vo_vec3 axis = v3(s.x, s.y, s.z);
    double half = v3_length(axis), along = v3_dot(j.twist, v3(twist.x, twist.y, twist.z));
    vo_vec3 swing = half > 0 ? v3_scale(2 * atan2(half, s.w) / half * DEGREES, axis) : v3_zero();
    return (vo_joint_angles){v3_dot(swing, j.bend), v3_dot(swing, j.side),
                             2 * atan2(along, twist.w) * DEGREES};
}

/* Returns the distance of x from [low, high]. */
static double excess(double x, double low, double high) {
    return vo_max(0, vo_max(low - x, x - high));
}

/* degrees; excess below this is rounding */
#define ROUNDING 1e-9

/* Returns the largest violation of the limits of a bone, degrees; 0 if they are met. */
static double joint_excess(vo_bone bone, vo_quat rotation) {
    if (bone == VO_BONE_HIPS) return 0;
    vo_joint_angles a = vo_joint_angles_from_rotation(bone, rotation);
    vo_joint_limits l = vo_bone_limits(bone);
    double worst = vo_max(excess(a.bend, l.low.bend, l.high.bend),
                          vo_max(excess(a.side, l.low.side, l.high.side),
                                 excess(a.twist, l.low.twist, l.high.twist)));
    return worst > ROUNDING ? worst : 0;
}

double vo_body_pose_excess(const vo_body_pose *pose, vo_bone *bone) {
    double worst = 0;
    if (bone) *bone = VO_BONE_HIPS;
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        double excess = joint_excess((vo_bone)b, pose->rotation[b]);
        if (excess <= worst) continue;
        worst = excess;
        if (bone) *bone = (vo_bone)b;
    }
    return worst;
}
