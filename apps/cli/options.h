/* voile: parses the command line into cli_args. */
#ifndef VOILE_CLI_OPTIONS_H
#define VOILE_CLI_OPTIONS_H

#include "cli.h"

/* Reads the words after the command's name. Options stand before or after the operand, as
 * `--name value`, `--name=value`, `-o value` or `-ovalue`; `--` ends them. Returns CLI_DONE, or
 * CLI_USAGE_ERROR after printing a message. cli_args_free must be called in both cases. */
int cli_parse(const cli_command *command, int count, char **words, cli_args *args);
void cli_args_free(cli_args *args);

/* Edit distance (optimal string alignment) of two words; words longer than 63 letters are far
 * apart. */
int cli_distance(const char *a, const char *b);

/* True if `distance` is small enough to be a typing error in a word of this length. */
bool cli_is_near(const char *word, int distance);

#endif
