/* Adds cameras and shots to the scene and finds the active camera. */
#include "core/memory.h"
#include "math/bounds.h"
#include "scene/build.h"

#include <string.h>

/* ---- adding ---------------------------------------------------------------------------------- */

/* "none" and names with an equals sign have another meaning in vo_render_def.camera. */
static vo_result check_name(const vo_scene *scene, const char *name) {
    vo_context *ctx = scene->ctx;
    if (strcmp(name, "none") == 0 || strchr(name, '='))
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "name: \"%.80s\" cannot select a camera: \"none\" stands for no camera, and "
                       "names must not "
                       "contain =; choose another name",
                       name);
    if (!name[0] || vo_scene_find_camera(scene, name) < 0) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT, "name: there is another camera \"%.80s\"", name);
}

static vo_result make_camera(const vo_scene *scene, const vo_camera_def *def,
                             vo_scene_camera *out) {
    const char *name = def->name ? def->name : "";
    *out = (vo_scene_camera){.motion = def->motion, .light = def->light, .front = def->weight};
    VO_TRY(check_name(scene, name));
    VO_TRY(vo_scene_check_motion(scene, def->motion));
    VO_TRY(vo_camera_path_create(scene->ctx, def, &out->path));
    out->name = vo_copy_string(scene->ctx, name);
    if (out->name) return VO_OK;
    vo_camera_path_free(scene->ctx, &out->path);
    return vo_fail_memory(scene->ctx, "a camera");
}

vo_result vo_scene_add_camera(vo_scene *scene, const vo_camera_def *def, int *id) {
    vo_context *ctx = scene->ctx;
    vo_scene_camera camera;
    if (!def) return vo_fail(ctx, VO_BAD_ARGUMENT, "a camera needs a definition");
    VO_TRY(make_camera(scene, def, &camera));
    if (!vo_reserve(ctx, &scene->camera, &scene->camera_capacity, scene->camera_count + 1)) {
        vo_free_string(ctx, camera.name);
        vo_camera_path_free(ctx, &camera.path);
        return vo_fail_memory(ctx, "a camera");
    }
    if (id) *id = scene->camera_count;
    scene->camera[scene->camera_count++] = camera;
    return VO_OK;
}

static const char *shot_defect(const vo_scene *scene, double time, int camera) {
    int count = scene->shot_count;
    if (!vo_is_bounded(time)) return "time must be a number up to " VO_MAX_NUMBER_TEXT;
    if (count > 0 && !(time > scene->shot[count - 1].time))
        return "time must be later than that of the previous shot";
    if (camera < 0 || camera >= scene->camera_count)
        return "camera must be an index of the scene's cameras";
    if (scene->camera[camera].light) return "camera must not be a light";
    return NULL;
}

vo_result vo_scene_add_shot(vo_scene *scene, double time, int camera) {
    vo_context *ctx = scene->ctx;
    const char *defect = shot_defect(scene, time, camera);
    if (defect) return vo_fail(ctx, VO_BAD_ARGUMENT, "%s", defect);
    if (!vo_reserve(ctx, &scene->shot, &scene->shot_capacity, scene->shot_count + 1))
        return vo_fail_memory(ctx, "a shot");
    scene->shot[scene->shot_count++] = (vo_scene_shot){time, camera};
    return VO_OK;
}

/* ---- queries --------------------------------------------------------------------------------- */

int vo_scene_find_camera(const vo_scene *scene, const char *name) {
    for (int i = 0; i < scene->camera_count; i++)
        if (strcmp(scene->camera[i].name, name) == 0) return i;
    return -1;
}

/* Index of the last shot that begins at or before a time, else 0. */
static int shot_at(const vo_scene *scene, double time) {
    int low = 0, high = scene->shot_count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (scene->shot[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int vo_scene_find_active_camera(const vo_scene *scene, double time) {
    if (scene->shot_count > 0) return scene->shot[shot_at(scene, time)].camera;
    for (int i = 0; i < scene->camera_count; i++)
        if (!scene->camera[i].light) return i;
    return -1;
}

bool vo_scene_camera_is_active(const vo_scene *scene, int camera, double time) {
    if (scene->camera[camera].light || scene->shot_count == 0) return true;
    return vo_scene_find_active_camera(scene, time) == camera;
}

vo_camera vo_scene_eval_camera(const vo_scene *scene, int camera, double time) {
    VO_REQUIRE(scene->ctx, camera >= 0 && camera < scene->camera_count);
    const vo_scene_camera *c = &scene->camera[camera];
    vo_camera view = vo_camera_path_eval(&c->path, time);
    if (c->motion < 0) return view;
    vo_transform carried = vo_motion_pose(&scene->motion[c->motion], time);
    view.position = xf_point(carried, view.position);
    view.right = q_rotate(carried.rotation, view.right);
    view.up = q_rotate(carried.rotation, view.up);
    view.forward = q_rotate(carried.rotation, view.forward);
    return view;
}

/* Times of a camera's own cuts and of shots that begin or end with it, merged one after another. */
typedef struct cut_walk {
    const vo_scene *scene;
    int camera;
    int next; /* shot */
} cut_walk;

/* The first time after `after` at which the camera becomes active or inactive; infinite: never. */
static double next_change(cut_walk *w, double after) {
    const vo_scene *scene = w->scene;
    if (scene->camera[w->camera].light) return INFINITY;
    for (; w->next < scene->shot_count; w->next++) {
        const vo_scene_shot *shot = &scene->shot[w->next];
        bool changes = (shot[0].camera == w->camera) != (shot[-1].camera == w->camera);
        if (changes && shot->time > after) return shot->time;
    }
    return INFINITY;
}

static double next_cut(const vo_camera_path *path, double after, double to) {
    double time;
    return vo_camera_path_find_cuts(path, after, to, 1, &time) > 0 ? time : INFINITY;
}

int vo_scene_camera_cuts(const vo_scene *scene, int camera, double from, double to, int capacity,
                         double *out) {
    cut_walk walk = {scene, camera, 1};
    int count = 0;
    for (double time = from;; count++) {
        time = vo_min(next_cut(&scene->camera[camera].path, time, to), next_change(&walk, time));
        if (!(time <= to) || isinf(time)) return count;
        if (count < capacity) out[count] = time;
    }
}

double vo_scene_snap_to_cut(const vo_scene *scene, int camera, double time) {
    double cut;
    while (vo_scene_camera_cuts(scene, camera, time, time + VO_CUT_TOLERANCE, 1, &cut) > 0)
        time = cut;
    return time;
}

double vo_scene_shot_begin(const vo_scene *scene, int camera, double time) {
    double begin = vo_camera_path_shot_start(&scene->camera[camera].path, time);
    if (scene->shot_count == 0) return begin;
    int shot = shot_at(scene, time);
    bool shown = scene->shot[shot].camera == camera;
    while (shown && shot > 0 && scene->shot[shot - 1].camera == camera) shot--;
    return shown && shot > 0 ? vo_max(begin, scene->shot[shot].time) : begin;
}
