/* Functions shared by the files json*.c. */
#ifndef VO_CODEC_JSON_PRIVATE_H
#define VO_CODEC_JSON_PRIVATE_H

#include "codec/json.h"

/* Copies at most size - 1 bytes for a message; control characters become question marks. */
void vo_json_sanitise(char *out, size_t size, const char *text);

/* Length in bytes of the UTF-8 character at `text`, which has `size` bytes; 0 if it is invalid
 * (truncated, overlong, a surrogate, above 10ffff). */
size_t vo_json_char_length(const char *text, size_t size);
bool vo_json_is_utf8(const char *text, size_t size);

/* Like vo_json_fail, with an explicit origin. */
vo_result vo_json_fail_from(vo_json_cursor at, const char *origin, const char *format, ...)
    VO_PRINTF(3, 4);

/* Sets a member, or appends if `key` is NULL. Takes ownership of `value`, also on failure; a NULL
 * value is JSON null. Returns false if memory is exhausted. */
bool vo_json_attach(struct json_object *container, const char *key, struct json_object *value);

#endif
