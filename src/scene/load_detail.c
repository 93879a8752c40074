/* How fine the bodies of a crowd are: each as fine as the nearest camera of the whole film can see.
 *
 * A body has the same faces from the first frame to the last, since cloth that lies on one surface
 * may be inside another. They are the number that the scene gives, or half or a quarter of it (and
 * so on), so that bodies that are alike are made once. It is written into the document, where runs
 * keep it: a camera that is changed later does not change the body. */
#include "scene/load.h"
#include "scene/mannequin.h"

enum { MOST_FRAMES = 100000 };

/* The surface of a person of height h is about 0.6 h^2: 1.8 m^2 of 1.72 m. */
static double edge_length(double height, int faces) {
    return sqrt(4 / sqrt(3) * 0.6 * height * height / faces);
}

/* Pixels in a metre at a place, at most as near as a body reaches that moves there. */
static double pixels_at(const vo_camera *camera, vo_vec3 place, double reach) {
    double distance = v3_distance(camera->position, place) - reach;
    return camera->height / (2 * camera->tan_y * vo_max(distance, camera->near));
}

/* The most pixels that any camera shows of a metre there, in any frame of the film. */
static double most_pixels(const vo_scene *scene, int frames, vo_vec3 place, double reach) {
    double most = 0;
    for (int f = 0; f <= frames; f++) {
        double time = f * scene->def.frame_time;
        for (int c = 0; c < scene->camera_count; c++) {
            if (scene->camera[c].light || !vo_scene_camera_counts(scene, c, time)) continue;
            vo_camera camera = vo_scene_camera_at(scene, c, time);
            most = vo_max(most, pixels_at(&camera, place, reach));
        }
    }
    return most;
}

/* Frames of the film; -1: it has no end. */
static int film_frames(const vo_scene_def *def) {
    double last = vo_min(def->end_frame, def->end_time / def->frame_time);
    return last <= MOST_FRAMES ? (int)last : -1;
}

/* Half as many faces as long as edges stay below so many pixels. */
static int faces_for(int faces, double height, double pixels, double detail) {
    while (faces / 2 >= VO_MANNEQUIN_COARSEST && edge_length(height, faces / 2) * pixels <= detail)
        faces /= 2;
    return faces;
}

static vo_result set_faces(vo_loader *loader, const vo_json_at *character, int frames) {
    vo_mannequin_def usual = vo_mannequin_def_default();
    vo_json_at body = vo_json_get(character, "body");
    if (vo_json_kind(body) != VO_JSON_OBJECT || vo_has(&body, "file") || vo_has(&body, "files"))
        return VO_OK;
    vo_transform at = xf_mul(loader->frame, vo_pose_transform(vo_get_pose(character, "transform")));
    double height = vo_has(&body, "height") ? vo_get_real(&body, "height") : usual.height;
    height *= at.scale / loader->frame.scale;
    vo_vec3 middle = v3_add(at.translation, v3(0, 0, height / 2));
    double pixels = most_pixels(loader->scene, frames, middle, height);
    int given = vo_get_int(&body, "faces", usual.faces);
    int faces = faces_for(given, height, pixels, loader->detail);
    return faces < given ? vo_json_put_int(&body, "faces", faces) : VO_OK;
}

vo_result vo_load_detail(vo_loader *loader, vo_json_at characters) {
    const vo_scene *scene = loader->scene;
    int frames = film_frames(&scene->def);
    if (!(loader->detail > 0) || scene->camera_count == 0 || frames < 0) return VO_OK;
    for (int i = 0; i < vo_json_length(characters); i++) {
        vo_json_at character = vo_json_item(&characters, i);
        VO_TRY(set_faces(loader, &character, frames));
    }
    return VO_OK;
}
