#include "text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

text text_count(long long value) {
    char digits[32];
    text out;
    size_t n = (size_t)snprintf(digits, sizeof digits, "%lld", value), length = 0;
    for (size_t i = 0; i < n; i++) {
        out.s[length++] = digits[i];
        if ((n - 1 - i) % 3 == 0 && i + 1 < n && digits[i] != '-') out.s[length++] = ',';
    }
    out.s[length] = 0;
    return out;
}

const char *text_plural(long long value) { return value == 1 ? "" : "s"; }

text text_seconds(double seconds) {
    text out;
    if (!(seconds < 1e9)) seconds = 1e9;
    long whole = (long)(seconds + 0.5);
    if (seconds < 0.0995)
        snprintf(out.s, sizeof out.s, "%.1f ms", seconds * 1e3);
    else if (seconds < 9.95)
        snprintf(out.s, sizeof out.s, "%.2f s", seconds);
    else if (whole < 60)
        snprintf(out.s, sizeof out.s, "%ld s", whole);
    else if (whole < 3600)
        snprintf(out.s, sizeof out.s, "%ld min %02ld s", whole / 60, whole % 60);
    else
        snprintf(out.s, sizeof out.s, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    return out;
}

text text_label(const char *name, int number, int width) {
    text out;
    int length = (int)strlen(name);
    if (width >= (int)sizeof out.s) width = (int)sizeof out.s - 1;
    if (length <= width) {
        snprintf(out.s, sizeof out.s, "%s", name);
        return out;
    }
    int head = snprintf(out.s, sizeof out.s, "%d:..", number);
    const char *tail = name + length - (width - head);
    while ((*tail & 0xc0) == 0x80) tail++; /* not inside a UTF-8 character */
    snprintf(out.s + head, sizeof out.s - (size_t)head, "%s", tail);
    return out;
}

double text_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
