/* Skinning: linear blending and dual quaternions.
 *
 * Kavan, Collins, Zara, O'Sullivan: Geometric Skinning with Approximate Dual Quaternion Blending
 * (2008). A bind's motion is split into a stretch and a rigid motion; the stretches are blended
 * linearly and first, the rigid motions as dual quaternions (their section 4.2). */
#include "core/memory.h"
#include "core/parallel.h"
#include "scene/import.h"

enum { SKIN_GRAIN = 1024 };

/* The rigid motion p -> q p q* + t as a dual quaternion, and what is done before it. */
typedef struct rigid {
    vo_quat real, dual;
    vo_mat3 stretch;
} rigid;

typedef struct skin_work {
    const vo_character *character;
    const vo_affine *motion; /* [bind_count] bind pose -> world */
    const rigid *rigid;      /* [bind_count]; NULL: linear */
    vo_vec3 *x;
} skin_work;

/* Equation 3: dual part of the translation t after the rotation q. */
static rigid split_motion(vo_affine motion) {
    rigid out;
    out.real = vo_affine_rotation(motion);
    vo_quat t = {0, motion.offset.x, motion.offset.y, motion.offset.z};
    out.dual = q_scale(0.5, q_mul(t, out.real));
    vo_mat3 column = m3_transpose(motion.linear);
    vo_quat back = q_conjugate(out.real);
    for (int i = 0; i < 3; i++) column.row[i] = q_rotate(back, column.row[i]);
    out.stretch = m3_transpose(column);
    return out;
}

static vo_vec3 skin_linear(const skin_work *w, int node) {
    const vo_character *c = w->character;
    vo_vec3 sum = v3_zero();
    for (int i = c->weight_begin[node]; i < c->weight_begin[node + 1]; i++) {
        vo_vec3 p = vo_affine_point(w->motion[c->weight_bind[i]], c->node_x[node]);
        sum = v3_add_scaled(sum, c->weight[i], p);
    }
    return sum;
}

/* Algorithm 1; signs are chosen against the first bind, which has the largest weight. */
static vo_vec3 skin_dual(const skin_work *w, int node) {
    const vo_character *c = w->character;
    int begin = c->weight_begin[node];
    vo_quat first = w->rigid[c->weight_bind[begin]].real;
    vo_quat real = {0, 0, 0, 0}, dual = {0, 0, 0, 0};
    vo_vec3 p = v3_zero();
    for (int i = begin; i < c->weight_begin[node + 1]; i++) {
        const rigid *r = &w->rigid[c->weight_bind[i]];
        double s = q_dot(first, r->real) < 0 ? -c->weight[i] : c->weight[i];
        real = q_add(real, q_scale(s, r->real));
        dual = q_add(dual, q_scale(s, r->dual));
        p = v3_add_scaled(p, c->weight[i], m3_mul(r->stretch, c->node_x[node]));
    }
    double n = sqrt(q_dot(real, real));
    if (!(n > 1e-9)) return skin_linear(w, node);
    real = q_scale(1 / n, real);
    vo_quat t = q_mul(q_scale(2 / n, dual), q_conjugate(real));
    return v3_add(q_rotate(real, p), v3(t.x, t.y, t.z));
}

static void skin_range(void *arg, int begin, int end, int chunk) {
    const skin_work *w = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        w->x[n] = w->rigid != NULL ? skin_dual(w, n) : skin_linear(w, n);
    }
}

/* With room for the motions and, if they are wanted, their rigid parts. */
static void skin_with(const vo_character *c, const vo_affine *joint, vo_affine *motion,
                      rigid *parts, vo_vec3 *x) {
    for (int b = 0; b < c->bind_count; b++) {
        motion[b] = vo_affine_mul(joint[c->bind[b].joint], c->bind[b].inverse);
        if (parts != NULL) parts[b] = split_motion(motion[b]);
    }
    skin_work work = {c, motion, parts, x};
    vo_parallel_for(c->ctx, c->node_count, SKIN_GRAIN, skin_range, &work);
}

void vo_character_skin_linear(vo_context *ctx, const vo_character *character,
                              const vo_affine *motion, vo_vec3 *x) {
    skin_work work = {character, motion, NULL, x};
    vo_parallel_for(ctx, character->node_count, SKIN_GRAIN, skin_range, &work);
}

vo_result vo_character_skin(const vo_character *character, const vo_affine *joint,
                            vo_skin_blend blend, vo_vec3 *x) {
    vo_context *ctx = character->ctx;
    int count = character->bind_count;
    if (count == 0) {
        for (int n = 0; n < character->node_count; n++) x[n] = character->node_x[n];
        return VO_OK;
    }
    bool dual = blend == VO_BLEND_DUAL_QUATERNION;
    vo_affine *motion = vo_new_array(ctx, vo_affine, count);
    rigid *parts = dual ? vo_new_array(ctx, rigid, count) : NULL;
    bool enough = motion != NULL && (parts != NULL || !dual);
    if (enough) skin_with(character, joint, motion, parts, x);
    vo_free_array(ctx, motion, count);
    vo_free_array(ctx, parts, count);
    return enough ? VO_OK : vo_fail_memory(ctx, "skinning");
}

vo_result vo_character_positions(const vo_character *character, const vo_joint_clip *clip,
                                 double time, vo_clip_end end, vo_skin_blend blend, vo_vec3 *x) {
    vo_context *ctx = character->ctx;
    int count = character->joint_count;
    if (count == 0) return vo_character_skin(character, NULL, blend, x);
    vo_affine *joint = vo_new_array(ctx, vo_affine, count);
    if (joint == NULL) return vo_fail_memory(ctx, "joints");
    vo_character_pose(character, clip, time, end, joint);
    vo_result result = vo_character_skin(character, joint, blend, x);
    vo_free_array(ctx, joint, count);
    return result;
}
