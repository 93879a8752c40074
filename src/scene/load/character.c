/* Characters of a scene file: mannequins or bodies from files, and their motions. */
#include "codec/json.h"
#include "core/memory.h"
#include "scene/build.h"
#include "scene/keys.h"
#include "scene/load/load.h"

#include <limits.h>
#include <string.h>

/* ---- names of files ------------------------------------------------------------------------- */

/* Replaces a body or motion given as a path by {"file": path}. */
static vo_result expand_path(vo_loader *loader, const vo_json_cursor *at, const char *key) {
    if (vo_json_kind(vo_json_get(at, key)) != VO_JSON_STRING) return VO_OK;
    const char *name = vo_get_string(at, key);
    char *copy = vo_copy_string(loader->ctx, name);
    if (!copy) return vo_fail_memory(loader->ctx, name);
    vo_json_cursor object;
    vo_result result = vo_json_put_object(at, key, &object);
    if (result == VO_OK) result = vo_json_put_string(&object, "file", copy);
    vo_free_string(loader->ctx, copy);
    return result == VO_OK ? vo_scene_check_part(loader->doc, *at, vo_character_keys) : result;
}

/* Rejects a .gltf file with external buffers, because a run copies only files that the scene names.
 */
static vo_result check_gltf(vo_context *ctx, const char *path) {
    size_t length = strlen(path);
    vo_json_doc doc;
    if (length < 5 || strcmp(path + length - 5, ".gltf") != 0) return VO_OK;
    if (vo_json_load(ctx, path, &doc) != VO_OK) return VO_OK; /* the importer reports it */
    vo_json_cursor root = vo_json_root(&doc), buffers = vo_json_get(&root, "buffers");
    vo_result result = VO_OK;
    for (int i = 0; i < vo_json_length(buffers) && result == VO_OK; i++) {
        vo_json_cursor buffer = vo_json_item(&buffers, i);
        const char *uri = vo_get_string(&buffer, "uri");
        if (uri && strncmp(uri, "data:", 5) != 0)
            result = vo_fail(ctx, VO_BAD_DATA,
                             "%s: its data is in another file, \"%.80s\", which a run would not "
                             "keep; export it as .glb",
                             path, uri);
    }
    vo_json_free(&doc);
    return result;
}

static vo_result find_file(vo_loader *loader, const vo_json_cursor *at, char path[VO_PATH_SIZE]) {
    VO_TRY(vo_loader_file(loader, at, "file", path));
    return vo_at_fault(vo_json_get(at, "file"), check_gltf(loader->ctx, path));
}

static void read_units(const vo_json_cursor *at, double *units, vo_up_axis *up) {
    static const double metres[] = {1, 0.01, 0.001, 0.0254, 0.3048}; /* as vo_unit_words */
    if (vo_has(at, "units")) *units = metres[vo_get_word(at, "units", vo_unit_words)];
    if (vo_has(at, "up_axis"))
        *up = (vo_up_axis)(VO_UP_X + vo_get_word(at, "up_axis", vo_axis_words));
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* Members of vo_mannequin_def and their keys. */
static double *mannequin_size(vo_mannequin_def *def, const char *key) {
    struct {
        const char *key;
        double *value;
    } size[] = {{"height", &def->height},       {"build", &def->build}, {"figure", &def->figure},
                {"shoulders", &def->shoulders}, {"chest", &def->chest}, {"waist", &def->waist},
                {"hips", &def->hips},           {"limbs", &def->limbs}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (strcmp(size[i].key, key) == 0) return size[i].value;
    return NULL;
}

static const char *const size_keys[] = {"height", "build", "figure", "shoulders", "chest",
                                        "waist",  "hips",  "limbs",  NULL};

static vo_mannequin_def read_sizes(const vo_json_cursor *at) {
    vo_mannequin_def def = vo_mannequin_def_default();
    for (int i = 0; size_keys[i]; i++)
        if (vo_has(at, size_keys[i]))
            *mannequin_size(&def, size_keys[i]) = vo_get_real(at, size_keys[i]);
    def.faces = vo_get_int(at, "faces", def.faces);
    return def;
}

static vo_result make_mannequin(vo_loader *loader, const vo_json_cursor *at, vo_body **out) {
    vo_mannequin_def def = read_sizes(at);
    return vo_at_fault(*at, vo_scene_make_mannequin(loader->scene, &def, out));
}

/* Rejects the sizes of mannequins for a body from a file. */
static vo_result reject_sizes(const vo_json_cursor *at) {
    for (int i = 0; size_keys[i]; i++)
        if (vo_has(at, size_keys[i]))
            return vo_json_fail(vo_json_get(at, size_keys[i]),
                                "is for mannequins; a body from a file is scaled by `transform`");
    return vo_has(at, "faces") ? vo_json_fail(vo_json_get(at, "faces"), "is for mannequins")
                               : VO_OK;
}

static vo_result put_name(const vo_loader *loader, const vo_json_cursor *list, const char *name,
                          int number) {
    (void)loader, (void)number;
    return vo_json_put_string(list, NULL, name);
}

/* Replaces the pattern in `file` by the list of its files in `files`. */
static vo_result expand_file(vo_loader *loader, const vo_json_cursor *body) {
    vo_json_cursor list;
    VO_TRY(vo_json_put_array(body, "files", &list));
    VO_TRY(vo_loader_expand(loader, vo_json_get(body, "file"), true, &list, put_name));
    vo_json_remove(body, "file");
    return VO_OK;
}

/* Finds the files of a sequence, makes them inputs and appends their stored names to `made`. */
static vo_result find_frames(vo_loader *loader, vo_json_cursor list, const vo_json_cursor *made,
                             const char **paths) {
    char path[VO_PATH_SIZE];
    for (int i = 0; i < vo_json_length(list); i++) {
        vo_json_cursor item = vo_json_item(&list, i);
        const char *name = "", *stored;
        VO_TRY(vo_json_read_string(item, &name));
        VO_TRY(vo_loader_input(loader, item, name, path, &stored));
        VO_TRY(vo_json_put_string(made, NULL, stored));
        paths[i] = vo_scene_input_path(loader->scene, stored);
    }
    return VO_OK;
}

/* Creates the body of a sequence and replaces the names in `files` by the stored names. */
static vo_result read_frames(vo_loader *loader, const vo_json_cursor *body, const char **paths,
                             const vo_import_options *options, vo_body **out) {
    vo_json_cursor list = vo_json_get(body, "files"), made;
    int count = vo_json_length(list);
    double fps = 1 / loader->scene->def.frame_time;
    vo_json_doc doc;
    VO_TRY(vo_json_new(loader->ctx, list.file, &doc));
    vo_json_cursor top = vo_json_root(&doc);
    vo_result result = vo_json_put_array(&top, "files", &made);
    if (result == VO_OK) result = find_frames(loader, list, &made, paths);
    if (result == VO_OK)
        result =
            vo_at_fault(list, vo_body_create_frames(loader->ctx, count, paths, fps, options, out));
    if (result == VO_OK) {
        result = vo_json_put_copy(body, "files", made);
        if (result != VO_OK) vo_body_destroy(*out);
    }
    vo_json_free(&doc);
    return result;
}

static vo_result load_frames(vo_loader *loader, const vo_json_cursor *body,
                             const vo_import_options *options, vo_body **out) {
    vo_json_cursor list = vo_json_get(body, "files");
    int count = vo_json_length(list);
    if (count == 0) return vo_json_fail(list, "the array is empty; expected at least one file");
    const char **paths = vo_new_array(loader->ctx, const char *, count);
    if (!paths) return vo_fail_memory(loader->ctx, "the names of a sequence");
    vo_result result = read_frames(loader, body, paths, options, out);
    vo_free_array(loader->ctx, paths, count);
    return result;
}

static vo_result load_body(vo_loader *loader, const vo_json_cursor *character, vo_body **out) {
    VO_TRY(expand_path(loader, character, "body"));
    vo_json_cursor at = vo_json_get(character, "body");
    vo_import_options options = vo_import_options_default();
    char path[VO_PATH_SIZE];
    read_units(&at, &options.metres_per_unit, &options.up_axis);
    if (vo_has(&at, "file") && vo_has(&at, "files"))
        return vo_json_fail(vo_json_get(&at, "files"), "file and files exclude each other");
    if (!vo_has(&at, "file") && !vo_has(&at, "files")) return make_mannequin(loader, &at, out);
    VO_TRY(reject_sizes(&at));
    if (vo_has(&at, "file") && strchr(vo_get_string(&at, "file"), '%'))
        VO_TRY(expand_file(loader, &at));
    if (vo_has(&at, "files")) return load_frames(loader, &at, &options, out);
    VO_TRY(find_file(loader, &at, path));
    return vo_at_fault(vo_json_get(&at, "file"),
                       vo_body_create_file(loader->ctx, path, &options, out));
}

/* ---- motions -------------------------------------------------------------------------------- */

/* Reads all members except the file. */
static vo_motion_def read_motion(const vo_json_cursor *at) {
    vo_motion_def def = vo_motion_def_default();
    def.clip = vo_get_string(at, "clip");
    def.start = vo_get_real(at, "start");
    def.speed = vo_get_real(at, "speed");
    if (vo_has(at, "loop")) def.end = vo_get_bool(at, "loop") ? VO_END_LOOP : VO_END_HOLD;
    if (vo_has(at, "fps")) def.fps = vo_get_real(at, "fps");
    read_units(at, &def.metres_per_unit, &def.up_axis);
    return def;
}

/* Finds the file of a motion; `kept`: it becomes an input of the scene. */
static vo_result find_motion(vo_loader *loader, const vo_json_cursor *at, bool kept,
                             char path[VO_PATH_SIZE]) {
    vo_json_cursor named = vo_json_get(at, "file");
    return kept ? find_file(loader, at, path)
                : vo_loader_find(loader, named, vo_get_string(at, "file"), NULL, path);
}

static vo_result load_motion(vo_loader *loader, const vo_json_cursor *character, bool kept,
                             vo_body *body) {
    if (!vo_has(character, "motion")) return VO_OK;
    VO_TRY(expand_path(loader, character, "motion"));
    vo_json_cursor at = vo_json_get(character, "motion");
    vo_motion_def def = read_motion(&at);
    char path[VO_PATH_SIZE];
    if (vo_has(&at, "file")) {
        VO_TRY(find_motion(loader, &at, kept, path));
        def.file = path;
    }
    return vo_at_fault(at, vo_body_set_motion(body, &def, 1 / loader->scene->def.frame_time));
}

vo_result vo_load_bones(vo_loader *loader, const vo_json_cursor *character, vo_body **out) {
    vo_json_cursor at = vo_json_get(character, "body");
    vo_mannequin_def def = read_sizes(&at);
    VO_TRY(vo_at_fault(at, vo_body_create_skeleton(loader->ctx, &def, out)));
    vo_result result = load_motion(loader, character, false, *out);
    if (result == VO_OK) return VO_OK;
    vo_body_destroy(*out);
    *out = NULL;
    return result;
}

/* ---- characters ----------------------------------------------------------------------------- */

vo_transform vo_load_placement(const vo_loader *loader, const vo_json_cursor *at) {
    vo_transform pose = vo_pose_transform(vo_get_pose(at, "transform"));
    return xf_mul(loader->frame, xf_mul(pose, xf_inverse(loader->frame)));
}

static vo_result adopt_body(vo_loader *loader, vo_json_cursor at, vo_body *body) {
    VO_TRY(load_motion(loader, &at, true, body));
    vo_character_parts parts = {.body = body,
                                .placement = vo_load_placement(loader, &at),
                                .gap = vo_get_real(&at, "self_gap"),
                                .start = vo_get_real(&at, "start_time"),
                                .end = vo_get_limit(&at, "end_time", INFINITY)};
    return vo_at_fault(at, vo_scene_adopt_character(loader->scene, &parts, NULL));
}

vo_result vo_warn_body(vo_loader *loader, vo_warned *warned, int character, const char *message) {
    const vo_scene *scene = loader->scene;
    int copied = loader->copied ? loader->copied : INT_MAX;
    const vo_body *body = vo_scene_character_body(scene, character);
    for (int i = 0; i < warned->count; i++) {
        int other = warned->character[i];
        if (other % copied == character % copied) return VO_OK;
        if (vo_body_has_equal_rest(vo_scene_character_body(scene, other), body)) return VO_OK;
    }
    if (!vo_reserve(loader->ctx, &warned->character, &warned->capacity, warned->count + 1))
        return vo_fail_memory(loader->ctx, "warnings");
    warned->character[warned->count++] = character;
    vo_log_line(loader->ctx, VO_LOG_WARNING, "%s: characters[%d].body: %s", loader->doc->file,
                character % copied, message);
    return VO_OK;
}

static vo_result warn_implausible_size(vo_loader *loader, vo_json_cursor at, int character) {
    char text[VO_SIZE_WARNING_TEXT];
    vo_json_cursor body = vo_json_get(&at, "body");
    bool has_units = vo_json_kind(body) == VO_JSON_OBJECT && vo_has(&body, "units");
    if (!vo_body_is_implausible(vo_scene_character_body(loader->scene, character), has_units, text))
        return VO_OK;
    return vo_warn_body(loader, &loader->size_warnings, character, text);
}

static vo_result load_character(vo_loader *loader, vo_json_cursor at) {
    vo_body *body;
    VO_TRY(load_body(loader, &at, &body));
    vo_result result = adopt_body(loader, at, body);
    if (result == VO_OK)
        return warn_implausible_size(loader, at, loader->scene->character_count - 1);
    vo_body_destroy(body);
    return result;
}

vo_result vo_load_characters(vo_loader *loader, vo_json_cursor characters) {
    vo_crowd_memory memory = {0};
    int count = vo_json_length(characters);
    for (int i = 0; i < count; i++) {
        VO_TRY(vo_check_cancel(loader->ctx));
        VO_TRY(load_character(loader, vo_json_item(&characters, i)));
        VO_TRY(vo_check_crowd_memory(loader, &memory, &characters, i + 1));
        vo_report_work(loader->ctx, "loading characters", i + 1, count);
    }
    return VO_OK;
}
