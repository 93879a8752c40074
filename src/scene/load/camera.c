/* Cameras of a scene file (a static pose, keys, a table, or a camera of an imported file) and the
 * shots that select the active one. Every camera is converted to keys in the units and axes of the
 * scene file first. */
#include "core/file.h"
#include "core/memory.h"
#include "math/bounds.h"
#include "scene/build.h"
#include "scene/load/load.h"

#include <string.h>
#include <strings.h>

static const double DEFAULT_FOV_Y = 40;         /* degrees */
static const double DEFAULT_SENSOR_HEIGHT = 24; /* mm, as in keys.c */

/* ---- keys ------------------------------------------------------------------------------------ */

static vo_result exclude(const vo_json_cursor *at, const char *a, const char *b) {
    if (!vo_has(at, a) || !vo_has(at, b)) return VO_OK;
    return vo_json_fail(vo_json_get(at, b), "%s and %s exclude each other", a, b);
}

/* Reads the vertical field of view in degrees from fov_y or focal_length; else leaves it unchanged.
 */
static vo_result read_fov(const vo_json_cursor *at, double sensor, double *fov_y) {
    VO_TRY(exclude(at, "fov_y", "focal_length"));
    bool focal = vo_has(at, "focal_length");
    const char *key = focal ? "focal_length" : "fov_y";
    if (!vo_has(at, key)) return VO_OK;
    double value = vo_get_real(at, key);
    *fov_y = focal ? vo_camera_focal_field(value, sensor) : value;
    if (*fov_y >= 0.001 && *fov_y <= 179) return VO_OK;
    return vo_json_fail(vo_json_get(at, key), "fov_y must be from 0.001 to 179 degrees, is %.3g",
                        *fov_y);
}

/* Reads a time in seconds from `time` or `frame`. */
static vo_result read_time(const vo_json_cursor *at, double frame_time, double *time) {
    VO_TRY(exclude(at, "time", "frame"));
    if (!vo_has(at, "time") && !vo_has(at, "frame"))
        return vo_json_fail(vo_json_get(at, "time"), "is missing; a time or a frame is needed");
    *time = vo_has(at, "time") ? vo_get_real(at, "time") : vo_get_real(at, "frame") * frame_time;
    return VO_OK;
}

/* Reads position, orientation and field of view. */
static vo_result read_view(const vo_json_cursor *at, const vo_camera_table_def *def,
                           vo_camera_key *key) {
    VO_TRY(exclude(at, "target", "rotation"));
    if (!vo_has(at, "target") && !vo_has(at, "rotation"))
        return vo_json_fail(vo_json_get(at, "target"),
                            "is missing; a target or a rotation is needed");
    key->position = vo_get_vec3(at, "position");
    key->has_target = vo_has(at, "target");
    key->target = vo_get_vec3(at, "target");
    (void)vo_json_read_reals(vo_json_get(at, "rotation"), key->rotation, 4);
    key->fov_y = def->fov_y;
    return read_fov(at, def->sensor, &key->fov_y);
}

static vo_result add_key(vo_json_cursor at, const vo_camera_key *key, vo_camera_keys *out) {
    if (!vo_camera_keys_add(out, key)) return vo_fail_memory(out->ctx, "the path of a camera");
    const char *defect = vo_camera_key_defect(out->key, out->count - 1);
    return defect ? vo_fail_member(at, defect) : VO_OK;
}

static vo_result read_keys(vo_json_cursor list, const vo_camera_table_def *def,
                           vo_camera_keys *out) {
    for (int i = 0; i < vo_json_length(list); i++) {
        vo_json_cursor at = vo_json_item(&list, i);
        vo_camera_key key = {.cut = vo_get_bool(&at, "cut")};
        VO_TRY(read_time(&at, def->frame_time, &key.time));
        VO_TRY(read_view(&at, def, &key));
        out->focal |= vo_has(&at, "focal_length");
        VO_TRY(add_key(at, &key, out));
    }
    return VO_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static vo_result read_json_table(vo_json_doc *doc, const vo_camera_table_def *def,
                                 vo_camera_keys *out) {
    VO_TRY(vo_scene_check_document(doc, vo_camera_table_keys));
    vo_json_cursor root = vo_json_root(doc);
    return read_keys(vo_json_get(&root, "keys"), def, out);
}

static vo_result parse_table(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             const vo_camera_table_def *def, vo_camera_keys *out) {
    const char *dot = strrchr(path, '.');
    if (!dot || strcasecmp(dot, ".json") != 0)
        return vo_camera_table_parse(ctx, path, bytes->data, bytes->size, def, out);
    vo_json_doc doc;
    VO_TRY(vo_json_parse(ctx, path, bytes->data, bytes->size, &doc));
    vo_result result = read_json_table(&doc, def, out);
    vo_json_free(&doc);
    return result;
}

static vo_result read_table(vo_loader *loader, const vo_json_cursor *at,
                            const vo_camera_table_def *def, vo_camera_keys *out) {
    char path[VO_PATH_SIZE];
    VO_TRY(vo_loader_file(loader, at, "table", path));
    vo_json_cursor named = vo_json_get(at, "table");
    vo_bytes bytes;
    VO_TRY(vo_at_fault(named, vo_file_read(loader->ctx, path, &bytes)));
    vo_result result = parse_table(loader->ctx, path, &bytes, def, out);
    vo_bytes_free(loader->ctx, &bytes);
    return vo_at_fault(named, result);
}

/* ---- one camera ------------------------------------------------------------------------------ */

/* Finds the one key that defines the path of the camera. */
static vo_result find_source(const vo_json_cursor *at, const char **source) {
    static const char *const sources[] = {"position", "keys", "table", "file"};
    *source = NULL;
    for (int i = 0; i < 4; i++) {
        if (!vo_has(at, sources[i])) continue;
        if (*source) return exclude(at, *source, sources[i]);
        *source = sources[i];
    }
    if (*source) return VO_OK;
    return vo_json_fail(*at, "has no path; set position, keys, table or file");
}

/* Rejects keys that do not apply to the source of the path. */
static vo_result exclude_others_keys(const vo_json_cursor *at, const char *source) {
    static const struct {
        const char *key, *sources; /* first letters of the sources */
    } own[] = {
        {"target", "p"}, {"rotation", "p"}, {"file_camera", "f"}, {"clip", "f"}, {"fps", "ktf"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strchr(own[i].sources, source[0])) VO_TRY(exclude(at, source, own[i].key));
    return VO_OK;
}

static vo_result read_path(vo_loader *loader, const vo_json_cursor *at, const char *source,
                           vo_camera_keys *out) {
    vo_camera_table_def def = {.frame_time = loader->scene->def.frame_time,
                               .fov_y = DEFAULT_FOV_Y,
                               .sensor = vo_get_real(at, "sensor_height")};
    if (vo_has(at, "fps")) def.frame_time = 1 / vo_get_real(at, "fps");
    double fov_y = 0;
    VO_TRY(read_fov(at, def.sensor, &fov_y));
    if (fov_y > 0) def.fov_y = fov_y;
    vo_camera_key still = {0};
    switch (source[0]) {
    case 'k':
        return read_keys(vo_json_get(at, "keys"), &def, out);
    case 't':
        return read_table(loader, at, &def, out);
    case 'f':
        return vo_load_camera_file(loader, at, fov_y, out);
    }
    VO_TRY(read_view(at, &def, &still));
    return add_key(*at, &still, out);
}

/* Warns about an unused sensor_height; stored scenes have it with its default. */
static void warn_unused_sensor(const vo_json_cursor *at, const vo_camera_keys *keys) {
    if (keys->focal || vo_has(at, "focal_length")) return;
    if (vo_get_real(at, "sensor_height") != DEFAULT_SENSOR_HEIGHT)
        vo_warn_ignored(at, "sensor_height", "it applies to focal_length only, which is missing");
}

/* Transforms keys to the world and adds start_time. */
static void place_keys(const vo_json_cursor *at, vo_transform placement, vo_camera_keys *keys) {
    double start = vo_get_real(at, "start_time");
    for (int k = 0; k < keys->count; k++) {
        vo_camera_key *key = &keys->key[k];
        const double *r = key->rotation;
        vo_quat turned = q_mul(placement.rotation, (vo_quat){r[0], r[1], r[2], r[3]});
        key->time += start;
        key->position = xf_point(placement, key->position);
        key->target = xf_point(placement, key->target);
        memcpy(key->rotation, &(double[4]){turned.w, turned.x, turned.y, turned.z},
               sizeof key->rotation);
    }
}

static vo_result read_pixels(vo_json_cursor at, int *out) {
    (void)vo_json_read_int(at, out);
    if (*out >= 1 && *out <= VO_CAMERA_MAX_PIXELS) return VO_OK;
    return vo_json_fail(at, "must be from 1 to %d pixels, is %d", VO_CAMERA_MAX_PIXELS, *out);
}

vo_result vo_camera_aspect_check(vo_json_cursor at, const char *prefix, double aspect) {
    int rows = vo_camera_def_default().height;
    double min = 0.5 / rows, max = (double)VO_CAMERA_MAX_PIXELS / rows;
    if (aspect >= min && aspect <= max) return VO_OK;
    return vo_json_fail(at,
                        "%smust be from %.3g to %.4g, so that an image with %d rows has 1 to %d "
                        "columns, is %g",
                        prefix, min, max, rows, VO_CAMERA_MAX_PIXELS, aspect);
}

/* Pixels are square: the width follows from the height. */
static vo_result read_aspect(vo_json_cursor at, vo_camera_def *def) {
    double aspect = 0;
    (void)vo_json_read_real(at, &aspect);
    VO_TRY(vo_camera_aspect_check(at, "", aspect));
    def->width = (int)round(def->height * aspect);
    return VO_OK;
}

static vo_result read_size(const vo_json_cursor *at, vo_camera_def *def) {
    vo_json_cursor size = vo_json_get(at, "resolution");
    VO_TRY(exclude(at, "resolution", "aspect"));
    if (vo_has(at, "resolution")) {
        if (vo_json_length(size) != 2) return vo_json_fail(size, "expected [width, height]");
        VO_TRY(read_pixels(vo_json_item(&size, 0), &def->width));
        VO_TRY(read_pixels(vo_json_item(&size, 1), &def->height));
    }
    return vo_has(at, "aspect") ? read_aspect(vo_json_get(at, "aspect"), def) : VO_OK;
}

/* Reads the depth `key` in metres, if the camera has it. */
static vo_result read_depth(const vo_json_cursor *at, const char *key, double scale,
                            double *depth) {
    if (!vo_has(at, key)) return VO_OK;
    *depth = scale * vo_get_real(at, key);
    if (vo_is_positive(*depth)) return VO_OK;
    return vo_json_fail(vo_json_get(at, key),
                        "must be positive, up to " VO_MAX_NUMBER_TEXT " m, is %g m", *depth);
}

/* Reads `near` and `far`; either may be missing. */
static vo_result read_depths(const vo_json_cursor *at, double scale, vo_camera_def *def) {
    VO_TRY(read_depth(at, "near", scale, &def->z_near));
    VO_TRY(read_depth(at, "far", scale, &def->z_far));
    if (def->z_near < def->z_far) return VO_OK;
    if (vo_has(at, "far"))
        return vo_json_fail(vo_json_get(at, "far"),
                            "must be greater than near; they are %g m and %g m", def->z_far,
                            def->z_near);
    return vo_json_fail(vo_json_get(at, "near"), "must be less than far; they are %g m and %g m",
                        def->z_near, def->z_far);
}

static vo_result read_def(const vo_loader *loader, const vo_json_cursor *at, vo_camera_def *def) {
    *def = vo_camera_def_default();
    double scale = loader->frame.scale;
    def->name = vo_get_string(at, "name");
    if (vo_has(at, "up")) def->up = q_rotate(loader->frame.rotation, vo_get_vec3(at, "up"));
    VO_TRY(read_depths(at, scale, def));
    def->motion = vo_get_int(at, "motion", -1);
    def->ease = vo_has(at, "ease") ? vo_get_bool(at, "ease") : !vo_has(at, "table");
    def->light = vo_get_bool(at, "light");
    def->weight = vo_get_real(at, "weight");
    return read_size(at, def);
}

static vo_result add_camera(vo_loader *loader, const vo_json_cursor *at, vo_camera_keys *keys) {
    vo_camera_def def;
    VO_TRY(read_def(loader, at, &def));
    place_keys(at, xf_mul(loader->frame, vo_pose_transform(vo_get_pose(at, "transform"))), keys);
    def.key_count = keys->count;
    def.keys = keys->key;
    return vo_at_fault(*at, vo_scene_add_camera(loader->scene, &def, NULL));
}

static vo_result load_camera(vo_loader *loader, vo_json_cursor at) {
    const char *source;
    vo_camera_keys keys = {.ctx = loader->ctx};
    VO_TRY(find_source(&at, &source));
    VO_TRY(exclude_others_keys(&at, source));
    if (vo_has(&at, "cuts") && source[0] != 'f')
        return vo_json_fail(vo_json_get(&at, "cuts"),
                            "applies to file only; in keys and tables set cut of the key "
                            "instead");
    vo_result result = read_path(loader, &at, source, &keys);
    if (result == VO_OK) warn_unused_sensor(&at, &keys);
    if (result == VO_OK) result = add_camera(loader, &at, &keys);
    vo_camera_keys_free(&keys);
    return result;
}

/* ---- shots ----------------------------------------------------------------------------------- */

static vo_result load_shot(vo_loader *loader, vo_json_cursor at) {
    double time = 0;
    const char *name = vo_get_string(&at, "camera");
    VO_TRY(read_time(&at, loader->scene->def.frame_time, &time));
    if (!name[0])
        return vo_json_fail(vo_json_get(&at, "camera"),
                            "is empty; give the camera a name, and name it here");
    int camera = vo_scene_find_camera(loader->scene, name);
    if (camera < 0)
        return vo_json_fail(vo_json_get(&at, "camera"), "there is no camera \"%.80s\"", name);
    return vo_at_fault(at, vo_scene_add_shot(loader->scene, time, camera));
}

vo_result vo_load_cameras(vo_loader *loader, const vo_json_cursor *root) {
    vo_json_cursor list = vo_json_get(root, "cameras"), shots = vo_json_get(root, "shots");
    if (vo_has(root, "camera")) VO_TRY(load_camera(loader, vo_json_get(root, "camera")));
    for (int i = 0; i < vo_json_length(list); i++)
        VO_TRY(load_camera(loader, vo_json_item(&list, i)));
    for (int i = 0; i < vo_json_length(shots); i++)
        VO_TRY(load_shot(loader, vo_json_item(&shots, i)));
    return VO_OK;
}
