/* Retargeting of motions; retarget.h describes the method. */
#include "character/import/retarget.h"

#include "core/memory.h"

#include <string.h>

/* Skeleton in its rest pose. */
typedef struct rest_skeleton {
    vo_rig rig;
    int joint_count;
    const vo_joint *joint;
    vo_affine *at; /* [joint_count] rest pose, world */
    double leg;    /* m, hip to ankle along the bones, mean of both legs */
} rest_skeleton;

typedef struct retarget {
    vo_context *ctx;
    const char *name;
    const vo_character *source;
    const vo_joint_clip *clip;
    rest_skeleton from, to;
    vo_quat facing;  /* F */
    vo_affine world; /* parent transform of the target's roots */
    int *partner;    /* [target joints] source joint or -1 */
    double ankle;    /* m, lowest height of an ankle of the source */
    vo_affine *pose; /* [source joints] current pose */
    vo_quat *world_rotation,
        *local;       /* [target joints] rotations in the world and relative to the parent */
    vo_quat *aligned; /* [target joints] R_align */
} retarget;

static vo_vec3 part_position(const rest_skeleton *s, vo_part part) {
    return s->at[s->rig.joint[part]].offset;
}

/* Parts that retargeting requires. */
static const vo_part needed[] = {VO_PART_HIPS,      VO_PART_LEFT_THIGH,  VO_PART_LEFT_SHIN,
                                 VO_PART_LEFT_FOOT, VO_PART_RIGHT_THIGH, VO_PART_RIGHT_SHIN,
                                 VO_PART_RIGHT_FOOT};

static vo_result check_parts(const retarget *r, const rest_skeleton *s, const char *who) {
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (s->rig.joint[needed[i]] >= 0) continue;
        return vo_fail(r->ctx, VO_BAD_DATA,
                       "%s: no bone of the %s is known as the %s; rename its bones (Hips, "
                       "LeftUpLeg, LeftLeg, LeftFoot, ...)",
                       r->name, who, vo_part_name(needed[i]));
    }
    return VO_OK;
}

static double leg_length(const rest_skeleton *s) {
    double sum = 0;
    for (int side = 0; side <= 8; side += 8) {
        vo_vec3 hip = part_position(s, (vo_part)(VO_PART_LEFT_THIGH + side));
        vo_vec3 knee = part_position(s, (vo_part)(VO_PART_LEFT_SHIN + side));
        vo_vec3 ankle = part_position(s, (vo_part)(VO_PART_LEFT_FOOT + side));
        sum += v3_distance(hip, knee) + v3_distance(knee, ankle);
    }
    return sum / 2;
}

/* Returns the angle about z of the direction from the right to the left thigh. */
static double side_angle(const rest_skeleton *s) {
    vo_vec3 d = v3_sub(part_position(s, VO_PART_LEFT_THIGH), part_position(s, VO_PART_RIGHT_THIGH));
    return atan2(d.y, d.x);
}

/* Returns the smallest rotation of one direction onto another. */
static vo_quat rotation_between(vo_vec3 from, vo_vec3 to) {
    from = v3_normalize(from);
    to = v3_normalize(to);
    vo_vec3 axis = v3_cross(from, to);
    double c = v3_dot(from, to);
    if (c < -0.9999) {
        axis = v3_cross(from, fabs(from.x) < 0.7 ? v3(1, 0, 0) : v3(0, 1, 0));
        return q_axis_angle(axis, VO_PI);
    }
    return q_normalize((vo_quat){1 + c, axis.x, axis.y, axis.z});
}

/* Returns true for upper arms, forearms, thighs and shins, whose directions are aligned. */
static bool is_limb(vo_part part) {
    vo_part left = part >= VO_PART_RIGHT_CLAVICLE ? (vo_part)(part - 8) : part;
    return left == VO_PART_LEFT_UPPER_ARM || left == VO_PART_LEFT_FOREARM ||
           left == VO_PART_LEFT_THIGH || left == VO_PART_LEFT_SHIN;
}

/* Returns the joint at the end of a bone: the next part, else the first child; -1: none. */
static int bone_end(const rest_skeleton *s, vo_part part) {
    int joint = s->rig.joint[part];
    if (s->rig.joint[part + 1] >= 0) return s->rig.joint[part + 1];
    for (int j = joint + 1; joint >= 0 && j < s->joint_count; j++) {
        if (s->joint[j].parent == joint) return j;
    }
    return -1;
}

/* Returns R_align. Hands take that of their forearms; bones without an end take that of the
 * previous bone. */
static vo_quat align(const retarget *r, vo_part part) {
    if (part == VO_PART_LEFT_HAND || part == VO_PART_RIGHT_HAND) part = (vo_part)(part - 1);
    for (; is_limb(part); part = (vo_part)(part - 1)) {
        if (r->from.rig.joint[part] < 0 || r->to.rig.joint[part] < 0) continue;
        int from = bone_end(&r->from, part), to = bone_end(&r->to, part);
        if (from < 0 || to < 0) continue;
        vo_vec3 source = v3_sub(r->from.at[from].offset, part_position(&r->from, part));
        vo_vec3 target = v3_sub(r->to.at[to].offset, part_position(&r->to, part));
        if (!(v3_length(source) > 0 && v3_length(target) > 0)) continue;
        return rotation_between(target, q_rotate(r->facing, source));
    }
    return q_identity();
}

/* Pairs the joints of the spines by their relative position. */
static void pair_spines(retarget *r) {
    const vo_rig *from = &r->from.rig, *to = &r->to.rig;
    if (from->spine_count == 0) return;
    for (int i = 0; i < to->spine_count; i++) {
        int k = from->spine_count - 1;
        if (to->spine_count > 1) {
            k = (2 * i * k + to->spine_count - 1) / (2 * (to->spine_count - 1));
        }
        r->partner[to->spine[i]] = from->spine[k];
    }
}

/* Pairs source and target joints and computes the alignment of the rest poses. */
static void pair_joints(retarget *r) {
    int missing = 0;
    for (int j = 0; j < r->to.joint_count; j++) {
        r->partner[j] = -1;
        r->aligned[j] = q_identity();
    }
    pair_spines(r);
    for (int p = 0; p < VO_PART_COUNT; p++) {
        int from = r->from.rig.joint[p], to = r->to.rig.joint[p];
        if (to >= 0 && from < 0) missing++;
        if (to < 0 || from < 0 || p == VO_PART_SPINE) continue;
        r->partner[to] = from;
        r->aligned[to] = align(r, (vo_part)p);
    }
    vo_log_line(r->ctx, VO_LOG_INFO,
                "%s: retargeted by bone names; legs of %.3g m to %.3g m, rotated by %.3g degrees; "
                "%d parts have no counterpart and keep their rest pose",
                r->name, r->from.leg, r->to.leg, 2 * atan2(r->facing.z, r->facing.w) * 180 / VO_PI,
                missing);
}

/* Evaluates the source at a time, in its own frame. */
static void pose_source(retarget *r, double time) {
    vo_character_pose(r->source, r->clip, time, VO_CLIP_HOLD, r->pose);
}

/* Computes the world rotations of all target joints for the current pose of the source. */
static void rotate_joints(retarget *r) {
    vo_quat root = vo_affine_rotation(r->world);
    for (int j = 0; j < r->to.joint_count; j++) {
        int parent = r->to.joint[j].parent;
        vo_quat rest = vo_affine_rotation(r->to.at[j]);
        vo_quat above = parent < 0 ? root : r->world_rotation[parent];
        vo_quat above_rest = parent < 0 ? root : vo_affine_rotation(r->to.at[parent]);
        int s = r->partner[j];
        if (s < 0) { /* unpaired: keeps the rest pose relative to the parent */
            r->world_rotation[j] = q_mul(above, q_mul(q_conjugate(above_rest), rest));
        } else {
            vo_quat turn = q_mul(vo_affine_rotation(r->pose[s]),
                                 q_conjugate(vo_affine_rotation(r->from.at[s])));
            turn = q_mul(r->facing, q_mul(turn, q_conjugate(r->facing)));
            r->world_rotation[j] = q_normalize(q_mul(turn, q_mul(r->aligned[j], rest)));
        }
        r->local[j] = q_normalize(q_mul(q_conjugate(above), r->world_rotation[j]));
    }
}

/* Returns the point between the two hip joints in a pose. */
static vo_vec3 crotch(const rest_skeleton *s, const vo_affine *at) {
    return v3_lerp(at[s->rig.joint[VO_PART_LEFT_THIGH]].offset,
                   at[s->rig.joint[VO_PART_RIGHT_THIGH]].offset, 0.5);
}

/* Returns the position of the target's hips. Leg lengths are scaled, so the point between the hip
 * joints follows the source; the position of the root above it differs between skeletons. */
static vo_vec3 hips_position(const retarget *r, vo_vec3 start) {
    double ratio = r->to.leg / r->from.leg;
    vo_vec3 at = crotch(&r->from, r->pose), rest = crotch(&r->to, r->to.at);
    vo_vec3 way = q_rotate(r->facing, v3_scale(ratio, v3_sub(at, start)));
    double ankle = vo_min(part_position(&r->to, VO_PART_LEFT_FOOT).z,
                          part_position(&r->to, VO_PART_RIGHT_FOOT).z);
    vo_vec3 goal = v3(rest.x + way.x, rest.y + way.y, ankle + ratio * (at.z - r->ankle));
    int hips = r->to.rig.joint[VO_PART_HIPS];
    vo_quat turn = q_mul(r->world_rotation[hips], q_conjugate(vo_affine_rotation(r->to.at[hips])));
    return v3_add(goal, q_rotate(turn, v3_sub(part_position(&r->to, VO_PART_HIPS), rest)));
}

/* Returns the track with the most rotation keys, whose times are used for the result; motion
 * capture gives all joints the same key times. */
static const vo_joint_track *longest_track(const vo_joint_clip *clip) {
    const vo_joint_track *best = &clip->track[0];
    for (int i = 1; i < clip->track_count; i++) {
        if (clip->track[i].rotation_count > best->rotation_count) best = &clip->track[i];
    }
    return best;
}

/* Allocates a track for every paired joint and for the path of the hips. */
static bool make_tracks(const retarget *r, vo_arena *memory, int keys, vo_joint_clip *out) {
    int count = 0;
    for (int j = 0; j < r->to.joint_count; j++) count += r->partner[j] >= 0;
    out->track = vo_arena_array(memory, vo_joint_track, count);
    if (out->track == NULL) return false;
    for (int j = 0; j < r->to.joint_count; j++) {
        if (r->partner[j] < 0) continue;
        vo_joint_track track = {.joint = j, .rotation_count = keys};
        track.rotation = vo_arena_array(memory, vo_rotation_key, keys);
        if (track.rotation == NULL) return false;
        if (j == r->to.rig.joint[VO_PART_HIPS]) {
            track.translation_count = keys;
            track.translation = vo_arena_array(memory, vo_vector_key, keys);
            if (track.translation == NULL) return false;
        }
        out->track[out->track_count++] = track;
    }
    return true;
}

/* Finds the lowest ankle of the whole clip. Many recordings begin with a T-pose at an arbitrary
 * height, so the first key is skipped unless there are few. */
static void find_ankle(retarget *r, const vo_joint_track *times) {
    r->ankle = INFINITY;
    for (int k = times->rotation_count > 10; k < times->rotation_count; k++) {
        pose_source(r, times->rotation[k].time);
        double left = r->pose[r->from.rig.joint[VO_PART_LEFT_FOOT]].offset.z;
        double right = r->pose[r->from.rig.joint[VO_PART_RIGHT_FOOT]].offset.z;
        r->ankle = vo_min(r->ankle, vo_min(left, right));
    }
}

/* Writes one key of every track. Joints above the hips keep their rest pose. */
static void write_key(const retarget *r, int k, double time, vo_vec3 hips, vo_joint_clip *out) {
    for (int i = 0; i < out->track_count; i++) {
        vo_joint_track *track = &out->track[i];
        track->rotation[k] = (vo_rotation_key){time, r->local[track->joint]};
        if (track->translation_count > 0) track->translation[k] = (vo_vector_key){time, hips};
    }
}

static vo_result write_keys(retarget *r, const vo_joint_track *times, vo_joint_clip *out) {
    int parent = r->to.joint[r->to.rig.joint[VO_PART_HIPS]].parent;
    vo_affine back;
    if (!vo_affine_inverse(parent < 0 ? r->world : r->to.at[parent], &back)) {
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: a parent of the target's hips has a scale of zero",
                       r->name);
    }
    pose_source(r, 0);
    vo_vec3 start = crotch(&r->from, r->pose);
    for (int k = 0; k < times->rotation_count; k++) {
        pose_source(r, times->rotation[k].time);
        rotate_joints(r);
        write_key(r, k, times->rotation[k].time, vo_affine_point(back, hips_position(r, start)),
                  out);
    }
    return VO_OK;
}

static bool make_scratch(retarget *r, vo_arena *arena) {
    int from = r->from.joint_count, to = r->to.joint_count;
    r->from.at = vo_arena_array(arena, vo_affine, from + 1);
    r->to.at = vo_arena_array(arena, vo_affine, to + 1);
    r->pose = vo_arena_array(arena, vo_affine, from + 1);
    r->partner = vo_arena_array(arena, int, to + 1);
    r->world_rotation = vo_arena_array(arena, vo_quat, to + 1);
    r->local = vo_arena_array(arena, vo_quat, to + 1);
    r->aligned = vo_arena_array(arena, vo_quat, to + 1);
    return r->from.at && r->to.at && r->pose && r->partner && r->world_rotation && r->local &&
           r->aligned;
}

/* Computes rest poses, leg lengths and facing directions. */
static vo_result measure_skeletons(retarget *r) {
    vo_character_pose(r->source, NULL, 0, VO_CLIP_HOLD, r->from.at);
    for (int j = 0; j < r->to.joint_count; j++) {
        int parent = r->to.joint[j].parent;
        vo_affine above = parent < 0 ? r->world : r->to.at[parent];
        r->to.at[j] = vo_affine_mul(above, r->to.joint[j].rest);
    }
    VO_TRY(check_parts(r, &r->from, "motion"));
    VO_TRY(check_parts(r, &r->to, "character"));
    r->from.leg = leg_length(&r->from);
    r->to.leg = leg_length(&r->to);
    if (!(r->from.leg > 0) || !isfinite(r->to.leg / r->from.leg)) {
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: the legs of its skeleton have no length", r->name);
    }
    r->facing = q_axis_angle(v3(0, 0, 1), side_angle(&r->to) - side_angle(&r->from));
    return VO_OK;
}

static vo_result carry_over(retarget *r, vo_arena *scratch, vo_arena *memory, vo_joint_clip *out) {
    if (!make_scratch(r, scratch)) return vo_fail_memory(r->ctx, r->name);
    VO_TRY(measure_skeletons(r));
    pair_joints(r);
    const vo_joint_track *times = longest_track(r->clip);
    if (times->rotation_count == 0) {
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: clip '%.60s' rotates no bone", r->name,
                       r->clip->name);
    }
    size_t letters = strlen(r->clip->name) + 1;
    out->name = vo_arena_array(memory, char, letters);
    if (out->name == NULL || !make_tracks(r, memory, times->rotation_count, out)) {
        return vo_fail_memory(r->ctx, r->name);
    }
    memcpy(out->name, r->clip->name, letters);
    out->duration = r->clip->duration;
    find_ankle(r, times);
    return write_keys(r, times, out);
}

vo_result vo_retarget(vo_context *ctx, const char *name, const vo_character *source,
                      const vo_joint_clip *clip, int joint_count, const vo_joint *joint,
                      vo_affine world, vo_arena *memory, vo_joint_clip *out) {
    retarget r = {.ctx = ctx, .name = name, .source = source, .clip = clip, .world = world};
    r.from.joint_count = source->joint_count;
    r.from.joint = source->joint;
    r.from.rig = vo_rig_find(source->joint_count, source->joint);
    r.to.joint_count = joint_count;
    r.to.joint = joint;
    r.to.rig = vo_rig_find(joint_count, joint);
    *out = (vo_joint_clip){0};
    vo_arena scratch;
    vo_arena_init(&scratch, ctx);
    vo_result result = carry_over(&r, &scratch, memory, out);
    vo_arena_free(&scratch);
    if (result != VO_OK) *out = (vo_joint_clip){0};
    return result;
}
