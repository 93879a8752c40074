/* Images and movies of runs, scenes, meshes and character files (<voile/render.h>). */
#include "run/render.h"

#include "codec/movie.h"
#include "codec/obj.h"
#include "codec/png.h"
#include "core/file.h"
#include "core/timer.h"
#include "run/frame_loop.h"
#include "run/reader.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef enum output_kind { OUTPUT_IMAGE, OUTPUT_MOVIE, OUTPUT_FOLDER } output_kind;
typedef enum input_kind { INPUT_RUN, INPUT_SCENE, INPUT_MESH, INPUT_CHARACTER } input_kind;

enum { MAX_CLIP_SAMPLES = 60 }; /* frames of a clip whose extents are used */

typedef struct render_job {
    vo_context *ctx;
    const vo_render_def *def;
    output_kind output;
    vo_frame_list list;        /* of a run: frames to render */
    vo_run_reader *reader;     /* of a run; else NULL */
    vo_scene *scene;           /* of a scene or character file; else NULL */
    vo_sim *sim;               /* of that scene */
    vo_mesh *mesh;             /* of a mesh; else NULL */
    vo_render_options options; /* those of def, in the size of the camera */
    vo_extent extent;
    vo_render_session session;
    vo_movie *movie; /* NULL: not open */
    int image_count; /* images written */
    double start;
} render_job;

vo_render_def vo_render_def_default(void) {
    return (vo_render_def){.last = -1, .frame = -1, .options = vo_render_options_default()};
}

/* ---- input and output ------------------------------------------------------------------------ */

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The last dot of the file name and what follows it; NULL if there is no extension. */
static const char *find_extension(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] ? dot : NULL;
}

static bool has_extension(const char *path, const char *const extensions[]) {
    const char *found = find_extension(path);
    for (int i = 0; found && extensions[i]; i++)
        if (strcasecmp(found, extensions[i]) == 0) return true;
    return false;
}

static input_kind find_input_kind(const char *path) {
    static const char *const mesh[] = {".obj", NULL};
    static const char *const character[] = {".fbx", ".glb", ".gltf", ".dae", ".bvh", NULL};
    if (is_folder(path)) return INPUT_RUN;
    if (has_extension(path, mesh)) return INPUT_MESH;
    return has_extension(path, character) ? INPUT_CHARACTER : INPUT_SCENE;
}

static vo_result choose_output(render_job *r) {
    const char *path = r->def->output, *extension = find_extension(path);
    r->output = OUTPUT_FOLDER;
    if (!extension || is_folder(path)) return vo_folder_spare_run(r->ctx, path);
    r->output = OUTPUT_IMAGE;
    if (strcasecmp(extension, ".png") == 0) return VO_OK;
    r->output = OUTPUT_MOVIE;
    if (vo_movie_supports_path(path)) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_ARGUMENT,
                   "%s: \"%s\" is not a supported format; use .png for an image, .mp4 or .mov for "
                   "a movie, or a name without extension for a folder of images",
                   path, extension);
}

/* ---- content --------------------------------------------------------------------------------- */

static const vo_sim *current_sim(const render_job *r) {
    return r->reader ? vo_run_reader_sim(r->reader) : r->sim;
}

static vo_subject current_subject(const render_job *r) {
    return (vo_subject){.sim = current_sim(r), .mesh = r->mesh};
}

static vo_result read_frame(const render_job *r, int frame) {
    if (vo_run_reader_current_frame(r->reader) == frame) return VO_OK;
    return vo_run_reader_read_frame(r->reader, frame);
}

static vo_result find_camera(const render_job *r, vo_frame_camera *out) {
    const vo_sim *sim = current_sim(r);
    if (sim) return vo_frame_camera_find(r->def, sim->scene, vo_sim_time(sim), out);
    *out = vo_frame_camera_of(&r->options);
    return VO_OK;
}

/* Images have the size of the first camera unless the caller overrides it. */
static vo_result choose_size(render_job *r) {
    vo_frame_camera camera;
    VO_TRY(find_camera(r, &camera));
    if (!camera.given || r->def->override_size || r->options.camera) return VO_OK;
    r->options.width = camera.camera.width;
    r->options.height = camera.camera.height;
    return VO_OK;
}

static void begin_extent(render_job *r) {
    vo_subject subject = current_subject(r);
    r->extent = vo_extent_begin(&subject, &r->options);
    vo_extent_add(&r->extent, &subject);
}

/* Finds the extent of sampled frames, to which a camera is fitted before the first image. */
static vo_result find_extent(render_job *r) {
    for (int i = 0; i < vo_frame_list_sample_count(&r->list); i++) {
        VO_TRY(vo_check_cancel(r->ctx));
        VO_TRY(read_frame(r, vo_frame_list_sample(&r->list, i)));
        if (i == 0) {
            VO_TRY(choose_size(r));
            begin_extent(r);
        } else {
            vo_subject subject = current_subject(r);
            vo_extent_add(&r->extent, &subject);
        }
    }
    return VO_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static vo_result write_to_folder(const render_job *r, const vo_image *image, int frame) {
    char path[VO_PATH_SIZE + 64], name[64];
    snprintf(name, sizeof name, "%04d.png", frame);
    vo_path_join(path, sizeof path, r->def->output, name);
    return vo_png_save(r->ctx, image, path);
}

static vo_result write_image(const render_job *r, const vo_image *image, int frame) {
    switch (r->output) {
    case OUTPUT_IMAGE:
        return vo_png_save(r->ctx, image, r->def->output);
    case OUTPUT_MOVIE:
        return vo_movie_add(r->movie, image);
    case OUTPUT_FOLDER:
        return write_to_folder(r, image, frame);
    }
    return VO_OK;
}

static vo_result render_frame(render_job *r, int frame) {
    vo_image image;
    vo_frame_camera camera;
    vo_subject subject = current_subject(r);
    VO_TRY(find_camera(r, &camera));
    if (r->def->framing == VO_FRAMING_PER_FRAME && !camera.given) begin_extent(r);
    VO_TRY(vo_render_session_draw(&r->session, &subject, &r->extent, &camera, &image));
    VO_TRY(write_image(r, &image, frame));
    r->image_count++;
    return VO_OK;
}

static vo_result open_output(render_job *r, int frame_count) {
    vo_movie_def def = {.path = r->def->output,
                        .width = r->options.width,
                        .height = r->options.height,
                        .frame_time = current_sim(r)->scene->def.frame_time,
                        .frame_count = vo_max_int(frame_count, 1)};
    if (r->output == OUTPUT_FOLDER) return vo_folder_create(r->ctx, r->def->output);
    if (r->output == OUTPUT_MOVIE) return vo_movie_open(r->ctx, &def, &r->movie);
    return VO_OK;
}

static vo_frame_loop begin_loop(const render_job *r, int first, int last) {
    return (vo_frame_loop){.ctx = r->ctx,
                           .folder = r->def->input,
                           .operation = "rendering frames",
                           .progress = r->def->progress,
                           .user = r->def->user,
                           .start = r->start,
                           .first = first,
                           .last = last};
}

/* ---- runs ------------------------------------------------------------------------------------ */

static vo_result render_frames(render_job *r) {
    const vo_frame_list *list = &r->list;
    vo_frame_loop loop = begin_loop(r, list->frame[0], list->frame[list->count - 1]);
    for (int i = 0; i < list->count; i++) {
        int frame = list->frame[i];
        VO_TRY(vo_frame_loop_begin_frame(&loop, frame));
        if (i > 0) vo_folder_warn_gap(r->ctx, r->def->input, list->frame[i - 1], frame);
        VO_TRY(read_frame(r, frame));
        VO_TRY(render_frame(r, frame));
        VO_TRY(vo_frame_loop_end_frame(&loop, frame, vo_run_reader_find_stats(r->reader, frame)));
    }
    return VO_OK;
}

static vo_result choose_frames(render_job *r) {
    int first = r->def->frame >= 0 ? r->def->frame : r->def->first;
    int last = r->def->frame >= 0 ? r->def->frame : r->def->last;
    VO_TRY(vo_run_reader_select_frames(r->reader, first, last, &r->list));
    if (r->output == OUTPUT_IMAGE) {
        r->list.frame[0] = r->list.frame[r->list.count - 1];
        r->list.count = 1;
    }
    return VO_OK;
}

static vo_result render_run(render_job *r) {
    VO_TRY(vo_run_reader_open(r->ctx, r->def->input, &r->reader));
    VO_TRY(choose_frames(r));
    VO_TRY(find_extent(r));
    VO_TRY(open_output(r, r->list.count));
    return render_frames(r);
}

/* ---- scenes and meshes -------------------------------------------------------------- */

static vo_result need_single_image(const render_job *r, const char *kind, const char *advice) {
    const vo_render_def *def = r->def;
    if (def->frame > 0 || def->first > 0 || def->last > 0)
        return vo_fail(r->ctx, VO_BAD_ARGUMENT,
                       "%s: is a %s, which has no frames: leave them out%s", def->input, kind,
                       advice);
    if (r->output == OUTPUT_IMAGE) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_ARGUMENT,
                   "%s: is a %s, of which there is one image: set the output to a .png file%s",
                   def->input, kind, advice);
}

static vo_result render_still(render_job *r) {
    vo_frame_loop loop = begin_loop(r, 0, 0);
    VO_TRY(choose_size(r));
    begin_extent(r);
    VO_TRY(vo_frame_loop_begin_frame(&loop, 0));
    VO_TRY(render_frame(r, 0));
    return vo_frame_loop_end_frame(&loop, 0, NULL);
}

static vo_result render_scene(render_job *r) {
    VO_TRY(need_single_image(r, "scene", ", or simulate it and render the run"));
    VO_TRY(vo_scene_load(r->ctx, r->def->input, 0, NULL, &r->scene));
    VO_TRY(vo_sim_create(r->ctx, r->scene, &r->sim));
    return render_still(r);
}

/* Accepts the mesh as cloth if it is valid as such, else as an obstacle. */
static vo_result accept_mesh(render_job *r, const vo_mesh_data *data) {
    vo_mesh_report report;
    VO_TRY(vo_mesh_validate(r->ctx, data, VO_MESH_FOR_CLOTH, &report));
    bool cloth = report.fatal_count == 0;
    vo_mesh_report_free(&report);
    return vo_mesh_build_validated(r->ctx, r->def->input, data,
                                   cloth ? VO_MESH_FOR_CLOTH : VO_MESH_FOR_OBSTACLE, &r->mesh);
}

static vo_result render_mesh(render_job *r) {
    vo_bytes bytes;
    vo_mesh_data data;
    VO_TRY(need_single_image(r, "mesh", ""));
    VO_TRY(vo_file_read(r->ctx, r->def->input, &bytes));
    vo_result result = vo_obj_parse(r->ctx, r->def->input, bytes.data, bytes.size, &data);
    vo_bytes_free(r->ctx, &bytes);
    if (result != VO_OK) return result;
    result = accept_mesh(r, &data);
    vo_mesh_data_free(r->ctx, &data);
    return result == VO_OK ? render_still(r) : result;
}

/* ---- characters ------------------------------------------------------------------------------ */

/* Creates a scene of the character alone; a file without a surface moves a mannequin. */
static vo_result create_character(render_job *r, bool has_surface, bool has_motion) {
    vo_scene_def scene = vo_scene_def_default();
    vo_character_def def = vo_character_def_default();
    scene.preroll = 0;
    def.self_gap = 0;
    def.has_motion = has_motion;
    if (has_surface)
        def.body = r->def->input;
    else
        def.motion.file = r->def->input;
    VO_TRY(vo_scene_create(r->ctx, &scene, &r->scene));
    VO_TRY(vo_scene_add_character(r->scene, &def, NULL));
    return vo_sim_create(r->ctx, r->scene, &r->sim);
}

/* Frames first..last of the clip, limited to its duration (s). */
static vo_result choose_clip_frames(const render_job *r, double duration, int *first, int *last) {
    double frame_time = vo_scene_def_default().frame_time;
    int end = (int)vo_min(floor(duration / frame_time + 1e-6), 1e6);
    *first = r->def->frame >= 0 ? r->def->frame : r->def->first;
    *last = r->def->frame >= 0 ? r->def->frame : r->def->last;
    if (*last < 0) *last = r->output == OUTPUT_IMAGE ? *first : end;
    if (r->output == OUTPUT_IMAGE) *first = *last;
    if (*last > end) *last = end;
    if (*first <= *last) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_ARGUMENT, "%s: frame %d is after the end of the clip, frame %d",
                   r->def->input, *first, end);
}

static void pose_character(render_job *r, int frame) {
    vo_sim_obstacles_place(r->sim, frame * r->scene->def.frame_time);
}

/* Finds the extent of sampled frames of the clip. */
static void find_clip_extent(render_job *r, int first, int last) {
    int step = (last - first) / MAX_CLIP_SAMPLES + 1;
    for (int frame = first; frame <= last; frame += step) {
        vo_subject subject = current_subject(r);
        pose_character(r, frame);
        if (frame == first)
            begin_extent(r);
        else
            vo_extent_add(&r->extent, &subject);
    }
}

static vo_result render_clip(render_job *r, int first, int last) {
    vo_frame_loop loop = begin_loop(r, first, last);
    find_clip_extent(r, first, last);
    VO_TRY(open_output(r, last - first + 1));
    for (int frame = first; frame <= last; frame++) {
        VO_TRY(vo_frame_loop_begin_frame(&loop, frame));
        pose_character(r, frame);
        VO_TRY(render_frame(r, frame));
        VO_TRY(vo_frame_loop_end_frame(&loop, frame, NULL));
    }
    return VO_OK;
}

/* An image without a frame number shows the rest pose, everything else the first clip. */
static vo_result render_character(render_job *r) {
    const vo_render_def *def = r->def;
    vo_character_file_info info;
    VO_TRY(vo_character_file_get_info(r->ctx, def->input, &info));
    int first, last, clips = info.clip_count, meshes = info.mesh_count;
    double duration = clips ? info.clips[0].duration : 0;
    vo_character_file_info_free(&info);
    bool wants_clip =
        def->frame >= 0 || def->first > 0 || def->last >= 0 || r->output != OUTPUT_IMAGE || !meshes;
    if (wants_clip && !clips)
        return vo_fail(r->ctx, VO_BAD_ARGUMENT,
                       "%s: has no clip; leave frames out and set the output to a .png file to "
                       "show the rest pose",
                       def->input);
    VO_TRY(create_character(r, meshes > 0, wants_clip));
    if (!wants_clip) return render_still(r);
    VO_TRY(choose_clip_frames(r, duration, &first, &last));
    return render_clip(r, first, last);
}

/* ---- public call ----------------------------------------------------------------------------- */

static vo_result render_input(render_job *r) {
    VO_TRY(vo_render_options_check(r->ctx, &r->def->options));
    VO_TRY(choose_output(r));
    VO_TRY(vo_render_session_create(r->ctx, &r->options, &r->session));
    switch (find_input_kind(r->def->input)) {
    case INPUT_RUN:
        return render_run(r);
    case INPUT_SCENE:
        return render_scene(r);
    case INPUT_MESH:
        return render_mesh(r);
    case INPUT_CHARACTER:
        return render_character(r);
    }
    return VO_OK;
}

/* A movie that is cancelled is kept with the frames that it has; one without frames is removed. */
static vo_result end_movie(render_job *r, vo_result result) {
    if (!r->movie) return result;
    if (r->image_count == 0 || (result != VO_OK && result != VO_CANCELLED)) {
        vo_movie_discard(r->movie);
        return result;
    }
    vo_result finished = vo_movie_finish(r->movie);
    return finished == VO_OK ? result : finished;
}

vo_result vo_render(vo_context *ctx, const vo_render_def *def) {
    VO_REQUIRE(ctx, def->input != NULL && def->output != NULL);
    render_job r = {.ctx = ctx, .def = def, .session = {.ctx = ctx, .model = {.ctx = ctx}}};
    r.options = def->options;
    r.start = vo_now();
    vo_result result = end_movie(&r, render_input(&r));
    vo_render_session_free(&r.session);
    vo_frame_list_free(ctx, &r.list);
    vo_run_reader_close(r.reader);
    vo_sim_destroy(r.sim);
    vo_scene_destroy(r.scene);
    vo_mesh_destroy(r.mesh);
    return result;
}
