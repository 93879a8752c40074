/* Creates patterns from JSON documents of either format. */
#include "garment/pattern_build.h"

static vo_result pattern_from_json(vo_json_doc *doc, void *out) {
    vo_context *ctx = doc->ctx;
    vo_pattern *p = vo_new(ctx, vo_pattern);
    if (!p) return vo_fail_memory(ctx, "a pattern");
    p->ctx = ctx;
    vo_arena_init(&p->arena, ctx);
    p->file = vo_pattern_text(p, doc->file);
    p->description = "";
    vo_json_cursor root = vo_json_root(doc);
    vo_result result = !p->file                      ? vo_fail_memory(ctx, "a pattern")
                       : vo_garmentcode_detect(root) ? vo_garmentcode_read(p, root)
                                                     : vo_pattern_read(p, root);
    if (result != VO_OK) {
        vo_pattern_destroy(p);
        return result;
    }
    *(vo_pattern **)out = p;
    return VO_OK;
}

vo_result vo_pattern_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                           vo_pattern **out) {
    *out = NULL;
    return vo_json_parse_object(ctx, file, text, size, pattern_from_json, out);
}

vo_result vo_pattern_load(vo_context *ctx, const char *path, vo_pattern **out) {
    *out = NULL;
    return vo_json_load_object(ctx, path, pattern_from_json, out);
}
