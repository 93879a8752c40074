/* Runs on disk: simulate from the start, or go on after the last intact frame.
 *
 * What makes a run survive: a frame file is written whole under another name and renamed, so it is
 * complete or absent; it holds the whole state, so going on needs nothing else; the statistics are
 * appended after it and can be made good from it. */
#include "core/timer.h"
#include "sim/epoch.h"
#include "sim/export_files.h"
#include "sim/folder.h"
#include "sim/run_sets.h"

#include <voile/run.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
    vo_context *ctx;
    const vo_run_def *def;
    const char *folder;
    vo_epoch epoch; /* of the frame under way */
    vo_vof_writer *writer;
    int lock;
    int first, last; /* frames this call is to write; last is -1 where there is no end */
    int reached;     /* the last frame that there is, whole or not, or was; -1: none */
    double start;    /* wall clock */
    char damage[VO_PATH_SIZE + 256]; /* why the frame after the last whole one is none; or "" */
} run;

vo_run_def vo_run_def_default(void) { return (vo_run_def){.last_frame = -1}; }

/* ---- writing frames ------------------------------------------------------------------------- */

static void note_safe(const run *r, int frame) {
    if (r->def->safe_frame) *r->def->safe_frame = frame;
}

static vo_result write_frame(run *r) {
    char path[VO_PATH_SIZE];
    double start = vo_now();
    vo_stats *stats = &r->epoch.sim->stats;
    vo_folder_frame(path, sizeof path, r->folder, stats->frame);
    VO_TRY(vo_sim_save(r->epoch.sim, r->writer, path));
    note_safe(r, stats->frame); /* its line can be made good from it */
    stats->stage.write = vo_now() - start;
    stats->wall_s += stats->stage.write;
    vo_sim_view_judge(r->epoch.sim);
    return vo_folder_append_stats(r->ctx, r->folder, stats);
}

static bool keep_going(const run *r) {
    if (!r->def->progress) return true;
    int frame = vo_sim_frame(r->epoch.sim);
    vo_progress progress = {.frame = frame,
                            .unkept = frame < r->first,
                            .first = r->first,
                            .last = r->last,
                            .elapsed_s = vo_now() - r->start,
                            .stats = &r->epoch.sim->stats};
    return r->def->progress(r->def->user, &progress);
}

/* Another scene may have other obstacles, a larger thickness, or collide what did not: what
 * intersects in it is put apart before the first step. */
static vo_result fit_to_scene(run *r) {
    return r->epoch.changed ? vo_sim_fit_to_scene(r->epoch.sim) : VO_OK;
}

/* Where the recorded scene changes after the frame just written, the run goes on from its file with
 * the scene that counts from here: as a resumed run would. */
static vo_result follow_overrides(run *r) {
    int frame = vo_sim_frame(r->epoch.sim);
    if (frame + 1 < r->epoch.next) return VO_OK;
    VO_TRY(vo_epoch_follow(r->ctx, r->folder, frame + 1, &r->epoch));
    VO_TRY(vo_sim_restore(r->epoch.sim, r->folder, frame));
    return fit_to_scene(r);
}

static vo_result simulate_frames(run *r) {
    for (int frame = vo_sim_frame(r->epoch.sim); r->last < 0 || frame < r->last; frame++) {
        VO_TRY(follow_overrides(r));
        VO_TRY(vo_sim_step_frame(r->epoch.sim));
        VO_TRY(write_frame(r));
        if (!keep_going(r) && frame + 1 != r->last)
            return vo_fail(r->ctx, VO_STOPPED, "stopped after frame %d", frame + 1);
    }
    return VO_OK;
}

static vo_result set_last_frame(run *r, const vo_scene *scene) {
    r->last = r->def->last_frame >= 0 ? r->def->last_frame : vo_scene_last_frame(&scene->def);
    if (r->last >= 0 || r->def->progress) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_CALL,
                   "the scene has no end (end_time, end_frame or duration) and "
                   "no last frame was given");
}

/* The end that was asked for becomes the run's own, so that resume comes to the same one. */
static vo_result record_end(run *r) {
    if (r->def->last_frame < 0) return VO_OK;
    vo_json_at root = vo_json_root(&r->epoch.scene->resolved);
    vo_json_remove(&root, "duration");
    VO_TRY(vo_json_put_real(&root, "end_time", INFINITY));
    return vo_json_put_int(&root, "end_frame", r->last);
}

static void close_run(run *r) {
    vo_vof_writer_destroy(r->writer);
    vo_epoch_leave(&r->epoch);
    vo_folder_unlock(r->lock);
}

/* ---- a new run ------------------------------------------------------------------------------ */

/* Copies the scene's files into the run; what is there already is one of them. */
static vo_result copy_inputs(run *r, bool replace) {
    char path[VO_PATH_SIZE];
    for (int i = 0; i < r->epoch.scene->input_count; i++) {
        const vo_scene_input *input = &r->epoch.scene->input[i];
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

/* What was exported of frames that are no more would pass for exports of the new ones. */
static vo_result remove_exports(run *r) {
    char path[VO_PATH_SIZE];
    vo_export_folder(path, sizeof path, r->folder);
    return vo_exports_remove(r->ctx, path);
}

/* Takes out what an earlier run left: newest frames first, so that what is there stays a run. */
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

/* A scene.json where there never was a run is somebody's own, perhaps the scene itself. */
static vo_result spare_foreign(const run *r) {
    char scene[VO_PATH_SIZE], frames[VO_PATH_SIZE];
    vo_folder_scene(scene, sizeof scene, r->folder);
    vo_path_join(frames, sizeof frames, r->folder, "frames");
    if (!vo_file_exists(scene) || vo_file_exists(frames)) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_CALL,
                   "%s: is there already and of no run; a run would write over it. Choose another "
                   "folder",
                   scene);
}

static vo_result spare_frames(const run *r, const vo_frame_list *list) {
    char quoted[VO_PATH_SIZE];
    if (list->count == 0 || r->def->overwrite) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_CALL,
                   "%s already holds a run of %d frame%s. Go on with: voile resume %s. To start "
                   "again, add --force.",
                   r->folder, list->count, list->count == 1 ? "" : "s",
                   vo_path_quoted(r->folder, quoted, sizeof quoted));
}

/* Whether the run may be written there. Changes nothing, so it can be asked before anything is
 * read. The lock comes before the frames: what another process writes can neither be gone on with
 * nor started again. */
static vo_result need_room(const run *r) {
    vo_frame_list list;
    VO_TRY(vo_folder_can_be(r->ctx, r->folder));
    VO_TRY(spare_foreign(r));
    VO_TRY(vo_folder_need_unlocked(r->ctx, r->folder));
    VO_TRY(vo_folder_list(r->ctx, r->folder, &list));
    vo_result result = spare_frames(r, &list);
    vo_frame_list_free(r->ctx, &list);
    return result;
}

/* With the folder locked: another call may have begun a run since it was looked at. */
static vo_result make_room(run *r) {
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
    VO_TRY(vo_folder_make(r->ctx, path));
    vo_path_join(path, sizeof path, r->folder, "inputs");
    VO_TRY(vo_folder_make(r->ctx, path));
    VO_TRY(vo_folder_lock(r->ctx, r->folder, &r->lock));
    VO_TRY(make_room(r));
    VO_TRY(copy_inputs(r, true));
    return write_scene(r, &r->epoch.scene->resolved);
}

/* A new run of a scene that another run has changed on its way takes all changes from the start, so
 * they are part of its scene and the list of them is empty. */
static void settle_overrides(run *r, const char *scene_path) {
    vo_json_at root = vo_json_root(&r->epoch.scene->resolved);
    if (vo_json_length(vo_json_get(&root, "overrides")) > 0)
        vo_log_line(r->ctx, VO_LOG_WARNING,
                    "%s: overrides: what a resumed run changed from later frames on counts from "
                    "the first frame of this one",
                    scene_path);
    vo_json_remove(&root, "overrides");
}

/* Steps up to the first frame that is kept. */
static vo_result come_to_first(run *r) {
    vo_sim *sim = r->epoch.sim;
    VO_TRY(vo_check_stop(r->ctx));
    while (vo_sim_frame(sim) < r->first) {
        VO_TRY(vo_sim_step_frame(sim));
        if (vo_sim_frame(sim) < r->first && !keep_going(r))
            return vo_fail(r->ctx, VO_STOPPED, "stopped before frame %d, the first to be kept",
                           r->first);
    }
    return VO_OK;
}

static vo_result set_first_frame(run *r) {
    r->first = r->epoch.scene->def.start_frame;
    if (r->last < 0 || r->first <= r->last) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_CALL,
                   "the run ends with frame %d, before the first that it would keep (start_frame "
                   "%d)",
                   r->last, r->first);
}

/* A run, unlike a host, gets no camera from elsewhere; and a light is none. */
static void tell_unseen(const run *r, const char *scene_path) {
    const vo_scene *scene = r->epoch.scene;
    if (scene->def.adapt != VO_ADAPT_VIEW || vo_scene_shot_camera(scene, 0) >= 0) return;
    vo_log_line(
        r->ctx, VO_LOG_WARNING, "%s: adapt: there is no camera, so \"view\" is %s; %s", scene_path,
        scene->camera_count > 0 ? "fine only where a light falls"
                                : "as fine everywhere as \"full\"",
        scene->camera_count > 0 ? "add a camera without \"light\": true" : "add the key camera");
}

static vo_result run_from_start(run *r, const char *scene_path) {
    r->epoch.next = INT_MAX;
    VO_TRY(need_room(r));
    VO_TRY(vo_scene_load(r->ctx, scene_path, r->def->set_count, r->def->sets, &r->epoch.scene));
    tell_unseen(r, scene_path);
    VO_TRY(set_last_frame(r, r->epoch.scene));
    VO_TRY(set_first_frame(r));
    settle_overrides(r, scene_path);
    VO_TRY(record_end(r));
    VO_TRY(
        vo_sim_create_watched(r->ctx, r->epoch.scene, r->def->sewing, r->def->user, &r->epoch.sim));
    VO_TRY(vo_vof_writer_create(r->ctx, &r->writer));
    VO_TRY(prepare_folder(r));
    VO_TRY(come_to_first(r));
    VO_TRY(write_frame(r));
    if (!keep_going(r) && r->last != r->first)
        return vo_fail(r->ctx, VO_STOPPED, "stopped after frame %d", r->first);
    return simulate_frames(r);
}

vo_result vo_run_simulate(vo_context *ctx, const char *scene_path, const vo_run_def *def) {
    VO_REQUIRE(ctx, def->folder != NULL);
    run r = {.ctx = ctx, .def = def, .folder = def->folder, .lock = -1, .start = vo_now()};
    note_safe(&r, -1);
    vo_result result = run_from_start(&r, scene_path);
    close_run(&r);
    return result;
}

/* ---- going on ------------------------------------------------------------------------------- */

static vo_result verify_frame(run *r, int frame) {
    vo_vof_reader *reader;
    VO_TRY(vo_folder_open_frame(r->ctx, r->folder, frame, &reader));
    vo_vof_close(reader);
    return VO_OK;
}

static void note_missing(run *r, int frame) {
    snprintf(r->damage, sizeof r->damage, "frame %d is missing", frame);
}

/* The last frame of the whole ones from the start on. What is missing or damaged behind it is noted
 * and made again, and with it all that follows. */
static vo_result last_intact_frame(run *r, const vo_frame_list *list, int *frame) {
    VO_TRY(vo_folder_first_frame(r->ctx, r->folder, &r->first));
    *frame = r->first - 1;
    for (int i = 0; i < list->count; i++) {
        if (list->frame[i] != *frame + 1) {
            note_missing(r, *frame + 1);
            break;
        }
        VO_TRY(vo_check_stop(r->ctx));
        vo_result result = verify_frame(r, list->frame[i]);
        if (result == VO_NO_MEMORY) return result;
        if (result != VO_OK) {
            snprintf(r->damage, sizeof r->damage, "%s", r->ctx->message);
            break;
        }
        *frame = list->frame[i];
    }
    if (*frame >= r->first) return VO_OK;
    if (list->count == 0) note_missing(r, r->first);
    return vo_fail(r->ctx, VO_BAD_DATA,
                   "%s: no intact frame to go on from: %s; simulate its scene.json again (what its "
                   "overrides changed then counts from the first frame)",
                   r->folder, r->damage);
}

/* The last frame that the statistics know; -1: none. */
static vo_result last_told_frame(run *r, int *frame) {
    vo_stats_list list;
    VO_TRY(vo_folder_read_stats(r->ctx, r->folder, &list));
    *frame = list.count > 0 ? list.stats[list.count - 1].frame : -1;
    vo_stats_list_free(r->ctx, &list);
    return VO_OK;
}

static vo_result find_start(run *r, int *frame) {
    vo_frame_list list;
    VO_TRY(last_told_frame(r, &r->reached));
    VO_TRY(vo_folder_list(r->ctx, r->folder, &list));
    if (list.count > 0) r->reached = vo_max_int(r->reached, list.frame[list.count - 1]);
    vo_result result = last_intact_frame(r, &list, frame);
    vo_frame_list_free(r->ctx, &list);
    return result;
}

/* The end is what the newest word on it says, also where that counts from a later frame. */
static vo_result find_own_end(run *r) {
    if (r->epoch.next == INT_MAX) return set_last_frame(r, r->epoch.scene);
    vo_scene *latest;
    VO_TRY(vo_epoch_scene(r->ctx, r->folder, INT_MAX, r->def->set_count, r->def->sets, &latest));
    vo_result result = set_last_frame(r, latest);
    vo_scene_destroy(latest);
    return result;
}

/* A run that had got beyond its end comes there again: what is damaged is made again. */
static vo_result find_end(run *r) {
    VO_TRY(find_own_end(r));
    bool told = r->def->last_frame >= 0 || r->def->set_count > 0;
    if (!told && r->last >= 0) r->last = vo_max_int(r->last, r->reached);
    return VO_OK;
}

/* Records changed parameters in scene.json before any frame depends on them. */
static vo_result record_sets(run *r, int frame) {
    char path[VO_PATH_SIZE];
    vo_json_doc stored;
    if (r->def->set_count == 0) return VO_OK;
    vo_folder_scene(path, sizeof path, r->folder);
    VO_TRY(vo_json_load(r->ctx, path, &stored));
    vo_result result = vo_scene_record_override(r->epoch.scene, &stored, frame + 1,
                                                r->def->set_count, r->def->sets);
    if (result == VO_OK) result = copy_inputs(r, false);
    if (result == VO_OK) result = write_scene(r, &stored);
    vo_json_free(&stored);
    return result;
}

/* Drops the lines of frames beyond `frame`, which will be made again, and makes good the line of
 * `frame` itself where a crash came between the two. What it measured then is gone: the state is
 * measured again, and its times and counters are 0. */
static vo_result mend_stats(run *r, int frame) {
    vo_stats_list list;
    VO_TRY(vo_folder_read_stats(r->ctx, r->folder, &list));
    vo_result result = VO_OK;
    bool there = false;
    int kept = 0;
    for (int i = 0; i < list.count; i++) {
        there |= list.stats[i].frame == frame;
        if (list.stats[i].frame <= frame) list.stats[kept++] = list.stats[i];
    }
    list.count = kept;
    if (!there) {
        vo_stats *stats = &r->epoch.sim->stats;
        vo_sim_view_judge(r->epoch.sim);
        result = vo_sim_measure_frame(r->epoch.sim, stats);
        if (result == VO_OK && !vo_reserve(r->ctx, &list.stats, &list.capacity, kept + 1))
            result = vo_fail_memory(r->ctx, "the statistics");
        if (result == VO_OK) list.stats[list.count++] = *stats;
    }
    if (result == VO_OK) result = vo_folder_write_stats(r->ctx, r->folder, &list);
    vo_stats_list_free(r->ctx, &list);
    return result;
}

/* The scene of the coming frame and the state of the last one. */
static vo_result restore_run(run *r, int *frame) {
    VO_TRY(find_start(r, frame));
    note_safe(r, *frame);
    VO_TRY(
        vo_epoch_enter(r->ctx, r->folder, *frame + 1, r->def->set_count, r->def->sets, &r->epoch));
    VO_TRY(find_end(r));
    VO_TRY(vo_run_check_sets(r->ctx, r->folder, *frame + 1, r->epoch.scene, r->def->set_count,
                             r->def->sets));
    return vo_sim_restore(r->epoch.sim, r->folder, *frame);
}

static void tell_damage(const run *r) {
    if (r->damage[0])
        vo_log_line(r->ctx, VO_LOG_WARNING, "%s: the frames from %d on are simulated again: %s",
                    r->folder, r->first, r->damage);
}

static vo_result go_on(run *r) {
    int frame = 0;
    VO_TRY(vo_folder_need_run(r->ctx, r->folder));
    VO_TRY(vo_folder_lock(r->ctx, r->folder, &r->lock));
    VO_TRY(restore_run(r, &frame));
    bool done = r->last >= 0 && frame >= r->last;
    if (done && r->def->set_count)
        return vo_fail(r->ctx, VO_BAD_CALL,
                       "%s: the run is finished with frame %d, so to set %.*s would change "
                       "nothing; ask for a later last frame",
                       r->folder, frame, (int)strcspn(r->def->sets[0], "="), r->def->sets[0]);
    VO_TRY(mend_stats(r, frame));
    if (done) return VO_OK;
    r->first = frame + 1;
    if (r->def->set_count) tell_unseen(r, r->folder);
    VO_TRY(record_sets(r, frame));
    VO_TRY(vo_vof_writer_create(r->ctx, &r->writer));
    VO_TRY(vo_check_stop(r->ctx));
    VO_TRY(fit_to_scene(r));
    tell_damage(r);
    return simulate_frames(r);
}

vo_result vo_run_resume(vo_context *ctx, const vo_run_def *def) {
    VO_REQUIRE(ctx, def->folder != NULL);
    run r = {.ctx = ctx, .def = def, .folder = def->folder, .lock = -1, .start = vo_now()};
    note_safe(&r, -1);
    vo_result result = go_on(&r);
    close_run(&r);
    return result;
}
