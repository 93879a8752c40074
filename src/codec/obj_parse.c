#include "codec/number.h"
#include "codec/obj.h"
#include "codec/obj_reader.h"
#include "core/memory.h"
#include "core/plural.h"
#include "mesh/data.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

vo_result vo_obj_fail(vo_obj_reader *r, const char *format, ...) {
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: %s", r->name, r->line, text);
}

vo_result vo_obj_fail_memory(vo_obj_reader *r) { return vo_fail_memory(r->ctx, r->name); }

/* Copies the current word; unprintable bytes become question marks. */
static void copy_word(const vo_obj_reader *at, char *text, size_t size) {
    vo_obj_reader r = *at;
    size_t length = 0;
    for (; !vo_obj_at_break(&r) && length + 1 < size; r.at++)
        text[length++] = *r.at > ' ' && *r.at < 127 ? *r.at : '?';
    text[length] = 0;
}

vo_result vo_obj_fail_word(vo_obj_reader *r, const char *wanted) {
    char word[32];
    copy_word(r, word, sizeof word);
    if (word[0]) return vo_obj_fail(r, "expected %s, found \"%s\"", wanted, word);
    return vo_obj_fail(r, "expected %s, found the end of the line", wanted);
}

/* Length of a line continuation (backslash and line break) at r->at; 0 if there is none. */
static int continuation_length(const vo_obj_reader *r) {
    ptrdiff_t left = r->end - r->at;
    if (left < 2 || r->at[0] != '\\') return 0;
    if (r->at[1] == '\n') return 2;
    return left >= 3 && r->at[1] == '\r' && r->at[2] == '\n' ? 3 : 0;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool vo_obj_at_break(const vo_obj_reader *r) {
    return r->at == r->end || is_blank(*r->at) || *r->at == '\n' || *r->at == '#' ||
           (*r->at == '\\' && continuation_length(r) > 0);
}

bool vo_obj_next_word(vo_obj_reader *r) {
    for (;;) {
        if (r->at == r->end) return false;
        int skip = is_blank(*r->at) ? 1 : continuation_length(r);
        if (skip == 0) return *r->at != '\n' && *r->at != '#';
        r->line += skip > 1;
        r->at += skip;
    }
}

/* End of the current line or of the text. */
static const char *find_newline(const vo_obj_reader *r) {
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    return newline ? newline : r->end;
}

/* True if the line ends with a backslash. */
static bool ends_in_backslash(const char *begin, const char *newline) {
    if (newline > begin && newline[-1] == '\r') newline--;
    return newline > begin && newline[-1] == '\\';
}

void vo_obj_skip_line(vo_obj_reader *r) {
    const char *newline = find_newline(r);
    if (ends_in_backslash(r->at, newline)) {
        while (vo_obj_next_word(r))
            while (!vo_obj_at_break(r)) r->at++;
        newline = find_newline(r);
    }
    r->at = newline < r->end ? newline + 1 : newline;
    r->line++;
}

static vo_result read_real(vo_obj_reader *r, double *out) {
    vo_obj_next_word(r);
    const char *begin = r->at, *after = vo_number_read(r->at, r->end, out);
    if (!after) return vo_obj_fail_word(r, "a number");
    r->at = after;
    if (!vo_obj_at_break(r)) {
        r->at = begin;
        return vo_obj_fail_word(r, "a number");
    }
    if (isfinite(*out)) return VO_OK;
    r->at = begin;
    return vo_obj_fail_word(r, "a number below 1.8e308");
}

static vo_result read_reals(vo_obj_reader *r, int count, double *out) {
    for (int i = 0; i < count; i++) VO_TRY(read_real(r, &out[i]));
    return VO_OK;
}

static vo_result read_vec3(vo_obj_reader *r, vo_vec3 *out) {
    VO_TRY(read_real(r, &out->x));
    VO_TRY(read_real(r, &out->y));
    return read_real(r, &out->z);
}

static vo_result read_label(vo_obj_reader *r, int *out) {
    double value;
    vo_obj_next_word(r);
    const char *begin = r->at;
    VO_TRY(read_real(r, &value));
    if (value == floor(value) && fabs(value) <= INT32_MAX) {
        *out = (int)value;
        return VO_OK;
    }
    r->at = begin;
    return vo_obj_fail_word(r, "a whole number");
}

/* Fails if no element precedes the line that describes it. */
static vo_result require_owner(vo_obj_reader *r, int count, const char *owner) {
    if (count > 0) return VO_OK;
    return vo_obj_fail(r, "the line describes the last %s line, but none precedes it", owner);
}

static vo_result check_count(vo_obj_reader *r, int count, const char *what) {
    if (count < VO_MESH_MAX_ELEMENTS) return VO_OK;
    return vo_obj_fail(r, "more than %d %s lines", VO_MESH_MAX_ELEMENTS, what);
}

static vo_result read_v(vo_obj_reader *r) {
    vo_mesh_data *d = r->data;
    vo_vec3 x;
    VO_TRY(read_vec3(r, &x));
    if (d->node_count == d->node_capacity) {
        VO_TRY(check_count(r, d->node_count, "v"));
        if (!vo_mesh_data_reserve_nodes(r->ctx, d, d->node_count + 1)) return vo_obj_fail_memory(r);
    }
    d->node_line[d->node_count] = r->line;
    d->node_x[d->node_count++] = x;
    return VO_OK;
}

/* Reads vt u [v [w]], and ms u v w of ARCSim 0.3. */
static vo_result read_vt(vo_obj_reader *r) {
    vo_mesh_data *d = r->data;
    vo_vec2 u = {0};
    VO_TRY(read_real(r, &u.x));
    if (vo_obj_next_word(r)) VO_TRY(read_real(r, &u.y));
    if (d->vert_count == d->vert_capacity) {
        VO_TRY(check_count(r, d->vert_count, "vt"));
        if (!vo_mesh_data_reserve_verts(r->ctx, d, d->vert_count + 1)) return vo_obj_fail_memory(r);
    }
    d->vert_line[d->vert_count] = r->line;
    d->vert_node[d->vert_count] = -1;
    d->vert_u[d->vert_count++] = u;
    return VO_OK;
}

static vo_result read_vl(vo_obj_reader *r) {
    VO_TRY(require_owner(r, r->data->vert_count, "vt"));
    return read_label(r, &r->data->vert_label[r->data->vert_count - 1]);
}

static vo_result read_ny(vo_obj_reader *r) {
    VO_TRY(require_owner(r, r->data->node_count, "v"));
    if (!vo_mesh_data_enable_embedding(r->ctx, r->data)) return vo_obj_fail_memory(r);
    return read_vec3(r, &r->data->node_y[r->data->node_count - 1]);
}

static vo_result read_nv(vo_obj_reader *r) {
    VO_TRY(require_owner(r, r->data->node_count, "v"));
    return read_vec3(r, &r->data->node_v[r->data->node_count - 1]);
}

static vo_result read_nl(vo_obj_reader *r) {
    VO_TRY(require_owner(r, r->data->node_count, "v"));
    return read_label(r, &r->data->node_label[r->data->node_count - 1]);
}

static vo_result read_e(vo_obj_reader *r) {
    vo_mesh_data *d = r->data;
    int node[2];
    for (int i = 0; i < 2; i++) {
        vo_obj_next_word(r);
        VO_TRY(vo_obj_read_index(r, "v", d->node_count, &node[i]));
        if (!vo_obj_at_break(r)) return vo_obj_fail_word(r, "a space");
    }
    VO_TRY(check_count(r, d->edge_count, "e"));
    if (!vo_mesh_data_reserve_edges(r->ctx, d, d->edge_count + 1)) return vo_obj_fail_memory(r);
    d->edge_line[d->edge_count] = r->line;
    memcpy(d->edge_node[d->edge_count++], node, sizeof node);
    return VO_OK;
}

/* The sign differs: valleys are positive in ARCSim, ridges in Voile. */
static vo_result read_ea(vo_obj_reader *r) {
    double angle;
    VO_TRY(require_owner(r, r->data->edge_count, "e"));
    VO_TRY(read_real(r, &angle));
    r->data->edge_rest_angle[r->data->edge_count - 1] = -angle;
    return VO_OK;
}

static vo_result read_ed(vo_obj_reader *r) {
    VO_TRY(require_owner(r, r->data->edge_count, "e"));
    return read_real(r, &r->data->edge_damage[r->data->edge_count - 1]);
}

static vo_result read_el(vo_obj_reader *r) {
    VO_TRY(require_owner(r, r->data->edge_count, "e"));
    return read_label(r, &r->data->edge_label[r->data->edge_count - 1]);
}

static vo_result read_tl(vo_obj_reader *r) {
    vo_mesh_data *d = r->data;
    int label = 0;
    VO_TRY(require_owner(r, d->face_count, "f"));
    VO_TRY(read_label(r, &label));
    for (int f = r->polygon_begin; f < d->face_count; f++) d->face_label[f] = label;
    return VO_OK;
}

static vo_result read_td(vo_obj_reader *r) {
    vo_mesh_data *d = r->data;
    double damage;
    VO_TRY(require_owner(r, d->face_count, "f"));
    VO_TRY(read_real(r, &damage));
    for (int f = r->polygon_begin; f < d->face_count; f++) d->face_damage[f] = damage;
    return VO_OK;
}

static vo_result set_curvature(vo_obj_reader *r, const double s[4]) {
    vo_mesh_data *d = r->data;
    if (!vo_mesh_data_enable_curvature(r->ctx, d)) return vo_obj_fail_memory(r);
    for (int f = r->polygon_begin; f < d->face_count; f++)
        memcpy(d->face_curvature[f], s, 4 * sizeof *s);
    return VO_OK;
}

static void note_unknown(vo_obj_reader *r, const char *keyword) {
    if (r->unknown_count++ > 0) return;
    r->unknown_line = r->line;
    snprintf(r->unknown, sizeof r->unknown, "%s", keyword);
}

/* Four numbers are plastic curvature. Nine are the plastic stretch of ARCSim 0.3, which is not
 * supported. */
static vo_result read_ts(vo_obj_reader *r) {
    double s[4];
    VO_TRY(require_owner(r, r->data->face_count, "f"));
    VO_TRY(read_reals(r, 4, s));
    if (!vo_obj_next_word(r)) return set_curvature(r, s);
    note_unknown(r, "ts with 9 numbers");
    return VO_OK;
}

/* Plastic bending of ARCSim 0.3, a 3x3 matrix; material space is flat, so its upper left 2x2 part
 * is complete. */
static vo_result read_tp(vo_obj_reader *r) {
    double s[9];
    VO_TRY(require_owner(r, r->data->face_count, "f"));
    VO_TRY(read_reals(r, 9, s));
    return set_curvature(r, (double[4]){s[0], s[1], s[3], s[4]});
}

static vo_result read_nothing(vo_obj_reader *r) {
    (void)r;
    return VO_OK;
}

typedef struct keyword {
    char word[8];
    vo_result (*read)(vo_obj_reader *r);
} keyword;

/* Frequent keywords first. */
static const keyword keywords[] = {
    {"v", read_v},           {"vt", read_vt},      {"f", vo_obj_read_face},
    {"vn", read_nothing},    {"nv", read_nv},      {"e", read_e},
    {"ea", read_ea},         {"el", read_el},      {"ep", read_el},
    {"ed", read_ed},         {"tl", read_tl},      {"fl", read_tl},
    {"tm", read_tl},         {"ny", read_ny},      {"nl", read_nl},
    {"vl", read_vl},         {"ms", read_vt},      {"ts", read_ts},
    {"fs", read_ts},         {"td", read_td},      {"fd", read_td},
    {"tp", read_tp},         {"vv", read_nothing}, {"vp", read_nothing},
    {"g", read_nothing},     {"o", read_nothing},  {"s", read_nothing},
    {"l", read_nothing},     {"p", read_nothing},  {"usemtl", read_nothing},
    {"mtllib", read_nothing}};

/* Finds the current word and moves past it; NULL, without moving, if it is unknown. */
static const keyword *find_keyword(vo_obj_reader *r) {
    char word[8] = {0};
    vo_obj_reader ahead = *r;
    size_t length = 0;
    for (; !vo_obj_at_break(&ahead); ahead.at++) {
        if (length + 1 >= sizeof word) return NULL;
        word[length++] = *ahead.at;
    }
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (memcmp(word, keywords[i].word, sizeof word) != 0) continue;
        r->at = ahead.at;
        return &keywords[i];
    }
    return NULL;
}

static vo_result read_line(vo_obj_reader *r) {
    if (!vo_obj_next_word(r)) return VO_OK;
    const keyword *k = find_keyword(r);
    if (k) return k->read(r);
    char word[24];
    copy_word(r, word, sizeof word);
    note_unknown(r, word);
    return VO_OK;
}

static void warn_unknown(vo_obj_reader *r) {
    if (r->unknown_count == 0) return;
    vo_log_line(r->ctx, VO_LOG_WARNING,
                "%s: line %d: unknown keyword \"%s\" ignored (%d line%s of this kind in the file)",
                r->name, r->unknown_line, r->unknown, r->unknown_count,
                vo_plural(r->unknown_count));
}

static vo_result read_all(vo_obj_reader *r) {
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    while (r->at < r->end) {
        VO_TRY(read_line(r));
        vo_obj_skip_line(r);
    }
    return vo_obj_resolve_verts(r);
}

vo_result vo_obj_parse(vo_context *ctx, const char *name, const char *text, size_t size,
                       vo_mesh_data *out) {
    *out = (vo_mesh_data){0};
    vo_obj_reader r = {.ctx = ctx, .name = name, .line = 1, .data = out};
    r.at = text;
    r.end = text + size;
    vo_result result = read_all(&r);
    vo_obj_reader_free(&r);
    if (result == VO_OK)
        warn_unknown(&r);
    else
        vo_mesh_data_free(ctx, out);
    return result;
}
