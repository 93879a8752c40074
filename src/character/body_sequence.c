/* Bodies whose positions come from OBJ files, or from a PC2 cache on one OBJ file. */
#include "character/body_private.h"
#include "core/memory.h"
#include "core/parallel.h"

/* Sets the length of the motion from the number of frames. */
static void set_length(vo_body *body) {
    body->time.length = body->sequence.step * (body->sequence.frame_count - 1);
}

static vo_result reject_clip_name(vo_body *body, const vo_motion_def *def) {
    if (!def->clip) return VO_OK;
    return vo_fail(body->ctx, VO_BAD_ARGUMENT, "%s: contains one motion; remove clip '%.60s'",
                   def->file ? def->file : body->path, def->clip);
}

vo_result vo_body_sequence_set_motion(vo_body *body, const vo_motion_def *def, double fps) {
    VO_TRY(reject_clip_name(body, def));
    if (def->file)
        return vo_fail(body->ctx, VO_BAD_DATA,
                       "%s: the frames of a sequence are its motion; remove the motion %s",
                       body->path, def->file);
    body->sequence.step = 1 / fps;
    set_length(body);
    return VO_OK;
}

vo_result vo_body_cache_set_motion(vo_body *body, const vo_motion_def *def, double fps) {
    VO_TRY(reject_clip_name(body, def));
    if (body->character.joint_count > 0)
        return vo_fail(body->ctx, VO_BAD_DATA, "%s: is a cache for an .obj file, not for %s",
                       def->file, body->path);
    VO_TRY(vo_sequence_load_pc2(body->ctx, body->path, def->file, fps, &body->options,
                                &body->sequence));
    body->kind = VO_BODY_SEQUENCE;
    set_length(body);
    return VO_OK;
}

typedef struct eval_work {
    const vo_body *body;
    double weight;
    vo_vec3 *x;
} eval_work;

/* Interpolates from the first frame, which is the rest pose, to the motion and transforms to the
 * world. */
static void eval_range(void *arg, int begin, int end, int chunk) {
    const eval_work *p = arg;
    const vo_vec3 *rest = p->body->sequence.frame[0];
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_vec3 x = p->weight > 0 ? p->x[n] : rest[n];
        if (p->weight > 0 && p->weight < 1) x = v3_lerp(rest[n], x, p->weight);
        p->x[n] = xf_point(p->body->placement, x);
    }
}

void vo_body_sequence_eval(vo_context *ctx, const vo_body *body, vo_motion_sample at, vo_vec3 *x) {
    const vo_mesh_sequence *s = &body->sequence;
    if (at.weight > 0) vo_sequence_at(s, s->start + at.time, x, NULL);
    eval_work p = {body, at.weight, x};
    vo_parallel_for(ctx, s->node_count, 1024, eval_range, &p);
}
