#include "codec/json.h"

#include "codec/json_private.h"
#include "core/memory.h"
#include "core/plural.h"

#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void vo_json_sanitise(char *out, size_t size, const char *text) {
    size_t i = 0;
    for (; text[i] && i < size - 1; i++) {
        unsigned char c = (unsigned char)text[i];
        out[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    out[i] = 0;
}

size_t vo_json_char_length(const char *text, size_t size) {
    const unsigned char *c = (const unsigned char *)text;
    if (size == 0) return 0;
    unsigned char lead = c[0], next = size > 1 ? c[1] : 0;
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead > 0xf4 || length > size) return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f)) return 0;
    if ((lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f)) return 0;
    return length;
}

bool vo_json_is_utf8(const char *text, size_t size) {
    for (size_t at = 0, length; at < size; at += length) {
        length = vo_json_char_length(text + at, size - at);
        if (length == 0) return false;
    }
    return true;
}

vo_result vo_json_new(vo_context *ctx, const char *file, vo_json_doc *out) {
    *out = (vo_json_doc){
        .ctx = ctx, .file = vo_copy_string(ctx, file), .root = json_object_new_object()};
    if (out->file && out->root) return VO_OK;
    vo_json_free(out);
    return vo_fail_memory(ctx, file);
}

void vo_json_free(vo_json_doc *doc) {
    json_object_put(doc->root);
    if (doc->ctx) vo_free_string(doc->ctx, doc->file);
    if (doc->ctx) vo_free_string(doc->ctx, doc->overridden);
    *doc = (vo_json_doc){0};
}

vo_json_cursor vo_json_root(const vo_json_doc *doc) {
    return (vo_json_cursor){
        .ctx = doc->ctx, .file = doc->file, .overridden = doc->overridden, .value = doc->root};
}

/* json-c represents null by a NULL pointer, so only the parent distinguishes null from absent. */
static bool is_null(vo_json_cursor at) {
    if (!at.parent) return at.file != NULL;
    if (at.key) return json_object_object_get_ex(at.parent->value, at.key, NULL);
    return at.index >= 0 && at.index < vo_json_length(*at.parent);
}

vo_json_type vo_json_kind(vo_json_cursor at) {
    switch (json_object_get_type(at.value)) {
    case json_type_boolean:
        return VO_JSON_BOOL;
    case json_type_int:
    case json_type_double:
        return VO_JSON_NUMBER;
    case json_type_string:
        return VO_JSON_STRING;
    case json_type_array:
        return VO_JSON_ARRAY;
    case json_type_object:
        return VO_JSON_OBJECT;
    default:
        return is_null(at) ? VO_JSON_NULL : VO_JSON_ABSENT;
    }
}

bool vo_json_is_present(vo_json_cursor at) { return at.value != NULL; }

/* Cursor of an absent child. */
static vo_json_cursor child_of(const vo_json_cursor *parent) {
    return (vo_json_cursor){.ctx = parent->ctx,
                            .file = parent->file,
                            .parent = parent,
                            .overridden = parent->overridden};
}

vo_json_cursor vo_json_get(const vo_json_cursor *object, const char *key) {
    vo_json_cursor at = child_of(object);
    at.key = key;
    if (json_object_is_type(object->value, json_type_object))
        at.value = json_object_object_get(object->value, key);
    return at;
}

vo_json_cursor vo_json_item(const vo_json_cursor *array, int index) {
    vo_json_cursor at = child_of(array);
    at.index = index;
    if (index >= 0 && index < vo_json_length(*array))
        at.value = json_object_array_get_idx(array->value, (size_t)index);
    return at;
}

int vo_json_length(vo_json_cursor array) {
    if (!json_object_is_type(array.value, json_type_array)) return 0;
    size_t length = json_object_array_length(array.value);
    return length > INT_MAX ? INT_MAX : (int)length;
}

static bool is_plain_key(const char *key) {
    for (const char *p = key; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        bool digit = *p >= '0' && *p <= '9';
        if (!letter && !(p > key && (digit || *p == '-'))) return false;
    }
    return key[0] != 0;
}

/* Appends to a text of `size` bytes; truncates it. */
static void append(char *out, size_t size, const char *text) {
    size_t length = strlen(out);
    snprintf(out + length, size - length, "%s", text);
}

static void append_quoted(char *out, size_t size, const char *key) {
    append(out, size, "\"");
    for (const char *p = key; *p; p++) {
        char letter[3] = {*p, 0};
        if ((unsigned char)*p < 0x20) letter[0] = '?';
        if (*p == '"' || *p == '\\') letter[0] = '\\', letter[1] = *p;
        append(out, size, letter);
    }
    append(out, size, "\"");
}

static void append_path(const vo_json_cursor *at, char *out, size_t size) {
    if (!at->parent) return;
    append_path(at->parent, out, size);
    if (!at->key) {
        char text[16];
        snprintf(text, sizeof text, "[%d]", at->index);
        append(out, size, text);
        return;
    }
    if (out[0]) append(out, size, ".");
    if (is_plain_key(at->key))
        append(out, size, at->key);
    else
        append_quoted(out, size, at->key);
}

void vo_json_path(vo_json_cursor at, char *out, size_t size) {
    if (size == 0) return;
    out[0] = 0;
    append_path(&at, out, size);
}

/* True if the path is an overridden one or below one. */
static bool is_overridden(const char *overridden, const char *path) {
    for (const char *line = overridden; line && *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, path, length) != 0) continue;
        if (path[length] == 0 || path[length] == '.' || path[length] == '[') return true;
    }
    return false;
}

/* True if an overridden path is below this one. */
static bool contains_overrides(const char *overridden, const char *path) {
    size_t length = strlen(path);
    for (const char *line = overridden; line && *line && length; line += strcspn(line, "\n") + 1)
        if (strncmp(line, path, length) == 0 && (line[length] == '.' || line[length] == '['))
            return true;
    return false;
}

const char *vo_json_origin(vo_json_cursor at) {
    char path[384];
    vo_json_path(at, path, sizeof path);
    if (is_overridden(at.overridden, path)) return " (overridden by the caller)";
    return contains_overrides(at.overridden, path) ? " (partly overridden by the caller)" : "";
}

static vo_result fail_with(vo_json_cursor at, const char *origin, const char *format,
                           va_list args) {
    char path[384], text[512];
    vo_json_path(at, path, sizeof path);
    vsnprintf(text, sizeof text, format, args);
    return vo_fail(at.ctx, VO_BAD_DATA, "%s%s: %s%s%s", at.file, origin, path, path[0] ? ": " : "",
                   text);
}

vo_result vo_json_fail_from(vo_json_cursor at, const char *origin, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vo_result result = fail_with(at, origin, format, args);
    va_end(args);
    return result;
}

vo_result vo_json_fail(vo_json_cursor at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vo_result result = fail_with(at, vo_json_origin(at), format, args);
    va_end(args);
    return result;
}

const char *vo_json_kind_name(vo_json_cursor at) {
    static const char *const names[] = {"nothing",  "null",     "true or false", "a number",
                                        "a string", "an array", "an object"};
    return names[vo_json_kind(at)];
}

static vo_result fail_expected(vo_json_cursor at, const char *what) {
    return vo_json_fail(at, "expected %s, found %s", what, vo_json_kind_name(at));
}

/* Reads a number; infinite if it exceeds the range of a double. */
static vo_result read_number(vo_json_cursor at, const char *what, double *out) {
    if (vo_json_kind(at) != VO_JSON_NUMBER) return fail_expected(at, what);
    *out = json_object_get_double(at.value);
    return VO_OK;
}

vo_result vo_json_read_real(vo_json_cursor at, double *out) {
    if (!vo_json_is_present(at)) return VO_OK;
    double value = 0;
    VO_TRY(read_number(at, "a number", &value));
    if (!isfinite(value)) return vo_json_fail(at, "the number exceeds the range of a double");
    *out = value;
    return VO_OK;
}

vo_result vo_json_read_int(vo_json_cursor at, int *out) {
    if (!vo_json_is_present(at)) return VO_OK;
    double value = 0;
    VO_TRY(read_number(at, "a whole number", &value));
    if (value < INT_MIN || value > INT_MAX)
        return vo_json_fail(at, "expected a whole number from %d to %d, found %.17g", INT_MIN,
                            INT_MAX, value);
    if (value != floor(value)) return vo_json_fail(at, "expected a whole number, found %g", value);
    *out = (int)value;
    return VO_OK;
}

vo_result vo_json_read_bool(vo_json_cursor at, bool *out) {
    if (!vo_json_is_present(at)) return VO_OK;
    if (vo_json_kind(at) != VO_JSON_BOOL) return fail_expected(at, "true or false");
    *out = json_object_get_boolean(at.value);
    return VO_OK;
}

vo_result vo_json_read_string(vo_json_cursor at, const char **out) {
    if (!vo_json_is_present(at)) return VO_OK;
    if (vo_json_kind(at) != VO_JSON_STRING) return fail_expected(at, "a string");
    *out = json_object_get_string(at.value);
    return VO_OK;
}

vo_result vo_json_read_reals(vo_json_cursor at, double *out, int count) {
    if (!vo_json_is_present(at)) return VO_OK;
    char what[48];
    snprintf(what, sizeof what, "an array of %d number%s", count, vo_plural(count));
    if (vo_json_kind(at) != VO_JSON_ARRAY) return fail_expected(at, what);
    if (vo_json_length(at) != count)
        return vo_json_fail(at, "expected %s, found %d", what, vo_json_length(at));
    for (int pass = 0; pass < 2; pass++) { /* the first only validates: errors change nothing */
        for (int i = 0; i < count; i++) {
            vo_json_cursor item = vo_json_item(&at, i);
            double value = 0;
            if (!vo_json_is_present(item)) return fail_expected(item, "a number");
            VO_TRY(vo_json_read_real(item, &value));
            if (pass) out[i] = value;
        }
    }
    return VO_OK;
}

/* Parses "inf" and "infinity" with an optional sign. */
static bool parse_infinity(const char *text, double *out) {
    double sign = text[0] == '-' ? -1 : 1;
    if (text[0] == '-' || text[0] == '+') text++;
    if (strcasecmp(text, "inf") != 0 && strcasecmp(text, "infinity") != 0) return false;
    *out = sign * HUGE_VAL;
    return true;
}

vo_result vo_json_read_real_or_inf(vo_json_cursor at, double *out) {
    if (!vo_json_is_present(at)) return VO_OK;
    const char *what = "a number, \"inf\" or \"-inf\"";
    if (vo_json_kind(at) != VO_JSON_STRING) return read_number(at, what, out);
    return parse_infinity(json_object_get_string(at.value), out) ? VO_OK : fail_expected(at, what);
}
