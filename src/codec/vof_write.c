#include "codec/vof.h"

#include "codec/vof_private.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/memory.h"

#include <zstd.h>

struct vo_vof_writer {
    vo_context *ctx;
    ZSTD_CCtx *zstd;
    int frame;
    double time;
    vof_section *section;
    int count, capacity;
    vof_buffer stored; /* the sections' bytes, stored_size of them */
    size_t stored_size, raw_size;
    vof_buffer scratch[2]; /* a section between its filters */
    vof_buffer file;
};

vo_result vo_vof_writer_create(vo_context *ctx, vo_vof_writer **out) {
    vo_vof_writer *writer = *out = vo_new(ctx, vo_vof_writer);
    if (!writer) return vo_fail_memory(ctx, "a frame writer");
    writer->ctx = ctx;
    writer->zstd = ZSTD_createCCtx();
    if (writer->zstd) return VO_OK;
    vo_vof_writer_destroy(writer);
    *out = NULL;
    return vo_fail_memory(ctx, "a frame writer");
}

void vo_vof_writer_destroy(vo_vof_writer *writer) {
    if (!writer) return;
    vo_context *ctx = writer->ctx;
    ZSTD_freeCCtx(writer->zstd);
    vo_free_array(ctx, writer->section, writer->capacity);
    vof_buffer_free(ctx, &writer->stored);
    vof_buffer_free(ctx, &writer->scratch[0]);
    vof_buffer_free(ctx, &writer->scratch[1]);
    vof_buffer_free(ctx, &writer->file);
    vo_delete(ctx, writer);
}

void vo_vof_begin(vo_vof_writer *writer, int frame, double time) {
    writer->frame = frame;
    writer->time = time;
    writer->count = 0;
    writer->stored_size = writer->raw_size = 0;
}

/* Makes room for `more` stored bytes and keeps those that are there. */
static bool reserve_stored(vo_vof_writer *writer, size_t more) {
    vof_buffer grown = {0}, *old = &writer->stored;
    size_t need = writer->stored_size + more;
    if (need <= old->capacity) return true;
    if (!vof_buffer_reserve(writer->ctx, &grown, need + old->capacity / 2)) return false;
    if (writer->stored_size) memcpy(grown.data, old->data, writer->stored_size);
    vof_buffer_free(writer->ctx, old);
    *old = grown;
    return true;
}

/* Filters into one of the scratch buffers; NULL without memory. */
static const unsigned char *filtered(vo_vof_writer *writer, const vof_section *section,
                                     const unsigned char *data) {
    if (section->filter == VOF_FILTER_NONE) return data;
    for (int i = 0; i < 2; i++)
        if (!vof_buffer_reserve(writer->ctx, &writer->scratch[i], section->raw)) return NULL;
    vof_filter_apply(section, data, writer->scratch[0].data, writer->scratch[1].data);
    return writer->scratch[1].data;
}

/* Appends the compressed bytes and fills in section->stored. */
static vo_result compress(vo_vof_writer *writer, vof_section *section, const unsigned char *data) {
    size_t bound = ZSTD_compressBound(section->raw);
    const unsigned char *input = filtered(writer, section, data);
    if (!input || !reserve_stored(writer, bound)) return vo_fail_memory(writer->ctx, "a frame");
    unsigned char *out = writer->stored.data + writer->stored_size;
    size_t size = ZSTD_compressCCtx(writer->zstd, out, bound, input, section->raw, VOF_ZSTD_LEVEL);
    if (ZSTD_isError(size)) /* the room suffices, so only its own memory can be missing */
        return vo_fail(writer->ctx, VO_NO_MEMORY, "section %s: zstd: %s", section->tag,
                       ZSTD_getErrorName(size));
    section->stored = size;
    writer->stored_size += size;
    return VO_OK;
}

vo_result vo_vof_add(vo_vof_writer *writer, const char *tag, int index, vo_vof_type type,
                     int columns, int count, const void *data) {
    vo_context *ctx = writer->ctx;
    if (!vof_good_tag(tag) || index < 0 || vof_type_size(type) == 0 || columns < 1 ||
        columns > VO_VOF_MAX_COLUMNS || count < 0 || (count > 0 && !data) ||
        writer->count == VO_VOF_MAX_SECTIONS)
        return vo_fail(ctx, VO_BAD_CALL, "section \"%.20s\" cannot be stored", tag);
    if (!vo_reserve(ctx, &writer->section, &writer->capacity, writer->count + 1))
        return vo_fail_memory(ctx, "a frame");
    vof_section section = {.index = (uint32_t)index,
                           .type = (uint8_t)type,
                           .filter = (uint8_t)vof_filter_of(type),
                           .columns = (uint16_t)columns,
                           .count = (uint64_t)count};
    memcpy(section.tag, tag, strlen(tag));
    section.raw = section.count * section.columns * vof_type_size(type);
    section.hash = vo_hash(data, section.raw);
    if (count > 0) VO_TRY(compress(writer, &section, data));
    writer->raw_size += section.raw;
    writer->section[writer->count++] = section;
    return VO_OK;
}

static void store_hash(unsigned char **at, const unsigned char *begin) {
    uint64_t hash = vo_hash(begin, (size_t)(*at - begin));
    vof_store(at, &hash, sizeof hash);
}

static void store_head(const vo_vof_writer *writer, unsigned char **at, uint64_t size) {
    uint32_t version = VOF_VERSION, sections = (uint32_t)writer->count, zero = 0;
    int32_t frame = writer->frame;
    vof_store(at, VOF_MAGIC, 8);
    vof_store(at, &version, 4);
    vof_store(at, &sections, 4);
    vof_store(at, &frame, 4);
    vof_store(at, &zero, 4);
    vof_store(at, &writer->time, 8);
    vof_store(at, &size, 8);
}

static void store_section(unsigned char **at, const vof_section *section) {
    vof_store(at, section->tag, VO_VOF_TAG);
    vof_store(at, &section->index, 4);
    vof_store(at, &section->type, 1);
    vof_store(at, &section->filter, 1);
    vof_store(at, &section->columns, 2);
    vof_store(at, &section->count, 8);
    vof_store(at, &section->raw, 8);
    vof_store(at, &section->stored, 8);
    vof_store(at, &section->hash, 8);
}

vo_result vo_vof_finish(vo_vof_writer *writer, const void **bytes, size_t *size) {
    size_t total =
        VOF_HEAD + (size_t)writer->count * VOF_ENTRY + VOF_HASH + writer->stored_size + VOF_HASH;
    if (!vof_plausible(writer->raw_size, total))
        return vo_fail(writer->ctx, VO_BAD_CALL, "frame %d holds too much of too little: %zu bytes",
                       writer->frame, writer->raw_size);
    if (!vof_buffer_reserve(writer->ctx, &writer->file, total))
        return vo_fail_memory(writer->ctx, "a frame");
    unsigned char *begin = writer->file.data, *at = begin;
    store_head(writer, &at, total);
    for (int i = 0; i < writer->count; i++) store_section(&at, &writer->section[i]);
    store_hash(&at, begin);
    if (writer->stored_size) vof_store(&at, writer->stored.data, writer->stored_size);
    store_hash(&at, begin);
    *bytes = begin;
    *size = total;
    return VO_OK;
}

vo_result vo_vof_save(vo_vof_writer *writer, const char *path) {
    const void *bytes;
    size_t size;
    VO_TRY(vo_vof_finish(writer, &bytes, &size));
    return vo_file_write(writer->ctx, path, bytes, size);
}
