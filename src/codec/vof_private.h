/* The bytes of a frame file, shared by its writer and its reader. Little-endian throughout.
 *
 *     0    "VOILEVOF"  version u32  sections u32  frame i32  0 u32  time f64  size of file u64
 *     40   a table: for each section
 *              tag (8, padded with 0)  index u32  type u8  filter u8  columns u16
 *              rows u64  raw bytes u64  stored bytes u64  XXH3-64 of the raw bytes
 *          XXH3-64 of everything above
 *          the sections' stored bytes, one after the other, each one zstd frame
 *          XXH3-64 of everything above
 *
 * Three kinds of checksum for three questions: the one after the table makes its sizes safe to act
 * on and lets vo_vof_peek stop there; the last one sees any altered byte, also those that zstd
 * would ignore; the one of each section tells which is broken, and would catch a mistake between
 * the numbers and the file.
 *
 * Filters. Numbers that vary smoothly have equal high bytes and noisy low ones, so a section is
 * transposed before zstd sees it: first byte 0 of every row, then byte 1 of every row, and so on.
 * Integers, which here are indices into neighbouring rows, are replaced by their differences to the
 * row before first. For positions the differences were tried and left out: a few percent on meshes
 * in good order are lost again on others. */
#ifndef VO_CODEC_VOF_PRIVATE_H
#define VO_CODEC_VOF_PRIVATE_H

#include "codec/vof.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "frame files are little-endian and written as they stand in memory"
#endif

#define VOF_MAGIC "VOILEVOF"
enum {
    VOF_VERSION = 1,
    VOF_HEAD = 40,  /* bytes before the table */
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
    char tag[VO_VOF_TAG + 1]; /* NUL-terminated here */
    uint32_t index;
    uint8_t type, filter;
    uint16_t columns;
    uint64_t count, raw, stored, hash;
} vof_section;

/* Memory that grows and keeps nothing. */
typedef struct vof_buffer {
    unsigned char *data;
    size_t capacity;
} vof_buffer;
bool vof_buffer_reserve(vo_context *ctx, vof_buffer *buffer, size_t bytes);
void vof_buffer_free(vo_context *ctx, vof_buffer *buffer);

/* Bytes of one number; 0 for an unknown type. */
size_t vof_type_size(unsigned type);

/* 1 to 8 letters, digits or underscores. */
bool vof_good_tag(const char *tag);

/* Which filter suits a type. */
vof_filter vof_filter_of(vo_vof_type type);

/* in -> out, both section->raw bytes; `scratch` too. The three must not overlap. */
void vof_filter_apply(const vof_section *section, const unsigned char *in, unsigned char *scratch,
                      unsigned char *out);
void vof_filter_undo(const vof_section *section, const unsigned char *in, unsigned char *out);

/* A frame this large next to a file this small is a forgery; kept to when writing, too. */
static inline bool vof_plausible(uint64_t raw_total, uint64_t file_size) {
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
