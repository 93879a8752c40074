/* Upsampling files: round trip, damage of every kind, determinism. */
#include "upsample_fixture.h"

#include "codec/hash.h"
#include "core/file.h"
#include "core/memory.h"
#include "fuzz/vof_checksum.h"
#include "upsample/file/vru.h"

#include <stdio.h>
#include <stdlib.h>

/* An operator of random weights whose rows have the required sums. */
static vo_upsample_operator *random_operator(vo_context *ctx, const vo_upsample_pairs *p,
                                             int history, int modes, uint64_t seed) {
    const vo_upsample_operator_size size = {p->fine.vertex_count, p->coarse.vertex_count,
                                            2 * p->fine.vertex_count, history, modes};
    vo_random random = vo_random_seed(seed);
    vo_upsample_operator *op;
    assert_ok(ctx, vo_upsample_operator_create(ctx, &size, &op));
    int m = size.coarse_count, n = size.fine_count;
    for (int i = 0; i < n; i++) {
        op->base_first[i + 1] = 2 * (i + 1);
        op->base_column[2 * i] = vo_random_int(&random, m - 1);
        op->base_column[2 * i + 1] = op->base_column[2 * i] + 1;
        op->base_weight[2 * i] = 0.25f;
        op->base_weight[2 * i + 1] = 0.75f;
        for (int k = 0; k <= history; k++) {
            float *row = op->residual + ((size_t)i * (size_t)(1 + history) + (size_t)k) * (size_t)m;
            row[vo_random_int(&random, m - 1)] = 0.5f;
            row[m - 1] -= 0.5f;
        }
        for (int k = 0; k < modes; k++) {
            op->mode_sine[k * n + i] = 0.001f * (float)vo_random_int(&random, 9);
            op->mode_cosine[k * n + i] = 0.001f * (float)vo_random_int(&random, 9);
        }
    }
    for (int k = 0; k < modes; k++) op->mode_rate[k] = 3 + (float)k, op->mode_fraction[k] = 0.2f;
    op->history_s = history ? 0.04f : 0;
    op->mode_wind = modes ? 4.5f : 0;
    op->parameters = vo_upsample_fit_def_default();
    op->parameters.exponent = 3.5;
    op->parameters.history = history;
    op->error.rms = 0.0125f;
    op->frame_count = p->frame_count;
    return op;
}

/* Contents with two operators and two scenes. */
static vo_vru *create(vo_context *ctx, int coarse, int frames) {
    static const char *const scenes[] = {"walk.json", "a folder/run.json"};
    vo_upsample_pairs *p = synthetic_pairs(ctx, coarse, frames);
    vo_vru *vru;
    assert_ok(ctx, vo_vru_create(ctx, p, 2, scenes, &vru));
    assert_ok(ctx, vo_vru_set_operator(vru, "default", random_operator(ctx, p, 0, 2, 1)));
    assert_ok(ctx, vo_vru_set_operator(vru, "with history", random_operator(ctx, p, 2, 0, 2)));
    return vru;
}

static const char *save(const vo_vru *vru) {
    static char path[700];
    snprintf(path, sizeof path, "%s/a.vru", test_folder());
    assert_ok(vru->ctx, vo_vru_save(vru, path));
    return path;
}

static void assert_floats_equal(const float *a, const float *b, size_t count) {
    if (count) assert_memory_equal(a, b, count * sizeof(float));
}

static void assert_meshes_equal(const vo_upsample_mesh *a, const vo_upsample_mesh *b) {
    size_t vertices = (size_t)a->vertex_count, corners = 3 * (size_t)a->triangle_count;
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_floats_equal(&a->position[0].x, &b->position[0].x, 3 * vertices);
    assert_memory_equal(a->triangle, b->triangle, corners * sizeof *a->triangle);
    assert_floats_equal(&a->coordinate[0].x, &b->coordinate[0].x, 2 * corners);
    assert_floats_equal(a->mass, b->mass, vertices);
    assert_floats_equal(a->attachment, b->attachment, vertices);
}

static void assert_pairs_equal(const vo_upsample_pairs *a, const vo_upsample_pairs *b) {
    size_t frames = (size_t)a->frame_count;
    assert_meshes_equal(&a->coarse, &b->coarse);
    assert_meshes_equal(&a->fine, &b->fine);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_int_equal(a->sequence_count, b->sequence_count);
    assert_memory_equal(a->first_frame, b->first_frame,
                        ((size_t)a->sequence_count + 1) * sizeof(int));
    assert_true(a->frame_s == b->frame_s);
    assert_int_equal(a->test_function_count, b->test_function_count);
    assert_floats_equal(a->coarse_frames, b->coarse_frames,
                        3 * frames * (size_t)a->coarse.vertex_count);
    assert_floats_equal(a->fine_frames, b->fine_frames, 3 * frames * (size_t)a->fine.vertex_count);
    assert_floats_equal(a->wind, b->wind, 3 * frames);
    assert_memory_equal(a->stats, b->stats, frames * sizeof *a->stats);
    assert_int_equal(a->asset_bytes, b->asset_bytes);
    assert_memory_equal(a->asset, b->asset, a->asset_bytes);
}

static void assert_operators_equal(const vo_upsample_operator *a, const vo_upsample_operator *b) {
    size_t n = (size_t)a->fine_count, m = (size_t)a->coarse_count, modes = (size_t)a->mode_count;
    size_t entries = (size_t)a->base_first[n];
    assert_int_equal(a->history, b->history);
    assert_int_equal(a->mode_count, b->mode_count);
    assert_memory_equal(a->base_first, b->base_first, (n + 1) * sizeof(int));
    assert_memory_equal(a->base_column, b->base_column, entries * sizeof(int));
    assert_floats_equal(a->base_weight, b->base_weight, entries);
    assert_floats_equal(a->residual, b->residual, n * m * (size_t)(1 + a->history));
    assert_floats_equal(a->mode_rate, b->mode_rate, modes);
    assert_floats_equal(a->mode_sine, b->mode_sine, n * modes);
    assert_floats_equal(a->mode_cosine, b->mode_cosine, n * modes);
    assert_floats_equal(a->mode_fraction, b->mode_fraction, modes);
    assert_true(a->history_s == b->history_s && a->mode_wind == b->mode_wind);
    assert_true(a->parameters.exponent == b->parameters.exponent);
    assert_int_equal(a->parameters.base, b->parameters.base);
    assert_true(a->parameters.area_weighted == b->parameters.area_weighted);
    assert_true(a->error.rms == b->error.rms);
    assert_int_equal(a->frame_count, b->frame_count);
}

static void written_file_is_read_unchanged(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_vru *a = create(ctx, 3, 9), *b;
    assert_ok(ctx, vo_vru_load(ctx, save(a), &b));
    assert_pairs_equal(a->pairs, b->pairs);
    assert_int_equal(b->scene_count, 2);
    assert_string_equal(b->scene[1], "a folder/run.json");
    assert_int_equal(b->operator_count, 2);
    assert_string_equal(b->operators[1].name, "with history");
    for (int i = 0; i < 2; i++) assert_operators_equal(a->operators[i].op, b->operators[i].op);
    assert_ptr_equal(vo_vru_find_operator(b, NULL), b->operators[0].op);
    assert_ptr_equal(vo_vru_find_operator(b, "with history"), b->operators[1].op);
    assert_null(vo_vru_find_operator(b, "other"));
    vo_vru_destroy(a);
    vo_vru_destroy(b);
    vo_context_destroy(ctx);
}

/* The bytes of a file; the caller frees them with vo_bytes_free. */
static vo_bytes bytes_of(const vo_vru *vru) {
    vo_bytes bytes;
    assert_ok(vru->ctx, vo_file_read(vru->ctx, save(vru), &bytes));
    return bytes;
}

static void bytes_do_not_depend_on_threads(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        vo_context *ctx = test_context(1 + 2 * i);
        vo_vru *vru = create(ctx, 4, 12);
        vo_bytes bytes = bytes_of(vru);
        hash[i] = vo_hash(bytes.data, bytes.size);
        vo_bytes_free(ctx, &bytes);
        vo_vru_destroy(vru);
        vo_context_destroy(ctx);
    }
    assert_true(hash[0] == hash[1]);
}

static void operators_are_replaced_by_name(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vru *vru = create(ctx, 2, 2);
    assert_ok(ctx, vo_vru_set_operator(vru, "default", random_operator(ctx, vru->pairs, 1, 0, 5)));
    assert_int_equal(vru->operator_count, 2);
    assert_int_equal(vru->operators[0].op->history, 1);
    vo_upsample_pairs *other = synthetic_pairs(ctx, 3, 1);
    assert_int_equal(vo_vru_set_operator(vru, "x", random_operator(ctx, other, 0, 0, 6)),
                     VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "the operator maps 16 vertices to 169, the pairs have 9 and 81");
    assert_int_equal(vo_vru_set_operator(vru, "", random_operator(ctx, vru->pairs, 0, 0, 6)),
                     VO_BAD_ARGUMENT);
    vo_upsample_pairs_destroy(other);
    vo_vru_destroy(vru);
    vo_context_destroy(ctx);
}

/* Frames of smooth motion need a third of their size. */
static void frames_are_compressed(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_upsample_pairs *p = synthetic_pairs(ctx, 10, 60);
    vo_vru *vru;
    assert_ok(ctx, vo_vru_create(ctx, p, 0, NULL, &vru));
    vo_bytes bytes = bytes_of(vru);
    size_t raw = 60 * (41 * 41 + 11 * 11) * 12;
    if (bytes.size > raw * 6 / 10) fail_msg("%zu bytes of %zu", bytes.size, raw);
    vo_bytes_free(ctx, &bytes);
    vo_vru_destroy(vru);
    vo_context_destroy(ctx);
}

/* ---- damage --------------------------------------------------------------------------------- */

/* A result that reading damaged data may have; on success the contents are released. */
static void read_damaged(vo_context *ctx, const void *bytes, size_t size, bool may_succeed) {
    vo_vru *vru;
    vo_result result = vo_vru_parse(ctx, "a.vru", bytes, size, &vru);
    if (result == VO_OK && may_succeed) {
        vo_vru_destroy(vru);
        return;
    }
    assert_int_equal(result, VO_BAD_DATA);
    assert_null(vru);
    assert_message_contains(ctx, "a.vru: ");
    assert_message_contains(ctx, "; copy it again");
}

static void every_truncation_is_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vru *vru = create(ctx, 1, 2);
    vo_bytes bytes = bytes_of(vru);
    for (size_t size = 0; size < bytes.size; size++) read_damaged(ctx, bytes.data, size, false);
    vo_bytes_free(ctx, &bytes);
    vo_vru_destroy(vru);
    vo_context_destroy(ctx);
}

static void every_changed_byte_is_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vru *vru = create(ctx, 1, 2);
    vo_bytes bytes = bytes_of(vru);
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= (char)(1 << i % 8);
        read_damaged(ctx, bytes.data, bytes.size, false);
        bytes.data[i] ^= (char)(1 << i % 8);
    }
    vo_bytes_free(ctx, &bytes);
    vo_vru_destroy(vru);
    vo_context_destroy(ctx);
}

/* Files whose checksums match their damaged table. */
static void mutations_with_valid_checksums_are_safe(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vru *vru = create(ctx, 1, 3);
    vo_bytes bytes = bytes_of(vru);
    vo_random random = vo_random_seed(8);
    unsigned char *copy = malloc(bytes.size);
    assert_non_null(copy);
    for (int round = 0; round < 4000; round++) {
        memcpy(copy, bytes.data, bytes.size);
        for (int k = 0; k < 1 + round % 3; k++)
            copy[vo_random_int(&random, (int)bytes.size)] =
                (unsigned char)vo_random_int(&random, 256);
        fix_checksums(copy, bytes.size);
        read_damaged(ctx, copy, bytes.size, true);
    }
    free(copy);
    vo_bytes_free(ctx, &bytes);
    vo_vru_destroy(vru);
    vo_context_destroy(ctx);
}

/* Saves changed contents, which are well-formed, and expects the defect. */
static void expect_defect(vo_vru *vru, const char *defect) {
    vo_vru *read;
    assert_int_equal(vo_vru_load(vru->ctx, save(vru), &read), VO_BAD_DATA);
    assert_message_contains(vru->ctx, defect);
}

static void wrong_contents_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vru *vru = create(ctx, 2, 4);
    vo_upsample_pairs *p = vru->pairs;
    vo_upsample_operator *op = vru->operators[1].op;
    p->fine.triangle[4] = p->fine.vertex_count;
    expect_defect(vru, "section triangle[1]: row 1 has the vertex 81");
    p->fine.triangle[4] = 0;
    p->coarse_frames[3 * 9 + 2] = NAN;
    expect_defect(vru, "section coarse_x[1]: number 2 is nan");
    p->coarse_frames[3 * 9 + 2] = 0;
    p->fine.attachment[3] = 1.5f;
    expect_defect(vru, "section attach[1]: number 3 is 1.5");
    p->fine.attachment[3] = 0;
    p->first_frame[1] = 5;
    expect_defect(vru, "section first does not list the sequences in order");
    p->first_frame[1] = 2;
    p->frame_s = -1;
    expect_defect(vru, "the duration of a frame is -1 s");
    p->frame_s = 0.04f;
    op->base_column[3] = 9;
    expect_defect(vru, "operator 1: ");
    op->base_column[3] = 0;
    op->residual[7] += 1;
    expect_defect(vru, "operator 1: ");
    op->residual[7] -= 1;
    int last = op->base_first[op->fine_count];
    op->base_first[op->fine_count] = 40000;
    expect_defect(vru, "operator 1: ");
    op->base_first[op->fine_count] = last;
    op->parameters.history_step = 0;
    expect_defect(vru, "operator 1: ");
    op->parameters.history_step = 1;
    op->parameters.history = 3;
    expect_defect(vru, "section op_param[1] does not match op_size");
    op->parameters.history = op->history;
    op->parameters.regularisation = (vo_upsample_regularisation)77;
    expect_defect(vru, "operator 1: ");
    op->parameters.regularisation = VO_UPSAMPLE_HARMONIC;
    p->stats[1].inside = NAN;
    expect_defect(vru, "section stats[0]: number 9 is nan");
    p->stats[1].inside = 0;
    vo_vru_destroy(vru);
    vo_context_destroy(ctx);
}

/* A file written by the first version of the format: random_operator must not change. */
static void file_of_first_version_is_readable(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vru *expected = create(ctx, 1, 2), *read;
    assert_ok(ctx, vo_vru_load(ctx, VOILE_SOURCE_DIR "/tests/fuzz/seeds/vru/small.vru", &read));
    assert_meshes_equal(&read->pairs->fine, &expected->pairs->fine);
    assert_int_equal(read->pairs->frame_count, 2);
    for (int i = 0; i < 2; i++)
        assert_operators_equal(read->operators[i].op, expected->operators[i].op);
    vo_vru_destroy(read);
    vo_vru_destroy(expected);
    vo_context_destroy(ctx);
}

static void foreign_files_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vru *vru;
    assert_int_equal(vo_vru_load(ctx, VOILE_SOURCE_DIR "/tests/fuzz/seeds/vof/small.vof", &vru),
                     VO_BAD_DATA);
    assert_message_contains(ctx, "not a Voile upsampling file");
    assert_int_equal(vo_vru_load(ctx, "/nonexistent/a.vru", &vru), VO_IO_FAILED);
    vo_context_destroy(ctx);
}

/* ---- memory --------------------------------------------------------------------------------- */

static vo_result load(vo_context *ctx, void *arg) {
    const vo_bytes *bytes = arg;
    vo_vru *vru;
    VO_TRY(vo_vru_parse(ctx, "a.vru", bytes->data, bytes->size, &vru));
    vo_vru_destroy(vru);
    return VO_OK;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vru *vru = create(ctx, 1, 2);
    vo_bytes bytes = bytes_of(vru);
    test_every_allocation(load, &bytes);
    vo_bytes_free(ctx, &bytes);
    vo_vru_destroy(vru);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_file_is_read_unchanged),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(operators_are_replaced_by_name),
        cmocka_unit_test(frames_are_compressed),
        cmocka_unit_test(every_truncation_is_rejected),
        cmocka_unit_test(every_changed_byte_is_rejected),
        cmocka_unit_test(mutations_with_valid_checksums_are_safe),
        cmocka_unit_test(wrong_contents_are_rejected),
        cmocka_unit_test(file_of_first_version_is_readable),
        cmocka_unit_test(foreign_files_are_rejected),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
