/* Cameras of a scene file: one that stands still, keys, a table, or a camera of another program's
 * file; and the shots that choose among them. All of them become keys in the units and axes of the
 * scene file first. */
#include "core/file.h"
#include "core/memory.h"
#include "scene/build.h"
#include "scene/load.h"

#include <string.h>
#include <strings.h>

static const double USUAL_FIELD = 40;  /* degrees */
static const double USUAL_SENSOR = 24; /* mm, which scenes without it get (keys.c) */

/* ---- keys ------------------------------------------------------------------------------------ */

static vo_result exclude(const vo_json_at *at, const char *a, const char *b) {
    if (!vo_has(at, a) || !vo_has(at, b)) return VO_OK;
    return vo_json_fail(vo_json_get(at, b), "%s and %s exclude each other", a, b);
}

/* Vertical opening in degrees, from either way to say it; else what is given. */
static vo_result read_field(const vo_json_at *at, double sensor, double *field) {
    VO_TRY(exclude(at, "field", "focal_length"));
    bool focal = vo_has(at, "focal_length");
    const char *key = focal ? "focal_length" : "field";
    if (!vo_has(at, key)) return VO_OK;
    double value = vo_get_real(at, key);
    *field = focal ? vo_camera_focal_field(value, sensor) : value;
    if (*field >= 0.001 && *field <= 179) return VO_OK;
    return vo_json_fail(vo_json_get(at, key),
                        "the field must be from 0.001 to 179 degrees, is %.3g", *field);
}

/* Seconds, from either way to say it. */
static vo_result read_time(const vo_json_at *at, double frame_time, double *time) {
    VO_TRY(exclude(at, "time", "frame"));
    if (!vo_has(at, "time") && !vo_has(at, "frame"))
        return vo_json_fail(vo_json_get(at, "time"), "is missing; a time or a frame is needed");
    *time = vo_has(at, "time") ? vo_get_real(at, "time") : vo_get_real(at, "frame") * frame_time;
    return VO_OK;
}

/* Where it stands, where it looks and how wide. */
static vo_result read_stand(const vo_json_at *at, const vo_camera_table_def *def,
                            vo_camera_key *key) {
    VO_TRY(exclude(at, "target", "rotation"));
    if (!vo_has(at, "target") && !vo_has(at, "rotation"))
        return vo_json_fail(vo_json_get(at, "target"),
                            "is missing; a target or a rotation is needed");
    key->position = vo_get_vec3(at, "position");
    key->has_target = vo_has(at, "target");
    key->target = vo_get_vec3(at, "target");
    (void)vo_json_read_reals(vo_json_get(at, "rotation"), key->rotation, 4);
    key->field = def->field;
    return read_field(at, def->sensor, &key->field);
}

static vo_result add_key(vo_json_at at, const vo_camera_key *key, vo_camera_keys *out) {
    if (!vo_camera_keys_add(out, key)) return vo_fail_memory(out->ctx, "the path of a camera");
    const char *defect = vo_camera_key_defect(out->key, out->count - 1);
    return defect ? vo_fail_member(at, defect) : VO_OK;
}

static vo_result read_keys(vo_json_at list, const vo_camera_table_def *def, vo_camera_keys *out) {
    for (int i = 0; i < vo_json_length(list); i++) {
        vo_json_at at = vo_json_item(&list, i);
        vo_camera_key key = {.cut = vo_get_bool(&at, "cut")};
        VO_TRY(read_time(&at, def->frame_time, &key.time));
        VO_TRY(read_stand(&at, def, &key));
        out->focal |= vo_has(&at, "focal_length");
        VO_TRY(add_key(at, &key, out));
    }
    return VO_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static vo_result read_json_table(vo_json_doc *doc, const vo_camera_table_def *def,
                                 vo_camera_keys *out) {
    VO_TRY(vo_scene_check_document(doc, vo_camera_table_keys));
    vo_json_at root = vo_json_root(doc);
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

static vo_result read_table(vo_loader *loader, const vo_json_at *at, const vo_camera_table_def *def,
                            vo_camera_keys *out) {
    char path[VO_PATH_SIZE];
    VO_TRY(vo_loader_file(loader, at, "table", path));
    vo_json_at named = vo_json_get(at, "table");
    vo_bytes bytes;
    VO_TRY(vo_at_fault(named, vo_file_read(loader->ctx, path, &bytes)));
    vo_result result = parse_table(loader->ctx, path, &bytes, def, out);
    vo_bytes_free(loader->ctx, &bytes);
    return vo_at_fault(named, result);
}

/* ---- one camera ------------------------------------------------------------------------------ */

/* The one of the four ways in which the camera is given. */
static vo_result find_source(const vo_json_at *at, const char **source) {
    static const char *const ways[] = {"position", "keys", "table", "file"};
    *source = NULL;
    for (int i = 0; i < 4; i++) {
        if (!vo_has(at, ways[i])) continue;
        if (*source) return exclude(at, *source, ways[i]);
        *source = ways[i];
    }
    if (*source) return VO_OK;
    return vo_json_fail(*at, "has no place: position, keys, table or file is needed");
}

/* Keys that mean something beside one or two of the ways only. */
static vo_result exclude_others_keys(const vo_json_at *at, const char *source) {
    static const struct {
        const char *key, *ways; /* by their first letters */
    } own[] = {
        {"target", "p"}, {"rotation", "p"}, {"file_camera", "f"}, {"clip", "f"}, {"fps", "ktf"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strchr(own[i].ways, source[0])) VO_TRY(exclude(at, source, own[i].key));
    return VO_OK;
}

static vo_result read_path(vo_loader *loader, const vo_json_at *at, const char *source,
                           vo_camera_keys *out) {
    vo_camera_table_def def = {.frame_time = loader->scene->def.frame_time,
                               .field = USUAL_FIELD,
                               .sensor = vo_get_real(at, "sensor_height")};
    if (vo_has(at, "fps")) def.frame_time = 1 / vo_get_real(at, "fps");
    double field = 0;
    VO_TRY(read_field(at, def.sensor, &field));
    if (field > 0) def.field = field;
    vo_camera_key still = {0};
    switch (source[0]) {
    case 'k':
        return read_keys(vo_json_get(at, "keys"), &def, out);
    case 't':
        return read_table(loader, at, &def, out);
    case 'f':
        return vo_load_camera_file(loader, at, field, out);
    }
    VO_TRY(read_stand(at, &def, &still));
    return add_key(*at, &still, out);
}

/* The scenes of runs have it with its usual value. */
static void tell_of_sensor(const vo_json_at *at, const vo_camera_keys *keys) {
    if (keys->focal || vo_has(at, "focal_length")) return;
    if (vo_get_real(at, "sensor_height") != USUAL_SENSOR)
        vo_tell_ignored(at, "sensor_height", "there is no focal_length, which it is for");
}

/* Into the world. */
static void place_keys(const vo_json_at *at, vo_transform placement, vo_camera_keys *keys) {
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

static vo_result read_pixels(vo_json_at at, int *out) {
    (void)vo_json_read_int(at, out);
    if (*out >= 1 && *out <= VO_CAMERA_MAX_PIXELS) return VO_OK;
    return vo_json_fail(at, "must be from 1 to %d pixels, is %d", VO_CAMERA_MAX_PIXELS, *out);
}

vo_result vo_camera_aspect_check(vo_json_at at, const char *whose, double aspect) {
    int rows = vo_camera_def_default().height;
    double least = 0.5 / rows, most = (double)VO_CAMERA_MAX_PIXELS / rows;
    if (aspect >= least && aspect <= most) return VO_OK;
    return vo_json_fail(at,
                        "%smust be from %.3g to %.4g, so that a picture with %d rows has 1 to %d "
                        "columns, is %g",
                        whose, least, most, rows, VO_CAMERA_MAX_PIXELS, aspect);
}

/* Pixels are square: the width follows from the height. */
static vo_result read_aspect(vo_json_at at, vo_camera_def *def) {
    double aspect = 0;
    (void)vo_json_read_real(at, &aspect);
    VO_TRY(vo_camera_aspect_check(at, "", aspect));
    def->width = (int)round(def->height * aspect);
    return VO_OK;
}

static vo_result read_size(const vo_json_at *at, vo_camera_def *def) {
    vo_json_at size = vo_json_get(at, "resolution");
    VO_TRY(exclude(at, "resolution", "aspect"));
    if (vo_has(at, "resolution")) {
        if (vo_json_length(size) != 2) return vo_json_fail(size, "expected [width, height]");
        VO_TRY(read_pixels(vo_json_item(&size, 0), &def->width));
        VO_TRY(read_pixels(vo_json_item(&size, 1), &def->height));
    }
    return vo_has(at, "aspect") ? read_aspect(vo_json_get(at, "aspect"), def) : VO_OK;
}

static vo_result read_def(const vo_loader *loader, const vo_json_at *at, vo_camera_def *def) {
    *def = vo_camera_def_default();
    double scale = loader->frame.scale;
    def->name = vo_get_string(at, "name");
    if (vo_has(at, "up")) def->up = q_rotate(loader->frame.rotation, vo_get_vec3(at, "up"));
    if (vo_has(at, "near")) def->near = scale * vo_get_real(at, "near");
    if (vo_has(at, "far")) def->far = scale * vo_get_real(at, "far");
    if (!(def->near < def->far))
        return vo_json_fail(vo_json_get(at, vo_has(at, "far") ? "far" : "near"),
                            "far must be more than near, but they are %g m and %g m", def->far,
                            def->near);
    def->motion = vo_get_int(at, "motion", -1);
    def->ease = vo_has(at, "ease") ? vo_get_bool(at, "ease") : !vo_has(at, "table");
    def->light = vo_get_bool(at, "light");
    def->front = vo_get_real(at, "front");
    return read_size(at, def);
}

static vo_result add_camera(vo_loader *loader, const vo_json_at *at, vo_camera_keys *keys) {
    vo_camera_def def;
    VO_TRY(read_def(loader, at, &def));
    place_keys(at, xf_mul(loader->frame, vo_pose_transform(vo_get_pose(at, "transform"))), keys);
    def.key_count = keys->count;
    def.keys = keys->key;
    return vo_at_fault(*at, vo_scene_add_camera(loader->scene, &def, NULL));
}

static vo_result load_camera(vo_loader *loader, vo_json_at at) {
    const char *source;
    vo_camera_keys keys = {.ctx = loader->ctx};
    VO_TRY(find_source(&at, &source));
    VO_TRY(exclude_others_keys(&at, source));
    if (vo_has(&at, "cuts") && source[0] != 'f')
        return vo_json_fail(vo_json_get(&at, "cuts"),
                            "counts with file alone; in keys and tables a cut is a mark of its "
                            "key, so set cut there");
    vo_result result = read_path(loader, &at, source, &keys);
    if (result == VO_OK) tell_of_sensor(&at, &keys);
    if (result == VO_OK) result = add_camera(loader, &at, &keys);
    vo_camera_keys_free(&keys);
    return result;
}

/* ---- shots ----------------------------------------------------------------------------------- */

static vo_result load_shot(vo_loader *loader, vo_json_at at) {
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

vo_result vo_load_cameras(vo_loader *loader, const vo_json_at *root) {
    vo_json_at list = vo_json_get(root, "cameras"), shots = vo_json_get(root, "shots");
    if (vo_has(root, "camera")) VO_TRY(load_camera(loader, vo_json_get(root, "camera")));
    for (int i = 0; i < vo_json_length(list); i++)
        VO_TRY(load_camera(loader, vo_json_item(&list, i)));
    for (int i = 0; i < vo_json_length(shots); i++)
        VO_TRY(load_shot(loader, vo_json_item(&shots, i)));
    return VO_OK;
}
