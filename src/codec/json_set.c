/* --set: a path, and a value in JSON or in bare words. */
#include "codec/json.h"
#include "codec/json_private.h"
#include "core/memory.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One step of a path: a key, or an index if `key` is NULL. */
typedef struct step {
    char *key; /* in setting.words */
    int index;
    int end; /* how much of the path leads through this step */
} step;

/* A --set being carried out. */
typedef struct setting {
    vo_context *ctx;
    const char *path;
    char *words; /* a copy of the path; the keys are cut out of it in place */
    step steps[VO_JSON_DEPTH];
    int count;
} setting;

static vo_result refuse(const setting *s, const char *format, ...) VO_PRINTF(2, 3);
static vo_result refuse(const setting *s, const char *format, ...) {
    char sentence[640];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return vo_fail(s->ctx, VO_BAD_CALL, "cannot set \"%.200s\": %s", s->path, sentence);
}

/* A key in quotes, in place: *p is on the opening quote. False if the closing one is missing. */
static bool cut_quoted(char **p, char **key) {
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

static vo_result parse_index(const setting *s, char **p, step *out) {
    char *end;
    long index = (*p)[1] >= '0' && (*p)[1] <= '9' ? strtol(*p + 1, &end, 10) : -1;
    if (index < 0 || index > 1000000000 || *end != ']')
        return refuse(s, "expected an index and ] after [");
    *out = (step){.index = (int)index};
    *p = end + 1;
    return VO_OK;
}

/* `end` is where reading goes on in s->words. */
static vo_result add_step(setting *s, step next, const char *end) {
    next.end = (int)(end - s->words);
    if (s->count == VO_JSON_DEPTH) return refuse(s, "the path has more than 64 steps");
    s->steps[s->count++] = next;
    return VO_OK;
}

/* Reads one key; *stop becomes the character behind it, which may have been overwritten. */
static vo_result parse_key(setting *s, char **p, char *stop) {
    step next = {.key = *p};
    if (**p == '"') {
        if (!cut_quoted(p, &next.key)) return refuse(s, "a quoted key does not end");
        *stop = **p;
    } else {
        *p += strcspn(*p, ".[]\"");
        *stop = **p;
        if (*p == next.key) return refuse(s, "a key is missing");
        **p = 0;
    }
    return add_step(s, next, *p);
}

/* Fills s->steps from s->words. */
static vo_result parse_path(setting *s) {
    char *p = s->words, stop = 0;
    for (;;) {
        VO_TRY(parse_key(s, &p, &stop));
        while (stop == '[') {
            step next = {0};
            VO_TRY(parse_index(s, &p, &next));
            VO_TRY(add_step(s, next, p));
            stop = *p;
        }
        if (stop == 0) return VO_OK;
        if (stop != '.') return refuse(s, "expected . or [ before \"%c\"", stop);
        p++;
    }
}

/* The value of a text that is JSON; *found false if it is not. */
static vo_result try_json(const setting *s, const char *text, size_t size, json_object **out,
                          bool *found) {
    vo_json_doc doc;
    vo_result result = vo_json_parse(s->ctx, "value", text, size, &doc);
    *found = result == VO_OK;
    *out = json_object_get(doc.root);
    vo_json_free(&doc);
    return result == VO_BAD_DATA ? VO_OK : result;
}

/* One value between commas: JSON or a bare word. */
static vo_result parse_item(const setting *s, const char *text, size_t size, json_object **out) {
    bool found;
    while (size && (*text == ' ' || *text == '\t')) text++, size--;
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t')) size--;
    if (size == 0) return refuse(s, "a value is missing (\"\" is an empty string)");
    VO_TRY(try_json(s, text, size, out, &found));
    if (found) return VO_OK;
    if (strchr("[{\"", *text)) return refuse(s, "%s", vo_context_message(s->ctx));
    *out = json_object_new_string_len(text, (int)size);
    return *out ? VO_OK : vo_fail_memory(s->ctx, s->path);
}

/* How far it is to the next comma that is not inside brackets or quotes. */
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

/* JSON, a bare word, or an array of these. */
static vo_result parse_value(const setting *s, const char *text, json_object **out) {
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
    return vo_json_kind_name((vo_json_at){.file = "", .value = value});
}

/* What the steps before `at` lead to, for messages. */
static const char *prefix(const setting *s, int at, char *out, size_t size) {
    if (at == 0) return "the document";
    snprintf(out, size, "%.*s", s->steps[at - 1].end, s->path);
    return out;
}

/* What stands at a step of `from`; NULL if it is to be made. */
static vo_result look(const setting *s, json_object *from, int at, json_object **out) {
    const step *now = &s->steps[at];
    char name[200];
    *out = NULL;
    if (!json_object_is_type(from, now->key ? json_type_object : json_type_array))
        return refuse(s, "%s is %s, not %s", prefix(s, at, name, sizeof name), type_name(from),
                      now->key ? "an object" : "an array");
    if (now->key) {
        *out = json_object_object_get(from, now->key);
        return VO_OK;
    }
    size_t length = json_object_array_length(from);
    if ((size_t)now->index > length)
        return refuse(s, "%s has %zu element%s, so [%d] is too far",
                      prefix(s, at, name, sizeof name), length, length == 1 ? "" : "s", now->index);
    *out = json_object_array_get_idx(from, (size_t)now->index);
    return VO_OK;
}

/* Takes over *value and wraps it into what the steps from `first` on need. */
static vo_result wrap(const setting *s, int first, json_object **value) {
    char name[200];
    for (int i = s->count - 1; i >= first; i--) {
        const step *now = &s->steps[i];
        if (!now->key && now->index > 0)
            return refuse(s, "%s is new, so [%d] is too far", prefix(s, i, name, sizeof name),
                          now->index);
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

/* Puts *value where the path leads; it is taken over, also if that fails. */
static vo_result apply(const setting *s, json_object *root, json_object *value) {
    json_object *container = root, *next = NULL;
    vo_result result = VO_OK;
    int at = 0;
    for (; at < s->count; at++) {
        result = look(s, container, at, &next);
        if (result != VO_OK || !next || at == s->count - 1) break;
        container = next;
    }
    if (result == VO_OK) result = wrap(s, at + 1, &value);
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

/* How many brackets are around the innermost value. */
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

static vo_result set_in(setting *s, json_object *root, const char *text) {
    json_object *value = NULL;
    if (!vo_json_is_utf8(s->path, strlen(s->path)) || !vo_json_is_utf8(text, strlen(text)))
        return refuse(s, "path or value is not UTF-8");
    VO_TRY(parse_path(s));
    VO_TRY(parse_value(s, text, &value));
    if (s->count + depth_of(value) > VO_JSON_DEPTH) { /* it could not be read again */
        json_object_put(value);
        return refuse(s, "the document would have more than %d levels", VO_JSON_DEPTH);
    }
    return apply(s, root, value);
}

vo_result vo_json_set(vo_json_doc *doc, const char *path, const char *text) {
    setting s = {.ctx = doc->ctx, .path = path, .words = vo_copy_string(doc->ctx, path)};
    size_t bytes = strlen(path) + 1; /* the copy is cut up, so its length is kept */
    if (!s.words) return vo_fail_memory(doc->ctx, path);
    vo_result result = set_in(&s, doc->root, text);
    vo_free(doc->ctx, s.words, bytes);
    return result;
}

vo_result vo_json_tell_changed(vo_json_doc *doc, const char *path) {
    size_t bytes = (doc->changed ? strlen(doc->changed) : 0) + strlen(path) + 2;
    char *list = vo_alloc(doc->ctx, bytes);
    if (!list) return vo_fail_memory(doc->ctx, path);
    snprintf(list, bytes, "%s%s\n", doc->changed ? doc->changed : "", path);
    vo_free_string(doc->ctx, doc->changed);
    doc->changed = list;
    return VO_OK;
}
