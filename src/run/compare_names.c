/* Names of compared runs. A name is the last component of the folder; where these collide, the
 * folders without their common leading components. If an earlier run has the same name, the number
 * of the run is appended. A label is the name in at most VO_COMPARE_LABEL
 * bytes, for columns and legends: long names lose their common prefix, then their beginning. */
#include "core/memory.h"
#include "run/compare.h"

#include <stdio.h>
#include <string.h>

/* Length of a path without slashes at its end. */
static size_t path_length(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    return length;
}

/* Begin of the last component. */
static size_t last_component(const char *path) {
    size_t begin = path_length(path);
    while (begin > 0 && path[begin - 1] != '/') begin--;
    return begin;
}

/* True if the folders from these offsets on are the same, or one is empty. */
static bool collide(const char *a, size_t from_a, const char *b, size_t from_b) {
    size_t n = path_length(a) - from_a, m = path_length(b) - from_b;
    return n == 0 || m == 0 || (n == m && memcmp(a + from_a, b + from_b, n) == 0);
}

static bool last_components_collide(const vo_compare_def *d) {
    for (int i = 0; i < d->run_count; i++)
        for (int k = 0; k < i; k++)
            if (collide(d->runs[i], last_component(d->runs[i]), d->runs[k],
                        last_component(d->runs[k])))
                return true;
    return false;
}

/* Number of leading bytes that all texts share. */
static size_t common_prefix(int count, const char *const *text) {
    size_t length = strlen(text[0]);
    for (int i = 1; i < count; i++) {
        size_t k = 0;
        while (k < length && text[i][k] == text[0][k]) k++;
        length = k;
    }
    return length;
}

/* Length of the leading components that all folders share, with the slash at the end. */
static size_t common_components(const vo_compare_def *d) {
    size_t length = common_prefix(d->run_count, d->runs);
    while (length > 0 && d->runs[0][length - 1] != '/') length--;
    return length;
}

static char *copy_range(vo_context *ctx, const char *text, size_t length) {
    char *copy = vo_alloc(ctx, length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static char *find_name(vo_context *ctx, const vo_compare_def *d, int run) {
    const char *folder = d->runs[run];
    if (d->names) return vo_copy_string(ctx, d->names[run]);
    size_t begin = last_components_collide(d) ? common_components(d) : last_component(folder);
    size_t length = path_length(folder);
    if (begin >= length) begin = 0;
    return copy_range(ctx, folder + begin, length - begin);
}

static bool is_name_taken(const vo_comparison *c, int run, const char *name) {
    for (int k = 0; k < run; k++)
        if (strcmp(c->run[k].name, name) == 0) return true;
    return false;
}

/* Returns `name` with the number of the run; frees it. */
static char *append_number(vo_context *ctx, char *name, int run) {
    size_t size = strlen(name) + 16;
    char *longer = vo_alloc(ctx, size), *copy = NULL;
    if (longer) {
        snprintf(longer, size, "%s~%d", name, run);
        copy = vo_copy_string(ctx, longer);
    }
    vo_free(ctx, longer, size);
    vo_free_string(ctx, name);
    return copy;
}

/* The names of the earlier runs are set. */
static char *make_name(vo_context *ctx, const vo_compare_def *d, const vo_comparison *c, int run) {
    char *name = find_name(ctx, d, run);
    while (name && is_name_taken(c, run, name)) name = append_number(ctx, name, run);
    return name;
}

/* Moves an offset to the begin of a UTF-8 character. */
static const char *skip_continuation(const char *text) {
    while (((unsigned char)*text & 0xc0) == 0x80) text++;
    return text;
}

/* Writes "..." and the end of a name that does not fit. */
static void shorten(const char *name, size_t prefix, char out[VO_COMPARE_LABEL + 1]) {
    size_t length = strlen(name), max = VO_COMPARE_LABEL - 3;
    if (length <= VO_COMPARE_LABEL) {
        snprintf(out, VO_COMPARE_LABEL + 1, "%s", name);
        return;
    }
    size_t begin = length - prefix <= max ? prefix : length - max;
    snprintf(out, VO_COMPARE_LABEL + 1, "...%s", skip_continuation(name + begin));
}

static bool is_taken(const vo_comparison *c, int run) {
    for (int k = 0; k < run; k++)
        if (strcmp(c->run[k].label, c->run[run].label) == 0) return true;
    return false;
}

/* Replaces the end of a label by a number. */
static void end_with_number(char label[VO_COMPARE_LABEL + 1], int value) {
    char number[16];
    size_t digits = (size_t)snprintf(number, sizeof number, "~%d", value);
    size_t keep = strlen(label);
    if (keep > VO_COMPARE_LABEL - digits) keep = VO_COMPARE_LABEL - digits;
    while (keep > 0 && ((unsigned char)label[keep] & 0xc0) == 0x80) keep--;
    memcpy(label + keep, number, digits + 1);
}

/* Numbers a label that an earlier run has; the first number is that of the run. */
static void make_unique(const vo_comparison *c, int run) {
    for (int number = run; is_taken(c, run); number++) end_with_number(c->run[run].label, number);
}

static void label_runs(vo_comparison *c) {
    const char *name[VO_COMPARE_MAX_RUNS];
    for (int i = 0; i < c->run_count; i++) name[i] = c->run[i].name;
    size_t prefix = common_prefix(c->run_count, name);
    for (int i = 0; i < c->run_count; i++) {
        shorten(name[i], prefix, c->run[i].label);
        make_unique(c, i);
    }
}

bool vo_compare_name_runs(vo_context *ctx, const vo_compare_def *def, vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++) {
        c->run[i].name = make_name(ctx, def, c, i);
        if (!c->run[i].name) return false;
    }
    label_runs(c);
    return true;
}
