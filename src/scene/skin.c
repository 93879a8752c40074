#include "scene/skin.h"

#include "core/memory.h"
#include "core/parallel.h"

vo_result vo_skin_create(vo_context *ctx, int node_count, vo_skin *out) {
    size_t n = (size_t)node_count;
    *out = (vo_skin){.node_count = node_count};
    out->rest = vo_alloc_zero(ctx, vo_array_bytes(n, sizeof *out->rest));
    out->bone = vo_alloc_zero(ctx, vo_array_bytes(n, sizeof *out->bone));
    out->share = vo_alloc_zero(ctx, vo_array_bytes(n, sizeof *out->share));
    if (out->rest && out->bone && out->share) return VO_OK;
    vo_skin_free(ctx, out);
    return vo_fail_memory(ctx, "a skin");
}

void vo_skin_free(vo_context *ctx, vo_skin *skin) {
    vo_free_array(ctx, skin->rest, skin->node_count);
    vo_free_array(ctx, skin->bone, skin->node_count);
    vo_free_array(ctx, skin->share, skin->node_count);
    *skin = (vo_skin){0};
}

/* Puts a bone in its place among the node's, which are in descending order. */
static void insert(int *bones, double *shares, int bone, double share) {
    int at = VO_SKIN_BONES;
    while (at > 0 && share > shares[at - 1]) at--;
    if (at == VO_SKIN_BONES) return;
    for (int i = VO_SKIN_BONES - 1; i > at; i--) {
        bones[i] = bones[i - 1];
        shares[i] = shares[i - 1];
    }
    bones[at] = bone;
    shares[at] = share;
}

void vo_skin_set_node(vo_skin *skin, int node, int bone_count, const double *shares) {
    int *bones = skin->bone[node];
    double *out = skin->share[node], sum = 0;
    for (int i = 0; i < VO_SKIN_BONES; i++) bones[i] = 0, out[i] = 0;
    for (int b = 0; b < bone_count; b++) insert(bones, out, b, shares[b]);
    for (int i = 0; i < VO_SKIN_BONES; i++) sum += out[i];
    for (int i = 0; i < VO_SKIN_BONES; i++) out[i] /= sum;
}

/* A rotation and half the translation times it: q + e/2 t q. */
typedef struct dual {
    vo_quat real, moved;
    double scale;
} dual;

static dual dual_of(vo_transform t) {
    vo_quat shift = {0, t.translation.x, t.translation.y, t.translation.z};
    return (dual){t.rotation, q_scale(0.5, q_mul(shift, t.rotation)), t.scale};
}

/* Weighted sum, each quaternion on the side of the first one's (Kavan et al. 2008, section 4). */
static dual blend(const vo_skin *skin, int n, const vo_transform *motion) {
    dual sum = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
    vo_quat first = motion[skin->bone[n][0]].rotation;
    for (int i = 0; i < VO_SKIN_BONES && skin->share[n][i] > 0; i++) {
        dual d = dual_of(motion[skin->bone[n][i]]);
        double w = skin->share[n][i], s = q_dot(first, d.real) < 0 ? -w : w;
        sum.real = q_add(sum.real, q_scale(s, d.real));
        sum.moved = q_add(sum.moved, q_scale(s, d.moved));
        sum.scale += w * d.scale;
    }
    return sum;
}

static vo_vec3 place_dual(const vo_skin *skin, int n, const vo_transform *motion) {
    dual d = blend(skin, n, motion);
    double s = 1 / sqrt(q_dot(d.real, d.real));
    vo_quat q = q_scale(s, d.real), m = q_scale(2 * s, d.moved);
    vo_quat t = q_mul(m, q_conjugate(q));
    return v3_add(q_rotate(q, v3_scale(d.scale, skin->rest[n])), v3(t.x, t.y, t.z));
}

static vo_vec3 place_linear(const vo_skin *skin, int n, const vo_transform *motion) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < VO_SKIN_BONES && skin->share[n][i] > 0; i++)
        sum = v3_add_scaled(sum, skin->share[n][i],
                            xf_point(motion[skin->bone[n][i]], skin->rest[n]));
    return sum;
}

static vo_vec3 place(const vo_skin *skin, vo_skinning how, int n, const vo_transform *motion) {
    return how == VO_SKINNING_LINEAR ? place_linear(skin, n, motion) : place_dual(skin, n, motion);
}

typedef struct placing {
    const vo_skin *skin;
    vo_skinning how;
    const vo_transform *before, *after; /* before: NULL without velocities */
    double rate;                        /* 1/s */
    vo_vec3 *x, *v;
} placing;

static void place_nodes(void *arg, int begin, int end, int chunk) {
    const placing *p = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        p->x[n] = place(p->skin, p->how, n, p->after);
        if (!p->before) continue;
        vo_vec3 old = place(p->skin, p->how, n, p->before);
        p->v[n] = v3_scale(p->rate, v3_sub(p->x[n], old));
    }
}

void vo_skin_place(vo_context *ctx, const vo_skin *skin, vo_skinning how,
                   const vo_transform *motion, vo_vec3 *x) {
    placing p = {.skin = skin, .how = how, .after = motion, .x = x};
    vo_parallel_for(ctx, skin->node_count, 512, place_nodes, &p);
}

void vo_skin_move(vo_context *ctx, const vo_skin *skin, vo_skinning how, const vo_transform *before,
                  const vo_transform *after, double seconds, vo_vec3 *x, vo_vec3 *v) {
    placing p = {skin, how, before, after, 1 / seconds, x, v};
    vo_parallel_for(ctx, skin->node_count, 512, place_nodes, &p);
}
