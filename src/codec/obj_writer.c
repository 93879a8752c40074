#include "codec/obj_writer.h"

#include "codec/number.h"
#include "core/file.h"
#include "core/memory.h"

#include <string.h>

enum { MAX_LINE = 160 }; /* bytes of a keyword and four numbers */

static bool grow(vo_obj_writer *w, size_t more) {
    size_t capacity = w->capacity + w->capacity / 2 + more + 65536;
    char *text = vo_alloc(w->ctx, capacity);
    if (!text) return false;
    if (w->used) memcpy(text, w->text, w->used);
    vo_free(w->ctx, w->text, w->capacity);
    w->text = text;
    w->capacity = capacity;
    return true;
}

static bool ensure_capacity(vo_obj_writer *w, size_t more) {
    if (w->failed) return false;
    if (w->capacity - w->used < more && !grow(w, more)) w->failed = true;
    return !w->failed;
}

bool vo_obj_begin_line(vo_obj_writer *w, const char *keyword) {
    if (!ensure_capacity(w, MAX_LINE)) return false;
    for (; *keyword; keyword++) w->text[w->used++] = *keyword;
    return true;
}

void vo_obj_put_int(vo_obj_writer *w, char before, int value) {
    w->text[w->used++] = before;
    w->used += vo_number_write_int(value, w->text + w->used);
}

void vo_obj_put_real(vo_obj_writer *w, double value) {
    w->text[w->used++] = ' ';
    w->used += vo_number_write(value, w->text + w->used);
}

void vo_obj_end_line(vo_obj_writer *w) { w->text[w->used++] = '\n'; }

void vo_obj_put_reals(vo_obj_writer *w, const char *keyword, int count, const double *value) {
    if (!vo_obj_begin_line(w, keyword)) return;
    for (int i = 0; i < count; i++) vo_obj_put_real(w, value[i]);
    vo_obj_end_line(w);
}

void vo_obj_put_vec3(vo_obj_writer *w, const char *keyword, vo_vec3 x) {
    vo_obj_put_reals(w, keyword, 3, (double[3]){x.x, x.y, x.z});
}

void vo_obj_put_text(vo_obj_writer *w, const char *text, size_t size) {
    if (size == 0 || !ensure_capacity(w, size)) return;
    memcpy(w->text + w->used, text, size);
    w->used += size;
}

vo_result vo_obj_writer_finish(vo_obj_writer *w, const char *path) {
    vo_result result =
        w->failed ? vo_fail_memory(w->ctx, path) : vo_file_write(w->ctx, path, w->text, w->used);
    vo_obj_writer_discard(w);
    return result;
}

void vo_obj_writer_discard(vo_obj_writer *w) {
    vo_free(w->ctx, w->text, w->capacity);
    *w = (vo_obj_writer){.ctx = w->ctx};
}
