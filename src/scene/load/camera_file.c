/* Cameras from FBX, glTF and Collada files: the clip is sampled once per frame, shot by shot. */
#include "character/import/import.h"
#include "core/memory.h"
#include "core/plural.h"
#include "scene/camera_cuts.h"
#include "scene/load/load.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KEYS = 100000 };

typedef struct camera_import {
    vo_loader *loader;
    const vo_json_cursor *at; /* the camera in the scene file */
    vo_character character;
    int camera;
    const vo_joint_clip *clip; /* NULL: static */
    vo_affine *joint;          /* [joint_count] */
    double fov_y;              /* degrees; 0: that of the file */
    double frame;              /* s, sampling interval */
    bool is_degenerate;        /* the last sample has no view direction (vo_camera_view) */
    vo_camera_cuts cuts;
} camera_import;

/* Writes the names of the cameras or clips: "'a', 'b'". */
static void list_names(const vo_character *c, bool clips, char *out, size_t size) {
    int count = clips ? c->clip_count : c->camera_count;
    out[0] = 0;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(out);
        snprintf(out + length, size - length, "%s'%.60s'", i ? ", " : "",
                 clips ? c->clip[i].name : c->camera[i].name);
    }
}

static vo_result fail_name(const camera_import *f, const char *key, bool clips) {
    char names[300];
    list_names(&f->character, clips, names, sizeof names);
    vo_json_cursor named = vo_json_get(f->at, key);
    return vo_json_fail(named, "the file has no %s '%.80s', it has %s%s", clips ? "clip" : "camera",
                        vo_get_string(f->at, key), names[0] ? names : "none",
                        clips ? "" : "; the name is that of the camera's node");
}

static vo_result choose_camera(camera_import *f) {
    const char *name = vo_get_string(f->at, "file_camera");
    if (f->character.camera_count == 0)
        return vo_json_fail(vo_json_get(f->at, "file"), "the file contains no camera");
    for (f->camera = 0; name && f->camera < f->character.camera_count; f->camera++)
        if (strcmp(f->character.camera[f->camera].name, name) == 0) return VO_OK;
    return name ? fail_name(f, "file_camera", false) : VO_OK;
}

static vo_result choose_clip(camera_import *f) {
    const char *name = vo_get_string(f->at, "clip");
    int clip = name ? vo_character_find_clip(&f->character, name) : 0;
    if (clip < 0) return fail_name(f, "clip", true);
    f->clip = clip < f->character.clip_count ? &f->character.clip[clip] : NULL;
    return VO_OK;
}

static double clip_end(const camera_import *f) { return f->clip ? f->clip->duration : 0; }

/* ---- cuts ----------------------------------------------------------------------------------- */

/* Reads the times of `cuts` in s, which must be ascending and within the clip. */
static vo_result read_cuts(const camera_import *f, vo_json_cursor list, double frame,
                           double *time) {
    double last = 0;
    for (int i = 0; i < vo_json_length(list); i++) {
        int number = 0;
        vo_json_cursor at = vo_json_item(&list, i);
        (void)vo_json_read_int(at, &number);
        time[i] = number * frame;
        if (!(time[i] > last && time[i] <= clip_end(f)))
            return vo_json_fail(at,
                                "frame %d must be later than the previous cut and within the clip, "
                                "frames 0 to %.4g",
                                number, clip_end(f) / frame);
        last = time[i];
    }
    return VO_OK;
}

static vo_result load_cuts(camera_import *f, vo_json_cursor list) {
    vo_context *ctx = f->loader->ctx;
    double frame = f->loader->scene->def.frame_time;
    int count = vo_json_length(list);
    if (vo_has(f->at, "fps")) frame = 1 / vo_get_real(f->at, "fps");
    double *time = vo_new_array(ctx, double, count + 1);
    if (!time) return vo_fail_memory(ctx, "the cuts of a camera");
    vo_result result = read_cuts(f, list, frame, time);
    if (result == VO_OK)
        result = vo_camera_cuts_create(&f->character, f->camera, f->clip, count, time, &f->cuts);
    vo_free_array(ctx, time, count + 1);
    return result;
}

static void log_cuts(const camera_import *f) {
    char path[200];
    if (f->cuts.count == 0) return;
    vo_json_path(*f->at, path, sizeof path);
    vo_log_line(f->loader->ctx, VO_LOG_INFO,
                "%s: %s: %d cut%s detected in the file, the first at %.4g s of its clip; to change "
                "this, set cuts to the frames at which shots begin",
                f->at->file, path, f->cuts.count, vo_plural(f->cuts.count), f->cuts.cut[0].time);
}

static vo_result find_cuts(camera_import *f) {
    vo_json_cursor list = vo_json_get(f->at, "cuts");
    if (vo_json_is_present(list)) return load_cuts(f, list);
    VO_TRY(vo_camera_cuts_find(&f->character, f->camera, f->clip, f->joint, &f->cuts));
    log_cuts(f);
    return VO_OK;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Samples the camera at a time of its clip, in the units and axes of the scene file. */
static vo_camera_key sample(camera_import *f, double time) {
    vo_character_pose_stepped(&f->character, f->clip, time, VO_CLIP_HOLD, f->joint);
    vo_camera_view view = vo_character_camera(&f->character, f->camera, f->joint);
    f->is_degenerate = view.is_degenerate;
    vo_transform back = xf_inverse(f->loader->frame);
    vo_quat q = q_mul(back.rotation, view.rotation);
    return (vo_camera_key){.time = time,
                           .position = xf_point(back, view.position),
                           .rotation = {q.w, q.x, q.y, q.z},
                           .fov_y = f->fov_y > 0 ? f->fov_y : view.fov_y * 180 / VO_PI};
}

/* Sampling interval in s: a frame, longer if the clip has more than MAX_KEYS frames. */
static double find_frame(const camera_import *f) {
    double frame = f->loader->scene->def.frame_time, longest = clip_end(f) / (MAX_KEYS - 1);
    if (longest > frame) {
        vo_json_cursor named = vo_json_get(f->at, "file");
        char path[200];
        vo_json_path(named, path, sizeof path);
        vo_log_line(f->loader->ctx, VO_LOG_WARNING,
                    "%s%s: %s: the clip lasts %.6g s, more than %d frames, and is sampled every "
                    "%.3g s; export only the part that is used",
                    f->at->file, vo_json_origin(named), path, clip_end(f), MAX_KEYS - 1, longest);
    }
    return vo_max(frame, longest);
}

static double tolerance(const camera_import *f) { return 1e-3 * f->frame; }

/* Snaps a time to a frame's if they are nearly equal, because files store times as floats. */
static double snap(const camera_import *f, double time) {
    double nearest = round(time / f->frame) * f->frame;
    return fabs(time - nearest) < tolerance(f) ? nearest : time;
}

static vo_result add_key(const camera_import *f, const vo_camera_key *key, vo_camera_keys *out) {
    if (!vo_camera_keys_add(out, key))
        return vo_fail_memory(f->loader->ctx, "the path of a camera");
    const char *defect =
        f->is_degenerate ? "the scale of its node is 0, so its direction is undefined; export it "
                           "without that scale"
                         : vo_camera_key_defect(out->key, out->count - 1);
    if (!defect) return VO_OK;
    return vo_json_fail(vo_json_get(f->at, "file"), "at %g s: %s", key->time, defect);
}

/* Adds the first key of a shot; shot 0 begins with the clip. */
static vo_result begin_shot(camera_import *f, int shot, vo_camera_keys *out) {
    const vo_camera_cut *cut = shot > 0 ? &f->cuts.cut[shot - 1] : NULL;
    vo_camera_key key = sample(f, cut ? cut->to : 0);
    if (cut) key.time = snap(f, cut->time);
    key.cut = cut != NULL;
    return add_key(f, &key, out);
}

/* Adds the last key of a shot, just before a stepped cut. */
static vo_result end_shot(camera_import *f, int shot, vo_camera_keys *out) {
    const vo_camera_cut *cut = shot < f->cuts.count ? &f->cuts.cut[shot] : NULL;
    double end = cut ? cut->from : clip_end(f);
    vo_camera_key key = sample(f, cut && cut->held ? nextafter(end, -INFINITY) : end);
    key.time = cut ? vo_min(snap(f, end), snap(f, cut->time)) : end;
    return key.time > out->key[out->count - 1].time + tolerance(f) ? add_key(f, &key, out) : VO_OK;
}

/* Adds the keys of a shot: the first, one per frame in between, the last. */
static vo_result add_shot_keys(camera_import *f, int shot, vo_camera_keys *out) {
    VO_TRY(begin_shot(f, shot, out));
    double begin = out->key[out->count - 1].time + tolerance(f);
    const vo_camera_cut *cut = shot < f->cuts.count ? &f->cuts.cut[shot] : NULL;
    double end = (cut ? vo_min(cut->from, cut->time) : clip_end(f)) - tolerance(f);
    for (int i = (int)ceil(begin / f->frame); i * f->frame < end; i++) {
        vo_camera_key key = sample(f, i * f->frame);
        VO_TRY(add_key(f, &key, out));
    }
    return end_shot(f, shot, out);
}

static vo_result add_samples(camera_import *f, vo_camera_keys *out) {
    f->frame = find_frame(f);
    for (int shot = 0; shot <= f->cuts.count; shot++) VO_TRY(add_shot_keys(f, shot, out));
    return VO_OK;
}

/* ---- resolved document ---------------------------------------------------------------------- */

static vo_result put_key(const vo_json_cursor *list, const vo_camera_key *key) {
    vo_json_cursor at;
    VO_TRY(vo_json_put_object(list, NULL, &at));
    VO_TRY(vo_json_put_real(&at, "time", key->time));
    VO_TRY(vo_json_put_bool(&at, "cut", key->cut));
    VO_TRY(vo_json_put_reals(&at, "position",
                             (double[]){key->position.x, key->position.y, key->position.z}, 3));
    VO_TRY(vo_json_put_reals(&at, "rotation", key->rotation, 4));
    return vo_json_put_real(&at, "fov_y", key->fov_y);
}

static vo_result put_keys(const camera_import *f, const vo_camera_keys *keys) {
    const vo_json_cursor *at = f->at;
    double aspect = f->character.camera[f->camera].aspect;
    vo_json_cursor list;
    VO_TRY(vo_json_put_array(at, "keys", &list));
    for (int k = 0; k < keys->count; k++) VO_TRY(put_key(&list, &keys->key[k]));
    if (!vo_has(at, "ease")) VO_TRY(vo_json_put_bool(at, "ease", false));
    if (aspect > 0 && !vo_has(at, "aspect") && !vo_has(at, "resolution")) {
        VO_TRY(vo_camera_aspect_check(vo_json_get(at, "file"), "its camera's aspect ", aspect));
        VO_TRY(vo_json_put_real(at, "aspect", aspect));
    }
    static const char *const replaced[] = {"file", "file_camera", "clip", "cuts"};
    for (int i = 0; i < 4; i++) vo_json_remove(at, replaced[i]);
    return VO_OK;
}

static vo_result sample_clip(camera_import *f, vo_camera_keys *out) {
    vo_context *ctx = f->loader->ctx;
    VO_TRY(choose_camera(f));
    VO_TRY(choose_clip(f));
    f->joint = vo_new_array(ctx, vo_affine, f->character.joint_count);
    if (!f->joint) return vo_fail_memory(ctx, "the path of a camera");
    VO_TRY(find_cuts(f));
    VO_TRY(add_samples(f, out));
    return put_keys(f, out);
}

vo_result vo_load_camera_file(vo_loader *loader, const vo_json_cursor *at, double fov_y,
                              vo_camera_keys *out) {
    camera_import f = {.loader = loader, .at = at, .fov_y = fov_y, .cuts = {.ctx = loader->ctx}};
    char path[VO_PATH_SIZE];
    vo_json_cursor named = vo_json_get(at, "file");
    VO_TRY(vo_loader_find(loader, named, vo_get_string(at, "file"), NULL, path));
    VO_TRY(vo_at_fault(named, vo_import_character(loader->ctx, path, NULL, &f.character)));
    int joints = f.character.joint_count;
    vo_result result = sample_clip(&f, out);
    vo_free_array(loader->ctx, f.joint, joints);
    vo_camera_cuts_free(&f.cuts);
    vo_character_free(&f.character);
    return result;
}
