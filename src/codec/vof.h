/* Frame files (.vof): named arrays and a time, compressed, and proof against any altered byte.
 *
 * A file is a head, a table of sections, the sections' bytes and two checksums (vof_private.h has
 * the picture, docs/cache-format.md the bytes). A section is an array of `count` rows of `columns`
 * numbers of one type, known by its tag and an index (the cloth it belongs to). This part knows no
 * simulation: which tags a frame must have is its callers' affair, and sections nobody asks for are
 * carried along unseen, so that newer files can hold more.
 *
 * Reading is all or nothing: an open reader has been checked to the last byte. */
#ifndef VO_CODEC_VOF_H
#define VO_CODEC_VOF_H

#include "core/context.h"

enum {
    VO_VOF_TAG = 8,            /* letters in a tag, at most */
    VO_VOF_MAX_COLUMNS = 1024, /* numbers in a row */
    VO_VOF_MAX_SECTIONS = 1 << 20,
};

typedef enum vo_vof_type {
    VO_VOF_U8 = 1,
    VO_VOF_I32 = 2,
    VO_VOF_I64 = 3,
    VO_VOF_F32 = 4,
    VO_VOF_F64 = 5,
} vo_vof_type;

/* Writing. Keep the writer from frame to frame: its memory is reused, and the bytes do not depend
 * on what it wrote before. After a failure the frame must be begun again. */
typedef struct vo_vof_writer vo_vof_writer;

vo_result vo_vof_writer_create(vo_context *ctx, vo_vof_writer **out);
void vo_vof_writer_destroy(vo_vof_writer *writer); /* NULL is allowed */

/* Forgets what was added and starts a frame. */
void vo_vof_begin(vo_vof_writer *writer, int frame, double time);

/* Takes a section; `data` is not needed afterwards. `tag` has 1 to 8 letters, digits or
 * underscores; tag and index together are unique; `data` may be NULL if count is 0. */
vo_result vo_vof_add(vo_vof_writer *writer, const char *tag, int index, vo_vof_type type,
                     int columns, int count, const void *data);

/* The finished file, valid until the next begin. Sections are compressed by all threads; the bytes
 * do not depend on how many there are. */
vo_result vo_vof_finish(vo_vof_writer *writer, const void **bytes, size_t *size);
/* The same to a file that is either complete or not there. */
vo_result vo_vof_save(vo_vof_writer *writer, const char *path);

/* Reading. Every message names the file, what is wrong with it and what to do about it. */
typedef struct vo_vof_reader vo_vof_reader;

/* Reads and checks everything. On failure *out is NULL. */
vo_result vo_vof_open(vo_context *ctx, const char *path, vo_vof_reader **out);
/* The same from memory; `name` stands for the file in messages. */
vo_result vo_vof_parse(vo_context *ctx, const char *name, const void *bytes, size_t size,
                       vo_vof_reader **out);
/* Reads and checks head and table alone, whatever the size of the file: frame, time and counts are
 * there, data is not. */
vo_result vo_vof_peek(vo_context *ctx, const char *path, vo_vof_reader **out);
/* Checks everything and keeps nothing. */
vo_result vo_vof_verify(vo_context *ctx, const char *path);
void vo_vof_close(vo_vof_reader *reader); /* NULL is allowed */

int vo_vof_frame(const vo_vof_reader *reader);
double vo_vof_time(const vo_vof_reader *reader);

/* Asking for sections in the order they were added is fastest. */

/* Rows of a section, -1 if there is none. */
int vo_vof_count(vo_vof_reader *reader, const char *tag, int index);

/* The rows of a section, aligned to VO_ALIGNMENT and valid until the reader is closed; *data is
 * NULL for no rows. A missing section and one of another type or width are errors. */
vo_result vo_vof_find(vo_vof_reader *reader, const char *tag, int index, vo_vof_type type,
                      int columns, int *count, const void **data);

#endif
