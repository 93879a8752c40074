#include "codec/pc2.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "point caches are little-endian and used as they stand in memory"
#endif

enum { HEAD = 32 };

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

static vo_result check_head(vo_context *ctx, const char *name, const vo_pc2 *pc2) {
    const char *head = pc2->bytes.data;
    if (pc2->bytes.size < HEAD || memcmp(head, magic, sizeof magic) != 0) {
        return vo_fail(ctx, VO_BAD_DATA, "%s: is not a PC2 point cache; export it as .pc2", name);
    }
    if (int_at(head + 12) != 1) {
        return vo_fail(ctx, VO_BAD_DATA, "%s: is PC2 version %d; only version 1 is known", name,
                       int_at(head + 12));
    }
    if (pc2->point_count < 1 || pc2->sample_count < 1) {
        return vo_fail(ctx, VO_BAD_DATA, "%s: has %d points and %d samples; export it again", name,
                       pc2->point_count, pc2->sample_count);
    }
    if (!isfinite(pc2->start) || !isfinite(pc2->rate) || !(pc2->rate > 0)) {
        return vo_fail(ctx, VO_BAD_DATA,
                       "%s: starts at frame %g with %g frames a sample; it needs "
                       "a positive rate",
                       name, pc2->start, pc2->rate);
    }
    return VO_OK;
}

/* A cache of an export that was stopped has fewer samples than its head says. */
static vo_result check_size(vo_context *ctx, const char *name, const vo_pc2 *pc2) {
    uint64_t row = (uint64_t)pc2->point_count * 12;
    uint64_t there = (pc2->bytes.size - HEAD) / row;
    if (pc2->bytes.size - HEAD == row * (uint64_t)pc2->sample_count) return VO_OK;
    return vo_fail(ctx, VO_BAD_DATA,
                   "%s: has %zu bytes, room for %llu samples of %d points, where its head says %d; "
                   "export it again",
                   name, pc2->bytes.size, (unsigned long long)there, pc2->point_count,
                   pc2->sample_count);
}

static vo_result check_numbers(vo_context *ctx, const char *name, const vo_pc2 *pc2) {
    for (size_t at = HEAD; at < pc2->bytes.size; at += 4) {
        double value = float_at(pc2->bytes.data + at);
        if (fabs(value) < 1e30) continue;
        size_t point = (at - HEAD) / 12;
        return vo_fail(ctx, VO_BAD_DATA,
                       "%s: byte %zu: point %zu of sample %zu is not a number below 1e30; export "
                       "it again",
                       name, at, point % (size_t)pc2->point_count,
                       point / (size_t)pc2->point_count);
    }
    return VO_OK;
}

vo_result vo_pc2_parse(vo_context *ctx, const char *name, vo_bytes bytes, vo_pc2 *out) {
    *out = (vo_pc2){.bytes = bytes};
    if (bytes.size >= HEAD) {
        out->point_count = int_at(bytes.data + 16);
        out->start = float_at(bytes.data + 20);
        out->rate = float_at(bytes.data + 24);
        out->sample_count = int_at(bytes.data + 28);
    }
    vo_result result = check_head(ctx, name, out);
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
    const char *at =
        pc2->bytes.data + HEAD + 12 * ((size_t)sample * (size_t)pc2->point_count + (size_t)point);
    return (vo_vec3){float_at(at), float_at(at + 4), float_at(at + 8)};
}

static void write_head(char *head, int points, int samples, double start, double rate) {
    int32_t version = 1, point_count = points, sample_count = samples;
    float first = (float)start, step = (float)rate;
    memcpy(head, magic, sizeof magic);
    memcpy(head + 12, &version, 4);
    memcpy(head + 16, &point_count, 4);
    memcpy(head + 20, &first, 4);
    memcpy(head + 24, &step, 4);
    memcpy(head + 28, &sample_count, 4);
}

vo_result vo_pc2_save(vo_context *ctx, const char *path, int point_count, int sample_count,
                      double start, double rate, const vo_vec3 *samples) {
    size_t count = (size_t)point_count * (size_t)sample_count, size = HEAD + 12 * count;
    char *data = vo_alloc(ctx, size);
    if (data == NULL) return vo_fail_memory(ctx, path);
    write_head(data, point_count, sample_count, start, rate);
    for (size_t i = 0; i < count; i++) {
        const float value[3] = {(float)samples[i].x, (float)samples[i].y, (float)samples[i].z};
        memcpy(data + HEAD + 12 * i, value, sizeof value);
    }
    vo_result result = vo_file_write(ctx, path, data, size);
    vo_free(ctx, data, size);
    return result;
}
