#include "character/clip.h"

#include "character/clip_legs.h"
#include "core/memory.h"

#define RADIANS   (VO_PI / 180)
#define MAX_LOOPS 1e6 /* loops of a looping clip after which, and before which, it stands still */

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

static double root_at(const vo_clip *clip, vo_root_channel channel, double time) {
    return vo_curve_at(&clip->channel[channel], time);
}

static vo_joint_angles angles_at(const vo_clip *clip, int bone, double time) {
    const vo_curve *curve = &clip->channel[VO_CLIP_BONES + bone * VO_JOINT_CHANNELS];
    return (vo_joint_angles){vo_curve_at(&curve[VO_JOINT_BEND], time),
                             vo_curve_at(&curve[VO_JOINT_SIDE], time),
                             vo_curve_at(&curve[VO_JOINT_TWIST], time)};
}

/* Returns the pose of the channels alone, without the steps. */
static vo_body_pose pose_from_channels(const vo_clip *clip, const vo_skeleton *skeleton,
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
    vo_foot_target goal = vo_foot_target_at(clip, skeleton, side, time);
    double free = vo_leg_channel_at(clip, side, VO_LEG_FREE, time);
    double knee = vo_leg_channel_at(clip, side, VO_LEG_KNEE, time) * RADIANS;
    vo_clip_foot foot = {.stands = goal.stands && free == 0, .pivot = goal.pivot};
    if (free < 1) foot.shortfall = vo_leg_solve(skeleton, side, &goal, knee, free, pose);
    return foot;
}

vo_body_pose vo_clip_pose(const vo_clip *clip, const vo_skeleton *skeleton, double time,
                          vo_clip_foot feet[VO_CLIP_SIDES]) {
    double most = MAX_LOOPS * clip->duration;
    time = vo_clamp(time, -most, most);
    vo_body_pose pose = pose_from_channels(clip, skeleton, time);
    for (int side = 0; side < VO_CLIP_SIDES; side++) {
        vo_clip_foot foot = place_foot(clip, skeleton, side, time, &pose);
        if (feet) feet[side] = foot;
    }
    return pose;
}
