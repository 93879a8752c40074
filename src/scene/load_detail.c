/* How fine the bodies of a crowd are: each as fine as the nearest camera of the whole film can see.
 *
 * A body has the same faces from the first frame to the last, since cloth that lies on one surface
 * may be inside another. They are the number that the scene gives, or half or a quarter of it (and
 * so on), so that bodies that are alike are made once. It is written into the document, where runs
 * keep it: a camera that is changed later does not change the body. */
#include "scene/load.h"
#include "scene/mannequin.h"

/* Longer films, and those by more cameras, leave bodies as they are given. */
enum { MOST_FRAMES = 100000, MOST_STANDS = 10000000 };

/* The surface of a person of height h is about 0.6 h^2: 1.8 m^2 of 1.72 m. */
static double edge_length(double height, int faces) {
    return sqrt(4 / sqrt(3) * 0.6 * height * height / faces);
}

/* Where a camera is in a frame of the film. */
typedef struct stand {
    vo_vec3 position;
    double near;
    double pixels; /* that it shows of a metre at a distance of one */
} stand;

/* All of them: cameras are followed once, not once for each body. */
typedef struct film {
    vo_context *ctx;
    int count, capacity;
    stand *stand;
} film;

/* Frames of the film; -1: it has no end. */
static int film_frames(const vo_scene_def *def) {
    int last = vo_scene_last_frame(def);
    return last <= MOST_FRAMES ? last : -1;
}

static vo_result follow_cameras(const vo_scene *scene, int frames, film *out) {
    *out = (film){.ctx = scene->ctx, .capacity = (frames + 1) * scene->camera_count};
    out->stand = vo_new_array(scene->ctx, stand, out->capacity);
    if (!out->stand) return vo_fail_memory(scene->ctx, "the cameras of a crowd");
    for (int f = 0; f <= frames; f++) {
        double time = f * scene->def.frame_time;
        for (int c = 0; c < scene->camera_count; c++) {
            if (scene->camera[c].light || !vo_scene_camera_counts(scene, c, time)) continue;
            vo_camera camera = vo_scene_camera_at(scene, c, time);
            out->stand[out->count++] =
                (stand){camera.position, camera.near, camera.height / (2 * camera.tan_y)};
        }
    }
    return VO_OK;
}

static void free_film(film *f) { vo_free_array(f->ctx, f->stand, f->capacity); }

/* The most pixels that any camera shows of a metre at a place, in any frame of the film, and at
 * most as near as a body reaches that starts there. */
static double most_pixels(const film *f, vo_vec3 place, double reach) {
    double most = 0;
    for (int i = 0; i < f->count; i++) {
        const stand *s = &f->stand[i];
        double distance = v3_distance(s->position, place) - reach;
        most = vo_max(most, s->pixels / vo_max(distance, s->near));
    }
    return most;
}

/* Half as many faces as long as edges stay below so many pixels. */
static int faces_for(int faces, double height, double pixels, double detail) {
    while (faces / 2 >= VO_MANNEQUIN_COARSEST && edge_length(height, faces / 2) * pixels <= detail)
        faces /= 2;
    return faces;
}

static vo_result set_faces(vo_loader *loader, const film *f, const vo_json_at *character) {
    vo_mannequin_def usual = vo_mannequin_def_default();
    vo_json_at body = vo_json_get(character, "body");
    if (vo_json_kind(body) != VO_JSON_OBJECT || vo_has(&body, "file") || vo_has(&body, "files"))
        return VO_OK;
    vo_transform at = xf_mul(loader->frame, vo_pose_transform(vo_get_pose(character, "transform")));
    double height = vo_has(&body, "height") ? vo_get_real(&body, "height") : usual.height;
    height *= at.scale / loader->frame.scale;
    vo_vec3 middle = v3_add(at.translation, v3(0, 0, height / 2));
    double pixels = most_pixels(f, middle, height);
    int given = vo_get_int(&body, "faces", usual.faces);
    int faces = faces_for(given, height, pixels, loader->detail);
    return faces < given ? vo_json_put_int(&body, "faces", faces) : VO_OK;
}

vo_result vo_load_detail(vo_loader *loader, vo_json_at characters) {
    const vo_scene *scene = loader->scene;
    int frames = film_frames(&scene->def);
    if (!(loader->detail > 0) || scene->camera_count == 0 || frames < 0) return VO_OK;
    if ((frames + 1.0) * scene->camera_count > MOST_STANDS) return VO_OK;
    film f;
    VO_TRY(follow_cameras(scene, frames, &f));
    vo_result result = VO_OK;
    for (int i = 0; i < vo_json_length(characters) && result == VO_OK; i++) {
        vo_json_at character = vo_json_item(&characters, i);
        result = set_faces(loader, &f, &character);
    }
    free_film(&f);
    return result;
}
