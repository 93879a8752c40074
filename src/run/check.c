/* Checks of meshes, scenes and runs (<voile/check.h>). */
#include "codec/obj.h"
#include "core/file.h"
#include "realtime/realtime.h"
#include "run/findings.h"
#include "sim/sim.h"

#include <string.h>

vo_check_def vo_check_def_default(void) { return (vo_check_def){.last = -1, .ply_frame = -1}; }

/* ---- meshes --------------------------------------------------------------------------------- */

/* Reports all defects of the mesh. *usable: indices and positions allow an inspection. */
static vo_result report_defects(vo_findings *f, const vo_mesh_data *data, vo_mesh_use use,
                                bool *usable) {
    vo_mesh_report report;
    VO_TRY(vo_mesh_validate(f->ctx, data, use, &report));
    *usable = true;
    for (int i = 0; i < report.count; i++) {
        char defect[512];
        vo_mesh_defect_kind kind = report.defect[i].kind;
        vo_mesh_defect_text(&report.defect[i], defect, sizeof defect);
        vo_findings_add(f, vo_mesh_defect_is_fatal(kind, use), "%s: %s", f->def->path, defect);
        if (kind == VO_DEFECT_NO_FACES || kind == VO_DEFECT_NOT_FINITE ||
            kind == VO_DEFECT_BAD_INDEX || kind == VO_DEFECT_REPEATED_CORNER)
            *usable = false;
    }
    vo_mesh_report_free(&report);
    return VO_OK;
}

/* Self-intersections of a mesh. */
static vo_result inspect_with(vo_findings *f, vo_inspector *in, const vo_mesh_data *data) {
    vo_inspect_mesh mesh = {data->node_count, data->face_count, data->node_x, data->vert_node,
                            (const int(*)[3])data->face_vert};
    vo_inspection inspection;
    vo_inspector_begin(in);
    VO_TRY(vo_inspector_add(in, &mesh, false, 0, VO_INSPECT_OPEN));
    VO_TRY(vo_inspector_inspect(in, &inspection));
    inspection.inverted_faces = 0; /* reported as defects of the mesh */
    vo_inspected where = {.name = f->def->path,
                          .mesh = true,
                          .advice = "separate them in the program that made the mesh"};
    vo_findings_inspected(f, &where, &inspection);
    return vo_findings_write_ply(f, 0, in, &inspection);
}

static vo_result inspect_mesh(vo_findings *f, const vo_mesh_data *data) {
    vo_inspector in = {.ctx = f->ctx};
    vo_result result = inspect_with(f, &in, data);
    vo_inspector_free(&in);
    return result;
}

static vo_result check_mesh(vo_findings *f) {
    vo_bytes bytes;
    vo_mesh_data data = {0};
    bool usable = false;
    vo_mesh_use use = f->def->kind == VO_CHECK_OBSTACLE ? VO_MESH_FOR_OBSTACLE : VO_MESH_FOR_CLOTH;
    VO_TRY(vo_file_read(f->ctx, f->def->path, &bytes));
    vo_result result = vo_obj_parse(f->ctx, f->def->path, bytes.data, bytes.size, &data);
    if (result == VO_OK) result = report_defects(f, &data, use, &usable);
    if (result == VO_OK && usable) result = inspect_mesh(f, &data);
    vo_mesh_data_free(f->ctx, &data);
    vo_bytes_free(f->ctx, &bytes);
    return result;
}

/* ---- scenes --------------------------------------------------------------------------------- */

static const char *find_start_advice(const vo_sim *sim, bool resolved) {
    if (sim->scene->def.engine == VO_ENGINE_REALTIME)
        return "the real-time engine does not separate them before its first frame; move them "
               "apart in the scene";
    return resolved ? "a run separates them before its first frame"
                    : "a run cannot separate all of them; move them apart in the scene";
}

/* Reports the state that the scene describes. The PLY file shows what untangling leaves of its
 * intersections, or the described state if untangling resolves all of them. */
static vo_result inspect_start(vo_findings *f, const vo_sim *sim) {
    vo_inspection given, start;
    VO_TRY(vo_sim_inspect(sim, &start));
    VO_TRY(vo_sim_inspect_initial(sim, &given));
    bool resolved = vo_inspection_is_clean(&start);
    vo_inspected where = {.name = f->def->path, .advice = find_start_advice(sim, resolved)};
    vo_findings_inspected(f, &where, &given);
    if (resolved) return vo_findings_write_ply(f, 0, sim->inspector, &given);
    VO_TRY(vo_sim_inspect(sim, &start));
    return vo_findings_write_ply(f, 0, sim->inspector, &start);
}

/* True if a message begins with the path of the scene, which those of simulations do not. */
static bool names_scene(const vo_findings *f, const char *text) {
    size_t length = strlen(f->def->path);
    return strncmp(text, f->def->path, length) == 0 && text[length] == ':';
}

static vo_result create_sim(const vo_findings *f, const vo_scene *scene, vo_sim **out) {
    bool realtime = scene->def.engine == VO_ENGINE_REALTIME;
    vo_result result = realtime ? vo_realtime_check_scene(f->ctx, scene) : VO_OK;
    if (result == VO_OK) result = vo_sim_create(f->ctx, scene, out);
    if (result == VO_OK || result == VO_NO_MEMORY || result == VO_IO_FAILED) return result;
    if (names_scene(f, f->ctx->message)) return result;
    return vo_fail(f->ctx, result, "%s: %s", f->def->path, f->ctx->message);
}

static vo_result load_and_inspect(vo_findings *f) {
    vo_scene *scene = NULL;
    vo_sim *sim = NULL;
    vo_result result = vo_scene_load(f->ctx, f->def->path, 0, NULL, &scene);
    if (result == VO_OK) result = create_sim(f, scene, &sim);
    if (result == VO_OK) result = inspect_start(f, sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    return result;
}

/* The log of the context while warnings are converted to findings. */
typedef struct log_redirect {
    vo_findings *f;
    vo_log_fn *log;
    void *log_user;
} log_redirect;

static void warning_as_finding(void *user, vo_log_level level, const char *text) {
    const log_redirect *d = user;
    bool named = names_scene(d->f, text);
    if (level == VO_LOG_WARNING)
        vo_findings_add(d->f, false, "%s%s%s", named ? "" : d->f->def->path, named ? "" : ": ",
                        text);
    else if (d->log)
        d->log(d->log_user, level, text);
}

/* Loads the scene like a run. Warnings become findings, without the limits that keep a log short;
 * other levels remain in the log. */
static vo_result check_scene(vo_findings *f) {
    log_redirect d = {f, f->ctx->log, f->ctx->log_user};
    f->ctx->log = warning_as_finding;
    f->ctx->log_user = &d;
    f->ctx->log_all = true;
    vo_result result = load_and_inspect(f);
    f->ctx->log_all = false;
    f->ctx->log = d.log;
    f->ctx->log_user = d.log_user;
    return result;
}

/* ---- public calls ---------------------------------------------------------------------------- */

static vo_result check_kind(vo_findings *f) {
    switch (f->def->kind) {
    case VO_CHECK_RUN:
        return vo_check_frames(f);
    case VO_CHECK_SCENE:
        return check_scene(f);
    case VO_CHECK_CLOTH:
    case VO_CHECK_OBSTACLE:
        return check_mesh(f);
    }
    return vo_fail(f->ctx, VO_BAD_ARGUMENT, "%s: kind: is not a vo_check_kind", f->def->path);
}

vo_result vo_check(vo_context *ctx, const vo_check_def *def, bool *wrote_ply) {
    VO_REQUIRE(ctx, def->path != NULL);
    vo_findings f = {.ctx = ctx, .def = def};
    vo_result result = vo_findings_conclude(&f, check_kind(&f));
    if (wrote_ply) *wrote_ply = f.wrote_ply;
    if (def->unreadable_frames) *def->unreadable_frames = f.unreadable;
    return result;
}

static vo_result check_path(vo_context *ctx, vo_check_kind kind, const char *path,
                            vo_finding_fn *fn, void *user) {
    vo_check_def def = vo_check_def_default();
    def.kind = kind;
    def.path = path;
    def.finding = fn;
    def.user = user;
    return vo_check(ctx, &def, NULL);
}

vo_result vo_check_mesh(vo_context *ctx, const char *path, vo_mesh_use use, vo_finding_fn *fn,
                        void *user) {
    return check_path(ctx, use == VO_MESH_FOR_OBSTACLE ? VO_CHECK_OBSTACLE : VO_CHECK_CLOTH, path,
                      fn, user);
}

vo_result vo_check_scene(vo_context *ctx, const char *path, vo_finding_fn *fn, void *user) {
    return check_path(ctx, VO_CHECK_SCENE, path, fn, user);
}

vo_result vo_check_run(vo_context *ctx, const char *folder, vo_finding_fn *fn, void *user) {
    return check_path(ctx, VO_CHECK_RUN, folder, fn, user);
}
