/* See import_retarget.h for the method. */
#include "scene/import_retarget.h"

#include "core/memory.h"

#include <string.h>

/* A skeleton as retargeting sees it: places and rotations of its joints in the world. */
typedef struct stance {
    vo_rig rig;
    int joint_count;
    const vo_joint *joint;
    vo_affine *at; /* [joint_count] rest pose */
    double leg;    /* m, hip to ankle along the bones, mean of both */
} stance;

typedef struct retarget {
    vo_context *ctx;
    const char *name;
    const vo_character *source;
    const vo_joint_clip *clip;
    stance from, to;
    vo_quat facing;          /* F */
    vo_affine world;         /* above the target's roots */
    int *partner;            /* [target joints] source joint or -1 */
    double ankle;            /* m, the source's lowest */
    vo_affine *pose;         /* [source joints] at the time at hand */
    vo_quat *turned, *local; /* [target joints] in the world, from the parent */
    vo_quat *aligned;        /* [target joints] R_align */
} retarget;

static vo_vec3 place(const stance *s, vo_part part) { return s->at[s->rig.joint[part]].offset; }

/* Parts without which nothing can be carried over. */
static const vo_part needed[] = {VO_PART_HIPS,      VO_PART_LEFT_THIGH,  VO_PART_LEFT_SHIN,
                                 VO_PART_LEFT_FOOT, VO_PART_RIGHT_THIGH, VO_PART_RIGHT_SHIN,
                                 VO_PART_RIGHT_FOOT};

static vo_result check_parts(const retarget *r, const stance *s, const char *who) {
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (s->rig.joint[needed[i]] >= 0) continue;
        return vo_fail(r->ctx, VO_BAD_DATA,
                       "%s: no bone of the %s is known as the %s; rename its bones (Hips, "
                       "LeftUpLeg, LeftLeg, LeftFoot, ...)",
                       r->name, who, vo_part_name(needed[i]));
    }
    return VO_OK;
}

static double leg_length(const stance *s) {
    double sum = 0;
    for (int side = 0; side <= 8; side += 8) {
        vo_vec3 hip = place(s, (vo_part)(VO_PART_LEFT_THIGH + side));
        vo_vec3 knee = place(s, (vo_part)(VO_PART_LEFT_SHIN + side));
        vo_vec3 ankle = place(s, (vo_part)(VO_PART_LEFT_FOOT + side));
        sum += v3_distance(hip, knee) + v3_distance(knee, ankle);
    }
    return sum / 2;
}

/* The angle about z at which the left side lies. */
static double side_angle(const stance *s) {
    vo_vec3 d = v3_sub(place(s, VO_PART_LEFT_THIGH), place(s, VO_PART_RIGHT_THIGH));
    return atan2(d.y, d.x);
}

/* The shortest turn of one direction onto another. */
static vo_quat turn_onto(vo_vec3 from, vo_vec3 to) {
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

/* Whether a bone's direction counts: upper arms, forearms, thighs and shins. */
static bool is_limb(vo_part part) {
    vo_part left = part >= VO_PART_RIGHT_CLAVICLE ? (vo_part)(part - 8) : part;
    return left == VO_PART_LEFT_UPPER_ARM || left == VO_PART_LEFT_FOREARM ||
           left == VO_PART_LEFT_THIGH || left == VO_PART_LEFT_SHIN;
}

/* The joint where a bone ends: the next part, else the first child; -1: none. */
static int bone_end(const stance *s, vo_part part) {
    int joint = s->rig.joint[part];
    if (s->rig.joint[part + 1] >= 0) return s->rig.joint[part + 1];
    for (int j = joint + 1; joint >= 0 && j < s->joint_count; j++) {
        if (s->joint[j].parent == joint) return j;
    }
    return -1;
}

/* R_align. Hands go with their forearms, and a bone without an end with the one before. */
static vo_quat align(const retarget *r, vo_part part) {
    if (part == VO_PART_LEFT_HAND || part == VO_PART_RIGHT_HAND) part = (vo_part)(part - 1);
    for (; is_limb(part); part = (vo_part)(part - 1)) {
        if (r->from.rig.joint[part] < 0 || r->to.rig.joint[part] < 0) continue;
        int from = bone_end(&r->from, part), to = bone_end(&r->to, part);
        if (from < 0 || to < 0) continue;
        vo_vec3 source = v3_sub(r->from.at[from].offset, place(&r->from, part));
        vo_vec3 target = v3_sub(r->to.at[to].offset, place(&r->to, part));
        if (!(v3_length(source) > 0 && v3_length(target) > 0)) continue;
        return turn_onto(target, q_rotate(r->facing, source));
    }
    return q_identity();
}

/* Joints of spines are matched by how far up they are. */
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

/* Who follows whom, and how rest poses differ. */
static void pair_joints(retarget *r) {
    int lacking = 0;
    for (int j = 0; j < r->to.joint_count; j++) {
        r->partner[j] = -1;
        r->aligned[j] = q_identity();
    }
    pair_spines(r);
    for (int p = 0; p < VO_PART_COUNT; p++) {
        int from = r->from.rig.joint[p], to = r->to.rig.joint[p];
        if (to >= 0 && from < 0) lacking++;
        if (to < 0 || from < 0 || p == VO_PART_SPINE) continue;
        r->partner[to] = from;
        r->aligned[to] = align(r, (vo_part)p);
    }
    vo_log_line(r->ctx, VO_LOG_INFO,
                "%s: carried over by bone names; legs of %.3g m to %.3g m, turned by %.3g degrees; "
                "%d parts have no counterpart and keep their rest pose",
                r->name, r->from.leg, r->to.leg, 2 * atan2(r->facing.z, r->facing.w) * 180 / VO_PI,
                lacking);
}

/* The source's pose at a time, in its own place. */
static void pose_source(retarget *r, double time) {
    vo_character_pose(r->source, r->clip, time, VO_CLIP_HOLD, r->pose);
}

/* The world rotations of all target joints for the source's pose at hand. */
static void turn_joints(retarget *r) {
    vo_quat root = vo_affine_rotation(r->world);
    for (int j = 0; j < r->to.joint_count; j++) {
        int parent = r->to.joint[j].parent;
        vo_quat rest = vo_affine_rotation(r->to.at[j]);
        vo_quat above = parent < 0 ? root : r->turned[parent];
        vo_quat above_rest = parent < 0 ? root : vo_affine_rotation(r->to.at[parent]);
        int s = r->partner[j];
        if (s < 0) { /* as in the rest pose, seen from the parent */
            r->turned[j] = q_mul(above, q_mul(q_conjugate(above_rest), rest));
        } else {
            vo_quat turn = q_mul(vo_affine_rotation(r->pose[s]),
                                 q_conjugate(vo_affine_rotation(r->from.at[s])));
            turn = q_mul(r->facing, q_mul(turn, q_conjugate(r->facing)));
            r->turned[j] = q_normalize(q_mul(turn, q_mul(r->aligned[j], rest)));
        }
        r->local[j] = q_normalize(q_mul(q_conjugate(above), r->turned[j]));
    }
}

/* Between the two hip joints, in some pose. */
static vo_vec3 crotch(const stance *s, const vo_affine *at) {
    return v3_lerp(at[s->rig.joint[VO_PART_LEFT_THIGH]].offset,
                   at[s->rig.joint[VO_PART_RIGHT_THIGH]].offset, 0.5);
}

/* Where the target's hips are to be. Legs are scaled, so it is the point where they begin that
 * follows the source; how far above it the root of a skeleton lies is a matter of taste. */
static vo_vec3 hips_place(const retarget *r, vo_vec3 start) {
    double ratio = r->to.leg / r->from.leg;
    vo_vec3 at = crotch(&r->from, r->pose), rest = crotch(&r->to, r->to.at);
    vo_vec3 way = q_rotate(r->facing, v3_scale(ratio, v3_sub(at, start)));
    double ankle = vo_min(place(&r->to, VO_PART_LEFT_FOOT).z, place(&r->to, VO_PART_RIGHT_FOOT).z);
    vo_vec3 goal = v3(rest.x + way.x, rest.y + way.y, ankle + ratio * (at.z - r->ankle));
    int hips = r->to.rig.joint[VO_PART_HIPS];
    vo_quat turn = q_mul(r->turned[hips], q_conjugate(vo_affine_rotation(r->to.at[hips])));
    return v3_add(goal, q_rotate(turn, v3_sub(place(&r->to, VO_PART_HIPS), rest)));
}

/* The union of all key times: those of the track with the most turns, which motion capture gives
 * to all of its joints alike. */
static const vo_joint_track *longest_track(const vo_joint_clip *clip) {
    const vo_joint_track *best = &clip->track[0];
    for (int i = 1; i < clip->track_count; i++) {
        if (clip->track[i].turn_count > best->turn_count) best = &clip->track[i];
    }
    return best;
}

/* Room for a track of every joint that follows another, and of the hips' way. */
static bool make_tracks(const retarget *r, vo_arena *memory, int keys, vo_joint_clip *out) {
    int count = 0;
    for (int j = 0; j < r->to.joint_count; j++) count += r->partner[j] >= 0;
    out->track = vo_arena_array(memory, vo_joint_track, count);
    if (out->track == NULL) return false;
    for (int j = 0; j < r->to.joint_count; j++) {
        if (r->partner[j] < 0) continue;
        vo_joint_track track = {.joint = j, .turn_count = keys};
        track.turn = vo_arena_array(memory, vo_turn_key, keys);
        if (track.turn == NULL) return false;
        if (j == r->to.rig.joint[VO_PART_HIPS]) {
            track.move_count = keys;
            track.move = vo_arena_array(memory, vo_vector_key, keys);
            if (track.move == NULL) return false;
        }
        out->track[out->track_count++] = track;
    }
    return true;
}

/* The lowest ankle of the whole clip. Many recordings begin with a T-pose at any height, so the
 * first key counts only where there are few. */
static void find_ankle(retarget *r, const vo_joint_track *times) {
    r->ankle = INFINITY;
    for (int k = times->turn_count > 10; k < times->turn_count; k++) {
        pose_source(r, times->turn[k].time);
        double left = r->pose[r->from.rig.joint[VO_PART_LEFT_FOOT]].offset.z;
        double right = r->pose[r->from.rig.joint[VO_PART_RIGHT_FOOT]].offset.z;
        r->ankle = vo_min(r->ankle, vo_min(left, right));
    }
}

/* One key of every track. What is above the hips stands still. */
static void write_key(const retarget *r, int k, double time, vo_vec3 hips, vo_joint_clip *out) {
    for (int i = 0; i < out->track_count; i++) {
        vo_joint_track *track = &out->track[i];
        track->turn[k] = (vo_turn_key){time, r->local[track->joint]};
        if (track->move_count > 0) track->move[k] = (vo_vector_key){time, hips};
    }
}

static vo_result write_keys(retarget *r, const vo_joint_track *times, vo_joint_clip *out) {
    int parent = r->to.joint[r->to.rig.joint[VO_PART_HIPS]].parent;
    vo_affine back;
    if (!vo_affine_inverse(parent < 0 ? r->world : r->to.at[parent], &back)) {
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: the target's hips hang on a scale of zero",
                       r->name);
    }
    pose_source(r, 0);
    vo_vec3 start = crotch(&r->from, r->pose);
    for (int k = 0; k < times->turn_count; k++) {
        pose_source(r, times->turn[k].time);
        turn_joints(r);
        write_key(r, k, times->turn[k].time, vo_affine_point(back, hips_place(r, start)), out);
    }
    return VO_OK;
}

static bool make_scratch(retarget *r, vo_arena *arena) {
    int from = r->from.joint_count, to = r->to.joint_count;
    r->from.at = vo_arena_array(arena, vo_affine, from + 1);
    r->to.at = vo_arena_array(arena, vo_affine, to + 1);
    r->pose = vo_arena_array(arena, vo_affine, from + 1);
    r->partner = vo_arena_array(arena, int, to + 1);
    r->turned = vo_arena_array(arena, vo_quat, to + 1);
    r->local = vo_arena_array(arena, vo_quat, to + 1);
    r->aligned = vo_arena_array(arena, vo_quat, to + 1);
    return r->from.at && r->to.at && r->pose && r->partner && r->turned && r->local && r->aligned;
}

/* Rest poses, legs, facing. */
static vo_result compare(retarget *r) {
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
    VO_TRY(compare(r));
    pair_joints(r);
    const vo_joint_track *times = longest_track(r->clip);
    if (times->turn_count == 0) {
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: clip '%.60s' turns no bone", r->name,
                       r->clip->name);
    }
    size_t letters = strlen(r->clip->name) + 1;
    out->name = vo_arena_array(memory, char, letters);
    if (out->name == NULL || !make_tracks(r, memory, times->turn_count, out)) {
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
