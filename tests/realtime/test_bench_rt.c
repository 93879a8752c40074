/* Rows of vo_bench_rt: names, targets, figures that do not depend on the machine, arguments. */
#include "core/file.h"
#include "support.h"

#include <voile/bench.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct row_log {
    int count, unmet;
    char first[64], first_text[200];
    double value[8]; /* of the rows in `wanted` */
    const char *wanted[8];
} row_log;

static void receive_row(void *user, const vo_bench_row *row) {
    row_log *log = user;
    assert_true(row->name[0] && row->text[0] && row->unit[0] && row->limit[0]);
    assert_true(isfinite(row->value));
    bool met = row->is_minimum ? row->value >= row->target : row->value <= row->target;
    assert_int_equal(row->met, isnan(row->target) || met);
    if (log->count++ == 0) {
        snprintf(log->first, sizeof log->first, "%s", row->name);
        snprintf(log->first_text, sizeof log->first_text, "%s", row->text);
    }
    log->unmet += !row->met;
    for (int i = 0; i < 8; i++)
        if (log->wanted[i] && strcmp(row->name, log->wanted[i]) == 0) log->value[i] = row->value;
}

static vo_bench_rt_def make_def(const char *only, row_log *log) {
    vo_bench_rt_def def = vo_bench_rt_def_default();
    def.assets = VOILE_SOURCE_DIR "/assets";
    def.only = only;
    def.repeat = 1;
    def.row = receive_row;
    def.user = log;
    return def;
}

/* Six of the paper's transitions and the mean of all; three rows per level and the update. */
static void tables_of_the_paper_are_complete(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    row_log log = {.wanted = {"lists-tree-3", "lists-step-3"}};
    vo_bench_rt_def def = make_def("transition", &log);
    assert_ok(ctx, vo_bench_rt(ctx, &def));
    assert_int_equal(log.count, 7);
    assert_string_equal(log.first, "transition-C0-C1");
    log.count = 0;
    def.only = "lists";
    def.repeat = 5;
    assert_ok(ctx, vo_bench_rt(ctx, &def));
    assert_int_equal(log.count, 3 * 4 + 1);
    assert_true(log.value[1] > 0 && log.value[1] < log.value[0]); /* lists beat the tree */
    vo_context_destroy(ctx);
}

/* Compressed operators are smaller and faster than the dense one; some nodes are moved. */
static void upsampling_is_measured(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    row_log log = {.wanted = {"upsampling-dense", "upsampling-low-rank", "upsampling-bytes",
                              "upsampling-cloth"}};
    vo_bench_rt_def def = make_def("upsampling", &log);
    assert_ok(ctx, vo_bench_rt(ctx, &def));
    assert_int_equal(log.count, 6);
    assert_true(log.value[1] > 0 && log.value[1] < log.value[0]);
    assert_true(log.value[2] > 500 && log.value[2] < 1024);
    assert_true(log.value[3] > 0);
    vo_context_destroy(ctx);
}

static void one_row_is_selected_by_its_name(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    row_log log = {0};
    vo_bench_rt_def def = make_def("transition-C4-C10", &log);
    assert_ok(ctx, vo_bench_rt(ctx, &def));
    assert_int_equal(log.count, 1);
    assert_string_equal(log.first, "transition-C4-C10");
    vo_context_destroy(ctx);
}

/* Fronts have the sizes that their names state; the ratio is their quotient. */
static void cost_per_triangle_is_compared(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    row_log log = {.wanted = {"linear-512", "linear-32768", "linear-ratio"}};
    vo_bench_rt_def def = make_def("linear", &log);
    assert_ok(ctx, vo_bench_rt(ctx, &def));
    assert_int_equal(log.count, 5);
    assert_near(log.value[2], log.value[1] / log.value[0], 1e-12);
    vo_context_destroy(ctx);
}

/* Rows of a scene with self-collision on its first frames, and their plots. */
static void scenes_are_measured(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char folder[600], path[700];
    row_log log = {.wanted = {"drape", "drape-max", "drape-finest", "drape-ratio", "drape-memory",
                              "drape-culled-clusters", "drape-colours", "drape-hierarchy"}};
    vo_bench_rt_def def = make_def("drape", &log);
    snprintf(folder, sizeof folder, "%s/plots", test_folder());
    def.plots = folder;
    def.max_frames = 6;
    def.repeat = 2;
    assert_ok(ctx, vo_bench_rt(ctx, &def));
    assert_int_equal(log.count, 12);
    assert_string_equal(log.first, "drape");
    assert_true(log.value[0] > 0 && log.value[0] <= log.value[1]);
    assert_near(log.value[3], log.value[2] / log.value[0], 1e-9 * log.value[3]);
    assert_true(log.value[4] > 1 && log.value[4] < 2);
    assert_true(log.value[5] > 90 && log.value[5] < 100);
    assert_true(log.value[6] >= 26);
    assert_true(log.value[7] < log.value[0]);
    snprintf(path, sizeof path, "%s/drape-rabbit-frames.svg", folder);
    assert_true(vo_file_exists(path));
    log.count = 0;
    def.only = "drape-max"; /* without the run at the finest level */
    def.plots = NULL;
    assert_ok(ctx, vo_bench_rt(ctx, &def));
    assert_int_equal(log.count, 1);
    vo_context_destroy(ctx);
}

/* The second repetition, which continues from a snapshot in memory that the first one has used, has
 * the same triangles. */
static void repetitions_are_identical(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    row_log log[2] = {0};
    for (int k = 0; k < 2; k++) {
        vo_bench_rt_def def = make_def("drape-max", &log[k]);
        def.max_frames = 24;
        def.repeat = k + 1;
        def.only = "drape-max";
        assert_ok(ctx, vo_bench_rt(ctx, &def));
        assert_int_equal(log[k].count, 1);
    }
    assert_string_equal(log[0].first_text, log[1].first_text);
    vo_context_destroy(ctx);
}

static void invalid_arguments_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    row_log log = {0};
    vo_bench_rt_def def = make_def("nothing", &log);
    assert_int_equal(vo_bench_rt(ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "no row begins with \"nothing\"");
    def.only = "transition-C9-C99";
    assert_int_equal(vo_bench_rt(ctx, &def), VO_BAD_ARGUMENT);
    def.repeat = 0;
    assert_int_equal(vo_bench_rt(ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "repeat: is 0");
    def.repeat = 1;
    def.max_frames = -1;
    assert_int_equal(vo_bench_rt(ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "max_frames: is -1");
    def = make_def("walkers", &log);
    def.assets = "absent";
    assert_int_equal(vo_bench_rt(ctx, &def), VO_IO_FAILED);
    assert_message_contains(ctx, "absent/motions/walk.json");
    assert_int_equal(log.count, 0);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_the_paper_are_complete),
        cmocka_unit_test(upsampling_is_measured),
        cmocka_unit_test(one_row_is_selected_by_its_name),
        cmocka_unit_test(cost_per_triangle_is_compared),
        cmocka_unit_test(scenes_are_measured),
        cmocka_unit_test(repetitions_are_identical),
        cmocka_unit_test(invalid_arguments_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
