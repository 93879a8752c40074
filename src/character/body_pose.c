/* Positions of a body as a function of time, without its self gap. */
#include "character/body_private.h"

/* Returns the time in the motion, s, for simulation time t. Motions that do not loop stand still
 * before their beginning. */
static double motion_time(const vo_body_time *m, double t) {
    double s = m->start + m->speed * t, length = m->length - m->lead_in;
    if (m->endless) return s;
    if (s <= 0 || !(length > 0)) return m->lead_in;
    return m->lead_in + (m->repeats ? fmod(s, length) : vo_min(s, length));
}

/* Returns the motion time offset of the preroll, s. During the preroll the pose is interpolated
 * from the rest pose to the pose at time 0. The offset gives the motion its velocity at time 0:
 *
 *      g = p (u^3 - u^2),   u = 1 + t / p:   g = g' = 0 at -p,   g = 0 and g' = 1 at 0
 *
 * Both ends of the interpolation are fixed, so the shorter arc is the same throughout. With a
 * moving target it could change sides during a spin. */
static double preroll_time(double t, double preroll) {
    double u = vo_max(1 + t / preroll, 0);
    return preroll * (u - 1) * u * u;
}

vo_vec3 vo_body_hips(const vo_body *body, double start, double t) {
    const vo_skeleton *skeleton = &body->mannequin.skeleton;
    vo_body_time time = body->time;
    time.start = start;
    vo_body_pose pose = body->has_motion ? vo_body_mannequin_pose(body, motion_time(&time, t))
                                         : vo_body_pose_rest(skeleton);
    return v3_add(skeleton->offset[VO_BONE_HIPS], pose.translation);
}

vo_motion_sample vo_body_sample_motion(const vo_body *body, double t) {
    double preroll = body->time.preroll;
    if (!body->has_motion) return (vo_motion_sample){0, 0, 0};
    if (t >= 0 || !(preroll > 0)) return (vo_motion_sample){motion_time(&body->time, t), 1, 0};
    return (vo_motion_sample){motion_time(&body->time, preroll_time(t, preroll)),
                              vo_ease(1 + t / preroll), motion_time(&body->time, 0)};
}

void vo_body_eval_sample(vo_body_evaluator *evaluator, vo_motion_sample at, vo_vec3 *x) {
    switch (evaluator->body->kind) {
    case VO_BODY_MANNEQUIN:
        vo_body_mannequin_eval(evaluator->ctx, evaluator->body, at, x);
        break;
    case VO_BODY_CHARACTER:
        vo_body_character_eval(evaluator, at, x);
        break;
    case VO_BODY_SEQUENCE:
        vo_body_sequence_eval(evaluator->ctx, evaluator->body, at, x);
        break;
    }
}

static vo_affine affine_of(vo_transform t) {
    return vo_affine_from_trs((vo_trs){t.translation, t.rotation, {t.scale, t.scale, t.scale}});
}

void vo_body_eval_bones(vo_body_evaluator *evaluator, double t, vo_affine *motion) {
    const vo_body *body = evaluator->body;
    vo_motion_sample at = vo_body_sample_motion(body, t);
    vo_affine back = affine_of(xf_inverse(body->placement));
    vo_transform bone[VO_BONE_COUNT];
    bool is_mannequin = body->kind == VO_BODY_MANNEQUIN;
    if (is_mannequin) vo_body_mannequin_eval_bones(body, at, bone);
    if (body->kind == VO_BODY_CHARACTER) vo_body_character_eval_bones(evaluator, at);
    for (int b = 0; b < vo_body_bone_count(body); b++)
        motion[b] = vo_affine_mul(is_mannequin ? affine_of(bone[b]) : evaluator->motion[b], back);
}

void vo_body_eval_without_gap(vo_body_evaluator *evaluator, double t, vo_vec3 *x) {
    vo_body_eval_sample(evaluator, vo_body_sample_motion(evaluator->body, t), x);
}
