/* voile: memory limit of a command. */
#ifndef VOILE_CLI_MEMORY_H
#define VOILE_CLI_MEMORY_H

#include "cli.h"

/* Memory limit in bytes: --memory, else CLI_MEMORY_FRACTION of the available memory; 0: no limit,
 * or unknown. */
#define CLI_MEMORY_FRACTION 0.8
size_t memory_limit(const cli_args *args);

/* Describes the source of the last memory_limit, to follow "the limit is". */
const char *memory_limit_source(void);

/* Bytes available to a new program: free or reclaimable memory, limited by the control groups of
 * the process. 0: unknown. */
double memory_available(void);

/* Prints how to proceed if the memory limit was reached. */
void memory_advise(const vo_context *ctx, vo_result result);

#endif
