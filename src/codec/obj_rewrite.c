#include "codec/number.h"
#include "codec/obj.h"
#include "codec/obj_reader.h"
#include "codec/obj_writer.h"
#include "core/file.h"

#include <string.h>

typedef struct rewriter {
    vo_obj_reader in;
    vo_obj_writer out;
    int node_count, next; /* number of positions; the next one to write */
    const vo_vec3 *x, *v;
} rewriter;

/* Moves past the current word. */
static void skip_word(vo_obj_reader *r) {
    while (!vo_obj_at_break(r)) r->at++;
}

/* Copies from `begin` to the end of the line and adds a line break if it is missing. */
static void copy_rest(rewriter *w, const char *begin) {
    vo_obj_skip_line(&w->in);
    const char *end = w->in.at;
    vo_obj_put_text(&w->out, begin, (size_t)(end - begin));
    if (end == begin || end[-1] != '\n') vo_obj_put_text(&w->out, "\n", 1);
}

static bool is_zero(vo_vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

/* Replaces three numbers; a fourth one or a colour is kept. */
static vo_result write_v(rewriter *w) {
    if (w->next == w->node_count)
        return vo_obj_fail(&w->in, "the file has more v lines than the cloth has nodes (%d)",
                           w->node_count);
    vo_vec3 x = w->x[w->next], v = w->v[w->next];
    w->next++;
    for (int i = 0; i < 3 && vo_obj_next_word(&w->in); i++) skip_word(&w->in);
    if (vo_obj_begin_line(&w->out, "v")) {
        vo_obj_put_real(&w->out, x.x);
        vo_obj_put_real(&w->out, x.y);
        vo_obj_put_real(&w->out, x.z);
    }
    copy_rest(w, w->in.at);
    if (!is_zero(v)) vo_obj_put_vec3(&w->out, "nv", v);
    return VO_OK;
}

/* Length of a corner without its normal: v or v/vt. */
static size_t bare_corner_length(const char *corner, size_t size) {
    const char *first = memchr(corner, '/', size);
    if (!first) return size;
    const char *second = memchr(first + 1, '/', size - (size_t)(first + 1 - corner));
    if (!second) return size;
    return (size_t)((second == first + 1 ? first : second) - corner);
}

/* Copies the line without normals; `done` is the end of the text already written. */
static vo_result write_f(rewriter *w, const char *done) {
    while (vo_obj_next_word(&w->in)) {
        const char *corner = w->in.at;
        skip_word(&w->in);
        const char *bare = corner + bare_corner_length(corner, (size_t)(w->in.at - corner));
        vo_obj_put_text(&w->out, done, (size_t)(bare - done));
        done = w->in.at;
    }
    copy_rest(w, done);
    return VO_OK;
}

static bool is_word(const char *word, size_t size, const char *wanted) {
    return strlen(wanted) == size && memcmp(word, wanted, size) == 0;
}

static vo_result write_line(rewriter *w) {
    const char *begin = w->in.at;
    if (!vo_obj_next_word(&w->in)) {
        copy_rest(w, begin);
        return VO_OK;
    }
    const char *word = w->in.at;
    skip_word(&w->in);
    size_t size = (size_t)(w->in.at - word);
    if (is_word(word, size, "v")) return write_v(w);
    if (is_word(word, size, "f")) return write_f(w, begin);
    if (is_word(word, size, "nv") || is_word(word, size, "vn"))
        vo_obj_skip_line(&w->in);
    else
        copy_rest(w, begin);
    return VO_OK;
}

static vo_result write_lines(rewriter *w) {
    vo_obj_reader *r = &w->in;
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    while (r->at < r->end) VO_TRY(write_line(w));
    return VO_OK;
}

vo_result vo_obj_rewrite(vo_context *ctx, const char *from, int node_count, const vo_vec3 *x,
                         const vo_vec3 *v, const char *to) {
    vo_bytes text;
    VO_TRY(vo_file_read(ctx, from, &text));
    rewriter w = {.in = {.ctx = ctx, .name = from, .line = 1},
                  .out = {.ctx = ctx},
                  .node_count = node_count,
                  .x = x,
                  .v = v};
    w.in.at = (const char *)text.data;
    w.in.end = w.in.at + text.size;
    vo_result result = write_lines(&w);
    if (result == VO_OK)
        result = vo_obj_writer_finish(&w.out, to);
    else
        vo_obj_writer_discard(&w.out);
    vo_bytes_free(ctx, &text);
    return result;
}
