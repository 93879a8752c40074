/* voile: numbers, times and paths as people read them. */
#ifndef VOILE_CLI_TEXT_H
#define VOILE_CLI_TEXT_H

#include <stddef.h>

typedef struct text {
    char s[64];
} text;

/* 20,000 */
text text_count(long long value);

/* "0.31 s", "42 s", "3 min 05 s", "2 h 14 min" */
text text_seconds(double seconds);

/* A path as a shell takes it: quoted only where it must be. Cut where it does not fit. */
const char *text_quoted(const char *path, char *out, size_t size);

/* Seconds of a clock that only goes forward. */
double text_clock(void);

#endif
