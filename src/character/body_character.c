/* Characters from files, moved by a clip of the same file or a retargeted one. */
#include "character/body_private.h"
#include "character/import/retarget.h"
#include "core/memory.h"

/* ---- bind pose ------------------------------------------------------------------------------- */

/* Computes the world transforms of the joints in the bind pose: from the first invertible bind of
 * each joint or, without one, from its parent and its rest transform. */
static void find_bind_pose(const vo_character *c, vo_affine *world) {
    for (int j = 0; j < c->joint_count; j++) {
        int parent = c->joint[j].parent;
        world[j] = vo_affine_mul(parent < 0 ? c->world : world[parent], c->joint[j].rest);
        for (int b = 0; b < c->bind_count; b++)
            if (c->bind[b].joint == j && vo_affine_inverse(c->bind[b].inverse, &world[j])) break;
    }
}

/* Converts world transforms of joints to transforms relative to their parents. */
static void make_joints_relative(const vo_character *c, vo_affine *joint) {
    for (int j = c->joint_count - 1; j >= 0; j--) {
        int parent = c->joint[j].parent;
        vo_affine to_own_frame;
        if (vo_affine_inverse(parent < 0 ? c->world : joint[parent], &to_own_frame))
            joint[j] = vo_affine_mul(to_own_frame, joint[j]);
    }
}

vo_result vo_body_character_bind(vo_body *body) {
    const vo_character *c = &body->character;
    if (c->joint_count == 0) return VO_OK;
    body->bind_local = vo_new_array(body->ctx, vo_affine, c->joint_count);
    if (!body->bind_local) return vo_fail_memory(body->ctx, body->path);
    find_bind_pose(c, body->bind_local);
    make_joints_relative(c, body->bind_local);
    return VO_OK;
}

/* ---- motion --------------------------------------------------------------------------------- */

vo_result vo_body_character_set_motion(vo_body *body, const vo_motion_def *def) {
    const vo_character *c = &body->character;
    const vo_joint_clip *clip;
    if (c->joint_count == 0)
        return vo_fail(body->ctx, VO_BAD_DATA,
                       "%s: has no bones; use a .pc2 file as its motion, or remove the "
                       "motion",
                       body->path);
    if (def->file && vo_body_file_has_extension(def->file, ".json"))
        return vo_fail(
            body->ctx, VO_BAD_DATA,
            "%s: is a motion of the mannequin; for a character from a file use a .bvh, .fbx, "
            ".glb or .dae",
            def->file);
    if (def->file) return vo_body_retarget(body, def, c->joint_count, c->joint, c->world);
    VO_TRY(vo_body_find_clip(body->ctx, body->path, c, def->clip, &clip));
    body->joint_clip = *clip;
    body->time.length = clip->duration;
    return VO_OK;
}

/* Interpolates along the shorter arc; t = 0 returns a, 1 returns b. */
static vo_trs interpolate(vo_trs a, vo_trs b, double t) {
    if (q_dot(a.rotation, b.rotation) < 0) b.rotation = q_scale(-1, b.rotation);
    vo_quat rotation = q_add(q_scale(1 - t, a.rotation), q_scale(t, b.rotation));
    return (vo_trs){v3_lerp(a.translation, b.translation, t), q_normalize(rotation),
                    v3_lerp(a.scale, b.scale, t)};
}

/* Preroll of one joint relative to its parent: interpolates from rest to the pose at the start by
 * `weight` and adds the motion from the start to the sample. */
static vo_affine blend_preroll(vo_affine rest, vo_affine at_start, vo_affine at, double weight) {
    vo_trs start = vo_affine_to_trs(at_start), to = vo_affine_to_trs(at);
    vo_trs blended = interpolate(vo_affine_to_trs(rest), start, weight);
    vo_quat rotation = q_mul(q_conjugate(start.rotation), to.rotation);
    return vo_affine_from_trs(
        (vo_trs){v3_add(blended.translation, v3_sub(to.translation, start.translation)),
                 q_normalize(q_mul(blended.rotation, rotation)),
                 v3_add(blended.scale, v3_sub(to.scale, start.scale))});
}

/* Computes the transform from the bind pose to the world of every bind. */
void vo_body_character_eval_bones(vo_body_evaluator *evaluator, vo_motion_sample at) {
    const vo_character *c = &evaluator->body->character;
    vo_transform p = evaluator->body->placement;
    vo_affine placement =
        vo_affine_from_trs((vo_trs){p.translation, p.rotation, {p.scale, p.scale, p.scale}});
    for (int b = 0; b < c->bind_count; b++) evaluator->motion[b] = placement;
    if (at.weight == 0) return;
    vo_character_local_pose(c, &evaluator->body->joint_clip, at.time, VO_CLIP_HOLD,
                            evaluator->joint);
    vo_affine *start = evaluator->joint + c->joint_count;
    if (at.weight < 1)
        vo_character_local_pose(c, &evaluator->body->joint_clip, at.start, VO_CLIP_HOLD, start);
    for (int j = 0; j < c->joint_count && at.weight < 1; j++)
        evaluator->joint[j] =
            blend_preroll(evaluator->body->bind_local[j], start[j], evaluator->joint[j], at.weight);
    vo_character_world_pose(c, evaluator->joint);
    for (int b = 0; b < c->bind_count; b++)
        evaluator->motion[b] = vo_affine_mul(
            placement, vo_affine_mul(evaluator->joint[c->bind[b].joint], c->bind[b].inverse));
}

void vo_body_character_eval(vo_body_evaluator *evaluator, vo_motion_sample at, vo_vec3 *x) {
    const vo_character *c = &evaluator->body->character;
    if (c->bind_count == 0) {
        for (int n = 0; n < c->node_count; n++)
            x[n] = xf_point(evaluator->body->placement, c->node_x[n]);
        return;
    }
    vo_body_character_eval_bones(evaluator, at);
    vo_character_skin_linear(evaluator->ctx, c, evaluator->motion, x);
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* Returns the position of a joint in the bind pose, in the frame of the file, m. */
static vo_vec3 bind_position(const vo_body *body, int joint) {
    vo_vec3 p = v3_zero();
    for (int j = joint; j >= 0; j = body->character.joint[j].parent)
        p = vo_affine_point(body->bind_local[j], p);
    return vo_affine_point(body->character.world, p);
}

bool vo_body_character_find_frame(const vo_body *body, vo_transform *own) {
    const vo_character *c = &body->character;
    if (c->joint_count == 0) return false;
    vo_rig rig = vo_rig_find(c->joint_count, c->joint);
    int left = rig.joint[VO_PART_LEFT_THIGH], right = rig.joint[VO_PART_RIGHT_THIGH];
    if (left < 0 || right < 0) return false;
    vo_vec3 a = bind_position(body, left), b = bind_position(body, right);
    vo_vec3 front = v3_cross(v3_sub(a, b), v3(0, 0, 1));
    if (!(v3_length(front) > 1e-9)) return false;
    vo_vec3 at = v3_lerp(a, b, 0.5);
    *own =
        (vo_transform){v3(at.x, at.y, 0), 1, q_axis_angle(v3(0, 0, 1), atan2(front.x, -front.y))};
    return true;
}

void vo_body_character_get_axes(const vo_body *body, vo_limb_axis axis[VO_LIMB_AXES]) {
    static const struct {
        vo_part from, to;
        double sign;
    } limb[] = {{VO_PART_NECK, VO_PART_HEAD, 1},
                {VO_PART_LEFT_UPPER_ARM, VO_PART_LEFT_HAND, -1},
                {VO_PART_RIGHT_UPPER_ARM, VO_PART_RIGHT_HAND, -1},
                {VO_PART_LEFT_THIGH, VO_PART_LEFT_FOOT, -1},
                {VO_PART_RIGHT_THIGH, VO_PART_RIGHT_FOOT, -1}};
    const vo_character *c = &body->character;
    vo_rig rig = vo_rig_find(c->joint_count, c->joint);
    vo_transform to_own_frame = xf_inverse(body->own_frame);
    for (int i = 0; i < VO_LIMB_AXES - 1; i++) {
        int from = rig.joint[limb[i].from], to = rig.joint[limb[i].to];
        if (from < 0 || to < 0) continue;
        vo_vec3 a = xf_point(to_own_frame, bind_position(body, from)),
                b = xf_point(to_own_frame, bind_position(body, to));
        axis[i + 1] = vo_limb_axis_at(i + 1, a, v3_scale(limb[i].sign, v3_sub(b, a)));
    }
}
