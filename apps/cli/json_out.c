#include "json_out.h"

#include <math.h>
#include <stddef.h>

/* Bytes of the well-formed UTF-8 sequence at `p`; 0 if it is not one (RFC 3629, table 3-7 of
 * Unicode: no overlong forms, no surrogates, nothing above U+10FFFF). */
static int utf8_length(const unsigned char *p) {
    if (p[0] < 0x80) return 1;
    int length = p[0] >= 0xC2 && p[0] <= 0xDF   ? 2
                 : p[0] >= 0xE0 && p[0] <= 0xEF ? 3
                 : p[0] >= 0xF0 && p[0] <= 0xF4 ? 4
                                                : 0;
    for (int i = 1; i < length; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (p[0] == 0xE0 && p[1] < 0xA0) return 0;
    if (p[0] == 0xED && p[1] > 0x9F) return 0;
    if (p[0] == 0xF0 && p[1] < 0x90) return 0;
    if (p[0] == 0xF4 && p[1] > 0x8F) return 0;
    return length;
}

/* Writes one character of a string, escaped if JSON requires it. */
static void write_ascii(FILE *file, unsigned char c) {
    if (c == '"' || c == '\\')
        fprintf(file, "\\%c", c);
    else if (c == '\n')
        fputs("\\n", file);
    else if (c == '\t')
        fputs("\\t", file);
    else if (c < 0x20 || c == 0x7F)
        fprintf(file, "\\u%04x", c);
    else
        fputc(c, file);
}

/* Writes a string with its quotes. */
static void write_string(FILE *file, const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    fputc('"', file);
    while (*p) {
        int length = utf8_length(p);
        if (length == 1)
            write_ascii(file, *p);
        else if (length == 0)
            fputs("\\ufffd", file);
        else
            fwrite(p, 1, (size_t)length, file);
        p += length ? length : 1;
    }
    fputc('"', file);
}

/* Writes comma and key before a value. */
static void begin(json_out *j, const char *key) {
    if (j->more) fputs(", ", j->file);
    j->more = true;
    if (!key) return;
    write_string(j->file, key);
    fputs(": ", j->file);
}

void json_open(json_out *j, const char *key, char bracket) {
    begin(j, key);
    fputc(bracket, j->file);
    j->more = false;
}

void json_close(json_out *j, char bracket) {
    fputc(bracket, j->file);
    j->more = true;
}

void json_text(json_out *j, const char *key, const char *text) {
    begin(j, key);
    if (text)
        write_string(j->file, text);
    else
        fputs("null", j->file);
}

void json_int(json_out *j, const char *key, long long value) {
    begin(j, key);
    fprintf(j->file, "%lld", value);
}

void json_real(json_out *j, const char *key, double value) {
    begin(j, key);
    if (isfinite(value))
        fprintf(j->file, "%.9g", value);
    else
        fputs("null", j->file);
}

void json_bool(json_out *j, const char *key, bool value) {
    begin(j, key);
    fputs(value ? "true" : "false", j->file);
}

void json_end(json_out *j) {
    fputc('\n', j->file);
    j->more = false;
}
