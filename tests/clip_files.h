/* Loads the clips of assets/motions. */
#ifndef VOILE_TESTS_CLIP_FILES_H
#define VOILE_TESTS_CLIP_FILES_H

#include "support.h"

#include "character/clip.h"

#include <stdio.h>

/* `name` has no extension; the caller destroys the clip. */
static inline vo_clip *load_clip(vo_context *ctx, const char *name) {
    char path[512];
    vo_clip *clip;
    snprintf(path, sizeof path, "%s/assets/motions/%s.json", VOILE_SOURCE_DIR, name);
    assert_ok(ctx, vo_clip_load(ctx, path, &clip));
    return clip;
}

#endif
