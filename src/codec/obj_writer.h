/* Text builder for OBJ files, shared by obj_save.c (meshes) and obj_rewrite.c (files with new
 * positions). */
#ifndef VO_CODEC_OBJ_WRITER_H
#define VO_CODEC_OBJ_WRITER_H

#include "core/context.h"

typedef struct vo_obj_writer {
    vo_context *ctx;
    char *text;
    size_t used, capacity;
    bool failed; /* an allocation failed; reported by vo_obj_writer_finish */
} vo_obj_writer;

/* Starts a line with a keyword and up to four numbers. Returns false after a failed allocation;
 * then no numbers may be added. */
bool vo_obj_begin_line(vo_obj_writer *w, const char *keyword);
/* Add one number to the line. */
void vo_obj_put_int(vo_obj_writer *w, char before, int value);
void vo_obj_put_real(vo_obj_writer *w, double value);
void vo_obj_end_line(vo_obj_writer *w);

/* Add a complete line. */
void vo_obj_put_reals(vo_obj_writer *w, const char *keyword, int count, const double *value);
void vo_obj_put_vec3(vo_obj_writer *w, const char *keyword, vo_vec3 x);

/* Adds any text. */
void vo_obj_put_text(vo_obj_writer *w, const char *text, size_t size);

/* Writes the file and frees the text, also on failure. */
vo_result vo_obj_writer_finish(vo_obj_writer *w, const char *path);
void vo_obj_writer_discard(vo_obj_writer *w);

#endif
