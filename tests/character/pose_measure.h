/* Measures of body poses: joint angles of a rotation, violations of joint limits, mirror images. */
#ifndef VOILE_TESTS_POSE_MEASURE_H
#define VOILE_TESTS_POSE_MEASURE_H

#include "character/skeleton.h"

/* Unit axis of a rotation below half a turn. */
static inline vo_vec3 rotation_axis(vo_quat q) { return v3_normalize(v3(q.x, q.y, q.z)); }

/* Twist of a rotation about an axis; the identity where the swing is half a turn and the twist is
 * arbitrary. */
static inline vo_quat twist_about(vo_vec3 axis, vo_quat q) {
    double along = v3_dot(axis, v3(q.x, q.y, q.z));
    if (along * along + q.w * q.w < 1e-24) return q_identity();
    return q_normalize((vo_quat){q.w, along * axis.x, along * axis.y, along * axis.z});
}

/* Inverse of vo_joint_rotation, with a twist in [-180, 180] and a swing of at most 180. */
static inline vo_joint_angles angles_from_rotation(vo_bone bone, vo_quat rotation) {
    vo_vec3 bend = rotation_axis(vo_joint_rotation(bone, (vo_joint_angles){90, 0, 0}));
    vo_vec3 side = rotation_axis(vo_joint_rotation(bone, (vo_joint_angles){0, 90, 0}));
    vo_vec3 twist_axis = rotation_axis(vo_joint_rotation(bone, (vo_joint_angles){0, 0, 90}));
    vo_quat q = rotation.w < 0 ? q_scale(-1, rotation) : rotation;
    vo_quat twist = twist_about(twist_axis, q), s = q_mul(q, q_conjugate(twist));
    if (s.w < 0) s = q_scale(-1, s);
    vo_vec3 axis = v3(s.x, s.y, s.z);
    double half = v3_length(axis), along = v3_dot(twist_axis, v3(twist.x, twist.y, twist.z));
    vo_vec3 swing =
        half > 0 ? v3_scale(2 * atan2(half, s.w) / half * 180 / VO_PI, axis) : v3_zero();
    return (vo_joint_angles){v3_dot(swing, bend), v3_dot(swing, side),
                             2 * atan2(along, twist.w) * 180 / VO_PI};
}

/* Distance of x from [low, high]. */
static inline double interval_excess(double x, double low, double high) {
    return vo_max(0, vo_max(low - x, x - high));
}

/* Largest violation of the limits of a bone, degrees; 0 if they are met up to rounding. */
static inline double joint_excess(vo_bone bone, vo_quat rotation) {
    if (bone == VO_BONE_HIPS) return 0;
    vo_joint_angles a = angles_from_rotation(bone, rotation);
    vo_joint_limits l = vo_bone_limits(bone);
    double worst = vo_max(interval_excess(a.bend, l.low.bend, l.high.bend),
                          vo_max(interval_excess(a.side, l.low.side, l.high.side),
                                 interval_excess(a.twist, l.low.twist, l.high.twist)));
    return worst > 1e-9 ? worst : 0;
}

/* Largest violation of a joint limit, degrees; 0 if all are met. `bone` may be NULL and receives
 * the bone. */
static inline double pose_excess(const vo_body_pose *pose, vo_bone *bone) {
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

/* The pose mirrored in the plane x = 0. */
static inline vo_body_pose mirror_pose(const vo_body_pose *pose) {
    vo_vec3 t = pose->translation;
    vo_body_pose out = {.translation = {-t.x, t.y, t.z}};
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_quat q = pose->rotation[vo_bone_mirror((vo_bone)b)];
        out.rotation[b] = (vo_quat){q.w, q.x, -q.y, -q.z};
    }
    return out;
}

#endif
