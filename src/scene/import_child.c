/* A child process that reads a file, and the pipe through which it answers.
 *
 * fork() without exec(): the child is a copy of this process with one thread. Of what it then uses,
 * malloc and stdio are safe in such a copy with the C libraries of Linux, macOS and the BSDs; a
 * host that uses Assimp itself in another thread at the same moment may leave the child with a
 * locked mutex, which then ends with the patience. */
#include "scene/import_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHILD_HAS_SHADOW_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CHILD_HAS_SHADOW_MEMORY 1
#endif
#endif

enum { CHILD_MEMORY_GIB = 8 }; /* beyond what the parent has */

static const size_t message_limit = (size_t)4 << 30;

/* What the parent's handlers would do is not for the child to do. */
static void reset_signals(void) {
    static const int number[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL, SIGABRT, SIGPIPE,
                                 SIGALRM, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) signal(number[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A damaged count must not take the whole machine's memory. Sanitizers reserve terabytes. */
static void limit_memory(void) {
#ifndef CHILD_HAS_SHADOW_MEMORY
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0) close(file);
    unsigned long pages = got > 0 ? strtoul(text, NULL, 10) : 0;
    struct rlimit limit;
    if (pages == 0 || getrlimit(RLIMIT_AS, &limit) != 0) return;
    rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)CHILD_MEMORY_GIB << 30);
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= most) return;
    limit.rlim_cur = most;
    setrlimit(RLIMIT_AS, &limit);
#endif
}

/* Nothing the library prints, dumps or leaves behind is seen; it ends by itself if the parent
 * dies. */
static void run_child(const char *path, double patience, int fd) {
    reset_signals();
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    alarm(patience < 1e6 ? (unsigned)patience + 2 : 0);
    limit_memory();
    vo_wire_send(path, fd);
    _exit(0);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef enum ending {
    ENDING_CLOSED,
    ENDING_LATE,
    ENDING_TOO_MUCH,
    ENDING_MEMORY,
    ENDING_IO
} ending;

typedef struct inbox {
    vo_context *ctx;
    char *data;
    size_t used, room;
} inbox;

/* Room for another piece and a NUL. */
static bool inbox_grow(inbox *in) {
    if (in->room - in->used > 4096) return true;
    size_t room = in->room * 2 + 65536;
    char *data = vo_alloc(in->ctx, room);
    if (data == NULL) return false;
    if (in->used > 0) memcpy(data, in->data, in->used);
    vo_free(in->ctx, in->data, in->room);
    in->data = data;
    in->room = room;
    return true;
}

/* The message in a block of exactly the size that vo_bytes_free counts on. */
static vo_result inbox_close(const inbox *in, const char *path, vo_bytes *out) {
    char *data = vo_alloc(in->ctx, in->used + 1);
    if (data == NULL) return vo_fail_memory(in->ctx, path);
    if (in->used > 0) memcpy(data, in->data, in->used);
    data[in->used] = 0;
    *out = (vo_bytes){data, in->used};
    return VO_OK;
}

/* Waits until there is something to read, at most half a second: 1 if there is, 0 if not yet. */
static int wait_for(int fd) {
    struct pollfd ready = {fd, POLLIN, 0};
    int n = poll(&ready, 1, 500);
    return n < 0 && errno == EINTR ? 0 : n;
}

/* Everything the child writes until it closes its end. */
static ending receive(inbox *in, int fd, double deadline) {
    for (;;) {
        int ready = wait_for(fd);
        if (ready < 0) return ENDING_IO;
        if (ready == 0 && now() > deadline) return ENDING_LATE;
        if (ready == 0) continue;
        if (in->used > message_limit) return ENDING_TOO_MUCH;
        if (!inbox_grow(in)) return ENDING_MEMORY;
        ssize_t got = read(fd, in->data + in->used, in->room - in->used - 1);
        if (got == 0) return ENDING_CLOSED;
        if (got < 0 && errno != EINTR) return ENDING_IO;
        if (got > 0) in->used += (size_t)got;
    }
}

/* Ends the child and returns the signal that had ended it before, or 0. A host that ignores SIGCHLD
 * leaves no status to ask for. */
static int bury(pid_t child, bool stop) {
    int status = 0;
    if (stop) kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return 0;
    }
    return !stop && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* What became of the message, as a result and a sentence. */
static vo_result judge(vo_context *ctx, const char *path, double patience, ending end, int killer) {
    const char *advice = "the file is damaged or not what its name says; export it again, as .glb "
                         "if you can";
    switch (end) {
    case ENDING_LATE:
        return vo_fail(ctx, VO_BAD_DATA, "%s: not read after %g s; %s", path, patience, advice);
    case ENDING_TOO_MUCH:
        return vo_fail(ctx, VO_BAD_DATA, "%s: holds more than 4 GiB; reduce it", path);
    case ENDING_MEMORY:
        return vo_fail_memory(ctx, path);
    case ENDING_IO:
        return vo_fail(ctx, VO_IO_FAILED, "%s: no answer from the reading process: %s", path,
                       strerror(errno));
    case ENDING_CLOSED:
        break;
    }
    if (killer == 0) return VO_OK;
    return vo_fail(ctx, VO_BAD_DATA, "%s: Assimp gave up on it (signal %d); %s", path, killer,
                   advice);
}

/* A pipe whose ends other programs that a host starts do not inherit. */
static bool open_pipe(int end[2]) {
    if (pipe(end) != 0) return false;
    fcntl(end[0], F_SETFD, FD_CLOEXEC);
    fcntl(end[1], F_SETFD, FD_CLOEXEC);
    return true;
}

vo_result vo_wire_fetch(vo_context *ctx, const char *path, double patience, vo_bytes *out) {
    int end[2];
    *out = (vo_bytes){0};
    if (!open_pipe(end)) {
        return vo_fail(ctx, VO_IO_FAILED, "%s: cannot make a pipe: %s", path, strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) run_child(path, patience, end[1]);
    close(end[1]);
    if (child < 0) {
        close(end[0]);
        return vo_fail(ctx, VO_IO_FAILED, "%s: cannot start a process to read it: %s", path,
                       strerror(errno));
    }
    inbox in = {.ctx = ctx};
    ending how = receive(&in, end[0], now() + patience);
    close(end[0]);
    vo_result result = judge(ctx, path, patience, how, bury(child, how != ENDING_CLOSED));
    if (result == VO_OK) result = inbox_close(&in, path, out);
    vo_free(ctx, in.data, in.room);
    return result;
}
