/* Differences between the scenes of two runs.
 *
 * A run keeps its resolved scene in scene.json and copies of its inputs next to it. Both documents
 * are traversed together, and the paths of values that differ are listed, except those that runs of
 * a comparison usually differ in: how meshes adapt, and where the run ends. */
#include "codec/json.h"
#include "core/memory.h"
#include "core/string_builder.h"
#include "run/compare.h"

#include <string.h>

enum { MAX_LISTED = 6 };

/* Top-level keys in which runs of one scene may differ. */
static const char *const free_keys[] = {"adapt", "view", "end_frame", "end_time", "duration"};

typedef struct scene_diff {
    vo_context *ctx;
    const char *folder[2];
    vo_string_builder keys; /* paths, with commas */
    int count;
} scene_diff;

static bool is_free(const char *key) {
    for (size_t i = 0; i < sizeof free_keys / sizeof *free_keys; i++)
        if (key && !strcmp(key, free_keys[i])) return true;
    return false;
}

static void add_key(scene_diff *w, vo_json_cursor at) {
    char path[400];
    vo_json_path(at, path, sizeof path);
    if (w->count < MAX_LISTED) vo_string_builder_add(&w->keys, "%s%s", w->count ? ", " : "", path);
    w->count++;
}

/* ---- values --------------------------------------------------------------------------- */

/* True if the text names an input whose copies in the two folders differ or cannot be read. */
static bool inputs_differ(const scene_diff *w, const char *name) {
    vo_bytes bytes[2] = {{0}};
    char path[2][VO_PATH_SIZE];
    if (strncmp(name, "inputs/", 7) != 0) return false;
    for (int i = 0; i < 2; i++) {
        vo_path_join(path[i], sizeof path[i], w->folder[i], name);
        if (!vo_file_exists(path[i])) return false;
    }
    bool read = vo_file_read(w->ctx, path[0], &bytes[0]) == VO_OK &&
                vo_file_read(w->ctx, path[1], &bytes[1]) == VO_OK;
    bool same = read && bytes[0].size == bytes[1].size &&
                memcmp(bytes[0].data, bytes[1].data, bytes[0].size) == 0;
    for (int i = 0; i < 2; i++) vo_bytes_free(w->ctx, &bytes[i]);
    return !same;
}

static bool are_same(const scene_diff *w, vo_json_cursor a, vo_json_cursor b) {
    double x = 0, y = 0;
    bool p = false, q = false;
    const char *s = "", *t = "";
    switch (vo_json_kind(a)) {
    case VO_JSON_NUMBER:
        return vo_json_read_real(a, &x) == VO_OK && vo_json_read_real(b, &y) == VO_OK && x == y;
    case VO_JSON_BOOL:
        return vo_json_read_bool(a, &p) == VO_OK && vo_json_read_bool(b, &q) == VO_OK && p == q;
    case VO_JSON_STRING:
        return vo_json_read_string(a, &s) == VO_OK && vo_json_read_string(b, &t) == VO_OK &&
               !strcmp(s, t) && !inputs_differ(w, s);
    default:
        return true;
    }
}

/* ---- objects and arrays ---------------------------------------------------------------------- */

static void compare_values(scene_diff *w, const vo_json_cursor *a, const vo_json_cursor *b,
                           bool top);

static void compare_objects(scene_diff *w, const vo_json_cursor *a, const vo_json_cursor *b,
                            bool top) {
    for (int i = 0; i < vo_json_member_count(*a); i++) {
        vo_json_cursor one = vo_json_member(a, i), other = vo_json_get(b, one.key);
        if (!top || !is_free(one.key)) compare_values(w, &one, &other, false);
    }
    for (int i = 0; i < vo_json_member_count(*b); i++) {
        vo_json_cursor other = vo_json_member(b, i), one = vo_json_get(a, other.key);
        if (vo_json_kind(one) == VO_JSON_ABSENT && !(top && is_free(other.key))) add_key(w, other);
    }
}

static void compare_arrays(scene_diff *w, const vo_json_cursor *a, const vo_json_cursor *b) {
    if (vo_json_length(*a) != vo_json_length(*b)) {
        add_key(w, *a);
        return;
    }
    for (int i = 0; i < vo_json_length(*a); i++) {
        vo_json_cursor one = vo_json_item(a, i), other = vo_json_item(b, i);
        compare_values(w, &one, &other, false);
    }
}

static void compare_values(scene_diff *w, const vo_json_cursor *a, const vo_json_cursor *b,
                           bool top) {
    vo_json_type kind = vo_json_kind(*a);
    if (kind != vo_json_kind(*b)) {
        add_key(w, *a);
    } else if (kind == VO_JSON_OBJECT) {
        compare_objects(w, a, b, top);
    } else if (kind == VO_JSON_ARRAY) {
        compare_arrays(w, a, b);
    } else if (!are_same(w, *a, *b)) {
        add_key(w, *a);
    }
}

/* ---- report -------------------------------------------------------------------------------- */

static void warn_differences(scene_diff *w) {
    if (w->count == 0 || w->keys.failed) return;
    if (w->count > MAX_LISTED)
        vo_string_builder_add(&w->keys, " and %d more", w->count - MAX_LISTED);
    vo_log_line(
        w->ctx, VO_LOG_WARNING,
        "%s and %s are not runs of one scene: they differ in %s; the measures include these "
        "differences",
        w->folder[0], w->folder[1], w->keys.data);
}

vo_result vo_compare_scenes(vo_context *ctx, const char *a, const char *b) {
    scene_diff w = {.ctx = ctx, .folder = {a, b}, .keys = {.ctx = ctx}};
    vo_json_doc doc[2] = {{0}};
    vo_result result = VO_OK;
    for (int i = 0; i < 2 && result == VO_OK; i++) {
        char path[VO_PATH_SIZE];
        vo_folder_scene(path, sizeof path, w.folder[i]);
        result = vo_json_load(ctx, path, &doc[i]);
    }
    if (result == VO_OK) {
        vo_json_cursor one = vo_json_root(&doc[0]), other = vo_json_root(&doc[1]);
        compare_values(&w, &one, &other, true);
        warn_differences(&w);
        if (w.keys.failed) result = vo_fail_memory(ctx, "the comparison");
    }
    vo_string_builder_free(&w.keys);
    for (int i = 0; i < 2; i++) vo_json_free(&doc[i]);
    return result;
}
