/* Which camera a frame is seen through, and for whom its lights are set up. */
#include "sim/render.h"

#include <stdio.h>
#include <string.h>

vo_standpoint vo_standpoint_of(const vo_shot *shot) {
    vo_standpoint from = {.given = shot->camera != NULL};
    if (shot->camera) from.camera = *shot->camera;
    return from;
}

static vo_result fail_name(const vo_scene *scene, const char *name) {
    char list[300] = "";
    for (int i = 0; i < scene->camera_count; i++) {
        size_t length = strlen(list);
        if (scene->camera[i].name[0])
            snprintf(list + length, sizeof list - length, "%s\"%.60s\"", length ? ", " : "",
                     scene->camera[i].name);
    }
    return vo_fail(scene->ctx, VO_BAD_CALL, "the scene has no camera \"%.80s\"; it has %s", name,
                   list[0] ? list : "none with a name");
}

/* -1: none. */
static vo_result choose_camera(const vo_render_def *def, const vo_scene *scene, double time,
                               int *camera) {
    *camera = -1;
    if (def->camera && strcmp(def->camera, "none") == 0) return VO_OK;
    *camera =
        def->camera ? vo_scene_find_camera(scene, def->camera) : vo_scene_shot_camera(scene, time);
    return def->camera && *camera < 0 ? fail_name(scene, def->camera) : VO_OK;
}

vo_result vo_standpoint_find(const vo_render_def *def, const vo_scene *scene, double time,
                             vo_standpoint *out) {
    int camera;
    *out = vo_standpoint_of(&def->shot);
    if (out->given) return VO_OK;
    VO_TRY(choose_camera(def, scene, time + VO_CAMERA_INSTANT, &camera));
    if (camera < 0) return VO_OK;
    time = vo_scene_time_meant(scene, camera, time);
    double begin = vo_scene_shot_begin(scene, camera, time);
    out->given = true;
    out->camera = vo_scene_camera_at(scene, camera, time);
    out->lights = vo_scene_camera_at(scene, camera, begin).right;
    return VO_OK;
}
