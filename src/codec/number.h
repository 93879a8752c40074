/* Conversion between numbers and text, independent of the locale.
 *
 * Reading is correctly rounded; writing uses the smallest of 15, 16 and 17 digits that preserves
 * the number. Common cases (up to 19 digits, from 1e-11 to 1e17) use 128-bit integer arithmetic;
 * others use the C library in the C locale. */
#ifndef VO_CODEC_NUMBER_H
#define VO_CODEC_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { VO_NUMBER_TEXT = 32 }; /* bytes for any formatted number and a NUL */

/* Parses [+-]digits[.digits][e[+-]digits] and returns the position after it; NULL if there is no
 * number ("nan" and "inf" are not accepted). Overflow gives infinity. */
const char *vo_number_read(const char *at, const char *end, double *out);

/* Formats `x` into text[VO_NUMBER_TEXT] and returns the length. */
size_t vo_number_write(double x, char *text);
size_t vo_number_write_int(int x, char *text);

#endif
