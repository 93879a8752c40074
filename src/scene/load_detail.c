/* How fine the bodies of a crowd are: each as fine as the nearest camera of the whole film can see.
 *
 * A body has the same faces from the first frame to the last, since cloth that lies on one surface
 * may be inside another. They are the number that the scene gives, or half or a quarter of it (and
 * so on), so that bodies that are alike are made once. It is written into the document, where runs
 * keep it: a camera that is changed later does not change the body.
 *
 * Bodies walk: where one is when, its bones tell, which the copies of a crowd share. Some moments
 * of the film are asked, and half of the longest way between two of them counts as reach. */
#include "core/memory.h"
#include "scene/body.h"
#include "scene/load.h"
#include "scene/mannequin.h"

/* Longer films, and those by more cameras, leave bodies as they are given. */
enum { MOST_FRAMES = 100000, MOST_STANDS = 10000000, MOST_MOMENTS = 500 };

static const double MOMENT = 0.2; /* s, in which nobody gets far */

/* The surface of a person of height h is about 0.6 h^2: 1.8 m^2 of 1.72 m. */
static double edge_length(double height, int faces) {
    return sqrt(4 / sqrt(3) * 0.6 * height * height / faces);
}

/* Where a camera is in a frame of the film. */
typedef struct stand {
    vo_vec3 position;
    double near;
    double pixels; /* that it shows of a metre at a distance of one */
    int moment;    /* the one next to the frame */
} stand;

/* A character that the crowd copies. */
typedef struct original {
    vo_body *bones; /* NULL: not needed so far */
} original;

/* All of them: cameras are followed once, not once for each body. */
typedef struct film {
    vo_context *ctx;
    int count, capacity;
    stand *stand;
    double step; /* s, from one moment to the next */
    int moment_count;
    vo_vec3 *place; /* [moment_count] of the body at hand */
    int original_count;
    original *original; /* [original_count] */
} film;

/* ---- cameras -------------------------------------------------------------------------------- */

static void follow_cameras(const vo_scene *scene, int frames, film *f) {
    for (int k = 0; k <= frames; k++) {
        double time = k * scene->def.frame_time;
        int moment = vo_min_int((int)(time / f->step + 0.5), f->moment_count - 1);
        for (int c = 0; c < scene->camera_count; c++) {
            if (scene->camera[c].light || !vo_scene_camera_counts(scene, c, time)) continue;
            vo_camera camera = vo_scene_camera_at(scene, c, time);
            f->stand[f->count++] =
                (stand){camera.position, camera.near, camera.height / (2 * camera.tan_y), moment};
        }
    }
}

static vo_result open_film(const vo_loader *loader, int frames, film *f) {
    const vo_scene *scene = loader->scene;
    double end = frames * scene->def.frame_time;
    *f = (film){.ctx = loader->ctx,
                .capacity = (frames + 1) * scene->camera_count,
                .step = vo_max(MOMENT, end / (MOST_MOMENTS - 2)),
                .original_count = loader->copied};
    f->moment_count = (int)ceil(end / f->step) + 1;
    f->stand = vo_new_array(f->ctx, stand, f->capacity);
    f->place = vo_new_array(f->ctx, vo_vec3, f->moment_count);
    f->original = vo_alloc_zero(f->ctx, (size_t)f->original_count * sizeof *f->original);
    if (!f->stand || !f->place || !f->original)
        return vo_fail_memory(f->ctx, "the cameras of a crowd");
    follow_cameras(scene, frames, f);
    return VO_OK;
}

static void close_film(film *f) {
    for (int i = 0; f->original && i < f->original_count; i++)
        vo_body_destroy(f->original[i].bones);
    vo_free_array(f->ctx, f->original, f->original_count);
    vo_free_array(f->ctx, f->place, f->moment_count);
    vo_free_array(f->ctx, f->stand, f->capacity);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static bool is_mannequin(const vo_json_at *character) {
    vo_json_at body = vo_json_get(character, "body");
    return vo_json_kind(body) == VO_JSON_OBJECT && !vo_has(&body, "file") &&
           !vo_has(&body, "files");
}

/* Where the body goes, into f->place; how far it gets from one moment to the next at most. */
static double follow_body(const vo_loader *loader, film *f, const vo_body *bones,
                          const vo_json_at *character) {
    vo_json_at motion = vo_json_get(character, "motion");
    bool plain = vo_json_kind(motion) != VO_JSON_OBJECT;
    double start = plain ? 0 : vo_get_real(&motion, "start"), longest = 0;
    vo_transform placement = vo_load_placement(loader, character);
    for (int k = 0; k < f->moment_count; k++) {
        f->place[k] = xf_point(placement, vo_body_hips(bones, start, k * f->step));
        if (k > 0) longest = vo_max(longest, v3_distance(f->place[k], f->place[k - 1]));
    }
    return longest;
}

/* The most pixels that any camera shows of a metre of a body, in any frame of the film, and at most
 * as near as it reaches. */
static double most_pixels(const film *f, double reach) {
    double most = 0;
    for (int i = 0; i < f->count; i++) {
        const stand *s = &f->stand[i];
        double distance = v3_distance(s->position, f->place[s->moment]) - reach;
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

static vo_result set_faces(vo_loader *loader, film *f, const vo_body *bones,
                           const vo_json_at *character) {
    vo_mannequin_def usual = vo_mannequin_def_default();
    vo_json_at body = vo_json_get(character, "body");
    double height = vo_has(&body, "height") ? vo_get_real(&body, "height") : usual.height;
    height *= vo_load_placement(loader, character).scale;
    double longest = follow_body(loader, f, bones, character);
    double pixels = most_pixels(f, height + longest / 2);
    int given = vo_get_int(&body, "faces", usual.faces);
    int faces = faces_for(given, height, pixels, loader->detail);
    return faces < given ? vo_json_put_int(&body, "faces", faces) : VO_OK;
}

/* The first ones have the bones for all that follow. */
static vo_result set_all(vo_loader *loader, film *f, vo_json_at characters) {
    for (int i = 0; i < vo_json_length(characters); i++) {
        vo_json_at character = vo_json_item(&characters, i);
        if (!is_mannequin(&character)) continue;
        original *from = &f->original[i % f->original_count];
        if (!from->bones) VO_TRY(vo_load_bones(loader, &character, &from->bones));
        VO_TRY(set_faces(loader, f, from->bones, &character));
    }
    return VO_OK;
}

/* ---- together ------------------------------------------------------------------------------- */

/* Why all bodies stay as they are; NULL: they need not. */
static const char *hindrance(const vo_scene *scene) {
    int last = vo_scene_last_frame(&scene->def);
    if (vo_scene_shot_camera(scene, 0) < 0) return "the scene has no camera; add one";
    if (last < 0) return "the film has no end; set end_frame or end_time";
    if (last > MOST_FRAMES || (last + 1.0) * scene->camera_count > MOST_STANDS)
        return "the film has too many frames and cameras; end it earlier";
    return NULL;
}

vo_result vo_load_detail(vo_loader *loader, vo_json_at characters) {
    if (!(loader->detail > 0)) return VO_OK;
    const char *why = hindrance(loader->scene);
    if (why) {
        vo_log_line(loader->ctx, VO_LOG_WARNING, "%s: crowd.detail: has no effect, since %s",
                    loader->doc->file, why);
        return VO_OK;
    }
    film f;
    vo_result result = open_film(loader, vo_scene_last_frame(&loader->scene->def), &f);
    if (result == VO_OK) result = set_all(loader, &f, characters);
    close_film(&f);
    return result;
}
