/* JSON with comments. Values are stored by json-c, which only the files json*.c include.
 *
 * The parser accepts JSON and four extensions: comments (// and slash-star), a comma after the last
 * element, a byte order mark, and numbers like 1. and -.5. Everything else is an error with line
 * and column: NaN and Infinity, unquoted words, duplicate keys in an object, text after the value,
 * zero bytes, more than VO_JSON_DEPTH levels. Parsing does not depend on the locale.
 *
 * A document is a tree of values. A `vo_json_cursor` is a value with its key path, so that every
 * error message names file and key path: "scene.json: cloths[0].materials[1].damping: expected a
 * number, found a string". */
#ifndef VO_CODEC_JSON_H
#define VO_CODEC_JSON_H

#include "core/context.h"

struct json_object;

/* A value and its key path. `value` is NULL if the value is absent or null. Passed by value, owns
 * nothing, valid as long as its document. */
typedef struct vo_json_cursor {
    vo_context *ctx;
    const char *file;
    const struct vo_json_cursor *parent; /* NULL at the root; must outlive this cursor */
    const char *key;                     /* key in the parent, or NULL for an array element */
    int index;                           /* index in the parent array */
    const char *overridden;              /* of the document; see vo_json_doc */
    struct json_object *value;
} vo_json_cursor;

typedef struct vo_json_doc {
    vo_context *ctx;
    char *file;
    struct json_object *root;
    char *overridden; /* paths of vo_json_mark_overridden, one per line; NULL: none */
} vo_json_doc;

enum { VO_JSON_DEPTH = 64 };

/* Parses a text; `file` is its name in messages. Syntax errors read "scene.json: line 3, column 7:
 * ...". On failure *out is empty. */
vo_result vo_json_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                        vo_json_doc *out);
vo_result vo_json_load(vo_context *ctx, const char *path, vo_json_doc *out);
/* Creates a document that contains an empty object. */
vo_result vo_json_new(vo_context *ctx, const char *file, vo_json_doc *out);
void vo_json_free(vo_json_doc *doc); /* resets it; an empty document is allowed */
vo_json_cursor vo_json_root(const vo_json_doc *doc);

/* Creates an object from a document, which is freed afterwards; `out` is the object's pointer. */
typedef vo_result vo_json_object_fn(vo_json_doc *doc, void *out);

/* Parses a text or reads a file, and creates an object from it. Fails as vo_json_parse,
 * vo_json_load and `create` do. */
vo_result vo_json_parse_object(vo_context *ctx, const char *file, const char *text, size_t size,
                               vo_json_object_fn *create, void *out);
vo_result vo_json_load_object(vo_context *ctx, const char *path, vo_json_object_fn *create,
                              void *out);

typedef enum vo_json_type {
    VO_JSON_ABSENT,
    VO_JSON_NULL,
    VO_JSON_BOOL,
    VO_JSON_NUMBER,
    VO_JSON_STRING,
    VO_JSON_ARRAY,
    VO_JSON_OBJECT
} vo_json_type;
vo_json_type vo_json_kind(vo_json_cursor at);
const char *vo_json_kind_name(vo_json_cursor at); /* for messages: "a number", "nothing" */
bool vo_json_is_present(vo_json_cursor at);       /* neither absent nor null */

vo_json_cursor vo_json_get(const vo_json_cursor *object,
                           const char *key); /* value NULL if absent */
vo_json_cursor vo_json_item(const vo_json_cursor *array, int index);
int vo_json_length(vo_json_cursor array); /* 0 if not an array */
/* Members of an object in file order; `key` is their name. */
int vo_json_member_count(vo_json_cursor object); /* 0 if not an object */
vo_json_cursor vo_json_member(const vo_json_cursor *object, int index);

/* Sets the error message to "scene.json: cloths[0].mesh: " and the formatted text, with
 * vo_json_origin after the file name, and returns VO_BAD_DATA. */
vo_result vo_json_fail(vo_json_cursor at, const char *format, ...) VO_PRINTF(2, 3);
/* Origin of a value for messages: "" if it is from the file, " (overridden by the caller)", or
 * " (partly overridden by the caller)" for an array or object that contains overrides. */
const char *vo_json_origin(vo_json_cursor at);
/* Writes the key path, as in cloths[0].mesh; keys that are not identifiers are quoted. Empty at the
 * root; truncated at `size`. */
void vo_json_path(vo_json_cursor at, char *out, size_t size);

/* Readers. They leave *out unchanged (at its default) if the value is absent or null, and on
 * errors: wrong type, number not finite, int with a fraction or out of range. */
vo_result vo_json_read_real(vo_json_cursor at, double *out);
vo_result vo_json_read_int(vo_json_cursor at, int *out);
vo_result vo_json_read_bool(vo_json_cursor at, bool *out);
vo_result vo_json_read_string(vo_json_cursor at, const char **out);      /* borrowed */
vo_result vo_json_read_reals(vo_json_cursor at, double *out, int count); /* exactly count numbers */
/* Like vo_json_read_real, but accepts infinities: "inf", "infinity", with or without sign, 1e999.
 */
vo_result vo_json_read_real_or_inf(vo_json_cursor at, double *out);

/* Fails if `object` has a key that is not in `known` (NULL-terminated); the message suggests the
 * most similar key, or lists all keys. Fails if it is another type; absent and null are valid. */
vo_result vo_json_check_keys(vo_json_cursor object, const char *const *known);

/* Returns the most similar known word, with at most a third of the letters changed; NULL if there
 * is none. `known` ends with NULL. */
const char *vo_json_find_similar(const char *word, const char *const *known);

/* Writers, for resolved scenes. Set or replace member `key` of the object `in`; or append to the
 * array `in` if `key` is NULL. Cursors of a replaced value become invalid. Infinities are stored as
 * the strings that vo_json_read_real_or_inf reads. Keys and strings must be UTF-8, otherwise
 * VO_BAD_DATA, so that a printed document can be parsed again. */
vo_result vo_json_put_real(const vo_json_cursor *in, const char *key, double value);
vo_result vo_json_put_int(const vo_json_cursor *in, const char *key, int value);
vo_result vo_json_put_bool(const vo_json_cursor *in, const char *key, bool value);
vo_result vo_json_put_string(const vo_json_cursor *in, const char *key, const char *value);
vo_result vo_json_put_reals(const vo_json_cursor *in, const char *key, const double *value,
                            int count);
/* Put an empty container and return its cursor; `in` and `key` must outlive the cursor. */
vo_result vo_json_put_object(const vo_json_cursor *in, const char *key, vo_json_cursor *out);
vo_result vo_json_put_array(const vo_json_cursor *in, const char *key, vo_json_cursor *out);
/* Puts a deep copy, also from another document. Does nothing if `source` is absent. */
vo_result vo_json_put_copy(const vo_json_cursor *in, const char *key, vo_json_cursor source);
void vo_json_remove(const vo_json_cursor *object,
                    const char *key); /* does nothing if it is absent */

/* Applies an override. `path` is written as by vo_json_path, as in cloths[0].materials[0].damping;
 * missing objects and arrays along it are created; an array index must exist or be the next one.
 * `text` is JSON, or an unquoted word, which becomes a string; commas outside brackets separate the
 * elements of an array. On failure returns VO_BAD_ARGUMENT and changes nothing. */
vo_result vo_json_set(vo_json_doc *doc, const char *path, const char *text);

/* Records that the value at `path`, written as by vo_json_path, and all values below it are
 * overridden; messages about them contain vo_json_origin. Invalidates all cursors. */
vo_result vo_json_mark_overridden(vo_json_doc *doc, const char *path);

/* Prints a document in readable form: one member per line in document order, arrays of numbers and
 * strings in lines of up to 100 columns. Deterministic; parsing the text gives the same document,
 * and numbers have no more digits than that requires. Free *out with vo_free and size + 1. */
vo_result vo_json_print(const vo_json_doc *doc, char **out, size_t *size);

/* Formats a number as JSON with the 15 to 17 digits that preserve its bits, independent of the
 * locale. Numbers that are not finite become "inf", "-inf" or "nan" in quotes. Returns the length.
 */
int vo_json_format_real(double value, char out[32]);

#endif
