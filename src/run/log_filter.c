#include "run/log_filter.h"

#include <stdio.h>
#include <string.h>

/* FNV-1a hash of the characters that do not belong to numbers. */
static uint64_t hash_words(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++)
        if (!strchr("0123456789.+-e", *text)) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static vo_filtered_warning *find(vo_log_filter *f, uint64_t key) {
    for (int i = 0; i < f->count; i++)
        if (f->warning[i].key == key) return &f->warning[i];
    return NULL;
}

static void add(vo_log_filter *f, uint64_t key, int frame, const char *text) {
    if (f->count == VO_MAX_FILTERED) return;
    vo_filtered_warning *w = &f->warning[f->count++];
    *w = (vo_filtered_warning){.key = key, .first_frame = frame};
    snprintf(w->text, sizeof w->text, "%s", text);
}

/* True if the line is a repetition, which is counted. */
static bool is_repeated(vo_log_filter *f, const char *line) {
    int frame, length = 0;
    if (sscanf(line, "frame %d: %n", &frame, &length) != 1 || length == 0) return false;
    uint64_t key = hash_words(line + length);
    vo_filtered_warning *w = find(f, key);
    if (!w) add(f, key, frame, line + length);
    if (!w || w->first_frame == frame) return false;
    if (w->more == 0) w->from = frame;
    if (w->more == 0 || w->to != frame) w->more++;
    w->to = frame;
    return true;
}

static void filter_line(void *user, vo_log_level level, const char *text) {
    vo_log_filter *f = user;
    if (level == VO_LOG_WARNING && is_repeated(f, text)) return;
    if (f->log) f->log(f->log_user, level, text);
}

void vo_log_filter_begin(vo_log_filter *f, vo_context *ctx) {
    *f = (vo_log_filter){.ctx = ctx, .log = ctx->log, .log_user = ctx->log_user};
    ctx->log = filter_line;
    ctx->log_user = f;
}

void vo_log_filter_end(vo_log_filter *f) {
    f->ctx->log = f->log;
    f->ctx->log_user = f->log_user;
    for (int i = 0; i < f->count; i++) {
        const vo_filtered_warning *w = &f->warning[i];
        if (w->more > 0)
            vo_log_line(f->ctx, VO_LOG_WARNING, "frames %d to %d: in %d frame%s again: %s", w->from,
                        w->to, w->more, w->more == 1 ? "" : "s", w->text);
    }
}
