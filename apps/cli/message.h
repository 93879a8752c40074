/* voile: messages on standard error and their exit codes. */
#ifndef VOILE_CLI_MESSAGE_H
#define VOILE_CLI_MESSAGE_H

#include "cli.h"

/* Prints "voile: " and a message to standard error; returns `code`. */
int cli_fail(cli_exit code, const char *format, ...) VO_PRINTF(2, 3);

/* Prints "voile: " and a message to standard error. */
void cli_print(const char *format, ...) VO_PRINTF(1, 2);

/* Prints the message of a failed library call, with a hint where one is known (cli_print_hint);
 * returns the exit code. */
int cli_fail_result(const vo_context *ctx, vo_result result);

/* The same for calls that read runs: hints name the folder with which the message begins, or the
 * only one. */
int cli_fail_runs(const vo_context *ctx, vo_result result, int count, const char *const *folders);

cli_exit cli_exit_of(vo_result result);

/* Sets the command whose options cli_translate names. */
void cli_set_command(const char *name);

/* Copies a message of the library, replacing members and keys by options of the command. */
enum { CLI_MESSAGE = 2048 };
const char *cli_translate(const char *message, char out[CLI_MESSAGE]);

/* Prints the command that follows the advice of a library message, if there is one; `folder` is the
 * run's, quoted for the shell. With NULL nothing is printed. */
void cli_print_hint(const char *message, const char *folder);

/* Returns CLI_DONE if `path` can be read; else prints the reason and returns CLI_BAD_DATA. */
int cli_need_input(const char *path);

/* Returns CLI_DONE if a file can be created at `path`, or if it is NULL; else prints the reason. */
int cli_need_output(const char *path);

/* The same as cli_need_input for a scene file. Rejects a character file with the commands that read
 * it, and any other binary file with `accepted`, the kinds of input that the command accepts. */
int cli_need_scene(const char *path, const char *accepted);

/* The same as cli_need_input for the folder of a run. */
int cli_need_run(const char *folder);

bool cli_is_folder(const char *path);

/* Writes folder/name to `out`; prints a message and returns CLI_USAGE_ERROR if it is too long. */
enum { CLI_PATH = 4096 };
int cli_join(const char *folder, const char *name, char out[CLI_PATH]);

/* Options of a context that prints warnings to standard error as "voile: warning: ...".
 * `before_warning` (may be NULL) is called first with `user`, for example to clear a progress bar.
 * Log entries below warnings are printed to `notes` as "note: ...", or to standard error as
 * "voile: note: ..."; NULL: discarded, unless --verbose is given. A warning of a frame that only
 * repeats an earlier one with other numbers is counted instead of printed, except with --verbose
 * (cli_print_repeats). `cancellable`: a signal (signal_handler.h) also cancels set-up before the
 * first frame. */
typedef struct cli_log {
    void (*before_warning)(void *user);
    void *user;
    FILE *notes;
    bool silent, cancellable;
    bool print_all; /* repeated warnings, too */
    int repeat_count;
    struct {
        char text[160]; /* without numbers */
        int repeats;
    } repeat[16];
} cli_log;
int cli_open(const cli_args *args, cli_log *log, vo_context **out);

/* Prints how often warnings were repeated. */
void cli_print_repeats(const cli_log *log);

/* From here on failures to write standard output are ignored, as for the progress of a run. */
void cli_drop_output(void);

/* Flushes standard output; false once it cannot be written, unless cli_drop_output was called. */
bool cli_flush(void);

/* Returns `code`, or CLI_SYSTEM_ERROR with a message if standard output could not be written. */
int cli_finish(int code);

#endif
