/* Import of a character: inspect, read, build, log. */
#include "character/import/build.h"
#include "core/plural.h"

#include <stdio.h>
#include <string.h>

vo_import_options vo_import_options_default(void) {
    return (vo_import_options){.metres_per_unit = 0, .up_axis = VO_UP_FILE, .timeout = 120};
}

static const char *unit_name(double unit, char *text, size_t size) {
    if (unit == 1) return "metres";
    if (fabs(unit - 0.01) < 1e-9) return "centimetres";
    if (fabs(unit - 0.001) < 1e-9) return "millimetres";
    if (fabs(unit - 0.0254) < 1e-9) return "inches";
    snprintf(text, size, "units of %g m", unit);
    return text;
}

/* Suffix of the log line that states the source of units and axes. */
static const char *source(bool requested, bool stated) {
    return requested ? " (as requested)"
           : stated  ? ""
                     : " (assumed: set units and up_axis if wrong)";
}

static void log_outcome(const vo_character *c, const char *path, const vo_import_space *space,
                        const vo_import_options *options, const vo_import_counts *counts) {
    char text[64];
    double unit = options->metres_per_unit > 0 ? options->metres_per_unit : space->unit;
    vo_up_axis up = options->up_axis != VO_UP_FILE ? options->up_axis : space->up;
    bool requested = options->metres_per_unit > 0 || options->up_axis != VO_UP_FILE;
    vo_log_line(c->ctx, VO_LOG_INFO,
                "%s: %s, %s with %c up%s, converted to metres with z up; %d joints, %d clips, "
                "%d cameras, %d faces, %lld vertices merged into %d nodes",
                path, space->format, unit_name(unit, text, sizeof text), "-xyz"[up],
                source(requested, space->unit_known && space->up_known), c -> joint_count,
                c -> clip_count, c -> camera_count, c -> face_count, (long long)counts -> vertices,
                c -> node_count);
}

/* Logs one warning per kind of data that was changed or not imported. */
static void log_losses(vo_context *ctx, const char *path, const vo_import_counts *counts,
                       const vo_raw_ignored *ignored) {
    const struct {
        int64_t count;
        const char *one, *many, *fate;
    } loss[] = {
        {counts->unweighted, "vertex", "vertices",
         " without weights, bound to the main bone of the mesh"},
        {counts->truncated, "vertex", "vertices",
         " with more than 8 bones; the largest 8 weights are used"},
        {counts->degenerate, "face", "faces", " without three different corners, not imported"},
        {counts->lost_tracks, "track", "tracks", " of unknown or repeated bones, not imported"},
        {counts->orthographic_cameras, "camera", "cameras", " without perspective, not imported"},
        {ignored->point_meshes, "point mesh", "point meshes", ", not imported: only triangles are"},
        {ignored->line_meshes, "line mesh", "line meshes", ", not imported: only triangles are"},
        {ignored->other_meshes, "mesh", "meshes", " that could not be triangulated, not imported"},
        {ignored->morph_targets, "morph target", "morph targets",
         ", not imported: only joints move the surface"},
    };
    for (size_t i = 0; i < sizeof loss / sizeof *loss; i++) {
        if (loss[i].count == 0) continue;
        vo_log_line(ctx, VO_LOG_WARNING, "%s: %s%s", path,
                    vo_count_words(loss[i].count, loss[i].one, loss[i].many).s, loss[i].fate);
    }
}

vo_result vo_import_build(const vo_raw_file *file, const char *path, vo_character *out,
                          vo_import_counts *counts) {
    VO_TRY(vo_import_joints(file, path, out));
    VO_TRY(vo_import_skin(file, path, out, counts));
    VO_TRY(vo_import_clips(file, path, out, counts));
    return vo_import_cameras(file, path, out, counts);
}

/* Fails if nothing in the file can be used, with the reason. */
static vo_result check_content(const vo_character *c, const char *path,
                               const vo_import_counts *counts, const vo_raw_ignored *ignored) {
    if (c->face_count > 0 || c->clip_count > 0 || c->camera_count > 0) return VO_OK;
    if (counts->orthographic_cameras > 0)
        return vo_fail(c->ctx, VO_BAD_DATA,
                       "%s: has cameras without perspective only (their field of view is not "
                       "between 0 and 180 degrees, or their aspect is not positive); export one "
                       "with perspective",
                       path);
    if (ignored->point_meshes + ignored->line_meshes + ignored->other_meshes > 0)
        return vo_fail(c->ctx, VO_BAD_DATA,
                       "%s: has no triangles, motion or camera, only %s, %s and %s that could not "
                       "be triangulated; export the "
                       "character as a polygon mesh",
                       path, vo_count_words(ignored->point_meshes, "point mesh", "point meshes").s,
                       vo_count_words(ignored->line_meshes, "line mesh", "line meshes").s,
                       vo_count_words(ignored->other_meshes, "mesh", "meshes").s);
    return vo_fail(c->ctx, VO_BAD_DATA,
                   "%s: has no surface, no motion and no camera; export the character itself",
                   path);
}

/* Imports every format except OBJ. */
static vo_result import_scene(const char *path, const vo_import_options *options,
                              vo_import_space *space, vo_character *out) {
    vo_import_counts counts = {0};
    vo_raw_file file;
    VO_TRY(vo_import_read(out->ctx, path, options->timeout, space, &file));
    out->world = vo_import_world(space, &file.axes, options);
    vo_result result = vo_import_build(&file, path, out, &counts);
    if (result == VO_OK) result = check_content(out, path, &counts, &file.ignored);
    if (result == VO_OK) {
        log_outcome(out, path, space, options, &counts);
        log_losses(out->ctx, path, &counts, &file.ignored);
    }
    vo_raw_file_free(out->ctx, &file);
    return result;
}

static vo_result import_static(const char *path, const vo_import_options *options,
                               const vo_import_space *space, vo_character *out) {
    vo_import_counts counts = {0};
    out->world = vo_import_world(space, NULL, options);
    VO_TRY(vo_import_obj(path, out, &counts));
    log_outcome(out, path, space, options, &counts);
    return VO_OK;
}

static vo_result check_options(vo_context *ctx, const vo_import_options *o) {
    double unit = o->metres_per_unit;
    if (!(unit >= 0) || unit > 1e6 || (unit > 0 && unit < 1e-9)) {
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "metres_per_unit: %g is not a number of metres from 1e-9 to 1e6", unit);
    }
    if (o->up_axis < VO_UP_FILE || o->up_axis > VO_UP_Z) {
        return vo_fail(ctx, VO_BAD_ARGUMENT, "up_axis: %d is not x, y or z", (int)o->up_axis);
    }
    if (!(o->timeout > 0)) {
        return vo_fail(ctx, VO_BAD_ARGUMENT, "timeout: %g is not a positive time", o->timeout);
    }
    return VO_OK;
}

vo_result vo_import_character(vo_context *ctx, const char *path, const vo_import_options *options,
                              vo_character *out) {
    vo_import_options defaults = vo_import_options_default();
    if (options == NULL) options = &defaults;
    *out = (vo_character){.ctx = ctx};
    vo_arena_init(&out->memory, ctx);
    vo_import_space space;
    vo_result result = check_options(ctx, options);
    if (result == VO_OK) result = vo_import_inspect(ctx, path, &space);
    if (result == VO_OK) {
        result = strcmp(space.format, "OBJ") == 0 ? import_static(path, options, &space, out)
                                                  : import_scene(path, options, &space, out);
    }
    if (result != VO_OK) vo_character_free(out);
    return result;
}
