#include "codec/pc2.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "point caches are little-endian and read without conversion"
#endif

enum { HEADER_BYTES = 32 };

static const char magic[12] = "POINTCACHE2";

static int32_t int_at(const char *at) {
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static double float_at(const char *at) {
    float value;
    memcpy(&value, at, sizeof value);
    return (double)value;
}

static vo_result check_header(vo_context *ctx, const char *name, const vo_pc2 *pc2) {
    const char *header = pc2->bytes.data;
    if (pc2->bytes.size < HEADER_BYTES || memcmp(header, magic, sizeof magic) != 0) {
        return vo_fail(ctx, VO_BAD_DATA, "%s: not a PC2 point cache; export it as .pc2", name);
    }
    if (int_at(header + 12) != 1) {
        return vo_fail(ctx, VO_BAD_DATA, "%s: PC2 version %d; export it as version 1", name,
                       int_at(header + 12));
    }
    if (pc2->point_count < 1 || pc2->sample_count < 1) {
        return vo_fail(ctx, VO_BAD_DATA, "%s: %d points and %d samples; export it again", name,
                       pc2->point_count, pc2->sample_count);
    }
    if (!isfinite(pc2->start) || !isfinite(pc2->rate) || !(pc2->rate > 0)) {
        return vo_fail(
            ctx, VO_BAD_DATA,
            "%s: starts at frame %g with %g frames per sample; the rate must be positive", name,
            pc2->start, pc2->rate);
    }
    return VO_OK;
}

/* An interrupted export has fewer samples than its header specifies. */
static vo_result check_size(vo_context *ctx, const char *name, const vo_pc2 *pc2) {
    uint64_t row = (uint64_t)pc2->point_count * 12;
    uint64_t complete = (pc2->bytes.size - HEADER_BYTES) / row;
    if (pc2->bytes.size - HEADER_BYTES == row * (uint64_t)pc2->sample_count) return VO_OK;
    return vo_fail(ctx, VO_BAD_DATA,
                   "%s: %zu bytes contain %llu samples of %d points, but the header specifies %d; "
                   "export it again",
                   name, pc2->bytes.size, (unsigned long long)complete, pc2->point_count,
                   pc2->sample_count);
}

static vo_result check_numbers(vo_context *ctx, const char *name, const vo_pc2 *pc2) {
    for (size_t at = HEADER_BYTES; at < pc2->bytes.size; at += 4) {
        double value = float_at(pc2->bytes.data + at);
        if (fabs(value) < 1e30) continue;
        size_t point = (at - HEADER_BYTES) / 12;
        return vo_fail(ctx, VO_BAD_DATA,
                       "%s: byte %zu: point %zu of sample %zu is not below 1e30; export "
                       "it again",
                       name, at, point % (size_t)pc2->point_count,
                       point / (size_t)pc2->point_count);
    }
    return VO_OK;
}

vo_result vo_pc2_parse(vo_context *ctx, const char *name, vo_bytes bytes, vo_pc2 *out) {
    *out = (vo_pc2){.bytes = bytes};
    if (bytes.size >= HEADER_BYTES) {
        out->point_count = int_at(bytes.data + 16);
        out->start = float_at(bytes.data + 20);
        out->rate = float_at(bytes.data + 24);
        out->sample_count = int_at(bytes.data + 28);
    }
    vo_result result = check_header(ctx, name, out);
    if (result == VO_OK) result = check_size(ctx, name, out);
    if (result == VO_OK) result = check_numbers(ctx, name, out);
    if (result != VO_OK) vo_pc2_free(ctx, out);
    return result;
}

vo_result vo_pc2_load(vo_context *ctx, const char *path, vo_pc2 *out) {
    vo_bytes bytes;
    *out = (vo_pc2){0};
    VO_TRY(vo_file_read(ctx, path, &bytes));
    return vo_pc2_parse(ctx, path, bytes, out);
}

void vo_pc2_free(vo_context *ctx, vo_pc2 *pc2) {
    vo_bytes_free(ctx, &pc2->bytes);
    *pc2 = (vo_pc2){0};
}

vo_vec3 vo_pc2_point(const vo_pc2 *pc2, int sample, int point) {
    const char *at = pc2->bytes.data + HEADER_BYTES +
                     12 * ((size_t)sample * (size_t)pc2->point_count + (size_t)point);
    return (vo_vec3){float_at(at), float_at(at + 4), float_at(at + 8)};
}
