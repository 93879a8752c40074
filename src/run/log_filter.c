#include "run/log_filter.h"

#include "core/plural.h"

#include <stdio.h>
#include <string.h>

/* Words before the number of an object. */
static const char *const OBJECT[] = {"cloth",    "obstacle", "handle", "character", "garment",
                                     "material", "motion",   "camera", "body"};

typedef struct token {
    const char *begin;
    int length;
    bool is_number;
} token;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_sign(char c) { return c == '+' || c == '-'; }

static const char *skip_digits(const char *p) {
    while (is_digit(*p)) p++;
    return p;
}

/* End of the number that begins at p, or p if there is none. */
static const char *number_end(const char *p) {
    const char *q = skip_digits(p + is_sign(*p));
    if (!is_digit(p[is_sign(*p)])) return p;
    if (*q == '.' && is_digit(q[1])) q = skip_digits(q + 1);
    if ((*q == 'e' || *q == 'E') && is_digit(q[1 + is_sign(q[1])]))
        q = skip_digits(q + 1 + is_sign(q[1]));
    return q;
}

static bool has_text(const token *t, const char *text) {
    return (size_t)t->length == strlen(text) && memcmp(t->begin, text, strlen(text)) == 0;
}

/* A name, a number or one other character. */
static token read_token(const char *p) {
    const char *q = number_end(p), *word = p + is_sign(*p);
    if (q > p) return (token){p, (int)(q - p), true};
    for (q = word; is_letter(*q) || is_digit(*q);) q++;
    token name = {word, (int)(q - word), false};
    if (has_text(&name, "nan") || has_text(&name, "inf")) return (token){p, (int)(q - p), true};
    return name.length > 0 && word == p ? name : (token){p, 1, false};
}

/* Returns true if a number that follows the word, or the character, is that of an object. */
static bool precedes_object(const token *t) {
    if (has_text(t, "[")) return true;
    for (size_t i = 0; i < sizeof OBJECT / sizeof *OBJECT; i++)
        if (has_text(t, OBJECT[i])) return true;
    return false;
}

/* FNV-1a hash of the text without numbers, except, with `objects`, those of objects. */
static uint64_t hash_text(const char *text, bool objects) {
    uint64_t hash = 14695981039346656037u;
    bool keeps_number = false;
    while (*text) {
        token t = read_token(text);
        for (int i = 0; i < t.length && (!t.is_number || keeps_number); i++)
            hash = (hash ^ (unsigned char)t.begin[i]) * 1099511628211u;
        if (!has_text(&t, " ")) keeps_number = objects && precedes_object(&t);
        text += t.length;
    }
    return hash;
}

/* Finds or adds the kind; NULL if there are too many. */
static vo_filtered_kind *get_kind(vo_log_filter *f, uint64_t key) {
    for (int i = 0; i < f->count; i++)
        if (f->kind[i].key == key) return &f->kind[i];
    if (f->count == VO_MAX_FILTERED_KINDS) return NULL;
    f->kind[f->count].key = key;
    return &f->kind[f->count++];
}

/* Finds or adds a warning; NULL if there are too many objects. */
static vo_filtered_warning *get_warning(vo_filtered_kind *k, uint64_t key, int frame,
                                        const char *text) {
    for (int i = 0; i < k->count; i++)
        if (k->warning[i].key == key) return &k->warning[i];
    if (k->count == VO_MAX_FILTERED_OBJECTS) return NULL;
    vo_filtered_warning *w = &k->warning[k->count++];
    *w = (vo_filtered_warning){.key = key, .first_frame = frame};
    snprintf(w->text, sizeof w->text, "%s", text);
    return w;
}

static void count_other(vo_filtered_kind *k, int frame) {
    if (k->others++ == 0) k->from = frame;
    k->to = frame;
}

static void count_repetition(vo_filtered_warning *w, int frame) {
    if (w->more == 0) w->from = frame;
    if (w->more == 0 || w->to != frame) w->more++;
    w->to = frame;
}

/* True if the line is not logged but counted. */
static bool is_counted(vo_log_filter *f, const char *line) {
    int frame, length = 0;
    if (sscanf(line, "frame %d: %n", &frame, &length) != 1 || length == 0) return false;
    const char *text = line + length;
    vo_filtered_kind *kind = get_kind(f, hash_text(text, false));
    if (!kind) return false;
    vo_filtered_warning *w = get_warning(kind, hash_text(text, true), frame, text);
    if (!w)
        count_other(kind, frame);
    else if (w->first_frame == frame)
        return false;
    else
        count_repetition(w, frame);
    return true;
}

static void filter_line(void *user, vo_log_level level, const char *text) {
    vo_log_filter *f = user;
    if (level == VO_LOG_WARNING && is_counted(f, text)) return;
    if (f->log) f->log(f->log_user, level, text);
}

void vo_log_filter_begin(vo_log_filter *f, vo_context *ctx) {
    *f = (vo_log_filter){.ctx = ctx, .log = ctx->log, .log_user = ctx->log_user};
    ctx->log = filter_line;
    ctx->log_user = f;
}

static void log_counts(vo_context *ctx, const vo_filtered_kind *k) {
    for (int i = 0; i < k->count; i++) {
        const vo_filtered_warning *w = &k->warning[i];
        if (w->more > 0)
            vo_log_line(ctx, VO_LOG_WARNING, "frames %d to %d: repeated in %d frame%s: %s", w->from,
                        w->to, w->more, vo_plural(w->more), w->text);
    }
    if (k->others > 0)
        vo_log_line(ctx, VO_LOG_WARNING,
                    "frames %d to %d: %d more warning%s about other objects, like: %s", k->from,
                    k->to, k->others, vo_plural(k->others), k->warning[0].text);
}

void vo_log_filter_end(vo_log_filter *f) {
    f->ctx->log = f->log;
    f->ctx->log_user = f->log_user;
    for (int i = 0; i < f->count; i++) log_counts(f->ctx, &f->kind[i]);
}
