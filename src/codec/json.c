#include "codec/json.h"

#include "codec/json_private.h"
#include "core/file.h"
#include "core/memory.h"

#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What json-c found wrong, in our words. */
static const char *syntax_problem(enum json_tokener_error error) {
    switch (error) {
    case json_tokener_error_depth:
        return "brackets nested too deeply (more than 64 levels)";
    case json_tokener_continue:
    case json_tokener_error_parse_eof:
        return "the text ends in the middle of a value";
    case json_tokener_error_parse_array:
        return "expected a comma or ]";
    case json_tokener_error_parse_object_key_name:
        return "expected a key in double quotes";
    case json_tokener_error_parse_object_key_sep:
        return "expected a colon after the key";
    case json_tokener_error_parse_object_value_sep:
        return "expected a comma or }";
    case json_tokener_error_parse_string:
        return "unknown escape sequence in a string";
    case json_tokener_error_parse_utf8_string:
        return "this is not UTF-8";
    default:
        return "no value can stand here";
    }
}

static vo_result report_syntax(const vo_json_text *text, json_tokener *tokener) {
    enum json_tokener_error error = json_tokener_get_error(tokener);
    size_t at = json_tokener_get_parse_end(tokener);
    char c = at < text->size ? text->text[at] : 0;
    if (c > ' ' && c <= '~' && error == json_tokener_error_parse_unexpected)
        return vo_json_syntax_error(text, at, "unexpected \"%c\"", c);
    if (c > ' ' && c <= '~' && error != json_tokener_error_parse_string)
        return vo_json_syntax_error(text, at, "%s, found \"%c\"", syntax_problem(error), c);
    return vo_json_syntax_error(text, at, "%s", syntax_problem(error));
}

/* All values of a tree, itself included. */
static size_t count_values(json_object *value) {
    size_t count = 1;
    if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++)
            count += count_values(json_object_array_get_idx(value, i));
    } else if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, key, member) {
            (void)key;
            count += count_values(member);
        }
    }
    return count;
}

/* json-c keeps the last of two members with the same key, and drops members it has no memory for;
 * both show as values that the text has and the tree has not. */
static vo_result check_complete(const vo_json_text *text, json_object *root, size_t values) {
    if (count_values(root) == values) return VO_OK;
    VO_TRY(vo_json_refuse_twins(text));
    if (memchr(text->text, '\\', text->size))
        return vo_fail(text->ctx, VO_BAD_DATA,
                       "%s: a key is given twice in one object, once written with \\ escapes",
                       text->file);
    return vo_fail_memory(text->ctx, text->file);
}

/* Scanned text to tree. */
static vo_result build_tree(const vo_json_text *text, size_t values, json_object **root) {
    json_tokener *tokener = json_tokener_new_ex(VO_JSON_DEPTH);
    if (!tokener) return vo_fail_memory(text->ctx, text->file);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    *root = json_tokener_parse_ex(tokener, text->text, -1);
    vo_result result = VO_OK;
    if (json_tokener_get_error(tokener) != json_tokener_success)
        result = report_syntax(text, tokener);
    else
        result = check_complete(text, *root, values);
    json_tokener_free(tokener);
    return result;
}

static vo_result parse_copy(const vo_json_text *text, vo_json_doc *out) {
    size_t values;
    VO_TRY(vo_json_scan(text, &values));
    VO_TRY(build_tree(text, values, &out->root));
    out->ctx = text->ctx;
    out->file = vo_copy_string(text->ctx, text->file);
    return out->file ? VO_OK : vo_fail_memory(text->ctx, text->file);
}

vo_result vo_json_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                        vo_json_doc *out) {
    *out = (vo_json_doc){0};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
    if (size >= INT_MAX) return vo_fail(ctx, VO_BAD_DATA, "%s: larger than 2 GB", file);
    vo_json_text copy = {ctx, file, vo_alloc(ctx, size + 1), size};
    if (!copy.text) return vo_fail_memory(ctx, file);
    if (size) memcpy(copy.text, text, size);
    copy.text[size] = 0;
    vo_result result = parse_copy(&copy, out);
    vo_free(ctx, copy.text, size + 1);
    if (result != VO_OK) {
        json_object_put(out->root);
        *out = (vo_json_doc){0};
    }
    return result;
}

vo_result vo_json_load(vo_context *ctx, const char *path, vo_json_doc *out) {
    *out = (vo_json_doc){0};
    vo_bytes bytes;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_result result = vo_json_parse(ctx, path, bytes.data, bytes.size, out);
    vo_bytes_free(ctx, &bytes);
    return result;
}

vo_result vo_json_new(vo_context *ctx, const char *file, vo_json_doc *out) {
    *out = (vo_json_doc){ctx, vo_copy_string(ctx, file), json_object_new_object()};
    if (out->file && out->root) return VO_OK;
    vo_json_free(out);
    return vo_fail_memory(ctx, file);
}

void vo_json_free(vo_json_doc *doc) {
    json_object_put(doc->root);
    if (doc->ctx) vo_free_string(doc->ctx, doc->file);
    *doc = (vo_json_doc){0};
}

vo_json_at vo_json_root(const vo_json_doc *doc) {
    return (vo_json_at){.ctx = doc->ctx, .file = doc->file, .value = doc->root};
}

/* json-c has no object for null, so null and absent differ only in what the parent knows. */
static bool is_null(vo_json_at at) {
    if (!at.parent) return at.file != NULL;
    if (at.key) return json_object_object_get_ex(at.parent->value, at.key, NULL);
    return at.index >= 0 && at.index < vo_json_length(*at.parent);
}

vo_json_type vo_json_kind(vo_json_at at) {
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

bool vo_json_present(vo_json_at at) { return at.value != NULL; }

vo_json_at vo_json_get(const vo_json_at *object, const char *key) {
    vo_json_at at = {.ctx = object->ctx, .file = object->file, .parent = object, .key = key};
    if (json_object_is_type(object->value, json_type_object))
        at.value = json_object_object_get(object->value, key);
    return at;
}

vo_json_at vo_json_item(const vo_json_at *array, int index) {
    vo_json_at at = {.ctx = array->ctx, .file = array->file, .parent = array, .index = index};
    if (index >= 0 && index < vo_json_length(*array))
        at.value = json_object_array_get_idx(array->value, (size_t)index);
    return at;
}

int vo_json_length(vo_json_at array) {
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

/* Appends to a text of bounded size; what does not fit is cut. */
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

static void append_path(const vo_json_at *at, char *out, size_t size) {
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

void vo_json_path(vo_json_at at, char *out, size_t size) {
    if (size == 0) return;
    out[0] = 0;
    append_path(&at, out, size);
}

vo_result vo_json_fail(vo_json_at at, const char *format, ...) {
    char path[384], sentence[512];
    vo_json_path(at, path, sizeof path);
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return vo_fail(at.ctx, VO_BAD_DATA, "%s: %s%s%s", at.file, path, path[0] ? ": " : "", sentence);
}

const char *vo_json_kind_name(vo_json_at at) {
    static const char *const names[] = {"nothing",  "null",     "true or false", "a number",
                                        "a string", "an array", "an object"};
    return names[vo_json_kind(at)];
}

static vo_result expected(vo_json_at at, const char *what) {
    return vo_json_fail(at, "expected %s, found %s", what, vo_json_kind_name(at));
}

/* A number of any size; infinite where the text was beyond what a double holds. */
static vo_result read_number(vo_json_at at, const char *what, double *out) {
    if (vo_json_kind(at) != VO_JSON_NUMBER) return expected(at, what);
    *out = json_object_get_double(at.value);
    return VO_OK;
}

vo_result vo_json_read_real(vo_json_at at, double *out) {
    if (!vo_json_present(at)) return VO_OK;
    double value = 0;
    VO_TRY(read_number(at, "a number", &value));
    if (!isfinite(value)) return vo_json_fail(at, "the number is too large");
    *out = value;
    return VO_OK;
}

vo_result vo_json_read_int(vo_json_at at, int *out) {
    if (!vo_json_present(at)) return VO_OK;
    double value = 0;
    VO_TRY(read_number(at, "a whole number", &value));
    if (value < INT_MIN || value > INT_MAX)
        return vo_json_fail(at, "expected a whole number from %d to %d, found %.17g", INT_MIN,
                            INT_MAX, value);
    if (value != floor(value)) return vo_json_fail(at, "expected a whole number, found %g", value);
    *out = (int)value;
    return VO_OK;
}

vo_result vo_json_read_bool(vo_json_at at, bool *out) {
    if (!vo_json_present(at)) return VO_OK;
    if (vo_json_kind(at) != VO_JSON_BOOL) return expected(at, "true or false");
    *out = json_object_get_boolean(at.value);
    return VO_OK;
}

vo_result vo_json_read_string(vo_json_at at, const char **out) {
    if (!vo_json_present(at)) return VO_OK;
    if (vo_json_kind(at) != VO_JSON_STRING) return expected(at, "a string");
    *out = json_object_get_string(at.value);
    return VO_OK;
}

vo_result vo_json_read_reals(vo_json_at at, double *out, int count) {
    if (!vo_json_present(at)) return VO_OK;
    char what[48];
    snprintf(what, sizeof what, "an array of %d number%s", count, count == 1 ? "" : "s");
    if (vo_json_kind(at) != VO_JSON_ARRAY) return expected(at, what);
    if (vo_json_length(at) != count)
        return vo_json_fail(at, "expected %s, found %d", what, vo_json_length(at));
    for (int pass = 0; pass < 2;
         pass++) { /* the first only looks, so that an error changes nothing */
        for (int i = 0; i < count; i++) {
            vo_json_at item = vo_json_item(&at, i);
            double value = 0;
            if (!vo_json_present(item)) return expected(item, "a number");
            VO_TRY(vo_json_read_real(item, &value));
            if (pass) out[i] = value;
        }
    }
    return VO_OK;
}

/* "inf", "+infinity" and so on. */
static bool is_infinity(const char *text, double *out) {
    double sign = text[0] == '-' ? -1 : 1;
    if (text[0] == '-' || text[0] == '+') text++;
    if (strcasecmp(text, "inf") != 0 && strcasecmp(text, "infinity") != 0) return false;
    *out = sign * HUGE_VAL;
    return true;
}

vo_result vo_json_read_limit(vo_json_at at, double *out) {
    if (!vo_json_present(at)) return VO_OK;
    const char *what = "a number, \"inf\" or \"-inf\"";
    if (vo_json_kind(at) != VO_JSON_STRING) return read_number(at, what, out);
    return is_infinity(json_object_get_string(at.value), out) ? VO_OK : expected(at, what);
}
