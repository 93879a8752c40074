#include "support.h"

#include "codec/hash.h"
#include "codec/vof.h"
#include "codec/vof_private.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static vo_result open_and_close(vo_context *ctx, const char *path) {
    vo_vof_reader *reader;
    vo_result result = vo_vof_open(ctx, path, &reader);
    vo_vof_close(reader);
    return result;
}

/* A frame with all types, unusual widths, an empty section and special numbers: -0, infinities,
 * denormals. */
static const double positions[4][3] = {
    {0.0, -0.0, 1e-310}, {1.5, INFINITY, -INFINITY}, {1e300, 3.25, 0.1}, {7, 8, 9}};
static const int32_t faces[3][3] = {{0, 1, 2}, {INT32_MAX, INT32_MIN, -1}, {3, 1, 0}};
static const int64_t stamps[2] = {INT64_MIN, INT64_MAX};
static const float factors[5] = {0.5f, -1, 3e38f, 1e-40f, 0};
static const uint8_t flags[7] = {0, 255, 1, 2, 3, 0, 9};

static vo_result add_small_frame(vo_vof_writer *w, int frame) {
    vo_vof_begin(w, frame, 0.04 * frame);
    VO_TRY(vo_vof_add(w, "node_x", 0, VO_VOF_F64, 3, 4, positions));
    VO_TRY(vo_vof_add(w, "face", 0, VO_VOF_I32, 3, 3, faces));
    VO_TRY(vo_vof_add(w, "stamp", 2, VO_VOF_I64, 1, 2, stamps));
    VO_TRY(vo_vof_add(w, "factor", 0, VO_VOF_F32, 5, 1, factors));
    VO_TRY(vo_vof_add(w, "flags", 0, VO_VOF_U8, 1, 7, flags));
    VO_TRY(vo_vof_add(w, "face", 1, VO_VOF_I32, 3, 0, NULL));
    return vo_vof_add(w, "face_uv_", 1, VO_VOF_F64, 1, 1, positions);
}

/* Copies the bytes of the small frame; the caller frees them with free(). */
static unsigned char *small_frame(vo_context *ctx, size_t *size) {
    vo_vof_writer *w;
    const void *bytes;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    assert_ok(ctx, add_small_frame(w, 12));
    assert_ok(ctx, vo_vof_finish(w, &bytes, size));
    unsigned char *copy = malloc(*size);
    assert_non_null(copy);
    memcpy(copy, bytes, *size);
    vo_vof_writer_destroy(w);
    return copy;
}

static void check_section(vo_context *ctx, vo_vof_reader *r, const char *tag, int index,
                          vo_vof_type type, int columns, int count, const void *data) {
    int found;
    const void *bytes;
    assert_ok(ctx, vo_vof_find(r, tag, index, type, columns, &found, &bytes));
    assert_int_equal(found, count);
    assert_int_equal(vo_vof_count(r, tag, index), count);
    size_t size = (size_t)count * (size_t)columns * vof_type_size(type);
    if (count == 0) assert_null(bytes);
    if (count > 0) assert_memory_equal(bytes, data, size);
    assert_int_equal((uintptr_t)bytes % VO_ALIGNMENT, 0);
}

static void check_small_frame(vo_context *ctx, vo_vof_reader *r) {
    assert_int_equal(vo_vof_frame(r), 12);
    assert_true(vo_vof_time(r) == 0.04 * 12);
    check_section(ctx, r, "node_x", 0, VO_VOF_F64, 3, 4, positions);
    check_section(ctx, r, "face_uv_", 1, VO_VOF_F64, 1, 1, positions);
    check_section(ctx, r, "face", 1, VO_VOF_I32, 3, 0, NULL);
    check_section(ctx, r, "face", 0, VO_VOF_I32, 3, 3, faces);
    check_section(ctx, r, "stamp", 2, VO_VOF_I64, 1, 2, stamps);
    check_section(ctx, r, "factor", 0, VO_VOF_F32, 5, 1, factors);
    check_section(ctx, r, "flags", 0, VO_VOF_U8, 1, 7, flags);
}

static void expect_message(vo_context *ctx, const char *part) {
    if (!strstr(vo_context_message(ctx), part))
        fail_msg("expected \"%s\" in \"%s\"", part, vo_context_message(ctx));
}

/* Parsing must fail with VO_BAD_DATA and a message that contains `part`. */
static void expect_bad(vo_context *ctx, const void *bytes, size_t size, const char *part) {
    vo_vof_reader *r;
    assert_int_equal(vo_vof_parse(ctx, "0012.vof", bytes, size, &r), VO_BAD_DATA);
    assert_null(r);
    expect_message(ctx, "0012.vof: ");
    expect_message(ctx, part);
    expect_message(ctx, "; resume the run from an earlier frame to compute it again");
}

static void written_frame_is_read_unchanged(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    size_t size;
    unsigned char *bytes = small_frame(ctx, &size);
    vo_vof_reader *r;
    assert_ok(ctx, vo_vof_parse(ctx, "0012.vof", bytes, size, &r));
    check_small_frame(ctx, r);
    vo_vof_close(r);
    free(bytes);
    vo_context_destroy(ctx);
}

/* A file written by the first version of the format. */
static void file_of_first_version_is_readable(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vof_reader *r;
    assert_ok(ctx, vo_vof_open(ctx, VOILE_SOURCE_DIR "/tests/fuzz/seeds/vof/small.vof", &r));
    check_small_frame(ctx, r);
    vo_vof_close(r);
    vo_context_destroy(ctx);
}

/* Every type, widths and counts around the block size of the filters, random bits. */
static void random_sections_are_read_unchanged(void **state) {
    (void)state;
    enum { MOST = 1100 * 7 * 8 };
    vo_context *ctx = test_context(1);
    vo_random random = vo_random_seed(3);
    unsigned char *data = malloc(MOST);
    assert_non_null(data);
    vo_vof_writer *w;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    for (int round = 0; round < 300; round++) {
        vo_vof_type type = (vo_vof_type)(1 + round % 5);
        int columns = 1 + vo_random_int(&random, 7), count = 1 + vo_random_int(&random, 1100);
        int few = round % 3 ? 256 : 3; /* noise, or something to compress */
        for (int i = 0; i < MOST; i++) data[i] = (unsigned char)vo_random_int(&random, few);
        const void *bytes;
        size_t size;
        vo_vof_reader *r;
        vo_vof_begin(w, round, round);
        assert_ok(ctx, vo_vof_add(w, "a", 5, type, columns, count, data));
        assert_ok(ctx, vo_vof_add(w, "b", 5, type, columns, 1, data));
        assert_ok(ctx, vo_vof_finish(w, &bytes, &size));
        assert_ok(ctx, vo_vof_parse(ctx, "random", bytes, size, &r));
        check_section(ctx, r, "a", 5, type, columns, count, data);
        check_section(ctx, r, "b", 5, type, columns, 1, data);
        vo_vof_close(r);
    }
    vo_vof_writer_destroy(w);
    free(data);
    vo_context_destroy(ctx);
}

static void bytes_do_not_depend_on_earlier_frames(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    size_t size, again;
    unsigned char *fresh = small_frame(ctx, &size);
    static double noise[5000];
    vo_random random = vo_random_seed(9);
    for (int i = 0; i < 5000; i++) noise[i] = vo_random_real(&random, -1, 1);
    vo_vof_writer *w;
    const void *bytes;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    for (int round = 0; round < 4; round++) {
        vo_vof_begin(w, 7, 1);
        assert_ok(ctx, vo_vof_add(w, "noise", 0, VO_VOF_F64, 1, 1000 * (round + 1), noise));
        assert_ok(ctx, vo_vof_finish(w, &bytes, &again));
        assert_ok(ctx, add_small_frame(w, 12));
        assert_ok(ctx, vo_vof_finish(w, &bytes, &again));
        assert_int_equal(again, size);
        assert_memory_equal(bytes, fresh, size);
    }
    vo_vof_writer_destroy(w);
    free(fresh);
    vo_context_destroy(ctx);
}

static void reused_writer_makes_no_heap_call(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_vof_writer *w;
    const void *bytes;
    size_t size;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    long calls = 0;
    for (int frame = 0; frame < 5; frame++) {
        if (frame == 1) calls = memory.calls;
        assert_ok(ctx, add_small_frame(w, frame));
        assert_ok(ctx, vo_vof_finish(w, &bytes, &size));
    }
    assert_int_equal(memory.calls, calls);
    vo_vof_writer_destroy(w);
    assert_int_equal(memory.live, 1 + 1); /* the context and its threads */
    vo_context_destroy(ctx);
}

static void truncated_file_is_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    size_t size;
    unsigned char *bytes = small_frame(ctx, &size);
    for (size_t cut = 0; cut < size; cut++) {
        char expected[96];
        /* Without a complete header only its own length is known. */
        snprintf(expected, sizeof expected, "truncated (expected %zu bytes, found %zu)",
                 cut < VOF_HEAD ? VOF_HEAD : size, cut);
        unsigned char *exact = malloc(cut ? cut : 1); /* exact size: sanitizers detect overruns */
        assert_non_null(exact);
        memcpy(exact, bytes, cut);
        expect_bad(ctx, exact, cut, expected);
        free(exact);
    }
    expect_bad(ctx, NULL, 0, "truncated");
    free(bytes);
    vo_context_destroy(ctx);
}

static void altered_byte_is_detected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    size_t size;
    unsigned char *bytes = small_frame(ctx, &size);
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 9; bit++) {
            unsigned char flip = bit < 8 ? (unsigned char)(1 << bit) : 0xff;
            bytes[at] ^= flip;
            expect_bad(ctx, bytes, size, "");
            bytes[at] ^= flip;
        }
    }
    unsigned char *longer = malloc(size + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    longer[size] = 0;
    expect_bad(ctx, longer, size + 1, "too long (expected ");
    free(longer);
    free(bytes);
    vo_context_destroy(ctx);
}

/* Corrects both checksums of a forged file. */
static void fix_checksums(unsigned char *bytes, size_t size) {
    uint32_t sections;
    memcpy(&sections, bytes + 12, 4);
    size_t table = VOF_HEAD + (size_t)sections * VOF_ENTRY;
    if (table + 16 > size) return;
    uint64_t hash = vo_hash(bytes, table);
    memcpy(bytes + table, &hash, 8);
    hash = vo_hash(bytes, size - 8);
    memcpy(bytes + size - 8, &hash, 8);
}

/* Changes one number of the file and corrects its checksums. */
static void expect_forgery_rejected(vo_context *ctx, size_t at, const void *value, size_t length,
                                    const char *part) {
    size_t size;
    unsigned char *bytes = small_frame(ctx, &size);
    memcpy(bytes + at, value, length);
    fix_checksums(bytes, size);
    expect_bad(ctx, bytes, size, part);
    free(bytes);
}

static void message_names_defect(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    size_t size;
    unsigned char *bytes = small_frame(ctx, &size);
    size_t table = VOF_HEAD + 7 * VOF_ENTRY;
    bytes[0] ^= 1;
    expect_bad(ctx, bytes, size, "not a Voile frame file");
    bytes[0] ^= 1;
    bytes[VOF_HEAD + 8] ^= 1;
    expect_bad(ctx, bytes, size, "the header does not match its checksum");
    bytes[VOF_HEAD + 8] ^= 1;
    bytes[table + 8 + 20] ^= 0x10;
    expect_bad(ctx, bytes, size, "section node_x[0] does not match its checksum");
    bytes[table + 8 + 20] ^= 0x10;
    bytes[size - 1] ^= 1;
    expect_bad(ctx, bytes, size, "the file does not match its checksum");
    free(bytes);
    uint32_t version = 2;
    expect_forgery_rejected(ctx, 8, &version, 4,
                            "format version 2; this version of Voile reads version 1");
    vo_context_destroy(ctx);
}

static void forged_table_is_rejected_without_allocation(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    uint32_t many = UINT32_MAX, sections = 1000, negative = 0x80000000u;
    uint64_t huge = (uint64_t)1 << 40, wrap = UINT64_MAX, odd = 95;
    uint16_t wide = 4000, none = 0;
    uint8_t type = 9, filter = 7, zero[8] = {0}, control[8] = "a\033[2J";
    const char *entry = "entry 0 of the table is damaged";
    expect_forgery_rejected(ctx, 12, &many, 4, "the header is damaged");
    expect_forgery_rejected(ctx, 12, &sections, 4, "truncated (expected ");
    expect_forgery_rejected(ctx, 20, &sections, 4, "the header is damaged");
    expect_forgery_rejected(ctx, 32, &huge, 8, "truncated (expected 1099511627776 bytes");
    expect_forgery_rejected(ctx, VOF_HEAD, zero, 8, entry);
    expect_forgery_rejected(ctx, VOF_HEAD, control, 8, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 8, &negative, 4, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 12, &type, 1, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 13, &filter, 1, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 14, &wide, 2, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 14, &none, 2, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 16, &huge, 8, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 24, &odd, 8, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 32, &wrap, 8, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 32, zero, 8, entry);
    expect_forgery_rejected(ctx, VOF_HEAD + 40, zero, 8,
                            "section node_x[0] does not match its checksum");
    vo_context_destroy(ctx);
}

/* Large rows and raw sizes must be rejected before memory is allocated. */
static void implausible_compression_ratio_is_rejected(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    size_t size;
    unsigned char *bytes = small_frame(ctx, &size);
    uint64_t rows = 1 << 20, raw = rows * 24;
    memcpy(bytes + VOF_HEAD + 16, &rows, 8);
    memcpy(bytes + VOF_HEAD + 24, &raw, 8);
    fix_checksums(bytes, size);
    long before = memory.calls;
    expect_bad(ctx, bytes, size, "section node_x[0] does not match its checksum");
    assert_true(memory.calls - before < 6);
    rows = INT32_MAX, raw = rows * 24;
    memcpy(bytes + VOF_HEAD + 16, &rows, 8);
    memcpy(bytes + VOF_HEAD + 24, &raw, 8);
    fix_checksums(bytes, size);
    expect_bad(ctx, bytes, size, "the table does not match the file size");
    free(bytes);
    vo_context_destroy(ctx);
}

static void missing_or_mismatched_section_is_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    size_t size;
    unsigned char *bytes = small_frame(ctx, &size);
    vo_vof_reader *r;
    int count = -5;
    const void *data = &count;
    assert_ok(ctx, vo_vof_parse(ctx, "frames/0012.vof", bytes, size, &r));
    assert_int_equal(vo_vof_find(r, "node_v", 3, VO_VOF_F64, 3, &count, &data), VO_BAD_DATA);
    expect_message(ctx, "frames/0012.vof: section node_v[3] is missing; resume the run");
    assert_int_equal(vo_vof_find(r, "node_x", 0, VO_VOF_F32, 3, &count, &data), VO_BAD_DATA);
    expect_message(ctx, "section node_x[0] has type f64[3], expected f32[3]");
    assert_int_equal(vo_vof_find(r, "node_x", 0, VO_VOF_F64, 2, &count, &data), VO_BAD_DATA);
    assert_int_equal(vo_vof_count(r, "node_x", 1), -1);
    assert_int_equal(count, -5);
    assert_ptr_equal(data, &count);
    vo_vof_close(r);
    free(bytes);
    vo_context_destroy(ctx);
}

static void invalid_arguments_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vof_writer *w;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    vo_vof_begin(w, 0, 0);
    double x = 1;
    const char *tags[] = {"", "too_long_", "a b", "\n", "caf\xc3\xa9"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        assert_int_equal(vo_vof_add(w, tags[i], 0, VO_VOF_F64, 1, 1, &x), VO_BAD_ARGUMENT);
    assert_int_equal(vo_vof_add(w, "a", -1, VO_VOF_F64, 1, 1, &x), VO_BAD_ARGUMENT);
    assert_int_equal(vo_vof_add(w, "a", 0, (vo_vof_type)0, 1, 1, &x), VO_BAD_ARGUMENT);
    assert_int_equal(vo_vof_add(w, "a", 0, (vo_vof_type)6, 1, 1, &x), VO_BAD_ARGUMENT);
    assert_int_equal(vo_vof_add(w, "a", 0, VO_VOF_F64, 0, 1, &x), VO_BAD_ARGUMENT);
    assert_int_equal(vo_vof_add(w, "a", 0, VO_VOF_F64, 1025, 1, &x), VO_BAD_ARGUMENT);
    assert_int_equal(vo_vof_add(w, "a", 0, VO_VOF_F64, 1, -1, &x), VO_BAD_ARGUMENT);
    assert_int_equal(vo_vof_add(w, "a", 0, VO_VOF_F64, 1, 1, NULL), VO_BAD_ARGUMENT);
    expect_message(ctx, "section \"a\": invalid tag, type or size");
    vo_vof_writer_destroy(w);
    vo_vof_writer_destroy(NULL);
    vo_vof_close(NULL);
    vo_context_destroy(ctx);
}

static void frame_without_sections_is_valid(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vof_writer *w;
    vo_vof_reader *r;
    const void *bytes;
    size_t size;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    vo_vof_begin(w, -3, -1);
    assert_ok(ctx, vo_vof_finish(w, &bytes, &size));
    assert_ok(ctx, vo_vof_parse(ctx, "empty", bytes, size, &r));
    assert_int_equal(vo_vof_frame(r), -3);
    assert_int_equal(vo_vof_count(r, "node_x", 0), -1);
    vo_vof_close(r);
    vo_vof_writer_destroy(w);
    vo_context_destroy(ctx);
}

static void saved_file_can_be_opened_and_peeked(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[512];
    snprintf(path, sizeof path, "%s/0012.vof", test_folder());
    vo_vof_writer *w;
    vo_vof_reader *r;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    assert_ok(ctx, add_small_frame(w, 12));
    assert_ok(ctx, vo_vof_save(w, path));
    assert_ok(ctx, open_and_close(ctx, path));
    assert_ok(ctx, vo_vof_open(ctx, path, &r));
    check_small_frame(ctx, r);
    vo_vof_close(r);
    assert_ok(ctx, vo_vof_peek(ctx, path, &r));
    assert_int_equal(vo_vof_frame(r), 12);
    assert_true(vo_vof_time(r) == 0.04 * 12);
    assert_int_equal(vo_vof_count(r, "node_x", 0), 4);
    assert_int_equal(vo_vof_count(r, "node_x", 1), -1);
    vo_vof_close(r);
    vo_vof_writer_destroy(w);
    vo_context_destroy(ctx);
}

/* A table longer than the first read of a peek, and all truncations of the file. */
static void peek_reads_table_of_any_length(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[512];
    snprintf(path, sizeof path, "%s/many.vof", test_folder());
    vo_vof_writer *w;
    vo_vof_reader *r;
    const void *bytes;
    size_t size;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    vo_vof_begin(w, 1, 1);
    for (int i = 0; i < 100; i++)
        assert_ok(ctx, vo_vof_add(w, "flags", i, VO_VOF_U8, 1, i % 8, flags));
    assert_ok(ctx, vo_vof_save(w, path));
    assert_ok(ctx, vo_vof_finish(w, &bytes, &size));
    assert_ok(ctx, vo_vof_peek(ctx, path, &r));
    for (int i = 0; i < 100; i++) assert_int_equal(vo_vof_count(r, "flags", i), i % 8);
    vo_vof_close(r);
    for (size_t cut = 0; cut < size; cut += 97) {
        assert_ok(ctx, vo_file_write(ctx, path, bytes, cut));
        assert_int_equal(vo_vof_peek(ctx, path, &r), VO_BAD_DATA);
        expect_message(ctx, "many.vof: truncated (expected ");
        assert_int_equal(open_and_close(ctx, path), VO_BAD_DATA);
        expect_message(ctx, "many.vof: truncated (expected ");
    }
    vo_vof_writer_destroy(w);
    vo_context_destroy(ctx);
}

static void unreadable_or_unwritable_file_reports_reason(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[512];
    const char *folder = test_folder();
    vo_vof_writer *w;
    vo_vof_reader *r;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    assert_ok(ctx, add_small_frame(w, 12));
    snprintf(path, sizeof path, "%s/no/0012.vof", folder);
    assert_int_equal(vo_vof_save(w, path), VO_IO_FAILED);
    expect_message(ctx, "no/0012.vof: cannot write: No such file or directory");
    assert_int_equal(vo_vof_open(ctx, path, &r), VO_IO_FAILED);
    assert_null(r);
    assert_int_equal(vo_vof_peek(ctx, path, &r), VO_IO_FAILED);
    expect_message(ctx, "no/0012.vof: cannot read: No such file or directory");
    assert_int_equal(vo_vof_peek(ctx, folder, &r), VO_IO_FAILED);
    expect_message(ctx, "cannot read: not a regular file");
    assert_int_equal(open_and_close(ctx, "/dev/null"), VO_IO_FAILED);
    vo_vof_writer_destroy(w);
    vo_context_destroy(ctx);
}

/* The temporary file is a link to a device that is always full; the existing frame must be kept. */
static void full_disk_keeps_existing_frame(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    vo_context *ctx = test_context(1);
    char path[512], temporary[520];
    snprintf(path, sizeof path, "%s/0012.vof", test_folder());
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    vo_vof_writer *w;
    vo_vof_reader *r;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    assert_ok(ctx, add_small_frame(w, 12));
    assert_ok(ctx, vo_vof_save(w, path));
    assert_int_equal(symlink("/dev/full", temporary), 0);
    vo_vof_begin(w, 13, 1);
    assert_int_equal(vo_vof_save(w, path), VO_IO_FAILED);
    expect_message(ctx, "0012.vof: cannot write: No space left on device");
    assert_false(vo_file_exists(temporary));
    assert_ok(ctx, vo_vof_open(ctx, path, &r));
    check_small_frame(ctx, r);
    vo_vof_close(r);
    vo_vof_writer_destroy(w);
    vo_context_destroy(ctx);
}

static vo_result write_and_read(vo_context *ctx, void *path) {
    vo_vof_writer *w;
    vo_vof_reader *r = NULL;
    VO_TRY(vo_vof_writer_create(ctx, &w));
    vo_result result = add_small_frame(w, 12);
    if (result == VO_OK) result = vo_vof_save(w, path);
    vo_vof_writer_destroy(w);
    VO_TRY(result);
    VO_TRY(vo_vof_peek(ctx, path, &r));
    vo_vof_close(r);
    VO_TRY(vo_vof_open(ctx, path, &r));
    vo_vof_close(r);
    return VO_OK;
}

static void failed_allocation_is_reported(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/0012.vof", test_folder());
    test_every_allocation(write_and_read, path);
}

/* Three sections that are compressed one by one, and another frame with the same writer: after a
 * failure the next frame has the same bytes as always. */
static vo_result write_in_goes(vo_context *ctx, void *numbers) {
    enum { COUNT = 1 << 21 };
    vo_vof_writer *w;
    const void *bytes;
    size_t size, small_size;
    VO_TRY(vo_vof_writer_create(ctx, &w));
    vo_result result = VO_OK;
    vo_vof_begin(w, 1, 0);
    for (int i = 0; i < 3 && result == VO_OK; i++)
        result = vo_vof_add(w, "x", i, VO_VOF_F64, 1, COUNT, numbers);
    if (result == VO_OK) result = vo_vof_finish(w, &bytes, &size);
    vo_result again = add_small_frame(w, 12);
    if (again == VO_OK) again = vo_vof_finish(w, &bytes, &size);
    if (again == VO_OK) {
        vo_context *other = test_context(1);
        unsigned char *small = small_frame(other, &small_size);
        assert_int_equal(size, small_size);
        assert_memory_equal(bytes, small, size);
        free(small);
        vo_context_destroy(other);
    }
    vo_vof_writer_destroy(w);
    return result != VO_OK ? result : again;
}

static void failed_allocation_in_large_frame_is_reported(void **state) {
    (void)state;
    double *numbers = calloc(1 << 21, sizeof *numbers);
    assert_non_null(numbers);
    test_every_allocation(write_in_goes, numbers);
    free(numbers);
}

/* A moving cloth of 20,000 faces: smooth positions with noise in the low digits. */
static void fill_cloth(double (*x)[9], int32_t (*face)[3], int side) {
    vo_random random = vo_random_seed(5);
    for (int i = 0; i < side * side; i++) {
        double u = (double)(i % side) / side, v = (double)(i / side) / side;
        double smooth[3] = {u + .05 * sin(7 * u + 3 * v), v + .03 * cos(9 * v), .2 * sin(5 * u)};
        for (int k = 0; k < 9; k++) {
            double scale = k < 3 ? 1 : k < 6 ? 3 : 0.01;
            x[i][k] = scale * smooth[k % 3] + 1e-4 * scale * vo_random_real(&random, -1, 1);
        }
    }
    for (int i = 0, n = 0; i < side * (side - 1); i++) {
        if (i % side == side - 1) continue;
        memcpy(face[n++], (int32_t[3]){i, i + 1, i + side + 1}, sizeof *face);
        memcpy(face[n++], (int32_t[3]){i, i + side + 1, i + side}, sizeof *face);
    }
}

static void cloth_of_20000_faces_is_small_and_fast(void **state) {
    (void)state;
    enum { SIDE = 101, NODES = SIDE * SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1) };
    static double x[NODES][9];
    static int32_t face[FACES][3];
    vo_context *ctx = test_context(1);
    vo_vof_writer *w;
    vo_vof_reader *r;
    const void *bytes = NULL;
    size_t size = 0, raw = sizeof x + sizeof face;
    fill_cloth(x, face, SIDE);
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    double best = 1e9, best_read = 1e9;
    for (int round = 0; round < 10; round++) {
        double start = vo_now();
        vo_vof_begin(w, 1, 1);
        assert_ok(ctx, vo_vof_add(w, "state", 0, VO_VOF_F64, 9, NODES, x));
        assert_ok(ctx, vo_vof_add(w, "face", 0, VO_VOF_I32, 3, FACES, face));
        assert_ok(ctx, vo_vof_finish(w, &bytes, &size));
        best = fmin(best, vo_now() - start);
        start = vo_now();
        assert_ok(ctx, vo_vof_parse(ctx, "cloth", bytes, size, &r));
        best_read = fmin(best_read, vo_now() - start);
        check_section(ctx, r, "state", 0, VO_VOF_F64, 9, NODES, x);
        check_section(ctx, r, "face", 0, VO_VOF_I32, 3, FACES, face);
        vo_vof_close(r);
    }
    print_message("%d faces: %zu bytes to %zu (%.0f %%), %.2f ms to write, %.2f ms to read\n",
                  FACES, raw, size, 100.0 * (double)size / (double)raw, 1e3 * best,
                  1e3 * best_read);
    assert_true(size < raw * 7 / 10);
    vo_vof_writer_destroy(w);
    vo_context_destroy(ctx);
}

/* Several batches of compression: sections of 0 to 2^20 numbers, 40 MB in total. */
static unsigned char *large_frame(int threads, const double *x, size_t *size) {
    vo_context *ctx = test_context(threads);
    vo_vof_writer *w;
    vo_vof_reader *r;
    const void *bytes;
    assert_ok(ctx, vo_vof_writer_create(ctx, &w));
    vo_vof_begin(w, 3, 0.5);
    for (int i = 0; i < 60; i++)
        assert_ok(ctx, vo_vof_add(w, "x", i, VO_VOF_F64, 1, (1 << i % 21) - 1, x + i));
    assert_ok(ctx, vo_vof_finish(w, &bytes, size));
    assert_ok(ctx, vo_vof_parse(ctx, "large", bytes, *size, &r));
    for (int i = 0; i < 60; i++)
        check_section(ctx, r, "x", i, VO_VOF_F64, 1, (1 << i % 21) - 1, x + i);
    unsigned char *copy = malloc(*size);
    assert_non_null(copy);
    memcpy(copy, bytes, *size);
    vo_vof_close(r);
    vo_vof_writer_destroy(w);
    vo_context_destroy(ctx);
    return copy;
}

static void bytes_do_not_depend_on_threads(void **state) {
    (void)state;
    enum { COUNT = (1 << 20) + 64 };
    double *x = malloc(COUNT * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < COUNT; i++) x[i] = sin(0.001 * i);
    size_t size, other_size;
    unsigned char *one = large_frame(1, x, &size), *four = large_frame(4, x, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(one, four, size);
    free(one);
    free(four);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_frame_is_read_unchanged),
        cmocka_unit_test(file_of_first_version_is_readable),
        cmocka_unit_test(random_sections_are_read_unchanged),
        cmocka_unit_test(bytes_do_not_depend_on_earlier_frames),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(reused_writer_makes_no_heap_call),
        cmocka_unit_test(truncated_file_is_rejected),
        cmocka_unit_test(altered_byte_is_detected),
        cmocka_unit_test(message_names_defect),
        cmocka_unit_test(forged_table_is_rejected_without_allocation),
        cmocka_unit_test(implausible_compression_ratio_is_rejected),
        cmocka_unit_test(missing_or_mismatched_section_is_named),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(frame_without_sections_is_valid),
        cmocka_unit_test(saved_file_can_be_opened_and_peeked),
        cmocka_unit_test(peek_reads_table_of_any_length),
        cmocka_unit_test(unreadable_or_unwritable_file_reports_reason),
        cmocka_unit_test(full_disk_keeps_existing_frame),
        cmocka_unit_test(failed_allocation_is_reported),
        cmocka_unit_test(failed_allocation_in_large_frame_is_reported),
        cmocka_unit_test(cloth_of_20000_faces_is_small_and_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
