#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

vo_context *test_context(int threads) { return test_context_cached(threads, NULL); }

vo_context *test_context_cached(int threads, const char *folder) {
    vo_context_def def = vo_context_def_default();
    def.threads = threads;
    def.cache_folder = folder;
    def.no_cache = !folder;
    vo_context *ctx;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    return ctx;
}

static void *counting_allocate(void *user, size_t bytes, size_t alignment) {
    test_memory *m = user;
    if (__atomic_fetch_add(&m->calls, 1, __ATOMIC_RELAXED) == m->fail_at) return NULL;
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, bytes) != 0) return NULL;
    __atomic_fetch_add(&m->live, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&m->bytes, (long)bytes, __ATOMIC_RELAXED);
    return memory;
}

static void counting_release(void *user, void *memory, size_t bytes) {
    test_memory *m = user;
    __atomic_fetch_sub(&m->live, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&m->bytes, (long)bytes, __ATOMIC_RELAXED);
    free(memory);
}

static vo_result create_with(int threads, test_memory *memory, vo_context **out) {
    vo_context_def def = vo_context_def_default();
    def.threads = threads;
    def.allocator = (vo_allocator){memory, counting_allocate, counting_release};
    def.no_cache = true;
    return vo_context_create(&def, out);
}

vo_context *test_context_with(int threads, test_memory *memory) {
    vo_context *ctx;
    assert_int_equal(create_with(threads, memory, &ctx), VO_OK);
    return ctx;
}

/* These bodies are single-threaded, so the thread sanitizer finds nothing in them; a sample of the
 * allocations is sufficient for it. */
#if defined(__SANITIZE_THREAD__)
enum { STRIDE = 7 };
#elif defined(__has_feature)
enum { STRIDE = __has_feature(thread_sanitizer) ? 7 : 1 };
#else
enum { STRIDE = 1 };
#endif

static void refuse_each(test_body *body, void *arg, bool forgiving) {
    for (long n = 0;; n += STRIDE) {
        test_memory memory = {.fail_at = n};
        vo_context *ctx;
        vo_result result = create_with(1, &memory, &ctx);
        if (ctx) result = body(ctx, arg);
        bool refused = memory.calls > n;
        bool spared = forgiving && refused && result == VO_OK;
        if (result != (refused ? VO_NO_MEMORY : VO_OK) && !spared)
            fail_msg("allocation %ld refused: result %d, \"%s\"", n, (int)result,
                     ctx ? vo_context_message(ctx) : "");
        vo_context_destroy(ctx);
        if (memory.live != 0 || memory.bytes != 0)
            fail_msg("allocation %ld refused: %ld blocks, %ld bytes left", n, memory.live,
                     memory.bytes);
        if (!refused) return;
    }
}

void test_every_allocation(test_body *body, void *arg) { refuse_each(body, arg, false); }

void test_every_allocation_forgiving(test_body *body, void *arg) { refuse_each(body, arg, true); }

static char scratch[256];

static void remove_scratch(void) {
    pid_t child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", scratch, (char *)NULL);
        _exit(127);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

const char *test_folder(void) {
    static int count;
    static char folder[300];
    if (!scratch[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(scratch, sizeof scratch, "%.200s/voile-test-XXXXXX", base ? base : "/tmp");
        assert_non_null(mkdtemp(scratch));
        atexit(remove_scratch);
    }
    snprintf(folder, sizeof folder, "%s/%d", scratch, count++);
    assert_int_equal(mkdir(folder, 0777), 0);
    return folder;
}

const char *test_data(void) {
    static char folder[1024];
    const char *given = getenv("VOILE_DATA");
    snprintf(folder, sizeof folder, "%s", given ? given : VOILE_SOURCE_DIR "/../shared/data");
    return access(folder, R_OK) == 0 ? folder : NULL;
}

double test_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

vo_vec3 test_random_vec3(vo_random *random, double size) {
    double x = vo_random_real(random, -size, size), y = vo_random_real(random, -size, size);
    return (vo_vec3){x, y, vo_random_real(random, -size, size)};
}

vo_mesh *test_grid(vo_context *ctx, double width, double height, int columns, int rows) {
    vo_mesh *mesh;
    assert_ok(ctx, vo_mesh_create_grid(ctx, width, height, columns, rows, &mesh));
    return mesh;
}
