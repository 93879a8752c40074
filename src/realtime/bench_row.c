/* Rows, clocks and file names of the measurements. */
#include "realtime/bench.h"

#include "core/file.h"

#include <math.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double vo_bench_thread_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
double vo_bench_process_time(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

static bool begins_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool vo_bench_wants(const vo_bench *b, const char *prefix) {
    const char *only = b->def->only;
    return !only || begins_with(only, prefix) || begins_with(prefix, only);
}

void vo_bench_report(vo_bench *b, vo_bench_row row) {
    if (b->def->only && !begins_with(row.name, b->def->only)) return;
    bool met = row.is_minimum ? row.value >= row.target : row.value <= row.target;
    row.met = isnan(row.target) || met;
    b->rows++;
    if (b->def->row) b->def->row(b->def->user, &row);
}

void vo_bench_path(const vo_bench *b, const char *folder, const char *name, char *path) {
    char parent[VO_PATH_SIZE];
    vo_path_join(parent, sizeof parent, b->def->assets, folder);
    vo_path_join(path, VO_PATH_SIZE, parent, name);
}

vo_result vo_bench_fail(vo_bench *b, vo_result result, const char *message) {
    return vo_fail(b->ctx, result, "%s", message);
}
