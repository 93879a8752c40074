/* Choice of the camera of a frame and the direction of its lights. */
#include "run/render.h"

#include <stdio.h>
#include <string.h>

vo_frame_camera vo_frame_camera_of(const vo_render_options *options) {
    vo_frame_camera camera = {.given = options->camera != NULL};
    if (options->camera) camera.camera = *options->camera;
    return camera;
}

static vo_result fail_unknown(const vo_scene *scene, const char *name) {
    char list[300] = "";
    for (int i = 0; i < scene->camera_count; i++) {
        size_t length = strlen(list);
        if (scene->camera[i].name[0])
            snprintf(list + length, sizeof list - length, "%s\"%.60s\"", length ? ", " : "",
                     scene->camera[i].name);
    }
    return vo_fail(scene->ctx, VO_BAD_ARGUMENT,
                   "camera: the scene has no camera \"%.80s\"; it has %s", name,
                   list[0] ? list : "none with a name");
}

/* *camera is -1 if the frame is shown without a camera of the scene. */
static vo_result choose_camera(const vo_render_def *def, const vo_scene *scene, double time,
                               int *camera) {
    *camera = -1;
    if (def->camera && strcmp(def->camera, "none") == 0) return VO_OK;
    *camera = def->camera ? vo_scene_find_camera(scene, def->camera)
                          : vo_scene_find_active_camera(scene, time);
    return def->camera && *camera < 0 ? fail_unknown(scene, def->camera) : VO_OK;
}

vo_result vo_frame_camera_find(const vo_render_def *def, const vo_scene *scene, double time,
                               vo_frame_camera *out) {
    int camera;
    *out = vo_frame_camera_of(&def->options);
    if (out->given) return VO_OK;
    VO_TRY(choose_camera(def, scene, time + VO_CUT_TOLERANCE, &camera));
    if (camera < 0) return VO_OK;
    time = vo_scene_snap_to_cut(scene, camera, time);
    double begin = vo_scene_shot_begin(scene, camera, time);
    out->given = true;
    out->camera = vo_scene_eval_camera(scene, camera, time);
    out->lights = vo_scene_eval_camera(scene, camera, begin).right;
    return VO_OK;
}
