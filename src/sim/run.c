/* Runs on disk: simulate from the start, or go on after the last intact frame.
 *
 * What makes a run survive: a frame file is written whole under another name and renamed, so it is
 * complete or absent; it holds the whole state, so going on needs nothing else; the statistics are
 * appended after it and can be made good from it. */
#include "core/timer.h"
#include "sim/folder.h"
#include "sim/sim.h"

#include <voile/run.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
    vo_context *ctx;
    const vo_run_def *def;
    const char *folder;
    vo_scene *scene;
    vo_sim *sim;
    vo_vof_writer *writer;
    int lock;
    int first, last; /* frames this call is to write; last is -1 where there is no end */
    double start;    /* wall clock */
} run;

vo_run_def vo_run_def_default(void) { return (vo_run_def){.last_frame = -1}; }

/* ---- writing frames ---------------------------------------------------------------------------
 */

static vo_result write_frame(run *r) {
    char path[VO_PATH_SIZE];
    double start = vo_now();
    vo_stats *stats = &r->sim->stats;
    vo_folder_frame(path, sizeof path, r->folder, stats->frame);
    VO_TRY(vo_sim_save(r->sim, r->writer, path));
    stats->stage.write = vo_now() - start;
    stats->wall_s += stats->stage.write;
    return vo_folder_append_stats(r->ctx, r->folder, stats);
}

static bool keep_going(const run *r) {
    if (!r->def->progress) return true;
    vo_progress progress = {.frame = r->sim->stats.frame,
                            .first = r->first,
                            .last = r->last,
                            .elapsed_s = vo_now() - r->start,
                            .stats = &r->sim->stats};
    return r->def->progress(r->def->user, &progress);
}

static vo_result simulate_frames(run *r) {
    while (r->last < 0 || vo_sim_frame(r->sim) < r->last) {
        VO_TRY(vo_sim_step_frame(r->sim));
        VO_TRY(write_frame(r));
        if (!keep_going(r) && vo_sim_frame(r->sim) != r->last)
            return vo_fail(r->ctx, VO_STOPPED, "stopped after frame %d", vo_sim_frame(r->sim));
    }
    return VO_OK;
}

/* Last frame of the scene itself; -1: it has no end. */
static int scene_last_frame(const vo_scene_def *def) {
    double last = vo_min(def->end_frame, def->end_time / def->frame_time + 1e-9);
    return last < 1e9 ? (int)last : -1;
}

static vo_result set_last_frame(run *r) {
    r->last = r->def->last_frame >= 0 ? r->def->last_frame : scene_last_frame(&r->scene->def);
    if (r->last >= 0 || r->def->progress) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_CALL,
                   "the scene has no end (end_time, end_frame or duration) and "
                   "no last frame was given");
}

/* The end that was asked for becomes the run's own, so that resume comes to the same one. */
static vo_result record_end(run *r) {
    if (r->def->last_frame < 0) return VO_OK;
    vo_json_at root = vo_json_root(&r->scene->resolved);
    vo_json_remove(&root, "duration");
    VO_TRY(vo_json_put_real(&root, "end_time", INFINITY));
    return vo_json_put_int(&root, "end_frame", r->last);
}

static void close_run(run *r) {
    vo_vof_writer_destroy(r->writer);
    vo_sim_destroy(r->sim);
    vo_scene_destroy(r->scene);
    vo_folder_unlock(r->lock);
}

/* ---- a new run --------------------------------------------------------------------------------
 */

/* Copies the scene's files into the run; what is there already is one of them. */
static vo_result copy_inputs(run *r, bool replace) {
    char path[VO_PATH_SIZE];
    for (int i = 0; i < r->scene->input_count; i++) {
        const vo_scene_input *input = &r->scene->input[i];
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
    return VO_OK;
}

static vo_result make_room(run *r) {
    vo_frame_list list;
    VO_TRY(vo_folder_list(r->ctx, r->folder, &list));
    vo_result result = VO_OK;
    if (list.count && !r->def->overwrite)
        result = vo_fail(r->ctx, VO_BAD_CALL,
                         "%s already holds a run of %d frames; go on with it "
                         "(resume), overwrite it or choose another folder",
                         r->folder, list.count);
    else
        result = remove_frames(r, &list);
    vo_frame_list_free(r->ctx, &list);
    return result;
}

static vo_result prepare_folder(run *r) {
    char path[VO_PATH_SIZE];
    vo_path_join(path, sizeof path, r->folder, "frames");
    VO_TRY(vo_folder_make(r->ctx, path));
    vo_path_join(path, sizeof path, r->folder, "inputs");
    VO_TRY(vo_folder_make(r->ctx, path));
    VO_TRY(vo_folder_lock(r->ctx, r->folder, &r->lock));
    VO_TRY(make_room(r));
    VO_TRY(copy_inputs(r, true));
    return write_scene(r, &r->scene->resolved);
}

static vo_result run_from_start(run *r, const char *scene_path) {
    VO_TRY(vo_scene_load(r->ctx, scene_path, r->def->set_count, r->def->sets, &r->scene));
    VO_TRY(set_last_frame(r));
    VO_TRY(record_end(r));
    VO_TRY(vo_sim_create(r->ctx, r->scene, &r->sim));
    VO_TRY(vo_vof_writer_create(r->ctx, &r->writer));
    VO_TRY(prepare_folder(r));
    VO_TRY(write_frame(r));
    if (!keep_going(r) && r->last != 0) return vo_fail(r->ctx, VO_STOPPED, "stopped after frame 0");
    return simulate_frames(r);
}

vo_result vo_run_simulate(vo_context *ctx, const char *scene_path, const vo_run_def *def) {
    VO_REQUIRE(ctx, def->folder != NULL);
    run r = {.ctx = ctx, .def = def, .folder = def->folder, .lock = -1, .start = vo_now()};
    vo_result result = run_from_start(&r, scene_path);
    close_run(&r);
    return result;
}

/* ---- going on ---------------------------------------------------------------------------------
 */

/* The newest frame whose file is whole; frames above it are named in a warning and made again. */
static vo_result last_intact_frame(run *r, const vo_frame_list *list, int *frame) {
    char path[VO_PATH_SIZE];
    for (int i = list->count - 1; i >= 0; i--) {
        vo_folder_frame(path, sizeof path, r->folder, list->frame[i]);
        vo_result result = vo_vof_verify(r->ctx, path);
        if (result == VO_OK) {
            *frame = list->frame[i];
            return VO_OK;
        }
        if (result == VO_NO_MEMORY) return result;
        vo_log_line(r->ctx, VO_LOG_WARNING, "%s; it will be simulated again", r->ctx->message);
    }
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: no intact frame to go on from; run simulate again",
                   r->folder);
}

static vo_result find_start(run *r, int *frame) {
    vo_frame_list list;
    VO_TRY(vo_folder_list(r->ctx, r->folder, &list));
    vo_result result = last_intact_frame(r, &list, frame);
    vo_frame_list_free(r->ctx, &list);
    return result;
}

/* Records changed parameters in scene.json before any frame depends on them. */
static vo_result record_sets(run *r, int frame) {
    char path[VO_PATH_SIZE];
    vo_json_doc stored;
    if (r->def->set_count == 0) return VO_OK;
    vo_folder_scene(path, sizeof path, r->folder);
    VO_TRY(vo_json_load(r->ctx, path, &stored));
    vo_result result =
        vo_scene_record_override(r->scene, &stored, frame + 1, r->def->set_count, r->def->sets);
    if (result == VO_OK) result = copy_inputs(r, false);
    if (result == VO_OK) result = write_scene(r, &stored);
    vo_json_free(&stored);
    return result;
}

/* Statistics of exactly the frames 0 .. frame: drops lines beyond, makes good a missing last one.
 */
static vo_result mend_stats(run *r, int frame) {
    vo_stats_list list;
    VO_TRY(vo_folder_read_stats(r->ctx, r->folder, &list));
    vo_result result = VO_OK;
    int kept = 0;
    for (int i = 0; i < list.count; i++)
        if (list.stats[i].frame <= frame) list.stats[kept++] = list.stats[i];
    list.count = kept;
    if (kept == 0 || list.stats[kept - 1].frame < frame) {
        if (vo_reserve(r->ctx, &list.stats, &list.capacity, kept + 1))
            list.stats[list.count++] = vo_sim_get_stats(r->sim);
        else
            result = vo_fail_memory(r->ctx, "the statistics");
    }
    if (result == VO_OK) result = vo_folder_write_stats(r->ctx, r->folder, &list);
    vo_stats_list_free(r->ctx, &list);
    return result;
}

static vo_result go_on(run *r) {
    char path[VO_PATH_SIZE];
    int frame = 0;
    vo_folder_scene(path, sizeof path, r->folder);
    if (!vo_file_exists(path))
        return vo_fail(r->ctx, VO_BAD_DATA, "%s is not the folder of a run: it has no scene.json",
                       r->folder);
    VO_TRY(vo_folder_lock(r->ctx, r->folder, &r->lock));
    VO_TRY(find_start(r, &frame));
    VO_TRY(vo_scene_load_at(r->ctx, path, frame + 1, r->def->set_count, r->def->sets, &r->scene));
    VO_TRY(set_last_frame(r));
    VO_TRY(vo_sim_create(r->ctx, r->scene, &r->sim));
    vo_folder_frame(path, sizeof path, r->folder, frame);
    VO_TRY(vo_sim_restore(r->sim, path));
    VO_TRY(mend_stats(r, frame));
    r->first = frame + 1;
    if (r->last >= 0 && frame >= r->last) return VO_OK;
    VO_TRY(record_sets(r, frame));
    VO_TRY(vo_vof_writer_create(r->ctx, &r->writer));
    return simulate_frames(r);
}

vo_result vo_run_resume(vo_context *ctx, const vo_run_def *def) {
    VO_REQUIRE(ctx, def->folder != NULL);
    run r = {.ctx = ctx, .def = def, .folder = def->folder, .lock = -1, .start = vo_now()};
    vo_result result = go_on(&r);
    close_run(&r);
    return result;
}
