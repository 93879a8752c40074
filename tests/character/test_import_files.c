/* Damaged, truncated and mislabelled files: an error message, never a crash. */
#include "support.h"

#include "character/import/wire.h"
#include "core/file.h"
#include "core/random.h"
#include "import_files.h"

#include <stdlib.h>
#include <sys/stat.h>

/* The import must fail with this result and a message that contains the file and `words`. */
static void check_rejected(const char *path, vo_result expected, const char *words) {
    vo_context *ctx = test_context(1);
    vo_character c;
    vo_result result = vo_import_character(ctx, path, NULL, &c);
    const char *message = vo_context_message(ctx);
    if (result != expected || strstr(message, words) == NULL || strstr(message, path) == NULL) {
        fail_msg("%s: result %d: %s; expected %d: %s", path, (int)result, message, (int)expected,
                 words);
    }
    assert_null(c.ctx);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void unreadable_files_are_rejected(void **state) {
    (void)state;
    check_rejected(file_path("absent.glb"), VO_IO_FAILED, "No such file");
    check_rejected(file_text("scene.blend", "x"), VO_BAD_DATA, "not a format that can be imported");
    check_rejected(file_text("none", "x"), VO_BAD_DATA, "use .glb");
    check_rejected(file_text("empty.fbx", ""), VO_BAD_DATA, "is empty");
    check_rejected(file_text("text.fbx", "hello"), VO_BAD_DATA, "not an FBX file");
    check_rejected(file_text("text.glb", "hello, this is no glTF"), VO_BAD_DATA,
                   "not a binary glTF");
    check_rejected(file_text("text.gltf", "{}"), VO_BAD_DATA, "no \"asset\"");
    check_rejected(file_text("text.dae", "<html/>"), VO_BAD_DATA, "not a Collada");
    check_rejected(file_text("text.bvh", "ROOT"), VO_BAD_DATA, "no HIERARCHY");
    check_rejected(file_text("cut.bvh", "HIERARCHY\nROOT a\n{\n"), VO_BAD_DATA, "no MOTION");
    check_rejected(file_text("text.obj", "v 1 2\n"), VO_BAD_DATA, "line 1");
    check_rejected(file_text("unit.dae", "<COLLADA><unit meter=\"-1\"/>"), VO_BAD_DATA,
                   "not a length from 1e-9 to 1e6");
}

/* Writes a small recording with one part replaced. */
static const char *changed_bvh(const char *old, const char *new) {
    static const char whole[] = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\n"
                                "CHANNELS 3 Zrotation Xrotation Yrotation\n"
                                "JOINT Leg\n{\nOFFSET 10 0 0\nCHANNELS 1 Zrotation\n"
                                "End Site\n{\nOFFSET 0 -40 0\n}\n}\n}\n"
                                "MOTION\nFrames: 2\nFrame Time: 0.04\n0 90 5 4\n0 91 6 3\n";
    char text[1000];
    const char *at = strstr(whole, old);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, new, at + strlen(old));
    return file_text("changed.bvh", text);
}

static void bvh_errors_state_the_line(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"Frames: 2", "Frames: 3", "it ends within frame 3 of 3, each with 4 numbers; it"},
        {"91 6 3", "91", "it ends within frame 2 of 2"},
        {"91 6", "91 x6", "line 20: expected a number, found \"x6\""},
        {"Xrotation", "Wrotation", "line 5: expected a channel (Xposition to Zposition, Xrotation"},
        {"10 0 0", "10 a 0", "line 8: expected a number of OFFSET, found \"a\""},
        {"CHANNELS 1", "CHANNELS 12", "line 9: a joint has at most 6 channels, not 12"},
        {"JOINT", "JOIN",
         "line 6: expected OFFSET, CHANNELS, JOINT, End Site or }, found \"JOIN\""},
        {"Frame Time: 0.04", "", "line 19: expected Frame, found \"0\""},
        {"Frames: 2", "Frames: many", "line 17: expected the number of frames, found \"many\""},
        {"Leg\n{", "Leg", "line 7: expected {, found \"OFFSET\""},
        {"Leg\n{", "the left Leg", "line 7: expected {, found \"OFFSET\""},
        {"Leg\n{\nOFFSET 10 0", "Leg End\n{\nOFFSET 10 a", "line 8: expected a number of OFFSET"},
        {"Site\n{\nOFFSET 0 -40 0\n", "Site", "line 11: expected {, found \"}\""},
        {"{\nOFFSET 0 90 0", "{OFFSET 0 90 a", "line 3: expected a number of OFFSET, found \"a\""},
        {"}\n}\n}\nMOTION\nFrames: 2", "}}}MOTION Frames: none",
         "line 13: expected the number of frames, found \"none\""},
        {"HIERARCHY", "\xef\xbb\xbfHIERARCHY", "it begins with a byte-order mark"},
        {"Frame Time: 0.04\n0 90 5 4\n0 91 6 3\n", "",
         "it ends where Frame should be; it was truncated"},
    };
    if (!vo_import_has_assimp()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_rejected(changed_bvh(cases[i][0], cases[i][1]), VO_BAD_DATA, cases[i][2]);
}

static void detectable_damage_is_reported(void **state) {
    (void)state;
    check_rejected(file_write("cut.glb", "glTF\2\0\0\0\200\0\0\0\4\0\0\0JSON{}  ", 24), VO_BAD_DATA,
                   "has 24 bytes, but its header states 128");
    check_rejected(file_write("old.glb", "glTF\7\0\0\0\30\0\0\0\4\0\0\0JSON{}  ", 24), VO_BAD_DATA,
                   "version 7");
    check_rejected(file_write("chunk.glb", "glTF\2\0\0\0\30\0\0\0\100\0\0\0JSON{}  ", 24),
                   VO_BAD_DATA, "ends outside the file");
    check_rejected(file_text("draco.gltf",
                             "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":"
                             "[\"KHR_draco_mesh_compression\"]}"),
                   VO_BAD_DATA, "without compression");
    if (!vo_import_has_assimp()) return;
    check_rejected(file_text("bare.gltf", "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{}]}"),
                   VO_BAD_DATA, "export");
}

/* Writes a strip with one invalid number. */
static void check_strip(void (*spoil)(strip_data *strip), const char *words) {
    strip_data strip = strip_make();
    spoil(&strip);
    check_rejected(file_text("spoilt.gltf", strip_text(&strip)), VO_BAD_DATA, words);
}

static void spoil_position(strip_data *s) { s->x[2][1] = NAN; }
static void spoil_weight(strip_data *s) { s->weight[3][0] = INFINITY; }
static void spoil_bind(strip_data *s) { s->inverse[1][5] = NAN; }
static void spoil_turn(strip_data *s) { s->turn[1][2] = s->turn[1][3] = 0; }
static void spoil_move(strip_data *s) { s->move[1][0] = NAN; }
static void spoil_order(strip_data *s) { s->time[0] = 3; }
static void spoil_time(strip_data *s) { s->time[1] = NAN; }
static void flatten_bind(strip_data *s) {
    for (int i = 0; i < 2; i++) memset(s->inverse[i], 0, 12 * sizeof(float));
}

static void invalid_numbers_are_rejected(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    check_strip(spoil_position, "a vertex is not finite");
    check_strip(spoil_weight, "a weight is not finite");
    check_strip(spoil_bind, "not finite");
    check_strip(spoil_turn, "bone 'upper': a rotation key is zero or not finite");
    check_strip(spoil_move, "bone 'eye': a key is not finite");
    check_strip(spoil_order, "not ascending");
    check_strip(spoil_time, "time of a key is not finite");
    check_strip(flatten_bind, "flattened");
}

static void build_without_assimp_reports_it(void **state) {
    (void)state;
    if (vo_import_has_assimp()) skip();
    check_rejected(strip_file("strip.gltf"), VO_BAD_ARGUMENT, "no Assimp");
}

/* Imports damaged bytes: succeeds or fails with a message, in limited time. */
static void try_bytes(vo_context *ctx, const char *name, const void *data, size_t size) {
    vo_character c;
    vo_import_options options = vo_import_options_default();
    options.timeout = 5;
    vo_result result = vo_import_character(ctx, file_write(name, data, size), &options, &c);
    if (result == VO_OK) {
        vo_vec3 *x = calloc((size_t)c.node_count + 1, sizeof *x);
        const vo_joint_clip *clip = c.clip_count > 0 ? &c.clip[0] : NULL;
        assert_ok(ctx, character_positions(&c, clip, 0.3, VO_CLIP_LOOP, x));
        free(x);
    } else {
        assert_true(result == VO_BAD_DATA || result == VO_NO_MEMORY);
        assert_message_contains(ctx, name);
    }
    vo_character_free(&c);
}

/* Truncates at all short lengths and a sample of the others; all lengths would take minutes. */
static void truncate_everywhere(const char *name, const char *text, size_t size) {
    vo_context *ctx = test_context(1);
    for (size_t n = 0; n < size; n += 1 + size / 60) try_bytes(ctx, name, text, n);
    vo_context_destroy(ctx);
}

/* Changes some bytes at random positions, letters by letters as often as by any byte. */
static void change_bytes(const char *name, const char *text, size_t size, int rounds,
                         uint64_t seed) {
    vo_context *ctx = test_context(1);
    vo_random random = vo_random_seed(seed);
    char *copy = malloc(size);
    for (int i = 0; i < rounds; i++) {
        memcpy(copy, text, size);
        int changes = 1 + (int)(vo_random_u64(&random) % 6);
        for (int k = 0; k < changes; k++) {
            size_t at = vo_random_u64(&random) % size, from = vo_random_u64(&random) % size;
            copy[at] = vo_random_u64(&random) % 2 ? text[from] : (char)vo_random_u64(&random);
        }
        try_bytes(ctx, name, copy, size);
    }
    free(copy);
    vo_context_destroy(ctx);
}

static void truncated_files_are_handled(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    strip_data strip = strip_make();
    const char *text = strip_text(&strip);
    truncate_everywhere("cut.gltf", text, strlen(text));
    truncate_everywhere("cut.bvh", person_bvh, strlen(person_bvh));
    truncate_everywhere("cut.dae", triangle_dae, strlen(triangle_dae));
    truncate_everywhere("cut.fbx", triangle_fbx, strlen(triangle_fbx));
}

static void changed_files_are_handled(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    int rounds = TEST_SLOWNESS > 1 ? 20 : 100;
    strip_data strip = strip_make();
    const char *text = strip_text(&strip);
    change_bytes("changed.gltf", text, strlen(text), rounds, 1);
    change_bytes("changed.bvh", person_bvh, strlen(person_bvh), rounds, 2);
    change_bytes("changed.dae", triangle_dae, strlen(triangle_dae), rounds, 3);
    change_bytes("changed.fbx", triangle_fbx, strlen(triangle_fbx), rounds, 4);
}

static void changed_character_is_handled(void **state) {
    (void)state;
    if (!vo_import_has_assimp() || test_data() == NULL) {
        print_message("no Assimp or no data: $VOILE_DATA/characters is not there\n");
        skip();
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/characters/CesiumMan.glb", test_data());
    if (!vo_file_exists(path)) skip();
    vo_context *ctx = test_context(1);
    vo_bytes bytes;
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    /* changes of the JSON and the first numbers have the largest effect */
    vo_random random = vo_random_seed(7);
    char *copy = malloc(bytes.size);
    for (int i = 0; i < (TEST_SLOWNESS > 1 ? 10 : 60); i++) {
        memcpy(copy, bytes.data, bytes.size);
        for (int k = 0; k < 8; k++) {
            size_t at = 20 + vo_random_u64(&random) % 40000;
            copy[at] = bytes.data[20 + vo_random_u64(&random) % 20000];
        }
        try_bytes(ctx, "changed.glb", copy, bytes.size);
    }
    free(copy);
    vo_bytes_free(ctx, &bytes);
    vo_context_destroy(ctx);
}

/* The parser of the parent alone, with messages of a faulty child. */
static void changed_messages_are_rejected(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    vo_context *ctx = test_context(1);
    vo_bytes good;
    assert_ok(ctx, vo_wire_fetch(ctx, strip_file("strip.gltf"), 60, &good));
    vo_random random = vo_random_seed(11);
    for (int i = 0; i < 20000; i++) {
        size_t size = i < 10000 ? good.size : vo_random_u64(&random) % good.size;
        vo_bytes bytes = {vo_alloc(ctx, size + 1), size};
        memcpy(bytes.data, good.data, size);
        bytes.data[size] = 0;
        for (int k = 0; k < 3 && i < 10000; k++) {
            bytes.data[vo_random_u64(&random) % size] = (char)vo_random_u64(&random);
        }
        vo_raw_file file;
        vo_result result = vo_wire_parse(ctx, "message", bytes, &file);
        assert_true(result == VO_OK ? i < 10000 : result == VO_BAD_DATA);
        if (result == VO_OK) vo_raw_file_free(ctx, &file);
    }
    vo_bytes_free(ctx, &good);
    vo_context_destroy(ctx);
}

/* A file that references a pipe which is never written: Assimp waits, the timeout ends it. */
static void import_timeout_is_reported(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    strip_data strip = strip_make();
    const char *text = strip_text(&strip), *data = strstr(text, "data:");
    char other[8192];
    snprintf(other, sizeof other, "%.*snever.bin\"}]}", (int)(data - text), text);
    const char *path = file_text("waiting.gltf", other);
    assert_int_equal(mkfifo(file_path("never.bin"), 0600), 0);
    vo_context *ctx = test_context(1);
    vo_import_options options = vo_import_options_default();
    options.timeout = 0.1;
    vo_character c;
    assert_int_equal(vo_import_character(ctx, path, &options, &c), VO_BAD_DATA);
    assert_message_contains(ctx, "reading took more than 0.1 s");
    vo_context_destroy(ctx);
}

static vo_result import_body(vo_context *ctx, void *arg) {
    vo_character c;
    vo_vec3 x[16];
    VO_TRY(vo_import_character(ctx, arg, NULL, &c));
    vo_result result =
        character_positions(&c, c.clip_count > 0 ? &c.clip[0] : NULL, 0.5, VO_CLIP_LOOP, x);
    vo_character_free(&c);
    return result;
}

static void import_out_of_memory_is_reported(void **state) {
    (void)state;
    char path[1024];
    snprintf(path, sizeof path, "%s",
             file_text("body.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n"));
    test_every_allocation(import_body, path);
    if (!vo_import_has_assimp()) skip();
    snprintf(path, sizeof path, "%s", strip_file("strip.gltf"));
    test_every_allocation(import_body, path);
    snprintf(path, sizeof path, "%s", file_text("person.bvh", person_bvh));
    test_every_allocation(import_body, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unreadable_files_are_rejected),
        cmocka_unit_test(detectable_damage_is_reported),
        cmocka_unit_test(bvh_errors_state_the_line),
        cmocka_unit_test(invalid_numbers_are_rejected),
        cmocka_unit_test(build_without_assimp_reports_it),
        cmocka_unit_test(truncated_files_are_handled),
        cmocka_unit_test(changed_files_are_handled),
        cmocka_unit_test(changed_character_is_handled),
        cmocka_unit_test(changed_messages_are_rejected),
        cmocka_unit_test(import_timeout_is_reported),
        cmocka_unit_test(import_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
