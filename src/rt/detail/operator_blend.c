/* Smooth transition between the animated pose and the upsampled mesh near attachments. */
#include "rt/detail/operator.h"

/* Rest position of a node or base vertex in the animated pose of the bones or the transform. */
static vo_rt_vec3 pose_point(const vo_rt_upsample_frame *f, const vo_rt_detail_skin *s) {
    if (f->asset->bone_count == 0) return ft_apply(f->transform, s->position);
    vo_rt_vec3 sum = f3(0, 0, 0);
    for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++)
        if (s->bone_weight[k] > 0)
            sum =
                f3_add_scaled(sum, s->bone_weight[k], fm_apply(&f->bones[s->bone[k]], s->position));
    return sum;
}

static vo_rt_vec3 pose_vertex(const vo_rt_upsample_frame *f, int vertex) {
    const vo_rt_asset *a = f->asset;
    vo_rt_detail_skin s = {.position = a->position[vertex]};
    for (int k = 0; k < VO_RT_BONES_PER_VERTEX && a->bone_count > 0; k++) {
        s.bone[k] = a->skin_bone[VO_RT_BONES_PER_VERTEX * vertex + k];
        s.bone_weight[k] = a->skin_weight[VO_RT_BONES_PER_VERTEX * vertex + k];
    }
    return pose_point(f, &s);
}

/* Displacement of a node near a base vertex that the host has attached elsewhere: that of its base
 * vertices, attached or not. The pose of a free vertex is not where the cloth is: next to a pole
 * that the host tilts, it stays upright. */
static vo_rt_vec3 host_offset(const vo_rt_upsample *u, const vo_rt_upsample_frame *f, int node) {
    const vo_rt_asset_detail *d = &f->asset->detail;
    vo_rt_vec3 sum = f3(0, 0, 0);
    for (int k = d->base_first[node]; k < d->base_first[node + 1]; k++) {
        int v = d->base_column[k];
        vo_rt_vec3 at = f3_add(f4_xyz(u->input[v]), u->origin);
        if (f->pose[v].w < 0) at = f4_xyz(f->pose[v]);
        sum = f3_add_scaled(sum, d->base_weight[k], f3_sub(at, pose_vertex(f, v)));
    }
    return sum;
}

/* Weight of a node: painted, scaled by what remains of the attachment of its anchor. */
static float current_weight(const vo_rt_upsample_frame *f, const vo_rt_detail_skin *s) {
    float painted = f->asset->maps[s->anchor].attachment;
    if (!(painted > 0)) return s->weight;
    return s->weight * f_min(fabsf(f->pose[s->anchor].w) / painted, 1);
}

void vo_rt_upsample_blend(const vo_rt_upsample *u, const vo_rt_upsample_frame *f, vo_rt_vec4 *out) {
    const vo_rt_asset_detail *d = &f->asset->detail;
    for (int i = 0; i < d->skin_count; i++) {
        const vo_rt_detail_skin *s = &d->skin[i];
        float weight = current_weight(f, s);
        if (!(weight > 0)) continue;
        vo_rt_vec3 pose = pose_point(f, s);
        if (f->pose[s->anchor].w < 0) pose = f3_add(pose, host_offset(u, f, s->node));
        if (!f3_is_finite(pose)) continue;
        if (weight < 1) pose = f3_lerp(f4_xyz(out[s->node]), pose, weight);
        out[s->node] = f4_make(pose, weight >= 1 ? 1 : 0); /* w: the push leaves the node */
    }
}
