/* The command line program on runs: simulate, cancel, kill, resume, info, check, export, and
 * damaged frames. */
#define _GNU_SOURCE /* unshare, to mount a small file system */
#include "cli/command.h"

#include "codec/png.h"
#include "spatial/rays.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>

/* ---- a scene -------------------------------------------------------------------------------- */

/* Writes a horizontal grid of cells x cells over [0,1]^2 as OBJ. */
static void write_sheet(const char *path, int cells) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    int n = cells + 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            fprintf(file, "v %g %g 0\n", (double)i / cells, (double)j / cells);
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++) {
            int a = j * n + i + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + n + 1, a, a + n + 1, a + n);
        }
    assert_int_equal(fclose(file), 0);
}

/* Writes scene.json in `folder`: a sheet fixed at two corners above a moving square. */
static void write_scene(const char *folder, int cells) {
    char scene[2000];
    write_sheet(in(folder, "sheet.obj"), cells);
    write_sheet(in(folder, "floor.obj"), 1);
    write_text(in(folder, "weave.json"),
               "{\"density\": 0.15,\n"
               " \"stretching\": {\"warp\": 900, \"weft\": 700, \"poisson\": 0.2, \"shear\": 45},\n"
               " \"bending\": {\"warp\": 9e-6, \"weft\": 6e-6, \"bias\": 6e-6}}\n");
    snprintf(
        scene, sizeof scene,
        "{ // a test\n"
        "\"frame_time\": 0.04, \"frame_steps\": 8, \"end_frame\": 5,\n"
        "\"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": [{\"data\": \"weave.json\"}]}],\n"
        "\"motions\": [[{\"time\": 0, \"transform\": {\"translate\": [0, 0, -3]}},\n"
        "               {\"time\": 1, \"transform\": {\"translate\": [0, 0, -4]}}]],\n"
        "\"obstacles\": [{\"mesh\": \"floor.obj\", \"motion\": 0}],\n"
        "\"handles\": [{\"nodes\": [0, %d]}],\n"
        "\"gravity\": [0, 0, -9.8]}\n",
        cells);
    write_text(in(folder, "scene.json"), scene);
}

/* Path of the file of a frame. */
static const char *frame_path(const char *folder, const char *run_name, int frame) {
    char name[100];
    snprintf(name, sizeof name, "%s/frames/%04d.vof", run_name, frame);
    return in(folder, name);
}

static int count_files(const char *path, const char *end) {
    DIR *dir = opendir(path);
    if (!dir) return 0;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name), m = strlen(end);
        count += n >= m && strcmp(entry->d_name + n - m, end) == 0;
    }
    closedir(dir);
    return count;
}

static void assert_same_file(const char *a, const char *b) {
    size_t a_size, b_size;
    char *a_data = read_whole(a, &a_size), *b_data = read_whole(b, &b_size);
    if (a_size != b_size || memcmp(a_data, b_data, a_size) != 0) fail_msg("%s and %s differ", a, b);
    free(a_data);
    free(b_data);
}

/* Asserts that frames 0..last of two runs are identical. */
static void assert_same_frames(const char *folder, const char *a, const char *b, int last) {
    for (int f = 0; f <= last; f++)
        assert_same_file(frame_path(folder, a, f), frame_path(folder, b, f));
    assert_int_equal(count_files(in(folder, a), ".tmp"), 0);
}

static void sleep_ms(int ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* Waits until a file exists, at most a minute. */
static void wait_for(const char *path) {
    char copy[COMMAND_PATH];
    snprintf(copy, sizeof copy, "%s", path);
    for (int i = 0; i < 60000 && !exists(copy); i++) sleep_ms(1);
    if (!exists(copy)) fail_msg("%s was not written", copy);
}

/* Waits until standard error of a command contains `words`, at most a minute. */
static void wait_for_message(const char *folder, const char *words) {
    const char *path = in(folder, "stderr.txt");
    bool found = false;
    wait_for(path);
    for (int i = 0; i < 60000 && !found; i++) {
        char *text = read_whole(path, NULL);
        found = strstr(text, words) != NULL;
        free(text);
        if (!found) sleep_ms(1);
    }
    if (!found) fail_msg("\"%s\" was not printed", words);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static vo_json_doc parse(vo_context *ctx, const char *text) {
    vo_json_doc doc;
    assert_ok(ctx, vo_json_parse(ctx, "output", text, strlen(text), &doc));
    return doc;
}

static double number(const vo_json_cursor *object, const char *key) {
    double value = -12345;
    vo_json_cursor at = vo_json_get(object, key);
    if (vo_json_kind(at) != VO_JSON_NUMBER) fail_msg("%s is not a number", key);
    assert_ok(at.ctx, vo_json_read_real(at, &value));
    return value;
}

static void assert_range(const vo_json_cursor *root, const char *key, double least) {
    vo_json_cursor range = vo_json_get(root, key);
    double min = number(&range, "min"), max = number(&range, "max"), mean = number(&range, "mean");
    assert_true(min >= least && min <= mean && mean <= max);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* The example of the README: the lowest point of a hanging metre of cloth. */
static void example_prints_lowest_point(void **state) {
    (void)state;
    double x, y, z;
    ran r = run_at(&(place){.folder = test_folder(), .program = "examples/hello"}, "");
    assert_int_equal(r.code, 0);
    assert_int_equal(sscanf(r.out, "The lowest point is at (%lf, %lf, %lf) m.", &x, &y, &z), 3);
    assert_true(z < -0.6 && z > -1.2);
    ran_free(&r);
}

static void simulate_info_and_check_succeed(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 6);
    expect_out(folder, "simulate scene.json", 0, "frames 0 to 5 are in out/scene");
    assert_int_equal(count_files(in(folder, "out/scene/frames"), ".vof"), 6);
    assert_true(exists(in(folder, "out/scene/scene.json")));
    expect_out(folder, "info out/scene", 0, "6 frames, 0 to 5");
    expect_out(folder, "check out/scene", 0, "out/scene: run");
    expect_out(folder, "check scene.json", 0, "scene.json: scene");
    expect_out(folder, "check sheet.obj", 0, "sheet.obj: mesh");
    expect(folder, "simulate scene.json", 2, "voile resume out/scene");
    expect(folder, "simulate scene.json --force --quiet --frames 2", 0, NULL);
    assert_int_equal(count_files(in(folder, "out/scene/frames"), ".vof"), 3);
}

/* A run continues from its own copies after the inputs were deleted. */
static void resume_without_inputs_gives_same_frames(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o a", 0, NULL);
    expect(folder, "simulate scene.json -ob --frames 0:2", 0, NULL);
    unlink(in(folder, "scene.json"));
    unlink(in(folder, "sheet.obj"));
    unlink(in(folder, "weave.json"));
    expect(folder, "resume b --frames :5", 0, NULL);
    assert_same_frames(folder, "a", "b", 5);
    expect_out(folder, "resume b", 0, "nothing to do");
}

static void info_json_has_all_members(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 6);
    expect(folder, "simulate scene.json -o run -q", 0, NULL);
    ran r = run(folder, "info run --json");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.err, "");
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse(ctx, r.out);
    vo_json_cursor root = vo_json_root(&doc), stages = vo_json_get(&root, "stages");
    assert_near(number(&root, "frames"), 6, 0);
    assert_range(&root, "faces", 72);
    assert_range(&root, "nodes", 49);
    assert_range(&root, "verts", 49);
    assert_range(&root, "wall_s", 0);
    assert_true(number(&root, "setup_s") > 0);
    vo_json_cursor wall = vo_json_get(&root, "wall_s");
    assert_near(number(&root, "wall_total_s"), number(&root, "setup_s") + 5 * number(&wall, "mean"),
                1e-9);
    assert_true(number(&root, "max_strain") > 0);
    assert_int_equal(vo_json_kind(vo_json_get(&root, "warnings")), VO_JSON_ARRAY);
#define X(name, meaning) assert_true(number(&stages, #name) >= 0);
    VO_STAGES(X)
#undef X
    vo_json_free(&doc);
    vo_context_destroy(ctx);
    ran_free(&r);
}

/* Face counts and times of frames without statistics are null instead of zero. */
static void info_without_statistics_prints_null(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 2);
    expect(folder, "simulate scene.json -o run -q", 0, NULL);
    assert_int_equal(truncate(in(folder, "run/stats.jsonl"), 0), 0);
    ran r = run(folder, "info run");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "run: 6 frames, 0 to 5, no statistics\n"));
    assert_null(strstr(r.out, "faces"));
    assert_non_null(strstr(r.out, "6 frames have no line in stats.jsonl"));
    ran_free(&r);
    expect_out(folder, "info run --json", 0, "\"faces\": null");
    expect_out(folder, "info run --json", 0, "\"wall_s\": null");
    expect_out(folder, "info run --json", 0, "\"max_intersections\": null");
    expect_out(folder, "info run --json", 0, "\"solve\": null");
}

/* budget_excess of a line refers to wall_s of the same line, which includes the time of writing and
 * is at least the sum of the stages, also in frame 0. */
static void time_budget_includes_writing(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 6);
    expect(folder, "simulate scene.json -o run -q --adapt view --set view.budget_seconds=1e-5", 0,
           NULL);
    size_t size;
    char *text = (char *)read_whole(in(folder, "run/stats.jsonl"), &size);
    vo_context *ctx = test_context(1);
    int lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        vo_json_doc doc = parse(ctx, line);
        vo_json_cursor root = vo_json_root(&doc), stages = vo_json_get(&root, "stages");
        double excess = number(&root, "budget_excess"), wall = number(&root, "wall_s"), sum = 0;
#define X(name, meaning) sum += number(&stages, #name);
        VO_STAGES(X)
#undef X
        assert_true(sum <= wall + 1e-5); /* rounded to microseconds */
        assert_true(number(&stages, "write") > 0);
        assert_near(excess, lines == 0 ? 0 : wall / 1e-5 - 1, 1e-3 * excess + 0.2);
        vo_json_free(&doc);
    }
    assert_int_equal(lines, 6);
    vo_context_destroy(ctx);
    free(text);
}

/* simulate --json prints one line per frame and one for the result. */
static void simulate_json_prints_line_per_frame(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    ran r = run(folder, "simulate scene.json --json -o run");
    assert_int_equal(r.code, 0);
    vo_context *ctx = test_context(1);
    int lines = 0;
    for (char *line = strtok(r.out, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        vo_json_doc doc = parse(ctx, line);
        vo_json_cursor root = vo_json_root(&doc);
        if (lines < 6) {
            assert_near(number(&root, "frame"), lines, 0);
            assert_near(number(&root, "faces"), 32, 0);
        } else {
            assert_near(number(&root, "exit_code"), 0, 0);
            assert_near(number(&root, "last_frame"), 5, 0);
        }
        vo_json_free(&doc);
    }
    assert_int_equal(lines, 7);
    vo_context_destroy(ctx);
    ran_free(&r);
}

static void assert_first_line(const char *path, const char *line) {
    size_t size;
    char *text = read_whole(path, &size);
    if (size < strlen(line) + 1 || memcmp(text, line, strlen(line)) != 0 ||
        text[strlen(line)] != '\n')
        fail_msg("%s does not begin with \"%s\"", path, line);
    free(text);
}

static void export_writes_meshes(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run", 0, NULL);
    expect_out(folder, "export run --format obj", 0, "exported 6 frames to run/obj");
    assert_int_equal(count_files(in(folder, "run/obj"), ".obj"), 6);
    assert_true(exists(in(folder, "run/obj/0000_00.obj")));
    assert_true(exists(in(folder, "run/obj/0005_00.obj")));
    expect(folder, "export run -o meshes --frames 1:3 --obstacles --quiet", 0, NULL);
    assert_int_equal(count_files(in(folder, "meshes"), ".obj"), 6);
    assert_true(exists(in(folder, "meshes/0001_00.obj")));
    assert_true(exists(in(folder, "meshes/0003_obs00.obj")));
    /* Exported meshes pass the check. */
    expect(folder, "check meshes/0003_00.obj", 0, NULL);
    expect(folder, "export run -o /proc/nowhere", 3, "/proc/nowhere");
    expect(folder, "export run -o own --topology original", 0, NULL);
    expect(folder, "export run -o flat --topology original --flat", 0, NULL);
    assert_int_equal(count_files(in(folder, "own"), ".obj"), 6);
    assert_first_line(in(folder, "own/0000_00.obj"), "v 0 0 0");
    expect(folder, "export run --flat", 2, "--flat is for --topology original");
}

/* Export and render warn about missing frames between others. */
static void missing_frames_are_warned_about(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run", 0, NULL);
    assert_int_equal(unlink(frame_path(folder, "run", 1)), 0);
    assert_int_equal(unlink(frame_path(folder, "run", 3)), 0);
    assert_int_equal(unlink(frame_path(folder, "run", 4)), 0);
    static const char one[] =
        "warning: run: frame 1 is missing; resume the run to simulate it again\n";
    static const char two[] = "warning: run: frames 3 to 4 are missing; resume the run";
    expect(folder, "export run", 0, one);
    expect(folder, "export run", 0, two);
    if (!vo_rays_available() || !vo_png_available()) return;
    expect(folder, "render run -o stills --size 32x32", 0, one);
    expect(folder, "render run -o stills --size 32x32", 0, two);
    assert_int_equal(count_files(in(folder, "stills"), ".png"), 3);
    ran r = run(folder, "render run -o last.png --size 32x32"); /* a single frame */
    assert_int_equal(r.code, 0);
    assert_null(strstr(r.err, "missing"));
    ran_free(&r);
}

/* Truncates a frame of a run. */
static void damage_frame(const char *folder, const char *name, int frame) {
    assert_int_equal(truncate(frame_path(folder, name, frame), 100), 0);
}

/* Hints about damaged frames name the run, quoted for the shell. */
static void hints_name_the_run(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 2);
    expect(folder, "simulate scene.json -q -o a+run", 0, NULL);
    expect(folder, "simulate scene.json -q -o b", 0, NULL);
    damage_frame(folder, "a+run", 1);
    expect(folder, "export a+run -q", 1, "voile: resume with: voile resume a+run\n");
    expect(folder, "simulate scene.json --frames 3:9", 2, "\"voile resume out/scene\"");
    expect(folder, "simulate scene.json -o b --frames 3:9", 2, "\"voile resume b\"");
    if (!vo_rays_available() || !vo_png_available()) return;
    expect(folder, "render a+run -q -o a --size 32x32", 1, "resume with: voile resume a+run\n");
    expect(folder, "compare a+run b -q --size 32x32", 1, "resume with: voile resume a+run\n");
    damage_frame(folder, "b", 0);
    expect(folder, "compare b b -q --size 32x32", 1, "resume with: voile resume b\n");
}

/* Messages name options, not members of the library. */
static void messages_name_options(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 2);
    expect(folder, "simulate scene.json -q -o run", 0, NULL);
    expect(folder, "simulate scene.json -q -o run", 2, "resume it, or start again with --force\n");
    expect(folder, "resume run -q --set friction=1", 2, "give a later last frame with --frames");
    ran r = run(folder, "simulate scene.json -q -o run --force --set overrides=[]");
    assert_int_equal(r.code, 2);
    assert_null(strstr(r.err, "voile resume"));
    ran_free(&r);
    if (!vo_rays_available() || !vo_png_available()) return;
    expect(folder, "render run -q -o a.png --camera zoom=-1", 2, "voile: --camera zoom: must be");
    expect(folder, "render run -q -o a.png --camera elevation=100", 2, ": --camera elevation: ");
}

/* info fails if no frame is intact. */
static void info_of_damaged_frames_fails(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 2);
    expect(folder, "simulate scene.json -q -o run --frames 1", 0, NULL);
    damage_frame(folder, "run", 0);
    expect_out(folder, "info run", 0, "warnings:");
    damage_frame(folder, "run", 1);
    expect_out(folder, "info run", 1, "warnings:");
}

/* Files of other kinds are recognised by their keys. */
static void kind_of_file_is_recognised(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 2);
    write_text(in(folder, "shirt.json"), "{\"panels\": {}, \"seams\": []}");
    write_text(in(folder, "silk.json"), "{\"density\": 0.1, \"bending\": {}}");
    write_text(in(folder, "walk.json"), "{\"duration\": 1, \"steps\": {}}");
    expect_out(folder, "check shirt.json", 1, "is a pattern, not a scene; use \"voile sew\"");
    expect(folder, "simulate shirt.json", 1, "shirt.json: is a pattern");
    expect(folder, "simulate silk.json", 1, "silk.json: is a fabric, not a scene");
    expect(folder, "simulate walk.json", 1, "walk.json: is a motion, not a scene");
    expect(folder, "sew scene.json -o a.obj", 1, "is a scene, not a pattern; use \"voile simulate");
}

/* A run without frames is a data error (1), an empty frame range a usage error (2). */
static void run_without_frames_is_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    static const char none[] = "run: the run has no frames\n";
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o other --frames :1", 0, NULL);
    expect(folder, "simulate scene.json -o run --frames :1", 0, NULL);
    for (int i = 0; i < 2; i++) assert_int_equal(unlink(frame_path(folder, "run", i)), 0);
    expect(folder, "export run", 1, none);
    expect(folder, "export other --frames 7:", 2, "other: has no frames in the requested range");
    expect_out(folder, "check run", 1, none);
    if (!vo_rays_available() || !vo_png_available()) return;
    expect(folder, "render run -o a.png", 1, none);
    expect(folder, "render other -o a.png --frame 7", 2,
           "other: has no frames in the requested range");
    expect(folder, "compare other run -o report", 1, none);
    expect(folder, "compare run other -o report", 1, none);
    expect(folder, "compare other other -o report --frames 7:", 2,
           "no frames in the requested range");
}

/* A new run removes the exports of the old one from its own folder and keeps all other files. */
static void exports_of_earlier_run_are_removed(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run -q --frames 4", 0, NULL);
    expect(folder, "export run -q --obstacles", 0, NULL);
    expect(folder, "export run -q -o mine", 0, NULL);
    static const char *const others[] = {"run/obj/notes.txt",    "run/obj/0004_00.obj.bak",
                                         "run/obj/4_00.obj",     "run/obj/0004_0.obj",
                                         "run/obj/00004_00.obj", "run/obj/0004_obs0.obj",
                                         "run/obj/-001_00.obj"};
    for (size_t i = 0; i < 7; i++) write_text(in(folder, others[i]), "mine");
    expect(folder, "simulate scene.json -o run -q --frames 2 --force", 0, NULL);
    assert_int_equal(count_files(in(folder, "run/obj"), "_obs00.obj"), 0);
    assert_false(exists(in(folder, "run/obj/0004_00.obj")));
    for (size_t i = 0; i < 7; i++) assert_true(exists(in(folder, others[i])));
    expect_out(folder, "export run", 0, "exported 3 frames");
    /* A folder given with -o is not cleared; files of other frames give a warning. */
    expect(folder, "export run -q -o mine", 0,
           "warning: mine: contains 2 exported files of frames, cloths or obstacles that this");
    expect(folder, "export run -q -o mine --frames 0:1", 0, "contains 2 exported files");
    assert_true(exists(in(folder, "mine/0004_00.obj")));
}

static void thread_count_does_not_change_frames(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 12);
    expect(folder, "simulate scene.json -o one --threads 1", 0, NULL);
    expect(folder, "simulate scene.json -o two --threads=2", 0, NULL);
    expect(folder, "simulate scene.json -o three --threads 3", 0, NULL);
    assert_same_frames(folder, "one", "two", 5);
    assert_same_frames(folder, "one", "three", 5);
}

/* A run that is killed and resumed several times gives bit-identical frames. */
static void killed_run_resumes_bit_identically(void **state) {
    (void)state;
    const char *folder = test_folder();
    place here = {.folder = folder};
    enum { LAST = 24 };
    write_scene(folder, 16);
    expect(folder, "simulate scene.json -o whole --frames 0:24 --quiet --threads 1", 0, NULL);
    pid_t child = start(&here, "simulate scene.json -o killed --frames 0:24 --quiet --threads 1");
    for (int frame = 4; frame <= 18; frame += 7) {
        wait_for(frame_path(folder, "killed", frame));
        sleep_ms(frame % 5); /* a different time within the frame in each pass */
        kill(child, SIGKILL);
        ran r = finish(&here, child);
        assert_int_equal(r.code, -SIGKILL);
        ran_free(&r);
        child = start(&here, "resume killed --frames :24 --quiet --threads 2");
    }
    ran r = finish(&here, child);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    assert_same_frames(folder, "whole", "killed", LAST);
    expect(folder, "check killed", 0, NULL);
    r = run(folder, "info killed --json");
    assert_non_null(strstr(r.out, "\"frames\": 25,"));
    ran_free(&r);
}

/* Without --frames a resumed run ends at the last frame that was given to simulate. */
static void resume_ends_at_recorded_frame(void **state) {
    (void)state;
    const char *folder = test_folder();
    place here = {.folder = folder};
    write_scene(folder, 16);
    pid_t child =
        start(&here, "simulate scene.json -o run --frames 0:12 --set end_frame=inf -q --threads 1");
    wait_for(frame_path(folder, "run", 2));
    kill(child, SIGKILL);
    ran r = finish(&here, child);
    ran_free(&r);
    expect(folder, "resume run -q", 0, NULL);
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), 13);
    expect(folder, "resume run -q --frames :14", 0, NULL);
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), 15);
    assert_int_equal(truncate(frame_path(folder, "run", 13), 100),
                     0); /* after the recorded last frame */
    expect(folder, "resume run -q", 0, NULL);
    expect(folder, "check run", 0, NULL);
    assert_int_equal(remove(frame_path(folder, "run", 14)), 0);
    expect(folder, "resume run -q", 0, NULL);
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), 15);
}

static void cancel_with(int number, const char *name) {
    const char *folder = test_folder();
    place here = {.folder = folder};
    char text[100];
    int frame;
    write_scene(folder, 16);
    pid_t child = start(&here, "simulate scene.json -o run --frames 0:100000 --threads 1");
    wait_for(frame_path(folder, "run", 2));
    kill(child, number);
    ran r = finish(&here, child);
    if (r.code != 130) fail_msg("%s: exit code %d: %s", name, r.code, r.err);
    const char *stopped = strstr(r.err, "voile: cancelled after frame");
    assert_non_null(stopped);
    assert_int_equal(sscanf(stopped, "voile: cancelled after frame %d.", &frame), 1);
    assert_non_null(strstr(r.err, "finishing this frame"));
    assert_non_null(
        strstr(r.err, "Continue with: voile resume run\n")); /* the last frame is recorded */
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), frame + 1);
    assert_int_equal(count_files(in(folder, "run/frames"), ".tmp"), 0);
    ran_free(&r);
    snprintf(text, sizeof text, "resume run --frames :%d", frame + 2);
    expect(folder, text, 0, NULL);
    expect(folder, "check run", 0, NULL);
}

/* The last frame given to resume is not recorded, so the suggested command repeats it. */
static void cancelled_resume_prints_last_frame(void **state) {
    (void)state;
    const char *folder = test_folder();
    place here = {.folder = folder};
    write_scene(folder, 16);
    expect(folder, "simulate scene.json -o run -q --frames 0:1", 0, NULL);
    pid_t child = start(&here, "resume run --frames :100000 --threads 1");
    wait_for(frame_path(folder, "run", 3));
    kill(child, SIGINT);
    ran r = finish(&here, child);
    assert_int_equal(r.code, 130);
    assert_non_null(strstr(r.err, "Continue with: voile resume run --frames :100000\n"));
    ran_free(&r);
}

/* Starts a command and sends SIGINT as soon as `file` exists. Tries again if the command was done
 * before the signal. */
static ran cancel_at_file(const char *folder, const char *line, const char *file) {
    place here = {.folder = folder};
    ran r = {.code = 0};
    for (int i = 0; i < 30 && r.code == 0; i++) {
        ran_free(&r);
        remove(in(folder, file));
        pid_t child = start(&here, line);
        wait_for(in(folder, file));
        kill(child, SIGINT);
        r = finish(&here, child);
    }
    if (r.code != 130) fail_msg("%s: exit code %d: %s", line, r.code, r.err);
    return r;
}

/* A cancelled export suggests the same command for the remaining frames. */
static void cancelled_export_prints_remaining_command(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run -q --frames :400", 0, NULL);
    ran r = cancel_at_file(folder,
                           "export run -o a&b --topology original --flat --obstacles --memory 0.5 "
                           "--frames 1:399",
                           "a&b/0001_00.obj");
    int frame = -1;
    char words[300];
    const char *stopped = strstr(r.err, "voile: cancelled after frame");
    assert_non_null(stopped);
    assert_int_equal(sscanf(stopped, "voile: cancelled after frame %d.", &frame), 1);
    snprintf(words, sizeof words,
             "Continue with: voile export run -o 'a&b' --topology original --flat --obstacles "
             "--memory 0.5 --frames %d:399\n",
             frame + 1);
    if (!strstr(stopped, words)) fail_msg("\"%s\" is not in \"%s\"", words, stopped);
    ran_free(&r);
    r = cancel_at_file(folder, "export run", "run/obj/0000_00.obj");
    assert_non_null(strstr(r.err, "Continue with: voile export run --frames "));
    assert_non_null(strstr(r.err, ":\n"));
    ran_free(&r);
}

/* A cancelled check ends between two frames and reports its findings up to there. */
static void cancelled_check_reports_findings(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run -q --frames :400", 0, NULL);
    ran r = cancel_at_file(folder, "check run --ply first.ply --frame 0", "first.ply");
    assert_non_null(
        strstr(r.err, "voile: finishing this frame; press Ctrl-C again to end at once\n"));
    assert_non_null(strstr(r.err, "voile: run: cancelled before frame "));
    assert_null(strstr(r.out, "without defects"));
    ran_free(&r);
    r = cancel_at_file(folder, "check run --json --ply first.ply --frame 0", "first.ply");
    assert_non_null(strstr(r.out, "\"ok\": false"));
    ran_free(&r);
}

/* A signal cancels the set-up of a crowd, which takes several seconds. A warning of the loader
 * shows that the set-up has begun. */
static void cancel_set_up(int number) {
    const char *folder = test_folder();
    place here = {.folder = folder};
    write_scene(folder, 4);
    pid_t child = start(&here, "simulate scene.json -o crowd --frames 0:1 --threads 1 --set "
                               "up_axis=y --set gravity=[0,-9.8,0] --set characters=[{}] --set "
                               "crowd={\"rows\":60,\"columns\":60}");
    wait_for_message(folder, "does not point along z");
    kill(child, number);
    ran r = finish(&here, child);
    if (r.code != 130 || !strstr(r.err, "stopping; a second signal ends at once") ||
        !strstr(r.err, "cancelled during set-up"))
        fail_msg("signal %d: exit code %d: %s", number, r.code, r.err);
    assert_false(exists(in(folder, "crowd")));
    ran_free(&r);
}

/* Waits until a command has installed its handler of SIGINT (SigCgt in /proc), at most a minute. */
static void wait_for_handler(pid_t child) {
    char path[64], line[256];
    unsigned long long caught = 0, wanted = 1ULL << (SIGINT - 1); /* one bit per signal */
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    for (int i = 0; i < 60000 && !(caught & wanted); i++) {
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file))
            if (strncmp(line, "SigCgt:", 7) == 0) caught = strtoull(line + 7, NULL, 16);
        fclose(file);
        sleep_ms(1);
    }
    assert_true(caught & wanted);
}

static void cancel_set_up_of(const char *folder, const char *line, const char *words) {
    place here = {.folder = folder};
    pid_t child = start(&here, line);
    wait_for_handler(child);
    kill(child, SIGINT);
    ran r = finish(&here, child);
    if (r.code != 130 || !strstr(r.err, "stopping; a second signal ends at once") ||
        !strstr(r.err, words) || strstr(r.err, "after frame"))
        fail_msg("%s: exit code %d: %s", line, r.code, r.err);
    ran_free(&r);
}

/* Export, render and compare are cancelled during set-up as well. The run has a crowd, which is
 * loaded before its unreadable frame. */
static void signal_during_set_up_cancels(void **state) {
    (void)state;
    static const char crowd[] =
        "{\"fps\": 25, \"characters\": [{}], \"crowd\": {\"rows\": 20, \"columns\": 20}, "
        "\"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 2, \"rows\": 2}, "
        "\"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6, "
        "\"poisson_ratio\": 0.3}]}]}\n";
    const char *folder = test_folder();
    assert_int_equal(mkdir(in(folder, "run"), 0777), 0);
    assert_int_equal(mkdir(in(folder, "run/frames"), 0777), 0);
    write_text(in(folder, "run/scene.json"), crowd);
    write_text(in(folder, "run/frames/0000.vof"), "");
    cancel_set_up_of(folder, "export run",
                     "voile: cancelled during set-up; nothing was exported\n");
    if (!vo_rays_available() || !vo_png_available()) skip();
    cancel_set_up_of(folder, "render run -o a.png --threads 1",
                     "voile: cancelled during set-up; nothing was rendered\n");
    cancel_set_up_of(folder, "render run/scene.json -o a.png --threads 1",
                     "voile: cancelled during set-up; nothing was rendered\n");
    cancel_set_up_of(folder, "compare run run --threads 1", "voile: cancelled during set-up\n");
}

static void signal_cancels_simulation(void **state) {
    (void)state;
    cancel_set_up(SIGINT);
    cancel_set_up(SIGTERM);
    cancel_with(SIGINT, "SIGINT");
    cancel_with(SIGTERM, "SIGTERM");
}

static void override_on_resume_is_recorded_or_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o plain", 0, NULL);
    expect(folder, "simulate scene.json -o run --frames 2", 0, NULL);
    expect(folder, "resume run --frames 0:5 --set gravity=[0,0,-1]", 0, NULL);
    char *scene = read_whole(in(folder, "run/scene.json"), NULL);
    assert_non_null(strstr(scene, "overrides"));
    free(scene);
    expect_out(folder, "info run", 0, "from frame 3: gravity=");
    expect_out(folder, "info run --json", 0, "\"overrides\": [\"from frame 3: gravity=");
    expect(folder, "resume run --set gravity=[0,0,-2]", 2, "so overriding gravity has no effect");
    expect(
        folder, "resume run --frames :7 --set units=cm", 1,
        "run/scene.json (overridden by the caller): units: changes the cloth that the run started "
        "with, which cannot be changed on resume");
    /* The error names the override that is not allowed, independent of the order. */
    expect(folder, "resume run --frames :7 --set friction=0.5 --set preroll=1 --set wind.drag=0", 1,
           "caller): preroll: changes the beginning of the run, which");
    expect(folder, "resume run --frames :7 --set friction=0.5 --set adapt=full --set preroll=1", 1,
           "caller): preroll: changes");
    expect(folder,
           "resume run --frames :7 --set cloths[0].transform.scale=2 --set friction=0.5 --set "
           "preroll=0",
           1, "caller): cloths[0].transform.scale: changes the cloth");
    assert_same_frames(folder, "plain", "run", 2);
    size_t a, b;
    char *x = read_whole(frame_path(folder, "plain", 5), &a);
    char *y = read_whole(frame_path(folder, "run", 5), &b);
    assert_false(a == b && memcmp(x, y, a) == 0);
    free(x), free(y);
    expect(
        folder, "simulate scene.json -o other --set gravty=[0,0,0]", 1,
        "scene.json (overridden by the caller): unknown key \"gravty\"; did you mean \"gravity\"?");
    expect(folder, "resume run --frames 3:9", 2, "--frames :9");
}

static void flip_byte(const char *path, size_t where) {
    size_t size;
    char *data = read_whole(path, &size);
    assert_true(where < size);
    data[where] ^= 0x20;
    write_whole(path, data, size);
    free(data);
}

static void damaged_frames_are_simulated_again(void **state) {
    (void)state;
    const char *folder = test_folder();
    char middle[COMMAND_PATH], last[COMMAND_PATH];
    size_t size;
    write_scene(folder, 6);
    expect(folder, "simulate scene.json -o good", 0, NULL);
    expect(folder, "simulate scene.json -o run", 0, NULL);
    snprintf(middle, sizeof middle, "%s", frame_path(folder, "run", 3));
    snprintf(last, sizeof last, "%s", frame_path(folder, "run", 5));
    free(read_whole(middle, &size));
    flip_byte(middle, size / 2);
    ran r = run(folder, "check run");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.out, "0003.vof"));
    assert_null(strstr(r.out, "0002.vof"));
    ran_free(&r);
    r = run(folder, "check run --json");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.out, "\"ok\": false"));
    ran_free(&r);
    expect(folder, "export run", 1, "0003.vof");
    expect(folder, "info run --json", 0, NULL);
    /* Damaged and missing frames are simulated again. */
    assert_int_equal(truncate(last, 20), 0);
    expect_out(folder, "check run", 1, "0005.vof");
    /* A rejected resume simulates no frame again and does not warn. */
    static const char *const refused[] = {"resume run --set graviti=3",
                                          "resume run --set cloths[0].transform.scale=2",
                                          "resume run --set friction=1 --frames 1"};
    for (int i = 0; i < 3; i++) {
        r = run(folder, refused[i]);
        assert_int_not_equal(r.code, 0);
        if (strstr(r.err, "warning")) fail_msg("%s: %s", refused[i], r.err);
        ran_free(&r);
    }
    expect(folder, "resume run", 0, "0003.vof");
    assert_same_frames(folder, "good", "run", 5);
    assert_int_equal(unlink(frame_path(folder, "run", 1)), 0);
    expect_out(folder, "info run", 0, "missing or damaged");
    r = run(folder, "resume run --frames :0"); /* no frame is simulated */
    assert_int_equal(r.code, 0);
    assert_null(strstr(r.err, "again"));
    ran_free(&r);
    expect(folder, "resume run", 0, "from 1 on are simulated again: frame 1 is missing");
    assert_same_frames(folder, "good", "run", 5);
    expect_out(folder, "check run", 0, "without defects");
    assert_int_equal(truncate(frame_path(folder, "run", 0), 20), 0);
    r = run(folder, "resume run --set friction=1");
    assert_int_equal(r.code, 1);
    assert_null(strstr(r.err, "warning"));
    assert_non_null(strstr(r.err, "run: no intact frame to resume from: run/frames/0000.vof: "));
    assert_non_null(strstr(r.err, "with: voile simulate run/scene.json -o NEW_FOLDER"));
    assert_null(strstr(r.err, "resume with"));
    assert_null(strstr(r.err, "resume the run"));
    ran_free(&r);
    assert_int_equal(unlink(frame_path(folder, "run", 0)), 0);
    expect(folder, "resume run", 1, "to resume from: frame 0 is missing; simulate its scene.json");
}

/* An unreadable frame (here a folder) is reported like a damaged one, and later frames are
 * checked. */
static void unreadable_frame_is_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run -q --frames 4", 0, NULL);
    assert_int_equal(unlink(frame_path(folder, "run", 1)), 0);
    assert_int_equal(mkdir(frame_path(folder, "run", 1), 0777), 0);
    assert_int_equal(truncate(frame_path(folder, "run", 3), 20), 0);
    expect_out(folder, "check run", 1, "error: run/frames/0001.vof: ");
    expect_out(folder, "check run", 1, "error: run/frames/0003.vof: ");
    expect_out(folder, "check run", 1, "3 of 5 frames clean");
    expect_out(folder, "check run", 1, "run with 2 errors and 0 warnings");
    expect_out(folder, "check run --json", 1,
               "\"frames\": 3, \"clean_frames\": 3, \"unreadable_frames\": 2");
    assert_int_equal(unlink(frame_path(folder, "run", 2)), 0);
    expect_out(folder, "check run", 1, "2 of 5 frames clean");
    expect_out(folder, "check run --frames 1:1", 1, "run with 1 error and 0 warnings");
}

static void invalid_scene_is_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    write_text(in(folder, "syntax.json"), "{\"frame_time\": 0.04,\n \"cloths\" []}");
    expect(folder, "simulate syntax.json", 1, "line 2");
    expect_out(folder, "check syntax.json", 1, "line 2");
    write_text(in(folder, "key.json"), "{\"frame_tim\": 0.04, \"cloths\": []}");
    expect(folder, "simulate key.json", 1, "frame_time");
    write_text(in(folder, "mesh.json"),
               "{\"frame_time\": 0.04, \"end_frame\": 1, \"cloths\": [{\"mesh\": \"gone.obj\", "
               "\"materials\": [{\"data\": \"weave.json\"}]}]}");
    expect(folder, "simulate mesh.json", 1, "gone.obj");
    expect_out(folder, "check mesh.json", 1, "gone.obj");
    write_text(in(folder, "bad.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 9\n");
    expect_out(folder, "check bad.obj", 1, "bad.obj");
    expect_out(folder, "check --obstacle bad.obj", 1, "bad.obj");
    assert_false(exists(in(folder, "out")));
}

/* A closed body without texture coordinates has no material space and needs none. */
static void obstacle_mesh_needs_no_material_space(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    write_text(in(folder, "body.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                       "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    expect_out(folder, "check body.obj", 1, "no area in material space");
    expect_out(folder, "check --obstacle body.obj", 0, "body.obj: obstacle mesh without defects");
    expect_out(folder, "check --obstacle --json body.obj", 0, "\"ok\": true");
    expect(folder, "check --obstacle scene.json", 2, "--obstacle is for meshes");
}

/* Asserts that a command succeeds and prints nothing on standard error. */
static void expect_no_message(const place *p, const char *line) {
    ran r = run_at(p, line);
    if (r.code != 0 || r.err[0]) fail_msg("%s: exit code %d: %s", line, r.code, r.err);
    ran_free(&r);
}

static void unwritable_output_is_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    write_text(in(folder, "file"), "");
    expect(folder, "simulate scene.json -o file", 2, "file: cannot create the folder: a file has");
    expect(folder, "simulate scene.json -o file/run", 2,
           "file: cannot create the folder: a file has");
    expect(folder, "simulate scene.json -o scene.json --force", 2, "scene.json: cannot create");
    expect(folder, "simulate scene.json -o /proc/nowhere/run", 3, "/proc/nowhere");
    ran r = run_at(&(place){.folder = folder, .stdout_to = "/dev/full"},
                   "simulate scene.json -o run --json");
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "voile resume run"));
    assert_non_null(strstr(r.err, "standard output: No space left"));
    ran_free(&r);
    expect(folder, "resume run", 0, NULL);
}

/* A run continues if its progress cannot be printed. With standard output closed, no file of the
 * run may receive its descriptor. */
static void unwritable_progress_does_not_stop_run(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    place full = {.folder = folder, .stdout_to = "/dev/full"};
    place closed = {.folder = folder, .stdout_to = ""};
    expect(folder, "simulate scene.json -o shown", 0, NULL);
    expect_no_message(&full, "simulate scene.json -o full --frames 2");
    expect_no_message(&full, "resume full --frames :5");
    expect_no_message(&closed, "simulate scene.json -o closed");
    assert_same_frames(folder, "shown", "full", 5);
    assert_same_frames(folder, "shown", "closed", 5);
}

/* A limit on the size of files fails like a full disk, during the run. */
static void file_size_limit_keeps_frames(void **state) {
    (void)state;
    const char *folder = test_folder();
    struct stat frame;
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o whole --frames 36 -q --threads 1", 0, NULL);
    assert_int_equal(stat(frame_path(folder, "whole", 36), &frame), 0);
    place small = {.folder = folder, .file_limit = 9000};
    assert_true(frame.st_size < small.file_limit);
    ran r = run_at(&small, "simulate scene.json -o run --frames 36 -q --threads 1");
    if (r.code != 3) fail_msg("exit code %d: %s", r.code, r.err);
    assert_non_null(strstr(r.err, "stats.jsonl"));
    assert_non_null(strstr(r.err, "voile resume run"));
    ran_free(&r);
    int written = count_files(in(folder, "run/frames"), ".vof");
    assert_true(written > 5 && written < 37);
    assert_same_frames(folder, "whole", "run", written - 1);
    expect(folder, "resume run --frames :36 -q --threads 1", 0, NULL);
    assert_same_frames(folder, "whole", "run", 36);
}

/* A failed command reports intact frames also if it wrote none, or could not write statistics. */
static void failed_resume_reports_intact_frames(void **state) {
    (void)state;
    const char *folder = test_folder();
    place small = {.folder = folder, .file_limit = 9000};
    write_scene(folder, 4);
    ran r = run_at(&small, "simulate scene.json -o run --frames 36 -q --threads 1");
    assert_int_equal(r.code, 3);
    ran_free(&r);
    r = run_at(&small, "resume run -q --threads 1");
    assert_int_equal(r.code, 3);
    if (!strstr(r.err, " are intact. Continue with: voile resume run")) fail_msg("%s", r.err);
    ran_free(&r);
    /* The statistics of frame 0 cannot be written because a folder has the name of the file. */
    assert_int_equal(mkdir(in(folder, "bare"), 0777), 0);
    assert_int_equal(mkdir(in(folder, "bare/frames"), 0777), 0);
    assert_int_equal(mkdir(in(folder, "bare/stats.jsonl"), 0777), 0);
    expect(folder, "simulate scene.json -o bare -q", 3,
           "frames up to 0 are intact. Continue with: voile resume bare");
}

/* A cloth that falls on a sphere and gets more faces with every frame. */
static void write_growing_scene(const char *folder) {
    write_scene(folder, 1);
    write_text(in(folder, "grows.json"),
               "{\"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 12, \"gravity\": [0, 0, "
               "-9.8], \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 4, "
               "\"rows\": 4}, \"transform\": {\"translate\": [-0.5, -0.5, 0.21]}, \"materials\": "
               "[{\"data\": \"weave.json\"}], \"remeshing\": {\"size\": [0.012, 0.3], "
               "\"refine_angle\": 0.3}}], \"obstacles\": [{\"shape\": {\"type\": \"sphere\", "
               "\"radius\": 0.2}}]}");
}

/* Raises the memory limit until the run fails after some frames; returns the number of frames. */
static int run_until_frames_fit(const char *folder) {
    for (int mib = 4; mib < 64; mib += 4) {
        char line[200];
        snprintf(line, sizeof line, "simulate grows.json -o run --force -q --threads 1 --memory %g",
                 mib / 1024.0);
        ran r = run(folder, line);
        if (r.code != 3) fail_msg("%s: exit code %d: %s", line, r.code, r.err);
        assert_non_null(strstr(r.err, "out of memory for "));
        assert_non_null(strstr(r.err, " requested, "));
        assert_non_null(strstr(r.err, "give --memory GIB with more than "));
        int written = count_files(in(folder, "run/frames"), ".vof");
        bool safe = strstr(r.err, "are intact. Continue with: voile resume run") != NULL;
        assert_int_equal(safe, written > 0);
        ran_free(&r);
        if (written > 0) return written;
    }
    return 0;
}

/* A reached memory limit ends every command with a message and keeps finished frames. */
static void memory_limit_keeps_frames(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_growing_scene(folder);
    expect(folder, "simulate grows.json -o whole -q --threads 1", 0, NULL);
    int written = run_until_frames_fit(folder);
    assert_true(written > 0 && written < 13);
    assert_same_frames(folder, "whole", "run", written - 1);
    expect(folder, "resume run -q --memory 0.0001", 3, "of the limit of 105 KiB in use");
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), written);
    expect(folder, "export run -q --memory 0.0001", 3,
           "--memory. Give --memory GIB with more than");
    expect(folder, "check run --memory 0.0001", 3, "--memory. Give --memory GIB with more than");
    expect(folder, "resume run -q --memory 0.0001", 3,
           "--memory. Make its meshes coarser (--set, ");
    if (vo_rays_available() && vo_png_available())
        expect(folder, "render run -o a.png --memory 0.0001", 3,
               "--memory. Render smaller images (--size), or give --memory GIB with more than");
    expect(folder, "resume run -q --threads 1", 0, NULL);
    assert_same_frames(folder, "whole", "run", 12);
    expect(folder, "resume run --memory 0", 2, "--memory needs a number above 0");
    expect(folder, "resume run --memory 2G", 2, "not \"2G\"");
    expect(folder, "resume run --memory 1e-10", 3, "cannot start: not enough memory or threads");
    expect(folder, "resume run --memory 1e-10", 3,
           "the memory limit is that of --memory: 1 bytes. Give a larger --memory GIB.");
    /* A sparse file that is larger than any memory. */
    write_text(in(folder, "huge.obj"), "v 0 0 0\n");
    if (truncate(in(folder, "huge.obj"), (off_t)1 << 42) != 0) return;
    expect(folder, "check huge.obj", 3,
           "the limit is 80 % of the memory that was available at the start. Close other programs, "
           "or give --memory GIB");
    assert_int_equal(unlink(in(folder, "huge.obj")), 0);
}

/* Overrides on resume disable remeshing, enable it again and remove the camera. */
static void remeshing_can_be_disabled_on_resume(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "fold.json"),
               "{\"fps\": 25, \"frame_steps\": 4, \"end_frame\": 9, \"gravity\": [0, 0, -9.8], "
               "\"adapt\": \"view\", \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, "
               "\"columns\": 6, \"rows\": 6}, \"materials\": [{\"thickness\": 3e-4, "
               "\"density\": 500, \"elastic_modulus\": 1e6, \"poisson_ratio\": 0.3}], "
               "\"remeshing\": {\"refine_angle\": 0.4, \"refine_velocity\": 0.5, \"size\": "
               "[0.05, 0.3], \"aspect_min\": 0.2}}], \"handles\": [{\"corners\": [0, 1]}], "
               "\"camera\": {\"position\": [0.5, -3, 0], \"target\": [0.5, 0.5, 0]}}\n");
    expect(folder, "simulate fold.json -q -o run --frames 3", 0, NULL);
    expect(folder, "resume run -q --frames :6 --set cloths[0].remeshing=null", 0, NULL);
    expect(folder,
           "resume run -q --frames :7 --set cloths[0].remeshing.size=[0.05,0.3] "
           "--set cloths[0].remeshing.refine_velocity=0.5 --set camera=null",
           0, "run: adapt: there is no camera");
    expect(folder, "check run", 0, NULL);
    expect(folder, "export run -q --topology original", 0, NULL);
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), 8);
}

/* A full disk, if a small file system can be mounted. Leaves the process in its own mount
 * namespace. */
static void full_disk_keeps_frames(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 8);
    assert_int_equal(mkdir(in(folder, "small"), 0777), 0);
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", in(folder, "small"), "tmpfs", 0, "size=200k") != 0) {
        print_message("no small file system can be mounted here\n");
        skip();
    }
    ran r = run(folder, "simulate scene.json -o small/run --frames 400 -q --threads 1");
    if (r.code != 3) fail_msg("exit code %d: %s", r.code, r.err);
    assert_non_null(strstr(r.err, "No space left"));
    assert_non_null(strstr(r.err, "voile resume small/run"));
    ran_free(&r);
    int written = count_files(in(folder, "small/run/frames"), ".vof");
    assert_true(written > 2);
    assert_int_equal(count_files(in(folder, "small/run/frames"), ".tmp"), 0);
    char line[100];
    snprintf(line, sizeof line, "simulate scene.json -o whole --frames %d -q --threads 1",
             written - 1);
    expect(folder, line, 0, NULL);
    assert_same_frames(folder, "whole", "small/run", written - 1);
    expect(folder, "check small/run", 0, NULL);
    assert_int_equal(umount(in(folder, "small")), 0);
}

/* Conditions that make a result unusable give warnings. */
static void implausible_input_warns(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(
        folder,
        "simulate scene.json -q -o far --set cloths[0].transform.translate=[1e14,0,0] --frames 2",
        0, "substeps have no solution and the cloth was frozen in them");
    expect_out(folder, "check far", 0,
               "warning: far: the cloth was frozen in 96 substeps without a solution, in 2 "
               "frames from frame 1 on");
    expect_out(folder, "check far --frames 2:", 0, "clean: 0 intersections");
    expect_out(folder, "check far --frames 2:", 0, ", 48 frozen substeps, ");
    expect_out(folder, "check far --frames 2: --json", 0, "\"frozen_substeps\": 48");
    expect_out(folder, "check far --frames 0:0 --json", 0, "\"frozen_substeps\": 0");
    expect(folder, "simulate scene.json -q -o . --frames 1", 2,
           "scene.json: exists but does not belong to a run");
    expect(folder, "simulate scene.json -q -o . --frames 1 --force", 2, "choose another folder");
    expect(folder, "simulate scene.json -q -o heavy --set gravity=[0,0,-3e4] --frames 2", 0,
           "times its length, more than any fabric");
    expect_out(folder, "info heavy", 0, "cloth stretched to more than twice its length, up to ");
    expect(folder, "simulate scene.json -q -o view --adapt view --frames 0", 0,
           "scene.json: adapt: there is no camera, so \"view\" is as fine everywhere");
    expect(folder,
           "simulate scene.json -q -o lit --adapt view --frames 0 --set "
           "camera.position=[3,0,1] --set camera.target=[0,0,0] --set camera.light=true",
           0, "scene.json: adapt: there is no camera, so \"view\" is fine only where a light");
    expect_out(folder,
               "simulate scene.json -q -o seen --adapt view --frames 0 --set "
               "camera.position=[3,0,1] --set camera.target=[0,0,0]",
               0, "");
    expect(folder, "simulate scene.json -q -o both --adapt full --set friction=0 --set adapt=none",
           2, "--adapt full and --set adapt=none exclude each other");
    expect(folder, "simulate scene.json -q -o steps --set frame_steps=100001", 1,
           "scene.json (overridden by the caller): frame_steps: must be 1 to 100,000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_prints_lowest_point),
        cmocka_unit_test(simulate_info_and_check_succeed),
        cmocka_unit_test(resume_without_inputs_gives_same_frames),
        cmocka_unit_test(info_json_has_all_members),
        cmocka_unit_test(info_without_statistics_prints_null),
        cmocka_unit_test(time_budget_includes_writing),
        cmocka_unit_test(simulate_json_prints_line_per_frame),
        cmocka_unit_test(export_writes_meshes),
        cmocka_unit_test(missing_frames_are_warned_about),
        cmocka_unit_test(hints_name_the_run),
        cmocka_unit_test(messages_name_options),
        cmocka_unit_test(info_of_damaged_frames_fails),
        cmocka_unit_test(kind_of_file_is_recognised),
        cmocka_unit_test(run_without_frames_is_rejected),
        cmocka_unit_test(exports_of_earlier_run_are_removed),
        cmocka_unit_test(thread_count_does_not_change_frames),
        cmocka_unit_test(killed_run_resumes_bit_identically),
        cmocka_unit_test(resume_ends_at_recorded_frame),
        cmocka_unit_test(signal_cancels_simulation),
        cmocka_unit_test(cancelled_resume_prints_last_frame),
        cmocka_unit_test(signal_during_set_up_cancels),
        cmocka_unit_test(cancelled_export_prints_remaining_command),
        cmocka_unit_test(cancelled_check_reports_findings),
        cmocka_unit_test(override_on_resume_is_recorded_or_rejected),
        cmocka_unit_test(damaged_frames_are_simulated_again),
        cmocka_unit_test(unreadable_frame_is_reported),
        cmocka_unit_test(invalid_scene_is_rejected),
        cmocka_unit_test(obstacle_mesh_needs_no_material_space),
        cmocka_unit_test(unwritable_output_is_reported),
        cmocka_unit_test(unwritable_progress_does_not_stop_run),
        cmocka_unit_test(file_size_limit_keeps_frames),
        cmocka_unit_test(failed_resume_reports_intact_frames),
        cmocka_unit_test(memory_limit_keeps_frames),
        cmocka_unit_test(full_disk_keeps_frames),
        cmocka_unit_test(implausible_input_warns),
        cmocka_unit_test(remeshing_can_be_disabled_on_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
