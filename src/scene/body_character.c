/* Characters from files: joints by a clip of the same file or of another. */
#include "core/memory.h"
#include "scene/body_private.h"
#include "scene/import_retarget.h"

/* ---- the bind pose -------------------------------------------------------------------------- */

/* Where joints are in the bind pose: by the first bind of each, and where there is none, or none
 * worth its digits, by the parent. */
static void find_bound(const vo_character *c, vo_affine *world) {
    for (int j = 0; j < c->joint_count; j++) {
        int parent = c->joint[j].parent;
        world[j] = vo_affine_mul(parent < 0 ? c->world : world[parent], c->joint[j].rest);
        for (int b = 0; b < c->bind_count; b++)
            if (c->bind[b].joint == j && vo_affine_inverse(c->bind[b].inverse, &world[j])) break;
    }
}

/* Joints of the world become joints relative to their parents. */
static void part_joints(const vo_character *c, vo_affine *joint) {
    for (int j = c->joint_count - 1; j >= 0; j--) {
        int parent = c->joint[j].parent;
        vo_affine back;
        if (vo_affine_inverse(parent < 0 ? c->world : joint[parent], &back))
            joint[j] = vo_affine_mul(back, joint[j]);
    }
}

vo_result vo_body_character_bind(vo_body *body) {
    const vo_character *c = &body->character;
    if (c->joint_count == 0) return VO_OK;
    body->bound = vo_new_array(body->ctx, vo_affine, c->joint_count);
    if (!body->bound) return vo_fail_memory(body->ctx, body->path);
    find_bound(c, body->bound);
    part_joints(c, body->bound);
    return VO_OK;
}

/* ---- motion --------------------------------------------------------------------------------- */

vo_result vo_body_character_moves(vo_body *body, const vo_motion_def *def) {
    const vo_character *c = &body->character;
    const vo_joint_clip *clip;
    if (c->joint_count == 0)
        return vo_fail(body->ctx, VO_BAD_DATA,
                       "%s: has no bones that could move; give it a .pc2 file, or leave out the "
                       "motion",
                       body->path);
    if (def->file && vo_body_file_is(def->file, ".json"))
        return vo_fail(body->ctx, VO_BAD_DATA,
                       "%s: moves the mannequin; for a character of a file take a .bvh, .fbx, "
                       ".glb or .dae",
                       def->file);
    if (def->file) return vo_body_carry_over(body, def, c->joint_count, c->joint, c->world);
    VO_TRY(vo_body_find_clip(body->ctx, body->path, c, def->clip, &clip));
    body->follow = *clip;
    body->time.length = clip->duration;
    return VO_OK;
}

/* From a to b, the shorter way round. */
static vo_parts blend(vo_parts a, vo_parts b, double t) {
    if (q_dot(a.rotation, b.rotation) < 0) b.rotation = q_scale(-1, b.rotation);
    vo_quat turn = q_add(q_scale(1 - t, a.rotation), q_scale(t, b.rotation));
    return (vo_parts){v3_lerp(a.translation, b.translation, t), q_normalize(turn),
                      v3_lerp(a.scale, b.scale, t)};
}

/* Part of the way to the start, and on to the moment; a joint relative to its parent. */
static vo_affine blend_in(vo_affine rest, vo_affine at_start, vo_affine at, double share) {
    vo_parts start = vo_affine_parts(at_start), to = vo_affine_parts(at);
    vo_parts way = blend(vo_affine_parts(rest), start, share);
    vo_quat turn = q_mul(q_conjugate(start.rotation), to.rotation);
    return vo_affine_from_parts((vo_parts){
        v3_add(way.translation, v3_sub(to.translation, start.translation)),
        q_normalize(q_mul(way.rotation, turn)), v3_add(way.scale, v3_sub(to.scale, start.scale))});
}

/* Bind pose -> world, of every bind. */
static void find_motions(vo_body_follower *f, vo_body_moment at) {
    const vo_character *c = &f->body->character;
    vo_transform p = f->body->placement;
    vo_affine placement =
        vo_affine_from_parts((vo_parts){p.translation, p.rotation, {p.scale, p.scale, p.scale}});
    for (int b = 0; b < c->bind_count; b++) f->motion[b] = placement;
    if (at.share == 0) return;
    vo_character_locals(c, &f->body->follow, at.time, VO_CLIP_HOLD, f->joint);
    vo_affine *start = f->joint + c->joint_count;
    if (at.share < 1) vo_character_locals(c, &f->body->follow, at.start, VO_CLIP_HOLD, start);
    for (int j = 0; j < c->joint_count && at.share < 1; j++)
        f->joint[j] = blend_in(f->body->bound[j], start[j], f->joint[j], at.share);
    vo_character_join(c, f->joint);
    for (int b = 0; b < c->bind_count; b++)
        f->motion[b] =
            vo_affine_mul(placement, vo_affine_mul(f->joint[c->bind[b].joint], c->bind[b].inverse));
}

void vo_body_character_place(vo_body_follower *f, vo_body_moment at, vo_vec3 *x) {
    const vo_character *c = &f->body->character;
    if (c->bind_count == 0) {
        for (int n = 0; n < c->node_count; n++) x[n] = xf_point(f->body->placement, c->node_x[n]);
        return;
    }
    find_motions(f, at);
    vo_character_skin_linear(f->ctx, c, f->motion, x);
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* Joint of a part in the bind pose; the joints above are gone through, since what is kept is
 * relative. */
static vo_vec3 bound_place(const vo_body *body, int joint) {
    vo_vec3 p = v3_zero();
    for (int j = joint; j >= 0; j = body->character.joint[j].parent)
        p = vo_affine_point(body->bound[j], p);
    return vo_affine_point(body->character.world, p);
}

bool vo_body_character_stands(const vo_body *body, vo_transform *own) {
    const vo_character *c = &body->character;
    if (c->joint_count == 0) return false;
    vo_rig rig = vo_rig_find(c->joint_count, c->joint);
    int left = rig.joint[VO_PART_LEFT_THIGH], right = rig.joint[VO_PART_RIGHT_THIGH];
    if (left < 0 || right < 0) return false;
    vo_vec3 a = bound_place(body, left), b = bound_place(body, right);
    vo_vec3 front = v3_cross(v3_sub(a, b), v3(0, 0, 1));
    if (!(v3_length(front) > 1e-9)) return false;
    vo_vec3 at = v3_lerp(a, b, 0.5);
    *own =
        (vo_transform){v3(at.x, at.y, 0), 1, q_axis_angle(v3(0, 0, 1), atan2(front.x, -front.y))};
    return true;
}

void vo_body_character_axes(const vo_body *body, vo_pattern_axis axis[VO_PATTERN_AXES]) {
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
    vo_transform back = xf_inverse(body->own);
    for (int i = 0; i < VO_PATTERN_AXES - 1; i++) {
        int from = rig.joint[limb[i].from], to = rig.joint[limb[i].to];
        if (from < 0 || to < 0) continue;
        vo_vec3 a = xf_point(back, bound_place(body, from)),
                b = xf_point(back, bound_place(body, to));
        axis[i + 1] = vo_body_axis(i + 1, a, v3_scale(limb[i].sign, v3_sub(b, a)));
    }
}
