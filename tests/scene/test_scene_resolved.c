/* The resolved scene: a run folder created from it loads as the same scene bit for bit, and
 * recorded overrides apply from their frame on. */
#include "scene_files.h"

#include "core/memory.h"

/* Writes the resolved scene and its inputs to a folder, as a run does. */
static void write_run(vo_context *ctx, const vo_scene *scene, const char *folder, char path[700]) {
    char target[1200];
    snprintf(target, sizeof target, "%s/inputs", folder);
    assert_ok(ctx, vo_folder_create(ctx, target));
    for (int i = 0; i < scene->input_count; i++) {
        vo_bytes bytes;
        snprintf(target, sizeof target, "%s/%s", folder, scene->input[i].stored);
        if (vo_file_exists(target)) continue;
        assert_ok(ctx, vo_file_read(ctx, scene->input[i].path, &bytes));
        assert_ok(ctx, vo_file_write(ctx, target, bytes.data, bytes.size));
        vo_bytes_free(ctx, &bytes);
    }
    snprintf(path, 700, "%s/scene.json", folder);
}

static void write_document(vo_context *ctx, const vo_json_doc *doc, const char *path) {
    char *text;
    size_t size;
    assert_ok(ctx, vo_json_print(doc, &text, &size));
    assert_ok(ctx, vo_file_write(ctx, path, text, size));
    vo_free(ctx, text, size + 1);
}

static void assert_same_document(vo_context *ctx, const vo_json_doc *a, const vo_json_doc *b) {
    char *p, *q;
    size_t size_p, size_q;
    assert_ok(ctx, vo_json_print(a, &p, &size_p));
    assert_ok(ctx, vo_json_print(b, &q, &size_q));
    assert_string_equal(p, q);
    vo_free(ctx, p, size_p + 1);
    vo_free(ctx, q, size_q + 1);
}

/* Writes a run of the scene, loads it back and compares. Consumes the scene. */
static void expect_round_trip(vo_context *ctx, vo_scene *scene) {
    char path[700];
    vo_scene *again;
    write_run(ctx, scene, test_folder(), path);
    write_document(ctx, &scene->resolved, path);
    assert_ok(ctx, vo_scene_load_at(ctx, path, 0, 0, NULL, &again));
    assert_same_scene(scene, again);
    assert_same_document(ctx, &scene->resolved, &again->resolved);
    for (int i = 0; i < again->input_count; i++)
        assert_string_equal(again->input[i].stored, scene->input[i].stored);
    vo_scene_destroy(again);
    vo_scene_destroy(scene);
}

static void run_folder_restores_scene(void **state) {
    (void)state;
    static const char *const sets[] = {
        NULL,
        "units=cm",
        "units=in",
        "up_axis=y",
        "up_axis=x",
        "frame_time=0.03333333333333333",
        "motions={\"motfile\": \"moves.mot\", \"fps\": 23.976, \"transform\": {\"scale\": 0.1}}",
        "obstacles=part%d.obj",
        "disable=proximity,collision",
        "cloths[0].transform={\"rotate\": [33.3, 1, 2, 3], \"scale\": 0.7}",
        "cloths[1].mesh=null",
    };
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "part0.obj", scene_sheet);
    scene_files_write(&files, "part1.obj", scene_sheet);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        expect_round_trip(files.ctx, scene_files_expect(&files, scene_full, sets[i]));
    expect_round_trip(files.ctx, scene_files_expect(&files, scene_least, NULL));
    scene_files_close(&files);
}

static void arcsim_scenes_survive_round_trip(void **state) {
    (void)state;
    static const char *const names[] = {"flag", "sphere", "square", "dress-blue"};
    if (!test_data()) skip();
    vo_context *ctx = test_context(1);
    for (int i = 0; i < 4; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/arcsim/conf/%s.json", test_data(), names[i]);
        if (!vo_file_exists(path)) continue;
        vo_scene *scene;
        assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
        expect_round_trip(ctx, scene);
    }
    vo_context_destroy(ctx);
}

static void file_named_twice_is_stored_once(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(&files, scene_full, NULL);
    assert_int_equal(scene->input_count, 3);
    assert_string_equal(scene->input[0].stored, "inputs/0-sheet.obj");
    assert_string_equal(scene->input[1].stored, "inputs/1-cloth.json");
    assert_string_equal(scene->input[2].stored, "inputs/2-block.obj");
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void long_names_are_stored_by_their_ends(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    char name[260], path[900], set[300];
    memset(name, 'n', 250);
    snprintf(name + 250, sizeof name - 250, ".obj");
    snprintf(path, sizeof path, "%s/%s", files.folder, name);
    assert_ok(files.ctx, vo_file_append(files.ctx, path, scene_sheet, strlen(scene_sheet)));
    snprintf(set, sizeof set, "cloths[0].mesh=%s", name);
    vo_scene *scene = scene_files_expect(&files, scene_least, set);
    assert_int_equal(strlen(scene->input[0].stored), strlen("inputs/0-") + 200);
    assert_non_null(strstr(scene->input[0].stored, "nnn.obj"));
    expect_round_trip(files.ctx, scene);
    scene_files_close(&files);
}

static double gravity_at(vo_context *ctx, const char *path, int frame) {
    vo_scene *scene;
    assert_ok(ctx, vo_scene_load_at(ctx, path, frame, 0, NULL, &scene));
    double z = scene->def.gravity.z;
    vo_scene_destroy(scene);
    return z;
}

/* The minimal scene with these overrides. */
static const char *with_overrides(const char *overrides) {
    static char text[1024];
    snprintf(text, sizeof text, "%.*s, \"overrides\": %s}", (int)strlen(scene_least) - 1,
             scene_least, overrides);
    return text;
}

static void overrides_count_from_their_frame_on(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene_destroy(scene_files_expect(
        &files,
        with_overrides("[{\"from_frame\": 3, \"set\": [\"gravity=[0,0,-5]\"]}, {\"from_frame\": 7, "
                       "\"set\": [\"gravity=[0,0,-6]\", \"gravity=[0,0,-7]\"]}]"),
        NULL));
    static const double expected[] = {0, 0, 0, -5, -5, -5, -5, -7, -7};
    for (int frame = 0; frame < 9; frame++)
        assert_true(gravity_at(files.ctx, files.path, frame) == expected[frame]);
    vo_scene *scene;
    assert_ok(files.ctx, vo_scene_load(files.ctx, files.path, 0, NULL, &scene));
    assert_true(scene->def.gravity.z == -7);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void bad_overrides_are_named(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"[{\"from_frame\": 0, \"set\": [\"gravity\"]}]",
         "overrides[0].set[0]: \"gravity\": expected key=value"},
        {"[{\"from_frame\": 0, \"set\": [\"gravity=7\"]}]",
         "gravity: expected an array of 3 numbers"},
        {"[{\"from_frame\": 0, \"set\": [\"gravity[\"]}]", "overrides[0].set[0]: "},
        {"[{\"from_frame\": 0, \"set\": [7]}]", "overrides[0].set[0]: expected a string"},
        {"[{\"from_frame\": \"x\", \"set\": []}]", "overrides[0].from_frame: expected"},
        {"[{\"set\": []}]", "overrides[0].from_frame: is missing"},
        {"[{\"from_frame\": -1, \"set\": []}]", "overrides[0].from_frame: must be at least 0"},
        {"[{\"from_frame\": 3, \"set\": []}, {\"from_frame\": 2, \"set\": []}]",
         "overrides[1].from_frame: is 2, but the previous entry has 3"},
        {"[7]", "overrides[0]"},
        {"7", "overrides: expected an array"},
    };
    scene_files files;
    scene_files_open(&files);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        scene_files_refuse(&files, with_overrides(cases[i][0]), NULL, cases[i][1]);
    scene_files_close(&files);
}

/* An override may replace the list of overrides itself; the current list is still applied in full.
 */
static void override_of_override_list_is_applied(void **state) {
    (void)state;
    static const char text[] =
        "{\"frame_time\": 1, \"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": [{\"data\": "
        "\"cloth.json\"}]}], \"overrides\": [{\"from_frame\": 0, \"set\": [\"overrides=[]\", "
        "\"gravity=[0,0,-1]\"]}, {\"from_frame\": 0, \"set\": [\"frame_steps=5\"]}]}";
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(&files, text, NULL);
    assert_true(scene->def.gravity.z == -1 && scene->def.frame_steps == 5);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* A run is resumed at frame 5 with another fabric of the same file name from another folder;
 * earlier frames keep the first fabric. */
static void recorded_overrides_keep_their_files(void **state) {
    (void)state;
    scene_files files, other;
    scene_files_open(&files);
    scene_files_open(&other);
    scene_files_write(&other, "cloth.json",
                      "{\"density\": 0.7, \"stretching\": {\"warp\": 1, \"weft\": 1, \"poisson\": "
                      "0, \"shear\": 1}, \"bending\": {\"warp\": 1, \"weft\": 1, \"bias\": 1}}");
    char run[700], path[700], data[700];
    snprintf(run, sizeof run, "%s", test_folder());
    vo_scene *scene = scene_files_expect(&files, scene_full, NULL), *changed, *again;
    write_run(files.ctx, scene, run, path);
    write_document(files.ctx, &scene->resolved, path);
    snprintf(data, sizeof data, "cloths[0].materials[0].data=%s/cloth.json", other.folder);
    const char *sets[] = {data, "cloths[0].materials[0].damping=0.125",
                          "wind={\"velocity\": [5, 0, 0]}"};
    assert_ok(files.ctx, vo_scene_load_at(files.ctx, path, 5, 3, sets, &changed));
    assert_true(changed->cloth[0].material[0].fabric->density == 0.7);
    vo_json_doc stored;
    assert_ok(files.ctx, vo_json_load(files.ctx, path, &stored));
    assert_ok(files.ctx, vo_scene_record_override(changed, &stored, 5, 3, sets));
    write_run(files.ctx, changed, run, path);
    write_document(files.ctx, &stored, path);
    vo_json_free(&stored);
    scene_files_write(&other, "cloth.json", "gone");
    assert_ok(files.ctx, vo_scene_load_at(files.ctx, path, 5, 0, NULL, &again));
    assert_same_scene(changed, again);
    vo_scene_destroy(again);
    assert_ok(files.ctx, vo_scene_load_at(files.ctx, path, 4, 0, NULL, &again));
    assert_true(again->cloth[0].material[0].fabric->density == 0.2);
    assert_true(again->cloth[0].material[0].damping == 0.01);
    vo_scene_destroy(again);
    vo_scene_destroy(changed);
    vo_scene_destroy(scene);
    scene_files_close(&other);
    scene_files_close(&files);
}

static vo_result record(vo_context *ctx, void *arg) {
    static const char *const sets[] = {"gravity=[0,0,-1]", "duration=3", "wind={\"drag\": 1}"};
    vo_scene *scene;
    vo_json_doc stored;
    VO_TRY(vo_scene_load_at(ctx, arg, 0, 3, sets, &scene));
    vo_result result = vo_json_load(ctx, arg, &stored);
    if (result == VO_OK) result = vo_scene_record_override(scene, &stored, 9, 3, sets);
    vo_json_free(&stored);
    vo_scene_destroy(scene);
    return result;
}

static void recording_survives_allocation_failure(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene_destroy(scene_files_expect(&files, scene_least, NULL));
    test_every_allocation(record, files.path);
    scene_files_close(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_folder_restores_scene),
        cmocka_unit_test(arcsim_scenes_survive_round_trip),
        cmocka_unit_test(file_named_twice_is_stored_once),
        cmocka_unit_test(long_names_are_stored_by_their_ends),
        cmocka_unit_test(overrides_count_from_their_frame_on),
        cmocka_unit_test(bad_overrides_are_named),
        cmocka_unit_test(override_of_override_list_is_applied),
        cmocka_unit_test(recorded_overrides_keep_their_files),
        cmocka_unit_test(recording_survives_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
