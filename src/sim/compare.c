/* Runs of one scene side by side. */
#include "sim/compare.h"

#include "codec/image.h"
#include "core/memory.h"
#include "core/timer.h"
#include "picture/contrast.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_WIDTH = 1920, DEFAULT_HEIGHT = 1080 };

typedef struct comparer {
    vo_context *ctx;
    const vo_compare_def *def;
    vo_comparison *out;
    vo_frame_list list[VO_COMPARE_MAX_RUNS];  /* frames in the range that was asked for */
    vo_stats_list stats[VO_COMPARE_MAX_RUNS]; /* lines by file order */
    vo_compare_eye eye[VO_COMPARE_MAX_RUNS];
    int added[VO_COMPARE_MAX_RUNS]; /* frames of the results that are filled in */
    vo_render_def look;             /* its camera and shot: how to look */
    vo_extent extent;               /* where there is no camera */
    vo_contrast contrast;
    double start;
} comparer;

vo_compare_def vo_compare_def_default(void) {
    return (vo_compare_def){.last = -1, .step = 1, .slow = 0.25, .shot = vo_shot_default()};
}

/* ---- is it sensible? ------------------------------------------------------------------------- */

static bool is_size(int pixels) { return pixels >= 0 && pixels <= VO_MAX_PIXELS; }

/* The sentence after the member's name; NULL: nothing is wrong. */
static const char *defect(const vo_compare_def *d) {
    if (d->run_count < 2 || d->run_count > VO_COMPARE_MAX_RUNS || !d->runs)
        return "runs: there must be 2 to 16 of them";
    for (int i = 0; i < d->run_count; i++)
        if (!d->runs[i] || (d->names && !d->names[i])) return "runs: each has a folder and a name";
    if (d->step < 1) return "step: must be 1 at least";
    if (!is_size(d->width)) return "width: must be from 1 to 16384 pixels, or 0";
    if (!is_size(d->height)) return "height: must be from 1 to 16384 pixels, or 0";
    if ((d->width == 0) != (d->height == 0)) return "width: goes with height";
    if (!(d->wavelength >= 0 && d->wavelength <= VO_MAX_WAVELENGTH))
        return "wavelength: must be from 0 to 1024 pixels";
    if (!(d->slow >= 0)) return "slow: must be at least 0 m/s";
    if (d->pictures && !d->output) return "pictures: need an output";
    return NULL;
}

static vo_result check_def(comparer *c) {
    const char *text = defect(c->def);
    if (text) return vo_fail(c->ctx, VO_BAD_CALL, "%s", text);
    return vo_shot_check(c->ctx, &c->def->shot);
}

/* ---- frames and statistics ------------------------------------------------------------------- */

static vo_result list_frames(comparer *c, int run) {
    vo_frame_list *list = &c->list[run];
    const char *folder = c->def->runs[run];
    int kept = 0;
    VO_TRY(vo_folder_need_run(c->ctx, folder));
    VO_TRY(vo_folder_list(c->ctx, folder, list));
    VO_TRY(vo_folder_read_stats(c->ctx, folder, &c->stats[run]));
    for (int i = 0; i < list->count; i++)
        if (list->frame[i] >= c->def->first && (c->def->last < 0 || list->frame[i] <= c->def->last))
            list->frame[kept++] = list->frame[i];
    if (kept == 0) return vo_folder_fail_empty(c->ctx, folder, list->count);
    list->count = kept;
    return VO_OK;
}

static bool has_frame(const vo_frame_list *list, int frame) {
    int low = 0, high = list->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list->frame[middle] < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->frame[low] == frame;
}

/* Frames of `a` that `b` has (or has not), counted, or written where `out` is given. */
static int pick(const vo_frame_list *a, const vo_frame_list *b, bool has, int *out) {
    int count = 0;
    for (int i = 0; i < a->count; i++) {
        if (has_frame(b, a->frame[i]) != has) continue;
        if (out) out[count] = a->frame[i];
        count++;
    }
    return count;
}

static bool pick_new(vo_context *ctx, const vo_frame_list *a, const vo_frame_list *b, int *count,
                     int **out) {
    int found = pick(a, b, false, NULL);
    if (found == 0) return true;
    *out = vo_new_array(ctx, int, found);
    if (!*out) return false;
    *count = pick(a, b, false, *out);
    return true;
}

/* ---- the results' memory --------------------------------------------------------------------- */

static const char *last_part(const char *path, size_t *length) {
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--) {}
    *length = end - begin;
    return path + begin;
}

/* Whether the last parts tell the runs apart. */
static bool short_names_differ(const vo_compare_def *d) {
    for (int i = 0; i < d->run_count; i++)
        for (int k = 0; k < i; k++) {
            size_t n, m;
            const char *a = last_part(d->runs[i], &n), *b = last_part(d->runs[k], &m);
            if (n == 0 || m == 0 || (n == m && memcmp(a, b, n) == 0)) return false;
        }
    return true;
}

static char *make_name(comparer *c, int run) {
    size_t length;
    const char *part = last_part(c->def->runs[run], &length);
    if (c->def->names) return vo_copy_string(c->ctx, c->def->names[run]);
    if (!short_names_differ(c->def)) return vo_copy_string(c->ctx, c->def->runs[run]);
    char *name = vo_alloc(c->ctx, length + 1);
    if (!name) return NULL;
    memcpy(name, part, length);
    name[length] = 0;
    return name;
}

static vo_result make_run(comparer *c, int run) {
    vo_compared_run *r = &c->out->run[run];
    const vo_frame_list *own = &c->list[run], *other = &c->list[VO_COMPARE_REFERENCE];
    int count = pick(own, other, true, NULL);
    r->folder = vo_copy_string(c->ctx, c->def->runs[run]);
    r->name = make_name(c, run);
    if (count) r->frame = vo_new_array(c->ctx, vo_compared_frame, count);
    if (r->frame) r->frame_count = count;
    if (r->folder && r->name && (r->frame || !count) &&
        pick_new(c->ctx, own, other, &r->only_here_count, &r->only_here) &&
        pick_new(c->ctx, other, own, &r->only_reference_count, &r->only_reference))
        return VO_OK;
    return vo_fail_memory(c->ctx, "the comparison");
}

static vo_result make_results(comparer *c) {
    c->out->run = vo_alloc_zero(c->ctx, (size_t)c->def->run_count * sizeof *c->out->run);
    if (!c->out->run) return vo_fail_memory(c->ctx, "the comparison");
    c->out->run_count = c->def->run_count;
    c->out->reference = VO_COMPARE_REFERENCE;
    for (int i = 0; i < c->def->run_count; i++) VO_TRY(make_run(c, i));
    for (int i = 0; i < c->def->run_count; i++)
        if (c->out->run[i].frame_count == 0)
            return vo_fail(c->ctx, VO_BAD_CALL, "%s and %s have no frame in common",
                           c->def->runs[i], c->def->runs[VO_COMPARE_REFERENCE]);
    return VO_OK;
}

void vo_comparison_free(vo_context *ctx, vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++) {
        vo_compared_run *r = &c->run[i];
        vo_free_string(ctx, r->folder);
        vo_free_string(ctx, r->name);
        vo_free_array(ctx, r->frame, r->frame_count);
        vo_free_array(ctx, r->only_here, r->only_here_count);
        vo_free_array(ctx, r->only_reference, r->only_reference_count);
    }
    vo_free_array(ctx, c->run, c->run_count);
    *c = (vo_comparison){0};
}

/* ---- the camera ------------------------------------------------------------------------------ */

static vo_result read_frame(comparer *c, int run, int frame) {
    const char *folder = c->def->runs[run];
    vo_compare_eye *eye = &c->eye[run];
    VO_TRY(vo_epoch_follow(c->ctx, folder, frame, &eye->epoch));
    return vo_sim_read_frame(eye->epoch.sim, folder, frame);
}

/* Scenes of different cloths or times cannot be runs of one scene. */
static vo_result check_scene(comparer *c, int run) {
    const vo_scene *a = c->eye[run].epoch.scene, *b = c->eye[VO_COMPARE_REFERENCE].epoch.scene;
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

/* Everything that any run shows in its frames. */
static vo_result survey(comparer *c) {
    for (int run = 0; run < c->def->run_count; run++) {
        const vo_frame_list *list = &c->list[run];
        for (int i = 0; i < vo_frame_list_survey_count(list); i++) {
            VO_TRY(vo_check_stop(c->ctx));
            VO_TRY(read_frame(c, run, vo_frame_list_surveyed(list, i)));
            vo_subject subject = {.sim = c->eye[run].epoch.sim};
            if (run == 0 && i == 0) c->extent = vo_extent_begin(&subject, &c->look.shot);
            vo_extent_add(&c->extent, &subject);
        }
    }
    return VO_OK;
}

/* Pixels of the pictures for one of a camera's, all of whose frame is to be in them. */
static double scale_of(const comparer *c, const vo_camera *camera) {
    return vo_min((double)c->out->width / camera->width, (double)c->out->height / camera->height);
}

/* Through which camera the reference's scene is seen, of the size of the pictures, and the part of
 * them that is its own frame: beyond that nobody asked the runs to be fine. */
static vo_result find_view(comparer *c, double time, vo_compare_view *view) {
    const vo_scene *scene = c->eye[VO_COMPARE_REFERENCE].epoch.scene;
    vo_standpoint from;
    VO_TRY(vo_standpoint_find(&c->look, scene, time, &from));
    if (!from.given && !c->out->fitted)
        return vo_fail(c->ctx, VO_BAD_DATA,
                       "%s: had a camera before, but has none at %.4g s; compare the frames before "
                       "that, or without its cameras (--camera none)",
                       c->def->runs[VO_COMPARE_REFERENCE], time);
    vo_camera camera = from.given ? from.camera : vo_fit_end(&c->extent.fit);
    double scale = scale_of(c, &camera);
    view->frame = v2(scale * camera.width, scale * camera.height);
    camera.tan_y *= c->out->height / (scale * camera.height);
    camera.tan_x = camera.tan_y * c->out->width / c->out->height;
    camera.width = c->out->width;
    camera.height = c->out->height;
    view->camera = camera;
    return VO_OK;
}

/* What a pixel of popping in the statistics is in the pictures. They do not say in which camera's
 * it was: NaN where not all that count have equal ones, and where runs are looked at otherwise. */
static double zoom_at(const comparer *c, double time) {
    const vo_scene *scene = c->eye[VO_COMPARE_REFERENCE].epoch.scene;
    double zoom = NAN;
    if (c->def->camera || c->def->shot.camera) return NAN;
    for (int i = 0; i < scene->camera_count; i++) {
        double meant = vo_scene_time_meant(scene, i, time);
        if (scene->camera[i].light || !vo_scene_camera_counts(scene, i, meant)) continue;
        vo_camera camera = vo_scene_camera_at(scene, i, meant);
        double scale = scale_of(c, &camera);
        if (!isnan(zoom) && scale != zoom) return NAN;
        zoom = scale;
    }
    return zoom;
}

/* The size that was asked for, or the camera's own, or the usual one. */
static void choose_size(comparer *c, const vo_standpoint *from) {
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
    const vo_compare_eye *reference = &c->eye[VO_COMPARE_REFERENCE];
    vo_standpoint from;
    for (int i = 0; i < c->def->run_count; i++) VO_TRY(read_frame(c, i, c->list[i].frame[0]));
    for (int i = 0; i < c->def->run_count; i++) VO_TRY(check_scene(c, i));
    VO_TRY(vo_standpoint_find(&c->look, reference->epoch.scene, vo_sim_time(reference->epoch.sim),
                              &from));
    choose_size(c, &from);
    c->out->slow = c->def->slow;
    c->out->fitted = !from.given;
    c->look.shot.width = c->out->width;
    c->look.shot.height = c->out->height;
    return from.given ? VO_OK : survey(c);
}

/* ---- frame by frame -------------------------------------------------------------------------- */

static vo_compared_frame begin_frame(int frame, const vo_stats *line) {
    vo_compared_frame f = {.frame = frame};
#define X(name, unit, meaning) f.name = NAN;
    VO_COMPARE_FIELDS(X)
#undef X
    if (!line) return f;
    f.faces = line->faces;
    f.verts = line->verts;
    if (frame > 0 && line->wall_s > 0) f.seconds = line->wall_s; /* frame 0 is the start */
    return f;
}

/* Looks at a frame through the eye of a run, and measures what can be measured of it alone. */
static vo_result look(comparer *c, int run, int frame, vo_compare_view *view,
                      vo_compared_frame *out) {
    vo_compare_eye *eye = &c->eye[run];
    const vo_stats *line = vo_stats_list_find(&c->stats[run], frame);
    VO_TRY(read_frame(c, run, frame));
    if (run == VO_COMPARE_REFERENCE) {
        VO_TRY(find_view(c, vo_sim_time(eye->epoch.sim), view));
        view->origin = vo_compare_middle(eye);
    }
    VO_TRY(vo_compare_eye_look(eye, view));
    return vo_compare_measure_own(eye, line ? line->popping : NAN, out);
}

static vo_result write_picture(comparer *c, int run, int frame) {
    char path[VO_PATH_SIZE + 300], name[256];
    const vo_compare_eye *eye = &c->eye[run], *reference = &c->eye[VO_COMPARE_REFERENCE];
    snprintf(name, sizeof name, "run%d_%04d.png", run, frame);
    vo_path_join(path, sizeof path, c->def->output, name);
    return vo_contrast_save(&c->contrast, &eye->observer.shown, &reference->observer.shown,
                            &eye->observer.def.camera, path);
}

static double time_step(const comparer *c) {
    return c->eye[VO_COMPARE_REFERENCE].epoch.scene->def.frame_time;
}

static vo_result compare_run(comparer *c, int run, int frame, bool looks, vo_compare_view *view) {
    const vo_stats *line = vo_stats_list_find(&c->stats[run], frame);
    vo_compared_frame f = begin_frame(frame, line);
    if (looks) {
        VO_TRY(look(c, run, frame, view, &f));
        if (run != VO_COMPARE_REFERENCE) {
            VO_TRY(vo_compare_measure_pair(&c->eye[run], &c->eye[VO_COMPARE_REFERENCE],
                                           c->out->wavelength, &f));
            if (c->def->pictures) VO_TRY(write_picture(c, run, frame));
        }
    }
    if (line) f.popping = line->popping_px * zoom_at(c, frame * time_step(c));
    c->out->run[run].frame[c->added[run]++] = f;
    return VO_OK;
}

static vo_result compare_frame(comparer *c, int frame, bool looks) {
    vo_compare_view view = {.everything = c->def->pictures};
    VO_TRY(compare_run(c, VO_COMPARE_REFERENCE, frame, looks, &view));
    for (int run = 0; run < c->def->run_count; run++)
        if (run != VO_COMPARE_REFERENCE && has_frame(&c->list[run], frame))
            VO_TRY(compare_run(c, run, frame, looks, &view));
    return VO_OK;
}

static bool keep_going(const comparer *c, int frame) {
    const vo_frame_list *list = &c->list[VO_COMPARE_REFERENCE];
    vo_progress progress = {.frame = frame,
                            .first = list->frame[0],
                            .last = list->frame[list->count - 1],
                            .elapsed_s = vo_now() - c->start};
    return !c->def->progress || c->def->progress(c->def->user, &progress);
}

static vo_result compare_frames(comparer *c) {
    const vo_frame_list *list = &c->list[VO_COMPARE_REFERENCE];
    for (int i = 0; i < list->count; i++) {
        int frame = list->frame[i];
        VO_TRY(compare_frame(c, frame, i % c->def->step == 0));
        if (!keep_going(c, frame) && i + 1 < list->count)
            return vo_fail(c->ctx, VO_STOPPED, "stopped after frame %d", frame);
    }
    return VO_OK;
}

/* ---- together -------------------------------------------------------------------------------- */

static vo_result compare(comparer *c) {
    VO_TRY(check_def(c));
    if (c->def->output) VO_TRY(vo_folder_spare_run(c->ctx, c->def->output));
    for (int i = 0; i < c->def->run_count; i++) VO_TRY(list_frames(c, i));
    VO_TRY(make_results(c));
    for (int i = 0; i < c->def->run_count; i++)
        VO_TRY(vo_compare_eye_open(c->ctx, &c->look.shot, &c->eye[i]));
    if (c->def->output) VO_TRY(vo_folder_make(c->ctx, c->def->output));
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
    c->contrast = (vo_contrast){.ctx = ctx};
    c->look = vo_render_def_default();
    c->look.camera = def->camera;
    c->look.shot = def->shot;
    c->look.shot.wire = false;
    c->start = vo_now();
    vo_result result = compare(c);
    for (int i = 0; i < VO_COMPARE_MAX_RUNS; i++) {
        vo_compare_eye_close(&c->eye[i]);
        vo_frame_list_free(ctx, &c->list[i]);
        vo_stats_list_free(ctx, &c->stats[i]);
    }
    vo_contrast_free(&c->contrast);
    vo_delete(ctx, c);
    if (result != VO_OK) vo_comparison_free(ctx, out);
    return result;
}
