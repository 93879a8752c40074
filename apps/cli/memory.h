/* voile: how much memory a command may take. */
#ifndef VOILE_CLI_MEMORY_H
#define VOILE_CLI_MEMORY_H

#include "cli.h"

/* Bytes that --memory says, or else CLI_MEMORY_SHARE of what is available now; 0: nobody knows, or
 * the command has no limit. */
#define CLI_MEMORY_SHARE 0.8
size_t memory_limit(const cli_args *args);

/* Where the last answer of memory_limit is from, in words: "the limit is ...". */
const char *memory_limit_source(void);

/* Bytes that a new program could have: what the system has free or can give up, and no more than
 * its control group, and those above it, have left. 0: nobody knows. */
double memory_available(void);

/* What to do where the limit was reached; says nothing where it was not. */
void memory_advise(const vo_context *ctx, vo_result result);

#endif
