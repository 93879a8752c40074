/* voile sew and voile cook: what their command lines have in common. */
#ifndef VOILE_CLI_SEW_OPTIONS_H
#define VOILE_CLI_SEW_OPTIONS_H

#include "cli.h"

/* An option with a number. */
typedef struct cli_number {
    const char *option; /* without the dashes */
    const char *words;  /* its value; NULL: not given, *out is unchanged */
    double low, high;   /* permitted range */
    double *out;
} cli_number;

/* Reads the numbers and checks their ranges. Prints a message and returns CLI_USAGE_ERROR for the
 * first invalid one. */
int cli_read_numbers(size_t count, const cli_number *numbers);

/* Reads --units and --up. */
void cli_read_body_axes(const cli_args *args, vo_sew_def *def);

/* True if both names refer to the same file; NULL refers to none. */
bool cli_is_same_file(const char *a, const char *b);

#endif
