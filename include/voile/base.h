/* Voile: results, messages, memory, logging and the context that carries them. */
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

/* What a call came to. Anything but VO_OK leaves a sentence in the context (vo_context_message). */
typedef enum vo_result {
    VO_OK = 0,
    VO_BAD_DATA,  /* a file or value from outside is wrong; the message names file and place */
    VO_BAD_CALL,  /* the arguments of this call do not fit together */
    VO_NO_MEMORY, /* the allocator returned NULL */
    VO_IO_FAILED, /* reading or writing failed: missing file, full disk, no permission; or a library
                     that traces rays or encodes movies did */
    VO_STOPPED,   /* the caller asked to stop (vo_progress_fn returned false, vo_stop_fn true) */
} vo_result;

/* A host's own memory. `allocate` returns NULL when there is none left; `alignment` is a power of
 * two. `release` gets the size that was asked for. Both may be called from several threads. */
typedef struct vo_allocator {
    void *user;
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *memory, size_t bytes);
} vo_allocator;

typedef enum vo_log_level { VO_LOG_DEBUG, VO_LOG_INFO, VO_LOG_WARNING } vo_log_level;

/* Receives one line without a newline. Called from the thread that made the call into Voile. */
typedef void vo_log_fn(void *user, vo_log_level level, const char *text);

/* Called when the programmer broke a documented rule. It must not return (longjmp, throw or end the
 * program); if it does, abort() follows. */
typedef void vo_assert_fn(void *user, const char *condition, const char *file, int line);

/* Whether the caller wants to stop. Asked from the thread that made the call into Voile, between
 * the parts of what is read and set up before the first step: copies of a crowd, bodies, garments,
 * obstacles; by vo_render and vo_compare before each frame that they look at for where the camera
 * is to be; and by vo_check before each frame of a run. True ends the call with VO_STOPPED. Steps
 * and frames that are made do not ask. */
typedef bool vo_stop_fn(void *user);

typedef struct vo_context_def {
    vo_allocator allocator;
    vo_log_fn *log; /* NULL: silent */
    void *log_user;
    vo_assert_fn *on_assert; /* NULL: abort() */
    void *assert_user;
    vo_stop_fn *stop; /* NULL: never */
    void *stop_user;
    int threads;         /* worker threads including the caller; 0: one per processor */
    size_t memory_limit; /* bytes that the context may have from the allocator at a time; what would
                            be more is refused as if there were none. 0: any number */
} vo_context_def;

/* A context owns memory, log and threads. Calls that share one must not run at the same time; for
 * two simulations in two threads make two contexts. */
typedef struct vo_context vo_context;

VO_API vo_context_def vo_context_def_default(void);

/* `def` may be NULL for the defaults. On failure *out is NULL. */
VO_API vo_result vo_context_create(const vo_context_def *def, vo_context **out);

/* Every object made in the context must be gone before. NULL is allowed. */
VO_API void vo_context_destroy(vo_context *ctx);

/* The sentence that explains the last failure; empty if there was none. Valid until the next call.
 */
VO_API const char *vo_context_message(const vo_context *ctx);

VO_API int vo_context_thread_count(const vo_context *ctx);

/* How a context with a limit stands; all 0 for one without. */
typedef struct vo_memory {
    size_t limit; /* bytes */
    size_t used;  /* bytes taken from the allocator; with the default one arrays of 64 KiB to 2 MiB
                     share slabs of 8 MiB, of which each counts as a whole */
    size_t refused; /* bytes of the last request that would have gone beyond, or all that a crowd
                       would have needed whose bodies cannot fit; 0: there was neither, or the
                       allocator itself has returned NULL since */
} vo_memory;

VO_API vo_memory vo_context_memory(const vo_context *ctx);

/* "0.1.0", and what this build contains: "cholmod avx2". */
VO_API const char *vo_version(void);
VO_API const char *vo_features(void);

#ifdef __cplusplus
}
#endif
#endif
