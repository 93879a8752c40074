/* Runs on disk: simulated from the start, or resumed after the last intact frame.
 *
 * A run survives a crash at any time: a frame file is written under a temporary name and renamed,
 * so it is complete or absent; it contains the whole state, so resuming needs nothing else; its
 * line of statistics is appended afterwards and can be restored from it. */
#include "core/plural.h"
#include "core/timer.h"
#include "realtime/realtime.h"
#include "run/export_files.h"
#include "run/folder.h"
#include "run/log_filter.h"
#include "run/reader.h"
#include "run/run_overrides.h"
#include "sew/sew.h"

#include <voile/run.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
    vo_context *ctx;
    const vo_run_def *def;
    const char *folder;
    vo_run_segment segment; /* of the current frame */
    vo_realtime *realtime;  /* engine realtime; NULL: the simulation steps itself */
    vo_vof_writer *writer;
    int lock;
    bool has_assets; /* the first frame of the run, which contains them, is written */
    int first, last; /* frames to write; last is -1 without an end */
    int start_frame; /* first frame of the run */
    int reached;     /* last frame that exists or existed, intact or not; -1: none */
    double start;    /* wall clock */
    char damage[VO_PATH_SIZE + 256]; /* defect of the frame after the last intact one; or "" */
} run;

vo_run_def vo_run_def_default(void) { return (vo_run_def){.last_frame = -1}; }

/* ---- writing frames ------------------------------------------------------------------------- */

static void set_resumable(const run *r, int frame) {
    if (r->def->resumable_frame) *r->def->resumable_frame = frame;
}

static vo_result write_frame(run *r) {
    char path[VO_PATH_SIZE];
    double start = vo_now();
    vo_stats *stats = &r->segment.sim->stats;
    vo_folder_frame(path, sizeof path, r->folder, stats->frame);
    VO_TRY(r->realtime ? vo_realtime_save(r->realtime, r->writer, !r->has_assets, path)
                       : vo_sim_save(r->segment.sim, r->writer, path));
    r->has_assets = true;
    set_resumable(r, stats->frame); /* its statistics can be restored from it */
    vo_sim_add_write_time(r->segment.sim, vo_now() - start);
    vo_sim_view_report_budget(r->segment.sim);
    return vo_folder_append_stats(r->ctx, r->folder, stats);
}

/* Reports the frame, also when the run is cancelled after it; false if the caller cancels. */
static bool keep_going(const run *r) {
    if (!r->def->progress) return !vo_is_cancelled(r->ctx);
    int frame = vo_sim_frame(r->segment.sim);
    vo_progress progress = {.frame = frame,
                            .discarded = frame < r->first,
                            .first = r->first,
                            .last = r->last,
                            .elapsed_s = vo_now() - r->start,
                            .stats = &r->segment.sim->stats};
    return r->def->progress(r->def->user, &progress) && !vo_is_cancelled(r->ctx);
}

/* A changed scene may have other obstacles, a larger thickness or further collisions: intersections
 * that it causes are resolved before the first step. */
static vo_result fit_to_scene(run *r) {
    return r->segment.changed && !r->realtime ? vo_sim_fit_to_scene(r->segment.sim) : VO_OK;
}

/* Reads the state of a frame and of the first one, which contains the assets. */
static vo_result restore_realtime(run *r, int frame) {
    char path[VO_PATH_SIZE];
    vo_vof_reader *first, *last;
    vo_realtime_destroy(r->realtime);
    r->realtime = NULL;
    vo_folder_frame(path, sizeof path, r->folder, frame);
    VO_TRY(vo_folder_open_frame(r->ctx, r->folder, r->start_frame, &first));
    vo_result result = vo_folder_open_frame(r->ctx, r->folder, frame, &last);
    if (result == VO_OK) {
        result = vo_realtime_restore(r->segment.sim, first, last, path, &r->realtime);
        vo_vof_close(last);
    }
    vo_vof_close(first);
    r->has_assets = true;
    return result;
}

/* Continues from a frame with the engine of the segment. */
static vo_result restore_frame(run *r, int frame) {
    if (r->segment.scene->def.engine == VO_ENGINE_REALTIME) return restore_realtime(r, frame);
    return vo_run_restore_frame(r->segment.sim, r->folder, frame);
}

/* Where the recorded scene changes after the frame just written, continues from its file with the
 * scene of the next segment, like a resumed run. */
static vo_result enter_next_segment(run *r) {
    int frame = vo_sim_frame(r->segment.sim);
    if (frame + 1 < r->segment.next) return VO_OK;
    vo_realtime_destroy(r->realtime); /* it refers to the simulation */
    r->realtime = NULL;
    VO_TRY(vo_run_segment_seek(r->ctx, r->folder, frame + 1, &r->segment));
    VO_TRY(restore_frame(r, frame));
    return fit_to_scene(r);
}

/* Advances to the end of the frame. Unlike vo_sim_step_frame it does not stop in the middle of it:
 * a cancelled run ends with a finished frame. */
static vo_result finish_frame(run *r) {
    vo_sim *sim = r->segment.sim;
    if (r->realtime) return vo_realtime_step_frame(r->realtime);
    do VO_TRY(vo_sim_step(sim));
    while (sim->substep != 0);
    return VO_OK;
}

static vo_result simulate_frames(run *r) {
    for (int frame = vo_sim_frame(r->segment.sim); r->last < 0 || frame < r->last; frame++) {
        VO_TRY(enter_next_segment(r));
        VO_TRY(finish_frame(r));
        VO_TRY(write_frame(r));
        if (r->last >= 0)
            vo_report_work(r->ctx, "simulating frames", frame + 1 - r->first, r->last - r->first);
        if (!keep_going(r) && frame + 1 != r->last)
            return vo_fail(r->ctx, VO_CANCELLED, "%s: cancelled after frame %d", r->folder,
                           frame + 1);
    }
    if (r->realtime) vo_realtime_warn_end(r->realtime);
    return VO_OK;
}

static vo_result set_last_frame(run *r, const vo_scene *scene) {
    r->last = r->def->last_frame >= 0 ? r->def->last_frame : vo_scene_last_frame(&scene->def);
    if (r->last >= 0 || r->def->progress) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_ARGUMENT,
                   "the scene has no end: set end_time, end_frame, duration or last_frame");
}

/* Records last_frame in scene.json, so that resuming ends at the same frame. */
static vo_result record_end(run *r) {
    if (r->def->last_frame < 0) return VO_OK;
    vo_json_cursor root = vo_json_root(&r->segment.scene->resolved);
    vo_json_remove(&root, "duration");
    VO_TRY(vo_json_put_real(&root, "end_time", INFINITY));
    return vo_json_put_int(&root, "end_frame", r->last);
}

static void close_run(run *r) {
    vo_vof_writer_destroy(r->writer);
    vo_realtime_destroy(r->realtime);
    vo_run_segment_close(&r->segment);
    vo_folder_unlock(r->lock);
}

/* ---- a new run ------------------------------------------------------------------------------ */

/* Copies the files that the scene names into the run. Without `replace`, existing copies stay. */
static vo_result copy_inputs(run *r, bool replace) {
    char path[VO_PATH_SIZE];
    for (int i = 0; i < r->segment.scene->input_count; i++) {
        const vo_scene_input *input = &r->segment.scene->input[i];
        vo_path_join(path, sizeof path, r->folder, input->stored);
        if (!replace && vo_file_exists(path)) continue;
        vo_bytes bytes;
        VO_TRY(vo_file_read(r->ctx, input->path, &bytes));
        vo_result result = vo_file_write(r->ctx, path, bytes.data, bytes.size);
        vo_bytes_free(r->ctx, &bytes);
        VO_TRY(result);
    }
    return VO_OK;
}

static vo_result write_scene(run *r, const vo_json_doc *doc) {
    char path[VO_PATH_SIZE], *text;
    size_t size;
    VO_TRY(vo_json_print(doc, &text, &size));
    vo_folder_scene(path, sizeof path, r->folder);
    vo_result result = vo_file_write(r->ctx, path, text, size);
    vo_free(r->ctx, text, size + 1);
    return result;
}

/* Exports of removed frames could be taken for exports of the new ones. */
static vo_result remove_exports(run *r) {
    char path[VO_PATH_SIZE];
    vo_export_folder(path, sizeof path, r->folder);
    return vo_exports_remove(r->ctx, path);
}

/* Removes the frames of an earlier run, the last first, so that the rest remains a valid run. */
static vo_result remove_frames(run *r, const vo_frame_list *list) {
    char path[VO_PATH_SIZE];
    for (int i = list->count - 1; i >= 0; i--) {
        vo_folder_frame(path, sizeof path, r->folder, list->frame[i]);
        if (unlink(path) != 0)
            return vo_fail(r->ctx, VO_IO_FAILED, "%s: cannot remove the old frame", path);
    }
    vo_folder_stats(path, sizeof path, r->folder);
    unlink(path);
    return list->count ? remove_exports(r) : VO_OK;
}

/* A scene.json without frames is not that of a run, perhaps the scene itself. */
static vo_result spare_foreign(const run *r) {
    char scene[VO_PATH_SIZE], frames[VO_PATH_SIZE];
    vo_folder_scene(scene, sizeof scene, r->folder);
    vo_path_join(frames, sizeof frames, r->folder, "frames");
    if (!vo_file_exists(scene) || vo_file_exists(frames)) return VO_OK;
    return vo_fail(
        r->ctx, VO_BAD_ARGUMENT,
        "%s: exists but does not belong to a run and would be overwritten; choose another "
        "folder",
        scene);
}

static vo_result spare_frames(const run *r, const vo_frame_list *list) {
    if (list->count == 0 || r->def->overwrite) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_ARGUMENT,
                   "%s: already contains a run of %d frame%s; resume it, or set overwrite to start "
                   "again",
                   r->folder, list->count, vo_plural(list->count));
}

/* Fails if the run must not be written to the folder. Changes nothing, so it is called before any
 * input is read. The lock is tested before the frames: a run that another process writes can
 * neither be resumed nor overwritten. */
static vo_result check_folder(const run *r) {
    vo_frame_list list;
    VO_TRY(vo_folder_check_path(r->ctx, r->folder));
    VO_TRY(spare_foreign(r));
    VO_TRY(vo_folder_need_unlocked(r->ctx, r->folder));
    VO_TRY(vo_folder_list(r->ctx, r->folder, &list));
    vo_result result = spare_frames(r, &list);
    vo_frame_list_free(r->ctx, &list);
    return result;
}

/* Removes old frames. Repeats the test under the lock: another process may have begun a run. */
static vo_result clear_folder(run *r) {
    vo_frame_list list;
    VO_TRY(vo_folder_list(r->ctx, r->folder, &list));
    vo_result result = spare_frames(r, &list);
    if (result == VO_OK) result = remove_frames(r, &list);
    vo_frame_list_free(r->ctx, &list);
    return result;
}

static vo_result prepare_folder(run *r) {
    char path[VO_PATH_SIZE];
    VO_TRY(spare_foreign(r));
    vo_path_join(path, sizeof path, r->folder, "frames");
    VO_TRY(vo_folder_create(r->ctx, path));
    vo_path_join(path, sizeof path, r->folder, "inputs");
    VO_TRY(vo_folder_create(r->ctx, path));
    VO_TRY(vo_folder_lock(r->ctx, r->folder, &r->lock));
    VO_TRY(clear_folder(r));
    VO_TRY(copy_inputs(r, true));
    return write_scene(r, &r->segment.scene->resolved);
}

/* A new run of the scene.json of a resumed run applies all its overrides from the start: they are
 * part of the resolved scene, and the list is cleared. */
static void fold_overrides(run *r, const char *scene_path) {
    vo_json_cursor root = vo_json_root(&r->segment.scene->resolved);
    if (vo_json_length(vo_json_get(&root, "overrides")) > 0)
        vo_log_line(r->ctx, VO_LOG_WARNING,
                    "%s: overrides: the changes of a resumed run are applied from the first frame",
                    scene_path);
    vo_json_remove(&root, "overrides");
}

/* Simulates up to the first frame that is kept. */
static vo_result simulate_preroll(run *r) {
    vo_sim *sim = r->segment.sim;
    VO_TRY(vo_check_cancel(r->ctx));
    while (vo_sim_frame(sim) < r->first) {
        VO_TRY(finish_frame(r));
        if (vo_sim_frame(sim) < r->first && !keep_going(r))
            return vo_fail(r->ctx, VO_CANCELLED,
                           "%s: cancelled before frame %d, the first to be kept", r->folder,
                           r->first);
    }
    return VO_OK;
}

static vo_result set_first_frame(run *r) {
    r->first = r->start_frame = r->segment.scene->def.start_frame;
    if (r->last < 0 || r->first <= r->last) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_ARGUMENT, "the last frame is %d, before start_frame %d", r->last,
                   r->first);
}

/* Only the scene can provide cameras for a run; a light is not a camera. */
static void warn_no_camera(const run *r, const char *scene_path) {
    const vo_scene *scene = r->segment.scene;
    if (scene->def.adapt != VO_ADAPT_VIEW || vo_scene_find_active_camera(scene, 0) >= 0) return;
    vo_log_line(
        r->ctx, VO_LOG_WARNING, "%s: adapt: there is no camera, so \"view\" is %s; %s", scene_path,
        scene->camera_count > 0 ? "fine only where a light falls"
                                : "as fine everywhere as \"full\"",
        scene->camera_count > 0 ? "add a camera without \"light\": true" : "add the key camera");
}

/* Creates the simulation in its initial state. */
static vo_result create_engine(run *r) {
    if (r->segment.scene->def.engine == VO_ENGINE_QUALITY)
        return vo_sim_create_with_progress(r->ctx, r->segment.scene, r->def->sew_progress,
                                           r->def->user, &r->segment.sim);
    VO_TRY(vo_realtime_check_scene(r->ctx, r->segment.scene));
    VO_TRY(vo_sim_create_sewn(r->ctx, r->segment.scene, r->def->sew_progress, r->def->user,
                              &r->segment.sim));
    return vo_realtime_create(r->segment.sim, &r->realtime);
}

static vo_result run_from_start(run *r, const char *scene_path) {
    r->segment.next = INT_MAX;
    VO_TRY(check_folder(r));
    VO_TRY(vo_scene_load(r->ctx, scene_path, r->def->override_count, r->def->overrides,
                         &r->segment.scene));
    warn_no_camera(r, scene_path);
    VO_TRY(set_last_frame(r, r->segment.scene));
    VO_TRY(set_first_frame(r));
    fold_overrides(r, scene_path);
    VO_TRY(record_end(r));
    VO_TRY(create_engine(r));
    VO_TRY(vo_vof_writer_create(r->ctx, &r->writer));
    VO_TRY(prepare_folder(r));
    VO_TRY(simulate_preroll(r));
    VO_TRY(write_frame(r));
    if (!keep_going(r) && r->last != r->first)
        return vo_fail(r->ctx, VO_CANCELLED, "%s: cancelled after frame %d", r->folder, r->first);
    return simulate_frames(r);
}

vo_result vo_run_simulate(vo_context *ctx, const char *scene_path, const vo_run_def *def) {
    VO_REQUIRE(ctx, def->folder != NULL);
    run r = {.ctx = ctx, .def = def, .folder = def->folder, .lock = -1, .start = vo_now()};
    vo_log_filter filter;
    set_resumable(&r, -1);
    vo_log_filter_begin(&filter, ctx);
    vo_result result = run_from_start(&r, scene_path);
    close_run(&r);
    vo_log_filter_end(&filter);
    return result;
}

/* ---- resuming ------------------------------------------------------------------------------- */

static vo_result verify_frame(run *r, int frame) {
    vo_vof_reader *reader;
    VO_TRY(vo_folder_open_frame(r->ctx, r->folder, frame, &reader));
    vo_vof_close(reader);
    return VO_OK;
}

static void note_missing(run *r, int frame) {
    snprintf(r->damage, sizeof r->damage, "frame %d is missing", frame);
}

/* Records the message of a damaged frame without its advice to resume the run, which is under way.
 */
static void note_damage(run *r) {
    snprintf(r->damage, sizeof r->damage, "%s", r->ctx->message);
    char *advice = strstr(r->damage, "; resume the run");
    if (advice) *advice = 0;
}

/* Finds the last of the consecutive intact frames from the start. The frame after it, missing or
 * damaged, and all later ones are simulated again. */
static vo_result find_last_intact(run *r, const vo_run_reader *reader, int *frame) {
    const vo_frame_list *list = &reader->files.frames;
    r->first = r->start_frame = reader->files.start_frame;
    *frame = r->first - 1;
    for (int i = 0; i < list->count; i++) {
        if (list->frame[i] != *frame + 1) {
            note_missing(r, *frame + 1);
            break;
        }
        VO_TRY(vo_check_cancel(r->ctx));
        vo_result result = verify_frame(r, list->frame[i]);
        if (result == VO_NO_MEMORY) return result;
        if (result != VO_OK) {
            note_damage(r);
            break;
        }
        *frame = list->frame[i];
    }
    if (*frame >= r->first) return VO_OK;
    if (list->count == 0) note_missing(r, r->first);
    return vo_fail(r->ctx, VO_BAD_DATA,
                   "%s: no intact frame to resume from: %s; simulate its scene.json again, "
                   "into another folder (its overrides then apply from the first frame)",
                   r->folder, r->damage);
}

static vo_result find_start(run *r, int *frame) {
    vo_run_reader *reader;
    VO_TRY(vo_run_reader_open(r->ctx, r->folder, &reader));
    const vo_stats_list *stats = &reader->files.stats;
    const vo_frame_list *frames = &reader->files.frames;
    r->reached = stats->count ? stats->stats[stats->count - 1].frame : -1;
    if (frames->count) r->reached = vo_max_int(r->reached, frames->frame[frames->count - 1]);
    vo_result result = find_last_intact(r, reader, frame);
    vo_run_reader_close(reader);
    return result;
}

/* The end is that of the last segment, which may begin later. */
static vo_result find_own_end(run *r) {
    if (r->segment.next == INT_MAX) return set_last_frame(r, r->segment.scene);
    vo_scene *latest;
    VO_TRY(vo_run_segment_scene(r->ctx, r->folder, INT_MAX, r->def->override_count,
                                r->def->overrides, &latest));
    vo_result result = set_last_frame(r, latest);
    vo_scene_destroy(latest);
    return result;
}

/* A run that had passed its end is simulated as far again, unless the caller sets the end. */
static vo_result find_end(run *r) {
    VO_TRY(find_own_end(r));
    bool given = r->def->last_frame >= 0 || r->def->override_count > 0;
    if (!given && r->last >= 0) r->last = vo_max_int(r->last, r->reached);
    return VO_OK;
}

/* Records the overrides in scene.json before any frame depends on them. */
static vo_result record_overrides(run *r, int frame) {
    char path[VO_PATH_SIZE];
    vo_json_doc stored;
    if (r->def->override_count == 0) return VO_OK;
    vo_folder_scene(path, sizeof path, r->folder);
    VO_TRY(vo_json_load(r->ctx, path, &stored));
    vo_result result = vo_scene_record_override(r->segment.scene, &stored, frame + 1,
                                                r->def->override_count, r->def->overrides);
    if (result == VO_OK) result = copy_inputs(r, false);
    if (result == VO_OK) result = write_scene(r, &stored);
    vo_json_free(&stored);
    return result;
}

/* Drops the lines after `frame`, whose frames will be simulated again, and restores the line of
 * `frame` itself if a crash prevented it: the state is measured again, timings and counters are 0.
 */
static vo_result repair_stats(run *r, int frame) {
    vo_stats_list list;
    VO_TRY(vo_folder_read_stats(r->ctx, r->folder, &list));
    vo_result result = VO_OK;
    bool exists = false;
    int kept = 0;
    for (int i = 0; i < list.count; i++) {
        exists |= list.stats[i].frame == frame;
        if (list.stats[i].frame <= frame) list.stats[kept++] = list.stats[i];
    }
    list.count = kept;
    if (!exists) {
        vo_stats *stats = &r->segment.sim->stats;
        vo_sim_view_report_budget(r->segment.sim);
        result = vo_sim_measure_frame(r->segment.sim, stats);
        if (result == VO_OK && !vo_reserve(r->ctx, &list.stats, &list.capacity, kept + 1))
            result = vo_fail_memory(r->ctx, "the statistics");
        if (result == VO_OK) list.stats[list.count++] = *stats;
    }
    if (result == VO_OK) result = vo_folder_write_stats(r->ctx, r->folder, &list);
    vo_stats_list_free(r->ctx, &list);
    return result;
}

/* Loads the scene of the next frame and the state of the last intact one. */
static vo_result restore_run(run *r, int *frame) {
    VO_TRY(find_start(r, frame));
    set_resumable(r, *frame);
    VO_TRY(vo_run_segment_open(r->ctx, r->folder, *frame + 1, r->def->override_count,
                               r->def->overrides, &r->segment));
    VO_TRY(find_end(r));
    VO_TRY(vo_run_check_overrides(r->ctx, r->folder, *frame + 1, r->segment.scene,
                                  r->def->override_count, r->def->overrides));
    return restore_frame(r, *frame);
}

static void warn_damage(const run *r) {
    if (r->damage[0])
        vo_log_line(r->ctx, VO_LOG_WARNING, "%s: the frames from %d on are simulated again: %s",
                    r->folder, r->first, r->damage);
}

static vo_result resume_run(run *r) {
    int frame = 0;
    VO_TRY(vo_folder_need_run(r->ctx, r->folder));
    VO_TRY(vo_folder_lock(r->ctx, r->folder, &r->lock));
    VO_TRY(restore_run(r, &frame));
    bool done = r->last >= 0 && frame >= r->last;
    if (done && r->def->override_count)
        return vo_fail(
            r->ctx, VO_BAD_ARGUMENT,
            "%s: the run is finished with frame %d, so overriding %.*s has no effect; set a "
            "later last_frame",
            r->folder, frame, (int)strcspn(r->def->overrides[0], "="), r->def->overrides[0]);
    VO_TRY(repair_stats(r, frame));
    if (done) return VO_OK;
    r->first = frame + 1;
    if (r->def->override_count) warn_no_camera(r, r->folder);
    VO_TRY(record_overrides(r, frame));
    VO_TRY(vo_vof_writer_create(r->ctx, &r->writer));
    VO_TRY(vo_check_cancel(r->ctx));
    VO_TRY(fit_to_scene(r));
    warn_damage(r);
    return simulate_frames(r);
}

vo_result vo_run_resume(vo_context *ctx, const vo_run_def *def) {
    VO_REQUIRE(ctx, def->folder != NULL);
    run r = {.ctx = ctx, .def = def, .folder = def->folder, .lock = -1, .start = vo_now()};
    vo_log_filter filter;
    set_resumable(&r, -1);
    vo_log_filter_begin(&filter, ctx);
    vo_result result = resume_run(&r);
    close_run(&r);
    vo_log_filter_end(&filter);
    return result;
}
