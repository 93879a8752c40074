/* JSON with comments, through json-c: the only file that knows that library is json.c.
 *
 * A document is a tree of values; `vo_json_at` tells a reader where it is, so that every complaint
 * names the file and the key path: "scene.json: cloths[0].materials[1].damping: expected a number,
 * found a string". */
#ifndef VO_CODEC_JSON_H
#define VO_CODEC_JSON_H

#include "core/context.h"

struct json_object;

/* A value and the way to it. `value` is NULL for something that is absent. By value, no ownership;
 * lives as long as its document. */
typedef struct vo_json_at {
    vo_context *ctx;
    const char *file;
    const struct vo_json_at *parent; /* NULL at the top; must outlive this */
    const char *key;                 /* key in the parent, or NULL for an array element */
    int index;                       /* index in the parent array */
    struct json_object *value;
} vo_json_at;

typedef struct vo_json_doc {
    vo_context *ctx;
    char *file;
    struct json_object *root;
} vo_json_doc;

/* Syntax errors name line and column. */
vo_result vo_json_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                        vo_json_doc *out);
vo_result vo_json_load(vo_context *ctx, const char *path, vo_json_doc *out);
void vo_json_free(vo_json_doc *doc);
vo_json_at vo_json_root(const vo_json_doc *doc);

typedef enum vo_json_type {
    VO_JSON_ABSENT,
    VO_JSON_NULL,
    VO_JSON_BOOL,
    VO_JSON_NUMBER,
    VO_JSON_STRING,
    VO_JSON_ARRAY,
    VO_JSON_OBJECT
} vo_json_type;
vo_json_type vo_json_kind(vo_json_at at);
bool vo_json_present(vo_json_at at); /* not absent and not null */

vo_json_at vo_json_get(const vo_json_at *object, const char *key); /* absent if not there */
vo_json_at vo_json_item(const vo_json_at *array, int index);
int vo_json_length(vo_json_at array); /* 0 if not an array */

/* "scene.json: cloths[0].mesh: " + your sentence, as VO_BAD_DATA. */
vo_result vo_json_fail(vo_json_at at, const char *format, ...) VO_PRINTF(2, 3);
/* The key path alone: cloths[0].mesh */
void vo_json_path(vo_json_at at, char *out, size_t size);

/* Readers. An absent value leaves *out as it is (its default); a wrong type, a number that is not
 * finite or a number out of an int's range is an error. */
vo_result vo_json_read_real(vo_json_at at, double *out);
vo_result vo_json_read_int(vo_json_at at, int *out);
vo_result vo_json_read_bool(vo_json_at at, bool *out);
vo_result vo_json_read_string(vo_json_at at, const char **out);      /* borrowed */
vo_result vo_json_read_reals(vo_json_at at, double *out, int count); /* exactly count numbers */
/* Like read_real, but the strings "inf", "-inf", "infinity" and null-free infinities pass. */
vo_result vo_json_read_limit(vo_json_at at, double *out);

/* Fails on a key of `object` that is not in `known` (NULL-terminated), naming the nearest one. */
vo_result vo_json_check_keys(vo_json_at object, const char *const *known);

/* Editing, for --set and for the resolved scene. `path` like cloths[0].materials[0].damping;
 * objects on the way are made, array elements must exist (or be the next one). `text` is JSON, or
 * a bare word taken as a string; commas outside brackets make an array of words. */
vo_result vo_json_set(vo_json_doc *doc, const char *path, const char *text);
vo_result vo_json_print(const vo_json_doc *doc, char **out, size_t *size); /* vo_free'd: size + 1 */

#endif
