/* Clip files: read key by key, refused by key path, broken in every way. */
#include "support.h"

#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "scene/clip.h"

#include <stdio.h>
#include <string.h>

/* The text must be refused with a message that holds `expected`, and leave nothing behind. */
static void refuse(const char *text, const char *expected) {
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_clip *clip;
    assert_int_equal(vo_clip_parse(ctx, "c.json", text, strlen(text), &clip), VO_BAD_DATA);
    assert_null(clip);
    if (!strstr(vo_context_message(ctx), expected))
        fail_msg("\"%s\" does not say \"%s\"", vo_context_message(ctx), expected);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

#define KEYS(text) "{\"duration\": 2, \"keys\": " text "}"
#define KEY(text)  KEYS("[{\"time\": 0, " text "}]")

static void bad_heads_are_refused(void **state) {
    (void)state;
    refuse("", "c.json");
    refuse("{", "c.json: line 1");
    refuse("[]", "expected an object with duration");
    refuse("{}", "c.json: duration: is missing");
    refuse("{\"duration\": 0, \"keys\": []}", "duration: must be between");
    refuse("{\"duration\": -1, \"keys\": []}", "duration: must be between");
    refuse("{\"duration\": \"x\", \"keys\": []}", "duration: expected a number");
    refuse("{\"duration\": 1, \"lop\": true}", "loop");
    refuse("{\"duration\": 1, \"loop\": 3}", "loop: ");
    refuse("{\"duration\": 1, \"leg\": 0}", "leg: must be between");
    refuse("{\"duration\": 1, \"description\": 7}", "description: ");
    refuse("{\"duration\": 1, \"symmetry\": \"both\"}", "symmetry: must be none, mirror or");
    refuse("{\"duration\": 1, \"symmetry\": \"alternate\"}", "symmetry: only a loop");
    refuse("{\"duration\": 1, \"travel\": [1, 0]}", "travel: only a loop");
    refuse("{\"duration\": 1, \"turns\": 1}", "turns: only a loop");
    refuse("{\"duration\": 1, \"loop\": true, \"travel\": [1]}", "travel: ");
    refuse("{\"duration\": 1, \"loop\": true, \"travel\": [1, 1e3]}", "travel: must be between");
    refuse("{\"duration\": 1, \"loop\": true, \"turns\": 101}", "turns: must be between");
    refuse("{\"duration\": 1, \"loop\": true, \"symmetry\": \"mirror\", \"travel\": [0, 1]}",
           "travel: a symmetric clip");
    refuse("{\"duration\": 1, \"loop\": true, \"symmetry\": \"mirror\", \"turns\": 1}",
           "turns: a symmetric clip");
}

static void bad_keys_are_refused(void **state) {
    (void)state;
    refuse("{\"duration\": 2}", "keys: is missing");
    refuse(KEYS("3"), "keys: expected an array");
    refuse(KEYS("[]"), "keys: expected an array of at least one");
    refuse(KEYS("[7]"), "keys[0]: expected an object");
    refuse(KEYS("[{}]"), "keys[0].time: is missing");
    refuse(KEYS("[{\"time\": 3}]"), "keys[0].time: must be between 0 and 2, not 3");
    refuse(KEYS("[{\"time\": 1}, {\"time\": 1}]"), "keys[1].time: must be later than");
    refuse(KEY("\"left sin\": {}"), "left shin");
    refuse(KEY("\"left shin\": 3"), "keys[0].\"left shin\": ");
    refuse(KEY("\"left shin\": {\"bent\": 3}"), "bend");
    refuse(KEY("\"left shin\": {\"bend\": 20}"),
           "keys[0].\"left shin\".bend: must be between -155 and 3, not 20");
    refuse(KEY("\"head\": {\"twist\": \"a\"}"), "keys[0].head.twist: expected a number");
    refuse(KEY("\"root\": {\"up\": 1e9}"), "keys[0].root.up: must be between");
    refuse(KEY("\"left leg\": {\"free\": 2}"),
           "keys[0].\"left leg\".free: must be between 0 and 1");
    refuse(KEY("\"left leg\": {\"tilt\": 90}"), "\"left leg\".tilt: must be between");
    refuse("{\"duration\": 2, \"loop\": true, \"keys\": [{\"time\": 2}]}",
           "keys[0].time: a loop goes on");
}

#define SYMMETRIC(kind, text) \
    "{\"duration\": 2, \"loop\": true, \"symmetry\": \"" kind "\", \"keys\": [" text "]}"

static void bad_symmetry_is_refused(void **state) {
    (void)state;
    refuse(SYMMETRIC("mirror", "{\"time\": 0, \"right foot\": {\"bend\": 1}}"),
           "keys[0].\"right foot\".bend: the symmetry");
    refuse(SYMMETRIC("alternate", "{\"time\": 0, \"right leg\": {\"knee\": 1}}"),
           "keys[0].\"right leg\".knee: the symmetry");
    refuse(SYMMETRIC("mirror", "{\"time\": 0, \"head\": {\"twist\": 1}}"), "head.twist: must be 0");
    refuse(SYMMETRIC("mirror", "{\"time\": 0, \"root\": {\"left\": 1}}"), "root.left: must be 0");
    refuse(SYMMETRIC("alternate", "{\"time\": 1, \"head\": {\"bend\": 1}}"),
           "head.bend: keys in the middle of the body end before half the loop, 1 s");
}

#define STEPS(text)                                                                                \
    "{\"duration\": 2, \"loop\": true, \"keys\": [{\"time\": 0}], \"steps\": {\"left\": " text "}" \
    "}"

static void bad_steps_are_refused(void **state) {
    (void)state;
    refuse(STEPS("3"), "steps.left: expected an array");
    refuse(STEPS("[]"), "steps.left: expected an array");
    refuse(STEPS("[1]"), "steps.left[0]: expected an object");
    refuse(STEPS("[{}]"), "steps.left[0].from: is missing");
    refuse(STEPS("[{\"from\": 0}]"), "steps.left[0].to: is missing");
    refuse(STEPS("[{\"from\": 0, \"to\": 0, \"at\": [0, 0]}]"), "to: must be later than from");
    refuse(STEPS("[{\"from\": 0, \"to\": 1}]"), "steps.left[0].at: is missing");
    refuse(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0]}]"), "steps.left[0].at: ");
    refuse(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 1e5]}]"), "at: must be between");
    refuse(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0], \"heading\": [1]}]"), "heading: ");
    refuse(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0], \"heading\": 1e6}]"), "heading: must");
    refuse(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0], \"lift\": -1}]"), "lift: must");
    refuse(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0], \"lft\": 1}]"), "lift");
    refuse(STEPS("[{\"from\": 0, \"to\": 1, \"at\": [0, 0]}, {\"from\": 0.5, \"to\": 2, "
                 "\"at\": [0, 0]}]"),
           "steps.left[1].from: the step before stands until 1 s");
    refuse(STEPS("[{\"from\": 0.5, \"to\": 2.6, \"at\": [0, 0]}]"), "runs into the first step");
    refuse(STEPS("[{\"from\": 2.5, \"to\": 2.6, \"at\": [0, 0]}]"), "must be less than the");
    refuse("{\"duration\": 2, \"keys\": [{\"time\": 0}], \"steps\": {\"middle\": []}}", "steps");
    refuse("{\"duration\": 2, \"symmetry\": \"mirror\", \"keys\": [{\"time\": 0}], \"steps\": "
           "{\"right\": [{\"from\": 0, \"to\": 1, \"at\": [0, 0]}]}}",
           "steps.right: the symmetry");
}

static void missing_files_are_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_clip *clip;
    assert_int_equal(vo_clip_load(ctx, "/no/such/clip.json", &clip), VO_IO_FAILED);
    assert_null(clip);
    assert_non_null(strstr(vo_context_message(ctx), "/no/such/clip.json"));
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

/* Bytes that may be a clip: refused with a message, or posed at any time. */
static void try_bytes(vo_context *ctx, const char *text, size_t size) {
    vo_clip *clip;
    vo_result result = vo_clip_parse(ctx, "c.json", text, size, &clip);
    assert_int_equal(result == VO_OK, clip != NULL);
    if (!clip) {
        assert_int_equal(result, VO_BAD_DATA);
        assert_non_null(strstr(vo_context_message(ctx), "c.json"));
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

static void broken_bytes_do_no_harm(void **state) {
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
        if (n % 5) bytes.data[at] = old; /* some damage stays */
        if (n % 100 == 0) {
            vo_bytes_free(ctx, &bytes);
            assert_ok(ctx, vo_file_read(ctx, WALK, &bytes));
        }
    }
    vo_bytes_free(ctx, &bytes);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

/* The example of docs/motions.md is a clip. */
static void the_documented_example_is_read(void **state) {
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
        cmocka_unit_test(bad_heads_are_refused),   cmocka_unit_test(bad_keys_are_refused),
        cmocka_unit_test(bad_symmetry_is_refused), cmocka_unit_test(bad_steps_are_refused),
        cmocka_unit_test(missing_files_are_named), cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(broken_bytes_do_no_harm), cmocka_unit_test(the_documented_example_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
