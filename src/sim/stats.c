/* A frame's statistics as a line of JSON and back. The fields come from the lists in
 * <voile/stats.h>. */
#include "codec/json.h"
#include "sim/sim.h"

#include <stdio.h>

void vo_stats_begin(vo_stats *stats, int frame, double time) {
    *stats = (vo_stats){.frame = frame, .time = time};
}

int vo_stats_print(const vo_stats *s, char *line, size_t size) {
    int n = 0;
#define PRINT(...)                     n += snprintf(line + n, size - (size_t)n, __VA_ARGS__)
#define X(name, type, format, meaning) PRINT("%s\"" #name "\": " format, n ? ", " : "{", s->name);
    VO_STAT_HEAD(X)
    PRINT(", \"stages\": ");
    int first = n;
#undef X
#define X(name, meaning) PRINT("%s\"" #name "\": %.6f", n > first ? ", " : "{", s->stage.name);
    VO_STAGES(X)
#undef X
    PRINT("}");
#define X(name, type, format, meaning) PRINT(", \"" #name "\": " format, s->name);
    VO_STAT_FIELDS(X)
#undef X
    PRINT("}\n");
#undef PRINT
    return n;
}

static vo_result read_double(vo_json_cursor at, double *out) { return vo_json_read_real(at, out); }
static vo_result read_int(vo_json_cursor at, int *out) { return vo_json_read_int(at, out); }

static vo_result read_fields(const vo_json_cursor *root, vo_stats *s) {
    vo_json_cursor stages = vo_json_get(root, "stages");
#define X(name, type, format, meaning) VO_TRY(read_##type(vo_json_get(root, #name), &s->name));
    VO_STAT_HEAD(X)
    VO_STAT_FIELDS(X)
#undef X
#define X(name, meaning) VO_TRY(vo_json_read_real(vo_json_get(&stages, #name), &s->stage.name));
    VO_STAGES(X)
#undef X
    return VO_OK;
}

vo_result vo_stats_parse(vo_context *ctx, const char *file, const char *line, size_t size,
                         vo_stats *out) {
    vo_json_doc doc;
    *out = (vo_stats){.frame = -1};
    VO_TRY(vo_json_parse(ctx, file, line, size, &doc));
    vo_json_cursor root = vo_json_root(&doc);
    vo_result result = read_fields(&root, out);
    vo_json_free(&doc);
    return result;
}
