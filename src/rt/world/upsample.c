/* The detail mesh of a cloth in a world: air, bodies near by, setters and output. */
#include "rt/world/world.h"

#include "core/timer.h"

/* --- Bodies ----------------------------------------------------------------------------------- */

typedef struct near_bodies {
    int count;
    vo_rt_body *body[VO_RT_MAX_PUSH_BODIES];
    bool use_shapes[VO_RT_MAX_PUSH_BODIES];
} near_bodies;

/* Bodies that overlap the nodes and are posed in this world step. */
static void select_bodies(const vo_rt_cloth *c, near_bodies *out) {
    const vo_rt_world *w = c->world;
    float reach = 0.01f + c->input.fabric.thickness;
    vo_rt_vec3 margin = f3(reach, reach, reach);
    vo_rt_broad_query query = vo_rt_broad_phase_begin(w, f3_sub(c->upsample.head.min, margin),
                                                      f3_add(c->upsample.head.max, margin));
    out->count = 0;
    for (int i; (i = vo_rt_broad_phase_next(&query)) >= 0;) {
        vo_rt_body *body = w->body[i];
        bool shapes = vo_rt_body_uses_shapes(body, c->state.uses_shapes);
        if (!body->is_enabled || !(body->layer & c->collision_mask) ||
            !(body->used & (shapes ? VO_RT_USE_SHAPES : VO_RT_USE_MESH)) ||
            out->count == VO_RT_MAX_PUSH_BODIES)
            continue;
        out->body[out->count] = body;
        out->use_shapes[out->count++] = shapes;
    }
}

/* --- Step ------------------------------------------------------------------------------------- */

static vo_rt_upsample_frame make_frame(const vo_rt_cloth *c, const vo_rt_mesh *mesh, float alpha,
                                       float dt) {
    const vo_rt_cloth_inputs *in = &c->input;
    return (vo_rt_upsample_frame){.asset = c->asset,
                                  .mesh = mesh,
                                  .alpha = alpha,
                                  .dt = dt,
                                  .air = vo_rt_air_find(c),
                                  .pose = c->pose_end,
                                  .bones = c->bones,
                                  .transform = in->transform,
                                  .thickness = in->fabric.thickness,
                                  .weights = in->detail_weight_count > 0 ? in->detail_weight : NULL,
                                  .kernels = vo_rt_operator_select_kernels(c->world->use_avx2)};
}

void vo_rt_publish_upsampled(vo_rt_cloth *c, const vo_rt_mesh *mesh, float alpha, float dt,
                             bool with_bodies) {
    if (!c->upsample.memory) return;
    double start = vo_now();
    vo_rt_upsample_frame frame = make_frame(c, mesh, alpha, dt);
    bool is_settled = vo_rt_upsample_is_settled(&c->upsample, c->asset, c->state.is_sleeping, dt);
    if (!c->state.is_visible || !c->input.detail_enabled) {
        vo_rt_upsample_skip(&c->upsample, &frame);
    } else if (is_settled) {
        vo_rt_upsample_hold(&c->upsample);
    } else {
        near_bodies bodies = {.count = 0};
        vo_rt_upsample_begin(&c->upsample, &frame);
        if (with_bodies && vo_rt_cloth_simulates(c)) select_bodies(c, &bodies);
        frame.body_count = bodies.count;
        frame.body = bodies.body;
        frame.use_shapes = bodies.use_shapes;
        vo_rt_upsample_end(&c->upsample, &frame);
        c->stats.detail_nodes += c->asset->detail.node_count;
        c->stats.detail_pushed += c->upsample.pushed;
        c->stats.detail_inside += c->upsample.inside;
    }
    c->stats.detail_s += vo_now() - start;
}

float vo_rt_upsampled_reach(const vo_rt_cloth *c) {
    const vo_rt_upsample *u = &c->upsample;
    if (!u->memory || !u->head.has_output) return 0;
    vo_rt_vec3 below = f3_sub(c->state.min, u->head.min), above = f3_sub(u->head.max, c->state.max);
    vo_rt_vec3 most = f3_max(f3_max(below, above), f3(0, 0, 0));
    return f_max(most.x, f_max(most.y, most.z));
}

/* --- Interface -------------------------------------------------------------------------------- */

vo_result vo_rt_cloth_set_detail(vo_rt_cloth *c, bool enabled) {
    c->next.detail_enabled = enabled;
    return VO_OK;
}

vo_result vo_rt_cloth_set_detail_weights(vo_rt_cloth *c, int count, const float *weights) {
    vo_rt_message *message = &c->world->message;
    float sum = 0;
    if (count != 0 && count != c->asset->detail.operator_count)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "%d weights; pass one for each of the %d operators, or none", count,
                          c->asset->detail.operator_count);
    if (count > 0 && !weights)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "weights is NULL; pass %d numbers", count);
    for (int k = 0; k < count; k++) {
        vo_result result = vo_rt_check_range(message, "weights[i]", weights[k], 0, 1e6f);
        if (result != VO_OK) return result;
        sum += weights[k];
    }
    if (count > 0 && !(sum > 1e-6f))
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "weights sum to %g; set at least one to a number above 0", (double)sum);
    c->next.detail_weight_count = count;
    c->next.wake = 1;
    for (int k = 0; k < VO_RT_MAX_OPERATORS; k++)
        c->next.detail_weight[k] = k < count ? weights[k] / sum : 0;
    return VO_OK;
}

vo_result vo_rt_cloth_detail(const vo_rt_cloth *c, const vo_rt_output *output) {
    vo_rt_message *message = &c->world->message;
    vo_result result = vo_rt_check_output(message, output);
    if (result != VO_OK) return result;
    if (!c->upsample.memory)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "the asset has no detail mesh; add one with vo_rt_asset_add_detail");
    vo_rt_upsample_write(&c->upsample, c->asset, output);
    return VO_OK;
}

int vo_rt_cloth_get_detail_weights(const vo_rt_cloth *c, int capacity, float *weights) {
    int count = c->asset->detail.operator_count;
    for (int k = 0; k < count && k < capacity; k++) weights[k] = c->upsample.head.weight[k];
    return count;
}
