/* Keys of animation clips: finite, ascending, in seconds from the first key of the clip. */
#include "character/import/build.h"

#include <string.h>

typedef struct clip_reader {
    vo_character *character;
    const char *path;
    const vo_raw_clip *raw;
    double rate;        /* ticks per second */
    double first, last; /* ticks, range of all keys */
} clip_reader;

static vo_result bad_key(const clip_reader *r, const vo_raw_track *track, const char *what) {
    return vo_fail(r->character->ctx, VO_BAD_DATA,
                   "%s: clip '%.60s', bone '%.60s': %s; export the motion again", r->path,
                   r->raw->name, r->character->joint[track->node].name, what);
}

/* Extends first and last by the keys of one kind. Single keys are ignored: Assimp creates them, at
 * 0, for components that are not animated. */
static vo_result measure_keys(clip_reader *r, const vo_raw_track *track, int kind) {
    for (int64_t i = 0; i < track->count[kind]; i++) {
        double time = track->time[kind][i];
        if (!isfinite(time)) return bad_key(r, track, "the time of a key is not finite");
        if (i > 0 && time < track->time[kind][i - 1]) {
            return bad_key(r, track, "key times are not ascending");
        }
        if (track->count[kind] > 1) r->first = vo_min(r->first, time);
        if (track->count[kind] > 1) r->last = vo_max(r->last, time);
    }
    return VO_OK;
}

static double key_time(const clip_reader *r, const vo_raw_track *track, int kind, int64_t i) {
    return (track->time[kind][i] - r->first) / r->rate;
}

static vo_result read_vectors(clip_reader *r, const vo_raw_track *track, int kind,
                              vo_vector_key **out, int *count) {
    vo_vector_key *key = NULL;
    VO_TRY(vo_import_array(r->character, track->count[kind], sizeof *key, &key));
    for (int64_t i = 0; i < track->count[kind]; i++) {
        const float *v = track->value[kind] + 3 * i;
        key[i].time = key_time(r, track, kind, i);
        key[i].value = v3((double)v[0], (double)v[1], (double)v[2]);
        if (!v3_is_finite(key[i].value)) return bad_key(r, track, "a key is not finite");
    }
    *out = key;
    *count = (int)track->count[kind];
    return VO_OK;
}

static vo_result read_rotations(clip_reader *r, const vo_raw_track *track, vo_joint_track *out) {
    vo_rotation_key *key = NULL;
    VO_TRY(vo_import_array(r->character, track->count[1], sizeof *key, &key));
    for (int64_t i = 0; i < track->count[1]; i++) {
        const float *v = track->value[1] + 4 * i;
        vo_quat q = {(double)v[0], (double)v[1], (double)v[2], (double)v[3]};
        double size = q_dot(q, q);
        if (!isfinite(size) || !(size > 1e-12))
            return bad_key(r, track, "a rotation key is zero or not finite");
        key[i].time = key_time(r, track, 1, i);
        key[i].value = q_normalize(q);
    }
    out->rotation = key;
    out->rotation_count = (int)track->count[1];
    return VO_OK;
}

/* Returns true if an earlier track moves the same joint. */
static bool is_repeated(const vo_joint_clip *clip, int64_t node) {
    for (int i = 0; i < clip->track_count; i++) {
        if (clip->track[i].joint == node) return true;
    }
    return false;
}

static vo_result read_track(clip_reader *r, const vo_raw_track *raw, vo_joint_clip *clip) {
    vo_joint_track track = {.joint = (int)raw->node,
                            .translation_is_stepped = raw->is_stepped[0],
                            .rotation_is_stepped = raw->is_stepped[1]};
    VO_TRY(read_vectors(r, raw, 0, &track.translation, &track.translation_count));
    VO_TRY(read_rotations(r, raw, &track));
    VO_TRY(read_vectors(r, raw, 2, &track.scale, &track.scale_count));
    clip->track[clip->track_count++] = track;
    return VO_OK;
}

/* Reads a clip; 24 ticks per second are assumed if the file does not specify the rate. */
static vo_result read_clip(clip_reader *r, vo_joint_clip *clip, vo_import_counts *counts) {
    r->rate = r->raw->ticks_per_second > 0 ? r->raw->ticks_per_second : 24;
    r->first = INFINITY;
    r->last = -INFINITY;
    for (int64_t i = 0; i < r->raw->track_count; i++) {
        if (r->raw->track[i].node < 0) continue;
        for (int k = 0; k < 3; k++) VO_TRY(measure_keys(r, &r->raw->track[i], k));
    }
    if (r->first > r->last) r->first = r->last = 0;
    clip->duration = (r->last - r->first) / r->rate;
    if (!isfinite(clip->duration)) {
        return vo_fail(r->character->ctx, VO_BAD_DATA, "%s: clip '%.60s': has no finite duration",
                       r->path, r->raw->name);
    }
    VO_TRY(vo_import_text(r->character, r->raw->name, &clip->name));
    VO_TRY(vo_import_array(r->character, r->raw->track_count, sizeof *clip->track, &clip->track));
    for (int64_t i = 0; i < r->raw->track_count; i++) {
        const vo_raw_track *track = &r->raw->track[i];
        if (track->node < 0 || is_repeated(clip, track->node)) {
            counts->lost_tracks++;
        } else {
            VO_TRY(read_track(r, track, clip));
        }
    }
    return VO_OK;
}

vo_result vo_import_clips(const vo_raw_file *file, const char *path, vo_character *out,
                          vo_import_counts *counts) {
    VO_TRY(vo_import_array(out, file->clip_count, sizeof *out->clip, &out->clip));
    for (int64_t i = 0; i < file->clip_count; i++) {
        clip_reader r = {.character = out, .path = path, .raw = &file->clip[i]};
        VO_TRY(read_clip(&r, &out->clip[out->clip_count], counts));
        if (out->clip[out->clip_count].track_count > 0) out->clip_count++;
    }
    return VO_OK;
}
