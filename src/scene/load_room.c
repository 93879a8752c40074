/* Whether the bodies of a crowd fit into the memory that the context may take: told after a few of
 * them, not after minutes.
 *
 * The first copy makes what all share (scene/body.h). Of the next few the one that took the least
 * for each face stands for all that follow, and those with more faces are taken for no larger: the
 * answer is a lower bound, so that no crowd that fits is refused. What is needed later, by cloths
 * and the simulation, is not in it. */
#include "core/memory.h"
#include "scene/load.h"

enum { LOOKED_AT = 16 }; /* copies */

/* Bytes that blocks have, without what is free in slabs. */
static double taken(const vo_context *ctx) {
    size_t spare = ctx->slabs ? vo_slabs_spare(ctx->slabs) : 0;
    return (double)vo_context_memory(ctx).used - (double)spare;
}

/* Faces of a mannequin; bodies from files are the same in all copies, so that any number will do.
 */
static double faces_of(const vo_json_at *characters, int i) {
    vo_json_at character = vo_json_item(characters, i), body = vo_json_get(&character, "body");
    bool given = vo_json_kind(body) == VO_JSON_OBJECT && vo_has(&body, "faces");
    return given ? vo_get_int(&body, "faces", 0) : vo_mannequin_def_default().faces;
}

static double faces_of_copy(const vo_json_at *characters, int first, int count) {
    double sum = 0;
    for (int i = first; i < first + count; i++) sum += faces_of(characters, i);
    return sum;
}

/* What the copies from a character on will take at least. */
static double least_for_rest(const vo_loader *loader, const vo_room *room,
                             const vo_json_at *characters, int from) {
    double faces = 0;
    for (int i = from; i < vo_json_length(*characters); i += loader->copied)
        faces += vo_min(faces_of_copy(characters, i, loader->copied), room->faces);
    return faces * room->least;
}

static vo_result refuse(const vo_loader *loader, double need, int count) {
    char text[VO_BYTES_TEXT], most[VO_BYTES_TEXT];
    atomic_store(&loader->ctx->limit.refused, (size_t)need);
    return vo_fail(loader->ctx, VO_NO_MEMORY,
                   "%s: crowd: the bodies of %d characters alone would take more than %s of at "
                   "most %s; fewer places, or bodies with fewer faces, may fit",
                   loader->doc->file, count, vo_bytes_text(need, text),
                   vo_bytes_text((double)loader->ctx->limit.most, most));
}

vo_result vo_load_room(const vo_loader *loader, vo_room *room, const vo_json_at *characters,
                       int done) {
    int each = loader->copied, count = vo_json_length(*characters);
    if (loader->ctx->limit.most == 0 || each == 0 || done % each || done / each > LOOKED_AT)
        return VO_OK;
    double now = taken(loader->ctx), faces = faces_of_copy(characters, done - each, each);
    double least = (now - room->taken) / faces;
    bool second = done == 2 * each;
    if (second || (done > each && least < room->least)) *room = (vo_room){now, least, faces};
    room->taken = now;
    if (done / each < LOOKED_AT || done == count) return VO_OK;
    double need = now + least_for_rest(loader, room, characters, done);
    return need > (double)loader->ctx->limit.most ? refuse(loader, need, count) : VO_OK;
}
