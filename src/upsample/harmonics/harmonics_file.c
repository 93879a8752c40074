/* The cache of harmonics: one file per mesh and number of modes. */
#include "upsample/harmonics/harmonics_file.h"

#include "codec/hash.h"
#include "core/file.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Changes whenever the computation gives other values. */
enum { VERSION = 1, MAGIC = 0x48726f56 };

typedef struct file_header {
    uint32_t magic, version;
    int32_t vertex_count, count;
    uint64_t key;
    uint64_t checksum; /* of everything after the header */
    double total_area;
} file_header;

uint64_t vo_harmonics_key(const vo_upsample_mesh *m) {
    uint32_t sizes[3] = {VERSION, (uint32_t)m->vertex_count, (uint32_t)m->triangle_count};
    size_t corners = 3 * (size_t)m->triangle_count;
    uint64_t key = vo_hash(sizes, sizeof sizes);
    key = vo_hash_more(key, m->position, (size_t)m->vertex_count * sizeof *m->position);
    key = vo_hash_more(key, m->triangle, corners * sizeof *m->triangle);
    return vo_hash_more(key, m->coordinate, corners * sizeof *m->coordinate);
}

/* Writes the path of the file; false if there is no folder for it. */
static bool find_path(const char *folder, uint64_t key, int count, char path[VO_PATH_SIZE]) {
    char base[VO_PATH_SIZE] = "", name[64];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (folder)
        snprintf(base, sizeof base, "%s", folder);
    else if (cache && cache[0] == '/')
        vo_path_join(base, sizeof base, cache, "voile");
    else if (home && home[0] == '/')
        vo_path_join(base, sizeof base, home, ".cache/voile");
    if (!base[0]) return false;
    snprintf(name, sizeof name, "harmonics-%016" PRIx64 "-%d.bin", key, count);
    vo_path_join(path, VO_PATH_SIZE, base, name);
    return true;
}

static size_t body_bytes(size_t vertices, size_t count) {
    return (vertices + count + vertices * count) * sizeof(double);
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool is_valid(const vo_bytes *file, uint64_t key, int vertices, int count) {
    file_header h;
    if (file->size < sizeof h) return false;
    memcpy(&h, file->data, sizeof h);
    return h.magic == MAGIC && h.version == VERSION && h.key == key && h.vertex_count == vertices &&
           h.count == count &&
           file->size == sizeof h + body_bytes((size_t)vertices, (size_t)count) &&
           h.checksum == vo_hash(file->data + sizeof h, file->size - sizeof h);
}

/* Copies the header and the arrays of a valid file. */
static void copy_file(const vo_bytes *file, vo_harmonics *h) {
    file_header header;
    size_t n = (size_t)h->vertex_count, count = (size_t)h->count;
    memcpy(&header, file->data, sizeof header);
    const char *area = file->data + sizeof header, *value = area + n * sizeof(double);
    const char *mode = value + count * sizeof(double);
    h->key = header.key;
    h->total_area = header.total_area;
    h->was_stored = true;
    memcpy(h->area, area, n * sizeof(double));
    memcpy(h->value, value, count * sizeof(double));
    memcpy(h->mode, mode, n * count * sizeof(double));
}

void vo_harmonics_load(vo_context *ctx, const char *folder, uint64_t key, int vertices, int count,
                       vo_harmonics **out) {
    char path[VO_PATH_SIZE];
    vo_bytes file;
    if (!find_path(folder, key, count, path) || !vo_file_exists(path)) return;
    if (vo_file_read(ctx, path, &file) != VO_OK) return;
    if (is_valid(&file, key, vertices, count) &&
        vo_harmonics_allocate(ctx, vertices, count, out) == VO_OK)
        copy_file(&file, *out);
    vo_bytes_free(ctx, &file);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void fill_file(const vo_harmonics *h, char *data) {
    size_t n = (size_t)h->vertex_count, count = (size_t)h->count;
    file_header header = {MAGIC, VERSION, h->vertex_count, h->count, h->key, 0, h->total_area};
    char *area = data + sizeof header, *value = area + n * sizeof(double);
    memcpy(area, h->area, n * sizeof(double));
    memcpy(value, h->value, count * sizeof(double));
    memcpy(value + count * sizeof(double), h->mode, n * count * sizeof(double));
    header.checksum = vo_hash(area, body_bytes(n, count));
    memcpy(data, &header, sizeof header);
}

static vo_result write_file(const vo_harmonics *h, const char *path) {
    char folder[VO_PATH_SIZE];
    vo_path_folder(folder, sizeof folder, path);
    VO_TRY(vo_folder_create(h->ctx, folder));
    size_t size = sizeof(file_header) + body_bytes((size_t)h->vertex_count, (size_t)h->count);
    char *data = vo_alloc(h->ctx, size);
    if (!data) return vo_fail_memory(h->ctx, "a file of harmonics");
    fill_file(h, data);
    vo_result result = vo_file_write(h->ctx, path, data, size);
    vo_free(h->ctx, data, size);
    return result;
}

void vo_harmonics_save(const vo_harmonics *h, const char *folder) {
    char path[VO_PATH_SIZE];
    if (!find_path(folder, h->key, h->count, path)) return;
    if (write_file(h, path) != VO_OK)
        vo_log_line(h->ctx, VO_LOG_WARNING, "harmonics cannot be stored: %s",
                    vo_context_message(h->ctx));
}
