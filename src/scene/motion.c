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

/* Rotation by `fraction` of a turn given as axis times radians. */
static vo_quat part_of_turn(vo_vec3 turn, double fraction) {
    return q_axis_angle(turn, fraction * v3_length(turn));
}

static bool has_turn(const vo_motion_key *key) { return v3_length2(key->turn) > 0; }

/* Cubic Hermite curve between two keys. A steep curve may overshoot: between positive scales the
 * scale is kept positive, next to a scale of 0 it is clamped to 0. */
static vo_transform blend(const vo_motion_key *a, const vo_motion_key *b, double time) {
    double span = b->time - a->time, s = (time - a->time) / span, s2 = s * s, s3 = s2 * s;
    double w[4] = {2 * s3 - 3 * s2 + 1, (s3 - 2 * s2 + s) * span, 3 * s2 - 2 * s3,
                   (s3 - s2) * span};
    vo_transform pose = combine(a, b, w);
    pose.scale = vo_max(pose.scale, 0.01 * vo_min(a->pose.scale, b->pose.scale));
    pose.rotation = q_normalize(pose.rotation);
    if (has_turn(a)) {
        double fraction = w[1] * a->spin[0] + w[2] + w[3] * a->spin[1];
        pose.rotation = q_mul(part_of_turn(a->turn, fraction), a->pose.rotation);
    }
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

bool vo_motion_is_present(const vo_motion *motion, double time) {
    return vo_motion_pose(motion, time).scale > 0;
}

vo_transform vo_pose_transform(vo_pose pose) {
    return (vo_transform){pose.translate, pose.scale,
                          q_axis_angle(pose.axis, pose.degrees * VO_PI / 180)};
}

/* dq/dt = 1/2 (0, w) q, for a turning speed of |w| rad/s about w. */
static vo_quat rotation_rate(vo_vec3 w, vo_quat q) {
    return q_scale(0.5, q_mul((vo_quat){0, w.x, w.y, w.z}, q));
}

/* The w of a rotation rate. */
static vo_vec3 turning_speed(vo_transform pose, vo_transform rate) {
    vo_quat w = q_mul(rate.rotation, q_conjugate(pose.rotation));
    return v3_scale(2, v3(w.x, w.y, w.z));
}

/* The rate of a pose from velocities. */
static vo_transform velocity_rate(vo_pose velocity, vo_quat rotation) {
    vo_vec3 w = v3_scale(velocity.degrees * VO_PI / 180, v3_normalize(velocity.axis));
    return (vo_transform){velocity.translate, velocity.scale, rotation_rate(w, rotation)};
}

/* Rotation from a key to the next, as axis times radians. */
static vo_vec3 rotation_to_next(const vo_motion_key *key) {
    if (has_turn(key)) return key->turn;
    vo_quat q = q_mul(key[1].pose.rotation, q_conjugate(key[0].pose.rotation));
    vo_vec3 axis = v3(q.x, q.y, q.z);
    return v3_scale(2 * atan2(v3_length(axis), q.w), v3_normalize(axis));
}

/* Central difference over the neighbours; zero at the first and last key. */
static vo_transform central_rate(const vo_motion *motion, int k) {
    if (k == 0 || k == motion->key_count - 1) return (vo_transform){0};
    const vo_motion_key *a = &motion->key[k - 1], *b = &motion->key[k + 1];
    double w = 1 / (b->time - a->time);
    vo_transform p = a->pose, q = b->pose;
    vo_transform rate = {v3_scale(w, v3_sub(q.translation, p.translation)), w * (q.scale - p.scale),
                         q_scale(w, q_add(q.rotation, q_scale(-1, p.rotation)))};
    if (has_turn(a) || has_turn(&a[1])) {
        vo_vec3 rotation = v3_add(rotation_to_next(a), rotation_to_next(&a[1]));
        rate.rotation = rotation_rate(v3_scale(w, rotation), a[1].pose.rotation);
    }
    return rate;
}

void vo_motion_central_rates(vo_motion *motion) {
    for (int k = 0; k < motion->key_count; k++) motion->key[k].rate = central_rate(motion, k);
}

#define MIN_KEY_SPACING 1e-9 /* as in the message; s between two keys; less overflows the rates */

const char *vo_pose_rate_defect(vo_pose p) {
    if (!v3_is_bounded(p.translate))
        return "translate must be three numbers up to " VO_MAX_NUMBER_TEXT;
    if (!vo_is_bounded(p.scale)) return "scale must be a number up to " VO_MAX_NUMBER_TEXT;
    if (!vo_is_bounded(p.degrees)) return "degrees must be a number up to " VO_MAX_NUMBER_TEXT;
    if (!v3_is_bounded(p.axis)) return "axis must be three numbers up to " VO_MAX_NUMBER_TEXT;
    return NULL;
}

const char *vo_pose_defect(vo_pose p) {
    if (!vo_is_positive(p.scale)) return "scale must be positive, up to " VO_MAX_NUMBER_TEXT;
    return vo_pose_rate_defect(p);
}

const char *vo_pose_key_defect(vo_pose p) {
    if (p.scale == 0) p.scale = 1;
    if (!vo_is_positive(p.scale)) return "scale must be 0 or positive, up to " VO_MAX_NUMBER_TEXT;
    return vo_pose_rate_defect(p);
}

const char *vo_key_time_defect(const vo_keyframe *keys, int k) {
    if (!vo_is_bounded(keys[k].time)) return "must be a number up to " VO_MAX_NUMBER_TEXT;
    if (k > 0 && !(keys[k].time - keys[k - 1].time >= MIN_KEY_SPACING))
        return "must be at least 1e-9 s later than that of the previous key";
    return NULL;
}

static vo_result fail_key(vo_context *ctx, int k, const char *member, const char *defect) {
    return vo_fail(ctx, VO_BAD_ARGUMENT, "key %d of the motion: %s%s", k, member, defect);
}

static vo_result check_keys(vo_context *ctx, int count, const vo_keyframe *keys) {
    if (count < 1 || !keys) return vo_fail(ctx, VO_BAD_ARGUMENT, "a motion needs at least one key");
    for (int k = 0; k < count; k++) {
        const char *defect = vo_key_time_defect(keys, k);
        if (defect) return fail_key(ctx, k, "time ", defect);
        defect = vo_pose_key_defect(keys[k].pose);
        if (defect) return fail_key(ctx, k, "pose.", defect);
        defect = keys[k].has_velocity ? vo_pose_rate_defect(keys[k].velocity) : NULL;
        if (defect) return fail_key(ctx, k, "velocity.", defect);
    }
    return VO_OK;
}

static bool is_turned(vo_pose p) { return p.degrees != 0 && v3_length2(p.axis) > 0; }

/* True if two poses rotate about the same or opposite axes; *rotation is then the rotation from one
 * to the other. A pose without rotation matches any axis. */
static bool have_common_axis(vo_pose a, vo_pose b, vo_vec3 *rotation) {
    const double parallel = 1e-9;
    vo_vec3 n = v3_normalize(is_turned(a) ? a.axis : b.axis);
    vo_vec3 m = v3_normalize(is_turned(b) ? b.axis : a.axis);
    if (v3_length(v3_cross(n, m)) > parallel) return false;
    double from = is_turned(a) ? a.degrees : 0, to = is_turned(b) ? b.degrees : 0;
    if (v3_dot(n, m) < 0) to = -to;
    *rotation = v3_scale((to - from) * VO_PI / 180, n);
    return true;
}

/* Chooses between q and -q at every key: by the angles for a common axis, else for the shorter arc
 * from the previous key. Sets `turn` where the angles differ by more than half a turn. */
static void choose_signs(vo_motion *motion, const vo_keyframe *keys) {
    double sign = 1;
    for (int k = 1; k < motion->key_count; k++) {
        vo_motion_key *from = &motion->key[k - 1], *to = &motion->key[k];
        vo_vec3 rotation = v3_zero();
        if (!have_common_axis(keys[k - 1].pose, keys[k].pose, &rotation))
            sign = q_dot(from->pose.rotation, to->pose.rotation) < 0 ? -1 : 1;
        to->pose.rotation = q_scale(sign, to->pose.rotation);
        if (v3_length(rotation) > VO_PI) from->turn = rotation;
    }
}

/* Sets the rates of the rotations by more than half a turn from those of the keys. */
static void find_spins(vo_motion *motion) {
    for (int k = 0; k + 1 < motion->key_count; k++) {
        vo_motion_key *key = &motion->key[k];
        if (!has_turn(key)) continue;
        for (int i = 0; i < 2; i++)
            key->spin[i] =
                v3_dot(turning_speed(key[i].pose, key[i].rate), key->turn) / v3_length2(key->turn);
    }
}

vo_result vo_motion_from_keyframes(vo_context *ctx, int key_count, const vo_keyframe *keys,
                                   vo_motion *out) {
    *out = (vo_motion){0};
    VO_TRY(check_keys(ctx, key_count, keys));
    vo_motion motion = {.key_count = key_count, .key = vo_new_array(ctx, vo_motion_key, key_count)};
    if (!motion.key) return vo_fail_memory(ctx, "a motion");
    for (int k = 0; k < key_count; k++)
        motion.key[k] =
            (vo_motion_key){.time = keys[k].time, .pose = vo_pose_transform(keys[k].pose)};
    for (int k = 0; k < key_count; k++) motion.has_zero_scale |= keys[k].pose.scale == 0;
    choose_signs(&motion, keys);
    for (int k = 0; k < key_count; k++)
        motion.key[k].rate = keys[k].has_velocity
                                 ? velocity_rate(keys[k].velocity, motion.key[k].pose.rotation)
                                 : central_rate(&motion, k);
    find_spins(&motion);
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
        motion->key[k].turn = q_rotate(frame.rotation, motion->key[k].turn);
    }
}

void vo_motion_free(vo_context *ctx, vo_motion *motion) {
    vo_free_array(ctx, motion->key, motion->key_count);
    *motion = (vo_motion){0};
}
