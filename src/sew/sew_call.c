/* Public functions of sewing: pattern and body files to a garment mesh. */
#include "codec/obj.h"
#include "core/file.h"
#include "core/memory.h"
#include "garment/wear.h"
#include "scene/size_check.h"
#include "sew/sew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

vo_sew_def vo_sew_def_default(void) {
    vo_sew_def def = {.mannequin = vo_mannequin_def_default(),
                      .fit = true,
                      .edge_length = 0.03,
                      .thickness = 0.002};
    def.mannequin.faces = 12000;
    return def;
}

/* ---- the body ------------------------------------------------------------------------------- */

static vo_result make_body(vo_context *ctx, const vo_sew_def *def, vo_body **out) {
    vo_import_options options = vo_import_options_default();
    options.metres_per_unit = def->body_units;
    options.up_axis = def->body_up;
    if (!def->body) return vo_body_create_mannequin(ctx, &def->mannequin, out);
    return vo_body_create_file(ctx, def->body, &options, out);
}

static const char *body_name(const vo_sew_def *def) {
    return def->body ? def->body : "the mannequin";
}

/* Logs a warning that names the body. */
static void warn_about_body(vo_context *ctx, const vo_sew_def *def, const char *text) {
    vo_log_line(ctx, VO_LOG_WARNING, "%s: %s", body_name(def), text);
}

vo_result vo_sew_create_body(vo_context *ctx, const vo_sew_def *def, vo_body **out) {
    vo_body_placement_def place = {.placement = xf_identity()};
    char size[VO_SIZE_WARNING_TEXT];
    *out = NULL;
    if (def->no_body) return VO_OK;
    VO_TRY(make_body(ctx, def, out));
    vo_result result = vo_body_set_placement(*out, &place);
    if (result != VO_OK) {
        vo_body_destroy(*out);
        *out = NULL;
        return result;
    }
    if (vo_body_is_implausible(*out, def->body_units > 0, size)) warn_about_body(ctx, def, size);
    return VO_OK;
}

vo_result vo_sew_create_wearer(vo_context *ctx, const vo_sew_def *def, const vo_body *body,
                               vo_wearer *out) {
    *out = (vo_wearer){.to_world = xf_identity()};
    if (!body) return VO_OK;
    VO_TRY(vo_wearer_create(ctx, body, out));
    if (def->fit && out->implausible[0]) warn_about_body(ctx, def, out->implausible);
    return VO_OK;
}

static vo_result make_wearer(vo_context *ctx, const vo_sew_def *def, vo_wearer *out) {
    vo_body *body;
    *out = (vo_wearer){.to_world = xf_identity()};
    VO_TRY(vo_sew_create_body(ctx, def, &body));
    vo_result result = vo_sew_create_wearer(ctx, def, body, out);
    vo_body_destroy(body);
    return result;
}

/* ---- fabrics -------------------------------------------------------------------------------- */

/* Searches a fabric file: the given path, next to the pattern, or in the folder `fabrics` next to
 * the pattern's folder or in the assets. */
static bool fabric_path(const char *pattern, const char *name, int place, char path[VO_PATH_SIZE]) {
    char folder[VO_PATH_SIZE], file[VO_PATH_SIZE];
    const char *assets = getenv("VOILE_ASSETS");
    vo_path_folder(folder, sizeof folder, pattern);
    snprintf(file, sizeof file, "fabrics/%.200s.json", name);
    switch (place) {
    case 0:
        vo_path_join(path, VO_PATH_SIZE, folder, name);
        return true;
    case 1:
        snprintf(path, VO_PATH_SIZE, "%.2000s", name);
        return true;
    case 2:
        snprintf(path, VO_PATH_SIZE, "%.2000s/../%.300s", folder, file);
        return true;
    case 3:
        snprintf(path, VO_PATH_SIZE, "%.2000s/%.300s", assets ? assets : "assets", file);
        return true;
    }
    return false;
}

vo_result vo_sew_load_fabric(vo_context *ctx, const char *pattern, const char *name,
                             vo_fabric **out) {
    char path[VO_PATH_SIZE];
    for (int i = 0; fabric_path(pattern, name, i, path); i++)
        if (vo_file_exists(path)) return vo_fabric_load(ctx, path, out);
    return vo_fail(ctx, VO_BAD_DATA,
                   "%s: there is no fabric \"%.100s\": neither a file of that name nor "
                   "fabrics/%.100s.json beside the patterns or in $VOILE_ASSETS",
                   pattern, name, name);
}

void vo_sew_free_materials(vo_context *ctx, int count, vo_material *material) {
    for (int i = 0; material && i < count; i++) vo_fabric_destroy(material[i].fabric);
    vo_free_array(ctx, material, count);
}

vo_result vo_sew_load_materials(vo_context *ctx, const vo_sew_def *def, const vo_pattern *pattern,
                                vo_material **out) {
    int count = pattern->fabric_count;
    vo_material *material = vo_alloc_zero(ctx, (size_t)count * sizeof *material);
    *out = material;
    if (!material) return vo_fail_memory(ctx, "fabrics");
    for (int i = 0; i < count; i++) {
        const char *name = def->fabric ? def->fabric : pattern->fabric[i];
        material[i] = (vo_material){.density_mult = 1, .stretching_mult = 1, .bending_mult = 1};
        VO_TRY(vo_sew_load_fabric(ctx, def->pattern, name, &material[i].fabric));
    }
    return VO_OK;
}

/* ---- sewing --------------------------------------------------------------------------------- */

/* vo_sew_progress_fn of vo_sew. */
typedef struct call_progress {
    vo_context *ctx;
    const vo_sew_def *def;
} call_progress;

static bool report_progress(void *user, const vo_sew_progress *progress) {
    const call_progress *p = user;
    vo_sew_report_work(p->ctx, progress->done);
    return !p->def->progress || p->def->progress(p->def->user, progress);
}

vo_result vo_sew_fitted_pattern(vo_context *ctx, const vo_sew_def *def, const vo_wearer *wearer,
                                const vo_fitted_pattern *cut, vo_mesh **out,
                                vo_sew_report *report) {
    vo_material *material;
    call_progress progress = {ctx, def};
    vo_result result = vo_sew_load_materials(ctx, def, cut->pattern, &material);
    vo_sew_piece piece = {.pattern = cut->pattern,
                          .garment = cut->garment,
                          .material_count = cut->pattern->fabric_count,
                          .material = material,
                          .axis_count = VO_LIMB_AXES,
                          .axis = cut->axis};
    vo_sew_task task = {.ctx = ctx,
                        .body = wearer->mesh,
                        .body_name = body_name(def),
                        .piece_count = 1,
                        .piece = &piece,
                        .thickness = def->thickness,
                        .gravity = v3(0, 0, def->no_body ? 0 : -9.81),
                        .progress = report_progress,
                        .user = &progress};
    if (result == VO_OK) result = vo_sew_outfit(&task, out, report);
    if (result == VO_OK) vo_sew_report_work(ctx, 1);
    vo_sew_free_materials(ctx, piece.material_count, material);
    return result;
}

vo_result vo_sew_check_def(vo_context *ctx, const vo_sew_def *def) {
    if (!def || !def->pattern) return vo_fail(ctx, VO_BAD_ARGUMENT, "sewing needs a pattern");
    if (!(def->thickness > 0 && def->thickness <= 0.1))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "thickness must be positive, up to 0.1 m");
    if (!(def->edge_length >= 0 && def->edge_length < 10) || def->face_target < 0 ||
        (def->edge_length == 0 && def->face_target == 0))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "edge_length or face_target must be positive");
    return VO_OK;
}

vo_result vo_sew(vo_context *ctx, const vo_sew_def *def, vo_mesh **garment, vo_mesh **body,
                 vo_sew_report *report) {
    vo_wearer wearer;
    vo_fitted_pattern cut = {0};
    vo_sew_report own;
    *garment = NULL;
    if (body) *body = NULL;
    VO_TRY(vo_sew_check_def(ctx, def));
    VO_TRY(make_wearer(ctx, def, &wearer));
    vo_fitted_pattern_def how = {def->edge_length, def->face_target, def->fit};
    vo_result result = vo_fitted_pattern_create(ctx, def->pattern, &wearer, &how, &cut);
    if (result == VO_OK)
        result = vo_sew_fitted_pattern(ctx, def, &wearer, &cut, garment, report ? report : &own);
    vo_fitted_pattern_free(&cut);
    if (result == VO_OK && body) {
        *body = wearer.mesh;
        wearer.mesh = NULL;
    }
    vo_wearer_free(&wearer);
    return result;
}

vo_result vo_sew_save_svg(vo_context *ctx, const char *pattern, const char *svg) {
    vo_pattern *p;
    VO_TRY(vo_pattern_load(ctx, pattern, &p));
    vo_result result = vo_pattern_save_svg(p, svg);
    vo_pattern_destroy(p);
    return result;
}

/* ---- merging -------------------------------------------------------------------------------- */

static vo_result merge(vo_context *ctx, vo_mesh *flat, const vo_mesh *world, const char *files[2],
                       double distance, vo_mesh **out) {
    if (flat->node_count != world->node_count)
        return vo_fail(ctx, VO_BAD_DATA,
                       "%s has %d vertices and %s %d: the two must be the same mesh, flat and in "
                       "the world",
                       files[0], flat->node_count, files[1], world->node_count);
    memcpy(flat->node_x, world->node_x, (size_t)flat->node_count * sizeof *flat->node_x);
    return vo_pattern_merge_near(flat, distance, out);
}

vo_result vo_sew_merge(vo_context *ctx, const char *material, const char *world, double distance,
                       vo_mesh **out) {
    const char *files[2] = {material, world};
    vo_mesh *flat = NULL, *placed = NULL;
    *out = NULL;
    if (!(distance >= 0)) return vo_fail(ctx, VO_BAD_ARGUMENT, "the distance must not be negative");
    vo_result result = vo_obj_load(ctx, material, VO_MESH_FOR_CLOTH, &flat);
    if (result == VO_OK) result = vo_obj_load(ctx, world, VO_MESH_FOR_OBSTACLE, &placed);
    if (result == VO_OK) result = merge(ctx, flat, placed, files, distance, out);
    vo_mesh_destroy(placed);
    vo_mesh_destroy(flat);
    return result;
}
