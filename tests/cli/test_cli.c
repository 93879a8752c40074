/* Command line parsing: accepted and rejected arguments, help and error messages. */
#include "cli/command.h"

static const char *const commands[] = {"simulate", "resume", "info",    "check",
                                       "export",   "render", "compare", "cook",
                                       "upsample", "bench",  "help",    "version"};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void missing_command_is_usage_error(void **state) {
    (void)state;
    expect(test_folder(), "", 2, "voile help");
}

static void help_lists_every_command(void **state) {
    (void)state;
    ran r = run(test_folder(), "help");
    assert_int_equal(r.code, 0);
    for (int i = 0; i < COMMANDS; i++) assert_non_null(strstr(r.out, commands[i]));
    ran_free(&r);
}

static void help_describes_every_command(void **state) {
    (void)state;
    const char *folder = test_folder();
    for (int i = 0; i < COMMANDS; i++) {
        char line[64], usage[64];
        snprintf(usage, sizeof usage, "usage: voile %s", commands[i]);
        snprintf(line, sizeof line, "help %s", commands[i]);
        expect_out(folder, line, 0, usage);
        snprintf(line, sizeof line, "%s --help", commands[i]);
        expect_out(folder, line, 0, usage);
        snprintf(line, sizeof line, "%s -h", commands[i]);
        expect_out(folder, line, 0, "exit codes:");
    }
    expect_out(folder, "--help", 0, "usage: voile COMMAND");
    expect(folder, "help smiulate", 2, "Did you mean \"simulate\"?");
}

/* No line of help is wider than a terminal. */
static void help_fits_terminal_width(void **state) {
    (void)state;
    const char *folder = test_folder();
    for (int i = 0; i < COMMANDS; i++) {
        char line[64];
        snprintf(line, sizeof line, "help %s", commands[i]);
        ran r = run(folder, line);
        for (char *p = strtok(r.out, "\n"); p; p = strtok(NULL, "\n"))
            if (strlen(p) > 80) fail_msg("%s: too wide: %s", line, p);
        ran_free(&r);
    }
}

/* The scenes in the examples of the help exist in the repository. */
static void help_examples_name_existing_scenes(void **state) {
    (void)state;
    static const char *const looked_at[] = {"simulate", "check", "render"};
    const char *folder = test_folder();
    int scenes = 0;
    for (int i = 0; i < 3; i++) {
        char line[64];
        snprintf(line, sizeof line, "help %s", looked_at[i]);
        ran r = run(folder, line);
        char *examples = strstr(r.out, "voile ");
        for (char *word = strtok(examples, " \n"); word; word = strtok(NULL, " \n")) {
            size_t length = strlen(word);
            if (length < 6 || strcmp(word + length - 5, ".json") != 0) continue;
            if (strcmp(word, "scene.json") == 0) continue; /* the scene file of a run */
            if (!exists(in(VOILE_SOURCE_DIR, word))) fail_msg("%s: %s is not there", line, word);
            scenes++;
        }
        ran_free(&r);
    }
    assert_true(scenes >= 6);
}

static void manual_pages_are_written(void **state) {
    (void)state;
    const char *folder = test_folder();
    expect_out(folder, "help --man simulate", 0, ".TH VOILE\\-SIMULATE 1");
    expect_out(folder, "help --man", 0, ".SH COMMANDS");
    expect_out(folder, "help --man -o pages", 0, "");
    for (int i = 0; i < COMMANDS; i++) {
        char name[64];
        snprintf(name, sizeof name, "pages/voile-%s.1", commands[i]);
        char *page = read_whole(in(folder, name), NULL);
        assert_non_null(strstr(page, ".SH NAME"));
        assert_non_null(strstr(page, ".SH EXIT STATUS"));
        free(page);
    }
    assert_true(exists(in(folder, "pages/voile.1")));
    expect(folder, "help --man -o /proc/nowhere/pages", 3, "cannot make the folder");
    expect(folder, "help -o pages", 2, "--man");
}

/* The parser accepts exactly the options that the help lists. */
static void help_and_parser_have_same_options(void **state) {
    (void)state;
    const char *folder = test_folder();
    for (int i = 0; i < COMMANDS; i++) {
        char line[128];
        snprintf(line, sizeof line, "help %s", commands[i]);
        ran help = run(folder, line);
        for (char *p = help.out; (p = strstr(p, "\n  --")); p++) {
            int length = (int)strcspn(p + 3, " \n");
            snprintf(line, sizeof line, "%s a b %.*s", commands[i], length, p + 3);
            ran r = run(folder, line);
            /* The error is about the operands, not about the option. */
            assert_true(r.code == 2 || r.code == 1);
            if (strstr(r.err, "has no option")) fail_msg("%s: %s", line, r.err);
            ran_free(&r);
        }
        ran_free(&help);
        snprintf(line, sizeof line, "%s --nonsense-option", commands[i]);
        expect(folder, line, 2, "has no option --nonsense-option");
    }
}

static void version_is_printed(void **state) {
    (void)state;
    const char *folder = test_folder();
    expect_out(folder, "version", 0, vo_version());
    expect_out(folder, "--version", 0, vo_version());
    expect(folder, "version now", 2, "takes no operand");
}

static void unknown_names_are_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    expect(folder, "simluate scene.json", 2, "Did you mean \"simulate\"?");
    expect(folder, "chekc", 2, "Did you mean \"check\"?");
    expect(folder, "qqqqqqqq", 2, "\"voile help\" lists them");
    expect(folder, "simulate scene.json --frame 3", 2, "Did you mean --frames?");
    expect(folder, "simulate scene.json --theards=3", 2, "Did you mean --threads?");
    expect(folder, "info --jsno run", 2, "Did you mean --json?");
    expect(folder, "simulate -x scene.json", 2, "has no option -x");
    expect(folder, "bench nothing", 2, "sheet");
    write_text(in(folder, "flag.json"), "{}");
    expect(folder, "flag.json", 2, "voile simulate flag.json");
}

static void invalid_values_are_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    static const char *const lines[] = {
        "simulate s.json --threads x",
        "simulate s.json --threads 0",
        "simulate s.json --threads -1",
        "simulate s.json --threads 1.5",
        "simulate s.json --threads 2x",
        "simulate s.json --threads 99999999999999999999",
        "simulate s.json --threads",
        "simulate s.json --threads=",
        "simulate s.json --frames 5:2",
        "simulate s.json --frames :",
        "simulate s.json --frames x",
        "simulate s.json --frames 1:2:3",
        "simulate s.json --frames 0:-1",
        "simulate s.json --frames 0:999999999999",
        "simulate s.json --set novalue",
        "simulate s.json --set =3",
        "simulate s.json --adapt sideways",
        "simulate s.json --quiet=yes",
        "simulate s.json another.json",
        "simulate",
        "resume",
        "export run --format fbx",
        "render run",
        "render run -o a.png --size 12",
        "render run -o a.png --size 0x5",
        "render run -o a.png --size 5x20000",
        "render run -o a.png --camera up=3",
        "render run -o a.png --camera fov=wide",
        "render run -o a.png --camera fit=some",
        "render run -o a.png --camera azimuth=3,zoom",
        "render run -o a.png --colors red",
        "render run -o a.png --ground soft",
        "render run -o a.png --samples 0",
        "render run -o a.png --frame 2 --frames 1:3",
        "export run --topology own",
        "export run --flat",
        "export run --flat --topology adaptive",
        "bench --repeat none",
        "simulate s.json -o",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) expect(folder, lines[i], 2, NULL);
    expect(folder, "simulate s.json --frames 5:2", 2, "before the first");
    expect(folder, "simulate s.json --frames 3:9", 2, "starts at frame 0");
    expect(folder, "simulate s.json --frames 3:9", 2, "voile resume");
    expect(folder, "simulate s.json --threads x", 2, "not \"x\"");
}

/* A missing or unreadable input is a data error (1) for every command. */
static void missing_input_is_data_error(void **state) {
    (void)state;
    const char *folder = test_folder();
    expect(folder, "simulate none.json", 1, "none.json: cannot read");
    expect(folder, "resume none", 1, "none: cannot read");
    expect(folder, "info none", 1, "none: cannot read");
    expect(folder, "export none", 1, "none: cannot read");
    expect(folder, "render none -o a.png", 1, "none: cannot read");
    expect(folder, "check none.obj", 1, "none.obj: cannot read");
    expect(folder, "check none.json", 1, "none.json: cannot read");
    expect(folder, "info .", 1, "scene.json");
    expect(folder, "resume .", 1, "scene.json");
    expect(folder, "check .", 1, "scene.json");
    expect(folder, "simulate .", 1, "is a folder");
    write_text(in(folder, "file"), "");
    expect(folder, "info file", 1, "folder of a run");
    expect(folder, "simulate --quiet -- --odd-name.json", 1, "--odd-name.json: cannot read");
}

static void unwritable_output_is_system_error(void **state) {
    (void)state;
    const char *folder = test_folder();
    ran r = run_at(&(place){.folder = folder, .stdout_to = "/dev/full"}, "help");
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "standard output"));
    ran_free(&r);
    r = run_at(&(place){.folder = folder, .stdout_to = ""}, "help simulate");
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "standard output"));
    ran_free(&r);
}

/* Random arguments cause no crash and only documented exit codes. */
static void random_arguments_do_not_crash(void **state) {
    (void)state;
    const char *folder = test_folder();
    static const char *const words[] = {
        "simulate", "resume", "info",  "check",     "export",    "help",     "--",  "-",  "-o",
        "--json",   "--set",  "a=b",   "--threads", "2",         "--frames", "0:1", ":",  "-q",
        "x.json",   ".",      "--man", "--force",   "--output=", "--=",      "=",   "-h", "--quiet",
    };
    enum { WORDS = sizeof words / sizeof words[0] };
    unsigned random = 12345;
    for (int i = 0; i < 300; i++) {
        char line[400] = "";
        int count = 1 + (int)((random >> 16) % 5);
        for (int k = 0; k < count; k++) {
            random = random * 1664525u + 1013904223u;
            strcat(line, words[(random >> 16) % WORDS]);
            strcat(line, " ");
        }
        ran r = run(folder, line);
        if (r.code < 0 || r.code > 2) fail_msg("voile %s: exit code %d: %s", line, r.code, r.err);
        if (r.code != 0 && !r.err[0]) fail_msg("voile %s: no message", line);
        ran_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_command_is_usage_error),
        cmocka_unit_test(help_lists_every_command),
        cmocka_unit_test(help_describes_every_command),
        cmocka_unit_test(help_fits_terminal_width),
        cmocka_unit_test(help_examples_name_existing_scenes),
        cmocka_unit_test(manual_pages_are_written),
        cmocka_unit_test(help_and_parser_have_same_options),
        cmocka_unit_test(version_is_printed),
        cmocka_unit_test(unknown_names_are_rejected),
        cmocka_unit_test(invalid_values_are_rejected),
        cmocka_unit_test(missing_input_is_data_error),
        cmocka_unit_test(unwritable_output_is_system_error),
        cmocka_unit_test(random_arguments_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
