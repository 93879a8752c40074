/* Text that grows as it is written. Want of memory is remembered and told once, at the end. */
#ifndef VO_CORE_TEXT_H
#define VO_CORE_TEXT_H

#include "core/context.h"

typedef struct vo_text {
    vo_context *ctx;
    char *data; /* NULL: nothing was added; a NUL follows the last byte */
    size_t size, room;
    bool failed; /* memory ran out: what is there is not all */
} vo_text;

/* Numbers have a point in any locale. */
void vo_text_add(vo_text *text, const char *format, ...) VO_PRINTF(2, 3);

/* Writes the file, or says what is missing; frees the text in any case. */
vo_result vo_text_save(vo_text *text, const char *path);
void vo_text_free(vo_text *text);

#endif
