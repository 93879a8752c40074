/* Text of an OBJ file that grows in memory, shared by obj_save.c (a mesh) and obj_rewrite.c (a file
 * with new positions). */
#ifndef VO_CODEC_OBJ_WRITER_H
#define VO_CODEC_OBJ_WRITER_H

#include "core/context.h"

typedef struct vo_obj_writer {
    vo_context *ctx;
    char *text;
    size_t used, room;
    bool failed; /* memory ran out; looked at once, at the end */
} vo_obj_writer;

/* Starts a line of a keyword and up to four numbers; false, and nothing more is written, once
 * memory ran out. */
bool vo_obj_begin_line(vo_obj_writer *w, const char *keyword);
/* One number of such a line. */
void vo_obj_put_int(vo_obj_writer *w, char before, int value);
void vo_obj_put_real(vo_obj_writer *w, double value);
void vo_obj_end_line(vo_obj_writer *w);

/* A whole line of numbers. */
void vo_obj_put_reals(vo_obj_writer *w, const char *keyword, int count, const double *value);
void vo_obj_put_vec3(vo_obj_writer *w, const char *keyword, vo_vec3 x);

/* Anything. */
void vo_obj_put_text(vo_obj_writer *w, const char *text, size_t size);

/* Writes the file and frees the text, in any case; or frees it only. */
vo_result vo_obj_writer_finish(vo_obj_writer *w, const char *path);
void vo_obj_writer_discard(vo_obj_writer *w);

#endif
