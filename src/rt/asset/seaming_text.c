/* Links as text: lines `v VERTEX VERTEX...` and `e A0 A1 B0 B1 [second]`, # comments. */
#include "rt/asset/seaming_private.h"

#include <string.h>

enum { MAX_GROUP = 256 /* vertices of a line */ };

/* --- Reader --------------------------------------------------------------------------------- */

typedef struct reader {
    const char *at, *end; /* rest of the line */
} reader;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Next word of the line; false at its end or at a comment. */
static bool next_word(reader *r, const char **word, size_t *length) {
    while (r->at < r->end && is_blank(*r->at)) r->at++;
    if (r->at == r->end || *r->at == '#') return false;
    *word = r->at;
    while (r->at < r->end && !is_blank(*r->at) && *r->at != '#') r->at++;
    *length = (size_t)(r->at - *word);
    return true;
}

static bool is_word(const char *word, size_t length, const char *expected) {
    return length == strlen(expected) && memcmp(word, expected, length) == 0;
}

/* Parses digits only; false on anything else and beyond INT32_MAX. */
static bool parse_index(const char *word, size_t length, int32_t *value) {
    int64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9') return false;
        sum = 10 * sum + (word[i] - '0');
        if (sum > INT32_MAX) return false;
    }
    *value = (int32_t)sum;
    return length > 0;
}

/* Copies a word for a message: short, printable. */
static const char *show_word(const char *word, size_t length, char out[32]) {
    size_t n = length < 31 ? length : 31;
    for (size_t i = 0; i < n; i++) out[i] = word[i] < 33 || word[i] > 126 ? '?' : word[i];
    out[n] = 0;
    return out;
}

static vo_result fail_number(const char *word, size_t length, vo_rt_message *message) {
    char shown[32];
    return vo_rt_fail(message, VO_BAD_DATA, "\"%s\" is not a vertex; write its index",
                      show_word(word, length, shown));
}

static vo_result read_group(vo_rt_seaming *s, reader *r, vo_rt_message *message) {
    int32_t vertex[MAX_GROUP];
    int count = 0;
    const char *word;
    size_t length;
    while (next_word(r, &word, &length)) {
        if (count == MAX_GROUP)
            return vo_rt_fail(message, VO_BAD_DATA,
                              "more than %d vertices; split the group into lines that share a "
                              "vertex",
                              MAX_GROUP);
        if (!parse_index(word, length, &vertex[count++])) return fail_number(word, length, message);
    }
    if (count < 2)
        return vo_rt_fail(message, VO_BAD_DATA,
                          "%d vertices in the group; write `v VERTEX VERTEX...`", count);
    return vo_rt_seaming_link_group(s, count, vertex, message);
}

static vo_result read_edge(vo_rt_seaming *s, reader *r, vo_rt_message *message) {
    int32_t v[4];
    const char *word;
    size_t length;
    for (int i = 0; i < 4; i++) {
        if (!next_word(r, &word, &length))
            return vo_rt_fail(message, VO_BAD_DATA,
                              "%d of 4 vertices; write `e A0 A1 B0 B1` or `e A0 A1 B0 B1 second`",
                              i);
        if (!parse_index(word, length, &v[i])) return fail_number(word, length, message);
    }
    bool second = next_word(r, &word, &length);
    char shown[32];
    if (second && (!is_word(word, length, "second") || next_word(r, &word, &length)))
        return vo_rt_fail(message, VO_BAD_DATA,
                          "unexpected \"%s\" behind the edges; only `second` may follow",
                          show_word(word, length, shown));
    return vo_rt_seaming_link_edges(s, v[0], v[1], v[2], v[3], second, message);
}

static vo_result read_line(vo_rt_seaming *s, reader *r, vo_rt_message *message) {
    const char *word;
    size_t length;
    char shown[32];
    if (!next_word(r, &word, &length)) return VO_OK;
    if (is_word(word, length, "v")) return read_group(s, r, message);
    if (is_word(word, length, "e")) return read_edge(s, r, message);
    return vo_rt_fail(message, VO_BAD_DATA,
                      "unknown \"%s\"; lines begin with `v` (vertices), `e` (edges) or `#`",
                      show_word(word, length, shown));
}

static vo_result read_lines(vo_rt_seaming *s, const char *text, size_t bytes,
                            vo_rt_message *message) {
    const char *end = text + bytes;
    int line = 1;
    for (const char *at = text; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        reader r = {at, stop ? stop : end};
        vo_rt_message inner = {{0}};
        vo_result result = read_line(s, &r, &inner);
        if (result == VO_BAD_ARGUMENT) result = VO_BAD_DATA; /* the text is the argument */
        if (result != VO_OK) return vo_rt_fail(message, result, "line %d: %s", line, inner.text);
        at = stop ? stop + 1 : end;
    }
    return VO_OK;
}

vo_result vo_rt_seaming_read(vo_rt_seaming *seaming, const char *text, size_t bytes,
                             vo_rt_message *message) {
    if (!seaming || (!text && bytes > 0))
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "seaming or text is NULL; set both");
    if (bytes == 0) return VO_OK;
    vo_rt_seaming_backup backup;
    if (!vo_rt_seaming_save(seaming, &backup))
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the links");
    return vo_rt_seaming_finish(seaming, &backup, read_lines(seaming, text, bytes, message));
}

/* --- Writer --------------------------------------------------------------------------------- */

typedef struct writer {
    char *text;
    size_t used, capacity; /* `used` exceeds `capacity` if the text does not fit */
} writer;

static void put_text(writer *w, const char *text) {
    for (; *text; text++, w->used++)
        if (w->used + 1 < w->capacity) w->text[w->used] = *text;
}

static void put_index(writer *w, int32_t value) {
    char digits[12] = {0};
    int at = 11;
    do digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    put_text(w, " ");
    put_text(w, digits + at);
}

/* Next larger member of the group than `vertex`; `vertex` if there is none. */
static int32_t next_member(const vo_rt_seaming *s, int32_t vertex) {
    int32_t best = vertex;
    for (int32_t v = s->next[vertex]; v != vertex; v = s->next[v])
        if (v > vertex && (best == vertex || v < best)) best = v;
    return best;
}

/* Members in ascending order; long groups continue on lines that repeat the first one. */
static void write_group(writer *w, const vo_rt_seaming *s, int32_t first) {
    int count = MAX_GROUP;
    for (int32_t v = next_member(s, first), last = first; v != last;) {
        if (count == MAX_GROUP) {
            put_text(w, last == first ? "v" : "\nv");
            put_index(w, first);
            count = 1;
        }
        put_index(w, v);
        count++;
        last = v;
        v = next_member(s, v);
    }
    put_text(w, "\n");
}

size_t vo_rt_seaming_write(const vo_rt_seaming *seaming, char *text, size_t capacity) {
    writer w = {text, 0, text ? capacity : 0};
    for (int32_t v = 0; v < seaming->def.vertex_count; v++)
        if (seaming->next[v] != v && vo_rt_seaming_first_member(seaming, v) == v)
            write_group(&w, seaming, v);
    for (int i = 0; i < seaming->edge_count; i++) {
        const vo_rt_edge_link *l = &seaming->edge[i];
        put_text(&w, "e");
        put_index(&w, l->a0);
        put_index(&w, l->a1);
        put_index(&w, l->b0);
        put_index(&w, l->b1);
        put_text(&w, l->second_controls ? " second\n" : "\n");
    }
    if (w.capacity > 0) w.text[w.used < w.capacity ? w.used : w.capacity - 1] = 0;
    return w.used;
}
