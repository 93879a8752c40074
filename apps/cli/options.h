/* voile: from the words of a command line to cli_args. */
#ifndef VOILE_CLI_OPTIONS_H
#define VOILE_CLI_OPTIONS_H

#include "cli.h"

/* Reads the words after the command's name. Options stand before or after the operand, as
 * `--name value`, `--name=value`, `-o value` or `-ovalue`; `--` ends them. Returns CLI_DONE, or
 * CLI_BAD_CALL after saying what is wrong. cli_args_free is due in both cases. */
int cli_parse(const cli_command *command, int count, char **words, cli_args *args);
void cli_args_free(cli_args *args);

/* How many letters must be changed, added, dropped or swapped with their neighbour to turn one word
 * into the other; words longer than 63 letters count as far apart. */
int cli_distance(const char *a, const char *b);

/* Whether `distance` is small enough for a word of this length to be a slip of the fingers. */
bool cli_is_near(const char *word, int distance);

#endif
