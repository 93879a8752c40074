#include "core/string_builder.h"

#include "core/file.h"
#include "core/memory.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Formats in the C locale, which is set for this thread during the call. */
static int print_in_c_locale(char *out, size_t size, const char *format, va_list args) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c ? uselocale(c) : (locale_t)0;
    int length = vsnprintf(out, size, format, args);
    if (c) {
        uselocale(old);
        freelocale(c);
    }
    return length;
}

static bool grow(vo_string_builder *t, size_t need) {
    size_t capacity = t->capacity + t->capacity / 2 + need + 1024;
    char *data = vo_alloc(t->ctx, capacity);
    if (!data) return false;
    if (t->data) memcpy(data, t->data, t->size);
    vo_free(t->ctx, t->data, t->capacity);
    t->data = data;
    t->capacity = capacity;
    return true;
}

void vo_string_builder_add(vo_string_builder *t, const char *format, ...) {
    if (t->failed) return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length =
        print_in_c_locale(t->data ? t->data + t->size : NULL, t->capacity - t->size, format, args);
    bool fits = length >= 0 && (size_t)length < t->capacity - t->size;
    if (!fits && length >= 0 && grow(t, (size_t)length + 1)) {
        (void)print_in_c_locale(t->data + t->size, t->capacity - t->size, format, again);
        fits = true;
    }
    va_end(again);
    va_end(args);
    t->failed = !fits;
    if (fits) t->size += (size_t)length;
}

vo_result vo_string_builder_save(vo_string_builder *t, const char *path) {
    vo_result result =
        t->failed ? vo_fail_memory(t->ctx, path) : vo_file_write(t->ctx, path, t->data, t->size);
    vo_string_builder_free(t);
    return result;
}

void vo_string_builder_free(vo_string_builder *t) {
    vo_free(t->ctx, t->data, t->capacity);
    *t = (vo_string_builder){.ctx = t->ctx};
}
