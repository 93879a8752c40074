#include "message.h"

#include "memory.h"
#include "stop.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The form of everything on standard error. */
static void say(const char *format, va_list args) {
    fputs("voile: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void cli_say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

int cli_fail(cli_exit code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    return code;
}

cli_exit cli_exit_of(vo_result result) {
    switch (result) {
    case VO_OK:
        return CLI_DONE;
    case VO_BAD_DATA:
        return CLI_BAD_DATA;
    case VO_BAD_CALL:
        return CLI_BAD_CALL;
    case VO_NO_MEMORY:
    case VO_IO_FAILED:
        return CLI_MACHINE;
    case VO_STOPPED:
        return CLI_STOPPED;
    }
    return CLI_MACHINE;
}

int cli_fail_result(const vo_context *ctx, vo_result result) {
    const char *message = vo_context_message(ctx);
    cli_say("%s", message[0] ? message : "the call failed");
    memory_advise(ctx, result);
    return cli_exit_of(result);
}

bool cli_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int cli_join(const char *folder, const char *name, char out[CLI_PATH]) {
    int length = snprintf(out, CLI_PATH, "%s/%s", folder, name);
    if (length > 0 && length < CLI_PATH) return CLI_DONE;
    return cli_fail(CLI_BAD_CALL, "%.200s...: the path is too long", folder);
}

int cli_need_input(const char *path) {
    if (access(path, R_OK) == 0) return CLI_DONE;
    return cli_fail(CLI_BAD_DATA, "%s: cannot read: %s", path, strerror(errno));
}

int cli_need_output(const char *path) {
    char folder[CLI_PATH];
    if (!path) return CLI_DONE;
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    if (cli_is_folder(path) || !path[0] || (slash && !slash[1]))
        return cli_fail(CLI_BAD_CALL, "%s: is no name of a file, which is to be written.", path);
    if (length >= CLI_PATH) return cli_fail(CLI_BAD_CALL, "%s: the name is too long.", path);
    snprintf(folder, sizeof folder, "%.*s", length, path);
    if (!slash) snprintf(folder, sizeof folder, ".");
    if (length == 0 && slash) snprintf(folder, sizeof folder, "/");
    if (access(folder, F_OK) == 0 && !cli_is_folder(folder))
        errno = ENOTDIR;
    else if (access(folder, W_OK | X_OK) == 0)
        return CLI_DONE;
    return cli_fail(CLI_MACHINE, "%s: cannot be written there: %s: %s", path, folder,
                    strerror(errno));
}

int cli_need_run(const char *folder) {
    int code = cli_need_input(folder);
    if (code != CLI_DONE) return code;
    if (!cli_is_folder(folder))
        return cli_fail(CLI_BAD_DATA,
                        "%s: is a file; this command wants the folder of a run, as \"voile "
                        "simulate\" makes it",
                        folder);
    char scene[CLI_PATH];
    code = cli_join(folder, "scene.json", scene);
    if (code != CLI_DONE) return code;
    if (access(scene, R_OK) == 0) return CLI_DONE;
    return cli_fail(CLI_BAD_DATA, "%s: is not the folder of a run: cannot read its scene.json: %s",
                    folder, strerror(errno));
}

/* Warnings, and where they are wanted notes. */
static void log_line(void *user, vo_log_level level, const char *text) {
    const cli_log *log = user;
    FILE *notes = log ? log->notes : NULL;
    if (level < (notes ? VO_LOG_INFO : VO_LOG_WARNING) || (log && log->silent)) return;
    if (log && log->before_warning) log->before_warning(log->user);
    if (level >= VO_LOG_WARNING)
        cli_say("warning: %s", text);
    else
        fprintf(notes, "%snote: %s\n", notes == stderr ? "voile: " : "", text);
}

/* A vo_stop_fn. */
static bool wants_stop(void *user) {
    (void)user;
    return stop_asked();
}

int cli_open(const cli_args *args, cli_log *log, vo_context **out) {
    vo_context_def def = vo_context_def_default();
    def.threads = args->threads;
    def.memory_limit = memory_limit(args);
    def.log = log_line;
    def.log_user = log;
    if (log && !log->notes && args->verbose) log->notes = stderr;
    if (log && log->stops) def.stop = wants_stop;
    vo_result result = vo_context_create(&def, out);
    if (result == VO_OK) return CLI_DONE;
    cli_say("cannot start: not enough memory or threads");
    if (def.memory_limit > 0)
        cli_say("the limit on memory is %s: %zu bytes. Give --memory GIB with more.",
                memory_limit_source(), def.memory_limit);
    return cli_exit_of(result);
}

static bool output_dropped;
static int output_errno; /* why standard output failed first; 0: it did not */

void cli_drop_output(void) { output_dropped = true; }

/* Why a write failed whose reason is gone, since nobody looked: another one tells. */
static int ask_reason(void) {
    clearerr(stdout);
    errno = 0;
    bool failed = fputc('\n', stdout) == EOF || fflush(stdout) != 0;
    return failed && errno ? errno : EIO;
}

bool cli_flush(void) {
    errno = 0;
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (output_dropped) return true;
    if (!written && !output_errno) output_errno = errno ? errno : ask_reason();
    return !output_errno;
}

int cli_finish(int code) {
    if (cli_flush()) return code;
    /* A reader that went away (voile ... | head) knows that it did. */
    if (output_errno != EPIPE)
        cli_say("cannot write to standard output: %s", strerror(output_errno));
    return CLI_MACHINE;
}
