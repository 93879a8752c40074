/* Tests of fabric files: keys, messages with key paths, mutations, the shipped files and ARCSim's.
 */
#include "support.h"

#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "material/fabric.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vo_result parse(vo_context *ctx, const char *text, vo_fabric **out) {
    return vo_fabric_parse(ctx, "f.json", text, strlen(text), out);
}

/* The text must be rejected with a message that contains `expected`. */
static void assert_rejected(const char *text, const char *expected) {
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_fabric *fabric;
    assert_int_equal(parse(ctx, text, &fabric), VO_BAD_DATA);
    assert_null(fabric);
    if (!strstr(vo_context_message(ctx), expected))
        fail_msg("\"%s\" does not contain \"%s\"", vo_context_message(ctx), expected);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

#define STRETCHING "\"stretching\": {\"warp\": 800, \"weft\": 600, \"poisson\": 0.2, \"shear\": 50}"
#define BENDING    "\"bending\": {\"warp\": 1e-5, \"weft\": 2e-5, \"bias\": 4e-5}"
#define ROW4       "[1, 0, 1, 1]"
#define ROW5       "[1e-5, 1e-5, 1e-5, 1e-5, 1e-5]"

static void all_keys_are_read(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_fabric *fabric;
    assert_ok(ctx, parse(ctx,
                         "{ // a comment\n \"description\": \"a thing\", \"density\": 0.25, "
                         "\"stretching\": {\"warp\": 800, \"weft\": 200, \"poisson\": 0.5, "
                         "\"shear\": 50}, \"bending\": {\"warp\": 1e-5, \"weft\": [1e-6, 2e-6, "
                         "3e-6, 4e-6, 5e-6], \"bias\": 7e-6}}",
                         &fabric));
    assert_string_equal(fabric->description, "a thing");
    assert_near(fabric->density, 0.25, 0);
    assert_null(fabric->table);
    const double c[4] = {800 / 0.9375, 100 / 0.9375, 200 / 0.9375, 50}; /* 1 - 0.5 0.125 */
    for (int k = 0; k < 4; k++) assert_near(fabric->linear.c[k], c[k], 1e-12);
    for (int k = 0; k < VO_BEND_CURVATURES; k++) {
        assert_near(fabric->bend[2][k], 1e-5, 0);               /* edge along V: the warp curves */
        assert_near(fabric->bend[0][k], 1e-6 * (k + 1), 1e-20); /* edge along U: the weft */
        assert_near(fabric->bend[1][k], 7e-6, 0);
    }
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
}

static void absent_keys_have_defaults(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_fabric *fabric;
    assert_ok(ctx, parse(ctx,
                         "{\"density\": 1, \"stretching\": {\"warp\": 9, \"shear\": 2}, "
                         "\"bending\": {\"warp\": 1e-5, \"weft\": 3e-5}}",
                         &fabric));
    assert_null(fabric->description);
    const double c[4] = {9, 0, 9, 2};
    assert_memory_equal(fabric->linear.c, c, sizeof c);
    assert_near(fabric->bend[1][3], 2e-5, 1e-20);
    vo_fabric_destroy(fabric);
    assert_ok(ctx, parse(ctx,
                         "{\"density\": 1, \"stretching\": {\"stiffness\": [4, -1, 9, 2]}, "
                         "\"bending\": {\"warp\": 1e-5}}",
                         &fabric));
    const double given[4] = {4, -1, 9, 2};
    assert_memory_equal(fabric->linear.c, given, sizeof given);
    assert_near(fabric->bend[0][4], 1e-5, 0);
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
}

static void invalid_file_names_key_path(void **state) {
    (void)state;
    assert_rejected("", "f.json");
    assert_rejected("{", "f.json: line 1");
    assert_rejected("[]", "f.json");
    assert_rejected("3", "expected an object");
    assert_rejected("{" STRETCHING ", " BENDING "}", "f.json: density: is missing");
    assert_rejected("{\"density\": 0, " STRETCHING ", " BENDING "}",
                    "density: must be a mass per area");
    assert_rejected("{\"density\": \"x\", " STRETCHING ", " BENDING "}",
                    "density: expected a number");
    assert_rejected("{\"density\": null, " STRETCHING ", " BENDING "}", "density: is missing");
    assert_rejected("{\"densty\": 1, " STRETCHING ", " BENDING "}", "density");
    assert_rejected("{\"density\": 1, \"description\": 3, " STRETCHING ", " BENDING "}",
                    "description: ");
    assert_rejected("{\"density\": 1, \"description\": \"a\\nb\", " STRETCHING ", " BENDING "}",
                    "one line");
    assert_rejected("{\"density\": 1, " BENDING "}", "stretching: is missing");
    assert_rejected("{\"density\": 1, \"stretching\": 5, " BENDING "}",
                    "stretching: expected {warp");
    assert_rejected("{\"density\": 1, " STRETCHING "}", "bending: is missing");
    assert_rejected("{\"density\": 1, " STRETCHING ", \"bending\": \"soft\"}",
                    "bending: expected {warp");
}

#define WITH_STRETCHING(text) "{\"density\": 1, " BENDING ", \"stretching\": " text "}"

static void invalid_stretching_names_key_path(void **state) {
    (void)state;
    assert_rejected(WITH_STRETCHING("{}"), "stretching.warp: is missing");
    assert_rejected(WITH_STRETCHING("{\"warp\": 1}"), "stretching.shear: is missing");
    assert_rejected(WITH_STRETCHING("{\"warp\": -1, \"shear\": 1}"),
                    "stretching.warp: must be between");
    assert_rejected(WITH_STRETCHING("{\"warp\": 1, \"weft\": 1e13, \"shear\": 1}"),
                    "stretching.weft: ");
    assert_rejected(WITH_STRETCHING("{\"warp\": 1, \"shear\": -1}"), "stretching.shear: must be");
    assert_rejected(
        WITH_STRETCHING("{\"warp\": 1, \"shear\": 1, \"poisson\": 1}"),
        "stretching.poisson: must be at least 0 and less than sqrt(warp / weft), not 1");
    assert_rejected(WITH_STRETCHING("{\"warp\": 1, \"shear\": 1, \"poisson\": -0.1}"), "poisson");
    assert_rejected(WITH_STRETCHING("{\"warp\": 0, \"shear\": 1, \"poisson\": 0.1}"), "poisson");
    assert_rejected(WITH_STRETCHING("{\"warp\": 1, \"shear\": 1, \"possion\": 0}"), "poisson");
    assert_rejected(WITH_STRETCHING("{\"stiffness\": [1, 0, 1]}"), "stretching.stiffness");
    assert_rejected(WITH_STRETCHING("{\"stiffness\": [1, 0, -1, 1]}"),
                    "stretching.stiffness[2]: must be");
    assert_rejected(WITH_STRETCHING("{\"stiffness\": [1, -1e13, 1, 1]}"),
                    "stretching.stiffness[1]");
    assert_rejected(WITH_STRETCHING("{\"stiffness\": [4, 7, 9, 1]}"),
                    "stiffness: couples warp and weft");
    assert_rejected(WITH_STRETCHING("{\"stiffness\": [1, 0, 1, 1], \"shear\": 3}"),
                    "stretching.shear: give");
    assert_rejected(WITH_STRETCHING("[]"),
                    "stretching: measured numbers come as 6 rows of 4, found 0");
    assert_rejected(WITH_STRETCHING("[1, 2, 3, 4]"), "stretching: measured numbers come as 6 rows");
    assert_rejected(WITH_STRETCHING("[" ROW4 "," ROW4 "," ROW4 ", null," ROW4 "," ROW4 "]"),
                    "stretching[3]: is missing");
    assert_rejected(WITH_STRETCHING("[" ROW4 "," ROW4 "," ROW4 "," ROW4 ", [1, 2], " ROW4 "]"),
                    "stretching[4]");
    assert_rejected(
        WITH_STRETCHING("[" ROW4 "," ROW4 "," ROW4 "," ROW4 "," ROW4 ", [1, null, 1, 1]]"),
        "stretching[5]");
    assert_rejected(
        WITH_STRETCHING("[" ROW4 "," ROW4 ", [1, 0, 1e13, 0], " ROW4 "," ROW4 "," ROW4 "]"),
        "stretching[2][2]: must be between");
}

#define WITH_BENDING(text) "{\"density\": 1, " STRETCHING ", \"bending\": " text "}"

static void invalid_bending_names_key_path(void **state) {
    (void)state;
    assert_rejected(WITH_BENDING("{}"), "bending.warp: is missing");
    assert_rejected(WITH_BENDING("{\"warp\": -1e-5}"), "bending.warp: must be between 0");
    assert_rejected(WITH_BENDING("{\"warp\": true}"), "bending.warp: ");
    assert_rejected(WITH_BENDING("{\"warp\": 1, \"weft\": [1, 2]}"), "bending.weft");
    assert_rejected(WITH_BENDING("{\"warp\": 1, \"bias\": [1, 1, 1, -1, 1]}"),
                    "bending.bias[3]: must be");
    assert_rejected(WITH_BENDING("{\"warp\": 1, \"wept\": 1}"), "we"); /* suggests a similar key */
    assert_rejected(WITH_BENDING("[" ROW5 "," ROW5 "]"),
                    "bending: measured numbers come as 3 rows of 5");
    assert_rejected(WITH_BENDING("[" ROW5 ", 3, " ROW5 "]"), "bending[1]");
    assert_rejected(WITH_BENDING("[" ROW5 "," ROW5 ", [1, 1, 1, 1, 1e10]]"),
                    "bending[2][4]: must be");
}

static void missing_file_is_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_fabric *fabric;
    assert_int_equal(vo_fabric_load(ctx, "/no/such/fabric.json", &fabric), VO_IO_FAILED);
    assert_null(fabric);
    assert_message_contains(ctx, "/no/such/fabric.json");
    vo_context_destroy(ctx);
}

static const char arcsim_text[] =
    "{\"density\": 0.2, \"stretching\": [[31.1, -12.8, 44, 31.9], [78.7, 26.7, 268.7, 27.7], "
    "[67.3, 77.7, 182.3, -14.6], [113.4, 54.8, 175.1, 44.6], [144.3, 111.4, 138.4, -29.8], "
    "[143.9, 49.6, 191.8, 39.5]], \"bending\": [[4e-5, 8e-5, 4e-6, 4e-6, -1e-5], "
    "[1e-5, 1e-5, 1e-5, 1e-5, 1e-5], [12e-5, 1e-5, 1e-5, 1e-5, 2e-5]]}";

static void arcsim_file_gives_table(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_fabric *fabric;
    assert_ok(ctx, parse(ctx, arcsim_text, &fabric));
    assert_non_null(fabric->table);
    vo_sym2 g = {29 / 30.0 - 0.25, 0, -0.25}; /* a sample, pulled along U */
    assert_near(vo_fabric_stiffness(fabric, g).c[2], 2 * 268.7, 1e-4);
    assert_near(fabric->bend[0][0], 1e-5, 1e-20);
    assert_near(fabric->bend[0][4], 0, 0);
    assert_near(fabric->bend[2][0], 3e-5, 1e-20);
    assert_near(fabric->bend[2][4], 5e-6, 1e-20);
    vo_fabric_destroy(fabric);
    /* equal rows need no table */
    assert_ok(ctx,
              parse(ctx, WITH_STRETCHING("[" ROW4 "," ROW4 "," ROW4 "," ROW4 "," ROW4 "," ROW4 "]"),
                    &fabric));
    assert_null(fabric->table);
    const double c[4] = {2, 0, 2, 1};
    assert_memory_equal(fabric->linear.c, c, sizeof c);
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
}

static void copies_are_deep(void **state) {
    (void)state;
    vo_context *ctx = test_context(1), *other = test_context(1);
    vo_fabric *fabric, *copy;
    assert_ok(ctx, parse(ctx, arcsim_text, &fabric));
    fabric->description = vo_copy_string(ctx, "text");
    assert_ok(other, vo_fabric_copy(other, fabric, &copy));
    assert_ptr_equal(copy->ctx, other);
    assert_ptr_not_equal(copy->table, fabric->table);
    assert_memory_equal(copy->table, fabric->table, VO_STRETCH_TABLE * sizeof *copy->table);
    assert_memory_equal(copy->bend, fabric->bend, sizeof copy->bend);
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
    assert_string_equal(copy->description, "text");
    assert_near(copy->density, 0.2, 0);
    vo_fabric_destroy(copy);
    vo_fabric_destroy(NULL);
    vo_context_destroy(other);
}

/* Loads every *.json of a folder and calls `check` for each. Returns their number. */
static int load_folder(vo_context *ctx, const char *folder, void (*check)(const vo_fabric *)) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!strstr(entry->d_name, ".json")) continue;
        char path[2048];
        vo_path_join(path, sizeof path, folder, entry->d_name);
        vo_fabric *fabric;
        assert_ok(ctx, vo_fabric_load(ctx, path, &fabric));
        check(fabric);
        vo_fabric_destroy(fabric);
        count++;
    }
    closedir(dir);
    return count;
}

/* Plausible ranges for cloth, to find misplaced decimal points. */
static void check_shipped(const vo_fabric *f) {
    assert_non_null(f->description);
    assert_in_range(strlen(f->description), 15, 110);
    assert_true(f->density >= 0.02 && f->density <= 1);
    assert_null(f->table);
    assert_true(f->linear.c[0] >= 30 && f->linear.c[0] <= 1e6);
    assert_true(f->linear.c[2] >= 0.3 * f->linear.c[0] && f->linear.c[2] <= f->linear.c[0]);
    assert_true(f->linear.c[3] >= 5 && f->linear.c[3] <= 0.6 * f->linear.c[0]);
    for (int row = 0; row < VO_BEND_DIRECTIONS; row++)
        for (int k = 0; k < VO_BEND_CURVATURES; k++)
            assert_true(f->bend[row][k] >= 2e-7 && f->bend[row][k] <= 1e-3);
    /* bending length of the textile industry: overhang of a few centimetres */
    double length = cbrt(f->bend[2][0] / (f->density * 9.81));
    assert_true(length > 0.008 && length < 0.1);
}

static void shipped_fabrics_are_plausible(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int count = load_folder(ctx, VOILE_SOURCE_DIR "/assets/fabrics", check_shipped);
    assert_in_range(count, 12, 100);
    vo_context_destroy(ctx);
}

static void check_arcsim(const vo_fabric *f) {
    assert_true(f->density > 0.05 && f->density < 0.5);
    for (int i = 0; f->table && i < VO_STRETCH_TABLE; i++) {
        const float *c = f->table[i].c;
        assert_true(c[0] >= 0 && c[1] >= 0 && c[2] >= 0 && c[3] >= 0);
        assert_true((double)c[1] * c[1] <= (double)c[0] * c[2]);
    }
    assert_true(f->bend[0][0] > 1e-6 && f->bend[0][0] < 1e-3);
}

static void arcsim_files_load(void **state) {
    (void)state;
    if (!test_data()) skip();
    vo_context *ctx = test_context(1);
    char folder[1200];
    snprintf(folder, sizeof folder, "%s/arcsim/materials", test_data());
    assert_int_equal(load_folder(ctx, folder, check_arcsim), 12);
    vo_context_destroy(ctx);
}

static vo_result make_everything(vo_context *ctx, void *arg) {
    vo_fabric_def def = vo_fabric_def_default();
    vo_fabric *made = NULL, *read = NULL, *copy = NULL;
    vo_result result = vo_fabric_create(ctx, &def, &made);
    if (result == VO_OK) result = parse(ctx, arg, &read);
    if (result == VO_OK) result = vo_fabric_copy(ctx, read, &copy);
    vo_fabric_destroy(made);
    vo_fabric_destroy(read);
    vo_fabric_destroy(copy);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    char described[sizeof arcsim_text + 64];
    snprintf(described, sizeof described, "{\"description\": \"x y\", %s", arcsim_text + 1);
    test_every_allocation(make_everything, described);
}

/* One to four edits: sets a byte, removes a range or duplicates one. */
static size_t mutate(vo_random *r, const char *seed, size_t size, char *out) {
    static const char bytes[] = "0123456789-+.eE,:[]{}\"/* \n\\\xff\x01nulltrueinf";
    memcpy(out, seed, size);
    for (int edit = 1 + vo_random_int(r, 4); edit > 0 && size > 16; edit--) {
        size_t at = (size_t)vo_random_int(r, (int)size - 8), run = 1 + (size_t)vo_random_int(r, 7);
        switch (vo_random_int(r, 3)) {
        case 0:
            out[at] = bytes[vo_random_int(r, (int)sizeof bytes - 1)];
            break;
        case 1:
            memmove(out + at, out + at + run, size - at - run);
            size -= run;
            break;
        default:
            memmove(out + at + run, out + at, size - at);
            size += run;
        }
    }
    return vo_random_int(r, 20) == 0 ? (size_t)vo_random_int(r, (int)size) : size;
}

static void mutated_file_gives_fabric_or_message(void **state) {
    (void)state;
    static const char own[] = "{\"density\": 0.25, \"description\": \"x\", // c\n" STRETCHING
                              ", \"bending\": {\"warp\": 1e-5, \"weft\": " ROW5 "}}";
    static const char *const seeds[] = {own, WITH_STRETCHING("{\"stiffness\": [4, -1, 9, 2]}"),
                                        arcsim_text};
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    long live = memory.live;
    vo_random r = vo_random_seed(3);
    int accepted = 0;
    for (int trial = 0; trial < 10000; trial++) {
        const char *seed = seeds[trial % 16 == 0 ? 2 : trial % 2];
        char text[1024];
        size_t size = mutate(&r, seed, strlen(seed), text);
        char *exact =
            malloc(size + 1); /* exact allocation, so that sanitizers detect reads beyond the end */
        assert_non_null(exact);
        memcpy(exact, text, size);
        vo_fabric *fabric;
        vo_result result = vo_fabric_parse(ctx, "m.json", exact, size, &fabric);
        free(exact);
        assert_true((result == VO_OK) == (fabric != NULL));
        if (result != VO_OK) assert_message_contains(ctx, "m.json");
        accepted += result == VO_OK;
        vo_fabric_destroy(fabric);
        assert_int_equal(memory.live, live);
    }
    assert_in_range(accepted, 100, 9000);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys_are_read),
        cmocka_unit_test(absent_keys_have_defaults),
        cmocka_unit_test(invalid_file_names_key_path),
        cmocka_unit_test(invalid_stretching_names_key_path),
        cmocka_unit_test(invalid_bending_names_key_path),
        cmocka_unit_test(missing_file_is_named),
        cmocka_unit_test(arcsim_file_gives_table),
        cmocka_unit_test(copies_are_deep),
        cmocka_unit_test(shipped_fabrics_are_plausible),
        cmocka_unit_test(arcsim_files_load),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(mutated_file_gives_fabric_or_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
