#include "scene/clip.h"

#include "core/memory.h"
#include "scene/clip_legs.h"

#define RADIANS    (VO_PI / 180)
#define MOST_LOOPS 1e6 /* a clip that loops stands still before and after so many */

void vo_clip_destroy(vo_clip *clip) {
    if (!clip) return;
    vo_context *ctx = clip->ctx;
    vo_free_string(ctx, clip->description);
    for (int c = 0; c < VO_CLIP_CHANNELS; c++) vo_curve_free(ctx, &clip->channel[c]);
    for (int s = 0; s < VO_CLIP_SIDES; s++) vo_free_array(ctx, clip->step[s], clip->step_count[s]);
    vo_delete(ctx, clip);
}

double vo_clip_scale(const vo_clip *clip, const vo_skeleton *skeleton) {
    double hip = skeleton->offset[VO_BONE_HIPS].z + skeleton->offset[VO_BONE_LEFT_THIGH].z;
    return hip / clip->leg;
}

vo_vec3 vo_clip_travel(const vo_clip *clip, const vo_skeleton *skeleton) {
    double scale = vo_clip_scale(clip, skeleton);
    return v3(scale * clip->travel[1], -scale * clip->travel[0], 0);
}

static double root_at(const vo_clip *clip, vo_root_channel channel, double time) {
    return vo_curve_at(&clip->channel[channel], time);
}

static vo_joint_angles angles_at(const vo_clip *clip, int bone, double time) {
    const vo_curve *curve = &clip->channel[VO_CLIP_BONES + bone * VO_JOINT_CHANNELS];
    return (vo_joint_angles){vo_curve_at(&curve[VO_JOINT_BEND], time),
                             vo_curve_at(&curve[VO_JOINT_SIDE], time),
                             vo_curve_at(&curve[VO_JOINT_TWIST], time)};
}

/* Everything but the steps. */
static vo_body_pose pose_of_channels(const vo_clip *clip, const vo_skeleton *skeleton,
                                     double time) {
    double scale = vo_clip_scale(clip, skeleton);
    vo_body_pose pose;
    pose.translation =
        v3_scale(scale, v3(root_at(clip, VO_ROOT_LEFT, time), -root_at(clip, VO_ROOT_FORWARD, time),
                           root_at(clip, VO_ROOT_UP, time)));
    for (int b = 0; b < VO_BONE_COUNT; b++)
        pose.rotation[b] = vo_joint_rotation((vo_bone)b, angles_at(clip, b, time));
    double heading = root_at(clip, VO_ROOT_HEADING, time);
    pose.rotation[VO_BONE_HIPS] =
        q_mul(q_axis_angle(v3(0, 0, 1), heading * RADIANS), pose.rotation[VO_BONE_HIPS]);
    return pose;
}

/* Solves one leg for its steps, if it has any and is not free. */
static vo_clip_foot place_foot(const vo_clip *clip, const vo_skeleton *skeleton, int side,
                               double time, vo_body_pose *pose) {
    if (clip->step_count[side] == 0) return (vo_clip_foot){0};
    vo_foot_goal goal = vo_foot_goal_at(clip, skeleton, side, time);
    double free = vo_leg_channel_at(clip, side, VO_LEG_FREE, time);
    double knee = vo_leg_channel_at(clip, side, VO_LEG_KNEE, time) * RADIANS;
    vo_clip_foot foot = {.stands = goal.stands && free == 0, .pivot = goal.pivot};
    if (free < 1) foot.too_far = vo_leg_solve(skeleton, side, &goal, knee, free, pose);
    return foot;
}

vo_body_pose vo_clip_pose(const vo_clip *clip, const vo_skeleton *skeleton, double time,
                          vo_clip_foot feet[VO_CLIP_SIDES]) {
    double most = MOST_LOOPS * clip->duration;
    time = vo_clamp(time, -most, most);
    vo_body_pose pose = pose_of_channels(clip, skeleton, time);
    for (int side = 0; side < VO_CLIP_SIDES; side++) {
        vo_clip_foot foot = place_foot(clip, skeleton, side, time, &pose);
        if (feet) feet[side] = foot;
    }
    return pose;
}

vo_body_pose vo_clip_enter(const vo_clip *clip, const vo_skeleton *skeleton,
                           const vo_body_pose *from, double over, double time) {
    vo_body_pose to = vo_clip_pose(clip, skeleton, time, NULL);
    if (time >= 0) return to;
    return vo_body_pose_blend(from, &to, over > 0 ? vo_ease(1 + time / over) : 0);
}

vo_body_pose vo_clip_cross(const vo_clip *a, const vo_clip *b, const vo_skeleton *skeleton,
                           double start, double over, double time) {
    if (time <= start) return vo_clip_pose(a, skeleton, time, NULL);
    vo_body_pose to = vo_clip_pose(b, skeleton, time - start, NULL);
    if (time >= start + over) return to;
    vo_body_pose from = vo_clip_pose(a, skeleton, time, NULL);
    return vo_body_pose_blend(&from, &to, vo_ease((time - start) / over));
}
