/* Passes of cooking. */
#include "cook/cook.h"
#include "cook/levels.h"

#include "codec/obj.h"
#include "core/memory.h"
#include "core/timer.h"

#include <string.h>

vo_cook_def vo_cook_def_default(void) {
    return (vo_cook_def){.max_level = 3,
                         .sew = vo_sew_def_default(),
                         .skin = true,
                         .friction = 0.4,
                         .thickness = 0.001,
                         .tethers = true,
                         .tether_scale = 1.02};
}

/* ---- definition ------------------------------------------------------------------------------ */

static vo_result check_range(vo_context *ctx, const char *name, double value, double low,
                             double high) {
    if (value >= low && value <= high) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT, "%s is %g; set it to %g to %g", name, value, low, high);
}

static vo_result check_def(vo_context *ctx, const vo_cook_def *def) {
    if (!def || !def->input)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "input is NULL; set it to a pattern or a mesh file");
    if (def->attachment_count > 0 && !def->attachments)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "attachments is NULL, but attachment_count is %d",
                       def->attachment_count);
    VO_TRY(check_range(ctx, "face_count", def->face_count, 0, 65535));
    VO_TRY(check_range(ctx, "max_level", def->max_level, 0, VO_RT_MAX_LEVEL));
    VO_TRY(check_range(ctx, "tolerance", def->tolerance, 0, 1e6));
    VO_TRY(check_range(ctx, "uv_scale", def->uv_scale, 0, 1e6));
    VO_TRY(check_range(ctx, "friction", def->friction, 0, 1e3));
    VO_TRY(check_range(ctx, "thickness", def->thickness, 0, 1));
    return check_range(ctx, "tether_scale", def->tether_scale, 0.01, 100);
}

static bool is_obj(const char *path) {
    size_t n = strlen(path);
    return n >= 4 && path[n - 4] == '.' && (path[n - 3] | 32) == 'o' && (path[n - 2] | 32) == 'b' &&
           (path[n - 1] | 32) == 'j';
}

static vo_result check_kind(const vo_cooking *c) {
    const vo_cook_def *def = c->def;
    if (c->is_pattern && def->links)
        return vo_fail(c->ctx, VO_BAD_ARGUMENT,
                       "links is set, but %s is a pattern, whose seams are sewn; unset links",
                       def->input);
    if (def->tolerance > 0 && (c->is_pattern || def->links))
        return vo_fail(c->ctx, VO_BAD_ARGUMENT, "tolerance is set, but %s; unset tolerance",
                       c->is_pattern ? "the input is a pattern, which is meshed for its base mesh"
                                     : "links refer to the vertices of the input mesh");
    if (c->is_pattern && def->uv_scale != 0)
        return vo_fail(c->ctx, VO_BAD_ARGUMENT,
                       "uv_scale is set, but %s is a pattern, whose lengths are its own; unset it",
                       def->input);
    return VO_OK;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static vo_result load_render(vo_cooking *c) {
    if (!c->def->render) return VO_OK;
    return vo_obj_load(c->ctx, c->def->render, VO_MESH_FOR_OBSTACLE, &c->render);
}

static vo_result run_pass(vo_cooking *c, vo_result (*pass)(vo_cooking *), int done, int total) {
    VO_TRY(vo_check_cancel(c->ctx));
    vo_report_work(c->ctx, "cooking a garment", done, total);
    return pass(c);
}

static vo_result cook(vo_cooking *c, vo_rt_asset **out) {
    vo_result (*const passes[])(vo_cooking *) = {
        load_render, c->is_pattern ? vo_cook_pattern : vo_cook_obj, vo_cook_read_maps,
        vo_cook_attach, vo_cook_transfer_skin};
    enum { PASSES = sizeof passes / sizeof *passes };
    VO_TRY(check_kind(c));
    for (int i = 0; i < PASSES; i++) VO_TRY(run_pass(c, passes[i], i, PASSES + 1));
    c->report.fabric.friction = (float)c->def->friction;
    c->report.fabric.thickness = (float)c->def->thickness;
    c->report.area = vo_cook_area(c->base);
    VO_TRY(vo_check_cancel(c->ctx));
    VO_TRY(vo_cook_create_asset(c, out));
    vo_report_work(c->ctx, "cooking a garment", PASSES + 1, PASSES + 1);
    return VO_OK;
}

static void free_cooking(vo_cooking *c) {
    int nodes = c->base ? c->base->node_count : 0;
    for (int i = 0; c->label && i < c->label_count; i++) vo_free_string(c->ctx, c->label[i]);
    vo_free_array(c->ctx, c->label, c->label_count);
    vo_free_array(c->ctx, c->pinned, c->label_count);
    for (int i = 0; i < VO_COOK_MAP_COUNT; i++) vo_free_array(c->ctx, c->map[i], nodes);
    vo_free_array(c->ctx, c->bones, VO_RT_BONES_PER_VERTEX * nodes);
    vo_free_array(c->ctx, c->weights, VO_RT_BONES_PER_VERTEX * nodes);
    if (c->levels) {
        if (c->levels->base == c->base) c->base = NULL; /* owned by the levels */
        vo_cook_levels_free(c->ctx, c->levels);
        vo_delete(c->ctx, c->levels);
    }
    vo_mesh_destroy(c->base);
    vo_mesh_destroy(c->render);
    vo_body_destroy(c->body);
}

void vo_cook_report_free(vo_context *ctx, vo_cook_report *report) {
    for (int i = 0; report->bone_names && i < report->bone_count; i++)
        vo_free_string(ctx, report->bone_names[i]);
    vo_free_array(ctx, report->bone_names, report->bone_count);
    *report = (vo_cook_report){0};
}

vo_result vo_cook(vo_context *ctx, const vo_cook_def *def, vo_rt_asset **out,
                  vo_cook_report *report) {
    double start = vo_now();
    *out = NULL;
    if (report) *report = (vo_cook_report){0};
    VO_TRY(check_def(ctx, def));
    vo_cooking c = {.ctx = ctx, .def = def, .is_pattern = !is_obj(def->input)};
    vo_result result = cook(&c, out);
    free_cooking(&c);
    c.report.wall_s = vo_now() - start;
    if (result == VO_OK && report)
        *report = c.report;
    else
        vo_cook_report_free(ctx, &c.report);
    return result;
}
