/* A PNG writer with its own compressor: run lengths and repeats found by a hash of the last four
 * bytes, written with deflate's fixed codes (RFC 1950, 1951, PNG specification). Plain pictures on
 * an even background come to a fifth of their size, which is enough here. */
#include "preview.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_BITS = 15, WINDOW = 32768, LONGEST = 258, SHORTEST = 4 };

typedef struct writer {
    unsigned char *data;
    size_t size;
    uint32_t bits;
    int bit_count;
} writer;

static void put_bits(writer *w, unsigned value, int count) {
    w->bits |= (uint32_t)value << w->bit_count;
    for (w->bit_count += count; w->bit_count >= 8; w->bit_count -= 8) {
        w->data[w->size++] = (unsigned char)w->bits;
        w->bits >>= 8;
    }
}

/* Huffman codes are sent from their highest bit. */
static void put_code(writer *w, unsigned code, int count) {
    unsigned turned = 0;
    for (int i = 0; i < count; i++) turned |= (code >> i & 1u) << (count - 1 - i);
    put_bits(w, turned, count);
}

/* A literal byte or the base of a length, with the fixed code. */
static void put_symbol(writer *w, unsigned symbol) {
    if (symbol < 144)
        put_code(w, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(w, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(w, symbol - 256, 7);
    else
        put_code(w, 0xc0 + symbol - 280, 8);
}

static void put_length(writer *w, unsigned length) {
    if (length == LONGEST) {
        put_symbol(w, 285);
        return;
    }
    unsigned rest = length - 3;
    int extra = 0;
    while (rest >> (extra + 3)) extra++;
    put_symbol(w, 257 + 4 * (unsigned)extra + (rest >> extra));
    put_bits(w, rest & ((1u << extra) - 1), extra);
}

static void put_distance(writer *w, unsigned distance) {
    unsigned rest = distance - 1;
    int extra = 0;
    while (rest >> (extra + 2)) extra++;
    put_code(w, 2 * (unsigned)extra + (rest >> extra), 5);
    put_bits(w, rest & ((1u << extra) - 1), extra);
}

static unsigned hash_at(const unsigned char *p) {
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word * 2654435761u >> (32 - HASH_BITS);
}

static size_t match_length(const unsigned char *a, const unsigned char *b, size_t most) {
    size_t n = 0;
    while (n < most && a[n] == b[n]) n++;
    return n;
}

/* One block with fixed codes. w->data must have room for 9/8 of the input. */
static void deflate(writer *w, const unsigned char *in, size_t size) {
    static int32_t last[1 << HASH_BITS]; /* position + 1 of the last place with this hash */
    memset(last, 0, sizeof last);
    put_bits(w, 1, 1);
    put_bits(w, 1, 2);
    for (size_t at = 0; at < size;) {
        size_t length = 0, from = 0;
        if (at + SHORTEST <= size) {
            unsigned hash = hash_at(in + at);
            from = last[hash] ? (size_t)last[hash] - 1 : at;
            if (from < at && at - from <= WINDOW)
                length = match_length(in + from, in + at,
                                      size - at < LONGEST ? size - at : (size_t)LONGEST);
            last[hash] = (int32_t)(at + 1);
        }
        if (length >= SHORTEST) {
            put_length(w, (unsigned)length);
            put_distance(w, (unsigned)(at - from));
            at += length;
        } else {
            put_symbol(w, in[at++]);
        }
    }
    put_symbol(w, 256);
    put_bits(w, 0, 7); /* to the end of the byte */
    w->bit_count = 0;
}

static void put_u32(unsigned char *p, uint32_t value) {
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(value >> (24 - 8 * i));
}

static uint32_t adler32(const unsigned char *p, size_t size) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + p[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint32_t crc32(uint32_t crc, const unsigned char *p, size_t size) {
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static bool write_chunk(FILE *file, const char *type, const unsigned char *data, size_t size) {
    unsigned char head[8], tail[4];
    put_u32(head, (uint32_t)size);
    memcpy(head + 4, type, 4);
    put_u32(tail, crc32(crc32(0, head + 4, 4), data, size));
    return fwrite(head, 1, 8, file) == 8 && fwrite(data, 1, size, file) == size &&
           fwrite(tail, 1, 4, file) == 4;
}

/* Each row as the difference from the one above (filter 2): shading changes slowly. */
static void filter_rows(unsigned char *out, int width, int height, const unsigned char *rgb) {
    size_t row = 3 * (size_t)width;
    for (int y = 0; y < height; y++) {
        *out++ = 2;
        for (size_t i = 0; i < row; i++, rgb++)
            *out++ = (unsigned char)(*rgb - (y > 0 ? *(rgb - row) : 0));
    }
}

static bool write_file(const char *path, int width, int height, const writer *w) {
    unsigned char head[13] = {0};
    put_u32(head, (uint32_t)width);
    put_u32(head + 4, (uint32_t)height);
    head[8] = 8; /* bits */
    head[9] = 2; /* red green blue */
    FILE *file = fopen(path, "wb");
    if (!file) return complain("%s: %s", path, strerror(errno));
    bool good = fwrite("\x89PNG\r\n\x1a\n", 1, 8, file) == 8 &&
                write_chunk(file, "IHDR", head, sizeof head) &&
                write_chunk(file, "IDAT", w->data, w->size) && write_chunk(file, "IEND", head, 0);
    good = fclose(file) == 0 && good;
    return good || complain("%s: %s", path, strerror(errno));
}

bool png_write(const char *path, int width, int height, const unsigned char *rgb) {
    size_t raw = (3 * (size_t)width + 1) * (size_t)height;
    unsigned char *rows = calloc(raw, 1);
    writer w = {.data = malloc(raw / 8 * 9 + 64)};
    bool good = rows && w.data;
    if (good) {
        filter_rows(rows, width, height, rgb);
        put_bits(&w, 0x78, 8); /* zlib: deflate, 32 kB window */
        put_bits(&w, 0x01, 8);
        deflate(&w, rows, raw);
        put_u32(w.data + w.size, adler32(rows, raw));
        w.size += 4;
        good = write_file(path, width, height, &w);
    } else {
        complain("out of memory");
    }
    free(rows);
    free(w.data);
    return good;
}
