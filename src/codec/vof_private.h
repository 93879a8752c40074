/* Layout of frame files, shared by writer and reader. Little-endian.
 *
 *     0    magic (8)   version u32  sections u32  frame i32  0 u32  time f64  size of file u64
 *     40   table, for each section
 *              tag (8, padded with 0)  index u32  type u8  filter u8  columns u16
 *              rows u64  raw bytes u64  stored bytes u64  XXH3-64 of the raw bytes
 *          XXH3-64 of everything above
 *          stored bytes of the sections, one zstd frame each
 *          XXH3-64 of everything above
 *
 * There are three kinds of checksum. The checksum of the table validates its sizes before they are
 * used, and is sufficient for vo_vof_peek. The last checksum detects any modified byte, including
 * those that zstd ignores. The checksum of a section identifies the damaged section and detects
 * errors of compression and filters.
 *
 * Filters. Numbers that vary smoothly have equal high bytes and noisy low bytes, so a section is
 * transposed before compression: byte 0 of every row, then byte 1 of every row, and so on.
 * Integers, which are mostly indices of neighbouring rows, are first replaced by the differences of
 * successive rows. Differences of positions were rejected: they save a few percent on well-ordered
 * meshes and lose as much on others. */
#ifndef VO_CODEC_VOF_PRIVATE_H
#define VO_CODEC_VOF_PRIVATE_H

#include "codec/vof.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "frame files are little-endian and written without conversion"
#endif

enum {
    VOF_MAGIC_SIZE = 8,
    VOF_HEAD = 40,  /* bytes of the header */
    VOF_ENTRY = 48, /* bytes of a table entry */
    VOF_HASH = 8,   /* bytes of a checksum */
    VOF_ZSTD_LEVEL = 3,
};

typedef enum vof_filter {
    VOF_FILTER_NONE,
    VOF_FILTER_SHUFFLE,       /* transposed bytes */
    VOF_FILTER_DELTA_SHUFFLE, /* differences of rows, then transposed bytes */
} vof_filter;

/* A table entry. */
typedef struct vof_section {
    char tag[VO_VOF_MAX_TAG + 1]; /* NUL-terminated here */
    uint32_t index;
    uint8_t type, filter;
    uint16_t columns;
    uint64_t count, raw, stored, hash;
} vof_section;

/* Growable memory; growing discards the contents. */
typedef struct vof_buffer {
    unsigned char *data;
    size_t capacity;
} vof_buffer;
bool vof_buffer_reserve(vo_context *ctx, vof_buffer *buffer, size_t bytes);
void vof_buffer_free(vo_context *ctx, vof_buffer *buffer);

/* Size of a number in bytes; 0 for an unknown type. */
size_t vof_type_size(unsigned type);

/* True for 1 to 8 letters, digits or underscores. */
bool vof_tag_is_valid(const char *tag);

/* The filter used for a type. */
vof_filter vof_filter_for_type(vo_vof_type type);

/* Apply and undo the filter of a section. All buffers have section->raw bytes and must not overlap.
 */
void vof_filter_apply(const vof_section *section, const unsigned char *in, unsigned char *scratch,
                      unsigned char *out);
void vof_filter_undo(const vof_section *section, const unsigned char *in, unsigned char *out);

/* Limits the compression ratio to 2000, above 256 MiB: protects readers from decompression bombs.
 * The writer respects it too. */
static inline bool vof_ratio_is_plausible(uint64_t raw_total, uint64_t file_size) {
    return raw_total / 2000 <= file_size + ((uint64_t)256 << 20) / 2000;
}

static inline void vof_store(unsigned char **at, const void *value, size_t size) {
    memcpy(*at, value, size);
    *at += size;
}

static inline void vof_load(const unsigned char **at, void *value, size_t size) {
    memcpy(value, *at, size);
    *at += size;
}

#endif
