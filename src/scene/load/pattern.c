/* Patterns of numbered file names, for example bodies/body%04d.obj. */
#include "scene/load/load.h"

#include <stdio.h>
#include <string.h>

/* A parsed pattern: the text before and after its one conversion. It is never passed to printf. */
typedef struct pattern {
    char before[VO_PATH_SIZE], after[VO_PATH_SIZE];
    int width;
    bool zeros;
} pattern;

/* Copies up to the next conversion or the end, with %% as %; returns the end of the copied text. */
static const char *copy_plain(const char *from, char *to) {
    while (*from && (from[0] != '%' || from[1] == '%')) {
        from += from[0] == '%';
        *to++ = *from++;
    }
    *to = 0;
    return from;
}

/* Parses a pattern with one of %d, %4d, %04d, also with i or u for d. */
static bool read_pattern(const char *text, pattern *out) {
    if (strlen(text) >= VO_PATH_SIZE) return false;
    const char *at = copy_plain(text, out->before);
    if (*at++ != '%') return false;
    out->zeros = *at == '0';
    at += out->zeros;
    out->width = 0;
    for (; *at >= '0' && *at <= '9' && out->width < 10; at++)
        out->width = out->width * 10 + (*at - '0');
    if (*at != 'd' && *at != 'i' && *at != 'u') return false;
    return *copy_plain(at + 1, out->after) == 0 && out->width <= 20;
}

/* Writes the name of a number; false if it is too long. */
static bool write_name(const pattern *p, int number, char *out, size_t size) {
    char digits[32];
    snprintf(digits, sizeof digits, p->zeros ? "%0*d" : "%*d", p->width, number);
    int length = snprintf(out, size, "%s%s%s", p->before, digits, p->after);
    return length >= 0 && (size_t)length < size;
}

/* Increments *first if the file of that number is missing and the next one exists. */
static vo_result find_first(vo_loader *loader, vo_json_cursor at, const pattern *p, int *first) {
    char name[VO_PATH_SIZE], path[VO_PATH_SIZE];
    for (int i = *first; i < *first + 2; i++) {
        bool found;
        if (!write_name(p, i, name, sizeof name)) return vo_json_fail(at, "the path is too long");
        VO_TRY(vo_loader_find(loader, at, name, &found, path));
        if (!found) continue;
        *first = i;
        return VO_OK;
    }
    return VO_OK;
}

static vo_result expand(vo_loader *loader, vo_json_cursor at, const pattern *p, int first,
                        const vo_json_cursor *list, vo_add_name *add) {
    char name[VO_PATH_SIZE], path[VO_PATH_SIZE];
    for (int i = first;; i++) {
        bool found;
        if (!write_name(p, i, name, sizeof name)) return vo_json_fail(at, "the path is too long");
        VO_TRY(vo_loader_find(loader, at, name, i == first ? NULL : &found, path));
        if (i > first && !found) return VO_OK;
        VO_TRY(add(loader, list, name, i));
    }
}

vo_result vo_loader_expand(vo_loader *loader, vo_json_cursor at, bool from_one,
                           const vo_json_cursor *list, vo_add_name *add) {
    static const char advice[] = "expected a path with one whole number, for example body%04d.obj";
    pattern p;
    int first = 0;
    const char *text = "";
    VO_TRY(vo_json_read_string(at, &text));
    if (!read_pattern(text, &p)) return vo_json_fail(at, "%s", advice);
    if (from_one) VO_TRY(find_first(loader, at, &p, &first));
    return expand(loader, at, &p, first, list, add);
}
