/* Animated pose: skinning of base vertices, and targets of all leaf vertices. */
#include "rt/world/world.h"

#include <math.h>

vo_rt_vec3 vo_rt_pose_skin_vertex(const vo_rt_cloth *c, int vertex) {
    const vo_rt_asset *a = c->asset;
    vo_rt_vec3 p = a->position[vertex], sum = f3(0, 0, 0);
    for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) {
        float weight = a->skin_weight[VO_RT_BONES_PER_VERTEX * vertex + k];
        if (weight > 0)
            sum = f3_add_scaled(
                sum, weight,
                fm_apply(&c->bones[a->skin_bone[VO_RT_BONES_PER_VERTEX * vertex + k]], p));
    }
    return sum;
}

void vo_rt_pose_update(vo_rt_cloth *c) {
    const vo_rt_asset *a = c->asset;
    bool needs_targets = c->next.blend < 1;
    for (int i = 0; i < a->vertex_count; i++) {
        const vo_rt_attachment *set = &c->attachments[i];
        const vo_rt_vertex_maps *maps = &a->maps[i];
        if (set->weight > 0)
            c->pose_end[i] = f4_make(set->position, -set->weight);
        else
            c->pose_end[i] =
                f4_make(a->bone_count > 0 ? vo_rt_pose_skin_vertex(c, i)
                                          : ft_apply(c->next.transform, a->position[i]),
                        set->weight < 0 ? maps->attachment : 0);
        if (c->pose_end[i].w != 0 || maps->max_distance < 1e30f || maps->backstop > -1e30f)
            needs_targets = true;
    }
    c->state.needs_targets = needs_targets;
}

/* Weight in the middle of an edge, with the sign of pose_end. Painted weights are interpolated; an
 * attachment by the host ends at the next base vertex, whose animated pose is unrelated to it. */
static float middle_weight(float a, float b) {
    if (a >= 0 && b >= 0) return 0.5f * (a + b);
    return a == 0 || b == 0 ? 0 : -0.5f * (fabsf(a) + fabsf(b));
}

static void set_refined_targets(vo_rt_cloth *c) {
    vo_rt_front *f = &c->mesh.front;
    int count = VO_RT_LANES * vo_rt_levels_count(&c->levels);
    for (int i = 0; i < count; i++) { /* a refined vertex is in the middle of its edge */
        const vo_rt_split_group *g = &c->levels.group[i / VO_RT_LANES];
        int middle = g->middle[i % VO_RT_LANES];
        vo_rt_vec4 a = f->target[g->a[i % VO_RT_LANES]], b = f->target[g->b[i % VO_RT_LANES]];
        if (middle == 0) continue;
        f->target[middle] = f4_make(f3_lerp(f4_xyz(a), f4_xyz(b), 0.5f), middle_weight(a.w, b.w));
    }
}

static void drop_signs(vo_rt_cloth *c) {
    vo_rt_vec4 *target = c->mesh.front.target;
    for (int i = 1; i < c->mesh.front.vertex_end; i++) target[i].w = fabsf(target[i].w);
}

void vo_rt_pose_set_targets(vo_rt_cloth *c, float s) {
    vo_rt_front *f = &c->mesh.front;
    bool by_host = false;
    for (int i = 0; i < c->asset->vertex_count; i++) {
        vo_rt_vec4 a = c->pose_start[i], b = c->pose_end[i];
        f->target[i + 1] = f4_make(f3_lerp(f4_xyz(a), f4_xyz(b), s), b.w);
        if (b.w < 0) by_host = true;
    }
    set_refined_targets(c);
    if (by_host) drop_signs(c);
}

void vo_rt_pose_apply_weights(vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    for (int i = 1; i < f->vertex_end; i++)
        if ((f->flags[i] & VO_RT_VERTEX_USED) && f->maps[i].attachment != f->target[i].w)
            vo_rt_mesh_set_attachment(&c->mesh, i, f->target[i].w);
}
