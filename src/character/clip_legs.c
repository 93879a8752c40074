/* Foot targets from steps, and two-bone inverse kinematics of the legs. */
#include "character/clip_legs.h"

#define RADIANS (VO_PI / 180)

double vo_leg_channel_at(const vo_clip *clip, int side, vo_leg_channel channel, double time) {
    int c = VO_CLIP_LEGS + side * VO_LEG_CHANNELS + (int)channel;
    return vo_curve_at(&clip->channel[c], time);
}

/* Returns the bone of this side for a bone of the left side. */
static vo_bone bone_of_side(int side, vo_bone left) {
    return side == VO_CLIP_LEFT ? left : vo_bone_mirror(left);
}

/* Returns step i; loops continue beyond 0 and count - 1. */
static vo_clip_step step_at(const vo_clip *clip, int side, int i) {
    int n = clip->step_count[side];
    int turn = (i >= 0 ? i : i - n + 1) / n;
    vo_clip_step step = clip->step[side][i - turn * n];
    step.from += turn * clip->duration;
    step.to += turn * clip->duration;
    for (int k = 0; k < 2; k++) {
        step.at[k] += turn * clip->travel[k];
        step.heading[k] += 360.0 * turn * clip->turns;
    }
    return step;
}

/* Returns the index of the last step that begins at or before the time; it may precede the first
 * step. */
static int find_last_step(const vo_clip *clip, int side, double time) {
    int n = clip->step_count[side], i = n - 1, turn = 0;
    if (clip->loop) turn = (int)floor(time / clip->duration);
    while (i >= 0 && step_at(clip, side, i + turn * n).from > time) i--;
    return i + turn * n;
}

/* Rotation by the heading about z and by the tilt about the axis from right to left. */
static vo_quat foot_rotation(double heading, double tilt) {
    return q_mul(q_axis_angle(v3(0, 0, 1), heading), q_axis_angle(v3(-1, 0, 0), tilt));
}

/* Returns the vector from the ankle to the contact point of the heel in the frame of the foot:
 * behind the ankle by three fifths of its height. */
static vo_vec3 heel_offset(const vo_skeleton *skeleton) {
    double ankle = skeleton->offset[VO_BONE_HIPS].z + skeleton->offset[VO_BONE_LEFT_THIGH].z +
                   skeleton->offset[VO_BONE_LEFT_SHIN].z + skeleton->offset[VO_BONE_LEFT_FOOT].z;
    return v3(0, 0.6 * ankle, -ankle);
}

/* Returns the target of a foot that stands on this step: tilted about its ball or its heel. */
static vo_foot_target standing_target(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                      const vo_clip_step *step, double time) {
    double scale = vo_clip_scale(clip, skeleton);
    double share = vo_ease((time - step->from) / (step->to - step->from));
    double turned = (1 - share) * step->heading[0] + share * step->heading[1];
    vo_foot_target target = {.heading = turned * RADIANS, .flat = 1, .stands = true};
    target.tilt = vo_leg_channel_at(clip, side, VO_LEG_TILT, time) * RADIANS;
    vo_quat flat = foot_rotation(target.heading, 0);
    vo_quat tilted = foot_rotation(target.heading, target.tilt);
    vo_vec3 ball = skeleton->offset[bone_of_side(side, VO_BONE_LEFT_TOES)],
            heel = heel_offset(skeleton);
    vo_vec3 at = v3(scale * step->at[1], -scale * step->at[0], ball.z - heel.z);
    vo_vec3 ankle = v3_sub(at, q_rotate(flat, ball));
    vo_vec3 arm = target.tilt > 0 ? heel : ball;
    target.pivot = v3_add(ankle, q_rotate(flat, arm));
    target.ankle = v3_sub(target.pivot, q_rotate(tilted, arm));
    return target;
}

/* Returns the velocity of the ankle while the foot stands, m/s. */
static vo_vec3 standing_velocity(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                 const vo_clip_step *step, double time) {
    const double dt = 1e-5;
    vo_vec3 before = standing_target(clip, skeleton, side, step, time - dt).ankle;
    vo_vec3 after = standing_target(clip, skeleton, side, step, time + dt).ankle;
    return v3_scale(0.5 / dt, v3_sub(after, before));
}

/* Returns the target between two steps: a cubic through both ankles with their velocities, plus the
 * lift. */
static vo_foot_target swing_target(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                   const vo_clip_step *a, const vo_clip_step *b, double time) {
    double h = b->from - a->to, s = (time - a->to) / h, r = 1 - s;
    vo_foot_target from = standing_target(clip, skeleton, side, a, a->to);
    vo_foot_target to = standing_target(clip, skeleton, side, b, b->from);
    vo_vec3 leaves = standing_velocity(clip, skeleton, side, a, a->to);
    vo_vec3 lands = standing_velocity(clip, skeleton, side, b, b->from);
    vo_foot_target target = {.heading = from.heading + vo_ease(s) * (to.heading - from.heading)};
    target.tilt = vo_leg_channel_at(clip, side, VO_LEG_TILT, time) * RADIANS;
    vo_vec3 rest = v3_lerp(from.ankle, to.ankle, vo_ease(s));
    vo_vec3 drive = v3_sub(v3_scale(r, leaves), v3_scale(s, lands));
    target.ankle = v3_add(rest, v3_scale(h * s * r, drive));
    double bump = 16 * s * s * r * r;
    target.ankle.z += bump * b->lift * vo_clip_scale(clip, skeleton);
    target.flat = 1 - bump;
    return target;
}

vo_foot_target vo_foot_target_at(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                 double time) {
    int i = find_last_step(clip, side, time), last = clip->step_count[side] - 1;
    if (!clip->loop) i = (int)vo_clamp(i, 0, last);
    vo_clip_step step = step_at(clip, side, i);
    bool ends = !clip->loop && (i == last || time < step.from);
    if (time <= step.to || ends) return standing_target(clip, skeleton, side, &step, time);
    vo_clip_step next = step_at(clip, side, i + 1);
    return swing_target(clip, skeleton, side, &step, &next, time);
}

/* Returns the smallest rotation that takes the unit vector a to the unit vector b. */
static vo_quat smallest_rotation(vo_vec3 a, vo_vec3 b) {
    vo_vec3 c = v3_cross(a, b);
    return q_normalize((vo_quat){1 + v3_dot(a, b), c.x, c.y, c.z});
}

/* Returns the component of v perpendicular to the unit vector `along`, normalised. */
static vo_vec3 perpendicular(vo_vec3 v, vo_vec3 along) {
    return v3_normalize(v3_sub(v, v3_scale(v3_dot(v, along), along)));
}

/* Attachment of a leg, and its pose from the angles alone. */
typedef struct leg_frame {
    vo_bone thigh, shin, foot, toes;
    vo_vec3 hip, ankle;                  /* m, joints in the world */
    vo_quat hips, thigh_turn, foot_turn; /* world rotations */
} leg_frame;

static leg_frame frame_of(const vo_skeleton *skeleton, int side, const vo_body_pose *pose) {
    leg_frame f = {.thigh = bone_of_side(side, VO_BONE_LEFT_THIGH),
                   .shin = bone_of_side(side, VO_BONE_LEFT_SHIN),
                   .foot = bone_of_side(side, VO_BONE_LEFT_FOOT),
                   .toes = bone_of_side(side, VO_BONE_LEFT_TOES)};
    vo_vec3 root = v3_add(skeleton->offset[VO_BONE_HIPS], pose->translation);
    f.hips = pose->rotation[VO_BONE_HIPS];
    f.hip = v3_add(root, q_rotate(f.hips, skeleton->offset[f.thigh]));
    f.thigh_turn = q_mul(f.hips, pose->rotation[f.thigh]);
    vo_quat shin = q_mul(f.thigh_turn, pose->rotation[f.shin]);
    vo_vec3 knee = v3_add(f.hip, q_rotate(f.thigh_turn, skeleton->offset[f.shin]));
    f.ankle = v3_add(knee, q_rotate(shin, skeleton->offset[f.foot]));
    f.foot_turn = q_mul(shin, pose->rotation[f.foot]);
    return f;
}

/* Returns the axis about which the knee bends: horizontal, perpendicular to the mean direction of
 * hips and foot, rotated about the leg by `knee`; blended with the axis of the angles where the leg
 * is free. */
static vo_vec3 knee_axis(const leg_frame *f, const vo_foot_target *target, int side, double knee,
                         double free, vo_vec3 leg) {
    vo_vec3 front = v3(0, -1, 0);
    vo_vec3 hips = q_rotate(f->hips, front),
            foot = q_rotate(foot_rotation(target->heading, 0), front);
    vo_vec3 pole = v3_add(v3_normalize(v3(hips.x, hips.y, 0)), foot);
    vo_vec3 axis = perpendicular(v3_cross(pole, leg), leg);
    /* seen along a hanging leg, outwards is a rotation about -leg on the left */
    axis = q_rotate(q_axis_angle(leg, side == VO_CLIP_LEFT ? -knee : knee), axis);
    vo_vec3 angles = q_rotate(f->thigh_turn, v3(1, 0, 0));
    return perpendicular(v3_lerp(axis, angles, free), leg);
}

/* Maps the distance between hip and ankle to one that the leg can reach: unchanged up to 97 % of
 * the reach, then approaching it asymptotically, so that a leg straightens smoothly. */
static double soft_distance(double distance, double reach) {
    double soft = 0.97 * reach, margin = reach - soft;
    return distance <= soft ? distance : reach - margin * exp((soft - distance) / margin);
}

/* Returns the angle at the knee, radians from straight, for this distance between hip and ankle. */
static double knee_angle(double thigh, double shin, double distance) {
    double cosine = (distance * distance - thigh * thigh - shin * shin) / (2 * thigh * shin);
    return acos(vo_clamp(cosine, -1, 1));
}

/* Returns the world rotation of the thigh: a leg bent by `angle` about `axis` points along
 * `leg`. */
static vo_quat thigh_rotation(double thigh, double shin, double angle, vo_vec3 leg, vo_vec3 axis) {
    vo_vec3 bent = v3_normalize(v3(0, shin * sin(angle), -thigh - shin * cos(angle)));
    vo_quat reach = smallest_rotation(bent, leg);
    vo_vec3 x = q_rotate(reach, v3(1, 0, 0));
    double turn = atan2(v3_dot(v3_cross(x, axis), leg), v3_dot(x, axis));
    return q_mul(q_axis_angle(leg, turn), reach);
}

/* Interpolates two rotations along the shorter arc. */
static vo_quat interpolate(vo_quat a, vo_quat b, double t) {
    if (q_dot(a, b) < 0) b = q_scale(-1, b);
    return q_normalize(q_add(q_scale(1 - t, a), q_scale(t, b)));
}

/* Sets foot and toes: blended between the target and the angles by `free`. */
static void set_foot(const leg_frame *f, const vo_foot_target *target, double free, vo_quat shin,
                     vo_body_pose *pose) {
    vo_quat foot = interpolate(foot_rotation(target->heading, target->tilt), f->foot_turn, free);
    double up = vo_max(0, -target->tilt) * target->flat / RADIANS;
    vo_quat toes = vo_joint_rotation(f->toes, (vo_joint_angles){up, 0, 0});
    pose->rotation[f->foot] = q_mul(q_conjugate(shin), foot);
    pose->rotation[f->toes] = interpolate(toes, pose->rotation[f->toes], free);
}

double vo_leg_solve(const vo_skeleton *skeleton, int side, const vo_foot_target *target,
                    double knee, double free, vo_body_pose *pose) {
    leg_frame f = frame_of(skeleton, side, pose);
    double thigh = v3_length(skeleton->offset[f.shin]), shin = v3_length(skeleton->offset[f.foot]);
    vo_vec3 way = v3_sub(v3_lerp(target->ankle, f.ankle, free), f.hip);
    double distance = v3_length(way), reach = 0.99999 * (thigh + shin),
           air = (1 - target->flat) * (1 - free);
    distance += air * (soft_distance(distance, reach) - distance);
    vo_vec3 leg = v3_normalize(way);
    double angle = knee_angle(thigh, shin, vo_min(distance, reach));
    vo_vec3 axis = knee_axis(&f, target, side, knee, free, leg);
    vo_quat world = thigh_rotation(thigh, shin, angle, leg, axis);
    pose->rotation[f.thigh] = q_mul(q_conjugate(f.hips), world);
    pose->rotation[f.shin] = vo_joint_rotation(f.shin, (vo_joint_angles){-angle / RADIANS, 0, 0});
    set_foot(&f, target, free, q_mul(world, pose->rotation[f.shin]), pose);
    return vo_max(0, distance - reach);
}
