/* A frame's statistics as a line of JSON and back. The fields come from the lists in
 * <voile/stats.h>. */
#include "codec/json.h"
#include "sim/sim.h"

#include <stdio.h>

void vo_stats_begin(vo_stats *stats, int frame, double time) {
    *stats = (vo_stats){.frame = frame, .time = time};
}

int vo_stats_print(const vo_stats *s, char *line, size_t size) {
    char stages[512], fields[1024];
    int n = 0;
#define X(name, meaning)                                                                         \
    n += snprintf(stages + n, sizeof stages - (size_t)n, "%s\"" #name "\": %.6f", n ? ", " : "", \
                  s->stage.name);
    VO_STAGES(X)
#undef X
    n = 0;
#define X(name, type, format, combine, meaning) \
    n += snprintf(fields + n, sizeof fields - (size_t)n, ", \"" #name "\": " format, s->name);
    VO_STAT_FIELDS(X)
#undef X
    return snprintf(line, size,
                    "{\"frame\": %d, \"time\": %.9g, \"cloths\": %d, \"faces\": %d, \"edges\": %d, "
                    "\"nodes\": %d, \"verts\": %d, \"wall_s\": %.6f, \"stages\": {%s}%s}\n",
                    s->frame, s->time, s->cloths, s->faces, s->edges, s->nodes, s->verts, s->wall_s,
                    stages, fields);
}

static vo_result read_double(vo_json_at at, double *out) { return vo_json_read_real(at, out); }
static vo_result read_int(vo_json_at at, int *out) { return vo_json_read_int(at, out); }

static vo_result read_fields(const vo_json_at *root, vo_stats *s) {
    VO_TRY(vo_json_read_int(vo_json_get(root, "frame"), &s->frame));
    VO_TRY(vo_json_read_real(vo_json_get(root, "time"), &s->time));
    VO_TRY(vo_json_read_int(vo_json_get(root, "cloths"), &s->cloths));
    VO_TRY(vo_json_read_int(vo_json_get(root, "faces"), &s->faces));
    VO_TRY(vo_json_read_int(vo_json_get(root, "edges"), &s->edges));
    VO_TRY(vo_json_read_int(vo_json_get(root, "nodes"), &s->nodes));
    VO_TRY(vo_json_read_int(vo_json_get(root, "verts"), &s->verts));
    VO_TRY(vo_json_read_real(vo_json_get(root, "wall_s"), &s->wall_s));
    vo_json_at stages = vo_json_get(root, "stages");
#define X(name, meaning) VO_TRY(vo_json_read_real(vo_json_get(&stages, #name), &s->stage.name));
    VO_STAGES(X)
#undef X
#define X(name, type, format, combine, meaning) \
    VO_TRY(read_##type(vo_json_get(root, #name), &s->name));
    VO_STAT_FIELDS(X)
#undef X
    return VO_OK;
}

vo_result vo_stats_parse(vo_context *ctx, const char *file, const char *line, size_t size,
                         vo_stats *out) {
    vo_json_doc doc;
    *out = (vo_stats){.frame = -1};
    VO_TRY(vo_json_parse(ctx, file, line, size, &doc));
    vo_json_at root = vo_json_root(&doc);
    vo_result result = read_fields(&root, out);
    vo_json_free(&doc);
    return result;
}
