/* Helpers of fuzz targets. Example of a target:
 *
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
 *         fuzz_run run;
 *         vo_context *ctx = fuzz_begin(&run);
 *         fuzz_check(ctx, vo_thing_parse(ctx, "input", data, size, &thing));
 *         ...
 *         fuzz_end(&run);
 *         return 0;
 *     }
 *
 * Violations end in abort(): leaked memory, an excessive allocation, a failure without a message, a
 * violated precondition. */
#ifndef VOILE_TESTS_FUZZ_H
#define VOILE_TESTS_FUZZ_H

#include <voile/voile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entry point of the target. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    FUZZ_MEMORY = 1 << 30
}; /* bytes; largest single allocation for an input of a few kilobytes */

typedef struct fuzz_run {
    vo_context *ctx;
    long blocks; /* not yet released */
} fuzz_run;

static inline void fuzz_require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static inline void *fuzz_allocate(void *user, size_t bytes, size_t alignment) {
    fuzz_run *run = user;
    void *memory = NULL;
    fuzz_require(bytes <= FUZZ_MEMORY, "a small input requested more than 1 GB");
    if (posix_memalign(&memory, alignment, bytes) != 0) return NULL;
    __atomic_fetch_add(&run->blocks, 1, __ATOMIC_RELAXED);
    return memory;
}

static inline void fuzz_release(void *user, void *memory, size_t bytes) {
    fuzz_run *run = user;
    (void)bytes;
    __atomic_fetch_sub(&run->blocks, 1, __ATOMIC_RELAXED);
    free(memory);
}

/* Creates a context with one thread and an allocator that counts blocks. */
static inline vo_context *fuzz_begin(fuzz_run *run) {
    *run = (fuzz_run){0};
    vo_context_def def = vo_context_def_default();
    def.allocator = (vo_allocator){run, fuzz_allocate, fuzz_release};
    def.threads = 1;
    fuzz_require(vo_context_create(&def, &run->ctx) == VO_OK, "no context");
    return run->ctx;
}

static inline void fuzz_end(fuzz_run *run) {
    vo_context_destroy(run->ctx);
    fuzz_require(run->blocks == 0, "memory leak");
}

/* Returns the result. A failure must have a message and a code that invalid input can cause. */
static inline vo_result fuzz_check(vo_context *ctx, vo_result result) {
    if (result == VO_OK) return result;
    fuzz_require(vo_context_message(ctx)[0] != 0, "a failure without a message");
    fuzz_require(result == VO_BAD_DATA || result == VO_BAD_ARGUMENT || result == VO_IO_FAILED,
                 vo_context_message(ctx));
    return result;
}

#endif
