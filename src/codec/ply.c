#include "codec/ply.h"

#include "core/file.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum { MAX_HEADER = 1024, VERTEX_BYTES = 3 * 8 + 3, FACE_BYTES = 1 + 3 * 4 + 3 };

/* Writes the header and returns its length. */
static size_t write_header(const vo_ply *ply, char header[MAX_HEADER]) {
    const char *comment = ply->comment ? ply->comment : "";
    return (size_t)snprintf(header, MAX_HEADER,
                            "ply\nformat binary_little_endian 1.0\n"
                            "%s%.*s%s"
                            "element vertex %d\n"
                            "property double x\nproperty double y\nproperty double z\n"
                            "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                            "element face %d\n"
                            "property list uchar int vertex_indices\n"
                            "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                            "end_header\n",
                            *comment ? "comment " : "", (int)strcspn(comment, "\r\n"), comment,
                            *comment ? "\n" : "", ply->vertex_count, ply->face_count);
}

/* Writes the low bytes of a number in little-endian order. */
static char *put_bytes(char *at, uint64_t bits, int count) {
    for (int i = 0; i < count; i++) *at++ = (char)(unsigned char)(bits >> 8 * i);
    return at;
}

static char *put_double(char *at, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_bytes(at, bits, 8);
}

static char *put_colour(char *at, vo_colour c) {
    at = put_bytes(at, c.red, 1);
    at = put_bytes(at, c.green, 1);
    return put_bytes(at, c.blue, 1);
}

static char *put_vertices(char *at, const vo_ply *ply) {
    for (int i = 0; i < ply->vertex_count; i++) {
        at = put_double(at, ply->x[i].x);
        at = put_double(at, ply->x[i].y);
        at = put_double(at, ply->x[i].z);
        at = put_colour(at, ply->vertex_colour[i]);
    }
    return at;
}

static char *put_faces(char *at, const vo_ply *ply) {
    for (int f = 0; f < ply->face_count; f++) {
        at = put_bytes(at, 3, 1);
        for (int k = 0; k < 3; k++) at = put_bytes(at, (uint32_t)ply->face[f][k], 4);
        at = put_colour(at, ply->face_colour[f]);
    }
    return at;
}

vo_result vo_ply_save(vo_context *ctx, const vo_ply *ply, const char *path) {
    size_t capacity = MAX_HEADER + (size_t)ply->vertex_count * VERTEX_BYTES +
                      (size_t)ply->face_count * FACE_BYTES;
    char header[MAX_HEADER], *text = vo_alloc(ctx, capacity);
    if (!text) return vo_fail_memory(ctx, path);
    size_t size = write_header(ply, header);
    memcpy(text, header, size);
    char *end = put_faces(put_vertices(text + size, ply), ply);
    vo_result result = vo_file_write(ctx, path, text, (size_t)(end - text));
    vo_free(ctx, text, capacity);
    return result;
}
