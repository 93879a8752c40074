#include "message.h"

#include "character_info.h"
#include "memory.h"
#include "signal_handler.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every message on standard error has this form. */
static void print_message(const char *format, va_list args) {
    fputs("voile: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void cli_print(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
}

int cli_fail(cli_exit code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    return code;
}

cli_exit cli_exit_of(vo_result result) {
    switch (result) {
    case VO_OK:
        return CLI_DONE;
    case VO_BAD_DATA:
        return CLI_BAD_DATA;
    case VO_BAD_ARGUMENT:
        return CLI_USAGE_ERROR;
    case VO_NO_MEMORY:
    case VO_IO_FAILED:
        return CLI_SYSTEM_ERROR;
    case VO_CANCELLED:
        return CLI_CANCELLED;
    }
    return CLI_SYSTEM_ERROR;
}

static int fail_result(const vo_context *ctx, vo_result result, const char *folder) {
    char text[CLI_MESSAGE];
    const char *message = vo_context_message(ctx);
    cli_print("%s", message[0] ? cli_translate(message, text) : "the call failed");
    cli_print_hint(message, folder);
    memory_advise(ctx, result);
    return cli_exit_of(result);
}

int cli_fail_result(const vo_context *ctx, vo_result result) {
    return fail_result(ctx, result, NULL);
}

/* True if a message begins with a folder or a file in it. */
static bool is_about(const char *message, const char *folder) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    return strncmp(message, folder, length) == 0 &&
           (message[length] == '/' || message[length] == ':');
}

int cli_fail_runs(const vo_context *ctx, vo_result result, int count, const char *const *folders) {
    char quoted[CLI_PATH];
    const char *folder = count == 1 ? folders[0] : NULL;
    for (int i = 0; i < count && !folder; i++)
        if (is_about(vo_context_message(ctx), folders[i])) folder = folders[i];
    if (folder) vo_shell_quote(folder, quoted, sizeof quoted);
    return fail_result(ctx, result, folder ? quoted : NULL);
}

bool cli_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int cli_join(const char *folder, const char *name, char out[CLI_PATH]) {
    int length = snprintf(out, CLI_PATH, "%s/%s", folder, name);
    if (length > 0 && length < CLI_PATH) return CLI_DONE;
    return cli_fail(CLI_USAGE_ERROR, "%.200s...: the path is too long", folder);
}

int cli_need_input(const char *path) {
    if (access(path, R_OK) == 0) return CLI_DONE;
    return cli_fail(CLI_BAD_DATA, "%s: cannot read: %s", path, strerror(errno));
}

/* True for a regular file with a zero byte among its first bytes, which a text file never has. */
static bool is_binary_file(const char *path) {
    struct stat info;
    char head[4096];
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return memchr(head, 0, size) != NULL;
}

int cli_need_scene(const char *path, const char *accepted) {
    int code = cli_need_input(path);
    if (code != CLI_DONE) return code;
    if (!is_character_file(path)) {
        if (!is_binary_file(path)) return CLI_DONE;
        return cli_fail(CLI_BAD_DATA, "%s: is a binary file; this command takes %s", path,
                        accepted);
    }
    return cli_fail(CLI_BAD_DATA,
                    "%s: is a character or mesh file, not a scene; name it in a scene (\"body\" of "
                    "a character, \"mesh\" of a cloth or obstacle), or use \"voile info\" or "
                    "\"voile render\"",
                    path);
}

int cli_need_output(const char *path) {
    char folder[CLI_PATH];
    if (!path) return CLI_DONE;
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    if (cli_is_folder(path) || !path[0] || (slash && !slash[1]))
        return cli_fail(CLI_USAGE_ERROR, "%s: is not a file name; name the file to write.", path);
    if (length >= CLI_PATH) return cli_fail(CLI_USAGE_ERROR, "%s: the name is too long.", path);
    snprintf(folder, sizeof folder, "%.*s", length, path);
    if (!slash) snprintf(folder, sizeof folder, ".");
    if (length == 0 && slash) snprintf(folder, sizeof folder, "/");
    if (access(folder, F_OK) == 0 && !cli_is_folder(folder))
        errno = ENOTDIR;
    else if (access(folder, W_OK | X_OK) == 0)
        return CLI_DONE;
    return cli_fail(CLI_SYSTEM_ERROR, "%s: cannot be written there: %s: %s", path, folder,
                    strerror(errno));
}

int cli_need_run(const char *folder) {
    int code = cli_need_input(folder);
    if (code != CLI_DONE) return code;
    if (!cli_is_folder(folder))
        return cli_fail(CLI_BAD_DATA,
                        "%s: is a file; this command needs the folder of a run, as written by "
                        "\"voile simulate\"",
                        folder);
    char scene[CLI_PATH];
    code = cli_join(folder, "scene.json", scene);
    if (code != CLI_DONE) return code;
    if (access(scene, R_OK) == 0) return CLI_DONE;
    return cli_fail(CLI_BAD_DATA, "%s: is not the folder of a run: cannot read its scene.json: %s",
                    folder, strerror(errno));
}

/* ---- translation of library messages -------------------------------------------------------- */

static const char *command_name = "";

void cli_set_command(const char *name) { command_name = name; }

/* A phrase of the library and its form on the command line. */
typedef struct translation {
    const char *command; /* NULL: any */
    const char *phrase, *words;
} translation;

static const translation translations[] = {
    {NULL, "set overwrite to start again", "start again with --force"},
    {NULL, "set a later last_frame", "give a later last frame with --frames"},
    {NULL, "duration or last_frame", "or duration, or give the last frame with --frames"},
    {NULL, "set camera to \"none\"", "give --camera none"},
    {NULL, "options.zoom", "--camera zoom"},
    {NULL, "options.azimuth", "--camera azimuth"},
    {NULL, "options.elevation", "--camera elevation"},
    {NULL, "options.fov_long_side", "--camera fov"},
    {NULL, "options.samples", "--samples"},
    {NULL, "options.ground_height", "--ground"},
    {NULL, ", or NaN: the lowest point", ""},
    {NULL, "a scene; sew it, or name", "a scene; use \"voile sew\", or name"},
    {"cook", "set face_count to", "set --faces to"},
    {"cook", "face_count", "--faces"},
    {"cook", "set uv_scale", "give --uv-scale METRES"},
    {"cook", "uv_scale", "--uv-scale"},
    {"cook", "max_level", "--levels"},
    {"cook", "tolerance is set", "--tolerance is given"},
    {"cook", "unset tolerance", "omit --tolerance"},
    {"cook", "attachments[", "--attach ["},
    {"sew", "a pattern; simulate it", "a pattern; use \"voile simulate\""},
    {"sew", "set fit to false to keep", "use --no-fit to keep"},
    {"sew", "set fit to true to grade", "omit --no-fit to grade"},
    {"sew", "(edge_length)", "(--edge)"},
    {"sew", "set units, for example to \"cm\"", "give its unit, for example --units cm"},
    {"sew", "check that units is", "check that --units is"},
    {"sew", "set up_axis", "give --up y"},
};

/* Returns the translation that applies at the beginning of the text, or NULL. */
static const translation *find_translation(const char *text) {
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++) {
        const translation *t = &translations[i];
        if (t->command && strcmp(t->command, command_name) != 0) continue;
        if (strncmp(text, t->phrase, strlen(t->phrase)) == 0) return t;
    }
    return NULL;
}

const char *cli_translate(const char *message, char out[CLI_MESSAGE]) {
    size_t length = 0;
    while (*message && length + 1 < CLI_MESSAGE) {
        const translation *t = find_translation(message);
        if (!t) {
            out[length++] = *message++;
            continue;
        }
        size_t size = strlen(t->words), room = CLI_MESSAGE - 1 - length;
        if (size > room) size = room;
        memcpy(out + length, t->words, size);
        length += size;
        message += strlen(t->phrase);
    }
    out[length] = 0;
    return out;
}

void cli_print_hint(const char *message, const char *folder) {
    static const struct {
        const char *part, *before, *after; /* of the message; texts around the folder */
    } hints[] = {
        {"set overwrite", "continue with: voile resume ", ""},
        {"resume the run", "resume with: voile resume ", ""},
        {"simulate its scene.json again", "simulate again with: voile simulate ",
         "/scene.json -o NEW_FOLDER"},
    };
    for (size_t i = 0; folder && i < sizeof hints / sizeof *hints; i++) {
        if (!strstr(message, hints[i].part)) continue;
        cli_print("%s%s%s", hints[i].before, folder, hints[i].after);
        return;
    }
}

/* Copies a warning of a frame, "frame 12: ...", without its digits; false for other warnings. */
static bool strip_numbers(const char *text, char *out, size_t size) {
    if (strncmp(text, "frame ", 6) != 0) return false;
    size_t length = 0;
    for (; *text && length + 1 < size; text++)
        if (!strchr("0123456789.+-", *text)) out[length++] = *text;
    out[length] = 0;
    return true;
}

/* True if the warning was printed before with other numbers; counts it then. */
static bool is_repeated(cli_log *log, const char *text) {
    char plain[sizeof log->repeat[0].text];
    if (log->print_all || !strip_numbers(text, plain, sizeof plain)) return false;
    for (int i = 0; i < log->repeat_count; i++) {
        if (strcmp(log->repeat[i].text, plain) != 0) continue;
        log->repeat[i].repeats++;
        return true;
    }
    if (log->repeat_count == (int)(sizeof log->repeat / sizeof log->repeat[0])) return false;
    memcpy(log->repeat[log->repeat_count++].text, plain, sizeof plain);
    return false;
}

void cli_print_repeats(const cli_log *log) {
    int count = 0;
    for (int i = 0; i < log->repeat_count; i++) count += log->repeat[i].repeats;
    if (count)
        cli_print("%d further warning%s those above in later frames; --verbose prints all.", count,
                  count == 1 ? " repeats" : "s repeat");
}

/* A vo_log_fn: prints warnings and, if requested, notes. */
static void log_line(void *user, vo_log_level level, const char *text) {
    cli_log *log = user;
    FILE *notes = log ? log->notes : NULL;
    if (level < (notes ? VO_LOG_INFO : VO_LOG_WARNING) || (log && log->silent)) return;
    if (log && level >= VO_LOG_WARNING && is_repeated(log, text)) return;
    if (log && log->before_warning) log->before_warning(log->user);
    char words[CLI_MESSAGE];
    cli_translate(text, words);
    if (level >= VO_LOG_WARNING)
        cli_print("warning: %s", words);
    else
        fprintf(notes, "%snote: %s\n", notes == stderr ? "voile: " : "", words);
}

/* A vo_cancel_fn. */
static bool is_cancelled(void *user) {
    (void)user;
    return signal_received();
}

int cli_open(const cli_args *args, cli_log *log, vo_context **out) {
    vo_context_def def = vo_context_def_default();
    def.threads = args->threads;
    def.memory_limit = memory_limit(args);
    def.no_cache = args->no_cache;
    def.log = log_line;
    def.log_user = log;
    if (log && !log->notes && args->verbose) log->notes = stderr;
    if (log) log->print_all = args->verbose;
    if (log && log->cancellable) def.cancel = is_cancelled;
    vo_result result = vo_context_create(&def, out);
    if (result == VO_OK) return CLI_DONE;
    cli_print("cannot start: not enough memory or threads");
    if (def.memory_limit > 0)
        cli_print("the memory limit is %s: %zu bytes. Give a larger --memory GIB.",
                  memory_limit_source(), def.memory_limit);
    return cli_exit_of(result);
}

static bool output_dropped;
static int output_errno; /* of the first failed write to standard output; 0: none failed */

void cli_drop_output(void) { output_dropped = true; }

/* Returns the errno of an earlier failed write by trying another one. */
static int find_write_error(void) {
    clearerr(stdout);
    errno = 0;
    bool failed = fputc('\n', stdout) == EOF || fflush(stdout) != 0;
    return failed && errno ? errno : EIO;
}

bool cli_flush(void) {
    errno = 0;
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (output_dropped) return true;
    if (!written && !output_errno) output_errno = errno ? errno : find_write_error();
    return !output_errno;
}

int cli_finish(int code) {
    if (cli_flush()) return code;
    /* No message for a reader that closed the pipe (voile ... | head). */
    if (output_errno != EPIPE)
        cli_print("cannot write to standard output: %s", strerror(output_errno));
    return CLI_SYSTEM_ERROR;
}
