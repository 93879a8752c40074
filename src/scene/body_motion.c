/* Motions from other programs' files, for bodies with bones. */
#include "scene/body_private.h"
#include "scene/import_retarget.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool vo_body_file_is(const char *path, const char *ending) {
    size_t length = strlen(path), end = strlen(ending);
    return length >= end && strcasecmp(path + length - end, ending) == 0;
}

/* "'Idle', 'Run', 'Walk'", as far as there is room. */
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
        return vo_fail(ctx, VO_BAD_DATA, "%s: has no clip, so nothing in it moves", path);
    int found = name ? vo_character_find_clip(source, name) : 0;
    if (found < 0) {
        list_clips(source, list, sizeof list);
        return vo_fail(ctx, VO_BAD_DATA, "%s: has no clip '%.60s'; it has %s", path, name, list);
    }
    *out = &source->clip[found];
    return VO_OK;
}

vo_result vo_body_carry_over(vo_body *body, const vo_motion_def *def, int joint_count,
                             const vo_joint *joint, vo_affine world) {
    vo_context *ctx = body->ctx;
    vo_import_options options = vo_import_options_default();
    options.units = def->units;
    options.up_axis = def->up_axis;
    vo_character source;
    const vo_joint_clip *clip;
    VO_TRY(vo_import_character(ctx, def->file, &options, &source));
    vo_result result = vo_body_find_clip(ctx, def->file, &source, def->clip, &clip);
    if (result == VO_OK)
        result = vo_retarget(ctx, def->file, &source, clip, joint_count, joint, world,
                             &body->memory, &body->follow);
    vo_character_free(&source);
    body->time.length = body->follow.duration;
    return result;
}
