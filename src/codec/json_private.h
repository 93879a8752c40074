/* What the files json*.c share. The scan is a look at the text before json-c sees it: it takes out
 * what json-c does not know and refuses what json-c would let pass. */
#ifndef VO_CODEC_JSON_PRIVATE_H
#define VO_CODEC_JSON_PRIVATE_H

#include "core/context.h"

struct json_object;

/* A text being read. `text` is a private copy with a NUL behind it. */
typedef struct vo_json_text {
    vo_context *ctx;
    const char *file;
    char *text;
    size_t size;
} vo_json_text;

/* Blanks comments and last commas, checks words, numbers and the ends of strings. Sets the number
 * of values (keys not counted) that a parser has to find. */
vo_result vo_json_scan(const vo_json_text *text, size_t *values);

/* For a scanned and parsed text: fails on the first key that its object already has. */
vo_result vo_json_refuse_twins(const vo_json_text *text);

/* "FILE: line L, column C: " + the sentence, as VO_BAD_DATA; `at` is the offset in the text. */
vo_result vo_json_syntax_error(const vo_json_text *text, size_t at, const char *format, ...)
    VO_PRINTF(3, 4);

/* Copies what is fit for a message: no control characters, at most size - 1 bytes. */
void vo_json_quotable(char *out, size_t size, const char *text, size_t length);

/* Sets a member, or appends if `key` is NULL. Takes over `value` in any case; NULL is null. False
 * without memory. */
bool vo_json_attach(struct json_object *container, const char *key, struct json_object *value);

#endif
