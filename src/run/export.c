/* Export of frames as OBJ files with ARCSim's names. */
#include "codec/obj.h"
#include "core/timer.h"
#include "run/export_files.h"
#include "run/frame_loop.h"
#include "run/reader.h"
#include "sim/input_mesh.h"

#include <voile/run.h>

vo_export_def vo_export_def_default(void) { return (vo_export_def){.last = -1}; }

typedef struct exporter {
    vo_context *ctx;
    const vo_export_def *def;
    char output[VO_PATH_SIZE];
    vo_run_reader *reader;
    vo_frame_list list; /* frames to export */
} exporter;

enum { OUTPUT_SIZE = VO_PATH_SIZE + 64 };

static void print_path(const exporter *e, vo_export_name file, char path[OUTPUT_SIZE]) {
    char name[VO_EXPORT_NAME];
    vo_export_name_print(file, name);
    vo_path_join(path, OUTPUT_SIZE, e->output, name);
}

static vo_result save_cloth(const exporter *e, int frame, int c) {
    char path[OUTPUT_SIZE];
    const vo_sim *sim = vo_run_reader_sim(e->reader);
    print_path(e, (vo_export_name){frame, c, false}, path);
    if (e->def->topology == VO_TOPOLOGY_ORIGINAL)
        return vo_input_mesh_save(sim, c, e->def->surface, path);
    return vo_obj_save(e->ctx, sim->cloth[c].mesh, path);
}

static vo_result save_obstacle(const exporter *e, int frame, int i) {
    char path[OUTPUT_SIZE];
    const vo_obstacle_state *obstacle = &vo_run_reader_sim(e->reader)->obstacle[i];
    if (!obstacle->present) return VO_OK;
    print_path(e, (vo_export_name){frame, i, true}, path);
    return vo_obj_save(e->ctx, obstacle->mesh, path);
}

static vo_result export_frame(const exporter *e, int frame) {
    VO_TRY(vo_run_reader_read_frame(e->reader, frame));
    const vo_sim *sim = vo_run_reader_sim(e->reader);
    for (int c = 0; c < sim->cloth_count; c++) VO_TRY(save_cloth(e, frame, c));
    for (int i = 0; e->def->obstacles && i < sim->obstacle_count; i++)
        VO_TRY(save_obstacle(e, frame, i));
    return VO_OK;
}

static vo_result export_frames(const exporter *e) {
    const vo_frame_list *list = &e->list;
    vo_frame_loop loop = {.ctx = e->ctx,
                          .folder = e->def->folder,
                          .operation = "exporting frames",
                          .progress = e->def->progress,
                          .user = e->def->user,
                          .start = vo_now(),
                          .first = list->frame[0],
                          .last = list->frame[list->count - 1]};
    for (int i = 0; i < list->count; i++) {
        int frame = list->frame[i];
        VO_TRY(vo_frame_loop_begin_frame(&loop, frame));
        if (i > 0) vo_folder_warn_gap(e->ctx, e->def->folder, list->frame[i - 1], frame);
        VO_TRY(export_frame(e, frame));
        VO_TRY(vo_frame_loop_end_frame(&loop, frame, vo_run_reader_find_stats(e->reader, frame)));
    }
    return VO_OK;
}

/* Files that an export of the whole run writes. */
static vo_export_extent find_extent(const exporter *e) {
    const vo_frame_list *all = &e->reader->files.frames;
    const vo_sim *sim = vo_run_reader_sim(e->reader);
    return (vo_export_extent){.first = all->frame[0],
                              .last = all->frame[all->count - 1],
                              .cloths = sim->cloth_count,
                              .obstacles = sim->obstacle_count};
}

static vo_result export_run(exporter *e) {
    VO_TRY(vo_run_reader_open(e->ctx, e->def->folder, &e->reader));
    VO_TRY(vo_run_reader_select_frames(e->reader, e->def->first, e->def->last, &e->list));
    if (e->def->output)
        vo_path_join(e->output, sizeof e->output, "", e->def->output);
    else
        vo_export_folder(e->output, sizeof e->output, e->def->folder);
    VO_TRY(vo_folder_spare_run(e->ctx, e->output));
    VO_TRY(vo_folder_create(e->ctx, e->output));
    VO_TRY(export_frames(e));
    vo_exports_warn_others(e->ctx, e->output, find_extent(e));
    return VO_OK;
}

vo_result vo_run_export_obj(vo_context *ctx, const vo_export_def *def) {
    VO_REQUIRE(ctx, def->folder != NULL);
    exporter e = {.ctx = ctx, .def = def};
    vo_result result = export_run(&e);
    vo_frame_list_free(ctx, &e.list);
    vo_run_reader_close(e.reader);
    return result;
}
