/* Entry point of the measurements, rows and clocks. */
#include "realtime/bench.h"

#include "core/file.h"

#include <stdio.h>
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
    row.met = isnan(row.target) || row.value <= row.target;
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

vo_bench_rt_def vo_bench_rt_def_default(void) {
    return (vo_bench_rt_def){.assets = "assets", .repeat = 5};
}

typedef struct benchmark {
    const char *prefix; /* of its rows */
    vo_result (*run)(vo_bench *b);
} benchmark;

static const benchmark benchmarks[] = {
    {"transition", vo_bench_transitions}, {"lists", vo_bench_lists},
    {"linear", vo_bench_linear},          {"tshirt", vo_bench_tshirt},
    {"walkers", vo_bench_walkers},        {"parade", vo_bench_parade},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static vo_result check_def(vo_context *ctx, const vo_bench_rt_def *def) {
    if (!def->assets) return vo_fail(ctx, VO_BAD_ARGUMENT, "assets: is NULL; name a folder");
    if (def->repeat < 1 || def->repeat > 1000)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "repeat: is %d; use 1 to 1000", def->repeat);
    return VO_OK;
}

VO_API vo_result vo_bench_rt(vo_context *ctx, const vo_bench_rt_def *def) {
    vo_bench b = {ctx, def, 0};
    VO_TRY(check_def(ctx, def));
    for (int i = 0; i < BENCHMARKS; i++) {
        if (!vo_bench_wants(&b, benchmarks[i].prefix)) continue;
        VO_TRY(vo_check_cancel(ctx));
        VO_TRY(benchmarks[i].run(&b));
    }
    if (b.rows > 0) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "only: no row begins with \"%.60s\"; rows begin with transition, lists, linear, "
                   "tshirt, walkers or parade",
                   def->only ? def->only : "");
}
