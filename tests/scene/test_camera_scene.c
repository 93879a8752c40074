/* Cameras of scenes: from keys, tables and other programs' files; shots; messages about invalid
 * cameras; and the resolved scene of a run. */
#include "scene_files.h"

#include "core/memory.h"
#include "import_files.h"
#include "scene/camera_table.h"
#include "scene/load/load.h"

/* ---- tables --------------------------------------------------------------------------------- */

static const vo_camera_table_def table_def = {.frame_time = 0.5, .fov_y = 33, .sensor = 24};

static vo_result parse(vo_context *ctx, const char *text, vo_camera_keys *out) {
    return vo_camera_table_parse(ctx, "cam.csv", text, strlen(text), &table_def, out);
}

static void tables_give_keys(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_camera_keys keys;
    assert_ok(ctx, parse(ctx,
                         "\xef\xbb\xbf# made by hand\n\n"
                         "frame, tx,ty,tz, x ,y,z, cut # any order\r\n"
                         "0, 0,0,1, 3,-4,1.5, 0\r\n"
                         "4; 0;0;1;  3;-4;2e0; 1\r\n\n"
                         "5 0 0 1\t3 -4 2 0",
                         &keys));
    assert_int_equal(keys.count, 3);
    assert_near(keys.key[1].time, 2, 0); /* frame 4 of half a second */
    assert_true(keys.key[1].cut && !keys.key[0].cut && keys.key[1].has_target);
    assert_near(keys.key[1].position.z, 2, 0);
    assert_near(keys.key[0].target.z, 1, 0);
    assert_near(keys.key[2].fov_y, 33, 0);
    vo_camera_keys_free(&keys);
    assert_ok(ctx,
              parse(ctx, "time x y z qw qx qy qz focal_length\n1.5 1 2 3 0 0 0 -2 24\n", &keys));
    assert_false(keys.key[0].has_target);
    assert_near(keys.key[0].time, 1.5, 0);
    assert_near(keys.key[0].rotation[3], -2, 0);
    assert_near(keys.key[0].fov_y, 2 * atan(0.5) * 180 / VO_PI, 1e-12);
    vo_camera_keys_free(&keys);
    vo_context_destroy(ctx);
}

static void invalid_lines_are_named(void **state) {
    (void)state;
    static const char head[] = "time,x,y,z,tx,ty,tz\n0,0,0,0,1,0,0\n";
    static const char *const bad[][2] = {
        {"", "line 1: the file ends"},
        {"#\n\n", "line 2: the file ends"},
        {"time x y z tx ty tz\n", "line 1: the table has no rows"},
        {"time x y z tx ty tz colour\n", "line 1: unknown column \"colour\""},
        {"time x y z tx ty tz x\n", "line 1: duplicate column x"},
        {"time x y tx ty tz\n", "line 1: some of the columns x to z are missing"},
        {"time tx ty tz\n", "line 1: expected the columns x, y and z"},
        {"time x y z\n", "line 1: expected the columns tx, ty, tz or qw"},
        {"time x y z tx ty tz qw qx qy qz\n", "qz, not both"},
        {"x y z tx ty tz\n", "line 1: expected one of the columns time and frame"},
        {"time frame x y z tx ty tz\n", "time and frame, not both"},
        {"time x y z tx ty tz fov_y focal_length\n", "fov_y and focal_length, not both"},
        {"+1,0,0,0,1,0\n", "line 3: expected 7 values, one per column, found 6"},
        {"+1,0,0,0,1,0,0,8\n", "line 3: expected 7 values, one per column, found 8"},
        {"+1,0,zero,0,1,0,0\n", "line 3: column y: \"zero\" is not a number"},
        {"+1,0,,0,1,0,0\n", "line 3: column y: \"\" is not a number"},
        {"+1,0,nan,0,1,0,0\n", "line 3: column y: \"nan\" is not a number"},
        {"+1,0,1e99,0,1,0,0\n", "line 3: column y: \"1e99\" is not a number"},
        {"+0,0,0,0,1,0,0\n", "line 3: time must be at least 1e-9 s later"},
        {"+1,0,0,0,0,0,0\n", "line 3: target equals position"},
    };
    vo_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        bool row = bad[i][0][0] == '+';
        snprintf(text, sizeof text, "%s%s", row ? head : "", bad[i][0] + row);
        vo_camera_keys keys;
        assert_int_equal(parse(ctx, text, &keys), VO_BAD_DATA);
        const char *said = vo_context_message(ctx);
        if (!strstr(said, bad[i][1]) || strncmp(said, "cam.csv: line ", 14) != 0)
            fail_msg("\"%s\" does not contain \"%s\"", said, bad[i][1]);
        assert_null(keys.key);
    }
    vo_camera_keys keys;
    assert_int_equal(parse(ctx, "time x y z qw qx qy qz fov_y\n0 0 0 0 0 0 0 0 40\n", &keys),
                     VO_BAD_DATA);
    assert_message_contains(ctx, "line 2: rotation must be");
    assert_int_equal(parse(ctx, "time x y z qw qx qy qz fov_y\n0 0 0 0 1 0 0 0 180\n", &keys),
                     VO_BAD_DATA);
    assert_message_contains(ctx, "line 2: fov_y must be");
    static const char *const marks[] = {"2", "-1", "0.5", "yes", "nan", "1e-300"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char text[256], expected[100];
        snprintf(text, sizeof text,
                 "time cut x y z tx ty tz\n0 1.0 0 0 0 1 0 0\n1 %s 0 0 0 1 0 0\n", marks[i]);
        snprintf(expected, sizeof expected,
                 "cam.csv: line 3: column cut: \"%s\" is neither 0 nor 1", marks[i]);
        assert_int_equal(parse(ctx, text, &keys), VO_BAD_DATA);
        assert_string_equal(vo_context_message(ctx), expected);
    }
    vo_context_destroy(ctx);
}

/* A truncated table gives keys or an error. */
static void truncated_tables_do_not_crash(void **state) {
    (void)state;
    static const char text[] = "frame,x,y,z,qw,qx,qy,qz,fov_y,cut\n0,1,2,3,1,0,0,0,40,0\n"
                               "1,1,2,3,0.5,0.5,0.5,0.5,4e1,1 # jump\n";
    vo_context *ctx = test_context(1);
    for (size_t size = 0; size < sizeof text; size++) {
        vo_camera_keys keys;
        vo_result result = vo_camera_table_parse(ctx, "cam.csv", text, size, &table_def, &keys);
        assert_int_equal(result == VO_OK, keys.count > 0);
        vo_camera_keys_free(&keys);
    }
    vo_context_destroy(ctx);
}

/* ---- scenes --------------------------------------------------------------------------------- */

#define CLOTH                                                                                  \
    "\"frame_time\": 0.04, \"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": [{\"data\": " \
    "\"cloth.json\"}]}]"

static const char plain[] = "{" CLOTH "}";

static void assert_vector(vo_vec3 a, vo_vec3 b, double tolerance) {
    if (!(v3_distance(a, b) <= tolerance))
        fail_msg("(%g, %g, %g) is not (%g, %g, %g)", a.x, a.y, a.z, b.x, b.y, b.z);
}

static void camera_without_keys_is_fixed(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(
        &files,
        "{" CLOTH ", \"units\": \"cm\", \"up_axis\": \"y\", \"camera\": {\"position\": [0, 100, "
        "300], \"target\": [0, 100, 0], \"focal_length\": 24, \"sensor_height\": 24, "
        "\"resolution\": [640, 480], \"near\": 5, \"far\": 2000}}",
        NULL);
    assert_int_equal(vo_scene_camera_count(scene), 1);
    vo_camera c = vo_scene_eval_camera(scene, 0, 12);
    assert_vector(c.position, v3(0, -3, 1), 1e-14); /* y up in cm: in front, a metre high */
    assert_vector(c.forward, v3(0, 1, 0), 1e-14);
    assert_vector(c.up, v3(0, 0, 1), 1e-14);
    assert_near(c.tan_y, 0.5, 1e-14);
    assert_near(c.tan_x, 0.5 * 640 / 480, 1e-14);
    assert_near(c.z_near, 0.05, 1e-15);
    assert_near(c.z_far, 20, 1e-12);
    assert_int_equal(vo_scene_find_active_camera(scene, 0), 0);
    assert_string_equal(files.log, "");
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* The sensor size requires a focal length in the camera or its keys. */
static void sensor_without_focal_length_warns(void **state) {
    (void)state;
    static const struct {
        const char *camera;
        bool told;
    } cases[] = {
        {"\"position\": [0, -3, 1], \"target\": [0, 0, 1]", true},
        {"\"position\": [0, -3, 1], \"target\": [0, 0, 1], \"fov_y\": 30", true},
        {"\"position\": [0, -3, 1], \"target\": [0, 0, 1], \"focal_length\": 30", false},
        {"\"keys\": [{\"time\": 0, \"position\": [0, -3, 1], \"target\": [0, 0, 1]}]", true},
        {"\"keys\": [{\"time\": 0, \"position\": [0, -3, 1], \"target\": [0, 0, 1]}, {\"time\": "
         "1, \"position\": [0, -3, 1], \"target\": [0, 0, 1], \"focal_length\": 30}]",
         false},
        {"\"table\": \"plain.csv\"", true},
        {"\"table\": \"lens.csv\"", false},
        {"\"table\": \"plain.csv\", \"focal_length\": 30", false},
        {"\"table\": \"lens.json\"", false},
    };
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "plain.csv", "time x y z tx ty tz\n0 0 -3 1 0 0 1\n");
    scene_files_write(&files, "lens.csv", "time x y z tx ty tz focal_length\n0 0 -3 1 0 0 1 30\n");
    scene_files_write(&files, "lens.json",
                      "{\"keys\": [{\"time\": 0, \"position\": [0, -3, 1], \"target\": [0, 0, 1], "
                      "\"focal_length\": 30}]}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        files.log[0] = 0;
        snprintf(text, sizeof text, "{" CLOTH ", \"camera\": {%s, \"sensor_height\": 36}}",
                 cases[i].camera);
        vo_scene_destroy(scene_files_expect(&files, text, NULL));
        bool told = strstr(files.log, "camera.sensor_height: has no effect") != NULL;
        if (told != cases[i].told) fail_msg("%s: \"%s\"", cases[i].camera, files.log);
    }
    scene_files_close(&files);
}

/* The same camera by a rotation of the file's axes. */
static void rotations_follow_up_axis(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(
        &files,
        "{" CLOTH ", \"up_axis\": \"y\", \"camera\": {\"position\": [0, 1, 3], \"rotation\": "
        "[2, 0, 0, 0], \"transform\": {\"rotate\": [90, 0, 1, 0], \"translate\": [0, 1, 0]}}}",
        NULL);
    vo_camera c = vo_scene_eval_camera(scene, 0, 0);
    assert_vector(c.position, v3(3, 0, 2), 1e-14); /* turned by a quarter about the file's y */
    assert_vector(c.forward, v3(-1, 0, 0), 1e-14);
    assert_vector(c.up, v3(0, 0, 1), 1e-14);
    assert_near(c.tan_y, tan(20 * VO_PI / 180), 1e-14);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void keys_by_time_and_frame_are_equal(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(
        &files,
        "{" CLOTH ", \"camera\": {\"start_time\": 1, \"ease\": false, \"aspect\": 1, \"keys\": ["
        "{\"frame\": 0, \"position\": [0, -3, 1], \"target\": [0, 0, 1]},"
        "{\"frame\": 25, \"position\": [2, -3, 1], \"target\": [2, 0, 1]},"
        "{\"time\": 2, \"cut\": true, \"position\": [9, 9, 9], \"target\": [0, 0, 1]}]}}",
        NULL);
    assert_vector(vo_scene_eval_camera(scene, 0, 0).position, v3(0, -3, 1), 0);
    assert_vector(vo_scene_eval_camera(scene, 0, 1.5).position, v3(1, -3, 1), 1e-14);
    assert_vector(vo_scene_eval_camera(scene, 0, 2.5).position, v3(2, -3, 1), 0);
    assert_vector(vo_scene_eval_camera(scene, 0, 3).position, v3(9, 9, 9), 0);
    assert_int_equal(vo_scene_eval_camera(scene, 0, 3).width, 1080);
    double cut;
    assert_int_equal(vo_scene_camera_cuts(scene, 0, 0, 9, 1, &cut), 1);
    assert_near(cut, 3, 0);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void shots_select_cameras(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(
        &files,
        "{" CLOTH
        ", \"camera\": {\"name\": \"sun\", \"light\": true, \"weight\": 0.3, \"position\": "
        "[9, 9, 9], \"target\": [0, 0, 0]}, \"cameras\": ["
        "{\"name\": \"a\", \"keys\": [{\"time\": 0, \"position\": [0, -3, 1], \"target\": [0, 0, "
        "1]},"
        "{\"time\": 1.5, \"cut\": true, \"position\": [0, -9, 1], \"target\": [0, 0, 1]}]},"
        "{\"name\": \"b\", \"position\": [3, 0, 1], \"target\": [0, 0, 1]}],"
        "\"shots\": [{\"time\": 0, \"camera\": \"a\"}, {\"frame\": 50, \"camera\": \"b\"},"
        "{\"time\": 3, \"camera\": \"a\"}]}",
        NULL);
    int sun = 0, a = 1, b = 2;
    assert_int_equal(vo_scene_find_camera(scene, "b"), b);
    assert_int_equal(vo_scene_find_camera(scene, "c"), -1);
    assert_int_equal(vo_scene_find_active_camera(scene, -5), a);
    assert_int_equal(vo_scene_find_active_camera(scene, nextafter(2, 0)), a);
    assert_int_equal(vo_scene_find_active_camera(scene, 2), b);
    assert_int_equal(vo_scene_find_active_camera(scene, 1e9), a);
    assert_true(vo_scene_camera_is_active(scene, sun, 7) && scene->camera[sun].front == 0.3);
    assert_true(vo_scene_camera_is_active(scene, b, 2.5) &&
                !vo_scene_camera_is_active(scene, b, 3));
    double cuts[4];
    assert_int_equal(vo_scene_camera_cuts(scene, a, 0, 9, 4, cuts), 3);
    assert_true(cuts[0] == 1.5 && cuts[1] == 2 && cuts[2] == 3);
    assert_int_equal(vo_scene_camera_cuts(scene, a, 1.5, 2.9, 4, cuts), 1);
    assert_int_equal(vo_scene_camera_cuts(scene, sun, -9, 9, 4, cuts), 0);
    assert_int_equal(vo_scene_camera_cuts(scene, b, -9, 9, 1, cuts), 2);
    assert_near(vo_scene_shot_begin(scene, a, 1), 0, 0);
    assert_near(vo_scene_shot_begin(scene, a, 1.7), 1.5, 0);
    assert_near(vo_scene_shot_begin(scene, b, 2.7), 2, 0);
    assert_near(vo_scene_shot_begin(scene, a, 3.7), 3, 0);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* Without shots the first camera without "light" is active. */
static void lights_are_not_active_cameras(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(
        &files,
        "{" CLOTH ", \"cameras\": [{\"light\": true, \"position\": [9, 9, 9], \"target\": [0, 0, "
        "0]}]}",
        NULL);
    assert_int_equal(vo_scene_find_active_camera(scene, 0), -1);
    vo_camera_key key = {.position = {1, 0, 0}, .has_target = true, .fov_y = 40};
    vo_camera_def def = vo_camera_def_default();
    def.key_count = 1;
    def.keys = &key;
    int id;
    assert_ok(files.ctx, vo_scene_add_camera(scene, &def, &id));
    assert_int_equal(vo_scene_find_active_camera(scene, 0), id);
    assert_true(vo_scene_camera_is_active(scene, id, 5));
    assert_int_equal(vo_scene_add_shot(scene, 0, 0), VO_BAD_ARGUMENT);
    assert_ok(files.ctx, vo_scene_add_shot(scene, 0, id));
    assert_int_equal(vo_scene_add_shot(scene, 0, id), VO_BAD_ARGUMENT);
    assert_int_equal(vo_scene_add_shot(scene, NAN, id), VO_BAD_ARGUMENT);
    assert_int_equal(vo_scene_add_shot(scene, 1, 7), VO_BAD_ARGUMENT);
    def.motion = 3;
    assert_int_equal(vo_scene_add_camera(scene, &def, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_scene_add_camera(scene, NULL, NULL), VO_BAD_ARGUMENT);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* A motion transforms position and direction of a camera. */
static void motions_transform_cameras(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(
        &files,
        "{" CLOTH ", \"motions\": [[{\"time\": 0}, {\"time\": 1, \"transform\": {\"translate\": "
        "[0, 0, 2], \"rotate\": [90, 0, 0, 1]}}]], \"camera\": {\"motion\": 0, \"position\": [0, "
        "-3, "
        "0], \"target\": [0, 0, 0]}}",
        NULL);
    assert_vector(vo_scene_eval_camera(scene, 0, 0).position, v3(0, -3, 0), 0);
    vo_camera c = vo_scene_eval_camera(scene, 0, 1);
    assert_vector(c.position, v3(3, 0, 2), 1e-14);
    assert_vector(c.forward, v3(-1, 0, 0), 1e-14);
    assert_vector(c.up, v3(0, 0, 1), 1e-14);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void tables_of_both_kinds_are_equal(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "cam.csv",
                      "frame,x,y,z,tx,ty,tz,fov_y\n0,0,-3,1,0,0,1,40\n1,0.1,-3,1,0,0,1,40\n"
                      "2,0.4,-3,1,0,0,1,38\n");
    scene_files_write(
        &files, "cam.JSON",
        "{\"keys\": [{\"frame\": 0, \"position\": [0, -3, 1], \"target\": [0, 0, 1]},"
        "{\"frame\": 1, \"position\": [0.1, -3, 1], \"target\": [0, 0, 1]},"
        "{\"frame\": 2, \"position\": [0.4, -3, 1], \"target\": [0, 0, 1], \"fov_y\": "
        "38}]}");
    vo_scene *a = scene_files_expect(&files, plain, "camera={\"table\": \"cam.csv\"}");
    vo_scene *b = scene_files_expect(&files, plain, "camera={\"table\": \"cam.JSON\"}");
    assert_same_cameras(a, b);
    /* x = 0.1 t^2 at frames 0, 1, 2, and between them: the ends do not ease. */
    assert_near(vo_scene_eval_camera(a, 0, 0.02).position.x, 0.025, 1e-12);
    assert_near(vo_scene_eval_camera(a, 0, 0.06).position.x, 0.225, 1e-12);
    assert_int_equal(a->input_count, 3);
    assert_non_null(strstr(a->input[2].stored, "cam.csv"));
    vo_scene_destroy(a);
    vo_scene_destroy(b);
    scene_files_close(&files);
}

static void invalid_cameras_are_rejected(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"camera={}", "camera: has no path; set position, keys, table or file"},
        {"camera={\"position\": [0, 0, 0]}", "camera.target: is missing"},
        {"camera={\"position\": [0, 0, 0], \"target\": [0, 0, 0]}",
         "camera.target: equals position"},
        {"camera={\"position\": [0, 0, 0], \"target\": [1, 0, 0], \"rotation\": [1, 0, 0, 0]}",
         "camera.rotation: target and rotation exclude"},
        {"camera={\"position\": [0, 0, 0], \"keys\": [{\"time\": 0, \"position\": [1, 0, 0], "
         "\"target\": [0, 0, 0]}]}",
         "camera.keys: position and keys exclude"},
        {"camera={\"position\": [0, 0, 1], \"target\": [0, 0, 0], \"clip\": \"walk\"}",
         "camera.clip: position and clip exclude"},
        {"camera={\"position\": [0, 0, 1], \"target\": [0, 0, 0], \"fps\": 24}",
         "camera.fps: position and fps exclude"},
        {"camera={\"target\": [0, 0, 0], \"keys\": [{\"time\": 0, \"position\": [0, 0, 1], "
         "\"target\": [0, 0, 0]}]}",
         "camera.target: keys and target exclude"},
        {"camera={\"table\": \"moves.mot\", \"file_camera\": \"a\"}",
         "camera.file_camera: table and file_camera exclude"},
        {"camera={\"keys\": []}", "camera.keys: the array is empty"},
        {"camera={\"keys\": [{\"position\": [1, 0, 0], \"target\": [0, 0, 0]}]}",
         "camera.keys[0].time: is missing"},
        {"camera={\"keys\": [{\"time\": 0, \"frame\": 1, \"position\": [1, 0, 0], \"target\": [0, "
         "0, 0]}]}",
         "camera.keys[0].frame: time and frame exclude"},
        {"camera={\"keys\": [{\"time\": 0, \"position\": [1, 0, 0], \"target\": [0, 0, 0]}, "
         "{\"time\": 0, \"position\": [1, 0, 0], \"target\": [0, 0, 0]}]}",
         "camera.keys[1].time: must be at least 1e-9 s later"},
        {"cameras=[{\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"fov_y\": 180}]",
         "(overridden by the caller): cameras[0].fov_y: fov_y must be from 0.001 to 179"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"fov_y\": 30, "
         "\"focal_length\": 30}",
         "camera.focal_length: fov_y and focal_length exclude"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"resolution\": [640]}",
         "camera.resolution: expected [width, height]"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"resolution\": [640, 0]}",
         "camera.resolution[1]: must be from 1 to 16384 pixels, is 0"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"aspect\": 1e10}",
         "camera.aspect: must be from 0.000463 to 15.17, so that an image with 1080 rows has 1 "
         "to"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"aspect\": 1e-5}",
         "camera.aspect: must be from"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"near\": 9, \"far\": 3}",
         "camera.far: must be greater than near; they are 3 m and 9 m"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"near\": 2000}",
         "camera.near: must be less than far; they are 2000 m and 1000 m"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"focal_length\": 1e9}",
         "camera.focal_length: fov_y must be"},
        {"camera={\"fov_y\": 180, \"keys\": [{\"time\": 0, \"position\": [1, 0, 0], \"target\": "
         "[0, 0, 0]}]}",
         "camera.fov_y: fov_y must be"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"up\": [0, 0, 0]}",
         "camera.up: must be a direction"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"weight\": 2}",
         "camera.weight: must be"},
        {"camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"motion\": 1}",
         "camera.motion: 1 does not exist"},
        {"cameras=[{\"name\": \"a\", \"position\": [1, 0, 0], \"target\": [0, 0, 0]}, {\"name\": "
         "\"a\", \"position\": [1, 0, 0], \"target\": [0, 0, 0]}]",
         "cameras[1].name: there is another camera \"a\""},
        {"shots=[{\"time\": 0, \"camera\": \"zoe\"}]",
         "shots[0].camera: there is no camera \"zoe\""},
        {"shots=[{\"time\": 0, \"camera\": \"\"}]", "shots[0].camera: is empty"},
        {"cameras=[{\"name\": \"none\", \"position\": [1, 0, 0], \"target\": [0, 0, 0]}]",
         "cameras[0].name: \"none\" cannot select a camera"},
        {"cameras=[{\"name\": \"zoom=2\", \"position\": [1, 0, 0], \"target\": [0, 0, 0]}]",
         "cameras[0].name: \"zoom=2\" cannot select a camera"},
        {"camera={\"table\": \"gone.csv\"}", "camera.table: there is no file \"gone.csv\""},
        {"camera={\"table\": \"bad.csv\"}", "camera.table: "},
        {"camera={\"table\": \"bad.csv\"}", "bad.csv: line 2: expected 7 values"},
        {"camera={\"table\": \"bad.json\"}", "bad.json: keys[0].position: is missing"},
        {"camera={\"table\": \"worse.json\"}",
         "worse.json: keys[1].time: must be at least 1e-9 s later"},
        {"camera={\"file\": \"gone.glb\"}", "camera.file: there is no file \"gone.glb\""},
    };
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "bad.csv", "time,x,y,z,tx,ty,tz\n0,1\n");
    scene_files_write(&files, "bad.json", "{\"keys\": [{\"time\": 0}]}");
    scene_files_write(&files, "worse.json",
                      "{\"keys\": [{\"time\": 0, \"position\": [1, 0, 0], \"target\": [0, 0, 0]},"
                      "{\"time\": -1, \"position\": [1, 0, 0], \"target\": [0, 0, 0]}]}");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        scene_files_refuse(&files, plain, bad[i][0], bad[i][1]);
    scene_files_close(&files);
}

/* ---- other programs' files ------------------------------------------------------------------ */

/* Loads the resolved scene, as a run does. */
static void copy_inputs(scene_files *files, const vo_scene *scene) {
    char path[700];
    snprintf(path, sizeof path, "%s/inputs", files->folder);
    assert_ok(files->ctx, vo_folder_create(files->ctx, path));
    for (int i = 0; i < scene->input_count; i++) {
        vo_bytes bytes;
        assert_ok(files->ctx, vo_file_read(files->ctx, scene->input[i].path, &bytes));
        snprintf(path, sizeof path, "%s/%s", files->folder, scene->input[i].stored);
        assert_ok(files->ctx, vo_file_write(files->ctx, path, bytes.data, bytes.size));
        vo_bytes_free(files->ctx, &bytes);
    }
}

/* The strip's camera stands at (0, 1, 5) with y up and goes to (0, 1, 6) within a second. */
static void cameras_of_files_are_sampled(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    scene_files files;
    scene_files_open(&files);
    strip_data strip = strip_make();
    scene_files_write(&files, "strip.gltf", strip_text(&strip));
    vo_scene *scene =
        scene_files_expect(&files,
                           "{" CLOTH ", \"units\": \"cm\", \"camera\": {\"file\": \"strip.gltf\", "
                           "\"start_time\": 2, \"transform\": {\"translate\": [100, 0, 0]}}}",
                           NULL);
    for (int i = 0; i <= 30; i++) {
        double t = 1.9 + 0.05 * i, s = vo_clamp(t - 2, 0, 1);
        vo_camera c = vo_scene_eval_camera(scene, 0, t);
        assert_vector(c.position, v3(1, -5 - s, 1), 1e-6); /* metres with z up, and the transform */
        assert_vector(c.forward, v3(0, 1, 0), 1e-6);
        assert_vector(c.up, v3(0, 0, 1), 1e-6);
        assert_near(c.tan_y, tan(0.3), 1e-6);
        assert_near(c.tan_x / c.tan_y, 1.5, 1e-3);
    }
    /* The resolved scene needs no camera file. */
    char *text;
    size_t size;
    assert_ok(files.ctx, vo_json_print(&scene->resolved, &text, &size));
    assert_null(strstr(text, "strip.gltf"));
    char path[700];
    snprintf(path, sizeof path, "%s/strip.gltf", files.folder);
    assert_int_equal(remove(path), 0);
    copy_inputs(&files, scene);
    vo_scene *again = scene_files_expect(&files, text, NULL);
    assert_same_cameras(scene, again);
    vo_free(files.ctx, text, size + 1);
    vo_scene_destroy(scene);
    vo_scene_destroy(again);
    scene_files_close(&files);
}

static void unknown_names_in_files_are_rejected(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    scene_files files;
    scene_files_open(&files);
    strip_data strip = strip_make();
    scene_files_write(&files, "strip.gltf", strip_text(&strip));
    scene_files_write(&files, "person.bvh", person_bvh);
    vo_scene *scene = scene_files_expect(&files, plain,
                                         "camera={\"file\": \"strip.gltf\", \"file_camera\": "
                                         "\"eye\", \"clip\": \"bend\", \"fov_y\": 50, "
                                         "\"resolution\": [100, 100]}");
    assert_near(vo_scene_eval_camera(scene, 0, 0).tan_x, tan(25 * VO_PI / 180), 1e-12);
    vo_scene_destroy(scene);
    scene_files_refuse(&files, plain,
                       "camera={\"file\": \"strip.gltf\", \"file_camera\": \"nose\"}",
                       "camera.file_camera: the file has no camera 'nose', it has 'eye'; the "
                       "name is that of the camera's node");
    scene_files_refuse(&files, plain, "camera={\"file\": \"strip.gltf\", \"clip\": \"jump\"}",
                       "camera.clip: the file has no clip 'jump', it has 'bend'");
    scene_files_refuse(&files, plain, "camera={\"file\": \"person.bvh\"}",
                       "camera.file: the file contains no camera");
    scene_files_refuse(&files, plain, "camera={\"file\": \"cloth.json\"}", "camera.file: ");
    scene_files_close(&files);
}

/* Cameras with an invalid projection or transform are rejected with the reason. */
static void invalid_cameras_of_files_are_rejected(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    static const char rest[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"name\":\"eye\",\"camera\":0,\"scale\":[%s]}],\"cameras\":[{%s}]}";
    static const char wide[] = "\"type\":\"perspective\",\"perspective\":{\"yfov\":0.6,"
                               "\"aspectRatio\":1.5,\"znear\":0.1,\"zfar\":100}";
    static const char flat[] = "\"type\":\"orthographic\",\"orthographic\":{\"xmag\":1,"
                               "\"ymag\":1,\"znear\":0.1,\"zfar\":100}";
    static const char *const eyes[][3] = {
        {"0,0,0", wide, "camera.file: at 0 s: the scale of its node is 0"},
        {"1,0,1", wide, "camera.file: at 0 s: the scale of its node is 0"},
        {"1,1,1", flat, "eye.gltf: has cameras without perspective only"},
    };
    scene_files files;
    scene_files_open(&files);
    char text[1024];
    for (size_t i = 0; i < sizeof eyes / sizeof *eyes; i++) {
        snprintf(text, sizeof text, rest, eyes[i][0], eyes[i][1]);
        scene_files_write(&files, "eye.gltf", text);
        scene_files_refuse(&files, plain, "camera={\"file\": \"eye.gltf\"}", eyes[i][2]);
    }
    snprintf(text, sizeof text, rest, "1e-3,1e-3,1e-3", wide); /* a small scale is valid */
    scene_files_write(&files, "eye.gltf", text);
    vo_scene_destroy(scene_files_expect(&files, plain, "camera={\"file\": \"eye.gltf\"}"));
    scene_files_close(&files);
}

/* ---- cuts in them --------------------------------------------------------------------------- */

/* A key of a camera at (x, 1, 5) that is turned about the vertical; y is up. */
static void set_eye(eye_data *eye, int k, double time, double x, double degrees) {
    double half = degrees * VO_PI / 360;
    eye->time[k] = (float)time;
    eye->move[k][0] = (float)x;
    eye->move[k][1] = 1;
    eye->move[k][2] = 5;
    eye->turn[k][1] = (float)sin(half);
    eye->turn[k][3] = (float)cos(half);
}

static vo_scene *film_eye(scene_files *files, const eye_data *eye, int count,
                          const char *interpolation, const char *more) {
    char text[512];
    scene_files_write(files, "eye.gltf", eye_text(eye, count, interpolation));
    snprintf(text, sizeof text, "{" CLOTH ", \"camera\": {\"file\": \"eye.gltf\"%s}}", more);
    return scene_files_expect(files, text, NULL);
}

static void assert_cuts(const vo_scene *scene, int count, const double *time) {
    double cut[8];
    assert_int_equal(vo_scene_camera_cuts(scene, 0, -1, 99, 8, cut), count);
    for (int i = 0; i < count; i++) assert_near(cut[i], time[i], 0);
}

/* Step interpolation: the camera is fixed between keys and jumps at their times. */
static void step_keys_are_cuts(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    scene_files files;
    scene_files_open(&files);
    eye_data eye = {0};
    set_eye(&eye, 0, 0, 0, 0);
    set_eye(&eye, 1, 1, 0.05, 0); /* also a small move */
    set_eye(&eye, 2, 2.2, 3, 70);
    set_eye(&eye, 3, 4, 3, 70); /* equal keys: no cut */
    vo_scene *scene = film_eye(&files, &eye, 4, "STEP", "");
    assert_cuts(scene, 2, (double[]){1, 55 * 0.04});
    const struct {
        double time, x;
    } place[] = {{0, 0},         {0.5, 0},     {nextafter(1, 0), 0},
                 {1, 0.05},      {1.77, 0.05}, {2.19, 0.05},
                 {55 * 0.04, 3}, {3, 3},       {9, 3}};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        vo_camera c = vo_scene_eval_camera(scene, 0, place[i].time);
        assert_vector(c.position, v3(place[i].x, -5, 1), 1e-6);
        double turn = place[i].x > 1 ? 70 * VO_PI / 180 : 0;
        assert_vector(c.forward, v3(-sin(turn), cos(turn), 0), 1e-6);
    }
    assert_non_null(strstr(files.log, "camera: 2 cuts detected in the file, the first at 1 s"));
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* The same camera as a binary file whose node has no name. */
static void step_keys_of_binary_files_are_cuts(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    scene_files files;
    scene_files_open(&files);
    eye_data eye = {0};
    for (int k = 0; k < 3; k++) set_eye(&eye, k, k, k, 0);
    static char text[16384], bytes[28 + sizeof text + sizeof eye];
    snprintf(text, sizeof text, "%s", eye_text(&eye, 3, "STEP"));
    memcpy(strstr(text, "\"name\":\"eye\","), "             ", 13);
    memcpy(strstr(text, ",\"uri\""), "}]}", 4);
    while (strlen(text) % 4) strcat(text, " ");
    size_t size = strlen(text), all = 28 + size + sizeof eye;
    const uint32_t head[] = {2, (uint32_t)all, (uint32_t)size}, body = sizeof eye;
    memcpy(bytes, "glTF", 4);
    memcpy(bytes + 4, head, sizeof head);
    memcpy(bytes + 16, "JSON", 4);
    memcpy(bytes + 20, text, size);
    memcpy(bytes + 20 + size, &body, 4);
    memcpy(bytes + 24 + size, "BIN", 4);
    memcpy(bytes + 28 + size, &eye, sizeof eye);
    char path[700];
    snprintf(path, sizeof path, "%s/eye.glb", files.folder);
    assert_ok(files.ctx, vo_file_write(files.ctx, path, bytes, all));
    vo_scene *scene = scene_files_expect(&files, plain, "camera={\"file\": \"eye.glb\"}");
    assert_cuts(scene, 2, (double[]){1, 2});
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

typedef struct long_text {
    char s[17000];
} long_text;

/* Replaces the first occurrence of a part of the text. */
static void change(long_text *text, const char *part, const char *instead) {
    char *at = strstr(text->s, part);
    assert_non_null(at);
    size_t rest = strlen(at + strlen(part)) + 1;
    assert_true((size_t)(at - text->s) + strlen(instead) + rest <= sizeof text->s);
    memmove(at + strlen(instead), at + strlen(part), rest);
    memcpy(at, instead, strlen(instead));
}

static long_text held_eye(const eye_data *eye, int count) {
    long_text text;
    snprintf(text.s, sizeof text.s, "%s", eye_text(eye, count, "STEP"));
    return text;
}

/* Ignored channels: a sampler without values, and a channel of another node of the same name. */
static void channels_without_keys_are_ignored(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    scene_files files;
    scene_files_open(&files);
    eye_data eye = {0};
    for (int k = 0; k < 3; k++) set_eye(&eye, k, k, k, 40 * k);
    for (int kind = 0; kind < 2; kind++) {
        const char *const output[] = {"\"output\":1,", "\"output\":2,"};
        const char *const path[] = {"0,\"path\":\"rotation\"", "0,\"path\":\"translation\""};
        const char *const other[] = {"1,\"path\":\"rotation\"", "1,\"path\":\"translation\""};
        long_text text = held_eye(&eye, 3);
        change(&text, output[kind], "");
        scene_files_write(&files, "eye.gltf", text.s);
        vo_scene *scene = scene_files_expect(&files, plain, "camera={\"file\": \"eye.gltf\"}");
        assert_cuts(scene, 2, (double[]){1, 2});
        vo_scene_destroy(scene);
        text = held_eye(&eye, 3);
        change(&text, "\"camera\":0}", "\"camera\":0},{\"name\":\"eye\"}");
        change(&text, "\"nodes\":[0]", "\"nodes\":[0,1]");
        change(&text, path[kind], other[kind]);
        scene_files_write(&files, "eye.gltf", text.s);
        scene = scene_files_expect(&files, plain, "camera={\"file\": \"eye.gltf\"}");
        assert_int_equal(scene->camera_count, 1);
        vo_scene_destroy(scene);
    }
    scene_files_close(&files);
}

/* Translation and rotation have separate key times, which may differ by rounding: no frame mixes
 * the position of one shot with the rotation of the other. */
static void rounded_key_times_are_merged(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    static const char *const late[] = {"{\"input\":0,\"output\":1", "{\"input\":0,\"output\":2"};
    static const char *const instead[] = {"{\"input\":3,\"output\":1", "{\"input\":3,\"output\":2"};
    static const char *const call[] = {"camera={\"file\": \"eye.gltf\"}",
                                       "camera={\"file\": \"eye.gltf\", \"cuts\": [25]}"};
    scene_files files;
    scene_files_open(&files);
    eye_data eye = {0};
    for (int k = 0; k < 3; k++) set_eye(&eye, k, k, k > 0 ? 3 : 0, k > 0 ? 70 : 0);
    for (int k = 0; k < 3; k++) eye.time[128 + k] = k == 1 ? 1.00005f : eye.time[k];
    for (int i = 0; i < 4; i++) {
        long_text text = held_eye(&eye, 3);
        change(&text, late[i / 2], instead[i / 2]);
        change(&text, "}],\"bufferViews\"",
               "},{\"bufferView\":0,\"byteOffset\":512,\"componentType\":5126,\"count\":3,"
               "\"type\":\"SCALAR\",\"min\":[0],\"max\":[2]}],\"bufferViews\"");
        scene_files_write(&files, "eye.gltf", text.s);
        vo_scene *scene = scene_files_expect(&files, plain, call[i % 2]);
        assert_cuts(scene, 1, (double[]){1});
        double turn = 70 * VO_PI / 180;
        vo_camera before = vo_scene_eval_camera(scene, 0, nextafter(1, 0));
        vo_camera after = vo_scene_eval_camera(scene, 0, 1);
        assert_vector(before.position, v3(0, -5, 1), 1e-6);
        assert_vector(before.forward, v3(0, 1, 0), 1e-6);
        assert_vector(after.position, v3(3, -5, 1), 1e-6);
        assert_vector(after.forward, v3(-sin(turn), cos(turn), 0), 1e-6);
        vo_scene_destroy(scene);
    }
    scene_files_close(&files);
}

/* Two shots of a second each, a key for each of 24 frames a second: one that goes slowly to the
 * right, and one that pans elsewhere. */
static int two_shots(eye_data *eye, double jump, double turn) {
    for (int k = 0; k <= 48; k++)
        set_eye(eye, k, k / 24.0, k < 24 ? 0.02 * k : jump, k < 24 ? 0 : turn + 0.5 * (k - 24));
    return 49;
}

/* No position between the two shots is sampled, also at another frame rate. */
static void jumps_between_keys_are_cuts(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    static const double jump[][2] = {{4, 0}, {0.46, 50}, {-2, -120}};
    scene_files files;
    scene_files_open(&files);
    for (int i = 0; i < 3; i++) {
        eye_data eye = {0};
        int count = two_shots(&eye, jump[i][0], jump[i][1]);
        vo_scene *scene = film_eye(&files, &eye, count, "LINEAR", "");
        assert_cuts(scene, 1, (double[]){1});
        for (int k = 0; k < 1000; k++) {
            double t = k / 1000.0;
            vo_camera c = vo_scene_eval_camera(scene, 0, t);
            assert_vector(c.position, v3(0.48 * vo_min(t, 23 / 24.0), -5, 1), 1e-4);
            assert_vector(c.forward, v3(0, 1, 0), 1e-6);
        }
        assert_near(vo_scene_eval_camera(scene, 0, 1).position.x, jump[i][0], 1e-6);
        vo_scene_destroy(scene);
    }
    scene_files_close(&files);
}

/* Fast motion, fast rotation and a sudden start are not cuts. */
static void fast_pans_are_not_cuts(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    scene_files files;
    scene_files_open(&files);
    for (int frames = 2; frames <= 12; frames++) {
        for (int way = 0; way < 3; way++) {
            eye_data eye = {0};
            for (int k = 0; k <= 48; k++) {
                double s = vo_clamp((k - 20.0) / frames, 0, 1), eased = s * s * (3 - 2 * s);
                double x = way == 0 ? 0 : way == 1 ? 6 * eased : 0.8 * k;
                set_eye(&eye, k, k / 24.0, x, way == 0 ? 120 * s : 90 * eased);
            }
            vo_scene *scene = film_eye(&files, &eye, 49, "LINEAR", "");
            assert_cuts(scene, 0, NULL);
            vo_scene_destroy(scene);
            scene = film_eye(&files, &eye, 49, "STEP", "");
            assert_cuts(scene, 0, NULL);
            vo_scene_destroy(scene);
        }
    }
    scene_files_close(&files);
}

static void cuts_can_be_listed(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    scene_files files;
    scene_files_open(&files);
    eye_data eye = {0};
    int count = two_shots(&eye, 0.6, 0); /* 14 cm: below the threshold of a cut */
    vo_scene *scene = film_eye(&files, &eye, count, "LINEAR", "");
    assert_cuts(scene, 0, NULL);
    vo_scene_destroy(scene);
    scene = film_eye(&files, &eye, count, "LINEAR", ", \"fps\": 24, \"cuts\": [24]");
    assert_cuts(scene, 1, (double[]){1});
    assert_near(vo_scene_eval_camera(scene, 0, nextafter(1, 0)).position.x, 0.46, 1e-6);
    assert_near(vo_scene_eval_camera(scene, 0, 1).position.x, 0.6, 1e-6);
    assert_null(strstr(files.log, "cuts"));
    vo_scene_destroy(scene);
    two_shots(&eye, 6, 0);
    scene = film_eye(&files, &eye, count, "LINEAR", ", \"cuts\": []");
    assert_cuts(scene, 0, NULL);
    vo_scene_destroy(scene);
    scene_files_refuse(&files, plain, "camera={\"file\": \"eye.gltf\", \"cuts\": [30, 30]}",
                       "camera.cuts[1]: frame 30 must be later than the previous cut");
    scene_files_refuse(&files, plain, "camera={\"file\": \"eye.gltf\", \"cuts\": [0]}",
                       "camera.cuts[0]: frame 0 must be later than the previous cut");
    scene_files_refuse(&files, plain, "camera={\"file\": \"eye.gltf\", \"cuts\": [51]}",
                       "within the clip, frames 0 to 50");
    scene_files_refuse(&files, plain, "camera={\"file\": \"eye.gltf\", \"cuts\": 3}",
                       "camera.cuts: ");
    scene_files_refuse(&files, plain,
                       "camera={\"position\": [1, 0, 0], \"target\": [0, 0, 0], \"cuts\": [3]}",
                       "camera.cuts: applies to file only");
    scene_files_close(&files);
}

/* ---- memory --------------------------------------------------------------------------------- */

static vo_result load_once(vo_context *ctx, void *arg) {
    vo_scene *scene;
    VO_TRY(vo_scene_load(ctx, arg, 0, NULL, &scene));
    vo_scene_destroy(scene);
    return VO_OK;
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "cam.csv", "time,x,y,z,tx,ty,tz\n0,1,0,0,0,0,0\n1,2,0,0,0,0,0\n");
    scene_files_write(&files, "scene.json",
                      "{" CLOTH ", \"camera\": {\"name\": \"t\", \"table\": \"cam.csv\"}, "
                      "\"cameras\": [{\"name\": \"a\", \"position\": [1, 0, 0], \"target\": [0, 0, "
                      "0]}], \"shots\": [{\"time\": 0, \"camera\": \"a\"}]}");
    char path[700];
    snprintf(path, sizeof path, "%s/scene.json", files.folder);
    test_every_allocation(load_once, path);
    scene_files_close(&files);
}

static void out_of_memory_for_cuts_is_reported(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    scene_files files;
    scene_files_open(&files);
    eye_data eye = {0};
    for (int k = 0; k < 3; k++) set_eye(&eye, k, k, k, 0);
    vo_scene_destroy(film_eye(&files, &eye, 3, "STEP", ""));
    test_every_allocation(load_once, files.path);
    vo_scene_destroy(film_eye(&files, &eye, 3, "LINEAR", ", \"cuts\": [3]"));
    test_every_allocation(load_once, files.path);
    scene_files_close(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_give_keys),
        cmocka_unit_test(invalid_lines_are_named),
        cmocka_unit_test(truncated_tables_do_not_crash),
        cmocka_unit_test(camera_without_keys_is_fixed),
        cmocka_unit_test(sensor_without_focal_length_warns),
        cmocka_unit_test(rotations_follow_up_axis),
        cmocka_unit_test(keys_by_time_and_frame_are_equal),
        cmocka_unit_test(shots_select_cameras),
        cmocka_unit_test(lights_are_not_active_cameras),
        cmocka_unit_test(motions_transform_cameras),
        cmocka_unit_test(tables_of_both_kinds_are_equal),
        cmocka_unit_test(invalid_cameras_are_rejected),
        cmocka_unit_test(cameras_of_files_are_sampled),
        cmocka_unit_test(unknown_names_in_files_are_rejected),
        cmocka_unit_test(invalid_cameras_of_files_are_rejected),
        cmocka_unit_test(step_keys_are_cuts),
        cmocka_unit_test(step_keys_of_binary_files_are_cuts),
        cmocka_unit_test(channels_without_keys_are_ignored),
        cmocka_unit_test(rounded_key_times_are_merged),
        cmocka_unit_test(jumps_between_keys_are_cuts),
        cmocka_unit_test(fast_pans_are_not_cuts),
        cmocka_unit_test(cuts_can_be_listed),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(out_of_memory_for_cuts_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
