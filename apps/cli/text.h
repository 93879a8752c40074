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

/* Seconds of a clock that only goes forward. */
double text_clock(void);

#endif
