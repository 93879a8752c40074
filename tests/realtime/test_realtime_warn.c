/* Warnings of runs of the engine realtime: implausible strain and intersections that remain, logged
 * once by vo_run_simulate and listed by vo_check_run; open characters are rejected by name;
 * capsules explain intersections with the surface of a character. */
#include "run_fixture.h"

#include "import_files.h"

enum { TEXT = 20000 };

typedef struct lines {
    char text[TEXT];
} lines;

static void add_line(lines *l, const char *text) {
    size_t length = strlen(l->text);
    snprintf(l->text + length, sizeof l->text - length, "%s\n", text);
}

static void receive_log(void *user, vo_log_level level, const char *text) {
    if (level == VO_LOG_WARNING) add_line(user, text);
}

static void receive_finding(void *user, bool fatal, const char *text) {
    if (!fatal) add_line(user, text);
}

static int count_text(const lines *l, const char *text) {
    int count = 0;
    for (const char *at = strstr(l->text, text); at; at = strstr(at + 1, text)) count++;
    return count;
}

static void expect_count(const lines *l, const char *text, int count) {
    if (count_text(l, text) != count)
        fail_msg("\"%s\" occurs %d times, not %d, in:\n%s", text, count_text(l, text), count,
                 l->text);
}

typedef struct warned_run {
    lines log, check;
    char message[1000]; /* of the run */
} warned_run;

/* Simulates a scene of the engine realtime and checks the run. */
static warned_run *simulate_text(const char *text, vo_result expected) {
    static warned_run w;
    char scene[600], run[600];
    vo_context *ctx;
    vo_context_def def = vo_context_def_default();
    w = (warned_run){0};
    def.log = receive_log;
    def.log_user = &w.log;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    const char *folder = test_folder();
    snprintf(scene, sizeof scene, "%s/scene.json", folder);
    snprintf(run, sizeof run, "%s/run", folder);
    assert_ok(ctx, vo_file_write(ctx, scene, text, strlen(text)));
    vo_run_def how = vo_run_def_default();
    how.folder = run;
    vo_result result = vo_run_simulate(ctx, scene, &how);
    snprintf(w.message, sizeof w.message, "%s", vo_context_message(ctx));
    if (result != expected) fail_msg("result %d: %s", (int)result, w.message);
    if (result == VO_OK) (void)vo_check_run(ctx, run, receive_finding, &w.check);
    vo_context_destroy(ctx);
    return &w;
}

/* --- Strain ----------------------------------------------------------------------------------- */

#define SHEET(z)                                                                         \
    "{\"grid\": {\"width\": 0.4, \"height\": 0.4, \"columns\": 4, \"rows\": 4},"         \
    " \"transform\": {\"translate\": [0, 0, " #z "]},"                                   \
    " \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6," \
    " \"poisson_ratio\": 0.3}]}"

/* Two sheets; a handle pulls a corner of the second one by `way` m, while another is fixed. */
static const char *pull_text(double way) {
    static char text[2000];
    snprintf(
        text, sizeof text,
        "{\"engine\": \"realtime\", \"fps\": 30, \"end_frame\": 20,\n"
        "\"cloths\": [" SHEET(0) ", " SHEET(
            1) "],\n"
               "\"motions\": [[{\"time\": 0}, {\"time\": 0.3, \"transform\": {\"translate\": "
               "[%g, 0, 0]}}]],\n"
               "\"handles\": [{\"cloth\": 0, \"nodes\": [0, 4]}, {\"cloth\": 1, \"nodes\": [0]},\n"
               "  {\"cloth\": 1, \"nodes\": [4], \"motion\": 0}],\n"
               "\"gravity\": [0, 0, -9.8], \"realtime\": {\"levels\": 1}}\n",
        way);
    return text;
}

static void strain_is_reported_once_per_cloth(void **state) {
    (void)state;
    const warned_run *w = simulate_text(pull_text(2), VO_OK);
    expect_count(&w->log, "cloth 1 is stretched to", 1);
    expect_count(&w->log, "cloth 0 is stretched to", 0);
    expect_count(&w->log, "raise realtime.rate or realtime.substeps", 1);
    expect_count(&w->log, "implausible strain: in ", 1);
    expect_count(&w->check, "cloth is stretched to more than twice its length in ", 1);
    expect_count(&w->check, "raise realtime.rate or realtime.substeps", 1);
}

static void small_strain_is_not_reported(void **state) {
    (void)state;
    const warned_run *w = simulate_text(pull_text(0.01), VO_OK);
    expect_count(&w->log, "stretched", 0);
    expect_count(&w->check, "stretched", 0);
}

/* --- Intersections ---------------------------------------------------------------------------- */

/* A sheet through the middle of another one; `hold` fixes all corners of both. */
static const char *cross_text(int end_frame, bool hold) {
    static char text[2000];
    snprintf(
        text, sizeof text,
        "{\"engine\": \"realtime\", \"fps\": 30, \"end_frame\": %d,\n"
        "\"cloths\": [" SHEET(
            0) ",\n"
               "  {\"grid\": {\"width\": 0.4, \"height\": 0.4, \"columns\": 4, \"rows\": 4},\n"
               "   \"transform\": {\"translate\": [0.03, 0.21, %g], \"rotate\": [90, 0, 1, 0]},\n"
               "   \"materials\": [{\"thickness\": 3e-4, \"density\": 500,"
               "     \"elastic_modulus\": 1e6, \"poisson_ratio\": 0.3}]}],\n"
               "\"handles\": [{\"cloth\": 0, \"nodes\": [0, 4, 20, 24]}%s],\n"
               "\"gravity\": [0, 0, -9.8],"
               "\"realtime\": {\"levels\": 1, \"self_collision\": true}}\n",
        end_frame, hold ? 0.21 : -0.1, hold ? ", {\"cloth\": 1, \"nodes\": [0, 4, 20, 24]}" : "");
    return text;
}

static void lasting_intersections_are_reported(void **state) {
    (void)state;
    const warned_run *w = simulate_text(cross_text(45, true), VO_OK);
    expect_count(&w->log, "frame 30: ", 1);
    expect_count(&w->log, "has not removed the intersections for 30 frames", 1);
    expect_count(&w->log, "intersections that could not be resolved: in 16 frames", 1);
}

static void intersections_at_the_end_are_reported(void **state) {
    (void)state;
    const warned_run *w = simulate_text(cross_text(10, true), VO_OK);
    expect_count(&w->log, "frame 10: ", 1);
    expect_count(&w->log, "has not removed the intersections for 10 frames", 1);
}

static void clean_cloth_is_not_reported(void **state) {
    (void)state;
    const warned_run *w = simulate_text(cross_text(20, false), VO_OK);
    expect_count(&w->log, "intersect", 0);
}

/* --- Characters ------------------------------------------------------------------------------- */

static const char *strip_scene(const char *bodies) {
    static char text[2000];
    snprintf(text, sizeof text,
             "{\"engine\": \"realtime\", \"fps\": 30, \"end_frame\": 2,\n"
             "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}],\n"
             "\"characters\": [{\"body\": {\"file\": \"%s\"}}],\n"
             "\"cloths\": [" SHEET(1) "], \"realtime\": {\"levels\": 1, \"bodies\": \"%s\"}}\n",
             strip_file("strip.gltf"), bodies);
    return text;
}

/* The character and its file are named, with the remedy that needs no other file. */
static void open_character_is_named(void **state) {
    (void)state;
#ifndef VO_HAVE_ASSIMP
    skip();
#endif
    const warned_run *w = simulate_text(strip_scene("meshes"), VO_BAD_DATA);
    assert_non_null(strstr(w->message, "characters[0] ("));
    assert_non_null(strstr(w->message, "strip.gltf) is not suitable for the engine realtime"));
    assert_non_null(strstr(w->message, "6 boundary edges"));
    assert_non_null(strstr(w->message, "set realtime.bodies to \"capsules\""));
}

/* A sheet across a mannequin, which it intersects. */
static const char *mannequin_scene(const char *bodies) {
    static char text[2000];
    snprintf(text, sizeof text,
             "{\"engine\": \"realtime\", \"fps\": 30, \"end_frame\": 1,\n"
             "\"characters\": [{\"body\": {\"height\": 1.75, \"faces\": 1500},"
             " \"transform\": {\"translate\": [0.2, 0.2, 0]}}],\n"
             "\"cloths\": [" SHEET(1) "], \"realtime\": {\"levels\": 0, \"bodies\": \"%s\"}}\n",
             bodies);
    return text;
}

static void capsules_are_explained(void **state) {
    (void)state;
    static const char hint[] = "realtime.bodies is \"capsules\"";
    expect_count(&simulate_text(mannequin_scene("capsules"), VO_OK)->check, hint, 1);
    expect_count(&simulate_text(mannequin_scene("meshes"), VO_OK)->check, hint, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strain_is_reported_once_per_cloth),
        cmocka_unit_test(small_strain_is_not_reported),
        cmocka_unit_test(lasting_intersections_are_reported),
        cmocka_unit_test(intersections_at_the_end_are_reported),
        cmocka_unit_test(clean_cloth_is_not_reported),
        cmocka_unit_test(open_character_is_named),
        cmocka_unit_test(capsules_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
