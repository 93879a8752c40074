/* voile: Ctrl-C. */
#ifndef VOILE_CLI_STOP_H
#define VOILE_CLI_STOP_H

#include <stdbool.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP is only noted; the second of a kind has its usual
 * effect. Signals that the caller of the command ignores stay ignored. */
void stop_watch(void);

/* Whether one came. */
bool stop_asked(void);

#endif
