/* Coloured PLY files, read back according to their header. */
#include "codec/ply.h"
#include "core/file.h"
#include "soup.h"

#include <stdio.h>

static const char head[] =
    "ply\nformat binary_little_endian 1.0\ncomment a test\nelement vertex 4\n"
    "property double x\nproperty double y\nproperty double z\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 2\n"
    "property list uchar int vertex_indices\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n";

static const vo_vec3 x[4] = {{0, 0, 0}, {1.5, 0, -0.25}, {0, 1e-300, 3}, {1, 1, 1e30}};
static const vo_colour vertex_colour[4] = {{1, 2, 3}, {255, 0, 128}, {0, 0, 0}, {9, 99, 199}};
static const int face[2][3] = {{0, 1, 2}, {3, 2, 1}};
static const vo_colour face_colour[2] = {{250, 251, 252}, {4, 5, 6}};

static vo_ply sample(void) {
    return (vo_ply){.comment = "a test\nelement vertex 7",
                    .vertex_count = 4,
                    .x = x,
                    .vertex_colour = vertex_colour,
                    .face_count = 2,
                    .face = face,
                    .face_colour = face_colour};
}

static const char *file_path(void) {
    static char path[400];
    snprintf(path, sizeof path, "%s/a.ply", test_folder());
    return path;
}

static double read_double(const unsigned char *p) {
    uint64_t bits = 0;
    double value;
    for (int i = 7; i >= 0; i--) bits = bits << 8 | p[i];
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int read_int(const unsigned char *p) {
    return (int)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                 (uint32_t)p[3] << 24);
}

static void saved_file_has_expected_bytes(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_ply ply = sample();
    const char *path = file_path();
    vo_bytes bytes;
    assert_ok(ctx, vo_ply_save(ctx, &ply, path));
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    assert_int_equal(bytes.size, strlen(head) + 4 * 27 + 2 * 16);
    assert_memory_equal(bytes.data, head, strlen(head)); /* of the comment only the first line */
    const unsigned char *p = (const unsigned char *)bytes.data + strlen(head);
    for (int i = 0; i < 4; i++, p += 27) {
        assert_near(read_double(p), x[i].x, 0);
        assert_near(read_double(p + 8), x[i].y, 0);
        assert_near(read_double(p + 16), x[i].z, 0);
        assert_memory_equal(p + 24, &vertex_colour[i], 3);
    }
    for (int f = 0; f < 2; f++, p += 16) {
        assert_int_equal(p[0], 3);
        for (int k = 0; k < 3; k++) assert_int_equal(read_int(p + 1 + 4 * k), face[f][k]);
        assert_memory_equal(p + 13, &face_colour[f], 3);
    }
    vo_bytes_free(ctx, &bytes);
    vo_context_destroy(ctx);
}

static void unwritable_path_reports_reason(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_ply ply = sample();
    assert_int_equal(vo_ply_save(ctx, &ply, "/proc/nowhere/a.ply"), VO_IO_FAILED);
    assert_message_contains(ctx, "/proc/nowhere/a.ply");
    vo_context_destroy(ctx);
}

static vo_result save_once(vo_context *ctx, void *arg) {
    vo_ply ply = sample();
    return vo_ply_save(ctx, &ply, arg);
}

static void failed_allocation_is_reported(void **state) {
    (void)state;
    char path[400];
    snprintf(path, sizeof path, "%s", file_path());
    test_every_allocation(save_once, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_file_has_expected_bytes),
        cmocka_unit_test(unwritable_path_reports_reason),
        cmocka_unit_test(failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
