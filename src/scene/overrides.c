/* Overrides of a scene document: those of the caller and those recorded by a resumed run. */
#include "core/memory.h"
#include "scene/load/load.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Applies one "key=value"; `mark`: messages state that the value is overridden. */
static vo_result apply_set(vo_json_doc *doc, const char *set, bool mark) {
    const char *equals = strchr(set, '=');
    if (!equals || equals == set)
        return vo_fail(doc->ctx, VO_BAD_ARGUMENT, "\"%.200s\": expected key=value", set);
    char *key = vo_copy_string(doc->ctx, set);
    if (!key) return vo_fail_memory(doc->ctx, "a setting");
    key[equals - set] = 0;
    vo_result result = vo_json_set(doc, key, equals + 1);
    if (result == VO_OK && mark) result = vo_json_mark_overridden(doc, key);
    vo_free(doc->ctx, key, strlen(set) + 1);
    return result;
}

/* True for an override of the list that runs record. */
static bool is_recorded_list(const char *set) {
    static const char name[] = "overrides";
    set += set[0] == '"';
    return strcspn(set, "=.[\"") == sizeof name - 1 && strncmp(set, name, sizeof name - 1) == 0;
}

vo_result vo_scene_apply_overrides(vo_json_doc *doc, int override_count,
                                   const char *const *overrides) {
    for (int i = 0; i < override_count; i++) {
        if (is_recorded_list(overrides[i]))
            return vo_fail(doc->ctx, VO_BAD_ARGUMENT,
                           "\"%.200s\": overrides are recorded by runs; set the key itself, when "
                           "resuming for a change from some frame on",
                           overrides[i]);
        VO_TRY(apply_set(doc, overrides[i], true));
    }
    return VO_OK;
}

/* First frame of an entry; -1 if that is not a frame number. */
static int first_frame(vo_json_cursor entry) {
    int frame = -1;
    vo_json_cursor from = vo_json_get(&entry, "from_frame");
    if (vo_json_kind(from) == VO_JSON_NUMBER) (void)vo_json_read_int(from, &frame);
    return frame;
}

/* Applies the settings of one entry; wrong types are reported by the check. */
static vo_result apply_entry(vo_json_doc *doc, vo_json_cursor entry) {
    vo_json_cursor sets = vo_json_get(&entry, "set");
    for (int i = 0; i < vo_json_length(sets); i++) {
        vo_json_cursor at = vo_json_item(&sets, i);
        const char *set;
        if (vo_json_kind(at) != VO_JSON_STRING) continue;
        VO_TRY(vo_json_read_string(at, &set));
        VO_TRY(vo_at_fault(at, apply_set(doc, set, false)));
    }
    return VO_OK;
}

/* Applies the entries in the order of their frames. */
static vo_result apply_entries(vo_json_doc *doc, const vo_json_cursor *list, int frame) {
    int before = -1;
    for (int i = 0; i < vo_json_length(*list); i++) {
        vo_json_cursor entry = vo_json_item(list, i);
        int from = first_frame(entry);
        if (from < 0) continue;
        if (from < before)
            return vo_json_fail(
                vo_json_get(&entry, "from_frame"),
                "is %d, but the previous entry has %d; entries must be in the order of "
                "their frames",
                from, before);
        before = from;
        if (from <= frame) VO_TRY(apply_entry(doc, entry));
    }
    return VO_OK;
}

/* Works from a copy, since a setting may name any part of the document. */
vo_result vo_scene_apply_recorded_overrides(vo_json_doc *doc, int frame) {
    vo_json_cursor root = vo_json_root(doc);
    vo_json_cursor given = vo_json_get(&root, "overrides");
    if (vo_json_length(given) == 0) return VO_OK;
    vo_json_doc copy;
    VO_TRY(vo_json_new(doc->ctx, doc->file, &copy));
    vo_json_cursor top = vo_json_root(&copy);
    vo_result result = vo_json_put_copy(&top, "overrides", given);
    vo_json_cursor list = vo_json_get(&top, "overrides");
    if (result == VO_OK) result = apply_entries(doc, &list, frame);
    vo_json_free(&copy);
    return result;
}

int vo_scene_next_override(const vo_json_doc *stored, int frame) {
    int next = INT_MAX;
    vo_json_cursor root = vo_json_root(stored), list = vo_json_get(&root, "overrides");
    for (int i = 0; i < vo_json_length(list); i++) {
        int from = first_frame(vo_json_item(&list, i));
        if (from > frame && from < next) next = from;
    }
    return next;
}

/* Follows one element of a plain path (name or [index]) from steps[-1] to steps[0]; returns the
 * rest of the path, or NULL. */
static const char *follow_element(vo_json_cursor *steps, const char *path, char *key, size_t size) {
    if (path[0] == '[') {
        char *end;
        long index = strtol(path + 1, &end, 10);
        steps[0] = vo_json_item(&steps[-1], index < 0 || index > 1 << 30 ? -1 : (int)index);
        return *end == ']' ? end + 1 : NULL;
    }
    path += path[0] == '.';
    size_t length = strcspn(path, ".[");
    if (length == 0 || length >= size) return NULL;
    memcpy(key, path, length);
    key[length] = 0;
    steps[0] = vo_json_get(&steps[-1], key);
    return path + length;
}

/* Copies the value at a plain path to member `value` of another document; false if the path does
 * not exist or is not plain. */
static bool find_value(const vo_json_doc *doc, const char *path, vo_json_doc *out) {
    enum { MAX_DEPTH = 16, MAX_KEY = 64 };
    vo_json_cursor steps[MAX_DEPTH] = {vo_json_root(doc)}, top = vo_json_root(out);
    char keys[MAX_DEPTH][MAX_KEY];
    int depth = 0;
    while (path && *path) {
        if (++depth == MAX_DEPTH) return false;
        path = follow_element(&steps[depth], path, keys[depth], MAX_KEY);
    }
    return path && depth > 0 && vo_json_is_present(steps[depth]) &&
           vo_json_put_copy(&top, "value", steps[depth]) == VO_OK;
}

/* Reduces {"value": X} to X on one line, in place. */
static char *flatten(char *text) {
    char *from = strchr(text, ':'), *last = strrchr(text, '}'), *to = text;
    *last = 0;
    for (from++; *from; from++) {
        if (*from != '\n') {
            *to++ = *from;
            continue;
        }
        while (from[1] == ' ' || from[1] == '\t') from++;
    }
    *to = 0;
    return text + strspn(text, " ");
}

/* Appends "KEY=VALUE" with the value in `values`. */
static vo_result put_setting(const vo_json_cursor *list, const char *set, size_t key_length,
                             const vo_json_doc *values) {
    char *text;
    size_t size;
    VO_TRY(vo_json_print(values, &text, &size));
    size_t bytes = key_length + size + 2;
    char *line = vo_alloc(list->ctx, bytes);
    vo_result result = VO_OK;
    if (line) {
        snprintf(line, bytes, "%.*s=%s", (int)key_length, set, flatten(text));
        result = vo_json_put_string(list, NULL, line);
    } else {
        result = vo_fail_memory(list->ctx, "a setting");
    }
    vo_free(list->ctx, line, bytes);
    vo_free(list->ctx, text, size + 1);
    return result;
}

/* Appends a setting with its resolved value, or unchanged if the resolved scene has no such key. */
static vo_result record_set(const vo_scene *scene, const vo_json_cursor *list, const char *set) {
    const char *equals = strchr(set, '=');
    if (!equals || !scene->resolved.root) return vo_json_put_string(list, NULL, set);
    size_t length = (size_t)(equals - set);
    char path[256];
    if (length >= sizeof path) return vo_json_put_string(list, NULL, set);
    memcpy(path, set, length);
    path[length] = 0;
    vo_json_doc values;
    VO_TRY(vo_json_new(scene->ctx, "a setting", &values));
    vo_result result = find_value(&scene->resolved, path, &values)
                           ? put_setting(list, set, length, &values)
                           : vo_json_put_string(list, NULL, set);
    vo_json_free(&values);
    return result;
}

/* Appends an entry with the overrides. */
static vo_result put_entry(const vo_scene *scene, const vo_json_cursor *entries, int from_frame,
                           int override_count, const char *const *overrides) {
    vo_json_cursor entry, list;
    VO_TRY(vo_json_put_object(entries, NULL, &entry));
    VO_TRY(vo_json_put_int(&entry, "from_frame", from_frame));
    VO_TRY(vo_json_put_array(&entry, "set", &list));
    for (int i = 0; i < override_count; i++) VO_TRY(record_set(scene, &list, overrides[i]));
    return VO_OK;
}

/* Appends the entries of `old` from *at on whose first frame is at most `last`. */
static vo_result copy_entries(const vo_json_cursor *old, int *at, int last,
                              const vo_json_cursor *to) {
    for (; *at < vo_json_length(*old); ++*at) {
        vo_json_cursor entry = vo_json_item(old, *at);
        if (first_frame(entry) > last) return VO_OK;
        VO_TRY(vo_json_put_copy(to, NULL, entry));
    }
    return VO_OK;
}

/* Rebuilds the list with the new entry in its place; `old` is a copy of the previous list. */
static vo_result insert_entry(const vo_scene *scene, vo_json_doc *stored, const vo_json_cursor *old,
                              int from_frame, int override_count, const char *const *overrides) {
    vo_json_cursor root = vo_json_root(stored), entries;
    int at = 0;
    VO_TRY(vo_json_put_array(&root, "overrides", &entries));
    VO_TRY(copy_entries(old, &at, from_frame, &entries));
    VO_TRY(put_entry(scene, &entries, from_frame, override_count, overrides));
    return copy_entries(old, &at, INT_MAX, &entries);
}

vo_result vo_scene_record_override(const vo_scene *scene, vo_json_doc *stored, int from_frame,
                                   int override_count, const char *const *overrides) {
    vo_json_doc copy;
    VO_TRY(vo_json_new(scene->ctx, stored->file, &copy));
    vo_json_cursor root = vo_json_root(stored), top = vo_json_root(&copy);
    vo_result result = vo_json_put_copy(&top, "overrides", vo_json_get(&root, "overrides"));
    vo_json_cursor old = vo_json_get(&top, "overrides");
    if (result == VO_OK)
        result = insert_entry(scene, stored, &old, from_frame, override_count, overrides);
    vo_json_free(&copy);
    return result;
}
