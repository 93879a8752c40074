/* Files of the cache: the result, then a trailer that identifies it. */
#include "codec/cache.h"

#include "codec/hash.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trailer {
    uint64_t key, checksum;
    char kind[16];
} trailer;

static trailer make_trailer(const char *kind, uint64_t key, const void *data, size_t size) {
    trailer t = {.key = key, .checksum = vo_hash(data, size)};
    snprintf(t.kind, sizeof t.kind, "%s", kind);
    return t;
}

/* Writes the path of the file; false if the context keeps nothing. */
static bool find_path(const vo_context *ctx, const char *kind, uint64_t key,
                      char path[VO_PATH_SIZE]) {
    char base[VO_PATH_SIZE] = "", name[64];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (ctx->no_cache) return false;
    if (ctx->cache_folder)
        vo_path_join(base, sizeof base, "", ctx->cache_folder);
    else if (cache && cache[0] == '/')
        vo_path_join(base, sizeof base, cache, "voile");
    else if (home && home[0] == '/')
        vo_path_join(base, sizeof base, home, ".cache/voile");
    snprintf(name, sizeof name, "%s-%016" PRIx64 ".bin", kind, key);
    vo_path_join(path, VO_PATH_SIZE, base, name);
    return base[0] != 0;
}

static bool is_valid(const vo_bytes *file, const char *kind, uint64_t key, size_t *size) {
    trailer found;
    if (file->size < sizeof found) return false;
    *size = file->size - sizeof found;
    trailer expected = make_trailer(kind, key, file->data, *size);
    memcpy(&found, file->data + *size, sizeof found);
    return memcmp(&found, &expected, sizeof found) == 0;
}

bool vo_cache_read(vo_context *ctx, const char *kind, uint64_t key, vo_bytes *file, size_t *size) {
    char path[VO_PATH_SIZE];
    *file = (vo_bytes){0};
    if (!find_path(ctx, kind, key, path) || !vo_file_exists(path)) return false;
    if (vo_file_read(ctx, path, file) != VO_OK) return false;
    if (is_valid(file, kind, key, size)) return true;
    vo_bytes_free(ctx, file);
    return false;
}

static vo_result write_file(vo_context *ctx, const char *path, const trailer *t, const void *data,
                            size_t size) {
    char folder[VO_PATH_SIZE];
    vo_path_folder(folder, sizeof folder, path);
    VO_TRY(vo_folder_create(ctx, folder));
    char *file = vo_alloc(ctx, size + sizeof *t);
    if (!file) return vo_fail_memory(ctx, "a file of the cache");
    memcpy(file, data, size);
    memcpy(file + size, t, sizeof *t);
    vo_result result = vo_file_write(ctx, path, file, size + sizeof *t);
    vo_free(ctx, file, size + sizeof *t);
    return result;
}

void vo_cache_write(vo_context *ctx, const char *kind, uint64_t key, const void *data,
                    size_t size) {
    char path[VO_PATH_SIZE], message[sizeof ctx->message];
    if (!find_path(ctx, kind, key, path)) return;
    trailer t = make_trailer(kind, key, data, size);
    memcpy(message, ctx->message, sizeof message);
    if (write_file(ctx, path, &t, data, size) != VO_OK)
        vo_log_line(ctx, VO_LOG_WARNING,
                    "the result is not kept for the next time: %s; choose another folder with "
                    "XDG_CACHE_HOME, or disable the cache",
                    ctx->message);
    memcpy(ctx->message, message, sizeof message);
}
