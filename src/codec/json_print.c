/* Prints JSON documents in readable form. */
#include "codec/json.h"
#include "core/memory.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 100, INDENT = 2 };

/* Output text. After a failed allocation nothing is added. */
typedef struct printer {
    vo_context *ctx;
    char *text;
    int capacity, size;
    int line; /* where the current line begins */
    bool failed;
} printer;

static void add_bytes(printer *p, const char *text, size_t length) {
    if (!p->failed && length < (size_t)(INT32_MAX - p->size) &&
        vo_reserve(p->ctx, &p->text, &p->capacity, p->size + (int)length)) {
        memcpy(p->text + p->size, text, length);
        p->size += (int)length;
    } else {
        p->failed = true;
    }
}

static void add_text(printer *p, const char *text) { add_bytes(p, text, strlen(text)); }

static void new_line(printer *p, int depth) {
    add_text(p, "\n");
    p->line = p->size;
    for (int i = 0; i < depth * INDENT; i++) add_bytes(p, " ", 1);
}

/* Adds a quoted string with quotes, backslashes and control characters escaped. */
static void add_string(printer *p, const char *text) {
    add_text(p, "\"");
    for (; *text; text++) {
        char escape[8] = {'\\', *text, 0};
        if (*text == '\n')
            add_text(p, "\\n");
        else if (*text == '\t')
            add_text(p, "\\t");
        else if (*text == '"' || *text == '\\')
            add_text(p, escape);
        else if ((unsigned char)*text < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*text), add_text(p, escape);
        else
            add_bytes(p, text, 1);
    }
    add_text(p, "\"");
}

static bool is_container(json_object *value) {
    return json_object_is_type(value, json_type_array) ||
           json_object_is_type(value, json_type_object);
}

static void add_scalar(printer *p, json_object *value) {
    char number[32];
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        add_text(p, json_object_get_boolean(value) ? "true" : "false");
        break;
    case json_type_int:
        snprintf(number, sizeof number, "%lld", (long long)json_object_get_int64(value));
        add_text(p, number);
        break;
    case json_type_double:
        vo_json_format_real(json_object_get_double(value), number);
        add_text(p, number[0] == '"' ? (number[1] == '-' ? "-1e999" : "1e999") : number);
        break;
    case json_type_string:
        add_string(p, json_object_get_string(value));
        break;
    default:
        add_text(p, "null");
    }
}

static void add_value(printer *p, json_object *value, int depth);

static void add_object(printer *p, json_object *object, int depth) {
    bool first = true;
    add_text(p, "{");
    json_object_object_foreach(object, key, member) {
        if (!first) add_text(p, ",");
        first = false;
        new_line(p, depth + 1);
        add_string(p, key);
        add_text(p, ": ");
        add_value(p, member, depth + 1);
    }
    if (!first) new_line(p, depth);
    add_text(p, "}");
}

static bool contains_containers(json_object *array) {
    for (size_t i = 0; i < json_object_array_length(array); i++)
        if (is_container(json_object_array_get_idx(array, i))) return true;
    return false;
}

/* Scalars share lines up to LINE_WIDTH; arrays and objects start a new line each. */
static void add_array(printer *p, json_object *array, int depth) {
    size_t count = json_object_array_length(array);
    bool broken = false, each = contains_containers(array);
    add_text(p, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) add_text(p, ",");
        if (each || p->size - p->line > LINE_WIDTH - 16)
            new_line(p, depth + 1), broken = true;
        else if (i)
            add_text(p, " ");
        add_value(p, json_object_array_get_idx(array, i), depth + 1);
    }
    if (broken) new_line(p, depth);
    add_text(p, "]");
}

static void add_value(printer *p, json_object *value, int depth) {
    if (json_object_is_type(value, json_type_object))
        add_object(p, value, depth);
    else if (json_object_is_type(value, json_type_array))
        add_array(p, value, depth);
    else
        add_scalar(p, value);
}

vo_result vo_json_print(const vo_json_doc *doc, char **out, size_t *size) {
    printer p = {.ctx = doc->ctx};
    add_value(&p, doc->root, 0);
    add_text(&p, "\n");
    char *text = p.failed ? NULL : vo_alloc(doc->ctx, (size_t)p.size + 1);
    if (text) {
        memcpy(text, p.text, (size_t)p.size);
        text[p.size] = 0;
        *out = text;
        *size = (size_t)p.size;
    }
    vo_free_array(doc->ctx, p.text, p.capacity);
    return text ? VO_OK : vo_fail_memory(doc->ctx, doc->file);
}
