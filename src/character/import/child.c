/* Child process that reads a file, and the pipe on which it replies.
 *
 * fork() without exec(): the child is a copy of this process with one thread. malloc and stdio may
 * be used in such a copy with the C libraries of Linux, macOS and the BSDs. If the host uses Assimp
 * in another thread at the time of the fork, the child may inherit a locked mutex; the timeout then
 * ends it. */
#include "character/import/wire.h"

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

enum { CHILD_MEMORY_GIB = 8 }; /* in addition to the size of the parent */

static const size_t message_limit = (size_t)4 << 30;

/* Resets signal handlers, which belong to the parent. */
static void reset_signals(void) {
    static const int number[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL, SIGABRT, SIGPIPE,
                                 SIGALRM, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) signal(number[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Limits the address space, so that a damaged count cannot exhaust the memory of the machine.
 * Sanitizers reserve terabytes and are exempt. */
static void limit_memory(void) {
#ifndef CHILD_HAS_SHADOW_MEMORY
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0) close(file);
    unsigned long pages = got > 0 ? strtoul(text, NULL, 10) : 0;
    struct rlimit limit;
    if (pages == 0 || getrlimit(RLIMIT_AS, &limit) != 0) return;
    rlim_t max_bytes =
        (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)CHILD_MEMORY_GIB << 30);
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= max_bytes) return;
    limit.rlim_cur = max_bytes;
    setrlimit(RLIMIT_AS, &limit);
#endif
}

/* Silences the output of Assimp, disables core dumps and sets an alarm in case the parent dies. */
static void run_child(const char *path, double timeout, int fd) {
    reset_signals();
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    alarm(timeout < 1e6 ? (unsigned)timeout + 2 : 0);
    limit_memory();
    vo_wire_send(path, fd);
    _exit(0);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef enum receive_status {
    ENDING_CLOSED,
    ENDING_LATE,
    ENDING_TOO_MUCH,
    ENDING_MEMORY,
    ENDING_IO
} receive_status;

typedef struct receive_buffer {
    vo_context *ctx;
    char *data;
    size_t used, capacity;
} receive_buffer;

/* Reserves space for another block and a NUL. */
static bool buffer_reserve(receive_buffer *in) {
    if (in->capacity - in->used > 4096) return true;
    size_t capacity = in->capacity * 2 + 65536;
    char *data = vo_alloc(in->ctx, capacity);
    if (data == NULL) return false;
    if (in->used > 0) memcpy(data, in->data, in->used);
    vo_free(in->ctx, in->data, in->capacity);
    in->data = data;
    in->capacity = capacity;
    return true;
}

/* Copies the message to a block of the exact size that vo_bytes_free assumes. */
static vo_result buffer_to_bytes(const receive_buffer *in, const char *path, vo_bytes *out) {
    char *data = vo_alloc(in->ctx, in->used + 1);
    if (data == NULL) return vo_fail_memory(in->ctx, path);
    if (in->used > 0) memcpy(data, in->data, in->used);
    data[in->used] = 0;
    *out = (vo_bytes){data, in->used};
    return VO_OK;
}

/* Waits at most half a second for data: returns 1 if there is some, 0 if not, negative on
 * errors. */
static int wait_for_data(int fd) {
    struct pollfd ready = {fd, POLLIN, 0};
    int n = poll(&ready, 1, 500);
    return n < 0 && errno == EINTR ? 0 : n;
}

/* Reads until the child closes its end of the pipe. */
static receive_status receive(receive_buffer *in, int fd, double deadline) {
    for (;;) {
        int ready = wait_for_data(fd);
        if (ready < 0) return ENDING_IO;
        if (ready == 0 && now() > deadline) return ENDING_LATE;
        if (ready == 0) continue;
        if (in->used > message_limit) return ENDING_TOO_MUCH;
        if (!buffer_reserve(in)) return ENDING_MEMORY;
        ssize_t got = read(fd, in->data + in->used, in->capacity - in->used - 1);
        if (got == 0) return ENDING_CLOSED;
        if (got < 0 && errno != EINTR) return ENDING_IO;
        if (got > 0) in->used += (size_t)got;
    }
}

/* Ends the child. Returns the signal that had terminated it before, or 0. If the host ignores
 * SIGCHLD there is no exit status. */
static int end_child(pid_t child, bool stop) {
    int status = 0;
    if (stop) kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return 0;
    }
    return !stop && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Converts the outcome to a result with a message. */
static vo_result report_outcome(vo_context *ctx, const char *path, double timeout,
                                receive_status end, int signal_number) {
    const char *advice = "the file is damaged or has the wrong extension; export it again, as .glb "
                         "if you can";
    switch (end) {
    case ENDING_LATE:
        return vo_fail(ctx, VO_BAD_DATA, "%s: reading took more than %g s; %s", path, timeout,
                       advice);
    case ENDING_TOO_MUCH:
        return vo_fail(ctx, VO_BAD_DATA, "%s: contains more than 4 GiB of data; reduce it", path);
    case ENDING_MEMORY:
        return vo_fail_memory(ctx, path);
    case ENDING_IO:
        return vo_fail(ctx, VO_IO_FAILED, "%s: cannot read from the import process: %s", path,
                       strerror(errno));
    case ENDING_CLOSED:
        break;
    }
    if (signal_number == 0) return VO_OK;
    return vo_fail(ctx, VO_BAD_DATA, "%s: Assimp crashed on it (signal %d); %s", path,
                   signal_number, advice);
}

/* Opens a pipe that other child processes of the host do not inherit. */
static bool open_pipe(int end[2]) {
    if (pipe(end) != 0) return false;
    fcntl(end[0], F_SETFD, FD_CLOEXEC);
    fcntl(end[1], F_SETFD, FD_CLOEXEC);
    return true;
}

vo_result vo_wire_fetch(vo_context *ctx, const char *path, double timeout, vo_bytes *out) {
    int end[2];
    *out = (vo_bytes){0};
    if (!open_pipe(end)) {
        return vo_fail(ctx, VO_IO_FAILED, "%s: cannot create a pipe: %s", path, strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) run_child(path, timeout, end[1]);
    close(end[1]);
    if (child < 0) {
        close(end[0]);
        return vo_fail(ctx, VO_IO_FAILED, "%s: cannot start a process to read it: %s", path,
                       strerror(errno));
    }
    receive_buffer in = {.ctx = ctx};
    receive_status how = receive(&in, end[0], now() + timeout);
    close(end[0]);
    vo_result result =
        report_outcome(ctx, path, timeout, how, end_child(child, how != ENDING_CLOSED));
    if (result == VO_OK) result = buffer_to_bytes(&in, path, out);
    vo_free(ctx, in.data, in.capacity);
    return result;
}
