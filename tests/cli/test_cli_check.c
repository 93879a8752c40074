/* voile check on scenes, meshes and runs with intersections: exit codes, JSON, PLY. */
#include "cli/command.h"

#include <math.h>

/* ---- files ---------------------------------------------------------------------------------- */

/* A horizontal sheet of cells x cells over [0,1]^2 at height z. */
static void write_sheet(const char *path, int cells, double z) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    int n = cells + 1;
    for (int i = 0; i < n * n; i++)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)(i % n) / cells, (double)(i / n) / cells, z);
    for (int i = 0; i < cells * cells; i++) {
        int a = i / cells * n + i % cells + 1;
        fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + n + 1, a, a + n + 1, a + n);
    }
    assert_int_equal(fclose(file), 0);
}

/* A closed box around the middle of the sheet, from `low` to `high`. */
static void write_block(const char *path, double low, double high) {
    static const char faces[] =
        "f 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\n"
        "f 2 4 6\nf 4 8 6\n";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 8; i++)
        fprintf(file, "v %.9g %.9g %.9g\n", i & 1 ? 0.71 : 0.31, i & 2 ? 0.72 : 0.33,
                i & 4 ? high : low);
    fputs(faces, file);
    assert_int_equal(fclose(file), 0);
}

/* A sheet of 6 x 6 cells at height 0 falls onto a block, and through it unless there is contact. */
static void write_scene(const char *folder, double low, double high, bool contact) {
    char scene[1000];
    write_sheet(in(folder, "sheet.obj"), 6, 0);
    write_block(in(folder, "block.obj"), low, high);
    snprintf(scene, sizeof scene,
             "{\"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 4,\n"
             "\"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": [{\"thickness\": 3e-4,\n"
             "  \"density\": 500, \"elastic_modulus\": 1e6, \"poisson_ratio\": 0.3}]}],\n"
             "\"obstacles\": [{\"mesh\": \"block.obj\"}],\n"
             "%s\"gravity\": [0, 0, -9.8]}\n",
             contact ? "" : "\"disable\": [\"proximity\", \"collision\"], ");
    write_text(in(folder, "scene.json"), scene);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

typedef struct answer {
    vo_context *ctx;
    vo_json_doc doc;
    vo_json_cursor root;
} answer;

/* Runs with --json and expects the exit code. */
static answer ask(const char *folder, const char *line, int code) {
    ran r = run(folder, line);
    if (r.code != code) fail_msg("%s: exit code %d: %s%s", line, r.code, r.out, r.err);
    answer a = {.ctx = test_context(1)};
    assert_ok(a.ctx, vo_json_parse(a.ctx, "output", r.out, strlen(r.out), &a.doc));
    a.root = vo_json_root(&a.doc);
    ran_free(&r);
    return a;
}

static void answer_free(answer *a) {
    vo_json_free(&a->doc);
    vo_context_destroy(a->ctx);
}

static double number(const vo_json_cursor *object, const char *key) {
    double value = NAN;
    assert_ok(object->ctx, vo_json_read_real(vo_json_get(object, key), &value));
    if (isnan(value)) fail_msg("%s is not a number", key);
    return value;
}

static bool is_ok(const answer *a) {
    bool ok = false;
    assert_ok(a->ctx, vo_json_read_bool(vo_json_get(&a->root, "ok"), &ok));
    return ok;
}

/* True if the text of a finding contains all three parts. */
static bool says(const answer *a, const char *one, const char *two, const char *three) {
    vo_json_cursor list = vo_json_get(&a->root, "findings");
    for (int i = 0; i < vo_json_length(list); i++) {
        const char *text = "";
        vo_json_cursor finding = vo_json_item(&list, i);
        assert_ok(a->ctx, vo_json_read_string(vo_json_get(&finding, "text"), &text));
        if (strstr(text, one) && strstr(text, two) && strstr(text, three)) return true;
    }
    return false;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void clean_run_passes(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, -3, -2, false);
    expect(folder, "simulate scene.json -o run -q", 0, NULL);
    expect_out(folder, "check run", 0, "5 of 5 frames clean: 0 intersections, 0 nodes inside");
    answer a = ask(folder, "check run --json", 0);
    vo_json_cursor frames = vo_json_get(&a.root, "frames"), totals = vo_json_get(&a.root, "totals");
    assert_true(is_ok(&a));
    assert_int_equal(vo_json_length(frames), 5);
    assert_int_equal(vo_json_length(vo_json_get(&a.root, "findings")), 0);
    assert_near(number(&totals, "frames"), 5, 0);
    assert_near(number(&totals, "clean_frames"), 5, 0);
    assert_near(number(&totals, "lost_nodes"), 0, 0);
    answer_free(&a);
    expect_out(folder, "check run --ply none.ply", 0, "none.ply is not written");
    assert_false(exists(in(folder, "none.ply")));
    expect_out(folder, "check run --ply two.ply --frame 2", 0, "wrote two.ply");
    assert_true(exists(in(folder, "two.ply")));
}

/* The sheet falls freely, so it is through the block's top from some frame on. */
static void intersections_of_run_are_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, -0.9, -0.02, false);
    expect(folder, "simulate scene.json -o run -q", 0, NULL);
    answer a = ask(folder, "check run --json --ply bad.ply", 1);
    vo_json_cursor frames = vo_json_get(&a.root, "frames"), totals = vo_json_get(&a.root, "totals");
    assert_false(is_ok(&a));
    assert_int_equal(vo_json_length(frames), 5);
    int bad = 0, first_bad = -1;
    double pairs = 0, deepest = 0;
    for (int i = 0; i < 5; i++) {
        vo_json_cursor frame = vo_json_item(&frames, i), inside = vo_json_get(&frame, "inside");
        vo_json_cursor found = vo_json_get(&frame, "intersections");
        assert_near(number(&frame, "frame"), i, 0);
        assert_near(number(&found, "self"), 0, 0);
        assert_near(number(&found, "cloth"), 0, 0);
        assert_near(number(&frame, "inverted_faces"), 0, 0);
        assert_near(number(&frame, "lost_nodes"), 0, 0);
        assert_true(fabs(number(&frame, "max_strain")) < 0.01);
        assert_int_equal(number(&found, "obstacle") > 0, number(&inside, "nodes") > 0);
        if (number(&inside, "nodes") > 0) {
            assert_near(number(&inside, "nodes"), 9, 0); /* at 1/3, 1/2 and 2/3 */
            bad++;
            if (first_bad < 0) first_bad = i;
        }
        pairs += number(&found, "obstacle");
        deepest = fmax(deepest, number(&inside, "max_depth_m"));
    }
    assert_true(bad > 1 && bad < 5);
    assert_near(number(&totals, "clean_frames"), 5 - bad, 0);
    vo_json_cursor sum = vo_json_get(&totals, "intersections"),
                   inside = vo_json_get(&totals, "inside");
    assert_near(number(&sum, "obstacle"), pairs, 0);
    assert_near(number(&inside, "max_depth_m"), deepest, 0);
    assert_true(deepest > 0.001 && deepest < 0.2);
    assert_true(says(&a, "of cloth 0 and face ", "of obstacle 0 intersect at (", ") m"));
    assert_true(says(&a, "9 nodes are inside obstacles", "deepest node", "inside obstacle 0 at ("));
    assert_true(
        says(&a, "pairs of faces intersect", "the scene disables collision", "run/frames/"));
    answer_free(&a);
    assert_true(exists(in(folder, "bad.ply")));
    /* The statistics of the run have the same counts. */
    a = ask(folder, "info run --json", 0);
    assert_true(number(&a.root, "max_intersections") > 0);
    assert_near(number(&a.root, "max_inside_nodes"), 9, 0);
    answer_free(&a);
    /* Only some frames. */
    char line[100];
    snprintf(line, sizeof line, "check run --frames 0:%d", first_bad - 1);
    expect_out(folder, line, 0, "frames clean");
    snprintf(line, sizeof line, "check run --frames %d:", first_bad);
    expect_out(folder, line, 1, "error: run/frames/");
}

static void invalid_arguments_are_rejected(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, -3, -2, false);
    expect(folder, "simulate scene.json -o run -q", 0, NULL);
    expect(folder, "check run --frame 1", 2, "--frame selects the frame of --ply FILE");
    expect(folder, "check run --frame -1 --ply a.ply", 2, "needs the number of a frame");
    expect(folder, "check scene.json --frames 0:2", 2, "--frames is for runs");
    expect(folder, "check sheet.obj --frame 0 --ply a.ply", 2, "--frame is for runs");
    expect(folder, "check run --frames 7:", 2, "no frames in the requested range");
    expect(folder, "check run --frame 9 --ply a.ply", 2,
           "ply_frame: frame 9 is not among the checked frames");
    expect(folder, "check run --frame 0 --ply /proc/nowhere/a.ply", 3, "/proc/nowhere/a.ply");
    ran r = run(folder, "check run --frames 2:8");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.out, "frames 5 to 8 are missing"));
    ran_free(&r);
}

/* A frame with statistics but without file is missing, also at the end of the run; a frame without
 * both has not been simulated yet. */
static void removed_frames_are_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, -3, -2, false);
    expect(folder, "simulate scene.json -o run -q --frames :3", 0, NULL);
    expect_out(folder, "check run", 0, "run: run without defects");
    expect(folder, "resume run -q --frames :4", 0, NULL);
    assert_int_equal(remove(in(folder, "run/frames/0004.vof")), 0);
    expect_out(folder, "check run", 1, "error: run: frame 4 is missing\n");
    expect_out(folder, "check run --frames 4:4", 1, "error: run: frame 4 is missing\n");
    expect_out(folder, "check run --frames 1:3", 0, "3 of 3 frames clean");
    expect(folder, "check run --frames 5:", 2, "no frames in the requested range");
    assert_int_equal(remove(in(folder, "run/frames/0003.vof")), 0);
    expect_out(folder, "check run --frames 1:", 1, "error: run: frames 3 to 4 are missing\n");
}

/* ---- scenes and meshes ---------------------------------------------------------------------- */

static void initial_intersections_warn(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, -0.1, 0.1, false);
    answer a = ask(folder, "check scene.json --json --ply start.ply", 0);
    vo_json_cursor frames = vo_json_get(&a.root, "frames"), frame = vo_json_item(&frames, 0);
    vo_json_cursor inside = vo_json_get(&frame, "inside"),
                   found = vo_json_get(&frame, "intersections");
    assert_true(is_ok(&a)); /* a warning: the run may untangle it */
    assert_int_equal(vo_json_length(frames), 1);
    assert_near(number(&inside, "nodes"), 9, 0);
    assert_true(number(&found, "obstacle") > 0);
    assert_true(
        says(&a, "scene.json: ", "pairs of faces intersect", "move them apart in the scene"));
    assert_true(says(&a, "of cloth 0 and face ", "of obstacle 0 intersect at (", ") m"));
    answer_free(&a);
    size_t size;
    char *ply = read_whole(in(folder, "start.ply"), &size);
    assert_memory_equal(ply, "ply\nformat binary_little_endian 1.0\n", 36);
    assert_non_null(strstr(ply, "element face 84\n")); /* 72 of the sheet and 12 of the block */
    /* The colours of intersecting, inside, other and obstacle faces are present. */
    const char *colours[] = {"\xd7\x23\x1e", "\xe1\xe1\xde", "\x70\x80\x98"};
    for (int c = 0; c < 3; c++) {
        bool there = false;
        for (size_t i = 300; i + 3 <= size; i++) there |= memcmp(ply + i, colours[c], 3) == 0;
        if (!there) fail_msg("colour %d is not in the PLY file", c);
    }
    free(ply);
}

/* Intersections that untangling resolves are reported, and the mesh is written before untangling.
 */
static void untangled_intersections_are_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, -0.1, 0.005, true);
    answer a = ask(folder, "check scene.json --json --ply start.ply", 0);
    assert_true(says(&a, "pairs of faces intersect", "a run separates them", "scene.json"));
    answer_free(&a);
    assert_true(exists(in(folder, "start.ply")));
    expect(folder, "simulate scene.json -o run -q", 0, NULL);
    expect_out(folder, "check run", 0, "5 of 5 frames clean");
}

/* Each message begins with the file, also messages of the simulation. */
static void cloth_inside_obstacle_is_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_scene(folder, -0.1, 0.1, true);
    write_text(
        in(folder, "scene.json"),
        "{\"frame_time\": 0.04, \"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": "
        "[{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6, "
        "\"poisson_ratio\": 0.3}]}], \"obstacles\": [{\"mesh\": \"block.obj\", \"transform\": "
        "{\"scale\": 20, \"translate\": [-10, -10, 0]}}]}");
    ran r = run(folder, "check scene.json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "warning: scene.json: face 0 of cloth 0 lies inside obstacle 0"));
    for (const char *p = r.out; (p = strstr(p, "warning: ")); p++)
        assert_memory_equal(p, "warning: scene.json: ", 21);
    ran_free(&r);
    assert_int_equal(rename(in(folder, "scene.json"), in(folder, "face")), 0);
    expect_out(folder, "check face", 0, "warning: face: face 0 of cloth 0 lies inside obstacle 0");
}

/* The result is the same with and without the direct solver in the build. */
static void scene_that_cannot_start_is_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "direct.json"),
               "{\"frame_time\": 0.04, \"solver\": {\"method\": \"direct\"}, \"cloths\": "
               "[{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 2, \"rows\": 2}, "
               "\"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6, "
               "\"poisson_ratio\": 0.3}]}]}");
    ran r = run(folder, "check direct.json");
    if (r.code != 0) assert_non_null(strstr(r.err, "direct.json: the scene asks for the direct"));
    ran_free(&r);
}

/* check prints the notes about a scene; other commands print them with --verbose. */
static void notes_of_scene_are_printed(void **state) {
    (void)state;
    static const char note[] = "note: scene.json: duration: the scene ends after 0.04 s";
    const char *folder = test_folder();
    write_text(in(folder, "scene.json"),
               "{\"frame_time\": 0.04, \"duration\": 0.04, \"cloths\": [{\"grid\": {\"width\": 1, "
               "\"height\": 1, \"columns\": 2, \"rows\": 2}, \"materials\": [{\"thickness\": 3e-4, "
               "\"density\": 500, \"elastic_modulus\": 1e6, \"poisson_ratio\": 0.3}]}]}");
    expect_out(folder, "check scene.json", 0, note);
    expect_out(folder, "check scene.json -v", 0, note);
    expect_out(folder, "check scene.json --json", 0, "\"findings\": []");
    expect(folder, "check scene.json --json --verbose", 0, note);
    expect_out(folder, "simulate scene.json -o run", 0, "frames 0 to 1");
    expect(folder, "simulate scene.json -o run --force -v", 0, note);
    expect_out(folder, "resume run --frames :2", 0, "frames 2 to 2");
    expect(folder, "resume run --frames :3 -v", 0, "voile: note: run/scene.json: duration");
}

static void mesh_defects_are_reported(void **state) {
    (void)state;
    const char *folder = test_folder();
    /* Two squares of one mesh through each other: a strip of two faces in one face of the other. */
    write_text(in(folder, "cross.obj"),
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.8 0.2 -1\nv 0.8 0.3 -1\nv 0.8 0.3 1\n"
               "v 0.8 0.2 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
               "f 5/1 6/2 7/3\nf 5/1 7/3 8/4\n");
    answer a = ask(folder, "check cross.obj --json --ply cross.ply", 0);
    assert_near(number(&a.root, "intersections"), 2, 0);
    assert_true(is_ok(&a));
    assert_true(
        says(&a, "cross.obj: 2 pairs of faces intersect", "separate them", "in the program"));
    assert_true(says(&a, "face 0 and face 2 intersect at (0.8, 0.", ", 0) m", ""));
    answer_free(&a);
    assert_true(exists(in(folder, "cross.ply")));
    expect_out(folder, "check cross.obj --obstacle", 0, "warning: cross.obj: 2 pairs of faces");
    write_sheet(in(folder, "sheet.obj"), 5, 0);
    expect_out(folder, "check sheet.obj", 0, "sheet.obj: mesh without defects");
    /* A mesh with invalid indices is not inspected further. */
    write_text(in(folder, "bad.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 2\n");
    a = ask(folder, "check bad.obj --json", 1);
    assert_false(vo_json_is_present(vo_json_get(&a.root, "intersections")));
    answer_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_run_passes),
        cmocka_unit_test(intersections_of_run_are_reported),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(removed_frames_are_reported),
        cmocka_unit_test(initial_intersections_warn),
        cmocka_unit_test(untangled_intersections_are_reported),
        cmocka_unit_test(cloth_inside_obstacle_is_reported),
        cmocka_unit_test(scene_that_cannot_start_is_reported),
        cmocka_unit_test(notes_of_scene_are_printed),
        cmocka_unit_test(mesh_defects_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
