/* Estimates from the first copies whether the bodies of a crowd fit into the context's memory
 * limit, so that loading fails early.
 *
 * The first copy allocates the data common to all copies (character/body.h) and is ignored. Of the
 * next copies the smallest number of bytes per face is used for all remaining ones, and their
 * numbers of faces are limited to that of the measured copy. The estimate is therefore a lower
 * bound: no crowd that fits is rejected. Memory for cloths and the simulation is not included. */
#include "core/memory.h"
#include "scene/load/load.h"

enum { MEASURED_COPIES = 16 };

/* Bytes in use, without the unused bytes of slabs. */
static double used_bytes(const vo_context *ctx) {
    size_t spare = ctx->slabs ? vo_slabs_unused_bytes(ctx->slabs) : 0;
    return (double)vo_context_get_memory_usage(ctx).used - (double)spare;
}

/* Number of faces of a mannequin. Bodies from files are equal in all copies, so any number serves.
 */
static double count_faces(const vo_json_cursor *characters, int i) {
    vo_json_cursor character = vo_json_item(characters, i), body = vo_json_get(&character, "body");
    bool given = vo_json_kind(body) == VO_JSON_OBJECT && vo_has(&body, "faces");
    return given ? vo_get_int(&body, "faces", 0) : vo_mannequin_def_default().faces;
}

static double count_copy_faces(const vo_json_cursor *characters, int first, int count) {
    double sum = 0;
    for (int i = first; i < first + count; i++) sum += count_faces(characters, i);
    return sum;
}

/* Lower bound of the bytes for the copies from character `from` on. */
static double min_bytes_for_rest(const vo_loader *loader, const vo_crowd_memory *memory,
                                 const vo_json_cursor *characters, int from) {
    double faces = 0;
    for (int i = from; i < vo_json_length(*characters); i += loader->copied)
        faces += vo_min(count_copy_faces(characters, i, loader->copied), memory->faces);
    return faces * memory->bytes_per_face;
}

static vo_result fail_limit(const vo_loader *loader, double need, int count) {
    char text[VO_BYTES_TEXT], limit[VO_BYTES_TEXT];
    atomic_store(&loader->ctx->limit.denied_bytes, (size_t)need);
    return vo_fail(loader->ctx, VO_NO_MEMORY,
                   "%s: crowd: the bodies of %d characters need more than %s, and the memory "
                   "limit is %s; use fewer places or bodies with fewer faces",
                   loader->doc->file, count, vo_bytes_text(need, text),
                   vo_bytes_text((double)loader->ctx->limit.max_bytes, limit));
}

vo_result vo_check_crowd_memory(const vo_loader *loader, vo_crowd_memory *memory,
                                const vo_json_cursor *characters, int done) {
    int each = loader->copied, count = vo_json_length(*characters);
    if (loader->ctx->limit.max_bytes == 0 || each == 0 || done % each ||
        done / each > MEASURED_COPIES)
        return VO_OK;
    double now = used_bytes(loader->ctx), faces = count_copy_faces(characters, done - each, each);
    double bytes_per_face = (now - memory->used) / faces;
    bool second = done == 2 * each;
    if (second || (done > each && bytes_per_face < memory->bytes_per_face))
        *memory = (vo_crowd_memory){now, bytes_per_face, faces};
    memory->used = now;
    if (done / each < MEASURED_COPIES || done == count) return VO_OK;
    double need = now + min_bytes_for_rest(loader, memory, characters, done);
    return need > (double)loader->ctx->limit.max_bytes ? fail_limit(loader, need, count) : VO_OK;
}
