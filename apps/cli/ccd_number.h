/* voile: fractions of whole numbers of any length that stand for doubles. */
#ifndef VOILE_CLI_CCD_NUMBER_H
#define VOILE_CLI_CCD_NUMBER_H

/* Reads "numerator,denominator" in decimal digits, the numerator with a sign if it is negative.
 * Returns where it stops, or NULL with *problem set: it is no such fraction, or its value is not a
 * double exactly. Nothing is rounded. */
const char *ccd_fraction_read(const char *text, double *out, const char **problem);

#endif
