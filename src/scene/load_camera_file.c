/* A camera from another program's file: sampled once a frame over its clip. */
#include "core/memory.h"
#include "scene/import.h"
#include "scene/load.h"

#include <stdio.h>
#include <string.h>

enum { MOST_KEYS = 100000 };

typedef struct film {
    vo_loader *loader;
    const vo_json_at *at; /* the camera in the scene file */
    vo_character character;
    int camera;
    const vo_joint_clip *clip; /* NULL: it stands still */
    vo_affine *joint;          /* [joint_count] */
    double field;              /* degrees; 0: as the file says */
} film;

/* "'a', 'b'" of what there is. */
static void list_names(const vo_character *c, bool clips, char *out, size_t size) {
    int count = clips ? c->clip_count : c->camera_count;
    out[0] = 0;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(out);
        snprintf(out + length, size - length, "%s'%.60s'", i ? ", " : "",
                 clips ? c->clip[i].name : c->camera[i].name);
    }
}

static vo_result fail_name(const film *f, const char *key, bool clips) {
    char names[300];
    list_names(&f->character, clips, names, sizeof names);
    vo_json_at named = vo_json_get(f->at, key);
    return vo_json_fail(named, "there is no %s '%.80s' in the file, which has %s",
                        clips ? "clip" : "camera", vo_get_string(f->at, key),
                        names[0] ? names : "none");
}

static vo_result choose_camera(film *f) {
    const char *name = vo_get_string(f->at, "file_camera");
    if (f->character.camera_count == 0)
        return vo_json_fail(vo_json_get(f->at, "file"), "there is no camera in the file");
    for (f->camera = 0; name && f->camera < f->character.camera_count; f->camera++)
        if (strcmp(f->character.camera[f->camera].name, name) == 0) return VO_OK;
    return name ? fail_name(f, "file_camera", false) : VO_OK;
}

static vo_result choose_clip(film *f) {
    const char *name = vo_get_string(f->at, "clip");
    int clip = name ? vo_character_find_clip(&f->character, name) : 0;
    if (clip < 0) return fail_name(f, "clip", true);
    f->clip = clip < f->character.clip_count ? &f->character.clip[clip] : NULL;
    return VO_OK;
}

/* The camera at a time of its clip, in the scene file's units and axes. */
static vo_camera_key sample(film *f, double time) {
    vo_character_pose(&f->character, f->clip, time, VO_CLIP_HOLD, f->joint);
    vo_camera_view view = vo_character_camera(&f->character, f->camera, f->joint);
    vo_transform back = xf_inverse(f->loader->frame);
    vo_quat q = q_mul(back.rotation, view.rotation);
    return (vo_camera_key){.time = time,
                           .position = xf_point(back, view.position),
                           .rotation = {q.w, q.x, q.y, q.z},
                           .field = f->field > 0 ? f->field : view.field_of_view * 180 / VO_PI};
}

/* So many spans of a frame, or longer ones, that the end of the clip is a sample. */
static int span_count(const film *f) {
    double frames = f->clip ? f->clip->duration / f->loader->scene->def.frame_time : 0;
    return (int)vo_clamp(ceil(frames - 1e-6), f->clip ? 1 : 0, MOST_KEYS - 1);
}

static vo_result take_samples(film *f, vo_camera_keys *out) {
    int spans = span_count(f);
    double frame = f->loader->scene->def.frame_time, end = f->clip ? f->clip->duration : 0;
    if (spans * frame < end * (1 - 1e-6)) frame = end / spans; /* a clip of very many frames */
    if (!(end > 1e-9)) spans = 0;
    for (int i = 0; i <= spans; i++) {
        vo_camera_key key = sample(f, i < spans ? i * frame : end);
        if (!vo_camera_keys_add(out, &key))
            return vo_fail_memory(f->loader->ctx, "the path of a camera");
        const char *defect = vo_camera_key_defect(out->key, i);
        if (defect)
            return vo_json_fail(vo_json_get(f->at, "file"), "at %g s: %s", key.time, defect);
    }
    return VO_OK;
}

static vo_result put_key(const vo_json_at *list, const vo_camera_key *key) {
    vo_json_at at;
    VO_TRY(vo_json_put_object(list, NULL, &at));
    VO_TRY(vo_json_put_real(&at, "time", key->time));
    VO_TRY(vo_json_put_bool(&at, "cut", false));
    VO_TRY(vo_json_put_reals(&at, "position",
                             (double[]){key->position.x, key->position.y, key->position.z}, 3));
    VO_TRY(vo_json_put_reals(&at, "rotation", key->rotation, 4));
    return vo_json_put_real(&at, "field", key->field);
}

/* What the document says from now on. */
static vo_result put_keys(const film *f, const vo_camera_keys *keys) {
    const vo_json_at *at = f->at;
    double aspect = f->character.camera[f->camera].aspect;
    vo_json_at list;
    VO_TRY(vo_json_put_array(at, "keys", &list));
    for (int k = 0; k < keys->count; k++) VO_TRY(put_key(&list, &keys->key[k]));
    if (!vo_has(at, "ease")) VO_TRY(vo_json_put_bool(at, "ease", false));
    if (aspect > 0 && !vo_has(at, "aspect") && !vo_has(at, "resolution"))
        VO_TRY(vo_json_put_real(at, "aspect", aspect));
    static const char *const gone[] = {"file", "file_camera", "clip"};
    for (int i = 0; i < 3; i++) vo_json_remove(at, gone[i]);
    return VO_OK;
}

static vo_result take_film(film *f, vo_camera_keys *out) {
    vo_context *ctx = f->loader->ctx;
    VO_TRY(choose_camera(f));
    VO_TRY(choose_clip(f));
    f->joint = vo_new_array(ctx, vo_affine, f->character.joint_count);
    if (!f->joint) return vo_fail_memory(ctx, "the path of a camera");
    VO_TRY(take_samples(f, out));
    return put_keys(f, out);
}

vo_result vo_load_camera_file(vo_loader *loader, const vo_json_at *at, double field,
                              vo_camera_keys *out) {
    film f = {.loader = loader, .at = at, .field = field};
    char path[VO_PATH_SIZE];
    vo_json_at named = vo_json_get(at, "file");
    VO_TRY(vo_loader_find(loader, named, vo_get_string(at, "file"), NULL, path));
    VO_TRY(vo_at_fault(named, vo_import_character(loader->ctx, path, NULL, &f.character)));
    int joints = f.character.joint_count;
    vo_result result = take_film(&f, out);
    vo_free_array(loader->ctx, f.joint, joints);
    vo_character_free(&f.character);
    return result;
}
