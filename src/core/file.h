/* Whole-file input and output. Writes are atomic: the file is complete or absent. */
#ifndef VO_CORE_FILE_H
#define VO_CORE_FILE_H

#include "core/context.h"

enum { VO_PATH_SIZE = 4096 }; /* bytes of a path buffer; PATH_MAX of Linux */

typedef struct vo_bytes {
    char *data; /* a NUL follows the last byte */
    size_t size;
} vo_bytes;

/* Reads a regular file. Fails with VO_IO_FAILED; the message contains path and system error. */
vo_result vo_file_read(vo_context *ctx, const char *path, vo_bytes *out);
void vo_bytes_free(vo_context *ctx, vo_bytes *bytes);

/* Writes PATH.tmp in the same folder, flushes it to the disk and renames it to PATH. A symbolic
 * link is followed; devices and pipes are written in place. */
vo_result vo_file_write(vo_context *ctx, const char *path, const void *data, size_t size);

/* Appends to a file in one write; creates it if needed. Does not flush: a crash of the machine may
 * lose the last lines. */
vo_result vo_file_append(vo_context *ctx, const char *path, const void *data, size_t size);

bool vo_file_exists(const char *path);
/* Creates the folder and its parents where they do not exist. VO_BAD_ARGUMENT if one of them is a
 * file. */
vo_result vo_folder_create(vo_context *ctx, const char *path);
/* Checks without creating anything: VO_BAD_ARGUMENT if the folder or a parent is a file. */
vo_result vo_folder_check_path(vo_context *ctx, const char *path);

/* Writes dir/name, or name alone if it is absolute or dir is empty. */
void vo_path_join(char *out, size_t size, const char *dir, const char *name);
/* Writes the folder part of a path, "." if it has none. */
void vo_path_folder(char *out, size_t size, const char *path);

#endif
