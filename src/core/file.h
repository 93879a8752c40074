/* Whole files in, whole files out: a written file is either complete or not there. */
#ifndef VO_CORE_FILE_H
#define VO_CORE_FILE_H

#include "core/context.h"

enum { VO_PATH_SIZE = 4096 }; /* of arrays for paths; what Linux takes at most */

typedef struct vo_bytes {
    char *data; /* a NUL follows the last byte */
    size_t size;
} vo_bytes;

/* VO_IO_FAILED with path and the system's reason. Directories and devices are refused. */
vo_result vo_file_read(vo_context *ctx, const char *path, vo_bytes *out);
void vo_bytes_free(vo_context *ctx, vo_bytes *bytes);

/* Writes to PATH.tmp in the same folder, flushes it to the disk, then renames. */
vo_result vo_file_write(vo_context *ctx, const char *path, const void *data, size_t size);

/* Adds to the end of a file in one write; makes it if needed. It is not waited for the disk: a
 * crash of the machine may take the last lines. */
vo_result vo_file_append(vo_context *ctx, const char *path, const void *data, size_t size);

bool vo_file_exists(const char *path);
/* Makes the folder and its parents; existing ones are fine. VO_BAD_CALL where one of them has the
 * name of a file. */
vo_result vo_folder_make(vo_context *ctx, const char *path);
/* The same without making anything: VO_OK unless a file is in the way. */
vo_result vo_folder_can_be(vo_context *ctx, const char *path);

/* dir + "/" + name, or name alone where it is absolute or dir is empty. */
void vo_path_join(char *out, size_t size, const char *dir, const char *name);
/* The folder part of a path, "." if it has none. */
void vo_path_folder(char *out, size_t size, const char *path);

#endif
