/* Check of a run: every frame exists, is intact and is free of intersections. */
#include "realtime/realtime.h"
#include "run/findings.h"
#include "run/frame_loop.h"
#include "run/reader.h"

#include "core/timer.h"

/* Remedy for intersections. */
static const char *find_advice(const vo_scene_def *def) {
    if (def->disable & VO_DISABLE_COLLISION)
        return "the scene disables collision; remove it from \"disable\"";
    if (def->engine == VO_ENGINE_REALTIME && !def->realtime.self_collision)
        return "only vertices of real-time cloth collide, and only with obstacles: set "
               "realtime.self_collision to true, or engine to quality";
    if (def->engine == VO_ENGINE_REALTIME)
        return "cloth that intersects at the start takes some frames to untangle; where a body "
               "leaves cloth no space, raise realtime.rate, or set engine to quality";
    return "raise frame_steps and simulate again";
}

/* True if cloth intersects, or is deepest inside, a character that it collides with as capsules. */
static bool meets_capsules(const vo_scene *scene, const vo_inspection *i) {
    if (scene->def.engine != VO_ENGINE_REALTIME) return false;
    if (i->inside_nodes > 0 && vo_realtime_has_capsules(scene, i->deepest_obstacle)) return true;
    for (int k = 0; k < i->pair_count; k++)
        if (i->pair[k].with_obstacle && vo_realtime_has_capsules(scene, i->pair[k].other))
            return true;
    return false;
}

static vo_result inspect_frame(vo_findings *f, const vo_run_reader *reader, int frame) {
    char path[VO_PATH_SIZE];
    vo_inspection inspection;
    const vo_stats *stats = vo_run_reader_find_stats(reader, frame);
    vo_folder_frame(path, sizeof path, f->def->path, frame);
    VO_TRY(vo_sim_inspect(vo_run_reader_sim(reader), &inspection));
    inspection.frozen_substeps = stats ? stats->frozen_substeps : 0;
    const vo_scene_def *def = &vo_run_reader_scene(reader)->def;
    f->realtime = def->engine == VO_ENGINE_REALTIME;
    vo_inspected where = {.name = path,
                          .frame = frame,
                          .fatal = true,
                          .capsules = meets_capsules(vo_run_reader_scene(reader), &inspection),
                          .advice = find_advice(def)};
    vo_findings_inspected(f, &where, &inspection);
    return vo_findings_write_ply(f, frame, vo_run_reader_sim(reader)->inspector, &inspection);
}

/* A frame that is damaged or cannot be read is a finding; a scene that cannot be loaded ends the
 * check. Positions and velocities of a frame that can be read are finite. */
static vo_result check_frame(vo_findings *f, vo_run_reader *reader, int frame) {
    const vo_scene *scene;
    VO_TRY(vo_run_reader_load_scene(reader, frame, &scene));
    vo_result result = vo_run_reader_read_frame(reader, frame);
    if (result == VO_BAD_DATA || result == VO_IO_FAILED) {
        vo_findings_add(f, true, "%s", f->ctx->message);
        f->unreadable++;
        return VO_OK;
    }
    VO_TRY(result);
    return inspect_frame(f, reader, frame);
}

/* Reports that the frames first to last are missing; nothing if first > last. */
static void report_gap(vo_findings *f, int first, int last) {
    f->unreadable += vo_max_int(0, last - first + 1);
    if (first == last)
        vo_findings_add(f, true, "%s: frame %d is missing", f->def->path, first);
    else if (first < last)
        vo_findings_add(f, true, "%s: frames %d to %d are missing", f->def->path, first, last);
}

/* The last frame that the run has ever had, by its statistics; -1 if they are empty. */
static int last_recorded_frame(const vo_stats_list *stats) {
    return stats->count ? stats->stats[stats->count - 1].frame : -1;
}

static vo_result check_listed(vo_findings *f, vo_run_reader *reader) {
    const vo_frame_list *list = &reader->files.frames;
    int last = f->def->last, recorded = last_recorded_frame(&reader->files.stats);
    int begin = vo_max_int(reader->files.start_frame, f->def->first), next = begin;
    int end = -1;
    for (int i = 0; i < list->count; i++)
        if (last < 0 || list->frame[i] <= last) end = list->frame[i];
    vo_frame_loop loop = {.ctx = f->ctx,
                          .folder = f->def->path,
                          .operation = "checking frames",
                          .progress = f->def->progress,
                          .user = f->def->user,
                          .start = vo_now(),
                          .first = begin,
                          .last = end};
    for (int i = 0; i < list->count; i++) {
        int frame = list->frame[i];
        if (frame < next || (last >= 0 && frame > last)) continue;
        VO_TRY(vo_frame_loop_begin_frame(&loop, frame));
        report_gap(f, next, frame - 1);
        VO_TRY(check_frame(f, reader, frame));
        VO_TRY(vo_frame_loop_end_frame(&loop, frame, vo_run_reader_find_stats(reader, frame)));
        next = frame + 1;
    }
    if (next == begin && list->count && (recorded < begin || (last >= 0 && last < begin)))
        return vo_folder_fail_empty(f->ctx, f->def->path, list->count);
    if (list->count || last >= 0) report_gap(f, next, last >= 0 ? last : recorded);
    return VO_OK;
}

static vo_result need_ply(const vo_findings *f) {
    if (!f->def->ply || f->def->ply_frame < 0 || f->wrote_ply) return VO_OK;
    return vo_fail(f->ctx, VO_BAD_ARGUMENT,
                   "%s: ply_frame: frame %d is not among the checked frames", f->def->path,
                   f->def->ply_frame);
}

/* Loads the scene with all overrides first, so that a defect of it is found without frames. */
static vo_result check_opened(vo_findings *f, vo_run_reader *reader) {
    vo_scene *scene = NULL;
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, f->def->path);
    VO_TRY(vo_scene_load(f->ctx, path, 0, NULL, &scene));
    vo_scene_destroy(scene);
    if (reader->files.frames.count == 0)
        vo_findings_add(f, true, "%s: the run has no frames", f->def->path);
    return check_listed(f, reader);
}

vo_result vo_check_frames(vo_findings *f) {
    vo_run_reader *reader;
    VO_TRY(vo_run_reader_open(f->ctx, f->def->path, &reader));
    vo_result result = check_opened(f, reader);
    vo_run_reader_close(reader);
    vo_findings_after_frames(f);
    return result == VO_OK ? need_ply(f) : result;
}
