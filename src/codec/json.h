/* JSON with comments. json-c holds the values; only the files json*.c know that library.
 *
 * What is read is JSON with four courtesies: comments (// and slash-star), a comma after the last
 * element, a byte order mark, and numbers like 1. and -.5. Everything else is refused with line and
 * column: NaN and Infinity, words without quotes, a key given twice in one object, something after
 * the value, zero bytes, more than VO_JSON_DEPTH levels. The locale plays no part.
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
    const char *changed;             /* paths that are not as in the file; see vo_json_doc */
    struct json_object *value;
} vo_json_at;

typedef struct vo_json_doc {
    vo_context *ctx;
    char *file;
    struct json_object *root;
    char *changed; /* paths of vo_json_tell_changed, each with a line feed; NULL: none */
} vo_json_doc;

enum { VO_JSON_DEPTH = 64 };

/* "scene.json: line 3, column 7: ..." for a syntax error. On failure *out is empty. */
vo_result vo_json_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                        vo_json_doc *out);
vo_result vo_json_load(vo_context *ctx, const char *path, vo_json_doc *out);
/* A document to be filled: an empty object. */
vo_result vo_json_new(vo_context *ctx, const char *file, vo_json_doc *out);
void vo_json_free(vo_json_doc *doc); /* leaves it empty; empty ones are fine */
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
const char *vo_json_kind_name(vo_json_at at); /* "a number", "nothing"... for messages */
bool vo_json_present(vo_json_at at);          /* not absent and not null */

vo_json_at vo_json_get(const vo_json_at *object, const char *key); /* absent if not there */
vo_json_at vo_json_item(const vo_json_at *array, int index);
int vo_json_length(vo_json_at array); /* 0 if not an array */
/* Members of an object in the order of the file; their names are in `key`. */
int vo_json_member_count(vo_json_at object); /* 0 if not an object */
vo_json_at vo_json_member(const vo_json_at *object, int index);

/* "scene.json: cloths[0].mesh: " + your sentence, as VO_BAD_DATA; with vo_json_origin
 * behind the file's name for what vo_json_tell_changed was told of. */
vo_result vo_json_fail(vo_json_at at, const char *format, ...) VO_PRINTF(2, 3);
/* " (as set by the call)", " (with what the call has set in it)", or "" for what is as in the file;
 * for warnings. */
const char *vo_json_origin(vo_json_at at);
/* The key path alone: cloths[0].mesh; keys that are not plain words stand in quotes. Empty at the
 * top; cut where it does not fit. */
void vo_json_path(vo_json_at at, char *out, size_t size);

/* Readers. An absent value or null leaves *out as it is (its default), and so does an error: a
 * wrong type, a number that is not finite, a fraction for an int or one out of its range. */
vo_result vo_json_read_real(vo_json_at at, double *out);
vo_result vo_json_read_int(vo_json_at at, int *out);
vo_result vo_json_read_bool(vo_json_at at, bool *out);
vo_result vo_json_read_string(vo_json_at at, const char **out);      /* borrowed */
vo_result vo_json_read_reals(vo_json_at at, double *out, int count); /* exactly count numbers */
/* Like read_real, but infinities pass: "inf", "infinity", either with a sign, and 1e999. */
vo_result vo_json_read_limit(vo_json_at at, double *out);

/* Fails on a key of `object` that is not in `known` (NULL-terminated), naming the nearest one, or
 * all of them where none is near. Fails too if it is no object; absent and null pass. */
vo_result vo_json_check_keys(vo_json_at object, const char *const *known);

/* Building, for the resolved scene. `in` is an object and `key` the member to set or replace, or
 * `in` is an array and `key` NULL: then the value is appended. A vo_json_at of what was replaced is
 * dead. Infinities are put as the strings that vo_json_read_limit takes. Texts must be UTF-8, keys
 * too; a string that is not is VO_BAD_DATA, so that what is printed can be read again. */
vo_result vo_json_put_real(const vo_json_at *in, const char *key, double value);
vo_result vo_json_put_int(const vo_json_at *in, const char *key, int value);
vo_result vo_json_put_bool(const vo_json_at *in, const char *key, bool value);
vo_result vo_json_put_string(const vo_json_at *in, const char *key, const char *value);
vo_result vo_json_put_reals(const vo_json_at *in, const char *key, const double *value, int count);
/* Empty ones, to be filled through *out; `in` and `key` must outlive that. */
vo_result vo_json_put_object(const vo_json_at *in, const char *key, vo_json_at *out);
vo_result vo_json_put_array(const vo_json_at *in, const char *key, vo_json_at *out);
/* A deep copy, also from another document. Nothing happens if `source` is absent. */
vo_result vo_json_put_copy(const vo_json_at *in, const char *key, vo_json_at source);
void vo_json_remove(const vo_json_at *object, const char *key); /* fine if it is not there */

/* For --set. `path` like cloths[0].materials[0].damping, as vo_json_path writes it; objects and
 * arrays on the way are made, array elements must exist or be the next one. `text` is JSON, or a
 * bare word taken as a string; commas outside brackets make an array of such values. Fails with
 * VO_BAD_CALL, and then nothing has changed. */
vo_result vo_json_set(vo_json_doc *doc, const char *path, const char *text);

/* What is at this path, spelt as by vo_json_path, and below is not as in the file: messages about
 * it say so. A vo_json_at from before is dead. */
vo_result vo_json_tell_changed(vo_json_doc *doc, const char *path);

/* Text for people: members one a line in their order, arrays of plain values in lines of up to 100
 * columns. The same document gives the same bytes, and reading them gives the same document:
 * numbers have the digits they need and no more. vo_free'd with size + 1. */
vo_result vo_json_print(const vo_json_doc *doc, char **out, size_t *size);

/* A number as JSON, in 15 to 17 digits so that it reads back as the same bits, with a point in any
 * locale. What is not finite becomes "inf", "-inf" or "nan" in quotes. Returns the length. */
int vo_json_format_real(double value, char out[32]);

#endif
