/* Clip files: valid keys, rejected keys with their paths, damaged files. */
#include "support.h"

#include "character/clip.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

/* The text must be rejected with a message that contains `expected`, without memory leaks. */
static void check_rejected(const char *text, const char *expected) {
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_clip *clip;
    assert_int_equal(vo_clip_parse(ctx, "c.json", text, strlen(text), &clip), VO_BAD_DATA);
    assert_null(clip);
    assert_message_contains(ctx, expected);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

#define KEYS(text) "{\"duration\": 2, \"keys\": " text "}"
#define KEY(text)  KEYS("[{\"time\": 0, " text "}]")

static void bad_headers_are_rejected(void **state) {
    (void)state;
    check_rejected("", "c.json");
    check_rejected("{", "c.json: line 1");
    check_rejected("[]", "expected an object with duration");
    check_rejected("{}", "c.json: duration: is missing");
    check_rejected("{\"duration\": 0, \"keys\": []}", "duration: must be between");
    check_rejected("{\"duration\": -1, \"keys\": []}", "duration: must be between");
    check_rejected("{\"duration\": \"x\", \"keys\": []}", "duration: expected a number");
    check_rejected("{\"duration\": 1, \"lop\": true}", "loop");
    check_rejected("{\"duration\": 1, \"loop\": 3}", "loop: ");
    check_rejected("{\"duration\": 1, \"leg\": 0}", "leg: must be between");
    check_rejected("{\"duration\": 1, \"description\": 7}", "description: ");
    check_rejected("{\"duration\": 1, \"symmetry\": \"both\"}",
                   "symmetry: must be none, mirror or");
    check_rejected("{\"duration\": 1, \"symmetry\": \"alternate\"}", "symmetry: only a loop");
    check_rejected("{\"duration\": 1, \"travel\": [1, 0]}", "travel: only a loop");
    check_rejected("{\"duration\": 1, \"turns\": 1}", "turns: only a loop");
    check_rejected("{\"duration\": 1, \"loop\": true, \"travel\": [1]}", "travel: ");
    check_rejected("{\"duration\": 1, \"loop\": true, \"travel\": [1, 1e3]}",
                   "travel: must be between");
    check_rejected("{\"duration\": 1, \"loop\": true, \"turns\": 101}", "turns: must be between");
    check_rejected(
        "{\"duration\": 1, \"loop\": true, \"symmetry\": \"mirror\", \"travel\": [0, 1]}",
        "travel: a symmetric clip");
    check_rejected("{\"duration\": 1, \"loop\": true, \"symmetry\": \"mirror\", \"turns\": 1}",
                   "turns: a symmetric clip");
}

static void invalid_keys_are_rejected(void **state) {
    (void)state;
    check_rejected("{\"duration\": 2}", "keys: is missing");
    check_rejected(KEYS("3"), "keys: expected an array");
    check_rejected(KEYS("[]"), "keys: expected an array of at least one");
    check_rejected(KEYS("[7]"), "keys[0]: expected an object");
    check_rejected(KEYS("[{}]"), "keys[0].time: is missing");
    check_rejected(KEYS("[{\"time\": 3}]"), "keys[0].time: must be between 0 and 2, not 3");
    check_rejected(KEYS("[{\"time\": 1}, {\"time\": 1}]"), "keys[1].time: must be later than");
    check_rejected(KEY("\"left sin\": {}"), "left shin");
    check_rejected(KEY("\"left shin\": 3"), "keys[0].\"left shin\": ");
    check_rejected(KEY("\"left shin\": {\"bent\": 3}"), "bend");
    check_rejected(KEY("\"left shin\": {\"bend\": 20}"),
                   "keys[0].\"left shin\".bend: must be between -155 and 3, not 20");
    check_rejected(KEY("\"head\": {\"twist\": \"a\"}"), "keys[0].head.twist: expected a number");
    check_rejected(KEY("\"root\": {\"up\": 1e9}"), "keys[0].root.up: must be between");
    check_rejected(KEY("\"left leg\": {\"free\": 2}"),
                   "keys[0].\"left leg\".free: must be between 0 and 1");
    check_rejected(KEY("\"left leg\": {\"tilt\": 90}"), "\"left leg\".tilt: must be between");
    check_rejected("{\"duration\": 2, \"loop\": true, \"keys\": [{\"time\": 2}]}",
                   "keys[0].time: a loop ends as it begins");
}

#define SYMMETRIC(kind, text) \
    "{\"duration\": 2, \"loop\": true, \"symmetry\": \"" kind "\", \"keys\": [" text "]}"

static void bad_symmetry_is_rejected(void **state) {
    (void)state;
    check_rejected(SYMMETRIC("mirror", "{\"time\": 0, \"right foot\": {\"bend\": 1}}"),
                   "keys[0].\"right foot\".bend: the symmetry");
    check_rejected(SYMMETRIC("alternate", "{\"time\": 0, \"right leg\": {\"knee\": 1}}"),
                   "keys[0].\"right leg\".knee: the symmetry");
    check_rejected(SYMMETRIC("mirror", "{\"time\": 0, \"head\": {\"twist\": 1}}"),
                   "head.twist: must be 0");
    check_rejected(SYMMETRIC("mirror", "{\"time\": 0, \"root\": {\"left\": 1}}"),
                   "root.left: must be 0");
    check_rejected(SYMMETRIC("alternate", "{\"time\": 1, \"head\": {\"bend\": 1}}"),
                   "head.bend: keys in the middle of the body end before half the loop, 1 s");
}

#define STEPS(text)                                                                                \
    "{\"duration\": 2, \"loop\": true, \"keys\": [{\"time\": 0}], \"steps\": {\"left\": " text "}" \
    "}"

static void bad_steps_are_rejected(void **state) {
    (void)state;
    check_rejected(STEPS("3"), "steps.left: expected an array");
    check_rejected(STEPS("[]"), "steps.left: expected an array");
    check_rejected(STEPS("[1]"), "steps.left[0]: expected an object");
    check_rejected(STEPS("[{}]"), "steps.left[0].from: is missing");
    check_rejected(STEPS("[{\"from\": 0}]"), "steps.left[0].to: is missing");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 0, \"at\": [0, 0]}]"),
                   "to: must be later than from");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 1}]"), "steps.left[0].at: is missing");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0]}]"), "steps.left[0].at: ");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 1e5]}]"), "at: must be between");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0], \"heading\": [1]}]"),
                   "heading: ");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0], \"heading\": 1e6}]"),
                   "heading: must");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0], \"lift\": -1}]"), "lift: must");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0], \"lft\": 1}]"), "lift");
    check_rejected(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0]}, {\"from\": 0.5, \"to\": 2, "
                         "\"at\": [0, 0]}]"),
                   "steps.left[1].from: the step before stands until 1 s");
    check_rejected(STEPS("[{\"from\": 0.5, \"to\": 2.6, \"at\": [0, 0]}]"),
                   "runs into the first step");
    check_rejected(STEPS("[{\"from\": 2.5, \"to\": 2.6, \"at\": [0, 0]}]"),
                   "must be less than the");
    check_rejected("{\"duration\": 2, \"keys\": [{\"time\": 0}], \"steps\": {\"middle\": []}}",
                   "steps");
    check_rejected(
        "{\"duration\": 2, \"symmetry\": \"mirror\", \"keys\": [{\"time\": 0}], \"steps\": "
        "{\"right\": [{\"from\": 0, \"to\": 1, \"at\": [0, 0]}]}}",
        "steps.right: the symmetry");
}

static void missing_files_are_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_clip *clip;
    assert_int_equal(vo_clip_load(ctx, "/no/such/clip.json", &clip), VO_IO_FAILED);
    assert_null(clip);
    assert_message_contains(ctx, "/no/such/clip.json");
    vo_context_destroy(ctx);
}

#define WALK VOILE_SOURCE_DIR "/assets/motions/walk.json"

static vo_result load_and_pose(vo_context *ctx, void *arg) {
    vo_clip *clip;
    VO_TRY(vo_clip_load(ctx, arg, &clip));
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_clip_pose(clip, &skeleton, 0.3, NULL);
    vo_clip_destroy(clip);
    return VO_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    char walk[] = WALK, squat[] = VOILE_SOURCE_DIR "/assets/motions/squat.json";
    test_every_allocation(load_and_pose, walk);
    test_every_allocation(load_and_pose, squat);
}

static bool is_sound(const vo_body_pose *pose) {
    bool sound = v3_is_finite(pose->translation);
    for (int b = 0; b < VO_BONE_COUNT; b++)
        sound = sound && fabs(q_dot(pose->rotation[b], pose->rotation[b]) - 1) < 1e-9;
    return sound;
}

/* Arbitrary bytes are rejected with a message or give a clip that can be evaluated. */
static void try_bytes(vo_context *ctx, const char *text, size_t size) {
    vo_clip *clip;
    vo_result result = vo_clip_parse(ctx, "c.json", text, size, &clip);
    assert_int_equal(result == VO_OK, clip != NULL);
    if (!clip) {
        assert_int_equal(result, VO_BAD_DATA);
        assert_message_contains(ctx, "c.json");
        return;
    }
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    const double times[] = {-1e300, -3.3, 0, 0.41, clip->duration, 1e9, 1e300};
    for (int i = 0; i < 7; i++) {
        vo_body_pose pose = vo_clip_pose(clip, &skeleton, times[i], NULL);
        assert_true(is_sound(&pose));
    }
    vo_clip_destroy(clip);
}

static void corrupt_bytes_do_not_crash(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_bytes bytes;
    assert_ok(ctx, vo_file_read(ctx, WALK, &bytes));
    for (size_t size = 0; size <= bytes.size; size++) try_bytes(ctx, bytes.data, size);
    vo_random random = vo_random_seed(5);
    const char digits[] = "0123456789.-e[]{}\",: ";
    for (int n = 0; n < 4000; n++) {
        size_t at = (size_t)vo_random_int(&random, (int)bytes.size);
        char old = bytes.data[at];
        bytes.data[at] = n % 4 ? digits[vo_random_int(&random, (int)sizeof digits - 1)]
                               : (char)vo_random_int(&random, 256);
        try_bytes(ctx, bytes.data, bytes.size);
        if (n % 5) bytes.data[at] = old; /* some damage is kept */
        if (n % 100 == 0) {
            vo_bytes_free(ctx, &bytes);
            assert_ok(ctx, vo_file_read(ctx, WALK, &bytes));
        }
    }
    vo_bytes_free(ctx, &bytes);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

/* The example of docs/motions.md is valid. */
static void documented_example_is_valid(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_bytes page;
    assert_ok(ctx, vo_file_read(ctx, VOILE_SOURCE_DIR "/docs/motions.md", &page));
    const char *fence = strstr(page.data, "```json\n");
    assert_non_null(fence);
    const char *start = fence + strlen("```json\n"), *end = strstr(start, "```");
    assert_non_null(end);
    vo_clip *clip;
    assert_ok(ctx, vo_clip_parse(ctx, "motions.md", start, (size_t)(end - start), &clip));
    assert_int_equal(clip->step_count[VO_CLIP_LEFT], 3);
    vo_clip_destroy(clip);
    vo_bytes_free(ctx, &page);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_headers_are_rejected),   cmocka_unit_test(invalid_keys_are_rejected),
        cmocka_unit_test(bad_symmetry_is_rejected),   cmocka_unit_test(bad_steps_are_rejected),
        cmocka_unit_test(missing_files_are_named),    cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(corrupt_bytes_do_not_crash), cmocka_unit_test(documented_example_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
