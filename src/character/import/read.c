/* Reads a file through the child process into flat arrays, and explains why a file is rejected. */
#include "character/import/build.h"
#include "core/file.h"

#include <string.h>

/* Fails with the library's reason on one line, without its full stop. */
static vo_result fail_rejected(vo_context *ctx, const char *path, const char *reason) {
    char text[256];
    size_t n = 0;
    for (; reason[n] && n + 1 < sizeof text; n++) text[n] = reason[n] < ' ' ? ' ' : reason[n];
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '.')) n--;
    text[n] = 0;
    return vo_fail(ctx, VO_BAD_DATA, "%s: cannot be read: %s; export it again, as .glb if you can",
                   path, n > 0 ? text : "no reason given");
}

/* Like fail_rejected. Assimp's reasons for BVH files name no line, so these files, which are often
 * written by hand, are checked here. */
static vo_result explain_rejection(vo_context *ctx, const char *path, const vo_import_space *space,
                                   const char *reason) {
    char text[256];
    vo_bytes bytes;
    if (strcmp(space->format, "BVH") != 0) return fail_rejected(ctx, path, reason);
    VO_TRY(vo_file_read(ctx, path, &bytes));
    bool found = vo_import_find_bvh_fault(&bytes, text, sizeof text);
    vo_bytes_free(ctx, &bytes);
    return fail_rejected(ctx, path, found ? text : reason);
}

/* Replaces the format's default unit and up axis by those that the file states. */
static void update_space(const vo_raw_file *file, vo_import_space *space) {
    if (file->unit > 0) space->unit = file->unit;
    if (file->axes.up >= 0 && file->axes.up <= 2) space->up = (vo_up_axis)(VO_UP_X + file->axes.up);
}

vo_result vo_import_read(vo_context *ctx, const char *path, double timeout, vo_import_space *space,
                         vo_raw_file *out) {
    *out = (vo_raw_file){0};
    if (!vo_import_has_assimp()) {
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "%s: this build of Voile has no Assimp, which reads %s; build it with "
                       "libassimp-dev installed, or convert the body to .obj",
                       path, space->format);
    }
    vo_bytes bytes;
    VO_TRY(vo_wire_fetch(ctx, path, timeout, &bytes));
    VO_TRY(vo_wire_parse(ctx, path, bytes, out));
    vo_result result = VO_OK;
    if (out->rejection != NULL) {
        result = explain_rejection(ctx, path, space, out->rejection);
    } else if (strcmp(space->format, "glTF") == 0) {
        result = vo_import_mark_stepped_tracks(ctx, path, out);
    }
    if (result == VO_OK)
        update_space(out, space);
    else
        vo_raw_file_free(ctx, out);
    return result;
}
