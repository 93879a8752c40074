/* voile: readable numbers, times and names. */
#ifndef VOILE_CLI_TEXT_H
#define VOILE_CLI_TEXT_H

#include <stddef.h>

typedef struct text {
    char s[64];
} text;

/* 20,000 */
text text_count(long long value);

/* The ending of a regular noun after this number: "%s node%s". */
const char *text_plural(long long value);

/* "0.31 s", "42 s", "3 min 05 s", "2 h 14 min" */
text text_seconds(double seconds);

/* A name for a table column of `width` characters. A longer one becomes its number and its end,
 * "2:..end-of-the-name", so that names that begin alike stay distinguishable. */
text text_label(const char *name, int number, int width);

/* Seconds of a monotonic clock. */
double text_clock(void);

#endif
