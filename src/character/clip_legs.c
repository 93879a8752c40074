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
    int cycle = (i >= 0 ? i : i - n + 1) / n;
    vo_clip_step step = clip->step[side][i - cycle * n];
    step.from += cycle * clip->duration;
    step.to += cycle * clip->duration;
    for (int k = 0; k < 2; k++) {
        step.at[k] += cycle * clip->travel[k];
        step.heading[k] += 360.0 * cycle * clip->turns;
    }
    return step;
}

/* Returns the index of the last step that begins at or before the time; it may precede the first
 * step. */
static int find_last_step(const vo_clip *clip, int side, double time) {
    int n = clip->step_count[side], i = n - 1, cycle = 0;
    if (clip->loop) cycle = (int)floor(time / clip->duration);
    while (i >= 0 && step_at(clip, side, i + cycle * n).from > time) i--;
    return i + cycle * n;
}

/* Returns the world rotation of a foot: yaw by `heading` about z after pitch by `tilt` about the
 * mediolateral axis. */
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

/* Returns the target of a foot in stance on this step: pitched about the ball or the heel. */
static vo_foot_target standing_target(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                      const vo_clip_step *step, double time) {
    double scale = vo_clip_scale(clip, skeleton);
    double phase = vo_ease((time - step->from) / (step->to - step->from));
    double heading = (1 - phase) * step->heading[0] + phase * step->heading[1];
    vo_foot_target target = {.heading = heading * RADIANS, .flat = 1, .stands = true};
    target.tilt = vo_leg_channel_at(clip, side, VO_LEG_TILT, time) * RADIANS;
    vo_quat flat = foot_rotation(target.heading, 0);
    vo_quat tilted = foot_rotation(target.heading, target.tilt);
    vo_vec3 ball = skeleton->offset[bone_of_side(side, VO_BONE_LEFT_TOES)],
            heel = heel_offset(skeleton);
    vo_vec3 ball_contact = v3(scale * step->at[1], -scale * step->at[0], ball.z - heel.z);
    vo_vec3 flat_ankle = v3_sub(ball_contact, q_rotate(flat, ball));
    vo_vec3 pivot_offset = target.tilt > 0 ? heel : ball;
    target.pivot = v3_add(flat_ankle, q_rotate(flat, pivot_offset));
    target.ankle = v3_sub(target.pivot, q_rotate(tilted, pivot_offset));
    return target;
}

/* Returns the velocity of the ankle in stance, m/s, by central differences. */
static vo_vec3 standing_velocity(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                 const vo_clip_step *step, double time) {
    const double dt = 1e-5;
    vo_vec3 before = standing_target(clip, skeleton, side, step, time - dt).ankle;
    vo_vec3 after = standing_target(clip, skeleton, side, step, time + dt).ankle;
    return v3_scale(0.5 / dt, v3_sub(after, before));
}

/* Returns the target of a foot in swing between two steps: the cubic Hermite curve through both
 * ankle positions with their velocities, plus the lift. */
static vo_foot_target swing_target(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                   const vo_clip_step *previous, const vo_clip_step *next,
                                   double time) {
    double duration = next->from - previous->to, phase = (time - previous->to) / duration,
           remaining = 1 - phase;
    vo_foot_target liftoff = standing_target(clip, skeleton, side, previous, previous->to);
    vo_foot_target landing = standing_target(clip, skeleton, side, next, next->from);
    vo_vec3 liftoff_velocity = standing_velocity(clip, skeleton, side, previous, previous->to);
    vo_vec3 landing_velocity = standing_velocity(clip, skeleton, side, next, next->from);
    vo_foot_target target = {.heading = liftoff.heading +
                                        vo_ease(phase) * (landing.heading - liftoff.heading)};
    target.tilt = vo_leg_channel_at(clip, side, VO_LEG_TILT, time) * RADIANS;
    vo_vec3 eased_ankle = v3_lerp(liftoff.ankle, landing.ankle, vo_ease(phase));
    vo_vec3 tangent =
        v3_sub(v3_scale(remaining, liftoff_velocity), v3_scale(phase, landing_velocity));
    target.ankle = v3_add(eased_ankle, v3_scale(duration * phase * remaining, tangent));
    double lift_profile = 16 * phase * phase * remaining * remaining;
    target.ankle.z += lift_profile * next->lift * vo_clip_scale(clip, skeleton);
    target.flat = 1 - lift_profile;
    return target;
}

vo_foot_target vo_foot_target_at(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                                 double time) {
    int i = find_last_step(clip, side, time), last = clip->step_count[side] - 1;
    if (!clip->loop) i = (int)vo_clamp(i, 0, last);
    vo_clip_step step = step_at(clip, side, i);
    bool is_outside_steps = !clip->loop && (i == last || time < step.from);
    if (time <= step.to || is_outside_steps)
        return standing_target(clip, skeleton, side, &step, time);
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

/* Joints of a leg, and its pose from the joint angles alone (forward kinematics). */
typedef struct leg_frame {
    vo_bone thigh, shin, foot, toes;
    vo_vec3 hip, ankle;                                     /* m, joint centres in the world */
    vo_quat pelvis_rotation, thigh_rotation, foot_rotation; /* world */
} leg_frame;

static leg_frame frame_of(const vo_skeleton *skeleton, int side, const vo_body_pose *pose) {
    leg_frame f = {.thigh = bone_of_side(side, VO_BONE_LEFT_THIGH),
                   .shin = bone_of_side(side, VO_BONE_LEFT_SHIN),
                   .foot = bone_of_side(side, VO_BONE_LEFT_FOOT),
                   .toes = bone_of_side(side, VO_BONE_LEFT_TOES)};
    vo_vec3 pelvis = v3_add(skeleton->offset[VO_BONE_HIPS], pose->translation);
    f.pelvis_rotation = pose->rotation[VO_BONE_HIPS];
    f.hip = v3_add(pelvis, q_rotate(f.pelvis_rotation, skeleton->offset[f.thigh]));
    f.thigh_rotation = q_mul(f.pelvis_rotation, pose->rotation[f.thigh]);
    vo_quat shin_rotation = q_mul(f.thigh_rotation, pose->rotation[f.shin]);
    vo_vec3 knee = v3_add(f.hip, q_rotate(f.thigh_rotation, skeleton->offset[f.shin]));
    f.ankle = v3_add(knee, q_rotate(shin_rotation, skeleton->offset[f.foot]));
    f.foot_rotation = q_mul(shin_rotation, pose->rotation[f.foot]);
    return f;
}

/* Returns the flexion axis of the knee, perpendicular to the unit vector `leg` from hip to ankle.
 * The pole vector is the mean horizontal forward direction of pelvis and foot, rotated about the
 * leg by `knee`; the axis is blended with that of the joint angles by `free`. */
static vo_vec3 knee_axis(const leg_frame *f, const vo_foot_target *target, int side, double knee,
                         double free, vo_vec3 leg) {
    vo_vec3 forward = v3(0, -1, 0);
    vo_vec3 pelvis_forward = q_rotate(f->pelvis_rotation, forward),
            foot_forward = q_rotate(foot_rotation(target->heading, 0), forward);
    vo_vec3 pole = v3_add(v3_normalize(v3(pelvis_forward.x, pelvis_forward.y, 0)), foot_forward);
    vo_vec3 axis = perpendicular(v3_cross(pole, leg), leg);
    /* external rotation of the left leg is a rotation about -leg */
    axis = q_rotate(q_axis_angle(leg, side == VO_CLIP_LEFT ? -knee : knee), axis);
    vo_vec3 angle_axis = q_rotate(f->thigh_rotation, v3(1, 0, 0));
    return perpendicular(v3_lerp(axis, angle_axis, free), leg);
}

/* Maps the distance between hip and ankle to one below the leg length: unchanged up to 97 % of it,
 * then approaching it asymptotically, so that the knee extends smoothly. */
static double soft_distance(double distance, double leg_length) {
    double soft_limit = 0.97 * leg_length, margin = leg_length - soft_limit;
    return distance <= soft_limit ? distance
                                  : leg_length - margin * exp((soft_limit - distance) / margin);
}

/* Returns the knee flexion, radians, for this distance between hip and ankle (law of cosines). */
static double knee_angle(double thigh_length, double shin_length, double distance) {
    double cosine =
        (distance * distance - thigh_length * thigh_length - shin_length * shin_length) /
        (2 * thigh_length * shin_length);
    return acos(vo_clamp(cosine, -1, 1));
}

/* Returns the world rotation of the thigh for which a knee flexed by `flexion` about `axis` puts
 * the ankle in the direction `leg` from the hip. */
static vo_quat solve_thigh_rotation(double thigh_length, double shin_length, double flexion,
                                    vo_vec3 leg, vo_vec3 axis) {
    vo_vec3 ankle_direction =
        v3_normalize(v3(0, shin_length * sin(flexion), -thigh_length - shin_length * cos(flexion)));
    vo_quat swing = smallest_rotation(ankle_direction, leg);
    vo_vec3 swung_axis = q_rotate(swing, v3(1, 0, 0));
    double twist = atan2(v3_dot(v3_cross(swung_axis, axis), leg), v3_dot(swung_axis, axis));
    return q_mul(q_axis_angle(leg, twist), swing);
}

/* Interpolates two rotations along the shorter arc. */
static vo_quat interpolate(vo_quat a, vo_quat b, double t) {
    if (q_dot(a, b) < 0) b = q_scale(-1, b);
    return q_normalize(q_add(q_scale(1 - t, a), q_scale(t, b)));
}

/* Sets foot and toes, blended from the target (free = 0) to the joint angles (free = 1). */
static void set_foot(const leg_frame *f, const vo_foot_target *target, double free,
                     vo_quat shin_rotation, vo_body_pose *pose) {
    vo_quat foot =
        interpolate(foot_rotation(target->heading, target->tilt), f->foot_rotation, free);
    double toe_extension = vo_max(0, -target->tilt) * target->flat / RADIANS;
    vo_quat toes = vo_joint_rotation(f->toes, (vo_joint_angles){toe_extension, 0, 0});
    pose->rotation[f->foot] = q_mul(q_conjugate(shin_rotation), foot);
    pose->rotation[f->toes] = interpolate(toes, pose->rotation[f->toes], free);
}

double vo_leg_solve(const vo_skeleton *skeleton, int side, const vo_foot_target *target,
                    double knee, double free, vo_body_pose *pose) {
    leg_frame f = frame_of(skeleton, side, pose);
    double thigh_length = v3_length(skeleton->offset[f.shin]),
           shin_length = v3_length(skeleton->offset[f.foot]);
    vo_vec3 hip_to_ankle = v3_sub(v3_lerp(target->ankle, f.ankle, free), f.hip);
    double distance = v3_length(hip_to_ankle), leg_length = 0.99999 * (thigh_length + shin_length),
           swing_weight = (1 - target->flat) * (1 - free);
    distance += swing_weight * (soft_distance(distance, leg_length) - distance);
    vo_vec3 leg = v3_normalize(hip_to_ankle);
    double flexion = knee_angle(thigh_length, shin_length, vo_min(distance, leg_length));
    vo_vec3 axis = knee_axis(&f, target, side, knee, free, leg);
    vo_quat thigh_rotation = solve_thigh_rotation(thigh_length, shin_length, flexion, leg, axis);
    pose->rotation[f.thigh] = q_mul(q_conjugate(f.pelvis_rotation), thigh_rotation);
    pose->rotation[f.shin] = vo_joint_rotation(f.shin, (vo_joint_angles){-flexion / RADIANS, 0, 0});
    set_foot(&f, target, free, q_mul(thigh_rotation, pose->rotation[f.shin]), pose);
    return vo_max(0, distance - leg_length);
}
