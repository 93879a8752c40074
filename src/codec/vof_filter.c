/* Filters that make numeric arrays compressible: byte transposition and row differences. */
#include "codec/vof_private.h"
#include "core/memory.h"

enum { BLOCK = 512 }; /* rows per block; input and output fit the L1 cache */

bool vof_buffer_reserve(vo_context *ctx, vof_buffer *buffer, size_t bytes) {
    if (bytes <= buffer->capacity) return true;
    size_t grown = buffer->capacity + buffer->capacity / 2;
    if (grown < bytes) grown = bytes;
    unsigned char *data = vo_alloc(ctx, grown);
    if (!data) return false;
    vof_buffer_free(ctx, buffer);
    *buffer = (vof_buffer){data, grown};
    return true;
}

void vof_buffer_free(vo_context *ctx, vof_buffer *buffer) {
    vo_free(ctx, buffer->data, buffer->capacity);
    *buffer = (vof_buffer){0};
}

size_t vof_type_size(unsigned type) {
    switch (type) {
    case VO_VOF_U8:
        return 1;
    case VO_VOF_I32:
    case VO_VOF_F32:
        return 4;
    case VO_VOF_I64:
    case VO_VOF_F64:
        return 8;
    default:
        return 0;
    }
}

bool vof_tag_is_valid(const char *tag) {
    size_t length = strspn(tag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length >= 1 && length <= VO_VOF_MAX_TAG && tag[length] == 0;
}

vof_filter vof_filter_for_type(vo_vof_type type) {
    if (type == VO_VOF_U8) return VOF_FILTER_NONE;
    return type == VO_VOF_I32 || type == VO_VOF_I64 ? VOF_FILTER_DELTA_SHUFFLE : VOF_FILTER_SHUFFLE;
}

/* Transposes rows of `width` bytes to `width` planes of one byte per row. */
static void transpose(const unsigned char *in, unsigned char *out, size_t rows, size_t width) {
    for (size_t begin = 0; begin < rows; begin += BLOCK) {
        size_t end = begin + BLOCK < rows ? begin + BLOCK : rows;
        for (size_t b = 0; b < width; b++)
            for (size_t r = begin; r < end; r++) out[b * rows + r] = in[r * width + b];
    }
}

/* Inverse of transpose. */
static void untranspose(const unsigned char *in, unsigned char *out, size_t rows, size_t width) {
    for (size_t begin = 0; begin < rows; begin += BLOCK) {
        size_t end = begin + BLOCK < rows ? begin + BLOCK : rows;
        for (size_t b = 0; b < width; b++)
            for (size_t r = begin; r < end; r++) out[r * width + b] = in[b * rows + r];
    }
}

/* Loads an integer of 4 or 8 bytes. Differences wrap around and are therefore reversible. */
static uint64_t load_integer(const unsigned char *at, size_t size) {
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

/* Subtracts from each number the one in the previous row. */
static void subtract_rows(const unsigned char *in, unsigned char *out, size_t numbers,
                          size_t columns, size_t size) {
    size_t row = columns * size;
    memcpy(out, in, row < numbers * size ? row : numbers * size);
    for (size_t i = columns; i < numbers; i++) {
        const unsigned char *at = in + i * size;
        uint64_t difference = load_integer(at, size) - load_integer(at - row, size);
        memcpy(out + i * size, &difference, size);
    }
}

/* Inverse of subtract_rows, in place. */
static void add_rows(unsigned char *data, size_t numbers, size_t columns, size_t size) {
    size_t row = columns * size;
    for (size_t i = columns; i < numbers; i++) {
        unsigned char *at = data + i * size;
        uint64_t sum = load_integer(at, size) + load_integer(at - row, size);
        memcpy(at, &sum, size);
    }
}

void vof_filter_apply(const vof_section *section, const unsigned char *in, unsigned char *scratch,
                      unsigned char *out) {
    size_t size = vof_type_size(section->type), columns = section->columns;
    if (section->filter == VOF_FILTER_DELTA_SHUFFLE) {
        subtract_rows(in, scratch, section->count * columns, columns, size);
        in = scratch;
    }
    transpose(in, out, section->count, columns * size);
}

void vof_filter_undo(const vof_section *section, const unsigned char *in, unsigned char *out) {
    size_t size = vof_type_size(section->type), columns = section->columns;
    untranspose(in, out, section->count, columns * size);
    if (section->filter == VOF_FILTER_DELTA_SHUFFLE)
        add_rows(out, section->count * columns, columns, size);
}
