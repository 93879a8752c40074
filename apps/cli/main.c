/* voile: the command. Finds the command in the table, parses its arguments, runs it. */
#include "cli.h"

#include "message.h"
#include "options.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Keeps descriptors 0, 1 and 2 taken, so that no file of a run is opened in the place of a closed
 * standard output. Output is held for reading only: writing to it still fails, and is reported. */
static void hold_standard_files(void) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        int held = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (held != fd && held >= 0) close(held);
    }
}

/* Sets VOILE_ASSETS, unless it is set, to the folder of fabrics and meshes beside this program, in
 * the source tree or where it is installed. */
static void find_assets(void) {
    static const char *const places[] = {"../share/voile", "../assets"};
    char program[4000], path[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || getenv("VOILE_ASSETS")) return;
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (!slash) return;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", program, places[i]);
        if (cli_is_folder(path)) {
            setenv("VOILE_ASSETS", path, 1);
            return;
        }
    }
}

/* Reports an unknown command; suggests the command for a file of that name, or the nearest name. */
static int fail_unknown(const char *name) {
    if (access(name, F_OK) != 0 || cli_nearest_command(name)) return cli_fail_command(name);
    return cli_fail(CLI_USAGE_ERROR, "\"%s\" is not a command. Did you mean \"voile %s %s\"?", name,
                    cli_is_folder(name) ? "info" : "simulate", name);
}

/* Accepts the usual options --help and --version as commands. */
static const char *command_name(const char *word) {
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return "version";
    return word;
}

/* Parses the arguments and runs the command, or prints its help for --help. */
static int run_command(const cli_command *command, int count, char **words) {
    cli_args args;
    cli_set_command(command->name);
    int code = cli_parse(command, count, words, &args);
    if (code == CLI_DONE && args.help)
        code = cmd_help(&(cli_args){.operand = command->name});
    else if (code == CLI_DONE)
        code = command->run(&args);
    cli_args_free(&args);
    return code;
}

/* Runs the command that the first argument names. */
static int dispatch_command(int argc, char **argv) {
    if (argc < 2)
        return cli_fail(CLI_USAGE_ERROR,
                        "a command is missing: voile COMMAND ... Try \"voile help\".");
    const cli_command *command = cli_find_command(command_name(argv[1]));
    return command ? run_command(command, argc - 2, argv + 2) : fail_unknown(argv[1]);
}

int cmd_version(const cli_args *args) {
    const char *features = vo_features();
    size_t length = strlen(features);
    while (length > 0 && isspace((unsigned char)features[length - 1])) length--;
    if (length == 0)
        printf("voile %s\n", vo_version());
    else
        printf("voile %s (%.*s)\n", vo_version(), (int)length, features);
    (void)args;
    return CLI_DONE;
}

/* Remeshing reallocates solver and contact data every frame. By default the C library returns large
 * blocks to the system each time, which then clears their pages again: 8 % of a run. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* largest allowed value */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, 64 << 20);
#endif
}

int main(int argc, char **argv) {
    keep_memory();
    hold_standard_files();
    find_assets();
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported instead */
    signal(SIGXFSZ, SIG_IGN);
    return cli_finish(dispatch_command(argc, argv));
}
