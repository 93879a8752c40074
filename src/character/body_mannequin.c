/* Mannequins, moved by a Voile clip or a retargeted one. */
#include "character/body_private.h"
#include "core/memory.h"

#include <string.h>

static vo_result load_clip(vo_body *body, const vo_motion_def *def) {
    if (def->clip)
        return vo_fail(body->ctx, VO_BAD_ARGUMENT, "%s: contains one motion; remove clip '%.60s'",
                       def->file, def->clip);
    VO_TRY(vo_clip_load(body->ctx, def->file, &body->clip));
    body->time.length = body->clip->duration;
    body->time.endless = body->clip->loop;
    return VO_OK;
}

/* Creates joints for the bones in the rest pose, as retargeting requires them, in the body's
 * arena. */
static vo_result make_joints(vo_body *body) {
    const vo_skeleton *skeleton = &body->mannequin.skeleton;
    vo_body_pose rest = vo_body_pose_rest(skeleton);
    body->bone_joint = vo_arena_array(&body->memory, vo_joint, VO_BONE_COUNT);
    if (!body->bone_joint) return vo_fail_memory(body->ctx, "the bones of a mannequin");
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_trs parts = {skeleton->offset[b], rest.rotation[b], {1, 1, 1}};
        if (b == VO_BONE_HIPS) parts.translation = v3_add(parts.translation, rest.translation);
        const char *name = vo_bone_name((vo_bone)b);
        size_t size = strlen(name) + 1;
        char *copy = vo_arena_alloc(&body->memory, size);
        if (!copy) return vo_fail_memory(body->ctx, "the bones of a mannequin");
        memcpy(copy, name, size);
        body->bone_joint[b] =
            (vo_joint){copy, vo_bone_parent((vo_bone)b), vo_affine_from_trs(parts), parts};
    }
    return VO_OK;
}

vo_result vo_body_mannequin_set_motion(vo_body *body, const vo_motion_def *def) {
    if (!def->file)
        return vo_fail(body->ctx, VO_BAD_ARGUMENT,
                       "file: the mannequin has no motion of its own; specify a motion file");
    if (vo_body_file_has_extension(def->file, ".json")) return load_clip(body, def);
    VO_TRY(make_joints(body));
    return vo_body_retarget(body, def, VO_BONE_COUNT, body->bone_joint, vo_affine_identity());
}

/* Returns the pose in which the bones have the rotations of these joints. */
static vo_body_pose pose_from_joints(const vo_skeleton *skeleton, const vo_affine *joint) {
    vo_body_pose pose;
    vo_quat world[VO_BONE_COUNT];
    pose.translation = v3_sub(joint[VO_BONE_HIPS].offset, skeleton->offset[VO_BONE_HIPS]);
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        int parent = vo_bone_parent((vo_bone)b);
        world[b] = vo_affine_rotation(joint[b]);
        pose.rotation[b] =
            parent < 0 ? world[b] : q_normalize(q_mul(q_conjugate(world[parent]), world[b]));
    }
    return pose;
}

/* Distributes twist between forearm and hand. Recordings twist the hand where anatomy twists the
 * forearm. The forearm takes up to a sixth of a turn of the twist and the hand keeps its world
 * rotation; the sine keeps the transfer smooth at half a turn. Arms hang along z in the frames of
 * the bones. */
static void distribute_twist(vo_body_pose *pose, vo_bone forearm, vo_bone hand) {
    vo_quat h = pose->rotation[hand];
    double twist = 2 * atan2(h.z, h.w), taken = VO_PI / 3 * sin(twist);
    vo_quat rotation = q_axis_angle(v3(0, 0, 1), taken);
    pose->rotation[forearm] = q_mul(pose->rotation[forearm], rotation);
    pose->rotation[hand] = q_mul(q_conjugate(rotation), h);
}

vo_body_pose vo_body_mannequin_pose(const vo_body *body, double time) {
    const vo_skeleton *skeleton = &body->mannequin.skeleton;
    if (body->clip) return vo_clip_pose(body->clip, skeleton, time, NULL);
    vo_affine joint[VO_BONE_COUNT];
    vo_character bones = {
        .world = vo_affine_identity(), .joint_count = VO_BONE_COUNT, .joint = body->bone_joint};
    vo_character_pose(&bones, &body->joint_clip, time, VO_CLIP_HOLD, joint);
    vo_body_pose pose = pose_from_joints(skeleton, joint);
    distribute_twist(&pose, VO_BONE_LEFT_FOREARM, VO_BONE_LEFT_HAND);
    distribute_twist(&pose, VO_BONE_RIGHT_FOREARM, VO_BONE_RIGHT_HAND);
    return pose;
}

/* Preroll: interpolates from rest to the pose at the start and adds the motion from the start to
 * the sample. */
static vo_body_pose blend_preroll(const vo_body *body, vo_motion_sample at,
                                  const vo_body_pose *rest, const vo_body_pose *to) {
    vo_body_pose start = vo_body_mannequin_pose(body, at.start);
    vo_body_pose pose = vo_body_pose_blend(rest, &start, at.weight);
    vo_vec3 on = v3_sub(to->translation, start.translation);
    pose.translation = v3_add(pose.translation, on);
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_quat rotation = q_mul(q_conjugate(start.rotation[b]), to->rotation[b]);
        pose.rotation[b] = q_normalize(q_mul(pose.rotation[b], rotation));
    }
    return pose;
}

void vo_body_mannequin_eval_bones(const vo_body *body, vo_motion_sample at,
                                  vo_transform motion[VO_BONE_COUNT]) {
    const vo_skeleton *skeleton = &body->mannequin.skeleton;
    vo_body_pose pose = vo_body_pose_rest(skeleton);
    if (at.weight > 0) {
        vo_body_pose to = vo_body_mannequin_pose(body, at.time);
        pose = at.weight < 1 ? blend_preroll(body, at, &pose, &to) : to;
    }
    vo_skeleton_motion(skeleton, &pose, motion);
    for (int b = 0; b < VO_BONE_COUNT; b++) motion[b] = xf_mul(body->placement, motion[b]);
}

void vo_body_mannequin_eval(vo_context *ctx, const vo_body *body, vo_motion_sample at, vo_vec3 *x) {
    vo_transform motion[VO_BONE_COUNT];
    vo_body_mannequin_eval_bones(body, at, motion);
    vo_skin_eval(ctx, &body->mannequin.skin, motion, x);
}

void vo_body_mannequin_get_axes(const vo_body *body, vo_limb_axis axis[VO_LIMB_AXES]) {
    static const struct {
        vo_bone from, to;
        double sign;
    } limb[] = {{VO_BONE_NECK, VO_BONE_HEAD, 1},
                {VO_BONE_LEFT_UPPER_ARM, VO_BONE_LEFT_HAND, -1},
                {VO_BONE_RIGHT_UPPER_ARM, VO_BONE_RIGHT_HAND, -1},
                {VO_BONE_LEFT_THIGH, VO_BONE_LEFT_FOOT, -1},
                {VO_BONE_RIGHT_THIGH, VO_BONE_RIGHT_FOOT, -1}};
    const vo_skeleton *skeleton = &body->mannequin.skeleton;
    vo_body_pose rest = vo_body_pose_rest(skeleton);
    vo_transform world[VO_BONE_COUNT];
    vo_skeleton_world(skeleton, &rest, world);
    axis[0] = vo_limb_axis_at(0, v3_zero(), v3(0, 0, 1));
    for (int i = 0; i < VO_LIMB_AXES - 1; i++) {
        vo_vec3 from = world[limb[i].from].translation, to = world[limb[i].to].translation;
        axis[i + 1] = vo_limb_axis_at(i + 1, from, v3_scale(limb[i].sign, v3_sub(to, from)));
    }
}
