/* String builder: text that grows as it is written. Allocation failures are recorded and reported
 * once, by vo_string_builder_save. */
#ifndef VO_CORE_STRING_BUILDER_H
#define VO_CORE_STRING_BUILDER_H

#include "core/context.h"

typedef struct vo_string_builder {
    vo_context *ctx;
    char *data; /* NUL-terminated; NULL while empty */
    size_t size, capacity;
    bool failed; /* an allocation failed: the text is incomplete */
} vo_string_builder;

/* Appends formatted text, in the C locale. */
void vo_string_builder_add(vo_string_builder *text, const char *format, ...) VO_PRINTF(2, 3);

/* Writes the text to a file and frees it, also on failure. VO_NO_MEMORY if it is incomplete. */
vo_result vo_string_builder_save(vo_string_builder *text, const char *path);
void vo_string_builder_free(vo_string_builder *text);

#endif
