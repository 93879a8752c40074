/* Comparison of runs of one scene (<voile/compare.h>). */
#include "run/compare.h"

#include "codec/image.h"
#include "core/memory.h"
#include "core/timer.h"
#include "picture/diff_image.h"
#include "run/frame_loop.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_WIDTH = 1920, DEFAULT_HEIGHT = 1080 };

typedef struct comparer {
    vo_context *ctx;
    const vo_compare_def *def;
    vo_comparison *out;
    vo_compare_run run[VO_COMPARE_MAX_RUNS];
    int added[VO_COMPARE_MAX_RUNS]; /* frames in the results */
    vo_render_def render;           /* its camera and options are used */
    vo_extent extent;               /* of all runs, if the camera is fitted */
    vo_diff_image diff;
    double start;
} comparer;

vo_compare_def vo_compare_def_default(void) {
    return (vo_compare_def){
        .last = -1, .step = 1, .slow = 0.25, .options = vo_render_options_default()};
}

/* ---- validation ------------------------------------------------------------------------- */

static bool is_size(int pixels) { return pixels >= 0 && pixels <= VO_MAX_PIXELS; }

/* The member and what is wrong with it; NULL if the definition is valid. */
static const char *defect(const vo_compare_def *d) {
    if (d->run_count < 2 || d->run_count > VO_COMPARE_MAX_RUNS || !d->runs)
        return "runs: must be 2 to 16 folders";
    for (int i = 0; i < d->run_count; i++)
        if (!d->runs[i] || (d->names && !d->names[i])) return "runs: a folder or name is NULL";
    if (d->step < 1) return "step: must be at least 1";
    if (!is_size(d->width)) return "width: must be from 1 to 16384 pixels, or 0";
    if (!is_size(d->height)) return "height: must be from 1 to 16384 pixels, or 0";
    if ((d->width == 0) != (d->height == 0)) return "width: must be given together with height";
    if (!(d->wavelength >= 0 && d->wavelength <= VO_MAX_WAVELENGTH))
        return "wavelength: must be from 0 to 1024 pixels";
    if (!(d->slow >= 0)) return "slow: must be at least 0 m/s";
    if (d->images && !d->output) return "images: need an output";
    return NULL;
}

static vo_result check_def(comparer *c) {
    const char *text = defect(c->def);
    if (text) return vo_fail(c->ctx, VO_BAD_ARGUMENT, "%s", text);
    return vo_render_options_check(c->ctx, &c->def->options);
}

/* ---- frames and statistics ------------------------------------------------------------------- */

static vo_result open_reader(comparer *c, int i) {
    vo_compare_run *run = &c->run[i];
    VO_TRY(vo_run_reader_open(c->ctx, c->def->runs[i], &run->reader));
    return vo_run_reader_select_frames(run->reader, c->def->first, c->def->last, &run->frames);
}

static bool has_frame(const vo_frame_list *list, int frame) {
    return vo_frame_list_find(list, frame) >= 0;
}

/* Counts the frames of `a` that are (has) or are not in `b`; also writes them to `out` unless NULL.
 */
static int select_common(const vo_frame_list *a, const vo_frame_list *b, bool has, int *out) {
    int count = 0;
    for (int i = 0; i < a->count; i++) {
        if (has_frame(b, a->frame[i]) != has) continue;
        if (out) out[count] = a->frame[i];
        count++;
    }
    return count;
}

static bool select_missing(vo_context *ctx, const vo_frame_list *a, const vo_frame_list *b,
                           int *count, int **out) {
    int found = select_common(a, b, false, NULL);
    if (found == 0) return true;
    *out = vo_new_array(ctx, int, found);
    if (!*out) return false;
    *count = select_common(a, b, false, *out);
    return true;
}

/* ---- results ----------------------------------------------------------------------------- */

static vo_result make_run(comparer *c, int run) {
    vo_run_comparison *r = &c->out->run[run];
    const vo_frame_list *own = &c->run[run].frames, *other = &c->run[VO_COMPARE_REFERENCE].frames;
    int count = select_common(own, other, true, NULL);
    r->folder = vo_copy_string(c->ctx, c->def->runs[run]);
    if (count) r->frame = vo_new_array(c->ctx, vo_frame_comparison, count);
    if (r->frame) r->frame_count = count;
    if (r->folder && (r->frame || !count) &&
        select_missing(c->ctx, own, other, &r->only_here_count, &r->only_here) &&
        select_missing(c->ctx, other, own, &r->only_reference_count, &r->only_reference))
        return VO_OK;
    return vo_fail_memory(c->ctx, "the comparison");
}

static vo_result make_results(comparer *c) {
    c->out->run = vo_alloc_zero(c->ctx, (size_t)c->def->run_count * sizeof *c->out->run);
    if (!c->out->run) return vo_fail_memory(c->ctx, "the comparison");
    c->out->run_count = c->def->run_count;
    c->out->reference = VO_COMPARE_REFERENCE;
    if (!vo_compare_name_runs(c->ctx, c->def, c->out))
        return vo_fail_memory(c->ctx, "the comparison");
    for (int i = 0; i < c->def->run_count; i++) VO_TRY(make_run(c, i));
    for (int i = 0; i < c->def->run_count; i++)
        if (c->out->run[i].frame_count == 0)
            return vo_fail(c->ctx, VO_BAD_ARGUMENT, "runs: %s and %s have no frame in common",
                           c->def->runs[i], c->def->runs[VO_COMPARE_REFERENCE]);
    return VO_OK;
}

void vo_comparison_free(vo_context *ctx, vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++) {
        vo_run_comparison *r = &c->run[i];
        vo_free_string(ctx, r->folder);
        vo_free_string(ctx, r->name);
        vo_free_array(ctx, r->frame, r->frame_count);
        vo_free_array(ctx, r->only_here, r->only_here_count);
        vo_free_array(ctx, r->only_reference, r->only_reference_count);
    }
    vo_free_array(ctx, c->run, c->run_count);
    *c = (vo_comparison){0};
}

/* ---- camera ------------------------------------------------------------------------------ */

static vo_result read_frame(comparer *c, int run, int frame) {
    return vo_run_reader_read_frame(c->run[run].reader, frame);
}

static const vo_scene *current_scene(const comparer *c, int run) {
    return vo_run_reader_scene(c->run[run].reader);
}

/* Fails if number of cloths or frame time differ; warns about other differences. */
static vo_result check_scene(comparer *c, int run) {
    const vo_scene *a = current_scene(c, run), *b = current_scene(c, VO_COMPARE_REFERENCE);
    const char *what = NULL;
    if (a->cloth_count != b->cloth_count) what = "number of cloths";
    if (a->def.frame_time != b->def.frame_time) what = "frame_time";
    if (!what)
        return a == b ? VO_OK
                      : vo_compare_scenes(c->ctx, c->def->runs[run],
                                          c->def->runs[VO_COMPARE_REFERENCE]);
    return vo_fail(c->ctx, VO_BAD_DATA, "%s and %s are not runs of one scene: they differ in %s",
                   c->def->runs[run], c->def->runs[VO_COMPARE_REFERENCE], what);
}

/* Finds the extent of sampled frames of all runs. */
static vo_result find_extent(comparer *c) {
    for (int run = 0; run < c->def->run_count; run++) {
        const vo_frame_list *list = &c->run[run].frames;
        for (int i = 0; i < vo_frame_list_sample_count(list); i++) {
            VO_TRY(vo_check_cancel(c->ctx));
            VO_TRY(read_frame(c, run, vo_frame_list_sample(list, i)));
            vo_subject subject = {.sim = vo_run_reader_sim(c->run[run].reader)};
            if (run == 0 && i == 0) c->extent = vo_extent_begin(&subject, &c->render.options);
            vo_extent_add(&c->extent, &subject);
        }
    }
    return VO_OK;
}

/* Pixels of the images per pixel of the camera, so that its whole frame fits into them. */
static double image_scale(const comparer *c, const vo_camera *camera) {
    return vo_min((double)c->out->width / camera->width, (double)c->out->height / camera->height);
}

/* The camera of the reference's scene in the size of the images, and the part of them that is its
 * own frame: outside it the runs were not refined for the camera. */
static vo_result find_view(comparer *c, double time, vo_compare_view *view) {
    const vo_scene *scene = current_scene(c, VO_COMPARE_REFERENCE);
    vo_frame_camera from;
    VO_TRY(vo_frame_camera_find(&c->render, scene, time, &from));
    if (!from.given && !c->out->framed)
        return vo_fail(
            c->ctx, VO_BAD_DATA,
            "%s: has no camera at %.4g s, but has one before; compare earlier frames only, "
            "or set camera to \"none\"",
            c->def->runs[VO_COMPARE_REFERENCE], time);
    vo_camera camera = from.given ? from.camera : vo_camera_framing_end(&c->extent.framing);
    double scale = image_scale(c, &camera);
    view->frame = v2(scale * camera.width, scale * camera.height);
    camera.tan_y *= c->out->height / (scale * camera.height);
    camera.tan_x = camera.tan_y * c->out->width / c->out->height;
    camera.width = c->out->width;
    camera.height = c->out->height;
    view->camera = camera;
    return VO_OK;
}

/* Pixels of the images per pixel of popping in the statistics. These do not record the camera, so
 * the result is NaN if active cameras have different scales or the caller chooses the camera. */
static double popping_scale(const comparer *c, double time) {
    const vo_scene *scene = current_scene(c, VO_COMPARE_REFERENCE);
    double common = NAN;
    if (c->def->camera || c->def->options.camera) return NAN;
    for (int i = 0; i < scene->camera_count; i++) {
        double snapped = vo_scene_snap_to_cut(scene, i, time);
        if (scene->camera[i].light || !vo_scene_camera_is_active(scene, i, snapped)) continue;
        vo_camera camera = vo_scene_eval_camera(scene, i, snapped);
        double scale = image_scale(c, &camera);
        if (!isnan(common) && scale != common) return NAN;
        common = scale;
    }
    return common;
}

/* The size of the definition, else that of the camera, else the default. */
static void choose_size(comparer *c, const vo_frame_camera *from) {
    vo_comparison *out = c->out;
    out->width = from->given ? from->camera.width : DEFAULT_WIDTH;
    out->height = from->given ? from->camera.height : DEFAULT_HEIGHT;
    if (c->def->width > 0) out->width = c->def->width;
    if (c->def->height > 0) out->height = c->def->height;
    double shorter = vo_min_int(out->width, out->height);
    out->wavelength = vo_clamp(shorter / 16, 2, VO_MAX_WAVELENGTH);
    if (c->def->wavelength > 0) out->wavelength = c->def->wavelength;
}

static vo_result find_camera(comparer *c) {
    const vo_run_reader *reference = c->run[VO_COMPARE_REFERENCE].reader;
    vo_frame_camera from;
    for (int i = 0; i < c->def->run_count; i++) VO_TRY(read_frame(c, i, c->run[i].frames.frame[0]));
    for (int i = 0; i < c->def->run_count; i++) VO_TRY(check_scene(c, i));
    VO_TRY(vo_frame_camera_find(&c->render, vo_run_reader_scene(reference),
                                vo_run_reader_time(reference), &from));
    choose_size(c, &from);
    c->out->slow = c->def->slow;
    c->out->framed = !from.given;
    c->render.options.width = c->out->width;
    c->render.options.height = c->out->height;
    return from.given ? VO_OK : find_extent(c);
}

/* ---- frames -------------------------------------------------------------------------- */

static vo_frame_comparison begin_frame(int frame, const vo_stats *line) {
    vo_frame_comparison f = {.frame = frame};
#define X(name, unit, meaning) f.name = NAN;
    VO_COMPARE_FIELDS(X)
#undef X
    if (!line) return f;
    f.faces = line->faces;
    f.verts = line->verts;
    if (frame > 0 && line->wall_s > 0) f.seconds = line->wall_s; /* frame 0 is set-up */
    return f;
}

/* Reads and renders a frame of a run and measures it alone. The reference sets the view. */
static vo_result render_frame(comparer *c, int i, int frame, vo_compare_view *view,
                              vo_frame_comparison *out) {
    vo_compare_run *run = &c->run[i];
    const vo_stats *stats = vo_run_reader_find_stats(run->reader, frame);
    VO_TRY(read_frame(c, i, frame));
    if (i == VO_COMPARE_REFERENCE) {
        VO_TRY(find_view(c, vo_run_reader_time(run->reader), view));
        view->origin = vo_compare_centre(run);
    }
    VO_TRY(vo_compare_run_render(run, view));
    return vo_compare_measure_own(run, stats ? stats->popping : NAN, out);
}

static vo_result write_diff_image(comparer *c, int run, int frame) {
    char path[VO_PATH_SIZE + 300], name[256];
    const vo_gbuffer_pass *pass = &c->run[run].pass;
    const vo_gbuffer_pass *reference = &c->run[VO_COMPARE_REFERENCE].pass;
    snprintf(name, sizeof name, "run%d_%04d.png", run, frame);
    vo_path_join(path, sizeof path, c->def->output, name);
    return vo_diff_image_save(&c->diff, &pass->gbuffer, &reference->gbuffer, &pass->def.camera,
                              path);
}

static double time_step(const comparer *c) {
    return current_scene(c, VO_COMPARE_REFERENCE)->def.frame_time;
}

static vo_result compare_run(comparer *c, int run, int frame, bool renders, vo_compare_view *view) {
    const vo_stats *line = vo_run_reader_find_stats(c->run[run].reader, frame);
    vo_frame_comparison f = begin_frame(frame, line);
    if (renders) {
        VO_TRY(render_frame(c, run, frame, view, &f));
        if (run != VO_COMPARE_REFERENCE) {
            VO_TRY(vo_compare_measure_pair(&c->run[run], &c->run[VO_COMPARE_REFERENCE],
                                           c->out->wavelength, &f));
            if (c->def->images) VO_TRY(write_diff_image(c, run, frame));
        }
    }
    if (line) f.popping = line->popping_px * popping_scale(c, frame * time_step(c));
    c->out->run[run].frame[c->added[run]++] = f;
    return VO_OK;
}

static vo_result compare_frame(comparer *c, int frame, bool renders) {
    vo_compare_view view = {.everything = c->def->images};
    VO_TRY(compare_run(c, VO_COMPARE_REFERENCE, frame, renders, &view));
    for (int run = 0; run < c->def->run_count; run++)
        if (run != VO_COMPARE_REFERENCE && has_frame(&c->run[run].frames, frame))
            VO_TRY(compare_run(c, run, frame, renders, &view));
    return VO_OK;
}

static vo_result compare_frames(comparer *c) {
    const vo_frame_list *list = &c->run[VO_COMPARE_REFERENCE].frames;
    vo_frame_loop loop = {.ctx = c->ctx,
                          .folder = c->def->runs[VO_COMPARE_REFERENCE],
                          .operation = "comparing frames",
                          .progress = c->def->progress,
                          .user = c->def->user,
                          .start = c->start,
                          .first = list->frame[0],
                          .last = list->frame[list->count - 1]};
    for (int i = 0; i < list->count; i++) {
        VO_TRY(vo_frame_loop_begin_frame(&loop, list->frame[i]));
        VO_TRY(compare_frame(c, list->frame[i], i % c->def->step == 0));
        VO_TRY(vo_frame_loop_end_frame(&loop, list->frame[i], NULL));
    }
    return VO_OK;
}

/* ---- public call ---------------------------------------------------------------------------- */

static vo_result compare(comparer *c) {
    VO_TRY(check_def(c));
    if (c->def->output) VO_TRY(vo_folder_spare_run(c->ctx, c->def->output));
    for (int i = 0; i < c->def->run_count; i++) {
        c->run[i].ctx = c->ctx;
        VO_TRY(open_reader(c, i));
    }
    VO_TRY(make_results(c));
    for (int i = 0; i < c->def->run_count; i++)
        VO_TRY(vo_compare_run_open(c->ctx, &c->render.options, &c->run[i]));
    if (c->def->output) VO_TRY(vo_folder_create(c->ctx, c->def->output));
    VO_TRY(find_camera(c));
    VO_TRY(compare_frames(c));
    VO_TRY(vo_comparison_sum(c->ctx, c->out));
    if (!c->def->output) return VO_OK;
    VO_TRY(vo_comparison_write(c->ctx, c->out, c->def->output));
    return vo_comparison_plot(c->ctx, c->out, c->def->output);
}

vo_result vo_compare(vo_context *ctx, const vo_compare_def *def, vo_comparison *out) {
    *out = (vo_comparison){0};
    comparer *c = vo_new(ctx, comparer);
    if (!c) return vo_fail_memory(ctx, "the comparison");
    c->ctx = ctx;
    c->def = def;
    c->out = out;
    c->diff = (vo_diff_image){.ctx = ctx};
    c->render = vo_render_def_default();
    c->render.camera = def->camera;
    c->render.options = def->options;
    c->render.options.wireframe = false;
    c->start = vo_now();
    vo_result result = compare(c);
    for (int i = 0; i < VO_COMPARE_MAX_RUNS; i++) vo_compare_run_close(&c->run[i]);
    vo_diff_image_free(&c->diff);
    vo_delete(ctx, c);
    if (result != VO_OK) vo_comparison_free(ctx, out);
    return result;
}
