/* PC2 caches and bodies as sequences of meshes. */
#include "support.h"

#include "character/import/sequence.h"
#include "codec/pc2.h"
#include "core/random.h"
#include "import_files.h"
#include "pc2_write.h"

#include <stdlib.h>

enum { POINTS = 4, SAMPLES = 6 };

static const char tetrahedron[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/* Position of a point at a time in frames: a parabola, which the splines reproduce exactly. */
static vo_vec3 point_at(int point, double t) {
    return v3((point == 1) + 0.25 * t, (point == 2) - 0.125 * t * t, (point == 3) + point * t);
}

static vo_vec3 speed(int point, double t) { return v3(0.25, -0.25 * t, point); }

static void make_samples(vo_vec3 *x) {
    for (int s = 0; s < SAMPLES; s++) {
        for (int p = 0; p < POINTS; p++) x[s * POINTS + p] = point_at(p, s);
    }
}

static const char *write_cache(vo_context *ctx, const char *name) {
    vo_vec3 x[SAMPLES * POINTS];
    const char *path = file_path(name);
    make_samples(x);
    assert_ok(ctx, save_pc2(ctx, path, POINTS, SAMPLES, 3, 1, x));
    return path;
}

static void cache_there_and_back(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_pc2 pc2;
    assert_ok(ctx, vo_pc2_load(ctx, write_cache(ctx, "a.pc2"), &pc2));
    assert_int_equal(pc2.point_count, POINTS);
    assert_int_equal(pc2.sample_count, SAMPLES);
    assert_near(pc2.start, 3, 0);
    for (int s = 0; s < SAMPLES; s++) {
        for (int p = 0; p < POINTS; p++) {
            assert_true(v3_equal(vo_pc2_point(&pc2, s, p), point_at(p, s)));
        }
    }
    vo_pc2_free(ctx, &pc2);
    vo_context_destroy(ctx);
}

/* Truncated, extended or changed caches are rejected or remain valid. */
static void damaged_caches_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_bytes good;
    vo_pc2 pc2;
    assert_ok(ctx, vo_file_read(ctx, write_cache(ctx, "a.pc2"), &good));
    vo_random random = vo_random_seed(5);
    for (size_t i = 0; i < 4 * good.size; i++) {
        size_t size = i < good.size ? i : good.size;
        vo_bytes bytes = {vo_alloc(ctx, size + 1), size};
        memcpy(bytes.data, good.data, size);
        if (i >= good.size) bytes.data[i % good.size] = (char)vo_random_u64(&random);
        vo_result result = vo_pc2_parse(ctx, "a.pc2", bytes, &pc2);
        if (i < good.size) assert_int_equal(result, VO_BAD_DATA);
        if (result != VO_OK) assert_message_contains(ctx, "a.pc2: ");
        vo_pc2_free(ctx, &pc2);
    }
    vo_bytes_free(ctx, &good);
    vo_context_destroy(ctx);
}

static vo_result check_cache_rejected(vo_context *ctx, size_t at, const void *value,
                                      const char *words) {
    vo_bytes bytes;
    vo_pc2 pc2;
    assert_ok(ctx, vo_file_read(ctx, write_cache(ctx, "a.pc2"), &bytes));
    memcpy(bytes.data + at, value, 4);
    vo_result result = vo_pc2_parse(ctx, "a.pc2", bytes, &pc2);
    assert_message_contains(ctx, words);
    return result;
}

static void cache_defects_are_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const int32_t two = 2, many = 0x7fffffff, none = 0;
    const float zero = 0, no_number = NAN;
    assert_int_equal(check_cache_rejected(ctx, 0, &two, "not a PC2"), VO_BAD_DATA);
    assert_int_equal(check_cache_rejected(ctx, 12, &two, "version 2"), VO_BAD_DATA);
    assert_int_equal(check_cache_rejected(ctx, 16, &many, "but the header specifies"), VO_BAD_DATA);
    assert_int_equal(check_cache_rejected(ctx, 28, &none, "0 samples"), VO_BAD_DATA);
    assert_int_equal(check_cache_rejected(ctx, 24, &zero, "rate must be positive"), VO_BAD_DATA);
    assert_int_equal(check_cache_rejected(ctx, 32 + 12 * 5 + 4, &no_number, "point 1 of sample 1"),
                     VO_BAD_DATA);
    vo_context_destroy(ctx);
}

/* Checks positions and velocities, and rest before and after; central differences are exact for a
 * parabola away from the ends. */
static void check_motion(const vo_mesh_sequence *s, double start, double fps) {
    vo_vec3 x[POINTS], v[POINTS], y[POINTS];
    assert_int_equal(s->node_count, POINTS);
    assert_int_equal(s->face_count, 4);
    assert_int_equal(s->frame_count, SAMPLES);
    for (double t = 1; t <= SAMPLES - 2; t += 0.125) {
        vo_sequence_at(s, (start + t) / fps, x, v);
        for (int p = 0; p < POINTS; p++) {
            assert_near(v3_distance(x[p], point_at(p, t)), 0, 1e-9);
            assert_near(v3_distance(v[p], v3_scale(fps, speed(p, t))), 0, 1e-7);
        }
    }
    double h = 1e-6;
    for (double t = 0.05; t < SAMPLES - 1;
         t += 0.3) { /* velocities are the derivatives of the positions */
        vo_sequence_at(s, (start + t) / fps, x, v);
        vo_sequence_at(s, (start + t) / fps - h, x, NULL);
        vo_sequence_at(s, (start + t) / fps + h, y, NULL);
        for (int p = 0; p < POINTS; p++) {
            vo_vec3 rate = v3_scale(0.5 / h, v3_sub(y[p], x[p]));
            assert_near(v3_distance(rate, v[p]), 0, 1e-4 * fps);
        }
    }
    vo_sequence_at(s, -100, x, v);
    assert_near(v3_distance(x[1], point_at(1, 0)) + v3_length(v[1]), 0, 1e-12);
    vo_sequence_at(s, 1e9, x, v);
    assert_near(v3_distance(x[2], point_at(2, SAMPLES - 1)) + v3_length(v[2]), 0, 1e-9);
    assert_near(vo_sequence_end(s), (start + SAMPLES - 1) / fps, 1e-12);
}

static void cache_on_a_mesh(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh_sequence s;
    char cache[1024];
    snprintf(cache, sizeof cache, "%s", write_cache(ctx, "a.pc2"));
    const char *body = file_text("body.obj", tetrahedron);
    assert_ok(ctx, vo_sequence_load_pc2(ctx, body, cache, 24, NULL, &s));
    check_motion(&s, 3, 24);
    vo_sequence_free(&s);
    vo_import_options options = vo_import_options_default();
    options.metres_per_unit = 0.01;
    options.up_axis = VO_UP_Y;
    assert_ok(ctx, vo_sequence_load_pc2(ctx, body, cache, 24, &options, &s));
    vo_vec3 x[POINTS], p = point_at(3, 2);
    vo_sequence_at(&s, 5 / 24.0, x, NULL);
    assert_near(v3_distance(x[3], v3_scale(0.01, v3(p.x, -p.z, p.y))), 0, 1e-9);
    vo_sequence_free(&s);
    assert_int_equal(vo_sequence_load_pc2(ctx, body, cache, 0, NULL, &s), VO_BAD_ARGUMENT);
    body = file_text("three.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_int_equal(vo_sequence_load_pc2(ctx, body, cache, 24, NULL, &s), VO_BAD_DATA);
    assert_message_contains(ctx, "4 points where its OBJ has 3 vertices");
    vo_context_destroy(ctx);
}

static void write_meshes(void) {
    for (int s = 0; s < SAMPLES; s++) {
        char name[64], text[1024];
        int used = 0;
        for (int p = 0; p < POINTS; p++) {
            vo_vec3 x = point_at(p, s);
            used += snprintf(text + used, sizeof text - (size_t)used, "v %.17g %.17g %.17g\n", x.x,
                             x.y, x.z);
        }
        snprintf(text + used, sizeof text - (size_t)used, "%s", strstr(tetrahedron, "f 1"));
        snprintf(name, sizeof name, "body_%03d.obj", s + 7);
        file_text(name, text);
    }
}

static void obstacle_sequence_has_one_mesh_per_frame(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh_sequence s;
    write_meshes();
    assert_ok(ctx, vo_sequence_load_obj(ctx, file_path("body_%03d.obj"), 7, -1, 30, NULL, &s));
    check_motion(&s, 0, 30);
    vo_sequence_free(&s);
    assert_ok(ctx, vo_sequence_load_obj(ctx, file_path("body_%03d.obj"), 8, 8, 30, NULL, &s));
    assert_int_equal(s.frame_count, 1);
    vo_vec3 x[POINTS], v[POINTS];
    vo_sequence_at(&s, 0.1, x, v);
    assert_near(v3_distance(x[3], point_at(3, 1)) + v3_length(v[3]), 0, 1e-12);
    vo_sequence_free(&s);
    vo_context_destroy(ctx);
}

static void refuse_meshes(const char *pattern, int first, int last, vo_result expected,
                          const char *words) {
    vo_context *ctx = test_context(1);
    vo_mesh_sequence s;
    vo_result result = vo_sequence_load_obj(ctx, file_path(pattern), first, last, 30, NULL, &s);
    if (result != expected || strstr(vo_context_message(ctx), words) == NULL) {
        fail_msg("%s: %d: %s", pattern, (int)result, vo_context_message(ctx));
    }
    vo_sequence_free(&s);
    vo_context_destroy(ctx);
}

static void meshes_that_do_not_fit(void **state) {
    (void)state;
    write_meshes();
    refuse_meshes("body_%03d.obj", 0, -1, VO_IO_FAILED, "body_000.obj");
    refuse_meshes("body_%03d.obj", 7, 20, VO_IO_FAILED, "body_013.obj");
    refuse_meshes("body_%s.obj", 7, -1, VO_BAD_ARGUMENT, "as in body_%04d.obj");
    refuse_meshes("body_%03d%n.obj", 7, -1, VO_BAD_ARGUMENT, "one number");
    refuse_meshes("body_%99999999999d.obj", 7, -1, VO_BAD_ARGUMENT, "one number");
    refuse_meshes("body.obj", 7, -1, VO_BAD_ARGUMENT, "one number");
    refuse_meshes("body_%03d.obj", 9, 8, VO_BAD_ARGUMENT, "no frames");
    file_text("body_013.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    refuse_meshes("body_%03d.obj", 7, -1, VO_BAD_DATA, "body_013.obj: has 3 vertices");
    file_text("body_013.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"
                              "f 3 4 2\n");
    refuse_meshes("body_%03d.obj", 7, -1, VO_BAD_DATA, "triangle 4 joins other vertices");
}

static vo_result sequence_body(vo_context *ctx, void *arg) {
    vo_mesh_sequence s;
    char path[2][1024];
    snprintf(path[0], sizeof path[0], "%s/body.obj", (const char *)arg);
    snprintf(path[1], sizeof path[1], "%s/a.pc2", (const char *)arg);
    VO_TRY(vo_sequence_load_pc2(ctx, path[0], path[1], 24, NULL, &s));
    vo_sequence_free(&s);
    snprintf(path[0], sizeof path[0], "%s/few_%%d.obj", (const char *)arg);
    VO_TRY(vo_sequence_load_obj(ctx, path[0], 1, 2, 24, NULL, &s));
    vo_sequence_free(&s);
    vo_vec3 samples[2] = {{1, 2, 3}, {4, 5, 6}};
    snprintf(path[1], sizeof path[1], "%s/b.pc2", (const char *)arg);
    return save_pc2(ctx, path[1], 2, 1, 0, 1, samples);
}

static void memory_that_runs_out(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    write_cache(ctx, "a.pc2");
    file_text("body.obj", tetrahedron);
    file_text("few_1.obj", tetrahedron);
    file_text("few_2.obj", tetrahedron);
    vo_context_destroy(ctx);
    test_every_allocation(sequence_body, (void *)(uintptr_t)file_folder());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_there_and_back),
        cmocka_unit_test(damaged_caches_are_rejected),
        cmocka_unit_test(cache_defects_are_named),
        cmocka_unit_test(cache_on_a_mesh),
        cmocka_unit_test(obstacle_sequence_has_one_mesh_per_frame),
        cmocka_unit_test(meshes_that_do_not_fit),
        cmocka_unit_test(memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
