/* Numbers as text, the same in every locale.
 *
 * Reading is correctly rounded, writing gives the shortest of 15, 16 or 17 digits that reads back
 * as the same number. Both do the common cases (numbers of up to 19 digits between 1e-11 and 1e17)
 * in 128-bit integer arithmetic and leave the rest to the C library in its own locale. */
#ifndef VO_CODEC_NUMBER_H
#define VO_CODEC_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { VO_NUMBER_TEXT = 32 }; /* bytes that hold any written number and a NUL */

/* Reads [+-]digits[.digits][e[+-]digits] and returns what follows, or NULL where there is no such
 * number ("nan" and "inf" are none). Too large a number gives infinity. */
const char *vo_number_read(const char *at, const char *end, double *out);

/* Writes `x` and returns the length; `text` has room for VO_NUMBER_TEXT. */
size_t vo_number_write(double x, char *text);
size_t vo_number_write_int(int x, char *text);

#endif
