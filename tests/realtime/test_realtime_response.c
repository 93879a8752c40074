/* Runs of the scenes with self-collision, inspected by the code of `voile check`: no face
 * intersects another in the first frames, or in all frames with VOILE_TEST_LONG; also with random
 * kicks to the bodies and at three times the speed. */
#include "core/file.h"
#include "support.h"

#include <voile/check.h>
#include <voile/run.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

/* Tests that the response does not pass yet run with VOILE_TEST_RESPONSE only. */
static void require_response(void) {
    if (getenv("VOILE_TEST_RESPONSE")) return;
    print_message("skipped: not yet passed by the response; set VOILE_TEST_RESPONSE\n");
    skip();
}

enum { MAX_OVERRIDES = 8, TEXT = 1 << 14 };

typedef struct run_case {
    const char *scene;
    int short_frames, all_frames;
    const char *short_overrides[4]; /* without VOILE_TEST_LONG */
} run_case;

#define TROUSERS \
    { "preroll=0.2", "characters[0].body.faces=6000", "garments[0].edge_length=0.05", }

static const run_case DRAPE = {"drape-rabbit", 60, 240, {0}};
static const run_case CURTAINS = {"curtains", 30, 390, {0}};
static const run_case SQUAT = {"squat-trousers", 60, 384, TROUSERS};
/* The published scene: a coarser body and coarser garments than in it intersect (docs/realtime.md).
 */
static const run_case LAYERS = {"layers", 12, 240, {0}};
static const run_case SHEETS = {"sheets", 60, 240, {0}};

/* The first finding and their number. */
typedef struct findings {
    int count;
    char first[300];
} findings;

static void receive_finding(void *user, bool fatal, const char *text) {
    findings *f = user;
    (void)fatal;
    if (f->count++ == 0) snprintf(f->first, sizeof f->first, "%s", text);
}

/* Simulates the scene, from `path` if that is not NULL, and checks all frames. */
static void check_scene(const run_case *c, const char *path, int count, const char *const *more) {
    const char *overrides[MAX_OVERRIDES];
    char scene[600], folder[600];
    findings found = {0};
    vo_context *ctx = test_context(2);
    vo_run_def def = vo_run_def_default();
    int n = 0;
    for (int i = 0; i < 4 && c->short_overrides[i] && !is_long(); i++)
        overrides[n++] = c->short_overrides[i];
    for (int i = 0; i < count; i++) overrides[n++] = more[i];
    snprintf(scene, sizeof scene, VOILE_SOURCE_DIR "/assets/scenes/%s.json", c->scene);
    snprintf(folder, sizeof folder, "%s/run", test_folder());
    def.folder = folder;
    def.last_frame = is_long() ? c->all_frames : c->short_frames;
    def.override_count = n;
    def.overrides = overrides;
    assert_ok(ctx, vo_run_simulate(ctx, path ? path : scene, &def));
    vo_result result = vo_check_run(ctx, folder, receive_finding, &found);
    if (result != VO_OK)
        fail_msg("%s: %d findings, the first: %s", c->scene, found.count,
                 found.count ? found.first : vo_context_message(ctx));
    vo_context_destroy(ctx);
}

/* --- As published ----------------------------------------------------------------------------- */

static void drape_is_clean(void **state) {
    (void)state;
    check_scene(&DRAPE, NULL, 0, NULL);
}

static void curtains_are_clean(void **state) {
    (void)state;
    check_scene(&CURTAINS, NULL, 0, NULL);
}

static void squat_is_clean(void **state) {
    (void)state;
    check_scene(&SQUAT, NULL, 0, NULL);
}

static void layers_are_clean(void **state) {
    (void)state;
    check_scene(&LAYERS, NULL, 0, NULL);
}

static void sheets_are_clean(void **state) {
    (void)state;
    check_scene(&SHEETS, NULL, 0, NULL);
}

/* --- Kicks ------------------------------------------------------------------------------------ */

/* Keyframes of a body that rests and is kicked to random positions within `size`, m, ten times per
 * second. */
static void write_kicks(uint64_t seed, double size, char text[TEXT]) {
    vo_random random = vo_random_seed(seed);
    int used = snprintf(text, TEXT, "motions=[[{\"time\": 0}");
    for (double t = 0.4; t < 4; t += 0.2) {
        double turn = vo_random_real(&random, -20, 20);
        vo_vec3 x = test_random_vec3(&random, size);
        for (int k = 0; k < 2; k++) /* rests for a tenth of a second */
            used += snprintf(text + used, (size_t)(TEXT - used),
                             ", {\"time\": %.2f, \"transform\": {\"translate\": [%.4f, %.4f, %.4f],"
                             " \"rotate\": [%.2f, 0, 0, 1]}}",
                             t + 0.1 * k, x.x, x.y, 0.3 * (x.z + size), turn);
    }
    snprintf(text + used, (size_t)(TEXT - used), "]]");
}

static void check_kicks(const run_case *c, int seeds, double size) {
    for (int seed = 1; seed <= (is_long() ? seeds : 1); seed++) {
        char kicks[TEXT];
        const char *const overrides[] = {kicks, "obstacles[0].motion=0"};
        write_kicks((uint64_t)seed, size, kicks);
        check_scene(c, NULL, 2, overrides);
    }
}

/* Kicks of up to 10 cm in a tenth of a second. */
static void kicked_rabbit_is_clean(void **state) {
    (void)state;
    check_kicks(&DRAPE, 5, 0.1);
}

static void kicked_block_is_clean(void **state) {
    (void)state;
    require_response();
    check_kicks(&SHEETS, 5, 0.1);
}

/* --- Three times the speed -------------------------------------------------------------------- */

static void fast_squat_is_clean(void **state) {
    (void)state;
    static const char *const overrides[] = {
        "characters[0].motion={\"file\": \"motions/squat-jump.json\", \"speed\": 3}"};
    check_scene(&SQUAT, NULL, 1, overrides);
}

static void fast_layers_are_clean(void **state) {
    (void)state;
    static const char *const overrides[] = {
        "characters[0].motion={\"file\": \"motions/run.json\", \"speed\": 3}"};
    check_scene(&LAYERS, NULL, 1, overrides);
}

/* Copies the scene with all times of its motions divided by 3. */
static void write_fast_scene(vo_context *ctx, const char *name, const char *path) {
    static const char KEY[] = "\"time\": ";
    char from[600];
    vo_bytes bytes;
    snprintf(from, sizeof from, VOILE_SOURCE_DIR "/assets/scenes/%s.json", name);
    assert_ok(ctx, vo_file_read(ctx, from, &bytes));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (char *at = bytes.data, *key; at; at = key) {
        key = strstr(at, KEY);
        if (!key) {
            fputs(at, file);
            break;
        }
        key += sizeof KEY - 1;
        fwrite(at, 1, (size_t)(key - at), file);
        fprintf(file, "%.9g", strtod(key, &key) / 3);
    }
    fclose(file);
    vo_bytes_free(ctx, &bytes);
}

static void fast_curtains_are_clean(void **state) {
    (void)state;
    char path[600];
    vo_context *ctx = test_context(1);
    setenv("VOILE_ASSETS", VOILE_SOURCE_DIR "/assets", 1);
    snprintf(path, sizeof path, "%s/curtains.json", test_folder());
    write_fast_scene(ctx, "curtains", path);
    vo_context_destroy(ctx);
    check_scene(&CURTAINS, path, 0, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drape_is_clean),        cmocka_unit_test(curtains_are_clean),
        cmocka_unit_test(squat_is_clean),        cmocka_unit_test(layers_are_clean),
        cmocka_unit_test(sheets_are_clean),      cmocka_unit_test(kicked_rabbit_is_clean),
        cmocka_unit_test(kicked_block_is_clean), cmocka_unit_test(fast_squat_is_clean),
        cmocka_unit_test(fast_layers_are_clean), cmocka_unit_test(fast_curtains_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
