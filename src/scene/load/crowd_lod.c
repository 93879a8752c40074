/* Level of detail of a crowd: the number of faces of each body, chosen by the smallest distance
 * between the body and an active camera in any frame of the run.
 *
 * The number is constant during a run, because cloth in contact with one mesh may penetrate a mesh
 * of another resolution. It is the given number divided by a power of two, so that equal bodies are
 * created once. It is stored in the document, which runs keep: later changes of a camera do not
 * change the bodies.
 *
 * The path of a body is that of its hips, sampled from its skeleton, which all copies of a
 * character use. Between two samples the hips are at most half of the longest step away from one
 * of the two; that distance is subtracted from the distance to the camera. */
#include "character/body.h"
#include "character/mannequin.h"
#include "core/memory.h"
#include "scene/load/load.h"

/* Limits; runs with more frames or camera poses keep the given numbers of faces. */
enum { MAX_FRAMES = 100000, MAX_CAMERA_POSES = 10000000, MAX_SAMPLES = 500 };

static const double SAMPLE_INTERVAL = 0.2; /* s, sampling interval of the characters' motions */

/* Mean edge length in m of a body with `faces` faces. The surface area of a person of height h is
 * about 0.6 h^2: 1.8 m^2 for 1.72 m. */
static double edge_length(double height, int faces) {
    return sqrt(4 / sqrt(3) * 0.6 * height * height / faces);
}

/* Pose of a camera in a frame. */
typedef struct camera_pose {
    vo_vec3 position;
    double z_near; /* m */
    double pixels; /* per metre, at a distance of 1 m */
    int sample;    /* of the characters' paths, nearest to the frame */
} camera_pose;

/* A character that the crowd copies. */
typedef struct original {
    vo_body *bones; /* NULL: not allocated yet */
} original;

/* Camera poses of all frames, evaluated once for all bodies, and the path of the current body. */
typedef struct crowd_paths {
    vo_context *ctx;
    int count, capacity;
    camera_pose *pose; /* [count] */
    double step;       /* s, between samples */
    int sample_count;
    vo_vec3 *hips; /* [sample_count] hips of the current body, m */
    int original_count;
    original *original; /* [original_count] */
} crowd_paths;

/* ---- cameras -------------------------------------------------------------------------------- */

static void sample_cameras(const vo_scene *scene, int frames, crowd_paths *f) {
    for (int k = 0; k <= frames; k++) {
        double time = k * scene->def.frame_time;
        int sample = vo_min_int((int)(time / f->step + 0.5), f->sample_count - 1);
        for (int c = 0; c < scene->camera_count; c++) {
            if (scene->camera[c].light || !vo_scene_camera_is_active(scene, c, time)) continue;
            vo_camera camera = vo_scene_eval_camera(scene, c, time);
            f->pose[f->count++] = (camera_pose){camera.position, camera.z_near,
                                                camera.height / (2 * camera.tan_y), sample};
        }
    }
}

static vo_result open_paths(const vo_loader *loader, int frames, crowd_paths *f) {
    const vo_scene *scene = loader->scene;
    double end = frames * scene->def.frame_time;
    *f = (crowd_paths){.ctx = loader->ctx,
                       .capacity = (frames + 1) * scene->camera_count,
                       .step = vo_max(SAMPLE_INTERVAL, end / (MAX_SAMPLES - 2)),
                       .original_count = loader->copied};
    f->sample_count = (int)ceil(end / f->step) + 1;
    f->pose = vo_new_array(f->ctx, camera_pose, f->capacity);
    f->hips = vo_new_array(f->ctx, vo_vec3, f->sample_count);
    f->original = vo_alloc_zero(f->ctx, (size_t)f->original_count * sizeof *f->original);
    if (!f->pose || !f->hips || !f->original)
        return vo_fail_memory(f->ctx, "the cameras of a crowd");
    sample_cameras(scene, frames, f);
    return VO_OK;
}

static void close_paths(crowd_paths *f) {
    for (int i = 0; f->original && i < f->original_count; i++)
        vo_body_destroy(f->original[i].bones);
    vo_free_array(f->ctx, f->original, f->original_count);
    vo_free_array(f->ctx, f->hips, f->sample_count);
    vo_free_array(f->ctx, f->pose, f->capacity);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static bool is_mannequin(const vo_json_cursor *character) {
    vo_json_cursor body = vo_json_get(character, "body");
    return vo_json_kind(body) == VO_JSON_OBJECT && !vo_has(&body, "file") &&
           !vo_has(&body, "files");
}

/* Writes the positions of the body's hips to f->hips and returns the longest step between two
 * samples in m. */
static double sample_body(const vo_loader *loader, crowd_paths *f, const vo_body *bones,
                          const vo_json_cursor *character) {
    vo_json_cursor motion = vo_json_get(character, "motion");
    bool is_path = vo_json_kind(motion) != VO_JSON_OBJECT;
    double start = is_path ? 0 : vo_get_real(&motion, "start"), max_step = 0;
    vo_transform placement = vo_load_placement(loader, character);
    for (int k = 0; k < f->sample_count; k++) {
        f->hips[k] = xf_point(placement, vo_body_hips(bones, start, k * f->step));
        if (k > 0) max_step = vo_max(max_step, v3_distance(f->hips[k], f->hips[k - 1]));
    }
    return max_step;
}

/* Largest number of pixels per metre of the current body over all camera poses; `radius` in m, that
 * of a sphere around the hips that contains the body, is subtracted from the distances. */
static double max_pixels(const crowd_paths *f, double radius) {
    double max = 0;
    for (int i = 0; i < f->count; i++) {
        const camera_pose *s = &f->pose[i];
        double distance = v3_distance(s->position, f->hips[s->sample]) - radius;
        max = vo_max(max, s->pixels / vo_max(distance, s->z_near));
    }
    return max;
}

/* Halves the number of faces while the edges stay at most `detail` pixels long. */
static int faces_for(int faces, double height, double pixels, double detail) {
    while (faces / 2 >= VO_MANNEQUIN_MIN_FACES && edge_length(height, faces / 2) * pixels <= detail)
        faces /= 2;
    return faces;
}

static vo_result set_faces(vo_loader *loader, crowd_paths *f, const vo_body *bones,
                           const vo_json_cursor *character) {
    vo_mannequin_def defaults = vo_mannequin_def_default();
    vo_json_cursor body = vo_json_get(character, "body");
    double height = vo_has(&body, "height") ? vo_get_real(&body, "height") : defaults.height;
    height *= vo_load_placement(loader, character).scale;
    double max_step = sample_body(loader, f, bones, character);
    double pixels = max_pixels(f, height + max_step / 2);
    int given = vo_get_int(&body, "faces", defaults.faces);
    int faces = faces_for(given, height, pixels, loader->detail);
    return faces < given ? vo_json_put_int(&body, "faces", faces) : VO_OK;
}

/* Sets the number of faces of all mannequins. Copies use the skeleton of their original. */
static vo_result set_all_faces(vo_loader *loader, crowd_paths *f, vo_json_cursor characters) {
    for (int i = 0; i < vo_json_length(characters); i++) {
        vo_json_cursor character = vo_json_item(&characters, i);
        if (!is_mannequin(&character)) continue;
        original *from = &f->original[i % f->original_count];
        if (!from->bones) VO_TRY(vo_load_bones(loader, &character, &from->bones));
        VO_TRY(set_faces(loader, f, from->bones, &character));
    }
    return VO_OK;
}

/* ---- entry point ---------------------------------------------------------------------------- */

/* Returns the reason why crowd.detail has no effect, or NULL if it has one. */
static const char *no_effect_reason(const vo_scene *scene) {
    int last = vo_scene_last_frame(&scene->def);
    if (vo_scene_find_active_camera(scene, 0) < 0) return "the scene has no camera; add one";
    if (last < 0) return "the run has no end; set end_frame or end_time";
    if (last > MAX_FRAMES || (last + 1.0) * scene->camera_count > MAX_CAMERA_POSES)
        return "the run has too many frames and cameras; end it earlier";
    return NULL;
}

vo_result vo_load_crowd_lod(vo_loader *loader, vo_json_cursor characters) {
    if (!(loader->detail > 0)) return VO_OK;
    const char *reason = no_effect_reason(loader->scene);
    if (reason) {
        vo_log_line(loader->ctx, VO_LOG_WARNING, "%s: crowd.detail: has no effect, since %s",
                    loader->doc->file, reason);
        return VO_OK;
    }
    crowd_paths f;
    vo_result result = open_paths(loader, vo_scene_last_frame(&loader->scene->def), &f);
    if (result == VO_OK) result = set_all_faces(loader, &f, characters);
    close_paths(&f);
    return result;
}
