/* Rounding of rows whose sum is prescribed. */
#ifndef VO_UPSAMPLE_ROUNDING_H
#define VO_UPSAMPLE_ROUNDING_H

#include <stdint.h>

/* Rounds a row to floats that sum to `sum`: spreads the error of the doubles over the row, rounds,
 * and adds what the rounding changed to the smallest element, whose last digit is finest. The sum
 * is then within half a unit in the last place of that element. A row of zeros stays zero if the
 * sum is. */
void vo_round_row(int count, const double *row, double sum, float *out);

/* The same with half floats (rt/base/half.h). */
void vo_round_row_half(int count, const double *row, double sum, uint16_t *out);

#endif
