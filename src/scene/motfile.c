/* Reader of .mot files:
 *
 *     NumFrames: 2
 *     body[0] position          any text
 *     x y z                     NumFrames lines
 *     x y z
 *
 *     body[0] orientation       any text
 *     w x y z                   NumFrames lines
 *     w x y z
 *                               and so on, body after body
 */
#include "codec/number.h"
#include "core/memory.h"
#include "math/bounds.h"
#include "scene/motion.h"

#include <string.h>

typedef struct mot_reader {
    vo_context *ctx;
    const char *name;
    const char *at, *end; /* remaining text */
    int line;             /* of `at`, from 1 */
    int frames;
} mot_reader;

static const char *line_end(const mot_reader *r) {
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    return newline ? newline : r->end;
}

static void next_line(mot_reader *r) {
    const char *end = line_end(r);
    r->at = end < r->end ? end + 1 : end;
    r->line++;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

static void skip_empty_lines(mot_reader *r) {
    while (r->at < r->end && skip_blanks(r->at, r->end) == line_end(r)) next_line(r);
}

/* Reads a number of the line; NULL if there is none within bounds. */
static const char *read_number(const char *at, const char *end, double *out) {
    at = skip_blanks(at, end);
    const char *after = vo_number_read(at, end, out);
    if (!after || !vo_is_bounded(*out)) return NULL;
    return after == end || is_blank(*after) ? after : NULL;
}

/* Reads a line of exactly `count` numbers. */
static bool read_row(mot_reader *r, int count, double *out) {
    const char *at = r->at, *end = line_end(r);
    for (int i = 0; at && i < count; i++) at = read_number(at, end, &out[i]);
    if (!at || skip_blanks(at, end) != end) return false;
    next_line(r);
    return true;
}

static vo_result read_frame_count(mot_reader *r) {
    static const char word[] = "NumFrames:";
    size_t length = sizeof word - 1;
    double count;
    const char *end = line_end(r), *after = NULL;
    if ((size_t)(end - r->at) > length && memcmp(r->at, word, length) == 0)
        after = read_number(r->at + length, end, &count);
    if (!after || skip_blanks(after, end) != end || count != floor(count) || count < 1)
        return vo_fail(r->ctx, VO_BAD_DATA,
                       "%s: line 1: expected \"NumFrames: N\" with a whole number of at least 1",
                       r->name);
    enum { SHORTEST_ROWS = 14 }; /* "0 0 0\n" and "1 0 0 0\n" */
    if (count > 1e9 || (count - 1) * SHORTEST_ROWS > (double)(r->end - r->at))
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: line 1: the file is too short for %.0f frames",
                       r->name, count);
    r->frames = (int)count;
    next_line(r);
    return VO_OK;
}

static vo_result row_error(const mot_reader *r, int body, const char *what, int row, int count) {
    if (r->at == r->end)
        return vo_fail(r->ctx, VO_BAD_DATA,
                       "%s: line %d: the file ends after %d of %d lines of body[%d] %s", r->name,
                       r->line, row, r->frames, body, what);
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: expected %d numbers (body[%d] %s, frame %d)",
                   r->name, r->line, count, body, what, row);
}

static vo_result read_positions(mot_reader *r, int body, vo_motion_key *key) {
    next_line(r); /* title */
    for (int k = 0; k < r->frames; k++) {
        double p[3];
        if (!read_row(r, 3, p)) return row_error(r, body, "position", k, 3);
        key[k] = (vo_motion_key){.pose.translation = v3(p[0], p[1], p[2])};
    }
    return VO_OK;
}

/* Reads rotations; q and -q are the same rotation, and the one nearer to the previous key is used.
 */
static vo_result read_orientations(mot_reader *r, int body, vo_motion_key *key) {
    skip_empty_lines(r);
    next_line(r);
    for (int k = 0; k < r->frames; k++) {
        double q[4];
        if (!read_row(r, 4, q)) return row_error(r, body, "orientation", k, 4);
        vo_quat rotation = {q[0], q[1], q[2], q[3]};
        double length2 = q_dot(rotation, rotation);
        if (!(length2 > 1e-12 && length2 < 1e12))
            return vo_fail(r->ctx, VO_BAD_DATA,
                           "%s: line %d: not a rotation: the quaternion has length %g", r->name,
                           r->line - 1, sqrt(length2));
        rotation = q_normalize(rotation);
        if (k > 0 && q_dot(rotation, key[k - 1].pose.rotation) < 0)
            rotation = q_scale(-1, rotation);
        key[k].pose.rotation = rotation;
    }
    return VO_OK;
}

/* Sets times and scale, applies the placement and computes the rates. */
static void finish_body(vo_motion *body, double fps, vo_transform placement) {
    for (int k = 0; k < body->key_count; k++) {
        vo_motion_key *key = &body->key[k];
        key->time = k / fps;
        key->pose.scale = 1;
        key->pose = xf_mul(placement, key->pose);
    }
    vo_motion_central_rates(body);
}

static vo_result read_body(mot_reader *r, vo_mot *mot) {
    if (!vo_reserve(r->ctx, &mot->body, &mot->body_capacity, mot->body_count + 1))
        return vo_fail_memory(r->ctx, r->name);
    int index = mot->body_count;
    vo_motion *body = &mot->body[index];
    body->key = vo_new_array(r->ctx, vo_motion_key, r->frames);
    if (!body->key) return vo_fail_memory(r->ctx, r->name);
    body->key_count = r->frames;
    mot->body_count++;
    VO_TRY(read_positions(r, index, body->key));
    return read_orientations(r, index, body->key);
}

static vo_result read_bodies(mot_reader *r, vo_mot *mot) {
    VO_TRY(read_frame_count(r));
    for (skip_empty_lines(r); r->at < r->end; skip_empty_lines(r)) VO_TRY(read_body(r, mot));
    if (mot->body_count == 0)
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: line %d: the file ends before its first body",
                       r->name, r->line);
    return VO_OK;
}

vo_result vo_mot_parse(vo_context *ctx, const char *name, const char *text, size_t size, double fps,
                       vo_transform placement, vo_mot *out) {
    *out = (vo_mot){.ctx = ctx};
    mot_reader reader = {ctx, name, text, text + size, 1, 0};
    vo_result result = read_bodies(&reader, out);
    if (result != VO_OK) {
        vo_mot_free(out);
        return result;
    }
    for (int b = 0; b < out->body_count; b++) finish_body(&out->body[b], fps, placement);
    return VO_OK;
}

void vo_mot_free(vo_mot *mot) {
    for (int b = 0; b < mot->body_count; b++) vo_motion_free(mot->ctx, &mot->body[b]);
    vo_free_array(mot->ctx, mot->body, mot->body_capacity);
    *mot = (vo_mot){.ctx = mot->ctx};
}
