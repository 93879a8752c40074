/* voile: Ctrl-C. */
#ifndef VOILE_CLI_STOP_H
#define VOILE_CLI_STOP_H

#include <stdbool.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP is only noted; the second of a kind has its usual
 * effect. Signals that the caller of the command ignores stay ignored. */
void stop_watch(void);

/* What is said then: that the frame under way is finished first, which is so unless something else
 * was said here, or only that it stops. */
void stop_ends_frame(bool ends_frame);

/* Whether one came. */
bool stop_asked(void);

#endif
