/* Pictures and movies of runs, scenes and meshes. */
#include "sim/render.h"

#include "codec/movie.h"
#include "codec/obj.h"
#include "codec/png.h"
#include "core/file.h"
#include "core/timer.h"
#include "sim/epoch.h"
#include "sim/folder.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef enum output_kind { OUTPUT_PICTURE, OUTPUT_MOVIE, OUTPUT_FOLDER } output_kind;

typedef struct renderer {
    vo_context *ctx;
    const vo_render_def *def;
    output_kind kind;
    vo_frame_list list; /* frames to render; empty for a scene */
    vo_epoch epoch;     /* of the frame at hand, or of the scene */
    int frame;          /* that was read last */
    vo_mesh *mesh;      /* NULL: it is not about a mesh */
    vo_shot shot;       /* as given, in the size of the camera */
    vo_extent extent;
    vo_stage stage;
    vo_movie *movie; /* NULL: none is open */
    int drawn;       /* pictures */
    double start;
} renderer;

vo_render_def vo_render_def_default(void) {
    return (vo_render_def){.last = -1, .frame = -1, .shot = vo_shot_default()};
}

/* ---- what goes where ------------------------------------------------------------------------- */

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* What follows the last dot of the name, with it; NULL: none. */
static const char *ending_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] ? dot : NULL;
}

static vo_result choose_output(renderer *r) {
    const char *path = r->def->output, *ending = ending_of(path);
    r->kind = OUTPUT_FOLDER;
    if (!ending || is_folder(path)) return vo_folder_spare_run(r->ctx, path);
    r->kind = OUTPUT_PICTURE;
    if (strcasecmp(ending, ".png") == 0) return VO_OK;
    r->kind = OUTPUT_MOVIE;
    if (vo_movie_knows(path)) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_CALL,
                   "%s: pictures are .png, movies .mp4 or .mov, and a folder of pictures has no "
                   "ending; \"%s\" is none of these",
                   path, ending);
}

/* Keeps the frames that were asked for. */
static vo_result choose_frames(renderer *r) {
    vo_frame_list *list = &r->list;
    int first = r->def->first, last = r->def->last, kept = 0;
    VO_TRY(vo_folder_need_run(r->ctx, r->def->input));
    VO_TRY(vo_folder_list(r->ctx, r->def->input, list));
    if (r->def->frame >= 0) first = last = r->def->frame;
    for (int i = 0; i < list->count; i++)
        if (list->frame[i] >= first && (last < 0 || list->frame[i] <= last))
            list->frame[kept++] = list->frame[i];
    if (kept == 0) return vo_folder_fail_empty(r->ctx, r->def->input, list->count);
    list->count = kept;
    return VO_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static vo_result read_frame(renderer *r, int frame) {
    if (r->epoch.sim && r->frame == frame) return VO_OK;
    VO_TRY(vo_epoch_follow(r->ctx, r->def->input, frame, &r->epoch));
    r->frame = frame;
    return vo_sim_read_frame(r->epoch.sim, r->def->input, frame);
}

static vo_subject subject_of(const renderer *r) {
    return (vo_subject){.sim = r->epoch.sim, .mesh = r->mesh};
}

static vo_result find_standpoint(const renderer *r, vo_standpoint *out) {
    if (!r->mesh) return vo_standpoint_find(r->def, r->epoch.scene, vo_sim_time(r->epoch.sim), out);
    *out = vo_standpoint_of(&r->shot);
    return VO_OK;
}

/* The size of the first camera is that of the pictures, unless told otherwise. */
static vo_result choose_size(renderer *r) {
    vo_standpoint from;
    VO_TRY(find_standpoint(r, &from));
    if (!from.given || r->def->sized || r->shot.camera) return VO_OK;
    r->shot.width = from.camera.width;
    r->shot.height = from.camera.height;
    return VO_OK;
}

static void look(renderer *r, bool anew) {
    vo_subject subject = subject_of(r);
    if (anew) r->extent = vo_extent_begin(&subject, &r->shot);
    vo_extent_add(&r->extent, &subject);
}

/* Looks at frames before any is drawn, for where the camera is to be. */
static vo_result survey(renderer *r) {
    for (int i = 0; i < vo_frame_list_survey_count(&r->list); i++) {
        VO_TRY(vo_check_stop(r->ctx));
        VO_TRY(read_frame(r, vo_frame_list_surveyed(&r->list, i)));
        if (i == 0) VO_TRY(choose_size(r));
        look(r, i == 0);
    }
    return VO_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static vo_result write_to_folder(renderer *r, const vo_image *image, int frame) {
    char path[VO_PATH_SIZE + 64], name[64];
    snprintf(name, sizeof name, "%04d.png", frame);
    vo_path_join(path, sizeof path, r->def->output, name);
    return vo_png_save(r->ctx, image, path);
}

static vo_result write_image(renderer *r, const vo_image *image, int frame) {
    switch (r->kind) {
    case OUTPUT_PICTURE:
        return vo_png_save(r->ctx, image, r->def->output);
    case OUTPUT_MOVIE:
        return vo_movie_add(r->movie, image);
    case OUTPUT_FOLDER:
        return write_to_folder(r, image, frame);
    }
    return VO_OK;
}

static vo_result draw_frame(renderer *r, int frame) {
    vo_image image;
    vo_standpoint from;
    vo_subject subject = subject_of(r);
    VO_TRY(find_standpoint(r, &from));
    if (r->def->fit == VO_FIT_EACH && !from.given) look(r, true);
    VO_TRY(vo_stage_draw(&r->stage, &subject, &r->extent, &from, &image));
    VO_TRY(write_image(r, &image, frame));
    r->drawn++;
    return VO_OK;
}

static bool keep_going(const renderer *r, int frame) {
    const vo_frame_list *list = &r->list;
    vo_progress progress = {.frame = frame,
                            .first = list->count ? list->frame[0] : 0,
                            .last = list->count ? list->frame[list->count - 1] : 0,
                            .elapsed_s = vo_now() - r->start};
    return !r->def->progress || r->def->progress(r->def->user, &progress);
}

static vo_result open_output(renderer *r) {
    vo_movie_def def = {.path = r->def->output,
                        .width = r->shot.width,
                        .height = r->shot.height,
                        .frame_time = r->epoch.scene->def.frame_time,
                        .frame_count = vo_max_int(r->list.count, 1)};
    if (r->kind == OUTPUT_FOLDER) return vo_folder_make(r->ctx, r->def->output);
    if (r->kind == OUTPUT_MOVIE) return vo_movie_open(r->ctx, &def, &r->movie);
    return VO_OK;
}

/* ---- runs and scenes ------------------------------------------------------------------------- */

static vo_result render_frames(renderer *r) {
    for (int i = 0; i < r->list.count; i++) {
        int frame = r->list.frame[i];
        if (i > 0) vo_folder_tell_gap(r->ctx, r->def->input, r->list.frame[i - 1], frame);
        VO_TRY(read_frame(r, frame));
        VO_TRY(draw_frame(r, frame));
        if (!keep_going(r, frame) && i + 1 < r->list.count)
            return vo_fail(r->ctx, VO_STOPPED, "stopped after frame %d", frame);
    }
    return VO_OK;
}

static vo_result render_run(renderer *r) {
    VO_TRY(choose_frames(r));
    if (r->kind == OUTPUT_PICTURE) {
        r->list.frame[0] = r->list.frame[r->list.count - 1];
        r->list.count = 1;
    }
    VO_TRY(survey(r));
    VO_TRY(open_output(r));
    return render_frames(r);
}

static vo_result need_picture(const renderer *r, const char *what) {
    const vo_render_def *def = r->def;
    const char *instead = what[0] == 's' ? ", or simulate it and render the run" : "";
    if (def->frame > 0 || def->first > 0 || def->last > 0)
        return vo_fail(r->ctx, VO_BAD_CALL, "%s: is a %s, which has no frames: leave them out%s",
                       def->input, what, instead);
    if (r->kind == OUTPUT_PICTURE) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_CALL,
                   "%s: is a %s, which has one picture to show: name a .png file%s", def->input,
                   what, instead);
}

/* Of something that does not change. */
static vo_result render_still(renderer *r) {
    VO_TRY(choose_size(r));
    look(r, true);
    VO_TRY(draw_frame(r, 0));
    (void)keep_going(r, 0);
    return VO_OK;
}

static vo_result render_scene(renderer *r) {
    VO_TRY(need_picture(r, "scene"));
    VO_TRY(vo_scene_load(r->ctx, r->def->input, 0, NULL, &r->epoch.scene));
    VO_TRY(vo_sim_create(r->ctx, r->epoch.scene, &r->epoch.sim));
    return render_still(r);
}

/* As cloth if it could be one, else as a body: anything with faces can be looked at. */
static vo_result take_mesh(renderer *r, const vo_mesh_data *data) {
    vo_mesh_report report;
    VO_TRY(vo_mesh_validate(r->ctx, data, VO_MESH_FOR_CLOTH, &report));
    bool cloth = report.fatal_count == 0;
    vo_mesh_report_free(&report);
    return vo_mesh_accept(r->ctx, r->def->input, data,
                          cloth ? VO_MESH_FOR_CLOTH : VO_MESH_FOR_OBSTACLE, &r->mesh);
}

static vo_result render_mesh(renderer *r) {
    vo_bytes bytes;
    vo_mesh_data data;
    VO_TRY(need_picture(r, "mesh"));
    VO_TRY(vo_file_read(r->ctx, r->def->input, &bytes));
    vo_result result = vo_obj_parse(r->ctx, r->def->input, bytes.data, bytes.size, &data);
    vo_bytes_free(r->ctx, &bytes);
    if (result != VO_OK) return result;
    result = take_mesh(r, &data);
    vo_mesh_data_free(r->ctx, &data);
    return result == VO_OK ? render_still(r) : result;
}

static bool is_mesh(const char *path) {
    const char *ending = ending_of(path);
    return ending && strcasecmp(ending, ".obj") == 0;
}

static vo_result render(renderer *r) {
    VO_TRY(vo_shot_check(r->ctx, &r->def->shot));
    VO_TRY(choose_output(r));
    VO_TRY(vo_stage_create(r->ctx, &r->shot, &r->stage));
    if (is_folder(r->def->input)) return render_run(r);
    return is_mesh(r->def->input) ? render_mesh(r) : render_scene(r);
}

/* A movie that was stopped is kept as far as it came, if it came to a picture. */
static vo_result end_movie(renderer *r, vo_result result) {
    if (!r->movie) return result;
    if (r->drawn == 0 || (result != VO_OK && result != VO_STOPPED)) {
        vo_movie_abandon(r->movie);
        return result;
    }
    vo_result finished = vo_movie_finish(r->movie);
    return finished == VO_OK ? result : finished;
}

vo_result vo_render(vo_context *ctx, const vo_render_def *def) {
    VO_REQUIRE(ctx, def->input != NULL && def->output != NULL);
    renderer r = {.ctx = ctx, .def = def, .stage = {.ctx = ctx, .model = {.ctx = ctx}}};
    r.shot = def->shot;
    r.start = vo_now();
    vo_result result = end_movie(&r, render(&r));
    vo_stage_free(&r.stage);
    vo_frame_list_free(ctx, &r.list);
    vo_epoch_leave(&r.epoch);
    vo_mesh_destroy(r.mesh);
    return result;
}
