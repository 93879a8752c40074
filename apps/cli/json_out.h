/* voile: JSON on a stream. Writes commas and escapes; the caller is responsible for nesting. */
#ifndef VOILE_CLI_JSON_OUT_H
#define VOILE_CLI_JSON_OUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct json_out {
    FILE *file;
    bool more; /* a value was written at this level: a comma is due */
} json_out;

/* `key` is NULL inside arrays and at the top. */
void json_open(json_out *j, const char *key, char bracket);
void json_close(json_out *j, char bracket);
/* Bytes that are not UTF-8 become U+FFFD. NULL becomes null. */
void json_text(json_out *j, const char *key, const char *text);
void json_int(json_out *j, const char *key, long long value);
/* Infinities and NaN, which JSON does not have, become null. */
void json_real(json_out *j, const char *key, double value);
void json_bool(json_out *j, const char *key, bool value);
/* Ends the line. */
void json_end(json_out *j);

#endif
