/* Evaluates a body at given times. */
#include "character/body_private.h"
#include "core/memory.h"

/* Allocates the joint transforms of a character. */
static vo_result allocate_joints(vo_body_evaluator *evaluator) {
    if (evaluator->body->kind != VO_BODY_CHARACTER) return VO_OK;
    evaluator->joint =
        vo_new_array(evaluator->ctx, vo_affine, 2 * evaluator->body->character.joint_count + 1);
    evaluator->motion =
        vo_new_array(evaluator->ctx, vo_affine, evaluator->body->character.bind_count + 1);
    return evaluator->joint && evaluator->motion ? VO_OK
                                                 : vo_fail_memory(evaluator->ctx, "a moving body");
}

vo_result vo_body_evaluator_init(vo_context *ctx, const vo_body *body, vo_body_evaluator *out) {
    *out = (vo_body_evaluator){.ctx = ctx, .body = body};
    vo_result result = allocate_joints(out);
    if (result == VO_OK) result = vo_body_gap_init(out);
    if (result != VO_OK) vo_body_evaluator_free(out);
    return result;
}

void vo_body_evaluator_free(vo_body_evaluator *evaluator) {
    if (!evaluator->ctx) return;
    vo_body_gap_free(evaluator);
    vo_free_array(evaluator->ctx, evaluator->joint, 2 * evaluator->body->character.joint_count + 1);
    vo_free_array(evaluator->ctx, evaluator->motion, evaluator->body->character.bind_count + 1);
    *evaluator = (vo_body_evaluator){0};
}

void vo_body_eval_positions(vo_body_evaluator *evaluator, double t, vo_vec3 *x) {
    vo_body_eval_without_gap(evaluator, t, x);
    vo_body_gap_apply(evaluator, t, x);
}
