/* Creates patterns from JSON documents of either format. */
#include "garment/pattern_build.h"

static vo_result from_document(vo_json_doc *doc, vo_pattern **out) {
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
    *out = p;
    return VO_OK;
}

vo_result vo_pattern_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                           vo_pattern **out) {
    vo_json_doc doc;
    *out = NULL;
    VO_TRY(vo_json_parse(ctx, file, text, size, &doc));
    vo_result result = from_document(&doc, out);
    vo_json_free(&doc);
    return result;
}

vo_result vo_pattern_load(vo_context *ctx, const char *path, vo_pattern **out) {
    vo_json_doc doc;
    *out = NULL;
    VO_TRY(vo_json_load(ctx, path, &doc));
    vo_result result = from_document(&doc, out);
    vo_json_free(&doc);
    return result;
}
