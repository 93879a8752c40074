/* Clips at a time, joints in the world, cameras. */
#include "scene/import.h"

#include <string.h>

int vo_character_find_clip(const vo_character *character, const char *name) {
    for (int i = 0; i < character->clip_count; i++) {
        if (strcmp(character->clip[i].name, name) == 0) return i;
    }
    return -1;
}

/* The time within the clip. */
static double clip_time(const vo_joint_clip *clip, double time, vo_clip_end end) {
    if (!isfinite(time) || !(clip->duration > 0)) return 0;
    if (end == VO_CLIP_HOLD) return vo_clamp(time, 0, clip->duration);
    double t = fmod(time, clip->duration);
    return t < 0 ? t + clip->duration : t;
}

/* Where `time` is among keys of `stride` bytes that start with their time: the key before, and in
 * *part how far it is to the next one. At the ends the part is 0. */
static int find_key(const void *keys, int count, size_t stride, double time, double *part) {
    const char *bytes = keys;
    int low = 0, high = count - 1;
    *part = 0;
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
    if (time > from && to > from) *part = (time - from) / (to - from);
    return low;
}

static vo_vec3 vector_at(const vo_vector_key *key, int count, double time) {
    double part;
    int k = find_key(key, count, sizeof *key, time, &part);
    return part > 0 ? v3_lerp(key[k].value, key[k + 1].value, part) : key[k].value;
}

/* From a to b at constant speed, the shorter way round. */
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

static vo_quat turn_at(const vo_turn_key *key, int count, double time) {
    double part;
    int k = find_key(key, count, sizeof *key, time, &part);
    return part > 0 ? slerp(key[k].value, key[k + 1].value, part) : key[k].value;
}

/* The time of the last key before, of keys that are held until the next one. */
static double step_back(const void *keys, int count, size_t stride, double time) {
    double part;
    int k = find_key(keys, count, stride, time, &part);
    return part > 0 ? *(const double *)((const char *)keys + stride * (size_t)k) : time;
}

/* The joint's transform relative to its parent; `step`: as the file says, else all keys are joined.
 */
static vo_affine track_local(const vo_joint_track *track, const vo_joint *joint, double time,
                             bool step) {
    vo_parts parts = joint->rest_parts;
    double move = time, turn = time;
    if (step && track->move_steps && track->move_count > 0)
        move = step_back(track->move, track->move_count, sizeof *track->move, time);
    if (step && track->turn_steps && track->turn_count > 0)
        turn = step_back(track->turn, track->turn_count, sizeof *track->turn, time);
    if (track->move_count > 0) parts.translation = vector_at(track->move, track->move_count, move);
    if (track->turn_count > 0) parts.rotation = turn_at(track->turn, track->turn_count, turn);
    if (track->size_count > 0) parts.scale = vector_at(track->size, track->size_count, time);
    return vo_affine_from_parts(parts);
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

void vo_character_locals(const vo_character *character, const vo_joint_clip *clip, double time,
                         vo_clip_end end, vo_affine *joint) {
    find_locals(character, clip, time, end, false, joint);
}

void vo_character_join(const vo_character *character, vo_affine *joint) {
    for (int j = 0; j < character->joint_count; j++) {
        int parent = character->joint[j].parent;
        joint[j] = vo_affine_mul(parent < 0 ? character->world : joint[parent], joint[j]);
    }
}

void vo_character_pose(const vo_character *character, const vo_joint_clip *clip, double time,
                       vo_clip_end end, vo_affine *joint) {
    vo_character_locals(character, clip, time, end, joint);
    vo_character_join(character, joint);
}

void vo_character_pose_stepping(const vo_character *character, const vo_joint_clip *clip,
                                double time, vo_clip_end end, vo_affine *joint) {
    find_locals(character, clip, time, end, true, joint);
    vo_character_join(character, joint);
}

vo_camera_view vo_character_camera(const vo_character *character, int camera,
                                   const vo_affine *joint) {
    const vo_import_camera *c = &character->camera[camera];
    vo_affine frame = vo_affine_mul(joint[c->joint], c->local), back;
    return (vo_camera_view){.position = frame.offset,
                            .rotation = vo_affine_rotation(frame),
                            .field_of_view = c->field_of_view,
                            .aspect = c->aspect,
                            .flat = !vo_affine_inverse(frame, &back)};
}
