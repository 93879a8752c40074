/* The way in: inspect, read, build, say what was done. */
#include "core/file.h"
#include "scene/import_build.h"

#include <stdio.h>
#include <string.h>

vo_import_options vo_import_options_default(void) {
    return (vo_import_options){.units = 0, .up_axis = VO_UP_FILE, .patience = 120};
}

vo_result vo_import_array(vo_character *character, int64_t count, size_t size, void *out) {
    void *memory = NULL;
    if (count > 0) {
        size_t bytes = vo_array_bytes((size_t)count, size);
        memory = vo_arena_alloc(&character->memory, bytes);
        if (memory == NULL) return vo_fail_memory(character->ctx, "a character");
        memset(memory, 0, bytes);
    }
    memcpy(out, &memory, sizeof memory);
    return VO_OK;
}

vo_result vo_import_text(vo_character *character, const char *text, char **out) {
    size_t size = strlen(text) + 1;
    VO_TRY(vo_import_array(character, (int64_t)size, 1, out));
    memcpy(*out, text, size);
    return VO_OK;
}

void vo_character_free(vo_character *character) {
    if (character->ctx != NULL) vo_arena_free(&character->memory);
    *character = (vo_character){0};
}

static const char *unit_name(double unit, char *text, size_t size) {
    if (unit == 1) return "metres";
    if (fabs(unit - 0.01) < 1e-9) return "centimetres";
    if (fabs(unit - 0.001) < 1e-9) return "millimetres";
    if (fabs(unit - 0.0254) < 1e-9) return "inches";
    snprintf(text, size, "units of %g m", unit);
    return text;
}

/* How something became known, for the log. */
static const char *source(bool asked, bool known) {
    return asked ? " (as asked)" : known ? "" : " (assumed: set units and up_axis if wrong)";
}

static void log_outcome(const vo_character *c, const char *path, const vo_import_space *space,
                        const vo_import_options *options, const vo_import_counts *counts) {
    char text[64];
    double unit = options->units > 0 ? options->units : space->unit;
    vo_up_axis up = options->up_axis != VO_UP_FILE ? options->up_axis : space->up;
    bool asked = options->units > 0 || options->up_axis != VO_UP_FILE;
    vo_log_line(c->ctx, VO_LOG_INFO,
                "%s: %s, %s with %c up%s, taken to metres with z up; %d joints, %d clips, "
                "%d cameras, %d faces, %lld vertices joined to %d nodes",
                path, space->format, unit_name(unit, text, sizeof text), "-xyz"[up],
                source(asked, space->unit_known && space->up_known), c -> joint_count,
                c -> clip_count, c -> camera_count, c -> face_count, (long long)counts -> vertices,
                c -> node_count);
}

static void log_losses(vo_context *ctx, const char *path, const vo_import_counts *counts,
                       int64_t left_out) {
    const struct {
        int64_t count;
        const char *what;
    } loss[] = {
        {counts->unweighted, "vertices that no bone holds, which follow the main one"},
        {counts->crowded, "vertices with more than 8 bones, of which the strongest count"},
        {counts->degenerate, "faces without three different corners, left out"},
        {counts->lost_tracks, "tracks of unknown or repeated bones, left out"},
        {counts->flat_cameras, "cameras without perspective, left out"},
        {left_out, "point sets, lines and morph targets, left out"},
    };
    for (size_t i = 0; i < sizeof loss / sizeof *loss; i++) {
        if (loss[i].count == 0) continue;
        vo_log_line(ctx, VO_LOG_WARNING, "%s: %lld %s", path, (long long)loss[i].count,
                    loss[i].what);
    }
}

/* The library's reason on one line, without its full stop. */
static vo_result refuse(vo_context *ctx, const char *path, const char *reason) {
    char text[256];
    size_t n = 0;
    for (; reason[n] && n + 1 < sizeof text; n++) text[n] = reason[n] < ' ' ? ' ' : reason[n];
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '.')) n--;
    text[n] = 0;
    return vo_fail(ctx, VO_BAD_DATA, "%s: cannot be read: %s; export it again, as .glb if you can",
                   path, n > 0 ? text : "no reason given");
}

/* The library names its own lines of code and only some of the file's: of BVH, the format that is
 * written by hand, the place is looked for here. */
static vo_result refuse_for_cause(vo_context *ctx, const char *path, const vo_import_space *space,
                                  const char *reason) {
    char text[256];
    vo_bytes bytes;
    if (strcmp(space->format, "BVH") != 0) return refuse(ctx, path, reason);
    VO_TRY(vo_file_read(ctx, path, &bytes));
    bool found = vo_import_find_bvh_fault(&bytes, text, sizeof text);
    vo_bytes_free(ctx, &bytes);
    return refuse(ctx, path, found ? text : reason);
}

static vo_result build(const vo_raw_file *file, const char *path, vo_character *out,
                       vo_import_counts *counts) {
    VO_TRY(vo_import_joints(file, path, out));
    VO_TRY(vo_import_skin(file, path, out, counts));
    VO_TRY(vo_import_clips(file, path, out, counts));
    VO_TRY(vo_import_cameras(file, path, out, counts));
    if (out->face_count > 0 || out->clip_count > 0 || out->camera_count > 0) return VO_OK;
    if (counts->flat_cameras > 0)
        return vo_fail(out->ctx, VO_BAD_DATA,
                       "%s: has cameras without perspective only (their field of view is not "
                       "between 0 and 180 degrees, or their aspect is not positive); export one "
                       "with perspective",
                       path);
    return vo_fail(out->ctx, VO_BAD_DATA,
                   "%s: has no surface, no motion and no camera; export the character itself",
                   path);
}

/* Everything but OBJ. */
static vo_result import_scene(const char *path, const vo_import_options *options,
                              const vo_import_space *space, vo_character *out,
                              vo_import_counts *counts) {
    vo_context *ctx = out->ctx;
    if (!vo_import_has_assimp()) {
        return vo_fail(ctx, VO_BAD_CALL,
                       "%s: this build of Voile has no Assimp, which reads %s; build it with "
                       "libassimp-dev installed, or convert the body to .obj",
                       path, space->format);
    }
    vo_bytes bytes;
    vo_raw_file file;
    VO_TRY(vo_wire_fetch(ctx, path, options->patience, &bytes));
    VO_TRY(vo_wire_parse(ctx, path, bytes, &file));
    vo_import_space found = *space;
    if (file.unit > 0) found.unit = file.unit;
    if (file.axes.up >= 0 && file.axes.up <= 2) found.up = (vo_up_axis)(VO_UP_X + file.axes.up);
    out->world = vo_import_world(&found, &file.axes, options);
    vo_result result = VO_OK;
    if (strcmp(space->format, "glTF") == 0) result = vo_import_steps(ctx, path, &file);
    if (file.refusal != NULL) {
        result = refuse_for_cause(ctx, path, space, file.refusal);
    } else if (result == VO_OK) {
        result = build(&file, path, out, counts);
    }
    if (result == VO_OK) {
        log_outcome(out, path, &found, options, counts);
        log_losses(ctx, path, counts, file.left_out);
    }
    vo_raw_file_free(ctx, &file);
    return result;
}

static vo_result import_static(const char *path, const vo_import_options *options,
                               const vo_import_space *space, vo_character *out,
                               vo_import_counts *counts) {
    out->world = vo_import_world(space, NULL, options);
    VO_TRY(vo_import_obj(path, out, counts));
    log_outcome(out, path, space, options, counts);
    return VO_OK;
}

static vo_result check_options(vo_context *ctx, const vo_import_options *o) {
    if (!(o->units >= 0) || o->units > 1e6 || (o->units > 0 && o->units < 1e-9)) {
        return vo_fail(ctx, VO_BAD_CALL, "units: %g is not a number of metres from 1e-9 to 1e6",
                       o->units);
    }
    if (o->up_axis < VO_UP_FILE || o->up_axis > VO_UP_Z) {
        return vo_fail(ctx, VO_BAD_CALL, "up_axis: %d is none of x, y, z", (int)o->up_axis);
    }
    if (!(o->patience > 0)) {
        return vo_fail(ctx, VO_BAD_CALL, "patience: %g is not a positive time", o->patience);
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
    vo_import_counts counts = {0};
    vo_result result = check_options(ctx, options);
    if (result == VO_OK) result = vo_import_inspect(ctx, path, &space);
    if (result == VO_OK && strcmp(space.format, "OBJ") == 0) {
        result = import_static(path, options, &space, out, &counts);
    } else if (result == VO_OK) {
        result = import_scene(path, options, &space, out, &counts);
    }
    if (result != VO_OK) vo_character_free(out);
    return result;
}
