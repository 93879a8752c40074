/* Camera tables: any input gives a valid path or a message with a line number. */
#include "fuzz.h"

#include "scene/camera_table.h"
#include "view/camera_path.h"

#include <math.h>

/* Axes and field of view must be valid at keys, between them and outside. */
static void check_at(const vo_camera_path *path, double time) {
    vo_camera c = vo_camera_path_eval(path, time);
    fuzz_require(fabs(v3_dot(c.right, c.up)) < 1e-6, "axes are not orthogonal");
    fuzz_require(fabs(v3_length(c.forward) - 1) < 1e-6, "forward is not a unit vector");
    fuzz_require(c.tan_y > 0 && isfinite(c.tan_x), "invalid field of view");
    fuzz_require(v3_is_finite(c.position), "invalid position");
}

static void check_path(vo_context *ctx, const vo_camera_keys *keys) {
    vo_camera_def def = vo_camera_def_default();
    def.key_count = keys->count;
    def.keys = keys->key;
    def.ease = keys->count % 2;
    vo_camera_path path;
    fuzz_require(vo_camera_path_create(ctx, &def, &path) == VO_OK, "valid keys without a path");
    for (int k = 0; k < keys->count; k++) {
        check_at(&path, keys->key[k].time);
        if (k > 0) check_at(&path, 0.5 * (keys->key[k].time + keys->key[k - 1].time));
    }
    fuzz_require(vo_camera_path_find_cuts(&path, -INFINITY, INFINITY, 0, NULL) < keys->count,
                 "more cuts than keys");
    vo_camera_path_free(ctx, &path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const vo_camera_table_def def = {.frame_time = 0.04, .fov_y = 40, .sensor = 24};
    fuzz_run run;
    vo_context *ctx = fuzz_begin(&run);
    vo_camera_keys keys;
    vo_result result = fuzz_check(
        ctx, vo_camera_table_parse(ctx, "cam.csv", (const char *)data, size, &def, &keys));
    fuzz_require((result == VO_OK) == (keys.count > 0), "keys and result disagree");
    if (result != VO_OK)
        fuzz_require(strncmp(vo_context_message(ctx), "cam.csv: line ", 14) == 0,
                     "message without a line number");
    else
        check_path(ctx, &keys);
    vo_camera_keys_free(&keys);
    fuzz_end(&run);
    return 0;
}
