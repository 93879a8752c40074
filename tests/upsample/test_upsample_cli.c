/* The command upsample: actions, results, interruption, errors. */
#include "cli/command.h"

#include "spatial/rays.h"

#include "linalg/eigen.h"

/* A small flag, 12 to 99 vertices, above a sphere that it touches. */
#define FLAG(end_frame, wind)                                                                    \
    "{\"engine\": \"realtime\", \"fps\": 30, \"end_frame\": " end_frame ", \"preroll\": 0.1,\n"  \
    " \"cloths\": [{\"grid\": {\"width\": 0.4, \"height\": 0.3, \"columns\": 3, \"rows\": 2},\n" \
    "   \"transform\": {\"translate\": [0, 0, 1], \"rotate\": [70, 1, 0, 0]},\n"                 \
    "   \"materials\": [{\"thickness\": 0.0005, \"density\": 300, \"elastic_modulus\": 1e6,\n"   \
    "                    \"poisson_ratio\": 0.2}]}],\n"                                          \
    " \"handles\": [{\"edge\": \"left\"}],\n"                                                    \
    " \"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.1},\n"                    \
    "   \"transform\": {\"translate\": [0.3, 0.1, 0.85]}}],\n"                                   \
    " \"gravity\": [0, 0, -9.81],\n"                                                             \
    " \"wind\": {\"density\": 1.2, \"velocity\": " wind "},\n"                                   \
    " \"realtime\": {\"levels\": 0, \"compression\": 0.3},\n"                                    \
    " \"upsampling\": {\"test_functions\": 6, \"fine\": [\"cloths[0].grid.columns=10\",\n"       \
    "   \"cloths[0].grid.rows=8\", \"realtime.compression=0\"]}}\n"

/* Skips tests of builds that cannot compute harmonics. */
static void need_harmonics(void) {
    if (!vo_eigen_lowest_available()) skip();
}

/* A folder with a training scene and another one, and flag.vru trained on the first. */
static const char *train(void) {
    const char *folder = test_folder();
    need_harmonics();
    write_text(in(folder, "flag.json"), FLAG("40", "[3, 1, 0]"));
    write_text(in(folder, "wind.json"), FLAG("30", "[5, 2, 0]"));
    expect_out(folder, "upsample train flag.json -o flag.vru", 0, "12 to 99");
    return folder;
}

static void training_reports_sizes_and_errors(void **state) {
    (void)state;
    const char *folder = train();
    assert_true(exists(in(folder, "flag.vru")));
    assert_false(exists(in(folder, "flag.vru.partial")));
    expect_out(folder, "upsample fit flag.vru --json", 0, "\"coarse_vertices\": 12");
    expect_out(folder, "upsample fit flag.vru --json", 0, "\"frames\": 41");
    expect_out(folder, "upsample fit flag.vru --exponent 2 --base loop --json", 0,
               "\"base\": \"loop\"");
    expect_out(folder, "upsample fit flag.vru -o other.vru --regularisation tikhonov --alpha 0.1",
               0, "tikhonov");
    expect_out(folder, "upsample fit flag.vru --history 2 --operator h --asset flag.vrt", 0,
               "flag.vrt");
    expect_out(folder, "info flag.vrt", 0, "detail vertices  99");
    expect_out(folder, "upsample fit flag.vru --validate", 0, "cross-validated");
    expect_out(folder, "upsample fit flag.vru --validate --regularisation none", 0,
               "cross-validated");
    expect_out(folder, "upsample fit flag.vru --exponent auto --asset low.vrt --rank 3 --json", 0,
               "\"exponent\": ");
    expect_out(folder, "info low.vrt", 0, "operators        2");
    expect_out(folder, "upsample fit flag.vru --asset auto.vrt --rank auto --json", 0,
               "\"compression_error_m\": ");
    expect_out(folder, "info auto.vrt", 0, "operators        2");
    expect(folder, "upsample fit flag.vru --asset auto.vrt --rank some", 2, "--rank needs");
}

static void runs_replace_simulations(void **state) {
    (void)state;
    const char *folder = test_folder();
    need_harmonics();
    write_text(in(folder, "flag.json"), FLAG("40", "[3, 1, 0]"));
    expect(folder, "simulate flag.json --engine quality --frames 0:8 -q -o coarse", 0, NULL);
    expect(folder,
           "simulate flag.json --engine quality --frames 0:6 -q -o fine "
           "--set cloths[0].grid.columns=10 --set cloths[0].grid.rows=8",
           0, NULL);
    expect(folder, "simulate flag.json -q --frames 0:2 -o other --set fps=24", 0, NULL);
    expect_out(folder, "upsample train coarse fine -o a.vru --json --asset a.vrt", 0,
               "\"frames\": 7");
    expect_out(folder, "upsample train coarse fine coarse fine -o b.vru --frames 3 --json", 0,
               "\"sequences\": 2");
    expect_out(folder, "info a.vrt", 0, "detail vertices  99");
    expect_out(folder, "upsample compare a.vru", 0, "7 frames");
    expect(folder, "upsample train coarse -o c.vru", 2, "in pairs");
    expect(folder, "upsample train coarse flag.json -o c.vru", 2, "in pairs");
    expect(folder, "upsample train coarse other -o c.vru", 1, "same fps");
    expect(folder, "upsample train coarse fine -o c.vru --set fps=3", 2, "already");
}

static void training_files_are_not_replaced(void **state) {
    (void)state;
    const char *folder = train();
    expect(folder, "upsample fit flag.vru --asset flag.vru", 2, "would replace an input");
    expect(folder, "upsample fit flag.vru -o b.vru --asset flag.vru", 2, "would replace");
    expect(folder, "upsample fit flag.vru -o b.vru --asset b.vru", 2, "would replace");
    expect(folder, "upsample train flag.json -o c.vru --asset c.vru", 2, "would replace");
    expect(folder, "upsample train flag.json -o flag.json", 2, "is an input");
    expect(folder, "upsample train flag.json -o c.vru --asset ./flag.json", 2, "would replace");
    expect(folder, "upsample train flag.json -o c.vru --asset ./c.vru", 2, "would replace");
    expect(folder, "upsample show flag.vru --columns 1 -o flag.vru", 2, "name it FILE.png");
    expect(folder, "upsample fit flag.vru -q", 0, NULL);
    assert_int_equal(symlink("flag.vru", in(folder, "link.vru")), 0);
    expect(folder, "upsample fit link.vru --exponent 3 -q", 0, NULL);
    struct stat info;
    assert_int_equal(lstat(in(folder, "link.vru"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    expect_out(folder, "upsample fit flag.vru --json", 0, "\"exponent\": 4");
}

static void pairs_that_do_not_correspond_are_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    need_harmonics();
    write_text(in(folder, "flag.json"), FLAG("4", "[3, 1, 0]"));
    expect(folder, "upsample train flag.json -o a.vru --set upsampling.fine=[\"fps=30\"]", 1,
           "the fine one needs more");
    expect(folder,
           "upsample train flag.json -o a.vru --set "
           "upsampling.fine=[\"cloths[0].grid.columns=9\",\"cloths[0].grid.width=3\"]",
           1, "two resolutions of the same garment");
}

/* Parameters whose fit would not be finite are rejected before the file is written. */
static void extreme_parameters_leave_the_file_intact(void **state) {
    (void)state;
    const char *folder = train();
    expect(folder, "upsample fit flag.vru --exponent 0.001", 2, "from 0.1 to 100");
    expect(folder, "upsample fit flag.vru --gamma 1e-320,1e12", 2, "from 1e-6 to 1e9");
    expect(folder, "upsample fit flag.vru --exponent auto --regularisation tikhonov --alpha 1", 2,
           "");
    expect(folder, "upsample fit flag.vru --exponent auto --regularisation cutoff", 2,
           "of harmonic regularisation only");
    const char *const fits[] = {"0.1 --gamma 1e-6,1e9", "100 --gamma 1e9,1e9"};
    for (int i = 0; i < 2; i++) {
        char line[200];
        snprintf(line, sizeof line, "upsample fit flag.vru -q --exponent %s", fits[i]);
        expect(folder, line, 0, NULL);
        expect(folder, "upsample fit flag.vru -q", 0, NULL);
    }
}

/* The scene of the training had changes that a comparison without scene does not know. */
static void scene_that_differs_from_the_training_is_not_run(void **state) {
    (void)state;
    const char *folder = train();
    expect(folder, "upsample train flag.json -o set.vru -q --set wind.velocity=[8,0,0]", 0, NULL);
    expect(folder, "upsample compare set.vru", 0, "is not that of the training");
    expect(folder, "upsample compare set.vru flag.json --set wind.velocity=[8,0,0]", 0, NULL);
}

/* Reads a number of an object in a list of named objects. */
static double find_number(const char *json, const char *name, const char *key) {
    char word[64];
    snprintf(word, sizeof word, "\"name\": \"%s\"", name);
    const char *at = strstr(json, word);
    if (!at) fail_msg("no %s in %s", word, json);
    snprintf(word, sizeof word, "\"%s\": ", key);
    at = strstr(at, word);
    if (!at) fail_msg("no %s in %s", word, json);
    return strtod(at + strlen(word), NULL);
}

static void comparison_measures_all_surfaces(void **state) {
    (void)state;
    const char *folder = train();
    ran r = run(folder, "upsample compare flag.vru --json");
    if (r.code != 0) fail_msg("%s", r.err);
    double loop = find_number(r.out, "loop", "position_rms");
    double learned = find_number(r.out, "default", "position_rms");
    assert_true(learned > 0 && learned < loop); /* on the training data */
    assert_true(find_number(r.out, "run", "inside_vertices") == 0);
    ran_free(&r);
    r = run(folder, "upsample compare flag.vru wind.json -o c");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "31 frames"));
    assert_non_null(strstr(r.out, "barycentric"));
    assert_true(exists(in(folder, "c/compare.json")));
    expect_out(folder, "upsample compare flag.vru wind.json --noise-floor --frames 5", 0,
               "repeat ");
    expect(folder, "upsample compare flag.vru --noise-floor", 2, "needs a scene");
    ran_free(&r);
}

static void runs_write_meshes(void **state) {
    (void)state;
    const char *folder = train();
    expect_out(folder, "upsample run flag.vru wind.json -o r --every 10 --frames 20", 0,
               "12 to 99 vertices");
    assert_true(exists(in(folder, "r/0020.obj")) && !exists(in(folder, "r/0005.obj")));
    expect_out(folder, "check r/0020.obj", 0, "mesh");
    expect_out(folder, "upsample run flag.vru wind.json --json --frames 3", 0,
               "\"inside_vertices\": 0");
}

static void images_are_drawn(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    const char *folder = train();
    expect(folder, "upsample show flag.vru --columns 4,5 --size 64x48 -o columns.png", 0, NULL);
    expect(folder, "upsample show flag.vru --harmonics 1,2,3,4,5 --size 32x32 -o h.png", 0, NULL);
    assert_true(exists(in(folder, "columns.png")) && exists(in(folder, "h.png")));
    expect(
        folder,
        "upsample compare flag.vru wind.json -o c --pictures --frames 4:9 --every 3 --size 32x32",
        0, NULL);
    assert_true(exists(in(folder, "c/0004.png")) && exists(in(folder, "c/0007.png")));
    assert_false(exists(in(folder, "c/0005.png")));
    expect(folder,
           "upsample compare flag.vru -o s --pictures --every 30 --size 32x32 --surfaces "
           "fine,barycentric,default",
           0, NULL);
    assert_true(exists(in(folder, "s/0030.png")));
    expect(folder, "upsample compare flag.vru -o s --pictures --surfaces gone", 2,
           "there is no surface \"gone\"");
    expect(folder, "upsample show flag.vru --columns 12 -o x.png", 2, "columns 0 to 11");
    expect(folder, "upsample show flag.vru --harmonics 100 -o x.png", 2, "the mesh has 1 to 99");
}

/* Operators of single sequences, blended by the garment. */
static void operators_are_fitted_to_sequences(void **state) {
    (void)state;
    const char *folder = train();
    expect_out(folder, "upsample train flag.json wind.json -o two.vru --operator all", 0,
               "72 in 2 sequences");
    expect_out(folder, "upsample fit two.vru --sequences 0 --operator calm --json", 0,
               "\"frames\": 41");
    expect_out(folder, "upsample fit two.vru --sequences 1:1 --operator windy --asset two.vrt", 0,
               "two.vrt");
    expect_out(folder, "info two.vrt", 0, "operators        3");
    expect(folder, "upsample fit two.vru --sequences 1:2", 2, "sequences 1 to 2 do not exist");
    expect(folder, "upsample compare flag.vru wind.json --tracking none --frames 3 -q", 0, NULL);
    expect(folder, "upsample compare flag.vru wind.json --rank 2 --frames 3 -q", 0, NULL);
}

/* ---- interruption ---------------------------------------------------------------------------- */

/* Starts training and kills it after its first saved state; false if it ended before. */
static bool kill_training(const place *p, const char *line, const char *saved) {
    pid_t child = start(p, line);
    for (int i = 0; i < 20000 && !exists(in(p->folder, saved)); i++) {
        struct timespec wait = {0, 1000000};
        nanosleep(&wait, NULL);
        if (waitpid(child, NULL, WNOHANG) != 0) return false;
    }
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
}

static void assert_same_file(const char *a, const char *b) {
    size_t sizes[2];
    char *text[2] = {read_whole(a, &sizes[0]), read_whole(b, &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(text[0], text[1], sizes[0]);
    free(text[0]);
    free(text[1]);
}

static void killed_training_continues(void **state) {
    (void)state;
    const char *folder = test_folder();
    const place p = {.folder = folder};
    need_harmonics();
    write_text(in(folder, "flag.json"), FLAG("300", "[3, 1, 0]"));
    write_text(in(folder, "stdout.txt"), "");
    expect(folder, "upsample train flag.json -o a.vru -q", 0, NULL);
    assert_true(kill_training(&p, "upsample train flag.json -o b.vru -q --every 20",
                              "b.vru.partial/0-frames-0.vof"));
    assert_true(exists(in(folder, "b.vru.partial")) && !exists(in(folder, "b.vru")));
    expect(folder, "upsample train flag.json -o b.vru -q --every 20", 0, NULL);
    assert_same_file(in(folder, "a.vru"), in(folder, "b.vru"));
    assert_false(exists(in(folder, "b.vru.partial")));
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void usage_errors_are_reported_first(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "flag.json"), FLAG("2", "[3, 1, 0]"));
    write_text(in(folder, "a.vru"), "no file");
    expect(folder, "upsample", 2, "ACTION");
    expect(folder, "upsample teach flag.json", 2, "train, fit, run, compare and show");
    expect(folder, "upsample train flag.json", 2, "-o FILE.vru");
    expect(folder, "upsample train -o a.vru", 2, "needs scenes");
    expect(folder, "upsample train gone.json -o a.vru", 1, "gone.json");
    expect(folder, "upsample train flag.json -o gone/a.vru", 3, "gone/a.vru");
    expect(folder, "upsample train flag.json -o b.vru --exponent 0", 2, "--exponent needs");
    expect(folder, "upsample train flag.json -o b.vru --gamma 5,1", 2, "--gamma needs");
    expect(folder, "upsample train flag.json -o b.vru --history 1.5", 2, "--history needs");
    expect(folder, "upsample run a.vru", 2, "a .vru file and a scene");
    expect(folder, "upsample run a.vru flag.json --pictures", 2, "--pictures needs a folder");
    expect(folder, "upsample show a.vru -o x.png", 2, "--columns LIST or --harmonics LIST");
    expect(folder, "upsample show a.vru --columns 1,x -o x.png", 2, "--columns needs");
}

static void damaged_files_are_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "a.vru"), "no file");
    write_text(in(folder, "flag.json"), FLAG("2", "[3, 1, 0]"));
    expect(folder, "upsample fit a.vru", 1, "a.vru: not a Voile upsampling file");
    expect(folder, "upsample run a.vru flag.json", 1, "not a Voile upsampling file");
    expect(folder, "upsample compare a.vru", 1, "not a Voile upsampling file");
}

static void scenes_of_another_garment_are_rejected(void **state) {
    (void)state;
    const char *folder = train();
    expect(folder, "upsample run flag.vru flag.json --set cloths[0].grid.columns=4", 1,
           "the coarse cloth has 15 vertices, but the operators need 12");
    expect(folder, "upsample compare flag.vru flag.json --set cloths[0].grid.columns=4 --frames 2",
           1, "use a scene of the same garment");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_reports_sizes_and_errors),
        cmocka_unit_test(runs_replace_simulations),
        cmocka_unit_test(training_files_are_not_replaced),
        cmocka_unit_test(pairs_that_do_not_correspond_are_rejected),
        cmocka_unit_test(extreme_parameters_leave_the_file_intact),
        cmocka_unit_test(scene_that_differs_from_the_training_is_not_run),
        cmocka_unit_test(comparison_measures_all_surfaces),
        cmocka_unit_test(runs_write_meshes),
        cmocka_unit_test(images_are_drawn),
        cmocka_unit_test(operators_are_fitted_to_sequences),
        cmocka_unit_test(killed_training_continues),
        cmocka_unit_test(usage_errors_are_reported_first),
        cmocka_unit_test(damaged_files_are_rejected),
        cmocka_unit_test(scenes_of_another_garment_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
