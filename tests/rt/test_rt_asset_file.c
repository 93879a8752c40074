/* .vrt files: round trip, layout, damage. */
#include "rt_asset_cases.h"

static test_memory memory;

/* Copies the file of an asset with all options; the caller frees it. */
static uint8_t *make_file(bool options, size_t *bytes) {
    rt_test_mesh *mesh = rt_test_sheet(3, 2);
    mesh->def.max_level = 1;
    if (options) rt_test_add_options(mesh);
    if (options) rt_test_add_fine(mesh);
    vo_rt_asset *asset = rt_test_create(&memory, &mesh->def);
    const void *data = vo_rt_asset_get_data(asset, bytes);
    uint8_t *copy = malloc(*bytes);
    memcpy(copy, data, *bytes);
    vo_rt_asset_destroy(asset);
    free(mesh);
    return copy;
}

/* Loads data from a block of exactly its size; an accepted asset must pass validation. */
static vo_result load(const uint8_t *data, size_t bytes, vo_rt_message *message) {
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_asset *asset = (vo_rt_asset *)&memory;
    uint8_t *exact = malloc(bytes ? bytes : 1);
    memcpy(exact, data, bytes);
    *message = (vo_rt_message){{0}};
    vo_result result = vo_rt_asset_load(&allocator, exact, bytes, &asset, message);
    free(exact);
    if (result == VO_OK) {
        assert_int_equal(vo_rt_check_content(asset, message), VO_OK);
        assert_true(asset->mass > 0 && isfinite(asset->mass));
    } else {
        assert_int_equal(result, VO_BAD_DATA);
        assert_true(message->text[0] != 0);
        assert_null(asset);
    }
    vo_rt_asset_destroy(asset);
    assert_int_equal(memory.live, 0);
    return result;
}

static int reset(void **state) {
    (void)state;
    memory = (test_memory){.fail_at = -1};
    return 0;
}

static void expect_bad(const uint8_t *data, size_t bytes, const char *part) {
    vo_rt_message message;
    assert_int_equal(load(data, bytes, &message), VO_BAD_DATA);
    if (!strstr(message.text, part)) fail_msg("expected \"%s\" in \"%s\"", part, message.text);
}

static void loaded_asset_equals_the_created_one(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(5, 4);
    rt_test_add_options(mesh);
    vo_rt_asset *a = rt_test_create(&memory, &mesh->def), *c = rt_test_create(&memory, &mesh->def);
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_asset *b;
    size_t bytes, copied;
    const void *data = vo_rt_asset_get_data(a, &bytes);
    assert_int_equal(vo_rt_asset_load(&allocator, data, bytes, &b, NULL), VO_OK);
    assert_memory_equal(vo_rt_asset_get_data(b, &copied), data, bytes);
    assert_int_equal(copied, bytes);
    assert_memory_equal(vo_rt_asset_get_data(c, &copied), data, bytes); /* reproducible */
    vo_rt_asset_info x = vo_rt_asset_get_info(a), y = vo_rt_asset_get_info(b);
    assert_int_equal(x.edge_count, y.edge_count);
    assert_int_equal(x.tether_count, y.tether_count);
    assert_int_equal(x.attached_count, y.attached_count);
    assert_int_equal(x.render_triangle_count, y.render_triangle_count);
    assert_true(x.mass == y.mass && x.max.x == y.max.x && x.min.y == y.min.y);
    assert_int_equal((uintptr_t)b->data % 64, 0);
    assert_memory_equal(a->edge, b->edge, (size_t)a->edge_count * sizeof *a->edge);
    assert_memory_equal(a->render_vertex, b->render_vertex,
                        (size_t)a->render_vertex_count * sizeof *a->render_vertex);
    vo_rt_asset_destroy(a);
    vo_rt_asset_destroy(b);
    vo_rt_asset_destroy(c);
    assert_int_equal(memory.live, 0);
    free(mesh);
}

static void truncation_at_every_byte_is_detected(void **state) {
    (void)state;
    size_t bytes;
    vo_rt_message message;
    uint8_t *data = make_file(true, &bytes);
    for (size_t n = 0; n < bytes; n++) assert_int_equal(load(data, n, &message), VO_BAD_DATA);
    expect_bad(data, 0, "header: the data has 0 bytes, less than a header of 64");
    expect_bad(data, bytes - 64, "bytes, but");
    free(data);
}

/* One flipped bit is always detected: in the header, the table, a section or padding. */
static void every_flipped_bit_is_detected(void **state) {
    (void)state;
    size_t bytes;
    vo_rt_message message;
    uint8_t *data = make_file(true, &bytes);
    for (size_t i = 0; i < bytes; i++) {
        data[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(load(data, bytes, &message), VO_BAD_DATA);
        data[i] ^= (uint8_t)(1 << i % 8);
    }
    assert_int_equal(load(data, bytes, &message), VO_OK);
    free(data);
}

/* 10,000 files with damage that the checksums match: rejected, or valid assets. */
static void damage_behind_a_correct_checksum_is_harmless(void **state) {
    (void)state;
    size_t bytes[2];
    uint8_t *files[2] = {make_file(true, &bytes[0]), make_file(false, &bytes[1])};
    uint8_t *data = malloc(bytes[0] + bytes[1]);
    static const uint32_t words[] = {0,          1,          0xffffffffu, 0x7fffffffu, 0x80000000u,
                                     0x7fc00000, 0x7f800000, 0x3f800000,  65536,       0x7f7fffff};
    vo_random random = vo_random_seed(3);
    vo_rt_message message;
    int accepted = 0;
    for (int run = 0; run < 10000; run++) {
        int k = run % 2;
        size_t size = bytes[k];
        memcpy(data, files[k], size);
        for (int n = 1 + vo_random_int(&random, 3); n > 0; n--) {
            size_t at = (size_t)vo_random_int(&random, (int)size);
            if (run % 3 == 0) {
                data[at] ^= (uint8_t)(1 << vo_random_int(&random, 8));
            } else { /* a word of the section data or of the table */
                uint32_t word = words[vo_random_int(&random, 10)];
                memcpy(data + at / 4 * 4, &word, 4);
            }
        }
        vo_rt_block_seal(data, size);
        accepted += load(data, size, &message) == VO_OK;
    }
    assert_true(accepted > 100 && accepted < 9900); /* both outcomes occur */
    free(files[0]);
    free(files[1]);
    free(data);
}

static void put_u32(uint8_t *p, uint32_t value) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(value >> 8 * i);
}
static uint32_t get_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static uint8_t *entry_of(uint8_t *data, vo_rt_section section) {
    return data + VO_RT_HEADER_BYTES + (int)section * VO_RT_ENTRY_BYTES;
}
static uint8_t *section_of(uint8_t *data, vo_rt_section section) {
    return data + get_u32(entry_of(data, section) + VO_RT_ENTRY_OFFSET);
}

/* A change of the file, then the message that it causes. `word` is written at `offset` of the
 * header, of the entry or of the contents of a section. */
typedef struct damage {
    enum { HEADER, ENTRY, CONTENT } place;
    vo_rt_section section;
    int offset;
    uint32_t word;
    bool seal;
    const char *message;
} damage;

static void messages_name_the_section(void **state) {
    (void)state;
    const uint32_t nan = 0x7fc00000, two = 0x40000000;
    const damage rows[] = {
        {HEADER, 0, 0, 0x00545256, true, "header: not a .vrt file"},
        {HEADER, 0, VO_RT_HEADER_VERSION, 2, true,
         "header: format version 2; this library reads version 1, so use a newer library"},
        {HEADER, 0, VO_RT_HEADER_SIZE, 64, true, "header: the file should have 64 bytes, but"},
        {HEADER, 0, VO_RT_HEADER_ORDER, 0x04030201, true, "do not match their checksum"},
        {HEADER, 0, VO_RT_HEADER_SECTIONS, 65, true, "do not match their checksum"},
        {HEADER, 0, VO_RT_HEADER_SECTIONS, 12, true, "section info: does not follow"},
        {HEADER, 0, 40, 7, false, "header or section table do not match their checksum"},
        {ENTRY, VO_RT_SECTION_EDGE, 0, 0x21676465, true, "section edge: is missing"},
        {ENTRY, VO_RT_SECTION_EDGE, VO_RT_ENTRY_STRIDE, 52, true,
         "section edge: has elements of the wrong size"},
        {ENTRY, VO_RT_SECTION_MAPS, VO_RT_ENTRY_OFFSET, 1000, true, "section maps: misaligned"},
        {ENTRY, VO_RT_SECTION_MAPS, VO_RT_ENTRY_OFFSET, 512, true,
         "section maps: overlaps the one in front of it"},
        {ENTRY, VO_RT_SECTION_RENDER_UV, VO_RT_ENTRY_COUNT, 0x0fffffff, true,
         "section ruv: extends beyond the end of the file"},
        {ENTRY, VO_RT_SECTION_FINE, VO_RT_ENTRY_COUNT, 1, true, "bytes follow the last"},
        {ENTRY, VO_RT_SECTION_FINE, VO_RT_ENTRY_STRIDE, 24, true, "section fine: extends beyond"},
        {CONTENT, VO_RT_SECTION_COLOUR, 4, 0xfffeffff, true, "section colour: element 2 is out of"},
        {CONTENT, VO_RT_SECTION_FINE, 20, nan, true, "section fine: element 1 is out of range"},
        {CONTENT, VO_RT_SECTION_FINE, 12, 0x3c000000, true, "section fine: element 0 is out of"},
        {CONTENT, VO_RT_SECTION_FINE, 32, 0xbf000000, true,
         "section fine: element 0 begins a triangle with parts that have almost no area"},
        {ENTRY, VO_RT_SECTION_TETHER, VO_RT_ENTRY_CHECKSUM, 1, false, "do not match their"},
        {CONTENT, VO_RT_SECTION_EDGE, 0, 7, false, "section edge: does not match its checksum"},
        {CONTENT, VO_RT_SECTION_INFO, 0, 9, true, "section info: max_level is 9"},
        {CONTENT, VO_RT_SECTION_INFO, 12, 0, true, "section info: fabric.density is 0"},
        {CONTENT, VO_RT_SECTION_POSITION, 12, nan, true, "section position: element 1 is not"},
        {CONTENT, VO_RT_SECTION_TRIANGLE, 24, 99, true,
         "section triangle: element 1 has an index out of range"},
        {CONTENT, VO_RT_SECTION_TRIANGLE, 0, 1, true, "section triangle: element 0 has equal"},
        {CONTENT, VO_RT_SECTION_EDGE, 56, 7, true, "section edge: element 1 does not match"},
        {CONTENT, VO_RT_SECTION_EDGE, 12, 500, true, "section edge: element 0 does not match"},
        {CONTENT, VO_RT_SECTION_EDGE, 48, 2, true, "section edge: element 0 has a number out"},
        {CONTENT, VO_RT_SECTION_EDGE, 52, nan, true, "section edge: element 0 has a number out"},
        {CONTENT, VO_RT_SECTION_EDGE, 16, two, true,
         "section triangle: element 0 has edges whose material coordinates do not agree"},
        {CONTENT, VO_RT_SECTION_MAPS, 16, two, true, "section maps: element 1 has a value"},
        {CONTENT, VO_RT_SECTION_STIFFNESS, 4, nan, true, "section stiff: element 1 is out of"},
        {CONTENT, VO_RT_SECTION_TETHER, 0, 11, true, "section tether: element 1 has an invalid"},
        {CONTENT, VO_RT_SECTION_TETHER, 4, 7, true, "section tether: element 0 does not run from"},
        {CONTENT, VO_RT_SECTION_TETHER, 8, 0, true, "section tether: element 0 has an invalid l"},
        {CONTENT, VO_RT_SECTION_SKIN_BONE, 4, 9, true, "section skinbone: element 2 is out of"},
        {CONTENT, VO_RT_SECTION_SKIN_WEIGHT, 4, nan, true, "section skinwght: element 1 is out"},
        {CONTENT, VO_RT_SECTION_SKIN_WEIGHT, 20, 0, true, "section skinwght: element 4 begins"},
        {CONTENT, VO_RT_SECTION_RENDER_VERTEX, 20, 99, true, "section rvertex: element 1 is out"},
        {CONTENT, VO_RT_SECTION_RENDER_TRIANGLE, 8, 99, true, "section rtri: element 2 is out of"},
        {CONTENT, VO_RT_SECTION_RENDER_UV, 8, nan, true, "section ruv: element 1 is out of range"},
    };
    size_t bytes;
    uint8_t *file = make_file(true, &bytes), *data = malloc(bytes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const damage *d = &rows[i];
        memcpy(data, file, bytes);
        uint8_t *at = d->place == HEADER  ? data
                      : d->place == ENTRY ? entry_of(data, d->section)
                                          : section_of(data, d->section);
        put_u32(at + d->offset, d->word);
        if (d->seal) vo_rt_block_seal(data, bytes);
        expect_bad(data, bytes, d->message);
    }
    free(file);
    free(data);
}

/* A mesh in which a vertex lost its triangle, and one whose output has other counts. */
static void contradictions_between_sections_are_detected(void **state) {
    (void)state;
    size_t bytes;
    uint8_t *data = make_file(false, &bytes);
    uint32_t level = get_u32(section_of(data, VO_RT_SECTION_INFO));
    put_u32(section_of(data, VO_RT_SECTION_INFO), level + 1);
    vo_rt_block_seal(data, bytes);
    expect_bad(data, bytes, "section colour: 60 elements, which contradicts the other sections");
    memcpy(entry_of(data, VO_RT_SECTION_COLOUR), "other", 6); /* colours may be missing */
    vo_rt_block_seal(data, bytes);
    expect_bad(data, bytes, "section info: element 0 describes another output topology");
    put_u32(section_of(data, VO_RT_SECTION_INFO), level);
    uint8_t *count = entry_of(data, VO_RT_SECTION_STIFFNESS) + VO_RT_ENTRY_COUNT;
    put_u32(count, get_u32(count) - 1);
    vo_rt_block_seal(data, bytes);
    expect_bad(data, bytes, "section stiff: 11 elements, which contradicts the other sections");
    free(data);
}

/* Sections of a later version are skipped. */
static void unknown_sections_are_skipped(void **state) {
    (void)state;
    size_t bytes;
    uint8_t *data = make_file(true, &bytes);
    uint32_t sections = get_u32(data + VO_RT_HEADER_SECTIONS);
    size_t table = 64 + sections * VO_RT_ENTRY_BYTES, end = (table + 63) / 64 * 64;
    assert_true(end - table >= VO_RT_ENTRY_BYTES); /* one more entry fits in the padding */
    uint8_t *file = calloc(1, bytes + 64), *entry = file + table;
    memcpy(file, data, bytes);
    memcpy(entry, "future", 6);
    put_u32(entry + VO_RT_ENTRY_COUNT, 3);
    put_u32(entry + VO_RT_ENTRY_STRIDE, 5);
    put_u32(entry + VO_RT_ENTRY_OFFSET, (uint32_t)bytes);
    put_u32(file + VO_RT_HEADER_SECTIONS, sections + 1);
    put_u32(file + VO_RT_HEADER_SIZE, (uint32_t)bytes + 64);
    vo_rt_block_seal(file, bytes + 64);
    vo_rt_message message;
    assert_int_equal(load(file, bytes + 64, &message), VO_OK);
    memcpy(entry, "edge\0\0", 6);
    put_u32(entry + VO_RT_ENTRY_COUNT, 1);
    put_u32(entry + VO_RT_ENTRY_STRIDE, 56);
    vo_rt_block_seal(file, bytes + 64);
    expect_bad(file, bytes + 64, "section edge: appears twice");
    free(file);
    free(data);
}

static void bytes_are_swapped_by_words(void **state) {
    (void)state;
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint8_t by_four[8] = {4, 3, 2, 1, 8, 7, 6, 5}, by_two[8] = {3, 4, 1, 2, 7, 8, 5, 6};
    vo_rt_swap_bytes(bytes, 2, 4);
    assert_memory_equal(bytes, by_four, 8);
    vo_rt_swap_bytes(bytes, 4, 2);
    assert_memory_equal(bytes, by_two, 8);
}

/* The file in the repository was written by the first version of the format. */
static void file_of_the_first_version_is_readable(void **state) {
    (void)state;
    FILE *file = fopen(VOILE_SOURCE_DIR "/tests/fuzz/seeds/rt_asset/sheet.vrt", "rb");
    assert_non_null(file);
    static uint8_t data[1 << 16];
    size_t bytes = fread(data, 1, sizeof data, file);
    fclose(file);
    vo_rt_message message;
    if (load(data, bytes, &message) != VO_OK) fail_msg("%s", message.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup(name, reset)
        CASE(loaded_asset_equals_the_created_one),
        CASE(truncation_at_every_byte_is_detected),
        CASE(every_flipped_bit_is_detected),
        CASE(damage_behind_a_correct_checksum_is_harmless),
        CASE(messages_name_the_section),
        CASE(contradictions_between_sections_are_detected),
        CASE(unknown_sections_are_skipped),
        CASE(bytes_are_swapped_by_words),
        CASE(file_of_the_first_version_is_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
