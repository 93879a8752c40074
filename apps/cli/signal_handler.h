/* voile: Ctrl-C. */
#ifndef VOILE_CLI_SIGNAL_HANDLER_H
#define VOILE_CLI_SIGNAL_HANDLER_H

#include <stdbool.h>

/* Installs handlers that record the first SIGINT, SIGTERM or SIGHUP; a second one of the same kind
 * has its default effect. Signals that the parent process ignores stay ignored. */
void signal_install(void);

/* Selects the message of the handler: true, the default: the current frame is finished first;
 * false: the command stops. */
void signal_wait_for_frame(bool ends_frame);

/* True after a signal was recorded. */
bool signal_received(void);

#endif
