/* Files of named arrays with a time, compressed and protected by checksums: frame files (.vof) and
 * other formats that use the same container.
 *
 * A file consists of a header, a table of sections, the compressed sections and two checksums
 * (diagram in vof_private.h, reference in docs/cache-format.md). A section is an array of `count`
 * rows of `columns` numbers of one type, identified by a tag and an index (of the cloth it belongs
 * to). The format is independent of the simulation: the caller defines the required tags, and
 * unknown sections are ignored, so that newer files may contain more.
 *
 * Opening a file validates every byte; there is no partial read. */
#ifndef VO_CODEC_VOF_H
#define VO_CODEC_VOF_H

#include "core/context.h"

enum {
    VO_VOF_MAX_TAG = 8,        /* maximum length of a tag */
    VO_VOF_MAX_COLUMNS = 1024, /* numbers per row */
    VO_VOF_MAX_SECTIONS = 1 << 20,
};

typedef enum vo_vof_type {
    VO_VOF_U8 = 1,
    VO_VOF_I32 = 2,
    VO_VOF_I64 = 3,
    VO_VOF_F32 = 4,
    VO_VOF_F64 = 5,
} vo_vof_type;

/* A file format that consists of this container and its own tags. */
typedef struct vo_vof_format {
    const char *magic;  /* 8 letters at the start of the file */
    int version;        /* version of the contents, checked when reading */
    const char *noun;   /* "frame file", for messages */
    const char *remedy; /* advice that ends every message about a damaged file */
} vo_vof_format;

/* Frame files of runs. Static, like every format. */
extern const vo_vof_format vo_vof_frame_format;

/* Writer. Reuse one writer for all frames: it keeps its memory, and the bytes of a frame do not
 * depend on earlier ones. After a failure call vo_vof_begin again. */
typedef struct vo_vof_writer vo_vof_writer;

vo_result vo_vof_writer_create(vo_context *ctx, vo_vof_writer **out);
/* The same for another format, which must outlive the writer. */
vo_result vo_vof_writer_create_format(vo_context *ctx, const vo_vof_format *format,
                                      vo_vof_writer **out);
void vo_vof_writer_destroy(vo_vof_writer *writer); /* NULL is allowed */

/* Discards added sections and starts a frame. */
void vo_vof_begin(vo_vof_writer *writer, int frame, double time);

/* Adds a copy of a section. `tag` has 1 to 8 letters, digits or underscores; the pair of tag and
 * index must be unique; `data` may be NULL if count is 0. */
vo_result vo_vof_add(vo_vof_writer *writer, const char *tag, int index, vo_vof_type type,
                     int columns, int count, const void *data);

/* Completes the file in memory; *bytes is valid until the next vo_vof_begin. Compresses in
 * parallel; the bytes do not depend on the number of threads. */
vo_result vo_vof_finish(vo_vof_writer *writer, const void **bytes, size_t *size);
/* Completes the file and writes it atomically. */
vo_result vo_vof_save(vo_vof_writer *writer, const char *path);

/* Reader. Every message names file, defect and remedy. */
typedef struct vo_vof_reader vo_vof_reader;

/* Reads and validates a file. On failure *out is NULL. */
vo_result vo_vof_open(vo_context *ctx, const char *path, vo_vof_reader **out);
/* Reads from memory; `name` is the file name in messages. */
vo_result vo_vof_parse(vo_context *ctx, const char *name, const void *bytes, size_t size,
                       vo_vof_reader **out);
/* The same for another format, which must outlive the reader. */
vo_result vo_vof_open_format(vo_context *ctx, const vo_vof_format *format, const char *path,
                             vo_vof_reader **out);
vo_result vo_vof_parse_format(vo_context *ctx, const vo_vof_format *format, const char *name,
                              const void *bytes, size_t size, vo_vof_reader **out);
/* Reads and validates header and table only, at a cost independent of the file size: frame, time
 * and counts are available, data is not. */
vo_result vo_vof_peek(vo_context *ctx, const char *path, vo_vof_reader **out);
void vo_vof_close(vo_vof_reader *reader); /* NULL is allowed */

/* Fails with VO_BAD_DATA, the file, the defect and the remedy of the format: for contents that the
 * caller rejects. */
vo_result vo_vof_fail_damaged(const vo_vof_reader *reader, const char *format, ...) VO_PRINTF(2, 3);

int vo_vof_frame(const vo_vof_reader *reader);
double vo_vof_time(const vo_vof_reader *reader);

/* Number of rows of a section, -1 if it does not exist. Fastest if sections are requested in the
 * order of the file. */
int vo_vof_count(vo_vof_reader *reader, const char *tag, int index);

/* Finds the rows of a section, aligned to VO_ALIGNMENT and valid until the reader is closed; *data
 * is NULL if there are none. VO_BAD_DATA if the section is missing or has another type or number of
 * columns. Fastest if sections are requested in the order of the file. */
vo_result vo_vof_find(vo_vof_reader *reader, const char *tag, int index, vo_vof_type type,
                      int columns, int *count, const void **data);

#endif
