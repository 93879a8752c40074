/* The command compare: tables, files and invalid arguments. */
#include "cli/command.h"

#include "spatial/rays.h"

static void need_rays(void) {
    if (!vo_rays_available()) skip();
}

/* Runs "a" of frames 0 to 3 and "b" of frames 0 to 5 of a sheet that falls. */
static const char *make_runs(void) {
    const char *folder = test_folder();
    write_text(
        in(folder, "scene.json"),
        "{\"frame_time\": 0.04, \"frame_steps\": 2, \"end_frame\": 5,\n"
        "\"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 6, \"rows\": 6},\n"
        "\"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
        "\"poisson_ratio\": 0.3}]}], \"handles\": [{\"nodes\": [0, 6]}],\n"
        "\"gravity\": [0, 0, -9.8]}\n");
    expect(folder, "simulate scene.json -o a -q --frames 0:3", 0, NULL);
    expect(folder, "simulate scene.json -o b -q --set gravity=[0,0,-3]", 0, NULL);
    return folder;
}

static void compare_prints_tables(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    ran r = run(folder, "compare a b --size 96x64 -q");
    assert_int_equal(r.code, 0);
    const char *const expected[] = {"6 frames, reference b, 96 x 64 pixels",
                                    "speed-up",
                                    "a against b",
                                    "silhouette IoU",
                                    "1.0000",
                                    "edge lengths on screen",
                                    "not in a: frames 4 to 5"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (!strstr(r.out, expected[i])) fail_msg("no \"%s\" in: %s", expected[i], r.out);
    assert_null(strstr(r.out, "nan"));
    assert_non_null(strstr(r.err, "differ in gravity[2];"));
    ran_free(&r);
    r = run(folder, "compare b a --size 96x64 -q --camera azimuth=80,zoom=1.5");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "only in b: frames 4 to 5"));
    ran_free(&r);
    r = run(folder, "compare a b a --size 32x32 --frames 1:3 --every 2 --flat --slow 0");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "3 frames"));
    assert_non_null(strstr(r.out, "in 0 frames to 0 m/s"));
    ran_free(&r);
}

/* The same folder twice, and a folder whose name is that of the numbered one. */
static void names_in_files_are_unique(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    assert_int_equal(rename(in(folder, "b"), in(folder, "a~2")), 0);
    expect(folder, "compare a a~2 a --size 32x32 -q -o c", 0, NULL);
    const char *const files[] = {"c/runs.csv", "c/frames.csv"};
    const char *const names[] = {"\n\"a\",", "\n\"a~2\",", "\n\"a~2~2\","};
    for (int i = 0; i < 2; i++) {
        char *text = read_whole(in(folder, files[i]), NULL);
        for (int k = 0; k < 3; k++)
            if (!strstr(text, names[k])) fail_msg("no \"%s\" in: %s", names[k], text);
        free(text);
    }
}

/* Names that end alike in the width of a column are distinguished by the number of the run. */
static void shortened_names_in_tables_differ(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    assert_int_equal(rename(in(folder, "a"), in(folder, "first-of-the-falling-sheets")), 0);
    assert_int_equal(rename(in(folder, "b"), in(folder, "second-of-the-falling-sheets")), 0);
    ran r = run(folder, "compare first-of-the-falling-sheets second-of-the-falling-sheets --size "
                        "32x32 -q");
    assert_int_equal(r.code, 0);
    const char *const expected[] = {
        "\n0:..lling-sheets ", "\n1:..lling-sheets ", "\n0:..g-sheets against 1:..g-sheets ",
        "run 0: first-of-the-falling-sheets\n", "run 1: second-of-the-falling-sheets\n"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (!strstr(r.out, expected[i])) fail_msg("no \"%s\" in: %s", expected[i], r.out);
    ran_free(&r);
}

/* Missing times are reported with their number. */
static void missing_times_are_counted(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    ran r = run(folder, "compare a b --size 32x32 -q");
    assert_null(strstr(r.out, "with times of both"));
    ran_free(&r);
    char *lines = read_whole(in(folder, "a/stats.jsonl"), NULL);
    strchr(strchr(lines, '\n') + 1, '\n')[1] = 0; /* keeps frames 0 and 1 */
    write_text(in(folder, "a/stats.jsonl"), lines);
    free(lines);
    r = run(folder, "compare a b --size 32x32 -q");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "a: frames with times of both runs (in stats.jsonl): 1 of 3; the "
                                  "speed-up is over these"));
    ran_free(&r);
    assert_int_equal(remove(in(folder, "a/stats.jsonl")), 0);
    r = run(folder, "compare a b --size 32x32 -q");
    assert_non_null(strstr(r.out, "(in stats.jsonl): 0 of 3; "));
    assert_non_null(strstr(r.out, "there is no speed-up"));
    assert_null(strstr(r.out, "-x"));
    ran_free(&r);
}

/* Differences that runs of one scene may have are ignored; others are named. Inputs are compared by
 * content. */
static void differences_between_scenes_warn(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    expect_out(folder,
               "simulate scene.json -o c -q --adapt none --set view.back_facing=0.5 --set "
               "duration=0.3",
               0, "");
    expect_out(folder, "compare c c --size 32x32 -q", 0, "reference c");
    ran r = run(folder, "compare c a --size 32x32 -q");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.err, "");
    ran_free(&r);
    expect(folder, "simulate scene.json -o d -q --set cloths[0].materials[0].density=400", 0, NULL);
    expect(folder, "compare d a --size 32x32 -q", 0, "differ in cloths[0].materials[0].density;");
}

/* A reference whose camera was removed on resume is rejected. */
static void removed_camera_is_rejected(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    expect(folder,
           "simulate scene.json -o c -q --frames 0:3 "
           "--set camera={\"position\":[0.5,-3,0],\"target\":[0.5,0,0]}",
           0, NULL);
    expect(folder, "resume c -q --frames :5 --set camera=null", 0, NULL);
    expect(folder, "compare b c --size 64x36 -q", 1,
           "c: has no camera at 0.16 s, but has one before");
    expect(folder, "compare b c --size 64x36 -q --frames 0:3", 0, NULL);
    expect(folder, "compare b c --size 64x36 -q --camera none", 0, NULL);
}

static void unwritable_output_is_reported(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    place full = {.folder = folder, .stdout_to = "/dev/full"};
    ran r = run_at(&full, "compare a b --size 64x36");
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "cannot write to standard output: No space left on device\n"));
    ran_free(&r);
    r = run(folder, "compare a a --size 64x36 -q --frames 0:0");
    if (!strstr(r.out, "  in 1 frame to 0.25 m/s")) fail_msg("%s", r.out);
    ran_free(&r);
}

static void json_has_all_measures(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    ran r = run(folder, "compare a b --size 64x48 --json --wavelength 12.5 -o c");
    assert_int_equal(r.code, 0);
    char *file = read_whole(in(folder, "c/compare.json"), NULL);
    assert_string_equal(r.out, file);
    assert_non_null(strstr(file, "\"wavelength\": 12.5"));
    free(file);
    ran_free(&r);
    assert_true(exists(in(folder, "c/time.svg")) && exists(in(folder, "c/frames.csv")));
    assert_false(exists(in(folder, "c/run0_0000.png")));
    ran first = run(folder, "compare a b --size 64x48 --json --threads 1"),
        second = run(folder, "compare a b --size 64x48 --json --threads 3");
    assert_string_equal(first.out, second.out);
    ran_free(&first);
    ran_free(&second);
}

static void invalid_arguments_are_rejected(void **state) {
    (void)state;
    need_rays();
    const char *folder = make_runs();
    expect(folder, "compare", 2, "DIR REFERENCE");
    expect(folder, "compare a", 2, "at least two runs");
    expect(folder, "compare a nowhere", 1, "nowhere");
    expect(folder, "compare a a a a a a a a a a a a a a a a a", 2, "16 runs at most");
    expect(folder, "compare a b --pictures", 2, "-o DIR");
    expect(folder, "compare a b --size 5", 2, "--size");
    expect(folder, "compare a b --wavelength long", 2, "--wavelength");
    expect(folder, "compare a b --wavelength 0", 2, "--wavelength");
    expect(folder, "compare a b --slow quick", 2, "--slow");
    expect(folder, "compare a b --camera fit=each", 2, "one position");
    expect(folder, "compare a b --camera left --size 16x16", 2, "no camera \"left\"");
    expect(folder, "compare a b --camera zoom=x", 2, "zoom=x");
    expect(folder, "compare a b --frames 9:", 2, "no frames in the requested range");
    expect(folder, "compare a scene.json", 1, "scene.json");
    expect(folder, "compare a b --size 16x16 -o scene.json/x", 2, "scene.json: cannot create");
    expect(folder, "compare a b --size 16x16 -o scene.json", 2, "a file has that name");
    expect(folder, "compare a b --size 16x16 -o b", 2, "b: contains the files of a run");
    expect(folder, "render a -o b/", 2, "contains the files of a run");
    expect(folder, "render a -o b/frames/.", 2, "contains the files of a run");
    expect(folder, "export a -o a/inputs", 2, "contains the files of a run");
    expect(folder, "export a -q -o a/other", 0, NULL);
    expect(folder, "info a b", 2, "takes one DIR");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare_prints_tables),
        cmocka_unit_test(names_in_files_are_unique),
        cmocka_unit_test(shortened_names_in_tables_differ),
        cmocka_unit_test(missing_times_are_counted),
        cmocka_unit_test(differences_between_scenes_warn),
        cmocka_unit_test(removed_camera_is_rejected),
        cmocka_unit_test(json_has_all_measures),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(unwritable_output_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
