#define _XOPEN_SOURCE 700 /* realpath */
#include "core/file.h"

#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static vo_result fail_errno(vo_context *ctx, const char *doing, const char *path) {
    return vo_fail(ctx, VO_IO_FAILED, "%s: cannot %s: %s", path, doing, strerror(errno));
}

static bool read_all(int fd, char *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, data + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = EIO; /* the file shrank while it was read */
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool write_all(int fd, const char *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, data + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        done += (size_t)n;
    }
    return true;
}

static vo_result read_open_file(vo_context *ctx, int fd, const char *path, vo_bytes *out) {
    struct stat info;
    if (fstat(fd, &info) != 0) return fail_errno(ctx, "read", path);
    if (!S_ISREG(info.st_mode))
        return vo_fail(ctx, VO_IO_FAILED, "%s: cannot read: not a regular file", path);
    size_t size = (size_t)info.st_size;
    char *data = vo_alloc(ctx, size + 1);
    if (!data) return vo_fail_memory(ctx, path);
    if (!read_all(fd, data, size)) {
        vo_result result = fail_errno(ctx, "read", path);
        vo_free(ctx, data, size + 1);
        return result;
    }
    data[size] = 0;
    *out = (vo_bytes){data, size};
    return VO_OK;
}

vo_result vo_file_read(vo_context *ctx, const char *path, vo_bytes *out) {
    *out = (vo_bytes){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return fail_errno(ctx, "read", path);
    vo_result result = read_open_file(ctx, fd, path, out);
    close(fd);
    return result;
}

void vo_bytes_free(vo_context *ctx, vo_bytes *bytes) {
    if (bytes->data) vo_free(ctx, bytes->data, bytes->size + 1);
    *bytes = (vo_bytes){0};
}

/* Writes, optionally flushes to the disk, and closes. On failure errno is set. */
static bool write_and_close(int fd, const void *data, size_t size, bool flush) {
    bool ok = write_all(fd, data, size) && (!flush || fsync(fd) == 0);
    int saved = errno;
    if (close(fd) != 0 && ok) return false;
    errno = saved;
    return ok;
}

/* Flushes the folder entry, so that the rename is durable. Errors are ignored: some file systems do
 * not support it. */
static void flush_folder(const char *path) {
    char folder[VO_PATH_SIZE];
    vo_path_folder(folder, sizeof folder, path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

/* Writes a device or a pipe in place. */
static vo_result write_in_place(vo_context *ctx, const char *path, const void *data, size_t size) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || !write_and_close(fd, data, size, false)) return fail_errno(ctx, "write", path);
    return VO_OK;
}

static vo_result write_and_rename(vo_context *ctx, const char *path, const void *data,
                                  size_t size) {
    char temporary[VO_PATH_SIZE];
    int length = snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (length < 0 || (size_t)length >= sizeof temporary)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%.200s...: the path is too long", path);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return fail_errno(ctx, "write", path);
    if (!write_and_close(fd, data, size, true) || rename(temporary, path) != 0) {
        vo_result result = fail_errno(ctx, "write", path);
        unlink(temporary);
        return result;
    }
    flush_folder(path);
    return VO_OK;
}

vo_result vo_file_write(vo_context *ctx, const char *path, const void *data, size_t size) {
    char target[PATH_MAX];
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return write_in_place(ctx, path, data, size);
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && realpath(path, target))
        return write_and_rename(ctx, target, data, size);
    return write_and_rename(ctx, path, data, size);
}

vo_result vo_file_append(vo_context *ctx, const char *path, const void *data, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return fail_errno(ctx, "write", path);
    if (!write_and_close(fd, data, size, false)) return fail_errno(ctx, "write", path);
    return VO_OK;
}

bool vo_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

/* VO_OK if the path is a folder or does not exist. */
static vo_result check_one(vo_context *ctx, const char *path) {
    struct stat info;
    if (stat(path, &info) != 0 || S_ISDIR(info.st_mode)) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: cannot create the folder: a file has that name",
                   path);
}

static vo_result create_one(vo_context *ctx, const char *path) {
    if (mkdir(path, 0777) == 0) return VO_OK;
    return errno == EEXIST ? check_one(ctx, path) : fail_errno(ctx, "create the folder", path);
}

/* Calls `apply` for each parent of the folder, outermost first, and for the folder. */
static vo_result apply_to_parents(vo_context *ctx, const char *path,
                                  vo_result (*apply)(vo_context *ctx, const char *path)) {
    char part[VO_PATH_SIZE];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "\"%.200s\" is not a valid folder name", path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        VO_TRY(apply(ctx, part));
    }
    return VO_OK;
}

vo_result vo_folder_create(vo_context *ctx, const char *path) {
    return apply_to_parents(ctx, path, create_one);
}

vo_result vo_folder_check_path(vo_context *ctx, const char *path) {
    return apply_to_parents(ctx, path, check_one);
}

void vo_path_join(char *out, size_t size, const char *dir, const char *name) {
    if (name[0] == '/' || dir[0] == 0)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%s/%s", dir, name);
}

void vo_path_folder(char *out, size_t size, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(out, size, ".");
    else
        snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}
