#include "codec/vof.h"

#include "codec/hash.h"
#include "codec/vof_private.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <stdatomic.h>
#include <zstd.h>

/* Sections are compressed in batches of this many bytes, enough work for all threads. */
#define BATCH ((size_t)16 << 20)

/* A section before and after compression. */
typedef struct entry {
    vof_section section;
    size_t from; /* offset in raw and filtered */
    size_t to;   /* offset in stored */
    size_t done; /* result of zstd: compressed size or error code */
} entry;

struct vo_vof_writer {
    vo_context *ctx;
    const vo_vof_format *format;
    int frame;
    double time;
    entry *entry;
    int count, capacity;
    int pending;              /* first uncompressed entry; those before it are in `stored` */
    atomic_int next;          /* next entry for a thread */
    vof_buffer raw, filtered; /* data of pending entries */
    vof_buffer stored;
    size_t pending_size, stored_size; /* bytes used in raw, stored */
    size_t raw_size;                  /* uncompressed bytes of all sections */
    ZSTD_CCtx **compressor;           /* [compressor_count], one per thread */
    int compressor_count;
    vof_buffer file;
};

static bool create_compressors(vo_vof_writer *writer) {
    int count = vo_threads_count(writer->ctx->threads);
    writer->compressor =
        vo_alloc_zero(writer->ctx, vo_array_bytes((size_t)count, sizeof *writer->compressor));
    if (!writer->compressor) return false;
    writer->compressor_count = count;
    for (int i = 0; i < count; i++) {
        writer->compressor[i] = ZSTD_createCCtx();
        if (!writer->compressor[i]) return false;
    }
    return true;
}

vo_result vo_vof_writer_create(vo_context *ctx, vo_vof_writer **out) {
    return vo_vof_writer_create_format(ctx, &vo_vof_frame_format, out);
}

vo_result vo_vof_writer_create_format(vo_context *ctx, const vo_vof_format *format,
                                      vo_vof_writer **out) {
    vo_vof_writer *writer = *out = vo_new(ctx, vo_vof_writer);
    if (!writer) return vo_fail_memory(ctx, "a frame writer");
    writer->ctx = ctx;
    writer->format = format;
    if (create_compressors(writer)) return VO_OK;
    vo_vof_writer_destroy(writer);
    *out = NULL;
    return vo_fail_memory(ctx, "a frame writer");
}

void vo_vof_writer_destroy(vo_vof_writer *writer) {
    if (!writer) return;
    vo_context *ctx = writer->ctx;
    for (int i = 0; i < writer->compressor_count; i++) ZSTD_freeCCtx(writer->compressor[i]);
    vo_free_array(ctx, writer->compressor, writer->compressor_count);
    vo_free_array(ctx, writer->entry, writer->capacity);
    vof_buffer_free(ctx, &writer->raw);
    vof_buffer_free(ctx, &writer->filtered);
    vof_buffer_free(ctx, &writer->stored);
    vof_buffer_free(ctx, &writer->file);
    vo_delete(ctx, writer);
}

void vo_vof_begin(vo_vof_writer *writer, int frame, double time) {
    writer->frame = frame;
    writer->time = time;
    writer->count = writer->pending = 0;
    writer->pending_size = writer->stored_size = writer->raw_size = 0;
}

/* ---- compression ----------------------------------------------------------------------------- */

/* Reserves `more` bytes after the first `used`, which are kept. */
static bool extend(vo_context *ctx, vof_buffer *buffer, size_t used, size_t more) {
    vof_buffer grown = {0};
    if (used + more <= buffer->capacity) return true;
    if (!vof_buffer_reserve(ctx, &grown, used + more + buffer->capacity / 2)) return false;
    if (used) memcpy(grown.data, buffer->data, used);
    vof_buffer_free(ctx, buffer);
    *buffer = grown;
    return true;
}

/* Reserves buffers for all pending entries: filtered, and compressed in the worst case. */
static bool reserve_pending(vo_vof_writer *writer) {
    size_t bytes = 0;
    for (int i = writer->pending; i < writer->count; i++) {
        entry *e = &writer->entry[i];
        e->to = writer->stored_size + bytes;
        bytes += ZSTD_compressBound(e->section.raw);
    }
    return extend(writer->ctx, &writer->stored, writer->stored_size, bytes) &&
           vof_buffer_reserve(writer->ctx, &writer->filtered, writer->pending_size);
}

/* Compresses a section. The output buffer, which is large enough, is the scratch of the filter. */
static void compress(vo_vof_writer *writer, ZSTD_CCtx *zstd, entry *e) {
    const unsigned char *data = writer->raw.data + e->from;
    unsigned char *to = writer->stored.data + e->to;
    e->section.hash = vo_hash(data, e->section.raw);
    if (e->section.filter != VOF_FILTER_NONE) {
        vof_filter_apply(&e->section, data, to, writer->filtered.data + e->from);
        data = writer->filtered.data + e->from;
    }
    e->done = ZSTD_compressCCtx(zstd, to, ZSTD_compressBound(e->section.raw), data, e->section.raw,
                                VOF_ZSTD_LEVEL);
}

/* Compresses sections until none is left. The bytes do not depend on the compressor. */
static void compress_sections(void *arg, int begin, int end, int chunk) {
    vo_vof_writer *writer = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        for (int at; (at = atomic_fetch_add(&writer->next, 1)) < writer->count;)
            if (writer->entry[at].section.raw > 0)
                compress(writer, writer->compressor[i], &writer->entry[at]);
}

/* Compresses all pending sections. */
static vo_result compress_pending(vo_vof_writer *writer) {
    if (!reserve_pending(writer)) return vo_fail_memory(writer->ctx, "a frame");
    atomic_store(&writer->next, writer->pending);
    vo_parallel_for(writer->ctx, writer->compressor_count, 1, compress_sections, writer);
    for (; writer->pending < writer->count; writer->pending++) {
        entry *e = &writer->entry[writer->pending];
        if (ZSTD_isError(e->done)) /* the buffer suffices, so only an allocation of zstd can fail */
            return vo_fail(writer->ctx, VO_NO_MEMORY, "section %s: zstd: %s", e->section.tag,
                           ZSTD_getErrorName(e->done));
        memmove(writer->stored.data + writer->stored_size, writer->stored.data + e->to, e->done);
        e->section.stored = e->done;
        writer->stored_size += e->done;
    }
    writer->pending_size = 0;
    return VO_OK;
}

vo_result vo_vof_add(vo_vof_writer *writer, const char *tag, int index, vo_vof_type type,
                     int columns, int count, const void *data) {
    vo_context *ctx = writer->ctx;
    if (!vof_tag_is_valid(tag) || index < 0 || vof_type_size(type) == 0 || columns < 1 ||
        columns > VO_VOF_MAX_COLUMNS || count < 0 || (count > 0 && !data) ||
        writer->count == VO_VOF_MAX_SECTIONS)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "section \"%.20s\": invalid tag, type or size", tag);
    vof_section section = {.index = (uint32_t)index,
                           .type = (uint8_t)type,
                           .filter = (uint8_t)vof_filter_for_type(type),
                           .columns = (uint16_t)columns,
                           .count = (uint64_t)count};
    memcpy(section.tag, tag, strlen(tag));
    section.raw = section.count * section.columns * vof_type_size(type);
    section.hash = vo_hash(NULL, 0);
    if (!vo_reserve(ctx, &writer->entry, &writer->capacity, writer->count + 1) ||
        !extend(ctx, &writer->raw, writer->pending_size, section.raw))
        return vo_fail_memory(ctx, "a frame");
    if (count > 0) memcpy(writer->raw.data + writer->pending_size, data, section.raw);
    writer->entry[writer->count++] = (entry){.section = section, .from = writer->pending_size};
    writer->pending_size += section.raw;
    writer->raw_size += section.raw;
    return writer->pending_size >= BATCH ? compress_pending(writer) : VO_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void store_hash(unsigned char **at, const unsigned char *begin) {
    uint64_t hash = vo_hash(begin, (size_t)(*at - begin));
    vof_store(at, &hash, sizeof hash);
}

static void store_head(const vo_vof_writer *writer, unsigned char **at, uint64_t size) {
    uint32_t version = (uint32_t)writer->format->version, sections = (uint32_t)writer->count,
             zero = 0;
    int32_t frame = writer->frame;
    vof_store(at, writer->format->magic, VOF_MAGIC_SIZE);
    vof_store(at, &version, 4);
    vof_store(at, &sections, 4);
    vof_store(at, &frame, 4);
    vof_store(at, &zero, 4);
    vof_store(at, &writer->time, 8);
    vof_store(at, &size, 8);
}

static void store_section(unsigned char **at, const vof_section *section) {
    vof_store(at, section->tag, VO_VOF_MAX_TAG);
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
    VO_TRY(compress_pending(writer));
    size_t total =
        VOF_HEAD + (size_t)writer->count * VOF_ENTRY + VOF_HASH + writer->stored_size + VOF_HASH;
    if (!vof_ratio_is_plausible(writer->raw_size, total))
        return vo_fail(writer->ctx, VO_BAD_ARGUMENT,
                       "%s %d: its %zu bytes compress beyond the ratio that readers accept; "
                       "the file cannot be saved",
                       writer->format->noun, writer->frame, writer->raw_size);
    if (!vof_buffer_reserve(writer->ctx, &writer->file, total))
        return vo_fail_memory(writer->ctx, "a frame");
    unsigned char *begin = writer->file.data, *at = begin;
    store_head(writer, &at, total);
    for (int i = 0; i < writer->count; i++) store_section(&at, &writer->entry[i].section);
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
