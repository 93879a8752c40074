/* Simulation of training pairs: alignment, determinism, saved states, errors. */
#include "support.h"

#include "codec/hash.h"
#include "core/file.h"
#include "linalg/eigen.h"
#include "upsample/simulate/simulate.h"

#include <math.h>
#include <stdio.h>

/* A small flag, 12 to 99 vertices, above a sphere that it touches. */
static const char scene_text[] =
    "{\"engine\": \"realtime\", \"fps\": 30, \"end_frame\": 9, \"preroll\": 0.1,\n"
    " \"cloths\": [{\"grid\": {\"width\": 0.4, \"height\": 0.3, \"columns\": 3, \"rows\": 2},\n"
    "   \"transform\": {\"translate\": [0, 0, 1], \"rotate\": [70, 1, 0, 0]},\n"
    "   \"materials\": [{\"thickness\": 0.0005, \"density\": 300, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.2}]}],\n"
    " \"handles\": [{\"edge\": \"left\"}],\n"
    " \"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.1},\n"
    "   \"transform\": {\"translate\": [0.3, 0.1, 0.85]}}],\n"
    " \"gravity\": [0, 0, -9.81], \"wind\": {\"density\": 1.2, \"velocity\": [3, 1, 0]},\n"
    " \"realtime\": {\"levels\": 0, \"compression\": 0.3},\n"
    " \"upsampling\": {\"test_functions\": 6, \"fine\": [\"cloths[0].grid.columns=10\",\n"
    "   \"cloths[0].grid.rows=8\", \"realtime.compression=0\"]}}\n";

static const char *write_scene(vo_context *ctx) {
    static char path[VO_PATH_SIZE];
    snprintf(path, sizeof path, "%s/flag.json", test_folder());
    assert_ok(ctx, vo_file_write(ctx, path, scene_text, strlen(scene_text)));
    return path;
}

static uint64_t hash_pairs(const vo_upsample_pairs *p) {
    size_t f = (size_t)p->frame_count;
    uint64_t hash = vo_hash(p->coarse_frames, f * (size_t)p->coarse.vertex_count * 12);
    hash = vo_hash_more(hash, p->fine_frames, f * (size_t)p->fine.vertex_count * 12);
    hash = vo_hash_more(hash, p->stats, f * sizeof *p->stats);
    return vo_hash_more(hash, p->wind, f * 12);
}

/* Needs no library. */
static vo_upsample_simulate_def clustered(void) {
    vo_upsample_simulate_def def = vo_upsample_simulate_def_default();
    def.test_kind = VO_UPSAMPLE_TEST_CLUSTERED;
    return def;
}

static uint64_t simulate(int threads, const vo_upsample_simulate_def *def) {
    vo_context *ctx = test_context(threads);
    vo_upsample_simulate_def d = def ? *def : clustered();
    const char *scene = write_scene(ctx);
    vo_upsample_pairs *p;
    assert_ok(ctx, vo_upsample_simulate(ctx, 1, &scene, &d, &p));
    uint64_t hash = hash_pairs(p);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
    return hash;
}

static void test_fine_cloth_follows_the_coarse_one(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *scene = write_scene(ctx);
    vo_upsample_simulate_def def = clustered();
    vo_upsample_pairs *with, *without;
    def.override_count = 1;
    def.overrides = (const char *const[]){"obstacles=[]"};
    assert_ok(ctx, vo_upsample_simulate(ctx, 1, &scene, &def, &with));
    def.test_kind = VO_UPSAMPLE_TEST_NONE;
    assert_ok(ctx, vo_upsample_simulate(ctx, 1, &scene, &def, &without));
    assert_int_equal(with->coarse.vertex_count, 12);
    assert_int_equal(with->fine.vertex_count, 99);
    assert_int_equal(with->frame_count, 10);
    assert_int_equal(with->first_frame[1], 10);
    assert_true(with->asset_bytes > 0);
    float attached = 0, mass = 0;
    for (int i = 0; i < 99; i++) attached += with->fine.attachment[i], mass += with->fine.mass[i];
    assert_true(attached == 9);
    assert_true(fabsf(mass - 0.4f * 0.3f * 0.15f) < 1e-5f);
    for (int f = 0; f < 10; f++) assert_true(with->stats[f].tracking_error < 1e-6f);
    assert_true(with->stats[9].distance < without->stats[9].distance);
    assert_memory_equal(with->coarse_frames, without->coarse_frames, 10 * 12 * 12);
    vo_upsample_pairs_destroy(with);
    vo_upsample_pairs_destroy(without);
    vo_context_destroy(ctx);
}

/* Harmonics leave more freedom to folds than patches, whose borders resist them. */
static void test_harmonic_test_functions(void **state) {
    (void)state;
    if (!vo_eigen_lowest_available()) skip();
    vo_context *ctx = test_context(1);
    const char *scene = write_scene(ctx);
    vo_upsample_simulate_def def = clustered();
    vo_upsample_pairs *p;
    def.override_count = 1;
    def.overrides = (const char *const[]){"obstacles=[]"};
    def.test_kind = VO_UPSAMPLE_TEST_HARMONIC;
    assert_ok(ctx, vo_upsample_simulate(ctx, 1, &scene, &def, &p));
    for (int f = 0; f < 10; f++) assert_true(p->stats[f].tracking_error < 1e-6f);
    /* The first harmonic is constant: the centres of mass agree. */
    double fine[3] = {0}, mass = 0;
    for (int i = 0; i < 99; i++) {
        mass += (double)p->fine.mass[i];
        for (int c = 0; c < 3; c++)
            fine[c] += (double)p->fine.mass[i] *
                       (double)p->fine_frames[3 * (9 * 99 + (size_t)i) + (size_t)c];
    }
    double coarse[3] = {0}, total = 0;
    for (int i = 0; i < 12; i++) {
        total += (double)p->coarse.mass[i];
        for (int c = 0; c < 3; c++)
            coarse[c] += (double)p->coarse.mass[i] *
                         (double)p->coarse_frames[3 * (9 * 12 + (size_t)i) + (size_t)c];
    }
    for (int c = 0; c < 3; c++) assert_near(fine[c] / mass, coarse[c] / total, 2e-3);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static void test_no_vertex_is_inside_a_body(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *scene = write_scene(ctx);
    vo_upsample_simulate_def def = clustered();
    vo_upsample_pairs *p;
    assert_ok(ctx, vo_upsample_simulate(ctx, 1, &scene, &def, &p));
    float nearest = 1;
    for (int i = 0; i < 10 * 99; i++) {
        const float *x = p->fine_frames + 3 * (size_t)i;
        float d = sqrtf((x[0] - 0.3f) * (x[0] - 0.3f) + (x[1] - 0.1f) * (x[1] - 0.1f) +
                        (x[2] - 0.85f) * (x[2] - 0.85f));
        nearest = fminf(nearest, d);
    }
    assert_true(nearest > 0.095f && nearest < 0.13f); /* the sphere is a polyhedron */
    for (int f = 0; f < 10; f++) assert_true(p->stats[f].inside == 0);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static void test_threads_and_calls_do_not_change_the_result(void **state) {
    (void)state;
    uint64_t hash = simulate(1, NULL);
    assert_true(simulate(1, NULL) == hash);
    assert_true(simulate(3, NULL) == hash);
}

static bool stop_at_frame(void *user, const vo_upsample_progress *progress) {
    return progress->frame < *(const int *)user;
}

/* Cancels a run after `frame`, at any point between saved states, and continues it. */
static uint64_t resume_after(const char *folder, int frame) {
    vo_context *ctx = test_context(1);
    const char *scene = write_scene(ctx);
    vo_upsample_simulate_def def = clustered();
    vo_upsample_pairs *p;
    def.folder = folder;
    def.save_interval = 3;
    def.progress = stop_at_frame;
    def.user = &frame;
    assert_int_equal(vo_upsample_simulate(ctx, 1, &scene, &def, &p), VO_CANCELLED);
    assert_null(p);
    vo_context_destroy(ctx);
    def.progress = NULL;
    return simulate(1, &def);
}

static void test_resumed_runs_have_the_same_pairs(void **state) {
    (void)state;
    vo_upsample_simulate_def def = clustered();
    uint64_t hash = simulate(1, &def);
    for (int frame = -1; frame < 9; frame += 2) {
        char folder[VO_PATH_SIZE];
        snprintf(folder, sizeof folder, "%s/states%d", test_folder(), frame);
        assert_true(resume_after(folder, frame) == hash);
        def.folder = folder;
        def.save_interval = 3;
        assert_true(simulate(1, &def) == hash); /* of a complete run */
    }
}

static void test_damaged_states_are_not_used(void **state) {
    (void)state;
    char folder[VO_PATH_SIZE], path[VO_PATH_SIZE];
    int stop = 7;
    snprintf(folder, sizeof folder, "%s/damaged", test_folder());
    vo_upsample_simulate_def def = clustered();
    uint64_t hash = simulate(1, &def);
    (void)resume_after(folder, stop);
    vo_path_join(path, sizeof path, folder, "0-frames-1.vof");
    vo_context *ctx = test_context(1);
    assert_ok(ctx, vo_file_write(ctx, path, "damaged", 7));
    vo_context_destroy(ctx);
    def.folder = folder;
    def.save_interval = 3;
    assert_true(simulate(1, &def) == hash);
    char other_path[VO_PATH_SIZE], third[VO_PATH_SIZE];
    vo_path_join(other_path, sizeof other_path, folder, "0-frames-0.vof");
    vo_path_join(third, sizeof third, folder, "third");
    assert_int_equal(rename(path, third), 0); /* exchanged files */
    assert_int_equal(rename(other_path, path), 0);
    assert_int_equal(rename(third, other_path), 0);
    assert_true(simulate(1, &def) == hash);
    def.test_functions = 5; /* states of another definition */
    uint64_t other = simulate(1, &def);
    def.folder = NULL;
    assert_true(other != hash && simulate(1, &def) == other);
}

static void test_several_scenes_are_sequences(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *scene = write_scene(ctx), *scenes[2] = {scene, scene};
    vo_upsample_simulate_def def = clustered();
    vo_upsample_pairs *p;
    def.max_frames = 4;
    assert_ok(ctx, vo_upsample_simulate(ctx, 2, scenes, &def, &p));
    assert_int_equal(p->sequence_count, 2);
    assert_int_equal(p->frame_count, 8);
    assert_int_equal(p->first_frame[1], 4);
    assert_int_equal(p->first_frame[2], 8);
    assert_memory_equal(p->fine_frames, p->fine_frames + 4 * 99 * 3, 4 * 99 * 12);
    vo_upsample_pairs_destroy(p);
    vo_context_destroy(ctx);
}

static void test_only_the_coarse_cloth(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *scene = write_scene(ctx);
    vo_upsample_simulate_def def = clustered();
    vo_upsample_pairs *both, *coarse;
    assert_ok(ctx, vo_upsample_simulate(ctx, 1, &scene, &def, &both));
    def.coarse_only = true;
    assert_ok(ctx, vo_upsample_simulate(ctx, 1, &scene, &def, &coarse));
    assert_memory_equal(both->coarse_frames, coarse->coarse_frames, 10 * 12 * 12);
    for (int i = 0; i < 10 * 99 * 3; i++) assert_true(coarse->fine_frames[i] == 0);
    vo_upsample_pairs_destroy(both);
    vo_upsample_pairs_destroy(coarse);
    vo_context_destroy(ctx);
}

/* Simulates with a change of the scene, which must fail with a message that contains `expected`. */
static void expect_failure(const char *change, const char *expected) {
    vo_context *ctx = test_context(1);
    const char *scene = write_scene(ctx);
    vo_upsample_simulate_def def = clustered();
    vo_upsample_pairs *p;
    def.override_count = 1;
    def.overrides = &change;
    assert_int_equal(vo_upsample_simulate(ctx, 1, &scene, &def, &p), VO_BAD_DATA);
    assert_null(p);
    if (!strstr(vo_context_message(ctx), expected)) fail_msg("%s", vo_context_message(ctx));
    vo_context_destroy(ctx);
}

static void test_messages_name_the_key(void **state) {
    (void)state;
    expect_failure("upsampling.fine=[]", "upsampling.fine");
    expect_failure("upsampling.cloth=1", "upsampling.cloth");
    expect_failure("upsampling.test_functions=100", "upsampling.test_functions");
    expect_failure("upsampling.fine=[\"fps=60\"]", "upsampling.fine");
    expect_failure("end_frame=\"inf\"", "end_frame");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine_cloth_follows_the_coarse_one),
        cmocka_unit_test(test_harmonic_test_functions),
        cmocka_unit_test(test_no_vertex_is_inside_a_body),
        cmocka_unit_test(test_threads_and_calls_do_not_change_the_result),
        cmocka_unit_test(test_resumed_runs_have_the_same_pairs),
        cmocka_unit_test(test_damaged_states_are_not_used),
        cmocka_unit_test(test_several_scenes_are_sequences),
        cmocka_unit_test(test_only_the_coarse_cloth),
        cmocka_unit_test(test_messages_name_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
