/* Writes PC2 point caches (codec/pc2.h) for tests of their reader. */
#ifndef VOILE_TESTS_PC2_WRITE_H
#define VOILE_TESTS_PC2_WRITE_H

#include "core/file.h"
#include "core/memory.h"

#include <string.h>

enum { PC2_HEAD_BYTES = 32 };

static inline void write_pc2_head(char *head, int points, int samples, double start, double rate) {
    int32_t version = 1, point_count = points, sample_count = samples;
    float first = (float)start, step = (float)rate;
    memcpy(head, "POINTCACHE2", 12);
    memcpy(head + 12, &version, 4);
    memcpy(head + 16, &point_count, 4);
    memcpy(head + 20, &first, 4);
    memcpy(head + 24, &step, 4);
    memcpy(head + 28, &sample_count, 4);
}

/* Writes samples[sample_count][point_count]. */
static inline vo_result save_pc2(vo_context *ctx, const char *path, int point_count,
                                 int sample_count, double start, double rate,
                                 const vo_vec3 *samples) {
    size_t count = (size_t)point_count * (size_t)sample_count, size = PC2_HEAD_BYTES + 12 * count;
    char *data = vo_alloc(ctx, size);
    if (data == NULL) return vo_fail_memory(ctx, path);
    write_pc2_head(data, point_count, sample_count, start, rate);
    for (size_t i = 0; i < count; i++) {
        const float value[3] = {(float)samples[i].x, (float)samples[i].y, (float)samples[i].z};
        memcpy(data + PC2_HEAD_BYTES + 12 * i, value, sizeof value);
    }
    vo_result result = vo_file_write(ctx, path, data, size);
    vo_free(ctx, data, size);
    return result;
}

#endif
