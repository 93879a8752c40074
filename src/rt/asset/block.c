/* The .vrt file: header, section table, sections at multiples of 64 bytes (docs/vrt-format.md). */
#include "rt/asset/asset_private.h"

#include <string.h>

/* Like PNG: a byte outside ASCII, line ends and an end-of-file character, so that transfers as text
 * are detected. */
const char vo_rt_block_magic[8] = "\x89VRT\r\n\x1a\n";
enum { BYTE_ORDER_MARK = 0x01020304 };

typedef struct section_format {
    char tag[9];
    uint32_t stride, word;
} section_format;

static const section_format formats[VO_RT_SECTION_COUNT] = {
#define VO_RT_SECTION_FORMAT(name, tag, type, word) {tag, (uint32_t)sizeof(type), word},
    VO_RT_SECTIONS(VO_RT_SECTION_FORMAT)
#undef VO_RT_SECTION_FORMAT
};

_Static_assert(sizeof(vo_rt_block_info) == 44 && sizeof(vo_rt_vec3) == 12 &&
                   sizeof(vo_rt_base_triangle) == 24 && sizeof(vo_rt_base_edge) == 56 &&
                   sizeof(vo_rt_vertex_maps) == 16 && sizeof(vo_rt_tether) == 12 &&
                   sizeof(vo_rt_link) == 8 && sizeof(vo_rt_render_vertex) == 20 &&
                   sizeof(vo_rt_vec2) == 8 && sizeof(vo_rt_fine_point) == 20 &&
                   sizeof(vo_rt_detail_skin) == 56 && sizeof(vo_rt_operator_record) == 56,
               "elements of sections have no padding");

const char *vo_rt_section_tag(vo_rt_section section) { return formats[section].tag; }

vo_result vo_rt_fail_element(vo_rt_section section, int index, const char *what,
                             vo_rt_message *message) {
    return vo_rt_fail(message, VO_BAD_DATA, "section %s: element %d %s; create the file again",
                      vo_rt_section_tag(section), index, what);
}

/* --- Numbers -------------------------------------------------------------------------------- */

static bool is_big_endian(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static uint64_t get_number(const uint8_t *p, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | p[i];
    return value;
}
static uint32_t get_u32(const uint8_t *p) { return (uint32_t)get_number(p, 4); }
static uint64_t get_u64(const uint8_t *p) { return get_number(p, 8); }

static void put_number(uint8_t *p, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(value >> 8 * i);
}

void vo_rt_swap_bytes(void *data, size_t count, size_t word) {
    uint8_t *p = data;
    for (size_t i = 0; i < count; i++, p += word) {
        for (size_t k = 0; k < word / 2; k++) {
            uint8_t byte = p[k];
            p[k] = p[word - 1 - k];
            p[word - 1 - k] = byte;
        }
    }
}

static size_t align_up(size_t bytes) {
    return (bytes + VO_RT_BLOCK_ALIGNMENT - 1) & ~(size_t)(VO_RT_BLOCK_ALIGNMENT - 1);
}

static size_t table_end(uint32_t sections) {
    return align_up(VO_RT_HEADER_BYTES + (size_t)sections * VO_RT_ENTRY_BYTES);
}

/* --- Checksums ------------------------------------------------------------------------------ */

/* Covers header, table and the padding behind it, except the checksum itself. */
static uint64_t hash_header(const uint8_t *data, uint32_t sections) {
    uint64_t seed = vo_rt_hash(0, data, VO_RT_HEADER_CHECKSUM);
    return vo_rt_hash(seed, data + VO_RT_HEADER_SECTIONS,
                      table_end(sections) - VO_RT_HEADER_SECTIONS);
}

/* Covers a section and the padding behind it. */
static uint64_t hash_section(const uint8_t *data, uint64_t offset, uint64_t bytes) {
    return vo_rt_hash(0, data + offset, align_up((size_t)bytes));
}

static const uint8_t *find_entry(const uint8_t *data, uint32_t index) {
    return data + VO_RT_HEADER_BYTES + (size_t)index * VO_RT_ENTRY_BYTES;
}

static uint64_t entry_bytes(const uint8_t *entry) {
    return (uint64_t)get_u32(entry + VO_RT_ENTRY_COUNT) * get_u32(entry + VO_RT_ENTRY_STRIDE);
}

static bool is_inside(const uint8_t *entry, size_t bytes) {
    uint64_t offset = get_u64(entry + VO_RT_ENTRY_OFFSET), size = entry_bytes(entry);
    return size < SIZE_MAX / 2 && offset <= bytes && align_up((size_t)size) <= bytes - offset;
}

void vo_rt_block_seal(uint8_t *data, size_t bytes) {
    if (bytes < VO_RT_HEADER_BYTES) return;
    uint32_t sections = get_u32(data + VO_RT_HEADER_SECTIONS);
    if (sections > VO_RT_MAX_SECTIONS || table_end(sections) > bytes) return;
    for (uint32_t i = 0; i < sections; i++) {
        uint8_t *entry = data + (find_entry(data, i) - data);
        if (!is_inside(entry, bytes)) continue;
        uint64_t offset = get_u64(entry + VO_RT_ENTRY_OFFSET);
        put_number(entry + VO_RT_ENTRY_CHECKSUM, hash_section(data, offset, entry_bytes(entry)), 8);
    }
    put_number(data + VO_RT_HEADER_CHECKSUM, hash_header(data, sections), 8);
}

/* --- Memory --------------------------------------------------------------------------------- */

void vo_rt_block_free(vo_rt_asset *asset) {
    const vo_allocator *a = &asset->allocator;
    if (asset->native && asset->native != asset->data)
        a->release(a->user, asset->native, asset->bytes);
    if (asset->data) a->release(a->user, asset->data, asset->bytes);
    asset->data = asset->native = NULL;
}

/* Allocates the block and, on a big-endian machine, its copy. */
static bool allocate_block(vo_rt_asset *asset, size_t bytes) {
    const vo_allocator *a = &asset->allocator;
    asset->bytes = bytes;
    asset->data = a->allocate(a->user, bytes, VO_RT_BLOCK_ALIGNMENT);
    if (!asset->data) return false;
    asset->native =
        is_big_endian() ? a->allocate(a->user, bytes, VO_RT_BLOCK_ALIGNMENT) : asset->data;
    return asset->native != NULL;
}

/* Reverses the byte order of a section of a block. */
static void swap_section(uint8_t *block, size_t offset, const section_format *format,
                         uint32_t count) {
    vo_rt_swap_bytes(block + offset, (size_t)count * format->stride / format->word, format->word);
}

/* --- Writing -------------------------------------------------------------------------------- */

/* Assets without a detail mesh have none of its sections. */
static int count_sections(const vo_rt_section_view *view) {
    return view[VO_RT_SECTION_DETAIL_FIRST].count > 0 ? VO_RT_SECTION_COUNT
                                                      : VO_RT_SECTION_DETAIL_FIRST;
}

static void write_header(uint8_t *data, size_t bytes, int sections) {
    memcpy(data, vo_rt_block_magic, sizeof vo_rt_block_magic);
    put_number(data + VO_RT_HEADER_VERSION, VO_RT_BLOCK_VERSION, 4);
    put_number(data + VO_RT_HEADER_ORDER, BYTE_ORDER_MARK, 4);
    put_number(data + VO_RT_HEADER_SIZE, bytes, 8);
    put_number(data + VO_RT_HEADER_SECTIONS, (uint64_t)sections, 4);
}

/* Copies one section to the block and fills its entry of the table. */
static void write_section(vo_rt_asset *asset, int index, size_t offset, vo_rt_section_view *view) {
    const section_format *format = &formats[index];
    uint8_t *data = asset->data, *native = asset->native;
    uint8_t *entry = data + VO_RT_HEADER_BYTES + index * VO_RT_ENTRY_BYTES;
    size_t size = (size_t)view->count * format->stride;
    memcpy(entry, format->tag, 8);
    put_number(entry + VO_RT_ENTRY_COUNT, view->count, 4);
    put_number(entry + VO_RT_ENTRY_STRIDE, format->stride, 4);
    put_number(entry + VO_RT_ENTRY_OFFSET, offset, 8);
    if (size > 0) memcpy(native + offset, view->data, size);
    if (native != data && size > 0) {
        memcpy(data + offset, view->data, size);
        swap_section(data, offset, format, view->count);
    }
    view->data = native + offset;
}

bool vo_rt_block_write(vo_rt_asset *asset, vo_rt_section_view view[VO_RT_SECTION_COUNT]) {
    int sections = count_sections(view);
    size_t bytes = table_end((uint32_t)sections);
    for (int i = 0; i < sections; i++) bytes += align_up((size_t)view[i].count * formats[i].stride);
    if (!allocate_block(asset, bytes)) return false;
    uint8_t *data = asset->data;
    memset(data, 0, bytes);
    write_header(data, bytes, sections);
    size_t offset = table_end((uint32_t)sections);
    for (int i = 0; i < sections; i++) {
        size_t size = (size_t)view[i].count * formats[i].stride;
        write_section(asset, i, offset, &view[i]);
        offset += align_up(size);
    }
    vo_rt_block_seal(data, bytes);
    return true;
}

/* --- Reading -------------------------------------------------------------------------------- */

static vo_result check_header(const uint8_t *data, size_t bytes, vo_rt_message *message) {
    if (bytes < VO_RT_HEADER_BYTES)
        return vo_rt_fail(
            message, VO_BAD_DATA,
            "header: the data has %u bytes, less than a header of %d; it is truncated "
            "or not a .vrt file, so copy or create it again",
            (unsigned)bytes, VO_RT_HEADER_BYTES);
    if (memcmp(data, vo_rt_block_magic, sizeof vo_rt_block_magic) != 0)
        return vo_rt_fail(
            message, VO_BAD_DATA,
            "header: not a .vrt file; create one with voile cook or vo_rt_asset_create");
    uint32_t version = get_u32(data + VO_RT_HEADER_VERSION);
    if (version != VO_RT_BLOCK_VERSION)
        return vo_rt_fail(
            message, VO_BAD_DATA,
            "header: format version %u; this library reads version %d, so use a newer "
            "library or create the file again",
            version, VO_RT_BLOCK_VERSION);
    uint64_t size = get_u64(data + VO_RT_HEADER_SIZE);
    if (size != bytes || bytes % VO_RT_BLOCK_ALIGNMENT != 0)
        return vo_rt_fail(message, VO_BAD_DATA,
                          "header: the file should have %u bytes, but %u were found; it is "
                          "truncated or damaged, so copy or create it again",
                          (unsigned)size, (unsigned)bytes);
    uint32_t sections = get_u32(data + VO_RT_HEADER_SECTIONS);
    if (sections > VO_RT_MAX_SECTIONS || table_end(sections) > bytes ||
        get_u32(data + VO_RT_HEADER_ORDER) != BYTE_ORDER_MARK ||
        get_u64(data + VO_RT_HEADER_CHECKSUM) != hash_header(data, sections))
        return vo_rt_fail(
            message, VO_BAD_DATA,
            "header: header or section table do not match their checksum; the file is "
            "damaged, so copy or create it again");
    return VO_OK;
}

static vo_result fail_section(const char *tag, const char *what, vo_rt_message *message) {
    return vo_rt_fail(message, VO_BAD_DATA,
                      "section %s: %s; the file is damaged, so copy or create it again", tag, what);
}

/* Index of a tag in `formats`, or -1: a section of a later version, which is skipped. */
static int find_format(const char *tag) {
    for (int i = 0; i < VO_RT_SECTION_COUNT; i++)
        if (memcmp(tag, formats[i].tag, 8) == 0) return i;
    return -1;
}

/* Copies a tag; bytes outside printable ASCII are replaced. */
static void copy_tag(const uint8_t *entry, char tag[9], char shown[9]) {
    for (int i = 0; i < 9; i++) tag[i] = shown[i] = i < 8 ? (char)entry[i] : 0;
    for (int i = 0; i < 8 && shown[i]; i++)
        if (shown[i] < 33 || shown[i] > 126) shown[i] = '?';
}

/* Checks one entry of the table. *begin is the end of the section in front of it. */
static vo_result check_section(const uint8_t *data, size_t bytes, uint32_t index, uint64_t *begin,
                               vo_rt_section_view view[VO_RT_SECTION_COUNT],
                               vo_rt_message *message) {
    const uint8_t *entry = find_entry(data, index);
    char tag[9], shown[9];
    copy_tag(entry, tag, shown);
    uint64_t offset = get_u64(entry + VO_RT_ENTRY_OFFSET), size = entry_bytes(entry);
    int format = find_format(tag);
    if (offset % VO_RT_BLOCK_ALIGNMENT != 0) return fail_section(shown, "misaligned", message);
    if (!is_inside(entry, bytes))
        return fail_section(shown, "extends beyond the end of the file", message);
    if (offset < *begin) return fail_section(shown, "overlaps the one in front of it", message);
    if (offset > *begin) return fail_section(shown, "does not follow the one in front", message);
    if (get_u64(entry + VO_RT_ENTRY_CHECKSUM) != hash_section(data, offset, size))
        return fail_section(shown, "does not match its checksum", message);
    *begin = offset + align_up((size_t)size);
    if (format < 0) return VO_OK;
    if (get_u32(entry + VO_RT_ENTRY_STRIDE) != formats[format].stride)
        return fail_section(shown, "has elements of the wrong size", message);
    if (view[format].data) return fail_section(shown, "appears twice", message);
    view[format] = (vo_rt_section_view){data + offset, get_u32(entry + VO_RT_ENTRY_COUNT)};
    return VO_OK;
}

static vo_result check_sections(const uint8_t *data, size_t bytes,
                                vo_rt_section_view view[VO_RT_SECTION_COUNT],
                                vo_rt_message *message) {
    uint32_t sections = get_u32(data + VO_RT_HEADER_SECTIONS);
    uint64_t begin = table_end(sections);
    for (uint32_t i = 0; i < sections; i++) {
        vo_result result = check_section(data, bytes, i, &begin, view, message);
        if (result != VO_OK) return result;
    }
    for (int i = 0; i < VO_RT_SECTION_COUNT; i++)
        if (!view[i].data && i < VO_RT_SECTION_COLOUR)
            return fail_section(formats[i].tag, "is missing", message);
    return begin == bytes ? VO_OK
                          : vo_rt_fail(message, VO_BAD_DATA,
                                       "header: %u bytes follow the last section; the file is "
                                       "damaged, so copy or create it again",
                                       (unsigned)(bytes - begin));
}

vo_result vo_rt_block_read(vo_rt_asset *asset, const void *data, size_t bytes,
                           vo_rt_section_view view[VO_RT_SECTION_COUNT], vo_rt_message *message) {
    for (int i = 0; i < VO_RT_SECTION_COUNT; i++) view[i] = (vo_rt_section_view){0};
    vo_result result = check_header(data, bytes, message);
    if (result == VO_OK) result = check_sections(data, bytes, view, message);
    if (result != VO_OK) return result;
    if (!allocate_block(asset, bytes))
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for an asset of %u bytes",
                          (unsigned)bytes);
    memcpy(asset->data, data, bytes);
    if (is_big_endian()) memcpy(asset->native, data, bytes);
    for (int i = 0; i < VO_RT_SECTION_COUNT; i++) {
        if (!view[i].data) continue;
        size_t offset = (size_t)((const uint8_t *)view[i].data - (const uint8_t *)data);
        view[i].data = (const uint8_t *)asset->native + offset;
        if (is_big_endian()) swap_section(asset->native, offset, &formats[i], view[i].count);
    }
    return VO_OK;
}
