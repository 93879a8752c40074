/* The command with character files: info, render, and messages where a scene is expected. */
#include "cli/command.h"

#include "import_files.h"

/* Two joints and three frames, 0.5 s apart. */
static const char small_bvh[] = "HIERARCHY\n"
                                "ROOT hips\n{\n  OFFSET 0 0 0\n"
                                "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
                                "Yrotation\n"
                                "  JOINT spine\n  {\n    OFFSET 0 20 0\n"
                                "    CHANNELS 3 Zrotation Xrotation Yrotation\n"
                                "    End Site\n    {\n      OFFSET 0 80 0\n    }\n  }\n}\n"
                                "MOTION\nFrames: 3\nFrame Time: 0.5\n"
                                "0 90 0 0 0 0 0 0 0\n0 90 0 0 0 0 20 0 0\n0 90 0 0 0 0 40 0 0\n";

/* A tetrahedron. */
static const char small_obj[] = "o body\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static bool has_importer(void) { return strstr(vo_features(), "assimp") != NULL; }
static bool has_renderer(void) { return strstr(vo_features(), "embree") != NULL; }

static void info_lists_bones_and_clips(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "walk.bvh"), small_bvh);
    if (!has_importer()) skip();
    ran r = run(folder, "info walk.bvh");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "walk.bvh: BVH"));
    assert_non_null(strstr(r.out, "no meshes"));
    assert_non_null(strstr(r.out, "hips\n"));
    assert_non_null(strstr(r.out, "spine\n"));
    assert_non_null(strstr(r.out, "1 clip\n"));
    assert_non_null(strstr(r.out, "1.000 s"));
    assert_non_null(strstr(r.out, "no cameras"));
    ran_free(&r);
}

static void info_as_json_is_one_object(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "walk.bvh"), small_bvh);
    if (!has_importer()) skip();
    ran r = run(folder, "info walk.bvh --json");
    vo_context *ctx = test_context(1);
    vo_json_doc doc;
    assert_int_equal(r.code, 0);
    assert_ok(ctx, vo_json_parse(ctx, "info", r.out, strlen(r.out), &doc));
    vo_json_cursor root = vo_json_root(&doc), clips = vo_json_get(&root, "clips");
    assert_int_equal(vo_json_length(clips), 1);
    vo_json_cursor clip = vo_json_item(&clips, 0);
    double duration = 0;
    assert_ok(ctx, vo_json_read_real(vo_json_get(&clip, "duration_s"), &duration));
    assert_near(duration, 1, 1e-9);
    vo_json_free(&doc);
    vo_context_destroy(ctx);
    ran_free(&r);
}

static void info_of_a_mesh_lists_its_faces(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "body.obj"), small_obj);
    if (!has_importer()) skip();
    expect_out(folder, "info body.obj", 0, "4 faces");
}

/* A skinned strip with a clip of 1 s, which is frames 0 to 25, and a camera. */
static const char *write_strip(const char *folder) {
    strip_data strip = strip_make();
    write_text(in(folder, "strip.gltf"), strip_text(&strip));
    return folder;
}

static void info_lists_meshes_and_cameras(void **state) {
    (void)state;
    const char *folder = write_strip(test_folder());
    if (!has_importer()) skip();
    ran r = run(folder, "info strip.gltf");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "strip.gltf: glTF, 1 unit = 1 m, y up"));
    assert_non_null(strstr(r.out, "1 mesh\n"));
    assert_non_null(strstr(r.out, "2 bones\n"));
    assert_non_null(strstr(r.out, "bend"));
    assert_non_null(strstr(r.out, "1 camera\n  eye"));
    ran_free(&r);
}

static void render_shows_the_rest_pose_or_a_clip(void **state) {
    (void)state;
    const char *folder = write_strip(test_folder());
    if (!has_importer() || !has_renderer()) skip();
    expect(folder, "render strip.gltf -o rest.png --size 32x32 --samples 1 -q", 0, NULL);
    ran r = run(folder, "render strip.gltf -o stills --frames 24: --size 32x32 --samples 1 -q");
    if (r.code != 0) fail_msg("%s", r.err);
    assert_true(exists(in(folder, "stills/0024.png")) && exists(in(folder, "stills/0025.png")));
    assert_false(exists(in(folder, "stills/0026.png")) || exists(in(folder, "stills/0023.png")));
    ran_free(&r);
    size_t rest_size, clip_size;
    char *rest = read_whole(in(folder, "rest.png"), &rest_size);
    char *clip = read_whole(in(folder, "stills/0025.png"), &clip_size);
    assert_false(rest_size == clip_size && memcmp(rest, clip, rest_size) == 0);
    free(rest);
    free(clip);
    expect(folder, "render strip.gltf -o a.png --frame 26 --size 32x32", 2,
           "frame 26 is after the end of the clip, frame 25");
}

static void character_files_are_not_scenes(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_whole(in(folder, "body.glb"), "glTF\0\0\0\0", 8);
    expect(folder, "simulate body.glb", 1, "is a character or mesh file, not a scene");
    expect(folder, "check body.glb", 1, "voile info");
    expect(folder, "info scene.json", 1, NULL);
}

/* Characters of other programs, where they are installed. */
static void info_reads_downloaded_characters(void **state) {
    (void)state;
    static const char *const names[] = {"Michelle.glb", "Xbot.glb", "Soldier.glb"};
    const char *folder = test_folder();
    int found = 0;
    if (!test_data()) skip();
    for (size_t i = 0; i < sizeof names / sizeof *names && has_importer(); i++) {
        char line[800];
        char path[600];
        snprintf(path, sizeof path, "%s/characters/%s", test_data(), names[i]);
        if (!exists(path)) continue;
        snprintf(line, sizeof line, "info %s", path);
        expect_out(folder, line, 0, "clip");
        found++;
    }
    if (!found) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_lists_bones_and_clips),
        cmocka_unit_test(info_as_json_is_one_object),
        cmocka_unit_test(info_of_a_mesh_lists_its_faces),
        cmocka_unit_test(info_lists_meshes_and_cameras),
        cmocka_unit_test(render_shows_the_rest_pose_or_a_clip),
        cmocka_unit_test(character_files_are_not_scenes),
        cmocka_unit_test(info_reads_downloaded_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
