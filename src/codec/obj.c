#include "codec/obj.h"

#include "core/file.h"

#include <stdio.h>

enum { MAX_WARNINGS = 3 };

/* Logs the first few defects that do not stop anything, then how many more there are. */
static void log_warnings(vo_context *ctx, const char *path, const vo_mesh_report *report) {
    int warnings = 0;
    for (int i = 0; i < report->count; i++) {
        if (vo_mesh_defect_is_fatal(report->defect[i].kind, report->use)) continue;
        if (warnings++ >= MAX_WARNINGS) continue;
        char text[400];
        vo_mesh_defect_text(&report->defect[i], text, sizeof text);
        vo_log_line(ctx, VO_LOG_WARNING, "%s: %s", path, text);
    }
    if (warnings > MAX_WARNINGS)
        vo_log_line(ctx, VO_LOG_WARNING, "%s: and %d more; `voile check` lists them all", path,
                    warnings - MAX_WARNINGS);
}

/* Validates and builds. */
static vo_result accept(vo_context *ctx, const char *path, const vo_mesh_data *data,
                        vo_mesh_use use, vo_mesh **out) {
    vo_mesh_report report;
    VO_TRY(vo_mesh_validate(ctx, data, use, &report));
    vo_result result = VO_OK;
    if (report.fatal_count > 0) {
        char text[512];
        vo_mesh_report_text(&report, text, sizeof text);
        result = vo_fail(ctx, VO_BAD_DATA, "%s: %s", path, text);
    } else
        log_warnings(ctx, path, &report);
    vo_mesh_report_free(&report);
    return result == VO_OK ? vo_mesh_build(ctx, data, out) : result;
}

vo_result vo_obj_load(vo_context *ctx, const char *path, vo_mesh_use use, vo_mesh **out) {
    *out = NULL;
    vo_bytes bytes;
    vo_mesh_data data;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_result result = vo_obj_parse(ctx, path, bytes.data, bytes.size, &data);
    vo_bytes_free(ctx, &bytes);
    if (result != VO_OK) return result;
    result = accept(ctx, path, &data, use, out);
    vo_mesh_data_free(ctx, &data);
    return result;
}

vo_result vo_mesh_load_obj(vo_context *ctx, const char *path, vo_mesh **out) {
    return vo_obj_load(ctx, path, VO_MESH_FOR_CLOTH, out);
}

vo_result vo_mesh_save_obj(vo_context *ctx, const vo_mesh *mesh, const char *path) {
    return vo_obj_save(ctx, mesh, path);
}
