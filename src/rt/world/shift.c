/* Shift of the origin of a world. */
#include "rt/world/world.h"

static void shift4(vo_rt_vec4 *x, int count, vo_rt_vec3 offset) {
    for (int i = 0; i < count; i++) x[i] = f4_make(f3_sub(f4_xyz(x[i]), offset), x[i].w);
}

static void shift3(vo_rt_vec3 *x, int count, vo_rt_vec3 offset) {
    for (int i = 0; i < count; i++) x[i] = f3_sub(x[i], offset);
}

static void shift_cloth(vo_rt_cloth *c, vo_rt_vec3 offset) {
    vo_rt_front *f = &c->mesh.front;
    shift4(f->position, f->vertex_end, offset);
    shift4(f->previous, f->vertex_end, offset);
    shift4(f->shown, f->vertex_end, offset);
    shift4(f->target, f->vertex_end, offset);
    shift4(c->pose_start, c->asset->vertex_count, offset);
    shift4(c->pose_end, c->asset->vertex_count, offset);
    for (int i = 0; i < c->asset->bone_count; i++) {
        c->bones[i].m[3] -= offset.x;
        c->bones[i].m[7] -= offset.y;
        c->bones[i].m[11] -= offset.z;
    }
    for (int i = 0; i < c->asset->vertex_count; i++)
        c->attachments[i].position = f3_sub(c->attachments[i].position, offset);
    vo_rt_detail_shift(&c->detail, c->asset, offset);
    vo_rt_upsample_shift(&c->upsample, c->asset, offset);
    shift3(&c->next.transform.position, 1, offset);
    shift3(&c->input.transform.position, 1, offset);
    shift3(&c->state.frame.position, 1, offset);
    shift3(&c->state.min, 1, offset);
    shift3(&c->state.max, 1, offset);
    shift3(&c->state.parked_center, 1, offset);
}

static void shift_inputs(vo_rt_world_inputs *in, vo_rt_vec3 offset) {
    for (int i = 0; i < in->camera_count; i++) shift3(&in->camera[i].position, 1, offset);
    for (int i = 0; i < in->fan_count; i++) shift3(&in->fan[i].position, 1, offset);
}

vo_result vo_rt_world_shift_origin(vo_rt_world *w, vo_rt_vec3 offset) {
    if (w->step.is_begun)
        return vo_rt_fail(&w->message, VO_BAD_ARGUMENT,
                          "a step is in progress; call vo_rt_world_end_step first");
    if (!vo_rt_is_coordinate(offset))
        return vo_rt_fail(
            &w->message, VO_BAD_ARGUMENT, "offset is (%g, %g, %g); use finite values of at most %g",
            (double)offset.x, (double)offset.y, (double)offset.z, (double)VO_RT_MAX_COORDINATE);
    for (int i = 0; i < w->cloth_end; i++)
        if (w->cloth[i].is_used) shift_cloth(&w->cloth[i], offset);
    for (int i = 0; i < w->body_end; i++) {
        if (!w->body[i]) continue;
        vo_rt_body_slot *slot = vo_rt_body_get_slot(w->body[i]);
        vo_rt_body_shift_origin(w->body[i], offset);
        shift3(&slot->min, 1, offset);
        shift3(&slot->max, 1, offset);
        shift3(&slot->end_min, 1, offset);
        shift3(&slot->end_max, 1, offset);
        shift3(&slot->origin, 1, offset);
    }
    shift_inputs(&w->next, offset);
    shift_inputs(&w->input, offset);
    return VO_OK;
}
