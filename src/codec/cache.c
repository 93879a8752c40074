/* Files of the cache: the result, then a trailer that identifies it. */
#include "codec/cache.h"

#include "codec/hash.h"
#include "core/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char EXTENSION[] = ".bin";

typedef struct trailer {
    uint64_t key, checksum;
    char kind[16];
} trailer;

static trailer make_trailer(const char *kind, uint64_t key, const void *data, size_t size) {
    trailer t = {.key = key, .checksum = vo_hash(data, size)};
    snprintf(t.kind, sizeof t.kind, "%s", kind);
    return t;
}

/* Writes the path of the folder; false if the context keeps nothing. */
static bool find_folder(const vo_context *ctx, char path[VO_PATH_SIZE]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (ctx->no_cache) return false;
    if (ctx->cache_folder)
        vo_path_join(path, VO_PATH_SIZE, "", ctx->cache_folder);
    else if (cache && cache[0] == '/')
        vo_path_join(path, VO_PATH_SIZE, cache, "voile");
    else if (home && home[0] == '/')
        vo_path_join(path, VO_PATH_SIZE, home, ".cache/voile");
    else
        return false;
    return true;
}

/* Writes the path of the file; false if the context keeps nothing. */
static bool find_path(const vo_context *ctx, const char *kind, uint64_t key,
                      char path[VO_PATH_SIZE]) {
    char folder[VO_PATH_SIZE], name[64];
    if (!find_folder(ctx, folder)) return false;
    snprintf(name, sizeof name, "%s-%016" PRIx64 "%s", kind, key, EXTENSION);
    vo_path_join(path, VO_PATH_SIZE, folder, name);
    return true;
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
    if (is_valid(file, kind, key, size)) {
        utimensat(AT_FDCWD, path, NULL, 0); /* used now */
        return true;
    }
    vo_bytes_free(ctx, file);
    return false;
}

/* ---- size ----------------------------------------------------------------------------------- */

typedef struct kept_file {
    char name[128];
    struct timespec used;
    size_t size;
} kept_file;

typedef struct kept_list {
    int count, capacity;
    kept_file *file;
    size_t size; /* of all files */
} kept_list;

static bool has_extension(const char *name) {
    size_t length = strlen(name), end = sizeof EXTENSION - 1;
    return length > end && length < sizeof(((kept_file *)NULL)->name) &&
           strcmp(name + length - end, EXTENSION) == 0;
}

static void add_file(vo_context *ctx, const char *folder, const char *name, kept_list *list) {
    char path[VO_PATH_SIZE];
    struct stat info;
    vo_path_join(path, sizeof path, folder, name);
    if (!has_extension(name) || stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
        !vo_reserve(ctx, &list->file, &list->capacity, list->count + 1))
        return;
    kept_file *file = &list->file[list->count++];
    snprintf(file->name, sizeof file->name, "%s", name);
    file->used = info.st_mtim;
    file->size = (size_t)info.st_size;
    list->size += file->size;
}

static int compare_use(const void *a, const void *b) {
    const kept_file *p = a, *q = b;
    if (p->used.tv_sec != q->used.tv_sec) return p->used.tv_sec < q->used.tv_sec ? -1 : 1;
    if (p->used.tv_nsec != q->used.tv_nsec) return p->used.tv_nsec < q->used.tv_nsec ? -1 : 1;
    return strcmp(p->name, q->name);
}

static void remove_oldest(const char *folder, kept_list *list, size_t limit) {
    if (list->count > 1) qsort(list->file, (size_t)list->count, sizeof *list->file, compare_use);
    for (int i = 0; i < list->count && list->size > limit; i++) {
        char path[VO_PATH_SIZE];
        vo_path_join(path, sizeof path, folder, list->file[i].name);
        unlink(path); /* another process may have removed it */
        list->size -= list->file[i].size;
    }
}

void vo_cache_trim(vo_context *ctx, size_t limit) {
    char folder[VO_PATH_SIZE];
    kept_list list = {0};
    DIR *dir = find_folder(ctx, folder) ? opendir(folder) : NULL;
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) add_file(ctx, folder, entry->d_name, &list);
    closedir(dir);
    if (list.size > limit) remove_oldest(folder, &list, limit);
    vo_free_array(ctx, list.file, list.capacity);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Writes a file of a name of its own, which then replaces PATH: other contexts and processes may
 * write the same result at the same time. */
static vo_result publish(vo_context *ctx, const char *path, const void *data, size_t size) {
    char own[VO_PATH_SIZE];
    int length = snprintf(own, sizeof own, "%s.%ld-%" PRIxPTR "%s", path, (long)getpid(),
                          (uintptr_t)ctx, EXTENSION);
    if (length < 0 || (size_t)length >= sizeof own)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%.200s...: the path is too long", path);
    VO_TRY(vo_file_write(ctx, own, data, size));
    if (rename(own, path) == 0) return VO_OK;
    unlink(own);
    return vo_fail(ctx, VO_IO_FAILED, "%s: cannot be renamed", own);
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
    vo_result result = publish(ctx, path, file, size + sizeof *t);
    vo_free(ctx, file, size + sizeof *t);
    return result;
}

void vo_cache_write(vo_context *ctx, const char *kind, uint64_t key, const void *data,
                    size_t size) {
    char path[VO_PATH_SIZE], message[sizeof ctx->message];
    if (size > VO_CACHE_LIMIT / 4 || !find_path(ctx, kind, key, path)) return;
    trailer t = make_trailer(kind, key, data, size);
    memcpy(message, ctx->message, sizeof message);
    if (write_file(ctx, path, &t, data, size) != VO_OK)
        vo_log_line(ctx, VO_LOG_WARNING,
                    "the result is not kept for the next time: %s; choose another folder with "
                    "XDG_CACHE_HOME, or disable the cache",
                    ctx->message);
    vo_cache_trim(ctx, VO_CACHE_LIMIT);
    memcpy(ctx->message, message, sizeof message);
}
