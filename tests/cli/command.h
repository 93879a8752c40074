/* Runs the built command line program in a child process and captures its output. */
#ifndef VOILE_TESTS_CLI_COMMAND_H
#define VOILE_TESTS_CLI_COMMAND_H

#include "support.h"

#include "codec/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_WORDS = 32, COMMAND_PATH = 700, COMMAND_SECONDS = 120 };

/* Result of a command. */
typedef struct ran {
    int code;  /* exit code; minus the signal that killed it */
    char *out; /* standard output */
    char *err; /* standard error */
} ran;

/* Environment of a command. */
typedef struct place {
    const char *folder;    /* working folder; receives stdout.txt and stderr.txt */
    const char *program;   /* relative to the build folder; NULL: voile */
    const char *stdout_to; /* file for standard output; "" closes it; NULL: stdout.txt */
    long file_limit;       /* maximum size of a file, bytes; 0: no limit */
} place;

/* Returns folder/name in one of eight static buffers, which are reused in turn. */
static inline const char *in(const char *folder, const char *name) {
    static char paths[8][COMMAND_PATH];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, COMMAND_PATH, "%s/%s", folder, name);
    return path;
}

static inline char *read_whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    struct stat info;
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *data = malloc((size_t)info.st_size + 1);
    assert_non_null(data);
    size_t n = fread(data, 1, (size_t)info.st_size, file);
    data[n] = 0;
    fclose(file);
    if (size) *size = n;
    return data;
}

static inline void write_whole(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text) {
    write_whole(path, text, strlen(text));
}

static inline bool exists(const char *path) { return access(path, F_OK) == 0; }

/* In the child process: redirects output, sets limits and signals, and executes the command. Its
 * cache is in the folder. */
static inline void become(const place *p, char **words) {
    if (chdir(p->folder) != 0 || setenv("XDG_CACHE_HOME", p->folder, 1) != 0) _exit(126);
    int out = open(p->stdout_to && p->stdout_to[0] ? p->stdout_to : "stdout.txt",
                   O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err = open("stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
    close(out), close(err);
    if (p->stdout_to && !p->stdout_to[0]) close(1);
    if (p->file_limit) {
        struct rlimit limit = {(rlim_t)p->file_limit, (rlim_t)p->file_limit};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    alarm(COMMAND_SECONDS);
    execv(in(VOILE_BINARY_DIR, p->program ? p->program : "voile"), words);
    _exit(127);
}

/* Starts "voile" with the words of `line`, which are separated by spaces. */
static inline pid_t start(const place *p, const char *line) {
    static char copy[2000];
    char *words[COMMAND_WORDS] = {(char[]){"voile"}};
    int count = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && count < COMMAND_WORDS - 1;
         word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) become(p, words);
    return child;
}

static inline ran finish(const place *p, pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    ran r = {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
    r.out = read_whole(in(p->folder, "stdout.txt"), NULL);
    r.err = read_whole(in(p->folder, "stderr.txt"), NULL);
    return r;
}

static inline ran run_at(const place *p, const char *line) {
    if (!exists(in(p->folder, "stdout.txt"))) write_text(in(p->folder, "stdout.txt"), "");
    return finish(p, start(p, line));
}

static inline ran run(const char *folder, const char *line) {
    return run_at(&(place){.folder = folder}, line);
}

static inline void ran_free(ran *r) {
    free(r->out);
    free(r->err);
}

/* Runs a command; fails unless its exit code is `code` and standard error contains `err` (NULL: any
 * text). */
static inline void expect(const char *folder, const char *line, int code, const char *err) {
    ran r = run(folder, line);
    if (r.code != code || (err && !strstr(r.err, err)))
        fail_msg("voile %s: exit code %d, expected %d with \"%s\"; output: %s%s", line, r.code,
                 code, err ? err : "", r.err, r.out);
    if (code != 0 && strncmp(r.err, "voile: ", 7) != 0)
        fail_msg("voile %s: no message; standard error is \"%s\"", line, r.err);
    ran_free(&r);
}

/* Runs a command; fails unless its exit code is `code`, standard output contains `out` and standard
 * error is empty. */
static inline void expect_out(const char *folder, const char *line, int code, const char *out) {
    ran r = run(folder, line);
    if (r.code != code || !strstr(r.out, out) || r.err[0])
        fail_msg("voile %s: exit code %d, expected %d with \"%s\"; output: %s%s", line, r.code,
                 code, out, r.out, r.err);
    ran_free(&r);
}

#endif
