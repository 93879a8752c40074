#include "character/skin.h"

#include "core/memory.h"
#include "core/parallel.h"

vo_result vo_skin_create(vo_context *ctx, int node_count, vo_skin *out) {
    size_t n = (size_t)node_count;
    *out = (vo_skin){.node_count = node_count};
    out->rest = vo_alloc_zero(ctx, vo_array_bytes(n, sizeof *out->rest));
    out->bone = vo_alloc_zero(ctx, vo_array_bytes(n, sizeof *out->bone));
    out->weight = vo_alloc_zero(ctx, vo_array_bytes(n, sizeof *out->weight));
    if (out->rest && out->bone && out->weight) return VO_OK;
    vo_skin_free(ctx, out);
    return vo_fail_memory(ctx, "a skin");
}

void vo_skin_free(vo_context *ctx, vo_skin *skin) {
    vo_free_array(ctx, skin->rest, skin->node_count);
    vo_free_array(ctx, skin->bone, skin->node_count);
    vo_free_array(ctx, skin->weight, skin->node_count);
    *skin = (vo_skin){0};
}

/* Inserts a bone into the list of a node, sorted by descending weight. */
static void insert(int *bones, double *weights, int bone, double weight) {
    int at = VO_SKIN_MAX_BONES;
    while (at > 0 && weight > weights[at - 1]) at--;
    if (at == VO_SKIN_MAX_BONES) return;
    for (int i = VO_SKIN_MAX_BONES - 1; i > at; i--) {
        bones[i] = bones[i - 1];
        weights[i] = weights[i - 1];
    }
    bones[at] = bone;
    weights[at] = weight;
}

void vo_skin_set_node(vo_skin *skin, int node, int bone_count, const double *weights) {
    int *bones = skin->bone[node];
    double *out = skin->weight[node], sum = 0;
    for (int i = 0; i < VO_SKIN_MAX_BONES; i++) bones[i] = 0, out[i] = 0;
    for (int b = 0; b < bone_count; b++) insert(bones, out, b, weights[b]);
    for (int i = 0; i < VO_SKIN_MAX_BONES; i++) sum += out[i];
    for (int i = 0; i < VO_SKIN_MAX_BONES; i++) out[i] /= sum;
}

/* Dual quaternion: rotation q, and half the translation times it, q + e/2 t q. */
typedef struct dual {
    vo_quat real, moved;
    double scale;
} dual;

static dual to_dual(vo_transform t) {
    vo_quat shift = {0, t.translation.x, t.translation.y, t.translation.z};
    return (dual){t.rotation, q_scale(0.5, q_mul(shift, t.rotation)), t.scale};
}

/* Weighted sum; signs are chosen to match the first quaternion (Kavan et al. 2008, section 4). */
static dual blend(const vo_skin *skin, int n, const vo_transform *motion) {
    dual sum = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
    vo_quat first = motion[skin->bone[n][0]].rotation;
    for (int i = 0; i < VO_SKIN_MAX_BONES && skin->weight[n][i] > 0; i++) {
        dual d = to_dual(motion[skin->bone[n][i]]);
        double w = skin->weight[n][i], s = q_dot(first, d.real) < 0 ? -w : w;
        sum.real = q_add(sum.real, q_scale(s, d.real));
        sum.moved = q_add(sum.moved, q_scale(s, d.moved));
        sum.scale += w * d.scale;
    }
    return sum;
}

static vo_vec3 eval_node(const vo_skin *skin, int n, const vo_transform *motion) {
    dual d = blend(skin, n, motion);
    double s = 1 / sqrt(q_dot(d.real, d.real));
    vo_quat q = q_scale(s, d.real), m = q_scale(2 * s, d.moved);
    vo_quat t = q_mul(m, q_conjugate(q));
    return v3_add(q_rotate(q, v3_scale(d.scale, skin->rest[n])), v3(t.x, t.y, t.z));
}

typedef struct eval_work {
    const vo_skin *skin;
    const vo_transform *motion;
    vo_vec3 *x;
} eval_work;

static void eval_range(void *arg, int begin, int end, int chunk) {
    const eval_work *w = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) w->x[n] = eval_node(w->skin, n, w->motion);
}

void vo_skin_eval(vo_context *ctx, const vo_skin *skin, const vo_transform *motion, vo_vec3 *x) {
    eval_work work = {skin, motion, x};
    vo_parallel_for(ctx, skin->node_count, 512, eval_range, &work);
}
