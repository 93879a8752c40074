#include "support.h"

#include <time.h>
#ifdef _WIN32
#include <malloc.h>
#undef malloc
#undef calloc
#undef free
#endif

_Noreturn void shim_fail(const char *file, int line) {
    fprintf(stderr, "\n%s:%d: failed\n", file, line);
    exit(1);
}

static void run_fixture(shim_fixture *fixture, void **state) {
    if (fixture && fixture(state) != 0) fail_msg("a fixture failed");
}

int shim_run_tests(const CMUnitTest *tests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        void *state = NULL;
        printf("%s\n", tests[i].name);
        fflush(stdout);
        run_fixture(tests[i].setup, &state);
        tests[i].test(&state);
        run_fixture(tests[i].teardown, &state);
    }
    return 0;
}

double test_seconds(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

vo_vec3 test_random_vec3(vo_random *random, double size) {
    double x = vo_random_real(random, -size, size), y = vo_random_real(random, -size, size);
    return (vo_vec3){x, y, vo_random_real(random, -size, size)};
}

#ifdef _WIN32
void *shim_aligned_alloc(size_t alignment, size_t bytes) {
    return _aligned_malloc(bytes, alignment);
}

void *shim_calloc(size_t count, size_t bytes) {
    void *memory = _aligned_malloc(count * bytes, 16);
    if (memory) memset(memory, 0, count * bytes);
    return memory;
}

int shim_posix_memalign(void **out, size_t alignment, size_t bytes) {
    *out = _aligned_malloc(bytes, alignment);
    return *out ? 0 : 1;
}

void shim_free(void *memory) { _aligned_free(memory); }
#endif
