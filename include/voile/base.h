/* Voile: result codes, memory, logging, host callbacks and the context that holds them. */
#ifndef VOILE_BASE_H
#define VOILE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VO_VERSION_MAJOR 0
#define VO_VERSION_MINOR 1
#define VO_VERSION_PATCH 0

#if defined(__GNUC__)
#define VO_API                __attribute__((visibility("default")))
#define VO_PRINTF(text, args) __attribute__((__format__(__printf__, text, args)))
#else
#define VO_API
#define VO_PRINTF(text, args)
#endif

typedef struct vo_vec2 {
    double x, y;
} vo_vec2;

typedef struct vo_vec3 {
    double x, y, z;
} vo_vec3;

/* Result of a call. Every value except VO_OK sets the context's error message
 * (vo_context_message). */
typedef enum vo_result {
    VO_OK = 0,
    VO_BAD_DATA, /* invalid external data; the message names the file and the key path or line */
    VO_BAD_ARGUMENT, /* an argument is invalid, or the arguments contradict each other */
    VO_NO_MEMORY,    /* the allocator returned NULL, or the memory limit was reached */
    VO_IO_FAILED,    /* reading or writing failed (missing file, full disk, no permission), or a
                        library for ray casting or movie encoding failed */
    VO_CANCELLED,    /* the caller cancelled: vo_cancel_fn returned true or vo_progress_fn false */
} vo_result;

/* Memory of the host. `allocate` returns NULL when it is exhausted; `alignment` is a power of two.
 * `release` receives the requested size. Both may be called from several threads. */
typedef struct vo_allocator {
    void *user;
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *memory, size_t bytes);
} vo_allocator;

typedef enum vo_log_level { VO_LOG_DEBUG, VO_LOG_INFO, VO_LOG_WARNING } vo_log_level;

/* Receives one line without a newline. Called from the thread that called Voile. */
typedef void vo_log_fn(void *user, vo_log_level level, const char *text);

/* Called when the program violates a documented precondition. It must not return (longjmp, throw or
 * end the program); if it returns, abort() follows. */
typedef void vo_assert_fn(void *user, const char *condition, const char *file, int line);

/* One task of a parallel loop. Tasks of one loop are independent of each other. */
typedef void vo_task_fn(void *data, int index);

/* Runs task(data, i) exactly once for each i in [0, count), on any threads and in any order, and
 * returns after all have finished. Writes of the caller must be visible to the tasks, and writes of
 * the tasks to the caller, as with any thread pool. Called from the thread that called Voile, never
 * from inside a task, with at most vo_context_def.threads tasks. Results do not depend on the order
 * or on the threads. */
typedef void vo_run_tasks_fn(void *user, int count, vo_task_fn *task, void *data);

/* Returns true to cancel the operation in progress, which then frees its objects and returns
 * VO_CANCELLED. Called from the thread that called Voile, several times in every operation that may
 * take long: between the parts of a scene that is loaded (characters, garments, obstacles), between
 * the stages in which a simulation is created and before each step of sewing, untangling and
 * relaxing its initial state, and before each frame that is simulated, read, checked, compared,
 * rendered or exported. vo_sim_step_frame calls it before each substep. */
typedef bool vo_cancel_fn(void *user);

/* Reports the progress of an operation that may take long: `done` of `total` parts are complete.
 * `operation` is a short English phrase such as "loading obstacles"; it is valid during the call
 * only. Called from the thread that called Voile, at least once with done == total if the operation
 * succeeds. An operation may consist of others, which report in between under their own names. */
typedef void vo_work_fn(void *user, const char *operation, int done, int total);

/* Every member may be zero except `allocator`; vo_context_def_default() sets that one. */
typedef struct vo_context_def {
    vo_allocator allocator;
    vo_log_fn *log; /* NULL: no log */
    void *log_user;
    vo_assert_fn *on_assert; /* NULL: abort() */
    void *assert_user;
    vo_cancel_fn *cancel; /* NULL: operations cannot be cancelled */
    void *cancel_user;
    vo_work_fn *work; /* NULL: no reports */
    void *work_user;
    vo_run_tasks_fn *run_tasks; /* NULL: the context creates worker threads */
    void *run_tasks_user;
    int threads;         /* threads that share a loop, the caller included; with run_tasks: maximum
                            number of tasks per loop. 0: one per processor; at most 256 */
    size_t memory_limit; /* bytes that may be allocated at the same time; requests beyond it fail
                            with VO_NO_MEMORY. 0: no limit */
    /* Results that take long and depend on their input alone, such as sewn garments and mesh
     * harmonics, are kept in this folder and read from it the next time; they have the same bits.
     * Damaged files are ignored. The least recently used are removed beyond 2 GiB, and all may be
     * deleted at any time. NULL: $XDG_CACHE_HOME/voile,
     * else $HOME/.cache/voile, else nothing is kept. The path is copied. */
    const char *cache_folder;
    bool no_cache; /* read and keep nothing */
} vo_context_def;

/* Allocator, log, callbacks and threads. A context serves one thread at a time; two simulations in
 * two threads need two contexts. */
typedef struct vo_context vo_context;

/* The C library's allocator, no callbacks, one thread per processor, no memory limit. */
VO_API vo_context_def vo_context_def_default(void);

/* Creates a context; `def` may be NULL for the defaults. On failure *out is NULL. */
VO_API vo_result vo_context_create(const vo_context_def *def, vo_context **out);

/* Destroys a context. All objects created in it must have been destroyed. NULL is allowed. */
VO_API void vo_context_destroy(vo_context *ctx);

/* Error message of the last call that failed; empty if none has. Valid until the next call. */
VO_API const char *vo_context_message(const vo_context *ctx);

/* Threads that share a loop, the caller included. */
VO_API int vo_context_thread_count(const vo_context *ctx);

/* Memory usage of a context with a limit; all 0 without one. */
typedef struct vo_memory_usage {
    size_t limit; /* bytes; vo_context_def.memory_limit */
    size_t used;  /* bytes allocated now; with the default allocator, arrays of 64 KiB to 2 MiB come
                     from slabs of 8 MiB, which are included as a whole */
    size_t denied_bytes; /* size of the last request that exceeded the limit, or the estimate for a
                            crowd whose bodies cannot fit; 0: no request was denied, or the
                            allocator itself has returned NULL since */
} vo_memory_usage;

VO_API vo_memory_usage vo_context_get_memory_usage(const vo_context *ctx);

/* Version of the library, "0.1.0". */
VO_API const char *vo_version(void);
/* Optional parts of this build, separated by blanks: "cholmod avx2 ". */
VO_API const char *vo_features(void);

#ifdef __cplusplus
}
#endif
#endif
