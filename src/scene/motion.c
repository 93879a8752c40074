#include "scene/motion.h"

#include "core/memory.h"
#include "math/bounds.h"

/* Weighted sum of two poses and two rates, component by component. */
static vo_transform combine(const vo_motion_key *a, const vo_motion_key *b, const double w[4]) {
#define MIX(part) \
    (w[0] * a->pose.part + w[1] * a->rate.part + w[2] * b->pose.part + w[3] * b->rate.part)
    return (vo_transform){
        {MIX(translation.x), MIX(translation.y), MIX(translation.z)},
        MIX(scale),
        {MIX(rotation.w), MIX(rotation.x), MIX(rotation.y), MIX(rotation.z)},
    };
#undef MIX
}

/* Cubic Hermite curve between two keys. A steep curve may overshoot; the scale is kept positive,
 * since a mesh of no or negative size has no inside. */
static vo_transform blend(const vo_motion_key *a, const vo_motion_key *b, double time) {
    double span = b->time - a->time, s = (time - a->time) / span, s2 = s * s, s3 = s2 * s;
    double w[4] = {2 * s3 - 3 * s2 + 1, (s3 - 2 * s2 + s) * span, 3 * s2 - 2 * s3,
                   (s3 - s2) * span};
    vo_transform pose = combine(a, b, w);
    pose.scale = vo_max(pose.scale, 0.01 * vo_min(a->pose.scale, b->pose.scale));
    pose.rotation = q_normalize(pose.rotation);
    return pose;
}

vo_transform vo_motion_pose(const vo_motion *motion, double time) {
    const vo_motion_key *key = motion->key;
    int low = 0, high = motion->key_count - 1;
    if (!(time > key[low].time)) return key[low].pose;
    if (time >= key[high].time) return key[high].pose;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (key[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return blend(&key[low], &key[high], time);
}

vo_transform vo_pose_transform(vo_pose pose) {
    return (vo_transform){pose.translate, pose.scale,
                          q_axis_angle(pose.axis, pose.degrees * VO_PI / 180)};
}

/* The rate of a pose from velocities: dq/dt = 1/2 (0, w) q. */
static vo_transform velocity_rate(vo_pose velocity, vo_quat rotation) {
    vo_vec3 w = v3_scale(velocity.degrees * VO_PI / 180, v3_normalize(velocity.axis));
    vo_quat spin = {0, w.x, w.y, w.z};
    return (vo_transform){velocity.translate, velocity.scale, q_scale(0.5, q_mul(spin, rotation))};
}

/* Central difference over the neighbours; zero at the first and last key. */
static vo_transform central_rate(const vo_motion *motion, int k) {
    if (k == 0 || k == motion->key_count - 1) return (vo_transform){0};
    const vo_motion_key *a = &motion->key[k - 1], *b = &motion->key[k + 1];
    double w = 1 / (b->time - a->time);
    vo_transform p = a->pose, q = b->pose;
    return (vo_transform){v3_scale(w, v3_sub(q.translation, p.translation)),
                          w * (q.scale - p.scale),
                          q_scale(w, q_add(q.rotation, q_scale(-1, p.rotation)))};
}

void vo_motion_central_rates(vo_motion *motion) {
    for (int k = 0; k < motion->key_count; k++) motion->key[k].rate = central_rate(motion, k);
}

#define SHORTEST_SPAN 1e-9 /* s between two keys; less overflows the rates */

const char *vo_pose_rate_defect(vo_pose p) {
    if (!v3_is_bounded(p.translate))
        return "translate must be three numbers up to " VO_LARGEST_TEXT;
    if (!vo_is_bounded(p.scale)) return "scale must be a number up to " VO_LARGEST_TEXT;
    if (!vo_is_bounded(p.degrees)) return "degrees must be a number up to " VO_LARGEST_TEXT;
    if (!v3_is_bounded(p.axis)) return "axis must be three numbers up to " VO_LARGEST_TEXT;
    return NULL;
}

const char *vo_pose_defect(vo_pose p) {
    if (!vo_is_positive(p.scale)) return "scale must be positive, up to " VO_LARGEST_TEXT;
    return vo_pose_rate_defect(p);
}

/* What is wrong with the times, or NULL. */
static const char *time_defect(const vo_keyframe *keys, int k) {
    if (!vo_is_bounded(keys[k].time)) return "time must be a number up to " VO_LARGEST_TEXT;
    if (k > 0 && !(keys[k].time - keys[k - 1].time >= SHORTEST_SPAN))
        return "its time is not later than that of the key before";
    return NULL;
}

static vo_result fail_key(vo_context *ctx, int k, const char *member, const char *defect) {
    return vo_fail(ctx, VO_BAD_CALL, "key %d of the motion: %s%s", k, member, defect);
}

static vo_result check_keys(vo_context *ctx, int count, const vo_keyframe *keys) {
    if (count < 1 || !keys) return vo_fail(ctx, VO_BAD_CALL, "a motion needs at least one key");
    for (int k = 0; k < count; k++) {
        const char *defect = time_defect(keys, k);
        if (defect) return fail_key(ctx, k, "", defect);
        defect = vo_pose_defect(keys[k].pose);
        if (defect) return fail_key(ctx, k, "pose.", defect);
        defect = keys[k].has_velocity ? vo_pose_rate_defect(keys[k].velocity) : NULL;
        if (defect) return fail_key(ctx, k, "velocity.", defect);
    }
    return VO_OK;
}

vo_result vo_motion_from_keyframes(vo_context *ctx, int key_count, const vo_keyframe *keys,
                                   vo_motion *out) {
    *out = (vo_motion){0};
    VO_TRY(check_keys(ctx, key_count, keys));
    vo_motion motion = {key_count, vo_new_array(ctx, vo_motion_key, key_count)};
    if (!motion.key) return vo_fail_memory(ctx, "a motion");
    for (int k = 0; k < key_count; k++)
        motion.key[k] =
            (vo_motion_key){.time = keys[k].time, .pose = vo_pose_transform(keys[k].pose)};
    for (int k = 0; k < key_count; k++)
        motion.key[k].rate = keys[k].has_velocity
                                 ? velocity_rate(keys[k].velocity, motion.key[k].pose.rotation)
                                 : central_rate(&motion, k);
    *out = motion;
    return VO_OK;
}

static vo_transform change_frame(vo_transform t, vo_transform frame) {
    vo_quat back = q_conjugate(frame.rotation);
    return (vo_transform){xf_vector(frame, t.translation), t.scale,
                          q_mul(frame.rotation, q_mul(t.rotation, back))};
}

void vo_motion_change_frame(vo_motion *motion, vo_transform frame) {
    for (int k = 0; k < motion->key_count; k++) {
        motion->key[k].pose = change_frame(motion->key[k].pose, frame);
        motion->key[k].rate = change_frame(motion->key[k].rate, frame);
    }
}

void vo_motion_free(vo_context *ctx, vo_motion *motion) {
    vo_free_array(ctx, motion->key, motion->key_count);
    *motion = (vo_motion){0};
}
