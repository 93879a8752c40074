/* The command on real runs: simulate, stop, kill, resume, look, export, and broken frames. */
#define _GNU_SOURCE /* unshare, for a file system that is really full */
#include "cli/command.h"

#include "codec/png.h"
#include "spatial/rays.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>

/* ---- a scene -------------------------------------------------------------------------------- */

/* A sheet of cells x cells over [0,1]^2, level, as OBJ. */
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

/* scene.json in `folder`: a sheet pinned at two corners above a moving square. */
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

/* The name of a frame's file in a run. */
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

/* Frames 0..last of two runs have the same bytes. */
static void assert_same_frames(const char *folder, const char *a, const char *b, int last) {
    for (int f = 0; f <= last; f++)
        assert_same_file(frame_path(folder, a, f), frame_path(folder, b, f));
    assert_int_equal(count_files(in(folder, a), ".tmp"), 0);
}

static void sleep_ms(int ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* Waits until a file is there, at most a minute. */
static void wait_for(const char *path) {
    char copy[COMMAND_PATH];
    snprintf(copy, sizeof copy, "%s", path);
    for (int i = 0; i < 60000 && !exists(copy); i++) sleep_ms(1);
    if (!exists(copy)) fail_msg("%s never came", copy);
}

/* Waits until a command has said something on standard error, at most a minute. */
static void wait_for_words(const char *folder, const char *words) {
    const char *path = in(folder, "stderr.txt");
    bool said = false;
    wait_for(path);
    for (int i = 0; i < 60000 && !said; i++) {
        char *text = read_whole(path, NULL);
        said = strstr(text, words) != NULL;
        free(text);
        if (!said) sleep_ms(1);
    }
    if (!said) fail_msg("\"%s\" was never said", words);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static vo_json_doc parse(vo_context *ctx, const char *text) {
    vo_json_doc doc;
    assert_ok(ctx, vo_json_parse(ctx, "output", text, strlen(text), &doc));
    return doc;
}

static double number(const vo_json_at *object, const char *key) {
    double value = -12345;
    vo_json_at at = vo_json_get(object, key);
    if (vo_json_kind(at) != VO_JSON_NUMBER) fail_msg("%s is not a number", key);
    assert_ok(at.ctx, vo_json_read_real(at, &value));
    return value;
}

static void assert_range(const vo_json_at *root, const char *key, double least) {
    vo_json_at range = vo_json_get(root, key);
    double min = number(&range, "min"), max = number(&range, "max"), mean = number(&range, "mean");
    assert_true(min >= least && min <= mean && mean <= max);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* The example of the first page: a metre of cloth hangs about a metre low. */
static void test_example(void **state) {
    (void)state;
    double x, y, z;
    ran r = run_at(&(place){.folder = test_folder(), .program = "examples/hello"}, "");
    assert_int_equal(r.code, 0);
    assert_int_equal(sscanf(r.out, "The lowest point is at (%lf, %lf, %lf) m.", &x, &y, &z), 3);
    assert_true(z < -0.6 && z > -1.2);
    ran_free(&r);
}

static void test_simulate_and_look(void **state) {
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

/* The run goes on from its copies: the inputs may be gone. */
static void test_run_is_self_contained(void **state) {
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
    expect_out(folder, "resume b", 0, "nothing left to do");
}

static void test_info_json(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 6);
    expect(folder, "simulate scene.json -o run -q", 0, NULL);
    ran r = run(folder, "info run --json");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.err, "");
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse(ctx, r.out);
    vo_json_at root = vo_json_root(&doc), stages = vo_json_get(&root, "stages");
    assert_near(number(&root, "frames"), 6, 0);
    assert_range(&root, "faces", 72);
    assert_range(&root, "nodes", 49);
    assert_range(&root, "verts", 49);
    assert_range(&root, "wall_s", 0);
    assert_true(number(&root, "start_s") > 0);
    vo_json_at wall = vo_json_get(&root, "wall_s");
    assert_near(number(&root, "wall_total_s"), number(&root, "start_s") + 5 * number(&wall, "mean"),
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

/* Frames that no statistics tell of have no faces and seconds, rather than none of them. */
static void test_info_without_statistics(void **state) {
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

/* What a line says of a budget of seconds is of the seconds in that line, writing among them; they
 * are at least those of the stages, in frame 0, too. */
static void test_budget_of_whole_frames(void **state) {
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
        vo_json_at root = vo_json_root(&doc), stages = vo_json_get(&root, "stages");
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

/* --json of a run: a line a frame, and one about the end. */
static void test_simulate_json(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    ran r = run(folder, "simulate scene.json --json -o run");
    assert_int_equal(r.code, 0);
    vo_context *ctx = test_context(1);
    int lines = 0;
    for (char *line = strtok(r.out, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        vo_json_doc doc = parse(ctx, line);
        vo_json_at root = vo_json_root(&doc);
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

static void test_export(void **state) {
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
    /* What was exported is a mesh that Voile takes. */
    expect(folder, "check meshes/0003_00.obj", 0, NULL);
    expect(folder, "export run -o /proc/nowhere", 3, "/proc/nowhere");
    expect(folder, "export run -o own --topology original", 0, NULL);
    expect(folder, "export run -o flat --topology original --flat", 0, NULL);
    assert_int_equal(count_files(in(folder, "own"), ".obj"), 6);
    assert_first_line(in(folder, "own/0000_00.obj"), "v 0 0 0");
    expect(folder, "export run --flat", 2, "--flat is for --topology original");
}

/* Frames that are missing between others are warned of, whoever passes them over. */
static void test_frames_that_are_passed_over(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run", 0, NULL);
    assert_int_equal(unlink(frame_path(folder, "run", 1)), 0);
    assert_int_equal(unlink(frame_path(folder, "run", 3)), 0);
    assert_int_equal(unlink(frame_path(folder, "run", 4)), 0);
    static const char one[] = "warning: run: frame 1 is missing; resume simulates it again\n";
    static const char two[] = "warning: run: frames 3 to 4 are missing; resume simulates them";
    expect(folder, "export run", 0, one);
    expect(folder, "export run", 0, two);
    if (!vo_rays_available() || !vo_png_available()) return;
    expect(folder, "render run -o stills --size 32x32", 0, one);
    expect(folder, "render run -o stills --size 32x32", 0, two);
    assert_int_equal(count_files(in(folder, "stills"), ".png"), 3);
    ran r = run(folder, "render run -o last.png --size 32x32"); /* of one frame */
    assert_int_equal(r.code, 0);
    assert_null(strstr(r.err, "missing"));
    ran_free(&r);
}

/* Nothing was wrong with the call. */
static void test_run_without_frames(void **state) {
    (void)state;
    const char *folder = test_folder();
    static const char none[] = "run: the run has no frames\n";
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o other --frames :1", 0, NULL);
    expect(folder, "simulate scene.json -o run --frames :1", 0, NULL);
    for (int i = 0; i < 2; i++) assert_int_equal(unlink(frame_path(folder, "run", i)), 0);
    expect(folder, "export run", 1, none);
    expect(folder, "export other --frames 7:", 2, "other has no frames in the range");
    expect_out(folder, "check run", 1, none);
    if (!vo_rays_available() || !vo_png_available()) return;
    expect(folder, "render run -o a.png", 1, none);
    expect(folder, "render other -o a.png --frame 7", 2, "other has no frames in the range");
    expect(folder, "compare other run -o report", 1, none);
    expect(folder, "compare run other -o report", 1, none);
    expect(folder, "compare other other -o report --frames 7:", 2, "no frames in the range");
}

/* A folder never holds exports of two runs in silence, and nothing of anybody else's is removed. */
static void test_exports_of_an_earlier_run(void **state) {
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
    /* A folder that the user has named is not cleared; what is strange there is told of. */
    expect(folder, "export run -q -o mine", 0,
           "warning: mine: also has 2 files that this run does not have, 0003_00.obj first");
    expect(folder, "export run -q -o mine --frames 0:1", 0, "also has 2 files");
    assert_true(exists(in(folder, "mine/0004_00.obj")));
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 12);
    expect(folder, "simulate scene.json -o one --threads 1", 0, NULL);
    expect(folder, "simulate scene.json -o two --threads=2", 0, NULL);
    expect(folder, "simulate scene.json -o three --threads 3", 0, NULL);
    assert_same_frames(folder, "one", "two", 5);
    assert_same_frames(folder, "one", "three", 5);
}

/* Killed again and again in the middle, a run comes to the same bits. */
static void test_kill_and_resume(void **state) {
    (void)state;
    const char *folder = test_folder();
    place here = {.folder = folder};
    enum { LAST = 24 };
    write_scene(folder, 16);
    expect(folder, "simulate scene.json -o whole --frames 0:24 --quiet --threads 1", 0, NULL);
    pid_t child = start(&here, "simulate scene.json -o killed --frames 0:24 --quiet --threads 1");
    for (int frame = 4; frame <= 18; frame += 7) {
        wait_for(frame_path(folder, "killed", frame));
        sleep_ms(frame % 5); /* another moment of the frame each time */
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

/* Without --frames a resumed run ends where the first call was told to end. */
static void test_resume_remembers_the_end(void **state) {
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
    assert_int_equal(truncate(frame_path(folder, "run", 13), 100), 0); /* beyond its own end */
    expect(folder, "resume run -q", 0, NULL);
    expect(folder, "check run", 0, NULL);
    assert_int_equal(remove(frame_path(folder, "run", 14)), 0);
    expect(folder, "resume run -q", 0, NULL);
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), 15);
}

static void stop_with(int number, const char *name) {
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
    const char *stopped = strstr(r.err, "voile: stopped after frame");
    assert_non_null(stopped);
    assert_int_equal(sscanf(stopped, "voile: stopped after frame %d.", &frame), 1);
    assert_non_null(strstr(r.err, "finishing this frame"));
    assert_non_null(strstr(r.err, "Go on with: voile resume run\n")); /* it knows its end */
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), frame + 1);
    assert_int_equal(count_files(in(folder, "run/frames"), ".tmp"), 0);
    ran_free(&r);
    snprintf(text, sizeof text, "resume run --frames :%d", frame + 2);
    expect(folder, text, 0, NULL);
    expect(folder, "check run", 0, NULL);
}

/* A run does not know of an end that only the call asked for: what is said to type has it. */
static void a_longer_resume_says_how_to_go_on(void **state) {
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
    assert_non_null(strstr(r.err, "Go on with: voile resume run --frames :100000\n"));
    ran_free(&r);
}

/* Starts a command on a run of many frames, and sends a signal once a file is there. It may have
 * ended by then, so it is tried again until it did not. */
static ran stop_at_file(const char *folder, const char *line, const char *file) {
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

/* What is said after a signal is the same call for the frames that are left. */
static void test_stop_of_export(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run -q --frames :400", 0, NULL);
    ran r = stop_at_file(folder,
                         "export run -o a&b --topology original --flat --obstacles --memory 0.5 "
                         "--frames 1:399",
                         "a&b/0001_00.obj");
    int frame = -1;
    char words[300];
    const char *stopped = strstr(r.err, "voile: stopped after frame");
    assert_non_null(stopped);
    assert_int_equal(sscanf(stopped, "voile: stopped after frame %d.", &frame), 1);
    snprintf(words, sizeof words,
             "Go on with: voile export run -o 'a&b' --topology original --flat --obstacles "
             "--memory 0.5 --frames %d:399\n",
             frame + 1);
    if (!strstr(stopped, words)) fail_msg("\"%s\" is not in \"%s\"", words, stopped);
    ran_free(&r);
    r = stop_at_file(folder, "export run", "run/obj/0000_00.obj");
    assert_non_null(strstr(r.err, "Go on with: voile export run --frames "));
    assert_non_null(strstr(r.err, ":\n"));
    ran_free(&r);
}

/* Between two frames; what was found so far is told. */
static void test_stop_of_check(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(folder, "simulate scene.json -o run -q --frames :400", 0, NULL);
    ran r = stop_at_file(folder, "check run --ply first.ply --frame 0", "first.ply");
    assert_non_null(strstr(r.err, "voile: finishing this frame; once more ends at once\n"));
    assert_non_null(strstr(r.err, "voile: run: stopped before frame "));
    assert_null(strstr(r.out, "without defects"));
    ran_free(&r);
    r = stop_at_file(folder, "check run --json --ply first.ply --frame 0", "first.ply");
    assert_non_null(strstr(r.out, "\"ok\": false"));
    ran_free(&r);
}

/* A signal while a crowd is set up, which takes several seconds, ends it there. That it has begun
 * shows by a warning, which is about the first that a scene is looked at for. */
static void stop_set_up(int number) {
    const char *folder = test_folder();
    place here = {.folder = folder};
    write_scene(folder, 4);
    pid_t child = start(&here, "simulate scene.json -o crowd --frames 0:1 --threads 1 --set "
                               "up_axis=y --set gravity=[0,-9.8,0] --set characters=[{}] --set "
                               "crowd={\"rows\":60,\"columns\":60}");
    wait_for_words(folder, "does not point along z");
    kill(child, number);
    ran r = finish(&here, child);
    if (r.code != 130 || !strstr(r.err, "stopping; once more ends at once") ||
        !strstr(r.err, "stopped while the scene was set up"))
        fail_msg("signal %d: exit code %d: %s", number, r.code, r.err);
    assert_false(exists(in(folder, "crowd")));
    ran_free(&r);
}

/* Waits until a command notes SIGINT, by what the system tells of it, at most a minute. */
static void wait_for_handler(pid_t child) {
    char path[64], line[256];
    unsigned long long caught = 0, wanted = 1ULL << (SIGINT - 1); /* a bit a signal */
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

static void stop_set_up_of(const char *folder, const char *line, const char *words) {
    place here = {.folder = folder};
    pid_t child = start(&here, line);
    wait_for_handler(child);
    kill(child, SIGINT);
    ran r = finish(&here, child);
    if (r.code != 130 || !strstr(r.err, "stopping; once more ends at once") ||
        !strstr(r.err, words) || strstr(r.err, "after frame"))
        fail_msg("%s: exit code %d: %s", line, r.code, r.err);
    ran_free(&r);
}

/* The same of the commands that look at runs: those here have a crowd and no frame that could be
 * read, which they would find out only when it stands. */
static void test_stop_of_looking(void **state) {
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
    stop_set_up_of(folder, "export run",
                   "voile: stopped while the scene was set up; nothing was exported.\n");
    if (!vo_rays_available() || !vo_png_available()) skip();
    stop_set_up_of(folder, "render run -o a.png --threads 1",
                   "voile: stopped while the scene was set up; nothing was drawn.\n");
    stop_set_up_of(folder, "render run/scene.json -o a.png --threads 1",
                   "voile: stopped while the scene was set up; nothing was drawn.\n");
    stop_set_up_of(folder, "compare run run --threads 1",
                   "voile: stopped while the scenes were set up.\n");
}

static void test_stop(void **state) {
    (void)state;
    stop_set_up(SIGINT);
    stop_set_up(SIGTERM);
    stop_with(SIGINT, "SIGINT");
    stop_with(SIGTERM, "SIGTERM");
}

static void test_set_on_resume(void **state) {
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
    expect(folder, "resume run --set gravity=[0,0,-2]", 2,
           "so to set gravity would change nothing");
    expect(folder, "resume run --frames :7 --set units=cm", 1,
           "run/scene.json (as set by the call): units: changes the cloth that the run started "
           "with, which cannot be changed on resume");
    /* Of several the one is named that is to blame, whatever its place. */
    expect(folder, "resume run --frames :7 --set friction=0.5 --set preroll=1 --set wind.drag=0", 1,
           "call): preroll: changes how the run began, which");
    expect(folder, "resume run --frames :7 --set friction=0.5 --set adapt=full --set preroll=1", 1,
           "call): preroll: changes");
    expect(folder,
           "resume run --frames :7 --set cloths[0].transform.scale=2 --set friction=0.5 --set "
           "preroll=0",
           1, "call): cloths[0].transform.scale: changes the cloth");
    assert_same_frames(folder, "plain", "run", 2);
    size_t a, b;
    char *x = read_whole(frame_path(folder, "plain", 5), &a);
    char *y = read_whole(frame_path(folder, "run", 5), &b);
    assert_false(a == b && memcmp(x, y, a) == 0);
    free(x), free(y);
    expect(folder, "simulate scene.json -o other --set gravty=[0,0,0]", 1,
           "scene.json (as set by the call): unknown key \"gravty\"; did you mean \"gravity\"?");
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

static void test_altered_frame(void **state) {
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
    /* What is damaged or missing is made again, wherever it is. */
    assert_int_equal(truncate(last, 20), 0);
    expect_out(folder, "check run", 1, "0005.vof");
    /* What is refused makes nothing again, and says nothing of it. */
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
    r = run(folder, "resume run --frames :0"); /* nothing is made, so nothing is made again */
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
    assert_non_null(strstr(r.err, "run: no intact frame to go on from: run/frames/0000.vof: "));
    ran_free(&r);
    assert_int_equal(unlink(frame_path(folder, "run", 0)), 0);
    expect(folder, "resume run", 1, "to go on from: frame 0 is missing; simulate its scene.json");
}

/* A frame that the system does not let be read, here because it is a folder, is told of like one
 * that is damaged, and the frames behind it are looked at. */
static void test_unreadable_frame(void **state) {
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
               "\"frames\": 3, \"clean_frames\": 3, \"unread_frames\": 2");
    assert_int_equal(unlink(frame_path(folder, "run", 2)), 0);
    expect_out(folder, "check run", 1, "2 of 5 frames clean");
    expect_out(folder, "check run --frames 1:1", 1, "run with 1 error and 0 warnings");
}

static void test_bad_scene(void **state) {
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
static void test_check_obstacle(void **state) {
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

/* It does what it is for, and complains of nothing. */
static void expect_silence(const place *p, const char *line) {
    ran r = run_at(p, line);
    if (r.code != 0 || r.err[0]) fail_msg("%s: exit code %d: %s", line, r.code, r.err);
    ran_free(&r);
}

static void test_output_cannot_be_written(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    write_text(in(folder, "file"), "");
    expect(folder, "simulate scene.json -o file", 2, "file: cannot make the folder: a file has");
    expect(folder, "simulate scene.json -o file/run", 2,
           "file: cannot make the folder: a file has");
    expect(folder, "simulate scene.json -o scene.json --force", 2, "scene.json: cannot make");
    expect(folder, "simulate scene.json -o /proc/nowhere/run", 3, "/proc/nowhere");
    ran r = run_at(&(place){.folder = folder, .stdout_to = "/dev/full"},
                   "simulate scene.json -o run --json");
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "voile resume run"));
    assert_non_null(strstr(r.err, "standard output: No space left"));
    ran_free(&r);
    expect(folder, "resume run", 0, NULL);
}

/* A run goes on where only its progress cannot be shown. With standard output closed no file of the
 * run may take its place. */
static void test_progress_cannot_be_shown(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    place full = {.folder = folder, .stdout_to = "/dev/full"};
    place closed = {.folder = folder, .stdout_to = ""};
    expect(folder, "simulate scene.json -o shown", 0, NULL);
    expect_silence(&full, "simulate scene.json -o full --frames 2");
    expect_silence(&full, "resume full --frames :5");
    expect_silence(&closed, "simulate scene.json -o closed");
    assert_same_frames(folder, "shown", "full", 5);
    assert_same_frames(folder, "shown", "closed", 5);
}

/* A file that may not grow further fails like a full disk, in the middle of the run. */
static void test_file_limit(void **state) {
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

/* Frames are safe also where the call that fails has made none, or could not write of it. */
static void test_safe_without_new_frames(void **state) {
    (void)state;
    const char *folder = test_folder();
    place small = {.folder = folder, .file_limit = 9000};
    write_scene(folder, 4);
    ran r = run_at(&small, "simulate scene.json -o run --frames 36 -q --threads 1");
    assert_int_equal(r.code, 3);
    ran_free(&r);
    r = run_at(&small, "resume run -q --threads 1");
    assert_int_equal(r.code, 3);
    if (!strstr(r.err, " are safe. Go on with: voile resume run")) fail_msg("%s", r.err);
    ran_free(&r);
    /* The line of frame 0 does not fit, which a folder in its place makes sure of. */
    assert_int_equal(mkdir(in(folder, "bare"), 0777), 0);
    assert_int_equal(mkdir(in(folder, "bare/frames"), 0777), 0);
    assert_int_equal(mkdir(in(folder, "bare/stats.jsonl"), 0777), 0);
    expect(folder, "simulate scene.json -o bare -q", 3,
           "frames up to 0 are safe. Go on with: voile resume bare");
}

/* A cloth that falls on a ball, and gets more faces with every frame. */
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

/* Gives the run more memory each time, until it ends for want of it with some frames on disk. */
static int run_short_of_memory(const char *folder) {
    for (int mib = 4; mib < 64; mib += 4) {
        char line[200];
        snprintf(line, sizeof line, "simulate grows.json -o run --force -q --threads 1 --memory %g",
                 mib / 1024.0);
        ran r = run(folder, line);
        if (r.code != 3) fail_msg("%s: exit code %d: %s", line, r.code, r.err);
        assert_non_null(strstr(r.err, "out of memory for "));
        assert_non_null(strstr(r.err, " more were asked for, but "));
        assert_non_null(strstr(r.err, "give --memory GIB with more than "));
        int written = count_files(in(folder, "run/frames"), ".vof");
        bool safe = strstr(r.err, "are safe. Go on with: voile resume run") != NULL;
        assert_int_equal(safe, written > 0);
        ran_free(&r);
        if (written > 0) return written;
    }
    return 0;
}

/* A limit on memory ends a run in a sentence, wherever it is reached, and finished frames stay. */
static void test_memory_limit(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_growing_scene(folder);
    expect(folder, "simulate grows.json -o whole -q --threads 1", 0, NULL);
    int written = run_short_of_memory(folder);
    assert_true(written > 0 && written < 13);
    assert_same_frames(folder, "whole", "run", written - 1);
    expect(folder, "resume run -q --memory 0.0001", 3, "of at most 105 KiB are in use");
    assert_int_equal(count_files(in(folder, "run/frames"), ".vof"), written);
    expect(folder, "export run -q --memory 0.0001", 3, "says. Give --memory GIB with more than");
    expect(folder, "check run --memory 0.0001", 3, "says. Give --memory GIB with more than");
    expect(folder, "resume run -q --memory 0.0001", 3, "says. Make its meshes coarser (--set, ");
    if (vo_rays_available() && vo_png_available())
        expect(folder, "render run -o a.png --memory 0.0001", 3,
               "says. Ask for smaller pictures (--size), or give --memory GIB with more than");
    expect(folder, "resume run -q --threads 1", 0, NULL);
    assert_same_frames(folder, "whole", "run", 12);
    expect(folder, "resume run --memory 0", 2, "--memory wants a number above 0");
    expect(folder, "resume run --memory 2G", 2, "not \"2G\"");
    expect(folder, "resume run --memory 1e-10", 3, "cannot start: not enough memory or threads");
    expect(folder, "resume run --memory 1e-10", 3,
           "the limit on memory is what --memory says: 1 bytes. Give --memory GIB with more.");
    /* A file of a size that no memory holds, nearly all of it a hole. */
    write_text(in(folder, "huge.obj"), "v 0 0 0\n");
    if (truncate(in(folder, "huge.obj"), (off_t)1 << 42) != 0) return;
    expect(folder, "check huge.obj", 3,
           "the limit is 80 % of the memory that was available at the start. Close other programs, "
           "or give --memory GIB");
    assert_int_equal(unlink(in(folder, "huge.obj")), 0);
}

/* Remeshing ends with a frame and begins with another one again; cameras go. */
static void what_is_remeshed_may_be_left_alone(void **state) {
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

/* A really full disk, where a small file system can be mounted. Must be the last test: it leaves
 * the process in mount name space of its own. */
static void test_full_disk(void **state) {
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

/* What would pass for a good run is told of. */
static void what_is_odd_is_told(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, 4);
    expect(
        folder,
        "simulate scene.json -q -o far --set cloths[0].transform.translate=[1e14,0,0] --frames 2",
        0, "have no solution, and the cloth was held still in them");
    expect_out(folder, "check far", 0,
               "warning: far: the cloth was held still in 96 substeps without a solution, in 2 "
               "frames from frame 1 on");
    expect_out(folder, "check far --frames 2:", 0, "clean: 0 intersections");
    expect_out(folder, "check far --frames 2:", 0, ", 48 substeps held still, ");
    expect_out(folder, "check far --frames 2: --json", 0, "\"held_steps\": 48");
    expect_out(folder, "check far --frames 0:0 --json", 0, "\"held_steps\": 0");
    expect(folder, "simulate scene.json -q -o . --frames 1", 2,
           "scene.json: is there already and of no run");
    expect(folder, "simulate scene.json -q -o . --frames 1 --force", 2, "Choose another folder");
    expect(folder, "simulate scene.json -q -o heavy --set gravity=[0,0,-3e4] --frames 2", 0,
           "times its length, which no fabric is");
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
           "scene.json (as set by the call): frame_steps: must be 1 to 100,000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_simulate_and_look),
        cmocka_unit_test(test_run_is_self_contained),
        cmocka_unit_test(test_info_json),
        cmocka_unit_test(test_info_without_statistics),
        cmocka_unit_test(test_budget_of_whole_frames),
        cmocka_unit_test(test_simulate_json),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_frames_that_are_passed_over),
        cmocka_unit_test(test_run_without_frames),
        cmocka_unit_test(test_exports_of_an_earlier_run),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_kill_and_resume),
        cmocka_unit_test(test_resume_remembers_the_end),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(a_longer_resume_says_how_to_go_on),
        cmocka_unit_test(test_stop_of_looking),
        cmocka_unit_test(test_stop_of_export),
        cmocka_unit_test(test_stop_of_check),
        cmocka_unit_test(test_set_on_resume),
        cmocka_unit_test(test_altered_frame),
        cmocka_unit_test(test_unreadable_frame),
        cmocka_unit_test(test_bad_scene),
        cmocka_unit_test(test_check_obstacle),
        cmocka_unit_test(test_output_cannot_be_written),
        cmocka_unit_test(test_progress_cannot_be_shown),
        cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_safe_without_new_frames),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(what_is_odd_is_told),
        cmocka_unit_test(what_is_remeshed_may_be_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
