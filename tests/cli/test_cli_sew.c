/* The command sew, and sewing in the command simulate. */
#include "cli/command.h"

#define FABRIC VOILE_SOURCE_DIR "/assets/fabrics/cotton-poplin.json"

/* A tube of two panels around the hips; `seams` joins their sides. */
static void write_pattern(const char *folder, const char *seams) {
    static const char *const panel =
        "\"%s\": {\"outline\": [[-40, 0], {\"to\": [40, 0], \"name\": \"hem\"}, {\"to\": [40, 40], "
        "\"name\": \"left\"}, {\"to\": [-40, 40], \"name\": \"top\"}, {\"to\": [-40, 0], \"name\": "
        "\"right\"}], \"place\": {\"around\": \"trunk\", \"radius\": 25, \"angle\": %d, "
        "\"height\": 60}}";
    char text[3000];
    int n = snprintf(text, sizeof text, "{\"units\": \"cm\", \"fabric\": \"%s\", \"panels\": {",
                     FABRIC);
    n += snprintf(text + n, sizeof text - (size_t)n, panel, "front", 0);
    n += snprintf(text + n, sizeof text - (size_t)n, ", ");
    n += snprintf(text + n, sizeof text - (size_t)n, panel, "back", 180);
    snprintf(text + n, sizeof text - (size_t)n,
             "}, \"seams\": [%s], \"labels\": [{\"edges\": [\"front.top\", \"back.top\"], "
             "\"pinned\": true}]}",
             seams);
    write_text(in(folder, "tube.json"), text);
}

#define GOOD                                                              \
    "{\"name\": \"one\", \"a\": \"front.left\", \"b\": \"back.right\"}, " \
    "{\"name\": \"two\", \"a\": \"back.left\", \"b\": \"front.right\"}"

/* Unwritable outputs are reported before the pattern is read, which is invalid here. */
static void invalid_outputs_are_reported_before_sewing(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "tube.json"), "no pattern");
    expect(folder, "sew tube.json -o gone/g.obj", 3, "gone/g.obj: cannot be written there: gone: ");
    expect(folder, "sew tube.json -o tube.json/g.obj", 3, "Not a directory");
    expect(folder, "sew tube.json -o .", 2, "is not a file name");
    expect(folder, "sew tube.json -o g.obj --body-output gone/b.obj", 3, "gone/b.obj: ");
    expect(folder, "sew tube.json --svg gone/b.svg", 3, "gone/b.svg: ");
    expect(folder, "sew tube.json -o g.obj --body gone.obj", 1, "gone.obj: cannot read: ");
    expect(folder, "sew tube.json -o g.obj --faces 20000", 1, "tube.json");
    expect(folder, "sew tube.json -o g.obj --faces 1000001", 2, "from 1 to 1000000");
    expect(folder, "sew tube.json -o g.obj --body-output g.obj", 2,
           "g.obj: would be written twice");
    expect(folder, "sew tube.json -o ./tube.json", 2,
           "tube.json: is an input and would be overwritten");
    expect(folder, "sew tube.json -o g.obj --no-body --height 2", 2, "--no-body sews without one");
    expect(folder, "sew tube.json -o g.obj --no-body --body-output b.obj", 2,
           "--body-output describes");
    expect(folder, "sew tube.json -o g.obj --units cm", 2,
           "--units and --up describe the file of --body");
    expect(folder, "sew tube.json -o g.obj --threshold 0.1", 2, "--threshold needs --merge");
    expect(folder, "sew tube.json --merge tube.json -o g.obj --fabric f", 2, "--merge joins two");
}

static void counts_are_singular_or_plural(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_pattern(folder, "{\"name\": \"side\", \"a\": \"front.left\", \"b\": \"back.right\"}");
    expect_out(folder, "sew tube.json -o g.obj --edge 0.1 --no-body", 0, " faces, 1 seam closed");
    write_pattern(folder, GOOD);
    expect_out(folder, "sew tube.json -o g.obj --edge 0.1 --no-body", 0, " faces, 2 seams closed");
}

static void garments_are_kept_for_the_next_time(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_pattern(folder, GOOD);
    expect_out(folder, "sew tube.json -o a.obj --edge 0.1 --no-body --no-cache", 0, " steps in ");
    assert_false(exists(in(folder, "voile")));
    expect_out(folder, "sew tube.json -o b.obj --edge 0.1 --no-body", 0, " steps in ");
    expect_out(folder, "sew tube.json -o c.obj --edge 0.1 --no-body", 0, "read from the cache");
    expect_out(folder, "sew tube.json -o d.obj --edge 0.11 --no-body", 0, " steps in ");
    char *text[3] = {read_whole(in(folder, "a.obj"), NULL), read_whole(in(folder, "b.obj"), NULL),
                     read_whole(in(folder, "c.obj"), NULL)};
    assert_string_equal(text[0], text[1]);
    assert_string_equal(text[0], text[2]);
    for (int i = 0; i < 3; i++) free(text[i]);
}

static void invalid_seams_are_named(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_pattern(folder, "{\"name\": \"side\", \"a\": \"front.left\", \"b\": \"back.hem\"}");
    expect(folder, "sew tube.json -o g.obj", 1,
           "seam \"side\" does not close: its sides are 40.0 and 80.0 cm long");
    write_pattern(folder, "{\"name\": \"side\", \"a\": \"front.left\", \"b\": \"back.right\", "
                          "\"orientation\": \"same\"}");
    expect(folder, "sew tube.json -o g.obj", 1, "seam \"side\" is twisted");
    assert_false(exists(in(folder, "g.obj")));
}

/* Seams from left to left close with one panel upside down. */
static void crossed_seams_warn(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_pattern(folder, "{\"name\": \"one\", \"a\": \"front.left\", \"b\": \"back.left\"}, "
                          "{\"name\": \"two\", \"a\": \"back.right\", \"b\": \"front.right\"}");
    ran r = run(folder, "sew tube.json -o g.obj --edge 0.1 -q");
    assert_non_null(strstr(r.err, "seam \"one\" "));
    assert_non_null(strstr(r.err, "lie crosswise"));
    ran_free(&r);
}

/* The warnings precede sewing, which fails for this pattern. The shape of the body is not checked
 * with --no-fit. */
static void implausible_body_warns(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "lying.obj"),
               "v -.2 -.8 0\nv .2 -.8 0\nv -.2 .8 0\nv .2 .8 0\n"
               "v -.2 -.8 .3\nv .2 -.8 .3\nv -.2 .8 .3\nv .2 .8 .3\n"
               "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    write_pattern(folder, "{\"name\": \"side\", \"a\": \"front.left\", \"b\": \"back.hem\"}");
    ran r = run(folder, "sew tube.json -o g.obj --body lying.obj");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "lying.obj: the body is not like that of a person"));
    assert_non_null(strstr(r.err, "patterns are not fitted to it"));
    assert_non_null(strstr(r.err, "if its file has y up, give --up y"));
    ran_free(&r);
    r = run(folder, "sew tube.json -o g.obj --body lying.obj --units cm --no-fit");
    assert_non_null(strstr(r.err, "lying.obj: the body measures 0.004 x 0.016 x 0.003 m"));
    ran_free(&r);
    r = run(folder, "sew tube.json -o g.obj --body lying.obj --no-fit");
    assert_int_equal(r.code, 1);
    assert_null(strstr(r.err, "warning"));
    ran_free(&r);
}

static void wait_for_text(const char *path, const char *text) {
    struct timespec pause = {0, 20000000};
    for (int i = 0; i < 50 * COMMAND_SECONDS; i++) {
        char *content = exists(path) ? read_whole(path, NULL) : NULL;
        bool found = content && strstr(content, text);
        free(content);
        if (found) return;
        nanosleep(&pause, NULL);
    }
    fail_msg("%s: no \"%s\"", path, text);
}

static void expect_rejected_before_sewing(const char *folder, const char *line, const char *words) {
    ran r = run(folder, line);
    if (r.code != 2 || !strstr(r.err, words) || strstr(r.out, "sewing"))
        fail_msg("%s: exit code %d: %s%s", line, r.code, r.out, r.err);
    ran_free(&r);
}

/* A run that is cancelled during sewing leaves no files, and the same command succeeds later. */
static void simulate_cancelled_during_sewing_leaves_no_files(void **state) {
    (void)state;
    const char *folder = test_folder();
    place here = {.folder = folder};
    write_pattern(folder, GOOD);
    write_text(in(folder, "scene.json"),
               "{\"frame_time\": 0.04, \"frame_steps\": 4, \"preroll\": 0, \"gravity\": [0, 0, "
               "-9.81], \"magic\": {\"repulsion_thickness\": 0.003, \"collision_stiffness\": 1e7}, "
               "\"characters\": [{\"body\": {\"faces\": 6000}}], \"garments\": [{\"pattern\": "
               "\"tube.json\", \"edge_length\": 0.08}]}");
    pid_t child = start(&here, "simulate scene.json -o run --frames 0:0 --threads 1");
    wait_for_text(in(folder, "stdout.txt"), "sewing tube (1/1)");
    kill(child, SIGINT);
    ran r = finish(&here, child);
    if (r.code != 130) fail_msg("exit code %d: %s%s", r.code, r.out, r.err);
    assert_non_null(strstr(r.err, "voile: stopping;"));
    assert_non_null(strstr(r.err, "cancelled while sewing, before the first saved frame"));
    assert_non_null(strstr(r.err, "run the same command again"));
    assert_false(exists(in(folder, "run")));
    ran_free(&r);
    expect(folder, "simulate scene.json -o run --frames 0:0 --threads 1", 0, NULL);
    expect(folder, "check run", 0, NULL);
    /* An existing run and a scene.json outside a run are detected before sewing. */
    assert_int_equal(rename(in(folder, "run/frames/0000.vof"), in(folder, "run/frames/0003.vof")),
                     0);
    expect_rejected_before_sewing(folder, "simulate scene.json -o run --frames 0:0",
                                  "already contains a run");
    expect_rejected_before_sewing(folder, "simulate scene.json -o . --frames 0:0",
                                  "does not belong to a run");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_outputs_are_reported_before_sewing),
        cmocka_unit_test(counts_are_singular_or_plural),
        cmocka_unit_test(garments_are_kept_for_the_next_time),
        cmocka_unit_test(invalid_seams_are_named),
        cmocka_unit_test(crossed_seams_warn),
        cmocka_unit_test(implausible_body_warns),
        cmocka_unit_test(simulate_cancelled_during_sewing_leaves_no_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
