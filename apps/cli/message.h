/* voile: what is said on standard error, and which exit code goes with it. */
#ifndef VOILE_CLI_MESSAGE_H
#define VOILE_CLI_MESSAGE_H

#include "cli.h"

/* Prints "voile: " and a sentence; returns `code`, so that a failing command ends in one line. */
int cli_fail(cli_exit code, const char *format, ...) VO_PRINTF(2, 3);

/* The same without a code. */
void cli_say(const char *format, ...) VO_PRINTF(1, 2);

/* Says what went wrong in a call into the library. */
int cli_fail_result(const vo_context *ctx, vo_result result);

cli_exit cli_exit_of(vo_result result);

/* CLI_DONE if `path` can be read; else says why and returns CLI_BAD_DATA. */
int cli_need_input(const char *path);

/* CLI_DONE if a file could be written there, as far as can be told beforehand; else says why not.
 * NULL is no file. */
int cli_need_output(const char *path);

/* The same as cli_need_input for the folder of a run. */
int cli_need_run(const char *folder);

bool cli_is_folder(const char *path);

/* folder/name; says so and returns CLI_BAD_CALL where it does not fit. */
enum { CLI_PATH = 4096 };
int cli_join(const char *folder, const char *name, char out[CLI_PATH]);

/* A context whose warnings go to standard error as "voile: warning: ...". `before_warning` (may be
 * NULL) is called first with `user`, so that a progress bar can step aside. What else the log has,
 * what was converted, assumed or found, goes to `notes`: "note: ...", or "voile: note: ..." on
 * standard error. NULL: nowhere, unless the call asks for it (--verbose). `stops`: a signal
 * (stop.h) also ends what is set up before the first frame, with VO_STOPPED. */
typedef struct cli_log {
    void (*before_warning)(void *user);
    void *user;
    FILE *notes;
    bool silent, stops;
} cli_log;
int cli_open(const cli_args *args, cli_log *log, vo_context **out);

/* From here on standard output is a courtesy, such as the progress of a run: what cannot be written
 * to it is dropped, and nothing fails for it. */
void cli_drop_output(void);

/* Pushes out standard output; false once it cannot be written any more, unless it may be dropped.
 */
bool cli_flush(void);

/* Turns `code` into CLI_MACHINE, with a word, where standard output could not be written. */
int cli_finish(int code);

#endif
