/* voile: parses doubles that are written as fractions of integers of any length. */
#ifndef VOILE_CLI_CCD_NUMBER_H
#define VOILE_CLI_CCD_NUMBER_H

/* Parses "numerator,denominator" in decimal digits, the numerator with an optional minus sign.
 * Returns the end of the fraction, or NULL with *problem set if it is malformed or its value is not
 * exactly a double. Nothing is rounded. */
const char *ccd_fraction_read(const char *text, double *out, const char **problem);

#endif
