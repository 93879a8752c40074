/* Bodies whose frames are all there is: OBJ files, or a cache of positions on one. */
#include "core/memory.h"
#include "core/parallel.h"
#include "scene/body_private.h"

/* The motion begins at the first frame that is there and goes on at this rate. */
static void take_time(vo_body *body) {
    body->time.length = body->sequence.step * (body->sequence.frame_count - 1);
}

static vo_result refuse_clip(vo_body *body, const vo_motion_def *def) {
    if (!def->clip) return VO_OK;
    return vo_fail(body->ctx, VO_BAD_CALL, "%s: holds one motion; leave out clip '%.60s'",
                   def->file ? def->file : body->path, def->clip);
}

vo_result vo_body_sequence_moves(vo_body *body, const vo_motion_def *def, double fps) {
    VO_TRY(refuse_clip(body, def));
    if (def->file)
        return vo_fail(body->ctx, VO_BAD_DATA,
                       "%s: its frames are its motion; it takes none from %s", body->path,
                       def->file);
    body->sequence.step = 1 / fps;
    take_time(body);
    return VO_OK;
}

vo_result vo_body_cache_moves(vo_body *body, const vo_motion_def *def, double fps) {
    VO_TRY(refuse_clip(body, def));
    if (body->character.joint_count > 0)
        return vo_fail(body->ctx, VO_BAD_DATA, "%s: goes with an .obj file, not with %s", def->file,
                       body->path);
    VO_TRY(vo_sequence_load_pc2(body->ctx, body->path, def->file, fps, &body->options,
                                &body->sequence));
    body->kind = VO_BODY_SEQUENCE;
    take_time(body);
    return VO_OK;
}

typedef struct placing {
    const vo_body *body;
    double share;
    vo_vec3 *x;
} placing;

/* From the first frame, which is the rest pose, towards the motion; then into the world. */
static void place_range(void *arg, int begin, int end, int chunk) {
    const placing *p = arg;
    const vo_vec3 *rest = p->body->sequence.frame[0];
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_vec3 x = p->share > 0 ? p->x[n] : rest[n];
        if (p->share > 0 && p->share < 1) x = v3_lerp(rest[n], x, p->share);
        p->x[n] = xf_point(p->body->placement, x);
    }
}

void vo_body_sequence_place(vo_context *ctx, const vo_body *body, vo_body_moment at, vo_vec3 *x) {
    const vo_mesh_sequence *s = &body->sequence;
    if (at.share > 0) vo_sequence_at(s, s->start + at.time, x, NULL);
    placing p = {body, at.share, x};
    vo_parallel_for(ctx, s->node_count, 1024, place_range, &p);
}
