/* Overrides: sets the value at a key path, given as JSON or unquoted words. */
#include "codec/json.h"
#include "codec/json_private.h"
#include "core/memory.h"
#include "core/plural.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One component of a key path: a key, or an index if `key` is NULL. */
typedef struct step {
    char *key; /* in override.words */
    int index;
    int end; /* length of the path up to and including this component */
} step;

typedef struct override {
    vo_context *ctx;
    const char *path;
    char *words; /* copy of the path, in which the keys are NUL-terminated */
    step steps[VO_JSON_DEPTH];
    int count;
} override;

static vo_result fail_override(const override *s, const char *format, ...) VO_PRINTF(2, 3);
static vo_result fail_override(const override *s, const char *format, ...) {
    char reason[640];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return vo_fail(s->ctx, VO_BAD_ARGUMENT, "cannot set \"%.200s\": %s", s->path, reason);
}

/* Unquotes the key at *p in place. Returns false if the closing quote is missing. */
static bool unquote_key(char **p, char **key) {
    char *from = *p + 1, *to = *key = *p;
    for (; *from && *from != '"'; from++) {
        if (*from == '\\' && from[1]) from++;
        *to++ = *from;
    }
    bool closed = *from == '"';
    *p = closed ? from + 1 : from;
    *to = 0;
    return closed;
}

static vo_result parse_index(const override *s, char **p, step *out) {
    char *end;
    long index = (*p)[1] >= '0' && (*p)[1] <= '9' ? strtol(*p + 1, &end, 10) : -1;
    if (index < 0 || index > 1000000000 || *end != ']')
        return fail_override(s, "expected an index and ] after [");
    *out = (step){.index = (int)index};
    *p = end + 1;
    return VO_OK;
}

/* `end` is the end of the component in s->words. */
static vo_result add_step(override *s, step next, const char *end) {
    next.end = (int)(end - s->words);
    if (s->count == VO_JSON_DEPTH) return fail_override(s, "the path has more than 64 steps");
    s->steps[s->count++] = next;
    return VO_OK;
}

/* Parses one key; *after is the character that followed it, which may have been overwritten. */
static vo_result parse_key(override *s, char **p, char *after) {
    step next = {.key = *p};
    if (**p == '"') {
        if (!unquote_key(p, &next.key)) return fail_override(s, "a quoted key does not end");
        *after = **p;
    } else {
        *p += strcspn(*p, ".[]\"");
        *after = **p;
        if (*p == next.key) return fail_override(s, "a key is missing");
        **p = 0;
    }
    return add_step(s, next, *p);
}

/* Fills s->steps from s->words. */
static vo_result parse_path(override *s) {
    char *p = s->words, after = 0;
    for (;;) {
        VO_TRY(parse_key(s, &p, &after));
        while (after == '[') {
            step next = {0};
            VO_TRY(parse_index(s, &p, &next));
            VO_TRY(add_step(s, next, p));
            after = *p;
        }
        if (after == 0) return VO_OK;
        if (after != '.') return fail_override(s, "expected . or [ before \"%c\"", after);
        p++;
    }
}

/* Parses JSON; *found is false if the text is not JSON. */
static vo_result try_json(const override *s, const char *text, size_t size, json_object **out,
                          bool *found) {
    vo_json_doc doc;
    vo_result result = vo_json_parse(s->ctx, "value", text, size, &doc);
    *found = result == VO_OK;
    *out = json_object_get(doc.root);
    vo_json_free(&doc);
    return result == VO_BAD_DATA ? VO_OK : result;
}

/* Parses one value between commas: JSON or an unquoted word. */
static vo_result parse_item(const override *s, const char *text, size_t size, json_object **out) {
    bool found;
    while (size && (*text == ' ' || *text == '\t')) text++, size--;
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t')) size--;
    if (size == 0) return fail_override(s, "a value is missing (\"\" is an empty string)");
    VO_TRY(try_json(s, text, size, out, &found));
    if (found) return VO_OK;
    if (strchr("[{\"", *text)) return fail_override(s, "%s", vo_context_message(s->ctx));
    *out = json_object_new_string_len(text, (int)size);
    return *out ? VO_OK : vo_fail_memory(s->ctx, s->path);
}

/* Length up to the next comma outside brackets and quotes. */
static size_t item_length(const char *text) {
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; text[i]; i++) {
        char c = text[i];
        if (quoted && c == '\\' && text[i + 1]) i++;
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '[' || c == '{') depth++;
        if (c == ']' || c == '}') depth--;
        if (c == ',' && depth <= 0) break;
    }
    return i;
}

/* Parses JSON, an unquoted word, or an array of these. */
static vo_result parse_value(const override *s, const char *text, json_object **out) {
    size_t length = item_length(text);
    if (!text[length]) return parse_item(s, text, length, out);
    json_object *array = json_object_new_array();
    vo_result result = array ? VO_OK : vo_fail_memory(s->ctx, s->path);
    for (bool more = true; more && result == VO_OK; text += length + more) {
        json_object *item = NULL;
        length = item_length(text);
        more = text[length] != 0;
        result = parse_item(s, text, length, &item);
        if (result == VO_OK && !vo_json_attach(array, NULL, item))
            result = vo_fail_memory(s->ctx, s->path);
    }
    if (result == VO_OK)
        *out = array;
    else
        json_object_put(array);
    return result;
}

static const char *type_name(json_object *value) {
    return vo_json_kind_name((vo_json_cursor){.file = "", .value = value});
}

/* Path of the container of component `at`, for messages. */
static const char *container_path(const override *s, int at, char *out, size_t size) {
    if (at == 0) return "the document";
    snprintf(out, size, "%.*s", s->steps[at - 1].end, s->path);
    return out;
}

/* Finds the child of `from` at a component; NULL if it does not exist. */
static vo_result find_child(const override *s, json_object *from, int at, json_object **out) {
    const step *now = &s->steps[at];
    char name[200];
    *out = NULL;
    if (!json_object_is_type(from, now->key ? json_type_object : json_type_array))
        return fail_override(s, "%s is %s, not %s", container_path(s, at, name, sizeof name),
                             type_name(from), now->key ? "an object" : "an array");
    if (now->key) {
        *out = json_object_object_get(from, now->key);
        return VO_OK;
    }
    size_t length = json_object_array_length(from);
    if ((size_t)now->index > length)
        return fail_override(s, "%s has %zu element%s, so index %d is out of range",
                             container_path(s, at, name, sizeof name), length,
                             vo_plural((int64_t)length), now->index);
    *out = json_object_array_get_idx(from, (size_t)now->index);
    return VO_OK;
}

/* Wraps *value, which it owns, in the containers for the components from `first` on. */
static vo_result wrap_value(const override *s, int first, json_object **value) {
    char name[200];
    for (int i = s->count - 1; i >= first; i--) {
        const step *now = &s->steps[i];
        if (!now->key && now->index > 0)
            return fail_override(s, "%s is new, so index %d is out of range",
                                 container_path(s, i, name, sizeof name), now->index);
        json_object *outer = now->key ? json_object_new_object() : json_object_new_array();
        if (!outer || !vo_json_attach(outer, now->key, *value)) {
            if (!outer) json_object_put(*value);
            json_object_put(outer);
            *value = NULL;
            return vo_fail_memory(s->ctx, s->path);
        }
        *value = outer;
    }
    return VO_OK;
}

/* Stores the value at the path. Takes ownership of it, also on failure. */
static vo_result store_value(const override *s, json_object *root, json_object *value) {
    json_object *container = root, *next = NULL;
    vo_result result = VO_OK;
    int at = 0;
    for (; at < s->count; at++) {
        result = find_child(s, container, at, &next);
        if (result != VO_OK || !next || at == s->count - 1) break;
        container = next;
    }
    if (result == VO_OK) result = wrap_value(s, at + 1, &value);
    if (result != VO_OK) {
        json_object_put(value);
        return result;
    }
    const step *now = &s->steps[at];
    if (now->key) {
        if (vo_json_attach(container, now->key, value)) return VO_OK;
    } else {
        if (json_object_array_put_idx(container, (size_t)now->index, value) == 0) return VO_OK;
        json_object_put(value);
    }
    return vo_fail_memory(s->ctx, s->path);
}

/* Nesting depth of a value; 0 for scalars. */
static int depth_of(json_object *value) {
    int depth = 0;
    if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            int inner = depth_of(json_object_array_get_idx(value, i));
            if (inner > depth) depth = inner;
        }
        return depth + 1;
    }
    if (!json_object_is_type(value, json_type_object)) return 0;
    json_object_object_foreach(value, key, member) {
        (void)key;
        int inner = depth_of(member);
        if (inner > depth) depth = inner;
    }
    return depth + 1;
}

static vo_result apply_override(override *s, json_object *root, const char *text) {
    json_object *value = NULL;
    if (!vo_json_is_utf8(s->path, strlen(s->path)) || !vo_json_is_utf8(text, strlen(text)))
        return fail_override(s, "path or value is not UTF-8");
    VO_TRY(parse_path(s));
    VO_TRY(parse_value(s, text, &value));
    if (s->count + depth_of(value) > VO_JSON_DEPTH) { /* the printed document could not be parsed */
        json_object_put(value);
        return fail_override(s, "the document would have more than %d levels", VO_JSON_DEPTH);
    }
    return store_value(s, root, value);
}

vo_result vo_json_set(vo_json_doc *doc, const char *path, const char *text) {
    override s = {.ctx = doc->ctx, .path = path, .words = vo_copy_string(doc->ctx, path)};
    size_t bytes = strlen(path) + 1; /* the copy will contain more NULs */
    if (!s.words) return vo_fail_memory(doc->ctx, path);
    vo_result result = apply_override(&s, doc->root, text);
    vo_free(doc->ctx, s.words, bytes);
    return result;
}

vo_result vo_json_mark_overridden(vo_json_doc *doc, const char *path) {
    size_t bytes = (doc->overridden ? strlen(doc->overridden) : 0) + strlen(path) + 2;
    char *list = vo_alloc(doc->ctx, bytes);
    if (!list) return vo_fail_memory(doc->ctx, path);
    snprintf(list, bytes, "%s%s\n", doc->overridden ? doc->overridden : "", path);
    vo_free_string(doc->ctx, doc->overridden);
    doc->overridden = list;
    return VO_OK;
}
