/* Evaluation of clips, joints and cameras at a time. */
#include "character/import/import.h"

#include <string.h>

int vo_character_find_clip(const vo_character *character, const char *name) {
    for (int i = 0; i < character->clip_count; i++) {
        if (strcmp(character->clip[i].name, name) == 0) return i;
    }
    return -1;
}

/* Maps a time to the range of the clip. */
static double clip_time(const vo_joint_clip *clip, double time, vo_clip_end end) {
    if (!isfinite(time) || !(clip->duration > 0)) return 0;
    if (end == VO_CLIP_HOLD) return vo_clamp(time, 0, clip->duration);
    double t = fmod(time, clip->duration);
    return t < 0 ? t + clip->duration : t;
}

/* Finds `time` among keys of `stride` bytes that begin with their time: returns the previous key;
 * *part receives the fraction of the interval to the next one, 0 at the ends. */
static int find_key(const void *keys, int count, size_t stride, double time, double *fraction) {
    const char *bytes = keys;
    int low = 0, high = count - 1;
    *fraction = 0;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        double at = *(const double *)(bytes + stride * (size_t)middle);
        if (at <= time) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    if (low + 1 == count) return low;
    double from = *(const double *)(bytes + stride * (size_t)low);
    double to = *(const double *)(bytes + stride * (size_t)(low + 1));
    if (time > from && to > from) *fraction = (time - from) / (to - from);
    return low;
}

static vo_vec3 vector_at(const vo_vector_key *key, int count, double time) {
    double fraction;
    int k = find_key(key, count, sizeof *key, time, &fraction);
    return fraction > 0 ? v3_lerp(key[k].value, key[k + 1].value, fraction) : key[k].value;
}

/* Spherical linear interpolation along the shorter arc. */
static vo_quat slerp(vo_quat a, vo_quat b, double t) {
    double c = q_dot(a, b);
    if (c < 0) {
        b = q_scale(-1, b);
        c = -c;
    }
    if (c > 0.9995) return q_normalize(q_add(q_scale(1 - t, a), q_scale(t, b)));
    double angle = acos(c), s = 1 / sin(angle);
    return q_normalize(q_add(q_scale(s * sin((1 - t) * angle), a), q_scale(s * sin(t * angle), b)));
}

static vo_quat turn_at(const vo_rotation_key *key, int count, double time) {
    double fraction;
    int k = find_key(key, count, sizeof *key, time, &fraction);
    return fraction > 0 ? slerp(key[k].value, key[k + 1].value, fraction) : key[k].value;
}

/* Returns the time of the last key at or before `time`, for step interpolation. */
static double last_key_time(const void *keys, int count, size_t stride, double time) {
    double fraction;
    int k = find_key(keys, count, stride, time, &fraction);
    return fraction > 0 ? *(const double *)((const char *)keys + stride * (size_t)k) : time;
}

/* Returns the transform of a joint relative to its parent. `step`: use step interpolation where the
 * file specifies it, otherwise interpolate all keys. */
static vo_affine track_local(const vo_joint_track *track, const vo_joint *joint, double time,
                             bool step) {
    vo_trs parts = joint->rest_trs;
    double move = time, turn = time;
    if (step && track->translation_is_stepped && track->translation_count > 0)
        move = last_key_time(track->translation, track->translation_count,
                             sizeof *track->translation, time);
    if (step && track->rotation_is_stepped && track->rotation_count > 0)
        turn = last_key_time(track->rotation, track->rotation_count, sizeof *track->rotation, time);
    if (track->translation_count > 0)
        parts.translation = vector_at(track->translation, track->translation_count, move);
    if (track->rotation_count > 0)
        parts.rotation = turn_at(track->rotation, track->rotation_count, turn);
    if (track->scale_count > 0) parts.scale = vector_at(track->scale, track->scale_count, time);
    return vo_affine_from_trs(parts);
}

static void find_locals(const vo_character *character, const vo_joint_clip *clip, double time,
                        vo_clip_end end, bool step, vo_affine *joint) {
    for (int j = 0; j < character->joint_count; j++) joint[j] = character->joint[j].rest;
    double t = clip != NULL ? clip_time(clip, time, end) : 0;
    for (int i = 0; clip != NULL && i < clip->track_count; i++) {
        int j = clip->track[i].joint;
        joint[j] = track_local(&clip->track[i], &character->joint[j], t, step);
    }
}

void vo_character_local_pose(const vo_character *character, const vo_joint_clip *clip, double time,
                             vo_clip_end end, vo_affine *joint) {
    find_locals(character, clip, time, end, false, joint);
}

void vo_character_world_pose(const vo_character *character, vo_affine *joint) {
    for (int j = 0; j < character->joint_count; j++) {
        int parent = character->joint[j].parent;
        joint[j] = vo_affine_mul(parent < 0 ? character->world : joint[parent], joint[j]);
    }
}

void vo_character_pose(const vo_character *character, const vo_joint_clip *clip, double time,
                       vo_clip_end end, vo_affine *joint) {
    vo_character_local_pose(character, clip, time, end, joint);
    vo_character_world_pose(character, joint);
}

void vo_character_pose_stepped(const vo_character *character, const vo_joint_clip *clip,
                               double time, vo_clip_end end, vo_affine *joint) {
    find_locals(character, clip, time, end, true, joint);
    vo_character_world_pose(character, joint);
}

vo_camera_view vo_character_camera(const vo_character *character, int camera,
                                   const vo_affine *joint) {
    const vo_import_camera *c = &character->camera[camera];
    vo_affine frame = vo_affine_mul(joint[c->joint], c->local), back;
    return (vo_camera_view){.position = frame.offset,
                            .rotation = vo_affine_rotation(frame),
                            .fov_y = c->fov_y,
                            .aspect = c->aspect,
                            .is_degenerate = !vo_affine_inverse(frame, &back)};
}
