/* Motions from files of other programs, for bodies with bones. */
#include "character/body_private.h"
#include "character/import/retarget.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool vo_body_file_has_extension(const char *path, const char *ending) {
    size_t length = strlen(path), end = strlen(ending);
    return length >= end && strcasecmp(path + length - end, ending) == 0;
}

/* Writes "'Idle', 'Run', 'Walk'", shortened to the size of the buffer. */
static void list_clips(const vo_character *source, char *out, size_t size) {
    out[0] = 0;
    for (int i = 0; i < source->clip_count; i++) {
        size_t length = strlen(out);
        if (length + 48 > size) {
            snprintf(out + length, size - length, ", ...");
            return;
        }
        snprintf(out + length, size - length, "%s'%.40s'", i ? ", " : "", source->clip[i].name);
    }
}

vo_result vo_body_find_clip(vo_context *ctx, const char *path, const vo_character *source,
                            const char *name, const vo_joint_clip **out) {
    char list[320];
    *out = NULL;
    if (source->clip_count == 0)
        return vo_fail(ctx, VO_BAD_DATA, "%s: has no clip; export it with its animation", path);
    int found = name ? vo_character_find_clip(source, name) : 0;
    if (found < 0) {
        list_clips(source, list, sizeof list);
        return vo_fail(ctx, VO_BAD_DATA, "%s: has no clip '%.60s'; it has %s", path, name, list);
    }
    *out = &source->clip[found];
    return VO_OK;
}

vo_result vo_body_retarget(vo_body *body, const vo_motion_def *def, int joint_count,
                           const vo_joint *joint, vo_affine world) {
    vo_context *ctx = body->ctx;
    vo_import_options options = vo_import_options_default();
    options.metres_per_unit = def->metres_per_unit;
    options.up_axis = def->up_axis;
    vo_character source;
    const vo_joint_clip *clip;
    VO_TRY(vo_import_character(ctx, def->file, &options, &source));
    vo_result result = vo_body_find_clip(ctx, def->file, &source, def->clip, &clip);
    if (result == VO_OK)
        result = vo_retarget(ctx, def->file, &source, clip, joint_count, joint, world,
                             &body->memory, &body->joint_clip);
    vo_character_free(&source);
    body->time.length = body->joint_clip.duration;
    return result;
}
