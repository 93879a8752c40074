/* voile bench ccd: public queries with exact ground truth, the parsed values, and the messages for
 * invalid files. */
#include "cli/command.h"

/* A vertex that passes through a face. */
static const char *const falling[8] = {"1,4,1,4,1,1",  "0,1,0,1,0,1", "1,1,0,1,0,1", "0,1,1,1,0,1",
                                       "1,4,1,4,-1,1", "0,1,0,1,0,1", "1,1,0,1,0,1", "0,1,1,1,0,1"};

/* Writes folder/kind/a.csv with the rows of `falling`, the row `changed` replaced by `row`; NULL
 * removes it. */
static void write_queries(const char *folder, const char *kind, const char *truth, int changed,
                          const char *row) {
    char path[COMMAND_PATH], text[1024] = "";
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/%s", folder, kind);
    mkdir(path, 0777);
    for (int i = 0; i < 8; i++) {
        size_t used = strlen(text);
        if (i != changed)
            snprintf(text + used, sizeof text - used, "%s,%s\n", falling[i], truth);
        else if (row)
            snprintf(text + used, sizeof text - used, "%s\n", row);
    }
    snprintf(path, sizeof path, "%s/%s/a.csv", folder, kind);
    write_text(path, text);
}

static void public_queries_have_no_false_negatives(void **state) {
    (void)state;
    const char *data = test_data();
    char line[COMMAND_PATH + 64], folder[COMMAND_PATH];
    snprintf(folder, sizeof folder, "%s/ccd", data ? data : "");
    if (!data || !exists(folder)) {
        print_message("skipped: there is no folder ccd of queries in VOILE_DATA\n");
        skip();
    }
    snprintf(line, sizeof line, "bench ccd --repeat 1 --json --queries %s", folder);
    ran r = run(test_folder(), line);
    if (r.code != 0) fail_msg("exit code %d: %s", r.code, r.err);
    const char *total = strstr(r.out, "\"total\": ");
    assert_non_null(total);
    long queries, touching, missed, alarms;
    assert_int_equal(sscanf(total,
                            "\"total\": {\"queries\": %ld, \"touching\": %ld, \"false_negatives\": "
                            "%ld, \"false_positives\": %ld",
                            &queries, &touching, &missed, &alarms),
                     4);
    assert_true(queries >= 2000 && touching >= 200);
    assert_int_equal(missed, 0);
    assert_in_range(alarms, 0, queries / 40);
    ran_free(&r);
}

static void table_lists_files_and_totals(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_queries(in(folder, "q"), "vertex-face", "1", -1, NULL);
    write_queries(in(folder, "q"), "edge-edge", "0", -1, NULL);
    ran r = run(folder, "bench ccd --queries q");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "\nvertex-face/a.csv vertex-face         1         1         0"));
    assert_non_null(strstr(r.out, "\nedge-edge/a.csv     edge-edge         1         0         0"));
    assert_non_null(strstr(r.out, "        both         2         1         0         0"));
    ran_free(&r);
    /* The folder itself may have the name of a kind, also relative to the current folder. */
    expect_out(folder, "bench ccd --queries q/vertex-face/", 0, "\na.csv ");
    expect_out(in(folder, "q/vertex-face"), "bench ccd --queries .", 0, "\na.csv ");
}

/* Wrong ground truth: a missed collision sets the exit code, a false positive does not. */
static void wrong_ground_truth_is_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_queries(in(folder, "alarm"), "vertex-face", "0", -1, NULL);
    expect_out(folder, "bench ccd --json --queries alarm", 0, "\"false_positives\": 1");
    write_queries(in(folder, "miss"), "edge-edge", "1", -1, NULL);
    expect(folder, "bench ccd --queries miss", 1, "1 of 1 collisions were missed");
}

/* The message names each invalid line. */
static void invalid_rows_are_rejected(void **state) {
    (void)state;
    static const struct {
        const char *row, *message;
    } bad[] = {
        {"", "a.csv:3: x: a whole number is missing"},
        {"1,1,1,1,1,1", "a.csv:3: a row has 7 columns"},
        {"1,1,1,1,1", "a.csv:3: z: a comma is missing after the numerator"},
        {"1,1,1,1,1,1,2", "a.csv:3: the last of 7 columns, the truth, is not 0 or 1"},
        {"1,1,1,1,1,1,1,", "the truth, is not 0 or 1"},
        {"1,1,1,1,1,1,0", "a.csv:3: the truth differs"},
        {"1,1,1,0,1,1,1", "a.csv:3: y: the denominator is 0"},
        {"1,3,1,1,1,1,1", "a.csv:3: x: the fraction is not a double exactly"},
        {"1,1,1,1,9007199254740993,1,1", "a.csv:3: z: the number has more than 53"},
        {"0.5,1,1,1,1,1,1", "a.csv:3: x: a comma is missing"},
        {"1,-1,1,1,1,1,1", "a.csv:3: x: a whole number is missing"},
        {"--1,1,1,1,1,1,1", "a.csv:3: x: a whole number is missing"},
        {NULL, "a.csv:7: the file ends inside a query of 8 rows"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *folder = test_folder();
        write_queries(in(folder, "q"), "vertex-face", "1", 2, bad[i].row);
        expect(folder, "bench ccd --queries q", 1, bad[i].message);
    }
}

/* Numbers from 2^-1074 to 2^1023, and fractions that are not in lowest terms. */
static void long_numbers_are_parsed(void **state) {
    (void)state;
    enum { DIGITS = 400 };
    const char *folder = test_folder();
    char row[DIGITS + 64];
    write_queries(in(folder, "q"), "vertex-face", "1", 2,
                  "3,3,0,162259276829213363391578010288128,0,1,1");
    expect_out(folder, "bench ccd --queries q", 0, "both         1         1         0");
    memset(row, '9', DIGITS);
    strcpy(row + DIGITS, ",1,0,1,0,1,1");
    write_queries(in(folder, "q"), "vertex-face", "1", 2, row);
    expect(folder, "bench ccd --queries q", 1, "more than 53 significant bits");
    memset(row, '0', DIGITS);
    row[0] = '1'; /* 10^399 has 927 bits more than its factor of two */
    write_queries(in(folder, "q"), "vertex-face", "1", 2, row);
    expect(folder, "bench ccd --queries q", 1, "more than 53 significant bits");
}

static void invalid_folders_are_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    expect(folder, "bench ccd", 2, "--queries DIR");
    expect(folder, "bench sheet --queries q", 2, "--queries is for the benchmark ccd");
    expect(folder, "bench nothing", 2, "ccd");
    expect(folder, "bench ccd --queries nowhere", 1, "nowhere: cannot read the folder");
    mkdir(in(folder, "q"), 0777);
    expect(folder, "bench ccd --queries q", 1, "q: contains no .csv file");
    write_queries(in(folder, "q"), "other", "1", -1, NULL);
    expect(folder, "bench ccd --queries q", 1, "a.csv: the kind of its queries is unknown");
    /* A symbolic link to a parent is not followed. */
    const char *circle = test_folder();
    write_queries(in(circle, "q"), "vertex-face", "1", -1, NULL);
    assert_int_equal(symlink("..", in(circle, "q/vertex-face/up")), 0);
    expect_out(circle, "bench ccd --queries q", 0, "both         1         1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_queries_have_no_false_negatives),
        cmocka_unit_test(table_lists_files_and_totals),
        cmocka_unit_test(wrong_ground_truth_is_reported),
        cmocka_unit_test(invalid_rows_are_rejected),
        cmocka_unit_test(long_numbers_are_parsed),
        cmocka_unit_test(invalid_folders_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
