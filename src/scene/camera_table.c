#include "scene/camera_table.h"

#include "codec/number.h"
#include "core/memory.h"
#include "math/bounds.h"
#include "view/camera_path.h"

#include <string.h>

/* X(column, its name in the file) */
#define COLUMNS(X)           \
    X(TIME, "time")          \
    X(FRAME, "frame")        \
    X(X, "x")                \
    X(Y, "y")                \
    X(Z, "z")                \
    X(TX, "tx")              \
    X(TY, "ty")              \
    X(TZ, "tz")              \
    X(QW, "qw")              \
    X(QX, "qx")              \
    X(QY, "qy")              \
    X(QZ, "qz")              \
    X(FIELD, "fov_y")        \
    X(FOCAL, "focal_length") \
    X(CUT, "cut")

typedef enum column {
#define X(column, name) COLUMN_##column,
    COLUMNS(X)
#undef X
        COLUMN_COUNT
} column;

static const char *const column_names[COLUMN_COUNT] = {
#define X(column, name) name,
    COLUMNS(X)
#undef X
};

typedef struct table_reader {
    vo_context *ctx;
    const char *name;
    const vo_camera_table_def *def;
    const char *at, *end; /* remaining text */
    int line;             /* current line, from 1 */
    int column_count;
    column order[COLUMN_COUNT]; /* [column_count] */
    bool has[COLUMN_COUNT];
} table_reader;

double vo_camera_focal_field(double focal_length, double sensor) {
    return 2 * atan(sensor / (2 * focal_length)) * 180 / VO_PI;
}

bool vo_camera_keys_add(vo_camera_keys *keys, const vo_camera_key *key) {
    if (!vo_reserve(keys->ctx, &keys->key, &keys->capacity, keys->count + 1)) return false;
    keys->key[keys->count++] = *key;
    return true;
}

void vo_camera_keys_free(vo_camera_keys *keys) {
    vo_free_array(keys->ctx, keys->key, keys->capacity);
    *keys = (vo_camera_keys){.ctx = keys->ctx};
}

/* ---- lines and words ------------------------------------------------------------------------- */

typedef struct span {
    const char *at, *end;
} span;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_separator(char c) { return c == ',' || c == ';'; }

static span trim(span s) {
    while (s.at < s.end && is_blank(*s.at)) s.at++;
    while (s.end > s.at && is_blank(s.end[-1])) s.end--;
    return s;
}

/* Reads the next line that is neither empty nor a comment; false at the end of the file. */
static bool next_line(table_reader *r, span *out) {
    while (r->at < r->end) {
        size_t left = (size_t)(r->end - r->at);
        const char *newline = memchr(r->at, '\n', left), *end = newline ? newline : r->end;
        const char *comment = memchr(r->at, '#', (size_t)(end - r->at));
        *out = trim((span){r->at, comment ? comment : end});
        r->at = newline ? newline + 1 : end;
        r->line++;
        if (out->at < out->end) return true;
    }
    return false;
}

/* Removes the first word of a line, together with the blanks and the separator after it. The word
 * between two separators is empty. False at the end of the line. */
static bool next_word(span *line, span *word) {
    if (line->at == line->end) return false;
    word->at = word->end = line->at;
    while (word->end < line->end && !is_blank(*word->end) && !is_separator(*word->end)) word->end++;
    line->at = word->end;
    while (line->at < line->end && is_blank(*line->at)) line->at++;
    if (line->at == line->end || !is_separator(*line->at)) return true;
    for (line->at++; line->at < line->end && is_blank(*line->at);) line->at++;
    return true;
}

static int shown_length(span word) { return (int)vo_min((double)(word.end - word.at), 40); }

/* ---- header ---------------------------------------------------------------------------------- */

static vo_result fail_unknown_column(const table_reader *r, span word) {
    return vo_fail(r->ctx, VO_BAD_DATA,
                   "%s: line %d: unknown column \"%.*s\"; the columns are "
                   "time or frame, x y z, tx ty tz (target) or qw qx qy qz (rotation), fov_y or "
                   "focal_length, cut",
                   r->name, r->line, shown_length(word), word.at);
}

static vo_result add_column(table_reader *r, span word) {
    size_t length = (size_t)(word.end - word.at);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (strlen(column_names[i]) != length || memcmp(column_names[i], word.at, length) != 0)
            continue;
        if (r->has[i])
            return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: duplicate column %s", r->name,
                           r->line, column_names[i]);
        r->has[i] = true;
        r->order[r->column_count++] = (column)i;
        return VO_OK;
    }
    return fail_unknown_column(r, word);
}

/* Sets *has if all columns of a group are present; fails if only some are. */
static vo_result check_group(const table_reader *r, column first, int count, bool *has) {
    int found = 0;
    for (int i = 0; i < count; i++) found += r->has[(int)first + i];
    *has = found == count;
    if (found == 0 || found == count) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: some of the columns %s to %s are missing",
                   r->name, r->line, column_names[first], column_names[(int)first + count - 1]);
}

static vo_result check_one(const table_reader *r, bool a, bool b, const char *words) {
    if (a != b) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: expected %s%s", r->name, r->line, words,
                   a ? ", not both" : "");
}

static vo_result check_columns(const table_reader *r) {
    bool position, target, rotation;
    VO_TRY(check_group(r, COLUMN_X, 3, &position));
    VO_TRY(check_group(r, COLUMN_TX, 3, &target));
    VO_TRY(check_group(r, COLUMN_QW, 4, &rotation));
    VO_TRY(check_one(r, r->has[COLUMN_TIME], r->has[COLUMN_FRAME],
                     "one of the columns time and frame"));
    VO_TRY(check_one(r, position, false, "the columns x, y and z"));
    VO_TRY(check_one(r, target, rotation, "the columns tx, ty, tz or qw, qx, qy, qz"));
    if (!r->has[COLUMN_FIELD] || !r->has[COLUMN_FOCAL]) return VO_OK;
    return check_one(r, true, true, "one of the columns fov_y and focal_length");
}

static vo_result read_header(table_reader *r) {
    span line, word;
    if (!next_line(r, &line))
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: the file ends before its first line",
                       r->name, vo_max_int(r->line, 1));
    while (next_word(&line, &word)) VO_TRY(add_column(r, word));
    return check_columns(r);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static vo_result read_value(const table_reader *r, column c, span word, double *out) {
    const char *after = vo_number_read(word.at, word.end, out);
    bool flag = c == COLUMN_CUT, number = after == word.end && after != word.at;
    if (number && (flag ? *out == 0 || *out == 1 : vo_is_bounded(*out))) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: column %s: \"%.*s\" is %s", r->name, r->line,
                   column_names[c], shown_length(word), word.at,
                   flag ? "neither 0 nor 1" : "not a number up to 1e15");
}

static vo_result read_values(const table_reader *r, span line, double value[COLUMN_COUNT]) {
    int count = 0;
    for (span word; next_word(&line, &word); count++)
        if (count < r->column_count)
            VO_TRY(read_value(r, r->order[count], word, &value[r->order[count]]));
    if (count == r->column_count) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: expected %d values, one per column, found %d",
                   r->name, r->line, r->column_count, count);
}

static vo_camera_key make_key(const table_reader *r, const double *v) {
    vo_camera_key key = {
        .time = r->has[COLUMN_TIME] ? v[COLUMN_TIME] : v[COLUMN_FRAME] * r->def->frame_time,
        .cut = v[COLUMN_CUT] != 0,
        .position = v3(v[COLUMN_X], v[COLUMN_Y], v[COLUMN_Z]),
        .has_target = r->has[COLUMN_TX],
        .target = v3(v[COLUMN_TX], v[COLUMN_TY], v[COLUMN_TZ]),
        .rotation = {v[COLUMN_QW], v[COLUMN_QX], v[COLUMN_QY], v[COLUMN_QZ]},
        .fov_y = r->def->fov_y,
    };
    if (r->has[COLUMN_FIELD]) key.fov_y = v[COLUMN_FIELD];
    if (r->has[COLUMN_FOCAL]) key.fov_y = vo_camera_focal_field(v[COLUMN_FOCAL], r->def->sensor);
    return key;
}

static vo_result read_row(const table_reader *r, span line, vo_camera_keys *keys) {
    double value[COLUMN_COUNT] = {0};
    VO_TRY(read_values(r, line, value));
    vo_camera_key key = make_key(r, value);
    if (!vo_camera_keys_add(keys, &key)) return vo_fail_memory(r->ctx, r->name);
    const char *defect = vo_camera_key_defect(keys->key, keys->count - 1);
    if (!defect) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: %s", r->name, r->line, defect);
}

static vo_result read_table(table_reader *r, vo_camera_keys *keys) {
    span line;
    VO_TRY(read_header(r));
    keys->focal = r->has[COLUMN_FOCAL];
    while (next_line(r, &line)) VO_TRY(read_row(r, line, keys));
    if (keys->count > 0) return VO_OK;
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: the table has no rows", r->name, r->line);
}

vo_result vo_camera_table_parse(vo_context *ctx, const char *name, const char *text, size_t size,
                                const vo_camera_table_def *def, vo_camera_keys *out) {
    table_reader reader = {.ctx = ctx, .name = name, .def = def, .at = text, .end = text + size};
    *out = (vo_camera_keys){.ctx = ctx};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) reader.at += 3; /* byte order mark */
    vo_result result = read_table(&reader, out);
    if (result != VO_OK) vo_camera_keys_free(out);
    return result;
}
