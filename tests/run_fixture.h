/* Fixture for tests of runs: a small scene in a temporary folder, its runs and their files. */
#ifndef VOILE_TESTS_RUN_FIXTURE_H
#define VOILE_TESTS_RUN_FIXTURE_H

#include "support.h"

#include "core/file.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scene_text[] =
    "// a small sheet in wind\n"
    "{\n"
    "  \"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 12,\n"
    "  \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 12, \"rows\": 12},\n"
    "    \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3, \"strain_limits\": [0.9, 1.1]}]}],\n"
    "  \"motions\": [[{\"time\": 0}, {\"time\": 0.4, \"transform\": {\"translate\": [0, 0, "
    "0.2]}}]],\n"
    "  \"handles\": [{\"nodes\": [0]}, {\"nodes\": [12], \"motion\": 0, \"start_time\": 0.1}],\n"
    "  \"gravity\": [0, 0, -9.8], \"wind\": {\"velocity\": [1, 4, 0]}\n"
    "}\n";

typedef struct run_fixture {
    vo_context *ctx;
    char scene[600], run[600];
} run_fixture;

static inline run_fixture open_run_fixture(int threads) {
    run_fixture p = {.ctx = test_context(threads)};
    const char *folder = test_folder();
    snprintf(p.scene, sizeof p.scene, "%s/scene.json", folder);
    snprintf(p.run, sizeof p.run, "%s/run", folder);
    assert_ok(p.ctx, vo_file_write(p.ctx, p.scene, scene_text, strlen(scene_text)));
    return p;
}

static inline void close_run_fixture(run_fixture *p) { vo_context_destroy(p->ctx); }

static inline bool stop_at(void *user, const vo_progress *progress) {
    return progress->frame < *(int *)user;
}

static inline vo_result simulate(run_fixture *p, int stop) {
    vo_run_def def = vo_run_def_default();
    def.folder = p->run;
    def.progress = stop_at;
    def.user = &stop;
    return vo_run_simulate(p->ctx, p->scene, &def);
}

static inline vo_result resume(run_fixture *p, int override_count, const char *const *overrides) {
    vo_run_def def = vo_run_def_default();
    def.folder = p->run;
    def.override_count = override_count;
    def.overrides = overrides;
    return vo_run_resume(p->ctx, &def);
}

/* Resumes with one override, or none if `set` is NULL, and stops at frame `stop`. */
static inline vo_result resume_until(run_fixture *p, const char *set, int stop) {
    vo_run_def def = vo_run_def_default();
    def.folder = p->run;
    def.override_count = set != NULL;
    def.overrides = &set;
    def.progress = stop_at;
    def.user = &stop;
    return vo_run_resume(p->ctx, &def);
}

static inline const char *frame_path(const run_fixture *p, int frame) {
    static char path[700];
    snprintf(path, sizeof path, "%s/frames/%04d.vof", p->run, frame);
    return path;
}

static inline void assert_same_file(vo_context *ctx, const char *a, const char *b) {
    vo_bytes left, right;
    assert_ok(ctx, vo_file_read(ctx, a, &left));
    assert_ok(ctx, vo_file_read(ctx, b, &right));
    if (left.size != right.size || memcmp(left.data, right.data, left.size) != 0)
        fail_msg("%s and %s differ", a, b);
    vo_bytes_free(ctx, &left);
    vo_bytes_free(ctx, &right);
}

static inline void truncate_frame(const run_fixture *p, int frame) {
    assert_int_equal(truncate(frame_path(p, frame), 50), 0);
}

/* Reads a file of the run; the caller frees the bytes. */
static inline vo_bytes run_file(const run_fixture *p, const char *name) {
    char path[700];
    vo_bytes bytes;
    snprintf(path, sizeof path, "%s/%s", p->run, name);
    assert_ok(p->ctx, vo_file_read(p->ctx, path, &bytes));
    return bytes;
}

static inline void assert_same_frames(const run_fixture *a, const run_fixture *b, int last) {
    for (int i = 0; i <= last; i++) {
        char left[700];
        snprintf(left, sizeof left, "%s", frame_path(a, i));
        assert_same_file(a->ctx, left, frame_path(b, i));
    }
}

#endif
