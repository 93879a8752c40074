#include "core/text.h"

#include "core/file.h"
#include "core/memory.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Prints in the C locale; nothing outside this thread notices. */
static int print(char *out, size_t size, const char *format, va_list args) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c ? uselocale(c) : (locale_t)0;
    int length = vsnprintf(out, size, format, args);
    if (c) {
        uselocale(old);
        freelocale(c);
    }
    return length;
}

static bool grow(vo_text *t, size_t need) {
    size_t room = t->room + t->room / 2 + need + 1024;
    char *data = vo_alloc(t->ctx, room);
    if (!data) return false;
    if (t->data) memcpy(data, t->data, t->size);
    vo_free(t->ctx, t->data, t->room);
    t->data = data;
    t->room = room;
    return true;
}

void vo_text_add(vo_text *t, const char *format, ...) {
    if (t->failed) return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = print(t->data ? t->data + t->size : NULL, t->room - t->size, format, args);
    bool fits = length >= 0 && (size_t)length < t->room - t->size;
    if (!fits && length >= 0 && grow(t, (size_t)length + 1)) {
        (void)print(t->data + t->size, t->room - t->size, format, again);
        fits = true;
    }
    va_end(again);
    va_end(args);
    t->failed = !fits;
    if (fits) t->size += (size_t)length;
}

vo_result vo_text_save(vo_text *t, const char *path) {
    vo_result result =
        t->failed ? vo_fail_memory(t->ctx, path) : vo_file_write(t->ctx, path, t->data, t->size);
    vo_text_free(t);
    return result;
}

void vo_text_free(vo_text *t) {
    vo_free(t->ctx, t->data, t->room);
    *t = (vo_text){.ctx = t->ctx};
}
