/* Is it sound? Meshes, scenes and runs, with every finding named. */
#include "codec/obj.h"
#include "core/file.h"
#include "sim/epoch.h"
#include "sim/findings.h"
#include "sim/folder.h"

#include <string.h>

vo_check_def vo_check_def_default(void) { return (vo_check_def){.last = -1, .ply_frame = -1}; }

/* ---- meshes --------------------------------------------------------------------------------- */

/* Reports every defect; *usable: all faces can be followed to their nodes. */
static vo_result report_defects(vo_findings *f, const vo_mesh_data *data, vo_mesh_use use,
                                bool *usable) {
    vo_mesh_report report;
    VO_TRY(vo_mesh_validate(f->ctx, data, use, &report));
    *usable = true;
    for (int i = 0; i < report.count; i++) {
        char defect[512];
        vo_mesh_defect_kind kind = report.defect[i].kind;
        vo_mesh_defect_text(&report.defect[i], defect, sizeof defect);
        vo_found(f, vo_mesh_defect_is_fatal(kind, use), "%s: %s", f->def->path, defect);
        if (kind == VO_DEFECT_NO_FACES || kind == VO_DEFECT_NOT_FINITE ||
            kind == VO_DEFECT_BAD_INDEX || kind == VO_DEFECT_REPEATED_CORNER)
            *usable = false;
    }
    vo_mesh_report_free(&report);
    return VO_OK;
}

/* A cloth by itself, whatever it is for. */
static vo_result look_at_mesh(vo_findings *f, vo_inspector *in, const vo_mesh_data *data) {
    vo_inspect_mesh mesh = {data->node_count, data->face_count, data->node_x, data->vert_node,
                            (const int(*)[3])data->face_vert};
    vo_inspection inspection;
    vo_inspector_begin(in);
    VO_TRY(vo_inspector_add(in, &mesh, false, 0, false));
    VO_TRY(vo_inspector_look(in, &inspection));
    inspection.inverted_faces = 0; /* these are defects already named */
    vo_inspected where = {.name = f->def->path,
                          .mesh = true,
                          .advice = "separate them where the mesh was made; --ply FILE pictures "
                                    "the place"};
    vo_findings_inspected(f, &where, &inspection);
    return vo_findings_picture(f, 0, in, &inspection);
}

static vo_result inspect_mesh(vo_findings *f, const vo_mesh_data *data) {
    vo_inspector in = {.ctx = f->ctx};
    vo_result result = look_at_mesh(f, &in, data);
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

/* What the scene has is told. A run begins with what untangling made of it: where that is not
 * clean, it is what must be seen. */
static vo_result inspect_start(vo_findings *f, const vo_sim *sim) {
    vo_inspection given, start;
    VO_TRY(vo_sim_inspect(sim, &start));
    VO_TRY(vo_sim_inspect_given(sim, &given));
    bool resolved = vo_inspection_is_clean(&start);
    vo_inspected where = {.name = f->def->path,
                          .advice = resolved ? "a run puts them apart before its first frame"
                                             : "a run does not resolve all of it: move them apart "
                                               "in the scene; --ply FILE pictures what is left"};
    vo_findings_inspected(f, &where, &given);
    if (resolved) return vo_findings_picture(f, 0, sim->inspector, &given);
    VO_TRY(vo_sim_inspect(sim, &start));
    return vo_findings_picture(f, 0, sim->inspector, &start);
}

/* Simulations do not know the file that they are of. */
static bool names_scene(const vo_findings *f, const char *text) {
    size_t length = strlen(f->def->path);
    return strncmp(text, f->def->path, length) == 0 && text[length] == ':';
}

static vo_result create_sim(const vo_findings *f, const vo_scene *scene, vo_sim **out) {
    vo_result result = vo_sim_create(f->ctx, scene, out);
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

/* The context's own log while warnings are taken as findings. */
typedef struct diversion {
    vo_findings *f;
    vo_log_fn *log;
    void *log_user;
} diversion;

static void warning_as_finding(void *user, vo_log_level level, const char *text) {
    const diversion *d = user;
    bool named = names_scene(d->f, text);
    if (level == VO_LOG_WARNING)
        vo_found(d->f, false, "%s%s%s", named ? "" : d->f->def->path, named ? "" : ": ", text);
    else if (d->log)
        d->log(d->log_user, level, text);
}

/* Loads it as a run would, with the warnings as findings. The rest of the log stays one. */
static vo_result check_scene(vo_findings *f) {
    diversion d = {f, f->ctx->log, f->ctx->log_user};
    f->ctx->log = warning_as_finding;
    f->ctx->log_user = &d;
    vo_result result = load_and_inspect(f);
    f->ctx->log = d.log;
    f->ctx->log_user = d.log_user;
    return result;
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* The scene with all that was changed in it is checked first; each frame then against its own. */
static vo_result check_run(vo_findings *f) {
    char path[VO_PATH_SIZE];
    vo_scene *scene = NULL;
    vo_folder_scene(path, sizeof path, f->def->path);
    VO_TRY(vo_scene_load(f->ctx, path, 0, NULL, &scene));
    vo_scene_destroy(scene);
    return vo_check_frames(f);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static vo_result check_kind(vo_findings *f) {
    switch (f->def->kind) {
    case VO_CHECK_RUN:
        return check_run(f);
    case VO_CHECK_SCENE:
        return check_scene(f);
    case VO_CHECK_CLOTH:
    case VO_CHECK_OBSTACLE:
        return check_mesh(f);
    }
    return vo_fail(f->ctx, VO_BAD_CALL, "%s: the kind is not one of vo_check_kind", f->def->path);
}

vo_result vo_check(vo_context *ctx, const vo_check_def *def, bool *pictured) {
    VO_REQUIRE(ctx, def->path != NULL);
    vo_findings f = {.ctx = ctx, .def = def};
    vo_result result = vo_findings_conclude(&f, check_kind(&f));
    if (pictured) *pictured = f.pictured;
    if (def->unread) *def->unread = f.unread;
    return result;
}

static vo_result check_in_short(vo_context *ctx, vo_check_kind kind, const char *path,
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
    return check_in_short(ctx, use == VO_MESH_FOR_OBSTACLE ? VO_CHECK_OBSTACLE : VO_CHECK_CLOTH,
                          path, fn, user);
}

vo_result vo_check_scene(vo_context *ctx, const char *path, vo_finding_fn *fn, void *user) {
    return check_in_short(ctx, VO_CHECK_SCENE, path, fn, user);
}

vo_result vo_check_run(vo_context *ctx, const char *folder, vo_finding_fn *fn, void *user) {
    return check_in_short(ctx, VO_CHECK_RUN, folder, fn, user);
}
