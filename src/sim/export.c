/* Frames as OBJ files, named as ARCSim names them. */
#include "codec/obj.h"
#include "core/timer.h"
#include "sim/epoch.h"
#include "sim/export_files.h"
#include "sim/folder.h"
#include "sim/original.h"

#include <voile/run.h>

vo_export_def vo_export_def_default(void) { return (vo_export_def){.last = -1}; }

typedef struct exporter {
    vo_context *ctx;
    const vo_export_def *def;
    char output[VO_PATH_SIZE];
    vo_epoch epoch; /* of the frame at hand */
    double start;
} exporter;

enum { OUTPUT_SIZE = VO_PATH_SIZE + 64 };

static void output_path(const exporter *e, vo_export_name of, char path[OUTPUT_SIZE]) {
    char name[VO_EXPORT_NAME];
    vo_export_name_print(of, name);
    vo_path_join(path, OUTPUT_SIZE, e->output, name);
}

static vo_result save_cloth(const exporter *e, int frame, int c) {
    char path[OUTPUT_SIZE];
    output_path(e, (vo_export_name){frame, c, false}, path);
    if (e->def->topology == VO_TOPOLOGY_ORIGINAL)
        return vo_original_save(e->epoch.sim, c, e->def->surface, path);
    return vo_obj_save(e->ctx, e->epoch.sim->cloth[c].mesh, path);
}

static vo_result save_obstacle(const exporter *e, int frame, int i) {
    char path[OUTPUT_SIZE];
    if (!e->epoch.sim->obstacle[i].present) return VO_OK;
    output_path(e, (vo_export_name){frame, i, true}, path);
    return vo_obj_save(e->ctx, e->epoch.sim->obstacle[i].mesh, path);
}

static vo_result export_frame(exporter *e, int frame) {
    VO_TRY(vo_epoch_follow(e->ctx, e->def->folder, frame, &e->epoch));
    const vo_sim *sim = e->epoch.sim;
    VO_TRY(vo_sim_read_frame(e->epoch.sim, e->def->folder, frame));
    for (int c = 0; c < sim->cloth_count; c++) VO_TRY(save_cloth(e, frame, c));
    for (int i = 0; e->def->obstacles && i < sim->obstacle_count; i++)
        VO_TRY(save_obstacle(e, frame, i));
    return VO_OK;
}

static bool keep_going(const exporter *e, int frame, int first, int last) {
    vo_progress progress = {
        .frame = frame, .first = first, .last = last, .elapsed_s = vo_now() - e->start};
    return !e->def->progress || e->def->progress(e->def->user, &progress);
}

static vo_result export_frames(exporter *e, const vo_frame_list *list) {
    int first = e->def->first, last = e->def->last, done = 0, before = -1;
    if (last < 0 && list->count) last = list->frame[list->count - 1];
    for (int i = 0; i < list->count; i++) {
        int frame = list->frame[i];
        if (frame < first || frame > last) continue;
        if (done) vo_folder_tell_gap(e->ctx, e->def->folder, before, frame);
        before = frame;
        VO_TRY(export_frame(e, frame));
        done++;
        if (!keep_going(e, frame, first, last) && frame != last)
            return vo_fail(e->ctx, VO_STOPPED, "stopped after frame %d", frame);
    }
    return done ? VO_OK : vo_folder_fail_empty(e->ctx, e->def->folder, list->count);
}

static vo_result export_run(exporter *e, vo_frame_list *list) {
    VO_TRY(vo_folder_need_run(e->ctx, e->def->folder));
    if (e->def->output)
        vo_path_join(e->output, sizeof e->output, "", e->def->output);
    else
        vo_export_folder(e->output, sizeof e->output, e->def->folder);
    VO_TRY(vo_folder_list(e->ctx, e->def->folder, list));
    VO_TRY(vo_folder_spare_run(e->ctx, e->output));
    VO_TRY(vo_folder_make(e->ctx, e->output));
    VO_TRY(export_frames(e, list));
    vo_export_extent own = {.first = list->frame[0],
                            .last = list->frame[list->count - 1],
                            .cloths = e->epoch.sim->cloth_count,
                            .obstacles = e->epoch.sim->obstacle_count};
    vo_exports_tell_others(e->ctx, e->output, own);
    return VO_OK;
}

vo_result vo_run_export_obj(vo_context *ctx, const vo_export_def *def) {
    VO_REQUIRE(ctx, def->folder != NULL);
    exporter e = {.ctx = ctx, .def = def, .start = vo_now()};
    vo_frame_list list = {0};
    vo_result result = export_run(&e, &list);
    vo_frame_list_free(ctx, &list);
    vo_epoch_leave(&e.epoch);
    return result;
}
