/* Nodes of a detail mesh that blend to the animated pose near attachments. */
#include "rt/asset/asset_private.h"

#include <float.h>

/* Distance of each node from the attached nodes along the edges, as far as it is needed. */
typedef struct spread {
    const vo_rt_detail_def *def;
    const int32_t *node; /* of each vertex */
    float *distance;     /* [node_count] m */
    int32_t *source;     /* [node_count] nearest attached node; -1: none is near */
} spread;

/* Base vertex with the largest weight in the row of a node. */
static int find_anchor(const vo_rt_detail_def *def, int node) {
    int best = def->base_first[node];
    for (int k = best + 1; k < def->base_first[node + 1]; k++)
        if (def->base_weights[k] > def->base_weights[best]) best = k;
    return def->base_columns[best];
}

/* Shortens the path to node b by that over node a; ties go to the smaller source. */
static bool relax(const spread *s, int a, int b) {
    if (s->source[a] < 0) return false;
    float d = s->distance[a] + f3_distance(s->def->positions[a], s->def->positions[b]);
    if (!(d < s->def->blend_distance)) return false;
    if (d > s->distance[b] || (d == s->distance[b] && s->source[a] >= s->source[b])) return false;
    s->distance[b] = d;
    s->source[b] = s->source[a];
    return true;
}

/* Repeated sweeps over the edges: few are needed, since the distance is short. */
static void spread_distances(const spread *s) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < 3 * s->def->triangle_count; i++) {
            int next = i % 3 == 2 ? i - 2 : i + 1;
            int a = s->node[s->def->triangles[i]], b = s->node[s->def->triangles[next]];
            changed |= relax(s, a, b);
            changed |= relax(s, b, a);
        }
    }
}

static void start_spread(const spread *s) {
    for (int i = 0; i < s->def->node_count; i++) {
        bool is_attached = s->def->attachment[i] >= 1;
        s->distance[i] = is_attached ? 0 : FLT_MAX;
        s->source[i] = is_attached ? i : -1;
    }
}

/* 1 at distance 0, 0 at `limit`, with zero slopes at both. */
static float fall_off(float distance, float limit) {
    if (!(distance < limit)) return distance == 0 ? 1 : 0;
    float t = distance / limit;
    return 1 - t * t * (3 - 2 * t);
}

/* Adds a bone to those with the largest weights, in descending order. */
static void keep_bone(vo_rt_detail_skin *skin, int bone, float weight) {
    for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) {
        if (!(weight > skin->bone_weight[k])) continue;
        float w = skin->bone_weight[k];
        int b = skin->bone[k];
        skin->bone_weight[k] = weight;
        skin->bone[k] = bone;
        weight = w;
        bone = b;
    }
}

/* A row whose positive and negative weights cancel out takes the first bone of its anchor. */
static void normalize_weights(const vo_rt_asset *asset, vo_rt_detail_skin *skin) {
    float sum = 0;
    for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) sum += skin->bone_weight[k];
    if (!(sum > 1e-6f)) {
        skin->bone[0] = asset->skin_bone[VO_RT_BONES_PER_VERTEX * skin->anchor];
        skin->bone_weight[0] = sum = 1;
        for (int k = 1; k < VO_RT_BONES_PER_VERTEX; k++) skin->bone_weight[k] = 0;
    }
    for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) skin->bone_weight[k] /= sum;
}

/* Weight of one bone in the row of a node. */
static float sum_bone(const vo_rt_detail_build *b, int node, int bone) {
    const vo_rt_detail_def *def = b->def;
    float sum = 0;
    for (int k = def->base_first[node]; k < def->base_first[node + 1]; k++)
        for (int j = 0; j < VO_RT_BONES_PER_VERTEX; j++) {
            int at = VO_RT_BONES_PER_VERTEX * def->base_columns[k] + j;
            if (b->asset->skin_bone[at] == bone)
                sum += def->base_weights[k] * b->asset->skin_weight[at];
        }
    return sum;
}

/* Bones of the base vertices, weighted by the row of the node. */
static void interpolate_bones(const vo_rt_detail_build *b, vo_rt_detail_skin *skin) {
    const vo_rt_detail_def *def = b->def;
    for (int k = def->base_first[skin->node]; k < def->base_first[skin->node + 1]; k++)
        for (int j = 0; j < VO_RT_BONES_PER_VERTEX; j++) {
            int bone = b->asset->skin_bone[VO_RT_BONES_PER_VERTEX * def->base_columns[k] + j];
            bool is_listed = false;
            for (int i = 0; i < VO_RT_BONES_PER_VERTEX; i++)
                is_listed |= skin->bone_weight[i] > 0 && skin->bone[i] == bone;
            if (!is_listed) keep_bone(skin, bone, sum_bone(b, skin->node, bone));
        }
    normalize_weights(b->asset, skin);
}

static void set_bones(const vo_rt_detail_build *b, vo_rt_detail_skin *skin) {
    if (b->asset->bone_count == 0) {
        skin->bone_weight[0] = 1;
    } else if (b->def->skin_bones) {
        for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) {
            skin->bone[k] = b->def->skin_bones[VO_RT_BONES_PER_VERTEX * skin->node + k];
            skin->bone_weight[k] = b->def->skin_weights[VO_RT_BONES_PER_VERTEX * skin->node + k];
        }
    } else {
        interpolate_bones(b, skin);
    }
}

static void add_node(vo_rt_detail_build *b, int node, float weight, int source) {
    vo_rt_detail_skin *skin = &b->skin[b->skin_count++];
    *skin = (vo_rt_detail_skin){.node = node,
                                .anchor = find_anchor(b->def, source < 0 ? node : source),
                                .weight = weight,
                                .position = b->def->positions[node]};
    set_bones(b, skin);
}

bool vo_rt_build_detail_skin(vo_rt_detail_build *b) {
    const vo_rt_detail_def *def = b->def;
    if (!def->attachment) return true;
    spread s = {def, b->node, vo_rt_scratch_array(&b->scratch, float, def->node_count),
                vo_rt_scratch_array(&b->scratch, int32_t, def->node_count)};
    b->skin = vo_rt_scratch_array(&b->scratch, vo_rt_detail_skin, def->node_count);
    if (b->scratch.failed) return false;
    start_spread(&s);
    spread_distances(&s);
    for (int i = 0; i < def->node_count; i++) {
        float weight = f_max(def->attachment[i], fall_off(s.distance[i], def->blend_distance));
        if (weight > 0) add_node(b, i, weight, s.source[i]);
    }
    return true;
}
