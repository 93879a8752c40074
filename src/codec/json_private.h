/* What the files json*.c share. */
#ifndef VO_CODEC_JSON_PRIVATE_H
#define VO_CODEC_JSON_PRIVATE_H

#include "codec/json.h"

/* Copies what is fit for a message: no control characters, at most size - 1 bytes. */
void vo_json_quotable(char *out, size_t size, const char *text);

/* Bytes of the UTF-8 character at `text`, of which `size` bytes are left; 0 if it is none (cut off,
 * too long, a surrogate, beyond 10ffff). */
size_t vo_json_character(const char *text, size_t size);
bool vo_json_is_utf8(const char *text, size_t size);

/* vo_json_fail with the origin of something else than what the path names. */
vo_result vo_json_fail_from(vo_json_at at, const char *origin, const char *format, ...)
    VO_PRINTF(3, 4);

/* Sets a member, or appends if `key` is NULL. Takes over `value` in any case; NULL is null. False
 * without memory. */
bool vo_json_attach(struct json_object *container, const char *key, struct json_object *value);

#endif
